"""What can be done with what a run measured, in Python and in notebooks."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pandas
import pytest

import lingprobe


@pytest.fixture(scope="module")
def how(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    return {"seeds": 1, "output": folder / "results", "cache": folder / "cache"}


@pytest.fixture(scope="module")
def evaluation(task, how):
    encoders = ["random,dim=4", "length", "bow:random,dim=8"]
    return lingprobe.evaluate(
        encoders, task, probes="logreg", controls="shuffled", baselines="none", **how
    )


def test_it_has_the_length_of_its_scores_and_iterates_over_them(evaluation):
    assert len(evaluation.results) == 6
    assert len(evaluation) == 3
    by_hand = [r for r in evaluation.results if r.trial.control == "none"]
    assert [one.score for one in evaluation] == [100 * r.score for r in by_hand]


def test_its_data_frame_is_what_the_parquet_holds(evaluation, tmp_path):
    frame = evaluation.to_dataframe()
    evaluation.page.write(tmp_path / "a.parquet")
    pandas.testing.assert_frame_equal(frame, pandas.read_parquet(tmp_path / "a.parquet"))
    assert len(frame) == 6
    assert frame["control"].tolist().count("shuffled") == 3
    plain = frame[frame["control"] == "none"].set_index("encoder")["score"]
    by_hand = {
        r.trial.encoder: 100 * r.score for r in evaluation.results if r.trial.control == "none"
    }
    assert sorted(plain) == pytest.approx(sorted(by_hand.values()))


def test_the_data_frame_of_nothing_has_the_columns(tmp_path):
    frame = lingprobe.Evaluation(()).to_dataframe()
    assert not len(frame)
    assert {"task", "encoder", "score", "low", "high", "n"} <= set(frame.columns)


def test_measuring_and_printing_do_not_import_pandas():
    code = "import sys, lingprobe; str(lingprobe.Evaluation(())); print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def test_what_is_remarked_of_an_encoder_stands_below_the_table(task, how):
    def sorting(sentences):
        sentences.sort()  # so that vectors are of other sentences
        return [[float(len(sentence))] for sentence in sentences]

    shown = lingprobe.evaluate(
        {"<b>s</b>": sorting}, task, probes="logreg", baselines="none", **how
    )
    (remark,) = shown.remarks
    assert "another vector beside other sentences" in remark
    assert str(shown).endswith(remark)
    assert "another vector beside other sentences" in shown._repr_html_()
    assert "<b>s" not in shown._repr_html_()


def test_a_notebook_shows_the_table_and_what_failed(task, how, evaluation):
    assert evaluation._repr_html_().count("bow:random") >= 1

    def broken(sentences):
        raise RuntimeError("<script>alert(1)</script>")

    def len_of(sentences):
        return [[float(len(sentence))] for sentence in sentences]

    both = lingprobe.evaluate({"<b>mine</b>": broken, "n": len_of}, task, probes="logreg", **how)
    shown = both._repr_html_()
    assert ">n<" in shown
    assert "failed: " in shown
    assert "<script" not in shown
    assert "<b>mine" not in shown
    nothing = lingprobe.evaluate(broken, task, probes="logreg", baselines="none", **how)
    assert "nothing could be measured" in nothing._repr_html_()


def test_its_views_are_those_of_report(evaluation):
    assert evaluation.report() is evaluation.page
    assert str(evaluation.report(classes=True)) == str(lingprobe.report(evaluation, classes=True))
    some = evaluation.report(encoders="length")
    assert {row.encoder for row in some.content} == {"length"}
    with pytest.raises(lingprobe.UsageProblem, match="separate views"):
        evaluation.report(classes=True, bits=True)


def test_its_comparison_is_that_of_compare(evaluation):
    ours, theirs = evaluation.compare("length"), lingprobe.compare(evaluation, "length")
    assert ours == theirs
    assert {one.second for one in ours.found} == {"length, logreg"}
    assert all(one.low <= one.difference <= one.high for one in ours.found)


def test_scores_of_one_layer_have_nothing_to_draw_but_strata(evaluation, tmp_path):
    with pytest.raises(lingprobe.DataProblem, match="has the tag"):
        evaluation.plot(by="nothing")


def test_figures_are_files_and_show_themselves(tmp_path, how):
    measured = lingprobe.evaluate(
        "length", "ud/passive:embedded", probes="logreg", baselines="none", **how
    )
    figure = measured.plot(tmp_path / "a.png", by="construction")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in figure._repr_svg_()
    assert repr(figure) == "Figure()"


@pytest.mark.parametrize(
    "function", [lingprobe.evaluate, lingprobe.suite, lingprobe.report, lingprobe.compare]
)
def test_help_names_every_keyword(function):
    kinds = {p.kind for p in inspect.signature(function).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds


def test_evaluate_takes_what_run_takes_but_for_the_suite():
    taken = {
        function: {n: p.default for n, p in inspect.signature(function).parameters.items()}
        for function in (lingprobe.run, lingprobe.evaluate, lingprobe.suite)
    }
    ran = {n: d for n, d in taken[lingprobe.run].items() if n not in ("tasks", "encoders", "suite")}
    assert {n: taken[lingprobe.evaluate][n] for n in ran} == ran
    assert "suite" not in taken[lingprobe.evaluate]
    assert "probes" not in taken[lingprobe.suite]
    settings = set(lingprobe.Settings.__annotations__) - {"suite"}
    assert settings == set(ran)


def test_a_text_stands_where_a_list_may(evaluation, task, how):
    asked = {"probes": ["logreg"], "controls": ["shuffled"], "baselines": "none", **how}
    listed = lingprobe.evaluate(["length"], [task], **asked)
    asked |= {"probes": "logreg", "controls": "shuffled"}
    alone = lingprobe.evaluate("length", task, **asked)
    assert [r.trial for r in alone.results] == [r.trial for r in listed.results]
    mine = lingprobe.results(how["output"], encoders="length", tasks="table*")
    assert {r.trial.encoder for r in mine} == {"length"}
    assert lingprobe.compare(evaluation, "length", encoders="random*").found


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda t: lingprobe.evaluate("length", t, prob="a"), "evaluate takes no argument 'prob': did you mean probes?"),
        (lambda t: lingprobe.run(t, "length", seed=1), "run takes no argument 'seed': a run trains each probe with several seeds, seeds=5"),
        (lambda t: lingprobe.suite("ud2019:X", probes=["mlp"]), "suite takes no argument 'probes'"),
        (lambda t: lingprobe.report("r", task="a"), "report takes no argument 'task': did you mean tasks?"),
        (lambda t: lingprobe.run(t, "length", seeds=[1, 2]), "seeds=[1, 2]: give a whole number"),
        (lambda t: lingprobe.run([("A man sleeps.", "x")], "length"), "is not a task: of pairs of text and label"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_one_sentence(task, call, sentence):
    with pytest.raises(lingprobe.LingprobeError, match=re.escape(sentence)) as problem:
        call(task)
    assert "\n" not in str(problem.value)


def test_models_go_by_the_names_that_a_mapping_gives(task, how):
    def one(texts):
        return [[float(len(text))] for text in texts]

    def two(texts):
        return [[float(text.count("a")), 1.0] for text in texts]

    named = lingprobe.evaluate({"A": one, "B": two}, task, probes="logreg", baselines="none", **how)
    assert [r.trial.encoder for r in named.results] == ["A", "B"]


def test_languages_may_be_one_text(tmp_path):
    with pytest.raises(lingprobe.DataProblem, match="no treebank of pol under"):
        lingprobe.get_tasks("pol", path=tmp_path)
