"""The code that modules use, found statically: files by content, installed packages by version.

A source file counts without comments, docstrings and layout, so that only an edit that can change
behaviour changes its digest; annotations count, since they convert options and make fields. Data
files belong to the modules that open them.

Content counts, not place. An import of a module that counts by its content stands for the code that
defines what is imported, and this package's name for any name; so a module may move, and the
package be renamed, and every digest stays.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.machinery
import importlib.metadata
import importlib.util
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lingprobe.data._source import DATA, PACKAGE, Import, keep, nameless, read

INSTALLED = ("site-packages", "dist-packages")
OTHERWISE = {"sklearn": "scikit-learn"}  # the distributions of modules that bear another name


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
    reached = _cached_closure(starts)
    modules = sorted(code_in(file, name) for file, name in reached.files.items())
    keep()
    packages = sorted(f"{name}={version}" for name, version in reached.packages.items())
    return digest(f"python={sys.version_info.major}.{sys.version_info.minor}", *packages, *modules)


@functools.cache
def _cached_closure(starts: frozenset[str]) -> Closure:
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
        step = _step(name)
        packages |= step.packages
        todo += step.reads
        if step.file is not None:
            files[step.file] = name
    return Closure(files, packages)


@dataclass(frozen=True, slots=True)
class _Step:
    """What a module adds to a closure: its file, or its distribution, and the modules that it
    reads.
    """

    file: Path | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[str, ...] = ()


@functools.cache
def _step(name: str) -> _Step:
    """That of a module, which many closures share."""
    file = file_of(name)
    if file is None:
        return _Step(packages=_package(name.partition(".")[0]))
    if _is_installed(name, file):
        found = _package(name.partition(".")[0])
        return _Step(packages=found or {name: _module(file).alone})
    module = _module(file)
    reads = tuple(source for each in module.imports for source in _sources(each, name, file))
    # what only says where things are has no say in what they do
    return _Step(None if module.places else file, {}, reads)


def _sources(each: Import, name: str, file: Path) -> list[str]:
    """The modules that an import in a module reads."""
    base = _base(each, name, file)
    if not is_ours(base):
        return [base]
    if not each.name:
        return [base, *_listed_modules(base, _module(file).attributes)]
    inside = f"{base}.{each.name}"
    if file_of(inside) is not None:
        return [inside]
    place = _module(_file(base)).places.get(each.name)
    return [f"{base}.{place}"] if place else [base]


def _base(each: Import, name: str, file: Path) -> str:
    """The absolute name of the module that an import names."""
    if not each.level:
        return each.module
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    above = package.split(".")[: len(package.split(".")) - each.level + 1]
    return ".".join([*above, *([each.module] if each.module else [])])


def _listed_modules(base: str, names: Iterable[str]) -> list[str]:
    """The modules in which a table of contents has some names."""
    places = _module(_file(base)).places
    return [f"{base}.{places[name]}" for name in names if name in places]


@functools.cache
def is_ours(name: str) -> bool:
    """Whether a module counts by its content."""
    file = file_of(name)
    return file is not None and not _is_installed(name, file)


def _is_installed(name: str, file: Path) -> bool:
    """Whether a module belongs to an installed distribution; lingprobe's own never count as
    such.
    """
    return name.partition(".")[0] != PACKAGE and any(part in INSTALLED for part in file.parts)


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
    installed.
    """
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


@dataclass(frozen=True)
class Module:
    """A source file.

    code        a digest of its code and data files, whatever it imports
    runs        what it imports while it runs, statements in a row together
    attributes  the names that are read of anything in it
    places      of a table of contents (a package's `_PLACES`): in which of its modules a name is
    """

    code: str
    runs: tuple[tuple[Import, ...], ...] = ()
    attributes: frozenset[str] = frozenset()
    places: Mapping[str, str] = field(default_factory=dict)

    @functools.cached_property
    def imports(self) -> list[Import]:
        """What it imports while it runs."""
        return [each for run in self.runs for each in run]

    @functools.cached_property
    def bound(self) -> Mapping[str, Import]:
        """What it imports, by the names that it gives to it; of one given twice, the first."""
        return {each.bound: each for each in reversed(self.imports)}

    @functools.cached_property
    def alone(self) -> str:
        """A digest of its code, with the names that it gives to what it imports."""
        return self.digest(lambda each: nameless(each.bound))

    def digest(self, meaning: Callable[[Import], str]) -> str:
        """A digest of its code, with what its imports mean; the order of those in a row, which a
        move can change, does not count.
        """
        return digest(self.code, *("\x1f".join(sorted(map(meaning, run))) for run in self.runs))


@functools.cache
def code_in(file: Path, name: str) -> str:
    """A digest of a module's code: an import counts as the code of what it imports, or by name
    where that is installed.
    """
    return _module(file).digest(lambda each: _meaning(each, name, file))


def _meaning(each: Import, name: str, file: Path) -> str:
    """What an import stands for, wherever it is imported from."""
    origin, names = _target(each, name, file)
    return names if origin is None else f"{_module(origin).alone} {names}"


@functools.cache
def _target(each: Import, name: str, file: Path) -> tuple[Path | None, str]:
    """The file whose content an import in a module stands for, None where it has a version, and
    what the thing is called there and here.
    """
    base = _base(each, name, file)
    if not is_ours(base):
        return None, f"{base} {each.name} {each.bound}"
    origin, named = _origin(base, each.name)
    return _file(origin), f"{nameless(named)} {nameless(each.bound)}"


def _origin(base: str, name: str) -> tuple[str, str]:
    """The module that defines a name of a module, and what it calls it; no name for a module."""
    passed: set[str] = set()
    while name and base not in passed:
        passed.add(base)
        if file_of(inside := f"{base}.{name}") is not None:
            return inside, ""
        module = _module(_file(base))
        if name in module.places:
            base = f"{base}.{module.places[name]}"
            continue
        handed = module.bound.get(name)
        source = _base(handed, base, _file(base)) if handed is not None else ""
        if handed is None or not is_ours(source):
            break
        base, name = source, handed.name
    return base, name


@functools.cache
def _module(file: Path) -> Module:
    data = file.read_bytes()
    if file.suffix != ".py":
        return Module(hashlib.blake2b(data, digest_size=16).hexdigest())
    source = read(data)
    beside = [path for path in _data_files(file.parent) if _opens(source.opens, file, path)]
    contents = [path.read_bytes().decode("utf-8", "surrogateescape") for path in beside]
    return Module(
        digest(source.code, *map(nameless, contents)),
        source.runs,
        source.attributes,
        _places(ast.parse(data), file.parent) if file.name == "__init__.py" else {},
    )


def _places(tree: ast.Module, folder: Path) -> dict[str, str]:
    """In which module a package's table of contents, or that of one of its parts, has each name."""
    found: dict[str, str] = {}
    for part in sorted(folder.glob("parts/*/__init__.py")):
        inside = _places(ast.parse(part.read_bytes()), part.parent)
        found |= {name: f"parts.{part.parent.name}.{place}" for name, place in inside.items()}
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_PLACES":
            table: dict[str, str] = ast.literal_eval(node.value)
            found |= {name: place for place, names in table.items() for name in names.split()}
    return found


@functools.cache
def _data_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in DATA)


def _opens(texts: Collection[str], module: Path, data: Path) -> bool:
    """Whether a module names a data file: by its whole name, or by a suffix that replaces its
    own.
    """
    return data.name in texts or (data.stem == module.stem and data.suffix in texts)
