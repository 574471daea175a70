"""Several tasks in one table: groups with means, baselines and oracles apart, bold by comparison
with the best, and all that long tables say in notes.
"""

import csv
import io
import re
from dataclasses import replace
from itertools import pairwise, product

import pytest
from rich.cells import cell_len

import lingprobe
from fixtures.results import KINDS, TASKS, result, results, saying
from fixtures.scored import scores_page, to_scores
from fixtures.scored import to_scores as rows
from lingprobe.analysis.comparison import find_leaders
from lingprobe.data.core import Result
from lingprobe.data.errors import UsageProblem
from lingprobe.data.labels import Classes
from lingprobe.pages import wide as wide_pages
from lingprobe.pages.grid import make_grid
from lingprobe.pages.groups import arrange_columns
from lingprobe.tables.formats import format_terminal_table
from lingprobe.tables.markup import format_latex, format_markdown
from lingprobe.tables.web import tables_document


def wide(found, questions=None):
    return wide_pages.make_wide_table(make_grid(to_scores(found)), questions)


def test_encoders_stand_below_each_other_and_tasks_beside_each_other():
    table = wide(results())
    assert table.columns == ("encoder", "tense", "passive", "mean")
    assert table.groups == ("", *["ud:EWT-bank"] * 3)
    (section,) = table.sections
    assert [row[0] for row in section.rows] == [
        "(constant)",
        "length",
        "mine",
        "yours",
        "oracle",
        "n",
    ]
    assert section.rules == {2, 4, 5}
    assert [row[3] for row in section.rows] == ["50.0", "55.0", "90.0", "70.0", "100.0", ""]
    assert re.fullmatch(r"90\.0 ± *\d+\.\d", section.rows[2][1])
    assert section.rows[-1] == ("n", "200", "200", "")


def test_a_group_lacks_its_mean_where_a_task_is_missing_or_metrics_differ():
    part = [r for r in results() if (r.trial.encoder, r.trial.task) != ("yours", TASKS[1])]
    yours = wide(part).sections[0].rows[3]
    assert yours[0] == "yours"
    assert yours[2:] == ("–", "–")
    mixed = [r if r.trial.task == TASKS[0] else replace(r, metric="macro-f1") for r in part]
    table = wide(mixed)
    assert "mean" not in table.columns
    assert any("different metrics" in note for note in table.notes)
    own = [replace(r, trial=replace(r.trial, task=f"table:{r.trial.task[3:8]}.csv")) for r in part]
    assert not any("different metrics" in note for note in wide(own).notes)


def test_bold_is_the_best_encoder_and_what_a_paired_comparison_does_not_tell_from_it():
    far = wide(results(yours=0.7)).sections[0]
    assert far.strong == {(2, 1), (2, 2)}
    near = wide(results(yours=0.88)).sections[0]
    assert near.strong == {(2, 1), (2, 2), (3, 1), (3, 2)}
    # no baseline and no oracle, however high
    assert wide(results(length=0.99)).sections[0].strong == {(2, 1), (2, 2)}
    alone = [r for r in results() if r.trial.encoder != "yours"]
    assert not find_leaders(to_scores(alone)).rows
    assert not any("Bold" in note for note in wide(alone).notes)


def test_bold_is_decided_as_the_comparison_of_all_pairs_is():
    """What p of one comparison would tell is open among many, in the table as in `compare`."""
    found = results(yours=0.86)
    more = [
        saying(result(0.6, encoder=f"e{i}", task=task), kind="trained")
        for i, task in product(range(9), TASKS)
    ]
    every = lingprobe.compare([*found, *more], pairs=True)
    strong = find_leaders(to_scores([*found, *more]))
    assert strong.family == every.family
    notes = " ".join(wide([*found, *more]).notes)
    assert "110 comparisons (11 encoders on 2 tasks, all pairs, without baselines)" in notes
    of_two = [one for one in every.found if {one.first, one.second} == {"mine, mlp", "yours, mlp"}]
    assert all(one.p < 0.05 and one.verdict == "no significant difference" for one in of_two)
    assert {what[1] for what in strong.rows} == {"mine", "yours"}


def test_pairing_tells_apart_what_intervals_do_not():
    """Of two encoders that err on the same examples, the one that errs on a few more is worse."""

    def answering(encoder: str, wrong: int) -> Result:
        made = saying(result(n=400, encoder=encoder), kind="trained")
        answers = made.gold.classes.copy()
        answers[:wrong] = 1 - answers[:wrong]
        predicted = Classes(answers, made.gold.names)
        return replace(made, score=1 - wrong / 400, predicted=predicted)

    pair = [answering("mine", 40), answering("yours", 60)]
    assert {what[1] for what in find_leaders(to_scores(pair)).rows} == {"mine"}
    (mine, yours) = rows(pair)
    assert yours.high > mine.low


