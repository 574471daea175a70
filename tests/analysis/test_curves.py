"""Learning curves from results whose course is known."""

from __future__ import annotations

import math

import pytest
from scipy.stats import spearmanr

import lingprobe
from fixtures.results import result, saying
from fixtures.views import curves_of
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.points import find_points, list_trainings, tell_best_points
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


def notes_of(results: list[Result]) -> tuple[str, ...]:
    """What stands below the last table."""
    return lingprobe.curve(results).tables[-1].notes


def frame_of(results: list[Result]) -> ResultFrame:
    return ResultFrame.of(results, ("checkpoint",))


@pytest.mark.parametrize(
    ("shares", "expected", "p"), [(RISING, 1.0, 2 / 40320), (FALLING, -1.0, 2 / 40320)]
)
def test_what_only_rises_or_falls_has_the_least_p_of_all_orders(shares, expected, p):
    (rows,) = curves_of(course(shares))
    assert [round(row.score) for row in rows] == [round(100 * s) for s in shares]
    assert rows[0].trend == pytest.approx(expected)
    assert rows[0].trend_p == pytest.approx(p)
    assert rows[0].trend_n == 8
    assert rows[0].trend_corrected < 0.05


def test_a_trend_is_spearmans_over_the_epochs_after_the_beginning():
    (rows,) = curves_of(course(MIXED))
    expected = spearmanr(range(1, 9), MIXED[1:])
    assert rows[0].trend == pytest.approx(expected.statistic)
    assert rows[0].trend_low < rows[0].trend < rows[0].trend_high
    assert rows[0].trend_corrected > 0.05
    # before training would make it another
    assert spearmanr(range(9), MIXED).statistic != pytest.approx(expected.statistic)


def test_what_does_not_change_has_no_trend():
    (rows,) = curves_of(course(FLAT))
    assert math.isnan(rows[0].trend)
    assert math.isnan(rows[0].trend_p)


def test_p_values_are_corrected_for_all_curves():
    tasks = {"ud/tense:EWT": RISING, "ud/passive:EWT": MIXED, "ud/subjnum:EWT": FLAT}
    made = [one for task, shares in tasks.items() for one in course(shares, task)]
    rising, mixed, flat = (rows[0] for rows in curves_of(made))
    assert rising.trend_corrected == pytest.approx(2 * rising.trend_p)
    assert mixed.trend_corrected == pytest.approx(max(mixed.trend_p, rising.trend_corrected))
    assert math.isnan(flat.trend_corrected)
    assert rising.trend_of == 2


def test_what_is_known_of_a_training_is_kept_with_its_results():
    (history,) = list_trainings(find_points(frame_of(course(RISING))).values())
    assert (history.name, history.unit, history.best) == ("trained:models/en-de", "epoch", 5)
    assert history.trivial == {"bleu of x": 0.4}
    assert [history.value(epoch) for epoch in range(1, 9)] == [1.0 + e for e in range(1, 9)]
    assert math.isnan(history.value(0))
    (rows,) = curves_of(course(RISING))
    assert rows.column("dev")[1:] == [1.0 + epoch for epoch in range(1, 9)]
    assert rows.column("is_best") == [int(epoch == 5) for epoch in range(9)]


def test_the_best_epoch_under_two_names_counts_once():
    again = saying(
        result(0.75, encoder="trained:models/en-de"), checkpoint=Checkpoint(5, of=8, best=5).plain()
    )
    (rows,) = curves_of([*course(RISING), again])
    assert rows.column("at") == list(range(9))
    assert rows[5].encoder == "trained:models/en-de,epoch=5"
    assert rows[5].score == pytest.approx(80)


