"""Boards of what an operator measured: what is reported is never ranked and changes no group, nobody
leads below a baseline, and a submission that is not what its model scores is said to differ.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lingprobe
from extensions.board.made import (
    BOUNDS,
    TASKS,
    bounds,
    fit,
    later,
    make_board,
    results,
    store,
)
from fixtures.results import saying
from lingprobe.corpora.embedded import generate_treebank
from lingprobe.data.labels import Classes
from lingprobe.metrics.intervals import FitAnswers
from lingprobe_extensions.board.measure import list_jobs
from lingprobe_extensions.board.standings import compute_standings
from lingprobe_extensions.board.submission import (
    SubmitterStatement,
    submission_of,
    write_submission,
)

FORGED, HONEST = "hf:org/fake", {"hf:org/one": 0.9, "hf:org/two": 0.88, "hf:org/low": 0.5}
SHARE = st.floats(0.3, 1.0)


def submit(mine, **said):
    return submission_of(mine, SubmitterStatement(**said))


def write(mine, folder, **said):
    write_submission(submit(list(mine), **said), folder)
    return folder


def groups(found, task=TASKS[0]):
    """The groups of the models that were measured."""
    (one,) = [one for one in found.tasks if one.key[0] == task]
    return {each.row.encoder: each.group for each in one.models}


class Rows(HTMLParser):
    """The rows of a page's tables: the text of each cell, its class, and whether it is bold."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.head = [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.head = tag == "thead" or (self.head and tag != "tbody")
        if tag == "tr" and not self.head:
            self.rows.append([])
        elif tag in ("td", "th") and not self.head:
            self.rows[-1].append(
                {"text": "", "class": dict(attrs).get("class") or "", "bold": False}
            )
        elif tag == "b" and self.rows and self.rows[-1]:
            self.rows[-1][-1]["bold"] = True

    def handle_data(self, data):
        if not self.head and self.rows and self.rows[-1]:
            self.rows[-1][-1]["text"] += data.strip()

    def named(self, name):
        """The rows whose first cell is a name."""
        return [row for row in self.rows if row and row[0]["text"] == name]


# ---- groups


@given(shares=st.lists(SHARE, min_size=1, max_size=4), reported=st.lists(SHARE, max_size=3))
@settings(max_examples=12, deadline=None)
def test_what_is_reported_changes_no_group(shares, reported):
    mine = results({f"hf:org/{k}": share for k, share in enumerate(shares)}, TASKS[:1])
    others = [fit(f"hf:org/{k}", share) for k, share in enumerate(reported)]
    alone, beside = compute_standings(mine), compute_standings(mine, [*others, fit(FORGED, 1.0)])
    assert repr([one.models for one in beside.tasks]) == repr([one.models for one in alone.tasks])
    assert (beside.family, beside.floors_family) == (alone.family, alone.floors_family)
    (one,) = beside.tasks
    assert FORGED in {each.row.encoder for each in one.reported}
    assert FORGED not in groups(beside)


@given(shares=st.lists(SHARE, min_size=1, max_size=5), floor=SHARE)
@settings(max_examples=25, deadline=None)
def test_nobody_leads_below_a_baseline(shares, floor):
    models = [fit(f"hf:org/{k}", share) for k, share in enumerate(shares)]
    mine = [*models, fit("bow:random", floor, "baseline"), fit("gold", 1.0, "oracle")]
    (one,) = compute_standings(mine).tasks
    best = max([floor * 100, one.models[0].row.majority])
    for each in one.models:
        if each.group == "leading":
            assert each.row.score > best
            assert each.is_above_floors
    if all(round(200 * share) <= round(200 * floor) for share in shares):
        assert not one.of("leading")
        why = make_board(mine).name_leaders(one.key)
        assert why in ("no model is above the baselines", "a baseline solves the task")


def test_a_planted_better_model_leads_and_equal_ones_share():
    mine = results({"hf:org/best": 0.97, "hf:org/worse": 0.8, "hf:org/low": 0.55})
    for task in TASKS:
        assert groups(compute_standings(mine), task) == {
            "hf:org/best": "leading",
            "hf:org/worse": "behind",
            "hf:org/low": "not above baselines",
        }
    best = [one for one in mine if one.trial.encoder == "hf:org/best"]
    same = [replace(one, trial=replace(one.trial, encoder="hf:org/same")) for one in best]
    shared = groups(compute_standings([*mine, *same]))
    assert shared["hf:org/best"] == shared["hf:org/same"] == "leading"