def test_scores_over_other_examples_are_marked_and_never_bold():
    other = [saying(result(0.95, 100, encoder="theirs", task=t), kind="trained") for t in TASKS]
    table = wide([*results(), *other])
    (row,) = [r for r in table.sections[0].rows if r[0] == "theirs"]
    assert row[1].startswith("95.0* ±")
    assert any("100 test examples, which differ" in note for note in table.notes)
    assert {table.sections[0].rows[r][0] for r, _ in table.sections[0].strong} == {"mine"}


def test_controls_stand_below_and_nothing_that_long_tables_say_is_lost():
    rule = {"rules": {"first noun": 0.584}}
    found = [saying(r, notes=rule, malformed=[2, "line 7"]) for r in results()]
    found += [result(0.5, task=task, encoder="mine", control="shuffled") for task in TASKS]
    table = wide(found, {TASKS[0]: "Is it past?"})
    assert [section.heading for section in table.sections] == ["", "shuffled"]
    assert table.sections[1].rows == (("mine", "50.0", "50.0", "50.0"),)
    notes = "\n".join(table.notes)
    for said in (
        "tense (2 classes): Is it past? (best rule of thumb: first noun, 58.4)",
        "passive (2 classes)",
        "mean of 1 to 3 seeds",
        "oracle: gold:clause for tense, passive",
        "shuffled: Labels permuted",
        "Probe: mlp.",
    ):
        assert said in notes, said


def test_what_several_probes_read_are_lines_of_their_own():
    several = [*results(), *(result(0.6, task=t, encoder="mine", probe="logreg") for t in TASKS)]
    table = wide(several)
    assert table.columns[:2] == ("encoder", "probe")
    assert [row[:2] for row in table.sections[0].rows if row[0] == "mine"] == [
        ("mine", "mlp"),
        ("mine", "logreg"),
    ]


def test_what_several_probes_read_is_named_once_or_with_the_probe():
    read = [
        result(task=task, encoder=encoder, probe=probe, seed=seed)
        for task, encoder, probe in product(TASKS, ("gold", "st:mine"), ("logreg", "mlp"))
        for seed in range(2 if (encoder, probe) == ("st:mine", "mlp") else 1)
    ]
    notes = wide(read).notes
    assert "oracle: gold for tense, passive." in notes
    assert "seeds: 1: st:mine with logreg, gold; 2: st:mine with mlp." in notes


def test_the_oracles_are_one_line_where_one_task_alone_is_read_by_several_probes():
    table = wide([*results(), result(0.6, task=TASKS[0], probe="majority-feature")])
    (oracle,) = (row for row in table.sections[0].rows if row[0] == "oracle")
    assert oracle[1] == "mlp"
    assert "–" not in oracle
    assert not any(note.startswith("Probes") for note in table.notes)


def test_encoders_that_different_probes_read_are_not_compared_unsaid():
    mixed = [*results(), result(0.6, encoder="theirs", task=TASKS[0], probe="logreg")]
    table = wide([saying(r, kind="trained") if r.trial.encoder == "theirs" else r for r in mixed])
    assert table.columns[:2] == ("encoder", "probe")
    words = [
        replace(r, trial=replace(r.trial, probe="nb")) if r.trial.encoder == "length" else r
        for r in results()
    ]
    assert wide(words).columns[:2] == ("encoder", "tense")  # baselines have probes of their own


@pytest.mark.parametrize(
    ("tasks", "columns"),
    [
        (("ud/tense:A-bank,size=9", "ud/passive:A-bank,size=9"), "ud:A-bank tense passive"),
        (
            ("ud/tense:A-bank,size=9", "ud/tense:B-bank,size=9", "edge/pos:A-bank"),
            "ud:A-bank,size=9 tense | ud:B-bank,size=9 tense | edge:A-bank pos",
        ),
        (("edge/pos:A-bank", "edge/spr2:SPR2-data"), "edge pos spr2"),
        (("ud/tense:A-bank", "ud/tense:B-bank"), "ud:A-bank tense | ud:B-bank tense"),
        (("ud/tense:A-bank", "ud/tense:A-bank,forms=simple"), "ud:A-bank tense tense,forms=simple"),
        (("table:depths.jsonl", "ud/tense:A-bank"), " table:depths.jsonl | ud:A-bank tense"),
    ],
)
def test_tasks_are_grouped_by_family_and_by_source_where_one_question_has_several(tasks, columns):
    groups: dict[str, list[str]] = {}
    for column in arrange_columns(tasks):
        groups.setdefault(column.group, []).append(column.name)
    assert " | ".join(" ".join([group, *names]) for group, names in groups.items()) == columns


