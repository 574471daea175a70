"""Results as one table: a row for each trained probe, or for several that are averaged over.

A frame holds keys and numbers; what probes predict lies beside it under `run_id`, and is read by
statistics alone. Tables, figures and files are views of a frame (`pages.view_page`). Scores,
intervals and differences are percent.
"""

from __future__ import annotations

import json
import math
from collections import Counter, namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache, cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lingprobe.analysis.answers import (
    RunPredictions,
    are_equal,
    digest_test_set,
    join_predictions,
    name_missing_folds,
    select_alike,
)
from lingprobe.analysis.questions import share_wrong_labels
from lingprobe.analysis.row import PERCENT_SCALE, ROLE_ORDER
from lingprobe.data.arrow import make_array
from lingprobe.data.cache import escape_surrogates
from lingprobe.data.core import Result, Trial, needs_of
from lingprobe.data.digests import digest_texts
from lingprobe.data.labels import Column
from lingprobe.data.notes import CodeLengthNote, NotePart, ResultProvenance
from lingprobe.data.oracles import Kind
from lingprobe.data.references import ReferenceProblem, shorten_reference
from lingprobe.datasets.controls import CONTROLS, without_draw
from lingprobe.encoders import ENCODERS, kind_of_reference
from lingprobe.encoders.sites import ModelSite, is_site
from lingprobe.metrics import FitAnswers
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS
from lingprobe.tasks.languages import list_languages
from lingprobe.tasks.repeats import option_of, strip_fold

if TYPE_CHECKING:
    import pyarrow as pa

RUN_KEYS = (
    *("task", "language", "encoder", "role", "layer", "site", "probe", "control", "metric"),
    *("train_on", "erased", "subgroup"),
)
"""What tells things that are measured apart; '' where a key does not apply.

role      of the encoder: trained, baseline or oracle
site      the kind of part of a block that was read, as head; layer says which one
control   what stands in for labels, or for what is erased; none for neither
train_on  the language that the probe was trained in, where it is not that of the test
erased    what was erased before
subgroup  of the examples that were used
"""
_REPEAT_KEYS = ("fold", "seed", "sample", "control_sample")
"""What is averaged over."""
_RUN_VALUES = (
    *("score", "low", "high", "dev_score", "constant_score"),
    *("n_train", "n_test", "n_dropped", "run_id"),
)
"""low and high are of the interval, where it was stored; NaN where something is not known."""
_ALL_KEYS = (*RUN_KEYS, *_REPEAT_KEYS)
_EXTRA = "extra"
LEXICAL_LAYER = "lex"
"""The layer of an encoder that stands before all context, and is a baseline (Tenney et al. 2019,
section 2).
"""
_CONTENTS = {"task": TASKS, "encoder": ENCODERS, "probe": PROBES, "control": CONTROLS}
_COUNTS = ("n_train", "n_test", "n_dropped", "seed")
_UNUSED: Mapping[str, Any] = (
    dict.fromkeys(_ALL_KEYS, "")
    | dict.fromkeys(_RUN_VALUES, math.nan)
    | dict.fromkeys(_COUNTS, 0)
    | {"run_id": "", "score": None}
)
"""What a column has where nothing is said; no score is one that is found in the answers."""
Folds = Sequence[RunPredictions]
FrameRow = Any
"""A row of a frame, as a named tuple of its columns."""
Columns = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class OwnValue:
    """The value that a row has in one of its columns."""

    column: str


class AnyValue(Enum):
    """What a value may be of which it is not said which one."""

    USED = "any but ''"
    ANOTHER = "another than the row's own"
    ANY = "any"


NON_EMPTY_VALUE, ANOTHER_VALUE, ANY_VALUE = AnyValue


def is_among(cell: Any, value: Any) -> bool:
    """Whether a cell is a value, or one of several in a tuple, or of a kind (`NON_EMPTY_VALUE`,
    `ANY_VALUE`).
    """
    if value is NON_EMPTY_VALUE:
        return cell not in ("", None)
    if value is ANY_VALUE:
        return True
    return cell in value if isinstance(value, tuple) else bool(cell == value)


