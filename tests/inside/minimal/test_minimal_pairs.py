"""Files of minimal pairs become data sets whose paradigms are never split, and are measured by
probability and by probe in one table.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

import lingprobe
from inside.minimal.conftest import CLAUSES, TEST
from lingprobe.data.core import DataProblem
from lingprobe.data.labels import column_from_codes
from lingprobe.inside.minimal.pairs import Columns, files, read
from lingprobe.metrics import METRICS
from lingprobe.tasks import TASKS

BLIMP = {"field": "syntax", "linguistics_term": "agreement", "UID": "first", "pairID": "0"}
RUBLIMP = "id,source_sentence,target_sentence,level,phenomenon,PID,subtype,domain\n"


def pairs_of(path, **columns):
    return list(read(path, Columns(**columns)))


def write_paradigms(folder, pairs, many=6):
    """The pairs dealt out over files, in BLiMP's layout."""
    for number in range(many):
        rows = [
            {"sentence_good": good, "sentence_bad": bad, "UID": f"paradigm {number}"}
            for good, bad in pairs[number::many]
        ]
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return folder


def test_published_layouts_are_recognised(tmp_path):
    blimp, clams, rublimp = (tmp_path / n for n in ("one.jsonl", "simple.txt", "two.csv"))
    blimp.write_text(json.dumps({"sentence_good": "A cat.", "sentence_bad": "A cats.", **BLIMP}))
    clams.write_text("True\tthe cat sits\nFalse\tthe cat sit\n")
    rublimp.write_text(RUBLIMP + "1,Она спала.,Она спал.,Syntax,Agreement,gender,noun,news\n")
    (pair,) = pairs_of(blimp)
    assert pair == ("A cat.", "A cats.", "first", {"field": "syntax", "phenomenon": "agreement"})
    assert pairs_of(clams) == [("the cat sits", "the cat sit", "simple", {})]
    (pair,) = pairs_of(rublimp)
    assert pair[:3] == ("Она спала.", "Она спал.", "gender")
    assert pair.tags == {
        "field": "Syntax", "phenomenon": "Agreement", "subtype": "noun", "domain": "news"
    }  # fmt: skip
    assert [part.path for part in files(tmp_path)] == [blimp, clams, rublimp]


def test_columns_can_be_named(tmp_path):
    file = tmp_path / "mine.tsv"
    file.write_text("right\twrong\tset\na b\ta c\tone\n")
    assert pairs_of(file, good="right", bad="wrong", group="set") == [("a b", "a c", "one", {})]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.jsonl", '{"good": "a"}', "a.jsonl:1: no bad sentence; name its column with bad="),
        ("a.jsonl", "[]", "a.jsonl:1: a line of pairs is an object"),
        ("a.jsonl", "{", "a.jsonl:1: "),
        ("a.csv", "good,bad\na\n", "a.csv:2: another number of cells"),
        ("a.txt", "True\ta\nTrue\tb\n", "a.txt:2: pairs in text are"),
        ("a.txt", "True\ta\n", "a.txt:1: the last pair has no second sentence"),
    ],
)
def test_what_is_no_pair_is_named_by_its_line(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataProblem, match=said.replace("(", r"\(")):
        pairs_of(tmp_path / name)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(DataProblem, match="no file of minimal pairs"):
        files(tmp_path)


def test_paradigms_are_in_one_split_and_places_tell_nothing(tmp_path):
    place = write_paradigms(tmp_path, CLAUSES[:600])
    tested = []
    for fold in range(1, 6):
        data = TASKS.make(f"minimal/pairs:{place},fold={fold}/5").load()
        paradigms = data.strata["paradigm"].codes
        splits = [set(paradigms[data.rows(name)].tolist()) for name in ("train", "dev", "test")]
        assert all(splits)
        assert len(set.union(*splits)) == sum(map(len, splits))
        tested += splits[2]
        firsts = np.bincount(paradigms, data.labels.classes) / np.bincount(paradigms)
        assert np.allclose(firsts, 0.5)
    assert sorted(tested) == list(range(6))
    assert TASKS.make(f"minimal/pairs:{place}").load().notes["sampling"]["folds_needed"] == 5


def test_so_many_pairs_are_drawn_from_each_paradigm(tmp_path):
    place = write_paradigms(tmp_path, CLAUSES[:600])
    data = TASKS.make(f"minimal/pairs:{place},size=60").load()
    assert np.bincount(data.strata["paradigm"].codes).tolist() == [10] * 6


def test_pairs_are_chosen_by_the_words_of_a_text(tmp_path):
    """The text has each word but `sleeps`, once, and its capitals are none of theirs."""
    (tmp_path / "pairs").mkdir()
    place = write_paradigms(tmp_path / "pairs", CLAUSES[:300], many=1)
    used = {word for pair in CLAUSES[:300] for sentence in pair for word in sentence.split()}
    text = tmp_path / "novel.txt"
    text.write_text("\n".join(sorted(word.upper() for word in used if word != "sleeps")))
    data = TASKS.make(f"minimal/pairs:{place},words={text}").load()
    lacking = [pair for pair in CLAUSES[:300] if "sleeps" in " ".join(pair).split()]
    assert 20 < len(lacking) < 100  # in the better sentence of some, in the worse one of others
    wanted = {sentence for pair in CLAUSES[:300] if pair not in lacking for sentence in pair}
    assert {sentence.text for sentence in data.sentences} == wanted
    assert data.notes["left out"] == {"a word that novel.txt lacks": len(lacking)}
    assert "left out" not in TASKS.make(f"minimal/pairs:{place}").load().notes


def test_a_single_paradigm_is_divided_by_pairs(tmp_path):
    place = write_paradigms(tmp_path, CLAUSES[:100], many=1)
    data = TASKS.make(f"minimal/pairs:{place}").load()
    assert data.clusters == ()
    assert all(len(data.rows(name)) for name in ("train", "dev", "test"))


def test_a_tie_counts_half():
    gold = column_from_codes([0, 1, 0, 1], ("first", "second"))
    said = column_from_codes([0, 0, 2, 2], ("first", "second", "tie"))
    preference = METRICS.make("preference")
    assert preference(gold, said) == (1 + 0 + 0.5 + 0.5) / 4
    assert np.allclose(preference.influences(gold, said), np.array([0.5, -0.5, 0, 0]) / 4)


def test_agreement_is_found_by_probability_and_not_by_counts(tmp_path, agreeing):
    """What was planted is found: by the model's probability nearly always, by unigrams and by
    length not at all, and by a probe on the model's vectors in paradigms that it did not see.
    """
    (tmp_path / "pairs").mkdir()
    place = write_paradigms(tmp_path / "pairs", TEST)
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("".join(f"{good}\n" for good, _ in CLAUSES))
    results = lingprobe.run(
        [f"minimal/pairs:{place}"],
        [
            f"lm:{agreeing}",
            f"lm:{agreeing},weights=random",
            f"hf:{agreeing},pool=last",
            f"ngram:{corpus},order=1",
        ],
        output=tmp_path / "results",
    )
    scores = [result.score for result in sorted(results, key=lambda each: each.encoder)]
    _, probed, length, found, untrained, unigrams = scores
    assert found > 97
    assert length == unigrams == 50
    assert 30 < untrained < 70
    assert probed > 60
