"""Where can each architecture be read and changed? Asked of lingprobe and of plain hooks of torch.

usage: python benchmarks/sites.py [ARCHITECTURE ...] [--output FILE.csv] [--page FILE.md]

A tiny model of each architecture is made with random weights, and each site of it is asked for
what `VERBS` say. What lingprobe gives is compared with what hooks give that are written here by
hand, on the modules that `ARCHITECTURES` name, one sentence at a time and without padding:

read    the site's numbers
change  the model's last layer where the site gives half of each number and something more
erase   the same where LEACE erases a label of tokens there
patch   the same where the tokens of each sentence give there what others gave
sae     the features that a sparse autoencoder makes of the site

Of a model with an encoder and a decoder, the encoder is read. A cell is `same` where no number differs by more than 1e-5 of the largest, `refused` with the
reason that is given, or `differs` with by how much. Exits with 1 where something differs.
"""

from __future__ import annotations

import argparse
import csv
import functools
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import transformers
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import Tensor

from lingprobe.data.core import Encoder, Sentence
from lingprobe.data.errors import LingprobeError
from lingprobe.encoders import make_encoder
from lingprobe.inside.erase.erasers import EraserMoments, fit_leace
from lingprobe.inside.erase.interventions import AffineIntervention
from lingprobe.inside.heads.effects import TokenPatch

CLOSE = 1e-5
BLOCKS, HEADS = 3, 4
VERBS = ("read", "change", "erase", "patch", "sae")
SITES = ("pre:2", "post:2", "post:3", "attn:2", "mlp:2", "head:2.2")
WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "cats",
    "dogs",
    "sees",
    "see",
    "sat",
    "on",
    "under",
    "mat",
    "small",
    "old",
    "and",
    "never",
    "who",
]
TEXTS = ("the cat sees a dog", "small dogs never sat on the old mat", "who sees cats", "a")
SENTENCES = [Sentence.of(text.split()) for text in TEXTS]
BASE = {"vocab_size": 64, "max_position_embeddings": 40}
SIZES = BASE | {
    "hidden_size": 16, "intermediate_size": 24,
    "num_hidden_layers": BLOCKS, "num_attention_heads": HEADS,
}  # fmt: skip
KEYS = SIZES | {"num_key_value_heads": 2, "head_dim": 4}
POST = ("attention.output.dense", "output.dense", "attention.output.dense")
GATED = ("self_attn.o_proj", "mlp.down_proj", "self_attn.o_proj")
EXPERTS = ("self_attn.o_proj", "mlp", "self_attn.o_proj")
SANDWICH = ("post_attention_layernorm", "post_feedforward_layernorm", "self_attn.o_proj")
TOWER = ("self_attn.out_proj", "fc2", "self_attn.out_proj")
DENSE = ("attention.dense", "mlp.dense_4h_to_h", "attention.dense")
BLOOM = ("self_attention.dense", "mlp.dense_4h_to_h", "self_attention.dense")


class Architecture(NamedTuple):
    """The settings of a tiny model, its class where no name says it, where its blocks are, and in a
    block what gives attention and the MLP and what is given the heads.
    """

    settings: Mapping[str, Any]
    blocks: str
    attn: str = ""
    mlp: str = ""
    heads: str = ""