def test_no_baselines_no_ranks():
    mine = [fit("hf:org/one", 0.9), fit("gold", 1.0, "oracle"), *results(HONEST, TASKS[1:])]
    found = compute_standings(mine)
    assert groups(found) == {"hf:org/one": "no baselines"}
    assert groups(found, TASKS[1])["hf:org/one"] == "leading"


# ---- reports beside measurements


def test_a_report_that_differs_is_said_to():
    """p is that of `compare`, by Holm's method over the three reports."""
    measured = results({"hf:org/one": 0.7, "hf:org/two": 0.8})
    reported = [
        fit("hf:org/one", 0.95, task=TASKS[0]),
        fit("hf:org/one", 0.7, task=TASKS[1]),
        fit("hf:org/two", 0.82, task=TASKS[1]),
    ]
    found = compute_standings(measured, reported)
    reports = {(k.key[0], r.row.encoder): r for k in found.tasks for r in k.reported}
    assert {place for place, one in reports.items() if one.differs} == {(TASKS[0], "hf:org/one")}
    plain = []
    for one in reported[0], reported[2]:
        (own,) = [m for m in measured if m.trial == one.trial]
        other = replace(own, trial=replace(own.trial, encoder="hf:org/own"))
        (decision,) = lingprobe.compare([one, other], pairs=True).found
        plain.append(decision.p)
    first, last = reports[TASKS[0], "hf:org/one"], reports[TASKS[1], "hf:org/two"]
    assert first.difference == pytest.approx(25.0)
    assert first.p == pytest.approx(3 * plain[0])
    assert last.p == pytest.approx(min(1, 2 * plain[1]))
    same = reports[TASKS[1], "hf:org/one"]
    assert (same.difference, same.p) == (0.0, 1.0)
    assert "3 comparisons" in found.reports_family


def test_reports_over_other_examples_or_of_other_layers_are_not_compared():
    measured = results({"hf:org/one": 0.7}, TASKS[:1])
    for other in fit("hf:org/one", 0.95, n=150), fit("hf:org/one", 0.95, read="3"):
        (one,) = [r for k in compute_standings(measured, [other]).tasks for r in k.reported]
        assert np.isnan(one.p)
        assert not one.differs
        assert (one.measured is None) == (other.trial.read == "3")


def test_what_is_reported_is_grey_and_in_no_group(tmp_path):
    own = store(results(HONEST), tmp_path / "own")
    forged = write(results({FORGED: 1.0, "hf:org/one": 1.0}), tmp_path / "forged")
    files = lingprobe.board(forged, tmp_path / "site", measure=own).files
    index = Rows(files[0].read_text("utf-8"))
    names = [row[0]["text"] for row in index.rows]
    assert names[: names.index("n") + 1] == [
        *("best baseline", "org/low", "org/one", "org/two", "upper bound", "n")
    ]
    assert names[names.index("n") + 1 :][:2] == ["org/fake (reported)", "org/one (reported)"]
    (one,) = index.named("org/one")
    assert [cell["bold"] for cell in one[3:]] == [True, True]
    assert all("above" in cell["class"] and "soft" not in cell["class"] for cell in one[3:])
    for name in "org/fake (reported)", "org/one (reported)":
        (row,) = index.named(name)
        assert all("soft" in cell["class"] and "above" not in cell["class"] for cell in row)
        assert not any(cell["bold"] for cell in row)
        assert row[3]["text"].startswith("100.0")
    assert "reported of org/one differs significantly" in files[0].read_text("utf-8")
    for file in files[1:]:
        text = file.read_text("utf-8")
        for row in Rows(text).named("org/fake"):
            assert not any(cell["bold"] for cell in row)
            assert all("soft" in cell["class"] for cell in row)
        assert not re.search(r"eading: [^<.]*fake", text)
    (page,) = [file for file in files if file.stem == "org_fake"]
    assert "not measured by the board's operator, so not ranked" in page.read_text("utf-8").replace(
        "&#39;", "'"
    )


