"""Table 2 of Conneau et al. 2018: figures that its running text states, and what is run under its
protocol.
"""

from __future__ import annotations

import pytest

from lingprobe.data.references import ReferenceProblem
from lingprobe.suites.conneau2018 import conneau2018
from lingprobe.suites.suite import SuiteRequest, make_designs

PAPER = conneau2018().paper
ROWS = {
    (block.heading, line.name): dict(
        zip(PAPER.columns, (f.value for f in line.figures), strict=True)
    )
    for block in PAPER.blocks
    for line in block.lines
}
FLOORS, LAST, MAX, CONV = (
    "Baseline representations",
    "BiLSTM-last encoder",
    "BiLSTM-max encoder",
    "GatedConvNet encoder",
)
PEOPLE = ROWS[FLOORS, "Hum. Eval."]


def test_it_has_ten_columns_and_thirty_rows():
    assert PAPER.columns == (
        "SentLen",
        "WC",
        "TreeDepth",
        "TopConst",
        "BShift",
        "Tense",
        "SubjNum",
        "ObjNum",
        "SOMO",
        "CoordInv",
    )
    assert [(block.heading, len(block.lines)) for block in PAPER.blocks] == [
        (FLOORS, 6),
        (LAST, 8),
        (MAX, 8),
        (CONV, 8),
    ]
    assert len({line.source for block in PAPER.blocks for line in block.lines}) == 30
    assert (
        PAPER.blocks[2].lines[4].source
        == "Conneau et al. 2018, Table 2, BiLSTM-max encoder, NMT En-Fi"
    )


def test_surface_tasks_have_a_bound_of_100():
    assert PEOPLE["SentLen"] == PEOPLE["WC"] == 100


def test_but_for_two_columns_there_is_a_gap_between_the_best_floor_and_people():
    floors = [
        ROWS[FLOORS, name] for name in ("Length", "NB-uni-tfidf", "NB-bi-tfidf", "BoV-fastText")
    ]
    gaps = {column: PEOPLE[column] - max(row[column] for row in floors) for column in PAPER.columns}
    # section 4: "Except, trivially, for Length on SentLen and the NB baselines on WC, there is a
    # healthy gap"; Tense has none
    assert gaps["SentLen"] == 0
    assert gaps["WC"] == pytest.approx(2.2)
    assert all(gap > 5 for column, gap in gaps.items() if column not in ("SentLen", "WC", "Tense"))


def test_bigrams_say_where_words_were_swapped_and_not_where_one_was_replaced():
    uni, bi = ROWS[FLOORS, "NB-uni-tfidf"], ROWS[FLOORS, "NB-bi-tfidf"]
    assert bi["BShift"] - uni["BShift"] > 10
    assert bi["SOMO"] < 50


def test_a_bag_of_vectors_is_random_where_order_decides_and_good_where_words_do():
    bag, best = (
        ROWS[FLOORS, "BoV-fastText"],
        {
            c: max(ROWS[FLOORS, n][c] for n in ("NB-uni-tfidf", "NB-bi-tfidf"))
            for c in PAPER.columns
        },
    )
    assert all(abs(bag[column] - 50) < 5 for column in ("BShift", "SOMO", "CoordInv"))
    assert all(
        bag[column] > best[column] + 10
        for column in ("Tense", "SubjNum", "ObjNum", "TopConst", "TreeDepth")
    )


def test_max_pooling_beats_the_last_state_but_for_sentence_length():
    trained = [name for block, name in ROWS if block == LAST and name != "Untrained"]
    mean = {
        b: {c: sum(ROWS[b, n][c] for n in trained) / len(trained) for c in PAPER.columns}
        for b in (LAST, MAX)
    }
    assert mean[LAST]["SentLen"] > mean[MAX]["SentLen"]
    assert all(
        mean[MAX][c] > mean[LAST][c]
        for c in ("TreeDepth", "BShift", "Tense", "SubjNum", "ObjNum", "SOMO", "CoordInv")
    )


