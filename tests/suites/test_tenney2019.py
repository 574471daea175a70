"""Table 2 of Tenney et al. 2019: figures that its text states, columns over data of their own, and
what is run.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fixtures.results import saying
from lingprobe.data.core import DataProblem, Result, Trial
from lingprobe.data.labels import Classes
from lingprobe.data.reading import SCALAR_MIX_LAYERS
from lingprobe.data.references import Reference, ReferenceProblem
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.experiment.paths import RunPaths
from lingprobe.experiment.plan import make_plan
from lingprobe.experiment.run import run_plan
from lingprobe.metrics import METRICS, choose_constants
from lingprobe.probes import PROBES
from lingprobe.suites.page import list_paper_cells, tabulate_paper
from lingprobe.suites.suite import SuiteRequest, make_designs, select_suite_results
from lingprobe.suites.tenney2019 import (
    _JIANT,
    _ONTONOTES,
    _PARTS,
    _SIZES,
    _TASKS_OF,
    explain_paper_difference,
    task_of,
    tenney2019,
)
from lingprobe.tables.formats import format_terminal_table
from lingprobe.tasks import TASKS
from lingprobe.tasks.edge.family import EDGE_TASK_METRICS
from tasks import edges

PAPER = tenney2019().paper
ROWS = {
    line.name: dict(zip(PAPER.columns, (f.value for f in line.figures), strict=True))
    for block in PAPER.blocks[1:]
    for line in block.lines
}
WHOLE = [name for name in PAPER.columns if name not in _PARTS and name != "macro avg."]


def test_it_has_thirteen_rows_of_five_encoders_below_the_sizes_of_the_data():
    assert [block.heading for block in PAPER.blocks] == ["Targets", "F1 on the test sets"]
    assert len(ROWS) == 13
    train = PAPER.blocks[0].lines[0]
    assert train.figures[PAPER.columns.index("SPR2")].printed == "4,925"
    assert train.figures[-1].printed == "–"


@pytest.mark.parametrize("name", ROWS)
def test_macro_averages_are_the_means_of_the_ten_whole_tasks(name):
    assert np.mean([ROWS[name][column] for column in WHOLE]) == pytest.approx(
        ROWS[name]["macro avg."], abs=0.06
    )


def test_figures_are_those_of_the_running_text():
    gain = {
        column: ROWS["ELMo full"][column] - ROWS["ELMo lex"][column] for column in PAPER.columns
    }
    assert gain["core roles"] == pytest.approx(19.0)  # section 5: "+19.0 F1 for ELMo"
    assert gain["POS"] == pytest.approx(6.3)
    assert gain["Rel."] == pytest.approx(22, abs=0.2)
    assert ROWS["BERT-large mix"]["Coref. (O)"] - ROWS["ELMo full"]["Coref. (O)"] == pytest.approx(
        7.4
    )
    means = {row: np.mean([ROWS[row][c] for c in WHOLE]) for row in ("CoVe full", "ELMo full")}
    assert means["ELMo full"] - means["CoVe full"] == pytest.approx(6.3, abs=0.1)
    assert all(ROWS[row]["Coref. (W)"] < 66.67 for row in ROWS)  # what answering both labels scores


def measured(
    task: str,
    read: str,
    targets: tuple[object, ...],
    names: tuple[str, ...] = ("a", "b"),
    **changed: object,
) -> Result:
    gold = Classes(np.arange(300) % len(names), names)
    ids = np.where(np.arange(300) % 5 == 0, (gold.ids + 1) % len(names), gold.ids)
    said = Classes(ids, names).sets()
    given = {
        "encoder": "hf:m,layers=all,pool=none",
        "probe": PROBES.canonical("span,protocol=tenney"),
        "control": "none",
        "seed": 0,
    }
    notes = {"targets": dict(zip(("train", "dev", "test"), targets, strict=True))}
    about = {
        "notes": notes,
        "constants": {k: list(v) for k, v in choose_constants(gold, "micro-f1").items()},
        "counts": {"train": 5},
    }
    metric = EDGE_TASK_METRICS.get(task_of(Reference.parse(task)), "micro-f1")
    score = METRICS.make("micro-f1")(gold, said)
    trial = Trial(TASKS.canonical(task), read=read, **{**given, **changed})  # type: ignore[arg-type]
    return Result(trial, metric, score, score - 0.05, score + 0.05, 0.5, gold, said, about)


ROLES = ("ARG0", "ARG1", "ARGM-TMP")


def test_rows_on_published_data_stand_inside_and_others_below():
    results = [
        *(
            measured("edge/spr2:data/SPR2", read, _SIZES["SPR2"])
            for read in ("lex", SCALAR_MIX_LAYERS)
        ),
        *(
            measured(f"edge/dpr:data/DPR,sample={k}/5", SCALAR_MIX_LAYERS, _SIZES["Coref. (W)"])
            for k in range(1, 6)
        ),
        measured("edge/dep:data/EWT", SCALAR_MIX_LAYERS, (192033, 23146, 23017)),
        measured("edge/dep:data/GUM", SCALAR_MIX_LAYERS, (3, 2, 1)),
        measured("edge/srl:data/PropBank-EWT", SCALAR_MIX_LAYERS, (81415, 9583, 9337), ROLES),
    ]
    entries = select_suite_results(tenney2019(), results).entries
    heads = {(e.place.data, e.place.why != "") for e in entries}
    assert heads == {
        ("SPR2 data/SPR2; Coref. (W) data/DPR", False),
        ("Depend. data/EWT; SRL data/PropBank-EWT", True),
        ("edge/*:data/GUM", True),
    }
    text = format_terminal_table(tabulate_paper(PAPER, entries))
    assert text.index("measured here, on the published data") < text.index("different data")
    assert "best constant" in text
    rank = [line for line in text.splitlines() if "rank of" in line]
    assert rank


def test_parts_of_roles_are_judged_from_the_same_answers():
    one = measured("edge/srl:data/PropBank-EWT", SCALAR_MIX_LAYERS, (1, 1, 1), ROLES)
    listed = {
        c.column: c
        for c in list_paper_cells(
            "tenney2019", PAPER, select_suite_results(tenney2019(), [one]).entries
        )
        if c.kind != "published" and c.layer == SCALAR_MIX_LAYERS
    }
    assert set(listed) == {"SRL", "core roles", "non-core"}
    for column in ("core roles", "non-core"):
        assert listed[column].score == pytest.approx(
            100 * METRICS.make(_PARTS[column])(one.gold, one.predicted)
        )
        assert listed[column].low < listed[column].score < listed[column].high


def test_results_of_another_protocol_are_counted_and_stand_in_its_suite():
    one = measured(
        "edge/dep:data/EWT", SCALAR_MIX_LAYERS, (1, 1, 1), probe=PROBES.canonical("span")
    )
    selection = select_suite_results(tenney2019(), [one])
    assert (selection.entries, selection.others) == ((), 1)
    assert "excluded: 1." in format_terminal_table(
        tabulate_paper(PAPER, selection.entries, others=selection.others)
    )
    assert select_suite_results(tenney2019(protocol="fast"), [one]).entries


def asked(reference, result):
    return explain_paper_difference(Reference.parse(reference), result)


def test_data_are_the_published_ones_by_the_numbers_of_their_targets_and_how_they_were_read():
    same = measured("edge/semeval:x", SCALAR_MIX_LAYERS, _SIZES["Rel."])
    assert asked("edge/semeval:x", same) == ""
    assert asked("edge/semeval:x,words=cut", same) == "Rel. is not read as in the paper: words=cut"
    assert (
        asked("edge/semeval:x", replace(same, provenance={}))
        == "Rel. has ? / ? / ? targets, the paper's has 6,851 / 1,149 / 2,717"
    )
    assert asked("edge/coref:x", same).startswith(
        "Coref. (O) has 6,851 / 1,149 / 2,717 targets, the paper's has 207,830"
    )
    assert (
        asked("edge/semeval:x", replace(same, metric="micro-f1"))
        == "Rel. is judged by micro-f1, in the paper by micro-f1,without=Other"
    )


PAPERS = {  # how the paper's own reading of each column is written
    "POS": ["edge/pos:x,with=y,with=z", "edge/pos:x,tags=xpos", "edge/jsonl:x,as=pos"],
    "Constit.": [
        "edge/const:x,unary=separate,root=true,with=y,with=z",
        "edge/jsonl:x,with=y,as=const",
    ],
    "Depend.": ["edge/dep:x,root=self", "edge/dep:x,with=y,root=self", "edge/jsonl:x,as=dep"],
    "Entities": [
        "edge/entities:x,with=y,on_error=skip",
        "edge/entities:x,column=3,word=0",
        "edge/jsonl:x,as=entities",
    ],
    "SRL": ["edge/srl:x,with=y", "edge/jsonl:x,as=srl"],
    "Coref. (O)": ["edge/coref:x,with=y", "edge/jsonl:x,as=coref"],
    "SPR1": ["edge/spr1:x", "edge/spr1:x,treebank=wsj", "edge/jsonl:x,as=spr1"],
    "SPR2": ["edge/spr2:x", "edge/spr2:x,treebank=ud,ids=ids.json", "edge/jsonl:x,as=spr2"],
    "Coref. (W)": ["edge/dpr:x,sample=2/5", "edge/jsonl:x,as=dpr,sample=1/5"],
    "Rel.": ["edge/semeval:x", "edge/jsonl:x,as=semeval"],
}


@pytest.mark.parametrize("name", PAPERS)
def test_the_papers_own_readings_stand_in_their_column(name):
    for reference in PAPERS[name]:
        one = measured(reference, SCALAR_MIX_LAYERS, _SIZES[name])
        place = tenney2019().locate_task(one.trial.task, one)
        assert place is not None
        assert PAPER.columns[place.column] == name
        assert place.why == "", reference


@pytest.mark.parametrize(
    ("name", "reference", "told"),
    [
        (
            "Constit.",
            "edge/const:x",
            "unary=top, there unary=separate, root=false, there root=true",
        ),
        ("Constit.", "edge/const:x,unary=separate", "root=false, there root=true"),
        ("Depend.", "edge/dep:x", "root=none, there root=self"),
        ("Depend.", "edge/dep:x,root=self,relations=universal", "relations=universal"),
        ("SPR1", "edge/spr1:x,soft=true", "soft=true"),
        ("Entities", "edge/entities:x,size=500", "size=500"),
        ("Coref. (O)", "edge/coref:x,singletons=false", "singletons=false"),
    ],
)
def test_a_reading_that_is_not_the_papers_is_refused_by_what_differs(name, reference, told):
    one = measured(reference, SCALAR_MIX_LAYERS, _SIZES[name])
    assert (
        tenney2019().locate_task(one.trial.task, one).why
        == f"{name} is not read as in the paper: {told}"
    )


def test_universal_tags_of_a_treebank_are_not_the_papers():
    one = measured("edge/pos:x", SCALAR_MIX_LAYERS, _SIZES["POS"])
    assert tenney2019().locate_task(one.trial.task, one).why == ""  # columns have one kind of tag
    files = {"source": {"files": ["a/train.conllu.xz"]}}
    one = saying(one, notes={**one.provenance.notes, **files})
    assert (
        tenney2019().locate_task(one.trial.task, one).why
        == "POS is not read as in the paper: tags=upos, there tags=xpos"
    )


@pytest.fixture
def quick(monkeypatch):
    """Probes that are trained for a few steps: what is tried is where their results stand."""
    from lingprobe.probes.span import probe as span_protocols

    fast = span_protocols.EDGE_PROTOCOLS["fast"]
    monkeypatch.setitem(
        span_protocols.EDGE_PROTOCOLS,
        "fast",
        replace(fast, plan=replace(fast.plan, epochs=1, steps=3, looks=1)),
    )


def ontonotes(folder):
    """Made-up OntoNotes in CoNLL-2012's columns, in the folders of the release."""
    for split, name in (("train", "train"), ("dev", "development"), ("test", "test")):
        place = folder / name / "data" / "english" / "annotations" / "nw"
        place.mkdir(parents=True)
        (place / "a_0001.v4_gold_conll").write_text(
            (edges.gold(folder.parent / "made") / f"toy.{split}.gold_conll").read_text()
        )
    return folder


