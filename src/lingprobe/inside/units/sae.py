"""The features of a sparse autoencoder as an encoder: those of each subword, or pooled over a
sentence.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from lingprobe.data.core import DataProblem, DeviceAwareEncoder, Encoder, LayeredEncoder, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.identity import compute_identity
from lingprobe.data.options import Help
from lingprobe.data.oracles import EncoderQuestion, Kind, get_encoder_role
from lingprobe.data.reading import POOLS
from lingprobe.data.references import (
    PlaceOption,
    Reference,
    ReferenceProblem,
)
from lingprobe.data.vectors import Floats, Ints, Spans, Vectors
from lingprobe.encoders import ENCODERS
from lingprobe.inside.units.features import ENCODING_BATCH_ROWS, SparseAutoencoder, draw_directions
from lingprobe.inside.units.folders import (
    SAE_NORMALISATIONS,
    fingerprint_of,
    load_folder,
    read_folder_layer,
)
from lingprobe.inside.units.recipes import AutoencoderFolder

Pool = Literal["mean", "max", "none"]
Weights = Literal["trained", "random"]
_GIVEN = "post:"
_ENOUGH = 100  # states, below which the variance that is explained says little


@dataclass(frozen=True)
class SparseFeatures:
    """Features of a sparse autoencoder: a folder of SAELens, sparsify, Gemma Scope or
    dictionary_learning, or sae.safetensors with weight, bias and k.
    """

    path: Path
    _: KW_ONLY
    of: Annotated[
        PlaceOption,
        Help("the model whose states it reads, as hf:MODEL; commas are written %2C"),
    ]
    layers: Annotated[
        str,
        Help("the layer or site, as mlp:8; most folders say which"),
    ] = ""
    pool: Annotated[
        Pool,
        Help("mean or max over the subwords of a sentence; none: each piece by itself"),
    ] = "mean"
    weights: Annotated[
        Weights,
        Help("random: directions drawn with `seed`, of which the `k` largest are kept"),
    ] = "trained"
    seed: int = 0
    k: int = 0
    scale: Annotated[
        float,
        Help("what states are multiplied by, for expected_average_only_in (norm_scaling_factor)"),
    ] = 0.0
    explains: Annotated[
        float,
        Help("the share of the states' variance that must be given back"),
    ] = 0.5

    opposes: ClassVar[tuple[EncoderQuestion, ...]] = ()
    takes = "sentences"

    def __post_init__(self) -> None:
        if {"layers", "pool"} & {key for key, _ in Reference.parse(self.of).options}:
            raise ReferenceProblem(
                f"sae,of={self.of}: write layers= and pool= of sae, not of the model"
            )

    @property
    def inner(self) -> Encoder:
        """The model, its subwords in the layer that is read."""
        reference = Reference.parse(self.of).plus(layers=self.layer, pool="none")
        return ENCODERS.make(reference)

    @property
    def layer(self) -> str:
        """The layer or site that is read."""
        hooked = self._find_hook()
        if self.layers and hooked not in (None, self.layers):
            raise DataProblem(
                f"sae:{self.path}: its hook is at layer {hooked}, not {self.layers}; leave layers="
                " out"
            )
        if not self.layers and hooked is None:
            raise DataProblem(f"sae:{self.path}: say which layer it is of, as layers=8")
        return self.layers or str(hooked)

    def _find_hook(self) -> str | None:
        """Where the folder's hook is: `blocks.8.hook_resid_pre` is layer 8, `hook_resid_post` the
        layer behind it, but for the last block, whose layer stands behind the model's norm
        (`post:`).
        """
        hooked = read_folder_layer(self.path)
        if hooked is None or not hooked.startswith(_GIVEN):
            return hooked
        last = ENCODERS.make(Reference.parse(self.of).plus(layers="last", pool="none"))
        slots = last.slots if isinstance(last, LayeredEncoder) else ()
        number = hooked.removeprefix(_GIVEN)
        return hooked if slots and slots[0].partition(".")[0] == number else number

    @property
    def name(self) -> str:
        drawn = ",weights=random" if self.weights == "random" else ""
        return f"sae:{self.path},of={self.of}{drawn}"

    @property
    def kind(self) -> Kind:
        """A baseline where directions are drawn, or the model's weights."""
        return "baseline" if self.weights == "random" else get_encoder_role(self.inner)

    @property
    def fingerprint(self) -> str:
        """A digest of its files, and the model."""
        inner = self.inner
        model = compute_identity(ENCODERS, ENCODERS.canonical(self.of), inner)
        return f"{fingerprint_of(self.path)} layer={self.layer} {model}"

    @property
    def runs(self) -> tuple[str, str]:
        """The device and precision of the model."""
        inner = self.inner
        return inner.runs if isinstance(inner, DeviceAwareEncoder) else ("cpu", "float32")

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        given = self.inner.encode(sentences)
        # of all heads of a block each is a layer
        states, spans = np.concatenate(given.layers, 1, dtype=np.float32), given.spans
        assert spans is not None
        made = self.load()
        if states.shape[1] != made.folder.tensors["W_enc"].shape[0] and len(states):
            raise EncoderStop(
                f"{self.name}: the autoencoder reads {made.folder.tensors['W_enc'].shape[0]}"
                f" numbers, and the layer has {states.shape[1]}; is it of this model?"
            )
        self._check(made, states)
        if self.pool == "none":
            features = _in_parts(made, states)
            return Vectors((features,), spans=spans, cut=given.cut, lost=given.lost)
        return Vectors((self._pool(made, states, spans),), cut=given.cut)

    def load(self) -> SparseAutoencoder:
        """The autoencoder, or the one with directions at random."""
        folder = load_folder(self.path)
        if self.weights == "random":
            version = fingerprint_of(self.path)
            folder = _drawn_folder(str(self.path), version, self._many(folder), self.seed)
        return SparseAutoencoder(folder, self._scale(folder))

    def _many(self, folder: AutoencoderFolder) -> int:
        """How many random features are kept for each state."""
        k = self.k or folder.recipe.k
        if not k:
            raise DataProblem(
                f"{self.name}: how many features are active differs from state to state; say k=,"
                " as many as of the trained one on average"
            )
        return k

    def _scale(self, folder: AutoencoderFolder) -> float:
        if folder.recipe.norm != SAE_NORMALISATIONS[-1]:
            if self.scale:
                raise DataProblem(
                    f"{self.name}: scale= is for {SAE_NORMALISATIONS[-1]}; leave it out"
                )
            return 1.0
        if self.scale <= 0:
            raise DataProblem(
                f"{self.name}: normalize_activations is {SAE_NORMALISATIONS[-1]}, and by how much"
                " is not in the folder; say it with scale= (norm_scaling_factor in SAELens' list)"
            )
        return self.scale

    def _check(self, made: SparseAutoencoder, states: Floats) -> None:
        """Refuse an autoencoder that gives back less than `explains=` of the variance of the
        states, or does not fit them; EncoderStop.
        """
        if not made.folder.has_decoder or len(states) < _ENOUGH:
            return
        share = made.explained_share(states)
        if share < self.explains:
            raise EncoderStop(
                f"{self.name}: it gives back {100 * share:.1f} % of the variance of these states,"
                f" less than {100 * self.explains:.0f} % (explains=). It is of another"
                " model, layer or processing: a last layer is read behind the model's final norm"
                " (before it: post:), and a start token is read where the tokeniser or"
                " of=...%2Ctemplate= has one"
            )

    def _pool(self, made: SparseAutoencoder, states: Floats, spans: Spans) -> Floats:
        """Features over each sentence, [sentences, units]; zeros where a sentence has no piece."""
        starts, stops = spans.sentences[:-1], spans.sentences[1:]
        pooled = np.zeros((len(starts), made.units), np.float32)
        for first, last in _runs(starts, stops):
            begin = int(starts[first])
            some = made.encode(states[begin : int(stops[last - 1])])
            rows = slice(first, last)
            pooled[rows] = POOLS[self.pool](some, starts[rows] - begin, stops[rows] - begin)
        return pooled


@functools.lru_cache(2)
def _drawn_folder(path: str, version: str, k: int, seed: int) -> AutoencoderFolder:
    """Directions at random, drawn once for all that is encoded."""
    return draw_directions(load_folder(Path(path)), k, seed)


def _runs(starts: Ints, stops: Ints) -> list[tuple[int, int]]:
    """Runs of whole sentences of about as many states as are encoded at a time."""
    bounds, first = [], 0
    for number, stop in enumerate(stops.tolist()):
        if stop - int(starts[first]) >= ENCODING_BATCH_ROWS or number + 1 == len(stops):
            bounds.append((first, number + 1))
            first = number + 1
    return bounds


def _in_parts(made: SparseAutoencoder, states: Floats) -> Floats:
    """The features of all states, [n, units]."""
    parts: list[Any] = [
        made.encode(states[start : start + ENCODING_BATCH_ROWS])
        for start in range(0, len(states), ENCODING_BATCH_ROWS)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, made.units), np.float32)
