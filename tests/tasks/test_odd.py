"""Odd tiny files: every task answers or says in a DataProblem what is wrong; and one task's fault
loses no other's table.
"""

from __future__ import annotations

import inspect
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

import pytest
from treebanks import block

from lingprobe.data.cache import FileProblem
from lingprobe.data.core import DataProblem
from lingprobe.data.references import Reference, ReferenceProblem
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import PlanProblem, TrialDesign, make_plan
from lingprobe.experiment.run import run_plan
from lingprobe.tasks import TASKS
from lingprobe.testing import TINY_DATASET_FAMILIES

NAMES = sorted(
    name for name in TASKS.places() if "path" in inspect.signature(TASKS.find(name)).parameters
)
LONE = block("Yes INTJ _ 0 root")
SEES = (
    "dogs NOUN Number=Plur 2 nsubj\nsee VERB Mood=Ind|Tense=Pres|VerbForm=Fin 0 root\ncats NOUN"
    " Number=Plur 2 obj\n. PUNCT _ 2 punct"
)
TREE = "(ROOT (S (NP (NNS Dogs)) (VP (VBP see) (NP (NNS cats))) (. .)))"
ANY = {
    "nothing": "",
    "blank": "\n\n\n",
    "a word": "word\n",
    "a tab": "\t\n",
    "carriage returns": "a\tb\ra\tb\r",
    "nulls": "\0\0\n",
}
ODD = {
    ".conllu": {
        "comments": "# text = a\n# more\n\n",
        "one word": LONE,
        "one-word sentences": "".join(block(f"w{i} INTJ _ 0 root") for i in range(60)),
        "one sentence": block(SEES),
        "the same sentence": block(SEES) * 60,
        "withheld": block(SEES.replace("dogs", "_").replace("see", "_").replace("cats", "_")) * 60,
        "no tags": block("a _ _ 0 root\nb _ _ 1 dep") * 3,
        "long": block("\n".join(["w X _ 0 root", *(f"w X _ {i} dep" for i in range(1, 300))])),
    },
    ".mrg": {
        "one tree": TREE,
        "the same tree": f"{TREE}\n" * 60,
        "a word": "(ROOT (UH Yes))\n" * 3,
        "traces": "(S (NP (-NONE- *)))\n",
        "unclosed": "(S (NP (NN a))\n",
        "no brackets": "some words\n",
    },
    ".psd": {"identifiers": "( (IP-MAT (NP-SBJ (N Dogs-dog)) (VBP see-see)) (ID A,.1))\n" * 3},
    ".txt": {"a sentence": "Dogs see cats.\n", "the same": "Dogs see cats.\n" * 60},
    ".tagged": {"a sentence": "Dogs/nns see/vb cats/nns ./.\n" * 3},
    ".jsonl": {
        "no object": "[]\n",
        "no targets": '{"text": "a b", "targets": []}\n',
        "a target": '{"text": "a b", "targets": [{"span1": [0, 1], "label": "x"}]}\n',
    },
    ".tsv": {"two columns": "tr\tx\ta b\n", "one class": "tr\tx\ta\nte\tx\tb\n"},
    ".conll": {"a sentence": "a O\nb B-X\n\n"},
    ".gold_conll": {"no document": "bc/x 0 0 a NN (S*) - - - - * -\n"},
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    written = []
    for suffix, contents in ODD.items():
        for what, text in {**ANY, **contents}.items():
            path = folder / f"{what.replace(' ', '-')}{suffix}"
            path.write_bytes(text.encode())
            written.append(path)
    (folder / "empty").mkdir()
    return [*written, folder / "empty", folder / "none"]


@pytest.mark.parametrize("name", NAMES)
def test_odd_files_are_answered_or_told(files, name):
    needed = {
        key: value
        for key, value in {"feature": "Number", "of": "subj"}.items()
        if key in inspect.signature(TASKS.find(name)).parameters
    }
    for path in files:
        with suppress(DataProblem, ReferenceProblem):
            TASKS.make(Reference(name, str(path), tuple(needed.items()))).load()


@dataclass(frozen=True)
class Failing:
    """A task with a fault of its own."""

    name: str = "failing"
    error: type[Exception] = IndexError
    question: str = "?"
    metric: str = "accuracy"
    probe: str = "logreg"
    view: str = "mean"

    def load(self):
        raise self.error("range index out of range")


@pytest.mark.parametrize(
    "error", [IndexError, AttributeError, ZeroDivisionError, AssertionError, RecursionError]
)
@pytest.mark.parametrize("fingerprint", [True, False])
def test_one_tasks_fault_loses_no_others_table(tmp_path, error, fingerprint):
    write_dataset(TINY_DATASET_FAMILIES["sentence"](), tmp_path / "a.jsonl")
    kind = type("Marked", (Failing,), {"fingerprint": "x"}) if fingerprint else Failing
    paths = RunPaths.of(tmp_path / "results", tmp_path)
    made = make_plan(
        TrialDesign(
            [kind(error=error), f"table:{tmp_path / 'a.jsonl'}"], ["length"], ["logreg"], seeds=1
        ),
        paths,
    )
    outcome = run_plan(made, paths, progress=False)
    assert len(outcome.results) == 1
    assert made.refused["failing"].startswith(f"{error.__name__}: range index")
    with pytest.raises(PlanProblem, match="a bug in the task failing"):
        make_plan(TrialDesign([kind(error=error)], ["length"], ["logreg"]), paths)


def test_a_file_that_cannot_be_written_is_no_fault_of_the_task(tmp_path):
    paths = RunPaths.of(tmp_path / "results", tmp_path)
    with pytest.raises(PlanProblem, match=r"failing: range index out of range$"):
        make_plan(TrialDesign([Failing(error=FileProblem)], ["length"], ["logreg"]), paths)


def test_a_fold_that_fails_loses_no_others_table(tmp_path):
    """The plan looks at a task before it is divided, so that a fold may fail later than the
    task.
    """
    write_dataset(TINY_DATASET_FAMILIES["sentence"](), tmp_path / "a.jsonl")
    calls: Counter[str] = Counter()

    class Later(Failing):
        fingerprint = "y"

        def load(self):
            calls["load"] += 1
            if calls["load"] == 1:
                return TINY_DATASET_FAMILIES["sentence"]()
            return super().load()

    paths = RunPaths.of(tmp_path / "results", tmp_path)
    later = Later()
    made = make_plan(
        TrialDesign([later, f"table:{tmp_path / 'a.jsonl'}"], ["length"], ["logreg"], seeds=1),
        paths,
    )
    from lingprobe.experiment import data

    data._datasets.clear()
    outcome = run_plan(made, paths, progress=False)
    assert len(outcome.results) == 1
    assert "IndexError" in str(outcome.failures)


def test_what_is_wrong_with_a_source_is_said_once(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\tonly\n\n")
    with pytest.raises(PlanProblem) as told:
        make_plan(
            TrialDesign([f"ud/*:{path}"], ["length"]), RunPaths.of(tmp_path / "results", tmp_path)
        )
    assert str(told.value).count("2 columns instead of 10") == 1
    assert str(told.value).count("ud/") == 3
    assert "and 6 others" in str(told.value)


@pytest.mark.parametrize("task", ["ud/tense:{}", "ud/feat:{},feature=Number,of=subj"])
def test_phrase_structure_trees_are_refused_by_place_where_dependencies_are_asked_for(
    task, tmp_path
):
    trees = tmp_path / "trees.mrg"
    trees.write_text("(ROOT (S (NP (NNS Dogs)) (VP (VBP bark)) (. .)))\n")
    with pytest.raises(DataProblem, match=r"trees\.mrg:1: phrase-structure trees have no depend"):
        TASKS.make(task.format(trees)).load()
