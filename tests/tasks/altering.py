"""Corpora whose sentences are altered."""

from pathlib import Path

import numpy as np

from lingprobe.corpora.files import CorpusPart
from lingprobe.corpora.views import RunningText
from lingprobe.tasks.parsed_corpora import ParsedCorpus
from lingprobe.tasks.shards import TAGS_COLUMN, CorpusShard, FindingCoder
from lingprobe.tasks.sources import NamedFile


def corpus_of(sentences, tags=(), **findings):
    """A parsed corpus of some sentences, in memory, with what rules say of each."""
    said = {TAGS_COLUMN: list(tags) or [()] * len(sentences), **findings}
    shard = CorpusShard(lambda tally: [RunningText(sentences)], lambda *_: said, FindingCoder())
    splits = np.full(len(sentences), -1, np.int8)
    return ParsedCorpus((NamedFile("", CorpusPart("", Path())),), (shard,), splits)


def made(found):
    """The candidates, each with the places that its words had."""
    rows = np.arange(len(found))
    origins = [list(one.origins) for one in found.edit.alter_rows(found.corpus, found.rows)]
    return list(zip(found.read(rows), origins, strict=True))
