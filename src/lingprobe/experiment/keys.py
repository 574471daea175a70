"""The keys of products: vectors by what makes vectors, data sets by what makes data sets, results
by both and what measures.

An edit in a metric so encodes nothing anew, and one in an encoder builds no data set anew.
"""

from __future__ import annotations

from lingprobe.data._closure import digest_code
from lingprobe.data.core import Encoder, LayeredEncoder, Trial
from lingprobe.data.digests import digest_texts
from lingprobe.data.identity import ContentIdentity, ResultIdentities, compute_identity
from lingprobe.encoders import ENCODERS
from lingprobe.nets.precision import must_be_reproducible
from lingprobe.store.results import SHARED_ID_CHARACTERS

FULL_PRECISION_DTYPE = "float32"  # the type in which vectors are what an encoder returned
EMBEDDING_CODE = (
    "lingprobe.experiment.embed:embed_sentences",
    "lingprobe.experiment.embed:load_vectors",
)
"""What makes vectors of an encoder."""
_MEASURES = (
    "lingprobe.experiment.measure:prepare_group",
    "lingprobe.experiment.measure:fit_groups",
)
"""What makes results of data sets and vectors."""


def identify_encoder(
    reference: str | None, encoder: Encoder, precision: str = FULL_PRECISION_DTYPE, state: str = ""
) -> ContentIdentity:
    """What decides an encoder's vectors: it, the type that they are kept in, and the state of an
    object that says nothing of itself.
    """
    return compute_identity(
        ENCODERS,
        reference,
        encoder,
        *([precision] if precision != FULL_PRECISION_DTYPE else []),
        *([state] if state else []),
    )


def vectors_key(encoder: Encoder, identity: ContentIdentity) -> str:
    """What an encoder's vectors are cached under: without layers and pooling where it has them."""
    reference = encoder.base if isinstance(encoder, LayeredEncoder) else identity.reference
    return digest_texts(
        reference, identity.code, *identity.facts, digest_code(*EMBEDDING_CODE), *_threads()
    )


def trial_id(trial: Trial, ingredients: ResultIdentities) -> str:
    """What identifies a stored result: everything that determines it, the identities of its data,
    encoder, probe, control and metric.

    Trials that share their fit (all but the layer and the seed) share the first half, by which the
    store finds their file.
    """
    shared = digest_texts(*map(str, ingredients), digest_code(*_MEASURES), *_threads())
    return (
        shared[:SHARED_ID_CHARACTERS]
        + digest_texts(shared, trial.read, str(trial.seed))[SHARED_ID_CHARACTERS:]
    )


def _threads() -> list[str]:
    """What reproducible numbers are known by: those of many threads do not stand for them."""
    return ["one thread"] if must_be_reproducible() else []
