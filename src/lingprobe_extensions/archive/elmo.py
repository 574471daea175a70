"""ELMo (Peters et al. 2018) as it was published: characters, and two layers of LSTMs each way."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from lingprobe import DataProblem, Help, Sentence, Vectors
from lingprobe.extend import Ints, SlotEncoder, describe_install, report_damage
from lingprobe_extensions.archive.elmo_shape import ELMO_SIZES, ElmoShape, read_elmo_shape
from lingprobe_extensions.archive.files import check_there, digest_of
from lingprobe_extensions.archive.passes import each_word, pool_layers
from lingprobe_extensions.archive.sources import ELMO_SOURCE

_FIRST, _LAST, _BEGIN, _END, _PADDING = 256, 257, 258, 259, 260
"""Characters are the bytes of UTF-8; then come the marks of a sentence and of a word, and what a
word is filled up with (bilm/data.py of allenai/bilm-tf)."""
Init = Literal["trained", "random", "orthonormal"]
_WEIGHTS = "the weights of an ELMo"


@dataclass(frozen=True)
class ElmoEncoder:
    """ELMo (Peters et al. 2018) by its HDF5 file of weights. Layer 0 and lex are what its character
    network makes of a word; layers 1 and 2 are the LSTMs, forward beside backward.
    """

    file: Path
    options: Annotated[
        Path | None,
        Help("the JSON file of its sizes; without, that beside the weights (..._options.json)"),
    ] = field(default=None, kw_only=True)
    layers: Annotated[str, Help("lex, last, all, N, N-M; several with +")] = field(
        default="last", kw_only=True
    )
    pool: Annotated[
        Literal["mean", "max", "none"],
        Help("mean, max, or none for a vector of each word"),
    ] = field(default="mean", kw_only=True)
    weights: Annotated[
        Init,
        Help(
            "trained; of the same sizes drawn with `seed`: orthonormal above layer 0 (the"
            " Orthonormal ELMo of Tenney et al. 2019, section 4), or random throughout"
        ),
    ] = field(default="trained", kw_only=True)
    seed: int = field(default=0, kw_only=True)
    tokens: int = field(default=4096, kw_only=True)
    takes = "sentences"

    @property
    def name(self) -> str:
        drawn = "" if self.weights == "trained" else f",weights={self.weights}"
        return f"elmo:{self.file}{drawn}"

    @property
    def kind(self) -> Literal["trained", "baseline", "oracle"]:
        """A baseline where the weights are drawn."""
        return "trained" if self.weights == "trained" else "baseline"

    @property
    def sizes(self) -> Path:
        """The file of sizes."""
        if self.options is not None:
            return self.options.expanduser()
        file = self.file.expanduser()
        if not file.name.endswith("weights.hdf5"):
            raise DataProblem(
                f"{self.file} is not named ..._weights.hdf5, by which its sizes are found;"
                " write options=FILE"
            )
        return file.with_name(file.name.removesuffix("weights.hdf5") + "options.json")

    @property
    def fingerprint(self) -> str:
        """The digests of the weights and of the sizes."""
        return " ".join(self._digests)

    @property
    def _digests(self) -> tuple[str, str]:
        weights = digest_of(self.file, _WEIGHTS, ELMO_SOURCE)
        return weights, digest_of(self.sizes, ELMO_SIZES, ELMO_SOURCE)

    @property
    def base(self) -> str:
        drawn = "" if self.weights == "trained" else f",weights={self.weights},seed={self.seed}"
        units = ",units=words" if self.pool == "none" else ""
        return f"elmo,tokens={self.tokens}{drawn}{units}"

    @property
    def slots(self) -> tuple[str, ...]:
        check_there(
            self.file, _WEIGHTS, ELMO_SOURCE
        )  # of two files that are missing this one is named
        return SlotEncoder.slots_of(self, read_elmo_shape(self.sizes).layers)

    def asking(self, slots: tuple[str, ...]) -> SlotEncoder:
        return SlotEncoder.of(self, slots, "words")

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return self.asking(self.slots).encode(sentences)

    def read(self, sentences: Sequence[Sentence], asked: Sequence[tuple[str, str]]) -> Vectors:
        """The layers that are asked for, each with its pooling."""
        forms, tokens = each_word(sentences)
        marks, shape = self._digests, read_elmo_shape(self.sizes)
        net = _load_elmo(self.file, self.sizes, marks, (self.weights, self.seed))
        vectors = net.words(character_ids(forms, shape.longest))
        deep = any(layer not in ("lex", "0") for layer, _ in asked)

        def forward(rows: Ints) -> Mapping[str, Any]:
            made: Mapping[str, Any] = net.layers(vectors, tokens.of(rows), deep)
            return made

        names = "lex", *map(str, range(shape.layers + 1))
        widths = dict.fromkeys(names, 2 * shape.projection)
        return pool_layers(forward, tokens, asked, widths, self.tokens)


def character_ids(words: Sequence[str], longest: int) -> Ints:
    """The characters of the two marks of a sentence and of words [2 + words, longest]: the bytes of
    UTF-8 between the marks of a word, cut to `longest`, filled up behind.
    """
    table = np.full((2 + len(words), longest), _PADDING, np.int64)
    table[:2, :3] = [[_BEGIN, _FIRST, _END], [_BEGIN, _LAST, _END]]
    for row, word in zip(table[2:], words, strict=True):
        letters = word.encode("utf-8", "ignore")[: longest - 2]
        row[: len(letters) + 2] = [_BEGIN, *letters, _END]
    return table


@functools.lru_cache(maxsize=2)
def _load_elmo(file: Path, options: Path, marks: tuple[str, str], how: tuple[Init, int]) -> Any:
    """The network of two files, of which `marks` are the digests, with weights as they are or
    drawn.
    """
    from lingprobe_extensions.archive.elmo_network import ElmoModel, draw_weights

    shape, (weights, seed) = read_elmo_shape(options), how
    if weights == "random":
        return ElmoModel(shape, draw_weights(shape, weights, seed))
    arrays = _arrays(file, shape)
    return ElmoModel(
        shape, arrays | (draw_weights(shape, weights, seed) if weights != "trained" else {})
    )


def _arrays(file: Path, shape: ElmoShape) -> dict[str, NDArray[np.float32]]:
    """The arrays of a file of weights; DataProblem where they are not of these sizes."""
    try:
        import h5py
    except ImportError:
        raise DataProblem(f"{file} is read by h5py: {describe_install('elmo')}") from None
    with report_damage(file, "an HDF5 file"), h5py.File(file.expanduser(), "r") as held:
        arrays = {}
        for name, wanted in shape.datasets.items():
            if name not in held:
                raise DataProblem(f"{file} has no {name!r}, which an ELMo of these sizes has")
            if held[name].shape != wanted:
                raise DataProblem(
                    f"{file}: {name!r} is {list(held[name].shape)}, and by the options file it is"
                    f" {list(wanted)}; are they of one model?"
                )
            arrays[name] = np.asarray(held[name][...], np.float32)
    return arrays