def test_a_board_without_measurements_ranks_nobody(tmp_path):
    mine = write(results({FORGED: 1.0}), tmp_path / "mine")
    files = lingprobe.board(mine, tmp_path / "site").files
    for file in files:
        text = file.read_text("utf-8")
        assert "<b>" not in text
        assert "pper bound:" not in text
    assert "no model is ranked" in files[0].read_text("utf-8")
    assert "best baseline" not in [row[0]["text"] for row in Rows(files[0].read_text("utf-8")).rows]


def test_no_leader_is_explained(tmp_path):
    own = store(results({"hf:org/low": 0.5}), tmp_path / "own")
    files = lingprobe.board(output=tmp_path / "site", measure=own).files
    pages = [file.read_text("utf-8") for file in files if file.parent.name == "tasks"]
    assert all("No model is leading: no model is above the baselines." in text for text in pages)
    assert "on 0 of 2 tasks" in files[0].read_text("utf-8")
    assert all("<b>" not in file.read_text("utf-8") for file in files)


def test_why_nobody_leads_is_what_compare_says():
    answered = make_board([fit("hf:org/one", 0.6), *bounds()[:2], fit("gold", 0.5, "oracle")])
    (key, *_) = answered.tasks
    assert answered.explain_no_leader(key) == "a baseline solves the task"
    clusters = {"target": np.arange(200) % 3}
    few = [replace(one, clusters=clusters) for one in results(HONEST, TASKS[:1])]
    assert "too few clusters" in make_board(few).explain_no_leader(key)


def test_a_phenomenon_has_one_figure_over_languages(tmp_path):
    tasks = ["ud/tense:UD_English-EWT", "ud/tense:UD_Polish-PDB", "ud/passive:UD_Polish-PDB"]
    own = store(results(HONEST, tasks), tmp_path / "own")
    forged = write(results({FORGED: 1.0}, tasks), tmp_path / "forged")
    files = lingprobe.board(forged, tmp_path / "site", measure=own).files
    texts = {f.stem: f.read_text("utf-8") for f in files if f.parent.name == "phenomena"}
    assert sorted(texts) == ["ud_passive", "ud_tense"]
    (figure,) = re.findall(r"<svg.*?</svg>", texts["ud_tense"], re.S)
    assert "fake" not in figure
    drawn = re.findall(r"<title>([^<]*): \d", figure)
    assert drawn.count("org/one") == 2
    assert drawn.count("bow:random") == 2
    assert "<svg" not in files[0].read_text("utf-8")


# ---- names


def test_a_submitter_names_no_model_that_was_measured(tmp_path):
    measured = results({"hf:org/one": 0.9})
    board = make_board(measured, submit(measured, name="The best"))
    assert [model.name for model in board.models.values()] == ["org/one"]
    board = make_board(measured, submit(results({FORGED: 0.9}), name="org/one"))
    assert sorted(model.name for model in board.models.values())[0] == "org/one"
    assert re.fullmatch(r"org/one \([0-9a-f]{6}\)", board.models[FORGED].name)


def test_code_of_the_same_name_is_another_model():
    measured = results({"mine.py@vowels": 0.9})
    other = [replace(one, provenance=later(one)) for one in results({"mine.py@vowels": 0.8})]
    same = make_board(measured, submit(measured))
    assert len(same.models) == 1
    assert len(make_board(measured, submit(other)).models) == 2


def test_a_task_is_the_same_wherever_its_data_lie():
    def moved(one, place):
        task = one.trial.task.replace(":", f":{place}/")
        return replace(one, trial=replace(one.trial, task=task))

    measured = [moved(one, "here") for one in results({"hf:org/one": 0.9})]
    found = make_board(measured, submit([moved(one, "there") for one in results(HONEST)]))
    assert len(found.tasks) == len(TASKS)
    assert all(len(one.reported) == len(HONEST) for one in found.tasks.values())


def test_results_of_other_data_are_a_task_of_their_own(tmp_path):
    def other(one):
        task = f'["{one.trial.task}", "code", "other data"]'
        return saying(one, identities={**one.provenance.identities, "task": task})

    own = store(results({"hf:org/one": 0.9}), tmp_path / "own")
    mine = write(map(other, results({"hf:org/one": 0.95}, TASKS[:1])), tmp_path / "mine")
    site = lingprobe.board(mine, tmp_path / "site", measure=own)
    assert len([file for file in site.files if file.parent.name == "tasks"]) == 3
    (remark,) = site.remarks
    assert remark.startswith("ud/tense:UD_English-EWT: what is reported was measured on other data")


