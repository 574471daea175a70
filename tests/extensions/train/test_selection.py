"""Which epoch is the best while figures are at their baselines, and what is said of such a
training.
"""

import pytest

from lingprobe_extensions.train.folder import EncoderTraining
from lingprobe_extensions.train.loop import EpochResult
from lingprobe_extensions.train.selection import SelectionCriterion

BLEU = {"bleu of the commonest text": 0.02, "perplexity of unigrams": 343.0}


def epochs(**figures):
    """Epochs with such figures, one after the other."""
    rows = zip(*figures.values(), strict=True)
    return [
        EpochResult(n, 1.0, dict(zip(figures, row, strict=True)), 10, 1.0)
        for n, row in enumerate(rows, 1)
    ]


def test_a_figure_at_its_baseline_selects_nothing():
    made = epochs(perplexity=[354, 247, 185, 158], bleu=[0.01, 0.02, 0.01, 0.01])
    selection = SelectionCriterion("bleu", BLEU)
    assert (selection.by(made), selection.best(made)) == ("perplexity", 4)
    assert [selection.since(made[:n]) for n in (1, 2, 3, 4)] == [0, 0, 0, 0]


def test_a_figure_that_has_left_its_baseline_selects():
    made = epochs(perplexity=[354, 247, 185, 158], bleu=[0.5, 1.2, 3.0, 2.9])
    selection = SelectionCriterion("bleu", BLEU)
    assert (selection.by(made), selection.best(made)) == ("bleu", 3)
    assert (selection.by(made[:2]), selection.best(made[:2])) == ("bleu", 2)
    assert selection.by(made[:1]) == "perplexity"
    both = SelectionCriterion("bleu", {**BLEU, "bleu of copying": 2.5})
    assert (both.by(made), both.best(made)) == ("perplexity", 4)


def test_without_a_perplexity_or_a_baseline_the_figure_selects():
    made = epochs(accuracy=[33.0, 33.4, 33.2])
    assert SelectionCriterion("accuracy", {"accuracy of the commonest label": 33.0}).best(made) == 2
    assert SelectionCriterion("score", {}).best(epochs(score=[0.2, 0.1])) == 1


@pytest.mark.parametrize(
    ("name", "value", "trivial"),
    [
        ("perplexity", 341.0, {"perplexity of unigrams": 343.0}),
        ("accuracy", 11.54, {"accuracy of the commonest piece": 11.54}),
        ("perplexity", 534.0, {"perplexity of unigrams": 550.0}),
    ],
)
def test_a_training_at_its_baseline_says_so(tmp_path, name, value, trivial):
    made = epochs(**{name: [value]})
    unbeaten = SelectionCriterion(name, trivial).unbeaten(made)
    assert unbeaten == list(trivial)
    shown = EncoderTraining(
        tmp_path, "x", name, 1, [made[0].plain()], trivial, {"read": 1}, 1, unbeaten
    )
    assert f"not clearly better than without an encoder: {unbeaten[0]}" in str(shown)


def test_a_baseline_is_left_by_more_than_a_point_or_a_twentieth():
    trivial = {"perplexity of x": 100.0, "bleu of x": 2.0}
    just, beyond = epochs(perplexity=[95.0], bleu=[3.0]), epochs(perplexity=[94.9], bleu=[3.1])
    assert SelectionCriterion("bleu", trivial).unbeaten(just) == ["perplexity of x", "bleu of x"]
    assert SelectionCriterion("bleu", trivial).unbeaten(beyond) == []


def test_a_training_that_has_learnt_says_nothing(tmp_path):
    made = epochs(perplexity=[250.0], bleu=[4.0])
    assert SelectionCriterion("bleu", BLEU).unbeaten(made) == []
    shown = EncoderTraining(tmp_path, "x", "bleu", 1, [made[0].plain()], BLEU, {"read": 1}, 1)
    assert "not clearly better" not in str(shown)
