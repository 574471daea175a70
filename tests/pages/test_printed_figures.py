"""Figures for paper: as wide as asked for, with letters of one size, of which none are covered or cut off."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

import lingprobe
from analysis.test_curves import FALLING, FLAT, RISING, course
from analysis.test_layers import over_layers
from fixtures.layout import clipped, overlapping, placed
from fixtures.results import result, saying
from lingprobe.data.errors import UsageProblem
from lingprobe.tables.drawing import house_style, lay_out_figure
from lingprobe.tables.panels import fold_names
from lingprobe.tables.printing import _WIDTHS, parse_width
from pages.test_headroom import results as gained

TASKS = "sent-length word-content tree-depth top-deps bigram-shift tense subj-num obj-num passive"
ENCODERS = {
    "length": 0.55,
    "bow:fasttext": 0.6,
    "hf:google-bert/bert-base-multilingual-cased,layers=all,pool=mean": 0.8,
    "st:sentence-transformers/all-MiniLM-L6-v2": 0.9,
    "hf:FacebookAI/xlm-roberta-base,layers=8": 0.85,
    "gold:clause": 1.0,
}


def scores(tasks: int = 9) -> list[lingprobe.Result]:
    """Encoders with long names on some tasks."""
    names = [f"ud/{name}:UD_English-EWT" for name in TASKS.split()[:tasks]]
    kinds = ["baseline", "baseline", "trained", "trained", "trained", "oracle"]
    made = []
    for (place, task), (encoder, kind) in product(
        enumerate(names), zip(ENCODERS, kinds, strict=True)
    ):
        share = ENCODERS[encoder] - place / 100
        made.append(saying(result(share, encoder=encoder, task=task), kind=kind))
    return made


def layered(tasks: int = 4) -> list[lingprobe.Result]:
    names = ["edge/pos", "edge/constituents-long-name", "edge/dep", "edge/coref"][:tasks]
    return [r for i, name in enumerate(names) for r in over_layers(f"{name}:UD_X-EWT", i)]


def trainings() -> list[lingprobe.Result]:
    return [
        *course(RISING),
        *course(FALLING, "ud/passive:UD_English-EWT"),
        *course(FALLING, run="models/translation-to-french-small", best=2),
        *course(
            FLAT, "ud/passive:UD_English-EWT", run="models/translation-to-french-small", best=2
        ),
    ]


LASER = {"published": "ud2019", "encoders": ["LASER", "BERT-mean", "COMBO-*"]}
PAGES: dict[str, Callable[[], lingprobe.tables.page.Page]] = {
    "dots": lambda: lingprobe.report(scores(5)),
    "dots-of-one-task": lambda: lingprobe.report(scores(1)),
    "heat": lambda: lingprobe.report(scores(), figure="heat"),
    "radar": lambda: lingprobe.report(scores(7), figure="radar"),
    "headroom": lambda: lingprobe.report(gained(), headroom=True),
    "by": lambda: lingprobe.report(layered(2), by="distance", layers=["lex", "mix"]),
    "layers": lambda: lingprobe.layers(layered(3)),
    "curve": lambda: lingprobe.curve(trainings()),
    "relate": lambda: lingprobe.relate(published="conneau2018"),
    "relate-dots": lambda: lingprobe.relate(published="conneau2018", figure="dots", rows="Tree*"),
    "languages": lambda: lingprobe.relate(**LASER),
    "languages-radar": lambda: lingprobe.relate(**LASER, figure="radar"),
    "languages-scores": lambda: lingprobe.relate(**LASER, figure="scores"),
}


IN_TEXT = ("heat", "layers")


def drawn(name: str, width: float) -> Figure:
    with house_style(width):
        return lay_out_figure(PAGES[name]().figure())


@pytest.mark.parametrize(
    ("name", "width"),
    [*((name, "column") for name in PAGES), *((name, "text") for name in IN_TEXT)],
)
def test_letters_are_of_one_size_and_none_are_covered_or_cut_off(name, width):
    with house_style(parse_width(width)):
        figure = lay_out_figure(PAGES[name]().figure())
        every = placed(figure)
    assert figure.get_figwidth() == parse_width(width)
    assert len(every) > 8
    assert {one.size for one in every} == {8}
    assert not clipped(figure, every)
    assert not list(overlapping(every))


def test_what_lies_upon_something_else_or_beyond_the_paper_is_noticed():
    """The check above can fail, for texts at any angle."""
    figure = Figure((3, 1))
    figure.text(0.1, 0.5, "under")
    figure.text(0.12, 0.5, "over", rotation=40, rotation_mode="anchor")
    figure.text(0.5, 0.5, "apart", rotation=40, rotation_mode="anchor")
    figure.text(0.95, 0.5, "beyond the paper")
    every = placed(figure)
    assert list(overlapping(every)) == [("under", "over")]
    assert clipped(figure, every) == ["beyond the paper"]


def test_files_have_the_width_of_paper_and_letters_that_journals_take(tmp_path):
    page = lingprobe.report(scores(1))
    page.write(tmp_path / "a.pdf", width="column")
    written = (tmp_path / "a.pdf").read_bytes()
    assert b"/MediaBox [ 0 0 218.2677" in written
    assert b"/FontFile2" in written
    assert b"/Type3" not in written
    page.write(tmp_path / "a.svg", width=90)
    root = ElementTree.fromstring((tmp_path / "a.svg").read_text("utf-8"))
    assert float(root.attrib["width"].removesuffix("pt")) == pytest.approx(90 / 25.4 * 72)
    texts = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"sent-length", "encoder", "oracle"} <= set(texts)
    # without a width it is as it was: as wide as it likes, for a screen
    page.write(tmp_path / "b.svg")
    assert 'pt"' not in (tmp_path / "b.svg").read_text("utf-8")[:200]


def test_a_figure_of_somebody_s_own_becomes_as_wide(tmp_path):
    own = Path(__file__).parents[1] / "plugin" / "src" / "lingprobe_example" / "figure.py"
    lingprobe.report(scores(1), figure=f"{own}@bars").write(tmp_path / "a.pdf", width="text")
    assert b"/MediaBox [ 0 0 396" in (tmp_path / "a.pdf").read_bytes()


@pytest.mark.parametrize(
    ("said", "millimetres"),
    [*_WIDTHS.items(), ("90mm", 90), ("90 mm", 90), ("88.5", 88.5), (120, 120)],
)
def test_widths(said, millimetres):
    assert parse_width(said) == pytest.approx(millimetres / 25.4)


@pytest.mark.parametrize("said", ["page", "3in", "20mm", "9000", "-90", ""])
def test_widths_that_are_none(said, tmp_path):
    with pytest.raises(
        UsageProblem, match=r"give column \(77 mm\), text \(139.7 mm\) or 60 to 600 mm"
    ):
        lingprobe.report(scores(1)).write(tmp_path / "a.pdf", width=said)


def test_a_table_has_no_width(tmp_path):
    with pytest.raises(UsageProblem, match=r"a\.csv: only a figure .* have a width"):
        lingprobe.report(scores(1)).write(tmp_path / "a.csv", width="column")


def test_names_that_are_cut_stay_different():
    with house_style(parse_width("column")):
        names = [
            f"hf:organisation/model-{i}-of-a-series,layers=all,pool=mean,revision=1" for i in "ab"
        ]
        assert len({*fold_names(names, 40)}) == 2
        (one,) = fold_names(["st:sentence-transformers/all-MiniLM-L6-v2,pool=mean"], 40)
        assert one.count("\n") == 1
