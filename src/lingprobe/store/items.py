"""The test examples of data sets, kept once beside the results over them: what is shown of results
needs no corpus then, nor the code or the objects that the data came from.

    91ab23cd45ef67893f8a01c2d4e5f607.items    of one task and one set of test examples
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lingprobe.corpora.damage import report_damage
from lingprobe.data.core import SPLITS, Dataset, Result, Sentence
from lingprobe.data.digests import digest_texts
from lingprobe.store.blocks import Damaged, open_block, set_aside, write

ITEMS = ".items"


def write_items(root: Path, result: Result, dataset: Dataset) -> None:
    """Keep the test examples of a result, in its order; where they are kept already, they stay."""
    path = root / _name(result)
    if path.exists():
        return
    used, numbers = np.unique(dataset.sites[:, :, 0], return_inverse=True)
    sentences = [dataset.sentences[i] for i in used.tolist()]
    facts = {
        "texts": [sentence.text for sentence in sentences],
        "words": [[*sentence.words] for sentence in sentences],
        "turns": {i: s.turns for i, s in enumerate(sentences) if s.turns},
        "vocabulary": [*dataset.vocabulary],
    }
    sites = dataset.sites.copy()
    sites[:, :, 0] = numbers.reshape(sites.shape[:2])
    write(path, "items", facts, {"sites": sites, "asked": dataset.asked}, keep=True)


def read_items(result: Result) -> Dataset | None:
    """The test examples of a result as they were measured, with its labels; None where they were
    not kept.
    """
    path = None if result.folder is None else result.folder / _name(result)
    if path is None or (block := open_block(path)) is None:
        return None
    try:
        with report_damage(path, "a file of test examples"):
            facts = block.facts
            texts, words = facts["texts"], facts["words"]
            turns = {int(i): each for i, each in facts.get("turns", {}).items()}
            sites, asked = np.array(block.array("sites")), np.array(block.array("asked"))
    except Damaged as damage:
        set_aside(path, damage)
        return None
    return Dataset.of_columns(
        map(Sentence.of, words, texts, (turns.get(i, ()) for i in range(len(texts)))),
        sites,
        result.gold,
        np.full(len(sites), SPLITS.index("test"), np.int8),
        asked=(asked, facts["vocabulary"]),
        strata=result.strata,
    )


def _name(result: Result) -> str:
    made_with = result.provenance
    return digest_texts(made_with.identities.get("task", ""), made_with.tested) + ITEMS
