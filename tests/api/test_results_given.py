"""What is given to functions of the API: nothing at all, an empty list, several sources at once, a
function of a script on standard input, and files whose names say no format.
"""

import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import lingprobe
from lingprobe.cli import app
from lingprobe.data import progress

TASK, SETTINGS = "ud/tense:embedded", {"probes": ["logreg"], "seeds": 1, "baselines": "none"}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Two evaluations of one encoder each, and their folders."""
    place = tmp_path_factory.mktemp("measured")
    folders = [place / name for name in ("length", "bow")]
    encoders = ["length", "bow:random,dim=4"]
    return [
        (lingprobe.evaluate(encoder, TASK, limit=100, output=folder, **SETTINGS), folder)
        for encoder, folder in zip(encoders, folders, strict=True)
    ]


@pytest.mark.parametrize("nothing", [[], (), {}])
def test_an_empty_list_measures_nothing(nothing):
    with pytest.raises(lingprobe.UsageProblem, match="the list of tasks is empty"):
        lingprobe.evaluate("length", nothing)
    with pytest.raises(lingprobe.UsageProblem, match="the list of tasks is empty"):
        lingprobe.estimate(nothing, "length")
    with pytest.raises(lingprobe.UsageProblem, match="the list of encoders is empty"):
        lingprobe.run(TASK, nothing)


def test_nothing_is_no_encoder_and_no_task():
    with pytest.raises(lingprobe.UsageProblem, match="evaluate needs encoder, and encoder is None"):
        lingprobe.evaluate(None, TASK)
    with pytest.raises(lingprobe.UsageProblem, match="evaluate needs tasks, and tasks is None"):
        lingprobe.evaluate("length", None)


@pytest.mark.parametrize("key", ["tasks", "encoders"])
def test_an_empty_list_in_an_experiment_is_refused(key, tmp_path):
    (tmp_path / "a.toml").write_text(f'{key} = []\noutput = "r"\n')
    with pytest.raises(lingprobe.UsageProblem, match=rf"a\.toml: {key} = \[\]: name at least one"):
        lingprobe.read_experiment(tmp_path / "a.toml")


def test_evaluations_and_folders_stand_in_one_list(measured):
    (one, first), (other, second) = measured
    both = lingprobe.compare([*one.results, *other.results], pairs=True)
    assert len(both.found) == 1
    for several in ([one, other], [first, second], [one, str(second)], [[*one.results], second]):
        assert lingprobe.compare(several, pairs=True).found == both.found
        page = lingprobe.report(several)
        assert [run.trial for run in page.content.runs] == [
            r.trial for r in (*one.results, *other.results)
        ]


def test_what_two_sources_have_counts_once(measured):
    (one, first), (other, _) = measured
    assert len(lingprobe.report([one, one, first]).content) == 1
    assert lingprobe.compare([one, first, other]).found == lingprobe.compare([one, other]).found
    assert len(lingprobe.report([one, other], encoders=["length"]).content) == 1


def test_results_of_a_control_alone_have_a_page():
    done = lingprobe.evaluate("length", TASK, controls=["shuffled"], limit=100, **SETTINGS)
    alone = [result for result in done.results if result.trial.control != "none"]
    assert len(alone) == 1
    assert "shuffled" in lingprobe.report(alone).text("html")


def test_a_page_in_a_list_is_a_line(measured):
    page = lingprobe.report(measured[0][0])
    assert str(page) not in repr([page])
    assert len(repr(page)) < 100


@pytest.mark.parametrize("wrong", [5, [5], [None]])
def test_what_holds_no_results_is_said(wrong):
    with pytest.raises(lingprobe.UsageProblem, match="give an evaluation, a folder of results"):
        lingprobe.report(wrong)


def test_a_function_of_a_script_on_standard_input_is_an_encoder(tmp_path):
    script = f"""
import numpy as np, lingprobe
def encode(texts):
    return np.array([[len(text), 1.0] for text in texts])
print(len(lingprobe.evaluate(encode, {TASK!r}, limit=100, **{SETTINGS!r})))
"""
    done = subprocess.run(
        [sys.executable, "-"],
        input=script,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert done.stdout.strip() == "1"


def test_vectors_beyond_float32_are_said_to_be(tmp_path):
    def large(texts):
        return np.array([[1e39 * len(text), 1.0] for text in texts])

    done = lingprobe.evaluate({"large": large}, TASK, limit=100, output=tmp_path, **SETTINGS)
    [said] = done.failures.values()
    assert (
        "no vector that can be used of 100 sentences: of each, a value outside the range of"
        " float32" in said
    )


def test_bars_are_drawn_for_those_who_watch(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    assert not progress.show_progress(True).disable
    assert progress.show_progress(False).disable
    monkeypatch.setenv("TQDM_DISABLE", "1")
    assert progress.show_progress(True).disable
    monkeypatch.delenv("TQDM_DISABLE")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    assert progress.show_progress(True).disable
    from ipykernel.kernelapp import IPKernelApp

    assert progress.show_progress(True).disable, "it is imported, and no notebook runs"
    monkeypatch.setattr(IPKernelApp, "initialized", lambda: True)
    assert not progress.show_progress(True).disable


@pytest.mark.parametrize("name", ["table.xlsx", "table.docx", "table.tsv", "a.v2"])
def test_a_name_that_asks_for_no_format_is_refused_before_work(measured, name, tmp_path):
    (one, folder), _ = measured
    with pytest.raises(lingprobe.UsageProblem, match="no format is called"):
        lingprobe.report(one).write(tmp_path / name)
    for command in (["report", str(folder)], ["compare", "nowhere"], ["layers", "nowhere"]):
        done = CliRunner().invoke(app, [*command, "-o", str(tmp_path / name)])
        assert isinstance(done.exception, lingprobe.UsageProblem), command
        assert "no format is called" in str(done.exception)
    assert not list(tmp_path.iterdir())
    lingprobe.report(one).write(tmp_path / name, "csv")
    assert (tmp_path / name).read_text().startswith("task,")


REFUSED = {
    "build": lambda to: lingprobe.build("ud/tense:nowhere", to / "a.xlsx"),
    "audit": lambda to: lingprobe.build("ud/tense:nowhere", to / "a.tsv", audit=to / "a.docx"),
    "generate": lambda to: lingprobe.generate({}, to / "a.xlsx", n=1),
    "sentences": lambda to: lingprobe.sentences(["nowhere"], output=to / "a.docx"),
    "annotate": lambda to: lingprobe.annotate("ud/tense:nowhere", to / "a.xlsx"),
    "score": lambda to: lingprobe.score_sheets(["nowhere.tsv"], to / "a.xlsx"),
    "tag": lambda to: lingprobe.tag("nowhere.txt", "nowhere.zip", to / "a.txt"),
    "vectors": lambda to: lingprobe.train_vectors("nowhere.txt", to / "a.txt"),
}


@pytest.mark.parametrize("function", REFUSED)
def test_every_function_that_writes_a_file_looks_at_its_name_first(function, tmp_path):
    with pytest.raises(lingprobe.LingprobeError, match=r"a\.(xlsx|docx|txt)"):
        REFUSED[function](tmp_path)
    assert not list(tmp_path.iterdir())
