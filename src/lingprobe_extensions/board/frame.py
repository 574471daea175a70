"""Fits as rows of a Parquet file, and as results again: all columns but the last three follow from
these, which are what the store keeps of a result, answers included. So every score, interval and
comparison can be computed anew.

What is excluded: tags of examples that are words of the data, and probabilities.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe import DataProblem, Result, Tags
from lingprobe.extend import (
    PackedResult,
    are_shown_singly,
    get_encoder_kind,
    hash_bytes,
    open_draft,
    report_damage,
    strip_fold,
    strip_folders,
    try_parse_reference,
)

CONSTANT_ANSWER = "(constant)"  # what tables call the best constant answer
_NUMBERS = "iufb"  # kinds of numbers that arrays may hold; no objects


@dataclass(frozen=True, slots=True)
class FitRow:
    """One fit of a probe, as a row of the file; scores are percent.

    fold      '' for a task without folds
    floor     the best score of a baseline or constant answer on the task, and what scored it
    ceiling   the best score of an oracle with the same probe, and which; NaN without
    identity  a digest of what decides the numbers: the identities of task, encoder, probe, control
              and metric, the layer and the seed
    versions  of packages, as JSON
    packed    the result as JSON; arrays: its labels and clusters; digest: of these two
    """

    task: str
    encoder: str
    layer: str
    probe: str
    control: str
    seed: int
    fold: str
    metric: str
    kind: str
    score: float
    low: float
    high: float
    majority: float
    n: int
    floor: float
    floor_of: str
    ceiling: float
    ceiling_of: str
    identity: str
    versions: str
    date: str
    packed: str
    arrays: Sequence[Mapping[str, Any]]
    digest: str

    def result(self) -> Result:
        """The result of the fit; DataProblem where it is none."""
        try:
            arrays = {each["name"]: _array(each) for each in self.arrays}
            return PackedResult(json.loads(self.packed), arrays).result()
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise DataProblem(f"packed contains no result ({error!r})") from error

    def columns(self) -> dict[str, Any]:
        """The row by name, without a copy of what it holds."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def seal(self) -> str:
        """The digest of what is packed."""
        said = (f"{each['name']} {each['dtype']} {each['values'].hex()}" for each in self.arrays)
        return digest_strings(self.packed, *said)


def _array(packed: Mapping[str, Any]) -> Any:
    """An array of numbers in memory; nothing else is read."""
    dtype = np.dtype(packed["dtype"])
    if dtype.kind not in _NUMBERS:
        raise ValueError(f"{packed['name']} is not an array of numbers")
    return np.frombuffer(packed["values"], dtype)


def fit_of(result: Result) -> FitRow:
    """A result as a row, its baseline and upper bound still open; no folder of this machine is in
    it.
    """
    facts, arrays, _ = PackedResult.of(strip_private(result))
    packed = [
        {"name": name, "dtype": each.dtype.str, "values": each.tobytes()}
        for name, each in arrays.items()
    ]
    fit = FitRow(
        **plain_columns(result),
        floor=math.nan,
        floor_of="",
        ceiling=math.nan,
        ceiling_of="",
        packed=json.dumps(facts, ensure_ascii=False, default=str),
        arrays=packed,
        digest="",
    )
    return replace(fit, digest=fit.seal())


def strip_private(result: Result) -> Result:
    """No text of the data and no path of your machine: a result without folders in its notes,
    probabilities, and words of the data among its tags.
    """
    said = replace(result.provenance, notes=strip_folders(result.provenance.notes), commit=None)
    return replace(result, provenance=said, strata=_list_group_tags(result), scores=None)


