"""Fits as rows of a Parquet file, and as results again: what was measured with the answers, so that
every score, interval and comparison can be computed anew.

What is left out: controls, tags of examples (they may hold words of the data), and probabilities.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from lingprobe.analysis.row import NO_CONTROL, PERCENT
from lingprobe.corpora.damage import reading
from lingprobe.data._closure import digest
from lingprobe.data.cache import draft
from lingprobe.data.core import DataProblem, Result, Trial
from lingprobe.data.labels import Column, restore_column
from lingprobe.data.notes import Provenance

PLAIN_KINDS = "iufb"  # kinds of numbers that arrays may hold; no objects


@dataclass(frozen=True, slots=True)
class Fit:
    """One fit of a probe, as a row of the file; scores are percent.

    fold        '' for a task without folds
    floor       the best score of a baseline or constant answer on the task, and what scored it
    ceiling     the best score of an oracle with the same probe, and which; NaN without
    identity    a digest of what decides the numbers: the identities in `provenance`, layer and seed
    versions    of packages, as JSON
    gold, predicted  labels: their kind, names, and arrays by name
    clusters    numbers of what test examples share, by what it is
    provenance  all else that the result was made with, as JSON
    digest      of all other columns of the row
    """

    task: str
    encoder: str
    layer: str
    probe: str
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
    gold: Mapping[str, Any]
    predicted: Mapping[str, Any]
    clusters: Sequence[Mapping[str, Any]]
    provenance: str
    digest: str = ""

    def sealed(self) -> str:
        """The digest of all other columns."""
        return digest(*(_text(getattr(self, f.name)) for f in fields(self) if f.name != "digest"))

    @property
    def made_with(self) -> Provenance:
        """What it was made with; DataProblem where that is no JSON object."""
        return Provenance.read(_object(self.provenance, "provenance"))

    def result(self) -> Result:
        """The result of the fit; DataProblem for labels that are none."""
        trial = Trial(self.task, self.encoder, self.layer, self.probe, NO_CONTROL, self.seed)
        numbers = (each / PERCENT for each in (self.score, self.low, self.high, self.majority))
        clusters = {str(each["name"]): _array(each) for each in self.clusters}
        labels = _column(self.gold), _column(self.predicted)
        return Result(trial, self.metric, *numbers, *labels, self.made_with, {}, clusters)


def identity_of(provenance: Provenance, layer: str, seed: int) -> str:
    """A digest of what decides a fit's numbers."""
    known = sorted(provenance.identities.items())
    return digest(*(f"{kind} {text}" for kind, text in known), layer, str(seed))


def facts_in(identity: str) -> tuple[str, ...]:
    """What an identity says of a thing beside the code that it depends on: how it was asked for,
    its files, data and precision, of which folds and samples share theirs.
    """
    try:
        reference, _, *facts = json.loads(identity)
    except (ValueError, TypeError, RecursionError):
        return (identity,)
    return str(reference), *(str(fact) for fact in facts)


def pack_column(column: Column) -> dict[str, Any]:
    """Labels as the file has them."""
    arrays = [_packed_array(name, array) for name, array in column.arrays().items()]
    return {
        "loss": column.loss,
        "names": list(column.names),
        "partial": bool(column.partial),
        "arrays": arrays,
    }


def pack_clusters(result: Result) -> list[dict[str, Any]]:
    """What test examples share, as the file has it."""
    return [_packed_array(name, codes) for name, codes in result.clusters.items()]


def _packed_array(name: str, array: Any) -> dict[str, Any]:
    values = np.ascontiguousarray(array)
    little = values.astype(values.dtype.newbyteorder("<"))
    return {"name": name, "dtype": little.dtype.str, "values": little.tobytes()}


def _array(packed: Mapping[str, Any]) -> Any:
    """A stored array in memory; DataProblem for what is no array of numbers."""
    name, kind, values = (packed[key] for key in ("name", "dtype", "values"))
    try:
        dtype = np.dtype(kind)
        if dtype.kind not in PLAIN_KINDS:
            raise ValueError(f"arrays of {kind} are not read")
        return np.frombuffer(values, dtype).copy()
    except (TypeError, ValueError) as error:
        raise DataProblem(f"the array {name!r} is not what lingprobe writes ({error})") from error


def _column(packed: Mapping[str, Any]) -> Column:
    arrays = {each["name"]: _array(each) for each in packed["arrays"]}
    try:
        made = restore_column(packed["loss"], arrays, packed["names"], packed["partial"])
        problem = made.problem() if made.link else ""  # numbers may be any
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise DataProblem(f"its labels are not what lingprobe writes ({error!r})") from error
    if problem:
        raise DataProblem(f"its labels are not what lingprobe writes: {problem}")
    return made


def _object(text: str, name: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise DataProblem(f"the column {name} is no JSON object")
    return value


def _text(value: Any) -> str:
    """A value of a column as text, the same on every machine."""
    if isinstance(value, float):
        return value.hex() if not math.isnan(value) else "nan"
    if isinstance(value, Mapping):
        return "{" + "".join(f"{key}={_text(each)};" for key, each in sorted(value.items())) + "}"
    if isinstance(value, list | tuple):
        return "[" + "".join(f"{_text(each)};" for each in value) + "]"
    return repr(value)


def schema() -> Any:
    """The columns of the file, with their types."""
    import pyarrow as pa

    array = pa.struct([("name", pa.string()), ("dtype", pa.string()), ("values", pa.binary())])
    labels = pa.struct(
        [
            ("loss", pa.string()),
            ("names", pa.list_(pa.string())),
            ("partial", pa.bool_()),
            ("arrays", pa.list_(array)),
        ]
    )
    kinds = {
        "str": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "Mapping[str, Any]": labels,
        "Sequence[Mapping[str, Any]]": pa.list_(array),
    }
    return pa.schema([(f.name, kinds[str(f.type)]) for f in fields(Fit)])


def write_frame(fits: Iterable[Fit], path: Path) -> None:
    """Write fits as a Parquet file; the same fits give the same bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{f.name: getattr(fit, f.name) for f in fields(Fit)} for fit in fits]
    table = pa.Table.from_pylist(rows, schema())
    with draft(path) as part, part.open("wb") as file:
        pq.write_table(table, file, compression="zstd")


def read_frame(path: Path) -> list[Fit]:
    """The fits in a file; DataProblem for another schema, or a value that is missing."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with reading(path, "a Parquet file of fits"):
        content = path.read_bytes()
        try:
            table = pq.read_table(io.BytesIO(content))
        except (pa.ArrowException, OSError) as error:
            raise DataProblem(
                f"{path}: it is no Parquet file that can be read ({error})"
            ) from error
    wanted = schema()
    if not table.schema.equals(wanted):
        raise DataProblem(f"{path}: {_other_columns(table.schema, wanted)}")
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count:
            row = column.is_null().to_pylist().index(True) + 1
            raise DataProblem(f"{path}, row {row}: {name} is missing")
    return [Fit(**row) for row in table.to_pylist()]


def _other_columns(found: Any, wanted: Any) -> str:
    """How columns differ from what is wanted."""
    types = {
        name: (str(found.field(name).type) if name in found.names else "") for name in wanted.names
    }
    wrong = [name for name in wanted.names if types[name] != str(wanted.field(name).type)]
    more = [name for name in found.names if name not in wanted.names]
    said = [
        *(
            f"{name} is missing" if not types[name] else f"{name} has type {types[name]}"
            for name in wrong
        ),
        *(f"{name} is no column of a submission" for name in more),
    ]
    return f"its columns differ: {'; '.join(said) or 'they are in another order'}"
