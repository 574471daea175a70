"""What rows of constructions cover, and what contradicts a label: counted by class."""

from __future__ import annotations

import numpy as np
import pytest
from treebanks import block, main, tree

from lingprobe.data.core import DataProblem
from lingprobe.data.references import Reference
from lingprobe.tasks import TASKS
from lingprobe.tasks.answers import (
    READING_STRATUM,
    UNREAD_BY_ROWS,
    Answer,
    RuleFindings,
    make_answer,
)
from lingprobe.tasks.ud.account import (
    _NO_CONTRADICTION,
    _NO_DOUBT,
    RowsRead,
    account_for_rows,
    find_contradiction,
    find_doubt,
    mark_contradictions,
    tag_readings,
)
from lingprobe.tasks.ud.family import DEPENDENCY_TREE_RULES, rules_of_file
from lingprobe.tasks.ud.rules import (
    PLURAL_OF_MAJESTY,
    classify_clause_tense,
    classify_voice,
    find_subject_number,
)
from lingprobe.tasks.ud.verbs import DOUBTFUL_PARTICIPLE, PASSIVE_OF_A_PERFECT

FIN = "Mood=Ind|Tense={}|VerbForm=Fin"
PRES, PAST = FIN.format("Pres"), FIN.format("Past")
PART = "Tense=Past|VerbForm=Part"


@pytest.fixture
def clause(tmp_path):
    return lambda rows, language="": main(tree(rows, tmp_path), language)


def counted(*findings):
    """Findings that occur so often."""
    codes = [k for k, (_, n) in enumerate(findings) for _ in range(n)]
    return RuleFindings.of(codes, [finding for finding, _ in findings])


def test_shares_are_counted_by_class_and_warned_of_where_they_differ_by_five_points():
    pres, past = make_answer("pres", "runs"), make_answer("past", "ran")
    unread = make_answer("pres", "rans", reading=UNREAD_BY_ROWS)
    found = counted((pres, 94), (unread, 6), (past, 100), ("a reason", 7))
    none = counted((_NO_DOUBT, 207))
    account = account_for_rows("tense", ["UD_English-EWT/a.conllu"], found, none)
    assert account.classes == {"past": {"read": 100}, "pres": {"read": 94, "unread": 6}}
    assert account.remarks() == ["constructions: share unread by class: past 0 %, pres 6 %"]
    fewer = counted((pres, 96), (unread, 4), (past, 100))
    assert not account_for_rows("tense", ["UD_English-EWT/a"], fewer, none).remarks()
    doubts = counted((make_answer("past"), 10), (_NO_DOUBT, 190))
    (remark,) = account_for_rows("tense", ["UD_English-EWT/a"], fewer, doubts).remarks()
    assert remark == "constructions: share that rows leave out by class: past 9 %, pres 0 %"


def test_a_language_without_rows_is_said_to_be_not_read():
    found, none = counted((make_answer("pres"), 5)), counted((_NO_DOUBT, 5))
    account = account_for_rows("tense", ["UD_Turkish-IMST/tr_imst-ud-dev.conllu"], found, none)
    assert account.remarks() == ["constructions: not read in the language of tr_imst"]
    assert not account.classes
    unknown = account_for_rows("tense", ["mine.conllu"], found, none)
    assert "do not say their language" in unknown.status
    assert not unknown.remarks()
    # what marks subjects was read in Hebrew, and its verbs were not
    hebrew = ["UD_Ancient_Hebrew-PTNK/hbo_ptnk-ud-dev.conllu"]
    assert account_for_rows("subj-num", hebrew, found, none).status == "read"
    assert account_for_rows("tense", hebrew, found, none).status.startswith("not read")


def test_what_is_read_is_tagged_where_something_is_not():
    read, unread = make_answer("pres", "runs"), make_answer("pres", "rans", reading=UNREAD_BY_ROWS)
    tagged = tag_readings(counted((read, 1), (unread, 1), ("a reason", 1)))
    assert [getattr(v, "strata", {}).get(READING_STRATUM) for v in tagged.values] == [
        "read",
        "unread",
        None,
    ]
    alone = counted((read, 1))
    assert tag_readings(alone) is alone


