"""An encoder that cannot read a text: it is said first, and more examples are not asked for."""

from __future__ import annotations

import pytest

import lingprobe
from lingprobe.pages.unreadable import WordCount, describe_unreadable
from tasks.treebanks import block

FIN = "Mood=Ind|Tense={}|VerbForm=Fin"


def write(folder, code, words):
    folder.mkdir()
    rows = (
        f"{words[k % len(words)]}{k} NOUN Number={('Sing', 'Plur')[k // 2 % 2]} 2 nsubj\n"
        f"{words[-1]}{k} VERB {FIN.format(('Pres', 'Past')[k % 2])} 0 root\n. PUNCT _ 2 punct"
        for k in range(160)
    )
    (folder / f"{code}-ud-test.conllu").write_text("".join(map(block, rows)), "utf-8")
    return str(folder)


@pytest.fixture
def banks(tmp_path):
    return (
        write(tmp_path / "UD_Amharic-X", "am_x", ["ሰው", "ድመት"]),
        write(tmp_path / "UD_English-X", "en_x", ["dog", "cat"]),
    )


@pytest.mark.parametrize(
    ("unknown", "is_unreadable"), [(0, False), (33, False), (34, True), (100, True)]
)
def test_a_third_of_the_words_decides(unknown, is_unreadable):
    lines = describe_unreadable([WordCount("m", "t", 100, unknown)])
    assert bool(lines) == is_unreadable
    assert not is_unreadable or f"m cannot read t ({unknown} %)" in lines[0]


def test_nothing_is_said_where_words_were_not_counted():
    assert not describe_unreadable([WordCount("m", "t", 0, 0)])


def test_many_texts_are_counted():
    (line,) = describe_unreadable(WordCount("m", f"t{k}", 10, 9) for k in range(7))
    assert "t3 (90 %) and 3 more:" in line


@pytest.mark.parametrize("place", [0, 1])
def test_a_run_says_first_what_an_encoder_cannot_read(banks, minilm, tmp_path, place):
    done = lingprobe.run(
        f"ud/tense:{banks[place]}",
        f"hf:{minilm},layers=2",
        probes=["logreg"],
        copies=False,
        output=tmp_path / "r",
    )
    lines = done.verdicts.lines
    if place:
        assert not any("cannot read" in line for line in lines)
    else:
        assert "cannot read tense (" in lines[0]
        assert "would need" not in " ".join(lines)
        assert "smaller differences" not in lines[-1]


def test_transfer_says_first_which_targets_an_encoder_cannot_read(banks, minilm, tmp_path):
    page = lingprobe.transfer(
        "ud/tense",
        f"hf:{minilm},layers=2",
        train=[banks[1]],
        test=[banks[0]],
        size=100,
        copies=False,
        output=tmp_path / "t",
    )
    (first, *_) = page.tables[0].lead
    assert "cannot read Amharic-X (" in first


def test_morphology_says_it_first(banks, minilm, tmp_path):
    page = lingprobe.morphology(
        banks[0], f"hf:{minilm}", feature="Number", size=100, copies=False, output=tmp_path / "m"
    )
    assert "cannot read Amharic-X (" in page.tables[0].lead[0]


def test_a_survey_says_which_treebanks_an_encoder_cannot_read(banks, minilm):
    page = lingprobe.survey(banks, tasks="ud/tense", encoders=f"hf:{minilm}")
    assert "cannot read Amharic-X (" in page.tables[0].lead[0]
    assert "English" not in page.tables[0].lead[0]
    assert not any(
        "cannot read" in line for line in lingprobe.survey(banks, tasks="ud/tense").tables[0].lead
    )