ARCHITECTURES = {
    "Bert": Architecture(SIZES, "encoder.layer.{}", *POST),
    "Roberta": Architecture(SIZES, "encoder.layer.{}", *POST),
    "Electra": Architecture(SIZES | {"embedding_size": 8}, "encoder.layer.{}", *POST),
    "DebertaV2": Architecture(
        SIZES | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
        "encoder.layer.{}",
        *POST,
    ),
    "MPNet": Architecture(
        SIZES, "encoder.layer.{}", "attention.attn.o", "output.dense", "attention.attn.o"
    ),
    "Albert": Architecture(
        SIZES | {"embedding_size": 8},
        "encoder.albert_layer_groups.0.albert_layers.0",
        *("attention.dense", "ffn_output", "attention.dense"),
    ),
    "DistilBert": Architecture(
        BASE | {"dim": 16, "hidden_dim": 24, "n_layers": BLOCKS, "n_heads": HEADS},
        "transformer.layer.{}",
        *("attention.out_lin", "ffn.lin2", "attention.out_lin"),
    ),
    "ModernBert": Architecture(SIZES, "layers.{}", "attn.Wo", "mlp.Wo", "attn.Wo"),
    "XLNet": Architecture(
        {"vocab_size": 64, "d_model": 16, "n_layer": BLOCKS, "n_head": HEADS, "d_inner": 24},
        "layer.{}",
    ),
    "T5": Architecture(
        {"vocab_size": 64, "d_model": 16, "d_ff": 24, "d_kv": 4, "num_layers": BLOCKS}
        | {"num_heads": HEADS},
        "block.{}",
        *("layer.0.SelfAttention.o", "layer.1.DenseReluDense.wo", "layer.0.SelfAttention.o"),
    ),
    "Bart": Architecture(
        BASE
        | {"d_model": 16, "encoder_layers": BLOCKS, "decoder_layers": 1}
        | {"encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS}
        | {"encoder_ffn_dim": 24, "decoder_ffn_dim": 24},
        "layers.{}",
        *TOWER,
    ),
    "GPT2": Architecture(
        {"vocab_size": 64, "n_positions": 40, "n_embd": 16, "n_layer": BLOCKS, "n_head": HEADS},
        "h.{}",
        *("attn.c_proj", "mlp.c_proj", "attn.c_proj"),
    ),
    "GPTNeoX": Architecture(SIZES, "layers.{}", *DENSE),
    "OPT": Architecture(
        SIZES | {"ffn_dim": 24, "word_embed_proj_dim": 16}, "decoder.layers.{}", *TOWER
    ),
    "Bloom": Architecture(
        {"vocab_size": 64, "hidden_size": 16, "n_layer": BLOCKS, "n_head": HEADS}, "h.{}", *BLOOM
    ),
    "Falcon": Architecture(SIZES | {"ffn_hidden_size": 24}, "h.{}", *BLOOM),
    "Phi": Architecture(SIZES, "layers.{}", "self_attn.dense", "mlp.fc2", "self_attn.dense"),
    "Llama": Architecture(KEYS, "layers.{}", *GATED),
    "Mistral": Architecture(KEYS, "layers.{}", *GATED),
    "Qwen2": Architecture(KEYS, "layers.{}", *GATED),
    "Qwen3": Architecture(KEYS, "layers.{}", *GATED),
    "Qwen3Moe": Architecture(
        KEYS | {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 8},
        "layers.{}",
        *EXPERTS,
    ),
    "GptOss": Architecture(
        KEYS | {"num_local_experts": 4, "num_experts_per_tok": 2, "rope_parameters": None},
        "layers.{}",
        *EXPERTS,
    ),
    "Gemma": Architecture(KEYS, "layers.{}", *GATED),
    "Gemma2": Architecture(KEYS, "layers.{}", *SANDWICH),
    "Olmo2": Architecture(
        KEYS,
        "layers.{}",
        *("post_attention_layernorm", "post_feedforward_layernorm", "self_attn.o_proj"),
    ),
    "Mamba": Architecture(
        {"vocab_size": 64, "hidden_size": 16, "num_hidden_layers": BLOCKS, "state_size": 4},
        "layers.{}",
    ),
}


def save_model(name: str, folder: Path) -> Path:
    """A tiny model of an architecture whose weights let every part show, with a tokeniser."""
    settings = ARCHITECTURES[name].settings
    special = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
    tokenizer = Tokenizer(
        models.WordLevel({w: i for i, w in enumerate([*special, *WORDS])}, unk_token="<unk>")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 2), ("</s>", 3)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        model_max_length=32,
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = getattr(transformers, f"{name}Config")(**settings)
        config.pad_token_id, config.bos_token_id, config.eos_token_id = 0, 2, 3
        model = getattr(transformers, f"{name}Model")(config)
        for weights in model.parameters():
            torch.nn.init.normal_(weights, 0.05, 0.5)
    model.save_pretrained(folder)
    return folder


Hand = Callable[[Tensor], Tensor]
PARTS = {"attn": "attn", "mlp": "mlp", "head": "heads"}


class Hooked:
    """A model of transformers with hooks of torch on the modules that an architecture names."""

    def __init__(self, name: str, folder: Path) -> None:
        model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
        self.model = model.get_encoder() if model.config.is_encoder_decoder else model
        self.architecture = ARCHITECTURES[name]
        self.turn = (1, 0, 2) if name == "XLNet" else (0, 1, 2)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)

    @functools.cache  # noqa: B019
    def of_texts(self, site: str) -> list[Tensor]:
        """What a site gives for each text."""
        return [self.run(text, site)[0] for text in TEXTS]

    def run(self, text: str, site: str, change: Hand | None = None) -> tuple[Tensor, Tensor]:
        """What a site gives [tokens, width] for a text, and the last layer with that changed."""
        ids = torch.tensor([self.tokenizer(text)["input_ids"]])
        kind, _, place = site.partition(":")
        block, _, head = place.partition(".")
        named = self.architecture.blocks.format(int(block) - 1)
        if kind in PARTS:
            named += "." + getattr(self.architecture, PARTS[kind])
        hook = Hook(
            1 if "{}" in self.architecture.blocks else int(block), int(head or 0), self.turn, change
        )
        with hook.on(self.model.get_submodule(named), kind in ("pre", "head")), torch.no_grad():
            last = self.model(input_ids=ids, attention_mask=torch.ones_like(ids))
        return hook.seen[0], last.last_hidden_state[0]


