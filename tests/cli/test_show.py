"""`lingprobe report`: an experiment is what was asked for together, and what is shown is said."""

from __future__ import annotations

import csv
import io
import re

import pytest
from typer.testing import CliRunner

from lingprobe.cli import app
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.store.experiments import list_experiments
from lingprobe.testing import TINY_DATASET_FAMILIES


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    # what has the same examples is the same task
    for name, sizes in (("a", (60, 20, 20)), ("b", (62, 20, 20))):
        write_dataset(TINY_DATASET_FAMILIES["sentence"](sizes), tmp_path / f"{name}.jsonl")
    return tmp_path


def lingprobe(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def ran(place, task, *rest, seeds=1):
    probe = ["-e", "bow:random,dim=4", "--probe", "mlp,hidden=0", "--seeds", seeds, "-q"]
    done = lingprobe(
        "run", "--baselines", "none", "-t", f"table:{place / task}.jsonl", *probe, *rest
    )
    assert done.exit_code == 0, done.output


def shown(*arguments):
    done = lingprobe("report", *arguments, "--format", "csv")
    assert done.exit_code == 0, done.output
    rows = csv.DictReader(io.StringIO(done.stdout))
    return {(row["task"].rpartition("/")[2][0], int(row["seeds"])) for row in rows}, done.stderr


def test_without_a_folder_what_was_asked_for_last_is_shown(place):
    ran(place, "a")
    ran(place, "b", seeds=2)
    lines, said = shown()
    assert lines == {("b", 2)}
    assert "experiment 1 of 2" in said
    assert shown("--experiment", "2")[0] == {("a", 1)}
    assert shown("--experiment", "all")[0] == {("a", 1), ("b", 2)}
    ran(place, "a")  # known already, but asked for last
    assert shown()[0] == {("a", 1)}
    assert len(list_experiments(place / "cache" / "results")) == 2


def test_experiments_that_share_results_each_have_their_own_rows(place):
    ran(place, "a", seeds=3)
    ran(place, "a", seeds=1)
    assert shown()[0] == {("a", 1)}
    assert shown("--experiment", "2")[0] == {("a", 3)}


def test_a_folder_that_is_named_is_shown_whole(place):
    for task in "ab":
        ran(place, task, "-o", place / "results")
    lines, said = shown(place / "results")
    assert lines == {("a", 1), ("b", 1)}
    assert "results of 2 experiments" in said
    assert shown(place / "results", "--experiment", "last")[0] == {("b", 1)}


def test_what_a_stopped_run_lacks_is_said(place):
    ran(place, "a", seeds=2)
    store = place / "cache" / "results"
    from lingprobe.store.experiments import record_experiment

    (known,) = list_experiments(store)
    record_experiment(store, [*known.ids, "never measured"])
    assert "1 of its 3 trials have no result" in shown()[1]


def test_a_run_says_how_its_results_are_shown_again(place):
    arguments = [
        "run",
        "-t",
        f"table:{place}/a.jsonl",
        "-e",
        "bow:random,dim=4",
        "--probe",
        "logreg",
        "--baselines",
        "none",
    ]
    assert "`lingprobe report` shows" in lingprobe(*arguments).stderr
    assert (
        f"`lingprobe report {place}/results` shows"
        in lingprobe(*arguments, "-o", place / "results").stderr
    )


@pytest.mark.parametrize("which", ["0", "3", "first", "-1"])
def test_an_experiment_that_is_not_there_is_told(place, which):
    from lingprobe.data.core import DataProblem

    ran(place, "a")
    with pytest.raises(DataProblem, match="write last, all, or a number from 1"):
        lingprobe("report", f"--experiment={which}")


def test_results_of_old_are_shown_all(place):
    ran(place, "a")
    (file,) = (place / "cache" / "results").glob("*.experiment")
    file.unlink()
    assert shown()[0] == {("a", 1)}


@pytest.mark.usefixtures("whole_treebank")  # without folds
def test_a_report_has_the_order_and_the_questions_of_its_run(place):
    tasks = [f"ud/{name}:embedded,limit=60" for name in ("tense", "passive")]
    chosen = [option for task in tasks for option in ("-t", task)]
    how = ["-e", "length", "-e", "bow:random"]
    folder = place / "results"
    done = lingprobe(
        "run",
        *chosen,
        *how,
        "--probe",
        "logreg",
        "--baselines",
        "none",
        "-q",
        "-o",
        folder,
        "--seeds",
        1,
    )
    assert done.exit_code == 0, done.output
    table = done.stdout.partition("1 seed")[0]
    assert table.index("tense") < table.index("passive")
    assert table.index("length") < table.index("bow:random")
    assert lingprobe("report", folder).stdout.splitlines() == done.stdout.splitlines()


def test_a_folder_without_results_is_answered_by_what_was_meant(place):
    ran(place, "a", "-o", place / "results")
    for written, meant in (
        ("result", r"did you mean results\?"),
        ("table.svg", "to write that file, put -o before it"),
        ("elsewhere", "`lingprobe run -o .*elsewhere` makes some"),
    ):
        said = CliRunner().invoke(app, ["report", str(place / written)])
        assert re.search(meant, str(said.exception))
