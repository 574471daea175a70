"""What is in a data set more than once: questions, sentences, whole splits, and word forms that
should be in one split only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from lingprobe.audit.findings import RepeatedSentence, SplitOverlap
from lingprobe.corpora.marks import fold_form
from lingprobe.data.core import DATA_SPLITS, Dataset
from lingprobe.data.vectors import Ints
from lingprobe.datasets.groups import find_disputed_rows, number_equal_rows

_PAIRS = tuple(combinations(range(len(DATA_SPLITS)), 2))
_FORMS = ("target", "replacement")  # strata whose word forms tasks keep apart
_SHOWN = 10  # sentences that occur most often


@dataclass(frozen=True, slots=True)
class NumberedDataset:
    """A data set in numbers, equal for what is equal, ignoring case.

    content   [sentences] by words in order; bags: by words in any order
    question  [examples] by content of the sites, spans and asked words; answer: by label
    """

    dataset: Dataset
    content: Ints
    question: Ints
    answer: Ints

    @classmethod
    def of(cls, dataset: Dataset) -> NumberedDataset:
        """The numbers of a data set."""
        content = _code_values(["\x1f".join(s.words).casefold() for s in dataset.sentences])
        sites = dataset.sites.copy()
        sites[:, :, 0] = content[sites[:, :, 0]]
        question = number_equal_rows(
            np.column_stack([sites.reshape(len(dataset), -1), dataset.asked])
        )
        return cls(dataset, content, question, dataset.labels.codes())

    def rows(self, split: int) -> Ints:
        """Which examples a split has."""
        return np.flatnonzero(self.dataset.splits == split)


def _code_values(values: list[str]) -> Ints:
    numbers: dict[str, int] = {}
    return np.fromiter(
        (numbers.setdefault(value, len(numbers)) for value in values), np.int64, len(values)
    )


def find_repeats(numbered: NumberedDataset) -> dict[str, int]:
    """Examples that repeat another one: split -> examples that ask again what another one of the
    split asks.
    """
    questions = {name: numbered.question[numbered.rows(k)] for k, name in enumerate(DATA_SPLITS)}
    return {name: len(asked) - len(np.unique(asked)) for name, asked in questions.items()}


def count_contradictions(numbered: NumberedDataset) -> int:
    """Examples that repeat another one with a different label: they ask what another one asks."""
    return int(find_disputed_rows(numbered.question, numbered.answer).sum())


def both_versions(numbered: NumberedDataset) -> int:
    """Examples whose words are, in another order, those of an example with another label: one
    sentence as it was and altered.

    Where the order is the same, too, they are counted as contradictions.
    """
    dataset = numbered.dataset
    bags = _code_values(
        ["\x1f".join(sorted(w.casefold() for w in s.words)) for s in dataset.sentences]
    )
    return int(
        (
            find_disputed_rows(bags[dataset.sites[:, 0, 0]], numbered.answer)
            & ~find_disputed_rows(numbered.question, numbered.answer)
        ).sum()
    )


def find_repeated_splits(numbered: NumberedDataset) -> dict[str, str]:
    """Pairs of splits that hold the same examples with the same labels: 'rows' in one order, 'set'
    in another.
    """
    alike = {}
    rows = numbered.question * (int(numbered.answer.max(initial=0)) + 1) + numbered.answer
    for a, b in _PAIRS:
        first, second = rows[numbered.rows(a)], rows[numbered.rows(b)]
        if (
            len(first)
            and len(first) == len(second)
            and np.array_equal(np.sort(first), np.sort(second))
        ):
            alike[f"{DATA_SPLITS[a]}/{DATA_SPLITS[b]}"] = (
                "rows" if np.array_equal(first, second) else "set"
            )
    return alike


def find_shared_sentences(numbered: NumberedDataset) -> dict[str, SplitOverlap]:
    """Which sentences two splits share: pair of splits -> sentences of the second that are in the
    first.
    """
    content = numbered.content[numbered.dataset.sites[:, :, 0]]
    return {
        f"{DATA_SPLITS[a]}/{DATA_SPLITS[b]}": _count_overlap(
            content[numbered.rows(a)], content[numbered.rows(b)]
        )
        for a, b in _PAIRS
    }


def _count_overlap(first: Ints, second: Ints) -> SplitOverlap:
    """What rows of numbers [n, k] share with others."""
    common = np.isin(second, first)
    return SplitOverlap(len(np.unique(second[common])), int(common.any(1).sum()))


def find_shared_forms(numbered: NumberedDataset) -> dict[str, Mapping[str, SplitOverlap]]:
    """Which target forms two splits share: stratum -> pair of splits -> word forms of the second
    that are in the first.
    """
    shared: dict[str, Mapping[str, SplitOverlap]] = {}
    for name in _FORMS:
        tags = numbered.dataset.strata.get(name)
        if tags is None or not (tags.codes >= 0).any():
            continue
        codes = _code_values(list(map(fold_form, tags.names)))
        splits = [
            tags.codes[rows][tags.codes[rows] >= 0]
            for rows in map(numbered.rows, range(len(DATA_SPLITS)))
        ]
        shared[name] = {
            f"{DATA_SPLITS[a]}/{DATA_SPLITS[b]}": _count_overlap(
                codes[splits[a]][:, None], codes[splits[b]][:, None]
            )
            for a, b in _PAIRS
        }
    return shared


def measure_known_words(dataset: Dataset) -> dict[str, float]:
    """Distinct words of a split that are in train: split -> their share."""
    used = {split: np.unique(dataset.sites[dataset.rows(split), :, 0]) for split in DATA_SPLITS}
    seen = {
        split: {w.casefold() for w in {w for s in rows for w in dataset.sentences[s].words}}
        for split, rows in used.items()
    }
    return {
        split: len(seen[split] & seen["train"]) / len(seen[split]) if seen[split] else 0.0
        for split in DATA_SPLITS[1:]
    }


def most_repeated(numbered: NumberedDataset) -> tuple[RepeatedSentence, ...]:
    """The questions that are asked most often, most of all in several splits; in the order of their
    words, and of where they are, where it is the same.
    """
    dataset, counts = numbered.dataset, np.bincount(numbered.question)
    worth = counts.copy()
    for k in range(len(DATA_SPLITS)):
        worth[np.unique(numbered.question[numbered.rows(k)])] += 1
    several = np.flatnonzero(counts > 1)
    least = np.sort(worth[several])[-_SHOWN:][:1]
    tried = several[worth[several] >= least] if len(several) else several
    order = np.argsort(numbered.question, kind="stable")
    starts = np.searchsorted(numbered.question[order], tried)
    repeated = []
    for q, start in zip(tried.tolist(), starts.tolist(), strict=True):
        rows = order[start : start + counts[q]]
        text = min(
            " | ".join(dataset.sentences[s].text for s in dataset.sites[row, :, 0]) for row in rows
        )
        repeated.append((-worth[q], text, [*_count_by_label(dataset, rows).items()]))
    return tuple(
        RepeatedSentence(text, dict(places)) for _, text, places in sorted(repeated)[:_SHOWN]
    )


def _count_by_label(dataset: Dataset, rows: Ints) -> dict[str, int]:
    """'train: past' -> how many of some examples are there; the split alone where labels are no
    classes.
    """
    names = dataset.labels.take(rows).class_names()
    places: dict[str, int] = {}
    for split, name in sorted(zip(dataset.splits[rows].tolist(), names, strict=True)):
        place = f"{DATA_SPLITS[split]}: {name}" if name else DATA_SPLITS[split]
        places[place] = places.get(place, 0) + 1
    return places
