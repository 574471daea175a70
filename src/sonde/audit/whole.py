"""What is wrong with a data set: sizes, balance, what length and words alone tell, duplicates, overlap, rows to read.

`inspect(dataset)` looks at any family and any label column and returns an `Audit`, which `report` renders. Nothing here is
a judgement of an encoder: what these numbers show, an encoder could show without knowing any language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonde.core import SPLITS, Cell, DataProblem, Dataset, Example
from sonde.metrics import METRICS, best_constant
from sonde.probes.bayes import uni
from sonde.probes.floors import constant
from sonde.reading import Readings
from sonde.targets import Column, Label
from sonde.vectors import Floats, Ints, Vectors

METRIC = {"softmax": "accuracy", "sigmoid": "micro-f1", "squared": "pearson"}
BINS = 20  # of length
FEW = 200  # test examples a class, below which a score says little
CLEAR = 0.05  # what a floor has to gain on the majority before it is called a confound


@dataclass(frozen=True, slots=True)
class Row:
    """One example to read."""

    split: str
    label: str
    text: str
    target: str = ""
    asked: tuple[str, ...] = ()
    strata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Audit:
    """What `inspect` found. Shares and scores lie between 0 and 1.

    sizes           examples a split
    balance         split -> label -> examples (weights for label sets; mean, sd, min, max for scores)
    metric          what majority, length and words are in: of the best constant, of the length alone, of Naive Bayes
    correlation     of length and label: Pearson's r where labels are numbers, otherwise how much of the length labels explain (eta)
    lengths         label -> mean words in train (for scores, of the lower and the upper half)
    duplicates      split -> examples that ask again what another one of the split asks
    contradictions  examples that ask what another one asks, with another label, in all splits
    shared          'train/test' -> examples of the second with a sentence (ignoring case) of the first
    targets         split -> share of its distinct target forms that train has; {} without targets
    words           split -> share of its distinct words that train has
    rows            examples drawn at random, to read
    notes           what was counted while building
    problems        what deserves a look, in sentences
    """

    sizes: Mapping[str, int]
    balance: Mapping[str, Mapping[str, float]]
    metric: str
    majority: float
    length: float
    naive_bayes: float
    correlation: float
    lengths: Mapping[str, float]
    duplicates: Mapping[str, int]
    contradictions: int
    shared: Mapping[str, int]
    targets: Mapping[str, float]
    words: Mapping[str, float]
    rows: tuple[Row, ...]
    notes: Mapping[str, Any]
    problems: tuple[str, ...] = ()


def inspect(dataset: Dataset, seed: int = 0, rows: int = 20, metric: str | None = None) -> Audit:
    """Audit a data set; `rows` examples are drawn with `seed`, the same ones each time; the metric is the task's, or the usual one."""
    metric = metric or METRIC[dataset.labels.loss]
    lengths = words_read(dataset)
    asked_again, contradictions = _repeated(dataset)
    floors = _floors(dataset, lengths, metric)
    drawn = np.sort(np.random.default_rng(seed).permutation(len(dataset))[:rows])
    audit = Audit(
        sizes={split: len(dataset.rows(split)) for split in SPLITS},
        balance={split: _balance(dataset.labels.take(dataset.rows(split))) for split in SPLITS},
        metric=metric,
        majority=floors["majority"],
        length=floors["length"],
        naive_bayes=floors["naive_bayes"],
        correlation=correlation(lengths, dataset.labels),
        lengths=_lengths(dataset, lengths),
        duplicates=asked_again,
        contradictions=contradictions,
        shared=_shared(dataset),
        targets=_targets(dataset),
        words=_words(dataset),
        rows=tuple(_row(example) for example in dataset.take(drawn).examples()),
        notes=dict(dataset.notes),
    )
    return replace(audit, problems=tuple(_problems(audit, dataset.labels)))


def words_read(dataset: Dataset) -> Ints:
    """How many words each example reads [examples]: those of its spans, or of its whole sentences."""
    sizes = np.array([len(s.words) for s in dataset.sentences], np.int64)
    sentence, start, stop = np.moveaxis(dataset.sites, 2, 0)
    return np.asarray(np.where(start < 0, sizes[sentence], stop - start).sum(1))


