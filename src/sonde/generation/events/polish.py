"""Polish: its lexicon, forms and phrases, and the language as one value.

Aspect is a matter of the verb here: czytać is imperfective and przeczytać perfective, and each goes
with the forms of its aspect.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sonde.core import DataProblem
from sonde.corpora.files import digest
from sonde.generation.events.language import Form, Language, PhraseForm
from sonde.generation.events.lexicon import Lexicon, adverb_rows, read
from sonde.generation.events.meaning import NUMBERS, POLARITIES
from sonde.generation.events.polish_columns import CASES, columns
from sonde.generation.events.polish_forms import GENDERS
from sonde.generation.events.polish_rules import ALLOWED, rules

TABLE = Path(__file__).with_name("polish.tsv")
FORMS = {"noun": 7, "verb": 7, "transitive": 11, "adjective": 9}
TENSES = {"imperfective": ("past", "present", "future"), "perfective": ("past", "future")}
PHRASES = (
    PhraseForm("singular", "bare"),
    PhraseForm("plural", "bare"),
    PhraseForm("singular", "ten"),
    PhraseForm("plural", "ten"),
    PhraseForm("singular", "każdy"),
)
FORCES = {"bare": "some", "każdy": "every"}  # without a determiner a noun may be indefinite
ADVERB_ROW = ("stance", "frequency", "manner")
DEFAULTS = {
    "tense": ("past", "present"),
    "modal": (),
    "aspect": tuple(TENSES),
    "polarity": POLARITIES,
    "number": NUMBERS,
    "determiner": ("bare",),
    "relativiser": ("który",),
}


def polish(table: Path = TABLE, more: Path | None = None) -> Language:
    """Polish with the lexicon of a table, the built-in one without; `more` is a table of further
    words.

    The same value for the same tables; one that has been written anew is read again.
    """
    return _polish(table, more, digest(path for path in (table, more) if path not in (TABLE, None)))


@cache
def _polish(table: Path, more: Path | None, _contents: str) -> Language:
    lexicon = _checked(read(table, FORMS, more), more or table)
    found = Language(
        name="Polish",
        lexicon=lexicon,
        forms=tuple(
            Form(tense, None, aspect, p)
            for aspect, tenses in TENSES.items()
            for tense in tenses
            for p in POLARITIES
        ),
        phrases=PHRASES,
        relativisers=("który",),
        adverbs=adverb_rows(lexicon, ADVERB_ROW),
        forces=FORCES,
        defaults=DEFAULTS,
        leaning=(",",),
        allowed=ALLOWED,
        rules=lambda placed: rules(placed, found),
        columns=lambda placed: columns(placed, found),
    )
    return found


def _checked(lexicon: Lexicon, table: Path) -> Lexicon:
    """The lexicon, if every noun has one gender and every preposition one case."""
    for kind, flags in (("noun", GENDERS), ("preposition", CASES)):
        for entry in lexicon.entries[kind]:
            if len(entry.flags & set(flags)) != 1:
                raise DataProblem(
                    f"{table}: the {kind} {entry.lemma!r} has one flag of {', '.join(flags)}, not"
                    f" {len(entry.flags & set(flags))}"
                )
    return lexicon
