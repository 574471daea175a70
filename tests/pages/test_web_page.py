"""The page of a report: what was asked, what came out, whether it can be believed, where it fails,
how it was made.
"""

import base64
import html
import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import lingprobe
from fixtures.results import TASKS, result, results, saying
from fixtures.scored import scores_page, to_scores
from fixtures.scored import show_web_page as web_page
from lingprobe.analysis.scores import list_task_scores
from lingprobe.data.core import DataProblem, Result, Tags
from lingprobe.data.labels import Classes, ScoreLabels
from lingprobe.pages.verdicts import make_statement
from lingprobe.pages.web.study import StudyContext
from lingprobe.store.results import ResultStore
from lingprobe.suites import bibliography
from lingprobe.tables.table import format_p_value
from lingprobe.tasks import TASKS as TASK_CONTENTS
from lingprobe_extensions.papers.sheet import SheetRequest, write_sheet
from tables.test_web import Outline


def text_of(found: list[Result], beside: StudyContext | None = None) -> str:
    page = web_page(found, beside) if beside else web_page(found)
    return " ".join(Outline(page).text.split())


def test_chapters_come_in_the_order_of_a_readers_questions():
    titles = re.findall(r"<h2[^>]*>([^<]*)", web_page(results()))
    assert titles == [
        "Results",
        "How far to trust the scores",
        "Tasks and encoders",
        "Where it fails",
        "Provenance",
    ]


def test_it_says_what_was_asked_and_by_whom():
    text = text_of(results())
    assert "Is the main verb in the present or in the past?" in text
    assert "Krasnowska-Kieraś & Wróblewska 2019" in text
    assert "The number of words, and nothing else" in text


def test_it_opens_with_the_verdicts_and_what_to_do_next(tmp_path):
    close = [
        r if r.trial.task == TASKS[0] or r.trial.encoder != "length" else replace(r, **even(r))
        for r in results()
    ]
    text = text_of(close, StudyContext(folder=tmp_path / "my results"))
    first, _, rest = text.partition("Results")[2].partition("Verdicts and 95 %")
    for said in make_statement(to_scores(close)).sentences:
        assert said in first
    assert "worse than length on passive" in first
    assert f"Next: lingprobe compare '{tmp_path}/my results'" in rest


def test_a_limited_run_is_a_first_look_on_its_page():
    limited = [
        replace(r, trial=replace(r.trial, task=f"{r.trial.task},limit=600")) for r in results()
    ]
    assert "At most 600 examples per task: a preview, not for publication." in text_of(limited)


def test_it_prints_the_p_and_the_interval_that_compare_prints_and_names_their_family():
    found = results(mine=0.68, yours=0.6)
    compared = lingprobe.compare(found)
    text = text_of(found)
    family = "4 comparisons (2 encoders on 2 tasks, against the baselines) for each question"
    assert compared.family == family
    assert compared.family in text
    assert compared.family in str(compared).replace("\n", " ")
    for one in compared.found:
        difference = f"{one.difference:+.1f} [{one.low:+.1f}, {one.high:+.1f}]"
        assert f" {one.first.partition(',')[0]} {one.question} {one.verdict} " in text
        assert f"{difference.replace('-', '−')} {format_p_value(one.corrected)}" in text


def test_no_number_of_examples_stands_where_a_point_would_have_been_found():
    def said(n):
        found = [
            saying(result(0.55, n, encoder=name, task=TASKS[0]), kind=kind)
            for name, kind in (("mine", "trained"), ("length", "baseline"))
        ]
        rows = text_of(found).partition("Encoders against the best baseline")[2]
        return rows.partition("better: than every baseline")[0].split()[-1]

    assert said(20_000) == "–"
    assert int(said(200).replace(",", "")) > 200


