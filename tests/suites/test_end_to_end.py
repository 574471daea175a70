"""The ten files of a suite, small and written by us, from the command to the table: as others'
data, and as fetched from the publishers.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from lingprobe.cli import app
from lingprobe.corpora.columns import SENTEVAL_SPLIT_CODES
from lingprobe.data.errors import UsageProblem
from lingprobe.tasks.released.catalogue import read_collections

SENTEVAL = read_collections()["senteval"]
# files whose rows nobody published
OPEN = [file for file in SENTEVAL.files if file not in SENTEVAL.known_files()]
WORDS = "the a old small quiet red dog bird house river sees finds likes near under and".split()
SIZES = {"tr": 90, "va": 30, "te": 30}


def lingprobe(*arguments):
    done = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ten files in SentEval's layout; labels follow from the first word."""
    place = tmp_path_factory.mktemp("senteval")
    for number, file in enumerate(SENTEVAL.files):
        rng = np.random.default_rng([7, number])
        rows = []
        for code in SENTEVAL_SPLIT_CODES:
            for _ in range(SIZES[code]):
                words = rng.choice(WORDS, 8).tolist()
                rows.append(f"{code}\t{'O' if words[0] in WORDS[:8] else 'I'}\t{' '.join(words)}")
        (place / file).write_text("\n".join(rows) + "\n", "utf-8")
    return place


@pytest.fixture(scope="module")
def results(folder, tmp_path_factory):
    """What a run of the suite with one encoder left, and what it said."""
    place = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINGPROBE_CACHE", str(tmp_path_factory.mktemp("cache")))
        said = lingprobe(
            "run",
            "--suite",
            f"conneau2018:{folder}",
            "-e",
            "bow:random,dim=8",
            "--seeds",
            1,
            "-q",
            "-o",
            place,
        )
    return place, said


def table(results, *options):
    return lingprobe("report", results[0], "--suite", "conneau2018", *options)


def cells(results):
    return list(csv.DictReader(io.StringIO(table(results, "--format", "csv"))))


def test_a_run_ends_with_the_paper_s_table(results):
    assert "Conneau et al. 2018, Table 2" in results[1]
    assert "different data" in results[1]
    assert "no receipt of `lingprobe fetch senteval`" in results[1]
    assert results[1].split("different data")[0] == table(results).split("different data")[0]


def test_every_column_has_a_score_with_its_interval_and_floors(results):
    mine = [cell for cell in cells(results) if cell["kind"] == "measured"]
    assert len(mine) == 50  # an encoder and four floors in ten columns
    assert {cell["data"] for cell in mine} == {"different data"}
    assert all(float(cell["low"]) <= float(cell["score"]) <= float(cell["high"]) for cell in mine)
    assert {cell["n"] for cell in mine} == {"30"}
    assert {
        cell["probe"] for cell in mine if cell["row"].startswith("bow") and cell["column"] == "WC"
    } == {"mlp,hidden=0,protocol=senteval"}


def test_other_data_are_not_ranked(results):
    below = table(results).split("different data:", 1)[1]
    assert "rank" not in below.replace("nothing is ranked", "")
    assert "▸ bow:random,dim=8" in below


def test_files_with_a_receipt_of_their_publishers_stand_within_the_table(results, folder):
    receipts = {
        f: {
            "url": SENTEVAL.base + f,
            "sha256": hashlib.sha256((folder / f).read_bytes()).hexdigest(),
        }
        for f in SENTEVAL.files
    }
    receipt = folder / "fetched.json"
    receipt.write_text(json.dumps(receipts))
    try:
        text = table(results)
    finally:
        receipt.unlink()
    assert "different data" not in text
    assert "measured here, on the published data" in text
    assert "rank of 26" in text


def test_files_that_were_changed_since_are_other_data(results, folder):
    file = folder / OPEN[0]
    before = file.read_bytes()
    file.write_bytes(before.replace(b"dog", b"cat", 1))
    try:
        assert "the files were changed since they were measured" in table(results)
    finally:
        file.write_bytes(before)


def test_tables_are_written_as_pages_and_as_parquet(results, tmp_path):
    import pyarrow.parquet as pq

    assert "**different data" in table(results, "--format", "markdown")
    assert r"\textbf{different data" in table(results, "--format", "latex")
    lingprobe(
        "report",
        results[0],
        "--suite",
        "conneau2018",
        "--format",
        "parquet",
        "-o",
        tmp_path / "t.parquet",
    )
    assert pq.read_table(tmp_path / "t.parquet").num_rows == len(cells(results)) == 350
    lingprobe("report", results[0], "--suite", "conneau2018", "-o", tmp_path / "t.txt")
    assert "▸ bow:random,dim=8" in (tmp_path / "t.txt").read_text("utf-8")


def test_what_people_score_stands_with_the_data_that_they_judged(results, folder, tmp_path):
    sheet = tmp_path / "sheet.tsv"
    lingprobe(
        "data",
        "annotate",
        f"senteval/tense:{folder}",
        "-n",
        20,
        "-o",
        sheet,
        "--call",
        "O=fine",
        "--call",
        "I=odd",
    )
    lines = sheet.read_text("utf-8").splitlines()
    filled = [line + "fine" if line[0].isdigit() else line for line in lines]
    sheet.write_text("\n".join(filled) + "\n", "utf-8")
    shown = lingprobe("data", "annotate", "--score", sheet, "-o", tmp_path / "bound.json")
    assert "1 annotator, majority vote" in shown
    text = table(results, "--human", tmp_path / "bound.json")
    (people,) = [line for line in text.splitlines() if "▸ people" in line]
    assert [cell for cell in people.split()[2:] if cell != "–"] == [
        next(line for line in shown.splitlines() if line.startswith("all")).split()[1]
    ]
    (judged,) = [line for line in text.splitlines() if "n judged" in line]
    assert "20" in judged


def refused(arguments):
    """Why the command line, or what it calls, does not take some arguments."""
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "300"})
    if isinstance(done.exception, UsageProblem):
        return str(done.exception)
    assert done.exit_code == 2
    return " ".join(done.output.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--suite", "conneau2018:x", "-t", "ud/tense:x"], "a suite brings its own tasks"),
        (["run", "--suite", "conneau2018:x", "--probe", "mlp"], "a suite brings its own tasks"),
        (
            ["run", "--suite", "conneau2018:x", "--format", "mteb"],
            "a paper's table is written as terminal, markdown",
        ),
        (["report", "--human", "bound.json"], "name its suite"),
        (["data", "annotate", "ud/tense:embedded"], "-o FILE"),
    ],
)
def test_what_does_not_go_together_is_said(arguments, message):
    assert message in refused(arguments)


def test_mteb_has_no_place_for_a_paper(results):
    told = refused(["report", str(results[0]), "--suite", "conneau2018", "--format", "mteb"])
    assert "terminal, markdown, latex, html, csv, parquet" in told
