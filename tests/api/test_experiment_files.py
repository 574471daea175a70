"""Experiments in files: read, estimated, run, and kept beside their results."""

import tomllib

import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.banks import treebank
from lingprobe.cli import app

FILE = """
tasks = ["ud/t*:embedded"]
encoders = ["length", "mine.py@ones"]
probes = "logreg"
seeds = 2
limit = 100
baselines = "none"
output = "results"
"""
MINE = """
import numpy as np

def ones(sentences: list[str]):
    return np.ones((len(sentences), 2))
"""
MISTAKES = {
    'task = ["a"]': r"no experiment has a key 'task'; did you mean tasks\?",
    'reads = ["mix"]': r"no experiment has a key 'reads'; did you mean layers\?",
    "bounds = false": r"no experiment has a key 'bounds'; did you mean baselines\?",
    'seeds = "five"': r"seeds = 'five': write a whole number",
    "baselines = false": r"baselines = False: choose one of 'default', 'strong', 'none'",
    "seeds = true": r"seeds = True: write a whole number",
    "tasks = [1]": r"tasks = \[1\]: write a list of texts",
    'tasks = ["a"]': r'add a folder for the results, such as output = "results"',
    'output = ""': r'add a folder for the results, such as output = "results"',
    "tasks = [": "is not valid TOML",
    'output = "r"\nencoders = ["../mine.py@ones"]': "code outside the folder of the file",
    'output = "r"\nprobes = ["/tmp/mine.py@ones"]': "code outside the folder of the file",
    'output = "r"\nsuite = "../mine.py@ones"': "code outside the folder of the file",
    'output = "r"\nsuite = "/tmp/mine.py@ones:x"': "code outside the folder of the file",
    'output = "r"\ntasks = ["table:a,metric=..%2Fm.py%40m"]': "code outside the folder",
    'output = "r"\ntasks = ["table:a,metric=../m.py@m"]': "code outside the folder",
    'output = "r"\nprobes = ["online:/tmp/m.py@m"]': "code outside the folder",
    'output = "r"\nprobes = ["online:online:%2Ftmp%2Fm.py@m"]': "code outside the folder",
    'output = "r"\nmodels = ["/tmp/m.py@m"]': "code outside the folder",
    'output = "r"\nencoders = ["hf:x,trust_remote_code=true"]': "which is not allowed",
    'output = "r"\nmodels = ["x,trust_remote_code=true"]': "which is not allowed",
    'output = "r"\nencoders = ["length"]\ndevice = "cpu"': "has the option device",
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with an experiment, and the code that it names."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "asked.toml").write_text(FILE)
    return tmp_path


@pytest.mark.parametrize("text", MISTAKES)
def test_what_is_no_experiment_is_refused(text, here):
    (here / "wrong.toml").write_text(text)
    with pytest.raises(lingprobe.UsageProblem, match=MISTAKES[text]):
        lingprobe.read_experiment("wrong.toml")


def test_a_byte_order_mark_is_no_part_of_a_file(here):
    (here / "marked.toml").write_text(FILE, "utf-8-sig")
    marked, plain = map(lingprobe.read_experiment, ("marked.toml", "asked.toml"))
    assert marked.settings == plain.settings


def test_a_file_that_is_not_there_is_refused():
    with pytest.raises(lingprobe.UsageProblem, match=r"cannot read gone\.toml"):
        lingprobe.read_experiment("gone.toml")


def scores(evaluation):
    """What was measured, by trial."""
    return {result.trial: result.score for result in evaluation.results}


def test_it_does_what_a_run_with_its_keywords_does(here):
    experiment = lingprobe.read_experiment("asked.toml")
    asked = experiment.estimate()
    assert asked.known == 0
    done = experiment.run()
    assert len(done.results) == done.fresh == asked.trials == 6
    said = tomllib.loads(FILE)
    again = lingprobe.run(said.pop("tasks"), said.pop("encoders"), **said)
    assert (again.fresh, scores(again)) == (0, scores(done))


def test_a_tracker_is_none_of_an_estimate_s_business(here):
    (here / "asked.toml").write_text(FILE + '\nlog_to = "tensorboard"\n')
    assert lingprobe.read_experiment("asked.toml").estimate().trials == 6


def test_its_copy_is_the_same_experiment(here):
    (here / "plain.toml").write_text(FILE.replace(', "mine.py@ones"', "").replace("limit", "#"))
    done = lingprobe.read_experiment("plain.toml").run()
    copy = here / "results" / "experiment.toml"
    said = tomllib.loads(copy.read_text())
    assert (said["seeds"], said["baselines"], said["on_error"]) == (2, "none", "raise")
    assert [task.partition(":")[0] for task in said["tasks"]] == [
        "ud/tree-depth",
        "ud/top-deps",
        "ud/tense",
    ]
    again = lingprobe.read_experiment(copy).run()
    assert (again.fresh, scores(again)) == (0, scores(done))


def test_data_that_need_folds_have_them_in_a_copy_too(here):
    treebank(here / "UD_Small-A", "train", 150)
    (here / "small.toml").write_text(
        'tasks = ["ud/tense:UD_Small-A"]\nencoders = ["length"]\nprobes = ["logreg"]\n'
        'output = "r"\nbaselines = "none"\non_error = "skip"\n'
    )
    done = lingprobe.read_experiment("small.toml").run()
    assert len(done.results) > 1
    assert lingprobe.read_experiment("r/experiment.toml").run().fresh == 0


def test_code_is_run_from_the_folder_of_the_file_wherever_one_is(here, monkeypatch):
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    experiment = lingprobe.read_experiment("../asked.toml")
    assert experiment.settings["encoders"] == ["length", "../mine.py@ones"]


def test_code_of_the_folder_may_stand_in_every_field(here, monkeypatch):
    (here / "near.py").write_text(
        "from lingprobe.metrics.compare import accuracy\nfrom lingprobe.suites import SUITES\n"
        "from lingprobe.probes import PROBES\nfrom lingprobe.datasets.controls import CONTROLS\n"
        "def metric():\n    return accuracy()\n"
        "def probe():\n    return PROBES.make('logreg')\n"
        "def control():\n    return CONTROLS.make('shuffled')\n"
        "def suite():\n    return SUITES.make('conneau2018')\n"
    )
    classes = [("tr", "a"), ("tr", "b"), ("va", "a"), ("va", "b"), ("te", "a"), ("te", "b")]
    lines = [f"{s}\t{y}\t{y} said {n}\n" for n in range(9) for s, y in classes]
    (here / "data.tsv").write_text("".join(lines))
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    (here / "all.toml").write_text(
        'tasks = ["table:../data.tsv,metric=near.py@metric"]\nencoders = ["mine.py@ones"]\n'
        'probes = ["near.py@probe", "online:near.py%40probe"]\ncontrols = ["near.py@control"]\n'
        'seeds = 1\nbaselines = "none"\noutput = "r"\n'
    )
    done = lingprobe.read_experiment("../all.toml").run()
    assert not done.failures
    assert len(done.results) == 4
    (here / "suite.toml").write_text('suite = "near.py@suite"\noutput = "r"\n')
    assert lingprobe.read_experiment("../suite.toml").settings["suite"] == "../near.py@suite"


def test_on_the_command_line(here):
    line = ["experiment", "asked.toml"]
    dry = CliRunner().invoke(app, [*line, "--dry-run"], catch_exceptions=False)
    assert dry.output.startswith("6 trials, 0 of them measured before")
    assert not (here / "results").exists()
    done = CliRunner().invoke(app, [*line, "--format", "csv"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "6 trials measured, 0 measured before" in done.output
