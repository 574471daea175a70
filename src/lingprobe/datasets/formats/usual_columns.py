"""Which column of a table holds what: named by the user, or found by its usual name.

Names are compared without capitals and marks, so that `Sentence 1` is `sentence1`. Where several
columns could be meant, the user is asked, never guessed for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass

from lingprobe.data.core import DataProblem

TEXTS = (
    ("text", "sentence"),
    ("content", "document", "review", "tweet", "utterance", "comment", "message", "body"),
    ("words", "tokens"),
    ("headline", "title", "question", "query", "input"),
)
"""Names of a text, those that decide first before the others."""
PAIRS = (
    ("sentence1", "sentence2"),
    ("text1", "text2"),
    ("text", "text2"),
    ("texta", "textb"),
    ("sentencea", "sentenceb"),
    ("sent1", "sent2"),
    ("premise", "hypothesis"),
    ("question1", "question2"),
    ("question", "answer"),
    ("question", "sentence"),
    ("question", "passage"),
    ("query", "passage"),
)
LABELS = (
    ("label", "labels", "goldlabel"),
    ("class", "target", "tag", "tags", "category", "sentiment", "intent", "emotion", "y"),
    ("nertags", "postags", "chunktags", "upos", "xpos"),
    ("score", "similarityscore", "relatednessscore", "similarity", "rating", "stars"),
)
SPANS = (("span", "span1"), ("span2",))
ENDS = (("start", "end"), ("start", "stop"), ("begin", "end"))
"""Names of the start and the end of a span."""
SPLIT = ("split",)
NUMBERS = ("", "id", "idx", "index", "uid", "unnamed0", "guid")
"""Names of what numbers rows, and names of no column."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that the user names, by their headings or, from 1, by their numbers; '' where
    usual names decide. A span may have two, for its start and its end, as `start+end`.
    """

    text: str = ""
    text2: str = ""
    span: str = ""
    span2: str = ""
    label: str = ""
    group: str = ""
    split: str = ""

    def as_asked(self) -> dict[str, str]:
        """Those that are named, by option."""
        return {option: name for option, name in asdict(self).items() if name}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The columns of a table that are read, by their headings; '' for none."""

    texts: tuple[str, ...]
    label: str
    group: str = ""
    split: str = ""
    spans: tuple[tuple[str, ...], ...] = ()

    def plain(self) -> dict[str, str]:
        """The columns by what they hold, as notes have them."""
        named = dict(zip(("text", "text2"), self.texts, strict=False))
        named |= dict(zip(("span", "span2"), map("+".join, self.spans), strict=False))
        named |= {"label": self.label, "group": self.group, "split": self.split}
        return {what: name for what, name in named.items() if name}

    def all(self) -> list[str]:
        """The headings of all columns that are read."""
        ends = [name for span in self.spans for name in span]
        return [n for n in (*self.texts, *ends, self.label, self.group, self.split) if n]

    @property
    def sites(self) -> int:
        """How many texts or spans a label is about."""
        return len(self.spans) or len(self.texts)


def choose(columns: Columns, names: Sequence[str], where: str) -> Chosen:
    """The columns to read of those that a table has. DataProblem where one is not there, or where
    several could be meant.
    """
    asked = columns.as_asked()
    spans = _spans(asked, names, where)
    given = {option: find(name, names, option, where) for option, name in asked.items()}
    ends = [name for span in spans for name in span]
    free = [name for name in names if name not in given.values() and name not in ends]
    texts = _texts(given, free, names, where)
    free = [name for name in free if name not in texts]
    label = given.get("label") or _one(LABELS, free, "label", names, where)
    split = given.get("split") or next((n for n in free if plain(n) in SPLIT), "")
    chosen = Chosen(texts, label, given.get("group", ""), split, spans)
    if spans and len(spans) < len(texts):
        raise DataProblem(
            f"{where}: two texts ({', '.join(map(repr, texts))}) need a span each: add span2=, or"
            f" name one text, as text={texts[0]}"
        )
    used = [*texts, *ends, *filter(None, (label, split))]
    if twice := next((name for name in used if used.count(name) > 1), ""):
        raise DataProblem(f"{where}: column {twice!r} cannot be two things; name another")
    if twice := next((name for name in used if names.count(name) > 1), ""):
        raise DataProblem(f"{where}: two columns are called {twice!r}; rename one")
    return chosen


