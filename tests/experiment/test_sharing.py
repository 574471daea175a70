"""One run in shares: four processes do what one does, a killed one loses nothing, and what failed
is told and tried again.
"""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.tables import labelled
from lingprobe.cli import app
from lingprobe.data.references import allow_code
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialDesign, make_plan
from lingprobe.experiment.portions import plan_passes
from lingprobe.experiment.run import fill_cache, find_missing, run_plan
from lingprobe.experiment.runners import WorkerPool
from lingprobe.experiment.shards import WorkShare
from lingprobe.store.claims import _PATIENCE, claim_file
from lingprobe.store.experiments import list_experiments
from lingprobe.store.results import ResultStore

pytestmark = pytest.mark.usefixtures("whole_treebank")  # without folds
LONG = 180  # seconds after which a hanging test fails

MINE = """
    import hashlib, os, time
    import numpy as np
    from lingprobe.data.core import Predictions

    def batchy(sentences):
        "Vectors whose last bits depend on the batch, as those of networks do."
        if "SLOW" in os.environ:
            time.sleep(0.5)
        batch = hashlib.blake2b("".join(sentences).encode(), digest_size=4).digest()
        vectors = np.array([[s.count(v) for v in "aeiou"] for s in sentences], np.float32)
        return vectors * np.float32(1 + int.from_bytes(batch, "little") / 2**52)

    class Easy:  # needs no library that takes seconds to import
        name = "easy"

        def fit(self, train, dev, *, cells):
            if "SLOW" in os.environ:
                time.sleep(0.5)
            return [self for _ in cells]

        def predict(self, readings):
            vectors = readings.features("-")
            scores = np.tile(vectors.sum(1, keepdims=True), (1, len(readings.labels.names)))
            return Predictions(scores, readings.labels.names, readings.labels.decode(scores))
"""
ASKED = ("-t", "table:tense.jsonl", "table:number.jsonl", "-e", "mine.py@batchy", "length")
ASKED += (
    "--control",
    "shuffled",
    "--probe",
    "mine.py@Easy",
    "--baselines",
    "none",
    "--limit",
    "1500",
    "--seeds",
    "1",
)


@pytest.fixture
def mine(tmp_path):
    """A folder with things of a user's."""
    (tmp_path / "mine.py").write_text(textwrap.dedent(MINE))
    labelled(tmp_path / "tense.jsonl", "saw", "sees")
    labelled(tmp_path / "number.jsonl", "saw a", "saw two")
    return tmp_path


def start(folder, name, *arguments, **environment):
    """A run of its own store, which all processes of that name share."""
    stores = ["-o", name, "--cache", f"{name}-cache", "-q"]
    command = [sys.executable, "-m", "lingprobe", "run", *ASKED, *stores, *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=folder, env={**os.environ, **environment}, **pipes)


def ended(process, code=0):
    """What a process wrote."""
    out, err = process.communicate(timeout=LONG)
    assert process.returncode == code, out + err
    return out, err


def content(folder):
    """All that results hold but when and how long they were made."""
    return {
        trial: (r.trial, r.score, r.low, r.high, r.predicted.plain(), r.gold.plain())
        for trial, r in ResultStore(folder).read()
    }


def vectors(cache):
    """The bytes of all vectors, by name."""
    return {p.name: p.read_bytes() for p in cache.rglob("*.vectors")}


def test_four_shares_give_what_one_run_gives_though_one_is_killed(mine):
    first, _ = ended(start(mine, "one"))
    shares = [start(mine, "four", "--shard", f"{n}/4", SLOW="1") for n in (1, 2, 3, 4)]
    wait_for(mine / "four-cache", ".*.claim")
    killed = working(shares, mine / "four-cache")
    killed.send_signal(signal.SIGKILL)
    ended(killed, -signal.SIGKILL)
    shares[shares.index(killed)] = start(mine, "four", "--shard", f"{shares.index(killed) + 1}/4")
    printed = [ended(process)[0] for process in shares]
    assert set(printed) == {first}
    assert content(mine / "four") == content(mine / "one")
    assert len(content(mine / "one")) == 8
    assert vectors(mine / "four-cache") == vectors(mine / "one-cache")
    assert not list((mine / "four").glob(".*"))


