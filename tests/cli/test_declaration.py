"""An option is written once, in a class: functions, commands, experiments and docs have it from
there.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from typer.models import ArgumentInfo

import lingprobe
from lingprobe.api.arguments import takes_options
from lingprobe.api.commands import GROUP_DESCRIPTIONS
from lingprobe.api.data_options import BuildOptions, ParseOptions
from lingprobe.api.options import RunOptions
from lingprobe.api.result_options import PredictionsOptions
from lingprobe.cli import COMMANDS, main
from lingprobe.data.errors import UsageProblem
from lingprobe.data.options import (
    REQUIRED_OPTION,
    Help,
    Options,
    declare_argument,
    declared_options,
    describe_options,
    flag,
)

ROOT = Path(lingprobe.__file__).parents[2]
SOURCES = [ROOT / "src" / "lingprobe", ROOT / "src" / "lingprobe_extensions"]
DECLARED = [
    (name, option)
    for name, command in COMMANDS.items()
    for option in declared_options(command.options).values()
    if not option.flag.hidden
]


@pytest.fixture(scope="module")
def writer(tmp_path_factory) -> Any:
    """What writes the signatures."""
    return runpy.run_path(str(ROOT / "docs" / "write_options.py"))


def test_signatures_are_as_the_classes_of_options_say(writer):
    found = list(writer["places"]())
    assert len(found) > 30
    for file, name, declared in found:
        source = file.read_text("utf-8")
        assert writer["rewrite"](source, name, declared) == source, f"{file}, {name}: make docs"


def test_positional_parameters_have_the_defaults_of_their_options(writer):
    for function in writer["functions"]():
        for p in inspect.signature(function).parameters.values():
            option = function.declared.get(p.name)
            if option is None or REQUIRED_OPTION is option.default or p.default is p.empty:
                continue
            assert p.default == option.default, (function.__name__, p.name)


@pytest.mark.parametrize(("name", "option"), DECLARED, ids=lambda v: getattr(v, "name", v))
def test_every_option_is_explained(name, option):
    (info,) = COMMANDS[name].callback().__annotations__[option.name].__metadata__
    assert info.help[0] in "'`" or info.help[0].upper() == info.help[0], info.help
    assert len(info.help) > 5
    assert info.help.endswith("."), info.help
    assert not info.help.endswith(".."), info.help


READ_AS = {
    (BuildOptions, "output"): Path,
    (ParseOptions, "texts"): list[Path],
    (ParseOptions, "parser"): str,
    (RunOptions, "layers"): list[str],
    (RunOptions, "jobs"): str,
    (RunOptions, "limit"): int,
    (RunOptions, "copies"): bool,
    (RunOptions, "baselines"): Literal["default", "strong", "none"],
    (PredictionsOptions, "format"): Literal["jsonl", "jiant"],
    (PredictionsOptions, "layers"): list[str],
}


@pytest.mark.parametrize(("kind", "name"), READ_AS)
def test_a_text_is_read_as_the_type_of_the_option(kind, name):
    assert declared_options(kind)[name].read_as == READ_AS[kind, name]


def test_options_say_how_they_are_written():
    hints = COMMANDS["results predictions"].callback().__annotations__
    (info,) = hints["format"].__metadata__
    assert (info.default, info.param_decls) == ("--format", ("-f",))
    copies = COMMANDS["run"].callback().__annotations__["copies"].__metadata__[0]
    assert copies.default == "--copies/--no-copies"
    files = COMMANDS["parse"].callback().__annotations__["texts"]
    assert isinstance(files.__metadata__[0], ArgumentInfo)
    assert "progress" not in COMMANDS["run"].callback().__annotations__


@dataclass(frozen=True, kw_only=True)
class Loudness(Options):
    """Options of the tests."""

    place: Annotated[str, Help("where"), declare_argument("PLACE")]
    volume: Annotated[int, Help("how loud", "1-11"), flag("-v")] = 5
    manner: Annotated[Literal["flat", "sharp"] | None, Help("how it is tuned")] = None
    mute: Annotated[bool, Help("make no sound")] = False


@takes_options(Loudness)
def sound(place: str, *, volume: int = 5, **rest: Any) -> tuple[Any, ...]:
    """Make a sound.

    Returns what was asked for.
    """
    return place, volume, rest


def test_a_function_shows_the_options_of_its_class():
    assert str(inspect.signature(sound)) == (
        "(place: 'str', *, volume: 'int' = 5, manner: \"Literal['flat', 'sharp'] | None\" = None,"
        " mute: 'bool' = False) -> 'tuple[Any, ...]'"
    )
    assert inspect.getdoc(sound) == (
        "Make a sound.\n\nplace   where\nvolume  how loud\nmanner  how it is tuned\n"
        "mute    make no sound\n\nReturns what was asked for."
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"volume": 12}, "volume=12: write a number from 1 to 11"),
        ({"volume": True}, "volume=True: give a whole number, how loud"),
        ({"volume": 1.5}, "volume=1.5: give a whole number, how loud"),
        ({"manner": "round"}, "no manner 'round': choose one of flat, sharp"),
        ({"mute": 1}, "mute=1: give True or False"),
        ({"volme": 3}, "sound takes no argument 'volme': did you mean volume?"),
    ],
)
def test_what_an_option_may_not_be_is_refused(given, said):
    with pytest.raises(UsageProblem) as problem:
        sound("here", **given)
    assert said in str(problem.value)
    if "volme" not in given:
        with pytest.raises(UsageProblem, match=r"give|write|choose"):
            Loudness(place="here", **given)


def test_what_is_as_by_default_is_not_selected():
    assert Loudness(place="here", volume=5, mute=True).select(Loudness) == {
        "place": "here",
        "mute": True,
    }


def test_options_are_described_in_lines_of_a_docstring():
    long = Loudness.__annotations__ and describe_options(declared_options(RunOptions).values())
    assert max(map(len, long.splitlines())) <= 96
    assert "\nlayers " in long


ADDED = """    volume: Annotated[
        int, Help("how loudly it is said that this option was added", "1"), flag(metavar="N")
    ] = 7


