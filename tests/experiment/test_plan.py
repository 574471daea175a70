"""Several designs make one plan."""

from __future__ import annotations

import json

import pytest
import torch
from pretend import PretendLayers

from fixtures.models import transformer
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.data.sizes import FitSize, least_memory_of
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.encoders import make_encoder
from lingprobe.experiment.data import load_task_facts
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import PlanProblem, TrialDesign, group_refusals, make_plan
from lingprobe.nets.memory import limit_memory
from lingprobe.probes import PROBES
from lingprobe.testing import TINY_DATASET_FAMILIES


@pytest.fixture
def paths(tmp_path):
    return RunPaths.of(tmp_path / "results", tmp_path)


@pytest.fixture
def tables(tmp_path):
    """Two tasks, and one whose file is not there."""
    for name in ("a", "b"):
        write_dataset(TINY_DATASET_FAMILIES["sentence"](), tmp_path / f"{name}.jsonl")
    return [f"table:{tmp_path / f'{name}.jsonl'}" for name in "abc"]


def test_each_wish_keeps_its_own_probes(paths, tables):
    a, b, _ = tables
    made = make_plan(
        [
            TrialDesign([a], ["length"], ["logreg"]),
            TrialDesign([b], ["length"], ["mlp"], seeds=2),
            TrialDesign([a, b], [], ["majority"]),
        ],
        paths,
    )
    found = {
        (t.task.rpartition("/")[2][0], t.encoder, t.probe.partition(",")[0], t.seed)
        for t in made.trials
    }
    assert found == {
        ("a", "length", "logreg", 0),
        ("b", "length", "mlp", 0),
        ("b", "length", "mlp", 1),
        ("a", "words", "majority", 0),
        ("b", "words", "majority", 0),
    }
    assert len(made.ids) == len(made.trials) == 5


def test_what_two_wishes_share_is_planned_once(paths, tables):
    design = TrialDesign([tables[0]], ["length"], ["logreg"])
    assert make_plan([design, design], paths) == make_plan(design, paths)


def test_a_wish_that_comes_to_nothing_stops_no_other(paths, tables):
    a, _, gone = tables
    broken = TrialDesign([gone], ["length"], ["logreg"])
    with pytest.raises(PlanProblem):
        make_plan([broken], paths)
    made = make_plan([broken, TrialDesign([a], ["length"], ["logreg"])], paths)
    assert len(made.trials) == 1
    assert any("c.jsonl" in task for task in made.refused)


def test_reads_are_planned_for_probes_that_can_learn_them(paths, tables, tmp_path):
    encoder = f"hf:{transformer(tmp_path / 'hf')},layers=all,pool=none"
    made = make_plan(
        TrialDesign(
            [tables[0]],
            [encoder],
            ["span", "logreg", "majority"],
            seeds=1,
            layers=["top", "mix:0-1", "cat:0+top"],
        ),
        paths,
    )
    found = {(t.probe.partition(",")[0], t.read) for t in made.trials}
    assert found == {
        ("span", "top"),
        ("span", "mix:0-1"),
        ("span", "cat:0+top"),
        ("logreg", "top"),
        ("logreg", "cat:0+top"),
        ("majority", "-"),  # it reads words, whatever is read of the vectors
    }
    assert made.refused == {
        "logreg reading mix:0-1": "this probe cannot learn the weights of a mix; `span` can"
    }
    every = make_plan(
        TrialDesign([tables[0]], [encoder], ["span"], seeds=1, layers=["layers", "cumulative"]),
        paths,
    )
    assert {"0", "mix:0-0", "mix"} <= {t.read for t in every.trials}


@pytest.mark.parametrize("read", ["7", "mix", "cat:lex+top"])
def test_reads_that_an_encoder_has_no_layers_for_are_told_before_any_work(paths, tables, read):
    with pytest.raises(PlanProblem, match="length"):
        make_plan(TrialDesign([tables[0]], ["length"], ["span"], layers=[read]), paths)


def test_a_papers_reads_are_of_whatever_has_such_layers(paths, tables):
    """Whatever it is called: a suite does not know which encoders have layers."""
    layered = PretendLayers(name="mine", slots=("lex.mean", "0.mean", "1.mean"))
    other = PretendLayers(name="other", base="other")
    encoders = [layered, other, "length"]
    design = TrialDesign(
        [tables[0]], encoders, ["span"], seeds=1, usual=("lex", "cat:lex+top", "mix")
    )
    read: dict[str, set[str]] = {}
    for trial in make_plan(design, paths).trials:
        read.setdefault(trial.encoder, set()).add(trial.read)
    assert read == {
        "mine": {"lex", "cat:lex+top", "mix"},
        "other": {"0", "1", "2"},
        "length": {"-"},
    }
    own = make_plan(
        TrialDesign([tables[0]], [layered], ["span"], seeds=1, layers=["0"], usual=["lex"]), paths
    )
    assert {trial.read for trial in own.trials} == {"0"}