def wait_for(folder, pattern):
    end = time.monotonic() + LONG
    while not list(folder.rglob(pattern)):
        assert time.monotonic() < end
        time.sleep(0.05)


def working(shares, folder):
    """A share that is at work below a folder, whose claim may be free again when it is read."""
    end = time.monotonic() + LONG
    while not (at_work := [p for p in shares if p.pid in holders(folder)]):
        assert time.monotonic() < end
    return at_work[0]


def holders(folder):
    """The processes that are at work below a folder."""
    texts = []
    for claim in folder.rglob(".*.vectors.claim"):
        with suppress(FileNotFoundError):  # free again
            texts.append(claim.read_text())
    return {int(number) for text in texts for number in re.findall(r'"process": (\d+)', text)}


# ---- in one process


def fails(sentences):
    raise RuntimeError("no model here")


class Tripping:
    """A probe that fails while it is told to."""

    name = "tripping"
    told = True

    def fit(self, train, dev, *, cells):
        if Tripping.told:
            raise RuntimeError("the probe tripped")
        return [self for _ in cells]

    def predict(self, readings):
        return lingprobe.Predictions(
            np.zeros((len(readings), 1), np.float32), readings.labels.names, readings.labels
        )


@pytest.fixture
def paths(tmp_path):
    return RunPaths.of(tmp_path / "results", tmp_path / "cache")


TRIPPED = r"RuntimeError: the probe tripped, at test_sharing\.py:\d+"


def asked(paths, *, shard=None, seeds=1):
    probe = f"{__file__}@Tripping"
    design = TrialDesign(
        ["ud/tense:embedded,limit=60"], ["length", "bow:random"], [probe], seeds=seeds
    )
    return run_plan(
        make_plan(design, paths), paths, WorkerPool(shard=shard or WorkShare()), progress=False
    )


def tripping(told):
    """Whether the class fails that the probe is made of, which is another than the one here."""
    from lingprobe.probes import PROBES

    allow_code(f"{__file__}@Tripping")
    type(PROBES.make(f"{__file__}@Tripping")).told = told
    sys.modules[type(PROBES.make(f"{__file__}@Tripping")).__module__].Tripping.told = told


def test_what_failed_is_told_and_tried_again_by_the_next_run(paths, tmp_path):
    tripping(True)
    (why,) = set(asked(paths).failures.values())
    assert re.fullmatch(TRIPPED, why)
    page = lingprobe.status(tmp_path / "results", cache=tmp_path / "cache")
    assert [(u.state, u.why) for u in page.content] == [("failed", why)] * 2
    assert str(page).count("RuntimeError: the probe tripped") == 1  # said once for both
    assert "0 of 2 jobs" in str(page)
    tripping(False)
    assert asked(paths).fresh == 2
    page = lingprobe.status(tmp_path / "results", cache=tmp_path / "cache")
    assert [(u.state, u.why) for u in page.content] == [("done", "")] * 2
    assert not list((tmp_path / "results").glob("*.failed"))
    assert page.text("csv").splitlines()[0].startswith("task,encoder,probe,control,trials,state")


def test_what_failed_in_one_share_is_not_tried_again_by_the_others(paths, monkeypatch):
    """They began before it failed, so it would fail as many times as there are shares."""
    tripping(True)
    import lingprobe.experiment.run as runs

    told = asked(paths).failures
    monkeypatch.setattr(runs, "_failures", lambda groups, paths: {})  # as those who began before
    tripping(False)
    other = asked(paths, shard=WorkShare(2, 2))
    assert other.fresh == 0
    assert other.failures.keys() == told.keys()
    assert all(re.fullmatch(rf"{TRIPPED} \(on .+\)", why) for why in other.failures.values())


