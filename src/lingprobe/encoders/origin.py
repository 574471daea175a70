"""Where a live thing comes from: what it is called, and what tells it from others of that name."""

from __future__ import annotations

import dis
import inspect
import itertools
import re
import types
import uuid
from dataclasses import fields, is_dataclass
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from lingprobe.data._closure import (
    digest_code,
    file_of,
    is_ours,
)
from lingprobe.data.digests import RunningDigest, digest_texts

_TELLING = 6  # letters, from which on the name of a folder says what is in it
_PLAIN = (type(None), bool, int, float, complex, str, bytes, PurePath)

_unnamed = itertools.count()
_process = uuid.uuid4().hex


def name_of(source: Any) -> str:
    """The name of a model by its card or path, a function's own name, or that of the class; of a
    method, that of its object.
    """
    if inspect.ismethod(source) and not inspect.isclass(source.__self__):
        return name_of(source.__self__)
    return model_name(source) or str(getattr(source, "__name__", type(source).__name__))


def model_name(model: Any) -> str:
    """What a model of transformers or sentence-transformers is called on the hub, or the folder
    that it was read from; '' where it does not say.
    """
    card = getattr(model, "model_card_data", None)
    said = getattr(card, "model_id", None) or getattr(card, "base_model", None)
    inner = getattr(model, "transformers_model", None) or model
    path = said or getattr(getattr(inner, "config", None), "_name_or_path", None)
    return shorten_path(path) if isinstance(path, str) else ""


def shorten_path(path: str) -> str:
    """A model's path by its last part (by two where one says little), or its name on the hub where
    that is known.
    """
    if cached := re.search(r"models--([^/\\]+?)--([^/\\]+)[/\\]snapshots", path):
        return "/".join(cached.groups())
    if not Path(path).is_absolute():
        return path
    parts = PurePath(path).parts
    return "/".join(parts[-1:] if len(parts[-1]) >= _TELLING else parts[-2:])


def describe_state(source: Any) -> str:
    """What tells an object from others of its class that says nothing of itself: the settings of a
    dataclass, if it has no more.

    Of any other it is new each time, since nobody can know what has changed in it.
    """
    if is_dataclass(source) and not isinstance(source, type):
        settings = [getattr(source, field.name) for field in fields(source) if field.compare]
        if all(map(is_plain, settings)):
            return repr(settings)
    return f"{_process} {next(_unnamed)}"


def hash_source(source: Any, name: str | None) -> str:
    """What a thing is made of, hashed: the code that its module reaches, and of a function its own.

    What has a state that no file shows (an object, a function that closes over something or reads a
    global object) is told apart from all others, and from itself in another process, unless it is
    given a name that stands for it. An object of an installed library that holds nothing but
    arrays, plain values and tokenizers, as a model of Model2Vec does, is what these are.
    """
    made, state = _made_of(source, set()) if inspect.isfunction(source) else (b"", True)
    module = str(
        getattr(source, "__module__", "") if inspect.isroutine(source) else type(source).__module__
    )
    state = state or file_of(module) is None
    own = f" {_process} {next(_unnamed)}" if state and not name else ""
    if not (inspect.isroutine(source) or is_ours(module)) and (held := _contents(source)):
        own = f" {held}"
    return digest_texts(digest_code(module), made.hex()) + own


def _contents(thing: Any) -> str:
    """A digest of all that an object holds; '' where some of it cannot be told."""
    state = RunningDigest()
    for name, value in sorted(getattr(thing, "__dict__", {}).items()):
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufUS":
            content: Any = value
        elif is_plain(value):
            content = repr(value)
        elif callable(write := getattr(value, "to_str", None)):  # tokenizers
            content = str(write())
        else:
            return ""
        state.add(f"{name} {getattr(value, 'shape', '')} ", content)
    return state.hex() if getattr(thing, "__dict__", {}) else ""


def _made_of(function: types.FunctionType, seen: set[int]) -> tuple[bytes, bool]:
    """A function's code and the plain values that it reads, with the functions beside it that it
    calls; and whether it reads others.
    """
    seen.add(id(function))
    parts, state = [_describe_code(function.__code__)], bool(function.__closure__)
    held = {
        name: function.__globals__[name]
        for name in sorted(_list_code_names(function.__code__))
        if name in function.__globals__
    }
    for value in (function.__defaults__, function.__kwdefaults__, *held.values()):
        if inspect.isfunction(value) and value.__globals__ is function.__globals__:
            inner, stateful = _made_of(value, seen) if id(value) not in seen else (b"", False)
            parts, state = [*parts, inner], state or stateful
        elif is_plain(value):
            parts.append(repr(value).encode())
        elif not (inspect.ismodule(value) or inspect.isclass(value) or inspect.isroutine(value)):
            state = True
    return b"\x1e".join(parts), state


def _list_code_names(code: types.CodeType) -> set[str]:
    """What a function's code reads by name, its inner functions included."""
    return set(code.co_names).union(
        *(_list_code_names(c) for c in code.co_consts if isinstance(c, types.CodeType))
    )


def is_plain(value: Any) -> bool:
    """Whether a value is a number, a text, a path, or a list or mapping of such."""
    if isinstance(value, tuple | list):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(map(is_plain, value.values()))
    return isinstance(value, _PLAIN)


def _describe_code(code: types.CodeType) -> bytes:
    """What a function does, without where it stands and what its docstring says: two functions of
    one file differ in it.
    """
    steps = [
        (step.opname, _constant(step.argval) if step.opcode in dis.hasconst else step.argval)
        for step in dis.get_instructions(code)
    ]
    return repr((steps, code.co_varnames)).encode()


def _constant(value: Any) -> Any:
    if isinstance(value, frozenset):  # its order is another one in each process
        return sorted(map(repr, value))
    return _describe_code(value) if isinstance(value, types.CodeType) else repr(value)
