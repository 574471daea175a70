"""Results on disk: one immutable file for each unit of work (trials that share their fit),
predictions included, and one of scores beside it, read only by those who ask for them, or where
the metric of a result judges scores.

    3f8a01c2d4e5f607-91ab23cd45ef6789.result    the ids of its trials all begin with
                                                3f8a01c2d4e5f607
    3f8a01c2d4e5f607-91ab23cd45ef6789.scores    of the same trials

A file's name begins with what the ids of its trials share, so finding a result is reading names.
Files of format 1 have other names, and identities that no longer mean anything: they are read to be
shown, never in place of a measurement.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.damage import report_damage
from lingprobe.data._logits import ProbeLogits
from lingprobe.data.core import Result, Tags, Trial
from lingprobe.data.digests import digest_pieces, hash_bytes
from lingprobe.data.labels import Column, column_from_codes, restore_column
from lingprobe.data.notes import ResultProvenance
from lingprobe.metrics.constant import judges_scores
from lingprobe.store.blocks import (
    BLOCK_FORMAT_VERSION,
    RESULT_FILE_SUFFIXES,
    BlockFile,
    DamagedFile,
    RemovedFile,
    check_is_folder,
    list_folder_files,
    open_block,
    set_aside,
    write_block_file,
)

RESULT_SUFFIX = ".result"
SCORES_SUFFIX = ".scores"  # of files that lie beside them
_BYTE = 255
SHARED_ID_CHARACTERS = (
    16  # characters of its id that a trial shares with the others of its unit of work
)


class ResultStore:
    """Results in one folder, found by trial id. Damaged files are named, set aside as *.damaged,
    and count as missing.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(root)

    def write(self, results: Sequence[tuple[str, Result]]) -> Path:
        """Keep the results of one unit of work (trial id, result) as one file; where that is there
        already, it stays.
        """
        path = self.root / (unit_name([trial_id for trial_id, _ in results]) + RESULT_SUFFIX)
        _write(path, results)
        return path

    def place(self, ids: Sequence[str], number: int = 0) -> Path:
        """What the names of files begin with that hold trials of a unit of work, some or all of
        which are these. Parts of what is cut into several units have a place each.
        """
        return self.root / (_common_prefix(ids) + (f"-{number}" if number else ""))

    def find(self, ids: Iterable[str]) -> dict[str, Result]:
        """The results of those of the trial ids that have one; only files whose name says so are
        read.
        """
        ids, results = set(ids), dict[str, Result]()
        for unit in self._units(may_hold_trial(ids)):
            results |= {
                trial_id: result
                for trial_id, result in unit
                if trial_id in ids and trial_id not in results
            }
        return results

    def ids(self, ids: Iterable[str]) -> set[str]:
        """Those of the trial ids that have a result, whose labels are not read."""
        ids = set(ids)
        blocks = (open_block(path) for path in self._files(may_hold_trial(ids)))
        return {row["id"] for block in blocks if block for row in block.facts["results"]} & ids

    def read(self) -> Iterator[tuple[str, Result]]:
        """Every result with its trial id, each id once; the older file wins.

        The provenance of one that an earlier version kept in another format names that as `format`.
        """
        seen: set[str] = set()
        for unit in self._units(lambda _: True):
            for trial_id, result in unit:
                if trial_id not in seen:
                    seen.add(trial_id)
                    yield trial_id, result

    def facts(self) -> Iterator[tuple[Trial, Mapping[str, Any]]]:
        """The trial of every result and what it was made with, without its labels."""
        for path in self._files(lambda _: True):
            if (block := open_block(path)) is not None:
                yield from (
                    (Trial(**row["trial"]), row["provenance"]) for row in block.facts["results"]
                )

    def _units(self, chosen: Callable[[str], bool]) -> Iterator[list[tuple[str, Result]]]:
        """The units of work in files of chosen names, oldest first."""
        for path in self._files(chosen):
            if (unit := unit_in(path)) is not None:
                scored = _attach_scores(unit, path.with_suffix(SCORES_SUFFIX))
                yield [(trial_id, replace(result, folder=self.root)) for trial_id, result in scored]

    def _files(self, chosen: Callable[[str], bool]) -> Iterator[Path]:
        """Files of chosen names, oldest first."""
        check_is_folder(self.root)
        every = list_folder_files(
            self.root,
            *RESULT_FILE_SUFFIXES,
            chosen=lambda name: name.endswith(RESULT_SUFFIX) and chosen(name),
        )
        yield from (self.root / name for _, name in every)


