"""What papers say of their own tables, computed again from what they print."""

import math
import re
from pathlib import Path

import pytest

import lingprobe


def related(**options):
    return lingprobe.relate(published="ud2019", **options).content


def test_tasks_of_two_languages_go_together_as_figure_3_says():
    """ "there are three tasks with visibly lower correlations: SentType and the two downstream
    tasks" (section 5).
    """
    rho = {each.task: each.found for each in related().tasks}
    assert len(rho) == 11
    low = {
        name: round(rho.pop(name).correlation, 2)
        for name in ("SentType", "Entailment", "Relatedness")
    }
    assert low == {"SentType": 0.26, "Entailment": 0.17, "Relatedness": 0.64}
    assert min(one.correlation for one in rho.values()) >= 0.90
    assert {one.n for one in rho.values()} == {8}


def test_all_correlations_of_models_are_high():
    """Figure 3 at the left: Spearman's rho over the eleven tasks."""
    values = [each.correlation for each in related().profiles]
    assert (round(min(values), 2), round(max(values), 2)) == (0.81, 0.96)
    assert {each.n for each in related().profiles} == {11}


def test_with_eight_models_lower_is_hardly_separable():
    found = related(method="pearson")
    tasks = {each.task: each for each in found.tasks}
    one = tasks["SentType"].found
    assert (round(one.correlation, 2), round(one.low, 2), round(one.high, 2)) == (0.51, -0.31, 0.89)
    assert [each.apart for each in found.tasks] == [0] * 11
    page = str(lingprobe.relate(published="ud2019", method="pearson"))
    assert "No two tasks differ significantly" in page
    assert "Warning: 8 encoders are few" in page


def test_another_model_s_scores_do_nearly_as_well():
    """So that it says little that each model's are alike in both languages; less the task means it
    says something.
    """
    found = related(method="pearson")
    others = [each.others for each in found.profiles]
    assert round(sum(others) / len(others), 2) == 0.88
    assert min(each.centred for each in found.profiles) > 0.65
    assert max(each.centred_others for each in found.profiles) < 0.1
    assert found.p < 0.001


def test_poolings_of_a_model_can_count_as_one():
    found = related(family="^[^-]+")
    assert {each.found.n for each in found.tasks} == {5}
    assert math.isnan(found.p)
    assert {each.n for each in found.profiles} == {11}


def test_conneau_s_probing_tasks_go_together():
    relation = lingprobe.relate(published="conneau2018").content
    assert len(relation.table.rows) == 25
    pairs = {(one.first, one.second): one for one in relation.found}
    assert len(pairs) == 45
    assert round(pairs["SubjNum", "ObjNum"].correlation, 2) == 0.98
    assert round(pairs["SentLen", "WC"].correlation, 2) == -0.58
    assert not any(one.is_significant for one in relation.found if "WC" in (one.first, one.second))


@pytest.mark.parametrize("figure", ["dots", "radar", "scores"])
def test_figures_of_two_languages(tmp_path, figure):
    page = lingprobe.relate(
        published="ud2019", figure=figure, encoders=["LASER", "BERT-mean", "COMBO-*"]
    )
    page.write(tmp_path / "f.svg")
    drawn = (tmp_path / "f.svg").read_text()
    assert "SentType" in drawn
    assert "LASER" in drawn


def test_what_cannot_be_drawn_or_related_is_said(tmp_path):
    page = lingprobe.relate(published="ud2019", figure="radar", encoders="fast*")
    page.write(tmp_path / "f.svg")
    with pytest.raises(
        lingprobe.UsageProblem, match="name two languages by code or name, such as en,pl"
    ):
        lingprobe.relate(published="ud2019", languages="en")
    with pytest.raises(lingprobe.DataProblem, match="0 tasks were measured in both eng and fra"):
        lingprobe.relate(published="ud2019", languages="en,French")
    with pytest.raises(lingprobe.UsageProblem, match="shows a paper's table alone"):
        lingprobe.relate([], published="ud2019")
    with pytest.raises(
        lingprobe.UsageProblem, match="no published 'k19': choose one of conneau2018, ud2019"
    ):
        lingprobe.relate(published="k19")


@pytest.mark.parametrize(
    ("name", "options"), [("conneau2018", {}), ("ud2019", {"method": "pearson"})]
)
def test_the_figures_of_the_page_are_what_is_drawn(tmp_path, name, options):
    """Anew: `lingprobe relate --published NAME -o docs/figures/relate-NAME.svg`, with these options."""
    lingprobe.relate(published=name, **options).write(tmp_path / "f.svg")
    shown = Path(__file__).parents[2] / "docs" / "figures" / f"relate-{name}.svg"
    drawn, kept = (said(file) for file in (tmp_path / "f.svg", shown))
    assert len(drawn) > 40
    assert drawn == kept


def said(file: Path) -> list[str]:
    """What a figure says, whatever version of matplotlib laid it out."""
    return re.findall(r"(?<=>)[^<>]+(?=</(?:text|title)>)", file.read_text("utf-8"))
