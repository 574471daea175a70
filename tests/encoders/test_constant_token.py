"""A token that every sentence has and that holds most of the norm is seen when a model is loaded,
and said where the length of a sentence could give a score.
"""

import shutil

import numpy as np
import pytest

from fixtures.scored import to_scores as rows
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.encoders import make_encoder
from lingprobe.encoders.constant_token import _TRIED, TokenNorms, find_heaviest_token
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialDesign, make_plan
from lingprobe.experiment.run import run_plan
from lingprobe.pages.scores import describe_scores
from lingprobe.testing import TINY_DATASET_FAMILIES

EXACT = "dtype=float32,device=cpu"


@pytest.fixture(scope="session")
def sink(gpt, tmp_path_factory):
    """The tiny GPT-2, whose first position adds two huge numbers."""
    import torch
    from transformers import GPT2Model

    folder = shutil.copytree(gpt, tmp_path_factory.mktemp("sink") / "gpt")
    model = GPT2Model.from_pretrained(gpt)
    with torch.no_grad():
        model.wpe.weight[0, :2] += 500
    model.save_pretrained(folder)
    return folder


def read(*rows):
    return [TokenNorms(np.array(ids), np.array(norms, float)) for ids, norms in rows]


def test_the_heaviest_is_a_position_or_a_token_that_stands_once():
    word = read(([5, 6, 7], [8, 1, 1]), ([9, 6], [6, 2]))
    place, token, share = find_heaviest_token(word)
    assert (place, token) == ("the first token", -1)
    assert share == pytest.approx((0.8 + 0.75) / 2)
    assert find_heaviest_token(read(([1, 6, 7], [8, 1, 1]), ([1, 5], [6, 2])))[:2] == (
        "the first token",
        1,
    )
    assert find_heaviest_token(read(([5, 2], [1, 9]), ([6, 7, 2], [1, 1, 8])))[:2] == (
        "the token",
        2,
    )
    unknown = read(([5, 3, 3, 3], [1, 1, 1, 1]), ([6, 3], [1, 1]))
    assert find_heaviest_token(unknown)[:2] == ("the first token", -1)


def test_the_sentences_have_no_common_word():
    words = [word for sentence in _TRIED for word in {w.lower() for w in sentence.words}]
    assert all(words.count(word) < len(_TRIED) for word in words)


def test_a_sink_is_seen_when_a_model_is_loaded(gpt, sink, bert, sentences):
    found = {}
    for name, folder in (("gpt", gpt), ("sink", sink), ("bert", bert)):
        encoder = make_encoder(f"hf:{folder},layers=all,{EXACT}")
        encoder.encode(sentences)
        found[name] = dict(encoder.constant_tokens)
    assert found["gpt"] == found["bert"] == {}
    # behind the final norm all tokens are as long
    assert found["sink"] == {"0": "the first token", "1": "the first token"}
    for other in ("pool=max", "pool=rest"):
        encoder = make_encoder(f"hf:{sink},layers=all,{other},{EXACT}")
        encoder.encode(sentences)
        assert encoder.constant_tokens == {}


def test_without_the_first_token_nothing_is_constant(sink, gpt, sentences):
    several = [s for s in sentences if len(s.words) > 1]
    means = make_encoder(f"hf:{sink},layers=0,{EXACT}").encode(several).layers[0]
    rest = [
        make_encoder(f"hf:{m},layers=0,pool=rest,{EXACT}").encode(several).layers[0]
        for m in (sink, gpt)
    ]
    assert means[:, 0].min() > 5
    np.testing.assert_allclose(*rest, atol=1e-5)


def test_a_score_that_length_could_give_is_noted(sink, tmp_path):
    write_dataset(TINY_DATASET_FAMILIES["sentence"](), tmp_path / "a.jsonl")
    task, paths = f"table:{tmp_path / 'a.jsonl'}", RunPaths.of(tmp_path / "results", tmp_path)
    design = TrialDesign([task], [f"hf:{sink},layers=all,{EXACT}", "length"], ["logreg"], seeds=1)
    made = rows(run_plan(make_plan(design, paths), paths, progress=False).results)
    assert [row.constant_token for row in made if row.encoder != "length"] == [
        "the first token",
        "the first token",
        "",
    ]
    others, [length] = (
        [r for r in made if r.encoder != "length"],
        [r for r in made if r.encoder == "length"],
    )
    helps, fails = (length._replace(low=length.majority + by) for by in (1, -1))
    said = "has most of the norm of a sentence"
    assert sum(said in note for note in describe_scores([*others, helps])) == 2
    assert sum(said in note for note in describe_scores(others)) == 2
    assert not any(said in note for note in describe_scores([*others, fails]))


def test_places_that_short_sentences_have_not_can_be_read(gpt, sentences):
    sentence = sentences[0]
    long = [type(sentence).of(sentence.words * 4)] * 2
    encoder = make_encoder(f"hf:{gpt},places=20-,{EXACT}")
    assert np.isfinite(encoder.encode(long).layers[0]).all()
    assert not encoder.constant_tokens
