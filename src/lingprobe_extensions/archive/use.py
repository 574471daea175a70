"""The Universal Sentence Encoder (Cer et al. 2018) by the folder of a TensorFlow Hub module."""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from lingprobe import DataProblem, Help, Sentence, Vectors
from lingprobe.extend import Floats, describe_install, digest_files
from lingprobe_extensions.archive.files import format_installed_versions
from lingprobe_extensions.archive.sources import USE_SOURCE

Run = Callable[[Sequence[str]], Any]


@dataclass(frozen=True)
class UniversalSentenceEncoder:
    """The Universal Sentence Encoder (Cer et al. 2018; Yang et al. 2020) by the folder of its
    module, unpacked; needs TensorFlow.
    """

    folder: Path
    signature: Annotated[
        str,
        Help("of a module for TensorFlow 1, as universal-sentence-encoder-large/3"),
    ] = field(default="default", kw_only=True)
    batch: Annotated[int, Help("sentences that are read at once")] = field(
        default=128, kw_only=True
    )
    takes = "sentences"

    @property
    def name(self) -> str:
        return f"use:{self.folder}"

    @property
    def fingerprint(self) -> str:
        """The digest of the module's files, and the version of TensorFlow."""
        return (
            f"{_digest_module_folder(self.folder)}"
            f" {format_installed_versions('tensorflow', 'tensorflow-text')}"
        )

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        run = _module(self.folder, self.signature, _digest_module_folder(self.folder))
        texts = [sentence.text for sentence in sentences]
        # of like length, since a batch is as slow as its longest sentence
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        made: list[Floats] = []
        for start in range(0, len(order), self.batch):
            made.append(
                _check_vectors(self, run([texts[i] for i in order[start : start + self.batch]]))
            )
        if not made:
            made = [_check_vectors(self, run([""]))[:0]]
        vectors = np.empty((len(texts), made[0].shape[1]), np.float32)
        vectors[order] = np.concatenate(made)
        return Vectors((vectors,))


def _check_vectors(encoder: UniversalSentenceEncoder, returned: Any) -> Floats:
    vectors = np.asarray(returned, np.float32)
    if vectors.ndim != 2:
        raise DataProblem(
            f"{encoder.folder} gives arrays {list(vectors.shape)}, expected a vector of each text;"
            " is it another module?"
        )
    return vectors


def _digest_module_folder(folder: Path) -> str:
    place = folder.expanduser()
    if not place.is_dir():
        raise USE_SOURCE.missing(folder, "a module of TensorFlow Hub", "folder")
    model = next(
        (place / n for n in ("saved_model.pb", "saved_model.pbtxt") if (place / n).is_file()), None
    )
    if model is None:
        raise DataProblem(
            f"{folder} has no saved_model.pb, which every module of TensorFlow Hub has; unpack the"
            " download there"
        )
    return digest_files(sorted(file for file in place.rglob("*") if file.is_file()))


@functools.lru_cache(maxsize=2)
def _module(folder: Path, signature: str, mark: str) -> Run:
    """What makes vectors of texts, by a module whose files have the digest `mark`."""
    place = folder.expanduser()
    try:
        tensorflow = importlib.import_module("tensorflow")
    except ImportError:
        raise DataProblem(
            f"{folder} is run by TensorFlow, which is not installed: {describe_install('tf')}"
        ) from None
    with contextlib.suppress(ImportError):  # has the operations of the multilingual modules
        importlib.import_module("tensorflow_text")
    try:
        if (place / "tfhub_module.pb").is_file():
            # a module for TensorFlow 1 is exported without tags; its tables are filled on loading
            return _by_signature(
                tensorflow, tensorflow.saved_model.load(str(place), tags=[]), signature
            )
        loaded = tensorflow.saved_model.load(str(place))
        if callable(loaded):
            return lambda texts: loaded(tensorflow.constant(list(texts)))
        return _by_signature(tensorflow, loaded, signature)
    except DataProblem:
        raise
    except Exception as error:
        said = (str(error).strip().splitlines() or [""])[0]
        raise DataProblem(
            f"{folder}: TensorFlow cannot load this module: {type(error).__name__}: {said}"
        ) from error


def _by_signature(tensorflow: Any, loaded: Any, name: str) -> Run:
    """The signature of a module, which gives its outputs by name: the one of its own name, else the
    first.
    """
    if name not in loaded.signatures:
        names = ", ".join(sorted(loaded.signatures)) or "none"
        raise DataProblem(
            f"the module has no signature {name!r} (it has: {names}); write signature="
        )
    call = loaded.signatures[name]

    def run(texts: Sequence[str]) -> Any:
        made = call(tensorflow.constant(list(texts)))
        return made.get(name, next(iter(made.values())))

    return run
