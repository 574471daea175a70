"""Where the text of each reference comes from that our code makes a thing from.

Code in a file runs only after `allow_code`, so what matters is who calls that: functions that the user
gave the text to. A new call of either kind fails here until it is in its table.
"""

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src"
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
    *("_RUNNERS", "CHECKS", "VIEWS", "FIGURES", "contents", "room"),
}
MAKING = {"make", "find", "canonical", "expand", "roots", "needs", "options"}

USER = """
lingprobe/annotators/__init__.py make_parser
lingprobe/audit/inspection.py list_problems
lingprobe/api/data.py _make_task
lingprobe/api/hub_data.py _find_sources
lingprobe/api/encoders.py configure
lingprobe/api/experiments.py _canonical
lingprobe/api/listing.py about
lingprobe/api/measure.py _of_suite
lingprobe/api/probe_transfer.py _load_tasks
lingprobe/api/probing.py _as_one_encoder _canonical
lingprobe/api/results.py compare_published
lingprobe/encoders/__init__.py make_encoder
lingprobe/datasets/controls.py list_draws
lingprobe/experiment/folds.py _make_first
lingprobe/experiment/measure.py _result
lingprobe/experiment/plan.py _check_task _expand_draws _find_probes _folds _plan_design _probes_by_task _probes_for _things resolve_tasks
lingprobe/experiment/readers.py _refer _with_oracle add
lingprobe/experiment/run.py encode_ahead
lingprobe/experiment/runners/__init__.py open_workers
lingprobe_extensions/compose/events/languages.py load_language
lingprobe/data/identity.py code_roots make_portable
lingprobe/data/listing.py _entry
lingprobe/api/selection.py judged_by
lingprobe/pages/charts.py figure_of
lingprobe/pages/paper.py paper_page
lingprobe/suites/conneau2018.py conneau2018
lingprobe_extensions/papers/api.py annotate
lingprobe_extensions/papers/retests.py _locate_score list_suites
lingprobe/suites/suite.py _canonical floor_of
lingprobe/pages/views.py view_page
lingprobe/probes/online.py online
lingprobe/tasks/__init__.py make_tolerant
lingprobe_extensions/compose/comp/family.py fingerprint
lingprobe/tasks/find.py expand_tasks _expand_reference
lingprobe/tasks/task.py expand
lingprobe/tasks/released/supply.py _find_lacking_treebank
lingprobe/testing/encoders.py check_encoder
lingprobe/testing/probes.py check_probe
lingprobe/testing/tasks.py check_task
lingprobe_extensions/train/settings.py check
lingprobe/inside/erase/api.py erase _probe_name
lingprobe/inside/languages/api.py survey _count_unknown
lingprobe/inside/languages/survey.py survey_rows
lingprobe/inside/languages/cells.py _share_metric
lingprobe/inside/languages/own_data.py _make
lingprobe/inside/languages/transfer.py _bank
lingprobe/inside/languages/morphology.py list_questions _fitting
lingprobe/inside/units/sae.py inner fingerprint _find_hook
lingprobe/inside/erase/erasure.py encoder of
lingprobe/inside/heads/api.py choose_pairs
lingprobe/inside/erase/target.py of later_layers preferences readings
"""
"""Text that the user wrote, or that code of the user's or of ours that is run says."""
READ = """
lingprobe/analysis/memorization.py measure_memorization
lingprobe/analysis/frame.py _needs_seeds
lingprobe/api/refitting.py is_live
lingprobe/api/trained.py _name_apart
lingprobe/datasets/controls.py find_control
lingprobe/encoders/__init__.py kind_of_reference opposed_by_reference
lingprobe_extensions/papers/sheet_score.py _redraw_sample
lingprobe/metrics/constant.py _own_metric find_metric
lingprobe/pages/breakdown.py _average _set_beside_whole has_counted_labels restrict_run
lingprobe/pages/descriptions.py describe_reference get_question
lingprobe/experiment/examples.py _load_dataset
lingprobe/pages/scores.py _describe_control
lingprobe/suites/suite.py explain_released_difference told_data
lingprobe/suites/tenney2019.py _unlike
lingprobe_extensions/board/check.py _computed_anew
lingprobe_extensions/board/lines.py files_and_size
lingprobe/data/references.py _brief shorten_reference
"""
"""Text that was read from results or a sheet; a stranger may have written it."""
OURS = """
lingprobe_extensions/compose/audit.py _score_keys score_untaught_readings
lingprobe/audit/findings.py of
lingprobe/audit/floors.py _constants
lingprobe/experiment/readers.py _bounds
lingprobe/experiment/own_baselines.py name_own_baselines _make_able
lingprobe_extensions/papers/claim_tests.py _judge_table
lingprobe_extensions/papers/retests.py known_rows
lingprobe_extensions/compose/comp/shallow.py language_of
lingprobe/tasks/find.py _reads get_tasks
lingprobe_extensions/train/settings.py objective_of
"""
"""Text of this package, or a name that was looked up in a table before."""
ALLOWING = """
lingprobe/api/data.py inspect
lingprobe_extensions/compose/api.py _request
lingprobe/inside/erase/api.py erase intervene
lingprobe/inside/erase/remainder.py without
lingprobe/inside/heads/api.py rank_heads
lingprobe/inside/locate/api.py plan_search
lingprobe/inside/languages/api.py survey
lingprobe/api/encoders.py configure
lingprobe/api/listing.py available
lingprobe/api/measure.py _make_plan _workers
lingprobe/api/parsing.py audit_parser parse
lingprobe/api/results.py _of compare_published report
lingprobe/api/trained.py load_probe
lingprobe_extensions/train/api.py train
lingprobe/experiment/plan.py _check_task _plan_design
lingprobe/experiment/run.py encode_ahead
lingprobe_extensions/compose/events/files.py read_request
lingprobe_extensions/papers/api.py annotate
lingprobe_extensions/papers/sheet_score.py score_copies
lingprobe/tasks/find.py expand_tasks
lingprobe/testing/encoders.py check_encoder
lingprobe/testing/probes.py check_probe
lingprobe/testing/tasks.py check_task
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


@cache
def package_calls() -> frozenset[tuple[str, str, str]]:
    """Each call in the package, with its file and function."""
    return frozenset(
        (str(file.relative_to(PACKAGE)), function, call)
        for file in PACKAGE.rglob("*.py")
        for call, function in calls(ast.parse(file.read_text("utf-8")))
    )


def found(wanted) -> set[str]:
    """`file function` of each call in the package that is wanted."""
    return {f"{file} {function}" for file, function, call in package_calls() if wanted(call)}


def makes(call: str) -> bool:
    """Whether a call makes a thing, or a factory of one, from a reference."""
    table, _, method = call.rpartition(".")
    is_table = table.rpartition(".")[2] in TABLES or table.startswith("get_contents(")
    return is_table and method in MAKING


def test_it_is_known_where_every_reference_comes_from():
    known = places(USER) | places(READ) | places(OURS)
    assert found(makes) == known, "say in a table above where the text can come from"


def test_only_what_the_user_wrote_or_trusts_may_run():
    assert found(lambda call: call == "allow_code") == places(ALLOWING)


def test_no_other_way_leads_to_code_in_files():
    importing = found(lambda call: call in ("import_file", "from_file", "_hosted.import_file"))
    assert importing == {
        "lingprobe/data/_code.py from_file",
        "lingprobe/data/references.py find",
        "lingprobe/experiment/runners/on_ray.py learn",  # what a run of the user has imported before
        "lingprobe/experiment/runners/processes.py _prepare",
    }
