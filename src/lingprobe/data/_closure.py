"""The definitions that code reaches, found statically: ours by content, installed packages by
version.

A definition (a function, a class, a constant of a module) has a digest of its text and of what it
mentions, where what is ours counts by its own digest. So content counts, not name or place: a
definition may be renamed or move, and every digest stays. What mentions itself, directly or around
a corner, counts together.

Reached is what is named. An object that a name chooses when the program runs (of a table of
contents) is a root of its own: its class with all methods and bases, and what makes it. Statements
of a module that define nothing count for whatever is reached in it. A module that is handed on as a
whole, or asked for a name that is computed, counts as a whole; so do modules of the user's.
"""

from __future__ import annotations

import ast
import functools
import importlib.machinery
import importlib.metadata
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.data._packages import (
    CORE_PACKAGE,
    entry_points,
    is_own_module,
)
from lingprobe.data._source import (
    DATA_FILE_SUFFIXES,
    ImportedName,
    NameMention,
    SourceDefinition,
    SourceFile,
    drop_package_name,
    keep_sources,
    read,
)
from lingprobe.data.digests import digest_pieces, digest_texts

_INSTALLED = ("site-packages", "dist-packages")
_OTHERWISE = {"sklearn": "scikit-learn"}  # the distributions of modules that bear another name
_BY_MINOR_VERSION = frozenset(
    {
        "datasets",
        "gensim",
        "numba",
        "numpy",
        "peft",
        "pyarrow",
        "safetensors",
        "scikit-learn",
        "scipy",
        "sentence-transformers",
        "tokenizers",
        "torch",
        "transformers",
    }
)
"""Distributions that count by major and minor version: their patches mend, and do not change
numbers. Others count by their whole version.
"""
_REGISTRY = f"{CORE_PACKAGE}.data.references:Contents"
"""Where tables of contents are made: what one lists counts where it is chosen."""
_FACES = (CORE_PACKAGE, f"{CORE_PACKAGE}.extend")
"""Modules that hand on what others define."""
_FUNCTIONS = f"{CORE_PACKAGE}.functions"
WHOLE_MODULE, MODULE_STATEMENTS = "*", ""
"""What stands for all of a module in place of a definition, and for its statements that define
nothing.
"""


def root_of(definition: Any) -> str:
    """What a function or a class is called as a root: the definition of its module in which it is
    written.
    """
    return f"{definition.__module__}:{definition.__qualname__.partition('.')[0]}"


class Node(NamedTuple):
    """A definition of a module, `WHOLE_MODULE` or `MODULE_STATEMENTS`."""

    module: str
    name: str


def digest_code(*roots: str) -> str:
    """A digest of the code that some roots reach, with versions of what is installed; a root is
    'module:definition', or a module as a whole.
    """
    return _digest_of(frozenset(roots))


@functools.cache
def _digest_of(roots: frozenset[str]) -> str:
    reached = closure(roots)
    faces = sorted(_face(_root(root)) for root in roots)
    effects = sorted(_digests.of(node) for node in reached.nodes if node.name == MODULE_STATEMENTS)
    keep_sources()
    packages = sorted(f"{name}={version}" for name, version in reached.packages.items())
    python = f"python={sys.version_info.major}.{sys.version_info.minor}"
    return digest_texts(python, *packages, *faces, *effects)


@dataclass(frozen=True, slots=True)
class CodeClosure:
    """The code that some roots reach.

    nodes     the definitions, statements and whole modules among them
    files     their source files, by module
    packages  installed distributions, with the part of their version that counts
    """

    nodes: frozenset[Node]
    files: Mapping[Path, str]
    packages: Mapping[str, str]

    @property
    def whole(self) -> list[str]:
        """Our modules that count as a whole, as what is asked of them is computed."""
        return sorted(
            n.module for n in self.nodes if n.name == WHOLE_MODULE and is_own_module(n.module)
        )


def closure(roots: Iterable[str]) -> CodeClosure:
    """What some roots reach, they themselves included."""
    todo = [_root(root) for root in roots]
    faced = {*todo}
    seen: set[Node] = set()
    packages: dict[str, str] = {}
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        step = _step(node)
        packages |= step.packages
        todo += step.nodes
        if node in faced:
            todo += (
                n for m in _resolve_mentions(_face_of(node).mentions, node.module) for n in m.nodes
            )
    ours = [node for node in seen if _has_content(node.module)]
    real = [
        n
        for n in ours
        if n.name != MODULE_STATEMENTS or MODULE_STATEMENTS in _source(n.module).definitions
    ]
    return CodeClosure(
        frozenset(real), {_file(node.module): node.module for node in real}, packages
    )


