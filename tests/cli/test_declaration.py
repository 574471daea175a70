"""Commands have the options that functions have, read without importing these."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from typer.models import ArgumentInfo

import lingprobe
from lingprobe.cli import COMMANDS
from lingprobe.cli.signatures import REQUIRED, parameters

FUNCTIONS = sorted({name for declared in COMMANDS.values() for name in declared.functions})
OPTIONS = [(name, option) for name, declared in COMMANDS.items() for option in declared.options]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_read_of_a_function_is_what_it_takes(name):
    signature = inspect.signature(getattr(lingprobe, name)).parameters.values()
    own = {p.name: p.default for p in signature if p.kind is not p.VAR_KEYWORD}
    read = parameters(name)
    assert set(own) <= set(read)
    for parameter, default in own.items():
        found = read[parameter].default
        assert (found is REQUIRED) == (default is inspect.Parameter.empty), parameter
        if default or found:
            assert found is REQUIRED or str(found) == str(default), parameter


@pytest.mark.parametrize(("name", "option"), OPTIONS, ids=lambda v: getattr(v, "name", v))
def test_every_option_is_in_python_or_in_the_command_and_explained(name, option):
    declared = COMMANDS[name]
    own = inspect.signature(declared.show).parameters
    assert option.name in own or any(option.name in parameters(each) for each in declared.functions)
    (info,) = declared.callback().__annotations__[option.name].__metadata__
    assert info.help[0] in "'`" or info.help[0].upper() == info.help[0] or option.help, info.help
    assert len(info.help) > 5
    assert info.help.endswith("."), info.help


KINDS = {
    ("build", "output"): Path,
    ("parse", "texts"): list[Path],
    ("parse", "parser"): str,
    ("run", "tasks"): list[str],
    ("run", "jobs"): str,
    ("run", "limit"): int,
    ("run", "bounds"): bool,
    ("predictions", "format"): Literal["jsonl", "jiant"],
    ("predictions", "reads"): list[str],
    ("train", "rate"): float,
}


@pytest.mark.parametrize(("name", "parameter"), KINDS)
def test_a_text_is_read_as_the_type_of_the_parameter(name, parameter):
    assert parameters(name)[parameter].kind == KINDS[name, parameter]


def test_keywords_of_a_command_are_its_options():
    for name, declared in COMMANDS.items():
        own = set(inspect.signature(declared.show).parameters) - {"given"}
        assert own <= {option.name for option in declared.options}, name


def test_options_take_what_python_does_not_say_from_the_command_line():
    hints = COMMANDS["predictions"].callback().__annotations__
    (info,) = hints["format"].__metadata__
    assert (info.default, info.param_decls) == ("--format", ("-f",))
    bounds = COMMANDS["run"].callback().__annotations__["bounds"].__metadata__[0]
    assert bounds.default == "--bounds/--no-bounds"
    files = COMMANDS["parse"].callback().__annotations__["texts"]
    assert isinstance(files.__metadata__[0], ArgumentInfo)


def test_what_is_for_python_alone_is_not_in_help():
    assert "DataFrame" in inspect.getdoc(lingprobe.build)
    assert parameters("build")["task"].meaning == "A task with its data, such as `ud/tense:en_ewt`"


def test_help_of_a_command_imports_no_function():
    code = (
        "import sys; sys.argv = ['lingprobe', 'run', '--help']\n"
        "from lingprobe.cli import main; main()\n"
        "print('\\nMODULES', [name for name in sys.modules if name.startswith('lingprobe.api')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = ast.literal_eval(done.stdout.rpartition("MODULES")[2].strip())
    assert modules == ["lingprobe.api", "lingprobe.api.commands"]
