"""Which of the baselines that encoders have of their own stand in a plan: untrained copies, several
where they are cheap, and input embeddings where no layer that is measured has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from lingprobe.data.core import DataProblem, Encoder
from lingprobe.data.oracles import EncoderQuestion, find_own_baselines
from lingprobe.data.references import Reference, remove_options
from lingprobe.encoders import ENCODERS
from lingprobe.encoders.hf import LAYER_COUNT_FIELDS, said_in
from lingprobe.encoders.model_files import SavedModel
from lingprobe.encoders.own_baselines import (
    INPUT_LAYERS,
    count_block_weights,
    is_copy,
    reads_prompt,
)
from lingprobe.experiment.provenance import list_layer_names
from lingprobe.experiment.units import get_width
from lingprobe.nets.device import free_memory

_LARGEST_COPY = 1e9  # weights; of larger models a copy is measured on request
_CHEAP = 2e12  # operations of all copies of an encoder, about a minute of a slow processor
_PIECES = 25  # word pieces of a sentence, about
_BYTES = 8  # of a weight: that of the copy, and that of the trained model beside it


def name_own_baselines(encoder: Encoder) -> dict[str, EncoderQuestion]:
    """The canonical references of an encoder's own baselines, with the question of each."""
    own = find_own_baselines(encoder)
    return {ENCODERS.canonical(reference): question for reference, question in own.items()}


def choose_own_baselines(encoder: Encoder, examples: int) -> dict[str, Encoder]:
    """Untrained copies of a model: five of each kind where they are cheap, else one, and none above
    a billion weights or where memory is short; with its input embeddings and its prompt alone, by
    canonical reference, on tasks of so many examples together.

    It depends on the model and the tasks alone, so that all machines of a run plan alike, but for
    those without the memory.
    """
    weights = _count_weights(encoder)
    free = free_memory()
    is_able = 0 < weights <= _LARGEST_COPY and (free is None or _BYTES * weights <= free)
    own = name_own_baselines(encoder)
    copies = [name for name in own if is_copy(name)]
    is_cheap = 2 * weights * _PIECES * examples * len(copies) <= _CHEAP
    chosen: list[str] = []
    for _, same in groupby(copies, key=lambda reference: remove_options(reference, "seed")):
        chosen += list(same)[: None if is_cheap else 1] if is_able else []
    if is_able and not {*INPUT_LAYERS} & {*list_layer_names(encoder)}:
        chosen += [name for name in own if name not in copies and not reads_prompt(name)]
    chosen += filter(reads_prompt, own)
    return dict(_make_able(chosen))


def _count_weights(encoder: Encoder) -> float:
    if not isinstance(encoder, SavedModel):
        return 0.0
    said = encoder.configuration
    return count_block_weights(said, said_in(said, LAYER_COUNT_FIELDS), get_width(encoder))


def _make_able(references: Iterable[str]) -> Iterable[tuple[str, Encoder]]:
    """What references name, but for those that cannot be made of this model."""
    for reference in references:
        encoder = ENCODERS.make(Reference.parse(reference))
        try:
            list_layer_names(encoder)
        except DataProblem:
            continue
        yield reference, encoder
