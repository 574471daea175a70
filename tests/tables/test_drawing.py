"""Figures are SVG that any reader takes, and PNG and PDF; names in them are shown as they are."""

from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.figure import Figure

from lingprobe.tables.drawing import PlotProblem, save, svg, tell
from lingprobe.tables.panels import cell, cut
from lingprobe.tables.style import BLUE, INK, ON_PALE

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("a")</script> & $x$ \x1b[31m #1c2328 <g id="told:a">'
SHOWN = HOSTILE.replace("\x1b", "\N{REPLACEMENT CHARACTER}")


def drawn() -> Figure:
    figure = Figure((16, 4), layout="constrained", label=HOSTILE)
    axes = figure.subplots()
    axes.set_title(HOSTILE)
    axes.set_yticks([0], [HOSTILE])
    (mark,) = axes.plot(0, 0, "o", color=BLUE)
    tell(mark, HOSTILE)
    return figure


def test_svg_is_xml_that_shows_names_as_they_are():
    text = svg(drawn)
    root = ElementTree.fromstring(text)
    assert text.startswith("<svg")
    assert root.attrib["role"] == "img"
    assert [each.text for each in root.iter(f"{SVG}title")] == [SHOWN, SHOWN]
    assert [each.text for each in root.iter(f"{SVG}text")].count(SHOWN) == 2
    assert not {each.tag for each in root.iter()} & {f"{SVG}{tag}" for tag in ("script", "style")}
    assert not [each for each in root.iter(f"{SVG}g") if "id" in each.attrib]


def test_an_element_of_a_page_takes_its_colours(tmp_path):
    inline = svg(drawn)
    assert "fill: currentColor" in inline
    assert f"fill: var(--figure-0, {BLUE})" in inline
    assert "fill: #ffffff" not in inline
    # a file has no page around, and stands on white
    save(drawn, tmp_path / "a.svg")
    kept = (tmp_path / "a.svg").read_text("utf-8")
    assert f"fill: {INK}" in kept
    assert "fill: #ffffff" in kept
    assert "var(" not in kept


def test_files_are_of_the_kind_that_their_name_says_and_the_same_twice(tmp_path):
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
    for kind, start in starts.items():
        first, second = tmp_path / f"a.{kind}", tmp_path / f"b.{kind}"
        save(drawn, first)
        with matplotlib.rc_context({"axes.titlesize": 30, "axes.facecolor": "red"}):
            save(drawn, second)
            assert matplotlib.rcParams["axes.titlesize"] == 30
        assert first.read_bytes().startswith(start)
        assert first.read_bytes() == second.read_bytes()
    assert b"/FontFile2" in (tmp_path / "a.pdf").read_bytes()  # TrueType
    with pytest.raises(
        PlotProblem, match=r"a\.gif: the name of a figure must end in \.png, \.svg, \.pdf"
    ):
        save(drawn, tmp_path / "a.gif")


@pytest.mark.parametrize(
    ("fill", "colour"), [("#ffffff", ON_PALE), ("#ecf2f7", ON_PALE), ("#104673", "white")]
)
def test_numbers_in_cells_are_readable(fill, colour):
    _, text = cell(Figure().subplots(), (0, 0), "90.0", fill)
    assert text.get_color() == colour


def test_long_names_lose_their_middle():
    assert cut("abcdefghij", 10) == "abcdefghij"
    assert cut("abcdefghijk", 10) == "abcde…hijk"