@dataclass(frozen=True, kw_only=True)
class ProbedOptions"""
ASKED = """
import inspect, json, runpy, sys
import lingprobe
place = sys.argv[1]
writer = runpy.run_path(f"{place}/docs/write_options.py")
file, name, declared = next(p for p in writer["places"]() if p[1] == "Settings")
pages = runpy.run_path(f"{place}/docs/write_cli.py"), runpy.run_path(f"{place}/docs/write_api.py")
asked = lingprobe.read_experiment(f"{place}/experiment.toml")
print(json.dumps({
    "package": lingprobe.__file__,
    "signature": str(inspect.signature(lingprobe.run)),
    "help": inspect.getdoc(lingprobe.run),
    "typed": writer["rewrite"](file.read_text("utf-8"), name, declared),
    "experiment": asked.settings["volume"],
    "copied": asked.resolve(),
    "cli.md": pages[0]["page"](),
    "api.md": pages[1]["page"](),
}))
"""


def test_an_option_that_is_added_to_its_class_is_everywhere(tmp_path):
    for folder in ("src", "docs"):
        shutil.copytree(
            ROOT / folder,
            tmp_path / folder,
            ignore=shutil.ignore_patterns("results"),
        )
    file = tmp_path / "src" / "lingprobe" / "api" / "options.py"
    before = "\n\n@dataclass(frozen=True, kw_only=True)\nclass ProbedOptions"
    source = file.read_text("utf-8")
    assert source.count(before) == 1
    file.write_text(source.replace(before, ADDED), "utf-8")
    (tmp_path / "experiment.toml").write_text('output = "out"\nvolume = 9\n', "utf-8")
    path = f"{tmp_path / 'src'}:{tmp_path / 'docs'}"

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": path, "COLUMNS": "200"},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    found = json.loads(run("-c", ASKED, str(tmp_path)))
    assert found["package"].startswith(str(tmp_path))
    assert "volume: 'int' = 7" in found["signature"]
    assert "how loudly it is said that this option was added" in found["help"]
    assert "\n    volume: int\n" in found["typed"]
    assert found["experiment"] == 9
    assert "\nvolume = 9\n" in found["copied"]
    row = "| `--volume` N | How loudly it is said that this option was added. | `7` |"
    assert row in found["cli.md"]
    assert "- `volume`: how loudly it is said that this option was added" in found["api.md"]
    assert "--volume" in run("-m", "lingprobe", "run", "--help")


PROSE = {
    ("lingprobe/api/arguments.py", "takes_options"): "writes it",
    ("lingprobe/api/arguments.py", "decorate"): "the same",
    ("lingprobe/cli/declaration.py", "text"): "what a command is for, in its help",
    ("lingprobe/cli/catalogue.py", "text"): "the same",
    ("lingprobe/cli/declaration.py", "callback"): "the same",
    ("lingprobe/data/listing.py", "_entry"): "the description of what is listed",
    ("lingprobe/data/references.py", "summarise_docstring"): "its first paragraph",
    ("lingprobe/encoders/encoder_contents.py", "find"): "hands it on",
    ("lingprobe/tasks/options.py", "derive_options"): "hands it on",
    ("lingprobe/pages/view_page.py", "__post_init__"): "writes it",
    ("lingprobe/tasks/task.py", "__post_init__"): "writes it",
}
"""What reads a docstring, and for what; options are nowhere read from one."""


def _readers(tree: ast.AST) -> Iterator[str]:
    """The functions that read a docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for inner in ast.walk(node):
                is_doc = isinstance(inner, ast.Attribute) and inner.attr in (
                    *("__doc__", "getdoc", "get_docstring"),
                )
                if is_doc or (isinstance(inner, ast.Constant) and inner.value == "__doc__"):
                    yield node.name


