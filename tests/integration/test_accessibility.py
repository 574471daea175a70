"""axe-core, the checker of accessibility that browsers' own tools use, finds no violation on the
pages that lingprobe writes and on those of its documentation: light and dark, wide and narrow.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import lingprobe
from inside.languages.test_transfer import Tenses, treebank
from integration.test_browser import EVIL, TASKS, results
from pages.test_printed_figures import layered, scores, trainings
from test_site import copy, site

pytestmark = pytest.mark.integration
__all__ = ["copy", "site"]  # fixtures

ROOT = Path(__file__).parents[2]
AXE = Path(sys.prefix) / "axe/node_modules/axe-core/axe.min.js"
CHECK = """async () => {
  document.querySelectorAll("details").forEach(each => each.open = true);
  const found = await axe.run(document, {resultTypes: ["violations"]});
  return found.violations.map(each => `${each.id} (${each.impact}): ${each.help}: `
    + each.nodes.slice(0, 3).map(node => node.target.join(" ") + ": " + node.failureSummary).join("; "));
}"""
LOOKS = tuple(product(("light", "dark"), (1600, 390)))
DOCUMENTED = (
    *("index", "start", "encoders", "understand", "compare", "layers", "errors", "tasks"),
    *("languages", "suites", "results", "cli", "api", "language"),
)


@pytest.fixture(scope="module")
def axe() -> str:
    """The text of axe-core; the test fails where it is not installed."""
    if not AXE.is_file():
        pytest.fail(f"{AXE} is not there: `make test-integration` installs it")
    return AXE.read_text("utf-8")


@pytest.fixture(scope="module")
def written(tmp_path_factory: Any) -> Path:
    """A folder with pages of every kind."""
    folder = tmp_path_factory.mktemp("pages")
    names = ["length", "bow", *(f"mine-{i:02}" for i in range(12)), EVIL, "gold:clause"]
    ran = lingprobe.evaluate(
        ["length", "bow:random"], ["ud/tense:embedded"], probes="logreg", seeds=1
    )
    banks = [treebank(folder, code, 900) for code in ("aa", "bb")]
    ways = {"train": banks[:1], "test": banks[1:], "size": 60, "seeds": 1}
    pages = {
        "scores": lingprobe.report(results(names, TASKS)),
        "long-names": lingprobe.report(scores()),
        "run": ran.report(),
        "each": lingprobe.report(results(names[:4], TASKS), each=True),
        "layers": lingprobe.layers(layered(3)),
        "by": lingprobe.report(layered(2), by="distance", layers=["lex", "mix"]),
        "compare": lingprobe.compare(results(names, TASKS)).page,
        "curve": lingprobe.curve(trainings()),
        "relate": lingprobe.relate(published="conneau2018"),
        "survey": lingprobe.survey(banks, tasks=["ud/tense", "ud/passive"]),
        "transfer": lingprobe.transfer("ud/tense", {"tenses": Tenses()}, **ways),
        "inspect": lingprobe.inspect("ud/tense:embedded"),
    }
    for name, page in pages.items():
        page.write(folder / f"{name}.html")
    return folder


def violations(browser: Any, axe: str, file: Path, scheme: str, width: int) -> list[str]:
    """What axe-core says of a file, all of which is unfolded."""
    look = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    context = browser.new_context(**look, reduced_motion="reduce")
    page = context.new_page()
    page.goto(file.as_uri())
    page.evaluate(axe)
    found: list[str] = page.evaluate(CHECK)
    context.close()
    return found


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_pages_of_results_have_no_violation(browser, axe, written, scheme, width):
    found = {
        file.name: violations(browser, axe, file, scheme, width)
        for file in sorted(written.glob("*.html"))
    }
    assert len(found) == 12
    assert {name: said for name, said in found.items() if said} == {}


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_pages_of_the_documentation_have_no_violation(browser, axe, site, scheme, width):
    found = {
        name: violations(browser, axe, site / f"{name}.html", scheme, width) for name in DOCUMENTED
    }
    assert {name: said for name, said in found.items() if said} == {}


def test_axe_finds_what_is_wrong(browser, axe, tmp_path):
    (tmp_path / "wrong.html").write_text("<html><body><img src='x'><input></body></html>", "utf-8")
    found = violations(browser, axe, tmp_path / "wrong.html", "light", 1600)
    assert {"image-alt", "label", "html-has-lang"} <= {one.partition(" ")[0] for one in found}
