"""English: how verbs and phrases are put together, from tables; and the language as one value."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

from sonde.core import DataProblem
from sonde.corpora.files import digest
from sonde.generation.events.english_columns import columns
from sonde.generation.events.english_rules import ALLOWED, rules
from sonde.generation.events.english_verbs import PAST
from sonde.generation.events.language import Form, Language, PhraseForm
from sonde.generation.events.lexicon import Lexicon, adverb_rows, read
from sonde.generation.events.meaning import NUMBERS, POLARITIES

TABLE = Path(__file__).with_name("english.tsv")
FORMS = {"noun": 1, "verb": 4}
TENSES, ASPECTS = ("past", "present"), ("simple", "progressive", "perfect", "perfect progressive")
MODALS = ("will", "would", "could", "may", "might", "must", "should")
PHRASES = (
    PhraseForm("singular", "the"),
    PhraseForm("plural", "the"),
    PhraseForm("singular", "a"),
    PhraseForm("plural", "some"),
    PhraseForm("singular", "every"),
    PhraseForm("singular", "no"),
    PhraseForm("plural", "no"),
    PhraseForm("singular", "this"),
    PhraseForm("plural", "these"),
    PhraseForm("singular", "not one"),
)
FORCES = {"no": "none", "not one": "none", "every": "every", "a": "some", "some": "some"}
DEFAULTS = {
    "tense": TENSES,
    "modal": (),
    "aspect": ("simple", "progressive"),
    "polarity": POLARITIES,
    "number": NUMBERS,
    "determiner": ("the",),
    "relativiser": ("that",),
}
# "really often quietly": at most one of each, in this order
ADVERB_ROW = ("stance", "frequency", "manner")


def english(table: Path = TABLE, more: Path | None = None) -> Language:
    """English with the lexicon of a table, the built-in one without; `more` is a table of further
    words.

    The same value for the same tables; one that has been written anew is read again.
    """
    return _english(
        table, more, digest(path for path in (table, more) if path not in (TABLE, None))
    )


@cache
def _english(table: Path, more: Path | None, _contents: str) -> Language:
    lexicon = _heard(read(table, FORMS, more), more or table)
    forms = [*((t, None) for t in TENSES), *((None, m) for m in MODALS)]
    found = Language(
        name="English",
        lexicon=lexicon,
        forms=tuple(Form(t, m, a, p) for (t, m), a, p in product(forms, ASPECTS, POLARITIES)),
        phrases=PHRASES,
        relativisers=("that", "who"),
        adverbs=adverb_rows(lexicon, ADVERB_ROW),
        forces=FORCES,
        defaults=DEFAULTS,
        leaning=(),
        allowed=ALLOWED,
        rules=lambda placed: rules(placed, found),
        columns=lambda placed: columns(placed, found),
    )
    return found


def _heard(lexicon: Lexicon, table: Path) -> Lexicon:
    """The lexicon, if the past of every verb can be told from its lemma."""
    for entry in lexicon.entries["verb"]:
        if entry.forms[PAST] == entry.lemma:
            raise DataProblem(
                f"{table}: the past of the verb {entry.lemma!r} is the same, so that nobody could"
                " tell its tense; leave it out"
            )
    return lexicon
