"""What functions of `lingprobe` take, read from their sources: importing these would take too long
for `--help`.

A parameter is read from the signature, and its meaning from the table in the docstring. Where the
docstring says "fields of `X`", the fields of that class are parameters as well; what is "as in `X`"
means what the docstring of that class says.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import re
from collections.abc import Iterator
from inspect import Parameter
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import lingprobe
from lingprobe import parts

KINDS = {"str": str, "Path": Path, "int": int, "float": float, "bool": bool}
SEVERAL = {"Sequence", "Iterable"}
REQUIRED = Parameter.empty
ROW = re.compile(r"^(\w+(?:, \w+)*) {2,}(\S.*(?:\n +\S.*)*)", re.M)
SHARED = re.compile(r"(fields\s+of|as\s+in)\s+`([\w.]+)`")
ASIDE = re.compile(r"; in Python\b.*")
"""What follows this in a meaning is not for the command line."""


class Taken(NamedTuple):
    """A parameter: what a text becomes, whether there may be several, the default, the meaning."""

    kind: Any
    several: bool
    default: Any
    meaning: str


Row = tuple[str, ast.expr, ast.expr | None]  # name, annotation, default


@functools.cache
def taken(function: str) -> dict[str, Taken]:
    """The parameters of a function of `lingprobe`, by name."""
    module = _module_of(function)
    node = _defined(_tree(module), function)
    assert isinstance(node, ast.FunctionDef)
    text = ast.get_docstring(node) or ""
    found = {row[0]: _taken(row) for row in _parameters(node)}
    meanings = _meanings(text)
    for how, name in SHARED.findall(text):
        fields = _class(name)
        if how.startswith("fields"):
            found = {row[0]: _taken(row) for row in _attributes(fields)} | found
        meanings = _meanings(ast.get_docstring(fields) or "") | meanings
    return {
        name: each._replace(meaning=_sentence(meanings.get(name, "")))
        for name, each in found.items()
    }


def _module_of(function: str) -> str:
    """The module that defines a public name."""
    places = lingprobe._PLACES.items()
    own = (f"lingprobe.{place}" for place, names in places if function in names.split())
    return parts.module_of(function) or next(own)


@functools.cache
def _tree(module: str) -> ast.Module:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    return ast.parse(Path(str(spec.origin)).read_text("utf-8"))


def _defined(tree: ast.Module, name: str) -> ast.stmt:
    """The function or class of a name in a module."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return next(node for node in tree.body if isinstance(node, kinds) and node.name == name)


def _class(name: str) -> ast.ClassDef:
    """A public class, or one with its module before its name."""
    module, _, name = name.rpartition(".")
    node = _defined(_tree(module or _module_of(name)), name)
    assert isinstance(node, ast.ClassDef)
    return node


def _parameters(node: ast.FunctionDef) -> Iterator[Row]:
    plain, keyword = node.args.args, node.args.kwonlyargs
    required = [None] * (len(plain) - len(node.args.defaults))
    defaults = [*required, *node.args.defaults, *node.args.kw_defaults]
    for each, default in zip([*plain, *keyword], defaults, strict=True):
        assert each.annotation is not None
        yield each.arg, each.annotation, default


def _attributes(node: ast.ClassDef) -> Iterator[Row]:
    for line in node.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            yield line.target.id, line.annotation, line.value or ast.Constant(None)


def _taken(row: Row) -> Taken:
    _, annotation, value = row
    kind, several = _kind(annotation)
    if value is None:
        return Taken(kind, several, REQUIRED, "")
    default = None if several else ast.literal_eval(value)
    if kind is bool:
        default = bool(default)
    elif kind in (str, Path) and default is not None:
        default = kind(default)
    return Taken(kind, several, default, "")


def _kind(annotation: ast.expr) -> tuple[Any, bool]:
    """What a text becomes by an annotation, and whether there may be several: a choice, a number, a
    path, or else a text, as the reference of something.
    """
    nodes = list(ast.walk(annotation))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    several = not names.isdisjoint(SEVERAL) or names == {"Any"}
    names -= SEVERAL
    for node in nodes:
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
            return cast(Any, Literal)[ast.literal_eval(node.slice)], several
    if names == {"str", "Path"}:
        names = {"Path"}
    return (KINDS.get(names.pop(), str) if len(names) == 1 else str), several


def _meanings(text: str) -> dict[str, str]:
    """What a docstring's table says of each parameter."""
    rows = [(names.split(", "), " ".join(said.split())) for names, said in ROW.findall(text)]
    own = [(names, said) for names, said in rows if not SHARED.match(said)]
    return {name: said for names, said in own for name in names}


def _sentence(meaning: str) -> str:
    """A meaning as help shows it, without a full stop."""
    said = re.sub(r"(?<!\w)'([^'\s]+)'(?!\w)", r"`\1`", ASIDE.sub("", meaning))
    return f"{said[:1].upper()}{said[1:]}"
