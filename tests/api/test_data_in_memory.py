"""Frames, data sets, and texts with labels where a task is expected: read as a file of the same rows
is.
"""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest

import datasets
import lingprobe
from lingprobe.api.tables import tasks_given
from lingprobe.tasks import TASKS

TEXTS = [f"the dog {'saw' if i % 2 else 'sees'} cat {i}" for i in range(120)]
LABELS = ["past" if i % 2 else "present" for i in range(120)]
COLUMNS = {"text": TEXTS, "label": LABELS}
FRAME = pandas.DataFrame(COLUMNS)
NAMED = datasets.Features(
    text=datasets.Value("string"), label=datasets.ClassLabel(names=["present", "past"])
)
HUB = datasets.Dataset.from_dict(
    {"text": TEXTS, "label": [i % 2 for i in range(120)]}, features=NAMED
)
FAST = {"probes": "logreg", "seeds": 1, "baselines": "none"}

FORMS = {
    "pandas": FRAME,
    "pandas with an index": FRAME.set_index(pandas.Index(range(7, 127))),
    "pandas with categories": FRAME.astype({"label": "category"}),
    "polars": polars.DataFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "pyarrow in pieces": pa.concat_tables([pa.table(COLUMNS)[:50], pa.table(COLUMNS)[50:]]),
    "datasets": HUB,
    "datasets in another order": HUB.select(range(119, -1, -1)).select(range(119, -1, -1)),
    "lists": (TEXTS, LABELS),
    "arrays": (np.array(TEXTS), np.array(LABELS)),
    "series": (pandas.Series(TEXTS), polars.Series(LABELS)),
    "columns": (HUB["text"], pa.chunked_array([LABELS])),
    "dictionaries": [{"text": t, "label": y} for t, y in zip(TEXTS, LABELS, strict=True)],
    "a dictionary of lists": COLUMNS,
}
NESTED = {
    "objects in objects": [
        {"data": {"text": t, "lang": "en"}, "label": y} for t, y in zip(TEXTS, LABELS, strict=True)
    ],
    "conversations": [
        {"messages": [{"role": "user", "content": t}], "label": y}
        for t, y in zip(TEXTS, LABELS, strict=True)
    ],
}


