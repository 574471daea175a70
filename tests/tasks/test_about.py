"""What is known of tasks before any data are read, and looking tasks up by it."""

import pytest

import lingprobe
from lingprobe.data.references import ReferenceProblem
from lingprobe.suites.bibliography import PAPER_NAMES, format_bibtex
from lingprobe.tasks import TASKS
from lingprobe.tasks.about import _UNITS, find_task_description, known_tasks


def names(**wishes):
    return {entry.name for entry in lingprobe.available("tasks", **wishes)}


def test_something_is_known_of_every_task_and_every_pattern_fits_one():
    assert all(find_task_description(name) for name in TASKS)
    met = {id(about) for pattern, about in known_tasks().items() if TASKS.matching(pattern)}
    assert met == {id(about) for about in known_tasks().values()}


def test_papers_are_in_the_bibliography():
    for each in known_tasks().values():
        assert set(each.papers) <= set(PAPER_NAMES)
        assert format_bibtex(each.papers).count("@") == len(each.papers)
        assert each.unit in _UNITS


def test_a_language_takes_tasks_over_ones_own_data_and_sets_in_that_language():
    polish = names(language="pol")
    assert {"ud/tense", "edge/dep", "comp/order", "ud2019/tense", "table"} <= polish
    assert not polish & {"senteval/tense", "edge/spr2", "rusenteval/tense", "comp/agreement"}
    assert polish == names(language="pl") == names(language="Polish")
    assert names(language="de") & {"xprobe/tense"}


def test_a_paper_is_asked_for_by_author_and_year():
    assert {n.partition("/")[0] for n in names(paper="conneau2018")} == {
        "senteval", "tree", "xprobe"
    }  # fmt: skip
    assert names(paper="Tenney 2019") == {n for n in TASKS if n.startswith("edge/")}
    assert find_task_description("ud/tense").years == ("krasnowska2019", "demarneffe2021")


def test_units_of_one_kind_go_together():
    assert {"edge/pos", "edge/dep", "linspector/contextual"} <= names(unit="span")
    assert "edge/pos" not in names(unit="two spans")
    assert {n.partition("/")[0] for n in names(unit="words")} == {
        "arcs", "comp", "forms", "linspector"
    }  # fmt: skip
    assert not names(unit="span") & names(unit="sentence")


def test_open_data_are_those_with_an_open_licence_and_ones_own():
    free = names(licence="open")
    assert {"ud/tense", "comp/order", "edge/semeval", "rusenteval/tense"} <= free
    assert not free & {"edge/spr1", "comp/released/order"}


def test_wishes_narrow_each_other_and_a_pattern():
    both = lingprobe.available("tasks", "edge/*", language="pl", unit="two spans", licence="open")
    assert {entry.name for entry in both} == {"edge/coref", "edge/dep", "edge/jsonl", "edge/srl"}


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"language": "xx"}, "no language 'xx'"),
        ({"paper": "smith2020"}, "no paper 'smith2020': choose one of .*conneau2018, "),
        ({"unit": "paragraph"}, "no unit 'paragraph'"),
        ({"licence": "closed"}, "no licence 'closed'"),
    ],
)
def test_what_no_task_can_meet_is_refused(wishes, message):
    with pytest.raises(lingprobe.UsageProblem, match=message):
        names(**wishes)


def test_only_tasks_have_papers_and_languages():
    with pytest.raises(lingprobe.UsageProblem, match="only tasks do"):
        lingprobe.available("probes", paper="conneau2018")


def test_of_somebody_elses_task_nothing_is_known(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "import lingprobe\n\n\n@lingprobe.question\ndef long(tree):\n    '''Is it long?'''\n    return 'yes'\n"
    )
    assert lingprobe.about(f"{file}@long") is None
    assert lingprobe.bibtex(f"{file}@long") == ""


def test_a_family_says_nothing_of_a_task_that_there_is_not():
    with pytest.raises(ReferenceProblem, match="did you mean 'ud/tense'"):
        lingprobe.about("ud/tens")
    with pytest.raises(ReferenceProblem, match="no task called"):
        lingprobe.about("ud/*")


def test_the_name_of_a_language_is_answered_with_how_to_ask_for_one():
    with pytest.raises(ReferenceProblem, match="lingprobe tasks -l Finnish"):
        lingprobe.available("tasks", "Finnish")
    for kind, name in (("tasks", "case"), ("probes", "Finnish")):
        with pytest.raises(ReferenceProblem) as problem:
            lingprobe.available(kind, name)
        assert "data in a language" not in str(problem.value)


def test_bibtex_of_a_pattern_has_each_paper_once():
    assert lingprobe.bibtex("senteval/*").count("@") == 1
    assert lingprobe.bibtex(["ud/*", "tree/tense"]).count("@") == 3
