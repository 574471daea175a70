"""Write the signatures of functions, and the typed dictionaries of options that several share, from
the classes that declare their options: `make docs`. A test holds the sources to what these say.
"""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import lingprobe
from lingprobe.api.options import RunOptions, SelectionOptions
from lingprobe.data._packages import entry_points, is_own_module
from lingprobe.data.options import REQUIRED_OPTION, DeclaredOption, declared_options

SHARED = {"Settings": (RunOptions, ()), "Selection": (SelectionOptions, ("results",))}
"""Typed dictionaries with the class that they are made from, and what they leave out."""
Declared = Mapping[str, DeclaredOption]


def functions() -> Iterator[Any]:
    """The public functions that take declared options, those of extensions too."""
    added = (p.name for p in entry_points("lingprobe.functions") if is_own_module(p.value))
    for name in (*lingprobe.__all__, *added):
        thing = getattr(lingprobe, name)
        if inspect.isfunction(thing) and hasattr(thing, "declared"):
            yield thing


def places() -> Iterator[tuple[Path, str, Declared]]:
    """The file of each function and typed dictionary, its name, and the options that it has."""
    for function in functions():
        yield Path(inspect.getfile(inspect.unwrap(function))), function.__name__, function.declared
    for name in SHARED:
        file = sys.modules[getattr(lingprobe, name).__module__].__file__
        yield Path(str(file)), name, shared_options(name)


def shared_options(name: str) -> Declared:
    """The options of a typed dictionary."""
    kind, without = SHARED[name]
    return {k: v for k, v in declared_options(kind).items() if k not in without}


def rewrite(source: str, name: str, declared: Declared) -> str:
    """A source in which the definition of a name has the options that are declared."""
    body = ast.parse(source).body
    node = next(n for n in body if getattr(n, "name", "") == name)
    before = ast.unparse(node)
    if isinstance(node, ast.ClassDef):
        node.body = [node.body[0], *map(_field, declared.values())]
        start, stop = node.lineno, node.end_lineno
        text = ast.unparse(node)
    else:
        assert isinstance(node, ast.FunctionDef)
        _set_keywords(node.args, declared)
        start = node.lineno
        stop = node.body[0].lineno - 1
        text = ast.unparse(ast.FunctionDef(**{**vars(node), "body": [], "decorator_list": []}))
    if ast.unparse(node) == before:
        return source
    lines = source.splitlines(keepends=True)
    return "".join([*lines[: start - 1], f"{text}\n", *lines[stop:]])


def _field(option: DeclaredOption) -> ast.stmt:
    return ast.parse(f"{option.name}: {option.written}").body[0]


def _set_keywords(arguments: ast.arguments, declared: Declared) -> None:
    """Give the keywords of a function their types and defaults, and add those that it lacks; those
    of Python alone stay as they are.
    """
    plain = {each.arg for each in (*arguments.posonlyargs, *arguments.args)}
    known = dict(zip([a.arg for a in arguments.kwonlyargs], arguments.kw_defaults, strict=True))
    kinds = {each.arg: each for each in arguments.kwonlyargs}
    if arguments.kwarg is None:
        kinds |= {name: ast.arg(name) for name in declared if name not in {*plain, *kinds}}
    for name in kinds.keys() & declared.keys():
        option = declared[name]
        if option.written != "Any" or kinds[name].annotation is None:
            kinds[name].annotation = ast.parse(option.written, mode="eval").body
        value = ast.parse(repr(option.default), mode="eval").body
        known[name] = None if option.default is REQUIRED_OPTION else value
    arguments.kwonlyargs = list(kinds.values())
    arguments.kw_defaults = [known.get(name) for name in kinds]


def write() -> None:
    """Rewrite the sources."""
    changed = set()
    for file, name, declared in places():
        before = file.read_text("utf-8")
        after = rewrite(before, name, declared)
        if after != before:
            file.write_text(after, "utf-8")
            changed.add(str(file))
    if changed:
        subprocess.run([sys.executable, "-m", "ruff", "format", *changed], check=True)  # noqa: S603


if __name__ == "__main__":
    write()
