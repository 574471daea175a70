"""What a network tells of words -> annotation: the best tree of heads, the best tree of phrases,
and how sure both are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lingprobe.extend import Annotation, Floats, Ints
from lingprobe_extensions.train.parsers import spanning, tetra

if TYPE_CHECKING:
    from torch import Tensor

    from lingprobe_extensions.train.nets.parsing import ParsingHeads

Names = Mapping[str, Sequence[str]]
"""The values of each kind of tag, and of `DEPREL_COLUMN`, in the order of their numbers."""

UPOS_COLUMN, XPOS_COLUMN, FEATS_COLUMN, DEPREL_COLUMN = "UPOS", "XPOS", "FEATS", "DEPREL"
_ROOT = "root"
_NEVER = 1e-30  # a probability
_UNTAGGED = "X"  # the part of speech that stands in brackets where none is told


def decode_annotations(
    heads: ParsingHeads,
    states: Tensor,
    lengths: Tensor,
    words: Sequence[Sequence[str]],
    names: Names,
) -> Iterator[Annotation]:
    """What is told of some sentences, whose states are [batch, words, width].

    The confidence is the geometric mean of the probabilities of heads with their labels, and of the
    tags that make phrases.
    """
    told = heads(states, lengths)
    tags = {
        kind: [names[kind][i] for i in scores.argmax(1).tolist()]
        for kind, scores in told.tags.items()
        if kind in (UPOS_COLUMN, XPOS_COLUMN, FEATS_COLUMN)
    }
    trees = _trees(heads, states, lengths, told.arcs, names) if told.arcs is not None else None
    batch = _Batch(tags, trees, _decode_phrases(told.tags, lengths.cpu().numpy(), names))
    starts = [0, *accumulate(lengths.tolist())]
    for i, (start, stop) in enumerate(pairwise(starts)):
        yield batch.annotation(i, slice(start, stop), words[i])


class _Batch(NamedTuple):
    """What is told of the words of a batch, one sentence behind the other."""

    tags: Mapping[str, list[str]]
    trees: _Trees | None
    phrases: _Phrases | None

    def annotation(self, i: int, at: slice, words: Sequence[str]) -> Annotation:
        """Of one sentence."""
        upos, xpos, feats = (
            tuple(self.tags.get(kind, ())[at]) for kind in (UPOS_COLUMN, XPOS_COLUMN, FEATS_COLUMN)
        )
        logs = [each.logs[at] for each in (self.trees, self.phrases) if each is not None]
        sure = float(np.exp(np.concatenate(logs).mean())) if logs else float("nan")
        made = Annotation(upos, xpos, feats, confidence=sure)
        if self.trees is not None:
            made = replace(made, heads=self.trees.heads[i], deprels=tuple(self.trees.chosen[at]))
        if self.phrases is not None:
            parts = xpos or upos or (_UNTAGGED,) * len(words)
            made = replace(
                made, brackets=tetra.format_brackets(words, parts, self.phrases.tags(at, i))
            )
        return made


class _Trees(NamedTuple):
    """Heads of each sentence; labels of each word, and the logarithms of the probabilities of
    both.
    """

    heads: list[tuple[int, ...]]
    chosen: Sequence[str]
    logs: Floats


def _trees(
    heads: ParsingHeads, states: Tensor, lengths: Tensor, arcs: Tensor, names: Names
) -> _Trees:
    """The best trees, and the best labels in them: `root` at the root, and nowhere else."""
    import torch

    scores = arcs.double().cpu().numpy()
    sizes = lengths.tolist()
    found = [
        spanning.compute_best_tree(table[:n, : n + 1])
        for table, n in zip(scores, sizes, strict=True)
    ]
    places = np.concatenate([np.array(each) + 1 for each in found])
    labels = heads.labels(states, lengths, torch.from_numpy(places).to(states.device))
    known = labels.float().cpu().numpy()
    if _ROOT in names[DEPREL_COLUMN]:
        root = np.arange(len(names[DEPREL_COLUMN])) == names[DEPREL_COLUMN].index(_ROOT)
        known = np.where(places[:, None] > 0, np.where(root, -np.inf, known), np.log(root + _NEVER))
    best = known.argmax(1)
    word = np.concatenate([*map(np.arange, sizes)])
    logs = scores[np.repeat(np.arange(len(sizes)), sizes), word, places]
    chosen = [names[DEPREL_COLUMN][i] for i in best.tolist()]
    return _Trees(found, chosen, logs + known[np.arange(len(best)), best])


class _Phrases(NamedTuple):
    """Tags of words and of pairs, and for each word the logarithms of the probabilities of its own
    and of the pair behind it.
    """

    words: list[str]
    pairs: list[str]
    logs: Floats

    def tags(self, at: slice, before: int) -> tetra.TetraTags:
        """Those of one sentence, before which stand so many others."""
        mine = self.pairs[at.start - before : at.stop - before - 1]
        return tetra.TetraTags(tuple(self.words[at]), tuple(mine))


def _decode_phrases(told: Mapping[str, Tensor], sizes: Ints, names: Names) -> _Phrases | None:
    """The best tags that make trees."""
    from lingprobe_extensions.train.nets.parsing import PHRASE_PAIRS, PHRASE_WORDS

    if PHRASE_WORDS not in told:
        return None
    kinds = PHRASE_WORDS, PHRASE_PAIRS
    scores = [told[kind].float().cpu().numpy() for kind in kinds]
    sides = [np.array([tetra.TAG_SIDES.index(tag[0]) for tag in names[kind]]) for kind in kinds]
    of_words, of_pairs = map(tetra.BestTags.of, scores, sides)
    best = tetra.decode_tags(of_words, of_pairs, sizes)
    logs, pairs = (
        each[np.arange(len(rows)), rows] for each, rows in zip(scores, best, strict=True)
    )
    logs[np.setdiff1d(np.arange(len(logs)), np.cumsum(sizes) - 1)] += pairs
    words, between = (
        [names[kind][i] for i in rows.tolist()] for kind, rows in zip(kinds, best, strict=True)
    )
    return _Phrases(words, between, logs)
