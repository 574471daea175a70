"""The structural probe on the whole road, on vectors whose answer is known, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lingprobe
from lingprobe.data.core import Cell, DataProblem, Dataset, Example, FitJob, Sentence, Site
from lingprobe.data.labels import (
    NumberList,
    NumberLists,
    build_column,
    join_columns,
    restore_column,
)
from lingprobe.data.reading import ReadingProblem, Readings
from lingprobe.data.references import ReferenceProblem
from lingprobe.data.vectors import Vectors, word_units
from lingprobe.inside.structure import fits, metrics
from lingprobe.inside.structure.trees import compute_root_paths, compute_tree_distances, tree_edges
from lingprobe.metrics import METRICS, MetricProblem
from lingprobe.probes import PROBES
from lingprobe.store.results import ArrayPool, ResultStore
from lingprobe.tasks import TASKS
from lingprobe.testing.tasks import same_labels

TREEBANK = """\
1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tslept\tsleep\tVERB\t_\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_
4\tand\tand\tCCONJ\t_\t_\t5\tcc\t_\t_
5\tate\teat\tVERB\t_\t_\t2\tconj\t_\t_

1\tNo\tno\tINTJ\t_\t_\t0\troot\t_\t_

"""


def drawn(name: str, many: int = 120) -> Readings:
    """Trees that stand in the vectors exactly: one axis an edge on the way to the root."""
    draws, rows, examples = np.random.default_rng(2), [], []
    for k in range(many):
        words = int(draws.integers(2, 9))
        order = draws.permutation(words).tolist()
        heads: list[int | None] = [None] * words
        for i in range(1, words):
            heads[order[i]] = order[draws.integers(i)]
        axes = np.zeros((words, 10), np.float32)
        for word, path in enumerate(compute_root_paths(heads)):
            axes[word, path] = 1
        rows.append(axes)
        values = compute_tree_distances(heads) if name == "distance" else axes.sum(1)
        sentence = Sentence.of(f"w{k}.{i}" for i in range(words))
        split = ("train", "train", "train", "dev", "test")[k % 5]
        label = NumberList(name, values)
        examples.append(Example((Site(sentence, (0, words)),), label, split))
    exact = np.concatenate(rows)
    random = draws.normal(size=exact.shape).astype(np.float32)
    spans = word_units(np.array([len(each) for each in rows]))
    vectors = Vectors((exact, random), ("tree", "noise"), spans)
    return Readings(Dataset.of(examples), vectors)


def fitted(readings: Readings, cells: tuple[Cell, ...], probe: str = "structural") -> list:
    parts = (readings.split(name) for name in ("train", "dev"))
    return PROBES.make(probe).fit(*parts, cells=cells)


@pytest.mark.parametrize(
    ("name", "metrics"),
    [("distance", ("uuas", "dspr")), ("depth", ("root-accuracy", "nspr"))],
)
def test_a_tree_in_the_vectors_is_found_and_noise_is_not(name, metrics):
    readings = drawn(name)
    test = readings.split("test")
    cells = Cell("tree", 0), Cell("noise", 0), Cell("tree", 1)
    fits = fitted(readings, cells, "structural,batch=1,epochs=25")
    exact, noise, other = (each.predict(test).decoded for each in fits)
    known = replace(fits[0], weights=np.eye(10, dtype=np.float32)).predict(test).decoded
    for metric in map(METRICS.make, metrics):
        assert metric(test.labels, known) == 1
        assert metric(test.labels, exact) > 0.9  # of so few sentences it learns no more
        assert metric(test.labels, other) > 0.9
        assert metric(test.labels, noise) < 0.7
    assert not np.array_equal(exact.values, other.values)  # seeds differ


def test_together_is_alone():
    readings = drawn("distance")
    cells = Cell("tree", 0), Cell("noise", 0), Cell("cat:tree+noise", 0)
    together = fitted(readings, cells, "structural,rank=3")
    for cell, one in zip(cells, together, strict=True):
        (alone,) = fitted(readings, (cell,), "structural,rank=3")
        assert np.array_equal(one.weights, alone.weights)
        assert one.weights.shape[1] == 3


def counted_passes(monkeypatch) -> list[int]:
    """How many maps each pass trains, as they are trained."""
    passes, train_all = [], fits.train_fits

    def counting(inputs, maps, *rest):
        passes.append(len(maps))
        return train_all(inputs, maps, *rest)

    monkeypatch.setattr(fits, "train_fits", counting)
    return passes


def test_ranks_are_one_pass(monkeypatch):
    readings, passes = drawn("distance", 40), counted_passes(monkeypatch)
    train, dev = (readings.split(name) for name in ("train", "dev"))
    probes = [PROBES.make(f"structural,rank={rank}") for rank in (1, 2, 10)]
    assert len({probe.kin for probe in probes}) == 1
    cells = Cell("tree", 0), Cell("noise", 0)
    jobs = [FitJob(train, dev, cells, probe) for probe in probes]
    other = FitJob(train.take(np.arange(9)), dev, cells, probes[1])
    together = probes[0].fit_all([*jobs, other])
    assert passes == [6, 2]
    for job, found in zip([*jobs, other], together, strict=True):
        alone = job.probe.fit(job.train, job.dev, cells=cells)
        assert all(np.array_equal(a.weights, b.weights) for a, b in zip(found, alone, strict=True))


def test_a_tree_that_is_a_chain_is_the_chain():
    dataset = drawn("distance").dataset
    sentence = dataset.sentences[0]
    heads = [None, *range(len(sentence.words) - 1)]
    site = (Site(sentence, (0, len(sentence.words))),)
    one = Dataset.of([Example(site, NumberList("distance", compute_tree_distances(heads)), "test")])
    readings = Readings(one, Vectors((np.zeros((1, 0), np.float32),)))
    (chain,) = PROBES.make("chain").fit(readings, readings, cells=(Cell("-", 0),))
    assert np.array_equal(chain.predict(readings).decoded.values, one.labels.values)


def test_punctuation_is_in_no_tree_and_a_word_alone_is_no_example(tmp_path):
    for split in ("train", "dev", "test"):
        (tmp_path / f"x-{split}.conllu").write_text(TREEBANK)
    task = TASKS.make(f"structure/distance:{tmp_path}")
    dataset = task.load()
    assert len(dataset) == 3
    assert dataset.notes.left_out == {"sentences of one word": 3}
    label = dataset.labels.label(0)
    #                                12 13 14 15 23 24 25 34 35 45
    assert label.values.tolist() == [1, 2, 3, 2, 1, 2, 1, 3, 2, 1]
    assert np.asarray(label.counts).tolist() == [i not in (1, 4, 7, 8) for i in range(10)]
    edges = tree_edges(np.array([0, 10]), label.values, np.asarray(label.counts))
    assert np.flatnonzero(edges).tolist() == [0, 6, 9]
    depth = TASKS.make(f"structure/depth:{tmp_path}").load().labels.label(0)
    assert depth.values.tolist() == [1, 0, 1, 2, 1]
    facts = task.facts("tree", dataset.sentences)[dataset.sentences[0]]
    assert [len(own) for own in facts] == depth.values.tolist()
    assert task.facts("tags", dataset.sentences)[dataset.sentences[0]][1] == (
        "upos=VERB",
        "behind word 1",
    )


def test_the_whole_road_in_one_pass(tmp_path, monkeypatch):
    passes = counted_passes(monkeypatch)
    evaluation = lingprobe.run(
        "structure/distance:embedded,size=60",
        ["gold:tree,width=none", "bow:random,dim=8,pool=none"],
        probes=["structural,epochs=2,rank=1", "structural,epochs=2,rank=3", "chain"],
        seeds=1,
        baselines="none",
        output=tmp_path / "kept",
    )
    assert not evaluation.failures
    assert passes == [2, 2]
    assert len(evaluation.results) == 5
    for result in evaluation.results:
        assert result.n == 6
        assert result.low <= result.score <= result.high
    assert "dspr" in str(lingprobe.report(tmp_path / "kept", metric="dspr"))
    kept = dict(ResultStore(tmp_path / "kept").read()).values()
    lists = {result.trial: result.predicted.values for result in kept}
    for result in evaluation.results:
        assert np.array_equal(lists[result.trial], result.predicted.values)


def test_what_cannot_be_read_is_refused():
    readings = drawn("distance", 10)
    train = readings.split("train")
    sentences = replace(readings, vectors=Vectors((np.zeros((10, 3), np.float32),)))
    with pytest.raises(ReadingProblem, match="pool=none"):
        fitted(sentences, (Cell("-", 0),))
    with pytest.raises(ReadingProblem, match="0 sentences"):
        PROBES.make("structural").fit(train, train.take(np.arange(0)), cells=(Cell("tree", 0),))
    with pytest.raises(ReadingProblem, match="read layers"):
        fitted(readings, (Cell("mix:tree", 0),))
    with pytest.raises(ValueError, match="lists of numbers"):
        PROBES.make("logreg").fit(train, train, cells=(Cell("tree", 0),))
    with pytest.raises(ReferenceProblem, match="rank=0"):
        PROBES.make("structural,rank=0")
    with pytest.raises(DataProblem, match="circle"):
        compute_root_paths([1, 0])
    labels = readings.labels
    for metric in ("nspr", "accuracy", "pearson"):
        with pytest.raises(MetricProblem):
            METRICS.make(metric)(labels, labels)
    classes = Dataset.of([Example.about(Sentence.of(["a"]), "x")])
    with pytest.raises(ReadingProblem, match="structure/distance"):
        fitted(replace(readings, dataset=classes), (Cell("tree", 0),))


def test_a_column_of_lists_is_a_column():
    rows = [NumberList("depth", [1, 0.5], [True, False]), NumberList("depth", [0])]
    labels = build_column(rows)
    assert isinstance(labels, NumberLists)
    back = restore_column(labels.loss, labels.arrays(), labels.names)
    same_labels(back, labels)
    assert labels.plain() == [
        {"depth": [1, 0.5], "counts": [True, False]},
        {"depth": [0], "counts": [True]},
    ]
    turned = labels.take(np.array([1, 0, 1]))
    assert [turned.row(i).tolist() for i in range(3)] == [[0], [1, 0.5], [0]]
    assert turned.codes().tolist() == [0, 1, 0]
    joined = join_columns([labels, turned])
    assert len(joined) == 5
    assert joined.label(4).values.tolist() == [0]
    assert labels.vary()
    assert not labels.take(np.array([1])).vary()
    with pytest.raises(ValueError, match="one thing"):
        build_column([*rows, NumberList("distance", [1])])
    with pytest.raises(ValueError, match="one kind"):
        build_column([*rows, "class"])


@pytest.mark.parametrize(("name", "metric"), [("distance", "dspr"), ("depth", "nspr")])
def test_sentences_are_ranked_once(name, metric, monkeypatch):
    """For score, interval and differences; how a sentence moves the score is what a little of its
    weight does.
    """
    test = drawn(name).split("test")
    noise = np.random.default_rng(0).normal(size=len(test.labels.values))
    said = replace(test.labels, values=(test.labels.values + noise).astype(np.float32))
    calls, rank = [], metrics._rank_correlations
    monkeypatch.setattr(metrics, "_rank_correlations", lambda *x: calls.append(1) or rank(*x))
    metrics._RANKED.clear()
    measure = METRICS.make(metric)
    value, many = measure(test.labels, said), len(calls)
    speeds = measure.influences(test.labels, said)
    again = replace(said, values=said.values.copy())
    assert measure(test.labels, again) == value
    assert len(calls) == many > 0
    other = replace(said, values=-said.values)
    assert measure(test.labels, other) != value
    assert len(calls) == 2 * many
    numerical = replace(measure, influence=None).influences(test.labels, said)
    assert speeds == pytest.approx(numerical, rel=1e-5, abs=1e-8)  # of small steps
    assert abs(speeds).max() > 1e-4


@pytest.mark.parametrize(
    ("values", "size"),
    [
        ([0, 3, 255], 3),
        ([0, 3, 256], 12),
        ([0.5, 3, 2], 12),
        ([-0.0, 3, 2], 12),
        ([np.nan, 3, 2], 12),
        ([-1, 3, 2], 12),
    ],
)
def test_distances_in_trees_take_a_byte_each(values, size):
    pool, array = ArrayPool(), np.array(values, np.float32)
    pool.plain(array)
    (kept,) = pool.arrays.values()
    assert kept.nbytes == size
    assert kept.astype(pool.facts["plain"][0]).tobytes() == array.tobytes()
