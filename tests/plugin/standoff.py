"""A format of labelled spans: standoff.py@Standoff:FOLDER reads brat's files. The folders train, dev
and test have NAME.txt, a sentence a line, and NAME.ann: `T1<tab>Person 0 5<tab>Alice`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lingprobe.data.core import DATA_SPLITS, DataProblem, Dataset, Example, Sentence, Site


@dataclass(frozen=True)
class Standoff:
    """What is the type of the entity?"""

    path: Path

    name = "mine/standoff"
    question = "What is the type of the entity?"
    metric, probe, view = "micro-f1", "span", "mean"

    def load(self) -> Dataset:
        texts = (
            (split, p) for split in DATA_SPLITS for p in sorted(self.path.glob(f"{split}/*.txt"))
        )
        return Dataset.of(example for split, path in texts for example in entities(path, split))


def entities(path: Path, split: str) -> Iterator[Example]:
    """The entities of a text; one that crosses lines, or is in several parts, is an error."""
    start, lines = 0, []
    for line in path.read_text("utf-8").split("\n"):
        places = [(start + m.start(), start + m.end()) for m in re.finditer(r"\S+", line)]
        lines.append((Sentence.of(line.split(), line), places))
        start += len(line) + 1
    table = path.with_suffix(".ann")
    for number, row in enumerate(table.read_text("utf-8").splitlines(), 1):
        if row.startswith("T"):
            label, first, *more, last = row.split("\t")[1].split()
            start, stop = int(first), int(last)
            for sentence, places in lines:
                inside = [i for i, (a, b) in enumerate(places) if a < stop and b > start]
                if inside and not more and places[inside[0]][0] <= start <= stop <= places[-1][1]:
                    site = Site(sentence, (inside[0], inside[-1] + 1))
                    yield Example((site,), label, split)
                    break
            else:
                raise DataProblem(f"{table}:{number}: an entity of one part, in one line")
