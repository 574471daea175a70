"""Sentences -> vectors. One module per kind of encoder; this is their list."""

from typing import Any

from sonde.core import DataProblem, Encoder
from sonde.encoders.adapt import EncoderContents, adapt
from sonde.oracles import Kind, kind_of
from sonde.references import Reference, ReferenceProblem

ENCODERS = EncoderContents(
    "encoder",
    "sonde.encoders",
    {
        "length": "sonde.encoders.surface:Length",
        "words": "sonde.encoders.surface:Words",
        "random": "sonde.encoders.surface:Random",
        "overlap": "sonde.encoders.pairs:Overlap",
        "hypothesis": "sonde.encoders.pairs:hypothesis",
        "negation": "sonde.encoders.pairs:Negation",
        "bow": "sonde.encoders.bags:bow",
        "static": "sonde.encoders.bags:static",
        "untrained": "sonde.encoders.untrained:Untrained",
        "trained": "sonde.encoders.trained:Trained",
        "npz": "sonde.encoders.given:npz",
        "parquet": "sonde.encoders.given:parquet",
        "arrow": "sonde.encoders.given:arrow",
        "npy": "sonde.encoders.given:npy",
        "acts": "sonde.encoders.activations:Activations",
        "hf": "sonde.encoders.hf:HuggingFace",
        "gold": "sonde.encoders.gold:Gold",
        "st": "sonde.encoders.st:SentenceTransformers",
        "infersent": "sonde.encoders.published.infersent:InferSent",
        "skipthought": "sonde.encoders.published.skipthought:SkipThought",
        "sent2vec": "sonde.encoders.published.sent2vec:Sent2Vec",
        "laser": "sonde.encoders.published.laser:Laser",
        "cove": "sonde.encoders.published.cove:CoVe",
        "elmo": "sonde.encoders.published.elmo:ELMo",
        "use": "sonde.encoders.published.use:UniversalSentenceEncoder",
    },
)


def make(thing: Any) -> Encoder:
    """The encoder that a reference names, or that a thing can be made into (see `adapt`)."""
    return ENCODERS.make(thing) if isinstance(thing, str | Reference) else adapt(thing)


def kind_of_reference(reference: str) -> Kind:
    """What the encoder of a reference is in a table; no file of anybody's is run for it, and what
    names nothing is trained.
    """
    try:
        return "trained" if "@" in reference else kind_of(ENCODERS.make(reference))
    except (ReferenceProblem, ImportError, AttributeError, OSError, DataProblem):
        return "trained"  # results outlive the plugins and the files that they were made with


__all__ = ["ENCODERS", "adapt", "kind_of_reference", "make"]
