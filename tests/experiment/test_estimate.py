"""`lingprobe.estimate` and `lingprobe run --dry-run`: what a run would do."""

import re
import tempfile

import numpy as np
import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.models import transformer
from lingprobe.cli import app
from lingprobe.data.core import Sentence, Trial
from lingprobe.data.sizes import FitSize
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.canary import _SENTENCES
from lingprobe.experiment.durations import _GROUP, _TRIAL, PROCESS_START_SECONDS, estimate_encoding
from lingprobe.experiment.speeds import MachineSpeeds
from lingprobe.probes import PROBES
from lingprobe.store.blocks import open_block
from lingprobe.store.results import ResultStore
from lingprobe.tasks import TASKS

TASK = "ud/tense:embedded"
SETTINGS = {"probes": "logreg", "seeds": 2, "baselines": "none", "limit": 60}


def test_it_says_what_a_run_then_does(tmp_path):
    asked = lingprobe.estimate(TASK, "length", output=tmp_path, **SETTINGS)
    assert (asked.trials, asked.known, asked.fits) == (1, 0, 1)  # logreg has no seeds
    assert asked.sentences == {"length": 60}
    assert asked.seconds > 0
    assert list(tmp_path.iterdir()) == []
    done = lingprobe.run(TASK, "length", output=tmp_path, **SETTINGS)
    assert len(done.results) == done.fresh == asked.trials
    again = lingprobe.estimate(TASK, "length", output=tmp_path, **SETTINGS)
    assert (again.trials, again.known, again.fits) == (1, 1, 0)
    assert (again.sentences, again.seconds) == ({}, 0)


def test_nothing_is_encoded_but_what_tells_an_encoder_of_ones_own():
    asked = []
    lingprobe.estimate(TASK, asked.extend, **SETTINGS)
    assert set(asked) <= {sentence.text for sentence in _SENTENCES}


def test_bytes_are_those_of_the_vectors(tmp_path):
    folder = transformer(tmp_path / "bert", layers=2, dim=32)
    asked = lingprobe.estimate(TASK, f"hf:{folder},layers=all", **SETTINGS)
    assert asked.bytes == 60 * 32 * 4 * 3  # layers 0 to 2, in float32
    assert asked.untimed == ()
    assert f"60 sentences to encode in {next(iter(asked.computed.values()))}\n" in f"{asked}\n"


GRID = "logreg,c=0.0001,c=0.001,c=0.01,c=0.1,c=1.0,c=10.0,scaled=true"
LIMITED = f"{TASK},limit=60"
BESIDE = PROCESS_START_SECONDS + _GROUP + _TRIAL


def seconds(timed, monkeypatch, probe="logreg"):
    """What is said of one fit to TASK, after fits of some probes to some tasks were timed."""
    trials = {
        Trial(task, "length", "all", with_, "none", 0): s for (task, with_), s in timed.items()
    }
    facts = [(trial, {"fit_seconds": took}) for trial, took in trials.items()]
    monkeypatch.setattr(ResultStore, "facts", lambda _: iter(facts))
    monkeypatch.setattr("lingprobe.experiment.estimate.split_groups", lambda *_: [])
    return lingprobe.estimate(TASK, "length", **SETTINGS | {"probes": probe}).seconds


def test_a_fit_takes_as_long_as_its_products_whatever_took_longer(tmp_path, monkeypatch):
    """What an encoder with other layers took on the task says little."""
    slow = MachineSpeeds(products=1e4, memory=1e6, step=0.01)
    monkeypatch.setattr("lingprobe.experiment.durations.measure_speeds", lambda: slow)
    (result,) = lingprobe.run(TASK, "length", output=tmp_path, **SETTINGS).results
    size = FitSize(result.provenance.counts.train, 0, 1, 2)
    work = PROBES.make("logreg").work(size, 1)
    expected = work.products / 1e4 + work.moved / 1e6 + work.steps * 0.01
    timed = {(TASKS.canonical(LIMITED), GRID): 70.0}
    assert seconds(timed, monkeypatch) == pytest.approx(expected + BESIDE, abs=0.1)


@pytest.mark.parametrize(("timed", "expected"), [((LIMITED, TASK), 3.0), ((TASK,), 7.0)])
def test_a_probe_that_does_not_know_takes_what_it_took_before(timed, expected, monkeypatch):
    took = {LIMITED: 3.0, TASK: 7.0}
    probe = PROBES.canonical("majority")
    known = {(TASKS.canonical(task), probe): took[task] for task in timed}
    assert seconds(known, monkeypatch, "majority") == pytest.approx(expected + BESIDE, abs=0.1)


def test_layers_that_are_not_run_take_no_time(tmp_path):
    """A network is run up to the highest layer that is asked for."""
    folder = transformer(tmp_path / "bert", layers=4, dim=32)
    sentences = [Sentence.of(("a",) * 1000)] * 1000
    whole, half, none = (
        estimate_encoding(ENCODERS.make(f"hf:{folder}"), slots, sentences)
        for slots in (["0.mean", "4.mean"], ["2.mean"], ["0.mean"])
    )
    assert half == pytest.approx(whole / 2, rel=0.3)
    assert none == 0
    assert estimate_encoding(ENCODERS.make("length"), ["-"], sentences) == pytest.approx(0.1)


