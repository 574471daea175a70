"""The rules of the ud tasks, sentence by sentence."""

import pytest
from treebanks import STARRED, tree

from sonde.sources.stretches import Stretch
from sonde.tasks.ud.clause import clauses
from sonde.tasks.ud.rules import (
    LENGTHS,
    Answer,
    obj_num,
    obj_num_literal,
    passive,
    subj_num,
    subj_num_literal,
    tense,
    tense_literal,
    top_deps,
)
from sonde.tasks.ud.types import final_mark, sent_type, sign
from sonde.tasks.ud.verbs import CLAUSAL, NO_VERB


@pytest.fixture
def clause(tmp_path):
    return lambda rows: next(clauses(Stretch.of([tree(rows, tmp_path)])))


def label(finding):
    return finding.label if isinstance(finding, Answer) else finding


def test_the_papers_figure_has_the_labels_that_the_paper_says(tmp_path):
    found = tree(STARRED, tmp_path)
    clause = next(clauses(Stretch.of([found])))
    assert (len(found.words), LENGTHS[len(found.words)], found.depth) == (8, "6-8", 3)
    assert top_deps(clause).label == "aux nsubj obl"
    assert passive(clause) == Answer("active", "starred")
    assert tense(clause) == Answer("past", "starred", "past", "perfect")
    assert tense_literal(clause, tense(clause)).label == "past"
    assert subj_num(clause) == "the subject is no noun"  # the paper calls it sing, against its own NOUN
    assert sent_type(clause).label == "other"


VERBS = {
    "stars": ("stars VERB Mood=Ind|Tense=Pres|VerbForm=Fin 0 root", "pres", "pres", "active"),
    "starred": ("starred VERB Mood=Ind|Tense=Past|VerbForm=Fin 0 root", "past", "past", "active"),
    "is seen": (
        "is AUX Tense=Pres|VerbForm=Fin 2 aux:pass\nseen VERB Tense=Past|VerbForm=Part|Voice=Pass 0 root",
        "pres", "past", "passive",
    ),
    "was seen": (
        "was AUX Tense=Past|VerbForm=Fin 2 aux:pass\nseen VERB Tense=Past|VerbForm=Part|Voice=Pass 0 root",
        "past", "past", "passive",
    ),
    "is being seen": (
        "is AUX Tense=Pres|VerbForm=Fin 3 aux\nbeing AUX Tense=Pres|VerbForm=Part 3 aux:pass\n"
        "seen VERB Tense=Past|VerbForm=Part|Voice=Pass 0 root",
        "pres", "past", "passive",
    ),
    "has been seen": (
        "has AUX Tense=Pres|VerbForm=Fin 3 aux\nbeen AUX Tense=Past|VerbForm=Part 3 aux:pass\n"
        "seen VERB Tense=Past|VerbForm=Part|Voice=Pass 0 root",
        "past", "past", "passive",
    ),
    "was running": (
        "was AUX Tense=Past|VerbForm=Fin 2 aux\nrunning VERB Tense=Pres|VerbForm=Part 0 root", "past", "pres", "active",
    ),
    "is running": (
        "is AUX Tense=Pres|VerbForm=Fin 2 aux\nrunning VERB Tense=Pres|VerbForm=Part 0 root", "pres", "pres", "active",
    ),
    "has been running": (
        "has AUX Tense=Pres|VerbForm=Fin 3 aux\nbeen AUX Tense=Past|VerbForm=Part 3 aux\nrunning VERB Tense=Pres|VerbForm=Part 0 root",
        "past", "pres", "active",
    ),
    "had run": ("had AUX Tense=Past|VerbForm=Fin 2 aux\nrun VERB Tense=Past|VerbForm=Part 0 root", "past", "past", "active"),
    "could have run": (
        "could AUX VerbForm=Fin 3 aux\nhave AUX VerbForm=Inf 3 aux\nrun VERB Tense=Past|VerbForm=Part 0 root", "modal", "past", "active",
    ),
    "will run": (
        "will AUX VerbForm=Fin 2 aux\nrun VERB VerbForm=Inf 0 root",
        "the main verb has neither Tense=Pres nor Tense=Past", "the main verb has neither Tense=Pres nor Tense=Past", "active",
    ),
    "highly recommended": ("recommended VERB Tense=Past|VerbForm=Part|Voice=Pass 0 root", "no finite verb", "past", "morphological"),
    "gone": ("gone VERB Tense=Past|VerbForm=Part 0 root", "no finite verb", "past", "a participle without auxiliary"),
    "the thing is (it) worked": (
        "is AUX Tense=Pres|VerbForm=Fin 2 cop\nworked VERB Mood=Ind|Tense=Past|VerbForm=Fin 0 root", CLAUSAL, "past", CLAUSAL,
    ),
    "is happy": ("is AUX Tense=Pres|VerbForm=Fin 2 cop\nhappy ADJ Degree=Pos 0 root", NO_VERB, NO_VERB, NO_VERB),
    # Polish
    "jest zrobiony": (
        "jest AUX Tense=Pres|VerbForm=Fin 2 aux:pass\nzrobiony ADJ VerbForm=Part|Voice=Pass 0 root", NO_VERB, NO_VERB, "passive",
    ),
    "zrobiłby": (
        "zrobił VERB Mood=Ind|Tense=Past|VerbForm=Fin 0 root\nby AUX _ 1 aux:cnd", "conditional or another mood", "past", "active",
    ),
    "zrobiłem": ("zrobił VERB Mood=Ind|Tense=Past|VerbForm=Fin 0 root\nem AUX Person=1 1 aux:clitic", "past", "past", "active"),
    "będę robił": (
        "będę AUX Mood=Ind|Tense=Fut|VerbForm=Fin 2 aux\nrobił VERB Tense=Past|VerbForm=Fin 0 root", "future", "past", "active",
    ),
    # Finnish: the negative auxiliary has no tense, participles have PartForm
    "ei tee": (
        "ei AUX Polarity=Neg|VerbForm=Fin 2 aux\ntee VERB Connegative=Yes|Mood=Ind|Tense=Pres|VerbForm=Fin 0 root",
        "pres", "pres", "active",
    ),
    "on tehnyt": (
        "on AUX Mood=Ind|Tense=Pres|VerbForm=Fin 2 aux\ntehnyt VERB PartForm=Past|VerbForm=Part|Voice=Act 0 root",
        "past", "the main verb has neither Tense=Pres nor Tense=Past", "active",
    ),
    "tehdään": ("tehdään VERB Mood=Ind|Tense=Pres|VerbForm=Fin|Voice=Pass 0 root", "pres", "pres", "morphological"),
    # Turkish: the question particle has a tense that is not the verb's
    "geldi mi": ("geldi VERB Mood=Ind|Tense=Past 0 root\nmi AUX Mood=Ind|Tense=Pres 1 aux:q", "past", "past", "active"),
    # Chinese: Voice=Pass stands on the auxiliary
    "被 带走": ("被 AUX Voice=Pass 2 aux:pass\n带走 VERB _ 0 root", "the main verb has neither Tense=Pres nor Tense=Past", None, "passive"),
}  # fmt: skip


