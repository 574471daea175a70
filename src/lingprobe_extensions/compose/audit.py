"""What answers questions about words without composing anything: the asked words, a bag of the
others, and where words stand.

Rules and asked words speak for the answer that most training examples with the same cue have. The
upper bound of a bag is exact: no reader of the asked words and of which words there are, however
good, can score higher on the examples that it is over.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from lingprobe import Cell, Dataset, Readings
from lingprobe.extend import AuditBaseline, Ints, SplitHalves, get_contents
from lingprobe_extensions.compose.comp.rules import apply_rules_of_thumb
from lingprobe_extensions.compose.events.english import english

_PROBE = "mlp,protocol=ettinger"
_TRAIN = 5_000  # examples at most
_DIM = 100  # of the vectors: enough to tell some hundred forms apart, and quickly read
_READINGS = {
    "random asked words, bag of random word vectors": ("bow:random", "random-asked"),
    "asked words, random sentence vectors": ("random", "none"),
    "asked words, bag of random word vectors": ("bow:random", "none"),
}
"""Name -> encoder and control."""


def score_untaught_readings(halves: SplitHalves, metric: str) -> dict[str, AuditBaseline]:
    """What the probe scores on each reading, by name."""
    train = halves.train.take(draw_pair_rows(halves.train))
    fewer = (
        f"on {len(train):,} of {len(halves.train):,} examples of train"
        if len(train) < len(halves.train)
        else ""
    )
    floors = {}
    for name, (encoder, control) in _READINGS.items():
        vectors = get_contents("encoders").make(f"{encoder},dim={_DIM}").encode(train.sentences)
        fitted_on, test = (
            Readings(get_contents("controls").make(control)(part), vectors, "mean+asked")
            for part in (train, halves.test)
        )
        dev = fitted_on.take(np.empty(0, np.int64))
        [fitted] = get_contents("probes").make(_PROBE).fit(fitted_on, dev, cells=(Cell("-", 0),))
        labels = test.labels, fitted.predict(test).decoded
        floors[name] = AuditBaseline.of(name, metric, labels, fewer, halves.about)
    return floors


def draw_pair_rows(train: Dataset) -> Ints:
    """Rows of the examples that are read, minimal pairs whole."""
    pairs = train.strata.get("pair")
    groups = (
        np.arange(len(train))
        if pairs is None
        else np.where(pairs.codes < 0, len(pairs.names) + np.arange(len(train)), pairs.codes)
    )
    order = np.random.default_rng([0, 2]).permutation(int(groups.max(initial=0)) + 1)
    place = np.argsort(order)[groups]
    return np.sort(np.argsort(place, kind="stable")[:_TRAIN])


_SHUFFLES = 20
_SLOTS = ("first", "second", "third", "fourth")
_NUMBERLESS = {
    "are": "is",
    "were": "was",
    "have": "has",
    "do": "does",
    "these": "this",
    "those": "that",
    "some": "a",
    "an": "a",
}


def answers(
    dataset: Dataset, metric: str
) -> tuple[dict[str, AuditBaseline], tuple[AuditBaseline, ...]]:
    """What answers questions about words, by name, and every pair of rules; nothing where none are
    asked, or labels are no classes.
    """
    halves = SplitHalves.of(dataset)
    if not dataset.asked.shape[1] or dataset.labels.classes is None or halves is None:
        return {}, ()
    floors, pairs = measure_cues(halves, metric)
    return floors | compute_ceilings(dataset) | score_untaught_readings(halves, metric), pairs


def measure_cues(
    halves: SplitHalves, metric: str
) -> tuple[dict[str, AuditBaseline], tuple[AuditBaseline, ...]]:
    """What the asked words and rules answer, by name, and every pair of rules, the best first."""
    train, test = halves.train, halves.test
    floors = {
        name: _score_keys(name, by, halves, metric) for name, by in _answer_by_words(train, test)
    }
    rules = _rules(train, test)
    floors |= {name: _score_keys(name, by, halves, metric, cue=True) for name, by in rules.items()}
    pairs = []
    for (one, a), (other, b) in combinations(rules.items(), 2):
        both = 2 * a[0] + b[0], 2 * a[1] + b[1]
        pairs.append(_score_keys(f"{one}; {other}", both, halves, metric))
    return floors, tuple(sorted(pairs, key=lambda floor: -floor.score))


def _rules(train: Dataset, test: Dataset) -> dict[str, Keys]:
    """Which examples of train, and of test, each rule holds of, where both have it."""
    rules, same = apply_rules_of_thumb(train), apply_rules_of_thumb(test)
    return {
        name: (rules[name].astype(np.int64), same[name].astype(np.int64))
        for name in rules
        if name in same
    }


Keys = tuple[Ints, Ints]
"""What each example of train, and of test, is told by."""


def _answer_by_words(train: Dataset, test: Dataset) -> Iterator[tuple[str, Keys]]:
    """The words of the question alone, and the first or the second alone, as keys of answers."""
    slots = train.asked.shape[1]
    together = np.unique(np.concatenate([train.asked, test.asked]), axis=0, return_inverse=True)[
        1
    ].ravel()
    yield (
        ("only the asked word" if slots == 1 else "only the asked words"),
        (together[: len(train)], together[len(train) :]),
    )
    for k in range(slots) if slots > 1 else ():
        yield f"only the {_SLOTS[k]} asked word", (train.asked[:, k], test.asked[:, k])


def _score_keys(
    name: str, by: Keys, halves: SplitHalves, metric: str, *, cue: bool = False
) -> AuditBaseline:
    """The commonest training answer of each key, scored on test; keys that train lacks get the
    commonest of all.
    """
    labels, gold = halves.train.labels, halves.test.labels
    known, said = (halves.answer_by_group(by[0], keys) for keys in by)
    fitted = f"{100 * get_contents('metrics').make(metric)(labels, known):.1f} on train"
    speaks = _speaks(halves, by[0]) if cue else ""
    return AuditBaseline.of(name, metric, (gold, said), fitted, speaks, halves.about)


def _speaks(halves: SplitHalves, holds: Ints) -> str:
    """Which answer a cue stands for that holds (1) of some training examples, and not of others."""
    answers = halves.answer_by_group(holds, np.array([0, 1]))
    without, with_ = (answers.names[code] for code in answers.codes())
    return f"always {with_}" if without == with_ else f"{with_} where it holds"


def compute_ceilings(dataset: Dataset) -> dict[str, AuditBaseline]:
    """The best that any reader of the asked words and a bag of words can score, over examples whose
    question and bag others share.

    Small groups flatter it, so the same after shuffling labels stands beside it.
    """
    floors = {}
    for name, called in {
        "asked words and bag of words": {},
        "the same without number": _singular(),
    }.items():
        groups = _number_asked_words(dataset, called)
        some = np.flatnonzero(np.bincount(groups)[groups] > 1)
        if len(some):
            codes, labels = (
                np.unique(groups[some], return_inverse=True)[1].ravel(),
                dataset.labels.matrix()[some],
            )
            score, rng = _best(codes, labels), np.random.default_rng([0, 3])
            chance = float(
                np.mean([_best(codes, rng.permutation(labels)) for _ in range(_SHUFFLES)])
            )
            many = (
                f"{len(some):,} of {len(dataset):,} examples, {len(some) / (codes.max() + 1):.1f}"
                " to a group"
            )
            floors[name] = AuditBaseline(
                name,
                score,
                score,
                score,
                f"exact, over {many}; {100 * chance:.1f} with shuffled labels",
            )
    return floors


def _best(groups: Ints, labels: Ints) -> float:
    """The share of examples that have the commonest label of their group."""
    counts = np.zeros((int(groups.max()) + 1, int(labels.max()) + 1), np.int64)
    np.add.at(counts, (groups, labels), 1)
    return float(counts.max(1).sum() / len(labels))


def _number_asked_words(dataset: Dataset, called: dict[str, str]) -> Ints:
    """A number an example [n], equal for the same asked words and the same words in any order."""
    bags: dict[tuple[str, ...], int] = {}
    of = [
        bags.setdefault(tuple(sorted(called.get(w, w) for w in s.words)), len(bags))
        for s in dataset.sentences
    ]
    rows = np.column_stack([np.array(of, np.int64)[dataset.sites[:, 0, 0]], dataset.asked])
    return np.unique(rows, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def _singular() -> dict[str, str]:
    """Forms without what they say of number: plural nouns by their lemma, verbs of the third person
    too.
    """
    entries = english().lexicon.entries
    return {
        entry.forms[1]: entry.lemma for kind in ("noun", "verb") for entry in entries[kind]
    } | _NUMBERLESS
