"""Results keep scores where they are asked to: of the state that is best by loss, without a change
of the score.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from fixtures.views import rows_of
from lingprobe import evaluate, predictions
from lingprobe.cli import app
from lingprobe.corpora import edges
from lingprobe.data._logits import code_length
from lingprobe.data.core import Cell, DataProblem
from lingprobe.data.reading import Readings
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.encoders import make_encoder
from lingprobe.experiment.paths import RunPaths
from lingprobe.pages.bits_view import BITS_VIEW
from lingprobe.probes import PROBES
from lingprobe.store.results import find_scores
from lingprobe.tasks import TASKS
from lingprobe.testing import TINY_DATASET_FAMILIES

SIZES = (90, 40, 40)
PROBES_OF = {
    "sentence": [
        "logreg",
        "mlp,hidden=8,dropout=0,dropout=0.1,precision=float32",
        "mlp,protocol=acl18,hidden=8,dropout=0",
        "majority",
    ],
    "span": ["span,projection=8,hidden=8", "logreg"],
    "pair": ["logreg"],
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scores")
    for family in PROBES_OF:
        write_dataset(TINY_DATASET_FAMILIES[family](SIZES), folder / f"{family}.parquet")
    return folder


def measured(place, family, probes, name, **settings):
    encoder = "bow:random,dim=8,pool=none" if family == "span" else "bow:random,dim=8"
    task = f"table:{place / family}.parquet"
    where = {"cache": place / "cache", "output": place / name, "progress": False}
    done = evaluate(encoder, task, probes=probes, seeds=1, baselines="none", **where, **settings)
    assert not done.failures
    return task, encoder, {r.trial.probe: r for r in done.results}


@pytest.mark.parametrize("family", ["sentence", "span"])
def test_scores_are_of_the_state_that_is_best_by_loss_and_the_score_is_as_without_them(
    place, family
):
    probes = PROBES_OF[family]
    task, encoder, plain = measured(place, family, probes, "plain")
    *_, kept = measured(place, family, probes, "kept", keep_scores=True)
    dataset = TASKS.make(task).load()
    vectors = make_encoder(encoder).encode(dataset.sentences)
    readings = Readings(dataset, vectors, TASKS.make(task).view)
    parts = [readings.split(name) for name in ("train", "dev", "test")]
    differ = 0
    for probe, result in kept.items():
        assert plain[probe].scores is None
        assert (result.score, result.low, result.high) == (
            plain[probe].score,
            plain[probe].low,
            plain[probe].high,
        )
        assert all(
            (a == b).all()
            for a, b in zip(
                result.predicted.arrays().values(),
                plain[probe].predicted.arrays().values(),
                strict=True,
            )
        )
        if probe == "majority":
            assert result.scores is None  # its scores are no probabilities
            continue
        by_score, by_loss = PROBES.make(probe).fit(
            *parts[:2], cells=(Cell("-", 0), Cell("-", 0, "loss"))
        )
        expected = code_length(parts[2].labels, by_loss.predict(parts[2]).scores)
        np.testing.assert_allclose(result.scores.bits(result.gold), expected, atol=0.02)
        differ += not np.allclose(
            by_score.predict(parts[2]).scores, by_loss.predict(parts[2]).scores
        )
        dev = [
            code_length(parts[1].labels, p.predict(parts[1]).scores).mean()
            for p in (by_score, by_loss)
        ]
        assert dev[1] <= dev[0] + 1e-6
        assert (result.scores.rows == dataset.rows("test")).all()
    assert differ or family != "sentence", (
        "of no probe here the two states differ, so nothing was tried"
    )


def test_what_was_measured_without_scores_is_measured_again_for_them_and_then_known(place):
    measured(place, "sentence", ["logreg"], "again")
    assert not find_scores(place / "again", _ids(place / "again"))
    for _ in range(2):
        *_, kept = measured(place, "sentence", ["logreg"], "again", keep_scores=True)
        assert kept[PROBES.canonical("logreg")].scores is not None
    *_, plain = measured(place, "sentence", ["logreg"], "again")
    assert (
        len(_ids(place / "again"))
        == len(list((place / "again").glob("*.result")))
        == len(list((place / "again").glob("*.scores")))
        == 1
    )
    assert plain[PROBES.canonical("logreg")].score == kept[PROBES.canonical("logreg")].score


def test_nothing_that_is_known_is_fitted_twice_for_scores(place, monkeypatch):
    measured(place, "sentence", ["logreg", "majority"], "once", keep_scores=True)
    measured(place, "pair", ["logreg"], "once", keep_scores=True)  # numbers have no probabilities
    monkeypatch.setattr(
        "lingprobe.experiment.work.fit_groups", lambda *_: pytest.fail("fitted again")
    )
    measured(place, "sentence", ["logreg", "majority"], "once", keep_scores=True)
    *_, pair = measured(place, "pair", ["logreg"], "once", keep_scores=True)
    assert next(iter(pair.values())).scores is None


def _ids(folder):
    return [trial_id for trial_id, _ in RunPaths.of(folder).result_store().read()]


def lingprobe(*arguments):
    done = CliRunner().invoke(
        app, [str(a) for a in arguments], catch_exceptions=False, env={"COLUMNS": "200"}
    )
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def spans(place):
    """Results about spans, kept with scores by the command line: a probe of sigmoids, two seeds."""
    arguments = [
        "run",
        "--baselines",
        "none",
        "-t",
        f"table:{place / 'span'}.parquet",
        "-e",
        "bow:random,dim=8,pool=none",
        "--probe",
        "span,projection=8,hidden=8",
    ]
    lingprobe(
        *arguments,
        "--seeds",
        2,
        "--keep-scores",
        "-o",
        place / "spans",
        "--cache",
        place / "cache",
        "-q",
    )
    return place / "spans"


def test_bits_are_shown_and_listed(spans):
    text = lingprobe("report", spans, "--bits")
    assert "V-information" in text
    found = dict(RunPaths.of(spans).result_store().read())
    scores = find_scores(spans, found)
    results = [replace(result, scores=scores[key]) for key, result in found.items()]
    (row,) = rows_of(BITS_VIEW, results)
    assert row.seeds == 2
    assert row.information == pytest.approx(row.null - row.bits)
    assert row.information_low < row.information < row.information_high
    assert f"{row.information:.3f}" in text
    listed = lingprobe("report", spans, "--bits", "--format", "csv").splitlines()
    assert listed[0].startswith("task,encoder,layer,probe,null,bits,information")
    assert len(listed) == 2


def test_results_without_scores_say_how_to_get_them(place):
    measured(place, "sentence", ["logreg"], "plain")
    done = CliRunner().invoke(app, ["report", str(place / "plain"), "--bits"])
    assert "--keep-scores" in str(done.exception)


def test_predictions_stand_beside_the_examples(place, spans, tmp_path):
    lingprobe("results", "predictions", spans, "-o", tmp_path / "lines")
    first, second = sorted((tmp_path / "lines").glob("*.jsonl"))
    assert "seed=0" in first.name
    rows = [json.loads(line) for line in first.read_text("utf-8").splitlines()]
    dataset = TASKS.make(f"table:{place / 'span'}.parquet").load()
    examples = [e for e in dataset.examples() if e.split == "test"]
    assert len(rows) == len(examples) == SIZES[2]
    for row, example in zip(rows, examples, strict=True):
        assert row["sentences"] == [site.sentence.text for site in example.sites]
        assert row["spans"] == [list(site.span) for site in example.sites]
        assert row["gold"] == sorted(example.label)
        cost = -sum(
            np.log2(p if name in example.label else 1 - p)
            for name, p in row["probabilities"].items()
        )
        assert row["bits"] == pytest.approx(cost, abs=0.01)
    assert first.read_text() != second.read_text()


def test_predictions_are_written_as_jiant_writes_them(place, spans, tmp_path):
    lingprobe("results", "predictions", spans, "--format", "jiant", "-o", tmp_path / "jiant")
    folders = sorted(p for p in (tmp_path / "jiant").iterdir() if p.is_dir())
    assert len(folders) == 2
    labels = (folders[0] / "labels.txt").read_text("utf-8").split()
    assert labels == sorted(labels)
    records = list(edges.read_edge_records(folders[0] / "preds.test.json"))
    targets = [target for record in records for target in record.targets]
    assert len(targets) == SIZES[2]
    assert all(record.more["preds"] == {} for record in records)
    probabilities = np.array([target.more["preds"]["proba"] for target in targets])
    assert probabilities.shape == (SIZES[2], len(labels))
    rows = [
        json.loads(line)
        for line in next(iter(_written(spans, tmp_path))).read_text("utf-8").splitlines()
    ]
    np.testing.assert_allclose(
        probabilities, [[row["probabilities"][name] for name in labels] for row in rows], atol=1e-6
    )


def _written(spans, tmp_path):
    lingprobe("results", "predictions", spans, "-o", tmp_path / "lines")
    return sorted((tmp_path / "lines").glob("*.jsonl"))


def test_predictions_are_of_the_examples_that_were_measured(place, spans, tmp_path):
    def read(name: str) -> list[str]:
        lingprobe("results", "predictions", spans, "-o", tmp_path / name)
        return [file.read_text("utf-8") for file in sorted((tmp_path / name).glob("*.jsonl"))]

    original, before = (place / "span.parquet").read_bytes(), read("before")
    try:
        write_dataset(TINY_DATASET_FAMILIES["span"](SIZES, 7), place / "span.parquet")
        assert read("after") == before
    finally:
        (place / "span.parquet").write_bytes(original)


def test_without_texts_other_data_than_those_measured_are_refused(tmp_path):
    write_dataset(TINY_DATASET_FAMILIES["sentence"](SIZES), tmp_path / "a.parquet")
    how = {"probes": "logreg", "seeds": 1, "baselines": "none", "texts": False, "keep_scores": True}
    where = {"output": tmp_path / "results", "cache": tmp_path / "cache"}
    evaluate("length", f"table:{tmp_path / 'a.parquet'}", **how, **where)
    write_dataset(TINY_DATASET_FAMILIES["sentence"](SIZES, 7), tmp_path / "a.parquet")
    with pytest.raises(DataProblem, match="have changed since they were measured"):
        predictions(tmp_path / "results", tmp_path / "lines")
