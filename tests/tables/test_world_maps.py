"""Places on a map of the world."""

import re

import pytest

from lingprobe.tables.drawing import house_style, render_svg
from lingprobe.tables.maps import MapMark, draw_map

ENDS = ("none", "all")


def names_on(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_a_place_stands_where_it_is_and_land_is_below_it():
    with house_style():
        figure = draw_map([MapMark(21.0, 52.2, "Warsaw", 1.0)], "A city.", ENDS)
    (axes,) = figure.axes
    from matplotlib.path import Path

    land = [Path(patch.get_xy()) for patch in axes.patches]
    cities = {(21.0, 52.2), (-47.9, -15.8), (149.1, -35.3), (177.5, 64.7), (37.6, 55.8)}
    seas = {(-30.0, 30.0), (-150.0, 0.0), (80.0, -20.0), (-179.0, 40.0), (5.0, 39.0)}
    assert all(any(outline.contains_point(city) for outline in land) for city in cities)
    assert not any(outline.contains_point(sea) for outline in land for sea in seas)
    assert [tuple(line.get_xydata()[0]) for line in axes.lines] == [(21.0, 52.2)]


def test_names_that_would_be_taken_for_those_of_others_are_left_to_the_pointer():
    near = [MapMark(10 + i / 5, 50.0, f"language {i}", 0.5) for i in range(9)]
    far = MapMark(100.0, 20.0, "far", 0.0)
    with house_style():
        figure = draw_map([*near, far], "Nine at one place.", ENDS)
        boxes = [text.get_window_extent() for axes in figure.axes for text in axes.texts]
    assert "far" in names_on(figure)
    assert len(names_on(figure)) < 5
    assert not any(a.overlaps(b) for a in boxes for b in boxes if a is not b)
    drawn = render_svg(lambda: draw_map([*near, far], "Nine at one place.", ENDS))
    assert len(set(re.findall("<title>(language .)</title>", drawn))) == 9


@pytest.mark.parametrize("longitude", [-180.0, 179.9])
def test_a_place_at_the_edge_is_on_the_map(longitude):
    with house_style():
        (axes,) = draw_map([MapMark(longitude, 65.0, "edge", 1.0)], "An edge.", ENDS).axes
    low, high = axes.get_xlim()
    assert low <= longitude <= high
    assert (low >= -180, high <= 180, high - low) == (True, True, 60)
