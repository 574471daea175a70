"""Rows of `ud/tense` to read, cell by cell: an auxiliary with the form of the verb beside it, the
label, and what is left out. Rare cells come first, since rows drawn at random hardly have them.

    python benchmarks/cells.py UD_Slovenian-SSJ --least 1 -n 20
    python benchmarks/cells.py UD_Slovenian-SSJ --pooled -n 5

A cell that has at least `--least` percent of the verbs with an auxiliary is shown with n rows;
`--pooled` shows the rarer ones together, n rows each. Cells with a simple verb are left out.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from sheets import digest, shortened

from lingprobe.corpora.batches import batches
from lingprobe.tasks.answers import Answer
from lingprobe.tasks.sources import treebanks
from lingprobe.tasks.ud.clause import clauses
from lingprobe.tasks.ud.rules import tense


class Row(NamedTuple):
    """A clause: its cell, what the rule says of it, its verb and its sentence."""

    cell: str
    told: str
    verb: str
    text: str


def main() -> None:
    """Print the cells of some treebanks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("--least", type=float, default=1.0, help="percent; rarer cells are pooled")
    parser.add_argument("--pooled", action="store_true", help="the rarer cells instead")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for treebank in given.treebanks:
        cells: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in rows(treebank):
            cells[row.cell, row.told].append(row)
        many = sum(map(len, cells.values()))
        print(f"== {treebank}: {many} verbs with auxiliaries, {len(cells)} cells")
        for (cell, told), some in sorted(cells.items(), key=lambda item: len(item[1])):
            if (100 * len(some) / many < given.least) == given.pooled:
                print(f"{len(some)}  {cell}: {told}")
                drawn = sorted(some, key=lambda row: digest(given.seed, row.text))[: given.n]
                for i, row in enumerate(drawn, 1):
                    print(f"   {i}. {row.verb} | {shortened(row.text)}")


def rows(treebank: str) -> Iterator[Row]:
    """The clauses of a treebank whose tense is read from an auxiliary, or would be."""
    for source in treebanks(treebank, (), (".conllu",)):
        for batch in batches(source.part.path, "skip"):
            for clause in clauses(batch, batch.sentences()):
                finding = tense(clause)
                if clause.group.cell:
                    told = (
                        f"{finding.label} ({finding.strata['construction']})"
                        if isinstance(finding, Answer)
                        else f"left out: {finding}"
                    )
                    yield Row(clause.group.cell, told, clause.form, clause.sentence.text)


if __name__ == "__main__":
    main()
