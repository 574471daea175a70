"""A sheet goes out without its labels, and comes back from a spreadsheet as a bound."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from lingprobe.data.core import DataProblem
from lingprobe.data.examples import Tags
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.pages.human import read_bound
from lingprobe.tables.formats import format_terminal_table
from lingprobe.tasks import TASKS
from lingprobe.testing import TINY_DATASET_FAMILIES
from lingprobe_extensions.papers.bound import tabulate_people, write_bound
from lingprobe_extensions.papers.sheet import (
    SheetRequest,
    sample_sentences,
    write_sheet,
)
from lingprobe_extensions.papers.sheet_score import read_filled_sheet, score_copies

N = 30


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> str:
    """A task of 60 test sentences, past or present."""
    file = tmp_path_factory.mktemp("task") / "tiny.jsonl"
    write_dataset(TINY_DATASET_FAMILIES["sentence"]((60, 20, 60)), file)
    return f"table:{file}"


@pytest.fixture(scope="module")
def task(reference):
    return TASKS.make(reference)


@pytest.fixture(scope="module")
def gold(task):
    return sample_sentences(task.load(), N, 0).gold


@pytest.fixture
def sheet(reference, task, tmp_path):
    write_sheet(reference, task, tmp_path / "sheet.tsv", SheetRequest(n=N))
    return tmp_path / "sheet.tsv"


def fill(sheet, to, answer):
    """A copy in which row i has the judgement answer(i)."""
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    for row in rows:
        if row[0].isdigit():
            row[-1] = answer(int(row[0]))
    with to.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t").writerows(rows)
    return to


def test_labels_are_not_in_the_sheet(sheet, task, gold):
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t") if row[0].isdigit()]
    assert len(rows) == N
    assert all(row[2] == "" and len(row) == 3 for row in rows)
    assert {"PAST", "PRES"} == set(gold)
    assert sheet.read_text("utf-8").startswith("# Which label does tiny.jsonl give the example?\n")


def test_the_same_seed_draws_the_same_and_another_draws_others(task):
    dataset = task.load()
    assert sample_sentences(dataset, N, 0) == sample_sentences(dataset, N, 0)
    assert sample_sentences(dataset, N, 0) != sample_sentences(dataset, N, 1)
    assert sorted(sample_sentences(dataset, 10**6, 0)[0]) == sorted(
        sample_sentences(dataset, 10**6, 1)[0]
    )


def test_rows_by_a_stratum_are_as_many_of_each_cell_the_rare_ones_first(task):
    dataset = task.load()
    test = dataset.rows("test")
    codes = np.full(len(dataset.splits), 0)
    codes[test[:3]], codes[test[3:10]] = 1, -1
    marked = replace(dataset, strata={"kind": Tags(codes, ("common", "rare"))})
    drawn = sample_sentences(marked, 12, 0, "kind")
    many = Counter(drawn.cells)
    whole = Counter(sample_sentences(marked, 10**6, 0, "kind").cells)
    assert sum(whole.values()) == len(test)
    assert {cell.partition(": ")[2] for cell in many} == {"common", "rare", "none"}
    assert all(many[c] == whole[c] or many[c] >= max(many.values()) - 1 for c in many)
    sizes = [whole[cell] for cell in drawn.cells]
    assert sizes == sorted(sizes)
    with pytest.raises(DataProblem, match="no subgroup 'knd'; it has kind"):
        sample_sentences(marked, 12, 0, "knd")


def test_what_people_say_of_rows_by_a_stratum_is_no_bound(reference, task, tmp_path):
    name = next(iter(task.load().strata))
    asking = SheetRequest("check", N, by=name)
    sheet = write_sheet(reference, task, tmp_path / "sheet.tsv", asking)
    bound = score_copies([fill(tmp_path / "sheet.tsv", tmp_path / "a.tsv", lambda i: "yes")])
    assert (sheet.by, bound.by, bound.score) == (name, name, 1.0)
    assert set(bound.classes) == set(sample_sentences(task.load(), N, 0, name).cells)
    assert "sampled by" in format_terminal_table(tabulate_people(bound))
    with pytest.raises(DataProblem, match="is not an estimate of human performance"):
        write_bound(bound, tmp_path / "bound.json")


def test_three_people_who_are_right_make_a_bound_of_1(sheet, tmp_path, gold):
    files = [fill(sheet, tmp_path / f"{k}.tsv", lambda i: gold[i - 1]) for k in range(3)]
    bound = score_copies(files)
    assert (bound.score, bound.n, bound.unjudged, bound.ties, bound.alpha, bound.annotators) == (
        1.0,
        N,
        0,
        0,
        1.0,
        3,
    )
    assert bound.low < 1 == bound.high
    assert sum(n for n, _ in bound.classes.values()) == N


def test_the_majority_decides_and_ties_are_chance(sheet, tmp_path, gold):
    wrong = {"PAST": "PRES", "PRES": "PAST"}
    right = fill(sheet, tmp_path / "a.tsv", lambda i: gold[i - 1])
    half = fill(sheet, tmp_path / "b.tsv", lambda i: gold[i - 1] if i % 2 else wrong[gold[i - 1]])
    bound = score_copies([right, half])
    assert (bound.ties, bound.score) == (N // 2, 0.75)
    assert score_copies([right, half, right]).score == 1.0


def test_what_nobody_judged_is_counted_and_left_out(sheet, tmp_path, gold):
    bound = score_copies(
        [fill(sheet, tmp_path / "a.tsv", lambda i: gold[i - 1] if i <= 10 else "")]
    )
    assert (bound.n, bound.unjudged, bound.alpha) == (10, N - 10, None)
    text = format_terminal_table(tabulate_people(bound))
    assert "one annotator" in text
    assert "20 sentences without a judgement" in text


def test_labels_can_be_asked_to_be_checked(reference, task, tmp_path):
    sheet = tmp_path / "check.tsv"
    write_sheet(reference, task, sheet, SheetRequest("check", N))
    with sheet.open(encoding="utf-8", newline="") as file:
        shown = [row[2] for row in csv.reader(file, delimiter="\t") if row[0].isdigit()]
    assert shown == sample_sentences(task.load(), N, 0)[1]
    bound = score_copies([fill(sheet, tmp_path / "a.tsv", lambda i: "No" if i <= 3 else "YES")])
    assert (bound.mode, bound.score) == ("check", pytest.approx(0.9))


def test_labels_can_have_words_that_people_understand(reference, task, tmp_path, gold):
    sheet = tmp_path / "words.tsv"
    write_sheet(
        reference,
        task,
        sheet,
        SheetRequest(
            n=N,
            question="When?",
            words={"PAST": "before", "PRES": "now"},
            explained={"PRES": "at this moment"},
        ),
    )
    assert "#    now: at this moment" in sheet.read_text("utf-8")
    said = {"PAST": "before", "PRES": "now"}
    assert score_copies([fill(sheet, tmp_path / "a.tsv", lambda i: said[gold[i - 1]])]).score == 1


def test_words_that_say_two_things_are_refused(reference, task, tmp_path):
    with pytest.raises(DataProblem, match="same word"):
        write_sheet(reference, task, tmp_path / "s.tsv", SheetRequest(words={"PAST": "PRES"}))
    with pytest.raises(DataProblem, match="no label 'future'"):
        write_sheet(reference, task, tmp_path / "s.tsv", SheetRequest(words={"future": "later"}))


def mangled(sheet, how):
    """What a spreadsheet may make of a file that it opens and saves."""
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    if how == "semicolons, every cell quoted":
        text = "".join(
            ";".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\r\n" for row in rows
        )
        return text.encode("utf-8-sig")
    if how == "commas, empty cells added":
        wide = max(map(len, rows)) + 2
        out = []
        for row in rows:
            cells = [*row, *[""] * (wide - len(row))]
            out.append(
                ",".join(
                    '"' + c.replace('"', '""') + '"' if any(x in c for x in ',"') else c
                    for c in cells
                )
            )
        return ("\r\n".join(out) + "\r\n").encode("utf-8-sig")
    if how == "UTF-16 with old Mac line ends":
        return "\r".join(
            "\t".join('"' + c.replace('"', '""') + '"' if '"' in c else c for c in row)
            for row in rows
        ).encode("utf-16")
    if how == "sorted, numbers with decimals, comments at the end":
        comments = [row for row in rows if row[0].startswith("#")]
        body = [[f"{row[0]}.0", *row[1:]] for row in reversed(rows) if row[0].isdigit()]
        header = next(row for row in rows if row[0] == "id")
        quoted = [
            [c if '"' not in c else '"' + c.replace('"', '""') + '"' for c in row]
            for row in (header, *body, *comments)
        ]
        return "\n".join(map("\t".join, quoted)).encode()
    lines = sheet.read_bytes().split(b"\n")
    return b"\n".join(line for line in lines if not line.startswith((b"5\t", b"6\t")))


@pytest.mark.parametrize(
    "how",
    [
        "semicolons, every cell quoted",
        "commas, empty cells added",
        "UTF-16 with old Mac line ends",
        "sorted, numbers with decimals, comments at the end",
    ],
)
def test_spreadsheets_change_nothing(sheet, tmp_path, gold, how):
    whole = fill(sheet, tmp_path / "a.tsv", lambda i: gold[i - 1] if i % 3 else "")
    (tmp_path / "b.csv").write_bytes(mangled(whole, how))
    again, before = read_filled_sheet(tmp_path / "b.csv"), read_filled_sheet(whole)
    assert again.judgements == before.judgements
    assert score_copies([tmp_path / "b.csv"]) == score_copies([whole])


def test_missing_rows_are_not_judged(sheet, tmp_path, gold):
    whole = fill(sheet, tmp_path / "a.tsv", lambda i: gold[i - 1])
    (tmp_path / "b.tsv").write_bytes(mangled(whole, "rows removed"))
    assert score_copies([tmp_path / "b.tsv"]).unjudged == 2


def line_of(file, number):
    return next(
        k
        for k, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if line.startswith(f"{number}\t")
    )


def test_an_unknown_label_is_named_with_file_and_line(sheet, tmp_path):
    file = fill(sheet, tmp_path / "a.tsv", lambda i: "psat" if i == 7 else "past")
    with pytest.raises(
        DataProblem,
        match=rf"a\.tsv:{line_of(file, 7)}: 'psat' is not an answer; write one of PAST, PRES",
    ):
        read_filled_sheet(file)


@pytest.mark.parametrize("bad", ["0", "31", "seven", ""])
def test_a_row_of_no_sheet_is_named_with_file_and_line(sheet, tmp_path, bad):
    file = tmp_path / "a.tsv"
    file.write_text(sheet.read_text("utf-8") + f"{bad}\tmore\tpast\n", "utf-8")
    with pytest.raises(
        DataProblem,
        match=rf"a\.tsv:{file.read_text('utf-8').count(chr(10))}: .* is not a row of this sheet",
    ):
        read_filled_sheet(file)


def test_a_row_that_stands_twice_with_two_judgements_is_refused(sheet, tmp_path):
    file = fill(sheet, tmp_path / "a.tsv", lambda i: "past")
    line = file.read_text("utf-8").splitlines()[line_of(file, 4) - 1]
    file.write_text(file.read_text("utf-8") + line.replace("past", "pres") + "\n", "utf-8")
    with pytest.raises(DataProblem, match="row 4 occurs twice"):
        read_filled_sheet(file)


def test_a_column_that_was_sorted_alone_is_noticed(sheet, tmp_path):
    file = fill(sheet, tmp_path / "a.tsv", lambda i: "past")
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.reader(opened, delimiter="\t"))
    body = [row for row in rows if row[0].isdigit()]
    for row, text in zip(body, sorted(row[1] for row in body), strict=True):
        row[1] = text
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened, delimiter="\t").writerows(rows)
    with pytest.raises(DataProblem, match="was only one column sorted"):
        score_copies([file])


def test_copies_of_different_sheets_are_not_scored_together(reference, task, sheet, tmp_path):
    write_sheet(reference, task, tmp_path / "other.tsv", SheetRequest(n=N, seed=1))
    with pytest.raises(DataProblem, match=r"other\.tsv is not a copy of the same sheet"):
        score_copies([sheet, tmp_path / "other.tsv"])


def test_other_data_are_noticed(sheet, tmp_path):
    text = sheet.read_text("utf-8")
    data = read_filled_sheet(sheet).sheet.data
    sheet.write_text(text.replace(data, "0" * 32), "utf-8")
    with pytest.raises(DataProblem, match="have changed since the sheet was written"):
        score_copies([fill(sheet, tmp_path / "a.tsv", lambda i: "past")])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: "\n".join(line for line in text.splitlines() if "sonde:" not in line),
            "is missing",
        ),
        (lambda text: text.replace("sonde: {", "sonde: "), "was changed"),
        (lambda text: text.replace("judgement\n", "verdict\n"), "no row with 'id' and 'judgement'"),
    ],
)
def test_what_was_lost_is_named(sheet, change, message):
    sheet.write_text(change(sheet.read_text("utf-8")), "utf-8")
    with pytest.raises(DataProblem, match=message):
        read_filled_sheet(sheet)


def test_a_workbook_and_no_file_are_refused(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04\x80\x81")
    with pytest.raises(DataProblem, match="not as a workbook"):
        read_filled_sheet(tmp_path / "a.xlsx")
    with pytest.raises(DataProblem, match="no such file"):
        read_filled_sheet(tmp_path / "nothing.tsv")


def test_an_empty_sheet_has_no_bound(sheet):
    with pytest.raises(DataProblem, match="there are no judgements"):
        score_copies([sheet])


def test_a_bound_is_written_and_read(reference, sheet, tmp_path, gold):
    bound = score_copies(
        [fill(sheet, tmp_path / "a.tsv", lambda i: gold[i - 1] if i % 4 else "past")]
    )
    write_bound(bound, tmp_path / "bound.json")
    again = read_bound(tmp_path / "bound.json")
    assert (again.score, again.low, again.high, again.n, again.task) == (
        bound.score,
        bound.low,
        bound.high,
        bound.n,
        reference,
    )


@pytest.mark.parametrize("text", ["", "{}", "[]", json.dumps({"score": 1})])
def test_what_is_no_bound_is_refused(tmp_path, text):
    (tmp_path / "bound.json").write_text(text)
    with pytest.raises(DataProblem, match="does not contain a bound"):
        read_bound(tmp_path / "bound.json")


@pytest.mark.parametrize(("name", "delimiter"), [("s.tsv", "\t"), ("s.txt", "\t"), ("s.csv", ",")])
def test_formulas_are_disarmed(tmp_path, name, delimiter):
    """Also where the name makes spreadsheets cut rows at commas, so that a cell could begin in the
    middle of a sentence.
    """
    words = [("O", "=SUM"), ("I", "-"), ("O", "@x"), ("I", "+1"), ("I", "well,=1+1,")]
    lines = [
        f"{split}\t{label}\t{word} dogs {k}"
        for split in ("tr", "va", "te")
        for k, (label, word) in enumerate(words)
    ]
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\n")
    reference = f"table:{tmp_path / 't.txt'}"
    write_sheet(reference, TASKS.make(reference), tmp_path / name, SheetRequest())
    with (tmp_path / name).open(newline="") as file:
        rows = [row for row in csv.reader(file, delimiter=delimiter) if row[0].isdigit()]
    assert len(rows) == 5
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
    assert any("well,=1+1, dogs" in row[1] for row in rows)
    assert len(read_filled_sheet(tmp_path / name).sentences) == 5


def test_only_classes_of_whole_sentences_are_asked_about(tmp_path):
    write_dataset(TINY_DATASET_FAMILIES["pair"](), tmp_path / "pair.jsonl")
    reference = f"table:{tmp_path / 'pair.jsonl'}"
    with pytest.raises(DataProblem, match="one class per sentence"):
        write_sheet(reference, TASKS.make(reference), tmp_path / "s.tsv", SheetRequest())
