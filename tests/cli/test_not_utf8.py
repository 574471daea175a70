"""Folders and files whose names are bytes that are not UTF-8, which file systems allow: everything
reads and writes them.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from typer.testing import CliRunner

from lingprobe.cli import app
from lingprobe.datasets.formats.tables import _WRITERS, read_dataset, write_dataset
from lingprobe.pages.score_pages import _FORMATS
from lingprobe.testing import TINY_DATASET_FAMILIES

ODD = os.fsdecode(b"\xff")  # no UTF-8 begins so


@pytest.fixture
def place(tmp_path, monkeypatch):
    folder = tmp_path / ODD
    try:
        folder.mkdir()
    except (OSError, UnicodeError):
        pytest.skip("this file system has no such names")
    monkeypatch.setenv("LINGPROBE_CACHE", str(folder / "cache"))
    return folder


def lingprobe(*arguments):
    done = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def ran(place, task, encoder):
    probe = ("-e", encoder, "--probe", "mlp,hidden=0", "--seeds", 1)
    return lingprobe(
        "run", "-q", "--baselines", "none", "-t", f"table:{task}", *probe, "-o", place / "results"
    )


def test_runs_are_measured_and_shown(place):
    write_dataset(TINY_DATASET_FAMILIES["sentence"](), place / f"{ODD}.jsonl")
    assert "bow:random" in ran(place, place / f"{ODD}.jsonl", "bow:random,dim=4")
    for form in _FORMATS:
        lingprobe("report", place / "results", "--format", form, "-o", place / f"shown-{form}")
        assert (place / f"shown-{form}").exists()
    assert "bow:random" in lingprobe("report", place / "results")


@pytest.mark.parametrize("form", _WRITERS)
def test_data_sets_are_written_and_read(form, place):
    made = TINY_DATASET_FAMILIES["sentence"]()
    write_dataset(made, place / "plain.jsonl")
    lingprobe(
        "build", f"table:{place / 'plain.jsonl'}", "-o", place / f"{ODD}.{form}", "--format", form
    )
    if form != "jiant":
        assert len(read_dataset(place / f"{ODD}.{form}", form)) == len(made)


@pytest.mark.parametrize("kind", ["npz", "parquet"])
def test_given_vectors_are_read(kind, place):
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = TINY_DATASET_FAMILIES["sentence"]()
    write_dataset(made, place / "plain.parquet")
    texts, rows = (
        [s.text for s in made.sentences],
        np.random.default_rng(0).normal(size=(len(made.sentences), 4)).astype(np.float32),
    )
    with (place / f"{ODD}.{kind}").open("wb") as file:
        if kind == "npz":
            np.savez(file, sentences=np.array(texts), vectors=rows)
        else:
            pq.write_table(pa.table({"sentence": texts, "vector": list(rows)}), file)
    assert f"{kind}:" in ran(place, place / "plain.parquet", f"{kind}:{place / ODD}.{kind}")
