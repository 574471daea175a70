"""A closed lexicon: every lemma with all its forms, what it goes with, and how frequent it is. Read
from a table, and checked.

The table is tab-separated, with a header line; `#` begins a comment. Columns:

    kind    noun, verb, adverb, adjective or preposition
    lemma   the form that requests and events name it by
    forms   the other forms in the language's own order (English nouns: plural; verbs: third person,
            past, participle, -ing), or -
    class   nouns: what they name; verbs: their frame; adverbs: their place in a row; adjectives and
            prepositions: classes of nouns
    flags   separated by semicolons, or -: `patient=thing,food` says what a verb takes, `stative`
            that it names a state, `unpassive` that it has no passive, `factive` and `veridical`
            what it says of its content (see asserted.py); a language has more of its own
    band    high, middle or low: how frequent the forms are together
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from pathlib import Path

from lingprobe import DataProblem
from lingprobe.extend import read_text_lines
from lingprobe_extensions.compose.events.meaning import SEMANTIC_ROLES, VERB_FRAMES

WORD_KINDS = ("noun", "verb", "adverb", "adjective", "preposition")
FREQUENCY_BANDS = ("high", "middle", "low")
_HEADER = "kind\tlemma\tforms\tframe or class\tflags\tband"
# letters of any script, with hyphens and apostrophes inside
_FORM = re.compile(r"[^\W\d_](?:['-]?[^\W\d_])*")


@dataclass(frozen=True, slots=True)
class LexicalEntry:
    """A lemma of one kind.

    forms    the lemma and its other forms, in the language's order
    classes  what it names or goes with; a verb has its frame here
    takes    of verbs: which classes of nouns each role takes
    flags    what else is known, as 'stative' or 'feminine'
    """

    kind: str
    lemma: str
    forms: tuple[str, ...]
    classes: tuple[str, ...]
    takes: Mapping[str, frozenset[str]]
    flags: frozenset[str]
    band: str


@dataclass(frozen=True, slots=True, eq=False)
class EventLexicon:
    """Entries by kind; the position of an entry in its kind is its number everywhere."""

    entries: Mapping[str, tuple[LexicalEntry, ...]]
    places: Mapping[tuple[str, str, str], int] = field(repr=False)

    @classmethod
    def of(cls, entries: Iterable[tuple[str, LexicalEntry]]) -> EventLexicon:
        """A lexicon of some entries, each with where it stands; one that is there twice is
        named.
        """
        kinds: dict[str, list[LexicalEntry]] = {kind: [] for kind in WORD_KINDS}
        places: dict[tuple[str, str, str], int] = {}
        for where, entry in entries:
            key = (entry.kind, entry.lemma, entry.classes[0] if entry.kind == "verb" else "")
            if key in places:
                raise DataProblem(f"{where}: {entry.kind} {entry.lemma!r} is there twice")
            places[key] = len(kinds[entry.kind])
            kinds[entry.kind].append(entry)
        return cls({kind: tuple(of_kind) for kind, of_kind in kinds.items()}, places)

    def number(self, kind: str, lemma: str, frame: str = "") -> int:
        """The number of a lemma among its kind; verbs are told apart by frame. Complains about one
        that is not there.
        """
        place = self.places.get((kind, lemma, frame))
        if place is not None:
            return place
        frames = [f for f in VERB_FRAMES if ("verb", lemma, f) in self.places]
        if kind == "verb" and frames:
            raise DataProblem(
                f"the verb {lemma!r} is not {frame}: the lexicon has it as {', '.join(frames)}"
            )
        near = sorted({e.lemma for e in self.entries[kind] if e.lemma[:2] == lemma[:2]})[:5]
        raise DataProblem(
            f"no {kind} {lemma!r} in the lexicon"
            + (f"; near it are {', '.join(near)}" if near else "")
        )

    def mask(
        self, kind: str, *, classes: Iterable[str] = (), flag: str = "", frame: str = ""
    ) -> int:
        """Entries of a kind as bits: those of any of the classes, with the flag, of the frame; all
        where none is given.
        """
        return _mask(self, kind, frozenset(classes) | ({frame} if frame else set()), flag)


@lru_cache(maxsize=512)
def _mask(lexicon: EventLexicon, kind: str, classes: frozenset[str], flag: str) -> int:
    entries = enumerate(lexicon.entries[kind])
    return sum(
        1 << i
        for i, e in entries
        if (not classes or classes & set(e.classes)) and (not flag or flag in e.flags)
    )


def adverb_rows(lexicon: EventLexicon, order: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Rows of adverbs, at most one of each class and in this order; the shorter ones first."""
    kinds = [
        [i for i, e in enumerate(lexicon.entries["adverb"]) if kind in e.classes] for kind in order
    ]
    rows = product(*([None, *kind] for kind in kinds))
    return tuple(
        sorted(
            (tuple(i for i in row if i is not None) for row in rows),
            key=lambda row: (len(row), row),
        )
    )


