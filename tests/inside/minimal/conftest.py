"""Small language models: one that learnt agreement from sentences of ours, and one that learnt
nothing and reads masks.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

NOUNS = ("boy", "girl", "dog", "cat", "king", "nurse")
VERBS = ("run", "sleep", "sing", "wait", "laugh", "fall")


def noun(stem: str, plural: bool) -> str:
    return stem + "s" * plural


def verb(stem: str, plural: bool) -> str:
    return stem + "s" * (not plural)


def clause(subject: int, other: int, act: int, plural: bool, attractor: bool) -> tuple[str, str]:
    """A clause whose verb agrees with its first noun, and the same with the other form."""
    start = f"the {noun(NOUNS[subject], plural)} near the {noun(NOUNS[other], attractor)}"
    return f"{start} {verb(VERBS[act], plural)}", f"{start} {verb(VERBS[act], not plural)}"


CLAUSES = [
    clause(*each)
    for each in itertools.product(range(6), range(6), range(6), (False, True), (False, True))
]
TRAIN, TEST = [p for i, p in enumerate(CLAUSES) if i % 5], CLAUSES[::5]


def save_tokenizer(folder: Path, special: dict[str, str]) -> int:
    """Words are tokens; returns how many there are."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = sorted({word for pair in CLAUSES for text in pair for word in text.split()})
    made = Tokenizer(
        models.WordLevel({w: i for i, w in enumerate([*special.values(), *words])}, "<unk>")
    )
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=32, **special).save_pretrained(
        str(folder)
    )
    return len(words) + len(special)


@pytest.fixture(scope="session")
def agreeing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GPT-2 of one layer that was trained on clauses whose verbs agree."""
    import torch
    from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel

    folder = tmp_path_factory.mktemp("agreeing")
    size = save_tokenizer(folder, {"bos_token": "<s>", "unk_token": "<unk>"})
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    ids = torch.tensor([[0, *tokenizer(good)["input_ids"]] for good, _ in TRAIN])
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = GPT2Config(
            vocab_size=size, n_positions=32, n_embd=32, n_layer=1, n_head=2, bos_token_id=0,
            eos_token_id=0, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0,
        )  # fmt: skip
        model = GPT2LMHeadModel(config)
        descent = torch.optim.Adam(model.parameters(), 1e-2)
        for _ in range(120):
            rows = ids[torch.randint(len(ids), (64,))]
            descent.zero_grad()
            model(input_ids=rows, labels=rows).loss.backward()
            descent.step()
    model.eval().save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="session")
def masking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT with random weights that predicts masked pieces, two letters each."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("masking")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = "abcdefghijklmnopqrstuvwxyz."
    pieces = [*special, *letters, *(f"##{letter}" for letter in letters)]
    pieces += [f"{mark}{a}{b}" for mark in ("", "##") for a in letters for b in "aeiou"]
    made = Tokenizer(models.WordPiece({p: i for i, p in enumerate(pieces)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=64, **dict(zip(names, special, strict=True))
    ).save_pretrained(str(folder))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=len(pieces), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
            intermediate_size=48, max_position_embeddings=64, initializer_range=0.5,
        )  # fmt: skip
        BertForMaskedLM(config).eval().save_pretrained(str(folder))
    return folder
