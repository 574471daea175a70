"""The code that modules use, found statically: files by content, installed packages by version.

A source file counts without comments, docstrings and layout, so that only an edit that can change
behaviour changes its digest; annotations count, since they convert options and make fields. Data
files belong to the modules that open them.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.machinery
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "sonde"
INSTALLED = ("site-packages", "dist-packages")
OTHERWISE = {"sklearn": "scikit-learn"}  # the distributions of modules that bear another name
DATA = (".tsv", ".json", ".txt")  # suffixes of the data files that a module may open beside itself


def digest(*parts: str) -> str:
    """Thirty-two hexadecimal digits that stand for some strings."""
    return hashlib.blake2b(
        "\x1e".join(parts).encode("utf-8", "surrogatepass"), digest_size=16
    ).hexdigest()


def code_of(*starts: str) -> str:
    """A digest of the code that some modules reach: their closure, data files of theirs, and
    versions of what is installed.
    """
    return _digest_of(frozenset(starts))


@functools.cache
def _digest_of(starts: frozenset[str]) -> str:
    reached = _closed(starts)
    modules = sorted(_module(file).code for file in reached.files)
    packages = sorted(f"{name}={version}" for name, version in reached.packages.items())
    return digest(f"python={sys.version_info.major}.{sys.version_info.minor}", *packages, *modules)


@functools.cache
def _closed(starts: frozenset[str]) -> Closure:
    return closure(starts)


@dataclass(frozen=True, slots=True)
class Closure:
    """The code that some modules reach: source files, by module, and installed packages with their
    versions.
    """

    files: Mapping[Path, str]
    packages: Mapping[str, str]


def closure(starts: Iterable[str]) -> Closure:
    """The modules that some modules import, they themselves included, and those that these
    import.
    """
    files: dict[Path, str] = {}
    packages: dict[str, str] = {}
    todo = list(starts)
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name in seen or name.partition(".")[0] in sys.stdlib_module_names:
            continue
        seen.add(name)
        file = file_of(name)
        if file is None:
            packages |= _package(name)
        elif _installed(name, file):
            packages |= _package(name) or {name: _module(file).code}
        else:
            files[file] = name
            todo += _targets(name, file)
    return Closure(files, packages)


def _targets(name: str, file: Path) -> Iterator[str]:
    """The modules that a module imports, by absolute name."""
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for level, module, names in _module(file).imports:
        base = module
        if level:
            above = package.split(".")[: len(package.split(".")) - level + 1]
            base = ".".join([*above, *([module] if module else [])])
        inside = [f"{base}.{each}" for each in names]
        modules = [each for each in inside if is_ours(base) and file_of(each) is not None]
        yield from modules
        if len(modules) < len(inside) or not inside:  # something of the package itself
            yield base


def is_ours(name: str) -> bool:
    """Whether a module counts by its content."""
    file = file_of(name)
    return file is not None and not _installed(name, file)


def _installed(name: str, file: Path) -> bool:
    """Whether a module belongs to an installed distribution; sonde's own never count as such."""
    return name.partition(".")[0] != PACKAGE and any(part in INSTALLED for part in file.parts)


@functools.cache
def file_of(name: str) -> Path | None:
    """The file that a module is read from; nothing is imported to find it, and None stands for what
    has none.
    """
    loaded = getattr(sys.modules.get(name), "__file__", None)
    if loaded is not None:
        return Path(loaded).resolve()
    top, *below = name.split(".")
    try:
        spec = importlib.util.find_spec(top)
        for depth in range(len(below)):
            if spec is None or spec.submodule_search_locations is None:
                return None
            full = ".".join([top, *below[: depth + 1]])
            spec = importlib.machinery.PathFinder.find_spec(
                full, list(spec.submodule_search_locations)
            )
    except (ImportError, ValueError):
        return None
    return (
        Path(spec.origin).resolve()
        if spec is not None and spec.has_location and spec.origin
        else None
    )


def _package(name: str) -> dict[str, str]:
    """The distribution that a module belongs to, with its version; nothing where none is
    installed.
    """
    top = name.partition(".")[0]
    usual = OTHERWISE.get(top, top)  # looking through all distributions takes a quarter second
    try:
        return {usual: importlib.metadata.version(usual)}
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return {
            distribution: importlib.metadata.version(distribution)
            for distribution in _distributions().get(top, ())
        }


@functools.cache
def _distributions() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()


@dataclass(frozen=True, slots=True)
class Module:
    """A source file: a digest of its code and data files, and what it imports as (level, module,
    names).
    """

    code: str
    imports: tuple[tuple[int, str, tuple[str, ...]], ...]


@functools.cache
def _module(file: Path) -> Module:
    data = file.read_bytes()
    if file.suffix != ".py":
        return Module(hashlib.blake2b(data, digest_size=16).hexdigest(), ())
    reader = _Reader()
    reader.read(ast.parse(data))
    beside = [path for path in _data_files(file.parent) if _opens(reader.texts, file, path)]
    contents = [hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest() for path in beside]
    return Module(digest("\x1f".join(reader.parts), *contents), tuple(reader.imports))


@functools.cache
def _data_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in DATA)


def _opens(texts: set[str], module: Path, data: Path) -> bool:
    """Whether a module names a data file: by its whole name, or by a suffix that replaces its
    own.
    """
    return data.name in texts or (data.stem == module.stem and data.suffix in texts)


class _Reader:
    """A walk over a module: its code without comments, docstrings and layout, what it imports, and
    the strings in it.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.imports: list[tuple[int, str, tuple[str, ...]]] = []
        self.texts: set[str] = set()

    def read(self, node: ast.AST, typing_only: bool = False) -> None:
        """Note a node and all below it; imports that only a type checker follows are no code that
        runs.
        """
        kind = type(node)
        if kind is ast.Import and not typing_only:
            self.imports += [(0, alias.name, ()) for alias in node.names]  # type: ignore[attr-defined]
        elif kind is ast.ImportFrom and not typing_only:
            self.imports.append((node.level, node.module or "", tuple(a.name for a in node.names)))  # type: ignore[attr-defined]
        self.parts.append(kind.__name__)
        for field in node._fields:
            if field not in ("ctx", "kind", "type_comment", "type_ignores"):
                self._value(
                    field,
                    getattr(node, field, None),
                    typing_only or (field == "body" and _checks_types(node)),
                )
        self.parts.append(")")

    def _value(self, field: str, value: Any, typing_only: bool) -> None:
        """Note what a field holds; what is empty counts as missing, so that later Pythons with more
        fields agree.
        """
        if value is None or value == []:
            return
        self.parts.append(field)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                if not _is_text(item):
                    self.read(item, typing_only)
            else:
                self.parts.append(repr(item))
                if isinstance(item, str):
                    self.texts.add(item)


def _is_text(node: ast.AST) -> bool:
    """Whether a statement is a string that stands alone, as docstrings do."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _checks_types(node: ast.AST) -> bool:
    """Whether it is `if TYPE_CHECKING:`."""
    test = node.test if isinstance(node, ast.If) else None
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
