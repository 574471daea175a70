"""Sentence encoders that `sonde train` made, as they were after each epoch."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sonde.core import DataProblem, Sentence
from sonde.corpora.files import digest
from sonde.encoders.tables import WordTable, word_table
from sonde.encoders.untrained import WordsRead, encoded, forms_of
from sonde.references import Place
from sonde.vectors import Vectors

MODEL, FORMAT = "model.json", 1


@dataclass(frozen=True)
class Trained:
    """An encoder that `sonde train` made, by its folder.

    epoch    after which it is read: the best on dev, or a number
    pool     auto, as it was trained; none keeps a vector for each word
    vectors  the file of word vectors that it was trained with, where that lies elsewhere now
    """

    folder: Place
    epoch: str = field(default="best", kw_only=True)
    pool: Literal["auto", "none"] = field(default="auto", kw_only=True)
    vectors: Path | None = field(default=None, kw_only=True)
    tokens: int = field(default=4096, kw_only=True)
    takes = "sentences"

    @property
    def name(self) -> str:
        return f"trained:{self.folder}" + ("" if self.epoch == "best" else f",epoch={self.epoch}")

    @property
    def fingerprint(self) -> str:
        """The digests of the weights and of the word vectors."""
        facts = self.facts
        return f"{digest([self._weights(facts)])} {facts['vectors']}"

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the folder says of itself; DataProblem where it holds no encoder."""
        return facts_of(Path(self.folder).expanduser())

    def _weights(self, facts: Mapping[str, Any]) -> Path:
        """The file of the epoch that is read."""
        number = str(facts["best"]) if self.epoch == "best" else self.epoch
        file = Path(self.folder).expanduser() / f"epoch-{number}.safetensors"
        if not (number.isdecimal() and file.is_file()):
            many = len(facts["epochs"])
            raise DataProblem(
                f"{self.folder} has no epoch {number}: write best, or a number from 1 to {many}"
            )
        return file

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        from sonde.nets.trainable import Shape

        facts, by_word = self.facts, self.pool == "none"
        shape = Shape(**facts["shape"])
        if by_word and shape.embedding:
            raise DataProblem(f"{self.folder} has embedding=, and so no vector for each word")
        forms, numbers = forms_of(sentences)
        counts = np.array([len(s.words) for s in sentences], np.int64)
        vectors, _ = self._table(facts["settings"], facts["vectors"]).look_up(forms)
        net = _net(self._weights(facts), shape, by_word)
        return encoded(net, WordsRead(vectors, numbers, counts), shape.width, by_word, self.tokens)

    def _table(self, settings: Mapping[str, Any], mark: str) -> WordTable:
        path = None
        if settings["vectors"] is not None:
            path = self.vectors or Path(settings["vectors"])
        if path is not None and (not path.is_file() or digest([path]) != mark):
            raise DataProblem(
                f"{self.folder} was trained with the word vectors {path}, which are not there or"
                " have changed; write vectors=FILE for where they are"
            )
        return word_table(path, settings["dim"], settings["seed"])


def facts_of(folder: Path) -> dict[str, Any]:
    """What a folder says of the encoder in it; DataProblem where it holds none."""
    try:
        facts = json.loads((folder / MODEL).read_text("utf-8"))
    except (OSError, ValueError):
        facts = None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise DataProblem(
            f"{folder} holds no encoder that `sonde train` made: no {MODEL} that can be read"
        )
    return facts


@functools.lru_cache(maxsize=4)
def _net(weights: Path, shape: Any, by_word: bool) -> Any:
    from safetensors.torch import load_file

    net = shape.network(by_word=by_word)
    net.load_state_dict(load_file(weights))
    return net.eval()
