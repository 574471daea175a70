"""What examples share, which intervals must know, and rows shared out over splits: whole groups
stay together and every part gets its share of every class, a dev split is made where data come
without one, and part of data is taken that have splits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lingprobe.data.checks import check_number
from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Example
from lingprobe.data.vectors import Ints
from lingprobe.datasets.candidates import number_values
from lingprobe.datasets.groups import connect_rows
from lingprobe.datasets.near_equal import group_near_equal


def code_shared_groups(dataset: Dataset) -> dict[str, Ints]:
    """What test examples share that intervals are clustered by: codes [n], -1 for nothing, by what
    it is; only what two of them share at least.

    Their sentences, near-equal ones included, on whichever side of a pair, the words of their spans
    (ignoring case), and the strata that the data set names as `clusters`: target forms, pairs.
    """
    shared = {}
    sentences = orient_pairs(group_near_equal(dataset).numbers[dataset.sites[:, :, 0]])
    for k in range(dataset.sites.shape[1]):
        which = f" {k + 1}" if k else ""
        shared[f"sentence{which}"] = sentences[:, k]
        shared[f"words{which}"] = span_words(dataset, k)
    if (dataset.sites[:, 1:, 0] == dataset.sites[:, :1, 0]).all():
        shared = {name: codes for name, codes in shared.items() if not name.startswith("sentence ")}
    shared |= {
        name: dataset.strata[name].codes for name in dataset.clusters if name in dataset.strata
    }
    return {name: _compact_codes(codes) for name, codes in shared.items() if _has_repeats(codes)}


_ROUNDS = 10  # of looking for sentences that would better stand on the other side


def orient_pairs(pairs: Ints) -> Ints:
    """Pairs [n, 2] turned so that what several have stands on one side in as many as possible; what
    is no pairs stays.

    Where no odd number of pairs closes a circle, that is in all of them. Pairs that share
    something are then found by their first halves and by their second ones.
    """
    if pairs.shape[1] != 2:
        return pairs
    sides = _sides(pairs)
    first, second = sides[pairs].T
    wrong = ((first == 1) & (second != 1)) | ((second == 0) & (first != 0))
    return np.where(wrong[:, None], pairs[:, ::-1], pairs)


def _sides(pairs: Ints) -> Ints:
    """The side, 0 or 1, of each number that several pairs have, from neighbour to neighbour, then
    by majority; -1 for the others.
    """
    shared = np.bincount(pairs.ravel()) > 1
    near: dict[int, list[int]] = {int(number): [] for number in np.flatnonzero(shared)}
    for one, other in pairs[shared[pairs].all(1) & (pairs[:, 0] != pairs[:, 1])].tolist():
        near[one].append(other)
        near[other].append(one)
    side: dict[int, int] = {}
    for start in near:
        waiting = [] if start in side else [start]
        side.setdefault(start, 0)
        for number in waiting:  # grows while it is gone through
            fresh = [other for other in near[number] if other not in side]
            side.update(dict.fromkeys(fresh, 1 - side[number]))
            waiting += dict.fromkeys(fresh)
    for _ in range(_ROUNDS):
        if not _improve_sides(side, near):
            break
    sides = np.full(len(shared), -1)
    sides[list(side)] = list(side.values())
    return sides


def _improve_sides(side: dict[int, int], near: Mapping[int, Sequence[int]]) -> bool:
    """Whether numbers that stand on the side of most of their neighbours could be moved to the
    other.
    """
    moved = False
    for number, others in near.items():
        if 2 * sum(side[other] == side[number] for other in others) > len(others):
            side[number], moved = 1 - side[number], True
    return moved


def span_words(dataset: Dataset, site: int) -> Ints:
    """Codes [n] of the words of each example's span, ignoring case; -1 for whole sentences."""
    from lingprobe.corpora.marks import fold_form  # compiles which marks are folded

    numbers: dict[str, int] = {}
    words: dict[int, list[str]] = {}
    codes = np.full(len(dataset), -1)
    for i, (sentence, start, stop) in enumerate(dataset.sites[:, site].tolist()):
        if start >= 0:
            if sentence not in words:
                words[sentence] = list(map(fold_form, dataset.sentences[sentence].words))
            codes[i] = numbers.setdefault(" ".join(words[sentence][start:stop]), len(numbers))
    return codes


def _has_repeats(codes: Ints) -> bool:
    """Whether two examples have one code."""
    some = codes[codes >= 0]
    return len(np.unique(some)) < len(some)


def _compact_codes(codes: Ints) -> Ints:
    """Codes from 0 on without gaps; below 0 stays -1."""
    present, numbers = np.unique(codes, return_inverse=True)
    return np.maximum(numbers.reshape(-1) - int((present < 0).sum()), -1).astype(np.int64)


# no group takes more than a tenth of a part's share of a class, where another part can hold it
_DIVERSE = 10