def test_what_rows_leave_out_in_doubt_has_the_class_of_its_annotation(clause):
    rows = "er AUX {} 2 aux være\nfaldet VERB " + f"{PART} 0 root"
    found = clause(rows.format(PRES))
    assert classify_clause_tense(found) == DOUBTFUL_PARTICIPLE
    assert find_doubt("tense", found, classify_clause_tense(found)) == make_answer("pres")
    past = clause(rows.format(PAST))
    assert find_doubt("tense", past, classify_clause_tense(past)) == _NO_DOUBT
    called = clause(f"he AUX {PRES} 2 aux:pass haber\ncomido VERB {PART} 0 root")
    assert classify_voice(called) == PASSIVE_OF_A_PERFECT
    assert find_doubt("passive", called, classify_voice(called)) == make_answer("passive")
    modal = clause("may AUX _ 2 aux\nfall VERB VerbForm=Inf 0 root")
    assert (
        find_doubt("tense", modal, classify_clause_tense(modal)) == _NO_DOUBT
    )  # neither present nor past


@pytest.mark.parametrize(
    ("rule", "rows", "expected"),
    [
        (
            "passive",
            f"está AUX {PRES} 2 aux:pass estar\nyuz VERB VerbForm=Ger 0 root",
            "a passive by its relation that is progressive by its auxiliary",
        ),
        (
            "tense",
            f"ha AUX {PRES} 2 aux:pass haber\nsalido VERB {PART} 0 root",
            "a perfect by its auxiliary that is a passive by its relation",
        ),
        (
            "sent-type",
            f"mi AUX _ 2 aux:q\ngeldi VERB {PAST} 0 root\n. PUNCT _ 2 punct",
            "a question without a question mark",
        ),
        (
            "subj-num",
            "fiafia VERB Mood=Ind|Number=Sing|VerbForm=Fin 0 root\ntamaiti NOUN Number=Plur 1 nsubj",
            "a plural subject with a singular verb",
        ),
        (
            "sent-type",
            f"who PRON _ 3 obj\n? PUNCT _ 1 punct\nasks VERB {PRES} 0 root\n. PUNCT _ 3 punct",
            "a statement with a question mark inside",
        ),
    ],
)
def test_rules_check_each_other(clause, rule, rows, expected):
    found = clause(rows)
    assert find_contradiction(rule, found, DEPENDENCY_TREE_RULES[rule](found)) == make_answer(
        expected
    )
    other = clause(f"she PRON _ 2 nsubj\nsings VERB {PRES} 0 root\n. PUNCT _ 2 punct")
    assert find_contradiction(rule, other, DEPENDENCY_TREE_RULES[rule](other)) == _NO_CONTRADICTION


def test_what_contradicts_a_label_is_a_stratum():
    one, other = make_answer("plur", "dogs"), make_answer("sing", "dog")
    found = RuleFindings.of(np.array([0, 1, 0, 2]), [one, other, "a reason"])
    checks = RuleFindings.of(np.array([0, 0, 1, 1]), [_NO_CONTRADICTION, make_answer("it is odd")])
    marked = mark_contradictions(found, checks)
    said = [marked.values[code] for code in marked.codes.tolist()]
    assert said[0] == one
    assert said[1] == other
    assert said[2] == one._replace(strata={**one.strata, "contradiction": "it is odd"})
    assert said[3] == "a reason"
    assert marked.many == [1, 1, 1, 1]


MAJESTY_ROWS = """
{verb} VERB Number={number}|Person=3|Tense=Past|VerbForm=Fin|Voice=Act 0 root
{noun} NOUN Gender=Masc|Number=Plur 1 nsubj {lemma}
"""


@pytest.mark.parametrize(
    ("number", "noun", "lemma", "expected"),
    [
        ("Sing", "אלהים", "אלהים", PLURAL_OF_MAJESTY),
        ("Sing", "אֱלֹהִ֑ים", "אֱלֹהִים", PLURAL_OF_MAJESTY),  # the same with vowels and cantillation
        ("Sing", "אֲדֹנָ֔יו", "אדון", PLURAL_OF_MAJESTY),
        ("Plur", "אלהים", "אלהים", "plur"),  # gods
        ("Sing", "מלכים", "מלך", "plur"),  # verb-first agreement, which no row is about
    ],
)
def test_a_plural_of_majesty_is_left_out(clause, number, noun, lemma, expected):
    rows = MAJESTY_ROWS.format(verb="ראה", number=number, noun=noun, lemma=lemma)
    found = find_subject_number(clause(rows))
    assert (found.label if isinstance(found, Answer) else found) == expected


