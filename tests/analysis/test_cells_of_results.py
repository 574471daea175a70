"""Results as cells of a table of scores: what has a cell, its score and its noise."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fixtures.results import result, saying
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.score_cells import SCORE_CELL_EXTRAS, scores_of
from lingprobe.data.core import DataProblem
from lingprobe.data.labels import Classes, ScoreLabels

ONE, OTHER = "ud/tense:EWT-bank", "ud/passive:EWT-bank"


def score_results(results):
    return scores_of(ResultFrame.of(results, SCORE_CELL_EXTRAS))


def trained(share=0.75, n=200, **trial):
    return saying(result(share, n, **({"encoder": "st:x", "task": ONE} | trial)), kind="trained")


def test_the_noise_of_a_cell_is_the_variance_of_the_mean_over_seeds():
    shares = [0.7, 0.75, 0.85]
    results = [trained(share, seed=seed) for seed, share in enumerate(shares)]
    results += [trained(0.6, encoder="st:y")]
    (x, y), remarks = score_results(results)
    assert (x.row.name, x.column.task, x.value) == (
        "st:x",
        "ud/tense",
        pytest.approx(100 * 2.3 / 3),
    )
    assert x.noise == pytest.approx(np.var([70, 75, 85], ddof=1) / 3)
    assert math.isnan(y.noise)
    assert remarks == []


def test_the_noise_over_folds_is_that_of_scores_over_all_of_them():
    shares = {(0, 1): 0.6, (0, 2): 0.8, (1, 1): 0.7, (1, 2): 0.9}
    results = [
        trained(share, 100 * fold, seed=seed, task=f"{ONE},fold={fold}/2")
        for (seed, fold), share in shares.items()
    ]
    ((score,), _) = score_results(results)
    whole = [100 * (0.6 + 2 * 0.8) / 3, 100 * (0.7 + 2 * 0.9) / 3]
    assert score.value == pytest.approx(np.mean(whole))
    assert score.noise == pytest.approx(np.var(whole, ddof=1) / 2)


def test_the_noise_is_that_of_the_scores_that_were_stored():
    """As the score is their mean: an earlier version may have computed another one."""
    results = [replace(trained(seed=seed), score=share) for seed, share in enumerate((0.6, 0.75))]
    ((score,), _) = score_results(results)
    assert score.value == pytest.approx(67.5)
    assert score.noise == pytest.approx(np.var([60, 75], ddof=1) / 2)


def test_oracles_controls_and_what_gives_no_embeddings_have_no_cell():
    results = [
        trained(),
        trained(control="shuffle"),
        saying(result(1.0, encoder="gold:clause", task=ONE), kind="oracle"),
        saying(result(0.6, encoder="length", task=ONE), kind="baseline"),
        saying(result(0.6, encoder="bow:random", task=ONE), kind="baseline"),
    ]
    scores, remarks = score_results(results)
    assert [score.row.name for score in scores] == ["st:x", "bow:random"]
    assert remarks == ["length: excluded, they are not embeddings"]
    with pytest.raises(DataProblem, match="no encoder has a score here"):
        score_results(results[2:4])


def test_an_encoder_is_constant_if_it_is_on_every_task():
    def flat(task, encoder):
        one = trained(0.5, task=task, encoder=encoder)
        return replace(one, predicted=Classes(np.zeros(one.n, np.int64), one.gold.names))

    results = [
        *(trained(0.8, task=task) for task in (ONE, OTHER)),
        *(flat(task, "st:flat") for task in (ONE, OTHER)),
        *(flat(ONE, "st:half"), trained(0.6, task=OTHER, encoder="st:half")),
    ]
    scores, remarks = score_results(results)
    assert {score.row.name for score in scores} == {"st:x", "st:half"}
    assert len(scores) == 4
    (remark,) = remarks
    assert remark.startswith("st:flat: excluded, because the vectors are constant")


def test_a_question_by_several_probes_has_a_column_for_each():
    results = [trained(probe=probe, task=task) for probe in ("mlp", "logreg") for task in (ONE,)]
    scores, _ = score_results([*results, trained(task=OTHER)])
    assert sorted(score.column.name for score in scores) == [
        "passive",
        "tense, logreg",
        "tense, mlp",
    ]
    assert {score.column.source for score in scores} == {"lingprobe"}


@pytest.mark.parametrize(
    ("said", "is_left"),
    [
        (ScoreLabels(np.array([0.5])), True),
        (ScoreLabels(np.full(9, 0.5)), True),
        (ScoreLabels(np.array([0.5] * 8 + [0.6])), False),
        (ScoreLabels(np.array([0.6] + [0.5] * 8)), False),
        (Classes(np.zeros(9, np.int64), ("a", "b")).sets(), False),
    ],
)
def test_answers_are_constant_that_are_one_class_or_one_number(said, is_left):
    """A set of labels is no answer of an embedding that is known to be constant."""
    gold = said if said.numbers is not None else Classes(np.arange(9) % 2, said.names)
    one = replace(trained(encoder="st:flat"), predicted=said, gold=gold)
    found, remarks = score_results([one, trained(task=OTHER)])
    assert [score.row.name for score in found] == ["st:flat"] * (not is_left) + ["st:x"]
    assert len(remarks) == is_left


def test_columns_of_one_question_over_several_data_are_named_in_full():
    """Paths by their last part; but languages tell columns apart as they are."""
    tasks = ["ud/tense:/data/one.conllu,size=90", "ud/tense:/data/two.conllu", OTHER]
    scores, _ = score_results([trained(task=task) for task in tasks])
    assert [score.column.name for score in scores] == [
        "tense:one.conllu,size=90",
        "tense:two.conllu",
        "passive",
    ]
    assert [score.column.task for score in scores] == ["ud/tense", "ud/tense", "ud/passive"]
    banks = {"en_ewt": "eng", "pl_pdb": "pol"}
    scores, _ = score_results(
        [
            saying(
                trained(task=f"ud/tense:/data/{bank}"),
                notes={"source": {"files": [f"/data/{bank}-ud-train.conllu"]}},
            )
            for bank in banks
        ]
    )
    assert [(s.column.name, s.column.language) for s in scores] == [
        ("tense", language) for language in banks.values()
    ]


def test_scores_over_other_examples_than_most_have_no_cell_and_are_counted():
    results = [trained(encoder=f"st:{name}") for name in "abc"]
    results += [trained(n=150, encoder=f"st:{name}") for name in "de"]
    scores, remarks = score_results([*results, trained(n=150, task=OTHER)])
    assert [score.row.name for score in scores] == ["st:a", "st:b", "st:c", "st:x"]
    assert remarks == ["ud/tense:EWT-bank: 2 scores over different test examples are excluded"]


@pytest.mark.parametrize(
    ("seeds", "folds"), [((0.6, 0.7), 1), ((0.6, 0.7, 0.9), 1), ((0.6, 0.7), 2)]
)
def test_what_one_seed_scores_has_no_noise(seeds, folds):
    def made(share, seed):
        tasks = [ONE] if folds == 1 else [f"{ONE},fold={k}/2" for k in (1, 2)]
        return [trained(share, seed=seed, task=task) for task in tasks]

    every = [one for seed, share in enumerate(seeds) for one in made(share, seed)]
    ((score,), _) = score_results(every)
    percent = [100 * share for share in seeds]
    assert score.noise == pytest.approx(np.var(percent, ddof=1) / len(percent))
    ((alone,), _) = score_results(made(0.6, 0))
    assert math.isnan(alone.noise)
