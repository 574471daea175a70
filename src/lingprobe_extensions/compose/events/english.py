"""English: its lexicon, forms and phrases, what it does not say, and the language as one value.

What is not said is boxes: some of it never, some of it unless a request allows it by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from pathlib import Path

from lingprobe import DataProblem
from lingprobe.extend import digest_files
from lingprobe_extensions.compose.events import rules as common
from lingprobe_extensions.compose.events.english_columns import PAST_FORM, build_english_columns
from lingprobe_extensions.compose.events.language import (
    ClauseForm,
    ExcludedBox,
    Language,
    PhraseForm,
)
from lingprobe_extensions.compose.events.lexicon import EventLexicon, adverb_rows, read_lexicon
from lingprobe_extensions.compose.events.meaning import (
    EVENT_POLARITIES,
    GRAMMATICAL_NUMBERS,
    SEMANTIC_ROLES,
)
from lingprobe_extensions.compose.events.shapes import (
    ArgumentHole,
    Box,
    ClauseAt,
    ClauseShape,
    LinearisedShape,
)

_ALLOWED = {
    "stative progressives": '"is knowing the man"',
    "long passives": '"has been being helped", "will be being helped"',
    **common.ALLOWED_PHENOMENA,
    "odd places": '"the man near no woman"',
}


_TAGS = {
    "noun": ("noun", "nouns"),
    "verb": ("verb", "verb-s", "verb-ed", "verb-ed", "verb-ing"),
}
_SIGNS = {
    "not": ("not",),
    "negation": ("not", "no"),
    "by": ("by",),
    "link": ("that", "who"),
    "relative": (),
    "auxiliary": ("is", "are", "was", "were", "has", "have", "had", "does", "do", "did"),
    "and": ("and",),
}


def list_english_exclusions(placed: LinearisedShape, language: Language) -> Iterator[ExcludedBox]:
    """Everything about a shape that is not said."""
    yield from common.list_common_exclusions(placed, language)
    for at in placed.clauses:
        yield from _verb_rules(at, language)
        yield from _argument_rules(at, placed, language)
        if at.clause.also is not None:
            yield from _sharing_rules(at, placed, language)
    quantified = common.select_force(language, "none") | common.select_force(language, "every")
    for path, phrase in placed.phrases:
        if phrase.modifier is not None:
            yield ExcludedBox({f"{path}.modifier.participant.form": quantified}, "odd places")


def _verb_rules(at: ClauseAt, language: Language) -> Iterator[ExcludedBox]:
    predicate, form = f"{at.prefix}predicate", f"{at.prefix}form"
    states = language.lexicon.mask("verb", flag="stative")
    yield ExcludedBox(
        {
            predicate: states,
            form: language.having("form", "aspect", ("progressive", "perfect progressive")),
        },
        "stative progressives",
    )
    if at.clause.voice == "passive":
        heavy = language.mask(
            "form",
            lambda f: (
                f.aspect == "perfect progressive"
                or (f.modal is not None and f.aspect == "progressive")
            ),
        )
        yield ExcludedBox({form: heavy}, "long passives")


def _argument_rules(
    at: ClauseAt, placed: LinearisedShape, language: Language
) -> Iterator[ExcludedBox]:
    yield from _exclude_negated_some(at, placed, language)
    for role in SEMANTIC_ROLES:
        slot = at.clause.slot(role)
        if slot is None:
            continue
        nouns = placed.nouns(placed.filler(at, role))
        if slot is ArgumentHole.GAP:
            people = language.lexicon.mask("noun", classes=["person"])
            who = language.mask("relativiser", lambda word: word == "who")
            yield ExcludedBox(
                {
                    f"{at.prefix}{role}.gap": who,
                    f"{nouns[0]}.noun": common.exclude_nouns(language, people),
                },
                "",
            )
        if slot is ArgumentHole.REFLEXIVE and len(nouns) == 1:
            singular = language.having("phrase", "number", ("singular",))
            yield ExcludedBox(
                {f"{nouns[0]}.noun": _genderless_nouns(language), f"{nouns[0]}.form": singular}, ""
            )


def _exclude_negated_some(
    at: ClauseAt, placed: LinearisedShape, language: Language
) -> Iterator[ExcludedBox]:
    """What is said of "some" after a negation, which speakers take to be outside it: "did not help
    some women", "no man helped some".
    """
    negative, some = (
        language.having("form", "polarity", ("negative",)),
        language.having("phrase", "determiner", ("some",)),
    )
    none, preceding = common.select_force(language, "none"), list[str]()
    for path, subject in placed.arguments(at):
        for noun in placed.nouns(path):
            if not subject:
                yield ExcludedBox(
                    {f"{noun}.form": some, f"{at.prefix}form": negative}, "ambiguous scope"
                )
            yield from (
                ExcludedBox({f"{earlier}.form": none, f"{noun}.form": some}, "ambiguous scope")
                for earlier in preceding
            )
            preceding.append(noun)


@lru_cache(maxsize=8)
def _genderless_nouns(language: Language) -> int:
    """People of whom neither "himself" nor "herself" can be said without knowing more."""
    return language.mask(
        "noun", lambda e: "person" in e.classes and not e.flags & {"masculine", "feminine"}
    )


def _sharing_rules(
    at: ClauseAt, placed: LinearisedShape, language: Language
) -> Iterator[ExcludedBox]:
    """Second verbs that could share the auxiliary, the negation or the adverbs of the first: "the
    men did not help and meet".
    """
    first, second = f"{at.prefix}form", f"{at.prefix}also.form"
    having = language.mask(
        "form", lambda f: f.tense == "present" and f.aspect.startswith("perfect")
    )
    modal = language.mask("form", lambda f: f.modal is not None)
    several = _plural(placed.filler(at, at.clause.order[0]), placed, language)
    yield ExcludedBox({first: modal, second: having, **several}, "")
    if at.clause.also is not None and at.clause.also.voice == "active":
        present = _simple(language, "positive") & language.having("form", "tense", ("present",))
        yield ExcludedBox({first: modal, second: present, **several}, "")
        if at.clause.voice == "active":
            yield ExcludedBox(
                {first: _simple(language, "negative"), second: present, **several}, ""
            )
        yield from _past_rules(at, at.clause.also, language)
    if at.clause.adverbs and at.clause.voice == "active":
        adverbs = language.mask("adverbs", bool)
        yield ExcludedBox(
            {first: _simple(language, "positive"), f"{at.prefix}adverbs": adverbs}, ""
        )


def _past_rules(at: ClauseAt, also: ClauseShape, language: Language) -> Iterator[ExcludedBox]:
    """Second verbs in the past that could be participles after the auxiliary of the first."""
    past = _simple(language, "positive") & language.having("form", "tense", ("past",))
    perfect = language.mask("form", lambda f: f.aspect.startswith("perfect"))
    alike = language.mask("verb", lambda e: e.forms[2] == e.forms[3])
    second = f"{at.prefix}also.form"
    yield ExcludedBox(
        {f"{at.prefix}form": perfect, second: past, f"{at.prefix}also.predicate": alike}, ""
    )
    if at.clause.voice == "passive" and also.frame == "clausal":
        yield ExcludedBox({second: past}, "")  # "was helped and promised that ..."


def _simple(language: Language, polarity: str) -> int:
    return language.mask(
        "form", lambda f: f.tense is not None and (f.aspect, f.polarity) == ("simple", polarity)
    )


def _plural(path: str, placed: LinearisedShape, language: Language) -> Box:
    return (
        {}
        if placed.has_pair(path)
        else {f"{path}.form": language.having("phrase", "number", ("plural",))}
    )


_TABLE = Path(__file__).with_name("english.tsv")
_FORMS = {"noun": 1, "verb": 4}
_TENSES, _ASPECTS = ("past", "present"), ("simple", "progressive", "perfect", "perfect progressive")
_MODALS = ("will", "would", "could", "may", "might", "must", "should")
_PHRASES = (
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
_FORCES = {"no": "none", "not one": "none", "every": "every", "a": "some", "some": "some"}
_DEFAULTS = {
    "tense": _TENSES,
    "modal": (),
    "aspect": ("simple", "progressive"),
    "polarity": EVENT_POLARITIES,
    "number": GRAMMATICAL_NUMBERS,
    "determiner": ("the",),
    "relativiser": ("that",),
}
# "really often quietly": at most one of each, in this order
_ADVERB_ROW = ("stance", "frequency", "manner")


def english(table: Path = _TABLE, more: Path | None = None) -> Language:
    """English with the lexicon of a table, the built-in one without; `more` is a table of further
    words.

    The same value for the same tables; one that has been written anew is read again.
    """
    return _english(
        table, more, digest_files(path for path in (table, more) if path not in (_TABLE, None))
    )


@cache
def _english(table: Path, more: Path | None, _contents: str) -> Language:
    lexicon = _check_lexicon(read_lexicon(table, _FORMS, more), more or table)
    forms = [*((t, None) for t in _TENSES), *((None, m) for m in _MODALS)]
    language = Language(
        name="English",
        lexicon=lexicon,
        forms=tuple(
            ClauseForm(t, m, a, p) for (t, m), a, p in product(forms, _ASPECTS, EVENT_POLARITIES)
        ),
        phrases=_PHRASES,
        relativisers=("that", "who"),
        adverbs=adverb_rows(lexicon, _ADVERB_ROW),
        forces=_FORCES,
        defaults=_DEFAULTS,
        leaning=(),
        tags=_TAGS,
        signs=_SIGNS,
        allowed=_ALLOWED,
        rules=lambda placed: list_english_exclusions(placed, language),
        columns=lambda placed: build_english_columns(placed, language),
        reader="english",
        known=lexicon if (table, more) == (_TABLE, None) else english().lexicon,
        designs="english",
        code="en",
    )
    return language


def _check_lexicon(lexicon: EventLexicon, table: Path) -> EventLexicon:
    """The lexicon, if the past of every verb can be told from its lemma."""
    for entry in lexicon.entries["verb"]:
        if entry.forms[PAST_FORM] == entry.lemma:
            raise DataProblem(
                f"{table}: the past of the verb {entry.lemma!r} is the same as the present, so its"
                " tense is ambiguous; remove it"
            )
    return lexicon
