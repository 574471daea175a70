"""The test examples of data sets, kept once beside the results over them: what is shown of results
needs no corpus then, nor the code or the objects that the data came from.

    91ab23cd45ef67893f8a01c2d4e5f607.items    of one task and one set of test examples, or what one
                                              encoder wrote behind them
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lingprobe.corpora.damage import report_damage
from lingprobe.data.core import DATA_SPLITS, Dataset, Result, Sentence
from lingprobe.data.digests import digest_texts
from lingprobe.store.blocks import DamagedFile, open_block, set_aside, write_block_file

ITEMS_SUFFIX = ".items"


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
    write_block_file(path, "items", facts, {"sites": sites, "asked": dataset.asked}, keep=True)


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
    except DamagedFile as damage:
        set_aside(path, damage)
        return None
    return Dataset.of_columns(
        map(Sentence.of, words, texts, (turns.get(i, ()) for i in range(len(texts)))),
        sites,
        result.gold,
        np.full(len(sites), DATA_SPLITS.index("test"), np.int8),
        asked=(asked, facts["vocabulary"]),
        strata=result.strata,
    )


def write_written(root: Path, result: Result, texts: Sequence[Sequence[str | None]]) -> None:
    """Keep what a model wrote behind the texts of each test example [n, sites] of a result; where
    it is kept already, it stays.
    """
    path = root / _name(result, "encoder")
    if not path.exists():
        write_block_file(path, "written", {"texts": texts}, {}, keep=True)


def read_written(result: Result) -> Sequence[Sequence[str | None]] | None:
    """What a model wrote behind the texts of each test example; None where nothing was kept."""
    path = None if result.folder is None else result.folder / _name(result, "encoder")
    if path is None or (block := open_block(path)) is None:
        return None
    try:
        with report_damage(path, "a file of written texts"):
            found: Sequence[Sequence[str | None]] = block.facts["texts"]
            return found
    except DamagedFile as damage:
        set_aside(path, damage)
        return None


def _name(result: Result, *beside: str) -> str:
    made_with = result.provenance
    known = [made_with.identities.get(kind, "") for kind in ("task", *beside)]
    return digest_texts(*known, made_with.tested) + ITEMS_SUFFIX
