"""A library prints nothing, asks the network for nothing, and leaves its host as it found it: a whole
local run, and each function beside it.
"""

from __future__ import annotations

import importlib
import logging
import os
import random
import signal
import socket
import subprocess
import sys
import warnings

import numpy as np
import pytest
import torch

import lingprobe
from lingprobe.corpora.embedded import generate_treebank

for library in (
    "sklearn.linear_model",
    "sklearn.neural_network",
    "scipy.stats",
    "pyarrow.parquet",
    "sympy",
):
    importlib.import_module(library)  # what they change as they are imported is not ours

SMALL = {"embedding": 4, "dim": 4, "decoder": 4, "pieces": 270}
TASK, QUICK = "ud/tense:embedded", "untrained:bilstm-max,layers=1,hidden=16"


def bar_sockets(monkeypatch) -> None:
    """Let no connection leave this process; pipes between processes may be sockets of their own
    family.
    """
    connect = socket.socket.connect

    def barred(self, address):
        if self.family != getattr(socket, "AF_UNIX", None):
            raise AssertionError(f"a local run connects to {address}")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", barred)
    monkeypatch.setattr(socket.socket, "connect_ex", barred)


def host() -> dict[str, object]:
    """What a process has one of, and a library could change."""
    numpy_state = np.random.get_state()
    return {
        "threads": (torch.get_num_threads(), torch.get_num_interop_threads()),
        "torch's generator": torch.get_rng_state().numpy().tobytes(),
        "numpy's generator": (numpy_state[1].tobytes(), *numpy_state[2:]),
        "python's generator": random.getstate(),
        "gradients, dtype": (torch.is_grad_enabled(), torch.get_default_dtype()),
        "determinism": torch.are_deterministic_algorithms_enabled(),
        "floating point errors": np.geterr(),
        "environment": dict(os.environ),
        "working folder": os.getcwd(),
        "signals": {number: signal.getsignal(number) for number in signal.valid_signals()},
        # libraries add filters of their own warnings as they are imported
        "warnings": [f for f in warnings.filters if f[2].__module__ == "builtins"],
        "root handlers": (list(logging.root.handlers), logging.root.level),
        "our handlers": [
            (name, list(logger.handlers), logger.level, logger.propagate)
            for name, logger in sorted(logging.Logger.manager.loggerDict.items())
            if name.partition(".")[0] == "lingprobe" and isinstance(logger, logging.Logger)
        ],
        "hooks": (sys.excepthook, sys.displayhook, sys.stdout, sys.stderr),
    }


