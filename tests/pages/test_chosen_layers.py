"""Of many layers of an encoder, tables have the one that is best on dev, and say how to see all."""

from itertools import product

import pytest

import lingprobe
from fixtures.results import TASKS, result, saying
from fixtures.scored import to_scores
from lingprobe.analysis.encoder_verdicts import judge_encoders

OTHERS = (("length", "baseline", 0.55), ("gold:clause", "oracle", 1.0))


def measured(layers=6, on_dev=True, tasks=TASKS):
    """`mine` on each task: best on dev at layer 2, and on test at the last."""
    found = [
        saying(
            result(0.7 + layer / 50, encoder="mine", task=task, read=str(layer)),
            kind="trained",
            choice={"dev": 0.9 if layer == 2 else 0.5} if on_dev else {},
        )
        for task, layer in product(tasks, range(layers))
    ]
    found += [
        saying(
            result(0.6 + layer / 50, encoder="random", task=task, read=str(layer)), kind="baseline"
        )
        for task, layer in product(tasks, range(layers))
    ]
    others = product(tasks, OTHERS)
    return found + [
        saying(result(share, encoder=name, task=task), kind=kind)
        for task, (name, kind, share) in others
    ]


def names(table):
    return [row[0] for row in table.sections[0].rows]


@pytest.mark.parametrize("each", [False, True])
def test_of_many_layers_one_is_shown_and_of_a_baseline_the_best(each):
    (table,) = lingprobe.report(measured(), each=each).tables
    assert names(table).count("mine") == names(table).count("random") == 1
    scores = {row[0]: row for row in table.sections[0].rows}
    at = table.columns.index("score") if each else 1
    assert scores["mine"][at].startswith("74.0")  # layer 2, not 80.0
    assert scores["random"][at].startswith("70.0")  # layer 5
    assert table.notes[0] == (
        "Layers are the best on dev, of up to 6 (mine: tense 2, passive 2)."
        " All layers: `lingprobe report --layers '*'`."
    )


@pytest.mark.parametrize(
    ("found", "how"),
    [(measured(), {"layers": "*"}), (measured(layers=4), {}), (measured(on_dev=False), {})],
)
def test_layers_that_were_asked_for_few_or_not_chosen_on_dev_are_all_shown(found, how):
    (table,) = lingprobe.report(found, **how).tables
    many = len({one.trial.read for one in found} - {"-"})
    assert names(table).count("mine") == names(table).count("random") == many
    assert not any(note.startswith("Layers are") for note in table.notes)


def test_the_verdict_is_of_the_layer_that_the_table_shows():
    found = measured(tasks=TASKS[:1])
    (table,) = lingprobe.report(found).tables
    assert table.lead[0].startswith("mine at layer 2: tense is decodable (by ")
    judged = judge_encoders(scored := to_scores(found)).at_chosen_layers(scored)
    assert [(row.encoder, row.layer) for row in judged if row.layer != "-"] == [
        ("mine", "2"),
        ("random", "5"),
    ]


def test_one_table_calls_a_model_of_this_machine_as_several_do():
    found = [
        saying(result(0.9, encoder="hf:/home/me/models/mine-base"), kind="trained"),
        saying(result(0.55), kind="baseline"),
    ]
    (table,) = lingprobe.report(found).tables
    assert "hf:mine-base" in names(table)
