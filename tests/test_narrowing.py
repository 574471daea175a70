"""Some numbers of each vector: the first ones, or random directions, as a read beside whole
layers.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lingprobe
from lingprobe.data.errors import ReadingProblem
from lingprobe.data.narrowing import draw_sign_matrix
from lingprobe.data.reading import read_of, reads_of
from lingprobe.data.vectors import Vectors

TEXTS = [f"text number {k} of {'many' if k % 2 else 'few'}" for k in range(200)]
LABELS = ["odd" if k % 2 else "even" for k in range(200)]


def informed_at(place: int, dim: int = 32) -> np.ndarray:
    """Vectors [200, dim] that tell the label by one of their numbers."""
    drawn = np.random.default_rng(3).standard_normal((len(TEXTS), dim)).astype(np.float32)
    drawn[:, place] += 6 * (np.arange(len(TEXTS)) % 2)
    return drawn


@given(st.integers(1, 40), st.integers(1, 12), st.sampled_from(["first", "random"]), st.data())
def test_rows_of_a_narrow_layer_are_those_of_an_array(dim, count, how, data):
    width = data.draw(st.integers(1, dim))
    layer = np.random.default_rng(dim).standard_normal((count, dim)).astype(np.float32)
    narrow = Vectors((layer,), ("6",)).layer(f"{how}{width}:6")
    if how == "first" or width == dim:
        expected = layer[:, :width]
    else:
        expected = layer @ draw_sign_matrix(dim, width)
    assert np.allclose(np.asarray(narrow), expected, atol=1e-5)
    assert narrow.shape == expected.shape
    rows = np.array(data.draw(st.lists(st.integers(0, count - 1), max_size=8)), np.int64)
    assert np.allclose(narrow[rows], expected[rows], atol=1e-5)
    assert np.allclose(narrow[1:], expected[1:], atol=1e-5)


def test_random_directions_keep_lengths_on_average():
    layer = np.random.default_rng(0).standard_normal((2000, 300))
    projected = layer @ draw_sign_matrix(300, 60)
    assert np.square(projected).sum() / np.square(layer).sum() == pytest.approx(1, abs=0.03)


def test_reads_of_each_layer():
    names = ("lex", "1", "2")
    assert reads_of(["layers", "first8"], names) == (*names, *(f"first8:{n}" for n in names))
    assert read_of("random4:top", names).layers == ("random4:2",)
    assert read_of("first8:top", names).layers == ("first8:2",)
    assert read_of("cat:first8:1+2", names).whole_layers == ("1", "2")
    with pytest.raises(ReadingProblem, match="no layer called '9'"):
        read_of("first8:9", names)
    with pytest.raises(ReadingProblem, match="no layer called 'first0:1'"):
        read_of("first0:1", names)


def test_one_run_measures_widths_beside_the_whole():
    """What lies in number 20 is in the first 24 numbers and not in the first 16, and in most of
    many random directions.
    """
    found = lingprobe.evaluate(
        {"mine": (TEXTS, informed_at(20))},
        {"parity": (TEXTS, LABELS)},
        layers=["layers", "first16", "first24", "random24"],
        baselines="none",
    )
    scores = {r.trial.read: r.score for r in found.results}
    assert set(scores) == {"-", "first16:-", "first24:-", "random24:-"}
    assert scores["first16:-"] < 0.65
    assert scores["first24:-"] > 0.95
    assert 0.8 < scores["random24:-"] <= 1


def test_a_layer_with_no_more_numbers_is_read_whole():
    found = lingprobe.evaluate(
        {"mine": (TEXTS, informed_at(0))},
        {"parity": (TEXTS, LABELS)},
        layers=["layers", "first64", "random64"],
        baselines="none",
    )
    scores = {r.trial.read: r.score for r in found.results}
    assert scores["first64:-"] == scores["random64:-"] == scores["-"]


def test_a_kept_probe_reads_the_same_numbers(tmp_path):
    vectors = informed_at(3)
    kept = lingprobe.fit((TEXTS, vectors), {"parity": (TEXTS, LABELS)}, layer="first8:-")
    kept.save(tmp_path / "kept")
    assert kept.weights.shape[-1] == 8
    said = kept.predict(TEXTS)
    assert np.mean([one == label for one, label in zip(said, LABELS, strict=True)]) > 0.95


def test_random_directions_are_those_that_a_run_is_projected_on():
    encoder, data = {"mine": (TEXTS, informed_at(20))}, {"parity": (TEXTS, LABELS)}
    read = lingprobe.evaluate(encoder, data, layers=["random8"], baselines="none")
    whole = lingprobe.evaluate(encoder, data, project=8, baselines="none")
    scores = [
        [(r.trial.task, r.provenance.choice["member"], r.score) for r in one.results]
        for one in (read, whole)
    ]
    assert len(scores[0]) > 1
    assert scores[0] == scores[1]


@pytest.fixture(scope="module")
def two_widths():
    """A narrow encoder and one that is twice as wide, with a read of the narrower one's width."""
    wide = np.concatenate([informed_at(20), informed_at(5)], 1)
    narrow = informed_at(20)
    return lingprobe.evaluate(
        {"narrow": (TEXTS, narrow), "wide": (TEXTS, wide)},
        {"parity": (TEXTS, LABELS)},
        layers=["layers", "random32"],
        baselines="none",
    )


def test_encoders_of_unlike_width_are_compared_at_one_width(two_widths):
    scores = {(r.trial.encoder, r.trial.read): [] for r in two_widths.results}
    for r in two_widths.results:
        scores[r.trial.encoder, r.trial.read].append(r.score)
    (one,) = lingprobe.compare(two_widths, pairs=True).found
    mean = {name: 100 * np.mean(each) for name, each in scores.items()}
    at_width = mean["wide", "random32:-"] - mean["narrow", "-"]
    assert one.width == 32
    sign = 1 if one.first.startswith("wide") else -1
    assert one.width_difference == pytest.approx(sign * at_width, abs=1e-6)
    assert one.width_low <= one.width_difference <= one.width_high
    assert "at one width" in str(lingprobe.compare(two_widths, pairs=True))


def test_some_numbers_of_a_layer_are_no_layer_to_choose(two_widths):
    assert "random32" not in str(lingprobe.compare(two_widths))
    asked = lingprobe.compare(two_widths, layers="random32:-")
    names = {one.first for one in asked.found}
    assert names == {"narrow, random32:-, linear", "wide, random32:-, linear"}


def test_what_would_compare_at_one_width_is_said():
    found = lingprobe.evaluate(
        {"narrow": (TEXTS, informed_at(20)), "wide": (TEXTS, informed_at(20, 64))},
        {"parity": (TEXTS, LABELS)},
        baselines="none",
    )
    compared = lingprobe.compare(found, pairs=True)
    assert "`--layers layers randomN`" in compared.page.with_all_notes().text()
    assert not compared.found[0].width