def test_the_best_layer_on_test_is_not_taken_for_the_encoder():
    """Dev prefers the lower of two layers."""
    layers = [
        saying(
            result(share, encoder="mine", read=read, task=task), kind="trained", choice={"dev": d}
        )
        for (share, read, d), task in product(((0.6, "0", 0.9), (0.9, "1", 0.5)), TASKS)
    ]
    text = text_of([*layers, *(r for r in results() if r.trial.encoder == "length")])
    scores, _, rest = text.partition("All layers")
    assert "mine 60.0" in scores
    assert "mine 90.0" not in scores
    assert "at the layer that is best on dev" in scores
    assert "mine 1 90.0" in rest.partition("How far to trust")[0]
    verdicts = rest.partition("Encoders against the best baseline")[2].partition("n to decide:")[0]
    assert "mine, layer 0" in verdicts
    assert "mine, layer 1" not in verdicts


def test_layers_are_drawn_as_curves_with_all_encoders_above_each_other():
    layers = [
        saying(
            result(0.6 + int(read) / 10, encoder=name, read=read, task=task),
            kind="trained",
            choice={"dev": 0.9},
        )
        for name, read, task in product(("mine", "yours"), "012", TASKS)
    ]
    page = web_page([*layers, *(r for r in results() if r.trial.encoder == "length")])
    assert page.count("<svg") == 1
    for name, layer in product(("mine", "yours"), range(3)):
        assert page.count(f"<title>{name}, layer {layer}: ") == 2
    assert "best baseline</text>" in page.replace("\n", "")


def test_scores_are_brought_along_as_csv():
    found = results()
    (link,) = re.findall(
        r'<a href="data:text/plain;base64,([^"]*)" download="scores.csv">', web_page(found)
    )
    lines = base64.b64decode(link).decode().splitlines()
    assert lines[0].startswith("task,encoder,layer,probe,metric,score,low,high,n")
    assert len(lines) == 1 + len(list_task_scores(to_scores(found)))


def test_a_task_that_length_answers_is_no_failure_of_an_encoder():
    found = [
        saying(result(share, encoder=name, task="ud/sent-len:EWT-bank"), kind=kind)
        for name, share, kind in (("mine", 0.7, "trained"), ("length", 1.0, "baseline"))
    ]
    text = text_of([*found, *results()])
    assert "both are beyond the surface" in text
    assert "Not counted: sent-len, which length solves." in text
    assert "solved by a baseline" in text


@pytest.mark.parametrize(
    ("seeded", "seeds", "says", "not_says"),
    [
        (False, 1, "no random start, so one is enough", "variation between seeds"),
        (True, 1, "variation between seeds", "no random start"),
        (True, 3, "means over random starts", "variation between seeds"),
    ],
)
def test_notes_about_seeds_stand_where_they_matter(seeded, seeds, says, not_says):
    found = [saying(r, is_seeded=seeded) for r in results() if r.trial.seed < seeds]
    for text in (text_of(found), text_of(found) + str(lingprobe.compare(found))):
        assert says in text
        assert not_says not in text


def even(like: Result) -> dict[str, object]:
    """The answers of an encoder that has nine of ten right, but others."""
    right = np.arange(like.n) >= like.n // 10
    gold = np.arange(like.n) % 2
    said = Classes(np.where(right, gold, 1 - gold), ("past", "pres"))
    return {"predicted": said, "score": 0.9, "low": 0.85, "high": 0.95}


def test_a_constant_answer_is_the_floor_where_baselines_are_missing_or_worse():
    alone = [r for r in results() if r.trial.encoder == "mine"]
    assert "(constant)" in text_of(alone)
    low = text_of(results(length=0.3))
    assert "(constant) 50.0" in low


def test_a_score_above_its_oracle_is_marked_everywhere():
    found = results(**{"gold:clause": 0.8})
    page = web_page(found)
    assert page.count('class="h7 above"') == 2
    assert "better, above its oracle" in page
    assert "mine on tense (90.0, oracle 80.0)" in page
    assert ' above"' not in web_page(results())


def test_classes_are_shown_with_their_shares_and_what_is_said_instead():
    one = result(0.9, encoder="mine")
    said = Classes(np.zeros(one.n, np.int64), ("past", "pres"))
    text = text_of([saying(replace(one, predicted=said, score=0.5), kind="trained")])
    assert "past mine 50.0 100.0 100.0" in text
    assert "pres mine 50.0 0.0 0.0" in text
    assert "Confusion matrix of mine: predictions for the examples of each class (%)" in text


