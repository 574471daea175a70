"""Agreement of parses with gold trees, ours beside the official script's (conll18_ud_eval.py, which
is fetched by whoever runs this): gold against itself, and against itself with a fifth of each
column disturbed; and of sentences and words as rules split the text (`splits`).

    python benchmarks/official.py conll18_ud_eval.py UD_Danish-DDT UD_Japanese-GSD
"""

from __future__ import annotations

import importlib.util
import random
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lingprobe.annotators.parser import Annotation
from lingprobe.annotators.segment import Rules
from lingprobe.corpora import conllu
from lingprobe.corpora.text import spaceless
from lingprobe.corpora.trees import Tree
from lingprobe.parts.training.parsers.layout import Paragraph, paragraphs, written_sentence
from lingprobe.parts.training.parsers.scores import agreement
from lingprobe.parts.training.parsers.splits import paragraph, segmentation
from lingprobe.parts.training.parsers.treebank import dependencies
from lingprobe.tasks.sources import treebanks

COMPARED = ("UPOS", "XPOS", "UFeats", "UAS", "LAS")


def main(script: str, *names: str) -> None:
    """Print a row for each treebank and comparison; exit with an error where the two differ."""
    official = _module(Path(script))
    differ = 0
    for name in names:
        sources = treebanks(name, (), (".conllu",))
        trees = [tree for s in sources for tree in conllu.read(s.part.path, "skip")]
        gold = list(map(dependencies, trees))
        draws = random.Random(0)
        disturbed = [
            _disturbed(each, len(t.words), draws) for each, t in zip(gold, trees, strict=True)
        ]
        for kind, mine in (("itself", gold), ("disturbed", disturbed)):
            ours = agreement(mine, gold)
            theirs = official.evaluate(*(_loaded(official, trees, some) for some in (gold, mine)))
            told = {m: (ours[m], 100 * theirs[m].f1) for m in COMPARED if m in ours}
            differ += any(abs(a - b) > 1e-9 for a, b in told.values())
            print(name, kind, *(f"{m} {a:.2f} {b:.2f}" for m, (a, b) in told.items()))
        differ += _differ(official, name, trees)
    sys.exit(differ > 0)


def _differ(official: Any, name: str, trees: Sequence[Tree]) -> bool:
    """Print how well rules split the text of some trees, and whether the two counts differ; those of
    words may by hundredths, as the script lets words into a multiword span that stand before it.
    """
    gold = [each for each in paragraphs(map(written_sentence, trees)) if not spaceless(each.text)]
    mine = [paragraph(each.text, Rules().segment(each.text)) for each in gold]
    ours = segmentation(mine, gold)
    theirs = official.evaluate(*(_loaded_rows(official, map(_rows, some)) for some in (gold, mine)))
    told = {m: (value, 100 * theirs[m].f1) for m, value in ours.items()}
    print(name, "splits", *(f"{m} {a:.2f} {b:.2f}" for m, (a, b) in told.items()))
    return any(abs(a - b) > 1e-9 for m, (a, b) in told.items() if m != "Words")


def _rows(each: Paragraph) -> str:
    """A paragraph in CoNLL-U, of words in a chain."""
    rows, start, number = list[str](), 0, 0
    for token in each.tokens:
        form, start = each.text[start : token.stop].strip(), token.stop
        many = len(token.words)
        if many > 1:
            rows.append(f"{number + 1}-{number + many}\t{form}" + "\t_" * 8)
        for word in token.words if many > 1 else [form]:
            rows.append(f"{number + 1}\t{word}\t_\tX\t_\t_\t{number}\tdep\t_\t_")
            number += 1
        if token.last:
            rows, number = [*rows, ""], 0
    return "\n".join(rows) + "\n"


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("official", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _disturbed(gold: Annotation, many: int, draws: random.Random) -> Annotation:
    """A fifth of the values of each column replaced."""

    def column(values: tuple[str, ...], other: str) -> tuple[str, ...]:
        said = [other if draws.random() < 0.2 else v for v in values or ("_",) * many]
        return tuple(said) if any(v != "_" for v in said) else ()

    return replace(
        gold,
        upos=column(gold.upos, "X"),
        xpos=column(gold.xpos, "XX"),
        feats=column(gold.feats, "_"),
        deprels=tuple("dep" if draws.random() < 0.2 else v for v in gold.deprels),
    )


def _loaded(official: Any, trees: Sequence[Tree], told: Sequence[Annotation]) -> Any:
    """Annotation as the official script reads it, over words without spaces inside."""
    blocks = []
    for tree, each in zip(trees, told, strict=True):
        blank = ("_",) * len(tree.words)
        columns = (
            [word.replace(" ", "") for word in tree.words],
            blank,
            each.upos or blank,
            each.xpos or blank,
            each.feats or blank,
            [str(head + 1) for head in each.heads],
            each.deprels,
            blank,
            blank,
        )
        rows = enumerate(zip(*columns, strict=True), 1)
        blocks.append("".join(f"{i}\t" + "\t".join(cells) + "\n" for i, cells in rows) + "\n")
    return _loaded_rows(official, blocks)


def _loaded_rows(official: Any, blocks: Iterable[str]) -> Any:
    """Blocks of CoNLL-U as the official script reads them."""
    with tempfile.NamedTemporaryFile("w", suffix=".conllu", encoding="utf-8") as file:
        file.write("".join(blocks))
        file.flush()
        return official.load_conllu_file(file.name)


if __name__ == "__main__":
    main(*sys.argv[1:])
