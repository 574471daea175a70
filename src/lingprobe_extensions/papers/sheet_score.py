"""Filled sheets -> a bound: what people score on the task by majority vote (Conneau et al. 2018,
section 2).
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from lingprobe import DataProblem, HumanBound
from lingprobe.extend import HumanAnswers, allow_code, digest_examples, get_contents, interval
from lingprobe_extensions.papers.sheet import (
    SHEET_COMMENT_MARK,
    YES_ANSWER,
    Sheet,
    SheetSample,
    sample_sentences,
)

_DELIMITERS = ("\t", ";", ",")
_NEEDED = ("id", "judgement")


@dataclass(frozen=True, slots=True)
class FilledSheet:
    """A sheet as one person left it: judgements by row number (from 1), those left empty not among
    them, and sentences by row.
    """

    name: str
    sheet: Sheet
    judgements: dict[int, str]
    sentences: dict[int, str]


def read_filled_sheet(file: Path) -> FilledSheet:
    """The judgements in a file. DataProblem with file and line for what cannot be understood."""
    numbered = _read_sheet_rows(file)
    sheet = _sheet(file, numbered)
    at, columns = next((number, cells) for number, cells in numbered if _is_header(cells))
    where = {name.strip().casefold(): i for i, name in reversed(list(enumerate(columns)))}
    answers = {answer.casefold(): answer for answer in sheet.answers}
    judgements: dict[int, str] = {}  # '' where a row is not judged
    sentences: dict[int, str] = {}
    for number, cells in numbered:
        if number == at or cells[0].lstrip().startswith("#") or not any(map(str.strip, cells)):
            continue
        row = {name: cells[i].strip() if i < len(cells) else "" for name, i in where.items()}
        key = _parse_row_number(row["id"], sheet.n, f"{file}:{number}")
        answer = answers.get(row["judgement"].casefold(), "")
        if row["judgement"] and not answer:
            raise DataProblem(
                f"{file}:{number}: {row['judgement']!r} is not an answer; write one of"
                f" {', '.join(sheet.answers[:20])}, or leave the cell empty"
            )
        if judgements.setdefault(key, answer) != answer:
            raise DataProblem(
                f"{file}:{number}: row {key} occurs twice, with two judgements; keep one"
            )
        sentences[key] = row.get("sentence", "")
    judged = {key: answer for key, answer in judgements.items() if answer}
    return FilledSheet(file.name, sheet, judged, sentences)


def _read_sheet_rows(file: Path) -> list[tuple[int, list[str]]]:
    """The rows of a file with their line numbers, cut at the delimiter that makes a header of its
    header.
    """
    text = _read_sheet_text(file)
    for delimiter in _DELIMITERS:
        reader = csv.reader(io.StringIO(text, newline=None), delimiter=delimiter)
        try:
            rows = [(reader.line_num, cells) for cells in reader if cells]
        except csv.Error as error:
            raise DataProblem(
                f"{file}:{reader.line_num}: {error}; save it again as tab-separated text"
            ) from None
        if any(_is_header(cells) for _, cells in rows):
            return rows
    raise DataProblem(
        f"{file}: no row with {' and '.join(map(repr, _NEEDED))} in it; keep the header of the"
        " sheet, and save it as text (TSV or CSV)"
    )


def _read_sheet_text(file: Path) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise DataProblem(f"cannot read {file}: {(error.strerror or str(error)).lower()}") from None
    try:
        return data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataProblem(
            f"{file}:{line}: is not UTF-8 text; save the sheet as UTF-8 TSV or CSV, not as a"
            " workbook"
        ) from None


def _is_header(cells: Sequence[str]) -> bool:
    names = {cell.strip().casefold() for cell in cells}
    return all(name in names for name in _NEEDED)


def _sheet(file: Path, rows: Sequence[tuple[int, list[str]]]) -> Sheet:
    """What the sheet says that it asks."""
    for number, cells in rows:
        comment = cells[0].strip()
        if not comment.startswith("#") or SHEET_COMMENT_MARK not in comment:
            continue
        try:
            values = json.loads(comment.partition(SHEET_COMMENT_MARK)[2])
            known = {f.name for f in fields(Sheet)}  # sheets of earlier releases have no `by`
            return Sheet(**{name: value for name, value in values.items() if name in known})
        except (ValueError, RecursionError, KeyError, TypeError):
            raise DataProblem(
                f"{file}:{number}: the line that begins '# {SHEET_COMMENT_MARK}' was changed; copy"
                " it from the sheet as it was written"
            ) from None
    raise DataProblem(
        f"{file}: the line that begins '# {SHEET_COMMENT_MARK}' and gives the question is missing;"
        " copy it from the sheet as it was written"
    )


def _parse_row_number(text: str, n: int, where: str) -> int:
    """A row's number, also where a spreadsheet made 7.0 of it."""
    whole = text.removesuffix(".0").removesuffix(",0")
    if not whole.isdecimal() or not 1 <= int(whole) <= n:
        raise DataProblem(
            f"{where}: {text!r} is not a row of this sheet; the column 'id' has 1 to {n}"
        )
    return int(whole)


def read_judgements(files: Iterable[Path]) -> list[HumanAnswers]:
    """What people say on each sheet, of copies that were filled in. DataProblem for a sheet that
    shows the labels, and as of `score`.
    """
    sheets: dict[str, list[FilledSheet]] = {}
    for filled in map(read_filled_sheet, files):
        sheets.setdefault(str(filled.sheet), []).append(filled)
    return [_merge_copies(copies) for copies in sheets.values()]


