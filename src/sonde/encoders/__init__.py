"""Sentences -> vectors. One module per kind of encoder; this table says where each is."""

from sonde.naming import Contents

ENCODERS = Contents(
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
