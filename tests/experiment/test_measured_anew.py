"""Runs say why results that are there are not used."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

import lingprobe
from lingprobe.data._foreign_code import module_name
from lingprobe.store.blocks import get_version

KEPT = Path(__file__).parents[1] / "fixtures" / "release-0.2.0.dev0"
CODE = '''"""Lengths."""
import numpy as np


def length(sentences: list) -> np.ndarray:
    """Lengths of sentences."""
    wanted = {"a", "b"}  # whose order differs between processes
    return np.array([[len(s), 1.0] for s in sentences])
'''
TABLE = "".join(f"w{i} {'bark' * (i % 2)}\t{'ab'[i % 2]}\n" for i in range(60))


def measured(folder, encoder, **settings):
    """A run as a new process makes it."""
    sys.modules.pop(module_name(folder / "mine.py"), None)
    how = {"probes": "logreg", "seeds": 1, "baselines": "none", "progress": False} | settings
    output, cache = folder / "out", folder / "cache"
    return lingprobe.run(f"table:{folder}/data.tsv", encoder, output=output, cache=cache, **how)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.py").write_text(CODE)
    (tmp_path / "data.tsv").write_text("text\tlabel\n" + TABLE)
    return tmp_path


def test_results_of_an_earlier_version_are_named_with_it(tmp_path, monkeypatch):
    shutil.copytree(KEPT, tmp_path / "old")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    settings = {
        "probes": ["logreg"],
        "output": "old/results",
        "baselines": "none",
        "progress": False,
    }
    first = lingprobe.run("table:old/tense.tsv", "length", **settings)
    (said,) = first.remarks
    assert "earlier results of 1 of these trials, which are measured again" in said
    assert f"lingprobe 0.2.0.dev0 measured them, and this is version {get_version()} (1)" in said
    assert lingprobe.run("table:old/tense.tsv", "length", **settings).remarks == ()


@pytest.mark.parametrize(
    ("file", "before", "after", "why"),
    [
        ("mine.py", "len(s), 1.0", "len(s), 2.0", "other facts of the encoder changed|code of"),
        ("data.tsv", "w0 ", "w00 ", "files, weights or other facts of the task changed"),
    ],
)
def test_what_changed_is_named(file, before, after, why, folder):
    reference = f"{folder}/mine.py@length"
    assert measured(folder, reference).remarks == ()
    place, stood = folder / file, (folder / file).stat()
    place.write_text(place.read_text().replace(before, after))
    os.utime(place, ns=(stood.st_atime_ns, stood.st_mtime_ns))  # as if within one second
    evaluation = measured(folder, reference)
    assert evaluation.fresh == len(evaluation.results)
    said = [text for text in evaluation.remarks if "are measured again" in text]
    assert len(said) == 1
    assert any(one in said[0] for one in why.split("|"))


def test_other_options_are_no_earlier_results(folder):
    measured(folder, "bow:random,dim=4")
    assert measured(folder, "bow:random,dim=5").remarks == ()
    assert measured(folder, "bow:random,dim=4", probes="logreg,c=0.5").remarks == ()


EDITS = {
    "docstring": ('"""Lengths of sentences."""', '"""Other words."""'),
    "no docstring": ('    """Lengths of sentences."""\n', ""),
    "docstring of the module": ('"""Lengths."""', '"""Others."""'),
    "comment": ("# whose order", "# Whose order"),
    "white space": ("[len(s), 1.0]", "[ len(s),1.0 ]"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_edits_that_change_nothing_measure_nothing(edit, folder):
    reference = f"{folder}/mine.py@length"
    measured(folder, reference)
    (folder / "mine.py").write_text(CODE.replace(*EDITS[edit]))
    assert measured(folder, reference).fresh == 0


def test_another_name_or_folder_of_a_file_measures_nothing(folder):
    measured(folder, f"{folder}/mine.py@length")
    (folder / "below").mkdir()
    (folder / "mine.py").rename(folder / "below" / "other.py")
    assert measured(folder, f"{folder}/below/other.py@length").fresh == 0


def test_two_functions_of_a_file_are_two_encoders(folder):
    other = CODE.partition("def ")[2].replace("length(", "twice(").replace("len(s)", "2 * len(s)")
    (folder / "mine.py").write_text(f"{CODE}\n\ndef {other}")
    measured(folder, f"{folder}/mine.py@length")
    evaluation = measured(folder, f"{folder}/mine.py@twice")
    assert evaluation.fresh == len(evaluation.results)
