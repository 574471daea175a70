"""Agreement of parses with gold trees, ours beside the official script's (conll18_ud_eval.py, which
is fetched by whoever runs this): gold against itself, and against itself with a fifth of each
column disturbed.

    python benchmarks/official.py conll18_ud_eval.py UD_Danish-DDT UD_Japanese-GSD
"""

from __future__ import annotations

import importlib.util
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lingprobe.annotators.agreement import score_annotations
from lingprobe.annotators.parser import Annotation, extract_annotation
from lingprobe.corpora import conllu
from lingprobe.corpora.trees import TreeColumns
from lingprobe.tasks.sources import find_corpus_files

COMPARED = ("UPOS", "XPOS", "UFeats", "UAS", "LAS")


def main(script: str, *names: str) -> None:
    """Print a row for each treebank and comparison; exit with an error where the two differ."""
    official = _module(Path(script))
    differ = 0
    for name in names:
        sources = find_corpus_files(name, (), (".conllu",))
        trees = [tree for s in sources for tree in conllu.read_conllu(s.part.path, "skip")]
        gold = list(map(extract_annotation, trees))
        draws = random.Random(0)
        disturbed = [
            _disturbed(each, len(t.words), draws) for each, t in zip(gold, trees, strict=True)
        ]
        for kind, mine in (("itself", gold), ("disturbed", disturbed)):
            ours = score_annotations(mine, gold)
            theirs = official.evaluate(*(_loaded(official, trees, some) for some in (gold, mine)))
            told = {m: (ours[m], 100 * theirs[m].f1) for m in COMPARED if m in ours}
            differ += any(abs(a - b) > 1e-9 for a, b in told.values())
            print(name, kind, *(f"{m} {a:.2f} {b:.2f}" for m, (a, b) in told.items()))
    sys.exit(differ > 0)


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


def _loaded(official: Any, trees: Sequence[TreeColumns], told: Sequence[Annotation]) -> Any:
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
    with tempfile.NamedTemporaryFile("w", suffix=".conllu", encoding="utf-8") as file:
        file.write("".join(blocks))
        file.flush()
        return official.load_conllu_file(file.name)


if __name__ == "__main__":
    main(*sys.argv[1:])
