"""The Tab key, pressed in bash, and what it offers; zsh is in tests/integration."""

import os
import pty
import select
import sys
import time
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from lingprobe.cli.completing import complete_listed, complete_names

SCRIPT = f"""#!{sys.executable}
from lingprobe.cli import main
main()
"""
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source_bash", ""),
    "zsh": (["zsh", "-f", "-i"], "source_zsh", "autoload -Uz compinit; compinit -u -D; "),
}
PATIENCE = 60.0  # seconds on a busy machine


def read_until(terminal, text):
    """What a terminal shows until it shows a text; AssertionError where it does not."""
    shown, end = "", time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 4096).decode(errors="replace")
            if text in shown:
                return shown
    raise AssertionError(f"{text!r} never came: {shown!r}")


@contextmanager
def shell_of(name, folder):
    """A shell in a terminal of its own that knows how to complete `lingprobe`."""
    arguments, source, before = SHELLS[name]
    command = folder / "bin" / "lingprobe"
    command.parent.mkdir()
    command.write_text(SCRIPT)
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    (folder / "UD_Polish-Mine").mkdir()
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(arguments[0], arguments, os.environ | {"PATH": path, "TERM": "dumb"})
    ready = f'{before}eval "$(_LINGPROBE_COMPLETE={source} lingprobe)"; echo rea""dy\n'
    os.write(terminal, ready.encode())
    read_until(terminal, "ready")
    yield terminal
    os.close(terminal)
    os.waitpid(child, 0)


CASES = [
    ("lingprobe enc", "encoders"),
    ("lingprobe run -t ud/ten", "ud/tense"),
    ("lingprobe run -e len", "length"),
    ("lingprobe run -t ud/tense:UD_P", "UD_Polish-Mine"),
    ("lingprobe tasks edge/seme", "edge/semeval"),
    ("lingprobe run --cont", "--control"),
    ("lingprobe list probes logr", "logreg"),
]
"""What is typed before the Tab key, and what it becomes."""


@pytest.mark.parametrize(("typed", "completed"), CASES)
def test_tab_completes_in_bash(tmp_path, typed, completed):
    with shell_of("bash", tmp_path) as shell:
        os.write(shell, f"{typed}\t".encode())
        read_until(shell, completed)


def test_names_are_those_of_the_table():
    assert complete_names("tasks")("ud/t") == ["ud/tense", "ud/top-deps", "ud/tree-depth"]
    assert complete_names("probes")("nothing") == []


def test_after_the_colon_of_a_task_come_treebanks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("UD_English-One", "UD_Polish-Two", "other"):
        (tmp_path / name).mkdir()
    assert complete_names("tasks")("ud/tense:UD_P") == ["ud/tense:UD_Polish-Two"]
    assert complete_names("tasks")("ud/nothing:") == complete_names("encoders")("length:") == []


def test_names_of_a_kind_are_those_of_the_kind_that_was_typed():
    assert complete_listed(SimpleNamespace(params={"kind": "controls"}), "shuf") == ["shuffled"]
    assert complete_listed(SimpleNamespace(params={"kind": "pies"}), "") == []
