"""Models whose weights are stored in few bits, or are too large for one GPU or for memory: what
their configuration says, and where transformers puts them. Needs no torch to be imported.
"""

from __future__ import annotations

import importlib.util
from typing import Any

from lingprobe.data.core import DataProblem
from lingprobe.data.examples import EncoderStop

# what each way of quantising is read with
QUANTISATION_PACKAGES = {
    "bitsandbytes": "bitsandbytes",
    "gptq": "gptqmodel",
    "awq": "gptqmodel",
    "torchao": "torchao",
    "compressed-tensors": "compressed-tensors",
}
_FILLED = 0.8  # of a GPU's free memory that weights may take; the rest is for what they compute


def get_quantisation(config: dict[str, Any]) -> str:
    """How a checkpoint is quantised, by the `quantization_config` in its config.json (bitsandbytes,
    gptq, awq, torchao, ...); '' where it is not.
    """
    said = config.get("quantization_config") or config.get("compression_config")
    if not isinstance(said, dict):
        return ""
    # before they named their way, bitsandbytes' configurations had nothing but this
    bits = said.get("load_in_4bit") or said.get("load_in_8bit")
    return str(said.get("quant_method") or ("bitsandbytes" if bits else ""))


def check_quantised(way: str, weights: str, dtype: str) -> None:
    """Refuse dtype= and weights=random of a quantised model, which computes as it was stored.
    DataProblem.
    """
    if way and weights != "trained":
        raise DataProblem(
            f"weights={weights}: the model is quantised ({way}), and its weights cannot be"
            " randomised beside trained ones; write weights=random, or name the model that it was"
            " made from"
        )
    if way and dtype != "auto":
        raise DataProblem(
            f"dtype={dtype}: the model is quantised ({way}) and computes as it was stored; leave"
            " dtype out"
        )


def choose_placement(device: str, way: str, size: int, free: int | None) -> dict[str, Any]:
    """Spread over all GPUs and the processor's memory, by accelerate's device map, a model whose
    `size` in bytes takes more than 80 % of what a GPU has `free` (None: for the processor, or a
    device that the user chose): what tells transformers where to put it.

    EncoderStop where that needs accelerate, which is not installed.
    """
    large = free is not None and size > _FILLED * free
    if device == "cpu" or not (way or large):
        return {}
    if importlib.util.find_spec("accelerate") is None:
        reason = f"is quantised ({way})" if way else f"has {size / 1e9:.1f} GB of weights"
        raise EncoderStop(
            f"the model {reason} and is put on {device} by accelerate, which is not installed: pip"
            " install accelerate"
        )
    return {"device_map": "auto" if large else {"": device}}


def check_model_memory(name: str, size: int, stored: int, dtype: str, free: int | None) -> None:
    """EncoderStop where a model does not fit in the memory of the machine, of which `free` bytes
    are left (None: not known).

    size    bytes of its files
    stored  bytes of a number in them
    """
    needed = size * 4 // stored if dtype == "float32" else size
    if free is None or needed <= free:
        return
    halved = stored < 4 and dtype == "float32" and size <= free
    raise EncoderStop(
        f"{name}: the weights take {needed / 1e9:.1f} GB in memory, and {free / 1e9:.1f} GB are"
        " free; "
        + (
            f"with dtype=bfloat16 they take {size / 1e9:.1f} GB"
            if halved
            else "take a machine with more memory, or a smaller or quantised model"
        )
    )
