"""What was measured, read again: tables, comparisons, layers, predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, Unpack, runtime_checkable

from lingprobe.analysis.comparison import find_order_changes, pair_encoder_rows, with_opponents
from lingprobe.analysis.comparison import pair_with_encoders as against_one
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.score_columns import compute_scores
from lingprobe.api.arguments import as_list, takes_options
from lingprobe.api.options import SelectionOptions
from lingprobe.api.result_options import (
    CardOptions,
    CompareOptions,
    PredictionsOptions,
    ReportOptions,
)
from lingprobe.api.selection import (
    ResultPatterns,
    StoredResults,
    find_encoders,
    is_asked,
    judged_by,
    keeps_scores,
    read_results,
    select_by_patterns,
)
from lingprobe.data.checks import check_choice
from lingprobe.data.core import Result
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import allow_code
from lingprobe.datasets.formats.held_rows import is_frame
from lingprobe.experiment.examples import ExampleReader
from lingprobe.experiment.newest import keep_newest
from lingprobe.pages.built_in_views import layers as layers_view
from lingprobe.pages.card import CARD_VIEW, card_page
from lingprobe.pages.compare import DIFFERENCE_TESTS, Comparison, answer_questions
from lingprobe.pages.human import read_answers
from lingprobe.pages.records import format_csv
from lingprobe.pages.verdicts import make_statement
from lingprobe.pages.views import ViewArguments, view_page
from lingprobe.pages.web.study import StudyContext
from lingprobe.tables.page import Page

if TYPE_CHECKING:
    from lingprobe.suites.facts import PaperTable
    from lingprobe.suites.significance import PublishedDifference


@runtime_checkable
class HasResults(Protocol):
    """What has results, as an evaluation."""

    @property
    def results(self) -> Sequence[Result]: ...


ResultsSource = (
    HasResults | Iterable[Result | HasResults | Iterable[Result] | str | Path] | str | Path | None
)
"""An evaluation, results chosen from several, a folder that `run` wrote, or a list of evaluations
and folders; for None, what was run last without a folder.
"""


class Selection(TypedDict, total=False):
    """Which results (default: all)."""

    experiment: str | int | None
    tasks: Sequence[str] | None
    encoders: Sequence[str] | None
    layers: Sequence[str] | None
    metric: str | None
    trust: bool | None


@takes_options(SelectionOptions, without=["results"])
def results(
    folder: str | Path | None = None, *, scores: bool = False, **selection: Unpack[Selection]
) -> list[Result]:
    """The newest result of each trial in a folder, ordered by trial; DataProblem if there is none.

    folder     written by `run` (default: the cache's)
    scores     whether to read probabilities, too, if they were kept

        best = max(lingprobe.results("results/", tasks=["ud/tense"]), key=lambda r: r.score)
    """
    return _of(folder, _parse_selection(selection, scores)).results


@takes_options(ReportOptions)
def report(
    results: ResultsSource = None,
    *,
    suite: str | None = None,
    human: Sequence[str | Path] = (),
    each: bool = False,
    classes: bool = False,
    bits: bool = False,
    headroom: bool = False,
    by: str | None = None,
    view: str | None = None,
    figure: str = "dots",
    **selection: Unpack[Selection],
) -> Page[Any]:
    """Results as a page, as `lingprobe report` shows them: print it, or write it in a format. The
    table has a row for each encoder and a column for each task.

    Results are an evaluation, a list of them, or a folder. DataProblem if there are no such
    results, UsageProblem if two views are requested.

        lingprobe.report("results/").write("results.csv")
        lingprobe.report("results/").write("results.svg")
        lingprobe.report("results/", by="distance").write("distance.png")
    """
    given = {
        "suite": suite and f"suite:{suite}",
        "each": each and "each",
        "classes": classes and "classes",
        "bits": bits and "bits",
        "headroom": headroom and "headroom",
        "by": by and f"by:{by}",
        "view": view,
    }
    views = {name: chosen for name, chosen in given.items() if chosen}
    if len(views) > 1:
        raise UsageProblem(f"{' and '.join(views)} are separate views: choose one of them")
    if suite is not None and selection.get("metric"):
        raise UsageProblem("a paper's table uses its own metrics: leave metric out with a suite")
    if human and suite is None and (views or _bounds(human)):
        raise UsageProblem(
            "a bound is shown in a paper's table, so name its suite; the page for browsers takes"
            " filled sheets"
        )
    allow_code(suite, view, figure)
    stored = _of(results, _parse_selection(selection))

    def read_scores() -> list[Result]:
        return _of(results, _parse_selection(selection, scores=True)).results

    scored: Callable[[], list[Result]] | None = read_scores
    if (results is None or isinstance(results, str | Path)) and not keeps_scores(results):
        scored = None
    beside = StudyContext(
        remarks=stored.remarks,
        people=() if suite else read_answers([Path(file) for file in human]),
        examples=ExampleReader(scored or (lambda: stored.results)),
        folder=Path(results) if isinstance(results, str | Path) else None,
        reads=tuple(as_list(selection.get("layers"))),
    )
    asked = ViewArguments(figure=figure, human=tuple(human), beside=beside, scored=scored)
    page = view_page(next(iter(views.values()), "scores"), stored.results, asked)
    return page.with_remarks(stored.remarks)


@takes_options(CardOptions)
def card(
    results: ResultsSource = None, *, benchmark: str | None = None, **selection: Unpack[Selection]
) -> Page[ResultFrame]:
    """Scores of models, for their cards on the Hugging Face hub, as of `lingprobe publish card`:
    `.text("markdown")` is a section of a card, and the format `hub` a folder for each model with
    README.md, whose `model-index` the hub reads.

    DataProblem if no model was measured.

        lingprobe.card("results/").write("cards/", "hub")
    """
    stored = _of(results, _parse_selection(selection))
    known = keep_newest(stored.results)
    frame = ResultFrame.of(known, CARD_VIEW.extra)
    page = card_page(frame, make_statement(compute_scores(frame)), benchmark)
    return page.with_remarks(stored.remarks)


@takes_options(SelectionOptions)
def layers(results: ResultsSource = None, **selection: Unpack[Selection]) -> Page[ResultFrame]:
    """Scores by layer for each task: each layer alone, growing mixes, the gain of each layer,
    weights. `.content` has a row for each layer, with the columns of CSV.

    DataProblem if nothing was measured on several layers.

        lingprobe.layers("results/").write("layers.svg")
    """
    stored = _of(results, _parse_selection(selection))
    return layers_view(stored.results, ViewArguments()).with_remarks(stored.remarks)


@takes_options(CompareOptions)
def compare(
    results: ResultsSource = None,
    against: str | None = None,
    *,
    pairs: bool = False,
    correction: Literal["bonferroni", "bh"] = "bonferroni",
    test: Literal["t", "permutation", "bootstrap"] = "t",
    **selection: Unpack[Selection],
) -> Comparison:
    """Whether scores differ: paired differences over the same test examples, each with its verdict,
    as `lingprobe compare` shows them; printing it shows the table.

    Two questions are asked of each encoder on each task, whether it is above what needs no training
    (decodable) and above what needs no model (beyond the surface), and it is better if it is better
    than all such baselines; its layer is chosen on dev. Results are an evaluation, results selected
    from several ([r for r in many.results if ...]), a folder, or a list of evaluations and folders.

    Fields of `.found` are percent; `.corrected` is p corrected for all comparisons of the call, of
    which `.family` says what they are. `.letters` shows many encoders at once. DataProblem if
    nothing can be compared, UsageProblem for conflicting options.

        print(lingprobe.compare("results/"))
        print(lingprobe.compare("results/", against="bow:random"))
        print(lingprobe.compare("results/", pairs=True, correction="bh").letters)
    """
    check_choice("test", test, DIFFERENCE_TESTS)
    if against is not None and not isinstance(against, str):
        raise UsageProblem(
            "against names one encoder: compare([first, second]) compares what two evaluations have"
        )
    if against and pairs:
        raise UsageProblem("against compares with one encoder, pairs all: choose one of them")
    chosen = _parse_selection(selection)
    wider = chosen
    if against:
        wider = chosen._replace(encoders=[*chosen.encoders, against] if chosen.encoders else None)
    elif not pairs:
        wider = chosen._replace(encoders=None, reads=None)
    shown = _of(results, wider)
    scored = compute_scores(ResultFrame.of(shown.results))
    if pairs:
        asked = pair_encoder_rows(scored)
    elif against:
        asked = against_one(scored, find_encoders(against, shown.results))
    else:
        asked = with_opponents(scored, ResultFrame.of(select_by_patterns(shown.results, chosen)))
    answered = answer_questions(asked, correction, test, shown.remarks)
    return answered._replace(orders=find_order_changes(scored, correction, test))


def compare_published(
    paper: str, tasks: Sequence[str] | str | None = None, *, correction: str = "holm"
) -> Page[tuple[PublishedDifference, ...]]:
    """Which differences in a published table are significant, from its scores and the number of
    test examples alone, as `lingprobe compare --published` shows them.

    paper       'conneau2018' or 'ud2019'
    tasks       columns of the table by name or pattern ('ObjNum'): lists their pairs that do not
                differ significantly (default: one line for each task)
    correction  of the p values of a task's pairs: 'holm', or 'bh' (Benjamini-Hochberg)
    UsageProblem for a paper whose numbers of test examples are not known.

        print(lingprobe.compare_published("ud2019", "ObjNum"))
    """
    from lingprobe.suites import SUITES
    from lingprobe.suites.significance import compare_paper, not_significant, tabulate_best_encoders

    allow_code(paper)
    published: PaperTable = SUITES.make(paper).paper
    chosen = [
        one for one in compare_paper(published, correction) if is_asked(as_list(tasks), one.task)
    ]
    if not chosen:
        known = ", ".join(published.tested)
        raise UsageProblem(
            f"no task of {paper} is called {as_list(tasks)[0]!r}: choose from {known}"
            if known
            else f"the number of test examples in the table of {paper} is not known: choose"
            " conneau2018 or ud2019"
        )
    table = not_significant if tasks else tabulate_best_encoders
    return Page(
        tuple(chosen),
        lambda: [table(published, chosen, correction)],
        {"csv": lambda: format_csv(chosen)},
    )


@takes_options(PredictionsOptions)
def predictions(
    results: ResultsSource = None,
    output: str | Path = "predictions",
    *,
    format: Literal["jsonl", "jiant"] = "jsonl",
    **selection: Unpack[Selection],
) -> list[Path]:
    """Write the predictions for each test example, one file per fit: gold label, prediction, the
    probability of each label, bits. Returns the files.

    The data must still be in the same place. DataProblem if there are none. Probabilities are those
    of the state with the lowest loss on dev; the prediction is that of the state with the best
    score, as in tables.

        lingprobe.predictions("results/", "predictions/", tasks=["edge/dep"])
    """
    from lingprobe.api.prediction_files import write_predictions

    stored = _of(results, _parse_selection(selection, scores=True))
    return write_predictions(stored.results, Path(output), format)


def read_stored_results(results: ResultsSource, selection: Selection) -> StoredResults:
    """The results that a selection names, and what there is to say of them."""
    return _of(results, _parse_selection(selection))


def _of(results: ResultsSource, chosen: ResultPatterns) -> StoredResults:
    """The results that are meant, and what there is to say of them."""
    allow_code(chosen.metric)
    if results is None or isinstance(results, str | Path):
        shown = read_results(results, chosen)
    else:
        shown = _gather_results(results, chosen)
    if chosen.trust:
        for one in shown.results:
            trial = one.trial
            allow_code(trial.task, trial.encoder, trial.probe, trial.control, one.metric)
    return judged_by(shown, chosen.metric) if chosen.metric else shown


def _gather_results(
    given: HasResults | Iterable[Result | HasResults | Iterable[Result] | str | Path],
    chosen: ResultPatterns,
) -> StoredResults:
    """Results, those of evaluations, and those in folders, together: of a trial that several have
    the newest.
    """
    if isinstance(given, HasResults):
        given = given.results
    if not isinstance(given, Iterable) or is_frame(given):
        raise UsageProblem(
            f"a {type(given).__name__} is no results: give an evaluation, a folder of results, or"
            " some of the results of an evaluation"
        )
    every, remarks, several = list[Result](), list[str](), False
    plain = chosen._replace(tasks=(), encoders=(), reads=())
    for each in given:
        if isinstance(each, Result):
            every.append(each)
            continue
        several = True
        part = (
            read_results(each, plain)
            if isinstance(each, str | Path)
            else _gather_results(each, plain)
        )
        every += part.results
        remarks += part.remarks
    if several:
        latest = set(map(id, keep_newest(every)))
        every = [result for result in {id(r): r for r in every}.values() if id(result) in latest]
    patterns = chosen.tasks or chosen.encoders or chosen.reads
    return StoredResults(select_by_patterns(every, chosen) if patterns else every, tuple(remarks))


def _bounds(files: Iterable[str | Path]) -> list[str | Path]:
    """Those of the files that hold bounds, rather than filled sheets."""
    return [file for file in files if Path(file).suffix.lower() == ".json"]


def _parse_selection(selection: Selection, scores: bool = False) -> ResultPatterns:
    """What is asked for; a pattern may stand where a list of them may."""
    return ResultPatterns(
        as_list(selection.get("tasks")),
        as_list(selection.get("encoders")),
        as_list(selection.get("layers")),
        experiment=selection.get("experiment"),
        scores=scores,
        metric=selection.get("metric"),
        trust=bool(selection.get("trust")),
    )
