"""Submissions and boards, as functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, Unpack

from lingprobe import DataProblem, Page, Selection, Table, UsageProblem
from lingprobe.extend import (
    ResultsSource,
    TableSection,
    allow_code,
    as_list,
    read_stored_results,
    takes_options,
    write_text,
)
from lingprobe_extensions.board.check import check_folder
from lingprobe_extensions.board.contents import INDEX, MODELS, TASKS, Board
from lingprobe_extensions.board.index_page import index_text
from lingprobe_extensions.board.lines import ModelLine
from lingprobe_extensions.board.merge import merge
from lingprobe_extensions.board.model_page import model_page
from lingprobe_extensions.board.mteb_scores import mteb_places, of_model
from lingprobe_extensions.board.options import BoardOptions, SubmitOptions
from lingprobe_extensions.board.sample import remeasure
from lingprobe_extensions.board.standings import standings
from lingprobe_extensions.board.submission import (
    FILES,
    FITS,
    Statement,
    Submission,
    submission_of,
    write_submission,
)
from lingprobe_extensions.board.task_page import task_page

HEAD = ("model", "parameters", "layers", "fits", "trained on UD", "on the sources", "files")


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
        if output or name or mteb or not isinstance(results, str | Path):
            raise UsageProblem("check takes a folder that was written before, and nothing to write")
        return _check(Path(results), selection)
    if output is None:
        raise UsageProblem("name a folder to write: output='FOLDER' (-o FOLDER)")
    if selection.get("metric"):
        raise UsageProblem("a submission has the metric of each task: leave metric out")
    folder = Path(output)
    _check_place(folder, FILES)
    stored = read_stored_results(results, selection)
    declared = {"trained_on_ud": trained_on_ud, "trained_on_sources": trained_on_sources}
    known = partial(of_model, mteb_places(mteb))
    made = submission_of(stored.results, Statement(name, declared, known))
    write_submission(made, folder)
    return _page(made, (*stored.remarks, *check_folder(folder).remarks))


def _check(folder: Path, selection: Selection) -> Page[tuple[ModelLine, ...]]:
    """What a folder holds, with what was measured anew; DataProblem where it was changed."""
    checked = check_folder(folder)
    here = as_list(selection.get("encoders"))
    allow_code(*here)
    if selection.get("trust"):
        for fit in checked.submission.fits:
            allow_code(fit.task, fit.encoder, fit.probe, fit.control, fit.metric)
        checked = check_folder(folder)
    again = remeasure(checked.submission.results, (folder / FITS).read_bytes(), here)
    return _page(checked.submission, (*checked.remarks, again))


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


def _page(made: Submission, remarks: Sequence[str]) -> Page[tuple[ModelLine, ...]]:
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
    return Page(made.lines, lambda: [Table(HEAD, (TableSection("", rows),), words, notes)])


@takes_options(BoardOptions)
def board(folders: Sequence[str | Path] | str | Path, output: str | Path) -> list[Path]:
    """Write a site of models from submissions: a page to sort and filter, and one for each model
    and task, with groups of models, baselines and upper bounds.

    Returns its files, of which the first is index.html; no server or network is needed.
    DataProblem for a submission that was changed, UsageProblem for none.

        lingprobe.board(["mine", "yours"], "site")
    """
    places = [Path(each) for each in as_list(folders)]
    if not places:
        raise UsageProblem("name at least one submission")
    to = Path(output)
    _check_place(to, (INDEX, MODELS, TASKS))
    merged = merge([check_folder(place).submission for place in places])
    pages = Board(merged, standings(merged.results))
    texts: dict[str, Any] = {INDEX: lambda: index_text(pages)}
    for key, file in pages.task_files.items():
        texts[file] = partial(_text, task_page, pages, key)
    for encoder, file in pages.model_files.items():
        texts[file] = partial(_text, model_page, pages, encoder)
    for name, make in texts.items():
        write_text(to / name, make())
    for old in {*to.glob("*/*.html")} - {to / name for name in texts}:
        old.unlink()
    return [to / name for name in texts]


def _text(page: Any, board: Board, key: Any) -> str:
    text: str = page(board, key).text()
    return text
