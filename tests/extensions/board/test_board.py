"""Submissions and boards: written and read without loss, refused when altered, models in the groups
that `compare` finds, and pages that stand any name.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import lingprobe
from extensions.board.made import TASKS, bounds, fit, later, make_board, results, store
from lingprobe.audit.data_card import CHECKSUM_FILE, checksum_files
from lingprobe.data.cache import write_text
from lingprobe.data.labels import Classes
from lingprobe.metrics import correct_holm
from lingprobe_extensions.board.check import check_submission
from lingprobe_extensions.board.frame import fit_of
from lingprobe_extensions.board.index_page import _LIMIT, index_text
from lingprobe_extensions.board.lines import count_parameters
from lingprobe_extensions.board.merge import merge_submissions
from lingprobe_extensions.board.mteb_scores import mteb_places, of_model
from lingprobe_extensions.board.standings import compute_standings
from lingprobe_extensions.board.submission import (
    MODEL_LINES_FILE,
    RESULTS_TABLE_FILE,
    BoardSubmission,
    SubmitterStatement,
    submission_of,
    with_bounds,
    write_submission,
)

EVIL = "</script><img src=x onerror=alert(1)>'\"&"
SHARES = {"hf:org/one": 0.9, "hf:org/two": 0.88, "hf:org/three": 0.65}


def submit(mine, **said):
    return submission_of(mine, SubmitterStatement(**said))


@pytest.fixture
def folder(tmp_path):
    made = submit(
        results(SHARES), declared={"trained_on_ud": "no", "trained_on_sources": "unknown"}
    )
    write_submission(made, tmp_path / "mine")
    return tmp_path / "mine"


def test_what_is_written_is_read_again(folder):
    made = submit(results(SHARES))
    checked, remarks = check_submission(folder)
    assert [f.identity for f in checked.fits] == [f.identity for f in made.fits]
    assert remarks == ()
    for one, other in zip(checked.results, made.results, strict=True):
        assert (one.trial, one.metric, one.provenance) == (
            other.trial,
            other.metric,
            other.provenance,
        )
        assert list(one.gold.plain()) == list(other.gold.plain())
        assert list(one.predicted.plain()) == list(other.predicted.plain())
        assert one.score == other.score
    (line, *_) = checked.lines
    assert (line.name, line.declared["trained_on_ud"], line.layers) == ("org/one", "no", ("-",))
    assert line.code.keys() == {"task", "encoder", "probe", "control", "metric"}


def test_labels_of_every_kind_are_read_again():
    from lingprobe.data.labels import NumberList, build_column

    kinds = {
        "sets": [frozenset({"a", "b"}), frozenset(), frozenset({"b"})],
        "scores": [0.25, -1.5, 1e9],
        "lists": [NumberList("depth", v) for v in ([1, 2], [0.5], [])],
    }
    for labels in map(build_column, kinds.values()):
        plain = replace(fit("hf:org/one", 0.5, n=3), gold=labels, predicted=labels)
        again = fit_of(replace(plain, clusters={"target": np.array([0, 1, -1])})).result()
        assert list(again.gold.plain()) == list(labels.plain())
        assert again.clusters["target"].tolist() == [0, 1, -1]


def test_folds_are_one_score_with_all_examples():
    folds = [f"{TASKS[0]},fold={k}/2" for k in (1, 2)]
    made = submit([*results({"hf:org/one": 0.8}, folds)])
    assert {fit.fold for fit in made.fits} == {"1/2", "2/2"}
    (one,) = compute_standings(made.results).tasks
    (model,) = one.models
    assert (model.row.n, model.row.folds, one.key[0]) == (400, 2, TASKS[0])


def test_floors_and_ceilings_are_the_best_of_their_task(folder):
    fits = check_submission(folder).submission.fits
    floors = {f.task: (f.floor, f.floor_of) for f in fits}
    best = {f.task: f.score for f in fits if f.encoder == "bow:random"}
    assert floors == {task: (score, "bow:random") for task, score in best.items()}
    assert {(f.ceiling, f.ceiling_of) for f in fits} == {(99.0, "gold")}
    (one,) = (f for f in fits if (f.task, f.encoder) == (TASKS[0], "hf:org/one"))
    (alone,) = with_bounds([one], [one.result()])
    assert (alone.floor, alone.floor_of, alone.ceiling_of) == (50.0, "(constant)", "")


def change_row(folder, number, **changed):
    """Write a folder again with other columns in a row, the checksums with it."""
    made = check_submission(folder).submission
    fits = list(made.fits)
    fits[number] = replace(fits[number], **changed)
    write_submission(BoardSubmission(tuple(fits), made.results, made.lines), folder)


def forge(folder, number, change):
    """Write a folder again with another result in a row, all that follows from it included."""
    made = check_submission(folder).submission
    every = list(made.results)
    every[number] = change(every[number])
    fits = with_bounds([fit_of(each) for each in every], every)
    write_submission(BoardSubmission(tuple(fits), tuple(every), made.lines), folder)


def flip_byte(folder):
    content = bytearray((folder / RESULTS_TABLE_FILE).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / RESULTS_TABLE_FILE).write_bytes(content)


def edit_line(folder, **changed):
    first, *rest = (folder / MODEL_LINES_FILE).read_text("utf-8").splitlines()
    said = {**json.loads(first), **changed}
    write_text(folder / MODEL_LINES_FILE, "\n".join([json.dumps(said), *rest]) + "\n")
    write_text(
        folder / CHECKSUM_FILE, checksum_files(folder, (RESULTS_TABLE_FILE, MODEL_LINES_FILE))
    )


def drop_rows(folder):
    made = check_submission(folder).submission
    (first, *_) = (i for i, fit in enumerate(made.fits) if fit.encoder == "hf:org/two")
    kept = [i for i in range(len(made.fits)) if i != first]
    fits = tuple(made.fits[i] for i in kept)
    write_submission(BoardSubmission(fits, made.results, made.lines), folder)


def other_gold(result):
    gold = 1 - result.gold.ids
    return replace(result, gold=Classes(gold, result.gold.names), score=1 - result.score)


def better(result):
    said = result.gold.ids.copy()
    return replace(result, predicted=Classes(said, result.gold.names), score=1.0)


def answers_of(folder, number):
    made = check_submission(folder).submission
    best = fit_of(better(made.results[number]))
    return {"packed": best.packed, "arrays": best.arrays, "score": 100.0}


def twice(folder):
    made = check_submission(folder).submission
    order = [*range(len(made.fits)), 0]
    fits, every = [made.fits[i] for i in order], [made.results[i] for i in order]
    write_submission(BoardSubmission(tuple(fits), tuple(every), made.lines), folder)


def other_state(folder):
    number = [fit.encoder for fit in check_submission(folder).submission.fits].index("hf:org/one")

    def change(result):
        return replace(result, provenance=replace(result.provenance, revision="another"))

    forge(folder, number, change)


def odd_types(folder):
    """A trial that no trial is: numbers for names."""
    first = check_submission(folder).submission.fits[0]
    said = json.loads(first.packed)
    said["result"]["trial"]["task"] = 7
    change_row(folder, 0, packed=json.dumps(said))


def other_columns(folder):
    import pyarrow.parquet as pq

    table = pq.read_table(folder / RESULTS_TABLE_FILE)
    names = ["best" if name == "score" else name for name in table.column_names]
    pq.write_table(table.rename_columns(names), folder / RESULTS_TABLE_FILE)
    write_text(
        folder / CHECKSUM_FILE, checksum_files(folder, (RESULTS_TABLE_FILE, MODEL_LINES_FILE))
    )


ALTERED = {
    "a byte": (flip_byte, r"results.parquet has another checksum than SHA256SUMS"),
    "a score": (
        lambda f: change_row(f, 2, score=98.0),
        r"parquet, row 3: score is 98.0, and from what is packed 90.0",
    ),
    "answers": (
        lambda f: change_row(f, 2, **answers_of(f, 2)),
        r"row 3: the answers or what they were made with were changed",
    ),
    "an identity": (
        lambda f: change_row(f, 0, identity="0" * 32),
        r"parquet, row 1: identity is 0{32}, and from what is packed [0-9a-f]{32}",
    ),
    "a floor": (lambda f: change_row(f, 0, floor=1.0), r"row 1: floor is 1.0, and from the other"),
    "a fit that is gone": (drop_rows, r"models.jsonl, line 3: fits is 2, and in the results 1"),
    "gold labels": (
        lambda f: forge(f, 1, other_gold),
        r"row 2: its gold labels are not those of row 1",
    ),
    "a fit twice": (twice, r"it is the fit of row 1 again"),
    "a file more": (lambda f: write_text(f / "run.py", "x"), r"run.py does not belong here"),
    "a file less": (lambda f: (f / MODEL_LINES_FILE).unlink(), r"models.jsonl is missing"),
    "a revision": (
        lambda f: edit_line(f, revision="x"),
        r"models.jsonl, line 1: revision is x, and in",
    ),
    "a size": (lambda f: edit_line(f, parameters=7), r"line 1: a field was changed"),
    "a declaration": (
        lambda f: edit_line(f, declared={"trained_on_ud": "maybe"}),
        r"'maybe' is not yes",
    ),
    "another version": (
        lambda f: edit_line(f, format=0),
        r"line 1: format 0 is of another version of lingprobe: write it again",
    ),
    "a type": (lambda f: edit_line(f, name={"a": 1}), r"line 1: name is .* which it cannot be"),
    "another key": (lambda f: edit_line(f, extra=1), r"line 1: a model is a JSON object with name"),
    "another state of a model": (other_state, r"line 1: its results are of several states"),
    "types": (odd_types, r"parquet, row 1: what is packed is not a result"),
    "a name of a column": (other_columns, r"score is missing; best is not a column"),
}


@pytest.mark.parametrize("kind", ALTERED)
def test_an_altered_folder_is_refused_with_the_place(kind, folder):
    alter, message = ALTERED[kind]
    check_submission(folder)
    alter(folder)
    with pytest.raises(lingprobe.DataProblem, match=message):
        lingprobe.submit(folder, check=True)
    with pytest.raises(lingprobe.DataProblem, match=message):
        lingprobe.board(folder, folder.parent / "site")
    assert not (folder.parent / "site").exists()


def standing(board, task):
    (one,) = [one for one in board.tasks if one.key[0] == task]
    return {each.row.encoder: each for each in one.models}


def name(compared):
    """The encoder of what was compared."""
    return compared.partition(",")[0]


def test_groups_are_those_of_compare():
    """p is that of the pair in `compare`, corrected by Holm's method over all pairs of all"
    " tasks."""
    mine = results(SHARES)
    board = compute_standings(mine)
    pairs = {
        (one.task, frozenset((name(one.first), name(one.second)))): one.p
        for one in lingprobe.compare(mine, pairs=True).found
    }
    assert len(pairs) == 6
    told = [
        pairs[task, frozenset((best, other))]
        for task in TASKS
        for best in [max(SHARES, key=lambda e: standing(board, task)[e].row.score)]
        for other in SHARES
        if other != best
    ]
    wanted = correct_holm([*told, 1, 1])[:4]
    shown = [one.p for task in TASKS for one in standing(board, task).values() if one.p == one.p]
    assert sorted(shown) == pytest.approx(sorted(wanted))
    for task in TASKS:
        for one in standing(board, task).values():
            behind = one.p < 0.05 and one.difference < 0
            group = "behind" if behind else "leading"
            assert one.group == (group if one.is_above_floors else "not above baselines")
    assert "6 pairs" in board.family


