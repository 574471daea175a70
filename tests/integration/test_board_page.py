"""The pages of a board in a real browser: rows and columns chosen by what they are, scores of one
layer, by keyboard and on a telephone; no request leaves them, axe-core finds no violation, and 500
models are there in three seconds.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest

import lingprobe
from extensions.board.made import TASKS, control, fit, results, store, tagged
from integration.test_accessibility import LOOKS, axe, violations
from integration.test_browser import EVIL, opened
from lingprobe_extensions.board.submission import (
    BoardSubmission,
    SubmitterStatement,
    submission_of,
    write_submission,
)

pytestmark = pytest.mark.integration
__all__ = ["axe"]  # a fixture
MANY, SOON = 500, 3.0
REPORTED = "hf:org/model-13"  # which the operator has not measured
LAYERS = {"0": 0.6, "6": 0.9, "12": 0.7}
SHOWN = """name => [...document.querySelectorAll("#models tbody tr")].filter(row => !row.hidden)
  .map(row => row.cells[[...document.querySelectorAll("#models thead tr:last-child > *")]
    .findIndex(head => head.textContent === name)]?.textContent)"""
HEADS = """() => [...document.querySelectorAll("#models thead tr:last-child > *")]
  .filter(head => !head.hidden).map(head => head.textContent)"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A board with models of several sizes and layers, one with a name that is an attack."""
    place = tmp_path_factory.mktemp("board")
    shares = {f"hf:org/model-{k:02}": 0.6 + k / 50 for k in range(14)}
    deep = [
        fit("hf:org/deep", share, task=task, read=read)
        for task in TASKS
        for read, share in LAYERS.items()
    ]
    plain = [replace(tagged(each), clusters={}) for each in results(shares)]
    measured = [*plain, *deep, *(control(each, 0.6) for each in plain[:4])]
    own = store([one for one in measured if one.trial.encoder != REPORTED], place / "own")
    made = submission_of(measured, SubmitterStatement())
    lines = []
    for k, line in enumerate(made.lines):
        name = EVIL if line.encoder == REPORTED else line.name
        mteb = {"model": "org/deep", "revision": "abc", "scores": {"STS": 50.0}} if k == 0 else {}
        size = None if k % 3 == 0 else 10 ** (6 + k % 4)
        one = replace(line, name=name, parameters=size, mteb=mteb)
        lines.append(replace(one, digest=one.seal()))
    write_submission(BoardSubmission(made.fits, made.results, tuple(lines)), place / "mine")
    return lingprobe.board(place / "mine", place / "site", measure=own).files


@pytest.fixture
def here(browser, site):
    """The first page, which must have asked for nothing and complained of nothing in the end."""
    with opened(browser, site[0]) as one:
        yield one
        assert one.requests == [site[0].as_uri()]
        assert one.complaints == []


def test_columns_are_chosen_by_language_family_and_task(here):
    assert here.page.evaluate(HEADS)[3:] == ["passive", "tense"]
    here.page.get_by_label("Language").select_option("Polish")
    assert here.page.evaluate(HEADS)[2:] == ["parameters (M)", "passive"]
    assert here.page.locator("#models output").text_content() == "2 of 3 columns"
    here.page.get_by_label("Language").select_option("")
    here.page.get_by_role("combobox", name="Task").select_option(index=2)
    assert here.page.evaluate(HEADS)[3:] == ["tense"]
    here.page.get_by_role("combobox", name="Task").select_option("")
    here.page.get_by_label("Family").select_option("ud")
    assert len(here.page.evaluate(HEADS)) == 5


def test_rows_are_chosen_by_size_and_name_together(here):
    here.page.get_by_label("Size").select_option("unknown")
    names = here.page.evaluate(SHOWN, "model")
    assert names[0] == "best baseline"
    upper = names.index("upper bound")
    assert names[upper + 1] == "n"
    assert all(name.endswith("(reported)") for name in names[upper + 2 :])
    assert 4 < upper < 10
    here.page.get_by_label("Filter rows").fill("model-0")
    fewer = here.page.evaluate(SHOWN, "model")
    assert fewer
    assert set(fewer) < set(names)
    here.page.get_by_label("Filter rows").fill("")
    here.page.get_by_label("Size").select_option("")
    assert len(here.page.evaluate(SHOWN, "model")) == 14 + 15 + 3


def test_scores_of_one_layer_are_shown_and_sorted(here):
    def deep():
        row = here.page.locator("#models tbody tr").filter(has_text=re.compile("^org/deep"))
        return row.first.locator("td").nth(2)

    head = "passive"
    first = deep().text_content()
    assert first.startswith("90.0")
    assert deep().locator("b").count() == 1
    here.page.get_by_label("Layer").select_option("0")
    assert deep().text_content().startswith("60.0")
    here.page.locator(f"#models thead button:text-is('{head}')").click()
    shown = [cell for cell in here.page.evaluate(SHOWN, head)[1:] if cell.startswith("60.0 ±")]
    assert shown == [deep().text_content()] * 2  # measured, and reported
    here.page.get_by_label("Layer").select_option("")
    assert deep().text_content() == first
    assert deep().locator("b").count() == 1


def test_the_keyboard_chooses_and_opens_a_model(here):
    here.page.get_by_label("Language").focus()
    here.page.keyboard.press("ArrowDown")
    assert len(here.page.evaluate(HEADS)) == 4
    style = here.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style != "none"
    assert here.page.locator("img").count() == 0


def test_pages_lead_to_each_other(browser, site):
    with opened(browser, site[0]) as one:
        one.page.locator("#models tbody a").nth(3).focus()
        one.page.keyboard.press("Enter")
        one.page.wait_for_url("**/models/*")
        one.page.locator("#model tbody a").first.click()
        one.page.wait_for_url("**/tasks/*")
        one.page.get_by_text("all models and tasks").click()
        one.page.wait_for_url("**/index.html")
        assert one.complaints == []
        assert all(request.startswith("file:") for request in one.requests)


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_pages_of_a_board_have_no_violation(browser, axe, site, scheme, width):
    kinds = {file.parent.name: file for file in site}
    assert len(kinds) == 4
    found = {name: violations(browser, axe, file, scheme, width) for name, file in kinds.items()}
    assert {name: said for name, said in found.items() if said} == {}


@pytest.mark.parametrize("width", [1600, 390])
def test_nothing_is_wider_than_the_window(browser, site, width):
    for file in {file.parent: file for file in site}.values():
        with opened(browser, file, viewport={"width": width, "height": 900}) as one:
            assert one.page.evaluate("document.documentElement.scrollWidth") <= width


def test_many_models_are_there_soon(browser, tmp_path):
    shares = {f"hf:org/model-{k:03}": 0.55 + 0.4 * k / MANY for k in range(MANY)}
    own = store(results(shares, n=60), tmp_path / "own")
    files = lingprobe.board(output=tmp_path / "site", measure=own).files
    assert files[0].stat().st_size <= 2_000_000
    started = time.perf_counter()
    with opened(browser, files[0]) as one:
        one.page.wait_for_selector("#models select")
        assert time.perf_counter() - started < SOON
        assert one.page.locator("#models tbody tr").count() == MANY + 3
