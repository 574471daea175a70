"""Figures are SVG that any reader takes, and PNG and PDF; names in them are shown as they are."""

from itertools import product
from xml.etree import ElementTree

import matplotlib
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager

from lingprobe.tables.drawing import PlotProblem, render_svg, save_figure, set_tooltip
from lingprobe.tables.fonts import find_font_families
from lingprobe.tables.panels import draw_cell, shorten_name
from lingprobe.tables.style import CHART_BLUE, INK_COLOUR, INK_ON_PALE_CELLS

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("a")</script> & $x$ \x1b[31m #1c2328 <g id="told:a">'
SHOWN = HOSTILE.replace("\x1b", "\N{REPLACEMENT CHARACTER}")


def drawn() -> Figure:
    figure = Figure((16, 4), layout="constrained", label=HOSTILE)
    axes = figure.subplots()
    axes.set_title(HOSTILE)
    axes.set_yticks([0], [HOSTILE])
    (mark,) = axes.plot(0, 0, "o", color=CHART_BLUE)
    set_tooltip(mark, HOSTILE)
    return figure


def test_svg_is_xml_that_shows_names_as_they_are():
    text = render_svg(drawn)
    root = ElementTree.fromstring(text)
    assert text.startswith("<svg")
    assert root.attrib["role"] == "img"
    assert [each.text for each in root.iter(f"{SVG}title")] == [SHOWN, SHOWN]
    assert [each.text for each in root.iter(f"{SVG}text")].count(SHOWN) == 2
    assert not {each.tag for each in root.iter()} & {f"{SVG}{tag}" for tag in ("script", "style")}
    assert not [each for each in root.iter(f"{SVG}g") if "id" in each.attrib]


def test_an_element_of_a_page_takes_its_colours(tmp_path):
    inline = render_svg(drawn)
    assert "fill: currentColor" in inline
    assert f"fill: var(--figure-0, {CHART_BLUE})" in inline
    assert "fill: #ffffff" not in inline
    # a file has no page around, and stands on white
    save_figure(drawn, tmp_path / "a.svg")
    kept = (tmp_path / "a.svg").read_text("utf-8")
    assert f"fill: {INK_COLOUR}" in kept
    assert "fill: #ffffff" in kept
    assert "var(" not in kept


def test_files_are_of_the_kind_that_their_name_says_and_the_same_twice(tmp_path):
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
    for kind, start in starts.items():
        first, second = tmp_path / f"a.{kind}", tmp_path / f"b.{kind}"
        save_figure(drawn, first)
        with matplotlib.rc_context({"axes.titlesize": 30, "axes.facecolor": "red"}):
            save_figure(drawn, second)
            assert matplotlib.rcParams["axes.titlesize"] == 30
        assert first.read_bytes().startswith(start)
        assert first.read_bytes() == second.read_bytes()
    assert b"/FontFile2" in (tmp_path / "a.pdf").read_bytes()  # TrueType
    with pytest.raises(
        PlotProblem, match=r"a\.gif: the name of a figure must end in \.png, \.svg, \.pdf"
    ):
        save_figure(drawn, tmp_path / "a.gif")


def of(name: str):
    """What draws a figure with a name in a title and at an axis."""

    def draw() -> Figure:
        figure = Figure((4, 2), layout="constrained")
        axes = figure.subplots()
        axes.set_title(name)
        axes.set_yticks([0], [name])
        return figure

    return draw


@pytest.fixture
def font(tmp_path, monkeypatch):
    """An installed font of the reader's own that has one letter of Chinese and one of Hindi."""
    builder = FontBuilder(1000)
    builder.setupGlyphOrder([".notdef", "middle", "ka"])
    builder.setupCharacterMap({ord("中"): "middle", ord("क"): "ka"})
    pen = TTGlyphPen(None)
    for place in ((0, 0), (0, 700), (700, 700), (700, 0)):
        (pen.lineTo if pen.points else pen.moveTo)(place)
    pen.closePath()
    builder.setupGlyf(dict.fromkeys([".notdef", "middle", "ka"], pen.glyph()))
    builder.setupHorizontalMetrics(dict.fromkeys([".notdef", "middle", "ka"], (800, 0)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable(
        {"familyName": "Two Letters", "styleName": "Regular", "psName": "TwoLetters"}
    )
    builder.setupOS2()
    builder.setupPost()
    builder.save(tmp_path / "two.ttf")
    before = list(fontManager.ttflist)
    fontManager.ttflist[:] = [e for e in before if e.name.startswith(("DejaVu", "Last Resort"))]
    # installed after matplotlib made its list
    monkeypatch.setattr(
        "matplotlib.font_manager.findSystemFonts", lambda: [str(tmp_path / "two.ttf")]
    )
    yield "Two Letters"
    fontManager.ttflist[:] = before


def test_letters_that_the_font_of_figures_lacks_come_from_another(font, tmp_path, caplog):
    assert find_font_families({ord("中"), ord("क")}) == ([font], frozenset())
    for name, kind in product(("中क", "Zażółć λ жук"), ("pdf", "png")):
        save_figure(of(name), tmp_path / f"{name}.{kind}")
    assert b"TwoLetters" in (tmp_path / "中क.pdf").read_bytes()
    assert b"TwoLetters" not in (tmp_path / "Zażółć λ жук.pdf").read_bytes()
    assert not caplog.messages
    assert "Two Letters" not in matplotlib.rcParams["font.family"]


def test_letters_of_no_font_are_named_with_a_font_to_install(font, tmp_path, caplog):
    save_figure(of("中ก語"), tmp_path / "a.png")
    (said,) = caplog.messages
    assert "no installed font has ก語, so that boxes are drawn" in said
    assert "fonts-noto-cjk" in said
    assert "Noto Sans with Thai" in said
    caplog.clear()
    save_figure(of("中ก語"), tmp_path / "a.svg")  # whoever opens it has fonts of their own
    assert not caplog.messages


@pytest.mark.parametrize(
    ("fill", "colour"),
    [("#ffffff", INK_ON_PALE_CELLS), ("#ecf2f7", INK_ON_PALE_CELLS), ("#104673", "white")],
)
def test_numbers_in_cells_are_readable(fill, colour):
    _, text = draw_cell(Figure().subplots(), (0, 0), "90.0", fill)
    assert text.get_color() == colour


def test_long_names_lose_their_middle():
    assert shorten_name("abcdefghij", 10) == "abcdefghij"
    assert shorten_name("abcdefghijk", 10) == "abcde…hijk"