def test_two_models_are_told_apart_exactly_where_compare_tells_them():
    for share in (0.9, 0.86, 0.83, 0.8):
        mine = results({"hf:org/one": 0.92, "hf:org/other": share}, TASKS[:1])
        assert all(
            one.is_above_floors for one in standing(compute_standings(mine), TASKS[0]).values()
        )
        (decision,) = lingprobe.compare(mine, pairs=True).found
        other = standing(compute_standings(mine), TASKS[0])["hf:org/other"]
        assert (other.group == "behind") == (decision.verdict != "no significant difference")
        assert other.p == pytest.approx(decision.corrected)


def test_models_above_the_floors_are_those_of_compare():
    mine = results({"hf:org/one": 0.9, "hf:org/low": 0.62}, TASKS[:1])
    board = standing(compute_standings(mine), TASKS[0])
    known = {name(one.first): one.verdict for one in lingprobe.compare(mine).found}
    assert {e: one.is_above_floors for e, one in board.items()} == {
        e: verdict == "better" for e, verdict in known.items()
    }


def test_other_test_examples_are_not_compared():
    mine = [*results(SHARES, TASKS[:1]), fit("hf:org/other", 0.99, n=150)]
    assert standing(compute_standings(mine), TASKS[0])["hf:org/other"].group == "not compared"


