"""Comparisons: which rows are compared, over which examples, and what is said of what cannot be."""

import io
from csv import DictReader
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from typer.testing import CliRunner

from fixtures.results import saying
from fixtures.scored import to_frame, to_scores
from lingprobe import compare, evaluate
from lingprobe.analysis.answers import join_answers
from lingprobe.analysis.comparison import pair_encoder_rows, pair_with_encoders, with_baselines
from lingprobe.cli import app
from lingprobe.data.core import DataProblem, Result, Tags, Trial
from lingprobe.data.errors import UsageProblem
from lingprobe.data.labels import Classes
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.metrics import FitAnswers, benjamini_hochberg, compute_difference
from lingprobe.pages.compare import answer_questions, tabulate_comparisons
from lingprobe.pages.records import format_csv
from lingprobe.tables.markup import format_markdown
from lingprobe.testing import TINY_DATASET_FAMILIES

GOLD = Classes(np.arange(200) % 2, ("a", "b"))
FORMS = np.arange(200) // 8 * 2 + GOLD.ids


def result(
    encoder="st:x", right=0.8, seed=0, task="ud/tense:bank", read="-", probe="mlp", **changed
):
    """A result over 200 examples of 50 target forms."""
    rng = np.random.default_rng([seed, len(encoder), round(100 * right)])
    hit = rng.random(200) < right
    said = Classes(np.where(hit, GOLD.ids, 1 - GOLD.ids), GOLD.names)
    made = Result(
        Trial(task, encoder, read, probe, "none", seed),
        "accuracy",
        float(hit.mean()),
        0.0,
        1.0,
        0.5,
        GOLD,
        said,
        {"tested": "these"},
    )
    return replace(made, clusters={"target": FORMS}, **changed)


def paired(results, **how):
    return answer_questions(pair_encoder_rows(to_scores(results)), **how)


def beside(results, encoder):
    return answer_questions(pair_with_encoders(to_scores(results), {encoder}))


def test_tables_call_encoders_as_other_tables_do():
    place = "st:/home/me/models/one-model"
    found = paired([result(place, 0.85), result("hf:y", 0.7)])
    assert {found.found[0].first, found.found[0].second} == {f"{place}, mlp", "hf:y, mlp"}
    for page, cell in ((found.page, "from st:one-model with"), (found.letters, "| st:one-model |")):
        assert cell in page.text("markdown")
        assert " with the probe mlp" in page.text("markdown"), "what all rows share is told once"
        assert place not in page.text("markdown")


def test_a_difference_is_that_of_the_answers_of_all_seeds():
    ours, theirs = (
        [result(e, p, s) for s in range(3)] for e, p in (("st:x", 0.85), ("bow:random", 0.7))
    )
    (comparison,) = beside([*ours, *theirs], "bow:random").found
    expected = compute_difference(
        "accuracy",
        *(
            FitAnswers(GOLD, [r.predicted for r in each], {"target": FORMS})
            for each in (ours, theirs)
        ),
    )
    assert (comparison.first, comparison.second) == (
        "st:x, mlp",
        "bow:random, mlp",
    ), "what is judged is told against the baseline"
    assert (comparison.difference, comparison.low, comparison.high) == pytest.approx(
        tuple(100 * v for v in expected[:3])
    )
    assert (comparison.p, comparison.corrected, comparison.n, comparison.clusters) == (
        expected.p,
        expected.p,
        200,
        "target",
    )
    assert (comparison.first_seeds, comparison.second_seeds) == (3, 3)


def test_all_pairs_of_each_task_are_compared_and_p_is_corrected_for_their_number():
    every = [
        result(e, p, task=t)
        for t in ("ud/tense:bank", "ud/passive:bank")
        for e, p in (("st:x", 0.9), ("hf:y", 0.7), ("hf:z", 0.6), ("bow:random", 0.6))
    ]
    comparison = paired(every).found
    assert len(comparison) == 6
    assert [f.corrected for f in comparison] == pytest.approx([min(1, 6 * f.p) for f in comparison])
    assert {f.task for f in comparison} == {"ud/tense:bank", "ud/passive:bank"}