@pytest.mark.parametrize("name", VERBS)
def test_tense_and_voice_of_verb_groups(clause, name):
    rows, ours, literal, voice = VERBS[name]
    found = clause(rows)
    assert label(tense(found)) == ours
    assert literal is None or label(tense_literal(found, tense(found))) == literal
    assert label(passive(found)) == voice


def test_a_passive_subject_without_auxiliary_is_not_active(clause):
    found = clause("it PRON _ 2 nsubj:pass\nsells VERB Tense=Pres|VerbForm=Fin 0 root")
    assert passive(found) == "a passive subject or an agent, but no aux:pass"


DOG = "dog NOUN Number=Sing"


@pytest.mark.parametrize(
    ("rows", "ours", "literal"),
    [
        (f"{DOG} 2 nsubj\nbarks VERB _ 0 root", "sing", "sing"),
        (f"{DOG} 2 nsubj:pass\nseen VERB _ 0 root", "sing", "no subject"),
        (f"{DOG} 4 nsubj\nand CCONJ _ 3 cc\ncats NOUN Number=Plur 1 conj\nrun VERB _ 0 root", "the subject is coordinated", "sing"),
        ("thing NOUN Number=Sing 4 nsubj:outer\nis AUX _ 4 cop\ncats NOUN Number=Plur 4 nsubj\nrun VERB _ 0 root", "sing", "plur"),
        (f"{DOG} 3 nsubj\n{DOG} 3 nsubj\nrun VERB _ 0 root", "several subjects", "several subjects"),
        ("scissors NOUN Number=Ptan 2 nsubj\ncut VERB _ 0 root",) + ("the subject has neither Number=Sing nor Number=Plur",) * 2,
        ("runs VERB _ 0 root", "no subject", "no subject"),
        (f"says VERB _ 0 root\n{DOG} 3 nsubj\nbarks VERB _ 1 ccomp", "no subject", "no subject"),
    ],
)
def test_number_of_the_subject(clause, rows, ours, literal):
    found = clause(rows)
    assert label(subj_num(found)) == ours
    assert label(subj_num_literal(found, subj_num(found))) == literal


