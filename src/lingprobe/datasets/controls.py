"""Controls: data sets with the linguistics taken out. `CONTROLS.make("shuffled,seed=1")(dataset)`
is one.

Each leaves a note `control`, with `null`: what a probe that learned nothing scores
(docs/design/control-task.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.checks import check_number
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Tags
from lingprobe.data.labels import Column, column_from_codes
from lingprobe.data.notes import ByParser, ControlNote
from lingprobe.data.options import Help
from lingprobe.data.references import (
    MAX_CACHED_REFERENCES,
    Contents,
    Reference,
    ReferenceProblem,
    try_parse_reference,
)
from lingprobe.data.vectors import Ints, expand_ranges
from lingprobe.datasets.splits import allocate_rows

CONTROLS = Contents(
    "control",
    "lingprobe.controls",
    {
        "none": "lingprobe.datasets.controls:UnchangedLabels",
        "shuffled": "lingprobe.datasets.controls:ShuffledLabels",
        "word-labels": "lingprobe.datasets.controls:WordLabels",
        "random-asked": "lingprobe.datasets.controls:RandomAsked",
        "label-noise": "lingprobe.datasets.controls:LabelNoise",
    },
    gives="collections.abc:Callable",
)


_ABOUT = "about"
"""The note of a data set that says which site its labels are about, where that is not the last."""
KEY_SEEN = "key seen"
"""The stratum that word-labels adds: whether train has an example with the same key."""


@runtime_checkable
class ChanceControl(Protocol):
    """A control that declares whether it leaves nothing to learn, so that chance alone makes scores
    differ from the best constant answer's. One that declares nothing leaves something.
    """

    @property
    def chance(self) -> bool: ...


@runtime_checkable
class RandomisedControl(Protocol):
    """A control that draws at random, with the number of the draw as `seed=`: one draw says nothing
    of others, so that several are measured. One that declares nothing is measured once.
    """

    @property
    def randomised(self) -> bool: ...


@runtime_checkable
class SameProbe(Protocol):
    """A control that declares whether a probe keeps the settings that it chose for the task itself,
    so that one probe is compared on both. One that declares nothing is tuned for itself.
    """

    @property
    def same_probe(self) -> bool: ...


def list_draws(reference: str, sample_count: int) -> list[str]:
    """So many samples of a control, by canonical reference; one where it draws nothing, or where
    the reference says which draw.
    """
    control, parsed = CONTROLS.make(reference), Reference.parse(reference)
    drawn = is_randomised(control) and "seed" in CONTROLS.options(parsed.name)
    if not drawn or "seed" in dict(parsed.options):
        return [CONTROLS.canonical(reference)]
    return [CONTROLS.canonical(parsed.plus(seed=str(k))) for k in range(sample_count)]


@lru_cache(maxsize=MAX_CACHED_REFERENCES)
def without_draw(reference: str) -> str:
    """A control whichever draw it is."""
    parsed = try_parse_reference(reference)
    return reference if parsed is None else str(parsed.without("seed"))


def is_randomised(control: Any) -> bool:
    """Whether another draw of a control differs."""
    return isinstance(control, RandomisedControl) and control.randomised


def at_chance(reference: str) -> bool:
    """Whether a control leaves nothing to learn; nobody's file is run for it."""
    control = find_control(reference)
    return isinstance(control, ChanceControl) and control.chance


def find_control(reference: str) -> Any:
    """The control that a result names; None where it is of somebody's file, or of a plugin that is
    gone.
    """
    try:
        return None if "@" in reference else CONTROLS.make(reference)
    except (ReferenceProblem, ImportError, AttributeError, OSError):
        return None  # results outlive plugins


@dataclass(frozen=True, slots=True)
class UnchangedLabels:
    """The task as it is."""

    def __call__(self, dataset: Dataset) -> Dataset:
        return dataset


@dataclass(frozen=True, slots=True)
class ShuffledLabels:
    """Labels permuted within each split: the score of a probe that can learn only the
    label distribution.
    """

    seed: int = field(default=0, kw_only=True)

    chance = randomised = same_probe = True

    def __call__(self, dataset: Dataset) -> Dataset:
        rng = np.random.default_rng([self.seed, 10])
        order = np.arange(len(dataset))
        for split in DATA_SPLITS:
            rows = dataset.rows(split)
            order[rows] = rng.permutation(rows)
        changed = replace(dataset, labels=dataset.labels.take(order))
        return changed.with_notes(ControlNote("shuffled", self.seed, null_value(changed)))


