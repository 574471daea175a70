"""Submissions and boards, as functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Unpack

from lingprobe import DataProblem, Page, Selection, Table, UsageProblem
from lingprobe.extend import (
    ResultsSource,
    TableSection,
    WebDocument,
    as_list,
    read_stored_results,
    takes_options,
    write_text,
)
from lingprobe_extensions.board.check import check_submission
from lingprobe_extensions.board.contents import (
    INDEX_FILE,
    MODELS_FOLDER,
    PHENOMENA_FOLDER,
    TASKS_FOLDER,
    BoardContents,
)
from lingprobe_extensions.board.index_page import index_text
from lingprobe_extensions.board.lines import ModelLine
from lingprobe_extensions.board.measure import (
    BoardEstimate,
    estimate_jobs,
    list_jobs,
    measure_models,
    parse_models,
)
from lingprobe_extensions.board.merge import merge_submissions
from lingprobe_extensions.board.model_page import model_page
from lingprobe_extensions.board.mteb_scores import mteb_places, of_model
from lingprobe_extensions.board.options import BoardOptions, SubmitOptions
from lingprobe_extensions.board.phenomenon_page import phenomenon_page
from lingprobe_extensions.board.standings import compute_standings
from lingprobe_extensions.board.submission import (
    MODEL_LINES_FILE,
    SUBMISSION_FILES,
    BoardSubmission,
    DescribedResults,
    SubmitterStatement,
    describe_results,
    submission_of,
    write_submission,
)
from lingprobe_extensions.board.task_page import task_page

_HEAD = ("model", "parameters", "layers", "fits", "trained on UD", "on the sources", "files")


@takes_options(SubmitOptions)
def submit(
    results: ResultsSource = None,
    output: str | Path | None = None,
    *,
    check: bool = False,
    name: str | None = None,
    trained_on_ud: Literal["yes", "no", "unknown"] = "unknown",
    trained_on_sources: Literal["yes", "no", "unknown"] = "unknown",
    mteb: str | Path | None = None,
    **selection: Unpack[Selection],
) -> Page[tuple[ModelLine, ...]]:
    """Write results as a folder for a board (answers, identities, a line per model, checksums), or
    check such a folder.

    DataProblem with file, row and reason for a folder that was changed, and for results without a
    model; UsageProblem for conflicting options. `.content` has a `ModelLine` for each
    model.

        lingprobe.submit("results/", "mine", name="mine", trained_on_ud="no")
        print(lingprobe.submit("mine", check=True))
    """
    if check:
        beside = output, name, mteb, *selection.values()
        if any(beside) or not isinstance(results, str | Path):
            raise UsageProblem("check takes a folder that was written before, and nothing else")
        checked = check_submission(Path(results))
        return _page(checked.submission, checked.remarks)
    if output is None:
        raise UsageProblem("name a folder to write: output='FOLDER' (-o FOLDER)")
    if selection.get("metric"):
        raise UsageProblem("a submission has the metric of each task: leave metric out")
    folder = Path(output)
    _check_place(folder, SUBMISSION_FILES)
    stored = read_stored_results(results, selection)
    declared = {"trained_on_ud": trained_on_ud, "trained_on_sources": trained_on_sources}
    known = partial(of_model, mteb_places(mteb))
    made = submission_of(stored.results, SubmitterStatement(name, declared, known))
    write_submission(made, folder)
    return _page(made, (*stored.remarks, *check_submission(folder).remarks))


def _check_place(folder: Path, ours: Sequence[str]) -> None:
    """Refuse a folder that holds something else."""
    if not folder.exists():
        return
    other = (
        sorted({each.name for each in folder.iterdir()} - set(ours)) if folder.is_dir() else [""]
    )
    if other:
        what = f" and holds {other[0]}" if other[0] else ""
        raise DataProblem(f"{folder} is there already{what}; name another folder")


def _page(made: BoardSubmission, remarks: Sequence[str]) -> Page[tuple[ModelLine, ...]]:
    rows = tuple(
        (
            line.name,
            "unknown" if line.parameters is None else f"{line.parameters:,}",
            ", ".join(line.layers),
            f"{line.fits:,}",
            *(line.declared.get(key, "unknown") for key in ("trained_on_ud", "trained_on_sources")),
            f"{len(line.files):,}",
        )
        for line in made.lines
    )
    words = frozenset({"model", "layers", "trained on UD", "on the sources"})
    beside = len(made.fits) - sum(line.fits for line in made.lines)
    notes = (f"Beside them: {beside:,} fits of baselines and oracles.", *remarks)
    return Page(made.lines, lambda: [Table(_HEAD, (TableSection("", rows),), words, notes)])


class BoardSite(NamedTuple):
    """The site of a board.

    files     its pages, of which the first is index.html
    remarks   what was read
    problems  what could not be measured, and why
    """

    files: tuple[Path, ...]
    remarks: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@takes_options(BoardOptions)
def board(
    folders: Sequence[str | Path] | str | Path | None = None,
    output: str | Path | None = None,
    *,
    measure: str | Path | None = None,
    encoders: Any = None,
    progress: bool = False,
) -> BoardSite:
    """Write a site of models: a page to sort and filter, and one for each model, task and
    phenomenon.

    What is in `measure` is ranked, in groups against its baselines and upper bounds; what is only
    submitted is listed as reported. With encoders, submitted models are measured first; a run that
    was stopped continues. DataProblem for a submission that was changed, and for results without
    baselines; UsageProblem where there is nothing to show.

        lingprobe.board(["mine", "yours"], "site", measure="measured/")
        lingprobe.board("mine", "site", measure="measured/", encoders={"mine": "st:FOLDER"})
    """
    if output is None:
        raise UsageProblem("name a folder for the site: output='FOLDER' (-o FOLDER)")
    to = Path(output)
    _check_place(to, (INDEX_FILE, MODELS_FOLDER, TASKS_FOLDER, PHENOMENA_FOLDER))
    submissions = _read_submissions(folders, measure, encoders)
    jobs, refused = list_jobs(parse_models(encoders, submissions), submissions)
    done = measure_models(jobs, measure or "", progress=progress)
    own, remarks = _read_measured(measure, (*refused, *done.problems))
    references = own.encoders
    bound = {name: references[one] for name, one in done.encoders.items() if one in references}
    merged = merge_submissions(submissions, own, bound)
    every = compute_standings(merged.measured, merged.reported)
    if own.lines and not any(one.floors for one in every.tasks):
        raise DataProblem(
            f"{measure} has no baselines, so no model can be ranked: run the same command with"
            " --baselines default, which measures them beside"
        )
    files = _write_site(BoardContents(merged, every), to)
    return BoardSite(files, (*remarks, *merged.remarks), (*refused, *done.problems))


@takes_options(BoardOptions, without=["output", "progress"])
def estimate_board(
    folders: Sequence[str | Path] | str | Path | None = None,
    *,
    measure: str | Path | None = None,
    encoders: Any = None,
) -> BoardEstimate:
    """What `board` would measure with the same arguments, and about how long it would take;
    nothing is measured or written.
    """
    submissions = _read_submissions(folders, measure, encoders)
    jobs, refused = list_jobs(parse_models(encoders, submissions), submissions)
    return estimate_jobs(jobs, measure or "", refused)


def _read_submissions(
    folders: Any, measure: str | Path | None, encoders: Any
) -> list[BoardSubmission]:
    """The submissions that are meant, checked."""
    places = [Path(each) for each in as_list(folders)]
    if not places and measure is None:
        raise UsageProblem(
            "name at least one submission, or the results that you measured: measure='FOLDER'"
            " (--measure FOLDER)"
        )
    if encoders and measure is None:
        raise UsageProblem(
            "name the folder of results that models are measured into: measure='FOLDER' (--measure"
            " FOLDER)"
        )
    if measure is not None and (Path(measure) / MODEL_LINES_FILE).is_file():
        raise UsageProblem(
            f"{measure} is a submission, which somebody may have made up: measure names results"
            " that you measured with `lingprobe run -o FOLDER`"
        )
    return [check_submission(place).submission for place in places]


def _read_measured(
    measure: str | Path | None, problems: Sequence[str]
) -> tuple[DescribedResults, tuple[str, ...]]:
    """What the operator measured, and what there is to say of it; DataProblem where that is
    nothing.
    """
    if measure is None:
        return DescribedResults(), ()
    try:
        stored = read_stored_results(measure, {})
    except DataProblem as problem:
        raise DataProblem("; ".join([*problems, str(problem)])) from problem
    try:
        return describe_results(stored.results, SubmitterStatement(hashes=False)), stored.remarks
    except DataProblem as problem:
        raise DataProblem(f"{measure}: {problem}") from problem


def _write_site(pages: BoardContents, to: Path) -> tuple[Path, ...]:
    """The files of a site, which replace those that were there."""
    texts: dict[str, Callable[[], str]] = {INDEX_FILE: partial(index_text, pages)}
    kinds: tuple[tuple[Mapping[Any, str], Callable[[BoardContents, Any], WebDocument]], ...] = (
        (pages.phenomenon_files, phenomenon_page),
        (pages.task_files, task_page),
        (pages.model_files, model_page),
    )
    for files, page in kinds:
        for key, file in files.items():
            texts[file] = partial(_render, page, pages, key)
    for name, make in texts.items():
        write_text(to / name, make())
    for old in {*to.glob("*/*.html")} - {to / name for name in texts}:
        old.unlink()
    return tuple(to / name for name in texts)


def _render(
    page: Callable[[BoardContents, Any], WebDocument], board: BoardContents, key: Any
) -> str:
    return page(board, key).text()
