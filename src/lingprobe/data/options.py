"""Options, each written once: its type, its default, what it means, and how it is written.

A class of options is a dataclass whose fields say it beside their types:

    @dataclass(frozen=True, kw_only=True)
    class BuildOptions(Options):
        seed: Annotated[int, Help("the random seed", "0")] = 0
        output: Annotated[Path, Help("where to write"), flag("-o", metavar="FILE")]

Signatures, calls, the command line, keys of experiments and docs are made from it. What a reference
names (`mlp,hidden=5`) says it of its parameters or fields in the same way.
"""

from __future__ import annotations

import ast
import functools
import textwrap
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from lingprobe.data.checks import check_choice, check_number
from lingprobe.data.errors import UsageProblem

O = TypeVar("O", bound="Options")  # noqa: E741
REQUIRED_OPTION: Any = type("Required", (), {"__repr__": lambda _: "required"})()
"""Stands for the default of an option that must be given."""
_READ_AS = {str: str, Path: Path, int: int, float: float, bool: bool}
"""The types that a text is read as; a text stands for anything else."""
_SEVERAL = (Sequence, Iterable)
_WIDTH = 96  # of a docstring


class Help(NamedTuple):
    """What an option means, as `Annotated[int, Help("the random seed", "0")]` says.

    meaning  a phrase without a full stop
    within   of numbers: the bounds, as `check_number` takes them ('1' for 1 or more)
    """

    meaning: str
    within: str = ""

    @property
    def least(self) -> float | None:
        """The least number that it may be."""
        return float(self.within.lstrip(">").partition("-")[0]) if self.within else None


@dataclass(frozen=True)
class OptionFlag:
    """How an option is written on the command line, where its name and type do not say it.

    names       what is written for it: short flags beside --name, or all flags
    metavar     what help calls a value
    kind        the type that a text is read as, where it is another one than in Python
    complete    what the Tab key offers: names of a kind, as `tasks`; `kinds`, or what is `listed`
                of the kind that was typed
    panel       the heading in the help
    positional  whether it is an argument, which has no flag
    hidden      whether Python alone has it
    """

    names: tuple[str, ...] = ()
    metavar: str | None = None
    kind: Any = None
    complete: str = ""
    panel: str | None = None
    positional: bool = False
    hidden: bool = False


def flag(*names: str, **more: Any) -> OptionFlag:
    """How an option is written on the command line, where its name and type do not say it.

    names  its flags: short ones beside --name, or all of them
    more   `metavar`, what help calls a value; `kind`, the type that a text is read as;
           `positional`, for an argument; `panel`, the heading in the help

        output: Annotated[Path, Help("where to write"), flag("-o", metavar="FILE")]
    """
    return OptionFlag(names, **more)


def declare_argument(metavar: str, **more: Any) -> OptionFlag:
    """An argument of a command, and fields of `OptionFlag`."""
    return OptionFlag(metavar=metavar, positional=True, **more)


PYTHON_ONLY = OptionFlag(hidden=True)
"""An option that the command line has not."""