def test_an_unknown_keyword_is_refused():
    with pytest.raises(lingprobe.UsageProblem, match="estimate takes no argument 'probe'"):
        lingprobe.estimate(TASK, "length", probe="logreg")


def test_a_dry_run_says_it_and_does_nothing(tmp_path):
    line = ["run", "-t", TASK, "-e", "length", "-o", str(tmp_path / "r"), "--dry-run"]
    done = CliRunner().invoke(app, [*line, "--limit", "60"], catch_exceptions=False)
    assert re.search(r"^\d+ trials, 0 of them measured before; \d+ jobs", done.output, re.M)
    assert "length: 60 sentences to encode" in done.output
    assert not (tmp_path / "r").exists()


def test_what_does_not_fit_on_the_disk_is_refused_before_work_starts(tmp_path, monkeypatch):
    folder = transformer(tmp_path / "bert", layers=2, dim=32)
    encoder, kept = f"hf:{folder},layers=all", {"cache": tmp_path / "cache"}
    needed = lingprobe.estimate(TASK, encoder, **SETTINGS, **kept).bytes
    monkeypatch.setattr("lingprobe.experiment.room.free_below", lambda _: needed - 1)
    with pytest.raises(
        lingprobe.StoreProblem, match=r"take about 23.0 KB, and .* has 23.0 KB free"
    ):
        lingprobe.run(TASK, encoder, **SETTINGS, **kept)
    assert not list(tmp_path.rglob("*.vectors"))
    monkeypatch.setattr("lingprobe.experiment.room.free_below", lambda _: needed)
    assert len(lingprobe.run(TASK, encoder, **SETTINGS, **kept)) == 3
    monkeypatch.setattr("lingprobe.experiment.room.free_below", lambda _: 0)
    assert len(lingprobe.run(TASK, encoder, **SETTINGS, **kept)) == 3  # nothing is to be written


@pytest.mark.parametrize(("store", "written"), [("float32", 4), ("bfloat16", 2)])
def test_what_is_written_is_counted_and_nothing_else_is(store, written, tmp_path, monkeypatch):
    """Large vectors of several tasks are read where they lie."""
    monkeypatch.setattr("lingprobe.store.vectors.MIN_MAPPED_VECTOR_BYTES", 1)
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: pytest.fail("a second copy"))
    monkeypatch.setattr(
        "lingprobe.experiment.paths.check_folder_writable", lambda _: None
    )  # tries with one
    folder = transformer(tmp_path / "bert", layers=2, dim=32)
    tasks, asked = [TASK, "ud/passive:embedded"], f"hf:{folder},layers=all"
    settings = SETTINGS | {"dtype": store, "cache": tmp_path / "cache"}
    needed = lingprobe.estimate(tasks, asked, **settings)
    assert needed.bytes == 3 * 32 * needed.sentences[f"hf:{folder}"] * written
    monkeypatch.setattr("lingprobe.experiment.room.free_below", lambda _: needed.bytes)
    assert not lingprobe.run(tasks, asked, **settings).failures
    assert stored(tmp_path / "cache") == needed.bytes


def stored(cache):
    """The bytes of all layers in files."""
    blocks = [open_block(path) for path in cache.rglob("*.vectors")]
    layers = [b.array(name) for b in blocks for name in b.arrays if name.startswith("layer:")]
    return sum(layer.nbytes for layer in layers)


@pytest.mark.parametrize(
    "reference",
    [
        *("length", "random,dim=24", "bow:random,dim=24", "bow:random,dim=24,pool=none"),
        *("char-ngrams,dim=24", "char-ngrams,dim=24,pool=none"),
        *("untrained:bilstm-max,hidden=8", "untrained:gated-convnet,hidden=8,dim=4"),
        "untrained:bilstm-last,hidden=8,pool=none",
    ],
)
def test_baselines_know_how_wide_their_vectors_are(reference, tmp_path):
    encoder = ENCODERS.make(reference)
    vectors = encoder.encode([Sentence.of(["a", "b"])]).layers[0]
    assert vectors.shape == (2 if encoder.by_word else 1, encoder.width)
    settings = SETTINGS | {"cache": tmp_path}
    said = lingprobe.estimate(TASK, reference, **settings).bytes
    lingprobe.run(TASK, reference, **settings)
    assert stored(tmp_path) == said


@pytest.mark.parametrize("missing", ["error", "skip"])
def test_vectors_that_lack_sentences_are_refused_in_the_plan(missing, tmp_path):
    (tmp_path / "a.csv").write_text(
        "text,label\n" + "".join(f"dog {i},{'xy'[i % 2]}\n" for i in range(60))
    )
    np.savez(tmp_path / "v.npz", sentences=np.array(["dog 0"]), vectors=np.ones((1, 3)))
    told = lingprobe.estimate(
        str(tmp_path / "a.csv"), f"npz:{tmp_path / 'v.npz'},missing={missing}", probes="logreg"
    )
    said = "has no vector for 59 of 60 sentences"
    assert any(said in why for why in told.refused.values()) == (missing == "error")
    assert (said in str(told)) == (missing == "error")