class Hook:
    """Takes down, and changes, what a module is given or gives in one of its calls.

    wanted  which call, from 1: a block that all layers share is called for each
    head    which head of those side by side, from 1; 0 for everything
    """

    def __init__(self, wanted: int, head: int, turn: Sequence[int], change: Hand | None) -> None:
        self.wanted, self.head, self.turn, self.change = wanted, head, turn, change
        self.seen: list[Tensor] = []
        self.calls = 0

    @contextmanager
    def on(self, module: torch.nn.Module, before: bool) -> Iterator[None]:
        """Hook it to a module, before it is called or behind that."""
        if before:
            handle = module.register_forward_pre_hook(self.before, with_kwargs=True)
        else:
            handle = module.register_forward_hook(self.behind)
        try:
            yield
        finally:
            handle.remove()

    def before(self, _: Any, given: Sequence[Any], kept: Mapping[str, Any]) -> Any:
        """What a module is given."""
        if given:
            return (self.meet(given[0]), *given[1:]), kept
        return given, {**kept, "hidden_states": self.meet(kept["hidden_states"])}

    def behind(self, _: Any, given: Any, back: Any) -> Any:
        """What a module gives."""
        return (self.meet(back[0]), *back[1:]) if isinstance(back, tuple) else self.meet(back)

    def meet(self, value: Tensor) -> Tensor:
        """The states of the one row, [tokens, width] in a block that puts rows into one."""
        self.calls += 1
        if self.calls != self.wanted:
            return value
        flat = value if value.ndim == 2 else value.permute(*self.turn)[0]
        each = flat.shape[1] // HEADS if self.head else flat.shape[1]
        first = (self.head - 1) * each if self.head else 0
        self.seen.append(flat[:, first : first + each].clone())
        if self.change is None:
            return value
        new = flat.clone()
        new[:, first : first + each] = self.change(self.seen[-1])
        return new if value.ndim == 2 else new[None].permute(*self.turn)


def make_site_encoder(folder: Path, layers: str, kind: str = "hf") -> Encoder:
    """The encoder of the tokens of a site."""
    return make_encoder(
        f"{kind}:{folder},layers={layers},pool=none,special=true,dtype=float32,device=cpu"
    )


