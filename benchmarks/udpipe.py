"""How well UDPipe 1 parses a treebank that it was trained on here, and how fast: the baseline of
parsers.

usage: python benchmarks/udpipe.py TREEBANK MODEL

Where there is no file MODEL, UDPipe is first trained on the treebank's train files with the
settings that its manual has as defaults, dev being held out; that takes an hour or so on one core.
Then it tags and parses the test files with gold tokens: percent of words with the right part of
speech, head (UAS), and head and relation without subtypes (LAS), as conll18_ud_eval.py counts them,
and words a second on one core.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from sonde.annotators import parser
from sonde.annotators.engines.udpipe import train
from sonde.corpora import conllu
from sonde.corpora.files import treebank


def main(bank: str, model: Path) -> None:
    parts = {
        split: [p.path for p in treebank(bank) if p.split == split]
        for split in ("train", "dev", "test")
    }
    if not model.exists():
        start = time.perf_counter()
        train(parts["train"], model, held=parts["dev"])
        print(f"trained in {(time.perf_counter() - start) / 60:.0f} minutes")
    gold = [tree for path in parts["test"] for tree in conllu.read(path)]
    made = parser(f"udpipe:{model}")
    list(made.annotate([("warm", "up")]))
    start = time.process_time()
    said = list(made.annotate([tree.words for tree in gold]))
    seconds = time.process_time() - start
    words = sum(len(tree.words) for tree in gold)
    right = dict.fromkeys(("UPOS", "UAS", "LAS", "LAS with subtypes"), 0)
    for tree, mine in zip(gold, said, strict=True):
        heads = [a == b for a, b in zip(tree.heads, mine.heads, strict=True)]
        named = list(zip(tree.deprels, mine.deprels, strict=True))
        right["UPOS"] += sum(a == b for a, b in zip(tree.upos, mine.upos, strict=True))
        right["UAS"] += sum(heads)
        right["LAS with subtypes"] += sum(
            h and a == b for h, (a, b) in zip(heads, named, strict=True)
        )
        right["LAS"] += sum(
            h and a.partition(":")[0] == b.partition(":")[0]
            for h, (a, b) in zip(heads, named, strict=True)
        )
    for name, count in right.items():
        print(f"{name:18} {100 * count / words:.2f}")
    print(f"{len(gold):,} sentences, {words:,} words: {words / seconds:,.0f} words a second")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
