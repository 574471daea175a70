"""The public API: all of it is documented, its text is what the code says, and the changelog tells of
it.
"""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path

import pytest

import lingprobe
from lingprobe.api.measure import Settings

ROOT = Path(__file__).parent.parent
WRITER = runpy.run_path(str(ROOT / "docs" / "write_api.py"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
FUNCTIONS = [name for name in lingprobe.__all__ if inspect.isfunction(getattr(lingprobe, name))]


def test_the_page_is_what_the_code_says():
    assert (ROOT / "docs" / "api.md").read_text("utf-8") == WRITER["page"](), "run `make docs`"


def test_the_text_is_what_the_code_says():
    text = (ROOT / "docs" / "design" / "public-api.txt").read_text("utf-8")
    assert text == WRITER["text"](), "run `make docs`"


def test_the_changelog_tells_of_the_api():
    assert not (why := WRITER["line_missing"](CHANGELOG, WRITER["text"]())), why


def test_an_api_that_changed_needs_a_line_of_its_own():
    text, changed = "lingprobe.run(tasks)\n", "lingprobe.run(tasks, encoders)\n"
    line = f"- API {WRITER['digest'](text)}: what runs are made of.\n"
    assert WRITER["line_missing"](line, text) == ""
    assert "'- API " in WRITER["line_missing"](line, changed)
    assert WRITER["line_missing"](f"- API {WRITER['digest'](text)}: it.\n", text)
    older = f"- API {WRITER['digest'](changed)}: runs take encoders now.\n{line}"
    assert WRITER["line_missing"](older, text)  # the first line is that of today


@pytest.mark.parametrize("name", lingprobe.__all__)
def test_every_name_is_described_and_on_the_page(name):
    assert WRITER["described"](name).strip()
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    assert re.search(rf"^### {name}$|`{name}`", page, re.M)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_typed(name):
    found = inspect.signature(getattr(lingprobe, name))
    assert found.return_annotation is not inspect.Signature.empty
    untyped = [p.name for p in found.parameters.values() if p.annotation is p.empty]
    assert untyped == []


@pytest.mark.parametrize(
    "name", [n for n in FUNCTIONS if n not in ("sample", "get_tasks", "question")]
)
def test_every_function_has_an_example_and_says_what_each_parameter_means(name):
    function = getattr(lingprobe, name)
    text = inspect.getdoc(function) or ""
    assert re.search(r"^    \S", text, re.M) or not inspect.signature(function).parameters
    kept = (
        "progress",
        "cache",
        "store",
        "on_error",
        "seed",
        "output",
        "results",
        "folder",
        "sentences",
    )
    parameters = set(inspect.signature(function).parameters) - set(kept)
    for shared in (Settings, lingprobe.Selection):
        if f"`{shared.__name__}`" in text:
            parameters -= set(shared.__annotations__)
    assert {p for p in parameters if not re.search(rf"\b{p}\b", text)} == set()


def test_settings_are_the_parameters_of_a_run():
    keywords = [
        p.name
        for p in inspect.signature(lingprobe.run).parameters.values()
        if p.kind is p.KEYWORD_ONLY
    ]
    assert set(keywords) == set(Settings.__annotations__)
