"""Results on disk: one immutable file for each unit of work (trials that share their fit), predictions included."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonde.core import Result, Tags, Trial
from sonde.store.blocks import Block, Damaged, StoreProblem, listed, opened, set_aside, write
from sonde.targets import Classes, Column, restored

SUFFIX = ".result"


class ResultStore:
    """Results in one folder, found by trial id. Damaged files are named, set aside as *.damaged, and count as missing."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root)
        self._units: dict[str, Block] = {}

    def write(self, unit: str, results: Sequence[tuple[str, Result]]) -> None:
        """Keep the results of one unit of work (trial id, result) as one file."""
        columns = _Columns()
        rows = [_row(trial_id, result, columns) for trial_id, result in results]
        name = unit if re.fullmatch(r"[A-Za-z0-9_-]{1,120}", unit) else hashlib.blake2b(unit.encode(), digest_size=16).hexdigest()
        facts = {"unit": unit, "results": rows, "columns": columns.facts}
        self._units.pop(name + SUFFIX, None)
        write(self.root / (name + SUFFIX), "results", facts, columns.arrays)

    def ids(self) -> set[str]:
        """The trial ids that have a result; what has one was read and checked."""
        return {row["id"] for block in self._blocks() for row in block.facts["results"]}

    def find(self, ids: Iterable[str]) -> dict[str, Result]:
        """The results of those of the trial ids that have one."""
        wanted, found = set(ids), dict[str, Result]()
        for block in self._blocks():
            chosen = [row for row in block.facts["results"] if row["id"] in wanted and row["id"] not in found]
            if chosen:
                columns = _read_columns(block)
                found |= {row["id"]: _result(row, columns) for row in chosen}
        return found

    def read(self) -> Iterator[tuple[str, Result]]:
        """Every result with its trial id, each id once; the older file wins."""
        seen: set[str] = set()
        for block in self._blocks():
            columns = _read_columns(block)
            for row in block.facts["results"]:
                if row["id"] not in seen:
                    seen.add(row["id"])
                    yield row["id"], _result(row, columns)

    def facts(self) -> Iterator[tuple[Trial, Mapping[str, Any]]]:
        """The trial of every result and what it was made with, without its labels."""
        yield from ((Trial(**row["trial"]), row["provenance"]) for block in self._blocks() for row in block.facts["results"])

    def _blocks(self) -> Iterator[Block]:
        """The units of work, oldest first, each read and checked once."""
        if self.root.exists() and not self.root.is_dir():
            raise StoreProblem(f"{self.root} is a file: name a folder for the results")
        for _, name in listed(self.root, SUFFIX, ".experiment"):
            if not name.endswith(SUFFIX):
                continue
            block = self._units.get(name) or opened(self.root / name)
            if block is None:
                continue
            try:
                block.check()
            except Damaged as damage:
                set_aside(block.path, damage)
                continue
            self._units[name] = block
            yield block


class _Columns:
    """Label columns of one unit of work; equal ones, as the gold labels of its trials, are kept once."""

    def __init__(self) -> None:
        self.facts: list[dict[str, Any]] = []
        self.arrays: dict[str, NDArray[Any]] = {}
        self._numbers: dict[bytes, int] = {}

    def add(self, column: Column) -> int:
        """The number under which a column is kept."""
        arrays = {key: _narrow(np.asarray(array)) for key, array in column.arrays().items()}
        about = {"loss": column.loss, "names": list(column.names), "partial": bool(getattr(column, "partial", False))}
        content = [f"{key}{a.dtype.str}".encode() + a.tobytes() for key, a in sorted(arrays.items())]
        digest = hashlib.blake2b(b"\x1e".join([json.dumps(about).encode(), *content])).digest()
        if digest not in self._numbers:
            self._numbers[digest] = len(self.facts)
            self.facts.append({**about, "dtypes": {key: array.dtype.str for key, array in column.arrays().items()}})
            self.arrays |= {f"{self._numbers[digest]}:{key}": array for key, array in arrays.items()}
        return self._numbers[digest]


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in the smallest type that holds them; other arrays as they are."""
    if array.dtype.kind not in "iu" or not array.size:
        return array
    return array.astype(np.result_type(np.min_scalar_type(array.min()), np.min_scalar_type(array.max())))


def _read_columns(block: Block) -> list[Column]:
    return [
        restored(
            about["loss"],
            {key: block.array(f"{n}:{key}").astype(dtype) for key, dtype in about["dtypes"].items()},
            about["names"],
            about["partial"],
        )
        for n, about in enumerate(block.facts["columns"])
    ]


def _row(trial_id: str, result: Result, columns: _Columns) -> dict[str, Any]:
    numbers = {key: float(getattr(result, key)) for key in ("score", "low", "high", "majority")}
    gold, predicted = columns.add(result.gold), columns.add(result.predicted)
    strata = {key: columns.add(Classes(tags.codes, tags.names)) for key, tags in result.strata.items()}
    about = {"id": trial_id, "trial": asdict(result.trial), "metric": result.metric, "provenance": result.provenance}
    return {**about, **numbers, "gold": gold, "predicted": predicted, "strata": strata}


def _result(row: dict[str, Any], columns: Sequence[Column]) -> Result:
    numbers = (row["score"], row["low"], row["high"], row["majority"])
    tagged = {key: columns[number] for key, number in row.get("strata", {}).items()}
    strata = {key: Tags(column.matrix(), column.names) for key, column in tagged.items()}
    gold, predicted = columns[row["gold"]], columns[row["predicted"]]
    return Result(Trial(**row["trial"]), row["metric"], *numbers, gold, predicted, row["provenance"], strata)
