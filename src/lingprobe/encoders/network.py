"""A transformer that is loaded, or one of the same architecture with weights sampled at random.
Imports torch.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lingprobe.data._foreign_code import one_line
from lingprobe.data.core import DataProblem
from lingprobe.data.examples import EncoderStop
from lingprobe.data.vectors import Floats, Ints
from lingprobe.encoders.adapters import apply_adapter, tokenizer_source
from lingprobe.encoders.alone import Batching, are_vectors_close, choose_batching, get_tolerance
from lingprobe.encoders.batches import pad_rows
from lingprobe.encoders.blocks import LayerStates, find_layers, text_encoder
from lingprobe.encoders.hub import ModelSource, explain_unloadable, weights_size
from lingprobe.encoders.inside import WATCHED_TOKEN_COUNT, InstrumentedModel, look_inside
from lingprobe.encoders.loading import check_weights, load_tokenizer, load_transformer
from lingprobe.encoders.model_files import in_precision, set_precision
from lingprobe.encoders.quantisation import check_model_memory, choose_placement, get_quantisation
from lingprobe.encoders.random_weights import (
    LAYER_SEARCH_TOKENS,
    below_layers,
    draw_untrained_model,
    orthonormalise_weights,
)
from lingprobe.encoders.replacement import is_replaced
from lingprobe.encoders.shared_start import SharedStart, shared_start
from lingprobe.encoders.sites import ModelSite
from lingprobe.encoders.stopping import Stopped, make_stoppable
from lingprobe.encoders.taps import Raw
from lingprobe.nets.device import check_device, free_memory, get_device_kind

_FROM_TWO = (
    "camembert",
    "xmod",
    "mpnet",
    "longformer",
)  # where positions begin there, as RoBERTa's
_POSITIONS = ("max_position_embeddings", "n_positions", "max_seq_len", "max_sequence_length")
_LONGEST = 8192  # tokens, for models that name no limit of their own
_WIDE = 64  # tokens a row where word forms are read apart
# on which a model is tried
_TRIAL = "Sonde reads sentences of many lengths , and asks what their vectors tell of them ."
# in the names of tables that say where a token stands
_PLACES = ("position", "pos_emb", "wpe", "token_type", "segment")


@dataclass(frozen=True)
class WeightSettings:
    """Which weights a network has.

    kind     trained, random (as its library begins to train it) or orthonormal (every matrix, and
             no biases)
    lexical  whether what is below the first layer stays as it was trained
    adapter  one of PEFT that is put into the model
    head     whether the head that writes tokens is loaded as well
    """

    kind: str = "trained"
    seed: int = 0
    lexical: bool = True
    adapter: ModelSource | None = None
    head: bool = False


@dataclass(frozen=True)
class LoadedModel:
    """A loaded model and its tokeniser.

    writer  the model with the head that writes tokens; None where that was not loaded
    """

    model: Any
    tokenizer: Any
    device: str
    dtype: str
    batching: Batching = "padded"
    writer: Any = field(default=None, repr=False, compare=False)
    _lexicon: dict[int, Floats] = field(default_factory=dict, repr=False, compare=False)
    _starts: dict[Any, SharedStart | None] = field(default_factory=dict, repr=False, compare=False)

    @property
    def side_by_side(self) -> bool:
        """Whether several threads may run it: the model on a processor, and hidden states collected
        for each thread apart.
        """
        return (
            self.device == "cpu"
            and importlib.util.find_spec("transformers.utils.output_capturing") is not None
        )

    @functools.cached_property
    def layers(self) -> LayerStates:
        """Which of the model's states are its layers, found on some tokens."""
        tokens = torch.arange(min(LAYER_SEARCH_TOKENS, self.limit), device=self.device)
        ids = torch.stack([tokens, tokens.flip(0)])
        return find_layers(self.model, ids, lambda: self._run(ids, torch.ones_like(ids)))

    @property
    def widths(self) -> tuple[int, ...]:
        """How wide its layers are, from 0; they differ where a model projects in or out, as the
        smallest OPT does.
        """
        return self.layers.widths

    @property
    def limit(self) -> int:
        """How many tokens the model reads at most."""
        whole = self.model.config
        # of a model that sees, too, the part that reads; of an encoder and decoder, the encoder
        parts = (getattr(whole, "text_config", None), whole, getattr(whole, "encoder", None))
        said = (
            (n, part.model_type)
            for part in filter(None, parts)
            for name in _POSITIONS
            # XLNet, which has no limit, says -1
            if isinstance(n := getattr(part, name, None), int) and n > 0
        )
        positions, kind = next(said, (_LONGEST, whole.model_type))
        offset = 2 if "roberta" in kind or kind in _FROM_TWO else 0
        return int(min(self.tokenizer.model_max_length, positions - offset, _LONGEST))

    @functools.cached_property
    def _run_to(self) -> Stopped | None:
        """Runs the model as far as a layer, where that can be done."""
        row = list(range(min(LAYER_SEARCH_TOKENS, self.limit)))
        inputs = self._inputs([row, row[::2]] if self.batching == "padded" else [row])
        blocks = self.model.get_submodule(self.layers.blocks)
        run = functools.partial(self._run, **inputs)
        return make_stoppable(blocks, self._read(inputs["input_ids"], run)[:-1], run)

    def hidden_states(
        self,
        ids: Sequence[Sequence[int]],
        types: Sequence[Sequence[int]] | None = None,
        highest: int | None = None,
    ) -> tuple[Tensor, ...]:
        """All hidden states of rows of token ids, and of their types where the model has some, each
        [rows, longest, dim]; those up to the highest that is asked for at least.

        Rows are filled up on the right, where the model is told not to look.
        """
        inputs = self._inputs(ids, types)
        layers = self._read(inputs["input_ids"], lambda: self._run(**inputs), highest)
        # of a model on several GPUs each state lies where its layer is
        return tuple(layer.to(self.device) for layer in layers)

    def continue_from(
        self, ids: Sequence[Sequence[int]], cache: Any, before: int, highest: int | None
    ) -> tuple[Tensor, ...]:
        """The hidden states of rows of token ids that stand behind so many tokens, of which the
        cache has keys and values; it takes up those of the rows.
        """
        inputs: dict[str, Any] = dict(self._inputs(ids))
        mask = inputs["attention_mask"]
        inputs["attention_mask"] = torch.cat([mask.new_ones(len(mask), before), mask], 1)
        run = functools.partial(self._run, **inputs, past_key_values=cache, use_cache=True)
        layers = self._read(inputs["input_ids"], run, highest)
        return tuple(layer.to(self.device) for layer in layers)

    def shared_start(self, ids: tuple[int, ...], highest: int) -> SharedStart | None:
        """Tokens that rows begin with, read once; None where the model does not allow it."""
        if is_replaced(self.model):  # there, too
            return None
        if (ids, highest) not in self._starts:
            limit = get_tolerance(self.model, self.dtype)
            self._starts[ids, highest] = shared_start(self, ids, highest, limit)
        return self._starts[ids, highest]

    @functools.cached_property
    def inside(self) -> InstrumentedModel:
        """The parts of its blocks, found on some tokens."""
        row = list(range(min(WATCHED_TOKEN_COUNT, self.limit)))
        inputs = self._inputs([row, row[::-1]])
        run = functools.partial(self._run, **inputs)
        first = self._read(inputs["input_ids"], run)[0]
        _ = self._run_to  # whose own passes are over before blocks are counted
        return look_inside(self.model, self.layers.blocks, inputs["input_ids"], first, run)

    def site_states(
        self,
        ids: Sequence[Sequence[int]],
        types: Sequence[Sequence[int]] | None,
        sites: Sequence[ModelSite],
        highest: int,
    ) -> tuple[tuple[Tensor, ...], Raw]:
        """The hidden states of rows of token ids, and of the same pass what parts of its blocks
        gave that sites are of.
        """
        shape = len(ids), max(map(len, ids))
        return self.inside.read(shape, sites, lambda: self.hidden_states(ids, types, highest))

    def site_width(self, site: ModelSite) -> int:
        """How many numbers a site has; DataProblem where the model has no such site."""
        return self.inside.width(site)

    def site(self, site: ModelSite, raw: Raw) -> Tensor:
        """A site's numbers [rows, tokens, width] of what was caught."""
        return self.inside.site(site, raw).to(self.device)

    def _read(
        self, ids: Tensor, run: Callable[[], Any], highest: int | None = None
    ) -> tuple[Tensor, ...]:
        """The layers that `run` gives for token ids, up to the highest that is asked for."""
        ends = highest is not None and highest + 1 < len(self.widths)
        # a pass that ends early knows states as they were changed, and not as they were
        if ends and not is_replaced(self.model) and self._run_to is not None:
            assert highest is not None
            return self._run_to(highest, run)
        output = run()
        with torch.inference_mode():
            return self.layers.of(self.model, ids, output)

    def _inputs(
        self, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None
    ) -> dict[str, Tensor]:
        """What the model is given, on its device."""
        fields = {
            "input_ids": pad_rows(ids, self.filling),
            "attention_mask": pad_rows([[1] * len(row) for row in ids], 0),
        }
        self._check(int(fields["input_ids"].max()))
        if types is not None:
            fields["token_type_ids"] = pad_rows(types, 0)
        return {key: torch.from_numpy(value).to(self.device) for key, value in fields.items()}

    @functools.cached_property
    def _vocabulary_size(self) -> int | None:
        """How many tokens the model has vectors for; None where it has no plain table of them."""
        try:
            table = self.model.get_input_embeddings()
        except (AttributeError, NotImplementedError):
            return None
        return table.num_embeddings if isinstance(table, nn.Embedding) else None

    @functools.cached_property
    def filling(self) -> int:
        """What rows are filled up with: the token for that, or any where the model does not know
        it, as it is told not to look there.
        """
        token = self.tokenizer.pad_token_id or 0
        return token if self._vocabulary_size is None or token < self._vocabulary_size else 0

    def _check(self, largest: int) -> None:
        if self._vocabulary_size is not None and largest >= self._vocabulary_size:
            raise DataProblem(
                f"the tokenizer gives the token {largest}, and the model knows"
                f" {self._vocabulary_size:,}; resize its embeddings"
                " (resize_token_embeddings), and save both"
            )

    def _run(self, input_ids: Tensor, attention_mask: Tensor, **more: Any) -> Any:
        """The model's output with all its states."""
        with torch.inference_mode(), set_precision(self.device, self.dtype):
            return self.model(
                input_ids=input_ids,
                attention_mask=attention_mask,
                output_hidden_states=True,
                **more,
            )

    def together(self, name: str) -> Batching:
        """Which sentences may be in one batch, tried on some tokens (see `alone`)."""
        ids = self.tokenizer(_TRIAL, truncation=True, max_length=self.limit)["input_ids"]

        def run(rows: Sequence[Sequence[int]]) -> list[Sequence[Tensor]]:
            layers = self.hidden_states(rows)
            return [[layer[i, : len(row)] for layer in layers] for i, row in enumerate(rows)]

        return choose_batching(
            name, run, (ids * 3)[: self.limit], get_tolerance(self.model, self.dtype)
        )

    @functools.cached_property
    def causal(self) -> bool:
        """Whether it reads from left to right, so that no token depends on those behind it."""
        row = list(range(min(LAYER_SEARCH_TOKENS, self.limit)))
        one, other = (
            [layer[0, :-1] for layer in self.hidden_states([ids])]
            for ids in (row, [*row[:-1], row[0]])
        )
        return are_vectors_close(one, other, get_tolerance(self.model, self.dtype))

    def lexical(self, ids: Ints) -> Floats:
        """The layer `lex`: the input of the first block without positions, [ids, dim]; DataProblem
        where that cannot be said.

        These are the hidden states below the first layer with the tables of positions and segments
        at zero: of BERT, its word embeddings and their norm, which Tenney et al. (2019) call
        lexical.
        """
        new = np.setdiff1d(ids, np.fromiter(self._lexicon, np.int64, len(self._lexicon)))
        if len(new):
            rows = self._without_places(new)
            self._lexicon.update(zip(new.tolist(), rows, strict=True))
        distinct, numbers = np.unique(ids, return_inverse=True)
        known = [self._lexicon[i] for i in distinct.tolist()]
        return np.stack(known)[numbers] if known else np.zeros((0, self.widths[0]), np.float32)

    def _without_places(self, ids: Ints) -> Floats:
        if not self._lexicon:
            pair = ids[[0, -1]]
            one, other = self._read_apart(pair), self._read_apart(pair[::-1])[::-1]
            if not np.allclose(one, other, atol=1e-3):
                kind = self.model.config.model_type
                raise DataProblem(
                    f"layers=lex: in a {kind} model, token and position embeddings cannot be"
                    " separated; write layers=0"
                )
        return self._read_apart(ids)

    def _read_apart(self, ids: Ints) -> Floats:
        named = [*self.model.named_parameters(), *self.model.named_buffers()]
        places = {
            n: torch.zeros_like(v)
            for n, v in named
            if any(p in n for p in _PLACES) and v.is_floating_point()
        }
        width = min(_WIDE, self.limit)
        filled = np.concatenate([ids, np.repeat(ids[-1:], -len(ids) % width)]).reshape(-1, width)
        parts = []
        for start in range(0, len(filled), 16):
            rows = torch.from_numpy(filled[start : start + 16]).to(self.device)
            mask = torch.ones_like(rows)
            inputs = {"input_ids": rows, "attention_mask": mask, "output_hidden_states": True}
            run = functools.partial(torch.func.functional_call, self.model, places, (), inputs)
            with torch.inference_mode(), set_precision(self.device, self.dtype):
                below = self._read(rows, run, 0)[0]
            parts.append(below.float().reshape(-1, below.shape[-1]).cpu().numpy())
        return np.concatenate(parts)[: len(ids)]