def test_of_many_classes_the_commonest_mistakes_are_listed():
    names = tuple(f"class {i:02}" for i in range(20))
    gold = Classes(np.arange(200) % 20, names)
    said = Classes(np.where(np.arange(200) % 20 == 7, 3, np.arange(200) % 20), names)
    one = replace(result(0.95, encoder="mine"), gold=gold, predicted=said)
    assert "class 07 class 03 10 100.0" in text_of([saying(one, kind="trained")])


def test_scores_by_tags_that_have_some_values():
    tags = {
        "distance": Tags(np.arange(200) % 4, ("1", "2", "3", "4")),
        "all alike": Tags(np.zeros(200, np.int64), ("one",)),
        "word": Tags(np.arange(200), tuple(f"w{i}" for i in range(200))),
    }
    page = web_page([replace(r, strata=tags) for r in results()])
    assert "By distance: 4 values" in page
    assert "all alike" not in page
    assert "By word" not in page


def test_labels_that_are_numbers_have_no_classes():
    gold = ScoreLabels(np.arange(20, dtype=np.float32))
    one = replace(result(0.9, n=20, encoder="mine"), metric="pearson", gold=gold, predicted=gold)
    assert "Labels are numbers" in text_of([saying(one, kind="trained")])


def test_what_was_not_kept_is_said_with_the_option_that_keeps_it():
    assert "Measured with --keep-scores" in text_of(results())


def test_it_says_what_could_not_be_measured():
    beside = StudyContext(
        problems=("failed: <b>theirs</b>: it broke",), remarks=("an older result",)
    )
    text = text_of(results(), beside)
    assert "failed: <b>theirs</b>: it broke" in text
    assert "an older result" in text


def test_a_command_repeats_it_and_papers_are_cited():
    named = {"mine": "hf:a b", "yours": "hf:c"}
    found = [
        replace(r, trial=replace(r.trial, encoder=named.get(r.trial.encoder, r.trial.encoder)))
        for r in results()
    ]
    text = text_of(found)
    assert "lingprobe run \\ -t ud/tense:EWT-bank \\ -t ud/passive:EWT-bank \\ -e 'hf:a b'" in text
    assert "--seeds 3" in text
    assert "--baselines none" not in text
    assert "@inproceedings{krasnowska-kieras-wroblewska-2019-empirical," in text
    assert "--baselines none" in text_of([r for r in found if r.trial.encoder == "hf:c"])
    assert "--no-copies" not in text
    own = {"hf:c,weights=random": "decodable"}
    copied = [saying(r, own_baselines=own) if r.trial.encoder == "hf:c" else r for r in found]
    assert "--no-copies" in text_of(copied)
    linear = [replace(r, trial=replace(r.trial, probe="linear")) for r in found]
    network = [r for r in found if r.trial.encoder == "length"]
    strong = text_of([*linear, *network])
    assert "--baselines strong" in strong
    assert "--probe mlp" not in strong


def test_what_was_given_in_python_is_in_no_command():
    text = text_of([r for r in results() if r.trial.encoder == "mine"])
    assert "lingprobe run" not in text.partition("Provenance")[2].partition("Copy")[0]
    assert "Given as Python objects, so not in the command: mine." in text


def test_many_encoders_are_drawn_in_part():
    many = [
        saying(result(0.6 + i / 200, encoder=f"e{i}", task=task), kind="trained")
        for i, task in product(range(40), TASKS)
    ]
    page = web_page(many)
    assert "The 24 encoders with the highest scores; 16 more are in the table." in page
    assert page.count('<th scope="row" class="w">e0</th>') >= 2


def test_a_figure_that_cannot_be_drawn_is_replaced_by_the_reason():
    assert "No figure: a radar needs at least three tasks" in text_of(
        results(), StudyContext(figure="radar")
    )


def test_names_are_escaped_wherever_they_stand():
    evil = "</script><script>alert(1)</script>"
    found = [replace(r, trial=replace(r.trial, encoder=evil)) for r in results()]
    outline = Outline(web_page(found, StudyContext(questions={TASKS[0]: evil})))
    assert len(outline.named("script")) == 1
    assert evil in outline.text


