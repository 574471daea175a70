"""The identity of a result, computed from the code that it depends on and from declared facts.

Code is the closure of definitions that an object's own definitions mention, found statically and
hashed without comments, docstrings, layout and names. It begins at the factory that a reference
names, at the class of the object, and at everything that the object contains. lingprobe's
definitions and the user's modules count by their content, installed distributions by name and
version. An identity contains no path and no time, so moving a corpus does not change it.
"""

from __future__ import annotations

import functools
import json
import re
import sys
import types
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from inspect import getattr_static
from pathlib import Path, PurePath
from typing import Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

from lingprobe.data._closure import (
    digest_code,
    file_of,
    is_ours,
    is_standard,
    root_of,
)
from lingprobe.data._packages import is_own_module
from lingprobe.data.digests import digest_pieces, digest_texts
from lingprobe.data.references import (
    Contents,
    Reference,
    try_parse_reference,
)

_process = uuid.uuid4().hex


@dataclass(frozen=True, slots=True)
class ContentIdentity:
    """What decides a thing's outputs; as text it is one line of JSON, the same in every process and
    on every machine.

    reference  how it was asked for, without the places of files: what lies there is among the facts
    code       a digest of the code that it reaches
    facts      what it states of itself: files and weights by content, revision, resolved device and
               precision
    """

    reference: str
    code: str
    facts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return json.dumps([self.reference, self.code, *self.facts], ensure_ascii=False)

    @property
    def without_code(self) -> str:
        """How it was asked for and the facts. What is drawn by this is drawn alike by later
        versions.
        """
        return json.dumps([self.reference, *self.facts], ensure_ascii=False)


class ResultIdentities(NamedTuple):
    """The identities of what a result is made of."""

    task: ContentIdentity
    encoder: ContentIdentity
    probe: ContentIdentity
    control: ContentIdentity
    metric: ContentIdentity


@runtime_checkable
class HasFingerprint(Protocol):
    """A thing that states what decides its outputs beside code and options.

    fingerprint  a text that stands for files, weights, device and precision. A task without one is
                 loaded to see whether its examples changed; of other things without one the options
                 are all that they are
    """

    @property
    def fingerprint(self) -> str: ...


def is_stated(content: object) -> TypeGuard[HasFingerprint]:
    """Whether it is one. `isinstance` asks for the fingerprint to know, and that may read files."""
    return getattr_static(content, "fingerprint", None) is not None


def compute_identity(
    contents: Contents, reference: str | None, content: Any, *facts: str
) -> ContentIdentity:
    """What determines the numbers of a thing, its content, options and code: of one that a
    reference names, or (without one) of an object that was handed over by name.
    """
    parts = list(walk_parts(content))
    roots = code_roots(contents, reference, parts)
    stated = list(dict.fromkeys(filter(None, map(_fingerprint, parts))))
    text = str(content.name) if reference is None else make_portable(contents, reference)
    if any(_interactive(root.partition(":")[0]) for root in roots):
        # code that was typed in has no file to tell it from what is typed in later
        stated.append(_process)
    return ContentIdentity(text, digest_code(*roots), (*stated, *facts))


def code_roots(contents: Contents, reference: str | None, objects: Iterable[Any]) -> set[str]:
    """Where the code of a thing begins: with its parts, it among them, and with what made it."""
    roots = {root for part in objects for root in _roots(part)}
    if reference is not None:
        roots |= contents.roots(Reference.parse(reference).name)
    return roots


def mark_draw(reference: str) -> str:
    """What stands before the digest of a task's examples: of how many folds or samples these are
    one; '' for all examples.
    """
    parsed = try_parse_reference(reference)
    marks = [
        f"{key} of {value.partition('/')[2]}"
        for key, value in (parsed.options if parsed else ())
        if key in ("fold", "sample") and "/" in value
    ]
    return " ".join([*marks, ""])


def shared_fact(fact: str) -> str:
    """What a fact says of all folds and samples alike, each of which has other examples."""
    return _DRAWN.sub(r"\1", fact)


_DRAWN = re.compile(r"^((?:(?:fold|sample) of \d+ )+)[0-9a-f]{32}$")


