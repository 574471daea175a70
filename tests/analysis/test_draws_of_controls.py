"""Controls are drawn as often as probes are fitted, and what is said of selectivity holds for other
draws.
"""

import numpy as np
import pytest
from scipy.stats import t as student

from fixtures.scored import to_scores as rows
from lingprobe.data.labels import Classes
from lingprobe.datasets.controls import CONTROLS, list_draws
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import TrialDesign, make_plan
from lingprobe.experiment.run import run_plan
from lingprobe.metrics import FitAnswers, compute_difference
from lingprobe.pages.scores import describe_scores
from lingprobe.testing import TINY_DATASET_FAMILIES

NAMES = ("a", "b")


def column(values):
    return Classes(np.asarray(values, np.int64), NAMES)


def answered(gold, right):
    return column(np.where(right, gold, 1 - gold))


def words(rng, n, types):
    """The type of each example: few are frequent."""
    shares = 1 / np.arange(1, types + 1)
    return rng.choice(types, n, p=shares / shares.sum())


def drawn(rng, of, types):
    """Labels of a draw, and answers that are right for 90 % of one class, and 60 % of the other."""
    gold = rng.integers(2, size=types)[of]
    return column(gold), answered(gold, rng.random(len(of)) < np.where(gold, 0.9, 0.6))


def selectivity(rng, many, n=300, types=20):
    of, gold = words(rng, n, types), rng.integers(2, size=n)
    plain = FitAnswers(column(gold), [answered(gold, rng.random(n) < 0.85)])
    golds, said = zip(*(drawn(rng, of, types) for _ in range(many)), strict=True)
    return plain, FitAnswers(golds[0], said, {}, golds)


def covered(many, repeats=400):
    rng = np.random.default_rng(0)
    found = [compute_difference("accuracy", *selectivity(rng, many)) for _ in range(repeats)]
    return np.mean([each.low <= 0.85 - 0.75 <= each.high for each in found])


def test_the_interval_of_selectivity_holds_for_other_draws():
    assert covered(1) < 0.88
    assert 0.93 <= covered(5) <= 0.985


def test_the_interval_is_that_of_examples_crossed_with_draws():
    plain, control = selectivity(np.random.default_rng(1), 4)
    [said] = plain.predicted
    right = np.array(
        [g.ids == s.ids for g, s in zip(control.golds, control.predicted, strict=True)]
    )
    gaps = (said.ids == plain.gold.ids).astype(float) - right
    (many, n), means = gaps.shape, gaps.mean(1)
    examples = gaps.mean(0).var(ddof=1) / n
    between = means.var(ddof=1) / many
    # what scores of draws differ by as examples are few is counted with the examples already
    rest = gaps - means[:, None] - gaps.mean(0) + gaps.mean()
    noise = (rest**2).sum() / (n * (n - 1)) / (many * (many - 1))
    error = np.sqrt(examples + between - noise + 2 / n**2)
    found = compute_difference("accuracy", plain, control)
    assert found.value == pytest.approx(gaps.mean())
    assert (found.high - found.low) / 2 / student.ppf(0.975, found.df) == pytest.approx(error)
    assert found.df < n - 1


def test_a_control_is_drawn_anew_unless_its_draw_is_named():
    made = [CONTROLS.canonical(f"word-labels,case=false,seed={k}") for k in range(3)]
    assert list_draws("word-labels,case=false", 3) == made
    assert list_draws("word-labels,seed=1", 3) == [CONTROLS.canonical("word-labels,seed=1")]
    assert list_draws("none", 3) == ["none"]


@pytest.mark.parametrize(("probe", "seeds"), [("logreg", 1), ("mlp,hidden=4,dropout=0,l2=0", 3)])
def test_each_fit_has_a_draw_of_its_own(tmp_path, probe, seeds):
    write_dataset(TINY_DATASET_FAMILIES["sentence"](), tmp_path / "a.jsonl")
    task, paths = f"table:{tmp_path / 'a.jsonl'}", RunPaths.of(tmp_path / "results", tmp_path)
    design = TrialDesign([task], ["length"], [probe], ["word-labels,least=1"], seeds=3)
    results = run_plan(make_plan(design, paths), paths, progress=False).results
    plain, control = rows(results)
    assert (plain.seeds, plain.draws) == (seeds, 1)
    assert (control.seeds, control.draws) == (seeds, 3)
    golds = {r.gold.ids.tobytes() for r in results if r.trial.control != "none"}
    assert len(golds) == 3
    assert control.selectivity == pytest.approx(plain.score - control.score)
    assert control.selective_low < control.selectivity < control.selective_high
    assert any(
        "3 samples of the control; intervals cover" in n for n in describe_scores([plain, control])
    )
    [alone] = rows([r for r in results if r.trial.control.endswith("seed=0")])
    assert any("1 sample of the control; intervals do not" in n for n in describe_scores([alone]))
