"""What ends its process is named by the next run, which goes on."""

import csv
import io
import json
import subprocess
import sys

import pytest

import lingprobe
from lingprobe.experiment.at_work import at_work, tell_ended_work
from lingprobe.store.claims import claim_file

MINE = """
import os
import signal

import numpy as np

from lingprobe import ProbeNeeds


def good(texts):
    return np.array([[len(text), text.count("a")] for text in texts], np.float32)


class Fault:
    name = "fault"

    def __init__(self):
        os.kill(os.getpid(), signal.SIGSEGV)


def late(texts):  # after the few sentences by which it is known
    if len(texts) > 7:
        os._exit(3)
    return good(texts)


class Fatal:
    name = "fatal"
    needs = ProbeNeeds(seeds=False)

    def fit(self, train, dev, *, cells):
        os._exit(4)
"""
DIES = """
import os
from pathlib import Path
from lingprobe.experiment.at_work import at_work
with at_work("loading one", Path.cwd()):
    os._exit(3)
"""
SPLITS = ("tr", "va", "te")


def ran(*command):
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_the_next_run_names_what_was_at_work_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    rows = [f"{split}\t{'ab'[k % 2]}\tword{k} {split}" for split in SPLITS for k in range(8)]
    (tmp_path / "rows.tsv").write_text("\n".join([*rows, ""]))

    def run(probe, *encoders):
        line = f"run -t table:rows.tsv --probe {probe} --baselines none -f csv -o results --cache cache"
        return ran("-m", "lingprobe", *line.split(), "-e", *encoders)

    assert run("logreg", "mine.py@good", "mine.py@Fault").returncode == -11
    ended = run("logreg", "mine.py@good", "mine.py@late")
    assert ended.returncode == 3
    assert "the last run ended while loading mine.py@Fault (process " in ended.stderr
    ended = run("mine.py@Fatal", "mine.py@good")
    assert ended.returncode == 4
    assert "the last run ended while encoding with mine.py@late (process " in ended.stderr
    done = run("logreg", "mine.py@good")
    assert done.returncode == 0
    assert "the last run ended while fitting mine.py@Fatal on mine.py@good for table:" in (
        done.stderr
    )
    [row] = csv.DictReader(io.StringIO(done.stdout))
    assert row["encoder"] == "mine.py@good"
    assert "the last run ended" not in run("logreg", "mine.py@good").stderr
    assert not list((tmp_path / "results").glob(".*"))


def test_what_ended_is_told_once(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    assert ran("-c", DIES).returncode == 3
    [claim] = tmp_path.iterdir()
    process = json.loads(claim.read_text())["process"]
    with claim_file(tmp_path / "unit", "fitting two"):  # of a process that lives
        tell_ended_work(tmp_path)
        tell_ended_work(tmp_path)
        assert len(list(tmp_path.iterdir())) == 1
    [said] = caplog.messages
    assert said.startswith(f"the last run ended while loading one (process {process}, since ")


def test_claims_without_words_are_removed_and_not_told(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    assert ran("-c", DIES.replace('"loading one"', '""')).returncode == 3
    tell_ended_work(tmp_path)
    assert not list(tmp_path.iterdir())
    assert not caplog.messages


def test_nothing_is_noted_where_there_is_no_folder(tmp_path):
    with at_work("loading one", tmp_path / "results"), at_work("loading one", None):
        assert not list(tmp_path.iterdir())
    with at_work("loading one", tmp_path), at_work("loading one", tmp_path):
        assert len(list(tmp_path.iterdir())) == 1
    assert not list(tmp_path.iterdir())


def test_encoders_are_called_as_in_tables(tmp_path, monkeypatch):
    doing = []

    def note(what, results):
        doing.append(what)
        return at_work(what, results)

    monkeypatch.setattr("lingprobe.experiment.run.at_work", note)
    data = ["a b", "a c", "b c", "c c"] * 10, ["x", "y"] * 20
    lingprobe.evaluate("bow:random,dim=8", data, cache=tmp_path, baselines="none", progress=False)
    assert doing == ["encoding with bow:random,dim=8"]
