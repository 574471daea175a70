"""Same identity, same numbers: what a thing is, as a string that keys its results and its vectors.

An identity is the canonical reference with defaults filled, the source of the module that defines the thing, and what
the thing itself adds as `fingerprint` (file hashes, model revision, versions that matter, resolved precision).
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sonde.core import Trial
from sonde.store.results import SHARED

FORMAT = 2  # of identities: raised when the meaning of a result changes for reasons that no source file shows
FULL = "float32"  # the type in which vectors are what an encoder returned
PACKAGES = ("sonde", "numpy", "scipy", "scikit-learn", "torch", "transformers", "sentence-transformers", "pyarrow")


def identity(reference: str, thing: Any, kept: str = FULL) -> str:
    """What decides a thing's outputs, as one line of JSON; of an encoder, the type that its vectors are kept in too."""
    kind = thing if callable(thing) and hasattr(thing, "__name__") else type(thing)
    source = _source_hash(getattr(kind, "__module__", ""))
    rounded = [kept] if kept != FULL else []
    return json.dumps([reference, source, str(getattr(thing, "fingerprint", "")), *rounded], ensure_ascii=False)


def digest(*parts: str) -> str:
    """Thirty-two hexadecimal digits that stand for some strings."""
    return hashlib.blake2b("\x1e".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def trial_id(trial: Trial, identities: Mapping[str, str]) -> str:
    """What a trial's result is stored under; `identities` maps each of its references to an identity.

    Trials that share their fit (all but the layer and the seed) share the first half, by which the store finds their file.
    """
    references = (trial.task, trial.encoder, trial.probe, trial.control)
    shared = digest(str(FORMAT), *references, *(identities[r] for r in references))
    return shared[:SHARED] + digest(shared, trial.read, str(trial.seed))[SHARED:]


@functools.cache
def _source_hash(module: str) -> str:
    """The hash of a module's source file, with the version of its package; '' for what has no file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return ""
    return digest(versions().get(module.partition(".")[0], ""), Path(file).read_text("utf-8"))


@functools.cache
def versions() -> dict[str, str]:
    """Versions of the packages that matter to a number, as far as they are installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


@functools.cache
def git_commit(start: Path) -> str | None:
    """The commit that is checked out in the folder or above it, read from `.git`; None outside a repository."""
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
