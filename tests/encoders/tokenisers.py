"""Small tokenisers of every kind that models use, trained here, and one that does not say where its
pieces come from.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import PreTrainedTokenizer, PreTrainedTokenizerFast

CORPUS = [
    "The cat sat on the mat .",
    "Dogs don't like cats , he said .",
    "Incomprehensibilities were never her thing !",
    "Zażółć gęślą jaźń , powiedział kot .",
    "Mr. Immelt chose to focus on the incomprehensibility of accounting rules .",
] * 3
QUIET = {"show_progress": False}
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
ENDS = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])

LINES = [
    "The cat sat on the mat .",
    "Dogs don't like cats , he said .",
    "Incomprehensibilities were never her thing !",
    "Zażółć gęślą jaźń , powiedział kot .",
    "A",
    (
        "She has been running for hours and hours , and still she runs on and on without an end in"
        " sight ."
    ),
    "I saw him",
    "Mr. Immelt chose to focus on the incomprehensibility of accounting rules .",
]


def word_piece(
    corpus: list[str] = CORPUS, special: list[str] = SPECIAL, size: int = 120
) -> Tokenizer:
    """As BERT's. The vocabulary is the same in every process, which that of the trainer of word
    pieces is not: it settles ties by the order of a hash map.
    """
    normalizer, splitter = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    words = [
        word
        for line in corpus
        for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(line))
    ]
    letters = sorted(set("".join(words)))
    counts = Counter(
        "##" * (start > 0) + word[start:end]
        for word in words
        for start, end in itertools.combinations(range(len(word) + 1), 2)
        if end - start > 1
    )
    pieces = [*special, *letters, *(f"##{letter}" for letter in letters)]
    pieces += sorted(counts, key=lambda piece: (-counts[piece], len(piece), piece))
    vocabulary = {piece: number for number, piece in enumerate(pieces[:size])}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer, made.post_processor = normalizer, splitter, ENDS
    return made


def byte_level(prefix: bool = False, trim: bool = False) -> Tokenizer:
    """As GPT-2's, or, with a space put before the text and offsets without spaces, as RoBERTa's."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer, made.decoder = (
        pre_tokenizers.ByteLevel(add_prefix_space=prefix),
        decoders.ByteLevel(),
    )
    made.post_processor = processors.ByteLevel(trim_offsets=trim)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, **QUIET)
    )
    return made


def unigram(split: bool = False) -> Tokenizer:
    """As that of XLM-R, or, with words split at spaces first, T5's."""
    made = Tokenizer(models.Unigram())
    marked = pre_tokenizers.Metaspace()
    made.pre_tokenizer = (
        pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), marked]) if split else marked
    )
    made.normalizer = normalizers.NFKC()
    made.train_from_iterator(
        CORPUS,
        trainers.UnigramTrainer(vocab_size=70, unk_token="[UNK]", special_tokens=SPECIAL, **QUIET),
    )
    made.post_processor = ENDS
    return made


def byte_fallback() -> Tokenizer:
    """As Llama's: spaces are replaced before anything is split, and unknown letters are spelt in
    bytes.
    """
    made = Tokenizer(models.BPE(unk_token="[UNK]", byte_fallback=True))
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    known = [*SPECIAL, *(f"<0x{i:02X}>" for i in range(256))]
    # no piece is to reach over a space
    made.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    made.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=340, special_tokens=known, **QUIET)
    )
    made.pre_tokenizer = None
    return made


def ends_of_words() -> Tokenizer:
    """As the first GPT's: lower case, with </w> at the end of words."""
    made = Tokenizer(models.BPE(unk_token="[UNK]", end_of_word_suffix="</w>"))
    made.normalizer, made.pre_tokenizer = (
        normalizers.BertNormalizer(),
        pre_tokenizers.BertPreTokenizer(),
    )
    trainer = trainers.BpeTrainer(
        vocab_size=120, special_tokens=SPECIAL, end_of_word_suffix="</w>", **QUIET
    )
    made.train_from_iterator(CORPUS, trainer)
    return made


KINDS: dict[str, Callable[[], Tokenizer]] = {
    "word piece": word_piece,
    "byte level": byte_level,
    "byte level, space before": lambda: byte_level(prefix=True),
    "byte level, trimmed": lambda: byte_level(trim=True),
    "byte level, space before, trimmed": lambda: byte_level(prefix=True, trim=True),
    "unigram": unigram,
    "unigram, split": lambda: unigram(split=True),
    "byte fallback": byte_fallback,
    "ends of words": ends_of_words,
}


def fast(made: Tokenizer, limit: int = 10_000) -> PreTrainedTokenizerFast:
    """The tokeniser as transformers loads it."""
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=limit)


class Slow(PreTrainedTokenizer):
    """A tokeniser written in Python, that does not say where its pieces come from: pieces of three
    letters, spaces kept on demand.

    'q' is a letter that it drops.
    """

    def __init__(self, keeps_spaces: bool = False, **rest: Any) -> None:
        self.keeps_spaces, self.table = keeps_spaces, {"[CLS]": 0, "[SEP]": 1}
        super().__init__(
            cls_token="[CLS]", sep_token="[SEP]", special_tokens_pattern="cls_sep", **rest
        )

    @property
    def vocab_size(self) -> int:
        return len(self.table)

    def get_vocab(self) -> dict[str, int]:
        return dict(self.table)

    def _tokenize(self, text: str, **_: Any) -> list[str]:
        found = []
        for number, word in enumerate(text.replace("q", "").split(" ")):
            found += ["_"] if number and self.keeps_spaces else []
            found += [word[i : i + 3] for i in range(0, len(word), 3)]
        return found

    def _convert_token_to_id(self, token: str) -> int:
        return self.table.setdefault(token, len(self.table))

    def _convert_id_to_token(self, index: int) -> str:
        return next(token for token, number in self.table.items() if number == index)