def assert_as_before(before: dict[str, object], after: dict[str, object]) -> None:
    ours = [entry for entry in after.pop("our handlers") if entry[1] or entry[2] or not entry[3]]
    assert ours == []
    before.pop("our handlers")
    for what, was in before.items():
        assert after[what] == was, f"{what} changed"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a small treebank, and no cache but the one that calls name."""
    monkeypatch.delenv("LINGPROBE_CACHE", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.conllu").write_text("\n".join(generate_treebank(300)), "utf-8")
    (tmp_path / "a.txt").write_text("The ship finds a tree .\n" * 3, "utf-8")
    return tmp_path


@pytest.mark.parametrize("how", [{}, {"reproducible": True, "jobs": 2}], ids=str)
def test_a_run_is_quiet_needs_no_network_and_leaves_all_as_it_was(how, folder, monkeypatch, capfd):
    bar_sockets(monkeypatch)
    before = host()
    evaluation = lingprobe.run(
        TASK,
        QUICK,
        probes=["logreg", "mlp,hidden=8,dropout=0"],
        seeds=1,
        baselines="none",
        output="results",
        cache="cache",
        **how,
    )
    assert_as_before(before, host())
    assert not evaluation.failures
    assert capfd.readouterr() == ("", "")
    assert {path.name for path in folder.iterdir()} == {"a.conllu", "a.txt", "cache", "results"}


WAITS = "GOMP_SPINCOUNT"


@pytest.mark.parametrize(
    ("given", "changed"),
    [({}, {WAITS: "1000"}), ({WAITS: "7"}, {}), ({"OMP_WAIT_POLICY": "x"}, {})],
)
def test_an_import_changes_no_more_than_how_long_threads_wait_in_a_loop(given, changed):
    """Where a core is busy, torch's threads would wait for each other most of the time."""
    code = "import os; a = dict(os.environ); import lingprobe; print({*os.environ.items()} - {*a.items()})"
    plain = {k: v for k, v in os.environ.items() if k not in {WAITS, "OMP_WAIT_POLICY"}}
    told = subprocess.run(
        [sys.executable, "-c", code], env=plain | given, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == str({*changed.items()})


def test_a_test_of_sockets_can_fail(monkeypatch):
    bar_sockets(monkeypatch)
    with pytest.raises(AssertionError, match="connects"):
        socket.create_connection(("127.0.0.1", 9))


def test_every_other_function_is_quiet_and_leaves_all_as_it_was(folder, monkeypatch, capfd):
    bar_sockets(monkeypatch)
    monkeypatch.setenv("LINGPROBE_CACHE", str(folder / "cache"))
    how = {"probes": ["logreg"], "seeds": 1, "baselines": "none"}
    lingprobe.run(TASK, "length", **how, output="results", keep_scores=True)
    before = host()
    calls = {
        "evaluate": lambda: lingprobe.evaluate("length", TASK, **how),
        "suite": lambda: lingprobe.suite("ud2019:a.conllu", baselines="none", seeds=1),
        "report": lambda: (
            str(lingprobe.report("results")) + lingprobe.report("results").text("csv")
        ),
        "results": lambda: lingprobe.results("results"),
        "compare": lambda: str(lingprobe.compare("results", against="length")),
        "compare_published": lambda: str(lingprobe.compare_published("ud2019", "ObjNum")),
        "claims": lambda: str(lingprobe.claims(published="ettinger2018")),
        "relate": lambda: str(lingprobe.relate("results")),
        "layers": lambda: lingprobe.layers("results"),
        "curve": lambda: str(lingprobe.curve("results")),
        "predictions": lambda: lingprobe.predictions("results"),
        "holdings": lambda: lingprobe.holdings("results"),
        "about": lambda: lingprobe.about("ud/tense"),
        "encoder_rows": lambda: lingprobe.encoder_rows("tenney2019"),
        "available": lambda: lingprobe.available("tasks"),
        "bibtex": lambda: lingprobe.bibtex("ud/*"),
        "table": lambda: lingprobe.table((["a", "b"] * 20, ["x", "y"] * 20)),
        "build": lambda: lingprobe.build(TASK, "tense.parquet", audit="tense.md"),
        "inspect": lambda: str(lingprobe.inspect(TASK)),
        "collections": lingprobe.collections,
        "fetch": lambda: lingprobe.fetch("nothing"),
        "generate": lambda: lingprobe.generate({}, "generated.jsonl", n=5),
        "sentences": lambda: lingprobe.sentences(["a.conllu"], output="sentences.txt"),
        "embed": lambda: lingprobe.embed(lingprobe.sentences(["a.txt"]), "length"),
        "annotate": lambda: lingprobe.annotate(TASK, "sheet.tsv", n=5),
        "score_sheets": lambda: lingprobe.score_sheets(["sheet.tsv"]),
        "tag": lambda: lingprobe.tag("a.txt", "a.txt", "a.tagged"),
        "train": lambda: lingprobe.train("mean", "next", "a.txt", "m", epochs=1, **SMALL),
        "export": lambda: lingprobe.export("m", "m-st"),
        "train_vectors": lambda: lingprobe.train_vectors(
            "a.txt", "a.vec", least=1, epochs=1, dim=2
        ),
        "get_tasks": lambda: lingprobe.get_tasks(["English"]),
        "estimate": lambda: str(lingprobe.estimate(TASK, "length", probes=["logreg"], seeds=1)),
        "configure": lambda: lingprobe.configure(["bow:random"], dim=8),
        "plugins": lingprobe.plugins,
        "clean_cache": lambda: str(lingprobe.clean_cache()),
        "read_experiment": lambda: lingprobe.read_experiment("experiment.toml"),
        "card": lambda: str(lingprobe.card("results")),
        "parse": lambda: lingprobe.parse(["a.txt"], "udpipe:none", "parsed"),
        "audit_parser": lambda: lingprobe.audit_parser("a.conllu", "udpipe:none"),
        "submit": lambda: lingprobe.submit("results", "mine"),
        "board": lambda: lingprobe.board("mine", "site", measure="results"),
        "estimate_board": lambda: str(lingprobe.estimate_board("mine")),
        "status": lambda: str(lingprobe.status("results")),
        "slurm": lambda: lingprobe.slurm(["run"], shards=2),
        "model": lambda: lingprobe.model("nobody/nothing"),
        "geometry": lambda: str(lingprobe.geometry("a.conllu", "bow:random,dim=8")),
        "survey": lambda: str(lingprobe.survey("a.conllu", tasks="ud/tense")),
        "morphology": lambda: str(
            lingprobe.morphology("a.conllu", "length", feature="Number", seeds=1)
        ),
        "erase": lambda: lingprobe.erase(
            TASK, "length", limit=200, draws=1, probe="logreg,c=1", nonlinear=""
        ),
        "intervene": lambda: lingprobe.intervene(TASK, "hf:nobody/nothing", layer=1),
        "rank_heads": lambda: lingprobe.rank_heads(TASK, "lm:nobody/nothing", pairs=TASK),
        "without": lambda: lingprobe.without("bow:random,dim=8", TASK),
        "transfer": lambda: lingprobe.transfer(
            "ud/tense", "length", train="a.conllu", test="a.conllu", seeds=1
        ),
        "load_evaluation": lambda: lingprobe.load_evaluation("saved"),
        "fit": lambda: lingprobe.fit("bow:random,dim=8", TASK, baselines="none", limit=200),
        "keep_probe": lambda: lingprobe.keep_probe("results", output="kept"),
        "load_probe": lambda: lingprobe.load_probe("kept"),
        "score_file": lambda: lingprobe.score_file("kept", "texts.csv", output="scored.csv"),
        "locate": lambda: lingprobe.locate(TASK, "hf:nobody/nothing"),
    }
    functions = {name for name in dir(lingprobe) if name[0].islower()} - {
        "run",
        "sample",
        "question",
        "command",
        "flag",
    }
    assert set(calls) == functions
    (folder / "experiment.toml").write_text(
        f'tasks = ["{TASK}"]\nencoders = ["length"]\noutput = "results"\n', "utf-8"
    )
    (folder / "texts.csv").write_text("text\nThe dog sleeps.\n", "utf-8")
    lingprobe.load_evaluation("results").save("saved")
    problems = set()
    for name, call in calls.items():
        try:
            call()
        except lingprobe.LingprobeError:  # as where there is nothing to compare
            problems.add(name)
        assert capfd.readouterr() == ("", ""), name
        assert_as_before(dict(before), host())
    assert problems <= {
        "audit_parser",
        "intervene",
        "locate",
        "rank_heads",
        "board",
        "estimate_board",
        "submit",
        "parse",
        "slurm",
        "card",
        "compare",
        "curve",
        "export",
        "layers",
        "relate",
        "fetch",
        "score_sheets",
        "tag",
        "train",
        "train_vectors",
        "get_tasks",
        "model",
    }