def allocate_rows(
    groups: Ints, labels: Ints, shares: Sequence[float], rng: np.random.Generator
) -> Ints:
    """The part of each row [n], so that rows of a group (-1: alone) share a part and classes divide
    as `shares`.

    Groups of several rows are placed from the largest down where they fit best; single rows then
    fill what is missing.
    """
    classes = int(labels.max()) + 1
    share = np.array(shares, float) / sum(shares)
    need = share[:, None] * np.bincount(labels, minlength=classes)
    order = np.argsort(groups, kind="stable")
    first = np.flatnonzero(np.r_[True, (np.diff(groups[order]) != 0) | (groups[order][1:] < 0)])
    sizes = np.diff(np.r_[first, len(order)])
    parts = np.empty(len(groups), np.int64)
    several = np.flatnonzero(sizes > 1)
    ranked = several[np.lexsort((rng.random(len(several)), -sizes[several]))]
    quota = need.copy()
    for g in ranked:
        rows = order[first[g] : first[g] + sizes[g]]
        parts[rows] = _choose_split(labels[rows], need, quota, classes)
    alone = order[first[sizes == 1]]
    parts[alone] = _fill(labels[alone], need, rng)
    return parts


def _choose_split(
    labels: Ints, need: NDArray[np.float64], quota: NDArray[np.float64], classes: int
) -> int:
    """The part that a group fits best; what the part still needs is lowered."""
    counts = np.bincount(labels, minlength=classes)
    some = np.flatnonzero(counts)
    n = counts[some]
    open_ = (n * _DIVERSE <= quota[:, some]).all(1)
    over = np.maximum(n - need[:, some], 0).sum(1)
    unfilled = (n * need[:, some] / quota[:, some]).sum(1)
    best = int(np.lexsort((-quota[:, some].sum(1), -unfilled, ~open_, over))[0])
    need[best, some] -= n
    return best


def allocate_to_all(
    groups: Ints, labels: Ints, shares: Sequence[float], rng: np.random.Generator
) -> Ints:
    """The same, but a part that got nothing of a class is given the smallest group of a part with
    several; few forms need this.
    """
    parts, many, classes = (
        allocate_rows(groups, labels, shares, rng),
        len(shares),
        int(labels.max()) + 1,
    )
    groups = np.where(groups < 0, groups.max() + 1 + np.arange(len(groups)), groups)
    held = np.bincount(parts * classes + labels, minlength=many * classes).reshape(many, classes)
    for part, c in np.argwhere(held == 0):
        mine = np.flatnonzero(labels == c)
        present, first, sizes = np.unique(groups[mine], return_index=True, return_counts=True)
        owner = parts[mine[first]]
        spare = np.bincount(owner, minlength=many)[owner] > 1
        if spare.any() and not (parts[mine] == part).any():
            moved = present[spare][sizes[spare].argmin()]
            parts[groups == moved] = part
    return parts


def _fill(labels: Ints, need: NDArray[np.float64], rng: np.random.Generator) -> Ints:
    """Parts of single rows, so that each part gets what it still needs of each class."""
    parts = np.empty(len(labels), np.int64)
    mixed = rng.permutation(len(labels))
    order = mixed[np.argsort(labels[mixed], kind="stable")]
    starts = np.searchsorted(labels[order], np.arange(need.shape[1] + 1))
    for c in np.flatnonzero(np.diff(starts)):
        rows = order[starts[c] : starts[c + 1]]
        parts[rows] = np.repeat(np.arange(len(need)), apportion_total(len(rows), need[:, c]))
    return parts


def stratified_folds(labels: Ints, fold_count: int, seed: int) -> Ints:
    """The fold of each row [n], 0 to fold_count - 1, each with its share of every class, as
    `StratifiedKFold(fold_count, shuffle=True, random_state=seed)` of scikit-learn draws them.
    """
    rng = np.random.RandomState(seed)
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    codes = np.argsort(np.argsort(first))[codes]  # classes in the order in which they come
    ordered = np.sort(codes)
    shares = np.stack(
        [np.bincount(ordered[k::fold_count], minlength=len(first)) for k in range(fold_count)], 1
    )
    folds = np.empty(len(labels), np.int64)
    for c, share in enumerate(shares):
        dealt = np.repeat(np.arange(fold_count), share)
        rng.shuffle(dealt)
        folds[codes == c] = dealt
    return folds


def apportion_total(total: int, weights: NDArray[np.float64]) -> Ints:
    """`total` things in proportion to the positive weights, by largest remainder; they add up to
    `total`.
    """
    shares = np.maximum(weights, 0)
    if shares.sum() <= 0:
        shares = np.ones(len(weights))
    exact = total * shares / shares.sum()
    whole: Ints = np.floor(exact).astype(np.int64)
    short = np.argsort(whole - exact, kind="stable")[: total - int(whole.sum())]
    whole[short] += 1
    return whole