def apart(found: Any, expected: Sequence[Tensor]) -> float:
    """By how much numbers differ at most, as a part of the largest."""
    wanted = torch.cat(list(expected)).double().numpy()
    if np.shape(found) != wanted.shape:
        return float("inf")
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


class Bench(NamedTuple):
    """One site of one model, by lingprobe and by hand."""

    folder: Path
    hooked: Hooked
    site: str

    def of(self, verb: str) -> float:
        """By how much the answers to a verb differ; LingprobeError where it is refused."""
        if verb not in ("read", "sae"):
            encoder = make_site_encoder(self.folder, str(BLOCKS))
            with encoder.replace_states({self.site: lambda states: states}):  # type: ignore[attr-defined]
                encoder.encode(SENTENCES)
        return {
            "read": self.read, "change": self.change, "erase": self.erase,
            "patch": self.patch, "sae": self.sae,
        }[verb]()  # fmt: skip

    def by_hand(self) -> list[Tensor]:
        """The site's numbers, text by text."""
        return self.hooked.of_texts(self.site)

    def read(self) -> float:
        """The site's numbers."""
        vectors = make_site_encoder(self.folder, self.site).encode(SENTENCES)
        return apart(vectors.layers[0], self.by_hand())

    def changed(self, edit: Any, hands: Sequence[Hand]) -> float:
        """The last layer where the site is changed; inf where that changes nothing."""
        encoder = make_site_encoder(self.folder, str(BLOCKS))
        expected = [
            self.hooked.run(text, self.site, hand)[1]
            for text, hand in zip(TEXTS, hands, strict=True)
        ]
        as_it_is = encoder.encode(SENTENCES).layers[0]
        with encoder.replace_states({self.site: edit}):  # type: ignore[attr-defined]
            found = encoder.encode(SENTENCES).layers[0]
        again = encoder.encode(SENTENCES).layers[0]
        if apart(as_it_is, expected) < 10 * CLOSE or not np.array_equal(as_it_is, again):
            return float("inf")
        return apart(found, expected)

    def change(self) -> float:
        """Half of each number and something more."""

        def halve(states: Tensor) -> Tensor:
            return states / 2 + torch.linspace(-1, 1, states.shape[-1])

        return self.changed(halve, [halve] * len(TEXTS))

    def erase(self) -> float:
        """What LEACE leaves, which erases whether the first number is among the larger half."""
        states = torch.cat(self.by_hand()).numpy()
        # states behind a norm lie in a plane, and across it there is nothing but rounding
        states = states + np.random.default_rng(0).normal(size=states.shape) * 0.01 * states.std()
        labels = (states[:, :1] > np.median(states[:, 0])).astype(np.float64)
        eraser = fit_leace(EraserMoments.of([states], labels))
        mean, left, right = (
            torch.from_numpy(each) for each in (eraser.mean, eraser.left, eraser.right)
        )

        def project(states: Tensor) -> Tensor:
            whole = states.double()
            return (whole - (whole - mean) @ (left @ right).T).float()

        return self.changed(AffineIntervention(eraser), [project] * len(TEXTS))

    def patch(self) -> float:
        """What the second token and the last gave in the text before."""
        given = self.by_hand()
        before = [given[number - 1] for number in range(len(TEXTS))]

        def of(states: Tensor) -> Hand:
            def patch_two(own: Tensor) -> Tensor:
                new = own.clone()
                new[1], new[len(own) - 1] = states[1], states[len(states) - 1]
                return new

            return patch_two

        states = torch.cat([each[[1, -1]] for each in before]).numpy()
        places = np.array([(1, len(each) - 1) for each in given]).ravel()
        edit = TokenPatch(states, places, 2 * np.arange(len(TEXTS) + 1))
        return self.changed(edit, list(map(of, before)))

    def sae(self) -> float:
        """Features of an autoencoder with weights at random."""
        width = make_site_encoder(self.folder, self.site).encode(SENTENCES).layers[0].shape[1]
        rng = np.random.default_rng(0)
        weights = {
            "weight": rng.normal(size=(20, width)).astype(np.float32),
            "bias": rng.normal(size=20).astype(np.float32),
            "k": np.array([20], np.int64),
        }
        with tempfile.TemporaryDirectory() as place:
            save_file(weights, Path(place) / "sae.safetensors")
            of = f"hf:{self.folder}%2Cspecial=true%2Cdtype=float32%2Cdevice=cpu"
            encoder = make_encoder(f"sae:{place},of={of},layers={self.site},pool=none")
            found = encoder.encode(SENTENCES).layers[0]
        matrix, bias = (torch.from_numpy(weights[name]) for name in ("weight", "bias"))
        return apart(found, [(each @ matrix.T + bias).relu() for each in self.by_hand()])


