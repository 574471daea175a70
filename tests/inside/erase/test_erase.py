"""Constructed encoders whose properties are told apart, and what stands behind the matrix."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from zlib import crc32

import numpy as np
import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.frames import sentences
from lingprobe import DataProblem, UsageProblem
from lingprobe.analysis.statistics import compare_with_each
from lingprobe.cli import app
from lingprobe.data import identity
from lingprobe.data.core import Predictions
from lingprobe.data.examples import Dataset, Example, Sentence, Site
from lingprobe.data.labels import build_column
from lingprobe.inside.erase import division as division_room
from lingprobe.inside.erase.change import (
    collateral_change,
    compute_completeness,
    compute_probabilities,
    compute_reliability,
)
from lingprobe.inside.erase.division import (
    LabelPairing,
    compute_dependence,
    divide_for_erasure,
    labels_on,
)
from lingprobe.inside.erase.files import read_eraser
from lingprobe.inside.erase.fitting import EraserBaselines, EraserData, fit_eraser
from lingprobe.inside.erase.views import ERASURE_VIEW

DIM = 16
SCALES = np.linspace(0.5, 4, DIM - 2)
FACTS = {"fits": Counter(), "draws": 5}
QUICK = {"probe": "logreg,c=0.1", "nonlinear": "", "draws": 4}


def texts(n: int, related: float = 0.5, seed: int = 0) -> tuple[list[str], list[str], list[str]]:
    """Sentences of which the first word says A and the second B, equal in a share of them."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, n)
    b = np.where(rng.random(n) < related, a, 1 - a)
    written = [f"a{i} b{j} w{k}" for k, (i, j) in enumerate(zip(a, b, strict=True))]
    return written, [f"a{i}" for i in a], [f"b{j}" for j in b]


def tasks(n: int, related: float = 0.5):
    written, a, b = texts(n, related)
    return (lingprobe.table((written, labels), name=name) for labels, name in ((a, "A"), (b, "B")))


class Made:
    """Vectors in which A and B have a direction each, or share one."""

    def __init__(self, one: bool = False) -> None:
        self.one, self.name = one, f"made-{one}"

    def encode(self, sentences):
        return np.array([self._vector(text) for text in sentences], np.float32)

    def _vector(self, text: str) -> np.ndarray:
        a, b = text[1] == "1", text[4] == "1"
        row = np.random.default_rng(crc32(text.encode())).normal(size=DIM)
        row[2:] *= SCALES  # most of the variance has nothing to do with either
        row[0] += 2.5 * a + 2.5 * b * self.one
        row[1] += 2.5 * b * (not self.one)
        return row


def matrix(page):
    return {(cell.erased, cell.measured): cell for cell in page.content}


def erase(n, related=0.5, one=False, tmp=None, **more):
    a, b = tasks(n, related)
    return lingprobe.erase([a, b], {"made": Made(one)}, cache=tmp, **{**QUICK, **more})


def test_of_two_directions_one_is_erased_and_the_other_stays(tmp_path):
    found = matrix(erase(2400, tmp=tmp_path))
    for name, other in (("A", "B"), ("B", "A")):
        own, beside = found[name, name], found[name, other]
        assert own.verdict == "falls"
        assert own.before > 85
        assert own.after < 58
        assert own.left_p > 0.05
        assert own.completeness > 70
        assert beside.verdict == "no significant difference"
        assert beside.before - beside.after < 3
        assert beside.sample == "all"
        assert beside.angle > 60
        # floors leave both
        assert min(own.rank_floor, own.shuffled_floor) > 75
        assert beside.reliability > 80


def test_of_one_direction_both_go(tmp_path):
    found = matrix(erase(2400, one=True, tmp=tmp_path))
    assert found["B", "B"].verdict == "falls"
    assert found["A", "B"].verdict == "falls"
    assert found["A", "B"].sample == "all"
    assert found["A", "B"].beyond > 5


def test_correlated_labels_are_told_from_a_shared_direction(tmp_path, monkeypatch):
    cell = matrix(erase(3000, 0.85, tmp=tmp_path))["A", "B"]
    assert cell.sample == "independent"
    assert cell.dependence == pytest.approx(0.7, abs=0.06)
    assert cell.verdict == "no significant difference"
    monkeypatch.setattr(division_room, "_RELATED", 2.0)
    naive = matrix(erase(3000, 0.85, tmp=tmp_path))["A", "B"]
    assert naive.sample == "all"
    assert naive.verdict == "falls"


def test_labels_that_hardly_differ_are_marked(tmp_path):
    page = erase(1200, 0.995, tmp=tmp_path)
    cell = matrix(page)["A", "B"]
    assert cell.sample == "dependent"
    assert "are not judged" in str(page)


