"""The rules of the ud tasks, sentence by sentence."""

import pytest
from treebanks import STARRED, block, main, tree

from lingprobe.corpora.conllu import read_conllu
from lingprobe.corpora.marks import classify_final_mark, final_mark
from lingprobe.tasks.answers import Answer, make_answer
from lingprobe.tasks.ud.rules import (
    LENGTH_INTERVAL_NAMES,
    NO_OBJECT_ADPOSITION,
    NO_SUBJECT_ADPOSITION,
    classify_clause_tense,
    classify_voice,
    find_object_number,
    find_subject_number,
    obj_num_literal,
    subj_num_literal,
    tense_literal,
    top_deps,
)
from lingprobe.tasks.ud.types import _BELOW, sent_type


@pytest.fixture
def clause(tmp_path):
    return lambda rows: main(tree(rows, tmp_path))


def label(finding):
    return finding.label if isinstance(finding, Answer) else finding


def test_the_papers_figure_has_the_labels_that_the_paper_says(tmp_path):
    found = tree(STARRED, tmp_path)
    clause = main(found)
    assert (len(found.words), LENGTH_INTERVAL_NAMES[len(found.words)], found.depth) == (8, "6-8", 3)
    assert top_deps(clause).label == "aux nsubj obl"
    assert classify_voice(clause) == make_answer(
        "active", "starred", construction="with an auxiliary", lemma="starred"
    )
    assert classify_clause_tense(clause) == make_answer(
        "past", "starred", "past", "perfect", lemma="starred", auxiliary="have + past participle"
    )
    assert tense_literal(clause, classify_clause_tense(clause)).label == "past"
    # the paper calls it sing, against its own NOUN
    assert find_subject_number(clause) == "the subject is not a noun"
    assert sent_type(clause).label == "other"


@pytest.mark.parametrize(
    ("form", "tenses", "said"),
    [
        ("got", "Pres", "have got: a perfect by its form, mostly a present by its meaning"),
        ("Got", "Past", "have got: a perfect by its form, mostly a present by its meaning"),
        ("gotten", "Pres", "past"),
        ("gone", "Pres", "past"),
    ],
)
def test_have_got_is_left_out_of_tenses_and_active(clause, form, tenses, said):
    auxiliary = f"has AUX Tense={tenses}|VerbForm=Fin 2 aux have"
    found = clause(f"{auxiliary}\n{form} VERB Tense=Past|VerbForm=Part 0 root get")
    assert label(classify_clause_tense(found)) == said
    assert label(classify_voice(found)) == "active"


def test_other_groups_with_got_have_their_tense(clause):
    assert (
        label(classify_clause_tense(clause("got VERB Tense=Past|VerbForm=Fin 0 root get")))
        == "past"
    )
    been = "has AUX Tense=Pres|VerbForm=Fin 3 aux have\nbeen AUX Tense=Past|VerbForm=Part 3 aux:pass be"
    found = clause(f"{been}\ngot VERB Tense=Past|VerbForm=Part|Voice=Pass 0 root get")
    assert classify_clause_tense(found).strata["construction"] == "perfect passive"


def test_a_passive_subject_without_auxiliary_is_not_active(clause):
    found = clause("it PRON _ 2 nsubj:pass\nsells VERB Tense=Pres|VerbForm=Fin 0 root")
    assert classify_voice(found) == "a passive subject or an agent, but no aux:pass"


def test_nynorsk_passives_in_ast_are_not_active(clause):
    found = classify_voice(
        clause("skal AUX _ 2 aux skulle\nbrettast VERB VerbForm=Inf 0 root brette")
    )
    assert "Nynorsk" in found
    assert label(classify_voice(clause("toast VERB VerbForm=Inf 0 root toast"))) == "active"


DOG = "dog NOUN Number=Sing"
BARKS = "barks VERB Number=Sing|VerbForm=Fin 0 root"
MEASURE, DISAGREE = "the subject measures another noun", "a singular subject with a plural verb"
SEE = "see VERB Number=Plur|VerbForm=Fin 0 root"


