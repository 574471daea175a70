"""The page of a report in a real browser: sorted, filtered, by keyboard, in the dark, on paper, on
a telephone; no error, and no request leaves it.
"""

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fixtures.results import result, saying
from fixtures.scored import scores_page
from lingprobe.data.core import Tags

pytestmark = pytest.mark.integration

EVIL = "</script><img src='https://example.org/x' onerror='alert(1)'>"
KINDS = {"length": "baseline", "bow": "baseline", "gold:clause": "oracle"}
TASKS = tuple(f"ud/{name}:EWT-bank" for name in ("tense", "passive", "obj-num", "subj-num"))


def results(encoders, tasks):
    """Scores of encoders on tasks that differ, each with a tag of its examples."""
    tags = {"distance": Tags(np.arange(200) % 4, ("1", "2", "3", "4"))}
    made = []
    for (e, name), (t, task) in product(enumerate(encoders), enumerate(tasks)):
        share = min(0.98, 0.5 + (37 * e % 101) / 250 + (13 * t % 7) / 100)
        one = saying(result(share, encoder=name, task=task), kind=KINDS.get(name, "trained"))
        made.append(replace(one, strata=tags))
    return made


@dataclass
class Opened:
    """A page in a browser, with what it asked for and what it complained of."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def column(self, name: str, body: int = 1) -> list[str]:
        """The cells of a column of the table of scores, in one of its bodies."""
        return self.page.evaluate(COLUMN, [name, body])  # type: ignore[no-any-return]

    def head(self, name: str) -> Any:
        """The button in the head of a column of the table of scores."""
        return self.page.locator(f"#outcome thead button:text-is('{name}')")


COLUMN = """([name, body]) => {
  const table = document.querySelector("#outcome table");
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const column = heads.findIndex(head => head.textContent === name);
  return [...table.tBodies[body].rows].filter(row => !row.hidden).map(row => row.cells[column].textContent);
}"""


@contextmanager
def opened(browser, file, **how) -> Iterator[Opened]:
    """A file in a window of its own."""
    context = browser.new_context(**({"viewport": {"width": 1200, "height": 900}} | how))
    one = Opened(context.new_page())
    one.page.on("request", lambda request: one.requests.append(request.url))
    one.page.on("console", lambda said: one.complaints.append(said.text))
    one.page.on("pageerror", lambda error: one.complaints.append(str(error)))
    one.page.goto(file.as_uri())
    yield one
    context.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A page with fourteen encoders, one of them with a name that is an attack."""
    names = ["length", "bow", *(f"mine-{i:02}" for i in range(10)), EVIL, "gold:clause"]
    path = tmp_path_factory.mktemp("page") / "report.html"
    scores_page(results(names, TASKS)).write(path)
    return path


@pytest.fixture
def here(browser, file):
    """The page, which must have asked for nothing and complained of nothing when a test ends."""
    with opened(browser, file) as one:
        yield one
        assert one.requests == [file.as_uri()]
        assert one.complaints == []


def numbers(cells):
    return [float(cell.partition(" ")[0].rstrip("▲")) for cell in cells]


def test_a_column_is_sorted_within_baselines_and_encoders(here):
    before = here.column("tense")
    here.head("tense").click()
    after = here.column("tense")
    assert numbers(after) == sorted(numbers(before), reverse=True) != numbers(before)
    here.head("tense").click()
    assert numbers(here.column("tense")) == sorted(numbers(before))
    here.head("tense").click()
    assert here.column("tense") == before
    assert here.column("encoder", 0) == ["(constant)", "length", "bow"]


def test_names_are_sorted_as_people_do(here):
    here.head("encoder").click()
    names = here.column("encoder")
    assert names[1:] == [f"mine-{i:02}" for i in range(10)]


