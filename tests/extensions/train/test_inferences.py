"""Pairs of a premise and a hypothesis, and which of them an encoder is trained on."""

from __future__ import annotations

import pytest

import lingprobe
from extensions.train.written import written
from lingprobe_extensions.train.data import FileReading
from lingprobe_extensions.train.inferences import inferences

HEAD = "source\tsplit\tpremise\thypothesis\tlabel\n"


def premises(paths, how):
    return [" ".join(example.first) for example in inferences(paths, how)]


@pytest.fixture
def collection(tmp_path):
    sources = ["lingnli_lots", "joci", "imppres_modals", "conjnli_adversarial_silver", "mnli_dev"]
    rows = [f"{source}\ttrain\t{source}\tB\tneutral\n" for source in sources]
    rows += [f"snli\t{split}\tsnli {split}\tB\tneutral\n" for split in ("train", "dev", "test")]
    path = tmp_path / "nli.tsv"
    path.write_text(HEAD + "".join(rows))
    return [path]


def test_what_is_no_text_to_learn_from_is_left_out_and_counted(collection):
    how = FileReading()
    assert premises(collection, how) == ["lingnli_lots", "snli train"]
    assert dict(how.counts) == {
        "read": 2,
        "machine-made hypotheses": 1,
        "written from templates": 1,
        "labelled automatically": 1,
        "made to evaluate": 1,
        "of dev and test splits": 2,
        **dict.fromkeys(("to be probed", "empty", "too long"), 0),
    }


def test_what_is_asked_for_by_name_is_read(collection):
    assert premises(collection, FileReading(where={"source": "joci"})) == ["joci"]
    assert premises(collection, FileReading(where={"split": "dev"})) == ["snli dev"]
    everything = FileReading(where={"source": "*", "split": "*"})
    assert len(premises(collection, everything)) == 8


def test_files_of_dev_are_read_as_they_are(collection):
    assert len(premises(collection, FileReading(dev=True))) == 8


def test_inferences_are_read_from_tables_and_json(tmp_path):
    head = "source\tpremise\thypothesis\tlabel\n"
    rows = "x\tA b .\tA .\tentailment\ny\tC .\tD .\tneutral\nx\tE .\tF .\t-\n"
    paths = written(tmp_path, a_tsv=head + rows)
    how = FileReading(where={"source": "x*"})
    assert [(e.first, e.second, e.label) for e in inferences(paths, how)] == [
        (("A", "b", "."), ("A", "."), "entailment")
    ]
    assert how.counts["without a label"] == 1
    lines = '{"sentence1": "A .", "sentence2": "B .", "gold_label": "neutral"}\n'
    [example] = inferences(written(tmp_path, a_jsonl=lines), FileReading())
    assert example.label == "neutral"


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"a_tsv": "premise\tlabel\nA\tb\n"}, r"a\.tsv:2: no hypothesis; there must be a column"),
        ({"a_tsv": "premise\thypothesis\tlabel\nA\tb\n"}, r"a\.tsv:2: 2 cells, not 3"),
        ({"a_jsonl": "[1]\n"}, r"a\.jsonl:1: no JSON object"),
    ],
)
def test_pairs_that_cannot_be_read_are_named(tmp_path, texts, said):
    with pytest.raises(lingprobe.DataProblem, match=said):
        list(inferences(written(tmp_path, **texts), FileReading()))