def test_epochs_that_were_not_measured_are_named():
    made = [one for one in course(RISING) if not one.trial.encoder.endswith(("=3", "=6"))]
    (rows,) = curves_of(made)
    assert rows.column("at") == [0, 1, 2, 4, 5, 7, 8]
    assert any("epochs 3, 6 were not measured." in note for note in notes_of(made))
    other = [r for r in course(RISING, "ud/passive:EWT") if not r.trial.encoder.endswith("=2")]
    notes = notes_of([*course(RISING), *other])
    assert "trained:models/en-de: epoch 2 was not measured on ud/passive." in notes


def test_few_points_are_called_few():
    notes = " ".join(notes_of(course(RISING[:4])))
    assert "Warning: 3 points are few" in notes
    assert "the smallest possible p is 0.33" in notes
    assert "Measure 5 points" in notes
    assert "can be significant" not in " ".join(notes_of(course(RISING)))


def test_revisions_of_a_model_are_a_curve_by_steps():
    (rows,) = curves_of(steps({0: 0.5, 1000: 0.6, 20: 0.55, 143000: 0.9}))
    assert rows.column("at") == [0, 20, 1000, 143000]
    assert (rows[0].training, rows[0].unit, rows[0].trend_n) == ("hf:org/m", "step", 3)


def test_steps_of_a_training_that_was_probed_as_it_went_are_a_curve():
    (rows,) = curves_of(steps({100: 0.5, 200: 0.6}, "mine step {}"))
    assert (rows[0].training, rows.column("at")) == ("mine", [100, 200])


def test_encoders_at_no_point_of_a_training_are_left_out_and_named():
    others = [saying(result(encoder="st:x"), kind="trained"), saying(result(), kind="baseline")]
    made = [*course(RISING), *others]
    assert len(curves_of(made)) == 1
    assert "st:x: excluded, not of an epoch or step of a training run" in notes_of(made)
    assert not any("length" in note for note in notes_of(made))


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
        curves_of(made)


def test_controls_are_no_part_of_a_curve():
    controls = [saying(result(0.5, encoder=r.trial.encoder, control="shuffled"),
                       checkpoint=r.provenance.checkpoint.plain()) for r in course(RISING)]  # fmt: skip
    (rows,) = curves_of([*course(RISING), *controls])
    assert rows[8].score == pytest.approx(95)


def test_a_trend_is_over_points_of_the_same_test_examples():
    made = course(RISING)
    other = saying(
        result(0.1, n=150, encoder="trained:models/en-de,epoch=8"),
        checkpoint=made[8].provenance.checkpoint.plain(),
    )
    (rows,) = curves_of([*made[:8], other])
    assert (rows[0].trend_n, len(rows)) == (7, 9)
    assert rows[0].trend == pytest.approx(1)
    assert rows.column("mark") == [*[""] * 8, "*"]


def test_the_best_of_several_points_is_told_with_its_figure():
    made = course(RISING)
    said = "trained:models/en-de: epoch 5 is the best on dev"
    assert tell_best_points(frame_of(made)) == [f"{said} (bleu 6.0)."]
    assert tell_best_points(frame_of([made[2], made[4]])) == [f"{said}."]
    for alone in (made[4:5], steps({0: 0.5, 1000: 0.6}), course(RISING, best=0)):
        assert tell_best_points(frame_of(alone)) == []
    other = course(MIXED, run="models/other", best=2)
    assert tell_best_points(frame_of([*made[:3], *other])) == [
        f"{said}.",
        "trained:models/other: epoch 2 is the best on dev (bleu 3.0).",
    ]


def test_curves_belong_to_trainings():
    made = [*course(RISING), *course(MIXED, run="models/other"), *course(FLAT, "ud/x:EWT")]
    curves = [(rows[0].training, rows[0].task, len(rows)) for rows in curves_of(made)]
    assert curves == [
        ("trained:models/en-de", "ud/tense:EWT", 9),
        ("trained:models/other", "ud/tense:EWT", 9),
        ("trained:models/en-de", "ud/x:EWT", 9),
    ]
    assert not any(each in " ".join(notes_of(made)) for each in ("epoch 0", "excluded"))