def test_the_keyboard_is_enough(here):
    here.page.keyboard.press("Tab")
    assert here.page.evaluate("document.activeElement.textContent") == "Skip to the content"
    here.page.keyboard.press("Enter")
    assert here.page.evaluate("location.hash") == "#content"
    head = here.head("passive")
    head.focus()
    here.page.keyboard.press("Enter")
    cell = head.locator("xpath=..")
    assert cell.get_attribute("aria-sort") == "descending"
    here.page.keyboard.press("Space")
    assert cell.get_attribute("aria-sort") == "ascending"
    here.page.keyboard.press("Tab")
    assert here.page.evaluate("document.activeElement.textContent") == "obj-num"
    style = here.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style != "none"
    summary = here.page.locator("#failures > details > summary").first
    summary.focus()
    here.page.keyboard.press("Enter")
    assert here.page.locator("#failures table").first.is_visible()


def test_scores_and_figure_are_saved_without_the_network(here):
    for name, begins in (("scores.csv", "task,encoder"), ("figure.svg", "<svg")):
        link = "Scores as CSV" if name.endswith("csv") else "Save the figure"
        with here.page.expect_download() as saving:
            here.page.get_by_text(link).first.click()
        assert saving.value.suggested_filename == name
        assert Path(saving.value.path()).read_text("utf-8").startswith(begins)


def test_rows_are_filtered_and_counted(here):
    field = here.page.locator("#outcome").get_by_label("Filter rows")
    field.fill("MINE 03")
    assert here.column("encoder") == ["mine-03"]
    assert here.page.locator("#outcome output").text_content() == "1 of 16 rows"
    assert here.page.locator("#outcome").get_by_role("status").count() == 1
    field.fill("")
    assert len(here.column("encoder")) == 11


def test_columns_are_filtered_with_their_groups(browser, tmp_path):
    tasks = [f"{family}/task-{i}:EWT-bank" for family in ("mine", "yours") for i in range(6)]
    path = tmp_path / "wide.html"
    scores_page(results(["length", "a", "b"], tasks)).write(path)
    with opened(browser, path) as one:
        one.page.locator("#outcome").get_by_label("Filter columns").fill("yours task-3")
        shown = one.page.locator("#outcome thead th:visible").all_text_contents()
        assert shown == ["yours:EWT-bank", "encoder", "task-3"]
        assert one.page.locator("#outcome tbody tr").first.locator(":visible").count() == 2
        one.page.locator("#outcome").get_by_label("Filter columns").fill("")
        assert one.page.locator("#outcome thead th:visible").count() == 2 + 1 + 12 + 2
        assert one.complaints == []


def test_a_name_that_is_an_attack_is_a_name(here):
    assert any(name.startswith("</script><img src=") for name in here.column("encoder"))
    assert here.page.locator("img").count() == 0


def test_nothing_that_is_put_into_the_page_can_leave_it(browser, file):
    with opened(browser, file) as one:
        one.page.route("**/*", lambda route: route.fulfill(body="reached"))
        reached = one.page.evaluate("fetch('https://example.org/').then(() => true, () => false)")
        one.page.evaluate(
            "document.body.append(Object.assign(new Image(), {src: 'https://example.org/x.png'}))"
        )
        one.page.evaluate(
            "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = true'}))"
        )
        assert not reached
        assert one.page.evaluate("window.ran") is None
        assert any("Content Security Policy" in text for text in one.complaints)


def luminance(colour):
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(", ")]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_follows_the_setting_of_the_system_and_can_be_read(browser, file, scheme):
    with opened(browser, file, color_scheme=scheme) as one:
        paper = luminance(one.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert (paper > 0.5) == (scheme == "light")
        for place in ("body", ".note", "nav a", ".finding", "td.w", "caption"):
            colour = one.page.evaluate(f"getComputedStyle(document.querySelector('{place}')).color")
            ink = luminance(colour)
            contrast = (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05)
            assert contrast >= 4.5, place


@pytest.mark.parametrize("width", [390, 1024, 1600])
def test_no_page_is_wider_than_its_window(browser, file, width):
    with opened(browser, file, viewport={"width": width, "height": 900}) as one:
        one.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        wide, room = one.page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= room


def test_no_label_of_a_figure_is_cut_off(here):
    outside = here.page.evaluate(
        """[...document.querySelectorAll("svg text")].filter(text => {
          const one = text.getBoundingClientRect(), all = text.closest("svg").getBoundingClientRect();
          return one.left < all.left - 1 || one.right > all.right + 1 || one.top < all.top - 1 || one.bottom > all.bottom + 1;
        }).map(text => text.textContent)"""
    )
    assert outside == []


def pages(page):
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))


