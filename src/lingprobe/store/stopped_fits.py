"""States of fits in a folder of results: whose they are, how much room they take, and whether a run
will go on from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lingprobe.store.checkpoints import kept_states, left_places
from lingprobe.store.claims import holder
from lingprobe.store.experiments import Unit, experiments
from lingprobe.store.results import ResultStore


@dataclass(frozen=True, slots=True)
class KeptFit:
    """The saved states of the fits of one unit of work.

    place                 how the names of their files begin
    task, encoder, probe  what is fitted; '' if no experiment in the folder says so
    kept                  when a state was saved last, in UTC
    bytes                 the size of the files
    finished              whether the unit has its results, so that nothing reads the states
    running               whether a run is fitting it now
    """

    place: Path
    task: str
    encoder: str
    probe: str
    kept: str
    bytes: int
    finished: bool
    running: bool

    @property
    def name(self) -> str:
        """What is fitted, else the name of the files."""
        return f"{self.task}, {self.encoder}, {self.probe}" if self.task else self.place.name

    @property
    def fate(self) -> str:
        """How they are used, in words."""
        if self.running:
            return f"a fit that is running, saved at {self.kept}"
        return "a fit that has its results" if self.finished else f"a fit stopped at {self.kept}"


def kept_fits(results: Path) -> Iterator[KeptFit]:
    """The fits whose states lie in a folder of results."""
    if not (places := left_places(results)):
        return
    store = ResultStore(results)
    units: dict[Path, list[Unit]] = {}
    for experiment in experiments(results):
        for unit in experiment.units:
            units.setdefault(store.place(unit.ids, unit.part), []).append(unit)
    for place in places:
        of = units.get(place, [])
        ids = {each for unit in of for each in unit.ids}
        names = (of[0].task, of[0].encoder, of[0].probe) if of else ("", "", "")
        finished = bool(ids) and store.ids(ids) == ids
        yield KeptFit(place, *names, *kept_states(place), finished, holder(place) is not None)
