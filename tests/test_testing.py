"""The checks must be able to fail: each promise is broken once, and the check has to say so."""

import random
import subprocess
import sys
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from lingprobe.data.core import Dataset, Example, Predictions, Sentence
from lingprobe.data.labels import Classes, LabelSets, ScoreLabels
from lingprobe.data.vectors import Spans, Vectors
from lingprobe.encoders.bags import bow
from lingprobe.encoders.surface import SentenceLength
from lingprobe.probes.bayes import uni
from lingprobe.probes.floors import MajorityProbe
from lingprobe.testing import (
    TINY_DATASET_FAMILIES,
    check_dataset,
    check_encoder,
    check_probe,
    check_task,
)
from lingprobe.testing.probes import _KINDS, check_on, plant_labels, shuffle_labels


@dataclass
class Task:
    """A task made of its parts, to be broken one by one."""

    dataset: Dataset = field(default_factory=TINY_DATASET_FAMILIES["sentence"])
    name: str = "tiny"
    question: str = "Is it?"
    metric: str = "accuracy"
    probe: str = "majority"
    view: str = "mean"
    again: Dataset | None = None
    loads: int = 0

    def load(self):
        self.loads += 1
        return self.dataset if self.loads % 2 or self.again is None else self.again


def changed(**parts):
    return replace(TINY_DATASET_FAMILIES["sentence"](), **parts)


def recurring():
    dataset = TINY_DATASET_FAMILIES["sentence"]()
    sites = dataset.sites.copy()
    sites[dataset.rows("test")[0]] = sites[dataset.rows("train")[0]]
    return replace(dataset, sites=sites)


def targeted(test):
    targets = {"train": ("ran", "ran"), "dev": ("sat", "sat"), "test": (test, "lay")}
    rows = [
        (split, label, target)
        for split, pair in targets.items()
        for label, target in zip("xy", pair, strict=True)
    ]
    return Dataset.of(
        Example.about(Sentence.of([f"w{i}"]), label, split, target=target)
        for i, (split, label, target) in enumerate(rows)
    )


@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_sound_tasks_pass(family):
    metric = {"span": "micro-f1", "spans": "micro-f1", "pair": "pearson"}.get(family, "accuracy")
    check_task(Task(TINY_DATASET_FAMILIES[family](), metric=metric))


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (Task(name=""), "needs a name"),
        (Task(question="It is."), "should end with '\\?'"),
        (
            Task(metric="accuracy", dataset=TINY_DATASET_FAMILIES["pair"]()),
            "cannot judge its labels: .*use pearson",
        ),
        (Task(again=TINY_DATASET_FAMILIES["sentence"](seed=1)), "twice gave different examples"),
        (Task(recurring()), "1 sentences are in train and in test"),
        (Task(targeted("Ran")), "target forms are in train and in test: ran"),
        (Task(TINY_DATASET_FAMILIES["sentence"]((6, 2, 0))), "no examples in test"),
        (Task(TINY_DATASET_FAMILIES["sentence"]((6, 1, 2))), "dev has no example of PRES"),
        (Task(changed(notes={"r": float("nan")})), "notes must be plain JSON"),
        (Task(changed(notes={"r": {1, 2}})), "notes must be plain JSON"),
        (Task(changed(sites=np.zeros((100, 1, 3), np.int64))), "is empty"),
        (Task(changed(sites=np.full((100, 1, 3), (999, -1, -1)))), "a sentence that is not there"),
        (Task(changed(sites=np.full((100, 1, 3), (0, 3, 99)))), "outside its sentence"),
        (Task(changed(splits=np.zeros(100, np.int8))), "no examples in dev"),
        (Task(changed(splits=np.zeros(7, np.int8))), "7 splits for 100 examples"),
        (Task(changed(asked=np.zeros((100, 1), np.int64))), "not in the vocabulary"),
        (Task(changed(labels=Classes(np.full(100, 5), ("x",)))), "no name"),
        (
            Task(changed(labels=ScoreLabels(np.full(100, np.nan))), metric="pearson"),
            "not a finite number",
        ),
        (
            Task(changed(labels=ScoreLabels(np.zeros(100))), metric="pearson"),
            "all scores are equal",
        ),
        (
            Task(
                changed(
                    labels=LabelSets(np.arange(101), np.zeros(100, int), np.full(100, 2.0), ("x",))
                )
            ),
            "between 0 and 1",
        ),
    ],
)
def test_broken_tasks_are_found(task, said):
    with pytest.raises(AssertionError, match=said):
        check_task(task)


def test_sentences_may_recur_where_the_data_are_so():
    check_dataset(recurring(), sentences_may_recur=True)


def test_disjoint_targets_pass():
    check_dataset(targeted("stood"))


class Encoder:
    """Random bags of words, to be broken."""

    name = "broken"
    takes = "sentences"

    def encode(self, sentences):
        return self.broken(bow(dim=8).encode(sentences), sentences)

    def broken(self, found, sentences):
        return found


def breaking(change):
    encoder = Encoder()
    encoder.broken = change
    return encoder


def layer(found):
    return found.layers[0]


