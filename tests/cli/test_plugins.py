"""`lingprobe plugins` and `lingprobe.plugins`: what installed packages add."""

import importlib
import sys

from typer.testing import CliRunner

import lingprobe
from lingprobe.cli import app

METADATA = "Metadata-Version: 2.1\nName: acme-probes\nVersion: 1.2\n"
POINTS = """[lingprobe.probes]
guess = acme_probes:Guess
broken = acme_probes.gone:Guess
mlp = acme_probes:Guess
"""


def install(folder, monkeypatch):
    """A package with three probes, one of which cannot be imported, and one whose name is taken."""
    about = folder / "acme_probes-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(METADATA)
    (about / "entry_points.txt").write_text(POINTS)
    (folder / "acme_probes.py").write_text("class Guess:\n    '''A guess.'''\n")
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()


def test_plugins_are_listed_with_their_package(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch)
    mine = {p.name: p for p in lingprobe.plugins() if p.distribution == "acme-probes"}
    assert {(p.kind, p.version) for p in mine.values()} == {("probe", "1.2")}
    assert mine["guess"].problem == ""
    assert mine["broken"].problem.startswith("ModuleNotFoundError: No module named 'acme_probes.g")
    assert mine["mlp"].problem == "lingprobe has a probe of this name"
    sys.modules.pop("acme_probes", None)


def test_one_that_cannot_be_imported_is_named_and_costs_nothing_else(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch)
    shown = CliRunner().invoke(app, ["plugins"], catch_exceptions=False).output
    assert "acme-probes 1.2  probe guess  acme_probes:Guess\n" in shown
    assert "broken  acme_probes.gone:Guess  (cannot be used: ModuleNotFoundError" in shown
    listed = CliRunner().invoke(app, ["probes"], catch_exceptions=False).output
    assert "broken" in listed
    assert "logreg" in listed
    done = lingprobe.run("ud/tense:embedded", "length", probes="logreg", limit=60, bounds=False)
    assert len(done.results) == 1
    sys.modules.pop("acme_probes", None)


def test_one_that_exits_at_import_ends_no_list(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch)
    (tmp_path / "acme_probes.py").write_text("import sys\nsys.exit(3)\n")
    mine = {p.name: p.problem for p in lingprobe.plugins() if p.distribution == "acme-probes"}
    assert "guess called sys.exit(3)" in mine["guess"]
    for command in ("plugins", "probes"):
        listed = CliRunner().invoke(app, [command], catch_exceptions=False)
        assert listed.exit_code == 0
        assert "called sys.exit(3)" in listed.output
    sys.modules.pop("acme_probes", None)