def test_forms_that_differ_in_points_are_one_target(clause):
    rows = "בא VERB Number=Plur|Tense=Past|VerbForm=Fin 0 root\n{} NOUN Number=Plur 1 nsubj"
    assert {
        find_subject_number(clause(rows.format(form))).target for form in ("בָּנִ֔ים", "בָּנִים", "בנים")
    } == {"בנים"}


@pytest.mark.parametrize("case", ["Erg", "Dat", "Obl"])
def test_a_marked_subject_need_not_agree_with_its_verb(clause, case):
    rows = "xas NOUN Case={}|Number=Sing 2 nsubj\nyuz VERB Number=Plur|VerbForm=Fin 0 root"
    assert find_subject_number(clause(rows.format(case))).label == "sing"
    assert (
        find_subject_number(clause(rows.format("Nom"))) == "a singular subject with a plural verb"
    )


def build(reference):
    return TASKS.make(Reference.parse(reference)).load()


def write(folder, name, *sentences):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(sentences), encoding="utf-8")
    return folder


def test_the_rules_of_a_file_are_those_of_its_language(tmp_path):
    codes = [rules_of_file(tmp_path / place).options for place in (
        "UD_Irish-IDT/x.conllu", "gv_cadhan-ud-test.conllu", "mine.conllu")]  # fmt: skip
    assert codes == ["ga_idt", "gv_cadhan", ""]


def sentences(rows, many, number=""):
    """So many sentences of the same shape with different words."""
    return [block(rows.replace("%", f"{k}{number}")) for k in range(many)]


def test_passives_of_one_word_count_where_a_treebank_has_no_auxiliaries_of_passives(tmp_path):
    active = sentences(f"ni%s PRON _ 2 nsubj\na%s VERB {PRES}|Voice=Act 0 root", 80)
    marked = sentences(f"ni%t PRON _ 2 nsubj\np%t VERB {PRES}|Voice=Pass 0 root", 70)
    place = write(tmp_path / "bank", "mine.conllu", *active, *marked)
    dataset = build(f"ud/passive:{place}")
    assert dict(dataset.labels.counts()) == {"active": 70, "passive": 70}
    assert any("those with Voice=Pass are passive" in remark for remark in dataset.notes.remarks)
    called = sentences(f"be%u AUX {PRES} 2 aux:pass be\nc%u VERB {PART} 0 root", 60)
    write(place, "more.conllu", *called)
    again = build(f"ud/passive:{place}")
    assert dict(again.labels.counts()) == {"active": 60, "passive": 60}


def test_classes_that_are_not_asked_for_need_not_be_there(tmp_path):
    asks = sentences(f"a%s VERB {PRES} 0 root\n? PUNCT _ 1 punct", 70)
    says = sentences(f"b%t VERB {PRES} 0 root\n. PUNCT _ 1 punct", 70)
    place = write(tmp_path / "bank", "mine.conllu", *asks, *says)
    with pytest.raises(DataProblem, match="classes=inter,classes=other asks of the others"):
        build(f"ud/sent-type:{place}")
    with pytest.raises(DataProblem, match="no sentence is 'imper'"):
        build(f"ud/sent-type:{place}")
    dataset = build(f"ud/sent-type:{place},classes=inter,classes=other")
    assert dict(dataset.labels.counts()) == {"inter": 70, "other": 70}


def test_an_account_comes_with_the_notes(tmp_path):
    past = sentences(f"ni%s PRON _ 2 nsubj\na%s VERB {PAST} 0 root", 60)
    pres = sentences(f"ni%t PRON _ 2 nsubj\nb%t VERB {PRES} 0 root", 60)
    place = write(tmp_path / "UD_English-Mine", "en_mine-ud-test.conllu", *past, *pres)
    rows = build(f"ud/tense:{place}").notes.part(RowsRead)
    assert rows is not None
    assert rows.status == "read"
    assert rows.classes == {"past": {"read": 60}, "pres": {"read": 60}}
