"""Files that version 0.2 wrote, in today's hands."""

import csv
import importlib.metadata
import json
import shutil
from pathlib import Path

import pytest

import lingprobe
from lingprobe.annotators import make_parser
from lingprobe.data.errors import describe_install
from lingprobe.encoders import ENCODERS
from lingprobe.tasks import TASKS

KEPT = Path(__file__).parent / "fixtures" / "release-0.2.0.dev0"


@pytest.fixture
def old(tmp_path, monkeypatch):
    """A copy of what was written, as the working folder."""
    shutil.copytree(KEPT, tmp_path / "old")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "old"


def table(text):
    return {
        tuple(row[k] for k in ("task", "encoder")): row for row in csv.DictReader(text.splitlines())
    }


def test_results_are_shown_with_the_version_that_measured_them(old):
    # the probe that was the default is named today
    now = table(lingprobe.report(old / "results").text("csv").replace(',probe=mlp"', '"'))
    then = table((old / "scores.csv").read_text("utf-8"))
    assert now.keys() == then.keys()
    for key, row in now.items():
        assert [row[k] for k in ("score", "low", "high", "n")] == [
            then[key][k] for k in ("score", "low", "high", "n")
        ]
        assert row["version"] == "0.2.0.dev0"


def test_results_are_measured_anew_by_this_version(old):
    shutil.copy(old / "tense.tsv", old.parent / "tense.tsv")
    done = lingprobe.run(
        "table:old/tense.tsv",
        "length",
        probes=["logreg"],
        output=old / "results",
        baselines="none",
        progress=False,
    )
    assert done.fresh == 1


@pytest.mark.parametrize("name", ["set.tsv", "set.jsonl", "set.parquet"])
def test_data_sets_are_read(old, name):
    examples = TASKS.make(f"table:{old / name}").load()
    assert len(examples) == 108
    assert set(examples.labels.names) == {"past", "pres"}


def test_a_sheet_is_scored(old):
    lines = (old / "sheet.tsv").read_text("utf-8").splitlines()
    assert any("# sonde: {" in line for line in lines)
    head = next(i for i, line in enumerate(lines) if line.startswith("id	"))
    place = lines[head].split("\t").index("judgement")
    filled = [line.split("\t") for line in lines[head + 1 :]]
    for cells in filled:
        cells[place] = "past"
    (old / "sheet.tsv").write_text(
        "\n".join([*lines[: head + 1], *map("\t".join, filled)]) + "\n", "utf-8"
    )
    assert lingprobe.score_sheets([old / "sheet.tsv"]).content.n == len(filled)


def test_a_parsed_corpus_is_a_treebank(old):
    assert len(lingprobe.sentences([str(old / "parsed")])) == 40


def test_a_trained_encoder_and_a_parser_are_read(old):
    vectors = ENCODERS.make(f"trained:{old / 'encoder'}").encode(
        [lingprobe.Sentence(("The", "visitor", "sleeps"), "The visitor sleeps")]
    )
    assert vectors.layers[0].shape == (1, 8)
    assert (
        next(iter(make_parser(old / "parser").annotate([["The", "visitor", "sleeps", "."]]))).heads
        is not None
    )


def test_a_stored_reference_has_todays_value_of_rules():
    assert TASKS.canonical("ud/tense:x.conllu,rules=sonde") == TASKS.canonical(
        "ud/tense:x.conllu,rules=lingprobe"
    )
    with pytest.raises(lingprobe.ReferenceProblem, match="choose one of lingprobe, paper"):
        TASKS.canonical("ud/tense:x.conllu,rules=other")


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'lingprobe[hf,st]'"),
        (
            {"url": "file:///home/ann%20b/lingprobe", "dir_info": {"editable": True}},
            "pip install '/home/ann b/lingprobe[hf,st]'",
        ),
        (
            {"url": "https://x.org/lingprobe-1-py3-none-any.whl", "archive_info": {}},
            "pip install 'lingprobe[hf,st] @ https://x.org/lingprobe-1-py3-none-any.whl'",
        ),
        (
            {"url": "file:///tmp/lingprobe-1-py3-none-any.whl", "archive_info": {}},
            "pip install 'lingprobe[hf,st] @ file:///tmp/lingprobe-1-py3-none-any.whl'",
        ),
    ],
)
def test_what_to_install_comes_from_where_this_copy_came(monkeypatch, origin, command):
    class Installed:
        def read_text(self, name):
            return None if origin is None or name != "direct_url.json" else json.dumps(origin)

    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Installed())
    assert describe_install("hf", "st") == command


def test_no_page_and_no_message_installs_from_an_index_that_has_it_not():
    root = Path(__file__).parents[1]
    pages = [root / "README.md", *(root / "docs").rglob("*.md"), *(root / "src").rglob("*.py")]
    saying = {
        page.name
        for page in pages
        if "pip install '.[" in (text := page.read_text("utf-8"))
        or "pip install 'lingprobe" in text
    }
    assert saying == {"README.md", "start.md"}