def test_own_baselines_are_found_under_their_portable_names():
    copy = "hf:/home/me/one,weights=random"
    model = saying(fit("hf:/home/me/one", 0.8), own_baselines={copy: "decodable"})
    mine = [model, fit(copy, 0.78, "baseline"), fit("gold", 1.0, "oracle")]
    made = submit(mine)
    (one,) = [r for r in made.results if r.provenance.kind == "trained"]
    names = {kind: fit.encoder for fit in made.fits for kind in [fit.kind]}
    assert dict(one.provenance.own_baselines) == {names["baseline"]: "decodable"}
    assert "/home" not in "".join(names.values())
    assert set(groups(make_board(mine).standings).values()) == {"not above baselines"}


# ---- measuring


HOW = {"probes": ["logreg"], "seeds": 1, "limit": 120}


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A working folder with data, vectors that a submitter sent, and what they submitted; and what
    they submitted with made-up answers.
    """
    place = tmp_path_factory.mktemp("operator")
    lines = "\n".join(generate_treebank(400)).splitlines()
    texts = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
    vectors = np.random.default_rng(0).normal(size=(len(texts), 4)).astype(np.float32)
    np.savez(place / "tiny.npz", sentences=np.array(texts), vectors=vectors)
    (place / "few.conllu").write_text("\n".join(lines) + "\n", "utf-8")
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.chdir(place)
    done = lingprobe.run("ud/tense:few.conllu", f"npz:{place}/tiny.npz", output="theirs", **HOW)
    (place / "tiny.npz").rename(place / "sent.npz")
    write(done.results, place / "honest", name="tiny")
    write([better(one) for one in done.results], place / "forged", name="tiny")
    yield place
    monkeypatch.undo()


def better(result):
    """With answers that are all right, and the interval that they have."""
    said = Classes(result.gold.ids.copy(), result.gold.names)
    low, high = FitAnswers(result.gold, [said], result.clusters).interval("accuracy")
    return replace(result, predicted=said, score=1.0, low=low, high=high)


def test_a_forged_submission_is_found_when_its_model_is_measured(here, tmp_path):
    own, models = tmp_path / "own", {"tiny": "npz:sent.npz"}
    asked = {"measure": own, "encoders": models}
    estimate = lingprobe.estimate_board("forged", **asked)
    assert re.match(r"tiny: \d+ trials, 0 of them measured before", str(estimate))
    assert not list(own.glob("*.result"))
    site = lingprobe.board("forged", tmp_path / "site", **asked)
    assert site.problems == ()
    again = str(lingprobe.estimate_board("forged", **asked))
    assert re.match(r"tiny: (\d+) trials, \1 of them measured before; 0 jobs", again)
    index = Rows(site.files[0].read_text("utf-8"))
    (measured,) = index.named("tiny (from vectors)")
    (reported,) = index.named("tiny (reported)")
    assert reported[3]["text"].startswith("100.0")
    assert not measured[3]["text"].startswith("100.0")
    assert not measured[3]["bold"]
    assert "reported of tiny (from vectors) differs significantly" in site.files[0].read_text()
    honest = lingprobe.board("honest", tmp_path / "site", **asked)
    assert "differs significantly" not in honest.files[0].read_text("utf-8")
    (page,) = [file for file in honest.files if file.parent.name == "models"]
    assert re.search(r"\+0\.0</td>", page.read_text("utf-8"))


def test_what_a_submission_names_is_not_followed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = tmp_path / "mine.py"
    code.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\ndef thing(): pass\n")
    for place, name, why in (
        ("task", "mine.py@thing", "code in a file"),
        ("probe", "mine.py@thing", "code in a file"),
        ("control", "mine.py@thing", "code in a file"),
        ("task", "ud/tense:../secret.conllu", "outside the working folder"),
        ("task", "ud/tense:https://example.com/x.conllu", "another machine"),
    ):
        plain = submit(results({"hf:org/one": 0.9}, TASKS[:1]))
        changed = [replace(one, trial=replace(one.trial, **{place: name})) for one in plain.results]
        made = plain._replace(results=tuple(changed))
        jobs, refused = list_jobs({"org/one": "length"}, [made])
        assert jobs == []
        assert why in refused[0]
    folder = write(changed, tmp_path / "mine")
    with pytest.raises(lingprobe.DataProblem, match=r"another machine; no results in .*own"):
        lingprobe.board(folder, "site", measure="own", encoders={"org/one": "length"})
    assert not (tmp_path / "ran").exists()


def test_a_seed_of_a_stranger_costs_one_fit():
    odd = [replace(r, trial=replace(r.trial, seed=10**9)) for r in results({"hf:org/one": 0.9})]
    ((job,), _) = list_jobs({"org/one": "length"}, [submit(odd)])
    assert (job.seeds, len(job.tasks)) == (1, 2)


# ---- what is wrong


def empty(folder):
    (folder / "empty").mkdir()
    return folder / "empty"


WRONG = {
    "nothing": (lambda f: {}, "name at least one submission, or the results that you measured"),
    "no such folder": (lambda f: {"folders": f / "x"}, "there is no such folder"),
    "results as a submission": (
        lambda f: {"folders": store(results(HONEST), f / "own")},
        r"own is not what `lingprobe publish submit` wrote: results.parquet is missing",
    ),
    "a submission as results": (
        lambda f: {"measure": write(results(HONEST), f / "mine")},
        "mine is a submission, which somebody may have made up: measure names results",
    ),
    "no results": (lambda f: {"measure": empty(f)}, r"no results in .*empty: `lingprobe run -o"),
    "no baselines": (
        lambda f: {"measure": store([fit("hf:org/one", 0.9)], f / "own")},
        r"own has no baselines, so no model can be ranked",
    ),
    "encoders and no results": (
        lambda f: {"folders": write(results(HONEST), f / "mine"), "encoders": ["org/one=length"]},
        r"name the folder of results that models are measured into",
    ),
    "no name": (
        lambda f: {
            "folders": write(results(HONEST), f / "mine"),
            "measure": f / "own",
            "encoders": ["length"],
        },
        r"length: write NAME=REFERENCE",
    ),
    "another name": (
        lambda f: {
            "folders": write(results(HONEST), f / "mine"),
            "measure": f / "own",
            "encoders": {"one": "length"},
        },
        r"no submission has a model 'one': there are org/low, org/one, org/two",
    ),
    "a name of two": (
        lambda f: {
            "folders": [
                write(results({"hf:org/one": 0.9}), f / "mine", name="x"),
                write(results({"hf:org/two": 0.9}), f / "yours", name="x"),
            ],
            "measure": f / "own",
            "encoders": {"x": "length"},
        },
        r"2 submissions name a model 'x'",
    ),
    "several states": (
        lambda f: {
            "measure": store(
                [
                    fit("hf:org/one", 0.9),
                    fit("hf:org/one", 0.9, task=TASKS[1], state="files=2"),
                    *bounds(),
                ],
                f / "own",
            )
        },
        r"own: org/one: its results are of several states of the model",
    ),
    "data that are not here": (
        lambda f: {
            "folders": write(results({"hf:org/one": 0.9}), f / "mine"),
            "measure": f / "own",
            "encoders": {"org/one": "length"},
        },
        r"org/one: .*is not here.*; no results in .*own: `lingprobe run",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_is_said_in_a_sentence(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make, message = WRONG[kind]
    with pytest.raises(lingprobe.LingprobeError, match=message) as raised:
        lingprobe.board(output=tmp_path / "site", **make(tmp_path))
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "site").exists()


def test_the_best_baseline_is_the_operators():
    """Baselines of a submission count nowhere."""
    low = [fit(name, 0.5, kind) for name, (kind, _) in BOUNDS.items()]
    high = [fit(name, 0.95, kind) for name, (kind, _) in BOUNDS.items()]
    board = make_board([fit("hf:org/one", 0.9), *low], submit([fit(FORGED, 0.9), *high]))
    (key,) = board.tasks
    assert board.floor(key)[0] == 50.0
    assert board.ceiling(key)[0] == 50.0
