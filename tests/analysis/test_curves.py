"""Learning curves from results whose course is known."""

from __future__ import annotations

import math

import pytest
from scipy.stats import spearmanr

from fixtures.results import result, saying
from lingprobe.analysis.curves import best_points, curves, rows_of
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.notes import Checkpoint

RISING = (0.50, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95)
FALLING = (0.70, 0.90, 0.88, 0.80, 0.75, 0.70, 0.65, 0.60, 0.55)
FLAT = (0.50,) * 9
MIXED = (0.50, 0.60, 0.70, 0.65, 0.62, 0.80, 0.72, 0.75, 0.71)


def course(
    shares: tuple[float, ...], task: str = "ud/tense:EWT", run: str = "models/en-de", best: int = 5
) -> list[Result]:
    """A score after each epoch, the first before training."""
    made = []
    for epoch, share in enumerate(shares):
        figures = {"loss": 5.0 - epoch / 4, "bleu": 1.0 + epoch} if epoch else {}
        point = Checkpoint(
            epoch, "epoch", 8, best, "translate", "bleu", figures, {"bleu of x": 0.4}
        )
        one = result(share, task=task, encoder=f"trained:{run},epoch={epoch}")
        made.append(saying(one, kind="trained", checkpoint=point.plain()))
    return made


def steps(shares: dict[int, float], name: str = "hf:org/m%40step{}") -> list[Result]:
    return [
        saying(result(share, encoder=name.format(step)), kind="trained")
        for step, share in shares.items()
    ]


@pytest.mark.parametrize(
    ("shares", "expected", "p"), [(RISING, 1.0, 2 / 40320), (FALLING, -1.0, 2 / 40320)]
)
def test_what_only_rises_or_falls_has_the_least_p_of_all_orders(shares, expected, p):
    found = curves(course(shares))
    (curve,) = found.curves
    assert [round(row.score) for row in curve.rows.values()] == [round(100 * s) for s in shares]
    assert curve.trend.correlation == pytest.approx(expected)
    assert curve.trend.p == pytest.approx(p)
    assert (curve.trend.how, curve.trend.n) == ("exact", 8)
    assert curve.trend.is_significant


def test_a_trend_is_spearmans_over_the_epochs_after_the_beginning():
    (curve,) = curves(course(MIXED)).curves
    expected = spearmanr(range(1, 9), MIXED[1:])
    assert curve.trend.correlation == pytest.approx(expected.statistic)
    assert curve.trend.low < curve.trend.correlation < curve.trend.high
    assert not curve.trend.is_significant
    # before training would make it another
    assert spearmanr(range(9), MIXED).statistic != pytest.approx(expected.statistic)


def test_what_does_not_change_has_no_trend():
    (curve,) = curves(course(FLAT)).curves
    assert math.isnan(curve.trend.correlation)
    assert math.isnan(curve.trend.p)
    assert not curve.trend.is_significant


def test_p_values_are_corrected_for_all_curves():
    tasks = {"ud/tense:EWT": RISING, "ud/passive:EWT": MIXED, "ud/subjnum:EWT": FLAT}
    made = [one for task, shares in tasks.items() for one in course(shares, task)]
    rising, mixed, flat = curves(made).curves
    assert rising.trend.corrected == pytest.approx(2 * rising.trend.p)
    assert mixed.trend.corrected == pytest.approx(max(mixed.trend.p, rising.trend.corrected))
    assert math.isnan(flat.trend.corrected)


def test_what_is_known_of_a_training_is_kept_with_its_results():
    (history,) = curves(course(RISING)).histories
    assert (history.name, history.unit, history.best) == ("trained:models/en-de", "epoch", 5)
    assert history.course("bleu") == {epoch: 1.0 + epoch for epoch in range(1, 9)}
    assert history.trivial == {"bleu of x": 0.4}


def test_the_best_epoch_under_two_names_counts_once():
    again = saying(
        result(0.75, encoder="trained:models/en-de"), checkpoint=Checkpoint(5, of=8, best=5).plain()
    )
    (curve,) = curves([*course(RISING), again]).curves
    assert sorted(curve.rows) == list(range(9))
    assert curve.rows[5].encoder == "trained:models/en-de,epoch=5"
    assert curve.rows[5].score == pytest.approx(80)