def test_an_encoder_that_fails_is_told(paths, tmp_path):
    probe = f"{__file__}@Tripping"
    design = TrialDesign(["ud/tense:embedded,limit=60"], [f"{__file__}@fails"], [probe], seeds=1)
    assert run_plan(make_plan(design, paths), paths, progress=False).failures
    page = str(lingprobe.status(tmp_path / "results", cache=tmp_path / "cache"))
    assert (
        "failed on every sentence tried (RuntimeError: no model here, at test_sharing.py:" in page
    )
    assert "1 waiting" in page  # of which nothing was tried


def test_the_state_of_a_run_is_that_of_its_units_and_sentences(paths, tmp_path):
    tripping(False)
    asked(paths)
    (experiment,) = list_experiments(paths.results)
    _, second = experiment.units
    (result, *_) = sorted(paths.results.glob(f"{second.ids[0][:16]}*.result"))
    result.unlink()
    blocks = sorted((tmp_path / "cache").rglob("*.vectors"))
    blocks[0].unlink()
    with claim_file(paths.result_store().place(second.ids)):
        page = lingprobe.status(tmp_path / "results", cache=tmp_path / "cache")
        assert [unit.state for unit in page.content] == ["done", "running"]
        assert page.content[1].machine
        assert page.content[1].process == os.getpid()
        since = datetime.fromisoformat(page.content[1].since)
        assert abs(datetime.now(UTC) - since) < timedelta(seconds=LONG)
        assert re.search(rf"tense.* {os.getpid()} +{re.escape(page.content[1].since)}", str(page))
        command = [
            "cluster",
            "status",
            str(tmp_path / "results"),
            "--cache",
            str(tmp_path / "cache"),
        ]
        assert CliRunner().invoke(app, command).exit_code == 1
    page = lingprobe.status(tmp_path / "results", cache=tmp_path / "cache")
    assert [unit.state for unit in page.content] == ["done", "waiting"]
    assert re.search(r"bow:random +60 +0 +0 +0|length +60 +0 +0 +0", str(page))
    assert re.search(r"bow:random +0 +0 +0 +60|length +0 +0 +0 +60", str(page))


def test_a_claim_without_a_sign_of_life_is_nobodys(paths, tmp_path):
    tripping(False)
    asked(paths)
    (experiment,) = list_experiments(paths.results)
    unit = experiment.units[0]
    for result in paths.results.glob(f"{unit.ids[0][:16]}*.result"):
        result.unlink()
    with claim_file(paths.result_store().place(unit.ids)):
        (claim,) = paths.results.glob(".*.claim")
        os.utime(claim, (time.time() - _PATIENCE - 5,) * 2)
        page = lingprobe.status(tmp_path / "results", cache=tmp_path / "cache")
    assert page.content[0].state == "waiting"


def test_a_folder_where_nothing_was_run_is_told(tmp_path):
    with pytest.raises(lingprobe.DataProblem, match="nothing was run in"):
        lingprobe.status(tmp_path)


def test_each_share_begins_with_encoders_of_its_own(tmp_path, monkeypatch):
    paths = RunPaths.of(tmp_path / "results", tmp_path / "cache")
    encoders = [f"bow:random,dim=4,seed={n}" for n in range(8)]
    asked = TrialDesign(["ud/tense:embedded,limit=60"], encoders, ["logreg"], seeds=1)
    todo = plan_passes(find_missing(make_plan(asked, paths), paths)[1])
    nothing, orders = SimpleNamespace(usable=np.ones(0, bool)), []
    for number in (1, 2):
        order = []
        monkeypatch.setattr(
            "lingprobe.experiment.run.embed_sentences",
            lambda encoder, *_, _into=order, **__: _into.append(encoder) or nothing,
        )
        fill_cache(todo, paths, WorkerPool(shard=WorkShare(number, 2)))
        orders.append(order)
    first, second = orders
    assert any(second == first[own:] + first[:own] for own in range(1, len(first)))
