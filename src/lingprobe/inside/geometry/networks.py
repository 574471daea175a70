"""The vectors of all layers that are compared, and of the same networks before training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lingprobe.data.core import DataProblem, Encoder, OracleEncoder
from lingprobe.data.errors import UsageProblem
from lingprobe.data.identity import ContentIdentity
from lingprobe.data.oracles import get_encoder_role
from lingprobe.data.references import Reference, try_parse_reference
from lingprobe.experiment.embed import load_vectors
from lingprobe.experiment.keys import vectors_key
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.run import embed_ahead, encode_ahead
from lingprobe.inside.geometry.rows import LayerRows, LayerVectors
from lingprobe.inside.geometry.texts import MIN_GEOMETRY_SENTENCES, Texts

_LOADING = ("device", "dtype", "tokens", "trust_remote_code", "code_revision")
_TRAINED = ("revisions", "adapter")  # what an untrained network does not have

Known = Mapping[str, tuple[Encoder, ContentIdentity]]


class LayerOnText(NamedTuple):
    """A layer of an encoder on a text."""

    encoder: str
    layer: str
    text: str


@dataclass(frozen=True)
class NetworkVectors:
    """The vectors of some layers on some texts.

    encoders  their layers, by the names of encoders
    floors    for each encoder the same network before training, itself for a baseline; nothing for
              one of which there is none
    rows      the vectors, all of the same sentences
    """

    encoders: Mapping[str, tuple[str, ...]]
    floors: Mapping[str, str]
    rows: Mapping[LayerOnText, LayerVectors]
    texts: tuple[str, ...]
    n: int

    def floor(self, place: LayerOnText) -> LayerOnText | None:
        """The same layer before training."""
        floor = self.floors.get(place.encoder)
        known = place._replace(encoder=floor or "")
        return known if known in self.rows else None


def encode_networks(
    encoders: Any, texts: Texts, paths: RunPaths, untrained: bool, progress: bool
) -> tuple[NetworkVectors, tuple[str, ...]]:
    """The vectors of all layers of encoders on texts, and what there is to say beside."""
    sentences = list(dict.fromkeys(one for text in texts.values() for one in text))
    made = encode_ahead(encoders, sentences, paths)
    floors, drawn, remarks = _floors(made, paths) if untrained else ({}, {}, [])
    known = {**made, **drawn}
    for name, (encoder, _) in known.items():
        if isinstance(encoder, OracleEncoder):
            raise UsageProblem(f"{name} reads the annotation of a task, and a text has none")
    number = {one: i for i, one in enumerate(sentences)}
    places = {name: np.array([number[one] for one in text]) for name, text in texts.items()}
    done = embed_ahead(known, sentences, paths, progress)
    usable = np.all([one.usable for one in done.values()], axis=0)
    good = np.all([usable[at] for at in places.values()], axis=0)
    n = int(good.sum())
    if n < MIN_GEOMETRY_SENTENCES:
        raise DataProblem(f"only {n} sentences could be encoded by all encoders")
    if n < len(good):
        remarks.append(f"{len(good) - n:,} sentences were excluded, as not all could be encoded")
    if any(one.cut for one in done.values()):
        most = max(one.cut for one in done.values())
        remarks.append(f"of {most:,} sentences an encoder reads only the beginning")
    rows: dict[LayerOnText, LayerVectors] = {}
    layers: dict[str, tuple[str, ...]] = {}
    for name, (encoder, identity) in known.items():
        key, store = vectors_key(encoder, identity), paths.vector_store()
        every = load_vectors(encoder, sentences, store, key, done[name].usable)
        layers[name] = every.names
        for text, at in places.items():
            rows |= {LayerOnText(name, n, text): LayerRows(every, n, at[good]) for n in every.names}
    shown = {name: layers[name] for name in made}
    return NetworkVectors(shown, floors, rows, tuple(texts), n), tuple(remarks)


def _floors(made: Known, paths: RunPaths) -> tuple[dict[str, str], Known, list[str]]:
    """The same networks untrained, beside which each number stands (`--no-untrained` leaves them
    out), by encoder, and why others have none.
    """
    floors: dict[str, str] = {}
    drawn: dict[str, tuple[Encoder, ContentIdentity]] = {}
    seeds: dict[str | None, int] = {}  # or two models of one shape would be one network
    remarks = []
    for name, (encoder, _) in made.items():
        if get_encoder_role(encoder) != "trained":
            floors[name] = name
            continue
        try:
            model = before_training(name)
            seed = seeds.setdefault(model.argument, len(seeds))
            reference = str(model.plus(seed=str(seed)) if seed else model)
            drawn |= encode_ahead([reference], (), paths) if reference not in drawn else {}
            floors[name] = reference
        except DataProblem as problem:
            remarks.append(f"{name} has no untrained copy: {problem}")
    return floors, drawn, remarks


def before_training(name: str) -> Reference:
    """The reference of the same network with weights sampled at random. DataProblem where there is
    none.
    """
    one = try_parse_reference(name)
    if one is None or one.name not in ("hf", "st") or not one.argument:
        raise DataProblem("only models that are named as hf: or st: can be drawn")
    has = one.options
    kept = tuple((k, v) for k, v in has if k not in _TRAINED) if one.name == "hf" else ()
    kept = kept or tuple((k, v) for k, v in has if k in _LOADING)
    return Reference("hf", one.argument, (*kept, ("weights", "random")))
