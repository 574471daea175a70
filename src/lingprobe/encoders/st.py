"""Sentence-transformers models, run in length-sorted batches by token budget over the model's own
modules.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.options import Help
from lingprobe.data.oracles import EncoderQuestion, Kind
from lingprobe.data.references import PlaceOption
from lingprobe.data.vectors import Vectors
from lingprobe.encoders.hf import LAYER_COUNT_FIELDS, said_in
from lingprobe.encoders.hub import ModelFiles, source_of
from lingprobe.encoders.live_options import format_model_options, without_memory
from lingprobe.encoders.model_files import (
    MULTI_VECTOR_CLASS,
    Dtype,
    SavedModel,
    format_package_versions,
    usual_batch,
)
from lingprobe.encoders.own_baselines import list_own_baselines
from lingprobe.nets.device import resolved_dtype

if TYPE_CHECKING:
    from lingprobe.encoders.sentence_models import LoadedSentenceModel

# files, some of which a whole model has
_WHOLE = ("*.safetensors", "*.bin", "*/*.safetensors", "*/*.bin", "*/tokenizer.json")
_FORMS = ("SentenceTransformer", "SparseEncoder", MULTI_VECTOR_CLASS)
"""What sentence-transformers calls models that give one vector of a text, one as wide as a
vocabulary, and one of each token.
"""


@dataclass(frozen=True)
class SentenceTransformers(SavedModel):
    """A sentence-transformers model by folder or name: what its own `encode` returns, faster.
    `revisions=A+B` stands for the model at each of these.
    """

    place: ClassVar[str] = "st"
    model: PlaceOption
    prompt: Annotated[
        str | None,
        Help("text put before each sentence; without it the one that the model itself would take"),
    ] = field(default=None, kw_only=True)
    task: Annotated[
        Literal["query", "document"] | None,
        Help(
            "what the sentences are: query or document, as `encode_query` and `encode_document`"
            " take them; neither without"
        ),
    ] = field(default=None, kw_only=True)
    pool: Annotated[
        Literal["own", "none"],
        Help(
            "own: one vector of a text, as the model pools it; none: those of tokens, of a model"
            " that gives many (ColBERT), for words"
        ),
    ] = field(default="own", kw_only=True)
    truncate_dim: Annotated[
        int | None,
        Help(
            "how many numbers of a vector are kept, of a model that was trained so (Matryoshka);"
            " all without"
        ),
    ] = field(default=None, kw_only=True)
    device: str = field(default="auto", kw_only=True)
    dtype: Dtype = field(default="auto", kw_only=True)
    tokens: Annotated[
        int,
        Help(
            "how many tokens, padding included, go into one batch; 0 for 1,024 on a processor, and"
            " 16,384 on a GPU",
            "0",
        ),
    ] = field(default=0, kw_only=True)
    weights: Annotated[
        Literal["trained", "random"],
        Help("trained, or of all its modules drawn with `seed`: random"),
    ] = field(default="trained", kw_only=True)
    seed: int = field(default=0, kw_only=True)
    lexical: Annotated[
        Literal["drawn", "trained"],
        Help("what random weights have below the first layer: drawn, or trained"),
    ] = field(default="drawn", kw_only=True)
    trust_remote_code: Annotated[
        bool,
        Help(
            "whether code that comes with the model is run: of a folder, or of the commit that the"
            " name has (NAME@COMMIT)"
        ),
    ] = field(default=False, kw_only=True)
    code_revision: Annotated[
        str,
        Help("the commit of that code, where it lies in another repository"),
    ] = field(default="", kw_only=True)

    @property
    def name(self) -> str:
        cut = f",truncate_dim={self.truncate_dim}" if self.truncate_dim else ""
        drawn = f",weights={self.weights}" if self.weights != "trained" else ""
        return f"st:{self.model}" + (f",task={self.task}" if self.task else "") + cut + drawn

    @property
    def kind(self) -> Kind:
        """A baseline where the weights are drawn."""
        return "trained" if self.weights == "trained" else "baseline"

    @property
    def opposes(self) -> tuple[EncoderQuestion, ...]:
        """None: random weights oppose the model that they are a copy of, which names them."""
        return ()

    @property
    def own_baselines(self) -> dict[str, EncoderQuestion]:
        """Untrained copies of a model over a transformer, and its input embeddings."""
        if self.weights != "trained" or said_in(self.configuration, LAYER_COUNT_FIELDS) is None:
            return {}
        return list_own_baselines(SentenceTransformers, self, self.model, True)

    @property
    def form(self) -> str:
        """The class of the model; a CrossEncoder, and what gives other vectors than are asked for,
        is refused. DataProblem.
        """
        form = identify_model_class(self.files)
        if form not in _FORMS:
            raise DataProblem(
                f"{self.model} is a {form}, which gives no vectors of sentences; take a model of"
                f" {', '.join(_FORMS)}"
            )
        if form == MULTI_VECTOR_CLASS and self.pool == "own":
            raise DataProblem(
                f"{self.model} gives one vector for each token; read them with"
                f" st:{self.model},pool=none"
            )
        if form != MULTI_VECTOR_CLASS and self.pool == "none":
            raise DataProblem(
                f"{self.model} gives one vector for a text; hf:{self.model},pool=none gives one for"
                " each subword"
            )
        if self.truncate_dim is not None:
            check_width(self.truncate_dim, form)
        return form

    @property
    def fingerprint(self) -> str:
        """The model's class, and what tells apart any saved model."""
        drawn = (self.weights, self.seed, self.lexical) if self.weights != "trained" else ""
        return f"{self.form} {super().fingerprint}" + (f" weights={drawn}" if drawn else "")

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        from lingprobe.encoders.sentence_models import (  # imports torch
            EncodeSettings,
            load_sentence_model,
        )

        source = source_of(self.files, self.model, self.trust, _WHOLE)
        return _encode_sentences(
            load_sentence_model(
                source,
                self.form,
                *self.runs,
                EncodeSettings(self.prompt, self.task or "", self.truncate_dim),
                None if self.weights == "trained" else (self.seed, self.lexical == "trained"),
            ),
            sentences,
            self.batch,
        )


