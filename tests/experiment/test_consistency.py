"""Cached vectors that are checked again: what no hashed file shows is measured anew, and nothing
else is.
"""

from __future__ import annotations

import os
import shutil
import sys

import numpy as np
import pytest
from scipy.stats import hypergeom

import lingprobe
from fixtures.embedding_server import embedding_server
from lingprobe.data._foreign_code import module_name
from lingprobe.encoders import adapt_encoder
from lingprobe.experiment.consistency import _HANDFUL, _SHARES, _chances
from lingprobe.store.blocks import open_block

TEXTS = [f"w{i} {'bark' if i % 2 else 'meow'}" for i in range(120)]
LABELS = ["dog" if i % 2 else "cat" for i in range(120)]
LOOKUP = """
import numpy as np
from pathlib import Path
HELD = dict(line.split("\\t") for line in (Path(__file__).parent / "vectors.tsv").read_text().splitlines())
class Mine:
    def encode(self, texts):
        return np.array([[float(HELD[text]), 1.0] for text in texts])
"""


def measured(tmp_path, encoder, **settings):
    """A run as a new process makes it, which imports files anew."""
    sys.modules.pop(module_name(tmp_path / "mine.py"), None)
    how = {"probes": "logreg", "seeds": 1, "baselines": "none", "progress": False}
    return lingprobe.run(
        {"mine": (TEXTS, LABELS)},
        encoder,
        output=tmp_path / "out",
        cache=tmp_path / "cache",
        **(how | settings),
    )


def write_vectors(tmp_path, values):
    (tmp_path / "mine.py").write_text(LOOKUP)
    rows = (f"{text}\t{value}" for text, value in zip(TEXTS, values, strict=True))
    (tmp_path / "vectors.tsv").write_text("\n".join(rows))


def accuracy(evaluation):
    return np.mean([result.score for result in evaluation.results])


GOOD = np.where(np.array(LABELS) == "dog", 2.0, -2.0)
BAD = np.random.default_rng(0).normal(size=len(TEXTS))


@pytest.mark.parametrize("gone", ["nothing", "cache", "results"])
def test_vectors_by_sentence_that_changed_are_measured_anew(gone, tmp_path):
    reference = f"{tmp_path}/mine.py@Mine"
    write_vectors(tmp_path, GOOD)
    first = measured(tmp_path, reference)
    assert accuracy(first) == 1
    assert first.fresh == len(first.results)
    assert first.remarks == ()
    same = measured(tmp_path, reference)
    assert same.fresh == 0
    (said,) = same.remarks
    assert ": 12 cached vectors checked again, none changed (a change of 25 %" in said
    if gone != "nothing":
        shutil.rmtree(tmp_path / ("cache" if gone == "cache" else "out"))
    write_vectors(tmp_path, BAD)
    other = measured(tmp_path, reference)
    assert other.fresh == len(other.results)
    assert accuracy(other) < 0.8
    said = other.remarks[0]
    assert ": 12 cached vectors checked again, 12 changed, so everything is measured again" in said
    again = measured(tmp_path, reference)
    assert (again.fresh, accuracy(again)) == (0, accuracy(other))
    write_vectors(tmp_path, GOOD)
    back = measured(tmp_path, reference)
    assert accuracy(back) == 1
    assert back.fresh == (len(back.results) if gone == "results" else 0)


def test_vectors_that_are_not_kept_are_checked_against_a_handful(tmp_path):
    reference = f"{tmp_path}/mine.py@Mine"
    write_vectors(tmp_path, GOOD)
    measured(tmp_path, reference, dtype="none")
    assert measured(tmp_path, reference, dtype="none").fresh == 0
    write_vectors(tmp_path, BAD)
    evaluation = measured(tmp_path, reference, dtype="none")
    assert evaluation.fresh == len(evaluation.results)
    assert accuracy(evaluation) < 0.8


@pytest.mark.parametrize("store", ["float32", "float16", "bfloat16"])
def test_what_did_not_change_is_not_measured_again_in_any_type(store, tmp_path):
    reference = f"{tmp_path}/mine.py@Mine"
    write_vectors(tmp_path, BAD * 1.2345)
    measured(tmp_path, reference, dtype=store)
    write_vectors(tmp_path, BAD * 1.2345 * (1 + 1e-5))  # as another machine computes
    evaluation = measured(tmp_path, reference, dtype=store)
    assert evaluation.fresh == 0
    assert "none changed" in evaluation.remarks[0]


VARIABLE = """
import os
import numpy as np
def mine(texts: list):
    way = os.environ["WAY"]
    return np.array([[len(t), 2.0 if way == "good" and t.endswith("bark") else 0.0] if t[0] == "w"
                     else [1.0, 1.0] for t in texts])
"""


