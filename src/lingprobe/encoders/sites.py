"""Sites inside a transformer: what the parts of its blocks give, named as layers are.

Block k leads from layer k - 1 to layer k, so blocks are counted from 1, and so are heads.

    pre:8     what block 8 is given: layer 7
    post:8    what it gives: layer 8, but for the last block, behind which the model's norm stands
    attn:8    what the attention of block 8 adds to the states
    mlp:8     what its MLP adds
    head:8.3  the third head of block 8, before the output projection puts heads together
    slice:8.3 as many numbers, sampled at random of those of all heads of the block
    map:8.3   the head's attention: how far off the word is that each word attends to most
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from lingprobe.data.core import DataProblem

BLOCK_PART_SITES = ("attn", "mlp")
RESIDUAL_SITES = ("pre", "post")
HEAD_SITES = ("head", "slice", "map")
_LAYER = "resid"
_PATTERN = re.compile(r"(\w+):(\*|\d+)(?:-(\d+))?(?:\.(\*|\d+))?")
_HINT = "mlp:8, attn:8, pre:8, post:8, mlp:*, mlp:1-4, head:8.3, head:8.* or head:*.*"


class ModelSite(NamedTuple):
    """A part of a block, by its number from 1; `head` is 0 where it is not one of several."""

    kind: str
    block: int
    head: int = 0

    @classmethod
    def parse(cls, name: str) -> ModelSite:
        """The site of a name, as `head:8.3`."""
        kind, _, where = name.partition(":")
        block, _, head = where.partition(".")
        return cls(kind, int(block), int(head or 0))

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{self.kind}:{self.block}" + (f".{self.head}" if self.head else "")


def is_site(name: str) -> bool:
    """Whether a layer's name is that of a site inside a block."""
    return (
        name.partition(":")[0] in (*RESIDUAL_SITES, *BLOCK_PART_SITES, *HEAD_SITES) and ":" in name
    )


def highest_block(names: Iterable[str]) -> int | None:
    """The number of the highest block, or numbered layer, among some names; None for none."""
    return max((ModelSite.parse(n).block if is_site(n) else int(n) for n in names), default=None)


def expand_sites(text: str, last_layer: int, heads: Callable[[], int] | None) -> tuple[str, ...]:
    """The sites that `layers=` names, as `head:8.*` and `mlp:*`, in a model of `last_layer` blocks;
    DataProblem where there is no such site.

    heads  how many heads a block has; None for an encoder whose blocks cannot be looked into
    """
    match = _PATTERN.fullmatch(text)
    kind, first, end, head = match.groups() if match else ("", "", None, None)
    fits = (kind in (*RESIDUAL_SITES, *BLOCK_PART_SITES, _LAYER) and head is None) or (
        kind in HEAD_SITES and head is not None
    )
    if not fits:
        raise DataProblem(f"layers={text}: sites inside blocks are written {_HINT}")
    lowest = 0 if kind == _LAYER else 1
    blocks = (
        range(lowest, last_layer + 1) if first == "*" else range(int(first), int(end or first) + 1)
    )
    if not blocks or blocks[0] < lowest or blocks[-1] > last_layer:
        raise DataProblem(
            f"layers={text}: blocks are numbered from 1 to {last_layer}; block k leads to layer k"
        )
    if kind == _LAYER:
        return tuple(map(str, blocks))
    if heads is None:
        raise DataProblem(f"layers={text}: only hf: models can be looked into for such parts")
    if head is None:
        return tuple(ModelSite(kind, block).name for block in blocks)
    many = heads()
    chosen = range(1, many + 1) if head == "*" else range(int(head), int(head) + 1)
    if chosen[0] < 1 or chosen[-1] > many:
        raise DataProblem(f"layers={text}: the heads of a block are numbered from 1 to {many}")
    return tuple(ModelSite(kind, block, each).name for block in blocks for each in chosen)
