"""Scores of others, line by line: what is read, left out and refused."""

from __future__ import annotations

import json

import pytest

from lingprobe.analysis.score_files import families_from, read_score_file
from lingprobe.data.core import DataProblem


def read(tmp_path, text, constant=False):
    """Row, family, column, language and value of each score of a table, and what was left out."""
    path = tmp_path / "a.csv"
    path.write_text(text, "utf-8")
    scores, left = read_score_file(str(path), constant)
    return [(s.row.name, s.row.family, s.column.name, s.column.language, s.value)
            for s in scores], left  # fmt: skip


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_line_of_a_wide_table_is_an_encoder(tmp_path, mark):
    """Commas in a cell are no columns where the header has another mark."""
    text = "encoder;layer;one;two;words\norg/m;3;1.5;;x\nn;none;2;NaN;-\n".replace(";", mark)
    found, left = read(tmp_path, text, constant=True)
    assert found == [
        ("org/m, layer 3", "org/m", "one", "", 1.5),
        ("n", "n", "one", "", 2.0),
    ]
    assert left == []
    found, left = read(tmp_path, text)
    assert [row[0] for row in found] == ["org/m, layer 3"]
    assert left[0].startswith("a.csv: n: excluded, because a score is NaN")


def test_other_variants_are_told_by_their_value_and_a_family_by_its_column(tmp_path):
    text = "name,pooling,seed,family,one\nm,cls,n/a,f,1\nm,mean,7,,2\n"
    assert read(tmp_path, text)[0] == [("m, cls", "f", "one", "", 1), ("m, mean, 7", "m", "one", "", 2)]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("encoder,one\n", "no row below the header"),
        ("who,one\nm,1\n", "no column names the encoder"),
        ("encoder,one\nm,1,2\n", r":2: the number of cells differs from the header's \(2\)"),
        ("encoder,one\nm\n", ":2: the number of cells differs"),
        ("encoder,one\nm,1\nn,much\n", ":3: 'much' in column one is not a number"),
        ("encoder,one\nm,1\nn,inf\n", ":3: 'inf' in column one is not a number"),
        ("encoder,one\nm,1e999\n", ":2: '1e999' in column one is not a number"),
        ("encoder;one;two\nm;1,5;2\n", ":2: '1,5' in column one is not a number"),
        ("encoder,one\nm,much\n", "no column has a number"),
        ("encoder,one,one\nm,1,2\n", "two columns are called 'one'"),
        ("model,task,score\nm,a,1\nm,b,71%\n", ":3: '71%' in column score is not a number"),
        ("encoder,task,score\nm,a,1\nm,a,2\n", ":3: a second score of m on a"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(tmp_path, text, said):
    with pytest.raises(DataProblem, match=said):
        read(tmp_path, text)


def test_a_line_of_a_long_table_is_a_score(tmp_path):
    lines = ["encoder,task,score,language,control,kind,layer"]
    lines += ["m,a,1,de,none,trained,1", "m,a,2,en,none,trained,1", "m,a,9,en,random,trained,1"]
    lines += ["o,a,9,en,none,oracle,1", "m,b,,en,none,trained,1", "m,a,3,en,none,trained,2"]
    assert read(tmp_path, "\n".join(lines))[0] == [
        ("m, layer 1", "m", "a", "deu", 1),
        ("m, layer 1", "m", "a", "eng", 2),
        ("m, layer 2", "m", "a", "eng", 3),
    ]
    found, _ = read(tmp_path, "encoder,task,split,score\nm,a,dev,1\nm,a,test,4\n")
    assert [row[-1] for row in found] == [2.5]


def test_families_are_two_columns(tmp_path):
    path = tmp_path / "f.csv"
    path.write_text("encoder,family\na,x\nb,y\n")
    assert families_from(path) == {"a": "x", "b": "y"}
    for text in ("encoder,family\n", "encoder,kind\na,x\n", "model,family\na,x\n"):
        path.write_text(text)
        with pytest.raises(DataProblem, match="it needs the columns encoder and family"):
            families_from(path)


def measured(folder, name, content):
    """A file as mteb writes it."""
    path = folder / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def entry(score, *languages):
    return {"main_score": score, "languages": languages}


def test_scores_of_mteb_are_means_of_test_by_language(tmp_path):
    splits = {
        "test": [entry(0.5, "eng-Latn"), entry(0.25, "eng-Latn"), entry(0.75, "deu-Latn")],
        "dev": [entry(0.0, "eng-Latn")],
    }
    measured(tmp_path, "org__m/r1/A", {"task_name": "A", "scores": splits})
    measured(tmp_path, "org__m/r1/model_meta", {"name": "org/m"})
    parts = {"dev": [entry(0.1, "eng-Latn")], "train": [entry(0.3, "eng-Latn"), entry(None, "x")]}
    measured(tmp_path, "org__m/r1/B", {"task_name": "B", "scores": parts})
    measured(tmp_path, "n_(dim=3)/0123456789abcdef/A", {"task_name": "A", "scores": parts})
    measured(tmp_path, "n_(dim=3)/r2/A", {"task_name": "A", "scores": parts})
    measured(tmp_path, "n_(dim=3)/r2/old", {"mteb_version": "1.0"})
    scores, remarks = read_score_file(f"mteb:{tmp_path}")
    found = {(s.row.name, s.row.family, s.column.name, s.column.language): s.value for s in scores}
    assert found == pytest.approx(
        {
            ("n_(dim=3)@0123456789ab", "n", "A", "eng"): 20,
            ("n_(dim=3)@r2", "n", "A", "eng"): 20,
            ("org/m", "org/m", "A", "eng"): 37.5,
            ("org/m", "org/m", "A", "deu"): 75,
            ("org/m", "org/m", "B", "eng"): 20,
        }
    )
    assert remarks == ["mteb: 1 files of versions before 1.11 are skipped"]


def test_folders_without_results_of_mteb_are_refused(tmp_path):
    measured(tmp_path, "m/r/model_meta", {})
    with pytest.raises(DataProblem, match="if mteb wrote it, name it as 'mteb:"):
        read_score_file(str(tmp_path))
    with pytest.raises(DataProblem, match="there are no results of mteb in it"):
        read_score_file(f"mteb:{tmp_path}")
    measured(tmp_path, "m/r/A", ["a list"])
    with pytest.raises(DataProblem, match=r"all 1 files are of versions of mteb before 1\.11"):
        read_score_file(f"mteb:{tmp_path}")
    measured(tmp_path, "m/r/B", {"task_name": "B", "scores": {"test": [{"main_score": 1}]}})
    with pytest.raises(DataProblem, match="a subset has no main_score or no languages"):
        read_score_file(f"mteb:{tmp_path}")
    (tmp_path / "m/r/B.json").write_text("{")
    with pytest.raises(DataProblem, match="not valid JSON"):
        read_score_file(f"mteb:{tmp_path}")