def unit_in(path: Path) -> list[tuple[str, Result]] | None:
    """The results of a file, with their trial ids; None where it is gone, or damaged and set aside
    now.
    """
    for _ in range(2):  # twice where another file took its place meanwhile
        try:
            block = BlockFile(path)
            with report_damage(path, "a file of results"):
                return _unit(block)
        except (FileNotFoundError, RemovedFile):
            continue
        except DamagedFile as damage:
            set_aside(path, damage)
            return None
    return None


def _attach_scores(unit: list[tuple[str, Result]], path: Path) -> list[tuple[str, Result]]:
    """Results with their scores, which lie in a file beside them, where their metric judges
    these.
    """
    metrics = {result.metric for _, result in unit}
    judged = set(filter(judges_scores, metrics))
    if not judged:
        return unit
    scores = read_scores(path, {trial_id for trial_id, _ in unit}) if path.exists() else {}
    return [
        (trial_id, replace(result, scores=scores.get(trial_id)))
        if result.metric in judged
        else (trial_id, result)
        for trial_id, result in unit
    ]


def _unit(block: BlockFile) -> list[tuple[str, Result]]:
    pool = _StoredPool(block)
    return [(row["id"], _result(row, pool)) for row in block.facts["results"]]


def _write(path: Path, results: Sequence[tuple[str, Result]]) -> None:
    pool = ArrayPool()
    rows = [_store_result_row(trial_id, result, pool) for trial_id, result in results]
    write_block_file(path, "results", {"results": rows, **pool.facts}, pool.arrays, keep=True)


def unit_name(ids: Sequence[str]) -> str:
    """What the files of a unit of work are called, without the suffix: what its ids share, and what
    stands for all of them.
    """
    digest = digest_pieces("\n".join(ids), size=8)
    return f"{_common_prefix(ids)}-{digest}"


def may_hold_trial(ids: Iterable[str]) -> Callable[[str], bool]:
    """Whether a file of this name may hold one of the trials."""
    beginnings = {trial_id[:SHARED_ID_CHARACTERS] for trial_id in ids}

    def is_likely(name: str) -> bool:
        shared, dash, _ = name.partition("-")
        short = (
            len(shared) < SHARED_ID_CHARACTERS
        )  # of trials that share less, which none of a run do
        return bool(dash) and (
            shared in beginnings
            or (short and any(start.startswith(shared) for start in beginnings))
        )

    return is_likely


def _common_prefix(ids: Sequence[str]) -> str:
    """What the ids begin with, as far as it may stand in a file's name."""
    first, last = min(ids), max(ids)
    same = (
        a for a, b in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    )
    return "".join(takewhile(lambda c: c.isascii() and c.isalnum(), same))[:SHARED_ID_CHARACTERS]


