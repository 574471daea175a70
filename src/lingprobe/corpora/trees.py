"""Trees: one dependency-parsed sentence, its columns side by side, and what can be read off
them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from lingprobe.data.core import Sentence

_DEEP = 64


class MultiwordToken(NamedTuple):
    """A multiword token: the words [start, stop) that it stands for, and the form and MISC of the
    whole.
    """

    start: int
    stop: int
    form: str
    misc: str


class TreeColumns(NamedTuple):
    """One sentence of a treebank in columns, one value a syntactic word.

    words, upos, feats, deprels   CoNLL-U columns as written; lemmas, xpos, deps and misc are cut
                                  out of `cells` when asked for
    heads    the index of each word's head, -1 at the root
    depth    how many words lie on the longest path from the root, 1 where the root is alone
    ranges   multiword tokens; empty: rows of empty nodes, as written; comments: the lines that
             begin with #
    text     the raw string: `# text`, or rebuilt from SpaceAfter=No and the multiword tokens
    cells    the rows of the words end to end, eleven cells a row, the last being the line's end
    """

    words: tuple[str, ...]
    upos: tuple[str, ...]
    feats: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    depth: int
    ranges: tuple[MultiwordToken, ...]
    empty: tuple[tuple[str, ...], ...]
    comments: tuple[str, ...]
    text: str
    sent_id: str
    file: str
    line: int
    cells: Sequence[str]

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The LEMMA column."""
        return tuple(self.cells[2::11])

    @property
    def xpos(self) -> tuple[str, ...]:
        """The XPOS column."""
        return tuple(self.cells[4::11])

    @property
    def deps(self) -> tuple[str, ...]:
        """The DEPS column: enhanced dependencies, as written."""
        return tuple(self.cells[8::11])

    @property
    def misc(self) -> tuple[str, ...]:
        """The MISC column."""
        return tuple(self.cells[9::11])

    @property
    def root(self) -> int:
        """The index of the root."""
        return self.heads.index(-1)

    @property
    def sentence(self) -> Sentence:
        """Its syntactic words (punctuation included, multiword tokens taken apart) and its raw
        string.
        """
        return Sentence(self.words, self.text)

    def children(self, i: int) -> list[int]:
        """The indices of the words whose head is word i, in order."""
        return [k for k, head in enumerate(self.heads) if head == i]


@lru_cache(maxsize=1 << 16)
def parse_features(raw: str) -> Mapping[str, str]:
    """A FEATS or MISC value as a mapping, `_` as an empty one; a ValueError where it is not
    `Name=Value|...`.
    """
    if raw == "_":
        return MappingProxyType({})
    values: dict[str, str] = {}
    for item in raw.split("|"):
        name, equals, value = item.partition("=")
        if not (name and equals and value):
            raise ValueError(f"{item!r} in {raw!r} is not Name=Value")
        if name in values:
            raise ValueError(
                f"{name} occurs twice in {raw!r}; write its values in one, as"
                f" {name}={values[name]},{value}"
            )
        values[name] = value
    return MappingProxyType(values)


def compute_tree_depth(heads: tuple[int, ...]) -> int:
    """How many words lie on the longest path from the root; 0 where the heads run in a circle.

    The set of all words' k-th ancestors is computed at once; it shrinks quickly, so this beats
    walking from every word.
    """
    ancestor = (*heads, -1).__getitem__  # -1, above the root, is its own ancestor
    level = set(heads)
    for length in range(1, min(len(heads), _DEEP) + 1):
        if len(level) == 1 and -1 in level:
            return length
        level = set(map(ancestor, level))
    return 0 if len(heads) <= _DEEP else _linear_depth(heads)


def _linear_depth(heads: tuple[int, ...]) -> int:
    """The same in linear time, for trees that are very deep."""
    depths = [0] * len(heads) + [0]
    known = [False] * len(heads) + [True]  # the last cell answers for head -1
    for i in range(len(heads)):
        path = []
        j = i
        while not known[j]:
            path.append(j)
            known[j] = True  # a circle comes back to a word of its own path, whose depth is still 0
            j = heads[j]
        if j >= 0 and depths[j] == 0:
            return 0
        for above, k in enumerate(reversed(path), depths[j] + 1):
            depths[k] = above
    return max(depths)


def rebuild_text(
    words: Sequence[str], misc: Sequence[str], ranges: Iterable[MultiwordToken]
) -> str:
    """The raw string of a sentence without `# text`: forms of multiword tokens and of the other
    words, spaced as MISC says.
    """
    pieces = []
    covering = {r.start: r for r in ranges}
    i = 0
    while i < len(words):
        whole = covering.get(i)
        form, note, i = (
            (whole.form, whole.misc, whole.stop) if whole else (words[i], misc[i], i + 1)
        )
        pieces.append(form if "SpaceAfter=No" in note.split("|") else form + " ")
    return "".join(pieces).rstrip(" ")


def is_spelled_by(text: str, words: Sequence[str], ranges: Sequence[MultiwordToken] = ()) -> bool:
    """Whether a raw string is made of these words, or the multiword tokens that stand for them,
    whatever the spaces.
    """
    forms = list(words)
    for r in ranges:
        forms[r.start : r.stop] = [r.form, *[""] * (r.stop - r.start - 1)]
    return "".join("".join(forms).split()) == "".join(text.split())


def are_withheld(words: Sequence[str], others: bool = False) -> bool:
    """Whether most words are underscores alone, which stand for words that may not be given away.

    A line drawn with underscores, a word of its own, is none, unless `others` of its treebank are.
    """
    hidden = sum(not word.strip("_") for word in words)
    return 2 * hidden >= len(words) and (len(words) > 1 or others)


def format_conllu_tree(tree: TreeColumns) -> str:
    """The tree as a CoNLL-U block, with the blank line that ends it."""
    extras = _extras(tree)
    heads = [str(head + 1) for head in tree.heads]
    columns = (tree.words, tree.lemmas, tree.upos, tree.xpos, tree.feats, heads, tree.deprels,
               tree.deps, tree.misc)  # fmt: skip
    rows = [*tree.comments]
    for i, cells in enumerate(zip(*columns, strict=True)):
        rows += [*extras[i], "\t".join([str(i + 1), *cells])]
    return "\n".join([*rows, *extras[len(tree.words)]]) + "\n\n"


def _extras(tree: TreeColumns) -> Mapping[int, list[str]]:
    """The rows of empty nodes and multiword tokens, by how many words stand before them."""
    extras = defaultdict[int, list[str]](list)
    for row in tree.empty:
        extras[int(row[0].partition(".")[0])].append("\t".join(row))
    for r in tree.ranges:
        extras[r.start].append("\t".join([f"{r.start + 1}-{r.stop}", r.form, *"_______", r.misc]))
    return extras
