"""Any layer of a transformer of the Hugging Face library, pooled over the sentence or kept as word
pieces.

Layer `lex` is the embeddings without positions, layer 0 the embeddings, layer L the last; where a
model ends with a norm, layer L is taken after it (as transformers returns it). One forward pass
fills every (layer, pooling) that is asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sonde.core import DataProblem, Sentence
from sonde.encoders.hub import Files, Source, files_of, source_of, unloadable
from sonde.encoders.saved import Dtype, Saved
from sonde.oracles import Kind
from sonde.references import Place
from sonde.vectors import Vectors

Pool = Literal["mean", "max", "cls", "last", "none"]
Init = Literal["trained", "random", "orthonormal"]
Lexical = Literal["auto", "trained", "drawn"]


@dataclass(frozen=True)
class HuggingFace(Saved):
    """A transformer by folder or hub name[@revision]: one layer, several or all, pooled over its
    real tokens. `revisions=step1000+step2000` stands for the model at each of these.

    layers    lex, last, penultimate (as the BERT rows of Krasnowska-Kieraś & Wróblewska 2019, 4.4),
              all, N, N-M; several with +
    pool      mean, max, cls (the first token), last (the last token), none (word pieces, aligned to
              words)
    special   whether tokens that the tokeniser adds, such as [CLS], count as tokens; without, in
              mean, max and last, and not in none
    text      what the model reads for word pieces: the words joined with spaces, or the raw text,
              in which words are then found
    spaces    whether a piece that is nothing but the space before a word ('▁', 'Ġ') belongs to the
              word
    tokens    how many tokens, padding included, go into one batch; 0 for 1,024 on a processor, and
              16,384 on a GPU
    weights   trained, or of the same architecture drawn with `seed`: random, orthonormal (the
              Orthonormal ELMo of Tenney et al. 2019)
    lexical   what drawn weights have below the first layer: drawn, trained, or auto (trained under
              orthonormal ones, as in the paper)
    trust_remote_code  whether code that comes with the model is run: of a folder, or of the commit
                       that the name has (NAME@COMMIT)
    code_revision      the commit of that code, where it lies in another repository
    """

    model: Place
    layers: str = field(default="last", kw_only=True)
    pool: Pool = field(default="mean", kw_only=True)
    prompt: str = field(default="", kw_only=True)
    special: bool | None = field(default=None, kw_only=True)
    text: Literal["words", "raw"] = field(default="words", kw_only=True)
    spaces: bool = field(default=False, kw_only=True)
    device: str = field(default="auto", kw_only=True)
    dtype: Dtype = field(default="auto", kw_only=True)
    tokens: int = field(default=0, kw_only=True)
    weights: Init = field(default="trained", kw_only=True)
    seed: int = field(default=0, kw_only=True)
    lexical: Lexical = field(default="auto", kw_only=True)
    trust_remote_code: bool = field(default=False, kw_only=True)
    code_revision: str = field(default="", kw_only=True)

    @property
    def name(self) -> str:
        return f"hf:{self.model}" + (
            f",weights={self.weights}" if self.weights != "trained" else ""
        )

    @property
    def kind(self) -> Kind:
        """A baseline where the weights are drawn."""
        return "trained" if self.weights == "trained" else "baseline"

    @property
    def drawn(self) -> tuple[str, int, bool]:
        """The kind of its weights, their seed, and whether the lexical ones stay as they were
        trained.
        """
        kept = self.lexical == "trained" or (self.lexical == "auto" and self.weights != "random")
        return (
            (self.weights, self.seed, kept) if self.weights != "trained" else ("trained", 0, True)
        )

    @property
    def files(self) -> Files:
        """Where the model lies; a bare name is its own before it is one of the
        sentence-transformers.
        """
        return files_of(self.model, "sentence-transformers", first=False)

    @property
    def counts_special(self) -> bool:
        """Whether tokens that the tokeniser adds count; nobody asks for them among the pieces of
        words.
        """
        return self.special if self.special is not None else self.pool != "none"

    @property
    def base(self) -> str:
        units = (
            f",units=pieces,spaces={self.spaces},text={self.text}" if self.pool == "none" else ""
        )
        drawn = "" if self.weights == "trained" else f",weights={self.drawn}"
        read = f"prompt={self.prompt!r},special={self.counts_special},tokens={self.batch}"
        return f"hf,{read}{drawn}{units}{self.trust}"

    @property
    def slots(self) -> tuple[str, ...]:
        return tuple(f"{name}.{self.pool}" for name in layer_names(self.layers, self.depth))

    @property
    def depth(self) -> int:
        """How many layers the model has."""
        number = depth(self.files.config())
        return (
            number
            if number is not None
            else usual_depth(source_of(self.files, self.model, self.trust, ("config.json",)))
        )

    def asking(self, slots: tuple[str, ...]) -> Asked:
        forms = {slot.partition(".")[2] for slot in slots}
        if "none" in forms and len(forms) > 1:
            raise ValueError(
                "word pieces and sentence vectors have different units; ask for them one after the"
                " other"
            )
        return Asked(self, slots)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        return self.asking(self.slots).encode(sentences)


@dataclass(frozen=True)
class Asked:
    """A transformer that yields some slots ('layer.pooling') of its cache."""

    encoder: HuggingFace
    slots: tuple[str, ...]

    takes = "sentences"

    @property
    def name(self) -> str:
        return self.encoder.name

    @property
    def kind(self) -> Kind:
        """That of the encoder."""
        return self.encoder.kind

    @property
    def base(self) -> str:
        return self.encoder.base

    def asking(self, slots: tuple[str, ...]) -> Asked:
        return self.encoder.asking(slots)

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        from sonde.encoders.forward import Passes  # imports torch
        from sonde.encoders.network import Weights, loaded
        from sonde.encoders.tokens import Words

        encoder = self.encoder
        device, dtype = encoder.runs
        network = loaded(
            source_of(encoder.files, encoder.model, encoder.trust),
            device,
            dtype,
            Weights(*encoder.drawn),
        )
        asked = [(layer, form) for layer, _, form in (slot.partition(".") for slot in self.slots)]
        words = Words(encoder.spaces, encoder.text == "raw")
        units = Passes(network, encoder.prompt, encoder.counts_special, encoder.batch, words).run(
            sentences, asked
        )
        names = tuple(layer for layer, _ in asked)
        return Vectors(
            units.layers,
            names if len(set(names)) == len(names) else self.slots,
            units.spans,
            units.cut,
        )

    def unknown(self, words: Sequence[str]) -> NDArray[np.bool_] | None:
        return self.encoder.unknown(words)


def layer_names(text: str, last: int) -> tuple[str, ...]:
    """The layers, by name, that a text stands for in a model with `last` layers.

    `lex`, `last`, `penultimate`, `all`, `N` and `N-M` (a range), or several of these with `+`
    between them.
    """
    named = {
        "lex": ("lex",),
        "last": (str(last),),
        "penultimate": (str(last - 1),),
        "all": tuple(map(str, range(last + 1))),
    }
    chosen: list[str] = []
    for part in text.split("+"):
        first, dash, end = part.partition("-")
        numbers = first.isdigit() and (end.isdigit() or not dash)
        if part not in named and not numbers:
            hint = (
                f"lex, last, penultimate, all, a number, a range 0-{last}, or several as"
                f" lex+0+{last}"
            )
            raise DataProblem(f"layers={text}: write {hint}")
        names = named.get(part) or tuple(map(str, range(int(first), int(end or first) + 1)))
        if not names or (numbers and int(names[-1]) > last):
            raise DataProblem(
                f"layers={text}: the model has layers 0 (its embeddings) to {last}, and lex (the"
                " same without positions)"
            )
        chosen += names
    return tuple(dict.fromkeys(chosen))


def depth(config: dict[str, Any]) -> int | None:
    """How many layers a model has, as its config.json says; of an encoder and decoder, the
    encoder's. None where it does not say.
    """
    keys = ("encoder_layers", "num_hidden_layers", "n_layers", "n_layer", "num_layers")
    parts: list[Any] = [config, config.get("text_config"), config.get("encoder")]
    depths = [
        part[key]
        for part in parts
        if isinstance(part, dict)
        for key in keys
        if isinstance(part.get(key), int)
    ]
    return int(depths[0]) if depths else None


@functools.cache
def usual_depth(source: Source) -> int:
    """How many layers a model has whose config.json leaves that to transformers, as SigLIP's does.
    DataProblem where nobody says.
    """
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(source.name, **source.arguments).get_text_config(
            encoder=True
        )
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise DataProblem(unloadable(source.name, "transformers", error)) from error
    number = depth(config.to_dict())
    if number is None:
        raise DataProblem(f"{source.name}: config.json does not say how many layers the model has")
    return number