@pytest.mark.parametrize(
    ("rows", "ours", "literal"),
    [
        (f"{DOG} 2 nsubj\n{BARKS}", "sing", "sing"),
        (f"{DOG} 2 nsubj:pass\nseen VERB _ 0 root", "sing", "no subject"),
        (f"{DOG} 4 nsubj\nand CCONJ _ 3 cc\ncats NOUN Number=Plur 1 conj\nrun VERB _ 0 root",
        "the subject is coordinated", "sing"),
        ("thing NOUN Number=Sing 4 nsubj:outer\nis AUX _ 4 cop\ncats NOUN Number=Plur 4 nsubj\nrun VERB _ 0 root", "sing", "plur"),
        (f"{DOG} 3 nsubj\n{DOG} 3 nsubj\nrun VERB _ 0 root", "several subjects",
        "several subjects"),
        ("scissors NOUN Number=Ptan 2 nsubj\ncut VERB _ 0 root",) + ("the subject has neither Number=Sing nor Number=Plur",) * 2,
        ("runs VERB _ 0 root", "no subject", "no subject"),
        (f"says VERB _ 0 root\n{DOG} 3 nsubj\nbarks VERB _ 1 ccomp", "no subject", "no subject"),
        # measures leave the number to the noun behind them, in any language and with any verb
        ("lot NOUN Number=Sing 4 nsubj\nof ADP _ 3 case\ndogs NOUN Number=Plur 1 nmod\nbark VERB _ 0 root", MEASURE, "sing"),
        ("większość NOUN Number=Sing 3 nsubj\npsów NOUN Number=Plur 1 nmod:arg\nszczeka VERB _ 0 root", MEASURE, "sing"),
        (f"part NOUN Number=Sing 4 nsubj\nfor ADP _ 3 case\nears NOUN Number=Plur 1 nmod\n{BARKS}", "sing", "sing"),
        (f"part NOUN Number=Sing 3 nsubj\ndog's NOUN Number=Sing 1 nmod:poss\n{BARKS}", "sing",
        "sing"),
        (f"part NOUN Number=Sing 2 nsubj\n{BARKS}", "sing", "sing"),
        # after numerals the singular stands for several: Russian *два альбома*, Finnish *kolme
        # taloa*, Turkish *iki kitap*
        (f"три NUM _ 2 nummod:gov\nальбома NOUN Number=Sing 3 nsubj\n{BARKS}",
        "the subject is singular, with a numeral or a plural determiner", "sing"),
        # or after a determiner: Indonesian *para siswa*; but not one of several owners
        (f"para DET Number=Plur 2 det\nsiswa NOUN Number=Sing 3 nsubj\n{BARKS}",
        "the subject is singular, with a numeral or a plural determiner", "sing"),
        (f"their DET Number=Plur|Poss=Yes 2 det\ndog NOUN Number=Sing 3 nsubj\n{BARKS}",
        "sing", "sing"),
        (f"this DET Number=Sing 2 det\ndog NOUN Number=Sing 3 nsubj\n{BARKS}", "sing", "sing"),
        ("two NUM _ 2 nummod\ndogs NOUN Number=Plur 3 nsubj\nbark VERB _ 0 root", "plur", "plur"),
        # but *one of the stories*: Slovenian *ena zgodb*
        ("ena NUM _ 2 nummod en\nzgodb NOUN Case=Gen|Number=Plur 3 nsubj\nopisana VERB _ 0 root",
        "the subject is plural and has the numeral one", "plur"),
        # agreement: a collective, a measure that no list has, or an error of annotation; but verbs
        # need not agree in all languages
        (f"team NOUN Number=Sing 2 nsubj\n{SEE}", DISAGREE, "sing"),
        ("team NOUN Number=Sing 3 nsubj\nare AUX Number=Plur|VerbForm=Fin 3 aux\nrunning VERB VerbForm=Part 0 root", DISAGREE, "sing"),
        ("dogs NOUN Number=Plur 2 nsubj\nbarks VERB Number=Sing|VerbForm=Fin 0 root", "plur",
        "plur"),
        # agrees with its object
        (f"लड़के NOUN Case=Acc|Number=Sing 3 nsubj\nने ADP _ 1 case\n{SEE}", "sing", "sing"),
        # an owner, with an adposition that a row says subjects do not have
        (f"लोगों NOUN Number=Plur 3 nsubj\nके ADP _ 1 case\n{SEE}", NO_SUBJECT_ADPOSITION, "plur"),
        # an adposition that no row is about leaves the treebank its subject
        (f"dogs NOUN Number=Plur 3 nsubj\nxas ADP _ 1 case\n{SEE}", "plur", "plur"),
    ],
)  # fmt: skip
def test_number_of_the_subject(clause, rows, ours, literal):
    found = clause(rows)
    assert label(find_subject_number(found)) == ours
    assert label(subj_num_literal(found, find_subject_number(found))) == literal