@dataclass(frozen=True, slots=True)
class ProbeRun:
    """A trained probe: its keys and numbers, as a frame has them, what it predicts, and in `extra`
    the keys and numbers that only one view has.
    """

    keys: Mapping[str, Any]
    values: Mapping[str, float]
    predictions: RunPredictions
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, result: Result, extra: Sequence[RunExtra] = ()) -> ProbeRun:
        """That of a stored result, with some of `_RUN_EXTRAS`, or notes; references are in full."""
        trial, about = result.trial, result.provenance
        keys = {
            "task": strip_fold(trial.task),
            "encoder": trial.encoder,
            "role": get_encoder_kind(result),
            "layer": trial.read,
            "site": ModelSite.parse(trial.read).kind if is_site(trial.read) else "",
            "probe": trial.probe,
            "control": without_draw(trial.control),
            "metric": result.metric,
            "erased": option_of(trial.encoder, "without"),
            "fold": option_of(trial.task, "fold"),
            "seed": trial.seed,
            "sample": option_of(trial.task, "sample"),
            "control_sample": option_of(trial.control, "seed"),
        }
        values = {
            "score": PERCENT_SCALE * result.score,
            "low": PERCENT_SCALE * result.low,
            "high": PERCENT_SCALE * result.high,
            "dev_score": PERCENT_SCALE * about.choice.dev,
            "constant_score": PERCENT_SCALE * result.majority,
            "n_dropped": about.counts.unusable,
        }
        more = {k: v for each in extra for k, v in _read_extra(result, each).items()}
        return cls(keys, values, RunPredictions.of(result), more)


def get_encoder_kind(result: Result) -> Kind:
    """What the encoder of a result is; results of earlier versions do not say, so that it is asked
    what their reference names.
    """
    said = (
        "baseline"
        if result.trial.read == LEXICAL_LAYER
        else result.provenance.kind or kind_of_reference(result.trial.encoder)
    )
    return next((kind for kind in ROLE_ORDER if kind == said), "trained")


def is_seeded(trial: Trial, about: ResultProvenance) -> bool:
    """Whether a fit depends on its seed; results of earlier versions do not say, so that it is
    asked of the probe where it is one of ours.
    """
    return _needs_seeds(trial.probe) if about.is_seeded is None else about.is_seeded


@lru_cache
def _needs_seeds(probe: str) -> bool:
    try:
        return needs_of(PROBES.make(probe)).seeds
    except (ReferenceProblem, ImportError, AttributeError, OSError):
        return True  # results outlive plugins, and nobody's file is run for it


def _shorten_names(runs: Sequence[ProbeRun]) -> list[ProbeRun]:
    """The probes, whose references are short; in full where one short name stands for several, as
    options that a later version has do in results of an earlier one.
    """
    names: dict[str, dict[str, str]] = {}
    for key, contents in _CONTENTS.items():
        full = dict.fromkeys(run.keys[key] for run in runs)
        short = {each: shorten_reference(contents, each) for each in full}
        counts = Counter(short.values())
        names[key] = {each: name if counts[name] == 1 else each for each, name in short.items()}
    return [
        replace(run, keys={**run.keys, **{key: names[key][run.keys[key]] for key in names}})
        for run in runs
    ]


def _read_code(result: Result) -> Mapping[str, float]:
    """How many times longer codes without vectors are than that of the labels (`online:`)."""
    code = result.provenance.choice.part(CodeLengthNote) or CodeLengthNote()
    return {"compression": code.uniform / code.bits, "over_prior": code.prior / code.bits}


def _read_question(result: Result) -> Mapping[str, Any]:
    """How many classes the question has, where the data may have fewer, and the percent of labels
    that are known to be wrong.
    """
    notes = result.provenance.notes
    return {"question_classes": notes.classes_of_question, "wrong": share_wrong_labels(notes)}


def _read_fit(result: Result) -> Mapping[str, Any]:
    """Whether a fit varies with its seed."""
    return {"is_seeded": is_seeded(result.trial, result.provenance)}


def _read_probe(result: Result) -> Mapping[str, str]:
    """The probe with all its options, also those that are as by default."""
    return {"full_probe": result.trial.probe}


def _read_checkpoint(result: Result) -> Mapping[str, str]:
    """What is known of a training at the point where its encoder is, as JSON; '' for nothing."""
    known = result.provenance.checkpoint
    return {"checkpoint": json.dumps(known.plain()) if known else ""}


def _read_languages(result: Result) -> Mapping[str, Any]:
    """The languages of the task."""
    return {"languages": list_languages([result])}


