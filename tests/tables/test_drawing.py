"""Drawings are SVG that any reader takes, and PNG and PDF; names in them are shown as they are."""

import re
import sys
from xml.etree import ElementTree

import pytest

from lingprobe.data.errors import to_install
from lingprobe.tables.drawing import (
    Dot,
    Drawing,
    Label,
    PlotProblem,
    Shape,
    Stroke,
    box,
    save,
    svg,
    ticks,
)

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("a")</script> & $x$ \x1b[31m'
DRAWING = Drawing(
    100,
    50.5,
    (
        Stroke(((0, 0), (100, 50)), dashed=True),
        Shape(box(10, 10, 20, 5), "#ff0000", 0.5, HOSTILE),
        Dot(50, 25, 4, "#00ff00", title="a dot"),
        Dot(60, 25, 4, "#00ff00", hollow=True),
        Label(50, 40, HOSTILE, anchor="middle", bold=True, slant=-40),
    ),
    HOSTILE,
)


def test_svg_is_xml_without_scripts():
    root = ElementTree.fromstring(svg(DRAWING))
    assert root.attrib["viewBox"] == "0 0 100 50.5"
    assert root.attrib["role"] == "img"
    kinds = [element.tag.removeprefix(SVG) for element in root]
    assert kinds == ["title", "polyline", "polygon", "circle", "circle", "text"]
    shown = HOSTILE.replace("\x1b", "\N{REPLACEMENT CHARACTER}")
    assert root[0].text == root[2][0].text == root[5].text == shown
    assert root[5].attrib["text-anchor"] == "middle"


def test_files_are_of_the_kind_that_their_name_says_and_the_same_twice(tmp_path):
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
    for kind, start in starts.items():
        first, second = tmp_path / f"a.{kind}", tmp_path / f"b.{kind}"
        save(DRAWING, first)
        save(DRAWING, second)
        assert first.read_bytes().startswith(start)
        assert first.read_bytes() == second.read_bytes()
    # a file stands on white, not in a text of some colour
    assert "currentColor" not in (tmp_path / "a.svg").read_text("utf-8")
    with pytest.raises(
        PlotProblem, match=r"a\.gif: the name of a figure must end in \.png, \.svg, \.pdf"
    ):
        save(DRAWING, tmp_path / "a.gif")


def test_svg_needs_no_library_and_the_others_say_which(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    save(DRAWING, tmp_path / "a.svg")
    with pytest.raises(PlotProblem, match=re.escape(to_install("plots"))):
        save(DRAWING, tmp_path / "a.png")


@pytest.mark.parametrize(
    ("low", "high", "round_"),
    [
        (0, 100, [0, 20, 40, 60, 80, 100]),
        (40, 100, [40, 60, 80, 100]),
        (-10, 10, [-10, -5, 0, 5, 10]),
    ],
)
def test_ticks_are_round(low, high, round_):
    assert list(ticks(low, high)) == round_