def test_a_model_stands_at_the_layer_that_is_best_on_dev():
    layers = [fit("hf:org/deep", share, read=str(k)) for k, share in enumerate((0.6, 0.9, 0.7))]
    one = standing(compute_standings([*layers, *bounds(TASKS[:1])]), TASKS[0])["hf:org/deep"]
    assert (one.row.layer, sorted(row.layer for row in one.others)) == ("1", ["0", "2"])


def test_submissions_are_merged():
    ours, theirs = submit(results(SHARES)), submit(results({"hf:org/four": 0.8}))
    both = merge_submissions([ours, theirs, ours])
    assert len(both.reported) == (len(SHARES) + 1) * len(TASKS)
    assert {model.name for model in both.models.values()} == {
        "org/one",
        "org/two",
        "org/three",
        "org/four",
    }
    again = [fit("hf:org/one", 0.7, task=t, state="files=2") for t in TASKS]
    other = merge_submissions([ours, submit([*again, *bounds()])])
    names = sorted(model.name for model in other.models.values())
    assert len(other.models) == 4
    assert re.fullmatch(r"org/one \([0-9a-f]{6}\)", names[0])
    (first, _) = compute_standings([], other.reported).tasks
    assert {90.0, 70.0} <= {one.row.score for one in first.reported}


