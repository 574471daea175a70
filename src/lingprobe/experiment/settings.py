"""Fits of tasks and of their controls: where a control keeps the probe, its fits have the settings
that were chosen for the task itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from lingprobe.data.abilities import ModelSelectingProbe, TunedProbe
from lingprobe.data.core import (
    Cell,
    Control,
    FitJob,
    JointProbe,
    KindredProbe,
    Predictor,
    Probe,
    choice_of,
)
from lingprobe.data.latest import LruCache
from lingprobe.datasets.controls import SameProbe
from lingprobe.experiment.equal_fits import EQUAL_FIT_CACHE

_MOST = 4096  # cells of which it is remembered what was chosen
Settings = Mapping[str, Any]
Chosen = dict[tuple[Hashable, Cell], Settings]
"""What was chosen for the cells of a subject."""


class SettingsRequest(NamedTuple):
    """A job, and what its settings are chosen for.

    subject  stands for the task itself as the encoder and the probe read it
    own      the job of the task itself, where this one is of a control that keeps the probe
    """

    job: FitJob
    subject: Hashable
    own: FitJob | None = None

    @property
    def cells(self) -> list[tuple[Hashable, Cell]]:
        """Its cells, as those of the subject."""
        return [(self.subject, cell) for cell in self.job.cells]


_CHOICES: LruCache[Settings] = LruCache(_MOST)
"""What was chosen lately, by subject and cell: controls may be fitted later than the task."""


def keeps_settings(probe: Probe, control: Control) -> TypeGuard[TunedProbe]:
    """Whether fits of a control have the settings that the probe chose for the task itself."""
    keeps = isinstance(control, SameProbe) and control.same_probe
    return keeps and isinstance(probe, TunedProbe) and len(probe.settings) > 1


def fit_wanted(probe: Probe, requests: Sequence[SettingsRequest]) -> list[list[Predictor]]:
    """One predictor for each cell of each job, in order; jobs in one pass where the probe takes
    several.
    """
    if not isinstance(probe, TunedProbe):
        return _fit_jobs(probe, [one.job for one in requests])
    if isinstance(probe, ModelSelectingProbe):
        return _fit_read_by_read(probe, requests)
    return _fit_with_controls(probe, requests)


def _fit_read_by_read(
    probe: TunedProbe, wanted: Sequence[SettingsRequest]
) -> list[list[Predictor]]:
    """One read of one subject after the other, with its controls, which share what is made of the
    features.
    """
    parts: dict[tuple[Hashable, str], dict[int, list[Cell]]] = {}
    for k, one in enumerate(wanted):
        for cell in one.job.cells:
            parts.setdefault((one.subject, cell.read), {}).setdefault(k, []).append(cell)
    fitted: dict[tuple[int, Cell], Predictor] = {}
    for cells_of in parts.values():
        some = [
            wanted[k]._replace(job=wanted[k].job._replace(cells=tuple(cells)))
            for k, cells in cells_of.items()
        ]
        for k, predictors in zip(cells_of, _fit_with_controls(probe, some), strict=True):
            fitted |= {(k, cell): p for cell, p in zip(cells_of[k], predictors, strict=True)}
    return [[fitted[k, cell] for cell in one.job.cells] for k, one in enumerate(wanted)]


def _fit_with_controls(
    probe: TunedProbe, wanted: Sequence[SettingsRequest]
) -> list[list[Predictor]]:
    """One predictor for each cell of each job, in order; controls with the settings that the tasks
    chose.
    """
    plain = [one for one in wanted if one.own is None]
    fitted, chosen = _fit_tuned(probe, [(one, one.job) for one in plain])
    controls = [one for one in wanted if one.own is not None]
    for cell in (cell for one in controls for cell in one.cells):
        if cell not in chosen and (known := _CHOICES.find(cell)) is not None:
            chosen[cell] = known
    chosen |= _fit_tuned(probe, _own_jobs(controls, chosen))[1]
    for cell, settings in chosen.items():
        _CHOICES.keep(cell, settings)
    told = iter(_fit_with(probe, controls, chosen))
    rest = iter(fitted)
    return [next(rest if one.own is None else told) for one in wanted]


def _fit_jobs(probe: Probe, jobs: Sequence[FitJob]) -> list[list[Predictor]]:
    if isinstance(probe, JointProbe):
        return probe.fit_all(jobs) if jobs else []
    return [EQUAL_FIT_CACHE.fit(probe, job) for job in jobs]


def _fit_tuned(
    probe: TunedProbe, jobs: Sequence[tuple[SettingsRequest, FitJob]]
) -> tuple[list[list[Predictor]], Chosen]:
    """Predictors of jobs that choose their settings, and what they chose."""
    fitted = _fit_jobs(probe, [job for _, job in jobs])
    names = list(probe.settings[0])
    chosen: Chosen = {
        (one.subject, cell): {name: choice_of(predictor)[name] for name in names}
        for (one, job), predictors in zip(jobs, fitted, strict=True)
        for cell, predictor in zip(job.cells, predictors, strict=True)
    }
    return fitted, chosen


def _own_jobs(
    controls: Sequence[SettingsRequest], chosen: Chosen
) -> list[tuple[SettingsRequest, FitJob]]:
    """The jobs of the tasks themselves whose settings have yet to be chosen, each subject once."""
    jobs: dict[Hashable, tuple[SettingsRequest, FitJob]] = {}
    for one in controls:
        missing = tuple(cell for subject, cell in one.cells if (subject, cell) not in chosen)
        if missing and one.own is not None:
            _, known = jobs.get(one.subject, (one, one.own._replace(cells=())))
            cells = tuple(dict.fromkeys((*known.cells, *missing)))
            jobs[one.subject] = one, known._replace(cells=cells)
    return list(jobs.values())


def _fit_with(
    probe: TunedProbe, controls: Sequence[SettingsRequest], chosen: Chosen
) -> list[list[Predictor]]:
    """Controls keep the settings that were chosen for the task itself: their predictors."""
    passes: dict[str, list[tuple[int, FitJob]]] = {}
    for k, one in enumerate(controls):
        mine = one.job.probe if isinstance(one.job.probe, TunedProbe) else probe
        by_settings: dict[str, tuple[Settings, list[Cell]]] = {}
        for cell, key in zip(one.job.cells, one.cells, strict=True):
            by_settings.setdefault(repr(chosen[key]), (chosen[key], []))[1].append(cell)
        for text, (settings, cells) in by_settings.items():
            job = one.job._replace(cells=tuple(cells), probe=mine.with_settings(settings))
            passes.setdefault("" if isinstance(probe, KindredProbe) else text, []).append((k, job))
    found: dict[tuple[int, Cell], Predictor] = {}
    for jobs in passes.values():
        first = jobs[0][1].probe
        assert first is not None
        fitted = _fit_jobs(first, [job for _, job in jobs])
        for (k, job), predictors in zip(jobs, fitted, strict=True):
            found |= {(k, cell): p for cell, p in zip(job.cells, predictors, strict=True)}
    return [[found[k, cell] for cell in one.job.cells] for k, one in enumerate(controls)]
