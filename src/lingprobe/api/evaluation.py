"""What a run measured, and what can be done with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Unpack

from lingprobe.analysis.rows import rows
from lingprobe.api.arguments import keywords, optional
from lingprobe.api.results import Selection, compare, layers, report
from lingprobe.data.core import Result
from lingprobe.experiment.plan import together
from lingprobe.pages import scores_page
from lingprobe.pages.compare import Comparison
from lingprobe.pages.paper import paper_page
from lingprobe.pages.records import dataframe
from lingprobe.pages.web.study import Beside
from lingprobe.tables.page import Page


class Figure(NamedTuple):
    """A figure of a page; a notebook shows it.

    page  what is drawn
    """

    page: Page[Any]

    def write(self, path: str | Path) -> None:
        """Draw it to a file; the suffix gives the format: .png, .svg, .pdf."""
        self.page.write(path)

    def __repr__(self) -> str:
        return "Figure()"

    def _repr_svg_(self) -> str:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "figure.svg"
            self.page.write(path)
            return path.read_text("utf-8")


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The results of a run. Printing it shows the table and the failures; a notebook shows it, too.
    It iterates over its results, and its length is their number.

    results    one `Result` for each trial that could be measured
    failures   name -> reason, for tasks, encoders and trials that could not be measured
    refused    the failures found before the run began, such as tasks without data
    fresh      how many results were measured now, not read from the store
    questions  what each task asks, by its short name
    folder     the folder of the results
    suite      the paper's suite that was run; its table is shown
    remarks    further remarks
    """

    results: tuple[Result, ...]
    failures: Mapping[str, str] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    fresh: int = 0
    questions: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    suite: str | None = None
    remarks: tuple[str, ...] = ()

    @cached_property
    def page(self) -> Page[tuple[Result, ...]]:
        """The table of scores, or of the paper, in every format."""
        if self.suite is not None:
            return paper_page(self.suite, self.results)
        beside = Beside(remarks=self.remarks, problems=tuple(self.problems))
        return scores_page(self.results, dict(self.questions), beside=beside)

    @property
    def problems(self) -> list[str]:
        """The failures, one line each; tasks refused for the same reason share a line."""
        refused = {name: self.failures[name] for name in self.failures if name in self.refused}
        lines = [f"refused: {names}: {reason}" for names, reason in together(refused)]
        return lines + [
            f"failed: {name}: {reason}"
            for name, reason in self.failures.items()
            if name not in self.refused
        ]

    def to_dataframe(self) -> Any:
        """The scores as a pandas DataFrame, one row for each encoder, layer, probe and control on a
        task, with the columns of CSV and Parquet; UsageProblem if pandas is not installed.
        """
        return dataframe(rows(self.results))

    @keywords(optional(Selection))
    def report(
        self,
        *,
        each: bool = False,
        classes: bool = False,
        bits: bool = False,
        by: str | None = None,
        view: str | None = None,
        **selection: Unpack[Selection],
    ) -> Page[tuple[Result, ...]]:
        """The results in one of the views of `lingprobe.report` (default: the table that printing
        shows).
        """
        if not (each or classes or bits or by or view or any(selection.values())):
            return self.page
        return report(
            self.results, each=each, classes=classes, bits=bits, by=by, view=view, **selection
        )

    @keywords(optional(Selection))
    def compare(
        self,
        against: str | None = None,
        *,
        pairs: bool = False,
        **selection: Unpack[Selection],
    ) -> Comparison:
        """Whether scores differ, as in `lingprobe.compare`: each encoder against the best baseline,
        all others against one, or all pairs, over the same test examples.
        """
        return compare(self.results, against, pairs=pairs, **selection)

    @keywords(optional(Selection))
    def plot(
        self,
        path: str | Path | None = None,
        *,
        by: str | None = None,
        figure: str | None = None,
        **selection: Unpack[Selection],
    ) -> Figure:
        """A figure of the results, written to a file if one is named (.png, .svg, .pdf); a notebook
        shows it, too.

        by         scores by a stratum of the test examples ('distance')
        figure     dots (with intervals), heat (a heat map), radar, or 'mine.py@figure'
        selection  the fields of `Selection`
        Without `by` and `figure`, where in each encoder a task is solved, of results on several
        layers; dots of others. DataProblem or PlotProblem where there is nothing to draw.
        """
        drawn = Figure(self._drawing(by, figure, selection))
        if path is not None:
            drawn.write(path)
        return drawn

    def _drawing(self, by: str | None, figure: str | None, selection: Selection) -> Page[Any]:
        """The page that draws what was asked for: what pages learn to draw is drawn from here."""
        several = len({result.trial.read for result in self.results}) > 1
        if several and by is None and figure is None:
            return layers(self.results, **selection)
        return report(self.results, by=by, figure=figure or "dots", **selection)

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __repr__(self) -> str:
        return f"Evaluation({len(self.results):,} results, {len(self.failures):,} failures)"

    def __str__(self) -> str:
        shown = str(self.page) if self.results else "nothing could be measured"
        return "\n".join((shown, *self.problems))

    def _repr_html_(self) -> str:
        shown = self.page._repr_html_() if self.results else "<p>nothing could be measured</p>"
        return "\n".join((shown, *(f"<p>{escape(line)}</p>" for line in self.problems)))