class ArrayPool:
    """What the results of one unit of work hold in arrays; equal ones, as the gold labels of its
    trials, are kept once.

    columns of labels go by number, plain arrays by a number of their own. Whole numbers take the
    smallest type that holds them.
    """

    def __init__(self) -> None:
        self.facts: dict[str, list[Any]] = {"columns": [], "plain": []}
        self.arrays: dict[str, NDArray[Any]] = {}
        self._numbers: dict[bytes, int] = {}

    def column(self, column: Column) -> int:
        """The number under which a column of labels is kept."""
        arrays = {key: np.asarray(array) for key, array in column.arrays().items()}
        about = {
            "loss": column.loss,
            "names": list(column.names),
            "partial": bool(column.partial),
        }
        return self._add(
            "columns",
            {**about, "dtypes": {key: array.dtype.str for key, array in arrays.items()}},
            arrays,
        )

    def plain(self, array: NDArray[Any]) -> int:
        """The number under which an array is kept."""
        return self._add("plain", array.dtype.str, {"plain": array})

    def _add(self, kind: str, about: Any, arrays: dict[str, NDArray[Any]]) -> int:
        narrow = {key: _narrow(array) for key, array in arrays.items()}
        content = [
            f"{key}{a.dtype.str}{a.shape}".encode() + a.tobytes()
            for key, a in sorted(narrow.items())
        ]
        digest = hash_bytes(b"\x1e".join([json.dumps([kind, about]).encode(), *content]), 64)
        number = self._numbers.setdefault(digest, len(self.facts[kind]))
        if number == len(self.facts[kind]):
            self.facts[kind].append(about)
            self.arrays |= {f"{number}:{key}": array for key, array in narrow.items()}
        return number


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in the smallest type that holds them, also those of a type for others, as
    distances in trees are, if they fit in a byte; other arrays as they are.
    """
    if not array.size or array.dtype.kind not in "iuf":
        return array
    if array.dtype.kind == "f":
        # -0.0 would lose its sign, and comparisons with NaN are false
        fits = bool(((array >= 0) & (array <= _BYTE) & ~np.signbit(array)).all())
        small = array.astype(np.uint8) if fits else array
        return small if fits and np.array_equal(small, array) else array
    return array.astype(
        np.result_type(np.min_scalar_type(array.min()), np.min_scalar_type(array.max()))
    )


class PackedResult(NamedTuple):
    """A result as JSON and arrays [n, ...] by name, without its probabilities."""

    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    format: int = BLOCK_FORMAT_VERSION

    def array(self, name: str) -> NDArray[Any]:
        """An array [n, ...] by its name."""
        return self.arrays[name]

    @classmethod
    def of(cls, result: Result) -> PackedResult:
        """What `result` makes the result of again."""
        pool = ArrayPool()
        return cls({"result": _store_result_row("", result, pool), **pool.facts}, pool.arrays)

    def result(self) -> Result:
        """The result that was packed."""
        return _result(self.facts["result"], _StoredPool(self))


class _StoredPool:
    """The arrays of a file of results, read and checked; what `ArrayPool` keeps and an earlier
    format has not is absent.
    """

    def __init__(self, block: BlockFile | PackedResult) -> None:
        self.format = block.format
        self.columns = [
            self._column(block, number, about)
            for number, about in enumerate(block.facts["columns"])
        ]
        self.plain = [
            block.array(f"{number}:plain").astype(dtype)
            for number, dtype in enumerate(block.facts.get("plain", ()))
        ]

    @staticmethod
    def _column(block: BlockFile | PackedResult, number: int, about: dict[str, Any]) -> Column:
        arrays = {
            key: block.array(f"{number}:{key}").astype(dtype)
            for key, dtype in about["dtypes"].items()
        }
        return restore_column(about["loss"], arrays, about["names"], about["partial"])


def _store_result_row(trial_id: str, result: Result, pool: ArrayPool) -> dict[str, Any]:
    numbers = {
        "score": float(result.score),
        "low": float(result.low),
        "high": float(result.high),
        "majority": float(result.majority),
    }
    about = {
        "id": trial_id,
        "trial": asdict(result.trial),
        "metric": result.metric,
        "provenance": result.provenance.plain(),
    }
    labels = {"gold": pool.column(result.gold), "predicted": pool.column(result.predicted)}
    strata = {
        key: pool.column(column_from_codes(tags.codes, tags.names))
        for key, tags in result.strata.items()
    }
    clusters = {key: pool.plain(codes) for key, codes in result.clusters.items()}
    return {**about, **numbers, **labels, "strata": strata, "clusters": clusters}


def _result(row: dict[str, Any], pool: _StoredPool) -> Result:
    numbers = (row["score"], row["low"], row["high"], row["majority"])
    tagged = {key: pool.columns[number] for key, number in row.get("strata", {}).items()}
    strata = {key: Tags(column.matrix(), column.names) for key, column in tagged.items()}
    clusters = {key: pool.plain[number] for key, number in row.get("clusters", {}).items()}
    gold, predicted = pool.columns[row["gold"]], pool.columns[row["predicted"]]
    old = {"format": pool.format} if pool.format < BLOCK_FORMAT_VERSION else {}
    return Result(
        Trial(**row["trial"]),
        row["metric"],
        *numbers,
        gold,
        predicted,
        ResultProvenance.read({**row["provenance"], **old}),
        strata,
        clusters,
    )


def write_scores(root: Path, results: Sequence[tuple[str, Result]]) -> None:
    """Keep the scores of one unit of work (trial id, result); that a result has none is kept,
    too.
    """
    pool = ArrayPool()
    rows = [_row_of_scores(trial_id, result.scores, pool) for trial_id, result in results]
    name = unit_name([trial_id for trial_id, _ in results])
    write_block_file(
        root / (name + SCORES_SUFFIX),
        "scores",
        {"scores": rows, **pool.facts},
        pool.arrays,
        keep=True,
    )


def any_scores(root: Path) -> bool:
    """Whether some results were kept with scores."""
    return bool(
        list_folder_files(
            root, *RESULT_FILE_SUFFIXES, chosen=lambda name: name.endswith(SCORES_SUFFIX)
        )
    )


def find_scores(root: Path, ids: Iterable[str]) -> dict[str, ProbeLogits | None]:
    """The scores of those of the trial ids that were fitted with them; None for a probe or labels
    that have no probabilities.
    """
    sought, scores = set(ids), dict[str, ProbeLogits | None]()
    may_hold = may_hold_trial(sought)
    for _, name in list_folder_files(
        root,
        *RESULT_FILE_SUFFIXES,
        chosen=lambda name: name.endswith(SCORES_SUFFIX) and may_hold(name),
    ):
        scores |= read_scores(root / name, sought - scores.keys())
    return scores


def read_scores(path: Path, ids: set[str]) -> dict[str, ProbeLogits | None]:
    """The scores that a file has of some trials."""
    return {
        row["id"]: ProbeLogits(**arrays, link=row["link"]) if arrays else None
        for row, arrays in _rows_of_scores(path, ids)
    }


def _row_of_scores(trial_id: str, scores: ProbeLogits | None, pool: ArrayPool) -> dict[str, Any]:
    if scores is None:
        return {"id": trial_id}
    arrays = {
        "values": pool.plain(scores.values),
        "null": pool.plain(scores.null),
        "rows": pool.plain(scores.rows),
    }
    return {"id": trial_id, "link": scores.link, "arrays": arrays}


def _rows_of_scores(path: Path, ids: set[str]) -> list[tuple[Mapping[str, Any], dict[str, Any]]]:
    """The rows of a file about some trials, each with its arrays; nothing where it is damaged, and
    set aside now.
    """
    block = open_block(path)
    rows = [] if block is None else [row for row in block.facts["scores"] if row["id"] in ids]
    try:
        return [
            (
                row,
                {
                    key: _restore_array(block, number)
                    for key, number in row.get("arrays", {}).items()
                },
            )
            for row in rows
        ]
    except RemovedFile:
        return []
    except DamagedFile as damage:
        set_aside(path, damage)
        return []


def _restore_array(block: Any, number: int) -> Any:
    return np.array(block.array(f"{number}:plain").astype(block.facts["plain"][number]))
