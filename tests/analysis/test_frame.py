"""One table of results: its rows, what is averaged over, other rows by their keys, statistics."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from fixtures.results import KINDS, NAMES, result, results, saying
from fixtures.scored import to_scores
from fixtures.scored import to_scores as rows
from lingprobe.analysis.comparison import decide_comparisons, with_baselines
from lingprobe.analysis.frame import (
    _ALL_KEYS,
    _EXTRA,
    _RUN_VALUES,
    ANOTHER_VALUE,
    ANY_VALUE,
    NON_EMPTY_VALUE,
    RUN_KEYS,
    OwnValue,
    PredictionStore,
    ProbeRun,
    ResultFrame,
)
from lingprobe.analysis.statistics import (
    BestRow,
    BetterThanEach,
    ConstantTest,
    ExampleDigest,
    FirstKnown,
    HolmCorrection,
    JointPermutation,
    LowerThanEach,
    MeanScore,
    OtherBest,
    OtherScore,
    PairedDifference,
    ShareKept,
)
from lingprobe.data.labels import Classes
from lingprobe.inside.units.notes import AttentionNote
from lingprobe.metrics import compute_difference, correct_holm
from lingprobe.probes import PROBES


def drawn(share: float, seed: int = 0, **changed):
    """A result whose right answers lie anywhere, of which the interval was not stored."""
    made = saying(
        result(share, seed=seed, **changed), kind=KINDS.get(str(changed.get("encoder")), "trained")
    )
    rng = np.random.default_rng([seed, round(1000 * share)])
    ids = np.where(rng.random(200) < share, made.gold.ids, 1 - made.gold.ids)
    score = float((ids == made.gold.ids).mean())
    return replace(made, predicted=Classes(ids, NAMES), score=score, low=math.nan, high=math.nan)


def averaged(made) -> ResultFrame:
    return ResultFrame.of(made).average_repeats(RUN_KEYS)


def test_a_frame_has_a_row_for_each_trained_probe_with_keys_and_numbers_only():
    made = results()
    frame = ResultFrame.of(made)
    assert len(frame) == len(made)
    assert frame.table.column_names == [*_ALL_KEYS, *_RUN_VALUES]
    kinds = {str(field.type) for field in frame.table.schema}
    assert kinds == {"string", "double", "int64"}
    assert len({*frame.column("run_id")}) == len(made)
    row = frame[0]
    assert (row.task, row.encoder, row.role) == ("ud/tense:EWT-bank", "length", "baseline")
    assert (row.score, row.low) == pytest.approx((55, 50))
    assert (row.n_train, row.n_test) == (1000, 200)


def test_other_libraries_read_a_frame():
    frame = ResultFrame.of(results())
    table = pa.table(frame)
    assert table.schema == frame.table.schema
    assert table["run_id"].to_pylist() == frame.column("run_id")
    assert frame.to_pandas().shape == (len(frame), len(table.column_names))


def test_equal_rows_are_equal_where_numbers_are_unknown():
    made = drawn(0.7)
    assert math.isnan(ResultFrame.of([made])[0].low)
    assert ResultFrame.of([made])[0] == ResultFrame.of([made])[0]


def folds(seed: int):
    for fold in (1, 2, 3):
        task = f"ud/tense:EWT,fold={fold}/3"
        yield saying(
            drawn(0.6 + 0.1 * fold, seed, task=task, encoder="mine"),
            tested=f"t{fold}",
            kind="trained",
        )


@pytest.mark.parametrize(
    "made",
    [
        [drawn(0.7)],
        [drawn(0.7, seed) for seed in range(4)],
        list(folds(0)),
        [each for seed in range(3) for each in folds(seed)],
        [*folds(0), next(folds(1))],  # a seed that lacks folds
        [drawn(0.7, control=f"shuffle,seed={seed}") for seed in range(3)],
        results(),
    ],
)
def test_scores_and_intervals_are_those_of_rows(made):
    frame = averaged(made)
    shown = frame.with_columns(MeanScore().compute(frame, frame))
    found = [
        (row.task, row.encoder, row.score, row.low, row.high, row.n_train, row.n_test)
        for row in shown
    ]
    assert found == [
        (row.task, row.encoder, row.score, row.low, row.high, row.train, row.n)
        for row in rows(made)
    ]
    known = [row.majority for row in rows(made)]
    assert shown.column("constant_score") == pytest.approx(known, rel=1e-12)


def runs():
    """A task before and after two others were erased, and each erasure with draws of two floors."""
    for erased in ("", "a", "b"):
        for control in ("none", "rank", "labels")[: 3 if erased else 1]:
            for draw in range(2 if control != "none" else 1):
                keys = {"task": "a", "erased": erased, "control": control, "metric": "accuracy"}
                share = {"": 0.9, "a": 0.55, "b": 0.85}[erased] if control == "none" else 0.8
                known = saying(drawn(share, draw), constants={"class": ["past"]})
                predictions = ProbeRun.of(known).predictions
                yield ProbeRun({**keys, "control_sample": f"{draw}"}, {}, predictions,
                               {"asked": 1, "change": share})  # fmt: skip


def erased() -> tuple[ResultFrame, ResultFrame]:
    frame = ResultFrame.of_runs(runs()).average_repeats(RUN_KEYS)
    return frame.where(control="none", erased=NON_EMPTY_VALUE), frame


def test_names_that_are_no_utf8_are_written_out():
    (row,) = ResultFrame.of([result(encoder="npz:caf\udce9.npz")], ("origin",))
    assert row.encoder == r"npz:caf\udce9.npz"


def test_a_score_that_was_stored_as_no_number_stays_none():
    lost = replace(drawn(0.6), score=math.nan)
    for made in ([lost], [lost, drawn(0.7, seed=1)]):
        frame = averaged(made)
        assert math.isnan(frame.score(0))
        assert all(map(math.isnan, frame.interval(0)))
        assert math.isnan(rows(made)[0].score)


def test_what_was_computed_is_known_to_frames_of_the_same_predictions_alone():
    frame = averaged([drawn(0.6, seed=seed) for seed in range(2)])
    before, interval = frame.score(0), frame.interval(0)
    part = frame.take([0]).with_columns({"further": [1]})
    assert part.answers(0) is frame.answers(0)
    assert (part.score(0), part.interval(0)) == (before, interval)
    # another metric of the same answers, and other answers under the same name
    other = part.with_columns({"metric": ["mcc"]})
    assert other.score(0) == pytest.approx(100 * np.mean(frame.answers(0).scores("mcc")))
    assert part.score(0) == before
    (run,), better = part.column("run_id"), averaged([drawn(0.9, seed=s) for s in range(2)])
    changed = replace(part, predictions=PredictionStore({run: better.folds(0)}))
    assert changed.score(0) == better.score(0) > before
    assert changed.interval(0) == better.interval(0) != interval
    assert part.score(0) == before


def test_draws_are_averaged_over_and_what_one_view_has_is_kept():
    shown, frame = erased()
    assert ResultFrame.of_runs(runs()).table.schema.field(_EXTRA)
    assert len(frame) == 1 + 2 * 3
    assert [row.erased for row in shown] == ["a", "b"]
    floor = frame.where(control="rank")
    assert len(floor.answers(0).predicted) == 2
    assert floor.score(0) == pytest.approx(100 * np.mean(floor.answers(0).scores("accuracy")))
    assert [row.change for row in floor] == [0.8, 0.8]
    assert [row.asked for row in floor] == [1, 1]


def test_other_rows_are_named_by_their_keys():
    shown, frame = erased()

    def named(**other):
        return [
            [(frame[k].erased, frame[k].control) for k in numbers]
            for numbers in frame.find_others(shown, other)
        ]

    assert named(erased="") == [[("", "none")]] * 2
    assert named(control=("rank", "labels")) == [
        [("a", "rank"), ("a", "labels")],
        [("b", "rank"), ("b", "labels")],
    ]
    assert named(erased=OwnValue("task")) == [[("a", "none")]] * 2
    assert named(erased=ANOTHER_VALUE) == [
        [("", "none"), ("b", "none")],
        [("", "none"), ("a", "none")],
    ]
    assert [len(each) for each in named(erased=ANY_VALUE, control=ANY_VALUE)] == [7, 7]
    assert named(erased="c") == [[], []]


def test_statistics_add_what_the_functions_of_metrics_say():
    shown, frame = erased()
    before = frame.answers(0)
    for statistic in (PairedDifference("fall", {"erased": ""}), ConstantTest("left_p")):
        shown = shown.with_columns(statistic.compute(shown, frame))
    for number, row in enumerate(shown):
        known = compute_difference("accuracy", before, shown.answers(number))
        assert (row.fall, row.fall_low, row.fall_high) == tuple(100 * v for v in known[:3])
        assert row.fall_p == known.p
    raw = shown.column("fall_p")
    corrected = HolmCorrection(("fall_p",), family=("task",)).compute(shown, frame)
    assert corrected["fall_p"] == correct_holm(raw).tolist()
    apart = HolmCorrection(("fall_p",), family=("erased",)).compute(shown, frame)
    assert apart["fall_p"] == raw
    nothing = PairedDifference("fall", {"erased": "c"}).compute(shown, frame)
    assert all(map(math.isnan, nothing["fall_p"]))
    assert shown.column("left_p")[0] > 0.05 > shown.column("left_p")[1]


def test_what_is_below_each_floor_is_told_from_what_is_not():
    shown, frame = erased()
    found = LowerThanEach("beyond", {"control": ("rank", "labels")}).compute(shown, frame)
    assert found["beyond"][0] > 15
    assert found["beyond_p"][0] < 0.001
    assert found["beyond_p"][1] == 1 or found["beyond"][1] <= 0
    alone = OtherScore("floor", {"control": "rank"}).compute(shown, frame)["floor"]
    assert alone == [frame.where(control="rank").score(k) for k in range(2)]


def test_comparisons_with_baselines_are_those_of_tables():
    made = [
        drawn(share, seed, encoder=name, task=task)
        for name, share in (("length", 0.6), ("bow", 0.65), ("mine", 0.95), ("yours", 0.63))
        for task in ("ud/tense:EWT", "ud/passive:EWT")
        for seed in range(3)
    ]
    made = [
        replace(one, provenance=replace(one.provenance, kind="baseline"))
        if one.trial.encoder == "bow"
        else one
        for one in made
    ]
    frame = averaged(made)
    floors = {"role": "baseline", "encoder": ANY_VALUE, "probe": ANY_VALUE, "layer": ANY_VALUE}
    columns = BetterThanEach("over", floors, has_constant=True).compute(frame, frame)
    found = {
        (row.task, row.encoder): values
        for row, *values in zip(frame, *columns.values(), strict=True)
        if row.role == "trained"
    }
    decided = decide_comparisons(with_baselines(to_scores(made)).asked)
    assert len(decided) == len(found) == 4
    for one in decided:
        row, best = one.question.one.row, one.question.best.row
        assert found[row.task, row.encoder] == [
            *(one.difference, one.low, one.high, one.corrected, one.p, one.verdict),
            *(best.encoder, best.score),
        ]
    assert {*columns["over_verdict"]} == {"", "better", "no significant difference"}


def test_many_rows_are_tested_together_and_the_best_is_told():
    made = [
        drawn(share, encoder=name, read=f"head:1.{k + 1}")
        for k in range(5)
        for name, share in (("mine", 0.9 if k == 2 else 0.5), ("length", 0.5))
    ]
    frame = averaged(made)
    shown = frame.where(role="trained")
    other = {"role": "baseline", "encoder": ANY_VALUE}
    columns = JointPermutation("before", other, family=("task",)).compute(shown, frame)
    assert columns["before_below"] == [False, False, True, False, False]
    assert columns["before_count"] == [1] * 5
    assert all(columns["before_whole"])
    part = JointPermutation("before", {**other, "layer": "head:1.1"}, ("task",))
    assert not any(map(math.isnan, part.compute(shown, frame)["before"]))
    best = BestRow("best", within=("task",)).compute(shown, frame)
    assert best["best"] == [False, False, True, False, False]
    assert best["best_of"] == [5] * 5
    assert not any(best["best_by_dev"])


def test_what_is_kept_is_a_share_of_what_can_be():
    columns = {"score": [70.0, 70.0], "floor": [50.0, 50.0], "upper": [90.0, 50.0]}
    frame = ResultFrame(pa.table(columns))
    kept = ShareKept("kept", "floor", "upper").compute(frame, frame)["kept"]
    assert kept[0] == 50
    assert math.isnan(kept[1])


def test_rows_are_taken_and_arranged_by_their_columns():
    columns = {"task": ["b", "a", "b", "a"], "place": [2, 1, 1, 2], "dev": [1.0, math.nan, 3, 2]}
    frame = ResultFrame(pa.table(columns))
    found = [(row.task, row.place) for row in frame.arrange(("task",), "place")]
    assert found == [("b", 1), ("b", 2), ("a", 1), ("a", 2)]
    best = frame.take_best("place", ("task",), by="dev")
    assert [(row.task, row.place) for row in best] == [("b", 1), ("a", 2)]
    assert frame.select({"name": "task"}).table.column_names == ["name"]


def test_the_best_of_other_rows_and_the_first_number_known():
    made = [result(share, encoder=f"b{share}") for share in (0.6, 0.7)]
    made = [saying(each, kind="baseline") for each in made]
    made += [saying(result(0.8, encoder="mine"), kind="trained")]
    frame = averaged(made)
    shown = frame.where(role="trained")
    other = {"role": "baseline", "encoder": ANY_VALUE}
    assert OtherBest("best", other).compute(shown, frame) == {"best": [pytest.approx(70)]}
    (nothing,) = OtherBest("best", {"role": "oracle"}).compute(shown, frame)["best"]
    assert math.isnan(nothing)
    table = ResultFrame(pa.table({"a": [math.nan, 1.0, math.nan], "b": [2.0, 3.0, math.nan]}))
    first = FirstKnown("first", ("a", "b")).compute(table, table)["first"]
    assert first[:2] == [2.0, 1.0]
    assert math.isnan(first[2])


def test_test_examples_are_told_by_a_digest_where_it_is_known():
    folds = [saying(result(task=f"ud/tense:EWT,fold={k}/2"), tested=f"t{k}") for k in (1, 2)]
    frame = averaged(folds)
    (digest,) = ExampleDigest("tested").compute(frame, frame)["tested"]
    assert digest == rows(folds)[0].tested != ""
    untold = averaged([saying(folds[0], tested="")])
    assert ExampleDigest("tested").compute(untold, untold) == {"tested": [""]}


def test_notes_are_columns_and_rows_are_added():
    told = saying(
        result(encoder="a"), choice={"attention": {"first": 0.25, "words": [["w", 2, 3]]}}
    )
    frame = ResultFrame.of([told, result(encoder="b")], (AttentionNote,))
    one, nothing = frame.read_notes(AttentionNote)
    assert one.first == 0.25
    assert list(one.words) == [["w", 2, 3]]
    assert nothing is None
    assert [row.encoder for row in frame.where(attention=NON_EMPTY_VALUE)] == ["a"]
    further = frame.take([1]).with_columns({"score": [None]})
    assert [row.encoder for row in frame.append(further)] == ["a", "b", "b"]
    roles = [saying(result(encoder=k), kind=k) for k in ("oracle", "trained", "baseline")]
    ordered = ResultFrame.of(roles).arrange_roles("task")
    assert ordered.column("encoder") == ["baseline", "trained", "oracle"]


def test_one_short_name_of_two_probes_is_given_in_full():
    """An option of today, as it is by default, was not there in a version before."""
    probe = PROBES.canonical("logreg")
    before = probe.rpartition(",")[0]
    found = rows([result(0.9, probe=probe), result(0.6, probe=before), result(0.5, probe="mlp")])
    assert [row.probe for row in found] == [probe, before, "mlp"]
    assert [row.score for row in found] == pytest.approx([90, 60, 50])
    assert [row.n for row in found] == [200] * 3
    (alone,) = rows([result(0.9, probe=probe)])
    assert alone.probe == "logreg"
