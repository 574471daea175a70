"""Language models whose weights are written, not trained, so that what they use is known.

Each instance is a GPT-2 of two or three blocks with weights and a language of its own: sentences of
seven words with their minimal pairs, in which one word, a noun, has a number (s or p) and another
property (x or y), and the verb, a word that no other sentence has, comes in two forms between which
the model chooses. All other weights are drawn, without any part in the directions that are written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SENTENCES, WORDS, NOUNS, FILLERS = 240, 7, 12, 8
NUMBER, SECOND, OTHER, NOUN, MARK, MOVED, ONE_BIT, OTHER_BIT = range(8)
"""The directions: number, where half of the nouns have it, the other property, what nouns and marks
are known by, where a head writes, and two bits whose product is the number.
"""
DIRECTIONS = 8
SLOPE = 2.0
"""Of the verbs' two forms along the direction that is read."""
Doubles = NDArray[np.float64]
Rng = np.random.Generator


class Truth(NamedTuple):
    """What is true of a model.

    about      in a sentence
    is_used    whether the choice depends on the number that states of layer 1 have
    is_there   whether they have it
    has_head   whether a head moves what the choice is read from
    """

    about: str
    is_used: bool
    is_there: bool = True
    has_head: bool = False


TRUTHS: Mapping[str, Truth] = {
    "used": Truth("the noun has it in a direction, which the choice is read from", True),
    "split": Truth("half of the nouns have it in another direction, and both are read", True),
    "one-head": Truth("one head of block 2 or 3 moves it from the noun to the word before the verb",
                      True, has_head=True),
    "last-token": Truth("the word before the verb alone has it", True),
    "unused": Truth("the noun has it, and another property of the noun is read", False),
    "unused-head": Truth("the noun has it, and a head moves another property of the noun",
                         False, has_head=True),
    "anew": Truth("it has a direction that is not read; block 2 makes it anew of two bits", False),
    "entangled": Truth("the direction of another property, at 45 degrees, is read beside it", False),
    "absent": Truth("labels are drawn at random, and another property is read", False, False),
}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A sentence: its words, the same with the worse verb, its label, and that of the other
    property.
    """

    good: list[str]
    bad: list[str]
    label: str
    other: str


@dataclass(frozen=True)
class Instance:
    """A model and its sentences.

    weights  by the names of GPT-2's parameters
    head     the name of the head that moves what the choice is read from, '' for none
    """

    truth: str
    lines: list[Line]
    words: dict[str, int]
    shape: Mapping[str, int]
    weights: Mapping[str, Doubles]
    head: str

    @property
    def digest(self) -> str:
        """Of weights, to three digits, and sentences."""
        made = hashlib.sha256()
        for name, values in sorted(self.weights.items()):
            made.update(name.encode())
            made.update(np.asarray(values, np.float16).tobytes())
        made.update(json.dumps([[line.good, line.bad, line.label] for line in self.lines]).encode())
        return made.hexdigest()[:16]


def make_instance(truth: str, seed: int) -> Instance:
    """That of a truth and a seed."""
    rng = np.random.default_rng([seed, sorted(TRUTHS).index(truth)])
    lines = _draw_lines(rng, truth)
    words = {"<s>": 0, "<u>": 1}
    for line in lines:
        for word in (*line.good, *line.bad):
            words.setdefault(word, len(words))
    shape = {
        "n_embd": int(rng.choice([32, 48])),
        "n_layer": int(rng.integers(2, 4)),
        "n_head": int(rng.choice([2, 4])),
    }
    basis = _draw_basis(rng, shape["n_embd"])
    weights = _draw_blocks(rng, shape, basis)
    weights |= _write_words(rng, truth, words, basis)
    head = ""
    if TRUTHS[truth].has_head:
        block = int(rng.integers(2, shape["n_layer"] + 1))
        number = int(rng.integers(shape["n_head"]))
        read = NUMBER if truth == "one-head" else OTHER
        _write_head(weights, basis, (block - 1, number, shape["n_head"]), read)
        head = f"head:{block}.{number + 1}"
    if truth == "anew":
        _write_product(weights, basis)
    return Instance(truth, lines, words, shape, weights, head)


def _draw_lines(rng: Rng, truth: str) -> list[Line]:
    """Sentences, each with a verb of its own. A noun is `n3sxp`: its number, its other property,
    and a bit; the word before the verb is a mark where something is read there.
    """
    lines, kind = [], TRUTHS[truth]
    has_mark = kind.has_head or truth == "last-token"
    for k in range(SENTENCES):
        number, other = str(rng.choice(["s", "p"])), str(rng.choice(["x", "y"]))
        bit = str(rng.choice(["0", "1"]))
        noun = f"n{rng.integers(NOUNS)}{number}{other}{bit}"
        if truth == "last-token":
            noun = f"n{rng.integers(NOUNS)}-{other}{bit}"
        is_first = number == "s" if kind.is_used or truth == "anew" else other == "x"
        verbs = [f"v{k}a", f"v{k}b"] if is_first else [f"v{k}b", f"v{k}a"]
        fill = [f"w{i}" for i in rng.integers(FILLERS, size=WORDS - 2 - has_mark)]
        gap = int(rng.integers(0, 3)) if has_mark else 0
        at = int(rng.integers(1, len(fill) - gap))
        mark = [f"m{number if truth == 'last-token' else ''}"] * has_mark
        middle = [noun, *fill[at : at + gap], *mark]
        good, bad = ([*fill[:at], *middle, verb, *fill[at + gap :]] for verb in verbs)
        label = str(rng.choice(["s", "p"])) if truth == "absent" else number
        lines.append(Line(good, bad, label, other))
    return lines


def _draw_basis(rng: Rng, width: int) -> Doubles:
    """Directions [DIRECTIONS, width] without a mean, which layer normalisation would take out."""
    drawn = rng.standard_normal((width, DIRECTIONS))
    return np.linalg.qr(np.concatenate([np.ones((width, 1)), drawn], 1))[0][:, 1:].T


def _without(basis: Doubles, values: Doubles) -> Doubles:
    """Rows [n, width] without their part in the directions."""
    return np.asarray(values - values @ basis.T @ basis)


def _draw_blocks(rng: Rng, shape: Mapping[str, int], basis: Doubles) -> dict[str, Doubles]:
    """Blocks that read nothing of the directions and write nothing into them."""
    width, made = shape["n_embd"], dict[str, Doubles]()
    for block in range(shape["n_layer"]):
        name = f"transformer.h.{block}."
        sizes = {"attn.c_attn": (width, 3 * width), "attn.c_proj": (width, width)}
        sizes |= {"mlp.c_fc": (width, 4 * width), "mlp.c_proj": (4 * width, width)}
        for part, (rows, columns) in sizes.items():
            drawn = 0.5 / np.sqrt(rows) * rng.standard_normal((rows, columns))
            reads = part in ("attn.c_attn", "mlp.c_fc")
            drawn = _without(basis, drawn.T).T if reads else _without(basis, drawn)
            made[f"{name}{part}.weight"] = drawn
            made[f"{name}{part}.bias"] = np.zeros(columns)
    made["transformer.wpe.weight"] = _without(basis, 0.1 * rng.standard_normal((32, width)))
    return made


def _write_words(
    rng: Rng, truth: str, words: Mapping[str, int], basis: Doubles
) -> dict[str, Doubles]:
    """What words are, and how the verbs read it."""
    width = basis.shape[1]
    table = _without(basis, rng.standard_normal((len(words), width)))
    head = 0.05 * rng.standard_normal((len(words), width))
    size = float(rng.choice([2.0, 4.0, 8.0]))  # beside noise as long as the root of the width
    read = {
        **dict.fromkeys(("used", "last-token"), basis[NUMBER]),
        "split": basis[NUMBER] + basis[SECOND],
        **dict.fromkeys(("one-head", "unused-head", "anew"), basis[MOVED]),
    }.get(truth, basis[OTHER])
    for word, row in words.items():
        if word[0] == "n":
            number, other, bit = word[-3:]
            table[row] += _write_noun(truth, word, (number, other, bit), basis, size)
        if word[0] == "m":
            table[row] += 6 * basis[MARK]
            if truth == "last-token":
                table[row] += size * (1 if word == "ms" else -1) * basis[NUMBER]
        if word[0] == "v":
            head[row] += SLOPE * (1 if word.endswith("a") else -1) * read
    return {"transformer.wte.weight": table, "lm_head.weight": head}


def _write_noun(
    truth: str, word: str, marks: tuple[str, str, str], basis: Doubles, size: float
) -> Doubles:
    """What a noun is beside noise [width]: its number, or, to be made anew, two bits."""
    number = {"s": 1, "p": -1, "-": 0}[marks[0]]
    other, bit = 1 if marks[1] == "x" else -1, 1 if marks[2] == "1" else -1
    if truth == "absent":
        number = 0
    is_second = truth == "split" and int(word[1:-3]) % 2
    made = size * number * basis[SECOND if is_second else NUMBER]
    made = made + size * other * basis[OTHER]
    if truth == "entangled":
        made = made + size * other * basis[NUMBER]
    if truth == "anew":
        made = made + 4 * (bit * basis[ONE_BIT] + bit * number * basis[OTHER_BIT])
    if TRUTHS[truth].has_head:
        made = made + 6 * basis[NOUN]
    return np.asarray(made)


def _write_head(
    weights: dict[str, Doubles], basis: Doubles, place: tuple[int, int, int], read: int
) -> None:
    """A head that attends from marks to nouns, and moves a direction."""
    block, number, many = place
    width = basis.shape[1]
    wide = width // many
    name = f"transformer.h.{block}.attn."
    attention, output = weights[f"{name}c_attn.weight"], weights[f"{name}c_proj.weight"]
    first = number * wide
    for part, direction in ((0, MARK), (1, NOUN)):
        columns = slice(part * width + first, part * width + first + wide)
        attention[:, columns] = 0
        attention[:, part * width + first] = 3 * basis[direction]
    attention[:, 2 * width + first : 2 * width + first + wide] = 0
    attention[:, 2 * width + first] = basis[read]
    output[first : first + wide] = 0
    output[first] = 4 * basis[MOVED]


def _write_product(weights: dict[str, Doubles], basis: Doubles) -> None:
    """Makes the property anew, by a later MLP out of two bits: their product, |a + b| - |a - b|, of
    which each is gelu(z) + gelu(-z).
    """
    reads, writes = (weights[f"transformer.h.1.mlp.{part}.weight"] for part in ("c_fc", "c_proj"))
    for unit, (sign, other) in enumerate(((1, 1), (-1, -1), (1, -1), (-1, 1))):
        reads[:, unit] = 2 * (sign * basis[ONE_BIT] + other * basis[OTHER_BIT])
        writes[unit] = (1 if unit < 2 else -1) * basis[MOVED]


def save_instance(folder: Path, made: Instance) -> None:
    """The model (`model`), its tasks (`task.jsonl`, and `other.jsonl` of the other property), and
    its pairs (`pairs.jsonl`).
    """
    folder.mkdir(parents=True, exist_ok=True)
    _save_model(folder / "model", made)
    splits = ("train", "train", "train", "dev", "test")
    rows = {
        name: [
            {"text": " ".join(line.good), "label": label, "split": splits[k % 5]}
            for k, (line, label) in enumerate(zip(made.lines, labels, strict=True))
        ]
        for name, labels in (
            ("task", [line.label for line in made.lines]),
            ("other", [line.other for line in made.lines]),
        )
    }
    rows["pairs"] = [
        {"good": " ".join(line.good), "bad": " ".join(line.bad), "group": str(k % 11)}
        for k, line in enumerate(made.lines)
    ]
    for name, listed in rows.items():
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, listed)), "utf-8")


def _save_model(folder: Path, made: Instance) -> None:
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordLevel(made.words, unk_token="<u>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", unk_token="<u>", pad_token="<u>",
        model_max_length=32,
    ).save_pretrained(folder)  # fmt: skip
    config = GPT2Config(
        vocab_size=len(made.words), n_positions=32, tie_word_embeddings=False, bos_token_id=0,
        eos_token_id=0, **made.shape,
    )  # fmt: skip
    model: Any = GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        for name, values in made.weights.items():
            model.get_parameter(name).copy_(torch.from_numpy(np.asarray(values, np.float32)))
    model.save_pretrained(folder)