class DeclaredOption(NamedTuple):
    """An option as its class declares it.

    written  the type as the source has it
    kind     the type
    default  what it is where it is not given; `REQUIRED_OPTION` where it must be
    """

    name: str
    written: str
    kind: Any
    default: Any
    help: Help
    flag: OptionFlag

    @property
    def choices(self) -> tuple[Any, ...]:
        """What it may be, where these are few."""
        return next(
            (typing.get_args(kind) for kind in _walk_type(self.kind) if _is_choice(kind)), ()
        )

    @property
    def read_as(self) -> Any:
        """The type that its text is read as: a choice, a number, a path, or else a text, such as
        the reference of an object; or a list of one of these.
        """
        return self.flag.kind or _read_as(self.kind)

    def check(self, value: Any) -> None:
        """UsageProblem for a value that it may not have."""
        if value is None or value is self.default:
            return
        if self.choices and isinstance(value, str):
            check_choice(self.name.rstrip("_"), value, self.choices)
        if _are_texts(self.choices) and not isinstance(value, str):
            known = ", ".join(map(repr, self.choices))
            raise UsageProblem(f"{self.name}={value!r}: choose one of {known}")
        if _is_of_text(self.kind) and _has_number(value):
            raise UsageProblem(f"{self.name}={value!r}: write text: {self.help.meaning}")
        if self.kind is bool and not isinstance(value, bool):
            raise UsageProblem(f"{self.name}={value!r}: give True or False")
        if _is_whole(self.kind) and (isinstance(value, bool) or not isinstance(value, int)):
            raise UsageProblem(f"{self.name}={value!r}: give a whole number, {self.help.meaning}")
        if self.help.within and not isinstance(value, str):
            check_number(self.name, value, self.help.within, problem=UsageProblem)


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a command, or a group of options that commands share; a value that one may not
    have is a UsageProblem.
    """

    def __post_init__(self) -> None:
        for name, option in declared_options(type(self)).items():
            option.check(getattr(self, name))

    @classmethod
    def list_options(cls) -> Mapping[str, DeclaredOption]:
        """The options by name, those of its bases first."""
        return declared_options(cls)

    def select(self, *kinds: type[Options]) -> dict[str, Any]:
        """The values, by name, of the options that some classes declare; without those that are as
        they are by default.
        """
        named = {name: each for kind in kinds for name, each in declared_options(kind).items()}
        values = {name: getattr(self, name) for name in named}
        return {k: v for k, v in values.items() if v is not None and v != named[k].default}


def declared_options(kind: Any) -> Mapping[str, DeclaredOption]:
    """The options that a class declares, by name: those of its bases first."""
    return _declared_options(kind)


@functools.cache
def _declared_options(kind: Any) -> Mapping[str, DeclaredOption]:
    hints = typing.get_type_hints(kind, include_extras=True)
    texts = dict(_annotations(kind))
    found = {}
    for field in fields(kind):
        about = getattr(hints[field.name], "__metadata__", ())
        default = field.default
        if default is MISSING:
            default = (
                REQUIRED_OPTION if field.default_factory is MISSING else field.default_factory()
            )
        found[field.name] = DeclaredOption(
            field.name,
            _type_text(texts[field.name], hints[field.name]),
            strip_help(hints[field.name]),
            default,
            next((each for each in about if isinstance(each, Help)), Help("")),
            next((each for each in about if isinstance(each, OptionFlag)), OptionFlag()),
        )
    return found


def help_of(hint: Any) -> Help:
    """What an annotation says of an option; nothing where it has no help."""
    about = getattr(hint, "__metadata__", ())
    return next((each for each in about if isinstance(each, Help)), Help(""))


def strip_help(hint: Any) -> Any:
    """A type without what is said of the option beside it."""
    if typing.get_origin(hint) is not Annotated:
        return hint
    kept = [each for each in hint.__metadata__ if not isinstance(each, Help | OptionFlag)]
    inner = typing.get_args(hint)[0]
    for each in kept:
        inner = Annotated[inner, each]
    return inner


def describe_options(declared: Iterable[DeclaredOption]) -> str:
    """A table of options for a docstring: their names, and what each means."""
    rows = [(option.name, option.help.meaning) for option in declared if option.help.meaning]
    wide = max((len(name) for name, _ in rows), default=0) + 2
    shape = textwrap.TextWrapper(_WIDTH, subsequent_indent=" " * wide, break_on_hyphens=False)
    return "\n".join(shape.fill(f"{name:{wide}}{text}") for name, text in rows)


def _type_text(text: str, hint: Any) -> str:
    """The type as its source has it; that of an option which several classes share has a name."""
    inner = strip_help(hint)
    is_shared = text.isidentifier() and typing.get_origin(inner) is not None
    return repr(inner).replace("typing.", "") if is_shared else text


def _annotations(kind: type) -> Iterator[tuple[str, str]]:
    """The types of fields as their sources have them, without what is said beside them."""
    for owner in reversed(kind.__mro__):
        for name, text in vars(owner).get("__annotations__", {}).items():
            tree = ast.parse(text, mode="eval").body
            if isinstance(tree, ast.Subscript) and ast.unparse(tree.value) == "Annotated":
                assert isinstance(tree.slice, ast.Tuple)
                tree = tree.slice.elts[0]
            yield name, ast.unparse(tree)


def _walk_type(kind: Any) -> Iterator[Any]:
    """A type and those that it consists of."""
    yield kind
    if not _is_choice(kind):
        for inner in typing.get_args(kind):
            yield from _walk_type(inner)


def _is_choice(kind: Any) -> bool:
    return typing.get_origin(kind) is Literal


def _is_whole(kind: Any) -> bool:
    """Whether a type is of whole numbers alone, or of none."""
    is_union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    inner = typing.get_args(kind) if is_union else (kind,)
    return int in inner and {*inner} <= {int, type(None)}


def _are_texts(choices: Sequence[Any]) -> bool:
    """Whether there are choices, and all of them texts."""
    return bool(choices) and all(isinstance(each, str) for each in choices)


def _is_of_text(kind: Any) -> bool:
    """Whether a type is of texts and paths alone, of one or of several, or of none."""
    leaves = {each for each in _walk_type(kind) if not typing.get_args(each)}
    return str in leaves and leaves <= {str, Path, type(None)}


def _has_number(value: Any) -> bool:
    """Whether a value is a number, or lists one."""
    each = value if isinstance(value, list | tuple) else (value,)
    return any(isinstance(one, bool | int | float) for one in each)


def _read_as(kind: Any) -> Any:
    """The type that a text is read as."""
    if kind is Any:
        return list[str]
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        inner = [each for each in typing.get_args(kind) if each is not type(None)]
        found = {_read_as(each) for each in inner}
        several = {each for each in found if typing.get_origin(each) is list}
        plain = {typing.get_args(each)[0] if each in several else each for each in found}
        if plain == {str, Path}:
            plain = {Path}
        only = plain.pop() if len(plain) == 1 else str
        return list[only] if several else only  # type: ignore[valid-type]
    if typing.get_origin(kind) in _SEVERAL:
        return list[_read_as(typing.get_args(kind)[0])]  # type: ignore[misc]
    if _is_choice(kind):
        return kind
    return _READ_AS.get(kind, str)
