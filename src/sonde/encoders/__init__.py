"""Sentences -> vectors. One module per kind of encoder; this table says where each is."""

from typing import Any

from sonde.core import Encoder
from sonde.encoders.adapt import adapt
from sonde.encoders.table import EncoderContents
from sonde.naming import Reference

ENCODERS = EncoderContents(
    "encoder",
    "sonde.encoders",
    {
        "length": "sonde.encoders.surface:Length",
        "words": "sonde.encoders.surface:Words",
        "random": "sonde.encoders.surface:Random",
        "bow": "sonde.encoders.bags:bow",
        "static": "sonde.encoders.bags:static",
        "untrained": "sonde.encoders.untrained:Untrained",
        "npz": "sonde.encoders.given:npz",
        "parquet": "sonde.encoders.given:parquet",
        "hf": "sonde.encoders.hf:HuggingFace",
        "st": "sonde.encoders.st:SentenceTransformers",
    },
)


def make(given: Any) -> Encoder:
    """The encoder that a reference names, or that a thing can be made into (see `adapt`)."""
    return ENCODERS.make(given) if isinstance(given, str | Reference) else adapt(given)


__all__ = ["ENCODERS", "adapt", "make"]
