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
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import lingprobe
from lingprobe.data._packages import entry_points

REQUIRED = inspect.Parameter.empty
KINDS = {"str": str, "Path": Path, "int": int, "float": float, "bool": bool}
SEVERAL = {"Sequence", "Iterable"}
ROW = re.compile(r"^(\w+(?:, \w+)*) {2,}(\S.*(?:\n +\S.*)*)", re.M)
SHARED = re.compile(r"(fields\s+of|as\s+in)\s+`([\w.]+)`")
QUOTED = re.compile(r"(?<!\w)'([^'\s]+)'(?!\w)")
ASIDE = re.compile(r"; in Python\b.*")
"""What follows this in a meaning is not for the command line."""


class Parameter(NamedTuple):
    """A parameter: the type that the text of an option is read as, the default, the meaning."""

    kind: Any
    default: Any
    meaning: str


@functools.cache
def parameters(function: str) -> dict[str, Parameter]:
    """The parameters of a function of `lingprobe`, by name."""
    node = _definition(module_of(function), function)
    text = ast.get_docstring(node) or ""
    defaults, meanings = dict(_defaults(node)), _meanings(text)
    for how, place in SHARED.findall(text):
        module, _, name = place.rpartition(".")
        shared = _definition(module or module_of(name), name)
        meanings = _meanings(ast.get_docstring(shared) or "") | meanings
        if how.startswith("fields"):
            defaults = dict(_defaults(shared)) | defaults
    return {
        name: Parameter(kind, default, _sentence(meanings.get(name, "")))
        for name, (kind, default) in defaults.items()
    }


def module_of(name: str) -> str:
    """The module that defines a public name."""
    places = lingprobe._PLACES.items()
    own = (f"lingprobe.{place}" for place, names in places if name in names.split())
    added = (p.module for p in entry_points("lingprobe.functions") if p.name == name)
    return next(own, "") or next(added)


@functools.cache
def _tree(module: str) -> ast.Module:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    return ast.parse(Path(str(spec.origin)).read_text("utf-8"))


def _definition(module: str, name: str) -> ast.FunctionDef | ast.ClassDef:
    """The function or class of a name in a module."""
    return next(
        node
        for node in _tree(module).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
    )


def _defaults(node: ast.FunctionDef | ast.ClassDef) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Each parameter of a function, or field of a class, with its type and its default. A field
    without one may be left out.
    """
    if isinstance(node, ast.ClassDef):
        for line in node.body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                yield line.target.id, _read(line.annotation, line.value or ast.Constant(None))
        return
    required = [None] * (len(node.args.args) - len(node.args.defaults))
    defaults = [*required, *node.args.defaults, *node.args.kw_defaults]
    for each, default in zip([*node.args.args, *node.args.kwonlyargs], defaults, strict=True):
        assert each.annotation is not None
        yield each.arg, _read(each.annotation, default)


def _read(annotation: ast.expr, default: ast.expr | None) -> tuple[Any, Any]:
    """A type and a default, as an option has them."""
    kind = _kind(annotation)
    if default is None:
        return kind, REQUIRED
    value = ast.literal_eval(default)
    if kind is bool:
        return kind, bool(value)
    if kind in (str, Path) and value is not None:
        return kind, kind(value)
    return kind, None if value == () else value


def _kind(annotation: ast.expr) -> Any:
    """The type that a text is read as: a choice, a number, a path, or else a text, such as the
    reference of something; or a list of one of these.
    """
    nodes = list(ast.walk(annotation))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    for node in nodes:
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
            return cast(Any, Literal)[ast.literal_eval(node.slice)]
    several = names == {"Any"} or not names.isdisjoint(SEVERAL)
    names -= SEVERAL
    if names == {"str", "Path"}:
        names = {"Path"}
    kind = KINDS.get(names.pop(), str) if len(names) == 1 else str
    return list[kind] if several else kind  # type: ignore[valid-type]


def _meanings(text: str) -> dict[str, str]:
    """What a docstring's table says of each parameter."""
    return {
        name: " ".join(meaning.split())
        for names, meaning in ROW.findall(text)
        for name in names.split(", ")
        if not SHARED.match(meaning)
    }


def _sentence(meaning: str) -> str:
    """A meaning as help shows it, without a full stop."""
    text = QUOTED.sub(r"`\1`", ASIDE.sub("", meaning))
    return text[:1].upper() + text[1:]
