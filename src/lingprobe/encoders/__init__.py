"""Sentences -> vectors. One module for each kind of encoder; this is their list.

`any_encoder` is the door: it makes an Encoder of anything that turns sentences into vectors. `hf`
and `st` run models of Hugging Face and sentence-transformers (`network`, `blocks`, `tokens` and
`forward` are steps of `hf`), `tables` and `bags` have word vectors. `surface` and
`untrained` are baselines, and `gold` are the oracles.
"""

from typing import Any

from lingprobe.data.core import DataProblem, Encoder
from lingprobe.data.oracles import (
    BEYOND_SURFACE_QUESTION,
    EncoderQuestion,
    Kind,
    find_opposed,
    get_encoder_role,
)
from lingprobe.data.references import Contents, Reference, ReferenceProblem
from lingprobe.encoders.around import WrappedContents

ENCODERS = WrappedContents(
    "encoder",
    "lingprobe.encoders",
    {
        "length": "lingprobe.encoders.surface:SentenceLength",
        "words": "lingprobe.encoders.surface:WordsOnly",
        "random": "lingprobe.encoders.surface:RandomVectors",
        "overlap": "lingprobe.encoders.pairs:WordOverlap",
        "hypothesis": "lingprobe.encoders.pairs:hypothesis",
        "negation": "lingprobe.encoders.pairs:NegationCount",
        "bow": "lingprobe.encoders.bags:bow",
        "static": "lingprobe.encoders.bags:static",
        "untrained": "lingprobe.encoders.untrained:UntrainedArchitecture",
        "npz": "lingprobe.encoders.own_vectors:npz",
        "parquet": "lingprobe.encoders.own_vectors:parquet",
        "arrow": "lingprobe.encoders.own_vectors:arrow",
        "npy": "lingprobe.encoders.own_vectors:npy",
        "acts": "lingprobe.encoders.activations:ActivationsEncoder",
        "hf": "lingprobe.encoders.hf:HuggingFace",
        "api": "lingprobe.encoders.server:EmbeddingServer",
        "gold": "lingprobe.encoders.gold:GoldOracle",
        "st": "lingprobe.encoders.st:SentenceTransformers",
        "char-ngrams": "lingprobe.encoders.char_ngrams:CharNgrams",
        "lm": "lingprobe.inside.minimal.lm:LanguageModel",
        "ngram": "lingprobe.inside.minimal.ngram:NGramModel",
        "sae": "lingprobe.inside.units.sae:SparseFeatures",
        "tags": "lingprobe.inside.structure.floors:TagPositionBaseline",
    },
    around=Contents(
        "option of encoders", "", {"without": "lingprobe.inside.erase.remainder:make_remainder"}
    ),
)


def make_encoder(model: Any) -> Encoder:
    """The encoder that a reference names, or that a thing can be made into (see
    `adapt_encoder`).
    """
    if isinstance(model, str | Reference):
        return ENCODERS.make(model)
    return adapt_encoder(model)


def adapt_encoder(model: Any, name: str | None = None, **options: Any) -> Encoder:
    """An Encoder of anything that turns sentences into vectors: a model, a function, vectors.

    name     what stands for an object of this session, so that another finds its vectors
    options  of a model, as hf: and st: have them (layers='all')
    UsageProblem or DataProblem for what is none.
    """
    from lingprobe.encoders.any_encoder import adapt_any

    return adapt_any(model, name, **options)


def kind_of_reference(reference: str) -> Kind:
    """What the encoder of a reference is in a table; no file of anybody's is run for it, and what
    names nothing is trained.
    """
    try:
        return "trained" if "@" in reference else get_encoder_role(ENCODERS.make(reference))
    except (ReferenceProblem, ImportError, AttributeError, OSError, DataProblem):
        return "trained"  # results outlive the plugins and the files that they were made with


def opposed_by_reference(reference: str) -> tuple[EncoderQuestion, ...]:
    """The questions in which others must be above the encoder of a reference; that of the surface
    for what names nothing.
    """
    try:
        return (
            (BEYOND_SURFACE_QUESTION,)
            if "@" in reference
            else find_opposed(ENCODERS.make(reference))
        )
    except (ReferenceProblem, ImportError, AttributeError, OSError, DataProblem):
        return (BEYOND_SURFACE_QUESTION,)


__all__ = ["ENCODERS", "adapt_encoder", "kind_of_reference", "make_encoder", "opposed_by_reference"]