@pytest.mark.parametrize("name", ["page.html", "PAGE.HTML"])
def test_a_file_says_by_its_name_that_it_is_a_page(tmp_path, name):
    scores_page(results()).write(tmp_path / name)
    assert (tmp_path / name).read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("kept", [True, False])
def test_examples_are_shown_the_surest_first_where_probabilities_were_kept(tmp_path, kept):
    folder = tmp_path / "kept"
    how = {"probes": "logreg", "seeds": 1, "baselines": "none"}
    task = "ud/tense:embedded,fold=1/5"
    done = lingprobe.run(task, "bow:random", output=folder, keep_scores=kept, **how)
    page = lingprobe.report(folder).text("html")
    assert "Examples that bow:random gets wrong" in page
    assert ("Measured with --keep-scores" not in page) == kept
    assert ("The most confident predictions first" in page) == kept
    (one,) = done.results
    wrong = one.gold.ids != one.predicted.ids
    data = TASK_CONTENTS.make(task).load()
    test = data.take(data.rows("test"))
    first = test.sentences[test.sites[int(wrong.argmax())][0][0]].text
    assert kept or first in html.unescape(page)


def test_results_without_probabilities_are_read_once(tmp_path, monkeypatch):
    how = {"probes": "logreg", "seeds": 1, "baselines": "none", "output": tmp_path}
    lingprobe.run("ud/sent-len:embedded,limit=300", "length", **how)
    read, known = [], ResultStore.read
    monkeypatch.setattr(ResultStore, "read", lambda store: read.append(1) or known(store))
    assert "Measured with --keep-scores" in lingprobe.report(tmp_path).text("html")
    assert len(read) == 1


def test_people_stand_beside_the_probe_where_they_judged(tmp_path):
    folder, blank, filled = (tmp_path / name for name in ("kept", "blank.tsv", "filled.tsv"))
    how = {"probes": "logreg", "seeds": 1, "baselines": "none"}
    lingprobe.run("ud/tense:embedded", "bow:random", output=folder, keep_scores=True, **how)
    write_sheet(
        "ud/tense:embedded", TASK_CONTENTS.make("ud/tense:embedded"), blank, SheetRequest(n=30)
    )
    lines = blank.read_text("utf-8").splitlines()
    judged = [f"{line}past" if line[:1].isdigit() else line for line in lines]
    filled.write_text("".join(f"{line}\n" for line in judged), "utf-8")
    text = " ".join(Outline(lingprobe.report(folder, human=[filled]).text("html")).text.split())
    assert "past people, of 30 sentences – 100.0 – –" in text
    assert "pres people, of 30 sentences – 0.0 – –" in text
    assert "Where people and bow:random differ" in text
    differ = text.partition("test sentences that people judged")
    assert " past pres " in differ[2]  # of what people call past it says pres
    with pytest.raises(lingprobe.UsageProblem, match="name its suite"):
        lingprobe.report(folder, human=["bound.json"])


def test_sheets_that_show_labels_say_nothing_of_what_people_would_say(tmp_path):
    sheet = tmp_path / "check.tsv"
    task = TASK_CONTENTS.make("ud/tense:embedded")
    write_sheet("ud/tense:embedded", task, sheet, SheetRequest(mode="check", n=5))
    with pytest.raises(DataProblem, match="people saw the labels"):
        lingprobe.report(results(), human=[sheet])


def test_every_paper_has_an_entry():
    for key in bibliography.PAPER_NAMES:
        entry = bibliography.format_bibtex([key, key])
        assert entry.count("@") == 1
        assert entry.count("{") == entry.count("}")
    assert bibliography.papers_of("mine.py@task") == ()


@pytest.mark.parametrize("urls", [["Homepage, https://example.org/lingprobe/"], [], None])
def test_links_to_the_documentation_are_there_once_its_address_is_stated(urls, monkeypatch):
    class Stated:
        def get_all(self, name):
            return {"Project-URL": urls}[name]

    monkeypatch.setattr("lingprobe.pages.web.making.metadata", lambda name: Stated())
    text = scores_page([result(0.8)]).text("html")
    links = re.findall(r'<a href="(https?:[^"]*)"', text)
    assert links == [
        f"https://example.org/lingprobe/{page}.html" for page in ("understand", "compare", "paper")
    ] * bool(urls)