MEASURED = MEASURE.replace("subject", "object")
IN_PASSIVE = "an object of a passive, which may be its subject"
BEING = "an object of a verb of being or becoming"


@pytest.mark.parametrize(
    ("rows", "ours"),
    [
        ("ve VERB _ 0 root\na ADP _ 3 case\nperros NOUN Number=Plur 1 obj", "plur"),
        ("cuenta VERB _ 0 root\ncon ADP _ 3 case\nperros NOUN Number=Plur 1 obj", NO_OBJECT_ADPOSITION),
        ("dogs NOUN Number=Plur 3 obj\nको ADP _ 1 case\ndekhta VERB _ 0 root", "plur"),
        ("roe VERB _ 0 root\net ADP _ 3 case:acc\ndogs NOUN Number=Plur 1 obj", "plur"),
        ("sees VERB _ 0 root\nlot NOUN Number=Sing 1 obj\ndes ADP _ 4 case de\ndogs NOUN Number=Plur 2 nmod", MEASURED),
        ("sees VERB _ 0 root\ncats NOUN Number=Plur 1 obj\nand CCONJ _ 4 cc\ndog NOUN Number=Sing 2 conj", "the object is coordinated"),
        # a numeral as nmod: Norwegian *tre bom*; but not the year of *the elections of 1990*
        ("had VERB _ 0 root\ntre NUM _ 3 nmod\nbom NOUN Number=Sing 1 obj",
        "the object is singular, with a numeral or a plural determiner"),
        ("had VERB _ 0 root\nvote NOUN Number=Sing 1 obj\nof ADP _ 4 case\n1990 NUM _ 2 nmod",
        "sing"),
        # what is, happens or becomes is no object, whatever it is called
        ("girl NOUN Number=Sing 2 obj\nहै VERB _ 0 root हैना", BEING),
        ("est AUX _ 2 aux\ndevenu VERB _ 0 root devenir\nart NOUN Number=Sing 2 obj", BEING),
        ("ble AUX _ 2 aux:pass\nsendt VERB _ 0 root\nbrev NOUN Number=Sing 2 obj", IN_PASSIVE),
        ("su AUX _ 2 aux\npokriveni ADJ VerbForm=Part|Voice=Pass 0 root\nkožom NOUN Case=Ins|Number=Sing 2 obj", IN_PASSIVE),
        ("luetaan VERB Voice=Pass 0 root\nkirja NOUN Number=Sing 1 obj", "sing"),
        ("is AUX _ 2 cop\nhost NOUN _ 0 root\npope NOUN Number=Sing 2 obj", BEING),
    ],
)  # fmt: skip
def test_number_of_the_object(clause, rows, ours):
    found = clause(rows)
    assert label(find_object_number(found)) == ours
    assert label(obj_num_literal(found, find_object_number(found))) in ("sing", "plur")


def test_a_predicate_that_is_no_verb_counts_as_copular(clause):
    # Russian has no copula in the present
    zero = clause("dog NOUN Number=Sing 2 nsubj\npossible ADJ _ 0 root")
    assert find_subject_number(zero).strata["construction"] == "subject of a copula"