def test_a_task_of_one_class_has_no_score(paths, tables, tmp_path):
    rows = [
        f"{split}\t{label}\tword {i}" for i in range(9) for split in ("tr", "te") for label in "xy"
    ]
    one, learnt = tmp_path / "one.tsv", tmp_path / "learnt.tsv"
    one.write_text("\n".join(row for row in rows if "\tx\t" in row))
    learnt.write_text("\n".join(row for row in rows if row[:4] != "tr\ty"))
    made = make_plan(
        [TrialDesign([f"table:{one}", f"table:{learnt}", tables[0]], ["length"])], paths
    )
    assert {trial.task.partition(",")[0] for trial in made.trials} == {tables[0]}
    assert made.refused == {
        f"table:{one}": "all 18 examples have one label, 'x': there is nothing to predict",
        f"table:{learnt}": (
            "all 8 training examples have one label, 'x': there is nothing to predict"
        ),
    }


def test_a_task_of_one_set_of_labels_has_no_score(paths, tmp_path):
    """As where each label is a row of zeros and ones, which names both classes."""
    file = tmp_path / "one.jsonl"
    file.write_text("".join(f'{{"text": "word {i}", "label": [0, 1]}}\n' for i in range(40)))
    with pytest.raises(PlanProblem, match=r"all 40 examples have the same labels \(0, 1"):
        make_plan([TrialDesign([f"table:{file}"], ["length"])], paths)


def test_scores_that_no_vector_holds_are_refused(paths, tmp_path):
    file = tmp_path / "far.csv"
    file.write_text("text,label\n" + "".join(f"word {i},{i}e300\n" for i in range(40)))
    with pytest.raises(PlanProblem, match="a score is not a finite number"):
        make_plan([TrialDesign([f"table:{file}"], ["length"])], paths)


def test_scores_that_cannot_be_held_are_told_before_any_work(paths, tables, monkeypatch):
    design = TrialDesign([tables[0]], ["length"], ["logreg", "majority"])
    (task,) = {trial.task for trial in make_plan(design, paths).trials}
    data = load_task_facts(
        *(each[task] for each in _tasks_of(make_plan(design, paths))), paths.cache
    )
    probe = PROBES.make("logreg")
    needed = least_memory_of(probe, FitSize(data.train, data.rest, 1, data.outputs))
    with limit_memory(f"{needed}B"):
        assert not make_plan(design, paths).refused
    monkeypatch.setattr("lingprobe.experiment.memory._MANY", 1)
    with limit_memory(f"{needed - 1}B"):
        made = make_plan(design, paths)
        assert {trial.probe for trial in made.trials} == {"majority"}
        ((name, why),) = made.refused.items()
        assert name.startswith("logreg on table:")
        assert name.endswith(" by length")
        assert "is the label an id" in why
        with pytest.raises(PlanProblem, match="--memory"):
            make_plan(TrialDesign([tables[0]], ["length"], ["logreg"]), paths)


def _tasks_of(made):
    """The tasks of a plan, and their identities."""
    known = {name: each for (kind, name), each in made.identities.items() if kind == "task"}
    return made.tasks, known


def damaged(folder, change):
    """A model of which something is wrong that shows before, or only when it is loaded."""
    model = transformer(folder)
    change(model)
    return model


def test_a_bad_model_stops_no_other(paths, tables, tmp_path):
    def config(model):
        (model / "config.json").write_text("{")

    def template(model):
        file = model / "tokenizer_config.json"
        said = json.loads(file.read_text())
        file.write_text(json.dumps(said | {"chat_template": "{{ raise_exception('no roles') }}"}))

    bad = [
        f"hf:{damaged(tmp_path / 'config', config)}",
        f"hf:{damaged(tmp_path / 'chat', template)},template=chat",
        f"hf:{tmp_path}/gone",
    ]
    made = make_plan(TrialDesign(tables[:1], [*bad, "length"], ["logreg"]), paths)
    assert {trial.encoder for trial in made.trials} == {"length"}
    said = [why for name, why in made.refused.items() if name.startswith("hf:")]
    assert len(said) == 3
    for part, why in zip(
        ("config.json", "TemplateError: no roles", "no folder"), said, strict=True
    ):
        assert part in why
    with pytest.raises(DataProblem, match=r"config\.json"):
        make_plan(TrialDesign(tables[:1], bad, ["logreg"]), paths)


def test_what_a_damaged_model_is_loaded_with_is_one_sentence(tmp_path):
    def header(model):
        file = model / "model.safetensors"
        file.write_bytes(file.read_bytes()[:8] + b"x" * 64)

    def pickle(model):
        (model / "model.safetensors").unlink()
        torch.save(torch.nn.Linear(2, 2), model / "pytorch_model.bin")

    for name, change in (("header", header), ("pickle", pickle)):
        encoder = make_encoder(f"hf:{damaged(tmp_path / name, change)},device=cpu")
        with pytest.raises(EncoderStop, match="transformers cannot load this model") as caught:
            encoder.encode([Sentence.of(["a"])])
        assert "\n" not in str(caught.value)


def test_a_cause_of_many_refusals_is_told_with_three_names():
    """A language without a class refuses a row and a column of a large matrix."""
    few = dict.fromkeys("abcd", "no file")
    many = {f"cell {k}": "no class" for k in range(39)}
    assert group_refusals(few | many) == [
        ("a; b; c; d", "no file"),
        ("cell 0; cell 1; cell 2 and 36 others", "no class"),
    ]
