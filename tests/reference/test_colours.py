"""Whoever looks, the colours of two encoders differ; without colours, the shapes of their marks and lines do."""

import re
from itertools import combinations
from pathlib import Path

import pytest

from lingprobe import tables
from lingprobe.tables.style import LINE_COLOURS, LINE_MARKERS
from reference.colours import SEEN, ciede2000, distance, lab, linear, luminance

APART = 9.0  # in CIEDE2000, where 1 is just noticeable side by side
CSS = Path(tables.__file__).parent / "templates" / "page.css"


# of the thirty-four pairs that Sharma et al. give for checking (Table 1)
@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 3.1571, -77.2803), (50.0, 0.0, -82.7485), 2.8615),
        ((50.0, -1.3802, -84.2814), (50.0, 0.0, -82.7485), 1.0000),
        ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
        ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0009), 7.1792),
        ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0011), 7.2195),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((50.0, 2.5, 0.0), (58.0, 24.0, 15.0), 19.4535),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_distance_is_that_of_the_paper(first, second, apart):
    assert ciede2000(first, second) == pytest.approx(apart, abs=1e-4)
    assert ciede2000(second, first) == pytest.approx(apart, abs=1e-4)


def test_the_simulation_confuses_what_people_confuse():
    assert lab(linear("#ffffff")) == pytest.approx((100, 0, 0), abs=0.02)
    for vision, one, other in (
        ("protan", "#8c6bb1", "#0072b2"), ("deutan", "#7d8a94", "#cc79a7"),
    ):  # fmt: skip
        assert distance(one, other, "all cones") > 3 * distance(one, other, vision)
    for vision in SEEN:  # grey is grey to everybody
        assert distance("#808080", "#838383", vision) == pytest.approx(
            distance("#808080", "#838383", "all cones"), abs=0.05
        )


def dark() -> list[str]:
    """The colours of encoders on a dark page."""
    found = dict(re.findall(r"--figure-(\d): (#[0-9a-f]{6})", CSS.read_text("utf-8")))
    return [found[str(i)] for i in range(len(LINE_COLOURS))]


@pytest.mark.parametrize("vision", SEEN)
@pytest.mark.parametrize("ground", ["light", "dark"])
def test_any_two_encoders_differ_in_colour(vision, ground):
    colours = list(LINE_COLOURS) if ground == "light" else dark()
    assert len(set(colours)) == 8
    least = min((distance(a, b, vision), a, b) for a, b in combinations(colours, 2))
    assert least[0] > APART, least


@pytest.mark.parametrize(("ground", "colours"), [("#ffffff", LINE_COLOURS), ("#14191d", dark())])
def test_colours_stand_out_from_the_ground(ground, colours):
    for colour in colours:
        lighter, darker = sorted((luminance(colour), luminance(ground)), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) > 2.0, colour


def test_without_colours_shapes_differ():
    assert len(set(LINE_MARKERS)) == len(LINE_MARKERS) >= len(LINE_COLOURS)
