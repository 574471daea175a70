"""Tables as people have reported them: read as they come, and scored as they should be."""

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lingprobe
from lingprobe.tasks import TASKS

SEEN = [
    (f"the {'cat' if i % 3 else 'dog'} {('sees', 'saw')[i % 2]} {i}", i % 2) for i in range(400)
]


def test_a_csv_file_with_headings_has_folds(tmp_path):
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_NONNUMERIC).writerows([("text", "label"), *SEEN])
    task = TASKS.make(f"table:{tmp_path}/a.csv")
    dataset = task.load()
    assert (task.metric, dataset.labels.names) == ("accuracy", ("0", "1"))
    assert dataset.notes["columns"] == {"text": "text", "label": "label"}
    assert [len(dataset.rows(split)) for split in ("train", "dev", "test")] == [288, 32, 80]


def test_a_folder_of_the_hub_is_read_as_it_comes(tmp_path):
    names = {"names": ["present", "past"], "_type": "ClassLabel"}
    features = {"sentence": {"dtype": "string"}, "label": names, "idx": {"dtype": "int32"}}
    about = {"huggingface": json.dumps({"info": {"features": features}})}
    for split, rows in (("train", SEEN), ("validation", SEEN[:40]), ("test", SEEN[40:120])):
        texts, labels = zip(*rows, strict=True)
        table = pa.table({"sentence": texts, "label": labels, "idx": range(len(rows))})
        pq.write_table(
            table.replace_schema_metadata(about), tmp_path / f"{split}-00000-of-00001.parquet"
        )
    dataset = TASKS.make(f"table:{tmp_path}").load()
    assert [len(dataset.rows(split)) for split in ("train", "dev", "test")] == [400, 40, 80]
    assert sorted(dataset.labels.names) == ["past", "present"]
    assert [e.label for e in dataset.examples()][:2] == ["present", "past"]


@pytest.mark.parametrize("of", [int, str])
def test_numbers_of_classes_score_as_their_names_do(tmp_path, of):
    rows = [
        {"text": f"{word} {i}", "label": of(j), "split": split}
        for split, n in (("train", 60), ("dev", 20), ("test", 20))
        for i in range(n)
        for j, word in enumerate(("one", "two", "three", "four"))
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    frame = lingprobe.evaluate(
        "bow:random",
        f"table:{tmp_path}/a.jsonl",
        probes="logreg",
        seeds=1,
    ).to_dataframe()
    (row,) = frame[frame["encoder"] == "bow:random"].to_dict("records")
    assert (row["metric"], row["score"], row["n"]) == ("accuracy", 100.0, 80)