def _spans(asked: dict[str, str], names: Sequence[str], where: str) -> tuple[tuple[str, ...], ...]:
    """The columns of the spans, which are taken out of those that were asked for."""
    found = []
    for option, usual in zip(("span", "span2"), SPANS, strict=True):
        if option in asked:
            name = asked.pop(option)
            parts = [name] if name in names else name.split("+")
            if len(parts) > 2:
                raise DataProblem(
                    f"{where}: {option}={name}: a span has one column, or two: {option}=START+END"
                )
            found.append(tuple(find(part, names, f"{option}", where) for part in parts))
        else:
            found.append(tuple(name for name in names if plain(name) in usual)[:1])
    first, second = found
    if second and not first:
        raise DataProblem(f"{where}: there is span2= but no span=; name the first span, too")
    return tuple(span for span in (first, second) if span)


def unread_span(names: Sequence[str]) -> list[str]:
    """The headings of two columns that seem to be the start and the end of a span; [] for none."""
    by_name = {plain(name): name for name in names}
    for pair in ENDS:
        if by_name.keys() >= set(pair):
            return [by_name[name] for name in pair]
    return []


def is_usual(name: str) -> bool:
    """Whether a heading is a usual one, so that a first row which has it is no example."""
    every = (*PAIRS, *TEXTS, *LABELS, *SPANS, SPLIT)
    return any(plain(name) in names for names in every)


def plain(name: str) -> str:
    """A heading without capitals and marks."""
    return re.sub(r"[\W_]", "", name.casefold())


def find(name: str, names: Sequence[str], option: str, where: str) -> str:
    """The heading that is called so, or has that number."""
    if name in names:
        return name
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return names[int(name) - 1]
    raise DataProblem(f"{where}: no column {name!r} for {option}=; {listing(names)}")


def listing(names: Collection[str]) -> str:
    """The headings of a table, in words."""
    shown = ", ".join(repr(name) for name in list(names)[:20])
    more = f" and {len(names) - 20:,} more" if len(names) > 20 else ""
    return f"its columns: {shown}{more}" if names else "it has no columns"


def _texts(
    given: dict[str, str], free: Sequence[str], names: Sequence[str], where: str
) -> tuple[str, ...]:
    """The columns of the text, or of two texts."""
    if "text" in given:
        return tuple(given[option] for option in ("text", "text2") if option in given)
    by_name = {plain(name): name for name in reversed(free)}
    if "text2" not in given and (pair := _pair(by_name, where)):
        return pair
    first = _one(TEXTS, free, "text", names, where)
    return (first, given["text2"]) if "text2" in given else (first,)


def _pair(by_name: Mapping[str, str], where: str) -> tuple[str, ...]:
    """The columns of two texts that go together by their names; () where none do."""
    pairs = [pair for pair in PAIRS if by_name.keys() >= set(pair)]
    if not pairs:
        return ()
    every = dict.fromkeys(name for pair in pairs for name in pair)
    every |= dict.fromkeys(name for name in TEXTS[0] if name in by_name)
    if len(every) > len(pairs[0]):
        several = ", ".join(repr(by_name[name]) for name in every)
        one, two = (by_name[name] for name in pairs[0])
        raise DataProblem(
            f"{where}: which of the texts {several} is the label about? Name two of them, as"
            f" text={one},text2={two}, or one, as text={one}"
        )
    one, two = pairs[0]
    return by_name[one], by_name[two]


def _one(
    usual: Sequence[Sequence[str]],
    free: Sequence[str],
    option: str,
    names: Sequence[str],
    where: str,
) -> str:
    """The column that has a usual name, of several those that decide first."""
    for tier in usual:
        found = list(dict.fromkeys(name for name in free if plain(name) in tier))
        if len(found) == 1:
            return found[0]
        if found:
            several = " or ".join(map(repr, found))
            raise DataProblem(
                f"{where}: which column is the {option}, {several}? Name it, as {option}={found[0]}"
            )
    rest = [name for name in free if not is_usual(name) and plain(name) not in NUMBERS]
    if len(rest) == 1:  # of one text and one label, what is not the one is the other
        return rest[0]
    raise DataProblem(
        f"{where}: no column has a usual name of a {option}, as {usual[0][0]!r}: name it, as"
        f" {option}={rest[0] if rest else 'NAME'}; {listing(names)}"
    )