def correlation(lengths: Ints, labels: Column) -> float:
    """Pearson's r where labels are numbers, or names of numbers; otherwise the multiple correlation of length and labels."""
    values = _numbers(labels)
    if values is not None:
        return _pearson(lengths, values)
    if np.ptp(lengths) == 0:
        return 0.0
    if labels.loss == "softmax":
        ids = labels.matrix()
        fitted = (np.bincount(ids, lengths) / np.maximum(np.bincount(ids), 1))[ids]
    else:
        design = np.column_stack([np.nan_to_num(labels.matrix()), np.ones(len(labels))]).astype(np.float64)
        fitted = design @ np.linalg.lstsq(design, lengths.astype(np.float64), rcond=None)[0]
    return float(np.sqrt(np.clip(fitted.var() / lengths.var(), 0, 1)))


def _numbers(labels: Column) -> NDArray[np.float64] | None:
    if labels.loss == "squared":
        return np.asarray(labels.matrix()[:, 0], np.float64)
    if labels.loss != "softmax":
        return None
    try:
        values = np.array([float(name) for name in labels.names])
    except ValueError:
        return None
    return np.asarray(values[labels.matrix()]) if np.isfinite(values).all() else None


def _pearson(a: NDArray[Any], b: NDArray[Any]) -> float:
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a.astype(np.float64), b.astype(np.float64))[0, 1])


def _floors(dataset: Dataset, lengths: Ints, metric: str) -> dict[str, float]:
    """Scores on test of what reads no vectors."""
    train, test = dataset.rows("train"), dataset.rows("test")
    if not len(train) or not len(test):
        empty = "train" if not len(train) else "test"
        raise DataProblem(f"no {empty} examples: there is nothing to audit; look at what the notes say was left out: {dict(dataset.notes)}")
    labels, gold, score = dataset.labels.take(train), dataset.labels.take(test), METRICS.make(metric)
    readings = Readings(dataset, Vectors((np.zeros((len(dataset.sentences), 0), np.float32),)))
    [bayes] = uni().fit(readings.take(train), readings.split("dev"), cells=(Cell("-", 0),))
    return {
        "majority": best_constant(labels, gold, metric),
        "length": score(gold, gold.decode(_by_length(labels, lengths[train], lengths[test]))),
        "naive_bayes": score(gold, bayes.predict(readings.take(test)).decoded),
    }


def _by_length(labels: Column, train: Ints, test: Ints) -> Floats:
    """The best constant of each of some twenty ranges of length, [test, outputs]."""
    edges = np.unique(np.quantile(train, np.linspace(0, 1, BINS + 1)[1:-1]))
    bins, wanted = np.searchsorted(edges, train, "right"), np.searchsorted(edges, test, "right")
    scores = np.tile(constant(labels), (len(edges) + 1, 1))
    for k in np.unique(bins):
        scores[k] = constant(labels.take(np.flatnonzero(bins == k)))
    return np.asarray(scores[wanted], np.float32)


def _balance(labels: Column) -> dict[str, float]:
    wanted = labels.matrix()
    if labels.loss == "squared":
        if not len(wanted):
            return {}
        told = {"mean": wanted.mean(), "sd": wanted.std(), "min": wanted.min(), "max": wanted.max()}
        return {what: round(float(value), 6) for what, value in told.items()}
    counts = np.bincount(wanted, minlength=len(labels.names)) if labels.loss == "softmax" else np.nan_to_num(wanted).sum(0)
    return {name: round(float(n), 6) for name, n in zip(labels.names, counts, strict=True)}


def _lengths(dataset: Dataset, lengths: Ints) -> dict[str, float]:
    """Mean length in train of the examples that have each label."""
    rows = dataset.rows("train")
    wanted, lengths = dataset.labels.take(rows).matrix(), lengths[rows]
    names: tuple[str, ...] = dataset.labels.names
    if dataset.labels.loss == "squared":
        upper = wanted[:, 0] > np.median(wanted)
        groups, names = [~upper, upper], ("lower half", "upper half")
    elif dataset.labels.loss == "softmax":
        groups = [wanted == k for k in range(len(names))]
    else:
        groups = [w > 0 for w in np.nan_to_num(wanted).T]
    return {name: float(lengths[group].mean()) for name, group in zip(names, groups, strict=True) if group.any()}