def test_on_paper_there_is_what_is_open_and_no_controls(here):
    here.page.emulate_media(media="print")
    assert not here.page.locator("nav, .controls").first.is_visible()
    assert not here.page.locator("#failures").is_visible()
    here.page.evaluate("document.querySelector('#failures details').open = true")
    assert here.page.locator("#failures table").first.is_visible()


def test_nine_tasks_and_three_encoders_of_thirteen_layers_are_two_pages(browser, tmp_path):
    names = ("all-MiniLM-L6-v2", "bert-base-cased", "roberta-base")
    tasks = [f"ud/task-{i}:EWT-bank" for i in range(9)]
    layers = [
        saying(
            result(
                0.6 + (7 * i + 3 * int(layer)) % 30 / 100,
                encoder=f"hf:{name}",
                read=layer,
                task=task,
            ),
            kind="trained",
            choice={"dev": 0.5 + int(layer) / 100},
        )
        for (i, task), name, layer in product(enumerate(tasks), names, map(str, range(13)))
    ]
    others = [
        saying(result(share, encoder=name, task=task), kind=KINDS[name])
        for task, (name, share) in product(
            tasks, (("length", 0.55), ("bow", 0.7), ("gold:clause", 1.0))
        )
    ]
    path = tmp_path / "layers.html"
    scores_page([*layers, *others]).write(path)
    assert path.stat().st_size < 1_000_000
    with opened(browser, path, viewport={"width": 1600, "height": 1000}) as one:
        assert pages(one.page) == 2
        took = one.page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        assert took < 2000
        figure = one.page.locator("#outcome svg").bounding_box()
        assert figure["y"] + figure["height"] < 1000


def test_without_scripts_all_is_there(browser, file):
    with opened(browser, file, java_script_enabled=False) as one:
        assert one.page.locator("button, input").count() == 0
        assert one.page.locator("#outcome tbody tr").count() == 16


def test_every_control_has_a_name(here):
    unnamed = here.page.evaluate(
        """[...document.querySelectorAll("button, input, [role=group], summary")].filter(each =>
          !(each.textContent.trim() || each.getAttribute("aria-label") || each.labels?.length)).length"""
    )
    assert unnamed == 0
    ids = here.page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(ids) == len(set(ids))


def test_two_hundred_encoders_on_fifty_tasks_do_not_hang(browser, tmp_path, capsys):
    names = ["length", "bow", *(f"mine-{i:03}" for i in range(197)), "gold:clause"]
    tasks = [f"mine/task-{i:02}:EWT-bank" for i in range(50)]
    path = tmp_path / "big.html"
    page = scores_page(results(names, tasks))
    start = time.perf_counter()
    page.write(path)
    written = time.perf_counter() - start
    start = time.perf_counter()
    with opened(browser, path) as one:
        loaded = time.perf_counter() - start
        sort = "() => { const start = performance.now(); document.querySelector(SELECTOR).click(); document.body.offsetHeight; return performance.now() - start }"
        sorted_in = one.page.evaluate(
            sort.replace("SELECTOR", "'#outcome thead tr:last-child th:nth-child(9) button'")
        )
        field = one.page.locator("#outcome").get_by_label("Filter columns")
        start = time.perf_counter()
        field.fill("task-07")
        one.page.evaluate("document.body.offsetHeight")
        filtered = time.perf_counter() - start
        assert one.column("encoder")
        assert one.complaints == []
    size = path.stat().st_size / 1e6
    with capsys.disabled():
        sys.stdout.write(
            f"\n200 x 50: written in {written:.1f} s, {size:.1f} MB, opened in {loaded:.2f} s,"
            f" sorted in {sorted_in:.0f} ms, filtered in {filtered * 1000:.0f} ms\n"
        )
    assert size < 10
    assert written < 120
    assert loaded < 10
    assert sorted_in < 1000
    assert filtered < 2
