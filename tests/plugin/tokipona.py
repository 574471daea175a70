"""A small language, whole: tokipona.py@tokipona has a generator, a reader that checks it, and what
three tasks of comp/ ask in it.
"""

from lingprobe_extensions.compose.comp import answers, contrasts, designs
from lingprobe_extensions.compose.comp.build import QuestionDesign
from lingprobe_extensions.compose.events import rules
from lingprobe_extensions.compose.events.language import (
    ClauseForm,
    Language,
    PhraseForm,
    VariableKey,
    WordColumn,
    build_word_column,
    make_constant_word,
    space_words,
)
from lingprobe_extensions.compose.events.lexicon import EventLexicon, LexicalEntry
from lingprobe_extensions.compose.readings.find import ReadingGrammar
from lingprobe_extensions.compose.readings.reading import LemmaFact
from lingprobe_extensions.compose.readings.structure import (
    ChunkStructure,
    PendingFact,
    WordChunk,
    cut_into_chunks,
    verb_facts,
)

WORDS = {
    "noun": {"person": "jan mije meli sama soweli waso kala akesi pipi kasi"},
    "adjective": {"person": "suli lili pona ike wawa sin"},
    "verb": {"transitive": "lukin kute alasa olin utala sona", "intransitive": "lape tawa"},
}


def lexicon() -> EventLexicon:
    """Every word has one form."""
    return EventLexicon.of(
        (__name__, LexicalEntry(kind, lemma, (lemma,), (of,), {}, frozenset(), "high"))
        for kind, lemmas in WORDS.items()
        for of, some in lemmas.items()
        for lemma in some.split()
    )


def columns(placed, language):
    """Subject, li, verb, perhaps ala, and an object after e."""
    clause = placed.shape
    for role in clause.order:
        if role == "patient":
            yield make_constant_word("e", "patient.marker")
        yield build_word_column(
            space_words(e.lemma for e in language.values("noun")),
            noun := f"{role}.noun",
            VariableKey(noun),
        )
        for i in range(clause.slot(role).adjectives):
            path = f"{role}.adjectives.{i}"
            yield build_word_column(
                space_words(e.lemma for e in language.values("adjective")), path, VariableKey(path)
            )
        if role == "agent":
            yield make_constant_word("li", "auxiliary")
            yield build_word_column(
                space_words(e.lemma for e in language.values("verb")),
                "predicate",
                VariableKey("predicate"),
            )
            ala, negated = space_words(["", "ala"]), space_words(["", "negation"])
            yield WordColumn(ala, negated, (VariableKey("form"),))


def cut(words, more=()):
    """All ways to cut words into nouns with their adjectives, verbs with li, and e."""
    return cut_into_chunks(words, chunks)


def chunks(words, start):
    first, *rest = words[start:]
    if first == "e":
        yield start + 1, WordChunk("e", "e", words=(LemmaFact("", "marker", "e"),))
    elif first == "li" and rest and rest[0] in " ".join(WORDS["verb"].values()).split():
        verb, no = rest[0], rest[1:2] == ["ala"]
        says = {"tense": "present", "aspect": "simple", "voice": "active"}
        says["polarity"] = "negative" if no else "positive"
        parts = ("auxiliary", "predicate", *(["negation"] if no else []))
        facts, of = verb_facts(verb, says, [()]), tuple(LemmaFact(verb, part, "") for part in parts)
        yield start + 2 + no, WordChunk("V", verb, facts=facts, words=of)
    elif first in WORDS["noun"]["person"].split():
        said = {LemmaFact(first, "number", "singular"), LemmaFact(first, "determiner", "bare")}
        of = [LemmaFact(first, "noun", "")]
        while len(rest) >= len(of) and rest[len(of) - 1] in WORDS["adjective"]["person"].split():
            of.append(LemmaFact(first, "adjective", rest[len(of) - 1]))
        yield (
            start + len(of),
            WordChunk("N", first, facts=(frozenset({*said, *of[1:]}),), words=tuple(of)),
        )


def structures(skeleton):
    """A sentence has a subject and a verb, and may have an object."""
    said = (PendingFact(1, "clause", "main"), PendingFact(1, "agent", 0))
    objects = {"NV": (), "NVeN": (PendingFact(1, "patient", 3),)}
    return [ChunkStructure((), (), said + objects[skeleton])] if skeleton in objects else []


ASKED = {
    "voices": ["active"],
    "at_most": {"relatives": 0, "adjectives": 2, "together": 2},
}
DESIGNS = {
    "order": QuestionDesign(contrasts.exchange_word_order, ASKED, answers.is_noun_before_verb),
    "content1": QuestionDesign(
        contrasts.contents1,
        {**ASKED, "frames": ["transitive"]},
        answers.is_verb_present,
        single=True,
    ),
    "adjective": QuestionDesign(designs.adjectives, ASKED, answers.has_adjective),
    "agreement": "no verb shows the number of its subject",
}


def tokipona() -> Language:
    """Toki Pona, as far as these words go."""
    language = Language(
        name="Toki Pona",
        code="tok",
        lexicon=lexicon(),
        forms=tuple(ClauseForm("present", None, "simple", p) for p in ("positive", "negative")),
        phrases=(PhraseForm("singular", "bare"),),
        relativisers=(),
        adverbs=((),),
        forces={},
        defaults={
            "tense": ("present",),
            "modal": (),
            "aspect": ("simple",),
            "polarity": ("positive", "negative"),
            "number": ("singular",),
            "determiner": ("bare",),
            "relativiser": (),
        },
        leaning=(),
        tags={"noun": ("noun",), "verb": ("verb",)},
        signs={"not": ("ala",), "negation": ("ala",)},
        allowed={},
        rules=lambda placed: rules.list_common_exclusions(placed, language),
        columns=lambda placed: list(columns(placed, language)),
        reader=ReadingGrammar(cut, structures, {}, {"e": "patient"}),
        designs=DESIGNS,
    )
    return language
