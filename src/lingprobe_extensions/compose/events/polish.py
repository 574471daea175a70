"""Polish: its lexicon, forms and phrases, what it does not say, and the language as one value.

Aspect is a matter of the verb here: czytać is imperfective and przeczytać perfective, and each goes
with the forms of its aspect. What is not said is boxes: some of it never, some of it unless a
request allows it by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from lingprobe import DataProblem
from lingprobe.extend import digest_files
from lingprobe_extensions.compose.events import rules as common
from lingprobe_extensions.compose.events.language import (
    ClauseForm,
    ExcludedBox,
    Language,
    PhraseForm,
)
from lingprobe_extensions.compose.events.lexicon import EventLexicon, adverb_rows, read_lexicon
from lingprobe_extensions.compose.events.meaning import EVENT_POLARITIES, GRAMMATICAL_NUMBERS
from lingprobe_extensions.compose.events.polish_columns import (
    CASE_COLUMNS,
    GENDERS_IN_ORDER,
    KTORY_FORMS,
    build_polish_columns,
)
from lingprobe_extensions.compose.events.shapes import (
    ArgumentHole,
    Box,
    ClauseAt,
    LinearisedShape,
    cross_boxes,
)

_ALLOWED = {
    **common.ALLOWED_PHENOMENA,
    "ambiguous case": '"dziewczyny widziały kobiety", where either may be the subject',
}


_TAGS = {
    "noun": tuple(
        f"{noun} {case}"
        for noun in ("noun", "nouns")
        for case in ("nominative", "genitive", "accusative", "instrumental")
    ),
    "verb": (
        *("verb", "verb-i", "verb-ą", "verb-ł", "verb-ła", "verb-ło", "verb-li", "verb-ły"),
        *("verb-ny", "verb-na", "verb-ne", "verb-ni"),
    ),
}
_SIGNS = {
    "not": ("nie",),
    "negation": ("nie",),
    "by": ("przez",),
    "link": ("że", *KTORY_FORMS),
    "relative": tuple(KTORY_FORMS),
    "auxiliary": (
        *(
            "jest",
            "są",
            "był",
            "byli",
            "będzie",
            "będą",
            "został",
            "zostali",
            "zostanie",
            "zostaną",
        ),
    ),
    "and": ("i",),
}


class CaseSyncretism(NamedTuple):
    """Nouns of some number and gender of which a case is like another."""

    number: str
    genders: frozenset[str]


_ONE = CaseSyncretism("singular", frozenset({"m3", "n"}))  # their accusative is the nominative
_MANY = CaseSyncretism("plural", frozenset({"m2", "m3", "f", "n"}))
_TURNED = (
    ("positive", _ONE, _ONE),
    ("positive", _MANY, _MANY),
    # "kobiety nie widziały dziewczyny": the nominative plural is the genitive singular
    (
        "negative",
        CaseSyncretism("plural", frozenset({"f", "n"})),
        CaseSyncretism("singular", frozenset({"f", "n"})),
    ),
)


def list_polish_exclusions(placed: LinearisedShape, language: Language) -> Iterator[ExcludedBox]:
    """Everything about a shape that is not said."""
    yield from common.list_common_exclusions(placed, language)
    for at in placed.clauses:
        yield from _verb_rules(at, language)
        if at.clause.voice == "active" and at.clause.patient not in (None, ArgumentHole.REFLEXIVE):
            yield from _case_rules(at, placed, language)
        if at.clause.also is not None:
            yield from _sharing_rules(at, language)
        role = at.clause.order[0]
        if placed.has_pair(f"{at.prefix}{role}"):
            yield from _mixed_pairs(placed.nouns(f"{at.prefix}{role}"), language)


def _verb_rules(at: ClauseAt, language: Language) -> Iterator[ExcludedBox]:
    """Verbs go with the forms of their aspect; what is often or usually done is not perfective."""
    predicate, form = f"{at.prefix}predicate", f"{at.prefix}form"
    perfective = language.lexicon.mask("verb", flag="perfective")
    done, going_on = (
        language.having("form", "aspect", (aspect,)) for aspect in ("perfective", "imperfective")
    )
    yield ExcludedBox({predicate: perfective, form: going_on}, "")
    yield ExcludedBox(
        {predicate: language.mask("verb", lambda e: "perfective" not in e.flags), form: done}, ""
    )
    if at.clause.adverbs:
        often, manner = (common.select_adverbs(language, kind) for kind in ("frequency", "manner"))
        yield ExcludedBox({form: done, f"{at.prefix}adverbs": often}, "")
        negative = language.having("form", "polarity", ("negative",))
        yield ExcludedBox(
            {form: negative, f"{at.prefix}adverbs": often | manner}, "ambiguous scope"
        )


def _sharing_rules(at: ClauseAt, language: Language) -> Iterator[ExcludedBox]:
    """Second verbs that could share the auxiliary or the adverbs of the first: "będzie spał i
    tańczył".
    """
    if at.clause.also is not None and (at.clause.voice, at.clause.also.voice) == (
        "active",
        "active",
    ):
        future = language.mask("form", lambda f: (f.tense, f.aspect) == ("future", "imperfective"))
        past = language.mask(
            "form",
            lambda f: (f.tense, f.aspect, f.polarity) == ("past", "imperfective", "positive"),
        )
        yield ExcludedBox({f"{at.prefix}form": future, f"{at.prefix}also.form": past}, "")
    if at.clause.adverbs:
        yield ExcludedBox({f"{at.prefix}adverbs": language.mask("adverbs", bool)}, "")


def _mixed_pairs(nouns: tuple[str, ...], language: Language) -> Iterator[ExcludedBox]:
    """Pairs of which speakers do not agree whether they are virile: "kobieta i pies szli" or
    "szły".
    """
    animate = language.mask("noun", lambda e: "m2" in e.flags)
    others = language.mask("noun", lambda e: bool(e.flags & {"f", "n"}))
    first, second = (f"{noun}.noun" for noun in nouns)
    yield ExcludedBox({first: animate, second: others}, "")
    yield ExcludedBox({first: others, second: animate}, "")


def _case_rules(at: ClauseAt, placed: LinearisedShape, language: Language) -> Iterator[ExcludedBox]:
    """Sentences in which subject and object could change places are excluded: clauses in which the
    object could be the subject and the subject the object, were the order free.
    """
    subject = at.clause.order[0]
    holes = {at.clause.slot(role) for role in (subject, "patient")}
    if ArgumentHole.SHARED in holes:
        return
    # "który" is never its own genitive
    for polarity, one, other in _TURNED if ArgumentHole.GAP not in holes else _TURNED[:2]:
        ours = _filling(placed.nouns(placed.filler(at, subject)), one, language)
        theirs = _filling(placed.nouns(placed.filler(at, "patient")), other, language)
        form = {f"{at.prefix}form": language.having("form", "polarity", (polarity,))}
        yield from (
            ExcludedBox({**form, **box}, "ambiguous case") for box in cross_boxes(ours, theirs)
        )


def _filling(nouns: tuple[str, ...], alike: CaseSyncretism, language: Language) -> list[Box]:
    """Where what stands in a place is alike in another case; two nouns are plural together,
    whatever each is.
    """
    if len(nouns) == 1:
        return [_noun(nouns[0], alike, language)]
    if alike is _ONE:
        return []
    each = (_ONE, _MANY) if alike is _MANY else (alike,)
    return cross_boxes(*([_noun(noun, one, language) for one in each] for noun in nouns))


def _noun(path: str, alike: CaseSyncretism, language: Language) -> Box:
    nouns = language.mask("noun", lambda e: bool(e.flags & alike.genders)) & _agents(language)
    return {
        f"{path}.noun": nouns,
        f"{path}.form": language.having("phrase", "number", (alike.number,)),
    }


@lru_cache(maxsize=8)
def _agents(language: Language) -> int:
    """Nouns that some verb takes as its agent; others are objects whatever their form."""
    classes = {name for verb in language.values("verb") for name in verb.takes.get("agent", ())}
    return language.lexicon.mask("noun", classes=classes) if classes else 0


_TABLE = Path(__file__).with_name("polish.tsv")
_FORMS = {"noun": 7, "verb": 7, "transitive": 11, "adjective": 9}
_TENSES = {"imperfective": ("past", "present", "future"), "perfective": ("past", "future")}
_PHRASES = (
    PhraseForm("singular", "bare"),
    PhraseForm("plural", "bare"),
    PhraseForm("singular", "ten"),
    PhraseForm("plural", "ten"),
    PhraseForm("singular", "każdy"),
)
_FORCES = {"bare": "some", "każdy": "every"}  # without a determiner a noun may be indefinite
_ADVERB_ROW = ("stance", "frequency", "manner")
_DEFAULTS = {
    "tense": ("past", "present"),
    "modal": (),
    "aspect": tuple(_TENSES),
    "polarity": EVENT_POLARITIES,
    "number": GRAMMATICAL_NUMBERS,
    "determiner": ("bare",),
    "relativiser": ("który",),
}


def polish(table: Path = _TABLE, more: Path | None = None) -> Language:
    """Polish with the lexicon of a table, the built-in one without; `more` is a table of further
    words.

    The same value for the same tables; one that has been written anew is read again.
    """
    return _polish(
        table, more, digest_files(path for path in (table, more) if path not in (_TABLE, None))
    )


@cache
def _polish(table: Path, more: Path | None, _contents: str) -> Language:
    lexicon = _check_lexicon(read_lexicon(table, _FORMS, more), more or table)
    language = Language(
        name="Polish",
        lexicon=lexicon,
        forms=tuple(
            ClauseForm(tense, None, aspect, p)
            for aspect, tenses in _TENSES.items()
            for tense in tenses
            for p in EVENT_POLARITIES
        ),
        phrases=_PHRASES,
        relativisers=("który",),
        adverbs=adverb_rows(lexicon, _ADVERB_ROW),
        forces=_FORCES,
        defaults=_DEFAULTS,
        leaning=(",",),
        tags=_TAGS,
        signs=_SIGNS,
        allowed=_ALLOWED,
        rules=lambda placed: list_polish_exclusions(placed, language),
        columns=lambda placed: build_polish_columns(placed, language),
        reader="polish",
        known=lexicon if (table, more) == (_TABLE, None) else polish().lexicon,
        designs="polish",
        code="pl",
    )
    return language


def _check_lexicon(lexicon: EventLexicon, table: Path) -> EventLexicon:
    """The lexicon, if every noun has one gender and every preposition one case."""
    for kind, flags in (("noun", GENDERS_IN_ORDER), ("preposition", CASE_COLUMNS)):
        for entry in lexicon.entries[kind]:
            if len(entry.flags & set(flags)) != 1:
                raise DataProblem(
                    f"{table}: the {kind} {entry.lemma!r} has one flag of {', '.join(flags)}, not"
                    f" {len(entry.flags & set(flags))}"
                )
    return lexicon
