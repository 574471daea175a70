"""Rows of `ud/tense` or `ud/passive` to read, cell by cell: an auxiliary by its lemma with the form
of the main verb, and the label. Rows drawn at random hardly hold the rare ones.

    python benchmarks/cells.py ud/tense UD_Slovenian-SSJ
    python benchmarks/cells.py ud/passive UD_Czech-PUD --left-out 3

A cell that holds at least `--least` percent of what the task labels is shown with `--common` rows,
a rarer one with `--rare`, the rarest first; a verb without auxiliaries is a cell, too. Then what is
left out is counted by its reason and, where there is one, its cell; `--left-out` shows rows of
each. The main verb stands in <angles>, its auxiliaries in [brackets].
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sheets import digest

from lingprobe.corpora.batches import TreebankBatch, read_treebank_batches
from lingprobe.tasks.answers import Answer
from lingprobe.tasks.languages import treebank_code
from lingprobe.tasks.sources import find_corpus_files
from lingprobe.tasks.ud.clause import MainClause, extract_main_clauses
from lingprobe.tasks.ud.constructions import FORM_DESCRIPTIONS
from lingprobe.tasks.ud.forms import make_verb
from lingprobe.tasks.ud.rules import classify_clause_tense, classify_voice

RULES = {"ud/tense": classify_clause_tense, "ud/passive": classify_voice}
AROUND = 9  # words that are shown before and after the verb group


class Row(NamedTuple):
    """A clause: its cell, the label with its construction, or why there is none; its words."""

    cell: str
    told: str
    labelled: bool
    text: str


def main() -> None:
    """Print the cells of some treebanks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=RULES)
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("--common", type=int, default=20, help="rows of a common cell")
    parser.add_argument("--rare", type=int, default=5, help="rows of a rare cell")
    parser.add_argument("--least", type=float, default=1.0, help="percent that make a cell common")
    parser.add_argument("--left-out", type=int, default=0, help="rows of each that is left out")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for treebank in given.treebanks:
        show(f"{given.task} {treebank}", list(rows(given.task, treebank)), given)


def show(title: str, found: Sequence[Row], given: argparse.Namespace) -> None:
    """Print the cells of one treebank, and what is left out."""
    cells, others = (grouped(found, labelled) for labelled in (True, False))
    many, out = (sum(map(len, some.values())) for some in (cells, others))
    sizes = {cell: given.common if 100 * len(some) >= given.least * many else given.rare
             for cell, some in cells.items()}  # fmt: skip
    shown = sum(min(len(cells[cell]), n) for cell, n in sizes.items())
    print(f"== {title}: {many} labelled in {len(cells)} cells, {shown} shown; {out} left out")
    for number, (cell, some) in enumerate(sorted(cells.items(), key=lambda item: len(item[1])), 1):
        print(f"{number}. {100 * len(some) / many:.1f} % ({len(some)})  {' | '.join(cell)}")
        draw(some, sizes[cell], given.seed)
    by_reason = Counter({reason: 0 for reason, _ in others})
    for (reason, _), some in others.items():
        by_reason[reason] += len(some)
    for reason, n in by_reason.most_common():
        print(f"left out: {n}  {reason}")
        for (why, cell), some in sorted(others.items(), key=lambda item: -len(item[1])):
            if why == reason and cell:
                print(f"   {len(some)}  {cell}")
                draw(some, given.left_out, given.seed)


def grouped(found: Sequence[Row], labelled: bool) -> Mapping[tuple[str, str], list[Row]]:
    """The rows of each cell, each text once."""
    cells: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
    for row in found:
        if row.labelled == labelled:
            cells[row.told, row.cell].setdefault(row.text, row)
    return {cell: list(some.values()) for cell, some in cells.items()}


def draw(some: Sequence[Row], n: int, seed: int) -> None:
    """Print some rows of a cell."""
    for i, row in enumerate(sorted(some, key=lambda row: digest(seed, row.text))[:n], 1):
        print(f"   {i}. {row.text}")


def rows(task: str, treebank: str) -> Iterator[Row]:
    """The main clauses of a treebank whose root is a verb, or is labelled."""
    for source in find_corpus_files(treebank, (), (".conllu",)):
        for batch in read_treebank_batches(source.part.path, "skip"):
            mains = extract_main_clauses(batch, batch.sentences(), treebank_code(source.part.path))
            for k, clause in enumerate(mains):
                finding = RULES[task](clause)
                labelled = isinstance(finding, Answer) and finding.label != "morphological"
                if labelled or clause.group.verb:
                    told = (
                        f"{finding.label}: {finding.strata['construction']}"  # Voice=Pass alone
                        if isinstance(finding, Answer)
                        else str(finding)
                    )
                    yield described(task, batch, k, clause, labelled, told)


def described(
    task: str, batch: TreebankBatch, k: int, clause: MainClause, labelled: bool, told: str
) -> Row:
    """A row: the cell of tense is the one that the task names; else all auxiliaries count."""
    root = int(batch.roots[k])
    start, end = int(batch.starts[k]), int(batch.starts[k + 1])
    named = [
        i for i in range(start, end)
        if _of(batch, i, "aux", "cop") and int(batch.parents[i]) in (root, *_inner(batch, root))
    ]  # fmt: skip
    helpers = "+".join(batch.lemmas.names[batch.lemmas.codes[i]].lower() for i in named)
    form = FORM_DESCRIPTIONS[make_verb("", "", batch.feats.names[batch.feats.codes[root]]).form]
    every = f"{helpers} + {form}" if named else ""
    cell = clause.group.cell if task == "ud/tense" and labelled else every
    words = [batch.words.names[code] for code in batch.words.codes[start:end]]
    for i in named:
        words[i - start] = f"[{words[i - start]}]"
    words[root - start] = f"<{words[root - start]}>"
    low = max(min([root, *named]) - start - AROUND, 0)
    high = max([root, *named]) - start + AROUND
    text = ("... " if low else "") + " ".join(words[low:high])
    return Row(cell or (f"alone: {form}" if labelled else ""), told, labelled, text)


def _inner(batch: TreebankBatch, root: int) -> list[int]:
    """Verbal nouns below a root, whose auxiliaries count (Welsh)."""
    below = [i for i in range(max(root - 60, 0), min(root + 60, len(batch.parents)))
             if batch.parents[i] == root and i != root]  # fmt: skip
    return [i for i in below if _of(batch, i, "xcomp")
            and "VerbForm=Vnoun" in batch.feats.names[batch.feats.codes[i]]]  # fmt: skip


def _of(batch: TreebankBatch, i: int, *relations: str) -> bool:
    return batch.deprels.names[batch.deprels.codes[i]].partition(":")[0] in relations


if __name__ == "__main__":
    main()
