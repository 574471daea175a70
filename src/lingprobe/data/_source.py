"""What a source file says of itself: its code without comments, docstrings and layout, and what it
imports and opens. Reading a file takes longer than all else that a repeated run does, so what was
read is remembered by content.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.data.cache import cache_dir, recall, remember

PACKAGE = __name__.partition(".")[0]
SILENT = ("ctx", "kind", "type_comment", "type_ignores")  # fields of nodes that change nothing
IMPORTS = "imports"  # stands in a module's code for statements that import
DATA = (".tsv", ".json", ".txt", ".xz")
"""Suffixes of the data files that a module may open beside itself."""
CODE = "code"  # the folder of a cache
MOST = 1000  # files of which it is remembered what they say


class Import(NamedTuple):
    """A thing that a module imports and what it calls it; without a `name`, the module itself."""

    level: int
    module: str
    name: str
    bound: str


class Source(NamedTuple):
    """A source file.

    code        a digest of its code, whatever it imports
    runs        what it imports while it runs, statements in a row together
    attributes  the names that are read of anything in it
    opens       the strings in it that may name data files
    """

    code: str
    runs: tuple[tuple[Import, ...], ...]
    attributes: frozenset[str]
    opens: frozenset[str]


class _Memory:
    """What sources say, by a digest of their bytes, in a file of the cache; another Python and
    another reader have another file.
    """

    def __init__(self, place: Path) -> None:
        self.folder = place / CODE
        reader = Path(__file__).read_bytes()
        self.key = _digest(f"{sys.version_info[:2]}".encode() + reader)
        known = recall(self.folder, self.key)
        self.sources: dict[str, Any] = known if isinstance(known, dict) else {}
        self.fresh: dict[str, Any] = {}

    def keep(self) -> None:
        """Write down what was read, with as much of what was known before as there is room for."""
        if self.fresh:
            earlier = {k: v for k, v in self.sources.items() if k not in self.fresh}
            room = max(0, MOST - len(self.fresh))
            self.sources = dict([*earlier.items()][-room:] if room else []) | self.fresh
            remember(self.folder, self.key, self.sources)
            self.fresh = {}


_memory = functools.cache(_Memory)


def read(data: bytes) -> Source:
    """What a source file with these bytes says. SyntaxError where it is no Python."""
    memory, key = _memory(cache_dir()), _digest(data)
    if known := memory.sources.get(key) or memory.fresh.get(key):
        code, runs, *names = known
        imports = tuple(tuple(Import(*each) for each in run) for run in runs)
        return Source(code, imports, *map(frozenset, names))
    reader = _Reader()
    reader.read(ast.parse(data))
    opens = sorted(text for text in reader.texts if text.endswith(DATA))
    code = _digest("\x1f".join(reader.parts).encode("utf-8", "surrogatepass"))
    runs = tuple(map(tuple, reader.runs))
    memory.fresh[key] = [code, runs, sorted(reader.attributes), opens]
    return Source(code, runs, frozenset(reader.attributes), frozenset(opens))


def keep() -> None:
    """Remember what was read for other processes."""
    _memory(cache_dir()).keep()


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


_NAMES = re.compile("|".join((PACKAGE, PACKAGE.capitalize(), PACKAGE.upper())))
_PLACE = re.compile(rf"{PACKAGE}(\.\w+)*(:\w+)?")


def nameless(text: str) -> str:
    """A text without this package's name; of the place of one of its modules, or of a thing in one
    (`package.module:thing`), the thing alone.
    """
    place = _PLACE.fullmatch(text)
    return (place[2] or "") if place else _NAMES.sub("\0", text)


class _Reader:
    """A walk over a module: its code without comments, docstrings and layout, what it imports, and
    the strings and attributes in it.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.runs: list[list[Import]] = []
        self.texts: set[str] = set()
        self.attributes: set[str] = set()

    def read(self, node: ast.AST) -> None:
        """Note a node and all below it."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            if self.parts[-1:] != [IMPORTS]:
                self.parts.append(IMPORTS)
                self.runs.append([])
            self.runs[-1] += _imports(node)
            return
        if isinstance(node, ast.Attribute):
            self.attributes.add(node.attr)
        self.parts.append(type(node).__name__)
        for name in node._fields:
            # imports that only a type checker follows are no code that runs
            if name not in SILENT and not (name == "body" and _checks_types(node)):
                self._value(name, getattr(node, name, None))
        self.parts.append(")")

    def _value(self, name: str, value: Any) -> None:
        """Note what a field holds; what is empty counts as missing, so that later Pythons with more
        fields agree.
        """
        if value is None or value == []:
            return
        self.parts.append(name)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                if not _is_text(item):
                    self.read(item)
            elif isinstance(item, str):
                self.parts.append(repr(nameless(item)))
                self.texts.add(item)
            else:
                self.parts.append(repr(item))


def _imports(node: ast.Import | ast.ImportFrom) -> list[Import]:
    """What a statement imports."""
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        return [Import(node.level, module, a.name, a.asname or a.name) for a in node.names]
    return [Import(0, a.name, "", a.asname or a.name.partition(".")[0]) for a in node.names]


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