def test_stored_vectors_are_read_and_none_is_written(tmp_path):
    a, b = tasks(900)
    lingprobe.run([a, b], "bow:random", probes=["logreg,c=0.1"], seeds=1, baselines="none",
                  cache=tmp_path, output=tmp_path / "r")  # fmt: skip
    folder = tmp_path / "vectors"
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert before
    lingprobe.erase([a], "bow:random", cache=tmp_path, **QUICK)
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before


def test_ordinary_fits_are_one_a_cell_and_one_a_task(tmp_path):
    page = erase(900, tmp=tmp_path, draws=1)
    assert "6 trained probes for 4 cells" in str(page)
    assert "12 for baselines" in str(page)
    a, b = tasks(900)
    page = lingprobe.erase([a], {"made": Made()}, measure=[b], cache=tmp_path, **QUICK)
    assert [(c.erased, c.measured) for c in page.content] == [("A", "A"), ("A", "B")]
    assert "4 trained probes for 2 cells" in str(page)


def test_the_same_request_has_the_same_numbers(tmp_path):
    first, again = (erase(600, tmp=tmp_path, draws=1).text("csv") for _ in range(2))
    assert first == again


def test_floors_do_not_depend_on_where_files_lie(tmp_path):
    written, labels, _ = texts(300)
    splits = ["train", "train", "train", "dev", "test"] * 60
    rows = [
        json.dumps({"text": text, "label": label, "split": split})
        for text, label, split in zip(written, labels, splits, strict=True)
    ]
    found = []
    for place in ("here", "there"):
        folder = tmp_path / place
        folder.mkdir()
        (folder / "data.jsonl").write_text("\n".join(rows))
        page = lingprobe.erase(
            f"table:{folder}/data.jsonl", "bow:random,dim=16", draws=2, nonlinear="",
            probe="logreg,c=1", cache=tmp_path / f"cache-{place}",
        )  # fmt: skip
        (cell,) = page.content
        found.append((cell.after, cell.rank_floor, cell.variance_floor, cell.shuffled_floor))
    assert found[0] == found[1]


@pytest.mark.parametrize("method", ["inlp", "mean"])
def test_other_methods_erase_as_well(method, tmp_path):
    found = matrix(erase(2400, tmp=tmp_path, method=method, draws=1))
    assert found["A", "A"].after < 65
    assert found["A", "B"].after > 80


def test_a_curve_over_ranks_has_a_matrix_for_each(tmp_path):
    page = erase(900, tmp=tmp_path, method="inlp", ranks=[1, 3], draws=1)
    assert [table.title.rpartition(", ")[2] for table in page.tables] == ["rank 1", "rank 3"]
    assert Counter(cell.rank for cell in page.content) == {1: 4, 3: 4}


def test_erasers_are_written_and_say_what_they_are_of(tmp_path):
    erase(900, tmp=tmp_path, erasers=tmp_path / "e")
    files = sorted((tmp_path / "e").iterdir())
    made = [read_eraser(path) for path in files]
    assert [each.task for each in made] == ["A", "B"]
    assert {each.method for each in made} == {"leace"}
    assert all(each.identity[:8] in path.name for each, path in zip(made, files, strict=True))
    assert made[0].n > 100
    assert set(made[0].made_of) == {"task", "encoder", "sentences"}


def test_what_cannot_be_is_said(tmp_path):
    with pytest.raises(UsageProblem, match="method"):
        erase(300, tmp=tmp_path, method="lace")
    with pytest.raises(UsageProblem, match="draws=0: write a number from 1 on"):
        erase(300, tmp=tmp_path, draws=0)


@pytest.mark.usefixtures("whole_treebank")  # without folds
def test_the_command_shows_and_writes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = "erase -t ud/tense:embedded --measure ud/passive:embedded -e bow:random --limit 900"
    asked += " --probe logreg,c=0.1 --nonlinear mlp,hidden=8,dropout=0,l2=0 --draws 1 --cache c -q"
    done = CliRunner().invoke(app, asked.split())
    assert done.exit_code == 0, done.output
    assert "ud/tense:embedded" in done.output.splitlines()[0]
    assert "a nonlinear probe" in done.output
    for name in ("x.csv", "x.svg", "x.html"):
        assert CliRunner().invoke(app, [*asked.split(), "-o", name]).exit_code == 0
    assert (tmp_path / "x.csv").read_text().startswith("encoder,layer,method")
    assert "<svg" in (tmp_path / "x.svg").read_text()


def data_of(*rows: tuple[str, str, str]) -> Dataset:
    return Dataset.of(Example.about(Sentence.of(t.split()), y, s) for t, y, s in rows)


