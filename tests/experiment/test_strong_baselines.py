"""A label that a nonlinear probe finds in a bag of words, and a linear one does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import lingprobe
from lingprobe.data.errors import LingprobeError

WORDS = ["cedar", "river", "stone", "cloud", "amber", "quiet"]


def make_rows(n: int = 1200) -> tuple[list[str], list[str]]:
    """Texts whose label is whether one of two words is there without the other."""
    rng = np.random.default_rng(5)
    present = rng.random((n, len(WORDS))) < 0.5
    texts = [
        " so it is ".join(["thus", *(w for w, has in zip(WORDS, row, strict=True) if has), str(i)])
        for i, row in enumerate(present)
    ]
    return texts, np.where(present[:, 0] ^ present[:, 1], "yes", "no").tolist()


@dataclass(frozen=True)
class MostlyKnown:
    """Vectors in which the label can be read in nine texts of ten."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]
    name: str = "mostly-known"

    def encode(self, texts: list[str]) -> np.ndarray:
        rng = np.random.default_rng(3)
        sign = {
            t: 1.0 if y == "yes" else -1.0 for t, y in zip(self.texts, self.labels, strict=True)
        }
        noise = {t: rng.normal(size=8) for t in self.texts}
        kept = {t: 1.0 if rng.random() < 0.9 else -1.0 for t in self.texts}
        return np.stack([noise[t] + 4 * sign[t] * kept[t] * np.eye(8)[0] for t in texts])


@pytest.fixture(scope="module")
def evaluations(tmp_path_factory):
    texts, labels = make_rows()
    model = MostlyKnown(tuple(texts), tuple(labels))
    place = tmp_path_factory.mktemp("strong")
    return {
        which: lingprobe.evaluate(
            model,
            (texts, labels),
            baselines=which,
            seeds=1,
            output=place / which,
            cache=place / "cache",
        )
        for which in ("default", "strong")
    }


def test_a_bag_that_is_read_by_a_network_stands_in_the_way(evaluations):
    assert "1 of 1" not in str(evaluations["default"].verdicts)
    assert "is decodable" in str(evaluations["default"].verdicts)
    assert "not shown to be beyond the surface" not in str(evaluations["default"].verdicts)
    line = str(evaluations["strong"].verdicts)
    assert "is decodable" in line  # against random words it stays a linear question
    assert "not shown to be beyond the surface" in line
    assert "from char-ngrams,dim=300 read by mlp" in line


def test_only_baselines_of_the_surface_are_read_twice(evaluations):
    read = {
        (r.trial.encoder.partition(",")[0], r.trial.probe.partition(",")[0])
        for r in evaluations["strong"].results
    }
    twice = {name for name, probe in read if probe == "mlp"}
    assert twice == {"length", "bow:random", "char-ngrams"}
    assert {name for name, probe in read if probe == "linear"} > twice
    assert "mlp" not in {r.trial.probe.partition(",")[0] for r in evaluations["default"].results}


def test_a_yes_or_no_is_refused_with_what_there_is():
    with pytest.raises(LingprobeError, match="choose one of 'default', 'strong', 'none'"):
        lingprobe.run("ud/tense:embedded", "length", baselines=False)
