"""Table 2 of Ettinger et al. 2018: figures that its running text states, what is run, and what
counts as the paper's data.
"""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from lingprobe.cli import app
from lingprobe.data.references import Reference
from lingprobe.suites import SUITES
from lingprobe.suites.ettinger2018 import ettinger2018
from lingprobe.suites.suite import SuiteRequest, make_designs
from tasks.publications import compeval

PAPER = ettinger2018().paper
(BLOCK,) = PAPER.blocks
ROWS = {
    line.name: dict(zip(PAPER.columns, (f.value for f in line.figures), strict=True))
    for line in BLOCK.lines
}


def test_it_has_five_columns_and_five_rows():
    assert PAPER.columns == ("Content1Probe", "Content2Probe", "Order", "SemRole", "Negation")
    assert list(ROWS) == ["BOW", "SDAE", "ST-UNI", "ST-BI", "InferSent"]
    assert BLOCK.lines[4].source == "Ettinger et al. 2018, Table 2, Sentence encoders, InferSent"


def test_figures_are_those_of_the_running_text():
    # section 7.2: near-perfect on content and roughly at chance on all else; order slightly higher
    # (footnote 6)
    assert min(ROWS["BOW"]["Content1Probe"], ROWS["BOW"]["Content2Probe"]) > 97
    assert (
        max(abs(ROWS["BOW"][c] - 50) for c in ("SemRole", "Negation"))
        < 2
        < ROWS["BOW"]["Order"] - 50
        <= 5
    )
    # "all non-BOW models show significantly higher accuracy [on order] than on the word content
    # tasks", of two words
    assert all(row["Order"] > row["Content2Probe"] for name, row in ROWS.items() if name != "BOW")
    # "InferSent performs squarely at chance", "SDAE, ST-UNI and ST-BI ... at 62-63%"; "ST-BI shows
    # markedly weaker performance" on negation
    assert round(ROWS["InferSent"]["SemRole"]) == 50
    assert all(62 <= ROWS[name]["SemRole"] < 64 for name in ("SDAE", "ST-UNI", "ST-BI"))
    assert min(ROWS, key=lambda name: ROWS[name]["Negation"] if name != "BOW" else 100) == "ST-BI"


def test_released_sets_are_read_whole_with_the_paper_s_probe():
    made = make_designs(SUITES.make("ettinger2018:sets"), SuiteRequest(["length"], baselines=False))
    assert [(w.encoders[0], w.probes[0]) for w in made] == [
        ("length", "mlp,protocol=ettinger"),
        ("words", "majority"),
        ("random", "mlp,protocol=ettinger"),
    ]
    assert [str(task) for task in made[0].tasks] == [
        f"comp/released/{name}:sets,dev=none"
        for name in ("content1", "content2", "order", "sem-role", "negation")
    ]
    assert (
        str(SUITES.make("ettinger2018:sets,task=dev=carved").tasks()[0])
        == "comp/released/content1:sets,dev=carved"
    )


def test_without_a_folder_sentences_are_generated():
    assert [str(task) for task in SUITES.make("ettinger2018,task=size=100").tasks()][:2] == [
        "comp/content1,size=100",
        "comp/content2,size=100",
    ]


@pytest.mark.parametrize(
    ("task", "column", "data"),
    [
        ("comp/released/sem-role:sets,dev=none", 3, "comp/released/*:sets,dev=none"),
        ("comp/released/negation:sets", 4, "comp/released/*:sets"),
        ("comp/order", 2, "comp/*"),
    ],
)
def test_generated_and_released_tasks_have_their_columns(task, column, data):
    place = SUITES.make("ettinger2018").locate_task(task)
    assert (place.column, Reference.parse(place.data)) == (column, Reference.parse(data))


def test_other_tasks_have_none():
    assert SUITES.make("ettinger2018").locate_task("ud/tense:bank") is None
    assert SUITES.make("ettinger2018").locate_task("comp/released/quantifier:sets") is None


def test_a_run_ends_with_the_paper_s_table(tmp_path, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    folder, results = compeval(tmp_path / "sets"), tmp_path / "results"
    done = CliRunner().invoke(
        app,
        [
            "run",
            "--suite",
            f"ettinger2018:{folder}",
            "-e",
            "bow:random,dim=8",
            "--seeds",
            "1",
            "-q",
            "-o",
            str(results),
        ],
    )
    assert done.exit_code == 0, done.output
    above, _, below = done.output.partition("different data")
    assert "Ettinger et al. 2018, Table 2" in above
    assert "ST-UNI" in above
    assert "the files are not the published ones" in below
    rows = [line.split() for line in below.splitlines() if line.lstrip().startswith("▸")]
    named = ("▸ Majority vote", "▸ Random sentences", "▸ oracle", "▸ bow:random,dim=8")
    assert [sum(" ".join(row).startswith(name) for row in rows) for name in named] == [1, 1, 1, 1]
    # each column has its own oracle, and all stand in one row
    assert all("–" not in row for row in rows)
