"""Which features the words of treebanks have, so that a task can be asked of each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from lingprobe.corpora.files import CorpusPart
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.trees import parse_features
from lingprobe.corpora.views import check_dependencies, read_blocks

MIN_VALUE_EXAMPLES = 50  # examples of a value
Inventory = Mapping[str, Counter[str]]
"""Feature -> value -> how often it occurs."""


def count_features(cells: Iterable[tuple[str, int]]) -> Inventory:
    """The features in cells such as `Case=Nom|Number=Sing`, each with how often it occurs."""
    counts: dict[str, Counter[str]] = {}
    for raw, n in cells:
        for name, value in parse_features(raw).items():
            counts.setdefault(name, Counter())[value] += n
    return counts


def features_of_words(
    files: Iterable[CorpusPart], on_error: OnError, upos: str | None
) -> Inventory:
    """The features of all words of some files, or of those of a part of speech."""
    cells: Counter[str] = Counter()
    for part in files:
        for block in read_blocks(part.path, on_error, ProblemTally()):
            batch = check_dependencies(block, "features")
            codes = batch.feats.codes
            if upos is not None:
                codes = codes[batch.upos.where(upos.__eq__)]
            many = np.bincount(codes, minlength=len(batch.feats.names)).tolist()
            cells.update(dict(zip(batch.feats.names, many, strict=True)))
    return count_features((raw, n) for raw, n in cells.items() if n)


def varied_features(counts: Inventory, min_count: int = MIN_VALUE_EXAMPLES) -> list[str]:
    """The features, by name, of which two values or more occur so often."""
    return sorted(
        name
        for name, values in counts.items()
        if sum(n >= min_count for value, n in values.items() if "," not in value) > 1
    )
