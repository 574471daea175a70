"""How well raw text is split into sentences and words: by rules (UAX 29), and as a parser learns it
from the treebank. F1 on test as conll18_ud_eval.py counts it.

    python benchmarks/splits.py UD_English-EWT UD_Turkish-IMST ...

Learnt from train, or from dev where there is no train; the seconds are of the processor. Rules cut
no script without spaces between words: a dash.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from lingprobe.annotators.segment import Rules
from lingprobe.corpora import conllu
from lingprobe.corpora.corpus import corpus
from lingprobe.data.core import DataProblem
from lingprobe.parts.training.parsers.layout import Paragraph, paragraphs, written_sentence
from lingprobe.parts.training.parsers.splits import paragraph, segmentation
from lingprobe.parts.training.splitting import learn, score_splitter


def read(paths: Sequence[Path]) -> list[Paragraph]:
    """The paragraphs of files."""
    return list(
        paragraphs(written_sentence(tree) for path in paths for tree in conllu.read(path, "skip"))
    )


def by_rules(each: Paragraph) -> Paragraph:
    """A paragraph as rules split it."""
    return paragraph(each.text, Rules().segment(each.text))


def main(*names: str) -> None:
    """Print a row for each treebank."""
    torch.set_num_threads(1)
    print("treebank | learnt from | words | Words: rules, learnt | Sents: rules, learnt | seconds")
    for name in names:
        parts: dict[str, list[Path]] = {}
        for part in corpus([name], (".conllu",)):
            parts.setdefault(part.split, []).append(part.path)
        source = "train" if "train" in parts else "dev"
        train, test = read(parts[source]), read(parts["test"])
        began = time.process_time()
        learnt = learn(train, seed=0)
        spent = time.process_time() - began
        assert learnt is not None
        try:
            rules = segmentation(map(by_rules, test), test)
        except DataProblem:
            rules = {}
        mine = score_splitter(learnt, test)
        many = sum(len(token.words) for each in train for token in each.tokens)
        cells = (
            f"{rules[key]:.2f} {mine[key]:.2f}" if rules else f"– {mine[key]:.2f}"
            for key in ("Words", "Sentences")
        )
        print(name, source, many, *cells, f"{spent:.0f}", sep=" | ", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