@dataclass(frozen=True)
class LiveSentenceTransformer:
    """A model of sentence-transformers that is loaded already, run as one that is named; a digest
    of its weights, settings and tokenizer stands for it. Options are those of st:.
    """

    called: str
    model: Any
    prompt: str | None = field(default=None, kw_only=True)
    task: Literal["query", "document"] | None = field(default=None, kw_only=True)
    truncate_dim: int | None = field(default=None, kw_only=True)
    dtype: Dtype = field(default="auto", kw_only=True)
    tokens: int = field(default=0, kw_only=True)

    takes = "sentences"

    @property
    def name(self) -> str:
        return self.called + format_model_options(self)

    @functools.cached_property
    def revision(self) -> str:
        """A digest of weights, settings and tokenizer."""
        from lingprobe.encoders.live_models import model_digest

        return model_digest(self.model)

    @property
    def runs(self) -> tuple[str, str]:
        """The device that the model is on, and the precision."""
        device = str(self.model.device)
        return device, resolved_dtype(self.dtype, device)

    @property
    def fingerprint(self) -> str:
        """Weights and modules, the version of the tokeniser, device class and precision."""
        device, dtype = self.runs
        return (
            f"{self.revision} {format_package_versions('tokenizers')} {device.partition(':')[0]}"
            f" {dtype}"
        )

    def __getstate__(self) -> dict[str, Any]:
        return without_memory(self)

    @functools.cached_property
    def ready(self) -> LoadedSentenceModel:
        """The model, tried once."""
        from lingprobe.encoders.live_models import sharing_weights
        from lingprobe.encoders.model_files import in_precision
        from lingprobe.encoders.sentence_models import EncodeSettings, prepare_sentence_model

        form = class_of(self.model)
        if self.truncate_dim is not None:
            check_width(self.truncate_dim, form)
        dtype = self.runs[1]
        own = in_precision(sharing_weights(self.model, self.name), dtype)
        way = EncodeSettings(self.prompt, self.task or "", self.truncate_dim)
        return prepare_sentence_model(own, form, way, dtype, self.name)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return _encode_sentences(self.ready, sentences, self.tokens or usual_batch(self.runs[0]))


def check_width(width: int, form: str) -> None:
    """Refuse to cut vectors of models whose numbers all count. DataProblem."""
    if form != _FORMS[0] or width < 1:
        raise DataProblem(
            f"truncate_dim={width}: a {form} keeps all dimensions of its vectors, and a {_FORMS[0]}"
            " at least one"
        )


def class_of(model: Any) -> str:
    """Which class of sentence-transformers a thing is of; '' for one without vectors, as a
    CrossEncoder.
    """
    names = [
        c.__name__ for c in type(model).__mro__ if c.__module__.startswith("sentence_transformers.")
    ]
    return next((name for name in names if name in _FORMS), "")


def identify_model_class(files: ModelFiles) -> str:
    """The class of a saved model: what it says of itself, or what older libraries wrote."""
    said = str(files.says("config_sentence_transformers.json").get("model_type") or "")
    # PyLate's, Stanford's
    if said == "ColBERT" or (
        not said and "HF_ColBERT" in (files.says("config.json").get("architectures") or [])
    ):
        return MULTI_VECTOR_CLASS
    return said or _FORMS[0]


def _encode_sentences(
    ready: LoadedSentenceModel, sentences: Sequence[Sentence], tokens: int
) -> Vectors:
    if ready.form == MULTI_VECTOR_CLASS:
        from lingprobe.encoders.token_forward import run_tokens

        vectors, spans, cut = run_tokens(ready, sentences, tokens)
        return Vectors((vectors,), ("-",), spans, cut)
    from lingprobe.encoders.sentence_models import run_texts

    vectors, cut = run_texts(ready, [s.text for s in sentences], tokens)
    return Vectors((vectors,), ("-",), None, cut)
