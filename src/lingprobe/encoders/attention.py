"""What a pass computes of attention, watched where torch computes it; and where words point by it.
Imports torch.

The function that a model calls stays the one that it calls, so its numbers stay the same: weights
that a fused kernel does not give are computed once more from the queries and keys that it was
given. Asking transformers for weights (`attn_implementation="eager"`) would change the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from lingprobe.data.vectors import Ints

_FUSED = functional.scaled_dot_product_attention
_SOFTMAX = (functional.softmax, torch.softmax, Tensor.softmax)
_PRODUCTS = (
    *(torch.matmul, torch.bmm, torch.einsum, torch.baddbmm),
    *(Tensor.matmul, Tensor.bmm, Tensor.__matmul__),
)


class AttentionRecorder(TorchFunctionMode):
    """Notes weights of attention [rows, heads, tokens, tokens], and what they make of values
    [rows, heads, tokens, width], as they come.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        weights: Callable[[Tensor], None],
        mixed: Callable[[Tensor], None] | None = None,
    ) -> None:
        super().__init__()
        self.shape, self.weights, self.mixed = shape, weights, mixed
        self._wider: torch.Size | None = None

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        back = func(*args, **(kwargs or {}))
        if func is _FUSED:
            weights = compute_attention_weights(AttentionInputs(*args, **(kwargs or {})))
            self.weights(weights[..., -self.shape[1] :])  # a prefix stands before them
            self._note(self.mixed, back)
        elif func in _SOFTMAX and isinstance(back, Tensor) and back.ndim > 2:
            tokens = self.shape[1]
            if back.shape[-1] == tokens:
                self._note(self.weights, back)
            elif back.ndim == 4 and back.shape[-2] == tokens < back.shape[-1]:
                self._wider = back.shape[:-1]
        elif func in _PRODUCTS:
            self._note_wider(args[0])
            self._note(self.mixed, back)
        return back

    def _note_wider(self, weights: Any) -> None:
        """Note weights that a softmax had among others, as they come to be multiplied with values:
        behind them is a sink that has no value (gpt-oss), before them is a prefix.
        """
        if isinstance(weights, Tensor) and weights.shape[:-1] == self._wider:
            self._wider = None
            self._note(self.weights, weights[..., -self.shape[1] :])

    def _note(self, to: Callable[[Tensor], None] | None, value: Any) -> None:
        """Give a tensor on, with an axis of rows and one of heads, where it has one of tokens."""
        rows, tokens = self.shape
        if to is None or not isinstance(value, Tensor) or value.ndim not in (3, 4):
            return
        if value.ndim == 3 and value.shape[0] % rows == 0:
            value = value.reshape(rows, -1, *value.shape[1:])
        if value.ndim == 4 and value.shape[0] == rows and value.shape[2] == tokens:
            to(value)


class AttentionInputs(NamedTuple):
    """What `torch.nn.functional.scaled_dot_product_attention` is given."""

    query: Tensor
    key: Tensor
    value: Tensor
    attn_mask: Tensor | None = None
    dropout_p: float = 0.0
    is_causal: bool = False
    scale: float | None = None
    enable_gqa: bool = False


def compute_attention_weights(inputs: AttentionInputs) -> Tensor:
    """The weights that it computes, in float32; zeros for a token that attends to nothing."""
    query, key = inputs.query.float(), inputs.key.float()
    if inputs.enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
    scale = query.shape[-1] ** -0.5 if inputs.scale is None else inputs.scale
    with torch.autocast(query.device.type, enabled=False):
        scores = query @ key.transpose(-2, -1) * scale
    mask = inputs.attn_mask
    if inputs.is_causal:
        mask = torch.ones_like(scores[0, 0], dtype=torch.bool).tril()
    if mask is not None:
        is_flags = mask.dtype == torch.bool
        scores = scores.masked_fill(~mask, -torch.inf) if is_flags else scores + mask.float()
    return scores.softmax(-1).nan_to_num(0.0)


def compute_attention_offsets(weights: Tensor, words: Sequence[Ints]) -> Tensor:
    """A map of attention, which word each word attends to most: how many words off it is, by the
    weights [rows, heads, tokens, tokens]: [rows, tokens, heads], at each piece of the word, 0
    elsewhere.

    As Clark et al. (2019, section 4): attention to a word is summed over its pieces, from a word
    it is their mean, and neither the word itself nor tokens outside words count. A word without
    another points to itself.

    words  of each row which tokens first:last each word has, [words, 2]
    """
    pointed = weights.new_zeros((len(weights), weights.shape[2], weights.shape[1]))
    for row, spans in enumerate(words):
        known = spans[spans[:, 1] > spans[:, 0]]
        if len(known) < 2:
            continue
        where = torch.from_numpy(known).to(weights.device)
        token = torch.arange(weights.shape[2], device=weights.device)
        inside = ((token >= where[:, :1]) & (token < where[:, 1:])).to(weights.dtype)
        each = inside @ weights[row] @ inside.T / inside.sum(1)[:, None]
        each.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        order = torch.from_numpy((spans[:, 1] > spans[:, 0]).nonzero()[0]).to(weights.device)
        off = (order[each.argmax(-1)] - order).to(weights.dtype)
        pointed[row] = inside.T @ off.T
    return pointed