def test_number_of_the_object_and_the_majority(clause):
    found = clause(
        f"{DOG} 2 nsubj\nchases VERB _ 0 root\nCats NOUN Number=Plur 2 obj\nin ADP _ 5"
        " case\ngardens NOUN Number=Plur 2 obl"
    )
    cats = make_answer("plur", "cats", "plur", lemma="cats")
    assert find_object_number(found) == obj_num_literal(found, find_object_number(found)) == cats
    assert find_subject_number(found) == make_answer(
        "sing", "dog", "plur", "subject of a verb", lemma="dog"
    )
    even = clause(f"{DOG} 2 nsubj\nchases VERB _ 0 root\ncats NOUN Number=Plur 2 obj")
    assert find_object_number(even).strata["majority-feature"] == "tie"


def test_subtypes_punctuation_and_repeats_in_schemata(clause):
    found = clause(
        "a ADV _ 3 advmod\nb ADV _ 3 advmod:emph\nruns VERB _ 0 root\n. PUNCT _ 3 punct\n. PUNCT _"
        " 3 punct:x"
    )
    assert top_deps(found).label == "advmod advmod:emph"
    assert (
        top_deps(clause("Yes INTJ _ 0 root\nno INTJ _ 1 discourse"))
        == "no clause: the root has neither verb nor subject"
    )


