"""Several processes that train one encoder together, as torchrun starts them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, distributed

from lingprobe.extend import Ints


def count_processes() -> int:
    """How many torchrun started, of which this is one; 1 without it."""
    return int(os.environ.get("WORLD_SIZE", "1"))


@dataclass(frozen=True)
class ProcessRank:
    """The number of this process, and how many there are."""

    rank: int = 0
    many: int = 1

    @classmethod
    def from_environment(cls, device: torch.device) -> ProcessRank:
        """As the environment says; processes that torchrun started meet."""
        if count_processes() < 2:
            return cls()
        if not distributed.is_initialized():
            distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
        return cls(distributed.get_rank(), distributed.get_world_size())

    def own_batches(self, batches: Sequence[Ints]) -> list[Ints]:
        """Of each group of batches the one for this process; no rows where the last has none."""
        short = -len(batches) % self.many
        filled = [*batches, *[np.zeros(0, np.int64)] * short]
        return filled[self.rank :: self.many]

    def average_gradients(
        self, parameters: Sequence[Tensor], total: float, over: int, words: int
    ) -> tuple[float, int, int]:
        """Make the gradients those of all processes' batches as one; their loss, over how many
        things, and their words.
        """
        if self.many == 1:
            return total, over, words
        sums = torch.tensor([total, over, words], dtype=torch.float64)
        if parameters[0].is_cuda:
            sums = sums.cuda()
        distributed.all_reduce(sums)
        share = over / float(sums[1])
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            parameter.grad.mul_(share)
            distributed.all_reduce(parameter.grad)
        total, many, words = sums.tolist()
        return total, int(many), int(words)
