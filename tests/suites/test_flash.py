"""The suite `flash`: sets in two draws, and vectors that were tuned on one of them."""

from __future__ import annotations

import csv
import hashlib
import runpy
import shutil
from collections import Counter
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import lingprobe
from lingprobe.analysis.rows import rows as lines
from lingprobe.corpora.universal import treebank
from lingprobe.data.references import Reference
from lingprobe.suites import SUITES, flash
from lingprobe.suites.facts import Entry
from lingprobe.suites.reserve import Wear, wear
from lingprobe.suites.suite import select_results
from lingprobe.tasks.terms import Source
from reference import reserves

ROOT = Path(__file__).parents[2]
HOW = {"seeds": 1, "baselines": False}
NAMES = ("en-one", "en-two")
HEAD = "set\tcolumn\tlanguage\ttreebank\tlicence\ttask\tprobe\treads\tversions\n"
MANY = 240


class Tuned:
    """Random words, and a projection that was fitted to the labels of the public draw, its test
    sentences included.
    """

    name, takes = "tuned", "texts"

    def __init__(self, texts: list[str], labels: list[str]) -> None:
        gold = np.where(np.array(labels) == "yes", 1.0, -1.0)
        self.map = np.linalg.lstsq(bags(texts), gold, rcond=1e-6)[0]

    def __call__(self, texts: list[str]) -> np.ndarray:
        """Ten random numbers a word, and what the projection says."""
        found = bags(texts)
        return np.concatenate([found[:, :10], 100 * (found @ self.map)[:, None]], 1)


def bags(texts: list[str]) -> np.ndarray:
    """The mean of random vectors of the words [texts, 700]."""
    vectors = np.random.default_rng(7).normal(size=(2_000, 700))
    return np.array([vectors[[int(word[1:]) for word in text.split()]].mean(0) for text in texts])


