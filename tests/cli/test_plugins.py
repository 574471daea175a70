"""`lingprobe list plugins` and `lingprobe.plugins`: what installed packages add."""

import importlib
import os
import subprocess
import sys

from typer.testing import CliRunner

import lingprobe
from lingprobe.api.commands import GROUP_DESCRIPTIONS
from lingprobe.api.listing import _OTHERS
from lingprobe.cli import COMMANDS, app

METADATA = "Metadata-Version: 2.1\nName: acme-probes\nVersion: 1.2\n"
POINTS = """[lingprobe.probes]
guess = acme_probes:Guess
broken = acme_probes.gone:Guess
mlp = acme_probes:Guess
[lingprobe.commands]
run = acme_probes:Guess
data.audit-parser = acme_probes:Guess
guess = acme_probes:Guess
[lingprobe.functions]
run = acme_probes:Guess
tasks = acme_probes:Guess
guess = acme_probes:Guess
"""


def install(folder, monkeypatch):
    """A package with three probes, one of which cannot be imported, and one whose name is taken;
    and with commands and functions, some of whose names are taken.
    """
    about = folder / "acme_probes-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(METADATA)
    (about / "entry_points.txt").write_text(POINTS)
    (folder / "acme_probes.py").write_text("class Guess:\n    '''A guess.'''\n")
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()


def test_plugins_are_listed_with_their_package(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch)
    every = [p for p in lingprobe.plugins() if p.distribution == "acme-probes"]
    mine = {p.name: p for p in every if p.kind == "probe"}
    assert {(p.kind, p.version) for p in mine.values()} == {("probe", "1.2")}
    assert mine["guess"].problem == ""
    assert mine["broken"].problem.startswith("ModuleNotFoundError: No module named 'acme_probes.g")
    assert mine["mlp"].problem == "lingprobe has a probe of this name"
    sys.modules.pop("acme_probes", None)


def test_one_that_cannot_be_imported_is_named_and_costs_nothing_else(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch)
    shown = CliRunner().invoke(app, ["list", "plugins"], catch_exceptions=False).output
    assert "acme-probes 1.2  probe guess  acme_probes:Guess\n" in shown
    assert "broken  acme_probes.gone:Guess  (cannot be used: ModuleNotFoundError" in shown
    listed = CliRunner().invoke(app, ["list", "probes"], catch_exceptions=False).output
    assert "broken" in listed
    assert "logreg" in listed
    done = lingprobe.run("ud/tense:embedded", "length", probes="logreg", limit=60, baselines="none")
    assert len(done.results) == 1
    sys.modules.pop("acme_probes", None)


def test_one_that_exits_at_import_ends_no_list(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch)
    (tmp_path / "acme_probes.py").write_text("import sys\nsys.exit(3)\n")
    mine = {p.name: p.problem for p in lingprobe.plugins() if p.distribution == "acme-probes"}
    assert "guess called sys.exit(3)" in mine["guess"]
    for command in ("list plugins", "list probes"):
        listed = CliRunner().invoke(app, command.split(), catch_exceptions=False)
        assert listed.exit_code == 0
        assert "called sys.exit(3)" in listed.output
    sys.modules.pop("acme_probes", None)


def test_a_command_or_function_whose_name_is_taken_is_told_with_the_reason(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch)
    problems = {
        (p.kind, p.name): p.problem
        for p in lingprobe.plugins()
        if p.distribution == "acme-probes" and p.kind != "probe"
    }
    assert problems == {
        ("command", "run"): "lingprobe has a command of this name",
        ("command", "data.audit-parser"): "lingprobe has a command of this name",
        ("command", "guess"): "",
        ("function", "run"): "lingprobe has a function of this name",
        ("function", "tasks"): "lingprobe has a function of this name",
        ("function", "guess"): "",
    }
    shown = CliRunner().invoke(app, ["list", "plugins"], catch_exceptions=False).output
    assert (
        "command run  acme_probes:Guess  (cannot be used: lingprobe has a command of this name)"
        in shown
    )
    sys.modules.pop("acme_probes", None)


def test_every_command_is_known_to_be_taken():
    ours = {name.replace(" ", ".") for name in COMMANDS} | set(GROUP_DESCRIPTIONS)
    [commands] = [contents for contents in _OTHERS if contents.kind == "command"]
    assert set(commands.places(own=True)) == ours


def test_a_command_that_cannot_be_imported_is_told_to_who_calls_it(tmp_path):
    """And to nobody else: other commands start in silence, whatever the package does."""
    about = tmp_path / "acme_commands-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-commands\nVersion: 1.2\n")
    points = "gone = acme_gone:gone\nends = acme_ends:ends\n"
    (about / "entry_points.txt").write_text(f"[lingprobe.commands]\n{points}")
    (tmp_path / "acme_ends.py").write_text("import sys\nsys.exit('no licence')\n")

    def run(*arguments: str) -> tuple[int, str]:
        order = [sys.executable, "-m", "lingprobe", *arguments]
        place = {**os.environ, "PYTHONPATH": str(tmp_path)}
        done = subprocess.run(order, env=place, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    assert run("--version") == (0, "")
    for name, reason in (("gone", "No module named 'acme_gone'"), ("ends", "no licence")):
        code, error = run(name)
        assert (code, error.count("\n")) == (2, 1)
        assert error.startswith(f"lingprobe: the command {name}, which an installed package adds")
        assert reason in error