def test_no_sentence_is_in_two_parts_whatever_the_task():
    rng = np.random.default_rng(0)
    datasets = [
        data_of(*((f"s{k}", "xy"[k % 2], rng.choice(["train", "train", "dev", "test"]))
                  for k in range(start, start + 400)))
        for start in (0, 150)
    ]  # fmt: skip
    parts = divide_for_erasure(datasets)

    def keys(i, rows):
        return {datasets[i].sentences[k].key for k in datasets[i].sites[rows, 0, 0].tolist()}

    seen = set.union(*(keys(i, part.eraser) for i, part in enumerate(parts)))
    others = set.union(*(keys(i, rows) for i, part in enumerate(parts) for rows in part[1:]))
    assert not seen & others
    for data, part in zip(datasets, parts, strict=True):
        assert len(part.eraser) > 50
        assert sum(map(len, part)) == len(data)


def test_a_pair_of_sentences_of_two_parts_is_in_none():
    sentences = [Sentence.of([f"s{k}"]) for k in range(200)]
    data = Dataset.of(
        Example((Site(a), Site(b)), "xy"[k % 2], "train")
        for k, (a, b) in enumerate(pairwise(sentences))
    )
    (part,) = divide_for_erasure([data])
    even = {k for k, s in enumerate(data.sentences) if s.key[0] % 2 == 0}
    assert all(set(data.sites[row, :, 0].tolist()) <= even for row in part.eraser)
    assert not any(set(data.sites[row, :, 0].tolist()) & even for row in part.train)
    assert len(part.eraser) + len(part.train) < len(data)


def test_labels_of_one_task_on_the_examples_of_another():
    one = data_of(("p q", "x", "train"), ("r s", "y", "train"))
    words = [
        Example((Site(Sentence.of(["r", "s"]), (0, 1)),), "N", "train"),
        Example((Site(Sentence.of(["t"]), (0, 1)),), "V", "train"),
        Example((Site(Sentence.of(["p", "q"]), (1, 2)),), "V", "train"),
    ]
    assert labels_on(one, Dataset.of(words)).tolist() == [1, -1, 0]
    assert labels_on(Dataset.of(words), one).tolist() == [-1, -1]
    assert labels_on(one, data_of(("r s", "a", "train"), ("u", "b", "train"))).tolist() == [1, -1]


def test_dependence_is_cramers_v():
    rng = np.random.default_rng(0)
    one = rng.integers(0, 3, 500)
    other = np.where(rng.random(500) < 0.5, one % 2, rng.integers(0, 2, 500))
    table = np.array([[((one == i) & (other == j)).sum() for j in range(2)] for i in range(3)])
    expected = np.outer(table.sum(1), table.sum(0)) / 500
    chi = ((table - expected) ** 2 / expected).sum()
    found = compute_dependence(one, other)
    assert found.v == pytest.approx(np.sqrt(chi / 500))
    assert found.is_clear
    assert not compute_dependence(one[:40], other[:40]).is_known
    assert not compute_dependence(one, rng.permutation(other)).is_clear


def test_an_independent_sample_has_each_pair_of_labels_equally_often():
    written, a, b = texts(3000, 0.8)
    rng = np.random.default_rng(1)
    splits = rng.choice(["train", "train", "dev", "test"], 3000)
    one, other = (data_of(*zip(written, labels, splits, strict=True)) for labels in (a, b))
    pairing = LabelPairing.of(one, other)
    rows, part = pairing.independent(*divide_for_erasure([one, other]))
    for some in (rows, part.train, part.dev, part.test):
        pairs = Counter((a[k], b[k]) for k in some.tolist())
        assert len(pairs) == 4
        assert len(set(pairs.values())) == 1
    assert set(rows.tolist()).isdisjoint(np.concatenate(part[1:]).tolist())


def test_completeness_and_collateral_change_are_means_of_distances():
    """Canby et al. (2024): 1 - k / (k - 1) TV(p, uniform), TV(p, q) over the most that it can be,
    max(1 - min p, max p), and the harmonic mean.
    """
    rng = np.random.default_rng(0)
    p, q = (rng.dirichlet(np.ones(3), 20) for _ in range(2))
    complete = np.mean([1 - 1.5 * sum(abs(v - 1 / 3) for v in row) / 2 for row in q])
    moved = np.mean(
        [
            sum(abs(x - y) for x, y in zip(i, j, strict=True)) / 2 / max(1 - min(i), *i)
            for i, j in zip(p, q, strict=True)
        ]
    )
    assert compute_completeness(q) == pytest.approx(complete)
    assert collateral_change(p, q) == pytest.approx(moved)
    assert compute_reliability(0.8, 0.4) == pytest.approx(2 * 0.8 * 0.6 / 1.4)
    assert compute_completeness(np.full((4, 2), 0.5)) == 1
    assert compute_completeness(np.eye(2)) == pytest.approx(0)
    assert collateral_change(np.eye(2), np.eye(2)[::-1]) == 1
    assert collateral_change(p, p) == 0
    assert compute_reliability(0.0, 0.5) == 0
    assert np.isnan(compute_completeness(None))