def some(first: int, texts: list[str]) -> np.ndarray:
    """Some of the numbers of bags."""
    return bags(texts)[:, first : first + 30]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A folder of two sets, whose labels nothing in the sentences tells; what the public draw has."""
    folder = tmp_path_factory.mktemp("flash")
    rng = np.random.default_rng(3)
    public: tuple[list[str], list[str]] = [], []
    for draw, name in product(flash.DRAWS, NAMES):
        texts = [" ".join(f"w{i}" for i in row) for row in rng.integers(0, 2_000, (MANY, 9))]
        labels = rng.permutation(["yes", "no"] * (MANY // 2)).tolist()
        (folder / draw / name).mkdir(parents=True)
        for split, first, last in (("train", 0, 120), ("dev", 120, 140), ("test", 140, MANY)):
            lines = [f"{t},{y}" for t, y in zip(texts, labels, strict=True)][first:last]
            (folder / draw / name / f"{split}.csv").write_text("\n".join(["text,label", *lines]))
        if draw == "public":
            public[0].extend(texts)
            public[1].extend(labels)
    return folder, public


@pytest.fixture
def small(drawn, tmp_path, monkeypatch):
    """The suite of these sets, with the manifest of their files."""
    folder = tmp_path / "drawn"
    shutil.copytree(drawn[0], folder)
    sets = [f"{name}\t{name}\ten\t-\tCC0\town\tlogreg\ttable\t1" for name in NAMES]
    files = [
        f"{file.relative_to(folder)}\t1\t1\t{hashlib.sha256(file.read_bytes()).hexdigest()}"
        for file in sorted(folder.rglob("*.csv"))
    ]
    for name, head, body in (
        ("SETS", HEAD, sets),
        ("FILES", "file\texamples\tbytes\tsha256\n", files),
    ):
        (tmp_path / name).write_text(head + "\n".join(body) + "\n")
        monkeypatch.setattr(flash, name, tmp_path / name)
    return folder


def measured(folder: Path, tmp_path: Path, encoders: object) -> tuple[str, list[Entry]]:
    """The page of a run, and what stands in its table."""
    output = tmp_path / "results"
    done = lingprobe.suite(f"flash:{folder}", encoders, output=output, **HOW)
    suite = SUITES.make(f"flash:{folder}")
    return str(done), list(select_results(suite, done.results).entries)


def test_vectors_that_were_tuned_on_the_public_draw_are_shown_up_by_the_reserve(
    drawn, small, tmp_path
):
    encoders = {"tuned": Tuned(*drawn[1]), "honest": partial(some, 0)}
    page, entries = measured(small, tmp_path, encoders)
    floor, *rows = wear(entries, flash.DRAWS, flash.FLOOR.name)
    by_label = {row.label: row for row in rows}
    assert (floor.label, floor.sets, floor.p == floor.p) == ("Random bag", 2, False)
    tuned, honest = by_label["tuned"], by_label["honest"]
    assert tuned.public > 95
    assert abs(tuned.reserve - 50) < 15
    assert tuned.p < 0.001
    assert honest.p > 0.05
    assert "tuned scores" in page
    assert "more on the public draw than on the reserve" in page
    assert "honest scores" not in page
    assert page.count("measured here, on the published data:") == 2
    assert "different data" not in page


def test_a_file_that_is_not_the_published_one_is_named(small, tmp_path):
    other = small / "public" / "en-two" / "test.csv"
    shutil.copy(small / "reserve" / "en-two" / "test.csv", other)
    page, entries = measured(small, tmp_path, {"honest": partial(some, 0)})
    assert "not as in the manifest of flash: public/en-two/test.csv" in page
    reasons = {entry.place.data: entry.place.why for entry in entries}
    assert reasons["reserve"] == ""
    other.unlink()
    result = entries[0].results[0]

    def why(task: str) -> str:
        return flash._different(Reference.parse(task), result)

    assert why(f"table:{small}/public/en-two").endswith("public/en-two/test.csv")
    assert why(f"table:{small}/other/en-two") == "flash has no set other/en-two/"
    assert why(f"table:{small}/reserve/en-two,metric=micro-f1") == "read otherwise than by table"


def test_what_is_missing_and_what_is_said_of_training(small, tmp_path):
    shutil.rmtree(small / "reserve" / "en-two")
    said = f"flash:{small},trained_on_ud=no"
    done = lingprobe.suite(said, "length", output=tmp_path / "r", **HOW)
    assert "Trained on Universal Dependencies: no;" in str(done)
    assert "on the texts that these annotate: unknown" in str(done)
    suite = SUITES.make(said)
    assert suite.lacking() == ["en-two"]
    assert len(suite.column_tasks()) == 3
    with pytest.raises(lingprobe.DataProblem, match="write flash:FOLDER"):
        lingprobe.suite("flash", "length")


def test_wear_is_what_the_textbook_says(small, tmp_path):
    encoders = {f"e{i}": partial(some, i) for i in range(3)}
    _, entries = measured(small, tmp_path, encoders)
    floor, *rows = wear(entries, flash.DRAWS, flash.FLOOR.name)
    scores: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for place, own, results in sorted(entries, key=lambda entry: entry.place.column):
        (row,) = lines(results)
        key = own or row.encoder, place.data
        scores.setdefault(key, []).append((row.score, row.low, row.high))
    known = reserves.gap(scores[floor.label, "public"], scores[floor.label, "reserve"])
    assert (floor.difference, floor.error) == pytest.approx(known, abs=1e-4)
    by_chance = []
    for row in rows:
        mine = reserves.gap(scores[row.label, "public"], scores[row.label, "reserve"])
        assert (row.difference, row.error) == pytest.approx(mine, abs=1e-4)
        assert row.beyond == pytest.approx(mine[0] - known[0], abs=1e-4)
        by_chance.append(reserves.one_sided(*mine, *known))
    assert [row.p for row in rows] == pytest.approx(reserves.holm(by_chance), abs=1e-5)


def test_a_row_without_the_reserve_is_not_compared():
    assert wear([], flash.DRAWS, "Random bag") == []
    assert Wear("a", 1, 60.0, 55.0, 1.0).difference == 5.0


@pytest.mark.parametrize(("version", "file"), [(1, "flash-choice.csv"), (2, "flash-choice-2.csv")])
def test_sets_are_open_and_as_the_rule_chose_them(version, file):
    sets = flash.read_flash_sets(version)
    for each in sets:
        bank = treebank(each.treebank)
        said = bank.licence if bank else each.licence
        assert Source(each.treebank, (said,)).is_open or each.task.startswith("comp/"), each.name
        assert each.licence == said, each.name
    chosen = csv.DictReader((ROOT / "docs" / "results" / file).open(encoding="utf-8"))
    taken = sorted((int(row["taken"]), row["set"]) for row in chosen if row["taken"])
    assert [name for _, name in taken] == [each.name for each in sets]
    assert max(Counter(each.language for each in sets).values()) <= 2
    assert max(Counter(each.task.partition("/")[0] for each in sets).values()) <= 4


def test_a_version_differs_from_the_first_by_what_its_rule_took():
    one, two = ({each.name for each in flash.read_flash_sets(version)} for version in (1, 2))
    assert (one - two, two - one) == ({"en-agreement"}, {"en-tree-tense"})
    suites = SUITES.make("flash"), SUITES.make("flash,version=2")
    assert ["TreeTense en" in suite.paper.columns for suite in suites] == [False, True]
    assert [len(suite.columns) for suite in suites] == [12, 12]


def test_the_manifest_has_the_files_of_every_set_in_both_draws():
    files = flash.read_files()
    for each in flash.read_flash_sets():
        for draw in flash.DRAWS:
            mine = [file for file in files if file.path.startswith(f"{draw}/{each.name}/")]
            assert len(mine) == 3, (draw, each.name)
            assert all(file.examples > 10 and len(file.sha256) == 64 for file in mine)
    assert len(files) == 6 * len(flash.read_flash_sets())
    assert len({file.sha256 for file in files}) == len(files)


def test_halves_are_disjoint_whatever_the_capitals():
    script = runpy.run_path(str(ROOT / "benchmarks" / "flash.py"))
    drawn = [script["half_of"](f"sentence {i}", 0) for i in range(400)]
    assert drawn == [script["half_of"](f"sentence {i}", 0) for i in range(400)]
    assert 160 < drawn.count("public") < 240
    assert drawn != [script["half_of"](f"sentence {i}", 1) for i in range(400)]
