"""Words that an encoder does not know, told without encoding, against what its own tokeniser
says.
"""

from __future__ import annotations

import json

import pytest

from fixtures.models import sentence_transformer, transformer
from lingprobe.data.core import LexicalEncoder
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.encoders import make_encoder
from lingprobe.encoders.model_files import find_unknown_words
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialDesign, make_plan
from lingprobe.experiment.run import run_plan
from lingprobe.testing import TINY_DATASET_FAMILIES

WORDS = ("the", "q̈q", "dog", "漢字", "zz", "...", "ß")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return transformer(tmp_path_factory.mktemp("hf"))


def test_words_with_an_unknown_piece_are_told_as_the_tokeniser_reads_them(model):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    expected = [
        tokenizer.unk_token_id in tokenizer(word, add_special_tokens=False)["input_ids"]
        for word in WORDS
    ]
    assert True in expected
    assert False in expected
    for reference in (f"hf:{model}", f"hf:{model},layers=all,pool=none"):
        encoder = make_encoder(reference)
        assert isinstance(encoder, LexicalEncoder)
        assert encoder.unknown(WORDS).tolist() == expected


def test_a_model_of_modules_keeps_its_tokeniser_in_the_first(tmp_path):
    encoder = make_encoder(f"st:{sentence_transformer(tmp_path)}")
    assert isinstance(encoder, LexicalEncoder)
    assert encoder.unknown(WORDS).any()


def test_a_tokeniser_that_falls_back_to_bytes_knows_all(model, tmp_path):
    folder = tmp_path / "bytes"
    folder.mkdir()
    settings = json.loads((model / "tokenizer.json").read_text("utf-8"))
    settings["model"]["byte_fallback"] = True
    (folder / "tokenizer.json").write_text(json.dumps(settings), "utf-8")
    assert not find_unknown_words(folder, WORDS).any()


def test_what_cannot_be_told_is_not_told(tmp_path):
    assert find_unknown_words(tmp_path, WORDS) is None
    (tmp_path / "tokenizer.json").write_text("{}", "utf-8")
    assert find_unknown_words(tmp_path, WORDS) is None
    assert not isinstance(make_encoder("length"), LexicalEncoder)


def test_a_result_counts_them(model, tmp_path):
    dataset = TINY_DATASET_FAMILIES["sentence"]()
    write_dataset(dataset, tmp_path / "a.jsonl")
    paths = RunPaths.of(tmp_path / "results", tmp_path)
    made = make_plan(
        TrialDesign(
            [f"table:{tmp_path / 'a.jsonl'}"], [f"hf:{model}", "length"], ["logreg"], seeds=1
        ),
        paths,
    )
    by_encoder = {
        r.trial.encoder.partition(":")[0]: r.provenance.counts
        for r in run_plan(made, paths, progress=False).results
    }
    assert by_encoder["hf"].words == sum(len(s.words) for s in dataset.sentences)
    assert 0 <= by_encoder["hf"].unknown < by_encoder["hf"].words
    assert by_encoder["length"].words is None
