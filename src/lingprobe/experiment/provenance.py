"""What a result says about how it was made: versions, the commit that is checked out, the processor
and its precision.
"""

from __future__ import annotations

import functools
import importlib.metadata
import platform
from collections.abc import Iterable
from pathlib import Path

from lingprobe.data.abilities import AveragingEncoder, CheckpointedEncoder
from lingprobe.data.core import (
    DeviceAwareEncoder,
    Encoder,
    LayeredEncoder,
    PrecisionAwareProbe,
    Probe,
    RevisedEncoder,
    Task,
)
from lingprobe.data.identity import is_stated
from lingprobe.data.notes import Checkpoint
from lingprobe.data.oracles import OracleEncoder, oracles_of
from lingprobe.data.reading import read_of
from lingprobe.nets.device import DeviceAwareProbe, get_device_kind
from lingprobe.nets.precision import get_processor_kind, must_be_reproducible

UNNAMED_LAYER = "-"  # the layer of an encoder that has but one
_PACKAGES = (
    "lingprobe",
    "numpy",
    "scipy",
    "scikit-learn",
    "torch",
    "transformers",
    "sentence-transformers",
    "pyarrow",
)


@functools.cache
def list_versions() -> dict[str, str]:
    """Versions of the packages that matter to a number, as far as they are installed."""
    installed = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            installed[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return installed


@functools.cache
def git_commit(start: Path) -> str | None:
    """The commit that is checked out in the folder or above it, read from `.git`; None outside a
    repository.
    """
    for folder in (start, *start.parents):
        head = folder / ".git" / "HEAD"
        if not head.is_file():
            continue
        text = head.read_text().strip()
        if not text.startswith("ref: "):
            return text
        name = text.removeprefix("ref: ")
        if (loose := folder / ".git" / name).is_file():
            return loose.read_text().strip()
        packed = folder / ".git" / "packed-refs"
        lines = packed.read_text().splitlines() if packed.is_file() else []
        return next((line.split()[0] for line in lines if line.endswith(" " + name)), None)
    return None


def get_revision(encoder: Encoder) -> str:
    """What tells an encoder from others of its name: the commit or a digest of a model's files, of
    weights, or of source.
    """
    if isinstance(encoder, RevisedEncoder):
        return encoder.revision
    return encoder.fingerprint if is_stated(encoder) else ""


def get_checkpoint(encoder: Encoder) -> Checkpoint | None:
    """Where in its training an encoder is; None where it does not say."""
    return encoder.point_of_training if isinstance(encoder, CheckpointedEncoder) else None


def list_layer_names(encoder: Encoder) -> tuple[str, ...]:
    """The names of an encoder's layers; '-' for one that has but one."""
    if not isinstance(encoder, LayeredEncoder):
        return (UNNAMED_LAYER,)
    return tuple(slot.rpartition(".")[0] or slot for slot in encoder.slots)


def collect_constant_tokens(encoder: Encoder, reads: Iterable[str]) -> dict[str, str]:
    """By read which token that every sentence has holds most of the norm of what is averaged."""
    known = encoder.constant_tokens if isinstance(encoder, AveragingEncoder) else {}
    if not known:
        return {}
    layers = {read: read_of(read, list_layer_names(encoder)).whole_layers for read in reads}
    return {read: known[layer] for read, mine in layers.items() for layer in mine if layer in known}


def runs_in(encoder: DeviceAwareEncoder) -> str:
    """The precision and the kind of device that an encoder runs with, as 'bfloat16 on cpu'."""
    device, dtype = encoder.runs
    return f"{dtype} on {get_device_kind(device)}"


def computation_facts(encoder: Encoder, probe: Probe) -> dict[str, str]:
    """What numbers were computed on and in (`computed`): processor, precision and device; an
    encoder or a probe without a choice is not in it.
    """
    how = {"processor": get_processor_kind()}
    if isinstance(encoder, DeviceAwareEncoder):
        how["encoder"] = runs_in(encoder)
    if isinstance(probe, PrecisionAwareProbe):
        how["probe"] = probe.used_precision
    if isinstance(probe, DeviceAwareProbe):
        how["probe device"] = get_device_kind(probe.device)
    return how | ({"threads": "1"} if must_be_reproducible() else {})


def describe_oracle(encoder: Encoder, task: Task) -> str:
    """What the vectors of an oracle hold; '' of other encoders."""
    if not isinstance(encoder, OracleEncoder):
        return ""
    known = oracles_of(task)
    return known[encoder.oracle or next(iter(known))]
