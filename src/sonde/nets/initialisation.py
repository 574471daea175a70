"""Drawing a net's weights from a generator of its own, so that neither the global seed nor the
order of work matters.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn


def drawn(
    build: Callable[[], nn.Module], draw: Callable[[nn.Module, torch.Generator], None], seed: int
) -> nn.Module:
    """A net whose weights `draw` fills; building it touches no random state."""
    with torch.device("meta"):
        net = build()
    net.to_empty(device="cpu")
    with torch.no_grad():
        draw(net, torch.Generator().manual_seed(seed))
    return net.eval()