def test_others_are_compared_with_what_is_chosen_and_is_most_like_them():
    layers = [result("hf:y", 0.6 + layer / 10, read=str(layer)) for layer in range(3)]
    chosen = [result("hf:z", 0.7, read=str(layer)) for layer in range(2)] + [
        result("hf:z", 0.8, read="1", probe="logreg")
    ]
    comparison = beside([*layers, *chosen], "hf:z").found
    told = {(f.first, f.second) for f in comparison}
    assert ("hf:y, layer 0, mlp", "hf:z, layer 0, mlp") in told
    assert ("hf:y, layer 1, mlp", "hf:z, layer 1, mlp") in told
    assert {b for a, b in told if a == "hf:y, layer 2, mlp"} == {
        "hf:z, layer 0, mlp",
        "hf:z, layer 1, mlp",
    }
    assert not any("logreg" in b for _, b in told)


@pytest.mark.parametrize(
    "other",
    [
        replace(result("hf:y"), provenance={"tested": "others"}),
        replace(
            result("hf:y"),
            gold=GOLD.take(np.arange(199)),
            predicted=GOLD.take(np.arange(199)),
            clusters={},
        ),
        replace(result("hf:y"), gold=GOLD.take(np.arange(200)[::-1])),
    ],
)
def test_scores_over_other_test_examples_are_not_compared_and_that_is_said(other):
    with pytest.raises(DataProblem, match="over different test examples"):
        paired([result(), other])
    comparison = paired([result(), result("hf:z", 0.7), other])
    assert [f.second for f in comparison.found] == ["st:x, mlp"] or [
        f.first for f in comparison.found
    ] == ["st:x, mlp"]
    assert len(comparison.left_out) == 2
    assert "hf:y" in tabulate_comparisons(comparison).notes[-1]


def test_differences_over_other_examples_than_those_above_are_marked_and_missing_folds_named():
    """Two pairs of one task, each over test examples of its own."""
    parts = [result(e, p, task="ud/tense:bank,fold=1/2") for e, p in (("hf:y", 0.9), ("hf:z", 0.7))]
    rows_ = np.arange(96)
    parts = [
        replace(
            r,
            gold=GOLD.take(rows_),
            predicted=r.predicted.take(rows_),
            clusters={},
            provenance={"tested": "part"},
        )
        for r in parts
    ]
    comparison = paired([result(), result("st:z", 0.6), *parts])
    assert {(f.n, f.missing) for f in comparison.found} == {(200, ""), (96, "fold 2 of 2")}
    table = tabulate_comparisons(comparison)
    marked = {row[-1]: row[1][-1] for row in table.sections[0].rows}
    assert (marked["96"], marked["200"].isdecimal()) == ("*", True)
    assert any(note.startswith("*") and "fold 2 of 2 missing" in note for note in table.notes)


def test_scores_that_were_computed_on_unlike_machines_are_said_to_be():
    both = [
        saying(one, computed={"processor": machine, "threads": "1"})
        for one, machine in ((result(), "A"), (result("bow:random", 0.6), "B"))
    ]
    comparison = beside(both, "bow:random")
    assert comparison.found[0].computed == "processor: A and B; threads: 1"
    assert any(
        "the processor of these rows differ" in note
        for note in tabulate_comparisons(comparison).notes
    )


