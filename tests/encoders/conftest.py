"""Small models that the tests make themselves: a tiny BERT, a tiny GPT-2, and a tiny
sentence-transformers model.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from encoders.tokenisers import LINES, word_piece
from lingprobe.data.core import Sentence


@pytest.fixture(scope="session")
def sentences() -> list[Sentence]:
    """Sentences of many lengths, the last one empty."""
    return [*(Sentence.of(line.split()) for line in LINES), Sentence((), "")]


def bert_tokenizer(folder: Path) -> int:
    """Save a word-piece tokeniser; returns how many pieces it has."""
    from transformers import BertTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made = word_piece(LINES, special, 160)
    BertTokenizerFast(tokenizer_object=made, model_max_length=64).save_pretrained(str(folder))
    return int(made.get_vocab_size())


def save_bert(folder: Path) -> Path:
    """Save a BERT with three small layers."""
    import torch
    from transformers import BertConfig, BertModel

    with torch.random.fork_rng():
        torch.manual_seed(0)
        size = {
            "hidden_size": 32,
            "num_hidden_layers": 3,
            "num_attention_heads": 4,
            "intermediate_size": 48,
        }
        model = BertModel(
            BertConfig(
                vocab_size=bert_tokenizer(folder),
                max_position_embeddings=64,
                initializer_range=0.5,
                **size,
            )
        )
    model.save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT of three layers and 32 dimensions that reads 64 tokens."""
    return save_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="session")
def gpt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny GPT-2 of two layers with a byte-level tokeniser that adds no tokens and has no padding
    token.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import GPT2Config, GPT2Model, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("gpt")
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        LINES,
        trainers.BpeTrainer(vocab_size=400, special_tokens=["<|end|>"], initial_alphabet=alphabet),
    )
    PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|end|>", model_max_length=96
    ).save_pretrained(str(folder))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        size = {
            "n_embd": 32,
            "n_layer": 2,
            "n_head": 4,
            "n_positions": 96,
            "initializer_range": 0.3,
        }
        model = GPT2Model(GPT2Config(vocab_size=made.get_vocab_size(), **size))
    model.save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="session")
def sbert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny sentence-transformers model: the tiny BERT, the mean, a dense layer with tanh, unit
    norm; with two prompts.
    """
    import torch
    from sentence_transformers import SentenceTransformer

    try:
        from sentence_transformers.sentence_transformer import modules as models
    except ImportError:  # before version 6
        from sentence_transformers import models

    folder = tmp_path_factory.mktemp("sbert")
    word = models.Transformer(str(save_bert(tmp_path_factory.mktemp("inner"))))
    with torch.random.fork_rng():
        torch.manual_seed(1)
        dense = models.Dense(32, 24)
    model = SentenceTransformer(
        modules=[word, models.Pooling(32), dense, models.Normalize()], device="cpu"
    )
    model.prompts = {"query": "like cats : "}
    model.save(str(folder))
    return folder
