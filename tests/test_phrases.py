"""What is printed and what readers' pages say uses the field's words: `phrases.tsv` lists phrases of
ours, and what the field writes instead.

Phrases are regular expressions; … stands for what a program fills in. The list refuses phrases, not
words: *draw*, *floor* and *tell* are English.
"""

import ast
import json
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from fixtures.definitions import ROOT, SOURCES, find_definition, list_docstrings
from lingprobe.api.listing import CONTENTS_PLACES
from lingprobe.cli import COMMANDS, app

KEYS = frozenset(
    {
        # of files
        "left out",
        "not left out in doubt",
        "accuracy of the commonest piece",
        # a text that is encoded
        "Sonde reads sentences of many lengths , and asks what their vectors tell of them .",
    }
)
"""Literals that are not printed."""
QUOTES = frozenset({"claims.tsv"})  # whose columns quote papers
PENDING = 16
"""Phrases in help that is generated from docstrings of functions; the number may only fall."""
GENERATED = ("api.md", "cli.md")
REFERENCE = re.compile(r'"(lingprobe[\w.]*):(\w+)"')
PLACEHOLDER = re.compile(r"\{[{%#].*?[%#}]\}", re.S)


class Phrase(NamedTuple):
    """A phrase that is refused, and what to write instead."""

    pattern: re.Pattern[str]
    instead: str


class Found(NamedTuple):
    """Where a phrase stands."""

    where: str
    text: str
    instead: str