def jiant(folder, names):
    """Some columns as jiant's own files, from the formats in which their data are published."""
    made = edges.edge_files(folder.parent / "formats")
    published = {
        "Depend.": f"edge/dep:{made}/misc,root=self",
        "SPR1": f"edge/spr1:{made}/spr1",
        "SPR2": f"edge/spr2:{made}/spr2/protoroles.tsv,treebank={made}/spr2/bank",
        "Coref. (W)": f"edge/dpr:{made}/recast/dpr_data.txt",
        "Rel.": f"edge/semeval:{made}/semeval",
        **{
            name: f"edge/{_TASKS_OF[name]}:{made}/gold"
            for name in ("Entities", "SRL", "Coref. (O)", "POS")
        },
        "Constit.": f"edge/const:{made}/gold,unary=separate,root=true",
    }
    for name in names:
        place = folder / _JIANT[name]
        place.mkdir(parents=True)
        write_dataset(TASKS.make(published[name]).load(), place / "edges.json", "jiant")
        (place / "edges.dev.json").rename(place / "development.json")
    return folder


@pytest.mark.parametrize("form", ["columns", "jiant"])
def test_data_of_the_papers_sizes_stand_in_every_one_of_its_columns(
    form, tmp_path, monkeypatch, quick
):
    """OntoNotes in columns and the rest in jiant's files, or all in jiant's; through plan, run and
    table.
    """
    from_jiant = [name for name in WHOLE if form == "jiant" or name not in _ONTONOTES]
    folders = {"jiant": str(jiant(tmp_path / "edges", from_jiant))} | (
        {"ontonotes": str(ontonotes(tmp_path / "onto"))} if form == "columns" else {}
    )
    suite = tenney2019(protocol="fast", **folders)
    assert suite.lacking() == []
    named = {PAPER.columns[i]: run for i, run in enumerate(suite.runs) if run is not None}
    assert set(named) == set(WHOLE)
    for name, reference in named.items():
        plain = reference.without("sample")
        counts = TASKS.make(plain).load().notes["targets"]
        monkeypatch.setitem(
            _SIZES, name, tuple(counts[split] for split in ("train", "dev", "test"))
        )
    paths = RunPaths.of(tmp_path / "results", tmp_path / "cache")
    made = make_plan(
        make_designs(suite, SuiteRequest(["bow:random,dim=4,pool=none"], seeds=1)), paths
    )
    assert not made.refused
    outcome = run_plan(made, paths, progress=False)
    assert not outcome.failures
    entries = select_suite_results(suite, outcome.results).entries
    assert {entry.place.why for entry in entries} == {""}
    filled = {PAPER.columns[entry.place.column] for entry in entries if not entry.floor}
    assert filled == {*WHOLE, *_PARTS}
    text = format_terminal_table(tabulate_paper(PAPER, entries))
    assert "different data" not in text
    monkeypatch.setitem(_SIZES, "SRL", (1, 2, 3))
    why = {entry.place.why for entry in select_suite_results(suite, outcome.results).entries} - {""}
    assert why
    assert all("SRL has " in text and "the paper's has 1 / 2 / 3" in text for text in why)