def test_distributions_are_those_of_the_link():
    scores = np.array([[0.0, np.log(3)], [1, 1]], np.float32)
    gold = build_column(["a", "b"])
    soft = compute_probabilities(Predictions(scores, ("a", "b"), gold, "softmax"))
    assert np.allclose(soft, [[0.25, 0.75], [0.5, 0.5]])
    each = compute_probabilities(Predictions(scores, ("a", "b"), gold, "sigmoid"))
    assert each.shape == (4, 2)
    assert np.allclose(each[1], [0.25, 0.75])
    assert compute_probabilities(Predictions(scores, ("a", "b"), gold)) is None


def test_floors_are_of_the_size_of_the_eraser():
    rng = np.random.default_rng(0)
    labels = build_column([f"c{k % 3}" for k in range(600)])
    x = rng.normal(size=(600, 8)) * np.arange(1, 9) + 3 * np.eye(8)[:3][labels.classes]
    source = EraserData([x], labels)
    eraser = fit_eraser(source, "leace")
    floors = list(EraserBaselines.of(source, "leace", eraser, "name").draw_all(4))
    assert Counter(kind for kind, _ in floors) == {"rank": 4, "variance": 4, "shuffled": 4}
    assert {each.rank for _, each in floors} == {2}
    covariance = source.moments.covariance
    for kind, each in floors:
        if kind == "variance":
            assert each.removed_variance(covariance) == pytest.approx(
                eraser.removed_variance(covariance), rel=1e-4
            )
    again = list(EraserBaselines.of(source, "leace", eraser, "name").draw_all(4))
    assert all(np.array_equal(a.left, b.left) for (_, a), (_, b) in zip(floors, again, strict=True))


def test_inlp_needs_classes_and_an_eraser_needs_labels():
    x = np.random.default_rng(0).normal(size=(60, 4))
    with pytest.raises(DataProblem, match="inlp is for classes"):
        fit_eraser(EraserData([x], build_column([float(k) for k in range(60)])), "inlp")
    with pytest.raises(DataProblem, match="without two labels"):
        fit_eraser(EraserData([x], build_column(["a"] * 60)), "leace")


def test_floors_are_the_same_when_code_changes(tmp_path, monkeypatch):
    def floors(folder: str, n: int = 200) -> list[float]:
        written, labels, _ = texts(n)
        task = lingprobe.table((written, labels), name="A")
        page = lingprobe.erase([task], {"made": Made()}, cache=tmp_path / folder, **QUICK)
        return [floor for cell in page.content for floor in (cell.rank_floor, cell.variance_floor)]

    before, known = floors("before"), identity.digest_code
    monkeypatch.setattr(identity, "digest_code", lambda *modules: f"other {known(*modules)}")
    assert floors("after") == before
    assert floors("others", 199) != before  # of other data they are other draws


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("falls", "a linear probe falls from 60.0 to 70.0 ("),
        ("rises", "which is above the baselines ("),
        ("no significant difference", "which does not differ significantly from the baselines ("),
    ],
)
def test_a_sentence_says_on_which_side_of_the_floors_a_task_is(verdict, said):
    """And nothing of a nonlinear probe but its two scores, as no test stands behind them."""
    numbers = {"before": 60.0, "score": 70.0, "nonlinear_before": 52.0, "nonlinear_after": 51.4}
    words = {"erased": "ud/a", "task": "ud/a", "verdict": verdict}
    (sentence,) = sentences(ERASURE_VIEW, [{**numbers, **words}], **FACTS)
    assert said in sentence
    assert "The score of a nonlinear probe changes from 52.0 to 51.4." in sentence


def test_one_draw_of_a_floor_that_does_as_much_is_enough():
    """Draws of a floor may differ by far more than their mean is sure of."""
    from lingprobe.data.labels import column_from_codes
    from lingprobe.metrics.intervals import FitAnswers

    gold = column_from_codes(np.zeros(400, np.int64), ("a", "b"))

    def said(*shares):
        codes = [(np.arange(400) >= 400 * share).astype(np.int64) for share in shares]
        return FitAnswers(gold, [column_from_codes(each, ("a", "b")) for each in codes])

    beyond, p = compare_with_each("accuracy", [said(0.9, 0.8, 0.85), said(0.8)], said(0.5))
    assert beyond == pytest.approx(0.3)
    assert p < 0.001
    beyond, p = compare_with_each("accuracy", [said(0.9, 0.45, 0.95), said(0.8)], said(0.5))
    assert beyond > 0.2
    assert p == 1