def plain_columns(result: Result) -> dict[str, Any]:
    """The columns of a row that follow from its result alone, by name."""
    trial, said = result.trial, result.provenance
    fold = fold_of(trial.task)
    identities = map(str, sorted(said.identities.items()))
    return {
        "task": trial.task,
        "encoder": trial.encoder,
        "layer": trial.read,
        "probe": trial.probe,
        "control": trial.control,
        "seed": trial.seed,
        "fold": fold if "/" in fold else "",
        "metric": result.metric,
        "kind": get_encoder_kind(result),
        "score": 100.0 * float(result.score),
        "low": 100.0 * float(result.low),
        "high": 100.0 * float(result.high),
        "majority": 100.0 * float(result.majority),
        "n": result.n,
        "identity": digest_strings(*identities, trial.read, str(trial.seed)),
        "versions": json.dumps(dict(said.versions)),
        "date": said.date,
    }


def _list_group_tags(result: Result) -> dict[str, Tags]:
    """Tags that name groups of examples (at most 30 values, or numbers); others, as target forms,
    may be words of the data.
    """
    return {
        name: tags
        for name, tags in result.strata.items()
        if name not in result.clusters and are_shown_singly(tags.names)
    }


def facts_in(identity: str) -> tuple[str, ...]:
    """What an identity says of a thing beside the code that it depends on: how it was asked for,
    its files, data and precision.
    """
    try:
        reference, _, *facts = json.loads(identity)
    except (ValueError, TypeError, RecursionError):
        return (identity,)
    return str(reference), *map(str, facts)


def make_arrow_schema() -> Any:
    """The columns of the file, with their types."""
    import pyarrow as pa

    array = pa.struct([("name", pa.string()), ("dtype", pa.string()), ("values", pa.binary())])
    arrays = pa.list_(pa.field("element", array))
    kinds = {"str": pa.string(), "int": pa.int64(), "float": pa.float64()}
    return pa.schema([(f.name, kinds.get(str(f.type), arrays)) for f in fields(FitRow)])


def write_frame(fits: Iterable[FitRow], path: Path) -> None:
    """Write fits as a Parquet file; the same fits give the same bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist([fit.columns() for fit in fits], make_arrow_schema())
    with open_draft(path) as part, part.open("wb") as file:
        pq.write_table(table, file, compression="zstd")


def read_frame(path: Path) -> list[FitRow]:
    """The fits in a file; DataProblem for another schema, or a value that is missing."""
    import pyarrow.parquet as pq

    with report_damage(path, "a Parquet file of fits"):
        table = pq.read_table(io.BytesIO(path.read_bytes()))
    wanted = {f.name: str(f.type) for f in make_arrow_schema()}
    here = {f.name: str(f.type) for f in table.schema}
    if here != wanted or list(here) != list(wanted):
        other = [
            f"{name} is {here.get(name, 'missing')}"
            for name in wanted
            if here.get(name) != wanted[name]
        ]
        other += [f"{name} is not a column of a submission" for name in here if name not in wanted]
        raise DataProblem(
            f"{path.name}: its columns are not those of this version of lingprobe:"
            f" {'; '.join(other) or 'another order'}; write it again with `lingprobe publish submit"
            " RESULTS -o FOLDER`"
        )
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count:
            row = column.is_null().to_pylist().index(True) + 1
            raise DataProblem(f"{path.name}, row {row}: {name} is missing")
    return [FitRow(**row) for row in table.to_pylist()]


def fold_of(task: str) -> str:
    """The fold that a task's reference names; '' for none."""
    parsed = try_parse_reference(task)
    return dict(parsed.options).get("fold", "") if parsed else ""


def row_place(result: Result) -> tuple[str, ...]:
    """Stands for the row that a result is of, and for the rows under controls beside it."""
    trial = result.trial
    return strip_fold(trial.task), trial.encoder, trial.read, trial.probe, result.metric


def describe_layer(layer: str) -> str:
    """A layer, as it follows the name of an encoder."""
    return "" if layer == "-" else f", layer {layer}" if layer.isdecimal() else f", {layer}"


def digest_strings(*texts: str) -> str:
    """Thirty-two hexadecimal digits that stand for some texts."""
    return hash_bytes("\x1e".join(texts).encode("utf-8", "surrogatepass"), 16).hex()
