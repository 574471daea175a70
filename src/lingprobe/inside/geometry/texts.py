"""Sentences whose vectors are compared: one text, or the same sentences in several languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from lingprobe.api.embedding import named_sentences
from lingprobe.data.core import DataProblem, Sentence

MIN_GEOMETRY_SENTENCES = 40  # sentences
_MOST_PARALLEL = 5_000  # each is looked for among a fifth of them

Texts = Mapping[str, Sequence[Sentence]]
"""Sentences by the name of their text; of several texts sentence i is the same everywhere."""


def read_parallel_texts(corpora: Sequence[str]) -> tuple[Texts, tuple[str, ...]]:
    """The sentences of one corpus, or those that several share, without repeated ones; and what was
    excluded. DataProblem where they are too few, or cannot be paired.
    """
    known = [list(named_sentences(corpus)) for corpus in corpora]
    rows = [(one,) for _, one in known[0]] if len(known) == 1 else _pair_up(corpora, known)
    kept, remarks = _distinct(rows), list[str]()
    if len(kept) < MIN_GEOMETRY_SENTENCES:
        raise DataProblem(
            f"{', '.join(corpora)}: {len(kept)} different sentences; geometry needs"
            f" {MIN_GEOMETRY_SENTENCES}"
        )
    if len(kept) < len(rows):
        remarks.append(f"{len(rows) - len(kept):,} repeated sentences were excluded")
    if len(known) > 1 and len(kept) > _MOST_PARALLEL:
        step = len(kept) / _MOST_PARALLEL
        remarks.append(f"{_MOST_PARALLEL:,} of {len(kept):,} parallel sentences, in even steps")
        kept = [kept[int(i * step)] for i in range(_MOST_PARALLEL)]
    columns = zip(*kept, strict=True)
    return dict(zip(_shorten_paths(corpora), map(list, columns), strict=True)), tuple(remarks)


def _pair_up(
    corpora: Sequence[str], known: Sequence[Sequence[tuple[str, Sentence]]]
) -> list[tuple[Sentence, ...]]:
    """Sentences that are translations of each other: by sent_id where all texts have these, else
    line by line.
    """
    by_id = [dict(text) for text in known]
    if all(len(ids) == len(text) for ids, text in zip(by_id, known, strict=True)):
        shared = [name for name in by_id[0] if all(name in ids for ids in by_id)]
        if shared:
            return [tuple(ids[name] for ids in by_id) for name in shared]
    if len({len(text) for text in known}) > 1:
        sizes = ", ".join(f"{c} {len(t):,}" for c, t in zip(corpora, known, strict=True))
        raise DataProblem(
            "several texts are compared as translations of each other, and these share no sent_id"
            f" and have different numbers of sentences ({sizes}); to compare encoders on all of"
            " them, put them into one file"
        )
    return [tuple(one for _, one in row) for row in zip(*known, strict=True)]


def _distinct(rows: Sequence[tuple[Sentence, ...]]) -> list[tuple[Sentence, ...]]:
    """Rows none of whose sentences occurred before in its text."""
    seen: list[set[Sentence]] = [set() for _ in rows[0]] if rows else []
    kept = []
    for row in rows:
        if not any(one in before for one, before in zip(row, seen, strict=True)):
            kept.append(row)
            for one, before in zip(row, seen, strict=True):
                before.add(one)
    return kept


def _shorten_paths(corpora: Sequence[str]) -> list[str]:
    """The last part of each path, where that is enough to tell them apart."""
    short = [PurePath(corpus).name for corpus in corpora]
    counts = Counter(short)
    if repeated := [corpus for corpus, many in Counter(corpora).items() if many > 1]:
        raise DataProblem(f"{repeated[0]} is named twice")
    return [c if counts[s] > 1 else s for c, s in zip(corpora, short, strict=True)]
