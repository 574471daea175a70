"""How many words of a treebank get other pieces when the model reads the raw text and not the words
joined with spaces.

    python benchmarks/raw_text.py hf:all-MiniLM-L6-v2 UD_English-EWT UD_French-PUD ...

A word's pieces are other ones where their ids differ. What follows each word, too, is what the
model reads: a sentence counts as other where any of its ids does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from lingprobe.corpora.conllu import read_conllu
from lingprobe.corpora.corpus import list_corpus_files
from lingprobe.data.core import Sentence
from lingprobe.encoders import make_encoder
from lingprobe.encoders.tokens import SubwordSplitter, WordSpacing


def pieces(
    tokenizer: object, sentences: Sequence[Sentence], raw: bool
) -> tuple[list[list[int]], list[list[tuple[int, ...]]]]:
    """The ids of each sentence, and those of each of its words."""
    found = SubwordSplitter(tokenizer, 10_000, words=WordSpacing(raw=raw)).of(sentences)
    assert found.words is not None
    return found.ids, [
        [tuple(ids[a:b]) for a, b in words.tolist()]
        for ids, words in zip(found.ids, found.words, strict=True)
    ]


def main(reference: str, banks: Sequence[str]) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(
        make_encoder(reference).files.folder, trust_remote_code=False
    )  # type: ignore[attr-defined]
    print(
        f"{'':24}{'words':>9}{'other pieces':>14}{'none in raw':>13}{'sentences':>11}{'other ids':>11}"
    )
    for bank in banks:
        sentences = [
            tree.sentence
            for part in list_corpus_files([bank], (".conllu",))
            for tree in read_conllu(part.path, "skip")
        ]
        (joined, one), (raw, other) = (pieces(tokenizer, sentences, raw) for raw in (False, True))
        pairs = [pair for a, b in zip(one, other, strict=True) for pair in zip(a, b, strict=True)]
        changed, none = (
            np.mean([a != b for a, b in pairs]),
            np.mean([bool(a) and not b for a, b in pairs]),
        )
        ids = np.mean([a != b for a, b in zip(joined, raw, strict=True)])
        print(
            f"{bank.rstrip('/').rpartition('/')[2]:24}{len(pairs):9,}{changed:14.1%}{none:13.2%}{len(sentences):11,}{ids:11.1%}"
        )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