class Cell(NamedTuple):
    """What came of one verb at one site of one architecture."""

    architecture: str
    site: str
    verb: str
    said: str


def measure(name: str, folder: Path) -> Iterator[Cell]:
    """The cells of an architecture."""
    save_model(name, folder)
    hooked = Hooked(name, folder)
    for site in SITES:
        bench = Bench(folder, hooked, site)
        for verb in VERBS:
            try:
                difference = bench.of(verb)
            except LingprobeError as error:
                reason = str(error).rpartition("model: ")[2].replace(str(folder), "MODEL")
                yield Cell(name, site, verb, f"refused: {reason}")
                continue
            said = "same" if difference <= CLOSE else f"differs: {difference:.0e}"
            yield Cell(name, site, verb, said)


def page(cells: Sequence[Cell]) -> str:
    """The table of architectures and sites in Markdown, with what is refused and why."""
    reasons: dict[str, int] = {}
    rows = {}
    for cell in cells:
        if cell.said != "same":
            reasons.setdefault(cell.said, len(reasons) + 1)
    for name in dict.fromkeys(cell.architecture for cell in cells):
        row = []
        for site in SITES:
            mine = [c for c in cells if (c.architecture, c.site) == (name, site)]
            bad = sorted({reasons[c.said] for c in mine if c.said != "same"})
            row.append(f"– ({', '.join(map(str, bad))})" if bad else "✓")
        rows[name] = row
    same = sum(cell.said == "same" for cell in cells)
    lines = [
        "# Where each architecture can be read and changed",
        "",
        "`python benchmarks/sites.py` writes this page: tiny models with random weights, and hooks"
        " of torch written by hand.",
        "",
        f"✓: {', '.join(VERBS)} give what the hooks give (relative difference at most {CLOSE:g})."
        f" Of {len(cells)} cells {same} are the same, and {len(cells) - same} are refused:",
        "",
        *(
            f"{number}. {said.removeprefix('refused: ')} ({sum(c.said == said for c in cells)})"
            for said, number in reasons.items()
        ),
        "",
        f"| | {' | '.join(f'`{site}`' for site in SITES)} |",
        "|---|" + ":---:|" * len(SITES),
        *(f"| {name} | {' | '.join(row)} |" for name, row in rows.items()),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("architectures", nargs="*", metavar="ARCHITECTURE")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--page", type=Path)
    given = parser.parse_args()
    cells: list[Cell] = []
    for name in given.architectures or ARCHITECTURES:
        with tempfile.TemporaryDirectory() as folder:
            mine = list(measure(name, Path(folder)))
        cells += mine
        print(
            name,
            " ".join(f"{c.site}/{c.verb}={c.said}" for c in mine if c.said != "same"),
            flush=True,
        )
    if given.output:
        with given.output.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerows([Cell._fields, *cells])
    if given.page:
        given.page.write_text(page(cells), "utf-8")
    sys.exit(any(cell.said.startswith("differs") for cell in cells))


if __name__ == "__main__":
    main()