@functools.lru_cache(maxsize=2)
def load_network(
    source: ModelSource, device: str, dtype: str, weights: WeightSettings = WeightSettings()
) -> LoadedModel:
    """A model on its device, which multiplies in `dtype` whatever precision it is stored in."""
    check_device(device)
    tokenizer = load_tokenizer(tokenizer_source(source, weights.adapter))
    try:
        from transformers import AutoConfig

        config = AutoConfig.from_pretrained(source.name, **source.arguments)
        if weights.kind == "random" and not weights.lexical:  # as it was before it was quantised
            config = _without_quantisation(config)
        way = get_quantisation(config.to_dict())
        size = weights_size(source.name)
        place = choose_placement(device, way, size, _free(device))
        if get_device_kind(device) == "cpu":
            stored = getattr(config, "dtype", None)
            width = stored.itemsize if isinstance(stored, torch.dtype) else 4
            check_model_memory(source.name, size, width, "auto" if way else dtype, free_memory())
        precision = "auto" if way else dtype
        writer = _writer(source, config, precision, weights, place) if weights.head else None
        model = text_encoder(writer.base_model) if writer is not None else None
        model = _model(source, config, precision, weights, place) if model is None else model
        if not (way or place):  # else never moved, nor cast
            model = model.to(device)
            writer = writer.to(device) if writer is not None else None
    except DataProblem:
        raise
    except Exception as error:  # of every library that reads a part of a model
        raise EncoderStop(explain_unloadable(source.name, "transformers", error)) from error
    if way:  # never cast
        network = LoadedModel(model, tokenizer, device, "float32", writer=writer)
    else:
        in_precision(model if writer is None else writer, dtype)
        network = LoadedModel(model, tokenizer, device, dtype, writer=writer)
    return try_network(network, source.name)