def _read_origin(result: Result) -> Mapping[str, Any]:
    """What the task and the encoder were, and when it was measured."""
    about, task = result.provenance, result.trial.task
    return {
        "data_identity": about.identities.get(task, task),
        "revision": about.revision,
        "date": about.date,
    }


_RUN_EXTRAS: Mapping[str, Callable[[Result], Mapping[str, Any]]] = {
    "checkpoint": _read_checkpoint,
    "code": _read_code,
    "fit": _read_fit,
    "languages": _read_languages,
    "origin": _read_origin,
    "probe": _read_probe,
    "question": _read_question,
}
"""What a view may ask for that stands in no column of all, by name."""


class PredictionStore(Mapping[str, Sequence[Folds]]):
    """What probes predict, by `run_id`: of each of the fits of a row, by fold. What was computed of
    them once is known to all frames that have them, and to no frame that has others.
    """

    def __init__(self, fits: Mapping[str, Sequence[Folds]] | None = None) -> None:
        self._fits = {} if fits is None else fits
        self._answers: dict[str, FitAnswers] = {}
        self._golds: dict[tuple[str, str], Column] = {}
        self._scores: dict[tuple[str, str], float] = {}
        self._intervals: dict[tuple[str, str], tuple[float, float]] = {}

    def __getitem__(self, run_id: str) -> Sequence[Folds]:
        return self._fits[run_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fits)

    def __len__(self) -> int:
        return len(self._fits)

    def join(self, run_id: str) -> FitAnswers:
        """The answers of all fits of a row over all test examples; rows over the same ones share
        their labels.
        """
        if run_id not in self._answers:
            answers, trial = join_predictions(self[run_id]), self[run_id][0][0].trial
            tests = trial.task.partition(",")[0], digest_test_set(self[run_id][0])
            gold = self._golds.setdefault(tests, answers.gold)
            if are_equal(gold, answers.gold):
                answers = replace(answers, gold=gold)
            self._answers[run_id] = answers
        return self._answers[run_id]

    def score_fits(self, run_id: str, metric: str) -> Sequence[float]:
        """The scores of the fits of a row as shares: as stored, or of several folds together."""
        fits = self[run_id]
        stored = [fold.score for folds in fits for fold in folds if fold.metric == metric]
        known = [score for score in stored if score is not None]
        is_whole = len(known) == len(fits) and len(fits[0]) == 1
        return known if is_whole else self.join(run_id).scores(metric)

    def score(self, run_id: str, metric: str) -> float:
        """The score of a row by a metric, the mean of its fits, in percent."""
        key = run_id, metric
        if key not in self._scores:
            self._scores[key] = PERCENT_SCALE * float(np.mean(self.score_fits(run_id, metric)))
        return self._scores[key]

    def interval(self, run_id: str, metric: str) -> tuple[float, float]:
        """The 95 % interval of the score, in percent."""
        key = run_id, metric
        if key not in self._intervals:
            low, high = self.join(run_id).interval(metric)
            self._intervals[key] = PERCENT_SCALE * low, PERCENT_SCALE * high
        return self._intervals[key]


Note = TypeVar("Note", bound=NotePart)
RunExtra = str | type[NotePart]
"""A name of `_RUN_EXTRAS`, or a kind of note: a column with the note as JSON, '' where a result has
none. The column is called by the note's key.
"""


def _read_extra(result: Result, extra: RunExtra) -> Mapping[str, Any]:
    if isinstance(extra, str):
        return _RUN_EXTRAS[extra](result)
    about = result.provenance
    note = about.choice.part(extra) or about.notes.part(extra)
    return {_name_column(extra): json.dumps(note.plain()) if note else ""}


def _name_column(note: type[NotePart]) -> str:
    return note.key.replace(" ", "_")