def test_only_columns_with_data_are_run_and_layers_are_read_as_in_the_paper(tmp_path):
    for folder in (
        "edge/DPR",
        "treebanks/UD_English-EWT",
        "constituency/EWT-propbank-skel",
        "edge/SPR1",
    ):
        (tmp_path / folder).mkdir(parents=True)
    suite = tenney2019(str(tmp_path), task=("size=500",))
    assert [str(r).replace(str(tmp_path), "F") for r in suite.tasks()] == [
        "edge/pos:F/treebanks/UD_English-EWT,tags=xpos,size=500",
        "edge/const:F/constituency/EWT-propbank-skel,unary=separate,root=true,size=500",
        "edge/dep:F/treebanks/UD_English-EWT,root=self,size=500",
        "edge/spr1:F/edge/SPR1,size=500",
        "edge/dpr:F/edge/DPR,sample=*/5,size=500",
    ]
    encoders = ["hf:m,layers=all,pool=none", "bow:random,pool=none"]
    (each,) = make_designs(suite, SuiteRequest(encoders, baselines=False))
    assert (each.encoders, each.layers) == (encoders, ())
    assert each.usual == ("lex", "cat:lex+top", "mix:lex+1-top")
    assert make_designs(suite, SuiteRequest(["hf:m"], layers=("mix",)))[0].layers == ("mix",)


def test_jiants_folders_need_all_three_splits(tmp_path):
    place = tmp_path / "spr1"
    place.mkdir()
    (place / "train.json").write_text("")
    with pytest.raises(DataProblem, match="needs files for train, dev and test"):
        tenney2019(jiant=str(tmp_path))


def test_what_cannot_be_run_says_what_to_write():
    with pytest.raises(ReferenceProblem, match="task=size"):
        tenney2019("folder", task=("size",))
