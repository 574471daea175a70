"""What `evaluate` measures is what `lingprobe run` measures."""

from __future__ import annotations

import csv
from collections import Counter

import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.scored import page
from fixtures.scored import to_scores as rows
from lingprobe import evaluate
from lingprobe.cli import app
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.testing import TINY_DATASET_FAMILIES
from test_oracles import Told


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    path = tmp_path_factory.mktemp("task") / "a.jsonl"
    write_dataset(TINY_DATASET_FAMILIES["sentence"](), path)
    return f"table:{path}"


def test_a_control_is_beside_the_score_and_not_in_its_place(task, tmp_path):
    how = {"probes": ["logreg"], "seeds": 1, "baselines": "none", "progress": False}
    plain = evaluate("bow:random,dim=8", task, **how, output=tmp_path / "plain", cache=tmp_path)
    evaluation = evaluate(
        "bow:random,dim=8",
        task,
        **how,
        controls=["shuffled"],
        output=tmp_path / "both",
        cache=tmp_path,
    )
    (score,) = (row.score for row in rows(plain.results))
    by_control = {row.control: row.score for row in rows(evaluation.results)}
    assert set(by_control) == {"none", "shuffled"}
    assert by_control["none"] == score
    one, other = (result.gold.class_names() for result in evaluation.results)
    assert one != other  # what is learnt; scores over so few examples may be equal
    ((cells,),) = [section.rows for section in page(evaluation.results).sections]
    assert cells[2] == f"{score:.1f}"

    asked = [
        "-e",
        "bow:random,dim=8",
        "--probe",
        "logreg",
        "--seeds",
        "1",
        "--control",
        "shuffled",
        "--baselines",
        "none",
    ]
    arguments = ["run", "-t", task, *asked, "-q"]
    shown = CliRunner().invoke(
        app, [*arguments, "-o", str(tmp_path / "cli"), "--cache", str(tmp_path), "--format", "csv"]
    )
    assert shown.exit_code == 0, shown.output
    assert f"{score:.4f}" in shown.output


def test_what_could_not_be_measured_is_printed_with_the_table(task, tmp_path):
    def broken(sentences):
        raise RuntimeError("no vectors today")

    how = {
        "probes": ["logreg"],
        "seeds": 1,
        "baselines": "none",
        "progress": False,
        "cache": tmp_path,
    }
    nothing = str(evaluate(broken, task, **how))
    assert "nothing could be measured" in nothing
    assert "failed: " in nothing
    both = str(evaluate([broken, "length"], task, **how))
    assert "length " in both
    assert "no vectors today" in both.splitlines()[-1]


def test_every_task_has_its_bounds_by_default_and_none_is_measured_twice(tmp_path):
    how = {
        "probes": ["logreg"],
        "seeds": 2,
        "output": tmp_path / "results",
        "cache": tmp_path,
        "progress": False,
    }
    found = [evaluate("random,dim=4", Told(), **how) for _ in range(2)]
    for evaluation in found:
        fits = Counter(r.trial.encoder.partition(",")[0] for r in evaluation.results)
        # logreg draws nothing, so one seed is enough
        assert fits == {
            "random": 1,
            "length": 1,
            "bow:random": 1,
            "char-ngrams": 1,
            "gold:words": 1,
        }
        assert "gold:words: the words." in str(evaluation)
    assert [r.provenance.date for r in found[0].results] == [
        r.provenance.date for r in found[1].results
    ]
    alone = evaluate("random,dim=4", [Told()], **how, baselines="none")
    assert {r.trial.encoder.partition(",")[0] for r in alone.results} == {"random"}


def test_a_run_shows_bounds_unless_they_are_left_out(task, tmp_path):
    how = ["--probe", "logreg", "--seeds", "1", "-q", "--cache", str(tmp_path), "--format", "csv"]
    arguments = ["run", "-t", task, "-e", "random,dim=4", *how]
    both = [
        CliRunner().invoke(app, [*arguments, *more], catch_exceptions=False)
        for more in (
            (),
            (
                "--baselines",
                "none",
            ),
        )
    ]
    encoders = [
        {row["encoder"] for row in csv.DictReader(done.output.splitlines())} for done in both
    ]
    assert encoders == [
        {"random,dim=4", "length", "bow:random", "char-ngrams,dim=300"},
        {"random,dim=4"},
    ]


def test_what_is_run_without_arguments_is_a_first_look(monkeypatch, tmp_path):
    """Of few examples, and it says so; who names a probe gets that one, and all examples."""
    from lingprobe.experiment.run import RunOutcome

    plans = []
    monkeypatch.setattr(
        "lingprobe.api.measure.run_plan",
        lambda made, *_: plans.append(made) or RunOutcome((), {}, 0),
    )
    first = lingprobe.run(cache=tmp_path, output=tmp_path / "results")
    named = lingprobe.run(cache=tmp_path, output=tmp_path / "results", probes=["mlp"])
    probes = [[probe.name for probe in made.probes.values()] for made in plans]
    assert probes == [["linear"], ["mlp"]]
    assert "name the tasks" in " ".join(first.remarks)
    assert not named.remarks