@dataclass(frozen=True, eq=False)
class ResultFrame:
    """A table with a row for each trained probe, or for several that are averaged over.

    table        of pyarrow: the columns of `RUN_KEYS`, `_REPEAT_KEYS` and `_RUN_VALUES`, `extra`
                 with those of one view, and what statistics added
    predictions  those of its rows, and perhaps of others
    keys         the columns that tell rows apart
    """

    table: pa.Table
    predictions: PredictionStore = field(default_factory=PredictionStore)
    keys: tuple[str, ...] = _ALL_KEYS

    @classmethod
    def of(cls, results: Iterable[Result], extra: Sequence[RunExtra] = ()) -> ResultFrame:
        """The frame of stored results, with some of `_RUN_EXTRAS`, or notes."""
        return cls.of_runs(_shorten_names([ProbeRun.of(result, extra) for result in results]))

    @classmethod
    def of_runs(cls, runs: Iterable[ProbeRun]) -> ResultFrame:
        """The frame of trained probes, each a row."""
        import pyarrow as pa

        listed = list(runs)
        rows = [{**_UNUSED, **run.keys, **run.values, **_sizes(run)} for run in listed]
        for row, run in zip(rows, listed, strict=True):
            row["run_id"] = digest_texts(*(f"{row[key]}" for key in _ALL_KEYS), f"{run.extra}")
        columns = {name: [_storable(row[name]) for row in rows] for name in _UNUSED}
        table = pa.table({name: _array(name, cells) for name, cells in columns.items()})
        if names := dict.fromkeys(name for run in listed for name in run.extra):
            cells = ([_storable(run.extra.get(name)) for run in listed] for name in names)
            extra = pa.StructArray.from_arrays([*map(make_array, cells)], [*names])
            table = table.append_column(_EXTRA, extra)
        fits = zip(columns["run_id"], listed, strict=True)
        predictions = {run_id: [[run.predictions]] for run_id, run in fits}
        return cls(table, PredictionStore(predictions))

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[FrameRow]:
        """The rows, as named tuples."""
        return iter(self.rows)

    def __getitem__(self, number: int) -> FrameRow:
        return self.rows[number]

    @cached_property
    def rows(self) -> tuple[FrameRow, ...]:
        """The rows as named tuples, with the columns of `extra` among their fields."""
        names = self.names
        return tuple(map(_row_type(*names)._make, zip(*map(self.column, names), strict=True)))

    @cached_property
    def names(self) -> list[str]:
        """The names of all columns, those of `extra` among them."""
        names = self.table.column_names
        extra = self.table.schema.field(_EXTRA).type if _EXTRA in names else ()
        own = [name for name in names if name != _EXTRA]
        return [*own, *(each.name for each in extra if each.name not in own)]

    def column(self, name: str) -> list[Any]:
        """The values of a column, one of `extra` or another; NaN where a number is not known."""
        if name not in self._columns:
            self._columns[name] = self._read_column(name)
        return self._columns[name]

    def _read_column(self, name: str) -> list[Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        at = self.table.schema.get_field_index(name)  # to list all names takes longer than the rest
        cells = self.table.column(at) if at >= 0 else pc.struct_field(self.table[_EXTRA], name)
        values: list[Any] = cells.to_pylist()
        if not pa.types.is_floating(cells.type):
            return values
        # one NaN for all, so that rows are equal where their numbers are
        return [math.nan if value is None or math.isnan(value) else value for value in values]

    @cached_property
    def _columns(self) -> dict[str, list[Any]]:
        return {}

    def read_notes(self, kind: type[Note]) -> list[Note | None]:
        """The notes of rows that have a column of this kind; None where a row has none."""
        texts = self.column(_name_column(kind))
        return [kind.read(json.loads(text)) if text else None for text in texts]

    def take(self, numbers: Sequence[int]) -> ResultFrame:
        """Some of the rows, in this order."""
        import pyarrow as pa

        taken = replace(self, table=self.table.take(make_array(numbers, pa.int64())))
        known = self._columns.items()
        taken._columns.update({name: [cells[k] for k in numbers] for name, cells in known})
        if "rows" in self.__dict__:
            taken.__dict__["rows"] = tuple(self.rows[k] for k in numbers)
        return taken

    def where(self, **values: Any) -> ResultFrame:
        """The rows with these values: one, or one of several in a tuple, or all but ''
        (`NON_EMPTY_VALUE`).
        """
        kept = np.ones(len(self), bool)
        for name, value in values.items():
            kept &= np.array([is_among(cell, value) for cell in self.column(name)], bool)
        return self.take(np.flatnonzero(kept).tolist())

    def find_others(self, rows: ResultFrame, other: Mapping[str, Any]) -> list[list[int]]:
        """For each of some rows of this frame those with the same keys but for the ones that are
        named, which have the values that are given: as of `where`, or what the row has in another
        column (`OwnValue`), or another value than its own (`ANOTHER_VALUE`), or any (`ANY_VALUE`).
        """
        same = [key for key in self.keys if key not in other]
        groups = self.groups(same)
        own = {k: values for values, numbers in rows.groups(same).items() for k in numbers}
        return [
            [k for k in groups.get(own[number], ()) if self._has(k, rows, number, other)]
            for number in range(len(rows))
        ]

    def _has(self, k: int, rows: ResultFrame, number: int, other: Mapping[str, Any]) -> bool:
        """Whether a row has the values that one of `rows` asks for."""
        for name, value in other.items():
            cell = self.column(name)[k]
            asked = rows.column(value.column)[number] if isinstance(value, OwnValue) else value
            is_own = cell == rows.column(name)[number]
            if is_own if value is ANOTHER_VALUE else not is_among(cell, asked):
                return False
        return True

    def select(self, names: Mapping[str, str]) -> ResultFrame:
        """The columns with these new names, and no others, in this order, without predictions."""
        import pyarrow as pa

        columns = {new: make_array(self.column(name)) for new, name in names.items()}
        return ResultFrame(pa.table(columns), keys=tuple(names))

    def with_columns(self, columns: Columns) -> ResultFrame:
        """The frame with further columns, or others in place of those of the same name."""
        import pyarrow as pa

        arrays = dict(zip(self.table.column_names, self.table.columns, strict=True))
        arrays |= {name: _array(name, list(cells)) for name, cells in columns.items()}
        made = replace(self, table=pa.table(arrays))
        made._columns.update({k: v for k, v in self._columns.items() if k not in columns})
        return made

    def with_predictions(
        self, fits: Sequence[Sequence[Folds]], columns: Columns = MappingProxyType({})
    ) -> ResultFrame:
        """The frame with other predictions for each row, in which scores and intervals are found,
        and with further columns, or others.
        """
        ids = [digest_texts(run, f"{k}") for k, run in enumerate(self.column("run_id"))]
        count, unknown = len(self), [math.nan] * len(self)
        found: dict[str, Sequence[Any]] = {"run_id": ids, "score": [None] * count}
        found |= {"low": unknown, "high": unknown}
        made = self.with_columns({**found, **columns})
        return replace(made, predictions=PredictionStore(dict(zip(ids, fits, strict=True))))

    def append(self, rows: ResultFrame) -> ResultFrame:
        """The frame with further rows that have the same columns."""
        import pyarrow as pa

        further = rows.table.select(self.table.column_names).cast(self.table.schema)
        return replace(self, table=pa.concat_tables([self.table, further]))

    def find_places(self, *names: str) -> dict[tuple[str, ...], Any]:
        """Rows by the values of some columns, as text."""
        texts = [map(str, self.column(name)) for name in names]
        return dict(zip(zip(*texts, strict=True), self, strict=True))

    def spread(
        self, keys: Sequence[str], by: str, values: Sequence[str], columns: Sequence[str]
    ) -> ResultFrame:
        """A row for all rows with the same keys: the first, with some columns of each of those that
        have one of `values` in a column, as `VALUE_COLUMN`; '', 0 or NaN where there is none.
        """
        groups, kinds = list(self.groups(keys).values()), self.column(by)
        found: dict[str, list[Any]] = {}
        for value in values:
            rows = [next((k for k in numbers if kinds[k] == value), None) for numbers in groups]
            for name in columns:
                cells = self.column(name)
                unused = _unused_like(cells)
                found[f"{value}_{name}"] = [unused if k is None else cells[k] for k in rows]
        return self.take([numbers[0] for numbers in groups]).with_columns(found)

    def groups(self, keys: Iterable[str]) -> dict[tuple[Any, ...], list[int]]:
        """The numbers of the rows with the same values of some columns, in the order in which they
        first come.
        """
        found: dict[tuple[Any, ...], list[int]] = {}
        columns = [self.column(key) for key in keys]
        for number in range(len(self)):
            found.setdefault(tuple(cells[number] for cells in columns), []).append(number)
        return found

    def take_best(self, column: str, within: Sequence[str], by: str) -> ResultFrame:
        """Of the rows with the same values of some columns those with the value of `column` whose
        mean of `by` is highest; the first, where nothing is known.
        """
        values = self.column(by)
        kept: list[int] = []
        for numbers in self.groups(within).values():
            able: dict[Any, list[int]] = {}
            for number in numbers:
                able.setdefault(self.column(column)[number], []).append(number)
            means = {each: _mean_known([values[k] for k in some]) for each, some in able.items()}
            kept += able[max(means, key=means.__getitem__)]
        return self.take(kept)

    def arrange(self, *keys: str | tuple[str, ...]) -> ResultFrame:
        """The rows in order: by a column of numbers, NaN last, or by the values of several, in the
        order in which these first come.
        """
        ranks: list[Sequence[float]] = []
        for key in keys:
            if isinstance(key, str):
                ranks.append([math.inf if math.isnan(v) else v for v in self.column(key)])
            else:
                groups = enumerate(self.groups(key).values())
                rank = {number: place for place, numbers in groups for number in numbers}
                ranks.append([rank[number] for number in range(len(self))])
        order = sorted(range(len(self)), key=lambda number: [rank[number] for rank in ranks])
        return self.take(order)

    def arrange_roles(self, *family: str) -> ResultFrame:
        """The rows with the same values of some columns together, baselines first and oracles
        last.
        """
        place = [ROLE_ORDER.index(role) for role in self.column("role")]
        return self.with_columns({"place": place}).arrange(family, "place")

    def average_repeats(self, keys: tuple[str, ...]) -> ResultFrame:
        """One row for all folds, seeds and samples of the same thing, with the answers of all;
        numbers that only one view has are means, words and counts those of the first. It says how
        many `seeds` there are, each on each of the `samples`, which `fits` of which folds, as text,
        the folds that are `missing`, as `fold 3 of 3`, and how many fits are `left_out`, as they
        are over other test examples.
        """
        rows = [self._list_fits(numbers) for numbers in self.groups(keys).values()]
        groups = list(map(self._select_fits, rows))
        first = [fits[0][0] for fits in groups]
        runs, (fold, seed, sample, _) = self.column("run_id"), map(self.column, _REPEAT_KEYS)
        every = [[number for folds in fits for number in folds] for fits in groups]
        # a run may be in several rows
        ids = [digest_texts(*(runs[k] for k in sorted(numbers))) for numbers in every]
        predictions = {
            run_id: [[self.predictions[runs[k]][0][0] for k in folds] for folds in fits]
            for run_id, fits in zip(ids, groups, strict=True)
        }
        n_test = self.column("n_test")
        combined = ResultFrame(self.take(first).table, PredictionStore(predictions), keys)
        return combined.with_columns(
            {
                "run_id": ids,
                "seeds": [len({(seed[k], sample[k]) for k in numbers}) for numbers in every],
                "samples": [len({sample[k] for k in numbers}) for numbers in every],
                "fits": [
                    " ".join(sorted(f"{seed[k]}:{sample[k]}:{fold[k]}" for k in numbers))
                    for numbers in every
                ],
                "missing": [name_missing_folds(fold[k] for k in fits[0]) for fits in groups],
                "left_out": [len(a) - len(b) for a, b in zip(rows, groups, strict=True)],
                **{name: [self._mean(name, k) for k in every] for name in self._extra_numbers},
                # the score and interval of several are found in their answers
                "score": [self._scores[k[0]] if len(k) == 1 else None for k in every],
                **{name: self._alone(name, every) for name in ("low", "high")},
                "dev_score": [self._mean_dev(numbers) for numbers in every],
                "constant_score": [
                    self._mean("constant_score", fits[0], n_test) for fits in groups
                ],
                "n_test": [sum(n_test[number] for number in fits[0]) for fits in groups],
                "n_dropped": [max(self.column("n_dropped")[k] for k in fits[0]) for fits in groups],
            }
        )

    def _list_fits(self, numbers: Sequence[int]) -> list[list[int]]:
        """Rows of one thing by fit, each given by its folds."""
        fold, seed, sample, drawn = map(self.column, _REPEAT_KEYS)
        fits: dict[tuple[Any, ...], list[int]] = {}
        for k in sorted(numbers, key=lambda k: (fold[k], sample[k], seed[k])):
            fits.setdefault((seed[k], sample[k], drawn[k]), []).append(k)
        return list(fits.values())

    def _select_fits(self, fits: Sequence[list[int]]) -> list[list[int]]:
        """Those of some fits that are over the test examples that most are over."""
        runs, fold = self.column("run_id"), self.column("fold")

        def test_of(number: int) -> tuple[str, str]:
            run = self.predictions[runs[number]][0][0]
            return fold[number], run.tested or f"{run.n}"

        return select_alike(fits, test_of)

    @property
    def _extra_numbers(self) -> list[str]:
        import pyarrow as pa

        names = self.table.column_names
        extra = self.table.schema.field(_EXTRA).type if _EXTRA in names else ()
        return [each.name for each in extra if pa.types.is_floating(each.type)]

    @cached_property
    def _scores(self) -> list[float | None]:
        """The scores that are known."""
        scores: list[float | None] = self.table["score"].to_pylist()
        return scores

    def _alone(self, name: str, every: Sequence[Sequence[int]]) -> list[float]:
        cells = self.column(name)
        return [cells[numbers[0]] if len(numbers) == 1 else math.nan for numbers in every]

    def _mean(self, name: str, numbers: Sequence[int], weights: Any = None) -> float:
        cells = [self.column(name)[number] for number in numbers]
        if len(cells) == 1:
            return float(cells[0])
        return float(np.average(cells, weights=weights and [weights[k] for k in numbers]))

    def _mean_dev(self, numbers: Sequence[int]) -> float:
        # a dev example of one fold is a test example of another
        has_folds = any("/" in self.column("fold")[number] for number in numbers)
        return math.nan if has_folds else self._mean("dev_score", numbers)

    def take_rows(self, rows: Iterable[FrameRow]) -> ResultFrame:
        """Some of its own rows, in the order that they have here."""
        ids = set(map(id, rows))
        return self.take([number for number, row in enumerate(self) if id(row) in ids])

    def run(self, number: int) -> RunPredictions:
        """The predictions of the first probe of a row."""
        return self.folds(number)[0][0]

    @property
    def runs(self) -> list[RunPredictions]:
        """The predictions of all its probes."""
        every = [self.folds(number) for number in range(len(self))]
        return [run for fits in every for folds in fits for run in folds]

    def folds(self, number: int) -> Sequence[Folds]:
        """What each fit of a row predicts, by fold."""
        return self.predictions[self.column("run_id")[number]]

    def score(self, number: int) -> float:
        """The score of a row, the mean of its fits."""
        known = self._scores[number]
        if known is not None:
            return float(known)
        return self.predictions.score(*self._score_key(number))

    def interval(self, number: int) -> tuple[float, float]:
        """The 95 % interval of the score of a row."""
        low, high = self.column("low")[number], self.column("high")[number]
        if not math.isnan(low) or math.isnan(self.score(number)):
            return low, high
        return self.predictions.interval(*self._score_key(number))

    def score_fits(self, number: int) -> Sequence[float]:
        """The scores of the fits of a row, shares."""
        return self.predictions.score_fits(*self._score_key(number))

    def _score_key(self, number: int) -> tuple[str, str]:
        return self.column("run_id")[number], self.column("metric")[number]

    def answers(self, number: int) -> FitAnswers:
        """The answers of a row, of all its fits over all test examples."""
        return self.predictions.join(self.column("run_id")[number])

    def to_pandas(self) -> Any:
        """The table as a frame of pandas, which must be installed."""
        return self.table.to_pandas()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table for libraries that read Arrow, as polars and duckdb do."""
        return self.table.__arrow_c_stream__(requested_schema)


@cache
def _row_type(*names: str) -> Any:
    return namedtuple("FrameRow", names)


def _mean_known(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else -math.inf


def _unused_like(cells: Sequence[Any]) -> Any:
    """What stands for nothing in a column of such cells."""
    return math.nan if any(isinstance(cell, float) for cell in cells) else type(cells[0])()


def _storable(cell: Any) -> Any:
    """A cell as Arrow has it: names of files may have halves of characters, which no UTF-8 can
    hold.
    """
    return escape_surrogates(cell) if isinstance(cell, str) else cell


def _sizes(run: ProbeRun) -> dict[str, int]:
    return {"n_train": run.predictions.n_train, "n_test": run.predictions.n}


def _array(name: str, cells: list[Any]) -> pa.Array:
    """Cells as an array of the type that the column has."""
    import pyarrow as pa

    if name not in _UNUSED:
        return make_array(cells)
    unused = _UNUSED[name]
    kinds = {str: pa.string(), int: pa.int64()}
    return make_array(cells, kinds.get(type(unused), pa.float64()))
