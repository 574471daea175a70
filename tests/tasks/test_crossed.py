"""SentEval's ten folds of sets without splits: all rows, in its order, and not one more draw."""

from __future__ import annotations

import lzma
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

import lingprobe
from fixtures.scored import to_scores as rows
from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS
from tasks.publications import text_sets


def load(reference):
    return TASKS.make(str(reference)).load()


def opened(file):
    """The bytes of a file, which may be compressed."""
    packed = Path(f"{file}.xz")
    return lzma.decompress(packed.read_bytes()) if packed.exists() else Path(file).read_bytes()


def rows_of(first, second):
    """Rows of two files as SentEval orders them: label 1 is that of the first file."""
    read = [
        (line.split(), 1 - k)
        for k, file in enumerate((first, second))
        for line in opened(file).decode("latin-1").split("\n")
        if line.split()
    ]
    return sorted(read, key=lambda row: (len(row[0]), row[1]))


def check_folds(reference, first, second):
    """Every fold tests and trains on the rows that SentEval's does."""
    ordered = rows_of(first, second)
    labels = np.array([label for _, label in ordered])
    folds = StratifiedKFold(10, shuffle=True, random_state=1111).split(labels, labels)
    for k, (train, test) in enumerate(folds, 1):
        dataset = load(f"{reference},splits=senteval,fold={k}/10")
        examples = list(dataset.examples())
        for split, expected in (("train", train), ("test", test)):
            mine = [list(e.sites[0].sentence.words) for e in examples if e.split == split]
            assert mine == [ordered[i][0] for i in expected]
        assert not len(dataset.rows("dev"))


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("mpqa", ("MPQA/mpqa.pos", "MPQA/mpqa.neg")),
        ("subj", ("SUBJ/subj.objective", "SUBJ/subj.subjective")),
    ],
)
def test_folds_are_those_of_senteval_row_by_row(tmp_path, name, files):
    first, second = (text_sets(tmp_path) / file for file in files)
    more = "".join(f"{'very ' * (i % 4)}good\n" for i in range(13))
    first.write_text(first.read_text("latin-1") + more, "latin-1")
    second.write_text("so\nso far\n\n" + second.read_text("latin-1") + "very good\n", "latin-1")
    check_folds(f"text/{name}:{tmp_path}", first, second)


def test_the_real_folds_of_mr_are_those_of_senteval():
    place = Path(os.environ.get("LINGPROBE_DATA", "")) / "downstream" / "SentEval-layout"
    if not (place / "MR").is_dir():
        pytest.skip("LINGPROBE_DATA names no folder with downstream/SentEval-layout")
    stem = place / "MR" / "rt-polarity"
    check_folds(f"text/mr:{place}", f"{stem}.pos", f"{stem}.neg")


def test_repeated_rows_stay_and_the_table_says_so(tmp_path):
    file = text_sets(tmp_path) / "CR" / "custrev.pos"
    file.write_text(file.read_text("latin-1") + "very good\n" * 5, "latin-1")
    dataset = load(f"text/cr:{tmp_path},splits=senteval")
    assert len(dataset) == 165
    assert dataset.notes["sampling"] == {"folds_needed": 10}
    assert dataset.notes.remarks[0].startswith("4 of 165 rows repeat another")
    assert load(f"text/mr:{tmp_path},splits=senteval").notes.remarks == ()


def test_sets_with_splits_keep_them_and_get_no_dev(tmp_path):
    folder = text_sets(tmp_path)
    trec = load(f"text/trec:{folder},splits=senteval")
    assert not len(trec.rows("dev"))
    plain = load(f"text/trec:{folder},dev=none")
    assert [e.split for e in trec.examples()] == [e.split for e in plain.examples()]
    sst = load(f"text/sst5:{folder},splits=senteval")
    assert list(sst.examples()) == list(load(f"text/sst5:{folder}").examples())


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("text/mr:{},splits=senteval,fold=2/5", "splits=senteval has ten folds"),
        ("text/mr:{},splits=senteval,size=9", "9 rows make no ten folds"),
        ("text/sst5:{},splits=senteval,fold=1/10", "published splits are kept"),
    ],
)
def test_what_cannot_be_divided_so_is_said_in_a_sentence(tmp_path, reference, told):
    with pytest.raises(DataProblem, match=told):
        load(reference.format(text_sets(tmp_path)))


def test_so_many_rows_are_drawn_in_the_shares_of_classes(tmp_path):
    dataset = load(f"text/mr:{text_sets(tmp_path)},splits=senteval,size=40")
    assert dataset.labels.counts() == {"negative": 20, "positive": 20}


def test_outer_folds_are_trials_that_are_measured_once(tmp_path):
    """And are shown as one row over all examples."""
    task = f"text/mr:{text_sets(tmp_path / 'files')},splits=senteval"
    probe = "mlp,protocol=senteval,hidden=0,l2=1e-4,l2=1e-2"

    def run(*tasks):
        return lingprobe.evaluate(
            "bow:random,dim=16",
            list(tasks),
            probes=probe,
            seeds=1,
            baselines="none",
            output=tmp_path / "results",
            cache=tmp_path / "cache",
        )

    one = run(f"{task},fold=3/10")
    whole = run(task)
    assert len(whole.results) == 10
    dates = {r.trial: r.provenance.date for r in whole.results}
    assert dates[one.results[0].trial] == one.results[0].provenance.date
    assert {r.provenance.choice["folds"] for r in whole.results} == {10}
    [row] = rows(whole.results)
    assert (row.n, row.missing) == (160, "")
