"""Objects and subjects by the treebank's own relations and cases, and what asks or commands without
a mark or a mood.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from treebanks import block, main, tree

from lingprobe.data.notes import DatasetNotes
from lingprobe.data.references import Reference
from lingprobe.tasks import TASKS
from lingprobe.tasks.answers import Answer
from lingprobe.tasks.ud.account import _NO_CONTRADICTION, RowsRead, find_contradiction
from lingprobe.tasks.ud.family import TreebankTaskOptions, parsed_files
from lingprobe.tasks.ud.markings import _MARKS_OBLIQUES, refuse_obliques
from lingprobe.tasks.ud.rules import NO_OBJECT_ADPOSITION, find_object_number, find_subject_number
from lingprobe.tasks.ud.types import _SILENT, _WISHES, QUESTION_WITHOUT_MARK, sent_type

FIN = "Mood=Ind|Tense=Past|VerbForm=Fin"


@pytest.fixture
def clause(tmp_path):
    return lambda rows, language="": main(tree(rows, tmp_path), language)


def label(finding):
    return finding.label if isinstance(finding, Answer) else finding


def noun(relation, adposition, k, case="Acc"):
    return (
        f"v{k} VERB {FIN} 0 root\n{adposition} ADP _ 3 case\n"
        f"n{relation}{k} NOUN Case={case}|Number={('Sing', 'Plur')[k % 2]} 1 {relation}"
    )


def write(folder, name, sentences):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(map(block, sentences)), encoding="utf-8")
    return str(folder)


def findings_of(place):
    corpus = parsed_files(TreebankTaskOptions(place))
    found = refuse_obliques(corpus, corpus.findings("obj-num"), corpus.findings("obliques"))
    return [label(found.values[code]) for code in found.codes.tolist()]


def mixed(adposition, objects, obliques, case="Acc", start=0):
    return [
        *(noun("obj", adposition, start + k, case) for k in range(objects)),
        *(noun("obl", adposition, start + objects + k, case) for k in range(obliques)),
    ]


@pytest.mark.parametrize(
    ("objects", "obliques", "marks"),
    [
        (20, 0, True),
        (20, 100, True),
        (20, 180, True),
        (2, 0, True),
        (2, 40, False),
        (10, 91, False),
    ],
)
def test_an_adposition_marks_objects_where_a_tenth_of_its_nouns_are_some(
    tmp_path, objects, obliques, marks
):
    """No list knows *xu*, in a language that nobody read."""
    place = write(tmp_path / "bank", "mine.conllu", mixed("xu", objects, obliques))
    found = findings_of(place)[:objects]
    assert (_MARKS_OBLIQUES not in found) == marks
    assert marks or set(found) == {_MARKS_OBLIQUES}


def test_case_tells_what_an_adposition_marks(tmp_path):
    """German *für* with an accusative is oblique, and so is a case that objects rarely have."""
    rows = [*mixed("xu", 30, 0, "Acc"), *mixed("xu", 2, 100, "Dat", start=200)]
    found = findings_of(write(tmp_path / "bank", "mine.conllu", rows))
    assert set(found[:30]) == {"sing", "plur"}
    assert set(found[30:32]) == {_MARKS_OBLIQUES}


def test_each_language_says_what_its_adpositions_mark(tmp_path):
    """*a* marks objects in one treebank and obliques in another that is read with it."""
    spanish = write(tmp_path / "UD_Spanish-X", "es_x-ud-test.conllu", mixed("xa", 60, 20))
    other = write(tmp_path / "UD_Polish-X", "pl_x-ud-test.conllu", mixed("xa", 4, 900, start=300))
    corpus = parsed_files(TreebankTaskOptions(spanish, with_=(other,)))
    found = refuse_obliques(corpus, corpus.findings("obj-num"), corpus.findings("obliques"))
    labels = [label(found.values[code]) for code in found.codes.tolist()]
    assert _MARKS_OBLIQUES not in labels[:80]
    assert labels[80:84] == [_MARKS_OBLIQUES] * 4
    assert len(labels) == len(corpus)


def test_objects_are_left_out_of_the_data_and_counted(tmp_path):
    bare = [
        f"v{k} VERB {FIN} 0 root\nb{k} NOUN Number={('Sing', 'Plur')[k % 2]} 1 obj"
        for k in range(130)
    ]
    rows = [*bare, *mixed("xu", 60, 0, start=500), *mixed("yu", 5, 200, start=900)]
    place = write(tmp_path / "bank", "mine.conllu", rows)
    data = TASKS.make(Reference.parse(f"ud/obj-num:{place}")).load()
    assert data.notes["left out"][_MARKS_OBLIQUES] == 5
    assert dict(data.labels.counts()) == {"plur": 95, "sing": 95}
    assert "xu|Acc" in data.strata["adposition"].names


def test_rows_say_what_marks_an_object_and_what_does_not(clause):
    rows = "cuenta VERB _ 0 root\n{} ADP _ 3 case\nperros NOUN Number=Plur 1 obj"
    assert find_object_number(clause(rows.format("con"), "es_gsd")) == NO_OBJECT_ADPOSITION
    read, unread = (find_object_number(clause(rows.format(word), "es_gsd")) for word in ("a", "xu"))
    assert (label(read), read.strata.get("reading")) == ("plur", None)
    assert (label(unread), unread.strata["reading"]) == ("plur", "unread")
    accusative = rows.replace("case\n", "case:acc\n").format("xu")
    assert "reading" not in find_object_number(clause(accusative, "es_gsd")).strata


@pytest.mark.parametrize(
    ("subject", "number", "contradicts"),
    [
        ("Case=Nom|Number=Plur", "Sing", True),
        ("Case=Erg|Number=Plur", "Sing", False),
        ("Case=Dat,Erg|Number=Plur", "Sing", False),
        ("Case=Nom|Number=Plur", "Plur", False),
    ],
)
def test_a_marked_plural_beside_a_singular_verb_is_no_contradiction(
    clause, subject, number, contradicts
):
    rows = f"xas NOUN {subject} 2 nsubj\nyuz VERB Number={number}|{FIN} 0 root"
    found = clause(rows)
    checked = find_contradiction("subj-num", found, find_subject_number(found))
    assert (checked != _NO_CONTRADICTION) == contradicts


ASKING = """
{first}
geldi VERB {feats} 0 root
{last}
. PUNCT _ 2 punct
"""


@pytest.mark.parametrize(
    ("first", "feats", "last", "language", "expected"),
    [
        ("x PRON _ 2 nsubj", FIN, "mi AUX _ 2 aux:q", "tr_imst", "inter"),
        ("x PRON _ 2 nsubj", FIN, "xu PART PartType=Int 2 advmod", "", "inter"),
        ("x PRON _ 2 nsubj", FIN, "xu PART PronType=Int 2 advmod", "", "inter"),
        ("x PRON _ 2 nsubj", FIN.replace("Ind", "Int"), "y ADV _ 2 advmod", "", "inter"),
        ("Czy PART _ 2 advmod", FIN, "y ADV _ 2 advmod", "pl_pdb", "inter"),
        ("Vai PART _ 2 advmod", FIN, "y ADV _ 2 advmod", "lv_lvtb", "inter"),
        ("Nonne PART _ 2 advmod", FIN, "y ADV _ 2 advmod", "la_proiel", "inter"),
        ("Nonne PART _ 2 advmod", FIN, "y ADV _ 2 advmod", "en_ewt", "other"),  # another language
        ("x NOUN _ 2 nsubj", FIN, "ba PART _ 2 advmod", "tl_trg", "inter"),
        ("Ana PROPN _ 2 nsubj", FIN, "ba PART _ 2 advmod", "ha_northernautogramm", "other"),
        ("ალბათ PART PartType=Int 2 advmod", FIN, "y ADV _ 2 advmod", "ka_glc", "other"),
        ("x DET _ 3 det", "VerbForm=Fin|Tense=Pres", "y NOUN _ 2 nsubj", "", "other"),
    ],
)
def test_particles_and_moods_that_ask(clause, first, feats, last, language, expected):
    rows = ASKING.format(first=first, feats=feats, last=last)
    assert label(sent_type(clause(rows, language))) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            "kijk VERB VerbForm=Fin|Tense=Pres 0 root\neens ADV _ 1 advmod\n. PUNCT _ 1 punct",
            _SILENT,
        ),
        (
            "kijkt VERB VerbForm=Fin|Tense=Pres 0 root\nhij PRON _ 1 nsubj\n. PUNCT _ 1 punct",
            "other",
        ),
        (
            "keek VERB VerbForm=Fin|Tense=Past 0 root\neens ADV _ 1 advmod\n. PUNCT _ 1 punct",
            "other",
        ),
        ("mira VERB Mood=Ind|VerbForm=Fin|Tense=Pres 0 root\n. PUNCT _ 1 punct", "other"),
        ("mira VERB Person=3|VerbForm=Fin|Tense=Pres 0 root\n. PUNCT _ 1 punct", "other"),
        ("đi VERB _ 0 root\n! PUNCT _ 1 punct", _SILENT),
        ("đi VERB _ 0 root\n. PUNCT _ 1 punct", "other"),
        (
            "nu ADV _ 2 advmod\nkijkt VERB VerbForm=Fin|Tense=Pres 0 root\n. PUNCT _ 2 punct",
            "other",
        ),
    ],
)
def test_a_verb_without_mood_or_subject_may_command(clause, rows, expected):
    assert label(sent_type(clause(rows))) == expected


def test_what_may_ask_and_is_in_no_row_is_unread(clause):
    rows = "{} PART _ 2 advmod\nnotre VERB " + FIN + " 0 root\n. PUNCT _ 2 punct"
    unread, read = (sent_type(clause(rows.format(word), "pl_pdb")) for word in ("xu", "nie"))
    assert unread.strata["reading"] == "unread"
    assert "reading" not in read.strata
    assert "reading" not in sent_type(clause(rows.format("xu"), "hu_szeged")).strata  # none read
    opened = f"xax AUX {FIN} 3 aux\nshe PRON _ 3 nsubj\ngone VERB _ 0 root\n. PUNCT _ 3 punct"
    assert sent_type(clause(opened, "en_ewt")).strata["reading"] == "unread"
    assert sent_type(clause(opened.replace("xax", "did"), "en_ewt")).strata["reading"] == "unread"
    assert sent_type(clause(opened.replace("xax AUX " + FIN, "did AUX " + FIN) .replace("3 aux\n", "3 aux do\n"), "en_ewt")) == QUESTION_WITHOUT_MARK  # fmt: skip


@pytest.mark.parametrize("task", ["sent-type", "obj-num", "subj-num", "tense", "passive"])
def test_every_task_that_rows_decide_has_an_account(tmp_path, task):
    rows = [
        f"n{k} NOUN Number={('Sing', 'Plur')[k % 2]} 2 nsubj\nv{k} VERB Number={('Sing', 'Plur')[k % 2]}"
        f"|Mood=Ind|Tense={('Pres', 'Past')[k // 2 % 2]}|VerbForm=Fin 0 root\n"
        f"o{k} NOUN Number={('Sing', 'Plur')[k // 4 % 2]} 2 obj\n{'.?'[k % 2]} PUNCT _ 2 punct"
        for k in range(300)
    ]
    passive = [
        f"is{k} AUX {FIN} 2 aux:pass be\np{k} VERB Tense=Past|VerbForm=Part 0 root"
        for k in range(80)
    ]
    place = write(tmp_path / "UD_English-Mine", "en_mine-ud-test.conllu", [*rows, *passive])
    classes = ",classes=inter,classes=other" if task == "sent-type" else ""
    notes = TASKS.make(Reference.parse(f"ud/{task}:{place}{classes}")).load().notes
    account = notes.part(RowsRead)
    assert account is not None
    if task == "obj-num":
        assert account.status == "read"
    assert len(account.classes) == 2
    assert all(sum(counts.values()) for counts in account.classes.values())


def test_a_class_that_is_more_often_unread_is_warned_of(tmp_path):
    says = [f"xu PART _ 2 advmod\nv{k} VERB {FIN} 0 root\n. PUNCT _ 2 punct" for k in range(80)]
    asks = [f"v{k} VERB {FIN} 0 root\n? PUNCT _ 1 punct" for k in range(80)]
    place = write(tmp_path / "UD_Polish-Mine", "pl_mine-ud-test.conllu", [*says, *asks])
    notes: DatasetNotes = (
        TASKS.make(Reference.parse(f"ud/sent-type:{place},classes=inter,classes=other"))
        .load()
        .notes
    )
    assert "constructions: share unread by class: inter 0 %, other 100 %" in notes.remarks


BANKS = Path(os.environ.get("LINGPROBE_DATA", "no data")) / "treebanks"


@pytest.mark.skipif(not BANKS.is_dir(), reason="needs LINGPROBE_DATA")
@pytest.mark.parametrize(
    ("bank", "markers", "least"),
    [
        ("UD_Persian-PerDT", {"را|"}, 400),
        ("UD_Hindi-PUD", {"को|Acc"}, 30),
        ("UD_Chinese-GSDSimp", set(), 0),
        ("UD_Bulgarian-BTB", set(), 0),
    ],
)
def test_what_real_treebanks_mark_objects_with(bank, markers, least):
    corpus = parsed_files(TreebankTaskOptions(str(BANKS / bank)))
    found = corpus.findings("obj-num")
    kept = refuse_obliques(corpus, found, corpus.findings("obliques"))
    counts: dict[str, int] = {}
    for value, n in kept.recurring():
        if isinstance(value, Answer) and (marking := value.strata.get("adposition")):
            counts[marking] = counts.get(marking, 0) + n
    assert {marking for marking, n in counts.items() if n >= 30} == markers
    assert sum(counts.values()) >= least
    assert np.array_equal(kept.codes >= 0, found.codes >= 0)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("gweler VERB Mood=Sub|Person=0|Tense=Imp|VerbForm=Fin 0 root", _WISHES),  # see
        ("faccia VERB Mood=Sub|Person=3|Tense=Pres|VerbForm=Fin 0 root", _WISHES),  # do, please
        ("ne PART _ 2 advmod\ntimeas VERB Mood=Sub|Person=2|Tense=Pres 0 root", _WISHES),
        ("Dio NOUN _ 2 nsubj\nvoglia VERB Mood=Sub|Person=3|Tense=Pres 0 root", "other"),
        ("wäre VERB Mood=Sub|Person=3|Tense=Past|VerbForm=Fin 0 root", "other"),  # would be
        ("fa VERB Mood=Ind|Person=3|Tense=Pres|VerbForm=Fin 0 root", "other"),
    ],
)
def test_a_subjunctive_without_a_subject_may_be_a_command(clause, rows, expected):
    root = rows.count("\n") + 1
    assert label(sent_type(clause(f"{rows}\n. PUNCT _ {root} punct"))) == expected