def test_epochs_that_were_not_measured_are_named():
    made = [one for one in course(RISING) if not one.trial.encoder.endswith(("=3", "=6"))]
    found = curves(made)
    assert sorted(found.curves[0].rows) == [0, 1, 2, 4, 5, 7, 8]
    assert any("epochs 3, 6 were not measured." in note for note in found.notes)
    other = [r for r in course(RISING, "ud/passive:EWT") if not r.trial.encoder.endswith("=2")]
    notes = curves([*course(RISING), *other]).notes
    assert "trained:models/en-de: epoch 2 was not measured on ud/passive." in notes


def test_few_points_are_called_few():
    notes = " ".join(curves(course(RISING[:4])).notes)
    assert "Warning: 3 points are few" in notes
    assert "the smallest possible p is 0.33" in notes
    assert "Measure 5 points" in notes
    assert "can be significant" not in " ".join(curves(course(RISING)).notes)


def test_revisions_of_a_model_are_a_curve_by_steps():
    found = curves(steps({0: 0.5, 1000: 0.6, 20: 0.55, 143000: 0.9}))
    (curve,) = found.curves
    assert list(curve.rows) == [0, 20, 1000, 143000]
    assert (curve.training, curve.trend.n) == ("hf:org/m", 3)
    assert found.histories[0].unit == "step"


def test_steps_of_a_training_that_was_probed_as_it_went_are_a_curve():
    (curve,) = curves(steps({100: 0.5, 200: 0.6}, "mine step {}")).curves
    assert (curve.training, list(curve.rows)) == ("mine", [100, 200])


def test_encoders_at_no_point_of_a_training_are_left_out_and_named():
    others = [saying(result(encoder="st:x"), kind="trained"), saying(result(), kind="baseline")]
    found = curves([*course(RISING), *others])
    assert len(found) == 1
    assert "st:x: excluded, not of an epoch or step of a training run" in found.notes
    assert not any("length" in note for note in found.notes)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ([result()], r"no result is of an epoch or step of a training: `lingprobe run -e"),
        (course(RISING[:1]), r"only epoch 0 of trained:models/en-de was measured"),
        ([], "no result is of an epoch"),
    ],
)
def test_what_makes_no_curve_says_how_one_is_measured(made, said):
    with pytest.raises(DataProblem, match=said):
        curves(made)


def test_controls_are_no_part_of_a_curve():
    controls = [saying(result(0.5, encoder=r.trial.encoder, control="shuffled"),
                       checkpoint=r.provenance.checkpoint.plain()) for r in course(RISING)]  # fmt: skip
    (curve,) = curves([*course(RISING), *controls]).curves
    assert curve.rows[8].score == pytest.approx(95)


def test_a_trend_is_over_points_of_the_same_test_examples():
    made = course(RISING)
    other = saying(
        result(0.1, n=150, encoder="trained:models/en-de,epoch=8"),
        checkpoint=made[8].provenance.checkpoint.plain(),
    )
    (curve,) = curves([*made[:8], other]).curves
    assert (curve.trend.n, len(curve.rows)) == (7, 9)
    assert curve.trend.correlation == pytest.approx(1)


def test_the_best_of_several_points_is_told_with_its_figure():
    made = course(RISING)
    said = "trained:models/en-de: epoch 5 is the best on dev"
    assert best_points(made) == [f"{said} (bleu 6.0)."]
    assert best_points([made[2], made[4]]) == [f"{said}."]
    assert best_points(made[4:5]) == []
    assert best_points(steps({0: 0.5, 1000: 0.6})) == []
    assert best_points(course(RISING, best=0)) == []
    other = course(MIXED, run="models/other", best=2)
    assert best_points([*made[:3], *other]) == [
        f"{said}.",
        "trained:models/other: epoch 2 is the best on dev (bleu 3.0).",
    ]


def test_curves_belong_to_trainings_and_have_their_rows():
    found = curves([*course(RISING), *course(MIXED, run="models/other"), *course(FLAT, "ud/x:EWT")])
    first, second = found.histories
    assert len(found) == 3
    assert [len(found.of(each)) for each in (first, second)] == [2, 1]
    assert found.of(second)[0].training == "trained:models/other"
    assert len(rows_of(found.of(first))) == 18
    assert not any(each in " ".join(found.notes) for each in ("epoch 0", "left out"))