def make_portable(contents: Contents, reference: str) -> str:
    """Moving files changes no identity: a canonical reference without the places of files.

    lingprobe's own things state what lies there; of a user's thing, a digest of the file or folder
    stands for it.
    """
    parsed = Reference.parse(reference)
    where = contents.places_of(parsed)
    states = all(is_own_module(root) for root in contents.roots(parsed.name))

    def portable_value(key: str | None, value: str) -> str:
        return value if key not in where else "file" if states else digest_place(value)

    argument = (
        None
        if parsed.argument is None or (states and None in where)
        else portable_value(None, parsed.argument)
    )
    options = tuple((key, portable_value(key, value)) for key, value in parsed.options)
    _, at, attribute = parsed.name.rpartition("@")  # what lies in a file counts, not its name
    return str(Reference(f"file{at}{attribute}" if at else attribute, argument, options))


def digest_place(place: str) -> str:
    """A digest of a file, or of the files below a folder; the text itself where nothing lies
    there.
    """
    path = Path(place).expanduser()
    if not path.exists():
        return place
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    return digest_texts(*(digest_pieces(file.read_bytes()) for file in files))


def walk_parts(content: Any) -> Iterator[Any]:
    """A thing and everything that it holds: a probe within a probe, functions, layers, readers;
    plain values are excluded.

    Of a dataclass the fields count that make it equal to another; what it only remembers does not.
    """
    seen: set[int] = set()
    todo = [content]
    while todo:
        each = todo.pop()
        if isinstance(each, _PLAIN) or id(each) in seen:
            continue
        seen.add(id(each))
        todo += _inside(each)
        yield each


def _roots(part: Any) -> set[str]:
    """Where the code of a held thing begins: with itself, if it is a function or a class, and with
    its class. What is installed (arrays, a library's networks) counts by its version.
    """
    if isinstance(part, types.ModuleType):
        return {part.__name__}
    named = {root_of(each) for each in (part, type(part)) if _is_written(each)}
    return {root for root in named if not is_standard(root)}


def _is_written(part: Any) -> bool:
    """Whether it knows where it is written."""
    names = (getattr(part, "__module__", None), getattr(part, "__qualname__", None))
    return all(isinstance(name, str) and name for name in names)


def _fingerprint(part: Any) -> str:
    """What a held thing states of itself; classes and what is installed state nothing."""
    if not is_ours(type(part).__module__) or not is_stated(part):
        return ""
    stated: object = part.fingerprint
    return stated if isinstance(stated, str) else ""


_PLAIN = (str, bytes, int, float, complex, bool, type(None), PurePath)


def _inside(thing: Any) -> list[Any]:
    """What is to be looked at next: of a long container one of each type."""
    if isinstance(thing, Mapping):
        return _samples([*thing.keys(), *thing.values()])
    if isinstance(thing, list | tuple | set | frozenset):
        return _samples(thing)
    if isinstance(thing, functools.partial | types.MethodType | types.FunctionType):
        return _inside_function(thing)
    if isinstance(thing, type | types.ModuleType) or not is_ours(type(thing).__module__):
        return []
    if is_dataclass(thing):
        return [getattr(thing, field.name) for field in fields(thing) if field.compare]
    slots = [slot for kind in type(thing).__mro__ for slot in _slots(kind)]
    return [
        *(getattr(thing, slot) for slot in slots if hasattr(thing, slot)),
        *getattr(thing, "__dict__", {}).values(),
    ]


def _inside_function(
    thing: functools.partial[Any] | types.MethodType | types.FunctionType,
) -> list[Any]:
    """What a function is bound to, closes over, or takes by default."""
    if isinstance(thing, functools.partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, types.MethodType):
        return [thing.__func__, thing.__self__]
    cells = [cell.cell_contents for cell in thing.__closure__ or () if not _is_empty(cell)]
    return [*cells, *(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _samples(values: Iterable[Any]) -> list[Any]:
    """The values, without plain ones; of those that are not ours and no functions one a type."""
    chosen: dict[object, Any] = {}
    for value in values:
        if not isinstance(value, _PLAIN):
            alike = type(value) if not _may_differ(value) else id(value)
            chosen.setdefault(alike, value)
    return list(chosen.values())


def _may_differ(value: Any) -> bool:
    """Whether two values of this type may reach different code."""
    kinds = (Callable, Mapping, list, tuple, set, frozenset)
    return isinstance(value, kinds) or is_ours(type(value).__module__)  # type: ignore[arg-type]


def _is_empty(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is cell  # reading an empty cell raises
    except ValueError:
        return True


def _interactive(module: str) -> bool:
    """Whether a module was typed in: it is loaded and has no file, and is no built-in one."""
    return (
        module in sys.modules and module not in sys.builtin_module_names and file_of(module) is None
    )