def test_nobody_replaces_what_others_submitted():
    ours = submit(results(SHARES))
    forged = submit([replace(one, provenance=later(one)) for one in map(better, results(SHARES))])
    for order, score in (((ours, forged), 65.0), ((forged, ours), 100.0)):
        (one, _) = compute_standings([], merge_submissions(order).reported).tasks
        assert {each.row.encoder: each.row.score for each in one.reported}["hf:org/three"] == score


class Texts(HTMLParser):
    """The tags of a page, with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def test_pages_stand_any_name(tmp_path):
    made = submit(results({"hf:org/one": 0.9, f"hf:{'x' * 300}": 0.8}))
    lines = [
        replace(line, name=name)
        for line, name in zip(made.lines, (EVIL, "../../" + EVIL), strict=True)
    ]
    lines = [replace(line, revision=line.revision, digest=line.seal()) for line in lines]
    write_submission(BoardSubmission(made.fits, made.results, tuple(lines)), tmp_path / "mine")
    own = store(results({"hf:org/one": 0.9}), tmp_path / "own")
    files = lingprobe.board([tmp_path / "mine"], tmp_path / "site", measure=own).files
    assert len(files) == 1 + 2 + 2 + 2
    for file in files:
        assert file.resolve().is_relative_to(tmp_path / "site")
        text = file.read_text("utf-8")
        tags = Texts(text).tags
        assert "img" not in {tag for tag, _ in tags}
        assert sum(tag == "script" for tag, _ in tags) == 1
        for _, attributes in tags:
            assert not any(name.startswith("on") for name in attributes)
            if address := attributes.get("href"):
                assert address[0] == "#" or (file.parent / address).resolve() in [
                    f.resolve() for f in files
                ]
    assert "&lt;/script&gt;&lt;img src=x" in files[0].read_text("utf-8")


def test_every_page_has_floors_and_ceilings(folder):
    own = store(results(SHARES), folder.parent / "own")
    files = lingprobe.board(folder, folder.parent / "site", measure=own).files
    for file in files:
        text = file.read_text("utf-8")
        assert "baseline" in text
        assert "pper bound" in text
        assert "99.0" in text  # the upper bound
        assert "by Holm" in text
    index = files[0].read_text("utf-8")
    labels = [each["label"] for each in choices(index)["facets"]]
    assert labels == ["Language", "Family", "Task", "Size"]
    (languages, *_) = choices(index)["facets"]
    assert languages["values"] == ["", "", "", "Polish", "English"]


def choices(text):
    (said,) = [a["data-choices"] for _, a in Texts(text).tags if "data-choices" in a]
    return json.loads(said)


def test_layers_can_be_chosen():
    layers = [
        fit("hf:org/deep", s, read=k)
        for k, s in zip("9 2 10".split(), (0.9, 0.6, 0.7), strict=True)
    ]
    made = submit([*layers, *bounds(TASKS[:1])])
    assert made.lines[0].layers == ("2", "9", "10")
    text = index_text(make_board([*layers, *bounds(TASKS[:1])]))
    assert choices(text)["variants"]["names"] == ["2", "9", "10"]
    (variants,) = [a["data-variants"] for _, a in Texts(text).tags if a.get("data-variants")]
    column, *scores = variants.split(";")
    assert (column, [s.split()[0] for s in scores]) == ("3", ["60.0", "90.0", "70.0"])


def test_an_index_that_would_be_too_large_has_fewer_tasks(monkeypatch):
    from lingprobe_extensions.board import index_page

    board = make_board(results({f"hf:org/{i}": 0.8 for i in range(30)}))
    whole = index_text(board)
    monkeypatch.setattr(index_page, "_LIMIT", len(whole.encode()) - 1)
    text = index_text(board)
    assert len(text.encode()) < len(whole.encode()) < _LIMIT
    assert "1 more tasks have pages below" in text
    monkeypatch.setattr(index_page, "_LIMIT", 9_000)
    with pytest.raises(lingprobe.DataProblem, match="make several boards"):
        index_text(board)


def test_a_site_is_replaced_and_other_folders_are_not(folder, tmp_path):
    site = tmp_path / "site"
    lingprobe.board(folder, site)
    write_submission(submit(results({"hf:org/new": 0.8})), tmp_path / "other")
    lingprobe.board(tmp_path / "other", site)
    assert [file.stem for file in (site / "models").iterdir()] == ["org_new"]
    (site / "mine.txt").write_text("x")
    with pytest.raises(lingprobe.DataProblem, match=r"holds mine\.txt; name another folder"):
        lingprobe.board(folder, site)


def test_scores_of_mteb_are_shown_and_marked(tmp_path):
    for model, revision in (("org__one", "abc"), ("org__two", "def")):
        place = tmp_path / "mteb" / model / revision
        place.mkdir(parents=True)
        entry = {"main_score": 0.5, "languages": ["eng-Latn"]}
        said = {"task_name": "STS", "scores": {"test": [entry]}}
        (place / "STS.json").write_text(json.dumps(said))
    for model in ("old", "org__one"):  # an earlier version of mteb wrote it
        (tmp_path / "mteb" / model / "x").mkdir(parents=True)
        (tmp_path / "mteb" / model / "x" / "STS.json").write_text("{}")
    known = mteb_places(tmp_path / "mteb")
    mine = [fit("st:org/one", 0.9, state="commit=abc"), fit("st:org/two", 0.8, state="commit=xyz")]
    with pytest.raises(lingprobe.DataProblem, match=r"versions of mteb before 1\.11"):
        of_model(known, "old", "")
    made = submit(
        [*mine, *bounds(TASKS[:1])], mteb=lambda name, revision: of_model(known, name, revision)
    )
    assert [line.mteb["revision"] for line in made.lines] == ["abc", "def"]
    write_submission(made, tmp_path / "mine")
    files = lingprobe.board(tmp_path / "mine", tmp_path / "site").files
    index = files[0].read_text("utf-8")
    assert "50.0†" in index
    assert re.search(r"org/one</a></th><td>50\.0</td>", index)


def test_parameters_are_counted_from_headers(tmp_path):
    import torch
    from safetensors.torch import save_file

    tensors = {
        "a": torch.zeros(3, 4),
        "b": torch.zeros(5),
        "ids": torch.zeros(9, dtype=torch.int64),
    }
    save_file(tensors, tmp_path / "model.safetensors")
    assert count_parameters(tmp_path) == 17
    save_file({"q": torch.zeros(4, dtype=torch.uint8)}, tmp_path / "model-2.safetensors")
    assert count_parameters(tmp_path) is None
    assert count_parameters(tmp_path / "none") is None


def test_what_cannot_be_submitted_is_refused(tmp_path):
    with pytest.raises(lingprobe.DataProblem, match="no model is among these results"):
        submit(bounds())
    with pytest.raises(lingprobe.UsageProblem, match="one name, and 3 models"):
        submit(results(SHARES), name="mine")
    with pytest.raises(lingprobe.UsageProblem, match="name a folder to write"):
        lingprobe.submit(results(SHARES))
    write_submission(submit(results(SHARES)), tmp_path / "mine")
    with pytest.raises(lingprobe.UsageProblem, match="check takes a folder"):
        lingprobe.submit(tmp_path / "mine", check=True, encoders=["length"])
    with pytest.raises(lingprobe.UsageProblem, match="leave metric out"):
        lingprobe.submit(results(SHARES), tmp_path / "x", metric="accuracy")
    with pytest.raises(lingprobe.DataProblem, match="is missing, so it is not a submission"):
        lingprobe.board(Path(tmp_path), tmp_path / "site")