def test_a_variable_that_matters_for_sentences_of_the_task_alone_is_noticed(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(VARIABLE)
    found = {}
    for way, fresh in (("good", True), ("bad", True), ("good", False), ("bad", False)):
        monkeypatch.setitem(os.environ, "WAY", way)
        evaluation = measured(tmp_path, f"{tmp_path}/mine.py@mine")
        assert (evaluation.fresh > 0) is fresh
        assert found.setdefault(way, accuracy(evaluation)) == accuracy(evaluation)
    assert found["good"] == 1 > found["bad"]


class Words:
    """A model of the session, which is trained on."""

    def __init__(self):
        self.held = dict(zip(TEXTS, GOOD.tolist(), strict=True))

    def encode(self, texts):
        return np.array([[self.held[text], 1.0] for text in texts])


def test_a_model_of_the_session_that_was_trained_on_is_measured_anew(tmp_path):
    model = Words()
    assert accuracy(measured(tmp_path, adapt_encoder(model, "session"))) == 1
    model.held = dict(zip(TEXTS, BAD.tolist(), strict=True))
    evaluation = measured(tmp_path, adapt_encoder(model, "session"))
    assert evaluation.fresh == len(evaluation.results)
    assert accuracy(evaluation) < 0.8


def test_a_server_whose_weights_changed_is_measured_anew(tmp_path):
    with embedding_server() as service:
        reference = f"api:{service.url},model=tiny"
        first = measured(tmp_path, reference)
        service.asked.clear()
        same = measured(tmp_path, reference)
        assert same.fresh == 0
        assert [len(body["input"]) for body in service.asked] == [12]
        assert "12 cached vectors checked again, none changed" in same.remarks[0]
        original = service.answer

        def trained_on(body):
            service.faults = [
                lambda data: [
                    each | {"embedding": [1.0, 2.0, *each["embedding"][:2]]} for each in data
                ]
            ]
            return original(body)

        service.answer = trained_on
        other = measured(tmp_path, reference)
        assert other.fresh == len(other.results) == len(first.results)
        assert "12 changed, so everything is measured again" in other.remarks[0]
    down = measured(tmp_path, reference)
    assert (down.fresh, down.failures) == (0, {})
    assert "its cached vectors cannot be checked: no server answers" in down.remarks[0]
    assert accuracy(down) == accuracy(other)


def test_a_change_of_a_few_sentences_is_found_as_often_as_is_said(tmp_path):
    """30 of 120 sentences change; the chance to see none of them in 12 is 2.6 %."""
    reference = f"{tmp_path}/mine.py@Mine"
    write_vectors(tmp_path, GOOD)
    measured(tmp_path, reference)
    changed = GOOD.copy()
    changed[:30] *= -1
    found = 0
    for _ in range(20):
        write_vectors(tmp_path, changed)
        plan = lingprobe.estimate(
            {"mine": (TEXTS, LABELS)},
            reference,
            probes="logreg",
            seeds=1,
            baselines="none",
            output=tmp_path / "out",
            cache=tmp_path / "cache",
        )
        found += plan.known == 0
        sys.modules.pop(module_name(tmp_path / "mine.py"), None)
    assert found >= 17


@pytest.mark.parametrize("left", [12, 13, 40, 1000])
def test_chances_are_those_of_sampling_without_replacement(left):
    for chance, share in zip(_chances(left, _HANDFUL), _SHARES, strict=True):
        changed = int(np.ceil(left * share / 100))
        assert chance == pytest.approx(hypergeom(left, changed, _HANDFUL).sf(0))


class Centred:
    """Vectors about their mean in the batch."""

    def encode(self, texts):
        lengths = np.array([[len(text), len(text.split())] for text in texts], float)
        return lengths - lengths.mean(0) + 1


def test_what_depends_on_the_batch_is_no_change(tmp_path):
    model = Centred()
    measured(tmp_path, adapt_encoder(model, "centred"))
    evaluation = measured(tmp_path, adapt_encoder(model, "centred"))
    assert evaluation.fresh == 0


def test_what_files_describe_in_full_is_not_checked(tmp_path):
    measured(tmp_path, "length")
    assert measured(tmp_path, "length").remarks == ()
    assert not list(tmp_path.rglob("*.checked"))


def test_a_damaged_handful_is_set_aside(tmp_path):
    reference = f"{tmp_path}/mine.py@Mine"
    write_vectors(tmp_path, GOOD)
    measured(tmp_path, reference)
    for path in tmp_path.rglob("*.checked"):
        assert open_block(path) is not None
        path.write_bytes(path.read_bytes()[:-9])
    assert measured(tmp_path, reference).fresh == 0
