"""A device that is not the processor, on a machine that has none other: tensors that say they are
on `meta` and hold numbers of the processor.

As on a GPU, an operation whose tensors are on two devices is an error (but for numbers, which have
no axes), and so is an array of a tensor that was not brought back. What is computed is computed by
the processor, so that a fit there must end in the same bits if it is given the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_flatten, tree_map

PLACE = torch.device("meta")
MOVES = (torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default)


class Away(torch.Tensor):
    """A tensor that says it is on `meta`."""

    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Away:
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.size(), strides=inner.stride(), storage_offset=inner.storage_offset(),
            dtype=inner.dtype, device=PLACE, requires_grad=inner.requires_grad,
        )  # fmt: skip

    def __init__(self, inner: torch.Tensor) -> None:
        self.inner = inner

    def numpy(self, *, force: bool = False) -> Any:
        raise TypeError("a tensor that is not on the processor has no array: call cpu() first")

    def tolist(self) -> Any:
        return self.inner.tolist()

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _done(func, args, kwargs or {})


class _Factories(TorchDispatchMode):
    """Tensors that are made on the device."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        here = any(isinstance(each, Away) for each in tree_flatten((args, kwargs))[0])
        if here or kwargs.get("device") == PLACE:
            return _done(func, args, kwargs)
        return func(*args, **kwargs)


def _done(func: Any, args: Any, kwargs: Any) -> Any:
    """An operation, by the processor."""
    flat = [each for each in tree_flatten((args, kwargs))[0] if isinstance(each, torch.Tensor)]
    away = any(isinstance(each, Away) for each in flat)
    strangers = [each for each in flat if not isinstance(each, Away) and each.ndim]
    if away and strangers and func not in MOVES:
        raise RuntimeError(f"{func}: a tensor is on the processor, and another one is not")
    target = kwargs.get("device", PLACE if away else None)
    inner = tree_map(lambda each: each.inner if isinstance(each, Away) else each, (args, kwargs))
    if "device" in kwargs:
        inner[1]["device"] = torch.device("cpu")
    found = func(*inner[0], **inner[1])
    if torch.device(target or "cpu") != PLACE:
        return found
    wrapped = tree_map(lambda each: Away(each) if isinstance(each, torch.Tensor) else each, found)
    return return_and_correct_aliasing(func, args, kwargs, wrapped)


@contextmanager
def elsewhere() -> Iterator[str]:
    """The name of the device, which is there inside."""
    with _Factories():
        yield str(PLACE)