def _merge_copies(copies: Sequence[FilledSheet]) -> HumanAnswers:
    sheet = copies[0].sheet
    if sheet.mode == "check":
        raise DataProblem(
            f"{copies[0].name}: people saw the labels and checked them; for labels of their own,"
            " use a sheet without --mode check"
        )
    labels = {word: label for label, word in sheet.words.items()}
    texts = {key: text for one in copies for key, text in one.sentences.items() if text}
    votes = {
        HumanAnswers.key(texts[key]): cast for key, cast in _votes(copies).items() if key in texts
    }
    answers = {
        text: tuple(labels[word] for word in find_majority(cast)) for text, cast in votes.items()
    }
    return HumanAnswers(sheet.task, answers)


def misplaced_rows(filled: FilledSheet, sentences: Sequence[str]) -> Iterator[int]:
    """Rows whose sentence is not the one that was drawn, as where one column was sorted without the
    others.
    """
    for key, text in filled.sentences.items():
        if text and HumanAnswers.key(text) != HumanAnswers.key(sentences[key - 1]):
            yield key


def find_majority(votes: Sequence[str]) -> tuple[str, ...]:
    """The majority of judges: the answers with the most votes, one, or several where they tie."""
    counts = Counter(votes)
    most = max(counts.values())
    return tuple(answer for answer, n in counts.items() if n == most)


def compute_alpha(units: Iterable[Sequence[str]]) -> float | None:
    """Krippendorff's alpha for nominal data (Krippendorff 2011, "Computing Krippendorff's
    Alpha-Reliability", part C).

    `units` holds the votes on each sentence; those with one vote alone count for nothing. None
    where nothing was judged twice, 1 where all votes are the same.
    """
    paired = [Counter(votes) for votes in units if len(votes) > 1]
    if not paired:
        return None
    totals: Counter[str] = sum(paired, Counter())
    n = totals.total()
    observed = sum(
        (c.total() ** 2 - sum(k * k for k in c.values())) / (c.total() - 1) for c in paired
    )
    expected = (n * n - sum(k * k for k in totals.values())) / (n - 1)
    return 1.0 if expected == 0 else 1 - observed / expected


def score_copies(files: Sequence[Path], trust: bool = False) -> HumanBound:
    """The human score of filled copies of one sheet, by majority vote, with Krippendorff's alpha.
    DataProblem where they do not fit together; Untrusted where their task is code in a file,
    without `trust`.
    """
    sheets = [read_filled_sheet(file) for file in files]
    if not sheets:
        raise DataProblem("no sheet to score")
    if trust:
        allow_code(sheets[0].sheet.task)
    sheet, judged = sheets[0].sheet, _votes(sheets)
    drawn = _redraw_sample(sheet, sheets)
    gold = drawn.gold
    winners = {key: find_majority(cast) for key, cast in judged.items()}
    right = {
        key: YES_ANSWER if sheet.mode == "check" else sheet.words[gold[key - 1]] for key in judged
    }
    worth = {key: (right[key] in won) / len(won) for key, won in winners.items()}
    low, high = interval([list(worth.values())])
    return HumanBound(
        task=sheet.task,
        data=sheet.data,
        mode=sheet.mode,
        annotators=len(sheets),
        n=len(judged),
        unjudged=sheet.n - len(judged),
        ties=sum(len(won) > 1 for won in winners.values()),
        score=float(np.mean(list(worth.values()))),
        low=low,
        high=high,
        alpha=compute_alpha(judged.values()),
        classes=_by_class(drawn.cells, worth),
        by=sheet.by,
    )


def _votes(sheets: Sequence[FilledSheet]) -> dict[int, list[str]]:
    """What the copies of one sheet say of each row that somebody judged."""
    first = sheets[0]
    for other in sheets[1:]:
        if other.sheet != first.sheet:
            raise DataProblem(
                f"{other.name} is not a copy of the same sheet as {first.name}: score copies of"
                " one sheet together"
            )
    votes = {
        key: [s.judgements[key] for s in sheets if key in s.judgements]
        for key in range(1, first.sheet.n + 1)
    }
    judged = {key: cast for key, cast in votes.items() if cast}
    if not judged:
        raise DataProblem(
            f"there are no judgements in {', '.join(s.name for s in sheets)}: fill in the column"
            " 'judgement'"
        )
    return judged


def _redraw_sample(sheet: Sheet, sheets: Sequence[FilledSheet]) -> SheetSample:
    """The sheet's rows, drawn again; DataProblem where the data or the sheet's sentences are not
    the same any more.
    """
    dataset = get_contents("tasks").make(sheet.task).load()
    if digest_examples(dataset) != sheet.data:
        raise DataProblem(
            f"the examples of {sheet.task} have changed since the sheet was written: score it with"
            " the same data and version"
        )
    drawn = sample_sentences(dataset, sheet.n, sheet.seed, sheet.by)
    for filled in sheets:
        moved = next(misplaced_rows(filled, drawn.sentences), None)
        if moved is not None:
            raise DataProblem(
                f"{filled.name}: the sentence in row {moved} is not the one that was written; was"
                " only one column sorted?"
            )
    return drawn


def _by_class(cells: Sequence[str], worth: dict[int, float]) -> dict[str, tuple[int, float]]:
    """For each gold label or cell: how many sentences were judged, and the sum of what those count
    for.
    """
    by_class: dict[str, tuple[int, float]] = {}
    for key, value in worth.items():
        n, total = by_class.get(cells[key - 1], (0, 0.0))
        by_class[cells[key - 1]] = (n + 1, total + value)
    return dict(sorted(by_class.items()))
