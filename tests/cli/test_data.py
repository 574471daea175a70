"""`lingprobe build` and `lingprobe inspect`."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from lingprobe.cli import app
from lingprobe.datasets.formats.tables import read_dataset, write_dataset
from lingprobe.testing import TINY_DATASET_FAMILIES


def lingprobe(*arguments):
    done = CliRunner().invoke(
        app, [str(a) for a in arguments], catch_exceptions=False, env={"COLUMNS": "200"}
    )
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def table(tmp_path):
    write_dataset(TINY_DATASET_FAMILIES["sentence"](), tmp_path / "tiny.parquet")
    return f"table:{tmp_path / 'tiny.parquet'}"


@pytest.mark.parametrize("arguments", [["lines.jsonl"], ["lines.data", "--format", "jsonl"]])
def test_json_lines_are_written_by_suffix_or_by_name(table, tmp_path, arguments):
    name, *options = arguments
    lingprobe("build", table, "-o", tmp_path / name, *options)
    assert all(
        isinstance(json.loads(line), dict)
        for line in (tmp_path / name).read_text("utf-8").splitlines()
    )
    assert len(read_dataset(tmp_path / name, "jsonl")) == 100


def test_an_audit_is_judged_by_the_task_s_own_metric(table):
    assert "macro-f1" in lingprobe("inspect", table + ",metric=macro-f1", "--format", "markdown")


def test_jiant_s_files_are_written_a_split_each(tmp_path):
    write_dataset(TINY_DATASET_FAMILIES["span"](), tmp_path / "tiny.parquet")
    said = lingprobe(
        "build",
        f"table:{tmp_path / 'tiny.parquet'}",
        "-o",
        tmp_path / "edges.json",
        "--format",
        "jiant",
    )
    assert "edges.*.json: examples 100" in said
    assert sorted(p.name for p in tmp_path.glob("edges*")) == [
        "edges.dev.json",
        "edges.test.json",
        "edges.train.json",
    ]
    assert json.loads((tmp_path / "edges.test.json").read_text("utf-8").splitlines()[0])["targets"][
        0
    ]["label"]
