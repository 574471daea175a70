"""Does a model know a feature of words? One command, a sentence, and every layer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.models import transformer
from lingprobe import DataProblem
from lingprobe.cli import app
from lingprobe.inside.languages.morphology import (
    feature_of,
    in_layers,
    list_baseline_encoders,
    list_questions,
)
from tasks.treebanks import block

ROWS = """
{stem}{end}  NOUN  Case={case}|Number=Sing 2 obj {stem}
v{k}         VERB  Mood=Ind 0 root v{k}
"""
CASES = {"Nom": "", "Gen": "n", "Ine": "ssa"}


@pytest.fixture(scope="module")
def bank(tmp_path_factory) -> Path:
    """Three cases of 150 nouns, each with an ending of its own; one split."""
    place = tmp_path_factory.mktemp("bank") / "UD_Qaa-X"
    place.mkdir()
    letters = "bcdfghjklmp"
    stems = [f"{letters[k % 11]}o{letters[k // 11 % 11]}i{letters[k // 121]}u" for k in range(150)]
    text = "".join(
        block(ROWS.format(stem=stem, end=end, case=case, k=k % 40))
        for k, stem in enumerate(stems)
        for case, end in CASES.items()
    )
    (place / "qaa_x-ud-test.conllu").write_text(text, "utf-8")
    return place


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    return f"hf:{transformer(tmp_path_factory.mktemp('model') / 'tiny', layers=2, dim=16)}"


@pytest.fixture(scope="module")
def measured(bank, model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    page = lingprobe.morphology(str(bank), model, feature="Case", size=240, output=folder)
    return page, folder


def test_each_layer_stands_beside_the_floors(measured):
    page, _ = measured
    rows = page.content
    layers = [(r.where, r.layer) for r in rows if r.kind == "trained"]
    assert layers == [(where, str(k)) for where in ("in sentences", "alone") for k in range(3)]
    letters = {r.where: r for r in rows if r.encoder.startswith("char-ngrams")}
    assert letters["alone"].score > 95
    assert letters["in sentences"].score > 95
    untrained = [r for r in rows if "weights=random" in r.encoder]
    assert {r.kind for r in untrained} == {"baseline"}
    assert {r.layer for r in untrained} >= {"lex", "0", "1", "2"}
    judged = [r for r in rows if r.kind == "trained"]
    for row in judged:
        assert row.floored >= letters[row.where].score
        assert row.over == pytest.approx(row.score - row.floored, abs=0.01)


def test_a_model_without_training_is_not_said_to_know_it(measured):
    page, _ = measured
    unreadable, lead = page.tables[0].lead
    assert unreadable.startswith("tiny cannot read Qaa-X (100 %)")
    assert lead.startswith(
        "tiny on Case in Qaa-X: in sentences it is solved by char-ngrams alone ("
    )
    assert "; alone it is solved by char-ngrams alone (" in lead
    assert "last layer" in lead or ", layer 2;" in lead
    text = page.text()
    assert "subwords" in text
    assert re.search(r"^untrained  ", text, re.M)
    assert re.search(r"^untrained blocks  ", text, re.M)
    assert page.text("csv").startswith("feature,treebank,where,encoder,layer")


def test_results_show_it_again(measured, tmp_path):
    page, folder = measured
    again = lingprobe.report(folder, view="morphology")
    assert again.text() == page.text()
    with pytest.raises(DataProblem, match="`lingprobe inside morphology` measures some"):
        lingprobe.run("ud/tense:embedded", "length", probes=["logreg"], seeds=1, limit=100,
                      baselines="none", output=tmp_path).report(view="morphology")  # fmt: skip


def test_the_command_says_the_same(measured, bank, model):
    _, folder = measured
    asked = [
        "inside",
        "morphology",
        str(bank),
        "--feature",
        "Case",
        "-e",
        model,
        "--size",
        "240",
        "-q",
    ]
    done = CliRunner().invoke(app, [*asked, "-o", str(folder)])
    assert done.exit_code == 0, done.output
    assert "Case in Qaa-X, layer by layer" in done.output


def test_what_is_asked(bank, tmp_path):
    both = list_questions(str(bank), "*", 240)
    assert [(one.name, dict(one.options)["feature"]) for one in both] == [
        ("edge/feat", "Case"),
        ("forms/feat", "Case"),
    ]
    assert dict(both[0].options)["splits"] == "sampled"
    # no larger than there are forms
    assert "size" not in dict(list_questions(str(bank), "Case", 10_000)[1].options)
    file = tmp_path / "qaa"
    file.write_text(
        "".join(f"l{k}\tl{k}{'ab'[k % 2]}\tN;{('NOM', 'ACC')[k % 2]}\n" for k in range(400)),
        "utf-8",
    )
    (alone,) = list_questions(str(file), "Case", None)
    assert alone.name == "forms/feat"
    assert feature_of(str(alone)) == ("Case", "qaa", "alone")


def test_models_are_read_at_all_layers_word_by_word():
    assert in_layers("st:x") == "hf:x,layers=all,pool=none"
    assert in_layers("hf:x,layers=2+3") == "hf:x,layers=2+3,pool=none"
    assert in_layers("bow:random") == "bow:random"
    assert list_baseline_encoders(["hf:x,layers=all,pool=none"]) == [
        "char-ngrams,pool=none",
        "hf:x,pool=none,layers=lex,weights=random",
        "hf:x,pool=none,layers=all,weights=random",
    ]
