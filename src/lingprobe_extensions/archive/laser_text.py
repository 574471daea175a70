"""What LASER reads of a text (Artetxe & Schwenk 2019, section 3.2): normalised, lower case, in
pieces of words.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lingprobe import DataProblem
from lingprobe.extend import describe_install, digest_files, report_damage
from lingprobe_extensions.archive.bpe import read_codes

_CUT_BY_OTHERS = {
    "zh": "Chinese was cut into words by jieba",
    "ja": "Japanese was cut into words by MeCab",
    "el": "Greek was written in Latin letters",
}
"""What the published pipeline does to these languages, and this one does not."""

TEXT_RULES_VERSION = "text=3"
"""Changed whenever texts are read in another way, so that no vector made before is reused."""
Rules = tuple[tuple[str, str], ...]
_QUOTES_BEFORE: Rules = ((',"', '",'), (r'(\.+)"(\s*[^<])', r'"\1\2'))
_QUOTES: dict[str, Rules] = {"en": ((r'"([,.]+)', r'\1"'),), "cs": (), "cz": ()}
"""By language, whether commas and full stops stand before or behind a closing quotation mark, where
not before (normalize-punctuation.perl of moses-smt/mosesdecoder)."""


@dataclass(frozen=True)
class SubwordSegmenter:
    """From texts to the pieces that a model has numbers for."""

    cut: Callable[[str], Sequence[str]]

    def of(self, text: str) -> Sequence[str]:
        """The pieces of a text."""
        return self.cut(text)


def replace_unprintable(text: str) -> str:
    """The text with spaces for what cannot be printed (Unicode's category C)."""
    if text.isprintable():
        return text
    return "".join(" " if unicodedata.category(c)[0] == "C" else c for c in text)


def by_codes(codes: Path, vocabulary: Path | None, language: str) -> SubwordSegmenter:
    """The model of 93 languages, with the rules of Moses (`lang=`), then BPE; `zh`, `ja` and `el`
    are refused. DataProblem.
    """
    if language in _CUT_BY_OTHERS:
        raise DataProblem(
            f"lang={language}: for this model {_CUT_BY_OTHERS[language]}, which lingprobe does not"
            " do; take LASER2, or do it and write lang=en"
        )
    marks = digest_files([codes, *([vocabulary] if vocabulary else [])])
    return _by_codes(codes, vocabulary, language, marks)


@functools.lru_cache(maxsize=2)
def _by_codes(codes: Path, vocabulary: Path | None, language: str, marks: str) -> SubwordSegmenter:
    moses, pairs = (
        MosesTokenizer(_library("sacremoses", codes), language),
        read_codes(codes, vocabulary),
    )
    return SubwordSegmenter(
        lambda text: [piece for word in moses.words(text) for piece in pairs.pieces(word)]
    )


def normaliser_of(library: Any, language: str, **options: bool) -> Any:
    """Moses' normalisation of punctuation, as its Perl program did it in release 4.0, which LASER's
    programs install and its package imitates: ‘ and ‚ are double quotation marks.
    """
    made = library.MosesPunctNormalizer(language, perl_parity=True, **options)
    made.substitutions = [
        (sign, '"' if sign in ("‘", "‚") else new) for sign, new in made.substitutions
    ]
    return made


class MosesTokenizer:
    """Moses' normalisation of punctuation and tokenisation by the rules of a language, as its Perl
    programs do them.
    """

    def __init__(self, library: Any, language: str) -> None:
        # the library has the rules for quotation marks for four languages alone, and misses a full
        # stop that ends a line
        self.normaliser = normaliser_of(library, language, norm_quote_commas=False)
        self.tokenizer = library.MosesTokenizer(language)
        self.quotes = _QUOTES.get(language, _QUOTES_BEFORE)

    def words(self, text: str) -> list[str]:
        """The words of a text, lower case."""
        plain = self.normaliser.normalize(replace_unprintable(text)) + "\n"
        for pattern, replacement in self.quotes:
            plain = re.sub(pattern, replacement, plain)
        return [word.lower() for word in self.tokenizer.tokenize(plain, escape=False)]


def by_sentencepiece(model: Path) -> SubwordSegmenter:
    """LASER2 and LASER3 as the authors' package `laser_encoders` reads texts: punctuation is
    normalised by the rules for English whatever the language, then comes sentencepiece.
    """
    return _by_sentencepiece(model, digest_files([model]))


@functools.lru_cache(maxsize=2)
def _by_sentencepiece(model: Path, mark: str) -> SubwordSegmenter:
    normaliser = normaliser_of(_library("sacremoses", model), "en")
    sentencepiece = _library("sentencepiece", model)
    with report_damage(model, "a sentencepiece model"):
        processor = sentencepiece.SentencePieceProcessor(model_file=str(model))

    def cut(text: str) -> list[str]:
        plain = normaliser.normalize(replace_unprintable(text)).lower()
        pieces: list[str] = processor.encode(plain, out_type=str)
        return pieces

    return SubwordSegmenter(cut)


def _library(name: str, path: Path) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise DataProblem(f"{path} is read with {name}: {describe_install('laser')}") from None