@dataclass(frozen=True, slots=True)
class WordLabels:
    """Labels drawn for word types: what a probe scores by remembering words (Hewitt & Liang 2019,
    and our extension of it).

    Every example is kept, so task and control are scored over the same ones; those of test whose
    """

    key: Annotated[
        Literal["word", "pair"],
        Help(
            "of two spans or a longer one: word, the last word of the span that the label is"
            " about; pair, those of both spans"
        ),
    ] = field(default="word", kw_only=True)
    case: Annotated[
        bool,
        Help("whether types differ that are written alike but for their case; of spans alone"),
    ] = field(default=True, kw_only=True)
    least: Annotated[
        int,
        Help(
            "of whole sentences: the key is the rarest word that so many training examples and a"
            " test example have"
        ),
    ] = field(default=10, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    randomised = same_probe = True

    def __call__(self, dataset: Dataset) -> Dataset:
        rng = np.random.default_rng([self.seed, 11])
        keys = self._keys(dataset, rng)
        labels, seen = keys.draw_labels(dataset, rng), keys.in_train(dataset)
        tags = Tags(np.where(seen, 0, 1), ("yes", "no"))
        changed = replace(dataset, labels=labels, strata={**dataset.strata, KEY_SEEN: tags})
        test = seen[dataset.rows("test")]
        return changed.with_notes(
            ControlNote(
                "word-labels",
                self.seed,
                null_value(changed),
                keys.definition,
                len(np.unique(keys.codes)),
                round(float(test.mean()), 6),
            )
        )

    def _keys(self, dataset: Dataset, rng: np.random.Generator) -> ControlKeys:
        if dataset.asked.shape[1]:
            _, codes = np.unique(dataset.asked, axis=0, return_inverse=True)
            return ControlKeys(
                codes.ravel(),
                "a label for each combination of asked words; not of the paper",
                balanced=True,
            )
        if (dataset.sites[:, :, 1] < 0).all():
            return _of_sentences(dataset, self.least, rng)
        return _of_spans(dataset, self.key, self.case)


@dataclass(frozen=True, slots=True)
class ControlKeys:
    """What decides the control label of each example: codes [n]; a code from `shared` on is that of
    one example alone.

    balanced  whether labels are dealt out to keys so that they are about as frequent in each split
              as in the task; else each key's is drawn for itself
    """

    codes: Ints
    definition: str
    balanced: bool = False
    shared: int = np.iinfo(np.int64).max

    def in_train(self, dataset: Dataset) -> NDArray[np.bool_]:
        """Whether train has an example with the same key, [n]."""
        train = self.codes[dataset.rows("train")]
        return np.isin(self.codes, train[train < self.shared])

    def draw_labels(self, dataset: Dataset, rng: np.random.Generator) -> Column:
        """Random labels are sampled for each word type, or other key, as frequent as in train."""
        _, codes = np.unique(self.codes, return_inverse=True)
        labels, train = dataset.labels, dataset.rows("train")
        if not self.balanced or labels.classes is None:
            return labels.take(rng.choice(train, int(codes.max()) + 1)[codes])
        shares = np.bincount(labels.classes[train], minlength=len(labels.names)).astype(float)
        order = rng.permutation(np.flatnonzero(shares))
        return column_from_codes(
            order[
                allocate_rows(codes, dataset.splits.astype(np.int64), shares[order].tolist(), rng)
            ],
            labels.names,
        )


@dataclass(frozen=True, slots=True)
class RandomAsked:
    """Asked words sampled again for each example: the score of a probe that does not know
    what is asked (Ettinger et al. 2018, section 7).

    As in the authors' code each slot gets any word of the vocabulary, whatever its kind.
    """

    seed: int = field(default=0, kw_only=True)

    randomised = True

    def __call__(self, dataset: Dataset) -> Dataset:
        if not dataset.asked.shape[1]:
            raise DataProblem("control random-asked: the task asks about no words")
        rng = np.random.default_rng([self.seed, 12])
        changed = replace(
            dataset, asked=rng.integers(len(dataset.vocabulary), size=dataset.asked.shape)
        )
        return changed.with_notes(ControlNote("random-asked", self.seed, null_value(changed)))


@dataclass(frozen=True, slots=True)
class LabelNoise:
    """Some labels replaced by other classes: what is scored where labels are a parser's, and as
    often wrong.
    """

    wrong: Annotated[
        float | None,
        Help(
            "the percent of labels that are replaced, in every split; without, what an audit of"
            " the corpus found: its errors once more"
        ),
    ] = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)

    randomised = True

    def __post_init__(self) -> None:
        check_number("label-noise,wrong", self.wrong, "0-100", "a percentage")

    def __call__(self, dataset: Dataset) -> Dataset:
        wrong = self._wrong(dataset)
        classes, names = dataset.labels.classes, dataset.labels.names
        if classes is None or len(names) < 2:
            raise DataProblem("control label-noise: the labels are no classes")
        rng = np.random.default_rng([self.seed, 13])
        steps = rng.integers(1, len(names), len(classes))
        replaced = np.zeros(len(classes), bool)
        for split in DATA_SPLITS:
            rows = rng.permutation(dataset.rows(split))
            replaced[rows[: round(len(rows) * wrong / 100)]] = True
        codes = np.where(replaced, (classes + steps) % len(names), classes)
        changed = replace(dataset, labels=column_from_codes(codes, names))
        said = f"{wrong:.1f} % of labels replaced by other classes"
        return changed.with_notes(ControlNote("label-noise", self.seed, null_value(changed), said))

    def _wrong(self, dataset: Dataset) -> float:
        """The percent of labels to replace."""
        if self.wrong is not None:
            return self.wrong
        parser = dataset.notes.part(ByParser)
        if parser is None or parser.wrong is None:
            raise DataProblem(
                "control label-noise: no audit says how often these labels are wrong; write wrong="
                " with a percent, or audit the corpus with `lingprobe data audit-parser --into`"
            )
        return parser.wrong


