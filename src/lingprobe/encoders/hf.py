"""Any layer of a transformer of the Hugging Face library, pooled over the sentence or kept as word
pieces.

Layer `lex` is the embeddings without positions, layer 0 the embeddings, layer L the last; where a
model ends with a norm, layer L is taken after it (as transformers returns it). One forward pass
fills every (layer, pooling) that is asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from lingprobe.data.abilities import Edit, TokenStates
from lingprobe.data.cache import cache_dir, recall_value, remember_value
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.digests import digest_texts
from lingprobe.data.examples import EncoderStop, PartRefused
from lingprobe.data.options import Help
from lingprobe.data.oracles import EncoderQuestion, Kind
from lingprobe.data.references import PlaceOption
from lingprobe.data.vectors import Vectors
from lingprobe.encoders.adapters import base_of, is_adapter, tokenizer_source
from lingprobe.encoders.conversations import ALL_TOKENS, PROMPT_TOKENS, CountedTurns, check_turns
from lingprobe.encoders.frames import (
    CHAT_FRAME,
    Starts,
    describe_frame,
    make_prompt_frame,
    read_by,
    say_alone,
    say_unread,
    say_unrendered,
    tokeniser_of,
)
from lingprobe.encoders.generation import TokenWriter, check_generation
from lingprobe.encoders.hub import (
    CodeTrust,
    ModelFiles,
    ModelSource,
    explain_unloadable,
    find_model_files,
    source_of,
)
from lingprobe.encoders.layers import SlotEncoder
from lingprobe.encoders.model_files import (
    Dtype,
    SavedModel,
    format_package_versions,
)
from lingprobe.encoders.own_baselines import INPUT_LAYERS, list_own_baselines, list_prompt_baseline
from lingprobe.encoders.quantisation import QUANTISATION_PACKAGES, check_quantised, get_quantisation
from lingprobe.encoders.token_places import CountedPlaces, PlaceRange
from lingprobe.nets.device import resolved_device

if TYPE_CHECKING:
    from lingprobe.encoders.forward import ForwardPass
    from lingprobe.encoders.network import LoadedModel

Pool = Literal["mean", "rest", "max", "cls", "last", "end", "none"]
Init = Literal["trained", "random", "orthonormal"]
Lexical = Literal["auto", "trained", "drawn"]


@dataclass(frozen=True)
class HuggingFace(SavedModel):
    """A transformer by folder or hub name[@revision]: one layer, several or all, pooled over its
    real tokens. `revisions=step1000+step2000` stands for the model at each of these.
    """

    place: ClassVar[str] = "hf"
    model: PlaceOption
    layers: Annotated[
        str,
        Help(
            "lex, last, penultimate (as the BERT rows of Krasnowska-Kieraś & Wróblewska 2019,"
            " 4.4), all, every:N (0, N, 2N, ... and the last), N, N-M; parts of block N: attn:N,"
            " mlp:N, head:N.H (of heads 1, 2, ...; * for all), slice:N.H (as many numbers at"
            " random), map:N.H (the word that each attends to; with pool=none); several with +"
        ),
    ] = field(default="last", kw_only=True)
    pool: Annotated[
        Pool,
        Help(
            "mean, rest (the mean without the first token that counts), max, cls (the first"
            " token), last (the last token), end (the last token of all that is read, a template's"
            " ending included), none (subwords, aligned to words)"
        ),
    ] = field(default="mean", kw_only=True)
    prompt: Annotated[
        str,
        Help("what stands before each sentence, and counts in pooling as the sentence does"),
    ] = field(default="", kw_only=True)
    template: Annotated[
        str,
        Help(
            "what the model reads, as `Q: {sentence} A:` (a comma is written %2C), or chat for the"
            " model's own chat template; only the sentence's tokens count in pooling, but for end"
        ),
    ] = field(default="", kw_only=True)
    turns: CountedTurns = field(default="", kw_only=True)
    generate: Annotated[
        int,
        Help(
            "how many tokens the model writes behind each text, greedily, at most; what it wrote is"
            " pooled, or under turns=all the prompt as well. Untrained copies read what the trained"
            " model wrote",
            "0",
        ),
    ] = field(default=0, kw_only=True)
    places: CountedPlaces = field(default="", kw_only=True)
    special: Annotated[
        bool | None,
        Help(
            "whether tokens that the tokeniser adds, such as [CLS], count as tokens; without, in"
            " mean, max and last, and not in none"
        ),
    ] = field(default=None, kw_only=True)
    starts: Annotated[
        Starts,
        Help(
            "how often a start token is read that a text has, as a rendered chat, and the tokeniser"
            " adds as well: once, or twice, as the tokeniser does"
        ),
    ] = field(default="once", kw_only=True)
    text: Annotated[
        Literal["words", "raw"],
        Help(
            "what the model reads for subwords: the words joined with spaces, or the raw text,"
            " in which words are then found"
        ),
    ] = field(default="words", kw_only=True)
    spaces: Annotated[
        bool,
        Help(
            "whether a piece that is nothing but the space before a word (`▁`, `Ġ`) belongs to the"
            " word"
        ),
    ] = field(default=False, kw_only=True)
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
    adapter: Annotated[
        PlaceOption | None,
        Help(
            "the folder or hub name of an adapter of PEFT (LoRA and its like) that is put into the"
            " model; an adapter alone, as hf:ADAPTER, says itself which model it belongs to"
        ),
    ] = field(default=None, kw_only=True)
    weights: Annotated[
        Init,
        Help(
            "trained, or of the same architecture drawn with `seed`: random, orthonormal (the"
            " Orthonormal ELMo of Tenney et al. 2019)"
        ),
    ] = field(default="trained", kw_only=True)
    seed: int = field(default=0, kw_only=True)
    lexical: Annotated[
        Lexical,
        Help(
            "what random weights have below the first layer: drawn, trained, or auto (trained under"
            " orthonormal ones, as in the paper)"
        ),
    ] = field(default="auto", kw_only=True)
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
        return (
            f"hf:{self.model}"
            + (f",weights={self.weights}" if self.weights != "trained" else "")
            + (f",adapter={self.adapter}" if self.adapter else "")
        )

    @property
    def kind(self) -> Kind:
        """A baseline where the weights are drawn, nothing but the input embeddings is read, or
        conversations without the response.
        """
        is_judged = (
            self.weights == "trained"
            and self.layers not in INPUT_LAYERS
            and self.turns != PROMPT_TOKENS
        )
        return "trained" if is_judged else "baseline"

    @property
    def opposes(self) -> tuple[EncoderQuestion, ...]:
        """None: random weights oppose the model that they are a copy of, which names them."""
        return ()

    @property
    def own_baselines(self) -> dict[str, EncoderQuestion]:
        """Untrained copies of the model, of an adapter those of the model that it is put into, and
        its input embeddings; of a quantised model only copies with all weights drawn. Where turns
        of conversations are read, the same of what stands before the response.
        """
        if self.weights != "trained":
            return {}
        own = list_own_baselines(
            HuggingFace, self, self._base, not get_quantisation(self.configuration)
        )
        is_answered = self.generate > 0
        return own | list_prompt_baseline(HuggingFace, self, str(self.model), is_answered)

    @property
    def weight_settings(self) -> tuple[str, int, bool]:
        """The kind of its weights, their seed, and whether the lexical ones stay as they were
        trained.
        """
        kept = self.lexical == "trained" or (self.lexical == "auto" and self.weights != "random")
        return (
            (self.weights, self.seed, kept) if self.weights != "trained" else ("trained", 0, True)
        )

    @property
    def files(self) -> ModelFiles:
        """Where the model lies, of an adapter the model that it belongs to; a bare name is its own
        before it is one of the sentence-transformers.
        """
        return find_model_files(self._base, "sentence-transformers", organisation_first=False)

    @property
    def _base(self) -> str:
        """The model by folder or name, of an adapter alone the one that it was trained in."""
        files = find_model_files(self.model, "sentence-transformers", organisation_first=False)
        return (
            base_of(files, self.model) if self.adapter is None and is_adapter(files) else self.model
        )

    @property
    def _adapter(self) -> tuple[str, ModelFiles] | None:
        """An adapter by folder or name, and its files."""
        name = self.adapter or (self.model if self._base != self.model else "")
        return (name, find_model_files(name)) if name else None

    @property
    def revision(self) -> str:
        """The model's commit, or a digest of its files; with an adapter's."""
        if (adapter := self._adapter) is None:
            return super().revision
        if self.weights != "trained":
            raise DataProblem(f"weights={self.weights}: leave the adapter out, or the weights")
        return (
            f"{super().revision} adapter {adapter[1].fingerprint} {format_package_versions('peft')}"
        )

    @property
    def counts_special(self) -> bool:
        """Whether tokens that the tokeniser adds count; nobody asks for them among the pieces of
        words.
        """
        return self.special if self.special is not None else self.pool != "none"

    @property
    def quantization_method(self) -> str:
        """How its weights are quantised, as the configuration says; '' where they are not, as where
        all are drawn.
        """
        kind, _, is_kept = self.weight_settings
        if kind == "random" and not is_kept:
            return ""
        way = get_quantisation(self.configuration)
        check_quantised(way, self.weights, self.dtype)
        return way

    @property
    def runs(self) -> tuple[str, str]:
        """The device and the precision that it runs with; quantised weights as they were stored."""
        if way := self.quantization_method:
            return resolved_device(self.device), way
        return super().runs

    @property
    def fingerprint(self) -> str:
        """That of its files and what they run on, with the version of what reads quantised ones."""
        way = self.quantization_method
        return super().fingerprint + (
            f" {format_package_versions(QUANTISATION_PACKAGES.get(way, way))}" if way else ""
        )

    @property
    def base(self) -> str:
        units = (
            f",units=pieces,spaces={self.spaces},text={self.text}" if self.pool == "none" else ""
        )
        drawn = "" if self.weights == "trained" else f",weights={self.weight_settings}"
        around = describe_frame(self.template, self.prompt, lambda: self.reads)
        around += ",once" if self.template or self.prompt else ""  # see `shared_start`
        read = f"{around},special={self.counts_special},tokens={self.batch}"
        starts = "" if self.starts == "once" else f",starts={self.starts}"
        check_turns(self.turns, self.template == CHAT_FRAME)
        check_generation(self.generate, self.turns)
        PlaceRange.parse(self.places)
        turns = f",turns={self.turns}" if self.turns else ""
        turns += f",generate={self.generate}" if self.generates else ""
        turns += f",places={self.places}" if self.places else ""
        return f"hf,{read}{starts}{turns}{drawn}{units}{self.trust}"

    @property
    def generates(self) -> bool:
        """Whether tokens are read that the model writes."""
        return self.generate > 0 and self.turns != PROMPT_TOKENS

    @functools.cached_property
    def writer(self) -> TokenWriter | None:
        """What writes the tokens that are read: the trained model; None where none are."""
        if not self.generates:
            return None
        is_own = self.weights == "trained"
        trained = self if is_own else replace(self, weights="trained", lexical="auto", seed=0)
        around = describe_frame(self.template, self.prompt, lambda: self.reads)
        known = f"{around},starts={self.starts},{trained.fingerprint}{self.trust}"
        return TokenWriter(known, self.generate, trained.load, self.batch)

    def find_written(self, sentences: Sequence[Sentence]) -> list[str | None]:
        """What the model wrote behind each of some texts; None where that is not known."""
        writer = self.writer
        found = [writer.recall(sentence) if writer else None for sentence in sentences]
        return [each and each.text for each in found]

    @property
    def reads(self) -> str:
        """What the model reads, with {sentence} where the sentence stands; '' for nothing else."""
        return read_by(self.template, self.prompt, self.load_tokenizer)

    @property
    def slots(self) -> tuple[str, ...]:
        return SlotEncoder.slots_of(self, self.depth, self.count_heads)

    @property
    def depth(self) -> int:
        """How many layers the model has."""
        number = count_model_layers(self.files.config())
        return (
            number
            if number is not None
            else get_usual_number(source_of(self.files, self._base, self.trust, ("config.json",)))
        )

    def count_heads(self) -> int:
        """How many heads the attention of a block has."""
        number = said_in(self.configuration, HEAD_COUNT_FIELDS)
        if number is not None:
            return number
        return get_usual_number(
            source_of(self.files, self._base, self.trust, ("config.json",)), HEAD_COUNT_FIELDS
        )

    def load_tokenizer(self) -> Any:
        """The model's tokeniser, or its adapter's own, which may have further tokens."""
        which = ("tokenizer*",)
        source, adapter = source_of(self.files, self._base, self.trust, which), self._adapter
        own = None if adapter is None else source_of(adapter[1], adapter[0], CodeTrust(), which)
        return tokeniser_of(tokenizer_source(source, own))

    def load(self) -> LoadedModel:
        """The model, ready to be run; EncoderStop where it cannot be, or is not what its
        configuration says.
        """
        from lingprobe.encoders.network import WeightSettings, load_network

        source = source_of(self.files, self._base, self.trust)
        adapter = self._adapter and source_of(self._adapter[1], self._adapter[0], CodeTrust())
        head = self.generates and self.weights == "trained"
        weights = WeightSettings(*self.weight_settings, adapter, head)
        network = load_network(source, *self.runs, weights)
        if (many := len(network.widths) - 1) != self.depth:
            raise EncoderStop(
                f"{self.name}: config.json says {self.depth} layers, and the model has {many}, so"
                " the layer numbers are ambiguous"
            )
        return network

    def asking(self, slots: tuple[str, ...]) -> SlotEncoder:
        return SlotEncoder.of(self, slots, "subwords")

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return self.asking(self.slots).encode(sentences)

    def read(self, sentences: Sequence[Sentence], asked: Sequence[tuple[str, str]]) -> Vectors:
        """The layers that are asked for, each with its pooling."""
        from lingprobe.encoders.constant_token import find_constant_tokens

        network = self.load()
        has_turns = any(sentence.turns for sentence in sentences)
        has_texts = not all(sentence.turns for sentence in sentences)
        if has_turns and not self.template and network.tokenizer.chat_template:
            say_unrendered(self.name)
        passes = self._passes(network)
        self._say_alone(sentences)
        around = passes.frame
        is_behind = has_texts and not self.turns and any(pool != "end" for _, pool in asked)
        if around.after and is_behind and network.causal and not self.generates:
            say_unread(self.name, around.after)
        if not self.generates and recall_value(*self._memory_key) is None:
            remember_value(*self._memory_key, find_constant_tokens(passes))
        units = passes.run(sentences, asked)
        vectors = Vectors(units.layers, SlotEncoder.names(asked), units.spans, units.cut)
        if units.reasons:
            raise PartRefused(vectors, units.reasons)
        return vectors

    def read_tokens(self, sentence: Sentence, layers: Sequence[str]) -> TokenStates:
        """The tokens of a sentence, in the order in which they are read, with their states."""
        self._say_alone([sentence])
        return self._passes(self.load()).read_tokens(sentence, layers)

    def _say_alone(self, sentences: Sequence[Sentence]) -> None:
        """Say where texts alone are read as if they were the turns that are asked for."""
        is_asked = self.turns not in ("", PROMPT_TOKENS, ALL_TOKENS) and not self.generates
        if is_asked and not all(sentence.turns for sentence in sentences):
            say_alone(self.name, self.turns)

    def _passes(self, network: LoadedModel) -> ForwardPass:
        """How sentences go through the model."""
        from lingprobe.encoders.forward import ForwardPass  # imports torch
        from lingprobe.encoders.tokens import WordSpacing

        words = WordSpacing(self.spaces, self.text == "raw")
        around = replace(
            make_prompt_frame(self.template, self.prompt, network.tokenizer), starts=self.starts
        )
        check_turns(self.turns, self.template == CHAT_FRAME)
        check_generation(self.generate, self.turns)
        turns = self.turns if self.template == CHAT_FRAME else None
        return ForwardPass(
            network,
            around,
            self.counts_special,
            self.batch,
            words,
            turns,
            self.writer,
            PlaceRange.parse(self.places),
        )

    @contextmanager
    def replace_states(self, edits: Mapping[str, Edit]) -> Iterator[None]:
        """Replace states and what parts of blocks give, for what is encoded until that ends."""
        from lingprobe.encoders.replacement import replacement_of  # imports torch

        self.encode([Sentence.of(["a"])])  # what is remembered of the model is of its own states
        network = self.load()
        with replacement_of(network.model, network.layers, lambda: network.inside).by(edits):
            yield

    @property
    def constant_tokens(self) -> Mapping[str, str]:
        """By layer which token that every sentence has holds most of its norm, as was seen when the
        model was loaded; nothing where none does, or where vectors are no means.
        """
        return (recall_value(*self._memory_key) or {}) if self.pool == "mean" else {}

    @property
    def _memory_key(self) -> tuple[Path, str]:
        return cache_dir() / "constant-tokens", digest_texts(self.base, self.fingerprint)


LAYER_COUNT_FIELDS = ("encoder_layers", "num_hidden_layers", "n_layers", "n_layer", "num_layers")
HEAD_COUNT_FIELDS = (
    "encoder_attention_heads",
    "num_attention_heads",
    "n_heads",
    "n_head",
    "num_heads",
)
_WORDS: dict[tuple[str, ...], str] = {
    LAYER_COUNT_FIELDS: "layers the model",
    HEAD_COUNT_FIELDS: "heads a block",
}


def count_model_layers(config: dict[str, Any]) -> int | None:
    """How many layers a model has, as its config.json says; of an encoder and decoder, the
    encoder's. None where it does not say.
    """
    return said_in(config, LAYER_COUNT_FIELDS)


def said_in(config: dict[str, Any], keys: tuple[str, ...]) -> int | None:
    """The number that a configuration gives under one of some keys; None where it has none."""
    parts: list[Any] = [config.get("text_config"), config, config.get("encoder")]
    numbers = [
        part[key]
        for part in parts
        if isinstance(part, dict)
        for key in keys
        if isinstance(part.get(key), int)
    ]
    return int(numbers[0]) if numbers else None


@functools.cache
def get_usual_number(source: ModelSource, keys: tuple[str, ...] = LAYER_COUNT_FIELDS) -> int:
    """The number of a model whose config.json leaves it to transformers, as SigLIP's does.
    DataProblem where nobody says.
    """
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(source.name, **source.arguments).get_text_config(
            encoder=True
        )
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise DataProblem(explain_unloadable(source.name, "transformers", error)) from error
    number = said_in(config.to_dict(), keys)
    if number is not None:
        return number
    try:  # counted from a list of blocks, as Nemotron-H's
        if keys == LAYER_COUNT_FIELDS:
            return int(config.num_hidden_layers)
    except AttributeError:
        pass
    why = f"config.json does not say how many {_WORDS[keys]} has"
    raise DataProblem(f"{source.name}: {why}")
