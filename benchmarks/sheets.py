"""Rows of a ud task to read, with what the tree says of the main clause: how the error rates in
docs/design/label-errors.md were found.

    python benchmarks/sheets.py ud/tense UD_Italian-ISDT -n 20
    python benchmarks/sheets.py ud/tense UD_Italian-ISDT UD_Dutch-Alpino --construction perfect -n
    20

Candidates (distinct sentences before sampling) are drawn at random, equally many of each label;
options follow the treebank as in any reference (UD_Turkish-IMST,passive=morphological).
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from lingprobe.corpora import conllu
from lingprobe.corpora.trees import TreeColumns, parse_features
from lingprobe.data.references import PlaceOption, Reference
from lingprobe.datasets.candidates import Candidate
from lingprobe.tasks import TASKS
from lingprobe.tasks.sources import find_corpus_files

SHOWN = ("VerbForm", "Tense", "Aspect", "Mood", "Voice", "PartForm", "Number", "Case", "Polarity")
WIDE, END = 190, 50  # characters of a sentence, and of those at its end


def main() -> None:
    """Print the sheets that were asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task")
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--construction", help="only rows of one value of the stratum")
    parser.add_argument(
        "--governs",
        help="only rows whose main predicate has a dependent with this relation (conj, cop)",
    )
    parser.add_argument(
        "--tree", action="store_true", help="the whole tree, not the main clause alone"
    )
    given = parser.parse_args()
    many = -(-given.n // len(given.treebanks))
    for treebank in given.treebanks:
        print(f"== {given.task} {treebank}")
        rows = drawn(
            f"{given.task}:{treebank}", many, given.seed, Wanted(given.construction, given.governs)
        )
        for number, (candidate, tree) in enumerate(rows, 1):
            label = " ".join(filter(None, (str(candidate.label), candidate.target)))
            print(f"{number}. [{label}] {said(candidate)}{shortened(tree.text)}")
            print(f"     {whole(tree) if given.tree else clause(given.task, tree)}")


class Wanted(NamedTuple):
    """Which rows are drawn from: those of one construction, or whose main predicate governs a
    relation.
    """

    construction: str | None = None
    governs: str | None = None


def drawn(
    reference: str, many: int, seed: int, wanted: Wanted
) -> Iterator[tuple[Candidate, TreeColumns]]:
    """Some candidates with their trees, the labels in turn."""
    task = TASKS.make(Reference.parse(reference))
    found, _ = task.candidates()
    distinct = list({candidate.sentence.words: candidate for candidate in found}.values())
    if wanted.construction:
        distinct = [c for c in distinct if c.strata.get("construction") == wanted.construction]
    by_label: dict[str, list[Candidate]] = {}
    trees = _trees(task.options.path, task.options.with_, wanted.governs)
    for candidate in sorted(distinct, key=lambda c: digest(seed, *c.sentence.words)):
        if candidate.sentence.words in trees:
            by_label.setdefault(str(candidate.label), []).append(candidate)
    turns = zip_longest(*(by_label[label] for label in sorted(by_label)))
    chosen = [c for turn in turns for c in turn if c is not None][:many]
    return ((c, trees[c.sentence.words]) for c in chosen)


def _trees(
    path: PlaceOption, further: tuple[PlaceOption, ...], relation: str | None
) -> dict[tuple[str, ...], TreeColumns]:
    """The trees of a treebank, or those whose root governs a relation, by their words."""
    found = {}
    for _, part in find_corpus_files(path, further, (".conllu",)):
        for tree in conllu.read_conllu(part.path, "skip"):
            kids = (tree.deprels[k].partition(":")[0] for k in tree.children(tree.root))
            if relation is None or relation in kids:
                found[tree.words] = tree
    return found


def digest(seed: int, *words: str) -> bytes:
    """What rows are ordered by: a row that a rule leaves out later makes room for another, and the
    rest of the draw stays.
    """
    return hashlib.sha256("\t".join((str(seed), *words)).encode()).digest()


def shortened(text: str) -> str:
    """A text without its middle, if it is long: how it begins and how it ends both tell."""
    return text if len(text) <= WIDE else f"{text[: WIDE - END]} ... {text[-END:]}"


def said(candidate: Candidate) -> str:
    """The construction that the label was read from."""
    told = candidate.strata.get("construction") or candidate.strata.get("mark")
    return f"({told}) " if told else ""


def clause(task: str, tree: TreeColumns) -> str:
    """The main predicate with its auxiliaries, its subject or object with what it governs, or all
    its dependents.
    """
    root, kids = tree.root, tree.children(tree.root)
    head = _word(tree, root)
    if task in ("ud/subj-num", "ud/obj-num"):
        wanted = "nsubj" if task == "ud/subj-num" else "obj"
        nouns = [k for k in kids if tree.deprels[k].partition(":")[0] == wanted]
        return f"{head} " + " ".join(
            f"{_word(tree, k)} < {' '.join(_word(tree, j, short=True) for j in tree.children(k))}"
            for k in nouns
        )
    if task in ("ud/tense", "ud/passive"):
        return f"{head} " + " ".join(
            _word(tree, k)
            for k in kids
            if tree.deprels[k].partition(":")[0] in ("aux", "cop", "expl", "mark")
        )
    if task == "ud/tree-depth":
        return " > ".join(tree.words[k] for k in _longest(tree))
    if task == "ud/sent-type":
        return f"{head} " + " ".join(_word(tree, k, short=True) for k in kids)
    return f"{tree.words[root]}: " + " ".join(f"{tree.deprels[k]}={tree.words[k]}" for k in kids)


def _word(tree: TreeColumns, i: int, short: bool = False) -> str:
    if short:
        return f"{tree.deprels[i]}={tree.words[i]}"
    feats = parse_features(tree.feats[i])
    told = ",".join(f"{feats[name]}" for name in SHOWN if name in feats)
    return f"{tree.words[i]}/{tree.upos[i]}/{tree.deprels[i]}[{told}]"


def _longest(tree: TreeColumns) -> list[int]:
    """The words on a longest path from the root."""
    paths = []
    for i in range(len(tree.words)):
        path = [i]
        while tree.heads[path[-1]] >= 0:
            path.append(tree.heads[path[-1]])
        paths.append(path[::-1])
    return max(paths, key=len)


def whole(tree: TreeColumns) -> str:
    """Every word with its head and relation."""
    return " ".join(
        f"{i + 1}:{word}/{tree.deprels[i]}>{head + 1}"
        for i, (word, head) in enumerate(zip(tree.words, tree.heads, strict=True))
    )


if __name__ == "__main__":
    main()