def _root(root: str) -> Node:
    """The node of 'module:definition' or of a module; `WHOLE_MODULE` where there is no such
    definition.
    """
    module, _, name = root.partition(":")
    if not name or not _has_content(module):
        return Node(module, WHOLE_MODULE)
    found = _definition_of(module, name)
    return found or Node(module, WHOLE_MODULE)


# ---- what a node mentions


class _Target(NamedTuple):
    """What a mention means.

    text      what stands for it beside the digests of nodes
    nodes     ours
    packages  installed, with versions
    """

    text: str = ""
    nodes: tuple[Node, ...] = ()
    packages: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class _Step:
    """What a node adds to a closure.

    text     a digest of its text alone
    targets  what it mentions, in order
    nodes    all that belong to the closure with it
    """

    text: str
    targets: tuple[_Target, ...] = ()
    nodes: tuple[Node, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict)


@functools.cache
def _step(node: Node) -> _Step:
    """That of a node, which many closures share."""
    module, name = node
    if not _has_content(module):
        return _Step(digest_texts(module), packages=_package(module.partition(".")[0]))
    if name == WHOLE_MODULE:
        return _step_whole_module(module)
    source = _source(module)
    found = source.definitions.get(name, SourceDefinition(""))
    mentions = found.mentions
    maker = None if found.maker is None else mentions[found.maker]
    if maker is not None and _is_registry(maker, module):
        found, mentions = found._replace(text="registry"), (maker,)
    every = _resolve_mentions(mentions, module)
    nodes = [n for target in every for n in target.nodes]
    targets = [t for t, m in zip(every, mentions, strict=True) if m.kind != "statement"]
    return _Step(
        found.text,
        tuple(targets),
        (*nodes, *_list_import_effects(module)),
        {name: v for target in every for name, v in target.packages.items()},
    )


def _step_whole_module(module: str) -> _Step:
    """All that a module defines and imports."""
    source = _source(module)
    names = sorted(source.definitions)
    imported = [NameMention("import", "", each) for each in source.imports.values()]
    imported += [NameMention("import", "", each) for each in source.stars]
    own = [_Target(name, (Node(module, name),)) for name in names]
    # of a module of ours counts what is named of it
    handed = [t for t in _resolve_mentions(imported, module) if not _is_whole_part(t)]
    targets = (*own, *handed)
    return _Step(
        digest_texts("whole", *source.imports),
        targets,
        (*(n for target in targets for n in target.nodes), *_list_import_effects(module)),
        {name: v for target in targets for name, v in target.packages.items()},
    )


def _is_whole_part(target: _Target) -> bool:
    return any(node.name == WHOLE_MODULE and is_own_module(node.module) for node in target.nodes)


def _list_import_effects(module: str) -> tuple[Node, ...]:
    """What runs when a module is imported, beside its definitions: its statements, those of the
    packages that it is in, and those of what it imports for no other reason.
    """
    above = module.split(".")
    packages = [".".join(above[:depth]) for depth in range(1, len(above) + 1)]
    unused = [_base(each, module) for each in _source(module).unused]
    return tuple(Node(each, MODULE_STATEMENTS) for each in [*packages, *unused])


def _resolve_mentions(mentions: Iterable[NameMention], module: str) -> tuple[_Target, ...]:
    """What mentions in a module mean, in order."""
    found: list[_Target] = []
    for mention in mentions:
        if mention.kind == "keyword":
            found.append(_Target(_keyword(mention.name, found[mention.of])))
        else:
            found.append(_target(mention, module))
    return tuple(found)


def _target(mention: NameMention, module: str) -> _Target:
    """What a mention in a module means."""
    if mention.kind == "definition":
        return _with_parameters(_Target(nodes=(Node(module, mention.name),)), mention.valued)
    if mention.kind == "data":
        return _Target(_data(mention.name, module))
    if mention.kind == "place":
        place, _, name = mention.name.partition(":")
        node = _definition_of(place, name) if _has_content(place) else None
        return _Target(nodes=(node,)) if node else _Target(name)
    assert mention.source is not None
    base = _base(mention.source, module)
    if mention.kind == "statement":
        return _statement(base, mention.source.name)
    chain = [*filter(None, (mention.source.name, *mention.name.split(".")))]
    if not _has_content(base):
        return _Target(".".join((base, *chain)), (), _package(base.partition(".")[0]))
    return _with_parameters(_follow(base, chain), mention.valued)


def _statement(base: str, name: str) -> _Target:
    """What an import does beside giving names."""
    if not _has_content(base):
        return _Target(packages=_package(base.partition(".")[0]))
    inside = f"{base}.{name}"
    return _Target(nodes=(Node(inside if name and file_of(inside) else base, MODULE_STATEMENTS),))


