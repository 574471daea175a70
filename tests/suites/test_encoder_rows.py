"""The rows of papers' tables and the encoders that make them today."""

import re
from typing import get_args

import pytest
from typer.testing import CliRunner

from lingprobe import DataProblem, UsageProblem, encoder_rows, estimate
from lingprobe.cli import app
from lingprobe.data.reading import read_of
from lingprobe.data.references import Reference
from lingprobe.pages.paper import paper_page
from lingprobe.suites.conneau2018 import conneau2018
from lingprobe.suites.encoder_rows import How, _all, count_measurable_rows
from lingprobe.suites.ettinger2018 import ettinger2018
from lingprobe.suites.tenney2019 import tenney2019
from lingprobe.suites.ud2019 import ud2019

SUITES = {
    "conneau2018": conneau2018,
    "ettinger2018": ettinger2018,
    "tenney2019": tenney2019,
    "ud2019": ud2019,
}
MADE = [row for row in _all() if row.measurable]
LAYERS = {"lex": ("lex",), "lex+last": ("lex", "12"), "all": ("0", "1", "2")}
LAYERS["lex+all"] = (*LAYERS["lex"], *LAYERS["all"])


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("paper", SUITES)
def test_every_row_of_a_table_is_there_once_in_its_order(paper):
    blocks = SUITES[paper]().paper.blocks
    table = [(b.heading, line.name) for b in blocks for line in b.lines if b.heading != "Targets"]
    assert sorted((row.block, row.row) for row in encoder_rows(paper)) == sorted(table)
    assert all(row.how in get_args(How) for row in encoder_rows(paper))


@pytest.mark.parametrize("row", MADE, ids=lambda row: f"{row.paper} {row.block} {row.row}")
def test_a_dry_run_of_each_row_says_what_it_lacks_and_where_to_get_it(
    row, tmp_path, monkeypatch, cache
):
    monkeypatch.chdir(tmp_path)
    kind = Reference.parse(row.reference)
    by_word = dict(kind.options).get("pool") == "none"
    task = "edge/pos:embedded" if by_word else "ud/sent-len:embedded"
    if row.how == "baseline":
        assert estimate(task, row.reference, cache=cache).trials
        return
    with pytest.raises(DataProblem) as problem:
        estimate(task, row.reference, cache=cache)
    said = str(problem.value)
    assert any(p and p in said for p in (kind.argument, dict(kind.options).get("vectors")))
    assert "\n" not in said
    if row.how == "file":
        address, _, checksum = row.needs.partition(", ")
        assert f"get it from {address} (licence: {row.licence})" in said
        assert checksum in said


@pytest.mark.parametrize("row", MADE, ids=lambda row: f"{row.paper} {row.block} {row.row}")
def test_what_is_published_has_an_address_and_a_licence(row):
    assert bool(row.licence) == (row.how in ("file", "hub"))
    assert row.needs.startswith("https://") == (row.how in ("file", "hub"))
    if row.how == "hub":
        assert row.needs.endswith(f"/{Reference.parse(row.reference).argument}")


@pytest.mark.parametrize("row", [row for row in MADE if row.read], ids=lambda row: row.row)
def test_what_is_read_of_layers_is_what_the_reference_yields(row):
    names = LAYERS[dict(Reference.parse(row.reference).options)["layers"]]
    assert read_of(row.read, names).layers


@pytest.mark.parametrize("row", [row for row in MADE if row.how == "trained"], ids=lambda r: r.row)
def test_what_is_trained_is_named_as_its_folder(row):
    folder = re.search(r"-o (\S+)", row.needs)
    assert folder is None or row.reference == f"trained:{folder[1]}"


def test_wrong_names_are_told():
    with pytest.raises(UsageProblem, match="choose one of conneau2018"):
        encoder_rows("none")


def test_the_command_tells_what_makes_each_row():
    done = CliRunner().invoke(app, ["encoders", "--paper", "ud2019"])
    assert done.exit_code == 0
    assert "laser:laser-93langs,lang=pl" in done.output
    assert "not today" in done.output
    assert "12 from published files, 2 retrained; on which data" in done.output


@pytest.mark.parametrize("paper", SUITES)
def test_a_suite_says_how_many_of_its_rows_can_be_measured(paper):
    done = CliRunner().invoke(app, ["list", "suites", paper])
    rows = encoder_rows(paper)
    many = sum(row.measurable for row in rows)
    assert f"{many} of the {len(rows)} published rows can be measured today" in done.output
    assert f"`lingprobe encoders --paper {paper}`" in done.output
    note = f"{many} of the {len(rows)} published rows can be measured today: "
    assert note in str(paper_page(paper, []))


def test_a_suite_without_published_rows_says_nothing_of_them():
    assert count_measurable_rows("senteval-downstream") == ""