def test_python_compares_what_the_command_does(tmp_path, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    write_dataset(TINY_DATASET_FAMILIES["sentence"](), tmp_path / "a.jsonl")
    task = f"table:{tmp_path / 'a.jsonl'}"
    how = {
        "probes": ["logreg"],
        "seeds": 1,
        "baselines": "none",
        "progress": False,
        "output": tmp_path / "out",
    }
    done = evaluate(["bow:random,dim=4", "length", "random"], task, **how)
    found = compare(done, against="length")
    assert (
        found
        == compare(tmp_path / "out", against="length")
        == compare(done.results, against="len*")
    )
    assert sorted(f.first for f in found.found) == ["bow:random,dim=4, logreg", "random, logreg"]
    assert "score of" in str(found)
    assert len(compare(done, pairs=True).found) == 3
    with pytest.raises(UsageProblem, match="choose one of them"):
        compare(done, against="length", pairs=True)
    with pytest.raises(UsageProblem, match="pairs=True"):
        compare(done).letters.text("markdown")
    with pytest.raises(
        DataProblem,
        match=(
            "no encoder of these results is called st:nothing: there are bow:random,dim=4, length,"
            " random"
        ),
    ):
        compare(done, against="st:nothing")


def test_oracles_are_compared_only_where_they_are_what_others_are_compared_with():
    oracle = result("gold:clause", 0.95)
    mine = [
        result(),
        result("length", 0.65),
        saying(oracle, kind="oracle"),
    ]
    (one,) = answer_questions(with_baselines(to_scores(mine))).found
    assert (one.first, one.second, one.against) == ("st:x, mlp", "length, mlp", 2)
    comparison = beside(mine, "gold:clause").found
    assert {(one.first, one.second) for one in comparison} == {
        ("st:x, mlp", "gold:clause, mlp"),
        ("length, mlp", "gold:clause, mlp"),
    }


def test_the_encoders_that_are_chosen_are_compared_with_all_baselines():
    mine = [result(), result("hf:y", 0.9), result("length", 0.6), result("bow:random", 0.65)]
    one, other = compare(mine, encoders="hf:*").found
    assert (one.first, one.second, one.against) == ("hf:y, mlp", "bow:random, mlp", 2)
    assert (other.second, other.against) == ("bow:random, mlp", 3)
    assert (one.question, other.question) == ("decodable", "beyond the surface")
    assert len(compare(mine).found) == 4
    table = tabulate_comparisons(compare(mine))
    assert "than every baseline of the question" in " ".join(table.notes)


def test_controls_are_not_compared_and_nothing_is_an_error():
    control = replace(result("hf:y"), trial=replace(result("hf:y").trial, control="shuffled"))
    with pytest.raises(DataProblem, match="no task has two selected scores"):
        paired([result(), control])


def test_folds_are_put_together_and_share_no_clusters():
    folds = []
    for number, rows in enumerate((np.arange(96), np.arange(96, 200)), 1):
        whole = result(task=f"ud/tense:bank,fold={number}/2")
        codes = np.unique(FORMS[rows], return_inverse=True)[1]
        folds.append(
            replace(
                whole,
                gold=GOLD.take(rows),
                predicted=whole.predicted.take(rows),
                clusters={"target": codes},
            )
        )
    joined = join_answers([folds]).clusters["target"]
    assert len(set(joined[:96]) & set(joined[96:])) == 0
    assert len(set(joined)) == 50
    first = replace(folds[0], clusters={})
    assert join_answers([[first, folds[1]]]).clusters["target"][:96].tolist() == [-1] * 96


def test_part_of_the_examples_keeps_what_they_share():
    from lingprobe.pages.breakdown import compute_stratum_rows

    tags = {"half": Tags(np.arange(200) // 100, ("first", "second"))}
    plain, known = (
        compute_stratum_rows(to_frame([replace(result(), strata=tags, clusters=c)]), "half")[0]
        for c in ({}, {"target": FORMS // 10})
    )
    assert (plain.low, plain.high) != (known.low, known.high)


def test_pages_say_what_was_compared_and_programs_get_all_digits():
    comparison = beside([result(right=0.95), result("bow:random", 0.6)], "bow:random")
    text = format_markdown(tabulate_comparisons(comparison))
    assert "corrected for 1 comparison (1 encoder on 1 task, against bow:random)" in text
    assert "clustered by target" in text
    assert "< 0.001" in text
    assert "fewer than 3 seeds" in text
    assert format_csv(comparison.found).startswith(
        "task,metric,first,second,difference,low,high,p,corrected,verdict,n"
    )
    (line,) = csv_of(format_csv(comparison.found))
    assert float(line["p"]) == pytest.approx(comparison.found[0].p, rel=1e-3)


def csv_of(text):
    return list(DictReader(io.StringIO(text)))


def test_the_command_compares_what_was_measured(tmp_path, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    write_dataset(TINY_DATASET_FAMILIES["sentence"](), tmp_path / "a.jsonl")

    def lingprobe(*arguments):
        return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=True)

    encoders = ["-e", "bow:random,dim=4", "-e", "length", "-e", "random", "--baselines", "none"]
    assert (
        lingprobe(
            "run",
            "-t",
            f"table:{tmp_path / 'a.jsonl'}",
            *encoders,
            "--probe",
            "logreg",
            "-o",
            tmp_path / "out",
            "-q",
        ).exit_code
        == 0
    )
    done = lingprobe("compare", tmp_path / "out", "--against", "length", "--format", "csv")
    assert done.exit_code == 0, done.output
    assert sorted(line.split(",")[2].strip('"') for line in done.stdout.splitlines()[1:]) == [
        "bow:random",
        "random",
    ]
    pairs = lingprobe("compare", tmp_path / "out", "--pairs", "--format", "csv")
    assert len(pairs.stdout.splitlines()) == 4
    assert "share a letter" in lingprobe("compare", tmp_path / "out", "--letters").stdout
    assert "no encoder of these results is called" in str(
        lingprobe("compare", tmp_path / "out", "-a", "st:nothing").exception
    )


def test_corrections_and_tests_are_chosen():
    results = [result(right=share, encoder=f"st:{share}") for share in (0.95, 0.85, 0.8)]
    plain = paired(results)
    for test in ("permutation", "bootstrap"):
        other = paired(results, test=test)
        assert [one.p for one in other.found] != [one.p for one in plain.found]
        for one, mine in zip(other.found, plain.found, strict=True):
            assert one.difference == pytest.approx(mine.difference)
            assert one.p == pytest.approx(mine.p, abs=0.1)
    p = [one.p for one in plain.found]
    assert [one.corrected for one in plain.found] == pytest.approx([min(1, 3 * each) for each in p])
    assert [one.corrected for one in paired(results, correction="bh").found] == pytest.approx(
        benjamini_hochberg(p)
    )
    assert "p (Benjamini-Hochberg)" in format_markdown(
        tabulate_comparisons(paired(results, correction="bh"))
    )
    with pytest.raises(UsageProblem, match="no test 'wilcoxon': choose one of t, permutation"):
        compare(results, test="wilcoxon")
    with pytest.raises(UsageProblem, match="no correction 'holm': choose one of bonferroni, bh"):
        compare(results, correction="holm")


def test_letters_say_which_scores_are_told_apart():
    results = [result(right=share, encoder=f"st:{share}") for share in (0.95, 0.9, 0.5)]
    comparison = paired(results)
    page = comparison.letters.text("markdown")
    told = {frozenset((o.first, o.second)) for o in comparison.found if o.corrected < 0.05}
    assert told
    letters = {
        line.split("|")[1].strip(): set(line.split("|")[3].strip())
        for line in page.splitlines()
        if line.startswith("| st:")
    }
    for first, second in combinations(letters, 2):
        assert bool(letters[first] & letters[second]) is (
            frozenset((f"{first}, mlp", f"{second}, mlp")) not in told
        )
    with pytest.raises(UsageProblem, match="leave --against out"):
        CliRunner().invoke(app, ["compare", "--letters", "--against", "x"], catch_exceptions=False)


def test_where_nothing_can_be_compared_it_says_what_was_left_out():
    remark = "2 older results are skipped"
    with pytest.raises(DataProblem, match=f"two selected scores; {remark}$"):
        paired([result()], remarks=(remark,))
