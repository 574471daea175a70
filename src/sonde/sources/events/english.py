"""English: how verbs and phrases are put together, from tables; and the language as one value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

from sonde.sources.events.english_columns import columns
from sonde.sources.events.english_rules import ALLOWED, rules
from sonde.sources.events.language import Form, Language, PhraseForm
from sonde.sources.events.lexicon import Lexicon, read
from sonde.sources.events.meaning import ASPECTS, POLARITIES, TENSES

TABLE = Path(__file__).with_name("english.tsv")
FORMS = {"noun": 1, "verb": 4}
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
)
FORCES = {"no": "none", "every": "every", "a": "some", "some": "some"}
ADVERB_ROW = ("stance", "frequency", "manner")  # "really often quietly": at most one of each, in this order


@cache
def english(table: Path = TABLE) -> Language:
    """English with the lexicon of a table, the built-in one without."""
    lexicon = read(table, FORMS)
    forms = [*((t, None) for t in TENSES), *((None, m) for m in MODALS)]
    return Language(
        name="English",
        lexicon=lexicon,
        modals=MODALS,
        forms=tuple(Form(t, m, a, p) for (t, m), a, p in product(forms, ASPECTS, POLARITIES)),
        phrases=PHRASES,
        relativisers=("that", "who"),
        adverbs=tuple(_rows(lexicon)),
        forces=FORCES,
        allowed=ALLOWED,
        rules=lambda placed: rules(placed, english(table)),
        columns=lambda placed: columns(placed, english(table)),
    )


def _rows(lexicon: Lexicon) -> Iterator[tuple[int, ...]]:
    """Rows of adverbs, the shorter ones first."""
    kinds = [[i for i, e in enumerate(lexicon.entries["adverb"]) if kind in e.classes] for kind in ADVERB_ROW]
    rows = product(*([None, *kind] for kind in kinds))
    yield from sorted((tuple(i for i in row if i is not None) for row in rows), key=lambda row: (len(row), row))
