"""Which column of a table holds what: named by the user, or found by its usual name.

Names are compared without capitals and marks, so that `Sentence 1` is `sentence1`. Where several
columns could be meant, the user is asked, never guessed for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

from lingprobe.data.core import DataProblem

TEXT_COLUMNS = (
    ("text", "sentence"),
    ("content", "document", "review", "tweet", "utterance", "comment", "message", "body"),
    ("words", "tokens", "tokenizedtext", "word", "token", "form"),
    ("messages", "conversations", "conversation", "utt", "sms", "post"),
    (
        *("headline", "title", "question", "query", "input", "inputs", "prompt", "claim"),
        *("statement", "article", "abstract", "description", "summary", "passage", "context"),
        *("premise", "paragraph", "story", "dialogue", "anchor", "data"),
    ),
)
"""Names of a text, those that decide first before the others."""
TEXT_PAIR_COLUMNS = (
    ("sentence1", "sentence2"),
    ("text1", "text2"),
    ("text", "text2"),
    ("texta", "textb"),
    ("sentencea", "sentenceb"),
    ("sent1", "sent2"),
    ("s1", "s2"),
    ("1string", "2string"),
    ("premise", "hypothesis"),
    ("context", "hypothesis"),
    ("text", "hypothesis"),
    ("claim", "evidence"),
    ("question1", "question2"),
    ("q1", "q2"),
    ("question", "answer"),
    ("question", "sentence"),
    ("question", "passage"),
    ("question", "context"),
    ("query", "passage"),
    ("query", "document"),
    ("prompt", "response"),
    ("instruction", "response"),
)
EXCHANGE_COLUMNS = (("prompt", "response"), ("instruction", "response"))
"""Those pairs that are one conversation: what a user says, and the answer."""
LABEL_COLUMNS = (
    ("labeltext", "labelname"),
    ("label", "labels", "goldlabel"),
    (
        *("class", "target", "tag", "tags", "category", "sentiment", "intent", "emotion", "y"),
        "stance",
    ),
    ("nertags", "postags", "chunktags", "upos", "xpos"),
    ("score", "similarityscore", "relatednessscore", "similarity", "rating", "stars"),
    ("starrating", "overall"),
    ("quality", "relevance", "polarity", "topic", "verdict"),
    ("cats",),
    ("entities", "spans", "ner", "mentions", "annotations"),
)
ACCEPT_ANSWER, IGNORE_ANSWER = "accept", "ignore"
ANNOTATION_ANSWER_COLUMN = ("answer", frozenset((ACCEPT_ANSWER, "reject", IGNORE_ANSWER)))
"""The column in which Prodigy says whether an annotation holds, and what stands there."""
PREFERENCE_COLUMNS = (("positive", "negative"), ("chosen", "rejected"))
"""Names of two texts of which one is the better answer."""
SPAN_COLUMNS = (("span", "span1"), ("span2",))
_ENDS = (("start", "end"), ("start", "stop"), ("begin", "end"))
"""Names of the start and the end of a span."""
SPLIT_COLUMNS = ("split", "partition", "subset", "set", "semevalset", "datasplit")
"""Names of a split; all but the first only where their cells are names of splits."""
_NUMBERS = ("", "id", "idx", "index", "uid", "unnamed0", "guid")
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


def unread_span(names: Sequence[str]) -> list[str]:
    """The headings of two columns that seem to be the start and the end of a span; [] for none."""
    by_name = {normalise_heading(name): name for name in names}
    for pair in _ENDS:
        if by_name.keys() >= set(pair):
            return [by_name[name] for name in pair]
    return []


def is_usual(name: str) -> bool:
    """Whether a heading is a usual one, so that a first row which has it is no example."""
    every = (*TEXT_PAIR_COLUMNS, *TEXT_COLUMNS, *LABEL_COLUMNS, *SPAN_COLUMNS, SPLIT_COLUMNS[:1])
    return any(normalise_heading(name) in names for names in every)


def is_numbering(name: str) -> bool:
    """Whether a heading is that of what numbers rows."""
    return normalise_heading(name) in _NUMBERS


def normalise_heading(name: str) -> str:
    """A heading without capitals and marks."""
    return re.sub(r"[\W_]", "", name.casefold())


def index_names(names: Sequence[str]) -> dict[str, str]:
    """The headings by their plain form, and what lies in objects by its own name as well, as
    `data.text` by `text`, where that is free; the first of several counts.
    """
    whole = {normalise_heading(name): name for name in reversed(names)}
    inner = {
        normalise_heading(name.rpartition(".")[2]): name for name in reversed(names) if "." in name
    }
    return {**inner, **whole}


def has_usual_end(name: str) -> bool:
    """Whether a heading says that it is a label: is_humorous, airline_sentiment, label_gold."""
    words = _words_of(name)
    usual = ("label", *LABEL_COLUMNS[2])
    return len(words) > 1 and (words[0] in ("is", "label") or words[-1] in usual)


def has_text_end(name: str) -> bool:
    """Whether a heading says that it is a text: comment_text, review_body."""
    words = _words_of(name)
    return (
        len(words) > 1 and words[0] != "label" and words[-1] in (*TEXT_COLUMNS[0], *TEXT_COLUMNS[1])
    )


def _words_of(name: str) -> list[str]:
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [word.casefold() for word in re.findall(r"[^\W_]+", parted)]


def names_column(cell: str) -> bool:
    """Whether a cell of a first row is a heading, by its words."""
    if is_usual(cell):
        return True
    is_word = bool(cell) and not re.search(r"\s", cell)
    return is_word and (is_numbering(cell) or has_text_end(cell) or has_usual_end(cell))


def find_heading(name: str, names: Sequence[str], option: str, location: str) -> str:
    """The heading that is called so, or has that number."""
    if name in names:
        return name
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return names[int(name) - 1]
    raise DataProblem(f"{location}: no column {name!r} for {option}=; {format_headings(names)}")


def format_headings(names: Collection[str]) -> str:
    """The headings of a table, in words."""
    shown = ", ".join(repr(name) for name in list(names)[:20])
    more = f" and {len(names) - 20:,} more" if len(names) > 20 else ""
    return f"its columns: {shown}{more}" if names else "it has no columns"
