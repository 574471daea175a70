"""An installed extension and a file of one's own add a task, an encoder and a probe, with no change
to lingprobe.
"""

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from fixtures.forked import python
from fixtures.plugin import PLUGIN
from lingprobe.corpora.embedded import generate_treebank
from lingprobe.data.core import DATA_SPLITS, DataProblem, Sentence, Site
from lingprobe.data.references import allow_code
from lingprobe.encoders import ENCODERS
from lingprobe.tasks import TASKS


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> dict[str, str]:
    """An environment in which the extension is installed."""
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(PLUGIN, folder / "source")
    options = [
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--disable-pip-version-check",
    ]
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            *options,
            "--target",
            folder / "site",
            folder / "source",
        ],
        check=True,
    )
    return {**os.environ, "PYTHONPATH": str(folder / "site")}


@pytest.fixture(scope="module")
def running_text(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("text") / "sentences.txt"
    lines = [
        line.removeprefix("# text = ")
        for line in generate_treebank(1_500)
        if line.startswith("# text = ")
    ]
    file.write_text("\n".join(lines), "utf-8")
    return file


def without_extension(*arguments: str | Path) -> str:
    line = ("-m", "lingprobe", *map(str, arguments))
    done = python(*line, folder=Path.cwd(), environment=os.environ)
    assert done.returncode == 0, done.stderr
    return done.stdout


def lingprobe(environment: dict[str, str], *arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "lingprobe", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("kind", "name", "line"),
    [
        ("tasks", "example/long-word", "Does the sentence have a word of eight letters or more?"),
        ("encoders", "alphabet", "How often each letter from a to z occurs in the sentence."),
        ("probes", "centroid", "The class whose mean vector is nearest."),
    ],
)
def test_the_extension_is_listed(installed, kind, name, line):
    listed = lingprobe(installed, "list", kind).splitlines()
    assert any(name in shown and line in shown for shown in listed)


def test_the_extension_adds_a_command_and_a_function(installed, tmp_path):
    (tmp_path / "text.txt").write_text("a bb\nccc dd\n", "utf-8")
    assert "longest" in lingprobe(installed, "--help")
    assert lingprobe(installed, "longest", tmp_path / "text.txt") == "ccc\n"
    code = "import lingprobe, pathlib, sys; print(lingprobe.longest(pathlib.Path(sys.argv[1])))"
    asked = [sys.executable, "-c", code, tmp_path / "text.txt"]
    done = subprocess.run(asked, env=installed, capture_output=True, text=True, check=True)
    assert done.stdout == "ccc\n"
    listed = lingprobe(installed, "list", "plugins")
    assert "command longest" in listed
    assert "function longest" in listed


def test_the_extension_runs(installed, running_text, tmp_path):
    encoders = [
        "-e",
        "alphabet",
        "-e",
        "rare-letters,floor=3",
        "-e",
        "length",
        "--baselines",
        "none",
    ]
    run = [
        "run",
        "-t",
        f"example/long-word:{running_text}",
        *encoders,
        "--probe",
        "centroid",
        "-q",
        "-o",
        tmp_path,
    ]
    rows = list(csv.DictReader(lingprobe(installed, *run, "--format", "csv").splitlines()))
    scores = {row["encoder"]: float(row["score"]) for row in rows}
    assert {row["probe"] for row in rows} == {"centroid"}
    assert scores["alphabet"] > 60
    assert scores["rare-letters:3"] > 60
    assert all(float(row["low"]) < float(row["score"]) < float(row["high"]) for row in rows)


def test_the_extension_keeps_the_promises_of_its_kinds(installed, running_text):
    checks = "from lingprobe.testing import check_encoder, check_probe, check_task\n"
    checks += (
        f"check_task('example/long-word:{running_text}'); check_encoder('alphabet');"
        " check_encoder('rare-letters');"
        " check_probe('centroid', kinds=('classes',))"
    )
    subprocess.run([sys.executable, "-c", checks], env=installed, check=True)


def test_a_file_is_enough(running_text, tmp_path):
    source = PLUGIN / "src" / "lingprobe_example"
    run = [
        "run",
        "-t",
        f"{source}/task.py@LongWord:{running_text}",
        "-e",
        f"{source}/encoder.py@Letters",
    ]
    run += [
        "--probe",
        f"{source}/probe.py@Centroid",
        "--baselines",
        "none",
        "-q",
        "-o",
        tmp_path,
        "--format",
        "csv",
    ]
    (row,) = csv.DictReader(without_extension(*run).splitlines())
    assert float(row["score"]) > 60


@pytest.mark.parametrize("reference", ["relcl.py@relcl:BANK", "number.py@number:BANK"])
def test_a_rule_is_enough_and_small_data_get_folds(reference, tmp_path):
    bank = tmp_path / "bank.conllu"
    bank.write_text("\n".join(generate_treebank(900)) + "\n\n", "utf-8")
    reference = f"{PLUGIN}/{reference.replace('BANK', str(bank))}"
    run = ["run", "-t", reference, "-e", "bow:random", "--probe", "logreg", "-q", "-o", tmp_path]
    rows = list(csv.DictReader(without_extension(*run, "--format", "csv").splitlines()))
    assert {row["encoder"] for row in rows} > {"bow:random", "length"}
    without_extension("build", reference, "-o", tmp_path / "all.jsonl")
    test_n = sum(1 for line in (tmp_path / "all.jsonl").open() if '"test"' in line)
    # the folds' test parts together
    assert all(int(row["n"]) > 2 * test_n for row in rows)


def test_a_rule_about_spans_is_a_task_that_a_run_reads_word_by_word(tmp_path):
    bank = tmp_path / "bank.conllu"
    bank.write_text("\n".join(generate_treebank(300)) + "\n\n", "utf-8")
    task = f"{PLUGIN}/modifier.py@modifier:{bank}"
    run = ["run", "-t", task, "-e", "bow:random,pool=none", "--seeds", "1", "-q", "-o", tmp_path]
    rows = list(csv.DictReader(without_extension(*run, "--format", "csv").splitlines()))
    assert {row["metric"] for row in rows} == {"micro-f1"}
    assert any(row["encoder"].startswith("bow:random") for row in rows)


def test_spans_of_a_format_of_ones_own_are_those_of_its_characters(tmp_path):
    allow_code(reference := f"{PLUGIN}/standoff.py@Standoff:{tmp_path}")
    for split in DATA_SPLITS:
        (tmp_path / split).mkdir()
        (tmp_path / split / "a.txt").write_text("Alice saw  New York.\n\nBob, too, saw Alice\n")
    rows = ["T1\tPerson 0 5\tAlice", "T2\tPlace 11 19\tNew York", "T3\tPerson 22 25\tBob"]
    for split in DATA_SPLITS:
        (tmp_path / split / "a.ann").write_text("\n".join([*rows, "R1\tSees Arg1:T1 Arg2:T2", ""]))
    got = [(e.sites[0], e.label, e.split) for e in TASKS.make(reference).load().examples()]
    first = Sentence(("Alice", "saw", "New", "York."), "Alice saw  New York.")
    second = Sentence(("Bob,", "too,", "saw", "Alice"), "Bob, too, saw Alice")
    assert got == [
        each
        for split in DATA_SPLITS
        for each in (
            (Site(first, (0, 1)), "Person", split),
            (Site(first, (2, 4)), "Place", split),
            (Site(second, (0, 1)), "Person", split),
        )
    ]
    (tmp_path / "dev" / "a.ann").write_text("T1\tPlace 11 25\tNew York Bob")
    with pytest.raises(DataProblem, match=r"a\.ann:1: an entity of one part, in one line"):
        TASKS.make(reference).load()


def test_an_object_fitted_to_texts_is_an_encoder(tmp_path):
    allow_code(reference := f"{PLUGIN}/svd.py@Svd,dim=2")
    texts = ["one two six ten", "one two six", "one two", "ten ten ten one"]
    ready = ENCODERS.make(reference).prepare([Sentence.of(text.split()) for text in texts])
    (vectors,) = ready.encode([Sentence.of(text.split()) for text in texts]).layers
    counts = TfidfVectorizer().fit_transform(texts).toarray()
    components = np.linalg.svd(counts)[2][:2]
    assert np.abs(vectors) == pytest.approx(np.abs(counts @ components.T), abs=1e-6)


@pytest.mark.usefixtures("whole_treebank")  # without folds
def test_a_control_and_a_metric_are_files_too(tmp_path):
    source = PLUGIN / "src" / "lingprobe_example"
    data = tmp_path / "depths.jsonl"
    without_extension("build", "ud/tree-depth:embedded", "-o", data)
    task = f"table:{data},metric={source}/metric.py@near"
    run = ["run", "-t", task, "-e", "length", "--control", f"{source}/control.py@AnyOrder"]
    more = [
        "--probe",
        "logreg",
        "--seeds",
        "1",
        "--baselines",
        "none",
        "-q",
        "-o",
        tmp_path / "results",
    ]
    rows = list(csv.DictReader(without_extension(*run, *more, "--format", "csv").splitlines()))
    assert [row["control"].partition("@")[2] for row in rows] == ["", "AnyOrder"]
    assert {row["metric"].partition("@")[2] for row in rows} == {"near"}
    # a length is the same in any order, and of four classes in a row most constant answers are near
    assert rows[0]["score"] == rows[1]["score"]
    assert float(rows[0]["majority"]) > 50
