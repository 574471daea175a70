"""Commands have the options that functions have, read without importing these."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys

import pytest
from typer.models import ArgumentInfo

import lingprobe
from lingprobe.cli import DERIVED
from lingprobe.cli.signatures import REQUIRED, taken

FUNCTIONS = sorted({name for derived in DERIVED.values() for name in derived.functions})
OPTIONS = [(name, option) for name, derived in DERIVED.items() for option in derived.options]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_read_of_a_function_is_what_it_takes(name):
    parameters = inspect.signature(getattr(lingprobe, name)).parameters.values()
    own = {p.name: p.default for p in parameters if p.kind is not p.VAR_KEYWORD}
    read = taken(name)
    assert set(own) <= set(read)
    for parameter, default in own.items():
        found = read[parameter].default
        assert (found is REQUIRED) == (default is inspect.Parameter.empty), parameter
        if default or found:
            assert found is REQUIRED or str(found) == str(default), parameter


@pytest.mark.parametrize(("name", "option"), OPTIONS, ids=lambda v: getattr(v, "name", v))
def test_every_option_is_in_python_or_in_the_command_and_explained(name, option):
    derived = DERIVED[name]
    own = inspect.signature(derived.show).parameters
    assert option.name in own or any(option.name in taken(each) for each in derived.functions)
    (info,) = derived.callback().__annotations__[option.name].__metadata__
    assert info.help[0] in "'`" or info.help[0].upper() == info.help[0] or option.help, info.help
    assert len(info.help) > 5
    assert info.help.endswith("."), info.help


def test_keywords_of_a_command_are_its_options():
    for name, derived in DERIVED.items():
        own = set(inspect.signature(derived.show).parameters) - {"given"}
        assert own <= {option.name for option in derived.options}, name


def test_options_take_what_python_does_not_say_from_the_command_line():
    hints = DERIVED["predictions"].callback().__annotations__
    (info,) = hints["format"].__metadata__
    assert (info.default, info.param_decls) == ("--format", ("-f",))
    bounds = DERIVED["run"].callback().__annotations__["bounds"].__metadata__[0]
    assert bounds.default == "--bounds/--no-bounds"
    files = DERIVED["parse"].callback().__annotations__["texts"]
    assert isinstance(files.__metadata__[0], ArgumentInfo)


def test_what_is_for_python_alone_is_not_in_help():
    assert "Task object" in inspect.getdoc(lingprobe.build)
    assert taken("build")["task"].meaning == "A task with its data, such as `ud/tense:en_ewt`"


def test_help_of_a_command_imports_no_function():
    code = (
        "import sys; sys.argv = ['lingprobe', 'run', '--help']\n"
        "from lingprobe.cli import main; main()\n"
        "print('\\nMODULES', [name for name in sys.modules if name.startswith('lingprobe.api')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = ast.literal_eval(done.stdout.rpartition("MODULES")[2].strip())
    assert modules == ["lingprobe.api", "lingprobe.api.commands"]
