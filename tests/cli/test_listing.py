"""`lingprobe tasks`, `encoders`, `suites` and `list`: one alone is shown with what each option
means.
"""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from lingprobe.api.listing import CONTENTS_PLACES
from lingprobe.cli import app
from lingprobe.cli.listing import _FIRST
from lingprobe.tasks import TASK_FAMILIES, TASKS

CONTENTS = {"task": "tasks", "encoder": "encoders", "probe": "probes", "suite": "suites"}


def shown(*arguments):
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.output


def options(text):
    """Each option as it is written, with what stands beside and below it."""
    found = re.findall(r"^  (:\w+|\w+=\S+)((?: \([^)]*\))?) *(.*(?:\n {8}.*)*)", text, re.M)
    return {written.partition("=")[0]: " ".join(told.split()) for written, _, told in found}


def test_an_option_stands_beside_what_it_means_inherited_ones_too():
    choices = options(shown("tasks", "edge/coref"))
    assert choices["across"].startswith("also pairs of mentions in two sentences")
    assert choices["with"] == "further files or folders"
    assert next(iter(choices)) == ":PATH"


def test_without_a_kind_the_kinds_are_listed():
    lines = dict(line.split(maxsplit=1) for line in shown("list").splitlines())
    assert list(lines) == list(CONTENTS_PLACES)
    assert lines["metrics"].startswith("accuracy, auroc, average-precision, balanced-accuracy,")
    assert lines["tasks"].endswith(f" and {len(TASKS.places()) - _FIRST} more")
    assert "more" not in lines["suites"]


def test_what_is_explained_is_not_said_twice():
    text = shown("list", "probes", "span")
    assert text.count("what each side's units are projected to") == 1
    assert text.startswith("span  Labels of one or two spans")


@pytest.mark.parametrize(
    "name", [name for name in TASKS if name.partition("/")[0] in TASK_FAMILIES]
)
def test_every_option_of_every_task_is_explained(name):
    assert [option for option, told in options(shown("tasks", name)).items() if not told] == []


@pytest.mark.parametrize("name", ["ud/tense", "ud/feat", "tree/somo", "edge/dep"])
def test_a_task_is_shown_with_its_oracles(name):
    known = TASKS.find(name).oracles
    assert known
    for oracle, holds in known.items():
        assert re.search(
            rf"^  gold:{oracle} +an oracle: {re.escape(holds)}$", shown("tasks", name), re.M
        )


def test_a_task_without_oracles_shows_none():
    assert "gold:" not in shown("tasks", "senteval/tense")


def test_many_are_listed_a_line_each():
    lines = shown("tasks", "edge/*").splitlines()
    assert {line.split("  ")[0].strip() for line in lines} == {
        name for name in TASKS if name.startswith("edge/")
    }


def test_tasks_of_a_language_come_with_the_treebanks_that_are_here(tmp_path, monkeypatch):
    (tmp_path / "UD_Polish-PDB").mkdir()
    (tmp_path / "UD_Polish-PDB" / "pl_pdb-ud-test.conllu").write_text("")
    monkeypatch.chdir(tmp_path)
    assert "treebanks here: UD_Polish-PDB (`lingprobe run -t ud/tense -l pl`)" in shown(
        "tasks", "-l", "pl"
    )
    assert "treebanks here" not in shown("tasks", "-l", "cs")
