"""What all pages of a board read: models and tasks with their names, files and comparisons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lingprobe.extend import (
    TaskColumn,
    arrange_columns,
    format_number,
    make_file_names,
    name_language,
    try_parse_reference,
)
from lingprobe_extensions.board.frame import CONSTANT_ANSWER
from lingprobe_extensions.board.merge import BoardResults, ListedModel
from lingprobe_extensions.board.standings import (
    BoardStandings,
    Key,
    ModelStanding,
    ReportedScore,
    TaskStandings,
)

INDEX_FILE, MODELS_FOLDER, TASKS_FOLDER, PHENOMENA_FOLDER = (
    "index.html",
    "models",
    "tasks",
    "phenomena",
)
UNKNOWN_FACT = "unknown"
_SHOWN = 3  # models that a cell names
_MILLION, _BILLION = 1_000_000, 1_000_000_000
_SIZES = (
    (10 * _MILLION, "below 10 M"),
    (100 * _MILLION, "10 to 100 M"),
    (_BILLION, "100 M to 1 B"),
)
_LARGEST = "1 B and more"
_GROUPS = (
    "Ranked is what this board's operator measured. Leading: significantly better than every"
    " baseline and constant answer (corrected for {floors}), and the best model on the task or not"
    " significantly worse than it (paired over test examples, p ≥ 0.05 by Holm's method for"
    " {family})."
)
_REPORTS = (
    "Reported scores, in grey, are what submitters measured. They are checked for consistency, not"
    " measured here; they are in no group, and no other model is compared with them."
)
_DIFFERENCES = (
    "A report differs from what was measured here where p < 0.05 (paired over test examples, Holm's"
    " method for {reports})."
)
_VECTORS = (
    "From vectors: the operator fitted the probes on vectors that somebody sent, and has not run"
    " the model."
)
_NO_LEADER: Mapping[str, str] = {
    "solved by a baseline": "a baseline solves the task",
    "too few clusters": "test examples form too few clusters to compare",
    "": "no model is above the baselines",
}
"""Why nobody leads, by what is said of all models beside the baselines; '' for anything else."""
NO_RANKS_NOTE = "Nothing on this board was measured by its operator, so no model is ranked."


@dataclass(frozen=True)
class BoardContents:
    """A board as its pages show it."""

    merged: BoardResults
    standings: BoardStandings

    @property
    def models(self) -> Mapping[str, ListedModel]:
        """The models by the names that rows give their encoders."""
        return self.merged.models

    @cached_property
    def columns(self) -> dict[Key, TaskColumn]:
        """What each task is called: its column and its group; the probe where it has several."""
        every = arrange_columns(list(dict.fromkeys(one.key[0] for one in self.standings.tasks)))
        order = {column.task: column for column in every}
        many = Counter(one.key[0] for one in self.standings.tasks)
        named = {}
        for one in sorted(self.standings.tasks, key=lambda one: list(order).index(one.key[0])):
            task, probe, _ = one.key
            column = order[task]
            name = f"{column.name}, {probe}" if many[task] > 1 else column.name
            named[one.key] = column._replace(name=name)
        return named

    @cached_property
    def tasks(self) -> dict[Key, TaskStandings]:
        """The tasks in the order of their columns."""
        known = {one.key: one for one in self.standings.tasks}
        return {key: known[key] for key in self.columns}

    def task_name(self, key: Key) -> str:
        """What a task is called outside its column."""
        column = self.columns[key]
        return f"{column.name} ({column.group})" if column.group else column.name

    @cached_property
    def task_files(self) -> dict[Key, str]:
        """The file of each task, from the index."""
        names = make_file_names({" ".join(key) for key in self.columns})
        return {key: f"{TASKS_FOLDER}/{names[' '.join(key)]}.html" for key in self.columns}

    @cached_property
    def model_files(self) -> dict[str, str]:
        """The file of each model, from the index."""
        names = make_file_names({model.name for model in self.models.values()})
        return {
            key: f"{MODELS_FOLDER}/{names[model.name]}.html" for key, model in self.models.items()
        }

    @cached_property
    def order(self) -> list[str]:
        """The models that were measured, by name."""
        return self._sort(one for one, mine in self.by_model.items() if mine)

    @cached_property
    def reported_order(self) -> list[str]:
        """The models of which scores are reported, by name."""
        return self._sort(one for one, mine in self.reports.items() if mine)

    @cached_property
    def whole_order(self) -> list[str]:
        """All models by name."""
        return self._sort(self.models)

    def _sort(self, encoders: Iterable[str]) -> list[str]:
        return sorted(encoders, key=lambda encoder: self.name(encoder).casefold())

    @cached_property
    def by_model(self) -> dict[str, dict[Key, ModelStanding]]:
        """The standings of each model."""
        known: dict[str, dict[Key, ModelStanding]] = {encoder: {} for encoder in self.models}
        for key, one in self.tasks.items():
            for standing in one.models:
                known[standing.row.encoder][key] = standing
        return known

    @cached_property
    def reports(self) -> dict[str, dict[Key, ReportedScore]]:
        """What is reported of each model."""
        known: dict[str, dict[Key, ReportedScore]] = {encoder: {} for encoder in self.models}
        for key, one in self.tasks.items():
            for report in one.reported:
                known[report.row.encoder][key] = report
        return known

    @cached_property
    def phenomena(self) -> dict[str, list[Key]]:
        """The tasks of each phenomenon, as tense in several languages."""
        known: dict[str, list[Key]] = {}
        for key in self.columns:
            known.setdefault(phenomenon_of(key), []).append(key)
        return known

    @cached_property
    def phenomenon_files(self) -> dict[str, str]:
        """The file of each phenomenon, from the index."""
        names = make_file_names(set(self.phenomena))
        return {name: f"{PHENOMENA_FOLDER}/{names[name]}.html" for name in self.phenomena}

    def name(self, encoder: str) -> str:
        """What an encoder is called."""
        model = self.models.get(encoder)
        if model is None:
            return encoder
        return f"{model.name} (from vectors)" if model.is_from_vectors else model.name

    def name_leaders(self, key: Key) -> str:
        """The models that lead on a task, or why there is none."""
        one = self.tasks[key]
        names = [self.name(each.row.encoder) for each in one.of("leading")]
        if names:
            more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
            return ", ".join(sorted(names, key=str.casefold)[:_SHOWN]) + more
        return self.explain_no_leader(key)

    def explain_no_leader(self, key: Key) -> str:
        """Why no model leads on a task."""
        one = self.tasks[key]
        if not one.models:
            return "nothing was measured by the board's operator"
        if one.of("not computed"):
            return "its metric is code in a file"
        if one.of("no baselines"):
            return "no baseline was measured"
        if any(each.is_above_floors for each in one.models):
            return "the best model is not above the baselines"
        verdicts = {each.floor.strictest.verdict for each in one.models if each.floor}
        return _NO_LEADER[verdicts.pop() if len(verdicts) == 1 and verdicts < {*_NO_LEADER} else ""]

    def floor(self, key: Key) -> tuple[float, str]:
        """The best baseline or constant answer of a task: its score and name."""
        one = self.tasks[key]
        constant = [(row.majority, CONSTANT_ANSWER) for row in self._rows(one)[:1]]
        scored = [(row.score, row.encoder) for row in one.floors if not math.isnan(row.score)]
        return max([*constant, *scored], default=(math.nan, ""))

    def ceiling(self, key: Key) -> tuple[float, str]:
        """The best oracle of a task: its score and name; NaN without one."""
        scored = [(row.score, row.encoder) for row in self.tasks[key].ceilings]
        return max(scored, default=(math.nan, ""))

    def language(self, key: Key) -> str:
        """The languages of a task by name."""
        return self._languages[key]

    @cached_property
    def _languages(self) -> dict[Key, str]:
        return {key: language_names(one.languages) for key, one in self.tasks.items()}

    def test_count(self, key: Key) -> int:
        """The test examples of a task."""
        one = self.tasks[key]
        rows = self._rows(one) or [report.row for report in one.reported]
        return max((row.n for row in rows), default=0)

    @staticmethod
    def _rows(one: TaskStandings) -> list[Any]:
        return [*(standing.row for standing in one.models), *one.floors]

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """How groups and baselines are to be read."""
        every = self.standings
        notes = [_GROUPS.format(family=every.family, floors=every.floors_family)] * bool(self.order)
        notes += [_REPORTS] * bool(self.reported_order)
        reports = every.reports_family
        notes += [_DIFFERENCES.format(reports=reports)] * bool(reports)
        notes += [_VECTORS] * any(model.is_from_vectors for model in self.models.values())
        return tuple(notes)


def phenomenon_of(key: Key) -> str:
    """What a task is about, whatever its data, as ud/tense; the task where that is not said."""
    parsed = try_parse_reference(key[0])
    return parsed.name if parsed and "/" in parsed.name and "@" not in parsed.name else key[0]


def family_of(key: Key) -> str:
    """The family of a task, as ud."""
    parsed = try_parse_reference(key[0])
    family, slash, _ = (parsed.name if parsed else key[0]).partition("/")
    return family if slash else UNKNOWN_FACT


def language_names(codes: tuple[str, ...]) -> str:
    """Languages by name, as Universal Dependencies calls them; by code where it has none."""
    names = (UNKNOWN_FACT if code == "und" else name_language(code) for code in codes)
    return ", ".join(dict.fromkeys(names))


def format_model_size(model: ListedModel) -> str:
    """How many million parameters a model has."""
    size = model.parameters
    return "–" if size is None else f"{size / _MILLION:,.1f}"


def size_class(model: ListedModel) -> str:
    """About how large a model is."""
    size = model.parameters
    if size is None:
        return UNKNOWN_FACT
    return next((name for limit, name in _SIZES if size < limit), _LARGEST)


def format_doubt(row: Any) -> str:
    """A score with the wider side of its interval."""
    if math.isnan(row.score):
        return "–"
    if math.isnan(row.low):
        return format_number(row.score)
    wider = max(row.high - row.score, row.score - row.low)
    return f"{format_number(row.score)} ±{format_number(wider)}"


def format_interval(row: Any) -> str:
    """The interval of a score."""
    return "–" if math.isnan(row.low) else f"{format_number(row.low)} – {format_number(row.high)}"


def with_sign(value: float) -> str:
    """A difference in percent."""
    return f"{value:+.1f}".replace("-", "−")
