"""Table 2 of Tenney et al. 2019: figures that its text states, columns over data of their own, and what is run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sonde.core import Result, Trial
from sonde.metrics import METRICS, constants
from sonde.naming import Reference, ReferenceProblem
from sonde.probes import PROBES
from sonde.report.inside import cells, inside
from sonde.report.terminal import terminal
from sonde.suites.suite import Asked, selected, wanted
from sonde.suites.tenney2019 import PARTS, SIZES, different, tenney2019
from sonde.targets import Classes, as_sets
from sonde.tasks import TASKS

PAPER = tenney2019().paper
ROWS = {
    line.name: dict(zip(PAPER.columns, (f.value for f in line.figures), strict=True)) for block in PAPER.blocks[1:] for line in block.lines
}
WHOLE = [name for name in PAPER.columns if name not in PARTS and name != "macro avg."]


def test_it_has_thirteen_rows_of_five_encoders_below_the_sizes_of_the_data():
    assert [block.heading for block in PAPER.blocks] == ["Targets", "F1 on the test sets"]
    assert len(ROWS) == 13
    train = PAPER.blocks[0].lines[0]
    assert train.figures[PAPER.columns.index("SPR2")].printed == "4,925"
    assert train.figures[-1].printed == "–"


@pytest.mark.parametrize("name", ROWS)
def test_macro_averages_are_the_means_of_the_ten_whole_tasks(name):
    assert np.mean([ROWS[name][column] for column in WHOLE]) == pytest.approx(ROWS[name]["macro avg."], abs=0.06)


def test_figures_are_those_of_the_running_text():
    gain = {column: ROWS["ELMo full"][column] - ROWS["ELMo lex"][column] for column in PAPER.columns}
    assert gain["core roles"] == pytest.approx(19.0)  # section 5: "+19.0 F1 for ELMo"
    assert gain["POS"] == pytest.approx(6.3)
    assert gain["Rel."] == pytest.approx(22, abs=0.2)
    assert ROWS["BERT-large mix"]["Coref. (O)"] - ROWS["ELMo full"]["Coref. (O)"] == pytest.approx(7.4)
    means = {row: np.mean([ROWS[row][c] for c in WHOLE]) for row in ("CoVe full", "ELMo full")}
    assert means["ELMo full"] - means["CoVe full"] == pytest.approx(6.3, abs=0.1)
    assert all(ROWS[row]["Coref. (W)"] < 66.67 for row in ROWS)  # what answering both labels scores


def measured(task: str, read: str, targets: tuple[object, ...], names: tuple[str, ...] = ("a", "b"), **changed: object) -> Result:
    gold = Classes(np.arange(300) % len(names), names)
    said = as_sets(Classes(np.where(np.arange(300) % 5 == 0, (gold.ids + 1) % len(names), gold.ids), names))
    given = {"encoder": "hf:m,layers=all,pool=none", "probe": PROBES.canonical("span,protocol=tenney"), "control": "none", "seed": 0}
    notes = {"targets": dict(zip(("train", "dev", "test"), targets, strict=True))}
    about = {"notes": notes, "constants": {k: list(v) for k, v in constants(gold, "micro-f1").items()}, "counts": {"train": 5}}
    score = METRICS.make("micro-f1")(gold, said)
    trial = Trial(TASKS.canonical(task), read=read, **{**given, **changed})  # type: ignore[arg-type]
    return Result(trial, "micro-f1", score, score - 0.05, score + 0.05, 0.5, gold, said, about)


ROLES = ("ARG0", "ARG1", "ARGM-TMP")


def test_rows_on_published_data_stand_inside_and_others_below():
    found = [
        *(measured("edge/spr2:data/SPR2", read, SIZES["SPR2"]) for read in ("lex", "mix")),
        *(measured(f"edge/dpr:data/DPR,sample={k}/5", "mix", SIZES["Coref. (W)"]) for k in range(1, 6)),
        measured("edge/dep:data/EWT", "mix", (192033, 23146, 23017)),
        measured("edge/dep:data/GUM", "mix", (3, 2, 1)),
        measured("edge/srl:data/PropBank-EWT", "mix", (81415, 9583, 9337), ROLES),
    ]
    entries = selected(tenney2019(), found).entries
    heads = {(e.place.data, e.place.why != "") for e in entries}
    assert heads == {
        ("SPR2 data/SPR2; Coref. (W) data/DPR", False),
        ("Depend. data/EWT; SRL data/PropBank-EWT", True),
        ("Depend. data/GUM", True),
    }
    text = terminal(inside(PAPER, entries))
    assert text.index("measured here, on the published data") < text.index("different data")
    assert "best constant" in text
    rank = [line for line in text.splitlines() if "rank of" in line]
    assert rank


def test_parts_of_roles_are_judged_from_the_same_answers():
    one = measured("edge/srl:data/PropBank-EWT", "mix", (1, 1, 1), ROLES)
    listed = {
        c.column: c for c in cells("tenney2019", PAPER, selected(tenney2019(), [one]).entries) if c.kind != "published" and "mix" in c.layer
    }
    assert set(listed) == {"SRL", "core roles", "non-core"}
    for column in ("core roles", "non-core"):
        assert listed[column].score == pytest.approx(100 * METRICS.make(PARTS[column])(one.gold, one.predicted))
        assert listed[column].low < listed[column].score < listed[column].high


def test_results_of_another_protocol_are_counted_and_stand_in_its_suite():
    one = measured("edge/dep:data/EWT", "mix", (1, 1, 1), probe=PROBES.canonical("span"))
    found = selected(tenney2019(), [one])
    assert (found.entries, found.others) == ((), 1)
    assert "1 results on these tasks were measured with other probes" in terminal(inside(PAPER, found.entries, others=found.others))
    assert selected(tenney2019(protocol="fast"), [one]).entries


def test_data_are_the_published_ones_by_the_numbers_of_their_targets_and_how_they_were_read():
    same = measured("edge/semeval:x", "mix", SIZES["Rel."])
    assert different(Reference.parse("edge/semeval:x"), same) == ""
    assert "not read as published" in different(Reference.parse("edge/semeval:x,words=cut"), same)
    assert different(Reference.parse("edge/semeval:x"), replace(same, provenance={}))
    assert different(Reference.parse("edge/coref:x"), same)


def test_only_columns_with_data_are_run_and_layers_are_read_as_in_the_paper(tmp_path):
    for folder in ("edge/DPR", "treebanks/UD_English-EWT"):
        (tmp_path / folder).mkdir(parents=True)
    suite = tenney2019(str(tmp_path), task=("size=500",))
    assert [str(r).replace(str(tmp_path), "F") for r in suite.tasks()] == [
        "edge/pos:F/treebanks/UD_English-EWT,tags=xpos,size=500",
        "edge/dep:F/treebanks/UD_English-EWT,size=500",
        "edge/dpr:F/edge/DPR,sample=*/5,size=500",
    ]
    first, second = wanted(suite, Asked(["hf:m,layers=all,pool=none", "bow:random,pool=none"]))
    assert (first.encoders, first.reads) == (["hf:m,layers=all,pool=none"], ("lex", "cat:lex+top", "mix"))
    assert (second.encoders, second.reads) == (["bow:random,pool=none"], ())
    assert wanted(suite, Asked(["hf:m"], reads=("mix",)))[0].reads == ("mix",)


def test_what_cannot_be_run_says_what_to_write():
    with pytest.raises(ReferenceProblem, match="task=size"):
        tenney2019("folder", task=("size",))
