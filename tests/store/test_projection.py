"""Wide vectors kept as fewer numbers: what the projection keeps of them, and what knows of it."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import lingprobe
from lingprobe.data.core import Sentence
from lingprobe.data.narrowing import draw_sign_matrix
from lingprobe.data.vectors import Vectors
from lingprobe.experiment.attempt import EncoderRun
from lingprobe.experiment.paths import RunPaths
from lingprobe.store.blocks import StoreProblem
from lingprobe.store.precision import kept_as


def test_the_matrix_is_the_same_for_ever():
    found = draw_sign_matrix(384, 256)
    assert hashlib.md5((found > 0).tobytes()).hexdigest() == "163bdca761b9b435e77ead2eaa52037f"
    assert set(np.abs(found).ravel().tolist()) == {1 / 16}
    assert abs((found > 0).mean() - 0.5) < 0.01


def test_distances_are_kept_on_average():
    """A squared length has the deviation sqrt(2 / 256) = 0.09 of itself, and is right on"
    " average."""
    x = np.random.default_rng(0).normal(size=(2000, 768)).astype(np.float32)
    ratio = np.square(kept_as("float32-256").narrow_vectors(x)).sum(1) / np.square(x).sum(1)
    assert ratio.mean() == pytest.approx(1, abs=0.01)
    assert ratio.std() == pytest.approx(np.sqrt(2 / 256), rel=0.1)


def test_narrow_vectors_stay_as_they_are():
    x = np.ones((3, 256), np.float32)
    assert kept_as("float16-256").narrow_vectors(x) is x
    assert [kept_as("float32-256").width(n) for n in (0, 1, 256, 257)] == [0, 1, 256, 256]
    assert kept_as("float32").width(4096) == 4096


@pytest.mark.parametrize("name", ["float32-0", "float32--3", "float32-x"])
def test_a_projection_to_nothing_is_refused(name):
    with pytest.raises(StoreProblem, match="at least one dimension"):
        kept_as(name)


class Wide:
    """Vectors of 40 numbers at random; those of a sentence of one word are not finite."""

    name, takes = "wide", "sentences"
    fingerprint = "1"

    def encode(self, sentences):
        seeds = [int.from_bytes(sentence.key[:4], "little") for sentence in sentences]
        made = [np.random.default_rng(seed).normal(size=40) for seed in seeds]
        layer = np.array(made, np.float32).reshape(-1, 40)
        layer[[len(sentence.words) == 1 for sentence in sentences], 7] = np.nan
        return Vectors((layer,), ("-",))


def test_a_value_that_is_not_finite_spoils_its_own_unit_alone():
    given = [Sentence.of(("a", "b")), Sentence.of(("c",)), Sentence.of(("d", "e"))]
    done = EncoderRun(Wide(), ("-",), kept_as("bfloat16-8"), lambda: given).encode(given)
    assert set(done.refused["-"]) == {1}
    assert done.vectors.layers[0].shape == (3, 8)
    assert done.vectors.layers[0].any(1).tolist() == [True, False, True]


def test_runs_know_what_was_kept(tmp_path):
    settings = {"probes": ["logreg,c=1"], "limit": 60, "seeds": 1, "baselines": "none"}
    settings |= {"output": tmp_path / "results", "cache": tmp_path / "cache"}
    runs = [
        lingprobe.run("ud/tense:embedded", Wide(), project=project, **settings)
        for project in (None, 8, 8, 64)
    ]
    assert [run.fresh for run in runs] == [1, 1, 0, 1]
    names = {folder.name.rpartition(".")[2] for folder in (tmp_path / "cache/vectors").iterdir()}
    assert names == {"float32", "float32-8", "float32-64"}
    known = [run.results[0].provenance.identities["encoder"] for run in runs]
    assert len(set(known)) == 3
    assert runs[0].results[0].score == runs[3].results[0].score  # 40 numbers are fewer than 64
    assert RunPaths.of(None, tmp_path, "none", 8).dtype == "float32-8"
