"""A reference as it is written: `name[:argument][,key=value]...`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import quote, unquote

from lingprobe.data.errors import ReferenceProblem

MAX_CACHED_REFERENCES = 10_000  # references: a folder of results names the same few again and again
_STORED = {("rules", "sonde"): "lingprobe"}
"""Values of options in files that were written before 0.3: (option, value) -> today's value."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A parsed reference: the name, its one positional argument and its options in order (a key may
    repeat).
    """

    name: str
    argument: str | None = None
    options: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Reference:
        """Parse `name[:argument][,key=value]...`; in a value `,` is written %2C, `:` %3A, `=` %3D,
        `@` %40 and `%` %25.
        """
        return _parse(text)

    def __str__(self) -> str:
        argument = "" if self.argument is None else ":" + _encode(self.argument)
        options = "".join(f",{key}={_encode(value)}" for key, value in self.options)
        return f"{self.name}{argument}{options}"

    def with_name(self, name: str) -> Reference:
        """The same reference under another name: `ud/*` becomes `ud/tense`."""
        return replace(self, name=name)

    def plus(self, **options: str) -> Reference:
        """The same reference with options added that it does not set itself."""
        own = {key for key, _ in self.options}
        return replace(
            self, options=self.options + tuple((k, v) for k, v in options.items() if k not in own)
        )

    def without(self, *keys: str) -> Reference:
        """The same reference without some options."""
        return replace(
            self, options=tuple(option for option in self.options if option[0] not in keys)
        )

    def with_code(self, place: Callable[[str], str]) -> Reference:
        """The same reference with `place` of each file of code that it names, as in
        `mine.py@thing` or inside a value.
        """
        path, at, thing = self.name.rpartition("@")
        return Reference(
            f"{place(path)}{at}{thing}" if path.endswith(PYTHON_SUFFIX) else self.name,
            None if self.argument is None else _with_code(self.argument, place),
            tuple((key, _with_code(value, place)) for key, value in self.options),
        )


@lru_cache(maxsize=MAX_CACHED_REFERENCES)
def _parse(text: str) -> Reference:
    head, *rest = text.split(",")
    name, colon, argument = head.partition(":")
    if not name.strip():
        raise ReferenceProblem(f"{text!r} has no name: write name[:argument][,key=value]...")
    options = []
    for item in rest:
        key, equals, value = item.partition("=")
        if not key.strip() or not equals:
            raise ReferenceProblem(
                f"{item!r} in {text!r} is not key=value (several references have spaces between"
                " them; a comma inside a value is written %2C)"
            )
        key, value = key.strip(), unquote(value, errors="surrogateescape")
        options.append((key, _STORED.get((key, value), value)))
    return Reference(
        name.strip(),
        unquote(argument, errors="surrogateescape") if colon else None,
        tuple(options),
    )


def try_parse_reference(reference: str) -> Reference | None:
    """A reference as it was parsed; None for text that is none."""
    try:
        return Reference.parse(reference)
    except ReferenceProblem:
        return None


def remove_options(reference: str, *keys: str) -> str:
    """A reference without some of its options; text that is none as it is."""
    parsed = try_parse_reference(reference)
    return reference if parsed is None else str(parsed.without(*keys))


PYTHON_SUFFIX = ".py"  # how files of code end


def _with_code(value: str, place: Callable[[str], str]) -> str:
    """A value with the places of the code in it, where it is a reference itself."""
    inner = try_parse_reference(value)
    moved = inner and inner.with_code(place)
    return value if moved == inner else str(moved)


_SAFE = "/~ !#$&'()*+;?[]{}|\\^\"<>`" + "".join(map(chr, range(128, 256)))


def _encode(value: str) -> str:
    return quote(_bytes(value), safe=_SAFE)


def _bytes(value: str) -> bytes:
    """Text in bytes, that of a path which is not UTF-8 as on the disk; other halves of characters
    as escapes.
    """
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "backslashreplace")
