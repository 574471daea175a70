"""How well UDPipe 1 parses a treebank that it was trained on here, and how fast: the baseline of
parsers.

usage: python benchmarks/udpipe.py TREEBANK MODEL

Where there is no file MODEL, UDPipe is first trained on the treebank's train files with the
settings that its manual has as defaults, dev being held out; that takes an hour or so on one core.
Then it tags and parses the test files with gold tokens: percent of words that are right, as
conll18_ud_eval.py counts them, and words a second on one core.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from lingprobe.annotators import make_parser
from lingprobe.annotators.agreement import score_annotations
from lingprobe.annotators.engines.udpipe import train_udpipe
from lingprobe.annotators.parser import extract_annotation
from lingprobe.corpora import conllu
from lingprobe.corpora.files import find_treebank_files


def main(bank: str, model: Path) -> None:
    parts = {
        split: [p.path for p in find_treebank_files(bank) if p.split == split]
        for split in ("train", "dev", "test")
    }
    if not model.exists():
        start = time.perf_counter()
        train_udpipe(parts["train"], model, held=parts["dev"])
        print(f"trained in {(time.perf_counter() - start) / 60:.0f} minutes")
    gold = [tree for path in parts["test"] for tree in conllu.read_conllu(path)]
    made = make_parser(f"udpipe:{model}")
    list(made.annotate([("warm", "up")]))
    start = time.process_time()
    said = list(made.annotate([tree.words for tree in gold]))
    seconds = time.process_time() - start
    words = sum(len(tree.words) for tree in gold)
    for name, value in score_annotations(said, map(extract_annotation, gold)).items():
        print(f"{name:18} {value:.2f}")
    print(f"{len(gold):,} sentences, {words:,} words: {words / seconds:,.0f} words a second")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