def test_number_of_the_object_and_the_majority(clause):
    found = clause(f"{DOG} 2 nsubj\nchases VERB _ 0 root\nCats NOUN Number=Plur 2 obj\nin ADP _ 5 case\ngardens NOUN Number=Plur 2 obl")
    assert obj_num(found) == obj_num_literal(found, obj_num(found)) == Answer("plur", "cats", "plur")
    assert subj_num(found) == Answer("sing", "dog", "plur")
    even = clause(f"{DOG} 2 nsubj\nchases VERB _ 0 root\ncats NOUN Number=Plur 2 obj")
    assert obj_num(even).majority == "tie"


def test_subtypes_punctuation_and_repeats_in_schemata(clause):
    found = clause("a ADV _ 3 advmod\nb ADV _ 3 advmod:emph\nruns VERB _ 0 root\n. PUNCT _ 3 punct\n. PUNCT _ 3 punct:x")
    assert top_deps(found).label == "advmod advmod:emph"
    assert top_deps(clause("Yes INTJ _ 0 root\nno INTJ _ 1 discourse")) == "no clause: the root has neither verb nor subject"


RUN = "VERB Mood=Ind|VerbForm=Fin"
GO = "VERB Mood=Imp|VerbForm=Fin"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (f"go {GO} 0 root\n! PUNCT _ 1 punct", "imper"),
        ("do AUX Mood=Imp 3 aux\nnot PART _ 3 advmod\nrun VERB VerbForm=Inf 0 root\n. PUNCT _ 3 punct", "imper"),
        (f"you PRON _ 2 nsubj\ngo {GO} 0 root", "an imperative with a subject or in the third person"),
        (f"go {GO} 0 root\n? PUNCT _ 1 punct", "a command with a question mark"),
        ("olsun VERB Mood=Imp|Person=3 0 root", "an imperative with a subject or in the third person"),
        (f"niech AUX _ 2 aux:imp\nżyje {RUN} 0 root", "an imperative with a subject or in the third person"),
        (f"he PRON _ 2 nsubj\nruns {RUN} 0 root\n. PUNCT _ 2 punct", "other"),
        (f"he PRON _ 2 nsubj\nruns {RUN} 0 root\n? PUNCT _ 2 punct\n) PUNCT _ 2 punct", "inter"),
        (f"he PRON _ 2 nsubj\nruns {RUN} 0 root\n？ PUNCT _ 2 punct", "inter"),
        (f"he PRON _ 2 nsubj\nasks {RUN} 0 root\n? PUNCT _ 2 punct\n” PUNCT _ 2 punct", "the question mark stands inside quotes"),
        (f"who PRON PronType=Int 2 nsubj\nruns {RUN} 0 root\n. PUNCT _ 2 punct", "asks by its words, but has no question mark"),
        (f"does AUX _ 3 aux\nhe PRON _ 3 nsubj\nrun {RUN} 0 root", "asks by its words, but has no question mark"),
        (f"geldi {RUN} 0 root\nmi AUX _ 1 aux:q", "asks by its words, but has no question mark"),
        ("what DET PronType=Int 3 det\na DET _ 3 det\nliar NOUN _ 0 root\n! PUNCT _ 3 punct", "other"),
        ("wysłać VERB VerbForm=Inf 0 root\n. PUNCT _ 1 punct", "a bare infinitive: a command in some languages, a fragment in others"),
        (f"he PRON _ 2 nsubj\nruns {RUN} 0 root\ngo {GO} 2 parataxis\n. PUNCT _ 2 punct", "a statement joined with a command"),
        ("July PROPN _ 0 root\n5 NUM _ 1 nummod", "neither a verb nor a final mark"),
        ("Wow INTJ _ 0 root\n!!! PUNCT _ 1 punct", "other"),
    ],
)
def test_types_of_sentences(clause, rows, expected):
    assert label(sent_type(clause(rows))) == expected


@pytest.mark.parametrize(
    ("words", "mark", "quoted", "shown"),
    [
        ("a .", ".", False, "."),
        ("a ?!", "?!", False, "?"),
        ("a ! ”", "!", True, "!"),
        ("a ? )", "?", False, "?"),
        ("a", "", False, "none"),
        ("a 。", "。", False, "."),
        ("”", "", True, "none"),
    ],
)
def test_final_marks(words, mark, quoted, shown):
    assert final_mark(tuple(words.split())) == (mark, quoted)
    assert sign(mark) == shown
