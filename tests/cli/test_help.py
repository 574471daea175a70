"""The help of commands, as it is printed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from lingprobe.cli import COMMANDS, app


def show_help(*arguments, columns=80):
    done = CliRunner().invoke(app, [*arguments, "--help"], env={"COLUMNS": str(columns)})
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("columns", [60, 80, 200])
@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_lines_fit_but_those_that_are_copied(name, columns):
    text = show_help(*name.split(), columns=columns)
    assert text.startswith("Usage: ")
    for line in text.splitlines():
        assert len(line) <= min(columns, 100) or line.startswith("  lingprobe "), line
        assert line == line.rstrip()
    assert "<bool>" not in text
    assert "x>=" not in text
    assert "`" not in text


def test_commands_and_options_stand_under_headings():
    text = show_help()
    assert text.index("\nRun:\n") < text.index("\nResults:\n") < text.index("\nData:\n")
    assert "\n  run         Probe encoders on tasks, and show the table.\n" in text
    text = show_help("inside", "locate")
    assert text.index("\nArguments:\n") < text.index("\nOptions:\n") < text.index("\nSpeed and")
    assert "\n  lingprobe inside locate ud/subj-num:en_ewt lm:gpt2 --pairs" in text


def test_a_group_alone_shows_its_help():
    done = CliRunner().invoke(app, ["probe"], env={"COLUMNS": "80"})
    assert done.exit_code == 0
    assert done.output == show_help("probe")


def test_help_imports_neither_rich_nor_numpy():
    code = "import sys, lingprobe.cli as c; sys.argv[1:] = ['run', '--help']; c.main()"
    code += "; print([n for n in ('rich', 'numpy', 'torch') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