def _follow(base: str, chain: list[str]) -> _Target:
    """What a chain of names stands for that begins at one of our modules."""
    passed: set[tuple[str, str]] = set()
    while chain and (base, chain[0]) not in passed:
        passed.add((base, chain[0]))
        source, name = _source(base), chain[0]
        bound = name in source.definitions or name in source.imports
        if not bound and file_of(inside := f"{base}.{name}") is not None:
            base, chain = inside, chain[1:]
            continue
        if not is_own_module(base):
            break
        if place := _read_face(base).get(name):
            base = place
        elif name in source.definitions:
            return _Target(".".join(chain[1:]), (Node(base, name),))
        elif name in source.imports:
            handed = source.imports[name]
            origin = _base(handed, base)
            rest = [*filter(None, (handed.name,)), *chain[1:]]
            if not _has_content(origin):
                return _Target(".".join((origin, *rest)), (), _package(origin.partition(".")[0]))
            base, chain = origin, rest
        else:
            break
    return _Target(".".join(chain), (Node(base, WHOLE_MODULE),))


def _with_parameters(target: _Target, valued: bool) -> _Target:
    """A function that is held may be called with any keyword, so that the names of its parameters
    count.
    """
    names = _parameters(target) if valued else None
    return target if names is None else target._replace(text=f"{target.text}({','.join(names)})")


def _parameters(target: _Target) -> tuple[str, ...] | None:
    """The parameters of a function that a mention is, called as it is written; else None."""
    if len(target.nodes) != 1 or target.text:
        return None
    module, name = target.nodes[0]
    found = (
        _source(module).definitions.get(name)
        if name not in (WHOLE_MODULE, MODULE_STATEMENTS)
        else None
    )
    return found.parameters if found else None


def _keyword(name: str, called: _Target) -> str:
    """What a keyword counts as: the number of a parameter, where it can be told which one it is."""
    names = _parameters(called) or ()
    return f"parameter {names.index(name)}" if name in names else name


def _definition_of(module: str, name: str) -> Node | None:
    """The definition of ours that a name of a module stands for; None where there is none."""
    nodes = _follow(module, [name]).nodes
    return nodes[0] if nodes and nodes[0].name != WHOLE_MODULE else None


def _is_registry(mention: NameMention, module: str) -> bool:
    """Whether what a mention makes is a table of contents: Contents, or a class of that kind."""
    nodes = _target(mention, module).nodes
    if not nodes or not is_own_module(nodes[0].module):
        return False
    node = nodes[0]
    if f"{node.module}:{node.name}" == _REGISTRY:
        return True
    found = _source(node.module).definitions.get(node.name)
    return found is not None and any(
        _is_registry(found.mentions[number], node.module) for number in found.bases
    )


def _face_of(node: Node) -> _Face:
    found = _source(node.module).definitions.get(node.name) if _has_content(node.module) else None
    if found is None:
        return _Face()
    return _Face(digest_texts(found.face[0], *(found.parameters or ())), found.face[1])


class _Face(NamedTuple):
    """What of a root is asked for from outside: the names and annotations of its parameters."""

    text: str = ""
    mentions: tuple[NameMention, ...] = ()


def _face(node: Node) -> str:
    """A digest of a root, with its face."""
    found = _face_of(node)
    targets = _resolve_mentions(found.mentions, node.module)
    return digest_texts(_digests.of(node), found.text, *map(_digests.meaning, targets))


# ---- digests


class _Digests:
    """The digests of nodes, each of its text and of those that it mentions."""

    def __init__(self) -> None:
        self.known: dict[Node, str] = {}

    def of(self, node: Node) -> str:
        """That of one; those that it needs are found before."""
        if node not in self.known:
            for component in _components(node, self.known):
                self._note(component)
        return self.known[node]

    def meaning(self, target: _Target, inside: Mapping[Node, str] | None = None) -> str:
        """What stands for a mention."""
        known = [(inside or {}).get(node) or self.of(node) for node in target.nodes]
        return "\x1f".join((drop_package_name(target.text), *known))

    def _note(self, component: list[Node]) -> None:
        """The digests of nodes that mention each other, which count together: in each round those
        of the round before stand for one another, so that after as many rounds as there are nodes
        each is of all.
        """
        steps = {node: _step(node) for node in component}
        alone = len(component) == 1 and all(
            component[0] not in target.nodes for target in steps[component[0]].targets
        )
        digests = dict.fromkeys(component, "itself")
        for _ in range(1 if alone else len(component) + 1):
            digests = {
                node: digest_texts(
                    step.text, *(self.meaning(each, digests) for each in step.targets)
                )
                for node, step in steps.items()
            }
        self.known |= digests


_digests = _Digests()