def test_nothing_reads_options_out_of_a_docstring():
    found = {
        (file.relative_to(ROOT / "src").as_posix(), name)
        for folder in SOURCES
        for file in folder.rglob("*.py")
        for name in _readers(ast.parse(file.read_text("utf-8")))
    }
    assert found == set(PROSE)
    for file, name in PROSE:
        tree = ast.parse((ROOT / "src" / file).read_text("utf-8"))
        nodes = [node for node in ast.walk(tree) if getattr(node, "name", "") == name]
        assert nodes
        for node in nodes:
            assert "re." not in ast.unparse(node), f"{file} {name} reads more than prose"


LIGHT = ("numpy", "scipy", "torch", "pyarrow", "sklearn", "jinja2", "matplotlib")


def test_help_imports_nothing_to_compute_with():
    code = (
        "import sys; sys.argv = ['lingprobe', 'run', '--help']\n"
        "from lingprobe.cli import main; main()\n"
        "print('\\nMODULES', list(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules: Sequence[str] = ast.literal_eval(done.stdout.rpartition("MODULES")[2].strip())
    assert not {name.partition(".")[0] for name in modules} & {*LIGHT}
    ours = {name for name in modules if name.startswith("lingprobe.api")}
    assert ours == {
        "lingprobe.api",
        "lingprobe.api.commands",
        "lingprobe.api.options",
    }


MOST_COMMANDS = 24


def test_few_commands_stand_at_the_first_level():
    first = {name.partition(" ")[0] for name in COMMANDS}
    assert len(first) <= MOST_COMMANDS
    groups = {name.partition(" ")[0] for name in COMMANDS if " " in name}
    assert groups == set(GROUP_DESCRIPTIONS)
    assert not groups & {name for name in COMMANDS if " " not in name}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("vectors a.txt", "no command vectors; did you mean train vectors?"),
        ("languages", "no command languages; did you mean data languages?"),
        ("suites", "no command suites; `lingprobe list suites` lists them"),
        ("plugins", "no command plugins; `lingprobe list plugins` lists them"),
        ("train bilstm-max", "no command bilstm-max (`lingprobe train --help`"),
        ("progress", "no command progress; did you mean cluster status?"),
        ("run --read mix", "no option --read; did you mean --layers?"),
        ("run --no-bounds", "no option --no-bounds; did you mean --baselines?"),
        ("run --store none", "no option --store; did you mean --dtype?"),
        ("run --keep scores", "no option --keep; did you mean --keep-scores?"),
        ("transfer --to a.svg", "no option --to; did you mean --page?"),
        ("train vectors --dimm 3", "no option --dimm; did you mean --dim?"),
    ],
)
def test_old_names_get_the_new_one(line, said, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["lingprobe", *line.split()])
    with pytest.raises(SystemExit):
        main()
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: lingprobe.run(reads=["mix"]),
            "run takes no argument 'reads': did you mean layers?",
        ),
        (lambda: lingprobe.run(bounds=False), "did you mean baselines?"),
        (lambda: lingprobe.run(store="none"), "did you mean dtype?"),
        (lambda: lingprobe.report("out", reads="*"), "did you mean layers?"),
        (lambda: lingprobe.fetch("senteval", folder="here"), "did you mean output?"),
    ],
)
def test_old_keywords_get_the_new_one(call, said):
    with pytest.raises(UsageProblem) as problem:
        call()
    assert said in str(problem.value)