def test_who_learnt_trees_beats_people_on_most_of_the_parser_s_own_tasks():
    columns = ("TopConst", "Tense", "SubjNum", "ObjNum", "TreeDepth")
    assert sum(ROWS[MAX, "Seq2Tree"][column] > PEOPLE[column] for column in columns) == 4
    assert ROWS[MAX, "Seq2Tree"]["TreeDepth"] < PEOPLE["TreeDepth"]


def test_on_words_inference_is_clearly_better_than_translation():
    assert all(
        ROWS[MAX, "NLI"]["WC"] > ROWS[MAX, f"NMT En-{target}"]["WC"] + 25
        for target in ("Fr", "De", "Fi")
    )


def test_figures_that_cannot_be_are_marked_as_doubted():
    doubted = {
        (line.name, c)
        for b in PAPER.blocks
        for line in b.lines
        for c, f in zip(PAPER.columns, line.figures, strict=True)
        if f.printed.endswith("?")
    }
    assert doubted == {("Majority vote", "SentLen"), ("Majority vote", "WC")}
    assert any("16.7" in doubt for doubt in PAPER.doubts)


def test_words_are_read_with_logistic_regression_and_the_rest_with_the_grid():
    made = make_designs(conneau2018("folder"), SuiteRequest(["length"]))
    probes = {w.probes[0]: [str(t) for t in w.tasks] for w in made if w.encoders == ["length"]}
    assert probes["mlp,protocol=senteval,hidden=0"] == ["senteval/word-content:folder"]
    assert len(probes["mlp,protocol=acl18"]) == 9


def test_trees_are_other_tasks():
    suite = conneau2018(trees="a.mrg", with_=("b.mrg",))
    assert str(suite.tasks()[0]) == "tree/sent-len:a.mrg,with=b.mrg"


def test_what_cannot_be_run_says_what_to_write():
    with pytest.raises(ReferenceProblem, match="not on both"):
        conneau2018("folder", trees="a.mrg")
    with pytest.raises(ReferenceProblem, match="adds to"):
        conneau2018(with_=("b.mrg",))


def test_the_published_loss_is_an_option():
    made = make_designs(conneau2018("folder", reduction="sum"), SuiteRequest(["length"]))
    probes = {
        w.probes[0]: len(w.tasks)
        for w in made
        if w.encoders == ["length"] and w.probes[0].startswith("mlp")
    }
    assert probes == {
        "mlp,protocol=acl18,reduction=sum": 9,
        "mlp,protocol=senteval,hidden=0,reduction=sum": 1,
    }


@pytest.mark.parametrize(
    "written", ["conneau2018:folder,probe=logreg", "conneau2018:folder,probe=mlp%2Chidden=0"]
)
def test_another_probe_reads_all_ten_and_stands_apart_from_the_paper(written, monkeypatch):
    from lingprobe.data.references import Reference
    from lingprobe.suites import SUITES

    suite = SUITES.make(written)
    read = {
        probe: len(w.tasks)
        for w in make_designs(suite, SuiteRequest(["bow:random"]))
        for probe in w.probes
        if w.encoders == ["bow:random"]
    }
    assert read == {written.partition("probe=")[2].replace("%2C", ","): 10}
    monkeypatch.setattr(
        "lingprobe.suites.conneau2018.explain_released_difference", lambda *about: ""
    )
    assert "the paper's with its" in suite.different(Reference.parse("senteval/tense:folder"), None)
    assert conneau2018("folder").different(Reference.parse("senteval/tense:folder"), None) == ""


def test_another_probe_has_a_loss_of_its_own():
    with pytest.raises(ReferenceProblem, match="leave one of them out"):
        conneau2018("folder", probe="logreg", reduction="sum")
    with pytest.raises(ReferenceProblem, match="probe"):
        conneau2018("folder", probe="nothing")
