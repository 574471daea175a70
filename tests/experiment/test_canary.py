"""Encoders whose vectors change while their code does not, that are random, or that depend on the
batch: noticed at the start of a run.
"""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

import lingprobe
from lingprobe.data._foreign_code import module_name
from lingprobe.data.references import allow_code
from lingprobe.encoders import adapt_encoder
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.readers import collect_encoder_names

TASK = "ud/sent-len:embedded"
FILES = {
    "module level": """
import numpy as np
from pathlib import Path
WEIGHTS = np.load(Path(__file__).parent / "weights.npy")
def enc(sentences: list):
    return np.array([[len(s), 1.0] for s in sentences]) @ WEIGHTS
""",
    "__init__": """
import numpy as np
from pathlib import Path
class enc:
    def __init__(self):
        self.weights = np.load(Path(__file__).parent / "weights.npy")
    def encode(self, sentences):
        return np.array([[len(s), 1.0] for s in sentences]) @ self.weights
""",
    "factory": """
import numpy as np
from pathlib import Path
def enc():
    weights = np.load(Path(__file__).parent / "weights.npy")
    return lambda sentences: np.array([[len(s), 1.0] for s in sentences]) @ weights
""",
    "environment": """
import numpy as np
import os
def enc(sentences: list):
    return np.array([[len(s) * float(os.environ["SCALE"]), 1.0] for s in sentences])
""",
}


def measured(tmp_path, encoder):
    """A run as a new process makes it, which imports files anew."""
    sys.modules.pop(module_name(tmp_path / "mine.py"), None)
    settings = {"probes": "logreg", "seeds": 1, "baselines": "none", "progress": False, "limit": 60}
    return lingprobe.run(
        TASK, encoder, output=tmp_path / "out", cache=tmp_path / "cache", **settings
    )


def put(tmp_path, monkeypatch, weights):
    np.save(tmp_path / "weights.npy", np.array(weights, float))
    monkeypatch.setitem(os.environ, "SCALE", str(weights[0][0]))


def known(tmp_path, thing):
    """The identity of an encoder, and what there is to say of it, in a new process."""
    sys.modules.pop(module_name(tmp_path / "mine.py"), None)
    allow_code(thing)
    names = collect_encoder_names([thing])
    ((name, encoder),) = names.encoders.items()
    identity = names.identity(name, encoder, RunPaths.of(tmp_path / "out", tmp_path / "cache"))
    for canary in names.canaries.values():
        canary.keep()
    return identity, names.remarks.get(name, "")


@pytest.mark.parametrize("kind", FILES)
def test_other_weights_are_another_encoder_and_known_ones_are_not(kind, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(FILES[kind])

    def of(first):
        put(tmp_path, monkeypatch, [[first, 0.0], [0.0, 1.0]])
        return known(tmp_path, f"{tmp_path}/mine.py@enc")

    one, other = of(1.0), of(0.0)
    assert one != other
    assert (one[1], other[1]) == ("", "")
    assert (of(1.0), of(0.0)) == (one, other)
    assert of(1.00001) == one  # another machine computes a little otherwise
    assert of(1.01) not in (one, other)


def test_scores_are_those_of_the_weights_that_are_there(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(FILES["module level"])
    scores = []
    for first, fresh in ((1.0, 1), (0.0, 1), (1.0, 0)):
        put(tmp_path, monkeypatch, [[first, 0.0], [0.0, 1.0]])
        evaluation = measured(tmp_path, f"{tmp_path}/mine.py@enc")
        assert evaluation.fresh == fresh
        scores.append(evaluation.results[0].score)
    assert scores[0] == scores[2] > scores[1]


class Model:
    """A model whose weight is changed, by training say."""

    scale = 1.0

    def encode(self, sentences: list[str]) -> np.ndarray:
        return np.array([[len(s) * self.scale, 1.0] for s in sentences])


@pytest.mark.parametrize("where", ["object", "class"])
def test_a_model_that_was_trained_is_another_encoder_in_a_function(where, tmp_path, monkeypatch):
    model = Model()

    def called(sentences):
        return model.encode(sentences)

    def of(scale):
        monkeypatch.setattr(model if where == "object" else Model, "scale", scale)
        return known(tmp_path, adapt_encoder(called, "mine"))

    one, other = of(1.0), of(2.0)
    assert one != other
    assert (of(1.0), of(2.0)) == (one, other)


def test_chance_is_said_and_never_found_again(tmp_path):
    draws = np.random.default_rng(0)
    thing = adapt_encoder(lambda sentences: draws.normal(size=(len(sentences), 3)), "mine")
    one, said = known(tmp_path, thing)
    assert said.startswith("mine gives other vectors each time")
    assert known(tmp_path, thing)[0] != one
    evaluation = measured(tmp_path, thing)
    assert said in evaluation.remarks


def test_what_depends_on_the_batch_is_said(tmp_path):
    def batched(sentences):
        lengths = np.array([[len(s), 1.0] for s in sentences])
        return lengths - lengths.mean(0) + 1

    _, said = known(tmp_path, adapt_encoder(batched, "mine"))
    assert said.startswith("mine gives a sentence another vector beside other sentences")


class Centred:
    """Lengths about their mean in the corpus, or in the batch."""

    def __init__(self, by_batch=False):
        self.by_batch = by_batch

    def prepare(self, sentences):
        self.mean = np.mean([len(s) for s in sentences])
        return self

    def encode(self, sentences):
        mean = np.mean([len(s) for s in sentences]) if self.by_batch else self.mean
        return np.array([[len(s) - mean, 1.0] for s in sentences])


def batcher(params, batch):
    return np.array([[len(words) - params.mean, 1.0] for words in batch])


def prepare(params, samples):
    params.mean = np.mean([len(words) for words in samples])


@pytest.mark.parametrize(
    ("thing", "depends"),
    [(Centred(), False), (Centred(by_batch=True), True), ((batcher, prepare), False)],
)
def test_what_is_fitted_to_its_corpus_does_not_depend_on_the_batch(tmp_path, thing, depends):
    _, said = known(tmp_path, adapt_encoder(thing, "mine"))
    assert ("another vector beside other sentences" in said) is depends


def test_an_encoder_that_reads_but_one_sentence_is_said(tmp_path):
    def ragged(sentences):
        return [[float(len(s)), 1.0] + [0.0] * (n % 2) for n, s in enumerate(sentences)]

    _, said = known(tmp_path, adapt_encoder(ragged, "mine"))
    assert "mine cannot read several sentences at once" in said
    assert "rows of 2 to 3 numbers" in said


def test_an_encoder_that_knows_its_own_sentences_alone_is_left_to_its_code(tmp_path):
    thing = adapt_encoder(lambda sentences: [{"mine": [1.0]}[s] for s in sentences], "mine")
    identity, said = known(tmp_path, thing)
    assert said == ""
    assert not any(fact.startswith("canary") for fact in identity.facts)
    assert known(tmp_path, thing)[0] == identity


def test_what_lingprobe_encodes_with_is_not_tried(tmp_path):
    assert not any("canary" in fact for fact in known(tmp_path, "length")[0].facts)
    assert not (tmp_path / "out").exists()
