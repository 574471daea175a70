"""What an encoder adds to its word embeddings, and how much of that less is enough for: gains,
error reduction and shares of headroom as Tenney et al. 2019 count them.
"""

import csv
import io
from itertools import product

import numpy as np
import pytest

import lingprobe
from fixtures.results import result, saying
from lingprobe.data.core import DataProblem, Result
from lingprobe.data.labels import Classes
from lingprobe.metrics import FitAnswers, MetricProblem, compute_gap_share
from lingprobe.pages.headroom_view import HEADROOM_VIEW
from lingprobe.pages.views import ViewArguments
from lingprobe.tables.drawing import _TOLD, PlotProblem

TASKS = ("edge/pos:EWT-bank", "edge/dep:EWT-bank")
MODEL = "hf:model,layers=lex+all,pool=none"
READS = {
    ("lex", "span", MODEL): 0.6,
    ("lex", "span,bag=true", MODEL): 0.62,
    ("lex", "span,context=1", MODEL): 0.75,
    ("lex", "span,context=2", MODEL): 0.8,
    ("mix", "span", f"{MODEL},weights=orthonormal"): 0.7,
    ("lex", "span", f"{MODEL},weights=orthonormal"): 0.6,
    ("cat:lex+top", "span", MODEL): 0.85,
    ("mix", "span", MODEL): 0.9,
    ("3", "span", MODEL): 0.88,
    ("mix", "span,context=1", MODEL): 0.91,
}


def results(reads: dict[tuple[str, str, str], float] = READS, **changed: object) -> list[Result]:
    return [
        saying(
            result(right, task=task, read=read, probe=probe, encoder=encoder, seed=seed, **changed),
            kind="trained",
        )
        for ((read, probe, encoder), right), task, seed in product(reads.items(), TASKS, range(3))
    ]


def gains(results: list[Result]) -> list:
    """What is compared, without the means."""
    return list(HEADROOM_VIEW(results, ViewArguments()).content)


def test_shares_are_of_what_the_whole_encoder_adds_to_its_word_embeddings():
    found = [gain for gain in gains(results()) if gain.task == TASKS[0]]
    assert {gain.reads: round(gain.share, 1) for gain in found} == {
        "lex": 0,
        "lex with a bag of words": 6.7,
        "CNN1": 50,
        "CNN2": 66.7,
        "orthonormal": 33.3,
        "cat:lex+top": 83.3,
        "mix": 100,
    }
    by_name = {gain.reads: gain for gain in found}
    assert by_name["mix"].gain == pytest.approx(30)
    assert by_name["mix"].error_reduction == pytest.approx(75)  # 30 of the 40 that lex lacks
    assert by_name["CNN1"].share_low < 50 < by_name["CNN1"].share_high


def test_without_a_mix_the_concatenation_is_the_whole():
    found = gains(results({key: right for key, right in READS.items() if key[0] != "mix"}))
    shares = {gain.reads: gain.share for gain in found}
    assert shares["cat:lex+top"] == 100
    assert shares["CNN1"] == pytest.approx(60)
    assert "orthonormal" not in shares  # it was read otherwise than the whole


def test_where_the_whole_is_not_clearly_above_there_is_no_share():
    near = READS | {("lex", "span", MODEL): 0.895}
    found = gains(results(near))
    assert all(np.isnan(gain.share) for gain in found)
    with pytest.raises(PlotProblem, match="no encoder is clearly above"):
        HEADROOM_VIEW(results(near), ViewArguments()).figure()


def test_other_test_examples_are_not_compared():
    odd = {("lex", "span,context=1", MODEL): 0.75}
    rest = {key: right for key, right in READS.items() if key not in odd}
    found = gains([*results(rest), *results(odd, n=100)])
    assert "CNN1" not in {gain.reads for gain in found}
    assert "mix" in {gain.reads for gain in found}
    (table,) = lingprobe.report([*results(rest), *results(odd, n=100)], headroom=True).tables
    assert any(
        "pos:EWT-bank, CNN1, and lex: they are over different test examples" in n
        for n in table.notes
    )


def test_nothing_to_compare_says_what_measures_it():
    with pytest.raises(DataProblem, match="--layers lex mix"):
        gains([result()])


def test_the_page_has_means_over_tasks_and_every_format(tmp_path):
    page = lingprobe.report(results(), headroom=True)
    (table,) = page.tables
    assert [section.heading for section in table.sections][-1] == "mean of the tasks"
    pos = {row[0]: row for row in table.sections[0].rows}
    assert pos["lex"][2:5] == ("", "", "0.0")
    assert pos["mix"][2].startswith("+30.0 ±")
    assert pos["mix"][3:5] == ("75.0", "100.0")
    assert {row[0]: row[4] for row in table.sections[-1].rows}["CNN1"] == "50.0"
    lines = list(csv.DictReader(io.StringIO(page.text("csv"))))
    assert len(lines) == 7 * len(TASKS)
    assert "<svg" in page.text("html")
    page.write(tmp_path / "a.svg")
    assert "share of the gain" in (tmp_path / "a.svg").read_text("utf-8")


def test_shares_are_drawn_at_their_places():
    axes = HEADROOM_VIEW(results(), ViewArguments()).figure().axes[0]
    found = {
        m.get_gid().removeprefix(_TOLD).rpartition(": ")[0]: m for m in axes.lines if m.get_gid()
    }
    assert {name: float(found[name].get_xdata()[0]) for name in ("lex", "CNN1", "mix")} == {
        "lex": 0,
        "CNN1": pytest.approx(50),
        "mix": 100,
    }
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert all(names[int(mark.get_ydata()[0])] == name for name, mark in found.items())


def answered(rng: np.random.Generator, ability: np.ndarray, shift: float, seeds: int) -> FitAnswers:
    gold = np.arange(len(ability)) % 2
    chance = 1 / (1 + np.exp(-(ability + shift)))
    said = [np.where(rng.random(len(gold)) < chance, gold, 1 - gold) for _ in range(seeds)]
    return FitAnswers(Classes(gold, ("a", "b")), [Classes(one, ("a", "b")) for one in said])


@pytest.mark.parametrize("seeds", [1, 4])
def test_intervals_of_shares_hold_what_they_say(seeds):
    """In nineteen draws of twenty the true share lies within; from 0.92 on in 300 draws."""
    rng = np.random.default_rng(5)
    shifts = (1.0, 0.0, 2.0)
    wide = rng.normal(0, 1, 200_000)
    part, least, whole = (float((1 / (1 + np.exp(-(wide + s)))).mean()) for s in shifts)
    true = (part - least) / (whole - least)
    within = 0
    for _ in range(300):
        ability = rng.normal(0, 1, 400)
        one = compute_gap_share("accuracy", *(answered(rng, ability, s, seeds) for s in shifts))
        within += one.low <= true <= one.high
    assert 0.92 <= within / 300 <= 0.99


def test_the_ends_of_a_share_and_what_it_is_not_of():
    rng = np.random.default_rng(0)
    ability = rng.normal(0, 1, 400)
    least, whole = (answered(rng, ability, shift, 3) for shift in (0, 2))
    assert compute_gap_share("accuracy", least, least, whole).value == 0
    assert compute_gap_share("accuracy", whole, least, whole).value == 1
    with pytest.raises(MetricProblem, match="the same examples"):
        compute_gap_share("accuracy", shortened(least), least, whole)


def shortened(answers: FitAnswers) -> FitAnswers:
    rows = np.arange(10)
    return FitAnswers(answers.gold.take(rows), [p.take(rows) for p in answers.predicted])
