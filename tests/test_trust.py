"""Files from strangers are only read: no code that results, sheets or parsed corpora name is run,
unless somebody says that it is trusted.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lingprobe
from lingprobe.cli import app
from lingprobe.pages.views import VIEWS
from lingprobe.store.results import ResultStore, find_scores, write_scores

RAN = "ran.txt"
EVIL = """
from pathlib import Path

Path(__file__).with_name("ran.txt").write_text("x")

def metric():
    from lingprobe.metrics.compare import accuracy
    return accuracy()

def task():
    from lingprobe.tasks import TASKS
    return TASKS.make("table:data.tsv")
"""
WHO = ("Anna", "Ben", "Carla", "Dan", "Eva")
DID = ("sings", "slept", "runs", "ran", "reads", "wrote")


def rows() -> str:
    """Three splits of a table with two balanced classes."""
    said = [
        (f"{who} {verb} {number} times", "past" if verb in ("slept", "ran", "wrote") else "now")
        for who in WHO
        for verb in DID
        for number in range(12)
    ]
    splits = ("tr", "tr", "tr", "va", "te", "te")
    return "".join(f"{splits[i % 7 % 6]}\t{y}\t{x}\n" for i, (x, y) in enumerate(said))


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """What was measured in a folder of its own."""
    folder = tmp_path_factory.mktemp("honest")
    (folder / "data.tsv").write_text(rows())
    encoders = ["length", "bow:random,dim=8"]
    lingprobe.run(
        f"table:{folder}/data.tsv",
        encoders,
        probes=["logreg"],
        controls=["shuffled"],
        seeds=2,
        baselines="none",
        output=folder / "out",
        keep_scores=True,
    )
    return folder


def as_metric(result):
    return replace(result, metric="evil.py@metric")


def as_task(result):
    return replace(result, trial=replace(result.trial, task="evil.py@task"))


def as_option(result):
    task = "table:data.tsv,metric=evil.py@metric"
    return replace(as_metric(result), trial=replace(result.trial, task=task))


def as_others(result):
    trial = replace(result.trial, probe="online:evil.py@probe")
    if trial.control != "none":
        trial = replace(trial, control="evil.py@control")
    return replace(result, trial=replace(trial, encoder=f"evil.py@{result.trial.encoder[:3]}"))


@pytest.fixture(params=[as_metric, as_task, as_option, as_others])
def mailed(request, honest, tmp_path, monkeypatch):
    """Results as a stranger sends them, their checksums right, with code beside them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.tsv").write_text(rows())
    (tmp_path / "evil.py").write_text(EVIL)
    known = dict(ResultStore(honest / "out").read())
    scores = find_scores(honest / "out", known)
    sent = [(k, replace(request.param(r), scores=scores.get(k))) for k, r in known.items()]
    sent += [(f"{k}1", replace(r, trial=replace(r.trial, seed=1))) for k, r in sent]
    ResultStore(tmp_path / "out").write(sent)
    write_scores(tmp_path / "out", sent)
    return request.param


WAYS = [
    *(["report", "--view", view] for view in VIEWS),
    ["report"],
    ["report", "--each"],
    ["report", "--classes"],
    ["report", "--bits"],
    ["report", "--headroom"],
    ["report", "--by", "target"],
    ["report", "--suite", "conneau2018"],
    ["report", "--metric", "macro-f1"],
    ["report", "--html", "-o", "page.html"],
    ["report", "--format", "mteb", "-o", "mteb"],
    ["report", "-o", "scores.svg"],
    ["compare"],
    ["compare", "--letters"],
    ["compare", "--test", "bootstrap"],
    ["publish card"],
    ["layers"],
    ["results curve"],
    ["relate"],
    ["results claims", "--all"],
    ["results predictions", "-o", "predictions"],
]


@pytest.mark.parametrize("view", WAYS, ids=" ".join)
def test_no_view_of_results_runs_what_they_name(mailed, view):
    done = CliRunner().invoke(app, [*view[0].split(), "out", *view[1:]])
    assert not Path(RAN).exists()
    assert done.exception is None or isinstance(done.exception, lingprobe.LingprobeError)


@pytest.mark.parametrize("mailed", [as_metric], indirect=True)
@pytest.mark.parametrize("view", [["report"], ["report", "--each"], ["compare"]], ids=" ".join)
def test_a_metric_in_a_file_needs_trust(mailed, view):
    refused = CliRunner().invoke(app, [*view[0].split(), "out", *view[1:]])
    assert not Path(RAN).exists()
    assert str(refused.exception) == (
        "'evil.py@metric' was named by a file, not by you, so 'evil.py' was not run: read it, and"
        " if you trust it, repeat with --trust (in Python, trust=True)"
    )
    shown = CliRunner().invoke(app, [view[0], "out", *view[1:], "--trust"])
    assert shown.exit_code == 0
    assert Path(RAN).exists()


@pytest.mark.parametrize("mailed", [as_task], indirect=True)
def test_predictions_of_a_task_in_a_file_need_trust(mailed):
    with pytest.raises(lingprobe.LingprobeError, match="not by you"):
        lingprobe.predictions("out", "predictions")
    assert not Path(RAN).exists()
    assert lingprobe.predictions("out", "predictions", trust=True)
    assert Path(RAN).exists()


@pytest.mark.parametrize("mailed", [as_metric], indirect=True)
def test_a_run_into_a_folder_with_a_strangers_results_runs_none_of_their_code(mailed, caplog):
    evaluation = lingprobe.run(
        "table:data.tsv", "length", probes=["logreg"], seeds=1, baselines="none", output="out"
    )
    assert len(evaluation) == 1
    assert not Path(RAN).exists()
    assert Path("out/results.parquet").exists()
    assert "results.parquet leaves out results with evil.py@metric" in caplog.text


def test_a_sheet_needs_trust_for_a_task_in_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data.tsv").write_text(rows())
    Path("evil.py").write_text(EVIL)
    lingprobe.annotate("table:data.tsv", "sheet.tsv", n=6)
    sheet = Path("sheet.tsv").read_text()
    sheet = re.sub('table:data.tsv[^"]*', "evil.py@task", sheet)
    Path("filled.tsv").write_text(re.sub(r"\t$", "\tnow", sheet, flags=re.MULTILINE))
    refused = CliRunner().invoke(app, ["data", "annotate", "--score", "filled.tsv"])
    assert "--trust" in str(refused.exception)
    assert not Path(RAN).exists()
    scored = CliRunner().invoke(app, ["data", "annotate", "--score", "filled.tsv", "--trust"])
    assert scored.exit_code == 0, scored.output
    assert Path(RAN).exists()


def test_the_audit_of_a_parsed_corpus_does_not_make_its_parser(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("evil.py").write_text(EVIL)
    sentence = "1\tAnna\t_\tPROPN\t_\t_\t2\tnsubj\t_\t_\n2\tsings\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    for folder in ("gold", "parsed"):
        Path(folder).mkdir()
        Path(folder, "00000.conllu").write_text(sentence * 3)
    by = '{"parser": {"name": "evil.py@parser", "fingerprint": "x"}}'
    Path("parsed", "parsed.json").write_text(by)
    done = CliRunner().invoke(app, ["data", "audit-parser", "gold", "parsed", "--into", "parsed"])
    assert "evil.py@parser" in done.output
    assert not Path(RAN).exists()
