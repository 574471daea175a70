"""What `lingprobe.extend` hands on: few names, each a definition that an extension uses and that says
what it is; and extensions import these and the public names of `lingprobe`, nothing else of it.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import lingprobe
import lingprobe_extensions
from lingprobe import extend
from lingprobe.data._packages import entry_points

MOST = 150
BESIDE = Path(lingprobe_extensions.__file__).parent
TREES = {file: ast.parse(file.read_text("utf-8")) for file in sorted(BESIDE.rglob("*.py"))}
PUBLIC = {*lingprobe.__all__, *(point.name for point in entry_points("lingprobe.functions"))}
PLACE = re.compile(r"\blingprobe(\.[a-z_]\w*)+:\w+|^lingprobe(\.[a-z_]\w*)+$")
GROUPS = {"lingprobe.languages", "lingprobe.objectives"}
"""Groups of entry points, which a table of contents names."""


def imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The modules of lingprobe that code imports from, with each name; '' for a module itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and re.match(r"lingprobe(\.|$)", node.module or ""):
            yield from ((str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((a.name, "") for a in node.names if re.match(r"lingprobe(\.|$)", a.name))


def read_off(tree: ast.AST) -> Iterator[str]:
    """The names that code takes from the package as `lingprobe.NAME`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "lingprobe":
            yield node.attr


def texts(tree: ast.AST) -> Iterator[str]:
    """The texts in code that are no docstrings."""
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def wrong(tree: ast.AST) -> list[str]:
    """What code imports of lingprobe, or names in a text, that is not for extensions."""
    allowed = {"lingprobe": {*PUBLIC, ""}, "lingprobe.extend": {*extend.__all__}}
    found = [f"{m}:{n}" for m, n in imported(tree) if n not in allowed.get(m, ())]
    found += [name for name in read_off(tree) if name not in PUBLIC]
    return found + [text for text in texts(tree) if PLACE.search(text) and text not in GROUPS]


def documented(place: str, name: str) -> str:
    """The docstring of a definition, or the text below a constant; '' for none."""
    module = importlib.import_module(f"lingprobe.{place}")
    body = ast.parse(Path(str(module.__file__)).read_text("utf-8")).body
    for node, below in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return ast.get_docstring(node) or ""
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            text = below.value if isinstance(below, ast.Expr) else None
            return str(text.value) if isinstance(text, ast.Constant) else ""
    return ""


def test_few_names_are_handed_on_and_none_is_public_already():
    assert len(extend.__all__) == len(set(extend.__all__)) <= MOST
    assert not {*extend.__all__} & {*lingprobe.__all__}
    listed = [name for names in extend._PLACES.values() for name in names.split()]
    assert sorted(listed) == sorted(extend.__all__) == sorted(dir(extend))


@pytest.mark.parametrize(
    ("place", "name"), [(p, name) for p, names in extend._PLACES.items() for name in names.split()]
)
def test_each_name_is_a_definition_that_says_what_it_is(place, name):
    assert documented(place, name).strip(), f"{place} has no definition {name} with a docstring"
    module = importlib.import_module(f"lingprobe.{place}")
    assert getattr(extend, name) is getattr(module, name)


def test_each_name_is_used_by_an_extension():
    used = {n for tree in TREES.values() for m, n in imported(tree) if m == "lingprobe.extend"}
    assert used == {*extend.__all__}


def test_extensions_import_nothing_else_of_lingprobe():
    assert {str(file): found for file, tree in TREES.items() if (found := wrong(tree))} == {}


def test_types_are_checked_for_the_same_names():
    tree = ast.parse(Path(extend.__file__).read_text("utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    checked = {(str(node.module), alias.name) for node in imports for alias in node.names}
    places = extend._PLACES.items()
    assert checked == {(f"lingprobe.{p}", name) for p, names in places for name in names.split()}


@pytest.mark.parametrize(
    "code",
    [
        "from lingprobe.data.cache import write_text",
        "import lingprobe.data.cache",
        "from lingprobe.extend import PERCENT",
        "from lingprobe import data",
        "import lingprobe\nlingprobe.data.cache",
        "place = 'lingprobe.data.cache:write_text'",
        "place = 'lingprobe.data.cache'",
        "from lingprobe.extend import write_text\nimport lingprobe.corpora.text as text",
    ],
)
def test_what_is_not_for_extensions_is_seen(code):
    assert wrong(ast.parse(code))


def test_what_docstrings_say_is_no_use():
    assert not wrong(ast.parse('"""As in lingprobe.data.cache:write_text."""\nimport lingprobe'))


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = extend.nothing
