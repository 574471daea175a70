"""Trees as text without their words: (S (NP DT NN )NP (VP VBZ )VP )S, and how alike two of them are
(Vinyals et al. 2015; Conneau et al. 2018, Table 1).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from lingprobe.extend import BracketTree, format_terminal

Pieces = Sequence[str]


def linearise_tree(tree: BracketTree, node: int = 0) -> Iterator[str]:
    """A tree's pieces: a bracket with its label where a constituent opens and where it closes, and
    the part of speech of each word.
    """
    yield f"({tree.labels[node]}"
    for label, _, _, below in tree.children(node):
        if below < 0:
            yield label
        else:
            yield from linearise_tree(tree, below)
    yield f"){tree.labels[node]}"


def parse_constituents(pieces: Pieces) -> Counter[tuple[str, int, int]]:
    """The constituents of a written tree, by label, first word and the word after the last.

    The outermost one and those without a word do not count. A bracket that closes what is not open
    is passed over; one that is never closed is no constituent.
    """
    spans: Counter[tuple[str, int, int]] = Counter()
    opened: list[tuple[str, int]] = []
    words = 0
    for piece in pieces:
        if piece.startswith("(") and len(piece) > 1:
            opened.append((piece[1:], words))
        elif piece.startswith(")") and len(piece) > 1:
            if opened and opened[-1][0] == piece[1:]:
                label, start = opened.pop()
                if opened and words > start:
                    spans[label, start, words] += 1
        else:
            words += 1
    return spans


def labelled_f1(written: Iterable[Pieces], gold_trees: Iterable[Pieces]) -> float:
    """The harmonic mean of precision and recall of labelled constituents over all trees, in
    percent.
    """
    right = said = gold = 0
    for mine, theirs in zip(written, gold_trees, strict=True):
        found, true = parse_constituents(mine), parse_constituents(theirs)
        right += (found & true).total()
        said, gold = said + found.total(), gold + true.total()
    return 200 * right / max(said + gold, 1)


def count_tree_words(pieces: Pieces) -> int:
    """How many words a written tree has."""
    return sum(not (len(piece) > 1 and piece[0] in "()") for piece in pieces)


def find_commonest_trees(trees: Iterable[Pieces], lengths: Iterable[int]) -> list[Pieces]:
    """For each length the commonest of some trees that have as many words, the first met of equal
    ones; nothing where none has.
    """
    counts: dict[int, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for tree in trees:
        counts[count_tree_words(tree)][tuple(tree)] += 1
    best = {length: found.most_common(1)[0][0] for length, found in counts.items()}
    return [best.get(length, ()) for length in lengths]


def format_bracket_tree(tree: BracketTree) -> str:
    """A tree as one line of brackets."""
    pieces: list[str] = []
    _write_node(tree, 0, pieces)
    return "".join(pieces)


def _write_node(tree: BracketTree, node: int, pieces: list[str]) -> None:
    pieces.append(f"({tree.labels[node]}{tree.functions[node]}")
    for label, start, _, below in tree.children(node):
        pieces.append(" ")
        if below < 0:
            pieces.append(format_terminal(label, tree.words[start]))
        else:
            _write_node(tree, below, pieces)
    pieces.append(")")