rng = np.random.default_rng(0)
BROKEN = {
    "returns lingprobe.data.vectors.Vectors": lambda f, s: layer(f),
    "sentences came back for": lambda f, s: Vectors((layer(f)[:-1],)),
    "not \\[units, dim\\]": lambda f, s: Vectors((layer(f)[:, 0],)),
    "is float64, not float32": lambda f, s: Vectors((layer(f).astype(np.float64),)),
    "NaN or infinite values .* is a sentence empty": lambda f, s: Vectors(
        (np.where(np.array([[not x.words] for x in s]), np.nan, layer(f)),)
    ),
    "gave different bits": lambda f, s: Vectors(
        (layer(f) + rng.normal(size=layer(f).shape).astype(np.float32),)
    ),
    "when sentences come in another order": lambda f, s: Vectors(
        (layer(f) + np.arange(len(s), dtype=np.float32)[:, None],)
    ),
    "changes with its batch": lambda f, s: Vectors((layer(f) - layer(f).mean(0),)),
    "layers need names of their own": lambda f, s: Vectors((layer(f), layer(f)), ("a", "a")),
    "not one flag a sentence": lambda f, s: Vectors(f.layers, cut=np.zeros(1, bool)),
    "int64, not bool": lambda f, s: Vectors(f.layers, cut=np.zeros(len(s), np.int64)),
}


def test_a_sound_encoder_passes():
    check_encoder(breaking(lambda f, s: f))
    check_encoder(SentenceLength())
    check_encoder("bow:random,dim=8,pool=none")


@pytest.mark.parametrize("said", BROKEN)
def test_broken_encoders_are_found(said):
    with pytest.raises(AssertionError, match=said):
        check_encoder(breaking(BROKEN[said]))


def test_a_sentence_end_that_is_not_read_must_be_flagged():
    def reading(most, cut):
        def change(found, sentences):
            short = [Sentence.of(s.words[:most]) for s in sentences]
            flags = np.array([len(s.words) > most for s in sentences]) if cut else None
            return Vectors(bow(dim=8).encode(short).layers, cut=flags)

        return breaking(change)

    with pytest.raises(AssertionError, match="read only in part, but `cut` does not flag it"):
        check_encoder(reading(500, False))
    check_encoder(reading(500, True))


def test_padding_in_the_mean_is_found():
    # AIRI's Probing_framework: mean over the padded batch
    def padded(found, sentences):
        longest = max(len(s.words) for s in sentences)
        counts = np.array([[len(s.words)] for s in sentences], np.float32)
        return Vectors((layer(found) * counts / np.float32(max(longest, 1)),))

    with pytest.raises(AssertionError, match="changes with its batch"):
        check_encoder(breaking(padded))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda s: replace(s, sentences=s.sentences + 1), "begin at 0"),
        (
            lambda s: replace(s, sentences=np.minimum(s.sentences, s.sentences[-1] - 1)),
            "offsets end at",
        ),
        (
            lambda s: replace(s, first_word=np.zeros_like(s.first_word)),
            "every word of a sentence has a row",
        ),
        (lambda s: replace(s, words=np.roll(s.words, 3, 0)), "lie outside its sentence"),
        (lambda s: replace(s, words=np.zeros_like(s.words)), "no word has units"),
        (lambda s: replace(s, sentences=s.sentences[:-1]), "sentences came back|one more entry"),
    ],
)
def test_broken_spans_are_found(change, said):
    def broken(found, sentences):
        whole = bow(dim=8, pool="none").encode(sentences)
        spans: Spans = change(whole.spans)
        return replace(whole, spans=spans)

    with pytest.raises(AssertionError, match=said):
        check_encoder(breaking(broken))


class Layered(Encoder):
    """An encoder with two slots of the cache."""

    base = "broken"
    slots = ("0.mean", "1.mean")
    shift = 0

    def asking(self, slots):
        asked = Layered()
        asked.slots, asked.shift = slots, self.shift
        return asked

    def broken(self, found, sentences):
        values = {
            "0.mean": layer(found),
            "1.mean": layer(found) * 2 + self.shift * (len(self.slots) == 1),
        }
        return Vectors(tuple(values[s] for s in self.slots), tuple(s[0] for s in self.slots))


def test_layers_asked_for_alone_must_be_the_same():
    check_encoder(Layered())
    broken = Layered()
    broken.shift = 1
    with pytest.raises(AssertionError, match=r"slot '1\.mean' differs when it is asked for alone"):
        check_encoder(broken)


def test_sentences_that_an_encoder_knows_can_be_given():
    known = [Sentence.of([w, "!"]) for w in "abc"]

    def only(found, sentences):
        assert set(sentences) <= set(known)
        return found

    check_encoder(breaking(only), known)


class Probe:
    """Least squares, to be broken."""

    name = "least squares"

    def fit(self, train, dev, *, cells):
        return [Weights(solved(train, cell.read), cell.read, self) for cell in cells]

    def scores(self, found, readings):
        return found

    def said(self, scores, labels):
        return Predictions(scores, labels.names, labels.decode(scores))