def try_network(network: LoadedModel, name: str) -> LoadedModel:
    """A model that was tried on a few tokens: it is known what may be in a batch, and which of its
    states are its layers. EncoderStop where it does not run.
    """
    try:
        ready = replace(network, batching=network.together(name))
        assert ready.layers  # found before several threads ask for them
        return ready
    except DataProblem:
        raise
    except Exception as error:  # whatever models raise that want something else than token ids
        raise EncoderStop(
            f"{name}: a {network.model.config.model_type} model does not run on token ids as others"
            f" do ({one_line(error)})"
        ) from error


def _without_quantisation(config: Any) -> Any:
    """A configuration of the same model with weights in full."""
    for name in ("quantization_config", "compression_config"):
        if hasattr(config, name):
            delattr(config, name)
    return config


def _free(device: str) -> int | None:
    """Bytes that are free on the GPU that was found; None where the user named one, or for a
    processor.
    """
    return int(torch.cuda.mem_get_info()[0]) if device == "cuda" else None


def _writer(
    source: ModelSource, config: Any, dtype: str, weights: WeightSettings, place: Mapping[str, Any]
) -> Any:
    """A trained model with the head that writes tokens. EncoderStop where its files have none."""
    from transformers import AutoModelForCausalLM

    precision = torch.float32 if dtype == "float32" else "auto"
    try:
        model, missing = load_transformer(
            AutoModelForCausalLM, source, config=config, dtype=precision, **place
        )
    except ValueError as error:
        raise EncoderStop(
            f"{source.name}: a {config.model_type} model writes no tokens ({one_line(error)});"
            " leave generate out"
        ) from error
    if missing:
        raise EncoderStop(
            f"{source.name}: its files have no head that writes tokens ({min(missing)} is missing):"
            " save it as AutoModelForCausalLM, or leave generate out"
        )
    if weights.adapter is not None:
        model = apply_adapter(model, weights.adapter)
    return model.eval()


def _model(
    source: ModelSource, config: Any, dtype: str, weights: WeightSettings, place: Mapping[str, Any]
) -> Any:
    from transformers import AutoModel

    def load() -> Any:
        precision = torch.float32 if dtype == "float32" or weights.kind != "trained" else "auto"
        model, missing = load_transformer(
            AutoModel, source, config=config, dtype=precision, **place
        )
        check_weights(source.name, model, text_encoder(model), missing)
        if weights.adapter is not None:
            model = apply_adapter(model, weights.adapter)
        return text_encoder(model)

    if weights.kind == "trained":
        return load()
    model = draw_untrained_model(
        lambda: text_encoder(
            AutoModel.from_config(config, dtype=torch.float32, **source.trust.arguments)
        ),
        weights.seed,
    )
    below = below_layers(model)
    if weights.kind == "orthonormal":
        orthonormalise_weights(model, below, torch.Generator().manual_seed(weights.seed))
    if weights.lexical:
        state = load().state_dict()
        model.load_state_dict({name: state[name] for name in below}, strict=False)
    return model