RUN = "VERB Mood=Ind|VerbForm=Fin"
GO = "VERB Mood=Imp|VerbForm=Fin"
QUOTED = "a command that somebody quotes"
INTERJECTION = "a fixed interjection, called an imperative"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (f"go {GO} 0 root\n! PUNCT _ 1 punct", "imper"),
        (
            (
                "do AUX Mood=Imp 3 aux\nnot PART _ 3 advmod\nrun VERB VerbForm=Inf 0 root\n. PUNCT"
                " _ 3 punct"
            ),
            "imper",
        ),
        (
            f"you PRON _ 2 nsubj\ngo {GO} 0 root",
            "an imperative with a subject or in the third person",
        ),
        (f"go {GO} 0 root\n? PUNCT _ 1 punct", "a command with a question mark"),
        (
            "olsun VERB Mood=Imp|Person=3 0 root",
            "an imperative with a subject or in the third person",
        ),
        (
            f"niech AUX _ 2 aux:imp\nżyje {RUN} 0 root",
            "an imperative with a subject or in the third person",
        ),
        (f"he PRON _ 2 nsubj\nruns {RUN} 0 root\n. PUNCT _ 2 punct", "other"),
        (f"he PRON _ 2 nsubj\nruns {RUN} 0 root\n? PUNCT _ 2 punct\n) PUNCT _ 2 punct", "inter"),
        (f"he PRON _ 2 nsubj\nruns {RUN} 0 root\n？ PUNCT _ 2 punct", "inter"),
        (
            f"he PRON _ 2 nsubj\nasks {RUN} 0 root\n? PUNCT _ 2 punct\n” PUNCT _ 2 punct",
            "the question mark stands inside quotes",
        ),
        (
            f"who PRON PronType=Int 2 nsubj\nruns {RUN} 0 root\n. PUNCT _ 2 punct",
            "asks by its words, but has no question mark",
        ),
        (
            f"does AUX _ 3 aux do\nhe PRON _ 3 nsubj\nrun {RUN} 0 root",
            "asks by its words, but has no question mark",
        ),
        # verb-first: no row says that this auxiliary asks where it opens a sentence
        (f"xas AUX _ 3 aux\nhe PRON _ 3 nsubj\nrun {RUN} 0 root\n. PUNCT _ 3 punct", "other"),
        # marks at the beginning, before other marks, and inside
        (f"¿ PUNCT _ 2 punct\nviene {RUN} 0 root", "inter"),
        (f"viene {RUN} 0 root\n? PUNCT _ 1 punct\n... PUNCT _ 1 punct", "inter"),
        (
            f"runs {RUN} 0 root\n? PUNCT _ 1 punct\nsaid {RUN} 1 parataxis\n. PUNCT _ 1 punct",
            "inter",
        ),
        (
            f"he PRON _ 2 nsubj\nruns {RUN} 0 root\n( PUNCT _ 2 punct\n? PUNCT _ 2 punct\n) PUNCT _ 2 punct\n. PUNCT _ 2 punct",
            "other",
        ),
        (f"geldi {RUN} 0 root\nmi AUX _ 1 aux:q", "inter"),
        (
            f"geldi {RUN} 0 root\nmi AUX _ 1 aux:q\n! PUNCT _ 1 punct",
            "asks by its words, but has no question mark",
        ),
        (
            "what DET PronType=Int 3 det\na DET _ 3 det\nliar NOUN _ 0 root\n! PUNCT _ 3 punct",
            "other",
        ),
        (
            "wysłać VERB VerbForm=Inf 0 root\n. PUNCT _ 1 punct",
            "a bare infinitive: a command in some languages, a fragment in others",
        ),
        (
            f"he PRON _ 2 nsubj\nruns {RUN} 0 root\ngo {GO} 2 parataxis\n. PUNCT _ 2 punct",
            "a statement joined with a command",
        ),
        ("July PROPN _ 0 root\n5 NUM _ 1 nummod", "neither a verb nor a final mark"),
        ("Wow INTJ _ 0 root\n!!! PUNCT _ 1 punct", "other"),
        (
            (
                f"he PRON _ 2 nsubj\nsays {RUN} 0 root\n: PUNCT _ 2 punct\nwhy ADV _ 2 parataxis\n?"
                " PUNCT _ 2 punct"
            ),
            "a question behind a colon",
        ),
        (
            (
                f"' PUNCT _ 2 punct\ngo {GO} 0 root\n' PUNCT _ 2 punct\nsaid {RUN} 2 parataxis\n."
                " PUNCT _ 2 punct"
            ),
            QUOTED,
        ),
        (f"' PUNCT _ 2 punct\ngo {GO} 0 root\n' PUNCT _ 2 punct\n. PUNCT _ 2 punct", "imper"),
        (
            f"Voilà {GO} 0 root\npourquoi ADV _ 1 ccomp\n. PUNCT _ 1 punct",
            "a word that shows something, called an imperative",
        ),
        # Ukrainian *please*, alone and beside a statement
        (f"Будь {GO}|ExtPos=INTJ 0 root\nласка NOUN _ 1 fixed\n! PUNCT _ 1 punct", INTERJECTION),
        (
            f"he PRON _ 2 nsubj\nruns {RUN} 0 root\nбудь {GO}|ExtPos=INTJ 2 parataxis\n"
            "ласка NOUN _ 3 fixed\n. PUNCT _ 2 punct",
            "other",
        ),
        # *he thinks, but why?*; the mark of the main clause asks of all of it
        (f"he PRON _ 2 nsubj\nthinks {RUN} 0 root\nwhy ADV _ 2 ccomp\n? PUNCT _ 3 punct", _BELOW),
        (f"he PRON _ 2 nsubj\nthinks {RUN} 0 root\nwhy ADV _ 2 conj\n? PUNCT _ 2 punct", "inter"),
        (f"he PRON _ 2 nsubj\nthinks {RUN} 0 root\nso ADV _ 2 advmod\n? PUNCT _ 3 punct", "inter"),
        # Hebrew *barur* (clear), tagged as an imperative; but *be quiet*
        (
            f"היה AUX _ 2 cop\nברור {GO} 0 root\n. PUNCT _ 2 punct",
            "a verb with a copula, called an imperative",
        ),
        ("be AUX Mood=Imp 2 cop\nquiet ADJ _ 0 root\n. PUNCT _ 2 punct", "imper"),
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
    assert classify_final_mark(mark) == shown


def test_a_question_mark_in_the_place_of_a_lost_letter_asks_nothing(tmp_path):
    rows = """
    ücret NOUN  _ 3 nsubj
    ?     PUNCT _ 3 punct
    edir  VERB  Mood=Ind|Tense=Pres|VerbForm=Fin 0 root
    .     PUNCT _ 3 punct
    """
    path = tmp_path / "damaged.conllu"
    for text, expected in (("ücret ?edir.", "other"), ("ücret? edir.", "inter")):
        path.write_text(block(rows, f"# text = {text}"), encoding="utf-8")
        damaged = next(read_conllu(path))
        assert label(sent_type(main(damaged))) == expected
