"""Files of minimal pairs become data sets whose paradigms are never split, and are measured by
probability and by probe in one table.
"""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lingprobe
from inside.minimal.conftest import CLAUSES, TEST
from lingprobe.data.core import DataProblem
from lingprobe.data.labels import column_from_codes
from lingprobe.inside.minimal.pairs import PairColumns, list_pair_files, read_minimal_pairs
from lingprobe.metrics import METRICS
from lingprobe.tasks import TASKS

BLIMP = {"field": "syntax", "linguistics_term": "agreement", "UID": "first", "pairID": "0"}
RUBLIMP = "id,source_sentence,target_sentence,level,phenomenon,PID,subtype,domain\n"


def pairs_of(path, **columns):
    return [
        pair
        for file in list_pair_files(path)
        for pair in read_minimal_pairs(file, PairColumns(**columns))
    ]


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
    assert [file.part.path for file in list_pair_files(tmp_path)] == [blimp, clams, rublimp]


def write_parquet(path, rows):
    path.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), path)


def test_blimp_as_the_hub_has_it(tmp_path):
    """A folder a paradigm, each with one Parquet file, whose rows have numbers and truth values."""
    for name in ("adjunct_island", "wh_island"):
        row = {**BLIMP, "UID": name, "pair_id": 3, "lexically_identical": True, "note": None}
        row |= {"sentence_good": f"A {name}.", "sentence_bad": f"An {name}."}
        write_parquet(tmp_path / "blimp" / name / "train-00000-of-00001.parquet", [row])
    assert [pair[:3] for pair in pairs_of(tmp_path / "blimp")] == [
        ("A adjunct_island.", "An adjunct_island.", "adjunct_island"),
        ("A wh_island.", "An wh_island.", "wh_island"),
    ]


def test_files_that_are_called_alike_are_paradigms_by_their_folder(tmp_path):
    for name in ("first", "second"):
        rows = [{"sentence_good": f"a {name}", "sentence_bad": f"b {name}"}]
        write_parquet(tmp_path / name / "train-00000-of-00001.parquet", rows)
    (tmp_path / "third").mkdir()
    (tmp_path / "third" / "verbs.csv").write_text("good,bad\na,b\n")
    assert [pair.group for pair in pairs_of(tmp_path)] == ["first", "second", "verbs"]


@pytest.mark.parametrize("column", ["lang\t", ""])
def test_multiblimp_has_a_paradigm_for_each_language_and_phenomenon(tmp_path, column):
    for language in ("deu", "eng"):
        (tmp_path / language).mkdir()
        cell = f"{language}\t" if column else ""
        (tmp_path / language / "data.tsv").write_text(
            f"{column}sen\twrong_sen\tphenomenon\tverb\n"
            f'{cell}He "walks\tHe "walk\tSV-#\twalk\n{cell}I am\tI is\tSV-P\tbe\n'
        )
    found = pairs_of(tmp_path)
    assert found[0][:2] == ('He "walks', 'He "walk')
    with_language = ["deu SV-#", "deu SV-P", "eng SV-#", "eng SV-P"]
    assert [pair.group for pair in found] == with_language
    assert found[1].tags["lemma"] == "be"
    assert found[1].tags.get("language") == ("deu" if column else None)


def test_turblimp_has_a_file_for_each_phenomenon_with_commas_or_semicolons(tmp_path):
    for name, mark in (("binding", ","), ("npi", ";")):
        cells = ("good_sentence", "bad_sentence", "good_cue", "phenomenon")
        row = (f"Kendimi {name}.", f"Beni {name}.", "kendimi", name)
        (tmp_path / f"{name}.csv").write_text(f"{mark.join(cells)}\n{mark.join(row)}\n")
    assert [pair[:3] for pair in pairs_of(tmp_path)] == [
        ("Kendimi binding.", "Beni binding.", "binding"),
        ("Kendimi npi.", "Beni npi.", "npi"),
    ]


def test_a_sentence_a_row_is_paired_with_the_next_in_either_order(tmp_path):
    """As BLiMP-NL's, whose headings have capitals and brackets."""
    head = "Number (phenomenon),Phenomenon,Paradigm,Item,Grammaticality,Sentence\n"
    rows = [
        "1,Anaphor agreement,number,1,Grammatical,Ik zag mezelf.",
        "1,Anaphor agreement,number,1,Ungrammatical,Wij zagen mezelf.",
        "1,Anaphor agreement,person,2,Ungrammatical,Jij zag mezelf.",
        "1,Anaphor agreement,person,2,Grammatical,Jij zag jezelf.",
    ]
    file = tmp_path / "Phenomenon01.csv"
    file.write_text(head + "\n".join(rows))
    assert [pair[:3] for pair in pairs_of(file)] == [
        ("Ik zag mezelf.", "Wij zagen mezelf.", "number"),
        ("Jij zag jezelf.", "Jij zag mezelf.", "person"),
    ]
    file.write_text(head + "\n".join([rows[0], rows[3]]))
    with pytest.raises(DataProblem, match=r"Phenomenon01\.csv:3: pairs in rows of their own are"):
        pairs_of(file)
    file.write_text(head + "\n".join(rows[:3]))
    with pytest.raises(DataProblem, match="the last pair has no second sentence"):
        pairs_of(file)


def test_few_paradigms_are_kept_apart_by_verb_and_equal_pairs_are_counted(tmp_path):
    verbs = [f"verb{k}" for k in range(8)]
    rows = [f"He {verb}s {i}\tHe {verb} {i}\tSV-#\t{verb}" for verb in verbs for i in range(9)]
    rows.append("He sits\tHe sits\tSV-#\tverb0")
    (tmp_path / "data.tsv").write_text("\n".join(["sen\twrong_sen\tphenomenon\tverb", *rows]))
    data = TASKS.make(f"minimal/pairs:{tmp_path}").load()
    assert data.clusters == ("lemma",)
    assert set(data.strata["paradigm"].names) == {"SV-#"}
    splits = [{*data.strata["lemma"].codes[data.rows(s)]} for s in ("train", "dev", "test")]
    assert len(set.union(*splits)) == sum(map(len, splits)) == 8
    assert list(data.notes.remarks) == [
        "its 1 paradigms are too few for a split by paradigm, so pairs of one verb are kept"
        " together"
        " instead",
        "1 pairs of two equal sentences were excluded",
    ]


def test_columns_can_be_named(tmp_path):
    file = tmp_path / "mine.tsv"
    file.write_text("right\twrong\tset\na b\ta c\tone\n")
    assert pairs_of(file, good="right", bad="wrong", group="set") == [("a b", "a c", "one", {})]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.jsonl", '{"good": "a"}', "a.jsonl:1: no bad sentence; name its column with bad="),
        ("a.jsonl", "3", "a.jsonl:1: a row is an object"),
        ("a.jsonl", "{", "a.jsonl:1: "),
        ("a.csv", "good,bad\na\n", "a.csv:2: 1 cells, not 2"),
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
        list_pair_files(tmp_path)


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
        copies=False,
        output=tmp_path / "results",
    )
    scores = [result.score for result in sorted(results, key=lambda each: each.encoder)]
    _, probed, length, found, untrained, unigrams = scores
    assert found > 97
    assert length == unigrams == 50
    assert 30 < untrained < 70
    assert probed > 60