def read_lexicon(
    path: str | Path, forms: Mapping[str, int], extra_table: str | Path | None = None
) -> EventLexicon:
    """The lexicon in a table, with the words of a second one after its own; a bad line is named.

    forms   how many forms beside the lemma each kind, or each frame of verbs, has
    """
    return EventLexicon.of(
        entry
        for table in (path, extra_table)
        if table is not None
        for entry in _entries(table, forms)
    )


def _entries(path: str | Path, forms: Mapping[str, int]) -> Iterator[tuple[str, LexicalEntry]]:
    rows = [
        (number, line)
        for number, line in read_text_lines(path)
        if line and not line.startswith("#")
    ]
    if not rows or rows[0][1] != _HEADER:
        raise DataProblem(
            f"{path}:{rows[0][0] if rows else 1}: the first line names the columns: {_HEADER!r}"
            " with tabs"
        )
    for number, line in rows[1:]:
        yield f"{path}:{number}", _entry(line.split("\t"), forms, f"{path}:{number}")


def _entry(cells: list[str], forms: Mapping[str, int], where: str) -> LexicalEntry:
    if len(cells) != 6:
        raise DataProblem(f"{where}: {len(cells)} columns; there are 6, separated by tabs")
    kind, lemma, others, classes, flags, band = cells
    if kind not in WORD_KINDS or band not in FREQUENCY_BANDS:
        raise DataProblem(
            f"{where}: kind {kind!r}, band {band!r}; kinds are {', '.join(WORD_KINDS)}, bands"
            f" {', '.join(FREQUENCY_BANDS)}"
        )
    spellings = (lemma, *(() if others == "-" else others.split(" ")))
    count = forms.get(classes if kind == "verb" and classes in forms else kind, 0)
    if len(spellings) != count + 1:
        raise DataProblem(
            f"{where}: {kind} {lemma!r} has {len(spellings) - 1} forms beside the lemma, not"
            f" {count}"
        )
    for form in spellings:
        if not _FORM.fullmatch(form):
            raise DataProblem(f"{where}: {form!r} is not one word of letters")
    if kind == "verb" and classes not in VERB_FRAMES:
        raise DataProblem(f"{where}: frame {classes!r} is not one of {', '.join(VERB_FRAMES)}")
    takes, bare = _flags(flags, where)
    return LexicalEntry(kind, lemma, spellings, tuple(classes.split(",")), takes, bare, band)


def _flags(cell: str, where: str) -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    takes: dict[str, frozenset[str]] = {}
    bare = set()
    for flag in () if cell == "-" else cell.split(";"):
        role, sign, classes = flag.partition("=")
        if sign and role not in SEMANTIC_ROLES:
            raise DataProblem(f"{where}: flag {flag!r}; roles are {', '.join(SEMANTIC_ROLES)}")
        if sign:
            takes[role] = frozenset(classes.split(","))
        else:
            bare.add(flag)
    return takes, frozenset(bare)
