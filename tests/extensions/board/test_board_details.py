"""What pages of tasks show beside scores: controls with selectivity, scores by groups of examples,
and scores by metrics that are not run.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

import lingprobe
from extensions.board.made import TASKS, N, bounds, control, fit, store, tagged
from lingprobe.data.core import Tags
from lingprobe_extensions.board.check import check_submission
from lingprobe_extensions.board.frame import fit_of
from lingprobe_extensions.board.own_metrics import submitted_rows
from lingprobe_extensions.board.standings import compute_standings
from lingprobe_extensions.board.submission import (
    BoardSubmission,
    SubmitterStatement,
    submission_of,
    with_bounds,
    write_submission,
)


def submit(results):
    return submission_of(results, SubmitterStatement())


def page_of(results, tmp_path, task=TASKS[0]):
    """The text of a task's page on a board of what was measured."""
    own = store(results, tmp_path / "own")
    files = lingprobe.board(output=tmp_path / "site", measure=own).files
    name = task.partition(":")[0].replace("/", "_")
    (file,) = [f for f in files if f.parent.name == "tasks" and f.name.startswith(name)]
    return unescape(re.sub(r"<[^>]+>", " ", file.read_text("utf-8")))


def test_a_control_stands_beside_its_score(tmp_path):
    plain = [fit("hf:org/one", 0.9), *bounds(TASKS[:1])]
    controls = [control(each, 0.6, seed) for each in plain[:2] for seed in (0, 1)]
    made = submit([*plain, *controls])
    assert sum("word-labels" in f.control for f in made.fits) == 4
    assert made.lines[0].fits == 3
    (one,) = compute_standings(made.results).tasks
    assert [m.row.score for m in one.models] == [90.0]
    assert {row.encoder for row in one.floors} == {"length", "bow:random"}
    text = page_of([*plain, *controls], tmp_path)
    mine = next(c for c in controls if c.trial.encoder == "hf:org/one")
    right = mine.gold.ids == mine.predicted.ids
    assert re.search(r"org/one\s+-\s+word-labels[^%]*?90\.0\s+60\.0", text)
    assert re.search(r"\+30\.0 \[\+\d+\.\d, \+\d+\.\d\]\s+75\.0", text)  # selectivity, keys seen
    assert "length" in text[text.index("score of the control") :]
    # draws differ, so scores by whether a key was seen are means
    seen = np.mean(
        [
            (c.gold.ids == c.predicted.ids)[np.arange(N) % 4 < 3].mean()
            for c in controls
            if c.trial.encoder == "hf:org/one"
        ]
    )
    assert f"{100 * seen:.1f}" in text
    assert right.mean() == pytest.approx(0.6)


def test_a_control_of_another_layer_is_shown_with_its_score(tmp_path):
    layers = [fit("hf:org/deep", share, read=str(k)) for k, share in enumerate((0.6, 0.9))]
    text = page_of([*layers, *bounds(TASKS[:1]), control(layers[0], 0.55)], tmp_path)
    assert re.search(r"org/deep\s+1\s+90\.0", text)
    assert re.search(r"org/deep\s+0\s+word-labels[^%]*?60\.0\s+55\.0", text)


def test_floors_of_a_control_are_those_under_it():
    plain = [fit("hf:org/one", 0.9), *bounds(TASKS[:1])]
    made = submit([*plain, control(plain[0], 0.7), control(plain[1], 0.65)])
    floors = {(f.encoder, f.control != "none"): f.floor for f in made.fits}
    assert floors["hf:org/one", False] == 60.0
    assert floors["hf:org/one", True] == 65.0


def test_scores_by_groups_and_no_words(tmp_path):
    plain = list(map(tagged, [fit("hf:org/one", 0.9), *bounds(TASKS[:1])]))
    made = submit(plain)
    (one,) = [f.result() for f in made.fits if f.kind == "trained"]
    assert one.strata.keys() == {"clause", "length"}
    assert b"secret" not in b"".join(fit.packed.encode() for fit in made.fits)
    text = page_of(plain, tmp_path)
    right = one.gold.ids == one.predicted.ids
    sub = 100 * right[np.arange(N) % 5 == 4].mean()
    assert "By clause" in text
    assert "secret" not in text
    table = text[text.index("Scores by clause") :]
    main = 100 * right[np.arange(N) % 5 < 4].mean()
    assert re.search(rf"org/one\s+-\s+{main:.1f} ±\d+\.\d\s+{sub:.1f} ±", table)
    assert re.search(r"\sn\s+160\s+40\s", table)


def test_altered_tags_are_refused(tmp_path):
    plain = [tagged(each) for each in (fit("hf:org/one", 0.9), *bounds(TASKS[:1]))]
    other = Tags(1 - plain[0].strata["clause"].codes, ("main", "sub"))
    none = Tags(plain[0].strata["clause"].codes + 1, ("main", "sub"))
    for tags, message in ((other, "its examples have other tags than"), (none, "without a name")):
        every = sorted(plain, key=lambda r: r.trial)
        made = submit(every)
        k = next(i for i, r in enumerate(made.results) if r.provenance.kind == "trained")
        changed = list(made.results)
        changed[k] = replace(changed[k], strata={**changed[k].strata, "clause": tags})
        fits = with_bounds([fit_of(each) for each in changed], changed)
        write_submission(
            BoardSubmission(tuple(fits), tuple(changed), made.lines), tmp_path / message
        )
        with pytest.raises(lingprobe.DataProblem, match=message):
            check_submission(tmp_path / message)


def own(result, code):
    return replace(result, metric=f"{code}@near", low=0.5, high=0.95)


def test_scores_by_a_metric_of_a_file_are_shown_and_not_compared(tmp_path):
    code = tmp_path / "mine.py"
    code.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\ndef near(): pass\n")
    mine = [fit("hf:org/one", share, seed=k) for k, share in enumerate((0.9, 0.8))]
    deep = [fit("hf:org/deep", share, read=k) for k, share in (("0", 0.7), ("6", 0.75))]
    other = [fit("hf:org/one", 0.9, task=TASKS[1]), *bounds(TASKS[1:])]
    made = submit([*(own(each, code) for each in [*mine, *deep, *bounds(TASKS[:1])]), *other])
    assert {f.metric for f in made.fits} == {"mine.py@near", "accuracy"}
    text = page_of(made.results, tmp_path)
    assert "By a metric that is code in a file, so not compared" in text
    assert re.search(r"org/one\s+-\s+85\.0\s+–", text)
    assert re.search(r"org/deep\s+6\s+75\.0\s+50\.0 – 95\.0", text)
    assert re.search(r"gold\s+-\s+99\.0", text)
    assert "no baseline" in text
    index = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "85.0*" in index
    assert "90.0 ±" in index
    assert not (tmp_path / "ran").exists()


def test_folds_weigh_by_their_examples():
    folds = [fit("hf:org/one", 0.5, task=f"{TASKS[0]},fold=1/2", n=100)]
    folds += [fit("hf:org/one", 0.8, task=f"{TASKS[0]},fold=2/2", n=200)]
    (one,) = submitted_rows([own(each, "mine.py") for each in folds])
    assert one.row.score == pytest.approx((50 * 100 + 80 * 200) / 300)
    assert (one.row.n, one.row.folds, one.row.seeds) == (300, 2, 1)
    assert np.isnan(one.row.low)