def _content(dataset: Dataset) -> Ints:
    """A number a sentence [sentences], equal for those of the same words, ignoring case."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault("\x1f".join(s.words).casefold(), len(numbers)) for s in dataset.sentences], np.int64)


def _repeated(dataset: Dataset) -> tuple[dict[str, int], int]:
    """Examples a split that ask again what another one asks, and examples that do so with another label."""
    sites = dataset.sites.copy()
    sites[:, :, 0] = _content(dataset)[sites[:, :, 0]]
    asked = np.column_stack([sites.reshape(len(dataset), -1), dataset.asked])
    question = np.unique(asked, axis=0, return_inverse=True)[1].ravel()
    again = {}
    for split in SPLITS:
        found = question[dataset.rows(split)]
        again[split] = len(found) - len(np.unique(found))
    matrix = dataset.labels.matrix().reshape(len(dataset), -1)
    answer = np.unique(np.nan_to_num(matrix, nan=-1), axis=0, return_inverse=True)[1].ravel()
    pairs = np.unique(np.column_stack([question, answer]), axis=0)
    several = np.bincount(pairs[:, 0])[question] > 1
    return again, int(several.sum())


def _shared(dataset: Dataset) -> dict[str, int]:
    content = _content(dataset)[dataset.sites[:, :, 0]]
    rows = {split: dataset.rows(split) for split in SPLITS}
    return {f"{a}/{b}": int(np.isin(content[rows[b]], content[rows[a]]).any(1).sum()) for a, b in combinations(SPLITS, 2)}


def _targets(dataset: Dataset) -> dict[str, float]:
    tags = dataset.strata.get("target")
    if tags is None:
        return {}
    forms = {split: {tags.names[c].casefold() for c in tags.codes[dataset.rows(split)] if c >= 0} for split in SPLITS}
    return {split: _share(forms[split], forms["train"]) for split in SPLITS[1:]}


def _words(dataset: Dataset) -> dict[str, float]:
    used = {split: np.unique(dataset.sites[dataset.rows(split), :, 0]) for split in SPLITS}
    words = {split: {w.casefold() for s in rows for w in dataset.sentences[s].words} for split, rows in used.items()}
    return {split: _share(words[split], words["train"]) for split in SPLITS[1:]}


def _share(some: set[str], of: set[str]) -> float:
    return len(some & of) / len(some) if some else 0.0


def _row(example: Example) -> Row:
    """An example as a reader wants to see it: spans in brackets, several sites with bars between."""
    texts = []
    for sentence, span in example.sites:
        if span is None:
            texts.append(sentence.text)
        else:
            words = sentence.words
            texts.append(" ".join([*words[: span[0]], "[", *words[span[0] : span[1]], "]", *words[span[1] :]]))
    strata = dict(example.strata)
    return Row(example.split, _told(example.label), " | ".join(texts), strata.pop("target", ""), example.asked, strata)


def _told(label: Label) -> str:
    if isinstance(label, str):
        return label
    if isinstance(label, int | float):
        return f"{label:g}"
    if isinstance(label, Mapping):
        return ", ".join(f"{name} {weight:g}" for name, weight in sorted(label.items()))
    return ", ".join(sorted(label)) or "(none)"


def _problems(audit: Audit, labels: Column) -> list[str]:
    """What deserves a look, in sentences."""
    said = []
    for pair, n in audit.shared.items():
        first, second = pair.split("/")
        said += [f"{n} examples of {second} have a sentence of {first}"] if n else []
    said += [f"{n} examples of {split} ask again what another one asks" for split, n in audit.duplicates.items() if n]
    if audit.contradictions:
        said.append(f"{audit.contradictions} examples ask what another one asks, with another label")
    said += [f"{share:.0%} of the target forms of {split} are in train, too" for split, share in audit.targets.items() if share]
    for score, by in ((audit.length, "length alone"), (audit.naive_bayes, "words alone (Naive Bayes)")):
        if score > audit.majority + CLEAR:
            said.append(f"{by} reaches {score:.3f} {audit.metric}, the best constant {audit.majority:.3f}")
    if labels.loss == "softmax":
        counts = audit.balance["test"]
        few = sum(n < FEW for n in counts.values())
        if few:
            said.append(f"{few} of {len(counts)} classes have fewer than {FEW} test examples, so intervals are wide")
        if max(counts.values()) > 1.5 * min(counts.values()):
            said.append(f"classes of test are uneven: from {min(counts.values()):g} to {max(counts.values()):g} examples")
    return said
