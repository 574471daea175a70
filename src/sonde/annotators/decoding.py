"""What a network tells of words -> annotation: the best tree of heads, the best tree of phrases,
and how sure both are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sonde.annotators import spanning, tetra
from sonde.annotators.parser import Annotation, Words
from sonde.vectors import Floats, Ints

if TYPE_CHECKING:
    from torch import Tensor

    from sonde.nets.parsing import Heads

Names = Mapping[str, Sequence[str]]
"""The values of each kind of tag, and of `DEPREL`, in the order of their numbers."""

UPOS, XPOS, FEATS, DEPREL = "UPOS", "XPOS", "FEATS", "DEPREL"
ROOT = "root"
UNTAGGED = "X"  # the part of speech that stands in brackets where none is told


class Sure(NamedTuple):
    """What was chosen of each word or pair, and the logarithm of its probability."""

    chosen: Sequence[str]
    logs: Floats


def annotated(
    heads: Heads, states: Tensor, lengths: Tensor, words: Sequence[Words], names: Names
) -> Iterator[Annotation]:
    """What is told of some sentences, whose states are [batch, words, width].

    The confidence is the geometric mean of the probabilities of heads with their labels, and of the
    tags that make phrases.
    """
    told = heads(states, lengths)
    sizes: Ints = lengths.cpu().numpy()
    columns = {
        name: _likeliest(scores.float().cpu().numpy(), names[name])
        for name, scores in told.tags.items()
        if name in (UPOS, XPOS, FEATS)
    }
    trees = _trees(heads, states, lengths, told.arcs, names) if told.arcs is not None else None
    phrases = _phrases(told.tags, sizes, names)
    starts = [0, *accumulate(sizes.tolist())]
    for i, (start, stop) in enumerate(pairwise(starts)):
        upos, xpos, feats = (
            tuple(columns[name].chosen[start:stop]) if name in columns else ()
            for name in (UPOS, XPOS, FEATS)
        )
        logs = [each.logs[start:stop] for each in (trees, phrases) if each is not None]
        deprels = tuple(trees.chosen[start:stop]) if trees is not None else ()
        above = trees.heads[i] if trees is not None else ()
        tree = ""
        if phrases is not None:
            parts = xpos or upos or (UNTAGGED,) * (stop - start)
            tree = tetra.brackets(words[i], parts, phrases.tags(start, stop, i))
        sure = float(np.exp(np.concatenate(logs).mean())) if logs else float("nan")
        yield Annotation(upos, xpos, feats, above, deprels, tree, sure)


def _likeliest(scores: Floats, names: Sequence[str]) -> Sure:
    best = scores.argmax(1)
    return Sure([names[i] for i in best.tolist()], scores[np.arange(len(best)), best])


class _Trees(NamedTuple):
    """Heads of each sentence; labels of each word, and the logarithms of the probabilities of
    both.
    """

    heads: list[tuple[int, ...]]
    chosen: Sequence[str]
    logs: Floats


def _trees(heads: Heads, states: Tensor, lengths: Tensor, arcs: Tensor, names: Names) -> _Trees:
    """The best trees, and the best labels in them: `root` at the root, and nowhere else."""
    import torch

    scores = arcs.double().cpu().numpy()
    sizes = lengths.tolist()
    found = [spanning.heads(table[:n, : n + 1]) for table, n in zip(scores, sizes, strict=True)]
    places = np.concatenate([np.array(each) + 1 for each in found])
    labels = heads.labels(states, lengths, torch.from_numpy(places).to(states.device))
    known = labels.float().cpu().numpy()
    if ROOT in names[DEPREL]:
        root = names[DEPREL].index(ROOT)
        known[places > 0, root] = -np.inf
        known[places == 0] = np.where(np.arange(len(names[DEPREL])) == root, 0.0, -np.inf)
    best = known.argmax(1)
    sentence = np.repeat(np.arange(len(sizes)), sizes)
    word = np.concatenate([np.arange(n) for n in sizes])
    logs = scores[sentence, word, places] + known[np.arange(len(best)), best]
    return _Trees(found, [names[DEPREL][i] for i in best.tolist()], logs)


class _Phrases(NamedTuple):
    """Tags of words and of pairs, and for each word the logarithms of the probabilities of its own
    and of the pair behind it.
    """

    words: list[str]
    pairs: list[str]
    logs: Floats

    def tags(self, start: int, stop: int, before: int) -> tetra.Tags:
        """Those of one sentence, before which stand so many others."""
        mine = self.pairs[start - before : stop - before - 1]
        return tetra.Tags(tuple(self.words[start:stop]), tuple(mine))


def _phrases(told: Mapping[str, Tensor], sizes: Ints, names: Names) -> _Phrases | None:
    """The best tags that make trees."""
    from sonde.nets.parsing import LEAVES, PAIRS

    if LEAVES not in told:
        return None
    scores = [told[kind].float().cpu().numpy() for kind in (LEAVES, PAIRS)]
    sides = [np.array([tetra.SIDES.index(tag[0]) for tag in names[k]]) for k in (LEAVES, PAIRS)]
    best = [tetra.Best.of(*each) for each in zip(scores, sides, strict=True)]
    words, pairs = tetra.decode(best[0], best[1], sizes)
    logs = scores[0][np.arange(len(words)), words]
    ends = np.cumsum(sizes) - 1
    inner = np.setdiff1d(np.arange(len(words)), ends)
    logs[inner] += scores[1][np.arange(len(pairs)), pairs]
    return _Phrases(
        [names[LEAVES][i] for i in words.tolist()], [names[PAIRS][i] for i in pairs.tolist()], logs
    )
