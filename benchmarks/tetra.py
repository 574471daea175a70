"""How many tags tetra-tagging needs for a treebank's phrases, and whether the trees are restored from
their tags.

usage: python benchmarks/tetra.py TREES...

TREES are files of bracketed trees, as constituency/EWT-propbank-skel/ewt_train.ptb.xz. The label of the
root is not told, and left out of the comparison; so are function tags, which the reader cuts off.
"""

from __future__ import annotations

import sys

from lingprobe.corpora import brackets
from lingprobe_extensions.train.parsers import tetra


def main(files: list[str]) -> int:
    trees, restored = 0, 0
    words, pairs = set[str](), set[str]()
    for file in files:
        for tree in brackets.read_brackets(file):
            told = tetra.compute_tetra_tags(tree)
            words.update(told.words)
            pairs.update(told.pairs)
            text = tetra.format_brackets(tree.words, tree.tags, told)
            again = brackets.parse_brackets(text, file, tree.line)
            trees += 1
            restored += (again.words, again.tags, again.labels[1:], again.starts, again.stops) == (
                tree.words,
                tree.tags,
                tree.labels[1:],
                tree.starts,
                tree.stops,
            )
    print(
        f"{trees:,} trees, {restored:,} restored; {len(words)} tags of words, {len(pairs)} of pairs"
    )
    return 0 if trees == restored else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
