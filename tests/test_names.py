"""How things are called: by nouns of the field and verbs of what is done."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import lingprobe

PACKAGE = Path(lingprobe.__file__).parent
IRREGULAR = set(
    "bought brought built caught chosen done drawn found given gone heard held hidden kept"
    " known left lost made meant met said seen sent shown sought spoken taken taught thought told"
    " won written".split()
)
NO_PARTICIPLES = {"embed", "feed", "need", "seed", "shed", "speed"}
KEPT = {
    "computed": "a column of the tables that are written",
    "embedded": "the treebank, as users name it",
    "malformed": "a check, as users name it",
    "mixed": "a check, as users name it",
    "randomised": "what controls say of themselves",
    "released": "data sets as users name them",
    "trained": "a probe of a run, as who keeps one asks for it",
    "tested": "a column of the tables that are written",
    "untrained": "encoders, as users name them",
}
"""Participles that are names all the same, and why."""


def is_participle(name: str) -> bool:
    """Whether a name is a participle and nothing else."""
    bare = name.strip("_")
    regular = re.fullmatch(r"[a-z]+ed", bare) and bare not in NO_PARTICIPLES
    return bool(regular) or bare in IRREGULAR


@cache
def defined(file: Path) -> list[str]:
    """The names of a module and of what it defines."""
    tree = ast.parse(file.read_text("utf-8"))
    inside = [n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    return [file.parent.name if file.stem == "__init__" else file.stem, *inside]


@pytest.mark.parametrize(
    ("name", "bare"),
    [("_named", True), ("told", True), ("parsed_corpus", False), ("embed", False), ("by", False)],
)
def test_participles_are_known(name, bare):
    assert is_participle(name) is bare


def test_no_name_is_a_bare_participle():
    names = {
        f"{file.relative_to(PACKAGE)}: {name}": name
        for file in sorted(PACKAGE.rglob("*.py"))
        for name in defined(file)
        if is_participle(name)
    }
    assert [place for place, name in names.items() if name not in KEPT] == []
    assert KEPT.keys() <= set(names.values()), "no longer there"


ROOMS = sorted(
    folder.parent
    for depth in ("*", "parts/*")
    for folder in PACKAGE.glob(f"{depth}/__init__.py")
    if folder.parent.name != "parts"
)


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(PACKAGE)))
def test_the_first_page_of_a_room_names_modules_that_are_there(room):
    page = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8"))) or ""
    modules = {each.stem for each in room.iterdir() if each.suffix in ("", ".py")}
    named = set(re.findall(r"`([a-z_]+)`", page))
    assert len(named & modules) >= 2, "say where to begin"
    elsewhere = {each.name for each in ROOMS} | {"lingprobe", *lingprobe.__all__}
    here = {name for file in room.rglob("*.py") for name in defined(file)}
    assert named <= modules | elsewhere | here
