"""What a run measured, and what can be done with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.row import NO_CONTROL
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.analysis.scores import Score, list_task_scores
from lingprobe.api.arguments import takes_options
from lingprobe.api.options import SelectionOptions
from lingprobe.api.planned_run import PlannedRun
from lingprobe.api.selection import ResultPatterns, read_results, select_by_patterns
from lingprobe.corpora.strict import MalformedJson, parse_json
from lingprobe.data.cache import open_draft
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.digests import digest_texts
from lingprobe.data.errors import UsageProblem
from lingprobe.data.printing import strip_unprintable
from lingprobe.data.references import shorten_reference
from lingprobe.experiment.examples import ExampleReader
from lingprobe.experiment.newest import group_repeats
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import group_refusals
from lingprobe.probes import PROBES
from lingprobe.store.items import read_items, read_written, write_written

if TYPE_CHECKING:  # pages are drawn when they are looked at, and take half of all imports
    from lingprobe.api.results import Selection
    from lingprobe.api.trained import TrainedProbe
    from lingprobe.pages.compare import Comparison
    from lingprobe.pages.verdicts import VerdictStatement
    from lingprobe.tables.page import Page


class Figure(NamedTuple):
    """A figure of a page; a notebook shows it.

    page  what is drawn
    """

    page: Page[Any]

    def write(self, path: str | Path, *, width: str | float | None = None) -> None:
        """Draw it to a file; the suffix gives the format: .png, .svg, .pdf. `width` is that in a
        paper: 'column' (77 mm), 'text' (139.7 mm) or millimetres.
        """
        self.page.write(path, width=width)

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
    It iterates over its scores, one for each task, encoder and layer, and its length is their
    number. `evaluation[task, encoder]` is one of them, by names or patterns as in `report`; of
    several layers the one that is best on dev, or `evaluation[task, encoder, layer]`.

    results    one `Result` for each trial that could be measured
    failures   name -> reason, for tasks, encoders and trials that could not be measured
    refused    the failures found before the run began, such as tasks without data
    fresh      how many results were measured now, not read from the store
    questions  what each task asks, by its short name
    folder     the folder of the results
    suite      the paper's suite that was run; its table is shown
    remarks    further remarks
    planned    what it was made of, while that is in memory
    """

    results: tuple[Result, ...]
    failures: Mapping[str, str] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    fresh: int = 0
    questions: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    suite: str | None = None
    remarks: tuple[str, ...] = ()
    planned: PlannedRun | None = field(default=None, compare=False, repr=False)

    @cached_property
    def page(self) -> Page[Any]:
        """The table of scores, or of the paper, in every format."""
        from lingprobe.pages.paper import paper_page
        from lingprobe.pages.score_pages import SCORE_PAGE_EXTRAS, scores_page
        from lingprobe.pages.web.study import StudyContext

        if self.suite is not None:
            return paper_page(self.suite, self.results)
        beside = StudyContext(
            dict(self.questions),
            self.remarks,
            tuple(self.problems),
            examples=ExampleReader(lambda: self.results),
            folder=self._named_folder,
        )
        return scores_page(ResultFrame.of(self.results, SCORE_PAGE_EXTRAS), beside=beside)

    @cached_property
    def verdicts(self) -> VerdictStatement:
        """What is decodable from each encoder, and what of it is beyond the surface, by how much
        above which baselines, and which differences so much data detect; printing it says so in
        words.
        """
        from lingprobe.pages.verdicts import make_statement

        return make_statement(self._score_frame, self._named_folder)

    @property
    def _named_folder(self) -> Path | None:
        """The folder of the results, unless commands look there anyway."""
        return None if self.folder == RunPaths.of().results else self.folder

    @property
    def problems(self) -> list[str]:
        """The failures, one line each; tasks refused for the same reason share a line."""
        refused = {name: self.failures[name] for name in self.failures if name in self.refused}
        lines = [f"refused: {names}: {reason}" for names, reason in group_refusals(refused)]
        return lines + [
            f"failed: {name}: {reason}"
            for name, reason in self.failures.items()
            if name not in self.refused
        ]

    @property
    def scores(self) -> Any:
        """The scores as a frame of pandas, or of polars or pyarrow where pandas is not installed: a
        row for each task, encoder and layer, over all folds and seeds, with its interval, the best
        baseline and the difference from it. The columns are the fields of `Score`.
        """
        from lingprobe.pages.records import make_dataframe

        return make_dataframe(self._scores, Score)

    def to_dataframe(self) -> Any:
        """All that is known of the scores, as such a frame as `scores`: one row for each encoder,
        layer, probe and control on a task, with the columns of CSV and Parquet.
        """
        from lingprobe.pages.records import make_dataframe

        return make_dataframe(self._score_frame)

    @cached_property
    def _score_frame(self) -> ResultFrame:
        """The rows of scores."""
        return compute_scores(ResultFrame.of(self.results))

    @cached_property
    def _scores(self) -> list[Score]:
        return list_task_scores(self._score_frame)

    @takes_options(SelectionOptions, without=["results"])
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
        from lingprobe.api.results import report

        if not (each or classes or bits or by or view or any(selection.values())):
            return self.page
        return report(
            self.results, each=each, classes=classes, bits=bits, by=by, view=view, **selection
        )

    @takes_options(SelectionOptions, without=["results"])
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
        from lingprobe.api.results import compare

        return compare(self.results, against, pairs=pairs, **selection)

    @takes_options(SelectionOptions, without=["results"])
    def plot(
        self,
        path: str | Path | None = None,
        *,
        by: str | None = None,
        figure: str | None = None,
        width: str | float | None = None,
        **selection: Unpack[Selection],
    ) -> Figure:
        """A figure of the results, written to a file if one is named (.png, .svg, .pdf); a notebook
        shows it, too.

        by         scores by a stratum of the test examples ('distance')
        figure     dots (with intervals), heat (a heat map), radar, layers, or 'mine.py@figure'
        width      of a file for a paper: 'column', 'text' or millimetres
        Without `by` and `figure`, where in each encoder a task is solved, of results on several
        layers; dots of others. DataProblem or PlotProblem where there is nothing to draw.
        """
        drawn = Figure(self._drawing(by, figure, selection))
        if path is not None:
            drawn.write(path, width=width)
        return drawn

    def _drawing(self, by: str | None, figure: str | None, selection: Selection) -> Page[Any]:
        """The page that draws what was asked for: what pages learn to draw is drawn from here."""
        from lingprobe.api.results import layers, report

        several = len({result.trial.read for result in self.results}) > 1
        if several and by is None and figure is None:
            return layers(self.results, **selection)
        return report(self.results, by=by, figure=figure or "dots", **selection)

    def trained(
        self,
        task: str | None = None,
        encoder: str | None = None,
        layer: str | int | None = None,
        *,
        probe: str | None = None,
        trust: bool = False,
    ) -> TrainedProbe:
        """A probe of this run to keep: it is trained again on the same vectors, and answers as it
        did. Of several layers it is the one that is best on dev; of folds that of the first.

        task, encoder, probe  names or patterns, where there are several
        layer                 as tables call it
        trust                 whether code in files that results name may run
        UsageProblem where several are meant; DataProblem where data, encoder or code changed since.
        """
        from lingprobe.api.refitting import choose_row, refit_probe

        chosen = ResultPatterns(
            task and [task], encoder and [encoder], None if layer is None else [str(layer)]
        )
        results = select_by_patterns(self.results, chosen)
        if probe is not None:
            results = [each for each in results if _is_of_probe(each, probe)]
        judged = [each for each in results if each.provenance.kind == "trained"]
        row = choose_row(judged or results, self.results)
        return refit_probe(row, self.planned, RunPaths.of(self.folder), trust)

    def save(self, folder: str | Path) -> Path:
        """Write the results, their test examples and the failures to a folder, which
        `load_evaluation` and `lingprobe report` read; returns it.

        folder  a new one, or that of the run itself; DataProblem where it has other results
        """
        root = Path(folder).expanduser().absolute()
        if root != self.folder:
            _copy_results(self.results, RunPaths.of(root))
        facts = {name: value for name, value in self.__getstate__().items() if name in _FACTS}
        with open_draft(root / _FILE) as draft:
            text = json.dumps(facts, ensure_ascii=False, indent=1, default=_as_json)
            draft.write_text(text, "utf-8")
        return root

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the fields; pages are made again."""
        names = {each.name for each in fields(self)} - {"planned"}
        return {name: value for name, value in vars(self).items() if name in names}

    def __len__(self) -> int:
        plain = (result for result in self.results if result.trial.control == NO_CONTROL)
        return len(group_repeats(plain))

    def __iter__(self) -> Iterator[Score]:
        return iter(self._scores)

    def __getitem__(self, names: int | tuple[str, ...]) -> Score:
        """The score under a task and an encoder, and maybe a layer; DataProblem where there is
        none, UsageProblem where there are several.
        """
        if isinstance(names, int):
            return self._scores[names]
        if isinstance(names, str) or not 2 <= len(names) <= 3:
            raise UsageProblem(f"evaluation[{names!r}]: write evaluation[task, encoder]")
        task, encoder, *layer = names
        chosen = select_by_patterns(self.results, ResultPatterns([task], [encoder], layer or None))
        named = ResultFrame.of(chosen).groups(("task", "encoder", "layer"))
        mine = [one for one in self if (one.task, one.encoder, one.layer) in named]
        found = [one for one in mine if one.verdict] if len(mine) > 1 else mine
        if len(found) != 1:
            known = "; ".join(
                f"{one.task}, {one.encoder}, {one.layer}, {one.probe}" for one in mine
            )
            raise UsageProblem(
                f"evaluation[{', '.join(map(repr, names))}] may be {len(mine)} scores (task,"
                f" encoder, layer, probe): {known}"
            )
        return found[0]

    def __repr__(self) -> str:
        return f"Evaluation({len(self):,} scores, {len(self.failures):,} failures)"

    def __str__(self) -> str:
        shown = str(self.page) if self.results else "nothing could be measured"
        return "\n".join((shown, *map(strip_unprintable, (*self.remarks, *self.problems))))

    def _repr_html_(self) -> str:
        from html import escape

        shown = self.page._repr_html_() if self.results else "<p>nothing could be measured</p>"
        told = (*self.remarks, *self.problems)
        return "\n".join((shown, *(f"<p>{escape(strip_unprintable(line))}</p>" for line in told)))


def load_evaluation(folder: str | Path) -> Evaluation:
    """The evaluation in a folder that `Evaluation.save` or a run wrote; DataProblem where there is
    none.

        print(lingprobe.load_evaluation("results/").verdicts)
    """
    root = Path(folder).expanduser().absolute()
    results = tuple(read_results(root, ResultPatterns(scores=True)).results)
    try:
        said = parse_json((root / _FILE).read_text("utf-8"))
        facts = {name: as_type(said[name]) for name, as_type in _FACTS.items()}
    except FileNotFoundError:  # of a run
        return Evaluation(results, folder=root)
    except (OSError, MalformedJson, KeyError, TypeError, UnicodeDecodeError) as error:
        raise DataProblem(
            f"{root / _FILE} cannot be read ({error}); remove it, and the results are read alone"
        ) from error
    return Evaluation(results, **facts, folder=root)


_FILE = "evaluation.json"
_FACTS: Mapping[str, Callable[[Any], Any]] = {
    "failures": dict,
    "refused": frozenset,
    "questions": dict,
    "suite": lambda name: name,
    "remarks": tuple,
}
"""What a saved evaluation holds beside its results: fields, and what they are made of."""


def _is_of_probe(result: Result, probe: str) -> bool:
    known = result.trial.probe
    return probe in (known, shorten_reference(PROBES, known))


def _as_json(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else dict(value)


def _copy_results(results: Sequence[Result], paths: RunPaths) -> None:
    """Keep results, their scores and their test examples in a folder of their own."""
    paths.check()
    named = [(_name_result(result), result) for result in results]
    others = {trial_id for trial_id, _ in paths.result_store().read()} - {i for i, _ in named}
    if others:
        raise DataProblem(f"{paths.results} has {len(others):,} other results: name a new folder")
    for result in results:
        if (examples := read_items(result)) is not None:
            paths.keep_items(result, examples)
        if (written := read_written(result)) is not None:
            write_written(paths.results, result, written)
    paths.keep(named)


def _name_result(result: Result) -> str:
    """What a result is kept under: its trial, and what it was made with."""
    made_with = result.provenance
    about = json.dumps(asdict(result.trial)), made_with.tested, made_with.date
    return f"saved{digest_texts(*about)}"