def null_value(dataset: Dataset) -> float | None:
    """What a probe that learned nothing scores: the share of the commonest class, 0 for scores,
    None for label sets.

    In accuracy, and for scores in correlation. Label sets have no such number but the best constant
    of their metric.
    """
    labels = dataset.labels.take(dataset.rows("test"))
    if labels.numbers is not None:
        return 0.0
    if (test := labels.classes) is None:
        return None
    return round(float(np.bincount(test).max() / len(test)), 6) if len(test) else None


def _of_spans(dataset: Dataset, key: str, case: bool) -> ControlKeys:
    """The word that a label is about, or both of a pair; of a span of several words, its last."""
    sites = dataset.sites.shape[1]
    if key == "pair" and sites != 2:
        raise DataProblem(
            "control word-labels,key=pair: the task is about one span, not two; leave key=pair out"
        )
    types, first = _types(dataset, case)
    last = types[first[dataset.sites[:, :, 0]] + dataset.sites[:, :, 2] - 1]
    if key == "pair":
        _, codes = np.unique(last, axis=0, return_inverse=True)
        return ControlKeys(
            codes.ravel(),
            "a label for each pair of words, the last ones of both spans; not of the paper",
        )
    about = sites - 1 if dataset.notes.about is None else dataset.notes.about
    long = bool((np.diff(dataset.sites[:, about, 1:]) > 1).any())
    if sites == 1 and not long:
        return ControlKeys(last[:, 0], "a label for each word type (Hewitt & Liang 2019)")
    which = "span" if sites == 1 else f"{('first', 'second')[about]} span"
    return ControlKeys(
        last[:, about],
        f"a label for each type of the {'last word' if long else 'word'} of the {which}; not of the"
        " paper",
    )


def _of_sentences(dataset: Dataset, least: int, rng: np.random.Generator) -> ControlKeys:
    """The rarest word of an example's sentences that `least` training examples and a test example
    have; without one, its own key.
    """
    owner, words = _list_example_words(dataset)
    pairs = np.unique(np.stack([owner, words], 1), axis=0)
    counts = [
        np.bincount(pairs[dataset.splits[pairs[:, 0]] == s, 1], minlength=int(words.max()) + 1)
        for s in (0, 2)
    ]
    usable = (counts[0] >= least) & (counts[1] >= 1)
    if not usable.any():
        raise DataProblem(
            f"control word-labels: train and test share no word that {least} training examples"
            " have; write least=1"
        )
    # usable words first, the rarest of them first
    rank = np.lexsort((rng.random(len(usable)), counts[0], ~usable))
    place = np.argsort(rank)
    best = np.full(len(dataset), len(usable))
    np.minimum.at(best, pairs[:, 0], place[pairs[:, 1]])
    own = len(usable) + np.arange(len(dataset))
    codes = np.where(best < usable.sum(), rank[np.minimum(best, len(rank) - 1)], own)
    definition = (
        f"a label for the rarest word of the sentence that {least} training examples have; not of"
        " the paper"
    )
    return ControlKeys(codes, definition, balanced=True, shared=len(usable))


def _types(dataset: Dataset, case: bool) -> tuple[Ints, Ints]:
    """The type of every word, sentence after sentence, and where each sentence begins [sentences +
    1].
    """
    numbers: dict[str, int] = {}
    types = [
        [numbers.setdefault(w if case else w.casefold(), len(numbers)) for w in s.words]
        for s in dataset.sentences
    ]
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(t) for t in types])])
    return np.concatenate([np.array(t, np.int64) for t in types]), first


def _list_example_words(dataset: Dataset) -> tuple[Ints, Ints]:
    """The words of all examples, ignoring case: which example each belongs to, and its type."""
    flat, first = _types(dataset, case=False)
    owners, cells = [], []
    for sentence, start, stop in dataset.sites.transpose(1, 2, 0):
        begin = first[sentence] + np.maximum(start, 0)
        end = np.where(start < 0, first[sentence + 1], first[sentence] + stop)
        places, _ = expand_ranges(begin, end)
        owners.append(np.repeat(np.arange(len(dataset)), end - begin))
        cells.append(flat[places])
    return np.concatenate(owners), np.concatenate(cells)