@cache
def phrases() -> tuple[Phrase, ...]:
    lines = (ROOT / "tests" / "phrases.tsv").read_text("utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return tuple(Phrase(re.compile(pattern, re.I), instead) for pattern, instead in rows)


def find_phrases(where: str, text: str) -> Iterator[Found]:
    for phrase in phrases():
        for found in phrase.pattern.finditer(text):
            yield Found(where, found.group(), phrase.instead)


def list_literals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The texts of a module, and the lines that they begin in; docstrings are not among them."""
    others = {id(node) for node in list_docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            others |= {id(part) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            texts = (v.value if isinstance(v, ast.Constant) else "…" for v in node.values)
            yield node.lineno, "".join(map(str, texts))
        elif isinstance(node, ast.Constant) and id(node) not in others and " " in str(node.value):
            yield node.lineno, str(node.value)


def assert_none(found: Iterator[Found]) -> None:
    assert not (every := list(found)), "\n".join(
        f"{each.where}: {each.text!r}; write: {each.instead}" for each in every
    )


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("MiniLM cannot be told from bow:random", ["cannot be told"]),
        ("3 examples were left out", ["left out"]),
        ("the model has 87.2 on tense", ["has 87.2"]),
        ("above every floor", ["every floor"]),
        ("vectors of … numbers", ["vectors of … numbers"]),
        ("one has to leave it out; the floor", ["the floor"]),
        ("numbers of the subject are read by the probe, and tell us more", []),
    ],
)
def test_phrases_are_seen_and_single_words_are_not(text, refused):
    assert [each.text for each in find_phrases("", text)] == refused


def test_literals_are_seen_with_what_is_filled_in():
    code = 'def f(n):\n    """Not this one."""\n    return f"{n} of" " them", ("a b", "one")\n'
    assert sorted(list_literals(ast.parse(code))) == [(3, "a b"), (3, "… of them")]


def test_literals_use_the_words_of_the_field():
    assert_none(
        found
        for file in sorted(SOURCES.rglob("*.py"))
        for line, text in list_literals(ast.parse(file.read_text("utf-8")))
        if text not in KEYS
        for found in find_phrases(f"{file.relative_to(SOURCES)}:{line}", text)
    )


def test_tables_and_templates_use_the_words_of_the_field():
    files = [
        file
        for suffix in ("*.tsv", "*.toml", "*.html")
        for file in sorted(SOURCES.rglob(suffix))
        if file.name not in QUOTES
    ]
    assert len(files) > 15
    assert_none(
        found
        for file in files
        for number, line in enumerate(PLACEHOLDER.sub("…", file.read_text("utf-8")).splitlines(), 1)
        if not line.startswith("#")
        for found in find_phrases(f"{file.relative_to(SOURCES)}:{number}", line)
    )


def test_descriptions_that_are_listed_use_the_words_of_the_field():
    """Of encoders, probes, controls, metrics, views: the docstrings that `lingprobe list` shows."""
    places = {
        place
        for file in (*SOURCES.rglob("*.py"), ROOT / "pyproject.toml")
        for place in REFERENCE.findall(file.read_text("utf-8"))
    }
    texts = {}
    for module, name in sorted(places):
        if _is_listed(module) and (found := find_definition(module, name)):
            texts[f"{module}.{name}"] = ast.get_docstring(found.node) or ""
    assert len(texts) > 80
    assert_none(
        found
        for where, text in texts.items()
        for found in find_phrases(where, " ".join(text.split()))
    )


def _is_listed(module: str) -> bool:
    """Whether a module has what is listed by kinds, rather than functions of Python."""
    parts = SOURCES.joinpath(*module.split("."))
    exists = parts.is_dir() or parts.with_suffix(".py").exists()
    kinds = ("datasets", "encoders", "probes", "metrics", "inside", "suites", "tasks", "annotators")
    return exists and module.split(".")[1] in (*kinds, "archive") and not module.endswith(".api")


PAGES = sorted(
    [
        ROOT / "README.md",
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs" / "tutorials").glob("*.md"),
    ]
)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in GENERATED], ids=lambda page: page.stem
)
def test_pages_use_the_words_of_the_field(page):
    assert_none(
        found
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1)
        for found in find_phrases(
            f"{page.name}:{number}", re.sub(r"<!--.*?-->|\]\([^)]*\)", "", line)
        )
    )


def test_help_uses_ever_fewer_phrases_of_ours():
    """The generated pages hold all help: what is refused there is mended where it is declared."""
    found = [
        each
        for name in GENERATED
        for line in (ROOT / "docs" / name).read_text("utf-8").splitlines()
        for each in find_phrases(name, line)
    ]
    assert len(found) <= PENDING, "\n".join(map(str, found))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Results of one small run, with an encoder, baselines and a control."""
    place = tmp_path_factory.mktemp("words")
    rows = [
        {"text": f"{'good' if i % 2 else 'bad'} film {i} of many", "label": "yn"[i % 2]}
        for i in range(240)
    ]
    (place / "films.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (place / "mine.py").write_text(
        "import numpy as np\n\n\ndef vowels(texts):\n"
        "    return np.array([[t.count(v) for v in 'aeiou'] + [len(t)] for t in texts], float)\n"
        "\n\ndef lengths(texts):\n    return np.array([[len(t), 1] for t in texts], float)\n"
    )
    (place / "short.jsonl").write_text('{"text": "a"}\n')
    call(
        place,
        "run -t table:films.jsonl ud/passive:embedded -e mine.py@vowels mine.py@lengths --limit 200 --seeds 1"
        " --control shuffled -o results",
    )
    return place


def call(place: Path, line: str, code: int | None = 0) -> str:
    """What a command prints, on both streams, where it runs in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        done = CliRunner().invoke(app, shlex.split(line), env={"COLUMNS": "400"})
    assert code is None or done.exit_code == code, (line, done.output, done.exception)
    return f"{done.output}\n{done.exception or ''}"


SHOWN = (
    "report results",
    "report results --each",
    "report results --format html",
    "report results --format latex",
    "report results --format markdown",
    "report results --classes",
    "compare results",
    "compare results --pairs",
    "compare results --letters",
    "publish card results",
    "cluster status results",
    "inspect table:films.jsonl",
    "tasks ud/tense",
    "encoders hf",
    "list suites",
)
WRONG = (
    "run -t ud/tens:x -e length",
    "run -t table:short.jsonl -e length",
    "run -t table:films.jsonl -e hf:nowhere",
    "run -t table:films.jsonl -e length --probe linear,c=x",
    "report none",
    "report results --figure pie",
    "compare results --against nobody",
    "layers results",
    "report results --view units",
    "report results --headroom",
    "inspect table:nowhere.csv",
    "build table:films.jsonl -o films.xyz",
)


@pytest.mark.parametrize("line", SHOWN)
def test_what_commands_print_uses_the_words_of_the_field(folder, line):
    printed = call(folder, line)
    assert len(printed) > 50
    assert_none(find_phrases(line, " ".join(printed.split())))


@pytest.mark.parametrize("line", WRONG)
def test_errors_use_the_words_of_the_field(folder, line):
    printed = call(folder, line, code=None)
    assert printed.strip()
    assert_none(find_phrases(line, printed))


@pytest.mark.parametrize("kind", CONTENTS_PLACES)
def test_lists_use_the_words_of_the_field(kind):
    printed = call(ROOT, f"list {kind}")
    assert_none(find_phrases(kind, " ".join(printed.split())))


def test_every_command_is_in_the_generated_help():
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert [name for name in COMMANDS if f"## {name}\n" not in page] == []
