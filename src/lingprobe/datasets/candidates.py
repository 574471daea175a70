"""What a task hands in to be sampled, the same in columns, and what is excluded before anything is
drawn: duplicates, target forms outside the band, rare classes. All counted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.core import DATA_SPLITS, DataProblem, Sentence
from lingprobe.data.digests import hash_bytes
from lingprobe.data.labels import Label
from lingprobe.data.vectors import Ints
from lingprobe.datasets.settings import SampleSettings

NO_STRATA: Mapping[str, str] = MappingProxyType({})


class Candidate(NamedTuple):
    """A sentence that could become an example; a tuple, because there may be millions.

    target   the word form that the label is about, '' for none; each form is in one split only,
             ignoring case
    split    the official split: 'train', 'dev', 'test', or '' for none
    length   the length for decorrelation; None: the number of words
    lemma    of the target, '' where it is not known; none makes half of a class
    """

    sentence: Sentence
    label: Label
    target: str = ""
    split: str = ""
    strata: Mapping[str, str] = NO_STRATA
    length: int | None = None
    lemma: str = ""


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """Candidates in columns, all [n].

    labels   codes into names; classes are numbered in sorted order, other labels as they come and
             without names
    targets  codes into forms, -1 without a target
    lemmas   codes into lemma_names, those of targets whose lemma is not known into their forms; -1
             where no lemma is known
    content  equal for sentences of the same words, ignoring case
    letters  equal for those of the same letters and digits, whatever their marks and spaces
    splits   0 train, 1 dev, 2 test, -1 unknown
    classes  whether the labels are classes, which can be balanced
    read     the candidates of some rows
    """

    labels: Ints
    names: tuple[str, ...]
    targets: Ints
    forms: tuple[str, ...]
    lemmas: Ints
    lemma_names: tuple[str, ...]
    content: Ints
    letters: Ints
    lengths: Ints
    splits: NDArray[np.int8]
    classes: bool
    read: Callable[[Ints], Sequence[Candidate]]

    @classmethod
    def of(cls, candidates: Iterable[Candidate]) -> CandidatePool:
        """Columns of some candidates."""
        listed = list(candidates)
        content, alike, _ = hash_candidates(joined(c.sentence.words) for c in listed)
        lengths = (len(c.sentence.words) if c.length is None else c.length for c in listed)
        splits = (_SPLITS.get(c.split, -1) for c in listed)
        sizes = np.fromiter(lengths, np.int64, len(listed))
        parts = np.fromiter(splits, np.int8, len(listed))
        return cls.from_codes(
            np.arange(len(listed)),
            [(c.label, c.target, c.lemma) for c in listed],
            (content, alike, sizes, parts),
            lambda rows: [listed[i] for i in rows],
        )

    @classmethod
    def from_codes(
        cls,
        codes: Ints,
        said: Sequence[tuple[Label, str, str]],
        columns: tuple[Ints, Ints, Ints, NDArray[np.int8]],
        read: Callable[[Ints], Sequence[Candidate]],
    ) -> CandidatePool:
        """From codes [n] into labels with their target forms and lemmas, and the columns content,
        letters, lengths, splits.
        """
        if not len(codes):
            raise DataProblem(
                "no candidates: no sentence of the data has an answer to the task's question"
            )
        labels, distinct = _renumber_values(codes, [_frozen(label) for label, _, _ in said])
        classes = all(isinstance(label, str) for label in distinct)
        names = tuple(map(str, distinct)) if classes else ()
        if classes:
            order = sorted(range(len(names)), key=names.__getitem__)
            labels = np.argsort(order)[labels]
            names = tuple(names[i] for i in order)
        targets, forms = _number_words(codes, [target for _, target, _ in said])
        lemmas, lemma_names = _number_words(
            codes,
            [lemma or target for _, target, lemma in said]
            if any(lemma for _, _, lemma in said)
            else [""] * len(said),
        )
        words = (targets, forms, lemmas, lemma_names)
        return cls(labels, names, *words, *columns, classes, read)

    def __len__(self) -> int:
        return len(self.labels)

    def counts(self, rows: Ints) -> dict[str, int]:
        """How many of these rows each class has; {} where labels are no classes."""
        if not self.classes:
            return {}
        counts = np.bincount(self.labels[rows], minlength=len(self.names))
        return {name: int(n) for name, n in zip(self.names, counts, strict=True)}


WORD_SEPARATOR = "\n"
"""What no word has: files are read by lines."""
joined = WORD_SEPARATOR.join


def hash_candidates(sentences: Iterable[str]) -> tuple[Ints, Ints, Ints]:
    """What stands for joined words ignoring case, for their letters and digits (for the words,
    where they have none), and for the words as they stand; the same in all processes.

    Of 64 bits: at ten million sentences two differing ones meet with a chance of 3e-6.
    """
    from lingprobe.corpora.text import strip_to_letters  # compiles what is a letter

    digests = bytearray()
    for exact in sentences:
        folded = exact.casefold()
        for text in (folded, strip_to_letters(folded) or folded, exact):
            digests += hash_bytes(text.encode("utf-8", "surrogatepass"), 8)
    content, alike, same = np.frombuffer(bytes(digests), np.int64).reshape(-1, 3).T.copy()
    return content, alike, same


_SPLITS = {"train": 0, "dev": 1, "test": 2}


def number_values(values: Iterable[Hashable]) -> tuple[Ints, list[Hashable]]:
    """Codes of some values in order of appearance, and the values by code."""
    numbers: dict[Hashable, int] = {}
    codes = np.fromiter((numbers.setdefault(v, len(numbers)) for v in values), np.int64)
    return codes, list(numbers)


def number_by_appearance(codes: Ints, code_count: int) -> tuple[Ints, Ints]:
    """Codes below `code_count` numbered anew in order of appearance, and the old ones by new
    one.
    """
    first = np.full(code_count, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several the last that is written stays
    order = np.argsort(first, kind="stable")[: int((first < len(codes)).sum())]
    place = np.empty(code_count, np.int64)
    place[order] = np.arange(len(order))
    return place[codes], order


def _renumber_values(codes: Ints, values: Iterable[Hashable]) -> tuple[Ints, list[Hashable]]:
    """Codes of values that codes stand for, of which several may be equal, in order of
    appearance.
    """
    alike, distinct = number_values(values)
    codes, order = number_by_appearance(alike[codes], len(distinct))
    return codes, [distinct[i] for i in order]


def _number_words(codes: Ints, words: Sequence[str]) -> tuple[Ints, tuple[str, ...]]:
    """Codes of words that codes stand for, whatever their spelling, -1 for none; and the words."""
    from lingprobe.corpora.marks import fold_form  # compiles which marks are folded

    numbers, distinct = _renumber_values(codes, list(map(fold_form, words)))
    if "" in distinct:
        numbers = np.where(numbers == distinct.index(""), -1, numbers)
    return numbers, tuple(map(str, distinct))


def _frozen(label: Label) -> Hashable:
    if isinstance(label, str):  # most are; whether it is a mapping takes longer to ask
        return label
    return tuple(sorted(label.items())) if isinstance(label, Mapping) else label


Notes = dict[str, Any]

# of official splits test keeps what is in several, then dev: what is tested stays what it was
_HOME = np.array([2, 1, 0], np.int8)


def select_distinct_rows(pool: CandidatePool, notes: Notes) -> Ints:
    """Sentences with the same words, ignoring case, are used once, or excluded if their labels
    differ; so no sentence is in two splits.

    Of sentences that differ in marks, spaces or how they were cut into words only one is kept: a
    probe that had it in train would know it.
    """
    kept = _agreeing(pool, notes)
    alike = np.lexsort((_HOME[pool.splits[kept]], pool.letters[kept]))
    alone = kept[alike[_begins(pool.letters[kept[alike]])]]
    notes["near_duplicates"] = len(kept) - len(alone)
    return np.sort(alone)


def _agreeing(pool: CandidatePool, notes: Notes) -> Ints:
    """The row of each run of words that has one label."""
    order = np.lexsort((_HOME[pool.splits], pool.content))  # of equal rows the first stays first
    first = np.flatnonzero(_begins(pool.content[order]))
    labels = pool.labels[order]
    agree = np.maximum.reduceat(labels, first) == np.minimum.reduceat(labels, first)
    sizes = np.diff(np.r_[first, len(order)])
    notes["conflicting"] = int(sizes[~agree].sum())
    notes["duplicates"] = int((sizes[agree] - 1).sum())
    return np.sort(order[first[agree]])


def _begins(ordered: Ints) -> NDArray[np.bool_]:
    """Where values that are in order change; the first does."""
    begins = np.ones(len(ordered), bool)
    begins[1:] = ordered[1:] != ordered[:-1]
    return begins


def select_band(pool: CandidatePool, rows: Ints, settings: SampleSettings, notes: Notes) -> Ints:
    """Rows whose target form is neither too rare nor too common: `rarest` to `commonest` candidates
    have it (Krasnowska-Kieraś & Wróblewska 2019, section 4.2).
    """
    targets = pool.targets[rows]
    some = targets >= 0
    if not some.any():
        return rows
    counts = np.bincount(targets[some], minlength=len(pool.forms))
    rarest, commonest, cap = settings.bounds(int(some.sum()), int((counts > 0).sum()))
    rare, common = (counts > 0) & (counts < rarest), counts > commonest
    notes["targets"] = {
        "forms": int((counts > 0).sum()),
        "rarest": rarest,
        "commonest": commonest,
        "cap": cap,
    }
    notes["too_rare"] = {"forms": int(rare.sum()), "examples": int(counts[rare].sum())}
    notes["too_common"] = {"forms": int(common.sum()), "examples": int(counts[common].sum())}
    return rows[~some | ~(rare | common)[targets]]


def cap_targets(pool: CandidatePool, rows: Ints, rng: np.random.Generator, notes: Notes) -> Ints:
    """At most `cap` rows of each target form, sampled at random, in order (same section)."""
    if "targets" not in notes:
        return rows
    targets = pool.targets[rows]
    order = np.lexsort((rng.random(len(targets)), targets))
    ranked = targets[order]
    rank = np.arange(len(order)) - np.searchsorted(ranked, ranked)
    kept = np.sort(order[(rank < notes["targets"]["cap"]) | (ranked < 0)])
    notes["over_cap"] = len(rows) - len(kept)
    return np.asarray(rows[kept])


def keep_common_classes(
    pool: CandidatePool, rows: Ints, settings: SampleSettings, notes: Notes
) -> Ints:
    """Classes of fewer than `least` examples (fifty, as a rule) are dropped and counted, or the
    task is refused.
    """
    counts = pool.counts(rows)
    rare = {name: n for name, n in counts.items() if n < settings.least}
    if rare and settings.rare == "refuse":
        raise DataProblem(too_few(rare, settings.least, notes))
    if rare:
        notes["rare_classes"] = rare
        rows = rows[
            ~np.isin(pool.labels[rows], [i for i, name in enumerate(pool.names) if name in rare])
        ]
    if pool.classes and len(counts) - len(rare) < 2:
        raise DataProblem(
            f"{'only one' if len(counts) > len(rare) else 'no'} class is left:"
            f" {_list_counts(counts)}, after {left_out(notes)}; two or more need"
            f" {settings.least} examples each"
        )
    if not len(rows):
        raise DataProblem(
            f"nothing is left of {notes['candidates']} candidates after {left_out(notes)}"
        )
    return rows


def separate_splits(pool: CandidatePool, rows: Ints, notes: Notes) -> Ints:
    """Rows of official splits whose target form has its home in their own split; the others are
    counted by split.
    """
    if (unknown := np.flatnonzero(pool.splits[rows] < 0)).size:
        text = pool.read(rows[unknown[:1]])[0].sentence.text
        raise DataProblem(
            f"{len(unknown)} candidates have no official split, the first is {text[:60]!r}; write"
            " splits=sampled"
        )
    targets, ranks = pool.targets[rows], _HOME[pool.splits[rows]]
    home = np.full(len(pool.forms) + 1, len(DATA_SPLITS))
    np.minimum.at(home, targets, ranks)
    stay = (targets < 0) | (home[targets] == ranks)
    gone = np.bincount(pool.splits[rows[~stay]], minlength=3)
    notes["target_in_another_split"] = {
        name: int(n) for name, n in zip(DATA_SPLITS, gone, strict=True)
    }
    return np.asarray(rows[stay])


def too_few(counts: dict[str, int], min_examples: int, notes: Notes) -> str:
    """Why a task is refused: too few examples of a class, with counts."""
    return (
        f"too few examples of a class ({_list_counts(counts)}; {min_examples} are needed) among"
        f" {notes['candidates']} candidates, after {left_out(notes)}"
    )


def _list_counts(counts: Mapping[str, int]) -> str:
    """The rarest classes, and how many examples each has."""
    return ", ".join(f"{name}: {n}" for name, n in sorted(counts.items(), key=lambda x: x[1])[:10])


def left_out(notes: Notes) -> str:
    """What was excluded so far, in words."""
    many = notes.get("duplicates", 0) + notes.get("near_duplicates", 0)
    reasons = [f"{many} duplicates", f"{notes.get('conflicting', 0)} with two labels"]
    for key, bound, than in (("too_rare", "rarest", "fewer"), ("too_common", "commonest", "more")):
        if notes.get(key, {}).get("examples"):
            reasons.append(
                f"{notes[key]['examples']} with a target form that {than} than"
                f" {notes['targets'][bound]} of them have ({bound}= changes that)"
            )
    if notes.get("over_cap"):
        reasons.append(f"{notes['over_cap']} over the cap of a target form")
    return ", ".join(reasons) + " were excluded"