def content(task):
    """Texts and labels of a task with their splits, in order."""
    dataset = task.load()
    return [
        ([site.sentence.text for site in each.sites], each.label, each.split)
        for each in dataset.examples()
    ]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What `table:` makes of the same rows."""
    file = tmp_path_factory.mktemp("rows") / "rows.csv"
    FRAME.to_csv(file, index=False)
    return content(TASKS.make(f"table:{file}"))


@pytest.mark.parametrize("form", NESTED)
def test_texts_below_other_columns_are_the_same_texts(form, expected):
    for data in (NESTED[form], pandas.DataFrame(NESTED[form]), pa.Table.from_pylist(NESTED[form])):
        assert content(lingprobe.table(data)) == expected


@pytest.mark.parametrize("form", FORMS)
def test_the_same_rows_are_one_task_however_they_are_held(form, expected):
    task = lingprobe.table(FORMS[form])
    assert content(task) == expected
    assert (task.metric, task.view) == ("accuracy", "mean")


def test_rows_stand_in_a_list_or_a_mapping_of_tasks_as_frames_do():
    rows = FORMS["dictionaries"]
    (alone,) = tasks_given(rows)
    (named,) = tasks_given({"mine": rows})
    first, second = tasks_given([COLUMNS, (TEXTS, LABELS[::-1])])
    assert (alone.content, named.name) == (named.content, "mine")
    assert first.content != second.content
    splits = lingprobe.table({"train": rows[:80], "test": rows[80:]}).load()
    assert [len(splits.rows(split)) for split in ("train", "test")] == [72, 40]


def test_equal_content_has_one_name_and_other_content_another():
    plain = [form for form in FORMS if form not in ("datasets", "datasets in another order")]
    assert len({lingprobe.table(FORMS[form]).name for form in plain}) == 1
    others = [
        FRAME[:119],
        FRAME.assign(label=FRAME["label"].str.upper()),
        FRAME.assign(split=["train", "dev", "test"] * 40),
        (TEXTS[::-1], LABELS),
    ]
    names = {lingprobe.table(data).name for data in (FRAME, HUB, *others)}
    assert len(names) == 2 + len(others)


def test_what_decides_the_examples_decides_the_identity():
    frame = FRAME.assign(document=[i // 4 for i in range(120)])
    ways = [
        {},
        {"group": "document"},
        {"seed": 1},
        {"metric": "macro-f1"},
        {"clusters": "document", "group": "document"},
        {"on_error": "skip"},
    ]
    prints = {lingprobe.table(frame, **way).fingerprint for way in ways}
    assert len(prints) == len(ways)
    unread = FRAME.assign(note="x")
    assert lingprobe.table(unread).fingerprint == lingprobe.table(FRAME).fingerprint


def test_a_second_run_measures_nothing_and_folds_are_those_of_a_file(tmp_path):
    first = lingprobe.evaluate("length", {"mine": FRAME}, output=tmp_path, **FAST)
    again = lingprobe.evaluate("length", {"mine": FORMS["lists"]}, output=tmp_path, **FAST)
    tasks = [result.trial.task for result in first.results]
    assert tasks == [f"mine,fold={k}/5" for k in range(1, 6)]
    assert (first.fresh, again.fresh) == (5, 0)
    FRAME.to_csv(tmp_path / "mine.csv", index=False)
    for path in (tmp_path / "mine.csv", str(tmp_path / "mine.csv")):
        file = lingprobe.evaluate("length", path, output=tmp_path, **FAST)
        assert [r.score for r in file.results] == [r.score for r in first.results]
        assert [r.n for r in file.results] == [r.n for r in first.results]


def test_several_stand_in_one_list(tmp_path):
    FRAME.to_csv(tmp_path / "c.csv", index=False)
    asked = [{"a": FRAME, "b": (TEXTS, LABELS[::-1])}, HUB, tmp_path / "c.csv"]
    done = lingprobe.evaluate("length", asked, output=tmp_path, **FAST)
    names = {result.trial.task.partition(",")[0] for result in done.results}
    assert names == {"a", "b", lingprobe.table(HUB).name, f"table:{tmp_path / 'c.csv'}"}


def test_a_limit_takes_a_part_of_the_rows(tmp_path):
    done = lingprobe.evaluate("length", {"mine": FRAME}, limit=50, output=tmp_path, **FAST)
    assert [result.trial.task for result in done.results] == ["mine,limit=50"]


def test_splits_of_a_dataset_dict_are_kept():
    splits = {"train": range(90), "validation": range(90, 100), "test": range(100, 120)}
    hub = datasets.DatasetDict({name: HUB.select(rows) for name, rows in splits.items()})
    plain = {name: FRAME.iloc[list(rows)] for name, rows in splits.items()}
    lists = {
        name: (TEXTS[s.start : s.stop], LABELS[s.start : s.stop]) for name, s in splits.items()
    }
    for data in (hub, plain, dict(reversed(plain.items())), lists):
        sizes = [len(lingprobe.table(data).load().rows(s)) for s in ("train", "dev", "test")]
        assert sizes == [90, 10, 20]


def test_two_texts_are_read_as_a_pair():
    pairs = list(zip(TEXTS, TEXTS[1:] + TEXTS[:1], strict=True))
    frame = pandas.DataFrame(
        {"sentence1": TEXTS, "sentence2": [b for _, b in pairs], "label": LABELS}
    )
    tasks = [lingprobe.table((pairs, LABELS)), lingprobe.table(frame)]
    assert content(tasks[0]) == content(tasks[1])
    assert {task.view for task in tasks} == {"mean+contrast"}


@pytest.mark.parametrize(
    ("labels", "metric", "first"),
    [
        ([i / 7 for i in range(120)], "pearson", 0.0),
        (np.arange(120) % 3, "accuracy", "0"),
        ([np.int64(i % 2) for i in range(120)], "accuracy", "0"),
        ([{"a", "b"} if i % 2 else {"a"} for i in range(120)], "micro-f1", frozenset({"a"})),
        ([i % 2 == 1 for i in range(120)], "accuracy", "false"),
    ],
)
def test_labels_are_classes_scores_or_sets(labels, metric, first):
    task = lingprobe.table((TEXTS, labels))
    assert task.metric == metric
    [found] = [label for texts, label, _ in content(task) if texts == [TEXTS[0]]]
    assert found == first


def test_words_are_a_text():
    task = lingprobe.table(([text.split() for text in TEXTS], LABELS))
    assert content(task) == content(lingprobe.table((TEXTS, LABELS)))


def test_columns_are_named_and_rows_of_a_group_stay_together():
    frame = FRAME.rename(columns={"text": "a", "label": "b"}).assign(c=[i // 4 for i in range(120)])
    task = lingprobe.table(frame, text="a", label="b", group="c", name="mine")
    dataset = task.load()
    assert task.name == "mine"
    assert "c" in dataset.clusters
    tags = dataset.strata["c"]
    split_of = {}
    for code, split in zip(tags.codes.tolist(), dataset.splits.tolist(), strict=True):
        assert split_of.setdefault(code, split == 2) == (split == 2)


def test_bad_rows_are_refused_or_counted(tmp_path):
    bad = FRAME.assign(text=["", *FRAME.text[1:]])
    with pytest.raises(lingprobe.PlanProblem, match=r"data: row 1: there is no text in"):
        lingprobe.evaluate("length", bad, output=tmp_path, **FAST)
    done = lingprobe.evaluate("length", bad, on_error="skip", output=tmp_path, **FAST)
    assert sum(result.n for result in done.results) == 119


def test_a_data_set_of_ours_is_a_task(tmp_path):
    dataset = lingprobe.table({"train": FRAME[:90], "test": FRAME[90:]}).load()
    done = lingprobe.evaluate("length", {"made": dataset}, output=tmp_path, **FAST)
    assert [(r.trial.task, r.n) for r in done.results] == [("made", 30)]
    drawn = lingprobe.table(FRAME).load()  # the first of five folds, whose splits stay
    done = lingprobe.evaluate("length", {"drawn": drawn}, output=tmp_path, **FAST)
    assert [(r.trial.task, r.n) for r in done.results] == [("drawn", 24)]
    other = lingprobe.Dataset.of([*dataset.examples()][:-1])
    assert lingprobe.table(other).name != lingprobe.table(dataset).name


def test_it_travels_to_other_processes():
    for data in (FRAME, HUB, (TEXTS, LABELS), lingprobe.table(FRAME).load()):
        task = lingprobe.table(data)
        assert content(pickle.loads(pickle.dumps(task))) == content(task)


def test_everything_that_takes_a_task_takes_data(tmp_path):
    assert (
        lingprobe.inspect(FRAME).content.sizes == lingprobe.inspect((TEXTS, LABELS)).content.sizes
    )
    built = lingprobe.build(FRAME, tmp_path / "rows.parquet")
    assert built.counts["examples"] == 120
    assert [s.text for s in lingprobe.sentences(tasks=FRAME)] == TEXTS


def test_libraries_of_frames_are_not_imported_to_know_them():
    code = (
        "import sys, lingprobe\n"
        f"lingprobe.estimate(({TEXTS!r}, {LABELS!r}), 'length', probes='logreg')\n"
        "print({'pandas', 'polars', 'datasets'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


def test_a_path_is_a_table(tmp_path):
    FRAME.to_csv(tmp_path / "a b.csv", index=False)
    assert lingprobe.inspect(Path(tmp_path / "a b.csv")).content.sizes
    assert lingprobe.inspect(str(tmp_path / "a b.csv")).content.sizes
