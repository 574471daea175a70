"""Whether transfer loses more between languages that are further apart, against loops of the
definition.
"""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

import lingprobe
from fixtures.frames import frame_of
from lingprobe import DataProblem
from lingprobe.inside.languages.distances import (
    MantelTest,
    add_distances,
    check_distances,
    of_matrices,
    read_distances,
)
from lingprobe.inside.languages.views import TRANSFER_VIEW
from lingprobe.pages.view_page import show_rows

NAMES = [f"l{i:02}" for i in range(20)]
RNG = np.random.default_rng(0)
PLACES = RNG.normal(size=(20, 2))
APART = np.round(np.linalg.norm(PLACES[:, None] - PLACES[None], axis=2), 3)


def _pairs(one, other, order):
    size = len(one)
    cells = [(i, j) for i in range(size) for j in range(size) if i != j]
    cells = [(i, j) for i, j in cells if not math.isnan(one[i][j])]
    return [one[i][j] for i, j in cells], [other[order[i]][order[j]] for i, j in cells]


@pytest.mark.parametrize("gap", [False, True])
def test_a_correlation_and_its_p_are_those_of_the_definition(gap):
    losses, apart = RNG.normal(size=(5, 5)), APART[:5, :5]
    losses += 2 * apart
    losses[1, 3] = math.nan if gap else losses[1, 3]
    seen = spearmanr(*_pairs(losses, apart, range(5))).statistic
    every = [spearmanr(*_pairs(losses, apart, order)).statistic for order in permutations(range(5))]
    p = np.mean(np.abs(every) >= abs(seen) - 1e-12)

    found = of_matrices(losses, apart, draws=4_000)

    assert found.rho == pytest.approx(seen, abs=1e-12)
    assert found.p == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 4_000) + 1 / 4_000)
    assert (found.languages, found.pairs) == (5, 20 - gap)


def test_what_belongs_to_languages_is_no_evidence_of_pairs():
    """Each language has its own loss, whatever the distance: pairs are not independent, and a test
    of 380 pairs would say so too often.
    """
    mantels, naive = 0, 0
    for seed in range(200):
        rng = np.random.default_rng([7, seed])
        places = rng.normal(size=(20, 1)) ** 3
        apart = np.abs(places - places.T)
        own = rng.normal(size=20) ** 3
        losses = own[:, None] + own[None] + 0.1 * rng.normal(size=(20, 20))
        mantels += of_matrices(losses, apart, seed, draws=99).p <= 0.05
        naive += spearmanr(*_pairs(losses, apart, range(20))).pvalue <= 0.05
    assert mantels <= 20  # more in 1 of 1,000 sets of draws at 5 %
    assert naive >= 100


def _cells(slope, noise=1.0):
    rng = np.random.default_rng(1)
    for i, source in enumerate(NAMES):
        for j, target in enumerate(NAMES):
            score = 90.0 - (i != j) * (slope * APART[i, j] + noise * rng.normal())
            yield {
                "task": "ud/tense",
                "encoder": "e",
                "layer": "-",
                "probe": "logreg",
                "role": "trained",
                "is_repeated_copy": False,
                "train_on": source,
                "language": target,
                "n_train": 100,
                "n_test": 100,
                "score": score,
                "upper": 90.0,
            }


def _page(distances):
    """The page of cells with distances, as `transfer` makes it."""

    def page(rows):
        frame = add_distances(frame_of(TRANSFER_VIEW, rows, math.nan), distances)
        (test,) = (each for each in TRANSFER_VIEW.statistics if isinstance(each, MantelTest))
        return show_rows(TRANSFER_VIEW, frame.with_columns(test.compute(frame, frame)))

    return page


def _table(names=NAMES, apart=APART):
    lines = [",".join(["", *names])]
    lines += [
        ",".join([name, *(f"{v:g}" for v in row)]) for name, row in zip(names, apart, strict=True)
    ]
    return "\n".join(lines) + "\n"


def _file(tmp_path: Path, text: str) -> Path:
    place = tmp_path / "apart.csv"
    place.write_text(text)
    return place


@pytest.mark.parametrize(
    ("slope", "said"),
    [
        (3.0, "loses more between languages that are further apart"),
        (-3.0, "loses less between languages that are further apart"),
        (0.0, "is not shown to lose more or less"),
    ],
)
def test_the_page_says_which_way_losses_go(tmp_path, slope, said):
    distances = read_distances(_file(tmp_path, _table()))

    page = _page(distances)(list(_cells(slope)))
    text = page.text()

    assert said in text
    assert "20 languages, 380 pairs" in text
    assert "distance" in page.text("csv").splitlines()[0]


def test_without_distances_nothing_is_said(tmp_path):
    assert "Mantel" not in _page({})(list(_cells(3.0))).text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",a,b\na,0,1\nb,1\n", r"apart.csv:3: 2 cells where the header has 3"),
        (",a,b\na,0,x\nb,1,0\n", r"apart.csv:2: 'x' is not a distance"),
        (",a,b\na,0,-1\nb,-1,0\n", r"apart.csv:2: '-1' is not a distance"),
        (",a,b\na,0,nan\nb,1,0\n", r"apart.csv:2: 'nan' is not a distance"),
        (",a,b\na,0,1\n", r"'b' is not both a row and a column"),
        (",a,b\na,1,1\nb,1,0\n", r"a is at 1 from itself"),
        (",a,b\na,0,1\nb,2,0\n", r"a to b is not what b to a is"),
        ("", r"has no distances"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path, text, message):
    with pytest.raises(DataProblem, match=message):
        read_distances(_file(tmp_path, text))


def test_few_languages_and_those_without_a_distance_are_refused_before_work(tmp_path):
    place = _file(tmp_path, _table())
    with pytest.raises(DataProblem, match=r"at least 20 languages .* found 1"):
        lingprobe.transfer("ud/tense", "bow:random", train="en_x", test="en_x", distances=place)
    distances = read_distances(place)
    with pytest.raises(DataProblem, match="no distance of other: the table has l00"):
        check_distances(distances, iter([*NAMES, "other"]), iter(NAMES))
    check_distances(distances, NAMES, NAMES)
