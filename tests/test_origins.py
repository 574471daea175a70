"""Where the text of each reference comes from that our code makes a thing from.

Code in a file runs only after `allow`, so what matters is who calls that: functions that the user
gave the text to. A new call of either kind fails here until it is in its table.
"""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "lingprobe"
TABLES = {
    *(
        "TASKS",
        "ENCODERS",
        "PROBES",
        "CONTROLS",
        "METRICS",
        "SUITES",
        "PARSERS",
        "LANGUAGES",
        "OBJECTIVES",
    ),
    *("RUNNERS", "CHECKS", "VIEWS", "FIGURES", "contents", "room"),
}
MAKING = {"make", "find", "canonical", "expand", "roots", "needs", "options"}

USER = """
annotators/__init__.py parser
audit/inspection.py problems
api/data.py _make_task annotate
api/hub_data.py _find_sources
api/encoders.py configure
api/experiments.py _canonical
api/listing.py about
api/measure.py _of_suite
api/results.py compare_published
encoders/__init__.py make
datasets/controls.py draws
experiment/measure.py _result
experiment/plan.py _check_task _expand_draws _folds _plan_design _probes_by_task _probes_for _things tasks_of
experiment/readers.py _refer _with_oracle add
experiment/run.py ahead
experiment/runners/__init__.py working
parts/compose/events/languages.py language
data/identity.py code_roots portable
data/listing.py _entry
pages/selection.py judged_by
pages/charts.py figure_of
pages/paper.py paper_page
suites/conneau2018.py conneau2018
parts/claims/retests.py _place suites
suites/suite.py _canonical floor_of
pages/views.py view_page
probes/online.py online
tasks/__init__.py tolerant
parts/compose/comp/family.py fingerprint
tasks/find.py expand_tasks _expand_reference
tasks/task.py expand
tasks/released/universal.py _lacking
testing/encoders.py check_encoder
testing/probes.py check_probe
testing/tasks.py check_task
parts/training/settings.py check
parts/erase/api.py erase
parts/languages/api.py survey
parts/languages/survey.py survey_rows
parts/languages/transfer.py _bank
parts/languages/morphology.py questions _fitting
parts/units/sae.py inner fingerprint
parts/erase/erasure.py encoder of
parts/erase/target.py of encoder later_layers preferences readings
"""
"""Text that the user wrote, or that code of the user's or of ours that is run says."""
READ = """
analysis/memorization.py measure_memorization
analysis/rows.py _needs_seeds
datasets/controls.py find_control
encoders/__init__.py kind_of_reference
judgements/score.py _redraw_sample
metrics/constant.py _own_metric find_metric
pages/breakdown.py _beside has_counted_labels restrict_result
pages/descriptions.py describe_reference question_of
pages/probabilities.py _load_dataset
pages/scores.py _describe_control
pages/subsets.py _averages
suites/suite.py different told_data
suites/flash.py _different
suites/tenney2019.py _unlike
parts/board/lines.py files_and_size
parts/board/sample.py _encoder_here
data/references.py _brief brief
"""
"""Text that was read from results or a sheet; a stranger may have written it."""
OURS = """
parts/compose/audit.py _score_keys untaught
audit/floors.py _constants floor_of
experiment/readers.py _bounds
parts/claims/claim_tests.py _judge_table
parts/claims/retests.py known_rows
parts/compose/comp/shallow.py language_of
tasks/find.py _reads get_tasks
parts/training/settings.py objective_of
"""
"""Text of this package, or a name that was looked up in a table before."""
ALLOWING = """
api/data.py annotate inspect
parts/board/api.py _check
parts/compose/api.py _request
parts/erase/api.py erase intervene
parts/erase/remainder.py without
parts/languages/api.py survey
api/encoders.py configure
api/listing.py available
api/measure.py _make_plan _workers
api/parsing.py parse
api/results.py _of compare_published report
parts/training/api.py audit_parser train
experiment/plan.py _check_task _plan_design
experiment/run.py ahead
parts/compose/events/files.py read
judgements/score.py score
tasks/find.py expand_tasks
testing/encoders.py check_encoder
testing/probes.py check_probe
testing/tasks.py check_task
"""
"""What the user wrote, what a task that is run names as its metric and probe, and with `trust` what
was read.
"""


def places(table: str) -> set[str]:
    """`file function` of each line of a table."""
    lines = (line.split() for line in table.split("\n") if line)
    return {f"{file} {function}" for file, *functions in lines for function in functions}


def calls(node: ast.AST, function: str = "") -> set[tuple[str, str]]:
    """Each call in a tree, as it is written without its arguments, with the function it is in."""
    every = set()
    for child in ast.iter_child_nodes(node):
        inner = child.name if isinstance(child, ast.FunctionDef | ast.ClassDef) else function
        if isinstance(child, ast.Call):
            every.add((ast.unparse(child.func), inner))
        every |= calls(child, inner)
    return every


def found(wanted) -> set[str]:
    """`file function` of each call in the package that is wanted."""
    return {
        f"{file.relative_to(PACKAGE)} {function}"
        for file in PACKAGE.rglob("*.py")
        for call, function in calls(ast.parse(file.read_text("utf-8")))
        if wanted(call)
    }


def makes(call: str) -> bool:
    """Whether a call makes a thing, or a factory of one, from a reference."""
    table, _, method = call.rpartition(".")
    return table.rpartition(".")[2] in TABLES and method in MAKING


def test_it_is_known_where_every_reference_comes_from():
    known = places(USER) | places(READ) | places(OURS)
    assert found(makes) == known, "say in a table above where the text can come from"


def test_only_what_the_user_wrote_or_trusts_may_run():
    assert found(lambda call: call == "allow") == places(ALLOWING)


def test_no_other_way_leads_to_code_in_files():
    importing = found(lambda call: call in ("import_file", "from_file", "_hosted.import_file"))
    assert importing == {
        "data/_code.py from_file",
        "data/references.py find",
        "experiment/runners/on_ray.py learn",  # what a run of the user has imported before
        "experiment/runners/processes.py _prepare",
    }
