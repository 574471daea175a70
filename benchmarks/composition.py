"""What the composition tasks consist of: the share of each construction in train, how often rules
of thumb are right, how many of the asked words' surroundings in test were in train, and how long a
set takes to build.

usage: python benchmarks/composition.py [--language polish] [--size 4000] [--names negation sem-role]
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np

from lingprobe.data.core import Dataset
from lingprobe.tasks import TASKS, list_task_names
from lingprobe_extensions.compose.comp.designs import DESIGNS_BY_LANGUAGE
from lingprobe_extensions.compose.comp.shallow import shallow_examples

STRATA = ("marker", "scope", "construction", "negative")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--language", default="english")
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--names", nargs="*", default=list_task_names("comp"))
    options = parser.parse_args()
    lacking = [
        n
        for n, one in DESIGNS_BY_LANGUAGE.get(options.language, {}).items()
        if isinstance(one, str)
    ]
    for name in (name for name in options.names if name not in lacking):
        began = time.process_time()
        reference = f"comp/{name},size={options.size},language={options.language}"
        data = TASKS.make(reference).load()
        print(f"{reference}: {len(data):,} items in {time.process_time() - began:.1f} s CPU")
        shown(data)


def shown(data: Dataset) -> None:
    """Print what a set consists of, and what rules say of it."""
    train = data.rows("train")
    for stratum in (stratum for stratum in STRATA if stratum in data.strata):
        tags = data.strata[stratum]
        counts = np.bincount(tags.codes[train], minlength=len(tags.names)) / len(train)
        cells = (f"{tags.names[i]} {100 * counts[i]:.1f}" for i in np.argsort(-counts))
        print(f"    {stratum}: {', '.join(cells)}")
    rules = data.notes["rules"].items()
    if rules:
        print("    rules of thumb: " + ", ".join(f"{name} {100 * x:.1f}" for name, x in rules))
    print("    surroundings that train has: " + ", ".join(known(data)))


def known(data: Dataset, width: int = 2) -> list[str]:
    """For each part of test, in how many items the tags around the asked words, all in one, are
    also those of a training item.
    """
    examples = shallow_examples(data)
    if examples is None:
        return []
    windows = [
        examples.tag_numbers(np.where(place < 0, -1, place + away))
        for place in examples.places.T
        for away in range(-width, width + 1)
    ]
    rows = [tuple(row) for row in np.stack(windows, 1).tolist()]
    trained = Counter(rows[i] for i in data.rows("train"))
    new = data.strata["new"]
    return [
        f"{part} {100 * np.mean([rows[i] in trained for i in np.flatnonzero(new.codes == k)]):.1f}"
        for k, part in enumerate(new.names)
    ]


if __name__ == "__main__":
    main()