def design(readings, read):
    features = readings.features(read)
    return np.concatenate([features, np.ones((len(features), 1))], 1)


def solved(train, read):
    labels = train.labels
    wanted = (
        np.eye(len(labels.names))[labels.matrix()]
        if labels.loss == "softmax"
        else np.nan_to_num(labels.matrix(), nan=0.5)
    )
    return np.linalg.lstsq(
        design(train, read), wanted - 0.5 * (labels.loss == "sigmoid"), rcond=None
    )[0]


@dataclass
class Weights:
    weights: np.ndarray
    read: str
    probe: Probe

    def predict(self, readings):
        scores = self.probe.scores(
            (design(readings, self.read) @ self.weights).astype(np.float32), readings
        )
        return self.probe.said(scores, readings.labels)


def test_sound_probes_pass():
    check_probe(Probe())
    check_probe(uni(alpha=0.1))
    check_probe(MajorityProbe(), learns=False)
    check_probe("majority-feature", kinds=("classes",))


class Deaf(Probe):
    def scores(self, found, readings):
        return np.zeros_like(found)


class Cheat(Probe):
    def scores(self, found, readings):
        labels = readings.labels
        return (
            np.eye(len(labels.names))[labels.matrix()]
            if labels.loss == "softmax"
            else labels.matrix()
        ).astype(np.float32)


class OneLayer(Probe):
    def fit(self, train, dev, *, cells):
        return [Weights(solved(train, "1"), "1", self) for _ in cells]


class Unseeded(Probe):
    def scores(self, found, readings):
        return found + np.random.default_rng().normal(scale=1e-3, size=found.shape).astype(
            np.float32
        )


class Seeding(Probe):
    def fit(self, train, dev, *, cells):
        np.random.seed(1111)
        random.seed(1111)
        return super().fit(train, dev, cells=cells)


class Remembering(Probe):
    def __repr__(self):
        return f"Remembering({vars(self)})"

    def fit(self, train, dev, *, cells):
        self.fitted = True
        return super().fit(train, dev, cells=cells)


class Squashed(Probe):
    def said(self, scores, labels):
        return Predictions(scores, labels.names, labels.decode(-scores))


class Narrow(Probe):
    def said(self, scores, labels):
        return Predictions(scores[:, :1], labels.names[:1], labels.decode(scores))


class Renamed(Probe):
    def said(self, scores, labels):
        return Predictions(scores, (*labels.names[::-1], "x"), labels.decode(scores))


class Infinite(Probe):
    def said(self, scores, labels):
        scores = np.where(scores > 0, np.float32(np.inf), scores)
        return Predictions(scores, labels.names, labels.decode(scores))


class Short(Probe):
    def fit(self, train, dev, *, cells):
        return super().fit(train, dev, cells=cells)[:1]


class Relabelling(Probe):
    def fit(self, train, dev, *, cells):
        found = super().fit(train, dev, cells=cells)
        train.dataset.labels.arrays()  # a copy: what follows breaks the shared one
        next(iter(train.vectors.layers)).flags.writeable = True
        train.vectors.layers[0][:] = 0
        return found


BROKEN_PROBES = {
    "misses a planted signal": Deaf,
    "beats chance on shuffled labels|in a layer of noise": Cheat,
    "does it read the layer that its cell names": OneLayer,
    "the same seed gave different scores": Unseeded,
    "changes the global random state": Seeding,
    "fitting changed its settings": Remembering,
    "decodes not what its scores say": Squashed,
    "not \\[examples, outputs\\]": Narrow,
    "names the outputs": Renamed,
    "not finite": Infinite,
    "predictors for": Short,
    "changed the vectors it was given": Relabelling,
}


@pytest.mark.parametrize("said", BROKEN_PROBES)
def test_broken_probes_are_found(said):
    with pytest.raises(AssertionError, match=said):
        check_probe(BROKEN_PROBES[said](), kinds=("classes",))


def test_a_sigmoid_before_the_loss_is_not_hidden_by_ranking():
    # Sigmoid or softmax before cross-entropy (AIRI, Holmes): label sets decode at 0.5 of a
    # probability, which is always at least 0
    class Probabilities(Probe):
        def scores(self, found, readings):
            return 1 / (1 + np.exp(-found))

    with pytest.raises(AssertionError, match="says every label of every example"):
        check_on(Probabilities(), "sets")


@pytest.mark.parametrize("kind", _KINDS)
def test_planted_examples_are_sound_and_shuffling_keeps_what_there_is(kind):
    readings = plant_labels(kind)
    check_dataset(readings.dataset)
    mixed = shuffle_labels(readings).labels.matrix()
    for split in range(3):
        rows = readings.dataset.splits == split
        before, after = readings.labels.matrix()[rows], mixed[rows]
        assert not np.array_equal(before, after, equal_nan=True)
        assert np.array_equal(np.sort(before, 0), np.sort(after, 0), equal_nan=True)


def test_importing_the_checks_imports_no_heavy_library():
    code = (
        "import lingprobe.testing, sys; print([m for m in ('torch', 'transformers', 'sklearn',"
        " 'sentence_transformers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
