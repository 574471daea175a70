"""What a row says beside its score, from results of several seeds and folds, by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from fixtures.results import result, saying
from fixtures.scored import to_scores
from fixtures.scored import to_scores as rows
from lingprobe.analysis.frame import get_encoder_kind, is_seeded
from lingprobe.data.core import Tags
from lingprobe.datasets.controls import KEY_SEEN
from lingprobe.experiment.newest import keep_newest
from lingprobe.metrics import FitAnswers, compute_difference

TASK = "ud/tense:EWT,fold={}/2"
FOLDS = [(0.6, 100), (0.9, 300)]


def folds(about=({}, {}), seed=0, **trial):
    """A score over each of two folds, of which one is three times as large."""
    return [
        saying(result(share, n, task=TASK.format(k), seed=seed, **trial), kind="trained", **said)
        for k, (share, n), said in zip((1, 2), FOLDS, about, strict=True)
    ]


def test_what_folds_share_is_counted_once_and_what_is_of_test_is_added():
    left = {"beyond": {"test": {"a": 2, "b": 5}, "train": {"a": 1}}}
    more = {"beyond": {"test": {"a": 4}}, "unaligned": {"test": dict.fromkeys("abcdefg", 3)}}
    first = {"train": 70, "unusable": 1, "unseen": 2, "cut": 9, "words": 50, "unknown": 4,
             "beyond": 8, "unaligned": 1, "partial": 3, "left out": left}  # fmt: skip
    second = {"train": 60, "unusable": 10, "unseen": 20, "cut": 3, "words": 70, "unknown": 2,
              "beyond": 4, "unaligned": 21, "partial": 30, "left out": more}  # fmt: skip
    (row,) = rows(folds([{"counts": first}, {"counts": second}]))
    assert (row.train, row.unusable, row.unseen) == (70, 10, 22)
    assert (row.cut, row.words, row.unknown) == (9, 70, 4)
    assert (row.beyond, row.unaligned, row.partial) == (8, 21, 30)
    assert row.beyond_are == "test: 6 a, 5 b"
    assert row.unaligned_are == "test: 3 a, 3 b, 3 c, 3 d, 3 e and 6 others"
    (unknown,) = rows(folds())
    assert (unknown.words, unknown.unknown, unknown.beyond_are) == (0, 0, "")


def test_scores_and_floors_of_folds_are_weighted_by_their_examples():
    mine = [replace(r, majority=m) for r, m in zip(folds(), (0.5, 0.7), strict=True)]
    again = [replace(r, majority=m) for r, m in zip(folds(seed=1), (0.5, 0.7), strict=True)]
    (row,) = rows([*mine, *again, folds(seed=2)[0]])
    assert row.score == pytest.approx(0.6 * 25 + 0.9 * 75)
    assert row.majority == pytest.approx(0.5 * 25 + 0.7 * 75)
    assert (row.n, row.folds, row.seeds, row.samples, row.draws) == (400, 2, 2, 1, 1)
    assert (row.left_out, row.missing) == (1, "")
    (alone,) = rows([replace(mine[0], low=0.1, high=0.7)])
    assert (alone.low, alone.high) == pytest.approx((10, 70))
    (unknown,) = rows([replace(mine[0], low=math.nan, high=math.nan)])
    assert 50 < unknown.low < 60 < unknown.high < 70
    assert (row.low, row.high) == pytest.approx((100 * np.array(_interval([mine, again]))).tolist())


def _interval(fits):
    golds = [np.concatenate([r.gold.ids for r in fit]) for fit in fits]
    said = [np.concatenate([r.predicted.ids for r in fit]) for fit in fits]
    column = type(fits[0][0].gold)
    names = fits[0][0].gold.names
    return FitAnswers(column(golds[0], names), [column(ids, names) for ids in said]).interval(
        "accuracy"
    )


def test_samples_of_train_and_seeds_are_counted():
    made = [
        result(task=f"ud/tense:EWT,sample={k}/3", seed=seed) for k in (1, 2, 3) for seed in (0, 1)
    ]
    (row,) = rows(made[:-1])
    assert (row.samples, row.seeds, row.folds) == (3, 5, 1)
    assert row.task == "ud/tense:EWT,sample=*/3"


def coded(bits, uniform, prior, **trial):
    code = {"bits": bits, "uniform": uniform, "prior": prior}
    return saying(result(**trial), choice={"code": code})


def test_codes_are_averaged_over_fits_and_each_is_compared_with_its_own():
    (row,) = rows([coded(100.0, 400.0, 150.0), coded(300.0, 600.0, 330.0, seed=1)])
    assert row.bits == pytest.approx(200)
    assert row.compression == pytest.approx(3)
    assert row.over_prior == pytest.approx((1.5 + 1.1) / 2)
    (none,) = rows([result()])
    assert math.isnan(none.bits)


def test_the_best_rule_of_thumb_is_named():
    (row,) = rows([saying(result(), notes={"rules": {"long": 0.5, "last": 0.75, "short": 0.25}})])
    assert (row.rule, row.ruled) == ("last", 75)
    (none,) = rows([result()])
    assert none.rule == ""
    assert math.isnan(none.ruled)


def keyed(share, seen, control="word-labels", seed=0, **said):
    """A control whose train has the key of the first `seen` of 200 test examples."""
    tags = {KEY_SEEN: Tags((np.arange(200) < seen).astype(np.int64), ("no", "yes"))}
    one = saying(result(share, control=control, seed=seed, read="0"), **said)
    return replace(one, strata={**one.strata, **tags})


def test_a_control_is_scored_by_whether_its_keys_were_seen():
    plain = [result(0.9, read="0", seed=seed) for seed in (0, 1)]
    drawn = [keyed(0.5, 120), keyed(0.6, 160, seed=1)]
    noted = {"notes": {"control": {"name": "word-labels", "definition": "the form"}}}
    drawn[0] = saying(drawn[0], **noted)
    _, row = rows([*plain, *drawn])
    assert row.keyed == "the form"
    assert row.keys_seen == pytest.approx(100 * (120 + 160) / 400)
    assert row.on_seen == pytest.approx(100 * np.mean([100 / 120, 120 / 160]))
    assert row.on_unseen == 0
    assert row.selectivity == pytest.approx(90 - 55)
    beside = [FitAnswers(fits[0].gold, [r.predicted for r in fits]) for fits in (plain, drawn)]
    value, low, high, *_ = compute_difference("accuracy", *beside)
    found = row.selectivity, row.selective_low, row.selective_high
    assert found == pytest.approx((100 * value, 100 * low, 100 * high))


def test_without_the_same_examples_a_control_has_no_selectivity():
    (alone,) = rows([keyed(0.5, 200)])
    assert math.isnan(alone.selectivity)
    assert alone.on_seen == 50
    assert math.isnan(alone.on_unseen)
    other = saying(result(0.9, read="0"), tested="others")
    _, row = rows([other, saying(keyed(0.5, 120), tested="these")])
    assert math.isnan(row.selectivity)
    _, fewer = rows([result(0.9, 180, read="0"), keyed(0.5, 120)])
    assert math.isnan(fewer.selectivity)
    _, plain = rows([result(0.9, read="0"), result(0.5, control="word-labels", read="0")])
    assert math.isnan(plain.selectivity)
    assert math.isnan(plain.keys_seen)


@pytest.mark.parametrize(
    ("encoder", "read", "said", "kind"),
    [
        ("hf:m", "lex", "trained", "baseline"),
        ("hf:m", "0", "trained", "trained"),
        ("hf:m", "0", "oracle", "oracle"),
        ("hf:m", "0", "untrained", "trained"),
        ("length", "-", "", "baseline"),
        ("gold:clause", "-", "", "oracle"),
        ("hf:m", "0", "", "trained"),
    ],
)
def test_the_kind_of_an_encoder_is_what_was_said_or_what_its_reference_names(
    encoder, read, said, kind
):
    assert get_encoder_kind(saying(result(encoder=encoder, read=read), kind=said)) == kind


@pytest.mark.parametrize(
    ("probe", "said", "seeded"),
    [
        ("mlp", None, True),
        ("logreg", None, False),
        ("logreg", True, True),
        ("mlp", False, False),
        ("gone@mine", None, True),
        ("nothing-of-ours", None, True),
    ],
)
def test_a_fit_depends_on_its_seed_as_was_said_or_as_its_probe_does(probe, said, seeded):
    one = saying(result(probe=probe), is_seeded=said)
    assert is_seeded(one.trial, one.provenance) is seeded


def test_the_score_on_dev_is_the_mean_over_results_but_for_folds():
    told = [saying(result(seed=k), choice={"dev": dev}) for k, dev in enumerate((0.5, 0.75))]
    on_dev = [to_scores(some)[0].dev_score for some in (told, [*told, result(seed=2)])]
    assert on_dev[0] == pytest.approx(62.5)
    assert math.isnan(on_dev[1])
    assert math.isnan(to_scores([saying(folds()[0], choice={"dev": 0.5})])[0].dev_score)


def test_results_of_earlier_states_of_data_or_code_are_dropped():
    def made(seed, date, code, **trial):
        identities = {"task": f'["ud", "{code}"]', "encoder": '["e"]', "probe": '["p"]',
                      "control": '["c"]'}  # fmt: skip
        return saying(result(seed=seed, **trial), date=date, identities=identities)

    old = [made(seed, "2024-01-01", "a") for seed in (0, 1, 2)]
    new = [made(seed, "2025-01-01", "b") for seed in (2, 1)]
    other = made(5, "2023-01-01", "a", task="ud/passive:EWT")
    assert keep_newest([*new, *old, other]) == [other, new[1], new[0]]
    again = [made(seed, "2025-01-01", "a") for seed in (2, 1)]
    assert keep_newest([*again, *old]) == [old[0], again[1], again[0]]


def test_names_that_no_utf_8_can_hold_are_written_as_frames_have_them():
    made = saying(result(), notes={"remarks": ["half \udc80"], "rules": {"\udc81": 0.5}})
    odd = replace(made, gold=replace(made.gold, names=("past", "\udc82")))
    (row,) = rows([odd])
    assert row.class_names == ["past", r"\udc82"]
    assert (row.source_remarks, row.rule) == ([r"half \udc80"], r"\udc81")