def _components(start: Node, known: Mapping[Node, str]) -> Iterator[list[Node]]:
    """Nodes that a node mentions, those that mention each other together, and first what others
    need (Tarjan's algorithm, without recursion).
    """
    number: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    stack: list[Node] = []
    open_nodes: set[Node] = set()
    path = [(start, _unknown_below(start, known))]
    while path:
        node, below = path[-1]
        if node not in number:
            number[node] = lowest[node] = len(number)
            stack.append(node)
            open_nodes.add(node)
        for each in below:
            if each not in number:
                path.append((each, _unknown_below(each, known)))
                break
            if each in open_nodes:
                lowest[node] = min(lowest[node], number[each])
        else:
            path.pop()
            if path:
                above = path[-1][0]
                lowest[above] = min(lowest[above], lowest[node])
            if lowest[node] == number[node]:
                at = stack.index(node)
                component, stack[at:] = stack[at:], []
                open_nodes -= set(component)
                yield component


def _unknown_below(node: Node, known: Mapping[Node, str]) -> Iterator[Node]:
    return (n for target in _step(node).targets for n in target.nodes if n not in known)


# ---- modules and files


@functools.cache
def _source(module: str) -> SourceFile:
    """What the file of a module of ours says; one that is no Python counts by its bytes."""
    file = _file(module)
    data = file.read_bytes()
    if file.suffix == ".py":
        return read(data)
    return SourceFile({MODULE_STATEMENTS: SourceDefinition(digest_pieces(data))}, {})


@functools.cache
def _data(name: str, module: str) -> str:
    """The content of the data file beside a module that a text names; '' where there is none."""
    file = _file(module)
    path = file.with_suffix(name) if name in DATA_FILE_SUFFIXES else file.parent / name
    if path.parent != file.parent or not path.is_file():
        return ""
    return digest_texts(drop_package_name(path.read_bytes().decode("utf-8", "surrogateescape")))


@functools.cache
def _read_face(module: str) -> Mapping[str, str]:
    """The modules of the names that a face of lingprobe hands on, as its `_PLACES` say and, of
    extensions, their entry points.
    """
    if module not in _FACES:
        return {}
    points = entry_points(_FUNCTIONS) if module == CORE_PACKAGE else ()
    found = {point.name: point.module for point in points if is_own_module(point.module)}
    for node in ast.parse(_file(module).read_bytes()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_PLACES":
            table: dict[str, str] = ast.literal_eval(node.value)
            for place, names in table.items():
                found |= dict.fromkeys(names.split(), f"{CORE_PACKAGE}.{place}")
    return found


def _base(each: ImportedName, module: str) -> str:
    """The absolute name of the module that an import in a module names."""
    if not each.level:
        return each.module
    package = module if _file(module).name == "__init__.py" else module.rpartition(".")[0]
    above = package.split(".")[: len(package.split(".")) - each.level + 1]
    return ".".join([*above, *([each.module] if each.module else [])])


@functools.cache
def is_ours(name: str) -> bool:
    """Whether a module counts by its content."""
    file = file_of(name)
    return file is not None and not _is_installed(name, file)


def is_standard(place: str) -> bool:
    """Whether a module, or a definition of it, comes with Python."""
    return re.split(r"[.:]", place, maxsplit=1)[0] in sys.stdlib_module_names


@functools.cache
def _has_content(name: str) -> bool:
    """Whether a module's definitions count: it is ours, and comes not with Python."""
    return not is_standard(name) and is_ours(name)


def _is_installed(name: str, file: Path) -> bool:
    """Whether a module belongs to an installed distribution; lingprobe's own never count as
    such.
    """
    return not is_own_module(name) and any(part in _INSTALLED for part in file.parts)


def _file(name: str) -> Path:
    """The file of a module that has one."""
    file = file_of(name)
    assert file is not None
    return file


@functools.cache
def file_of(name: str) -> Path | None:
    """The file that a module is read from; nothing is imported to find it, and None stands for what
    has none, as a script from standard input.
    """
    loaded = getattr(sys.modules.get(name), "__file__", None)
    if loaded is not None:
        file = Path(loaded).resolve()
        return file if file.is_file() else None
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


@functools.cache
def _package(top: str) -> Mapping[str, str]:
    """The distribution that a module belongs to, with its version; nothing where none is
    installed, and for what comes with Python.
    """
    if is_standard(top):
        return {}
    usual = _OTHERWISE.get(top, top)  # looking through all distributions takes a quarter second
    try:
        return {usual: _version(usual)}
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return {name: _version(name) for name in _distributions().get(top, ())}


def _version(distribution: str) -> str:
    """What counts of the version of a distribution. PackageNotFoundError if there is none."""
    version = importlib.metadata.version(distribution)
    if distribution.lower().replace("_", "-") not in _BY_MINOR_VERSION:
        return version
    return ".".join(version.split(".")[:2])


@functools.cache
def _distributions() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()