def carve_dev(dataset: Dataset, seed: int, share: float = 0.1) -> Dataset:
    """A tenth of train becomes dev where there is none, whole sentences and clusters (as target
    forms) at a time. DataProblem for fewer than two training examples.
    """
    if len(dataset.rows("dev")):
        return dataset
    train = dataset.rows("train")
    if len(train) < 2:
        raise DataProblem(
            f"no dev split, and the {len(train)} training examples are too few to carve one from"
        )
    codes = dataset.labels.take(train).codes_to_balance()
    kept, parts = "", np.zeros(len(train), np.int64)
    for tie, ties in shared_ties(dataset, train).items():
        kept, parts = (
            tie,
            allocate_to_all(
                connect_rows(ties), codes, (1 - share, share), np.random.default_rng([seed, 1])
            ),
        )
        if 2 * int((parts == 1).sum()) >= int(share * len(train)):
            break
    splits = dataset.splits.copy()
    splits[train[parts == 1]] = 1
    return replace(dataset, splits=splits).with_notes(
        dev={"carved_from_train": int((parts == 1).sum()), "kept_together": kept, "seed": seed}
    )


def shared_ties(dataset: Dataset, rows: Ints) -> dict[str, Ints]:
    """Rows of one group stay together, and so do near-equal texts: what keeps examples together, as
    numbers [rows, ties], the strictest first; the second is for data that all hang together.
    """
    sentences = group_near_equal(dataset).numbers[dataset.sites[rows, :, 0]]
    shared, names, first = [], [], len(dataset.sentences)
    for name in dataset.clusters:
        tags = dataset.strata.get(name)
        if tags is not None and (tags.codes[rows] >= 0).any():
            shared.append(
                np.where(tags.codes[rows] < 0, sentences[:, 0], tags.codes[rows] + first)[:, None]
            )
            names.append("target forms" if name == "target" else f"{name}s")
            first += len(tags.names)
    if shared:
        tie = " and ".join(names)
        return {
            f"sentences and {tie}": np.concatenate([sentences, *shared], 1),
            tie: np.concatenate(shared, 1),
        }
    return {"sentences": sentences, "first sentences": sentences[:, :1]}


def draw_examples(examples: Sequence[Example], size: int, seed: int) -> list[Example]:
    """`size=`: so many examples in proportion to splits and classes, in their order, sampled from
    all; never the first ones of a file.
    """
    check_number("size", size, "1", "or leave size out for all", DataProblem)
    if size >= len(examples):
        return list(examples)
    rng = np.random.default_rng([seed, 4])
    splits = np.array([DATA_SPLITS.index(e.split) for e in examples])
    labels, names = number_values(e.label if isinstance(e.label, str) else "" for e in examples)
    # the same classes come first in every split, so that what test has train has too
    rank = rng.permutation(len(names))
    mixed = rng.permutation(len(examples))
    chosen = []
    for split, number in enumerate(
        apportion_total(size, np.bincount(splits, minlength=len(DATA_SPLITS)).astype(float))
    ):
        rows = mixed[splits[mixed] == split]
        chosen.append(_spread(rows, rank[labels[rows]], len(names), int(number)))
    return [examples[i] for i in np.sort(np.concatenate(chosen))]


def draw_train(dataset: Dataset, sample: str) -> Dataset:
    """One training sample of several: a data set with a random part of train, as sample='2/5' says:
    the second of five draws of four fifths each.

    Draws are independent and without replacement, whole sentences at a time, over the same dev and
    test (Tenney et al. 2019, Table 2).
    """
    number, _, many = sample.partition("/")
    if not (
        number.isdecimal() and many.isdecimal() and 1 <= int(number) <= int(many) and int(many) > 1
    ):
        raise DataProblem(
            f"sample={sample}: write which of how many samples of the training data it is, as"
            " sample=1/5"
        )
    sentences = dataset.sites[:, 0, 0]
    mine = np.unique(sentences[dataset.rows("train")])
    left_out = len(mine) // int(many)
    out = np.random.default_rng([int(number), int(many), 17]).permutation(mine)[:left_out]
    rows = np.flatnonzero((dataset.splits != 0) | ~np.isin(sentences, out))
    return dataset.take(rows).with_notes(
        sample={"number": sample, "sentences": len(mine) - left_out, "of": len(mine)}
    )


def _spread(rows: Ints, classes: Ints, many: int, size: int) -> Ints:
    """`size` of some rows, classes in their proportions."""
    shares = (
        apportion_total(size, np.bincount(classes, minlength=many).astype(float))
        if size
        else np.zeros(many, np.int64)
    )
    order = np.argsort(classes, kind="stable")
    place = np.arange(len(rows)) - np.searchsorted(classes[order], classes[order])
    return np.asarray(rows[order[place < shares[classes[order]]]])
