"""Whether one token that every sentence has holds most of the norm of a layer. Imports torch.

Language models gather huge values on their first token, be it a special one or a word (Sun et al.
2024, "Massive activations in large language models"; Xiao et al. 2024, "attention sinks"). In a
mean over tokens such a token has the weight 1 / n, so that the mean tells how long the sentence is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lingprobe.data.core import Sentence
from lingprobe.data.vectors import Floats, Ints

if TYPE_CHECKING:
    from lingprobe.encoders.forward import ForwardPass

_MOST = 0.5  # of the norms of a sentence's tokens, from which on one token holds most
_TRIED = tuple(
    Sentence.of(text.split())
    for text in (
        "My older sister bought three green bicycles yesterday",
        "Rain fell all night on their empty harbour , and nobody slept",
        "Why did you leave ?",
        "He has never seen such beautiful mountains in winter , although his parents live nearby !",
        "Prices rose sharply",
        "Our teacher asks every child what it wants to become when school ends .",
    )
)
"""Sentences without a common word."""


class TokenNorms(NamedTuple):
    """The tokens of a sentence that count: their ids [n], and their norms in a layer [n]."""

    ids: Ints
    norms: Floats


def find_constant_tokens(passes: ForwardPass) -> dict[str, str]:
    """By layer which one token holds more than half of the norm in every sentence, in words; {}
    where none does.
    """
    tokens = passes.tokenize_sentences(_TRIED, by_piece=False).tokens
    keep, layers = passes.kept_tokens(tokens), len(passes.network.widths)
    if not all(kept.any() for kept in keep):  # of places that short sentences have not
        return {}
    names = [str(layer) for layer in range(layers)]
    states = passes.states(tokens, set(names))
    read: dict[str, list[TokenNorms]] = {name: [] for name in names}
    for row, kept in enumerate(keep):
        ids = np.asarray(tokens.ids[row], np.int64)[kept]
        for name, hidden in states(np.array([row])).items():
            norms = hidden[0, : len(kept)].float().norm(dim=-1).cpu().numpy()[kept]
            read[name].append(TokenNorms(ids, norms))
    told = passes.network.tokenizer.convert_ids_to_tokens
    found = {name: find_heaviest_token(sentences) for name, sentences in read.items()}
    return {
        name: f"{place} {told(token)!r}" if token >= 0 else place
        for name, (place, token, share) in found.items()
        if share > _MOST
    }


def find_heaviest_token(sentences: Sequence[TokenNorms]) -> tuple[str, int, float]:
    """What every sentence has that holds the largest share of the norm: in words, its id (-1 where
    it is not the same token), and the share, the mean over sentences.
    """
    return max(_collect_token_places(sentences), key=lambda place: place[2])


def _collect_token_places(sentences: Sequence[TokenNorms]) -> Iterator[tuple[str, int, float]]:
    first = {int(each.ids[0]) for each in sentences}
    common = set.intersection(*(set(each.ids.tolist()) for each in sentences))
    for token in common - first:
        held = [each.ids == token for each in sentences]
        if all(flags.sum() == 1 for flags in held):  # else it is as frequent as sentences are long
            yield "the token", token, _compute_norm_share(sentences, held)
    places = [np.arange(len(each.ids)) == 0 for each in sentences]
    yield (
        "the first token",
        first.pop() if len(first) == 1 else -1,
        _compute_norm_share(sentences, places),
    )


def _compute_norm_share(sentences: Sequence[TokenNorms], chosen: Sequence[np.ndarray]) -> float:
    shares = [
        float(each.norms[flags].sum() / max(each.norms.sum(), 1e-30))
        for each, flags in zip(sentences, chosen, strict=True)
    ]
    return float(np.mean(shares))
