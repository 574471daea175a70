"""Whether what a model makes of a text depends on the texts beside it, found out once it is loaded.
Imports torch.

A model that reads its padding (FNet, which has no use for an attention mask) gives a sentence other
vectors in another batch. Such a model is run on batches without padding, or on one sentence at a
time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Literal

from torch import Tensor, nn

from lingprobe.data.examples import EncoderStop

Batching = Literal["padded", "equal", "single"]
"""Which sentences may be in one batch: all, those of equal length, or one alone."""

Run = Callable[[Sequence[Sequence[int]]], list[Sequence[Tensor]]]
"""From rows of token ids, run as one batch, to the vectors of each row: some [tokens, dim], without
padding.
"""

_TOLERANCE = {"float32": 1e-3, "float16": 3e-2, "bfloat16": 1e-1}
"""How much a vector may differ, of its length: what rounding does is a hundredth of that, what
padding does, far more.
"""
# tokens of a trial, and how many times shorter the row is that is looked at
_LONGEST, _SHORTER = 24, 3

log = logging.getLogger("lingprobe.encoders")


def get_tolerance(model: nn.Module, dtype: str) -> float:
    """How much vectors of a model that multiplies in `dtype` may differ, by the coarsest numbers
    that it computes with.
    """
    kinds = {dtype, *(str(each.dtype).removeprefix("torch.") for each in model.parameters())}
    return max(_TOLERANCE[each] for each in kinds & set(_TOLERANCE))


def choose_batching(name: str, run: Run, ids: Sequence[int], limit: float) -> Batching:
    """Test a model when it is loaded, so that no vector depends on the other sentences of its
    batch: one row alone, beside a longer one, and beside one of its length; EncoderStop where it is
    alone never the same.

    ids    tokens of some text; at least six, so that rows differ
    limit  how much vectors may differ
    """
    long = list(ids)[:_LONGEST]
    short, other = long[: max(2, len(long) // _SHORTER)], long[-max(2, len(long) // _SHORTER) :]
    alone = run([short])[0]
    kind: Batching = "padded"
    if not are_vectors_close(alone, run([short])[0], limit):
        raise EncoderStop(
            f"{name} gives different vectors each time that it reads a text, so no result with it"
            " could be reproduced"
        )
    if not are_vectors_close(alone, run([long, short])[1], limit):
        kind = "equal" if are_vectors_close(alone, run([other, short])[1], limit) else "single"
    return log_batching(name, kind)


def log_batching(name: str, kind: Batching) -> Batching:
    """The same, told to the user where it is not what is usual."""
    if kind != "padded":
        how = (
            "only sentences of equal length are read together"
            if kind == "equal"
            else "each is read alone"
        )
        log.warning(
            "%s: its vector of a sentence depends on the rest of the batch, so %s", name, how
        )
    return kind


def are_vectors_close(
    left_vectors: Sequence[Tensor], right_vectors: Sequence[Tensor], limit: float
) -> bool:
    """Whether the vectors of a row are the same but for rounding."""
    pairs = [(a.float(), b.float()) for a, b in zip(left_vectors, right_vectors, strict=True)]
    return all(
        a.shape == b.shape and bool(((a - b).norm(dim=-1) <= limit * a.norm(dim=-1) + 1e-9).all())
        for a, b in pairs
    )