@pytest.mark.parametrize("width", [60, 80, 160])
def test_it_fits_the_terminal(width):
    tasks = [f"ud/question-{i}:EWT-bank" for i in range(9)]
    many = [
        saying(result(0.7 + i / 100, task=task, encoder=name), kind=KINDS.get(name, "trained"))
        for i, task in enumerate(tasks)
        for name in ("length", "hf:a-very-long/name-of-a-model,layers=all,pool=mean")
    ]
    lines = format_terminal_table(wide(many), width).splitlines()
    assert max(map(cell_len, lines)) <= width
    heads = [line.split() for line in lines if line.startswith("encoder")]
    assert [name for head in heads for name in head[1:]] == [
        *(f"question-{i}" for i in range(9)),
        "mean",
    ]
    # the name of the group begins where its first column does, at the latest
    above, head = next((a, b) for a, b in pairwise(lines) if b.startswith("encoder"))
    assert above.index("─") <= head.index("question-0")
    assert len(above) == len(head)


def test_every_format_has_groups_and_bold():
    table = wide(results())
    assert "•90.0" in format_terminal_table(table)
    text = format_latex(table)
    assert r"\multicolumn{3}{c}{ud:EWT-bank}" in text
    assert r"\cmidrule(lr){2-4}" in text
    assert r"\textbf{90.0 $\pm$" in text
    assert r"\label{tab:lingprobe}" in text
    assert text.index(r"\begin{table*}") < text.index(r"\caption{") < text.index(r"\end{table*}")
    assert '<th class="g" colspan="3" scope="colgroup">ud:EWT-bank</th>' in tables_document([table])
    assert "<b>90.0 ±" in tables_document([table])
    assert "**ud:EWT-bank**" in format_markdown(table)
    assert "**90.0 ±" in format_markdown(table)
    two = wide([*results(), *(result(task=f"ud/tense:{b}") for b in ("B-bank", "C-bank"))])
    assert "| ud:B-bank tense |" in format_markdown(two)


def test_several_tasks_are_one_table_and_each_its_own_on_demand():
    found = results()
    assert len(scores_page(found).tables[0].sections) == 1
    assert len(lingprobe.report(found).tables[0].sections) == 1
    each = lingprobe.report(found, each=True)
    assert [section.heading for section in each.tables[0].sections] == [
        "ud/tense:EWT-bank (2 classes)",
        "ud/passive:EWT-bank (2 classes)",
    ]
    one = [r for r in found if r.trial.task == TASKS[0]]
    assert "95 % interval" in lingprobe.report(one).tables[0].columns
    long = list(csv.DictReader(io.StringIO(lingprobe.report(found).text("csv"))))
    assert len(long) == len(TASKS) * len(KINDS)
    with pytest.raises(UsageProblem, match="each and bits"):
        lingprobe.report(found, each=True, bits=True)


def test_probes_are_named_once():
    own = [
        r if r.trial.task == TASKS[0] else replace(r, trial=replace(r.trial, probe="span"))
        for r in results()
    ]
    assert "Probes: mlp (tense); span (passive)." in wide(own).notes
    edges = [result(task=f"edge/{name}:EWT-bank", probe="span") for name in ("pos", "dep")]
    assert "Probes: mlp (ud:EWT-bank); span (edge:EWT-bank)." in wide([*results(), *edges]).notes
    several = [*results(), *(result(0.6, task=t, encoder="mine", probe="logreg") for t in TASKS)]
    assert not any(note.startswith("Probe") for note in wide(several).notes)


def test_options_of_all_tasks_are_said_once():
    table = wide([result(task=f"{task},size=9") for task in TASKS])
    assert table.columns[1:3] == ("tense", "passive")
    assert "All tasks: size=9." in table.notes


def test_names_in_folders_of_this_machine_are_shortened_where_that_tells_them_apart():
    places = ("st:/home/me/models/one-model", "st:/home/me/models/two-models")
    made = [result(task=t, encoder=e) for t, e in product(TASKS, places)]
    table = wide(made)
    assert [row[0] for row in table.sections[0].rows][1:3] == ["st:one-model", "st:two-models"]
    short = ("trained:/home/me/models/next", "trained:/home/me/models/autoencode")
    drawn = "untrained:bilstm-max,vectors=/home/me/novels.vec"
    table = wide([result(task=t, encoder=e) for t, e in product(TASKS, (*short, drawn))])
    assert [row[0] for row in table.sections[0].rows][1:4] == [
        "untrained:bilstm-max,vectors=novels.vec",  # a baseline
        "trained:next",
        "trained:autoencode",
    ]
    again = [result(task=task, encoder=places[1], seed=1) for task in TASKS]
    assert "seeds: 1: st:one-model; 2: st:two-models." in wide([*made, *again]).notes
    table = wide([result(task=t, encoder="/home/me/mine.py@vowels") for t in TASKS])
    assert table.sections[0].rows[1][0] == "mine.py@vowels"
    alike = ("st:/home/one/a-model", "st:/home/two/a-model")
    table = wide([result(task=t, encoder=e) for t, e in product(TASKS, alike)])
    assert [row[0] for row in table.sections[0].rows][1:3] == list(alike)
