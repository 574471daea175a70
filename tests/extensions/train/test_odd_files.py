"""Files that are damaged or strange, to each objective: one line says what is wrong, or they are
learnt from and what was left out is counted.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("sacrebleu")
from lingprobe.cli import main
from lingprobe_extensions.train.contents import OBJECTIVES

TINY = ("hidden=4", "decoder=4", "dim=4", "pieces=300", "layers=1", "batch=400", "buckets=20")
SUFFIX = {"translate": "tsv", "infer": "tsv", "parse": "ptb"}
HEAD = "premise\thypothesis\tlabel\n"
DRAWS = random.Random(0)
LINES = [" ".join(DRAWS.choices("abcdefgh", k=DRAWS.randint(3, 9))) for _ in range(300)]


def file_of(objective: str, lines: list[str]) -> bytes:
    """The lines as the objective reads them."""
    rows = {
        "translate": lambda i, line: f"{line}\t{line} .",
        "infer": lambda i, line: f"{line}\t{line} .\t{'xy'[i % 2]}",
        "parse": lambda i, line: f"(S {' '.join(f'(N {word})' for word in line.split())})",
    }
    row = rows.get(objective, lambda i, line: line)
    head = HEAD if objective == "infer" else ""
    return (head + "".join(f"{row(i, line)}\n" for i, line in enumerate(lines))).encode()


@pytest.fixture
def trained(tmp_path, monkeypatch, capsys):
    """Runs `lingprobe train`; the status it ends with, and what it says."""

    def run(objective: str, paths: list[Path], *more: str) -> tuple[int, str]:
        network = "bow" if objective == "cbow" else "mean"
        settings = [part for one in (*TINY, *more) for part in ("--set", one)]
        asked = ["--objective", objective, "-o", tmp_path / "m", "--epochs", 1, "-q", *settings]
        line = ["lingprobe", "train", "encoder", network, "--data", *paths, *asked]
        monkeypatch.setattr(sys, "argv", [*map(str, line)])
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code
        said = capsys.readouterr()
        return status, (said.err if status else said.out).strip()

    return run


@pytest.fixture
def written(tmp_path):
    """Writes the file of an objective."""

    def write(objective: str, data: bytes) -> list[Path]:
        path = tmp_path / f"text.{SUFFIX.get(objective, 'txt')}"
        path.write_bytes(data)
        return [path]

    return write


LEARNT = [name for name in OBJECTIVES.table if name not in ("denoise", "annotate")]


@pytest.mark.parametrize("objective", LEARNT)
def test_another_encoding_is_named_with_its_line(objective, written, trained):
    good = file_of(objective, LINES[:3])
    line = good.count(b"\n") + 1
    status, said = trained(
        objective, written(objective, good + "(S (N caf\u00e9) (N b))\tx\ty\n".encode("latin-1"))
    )
    assert status == 2
    assert len(said.splitlines()) == 1
    assert "UTF-8" in said
    assert f":{line}" in said


@pytest.mark.parametrize("objective", LEARNT)
@pytest.mark.parametrize("data", [b"", b"\n\n \n"])
def test_nothing_to_learn_from_is_said(objective, data, written, trained):
    status, said = trained(objective, written(objective, data))
    assert status == 2
    assert len(said.splitlines()) == 1
    assert said.startswith("lingprobe: ")
    assert "unexpected" not in said


def test_one_sentence_again_and_again_is_said(written, trained):
    """All that is like a sentence of dev is left out of train, so nothing is left."""
    status, said = trained("autoencode", [path := written("autoencode", b"a word\n" * 200)[0]])
    assert status == 2
    assert said == (
        f"lingprobe: {path}: 0 examples are left to train on and 10 for dev (examples: 200 read;"
        " excluded: 190 also in dev); give more text"
    )


@pytest.mark.parametrize("objective", LEARNT)
def test_a_line_of_ten_thousand_words_is_left_out_and_counted(objective, written, trained):
    status, said = trained(
        objective, written(objective, file_of(objective, [*LINES, "a " * 10_000]))
    )
    assert status == 0, said
    assert "1 too long" in said


@pytest.mark.parametrize("objective", LEARNT)
def test_one_word_is_a_vocabulary(objective, written, trained):
    """Lines of it that differ in length alone; whatever becomes of it, nothing breaks."""
    lines = ["a " * (i % 50 + 2) for i in range(200)]
    status, said = trained(objective, written(objective, file_of(objective, lines)), "least=1")
    assert status == 0 or len(said.splitlines()) == 1, said
    assert "unexpected" not in said


def test_an_objective_that_reads_no_examples_is_told(tmp_path, trained):
    (tmp_path / "mine.py").write_text(
        "from lingprobe_extensions.train.objectives import InferenceLesson, TrainingObjective\n"
        "def texts(paths, reading):\n    yield 'a text'\n"
        "def mine():\n    return TrainingObjective(InferenceLesson.of, texts, 'accuracy')\n"
    )
    (tmp_path / "a.txt").write_text("a\n")
    code, said = trained(f"{tmp_path / 'mine.py'}@mine", [tmp_path / "a.txt"])
    assert code == 2
    assert "an objective reads 'a text', and should read Examples" in said


def test_lines_that_differ_in_number_are_named(tmp_path, trained):
    paths = [tmp_path / "a.en", tmp_path / "a.de"]
    for path, many in zip(paths, (30, 29), strict=True):
        path.write_text("".join(f"{line}\n" for line in LINES[:many]), "utf-8")
    status, said = trained("translate", paths)
    assert status == 2
    assert said.startswith(f"lingprobe: {paths[1]}:30: the file ends before this line")
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "m").exists()
