"""Spans in tables that anybody wrote: as words, and as numbers of words or of characters."""

import csv
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lingprobe.data.core import DataProblem
from lingprobe.datasets.formats.chosen_columns import choose_columns
from lingprobe.datasets.formats.labelled_rows import Manner
from lingprobe.datasets.formats.row_spans import find_site
from lingprobe.datasets.formats.tables import read_dataset
from lingprobe.datasets.formats.usual_columns import Columns
from lingprobe.tasks import TASKS

ANIMALS = ("cat", "dog", "ox")
ROWS = [
    (ANIMALS[i % 3], f'"Well," {who} said, "the {ANIMALS[i % 3]}, they say, saw {who} {i}."')
    for i, who in enumerate(["Ann", "Bartholomew", "Cy"] * 12)
]


def lines(file, rows):
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def spans(dataset):
    return [
        (*(" ".join(s.sentence.words[slice(*s.span)]) for s in e.sites), e.label)
        for e in dataset.examples()
    ]


def found(file, offsets="", on_error="raise", **columns):
    return read_dataset(file, manner=Manner(Columns(**columns), "", on_error, offsets))


WANTED = [(word, word.upper()) for word, _ in ROWS]


def saying(of):
    return [{"text": t, "span": of(w, t), "label": w.upper()} for w, t in ROWS]


def in_characters(word, text):
    start = text.index(word)
    return [start, start + len(word)]


def in_words(word, text):
    return [(at := text.split().index(word + ",")), at + 1]


@pytest.mark.parametrize(
    "of",
    [
        lambda w, t: w,
        in_characters,
        lambda w, t: str(in_characters(w, t)),
        lambda w, t: dict(zip(("start", "end"), in_characters(w, t), strict=True)),
    ],
)
def test_a_span_is_its_words_or_where_they_stand(tmp_path, of):
    dataset = read_dataset(lines(tmp_path / "a.jsonl", saying(of)))
    assert spans(dataset) == WANTED
    assert dataset.sentences[0].words[:5] == ('"', "Well", ",", '"', "Ann")
    assert dataset.sentences[0].text == ROWS[0][1]
    assert dataset.notes["columns"] == {"text": "text", "span": "span", "label": "label"}


def test_numbers_of_words_are_told_from_those_of_characters(tmp_path):
    dataset = read_dataset(lines(tmp_path / "a.jsonl", saying(in_words)))
    assert spans(dataset) == [(f"{word},", label) for word, label in WANTED]
    assert list(dataset.notes.remarks) == [
        "numbers of its spans were read as words; offsets=characters overrules"
    ]


def test_what_numbers_count_is_asked_where_both_fit(tmp_path):
    rows = [{"text": "a b c d e", "span": [0, 1], "label": "x"}] * 4
    file = lines(tmp_path / "a.jsonl", rows)
    with pytest.raises(DataProblem, match="count words or characters: add offsets=words or"):
        read_dataset(file)
    assert spans(found(file, "words")) == [("a", "x")] * 4
    file = lines(tmp_path / "a.jsonl", [{**rows[0], "span": [4, 60]}])
    with pytest.raises(DataProblem, match="neither words nor characters, as it seems: add"):
        read_dataset(file)


def test_words_in_a_list_are_counted(tmp_path):
    rows = [{"tokens": t.split(), "span": in_words(w, t), "label": w} for w, t in ROWS]
    dataset = read_dataset(lines(tmp_path / "a.jsonl", rows))
    assert spans(dataset) == [(f"{word},", word) for word, _ in ROWS]
    assert not dataset.notes.remarks
    rows = [{**row, "span": "they say,"} for row in rows]
    assert spans(read_dataset(lines(tmp_path / "a.jsonl", rows)))[0] == ("they say,", "cat")


def test_two_spans_in_one_text_and_in_two(tmp_path):
    with (tmp_path / "a.csv").open("w", newline="") as file:
        write = csv.writer(file)
        write.writerow(["text", "span1", "span2", "label"])
        write.writerows([t, w, "they say", "xy"[i % 2]] for i, (w, t) in enumerate(ROWS))
    task = TASKS.make(f"table:{tmp_path}/a.csv")
    assert task.view == "mean+contrast"
    assert spans(read_dataset(tmp_path / "a.csv"))[:2] == [
        ("cat", "they say", "x"),
        ("dog", "they say", "y"),
    ]
    rows = [
        dict(zip(("start1", "end1"), in_characters(w, t), strict=True))
        | dict(zip(("start2", "end2"), in_characters("they", t), strict=True))
        | {"sentence1": t, "sentence2": t, "label": i % 2, "word": w}
        for i, (w, t) in enumerate(ROWS)
    ]
    dataset = found(
        lines(tmp_path / "a.jsonl", rows), span="start1+end1", span2="start2+end2", label="label"
    )
    assert spans(dataset)[0] == ("cat", "they", "0")
    columns = dataset.notes["columns"]
    assert (columns["span"], columns["span2"]) == ("start1+end1", "start2+end2")


MISTAKES = [
    ({"text": "a b a", "span": "a"}, "'a' occurs in the text 2 times; say where by"),
    ({"text": "b cats", "span": "cat"}, "'cat' does not occur in the text"),
    (
        {"tokens": ["a", "b"], "span": [1, 3]},
        r"span \[1, 3\] is not \[start, end\) of words 0 to 2",
    ),
    ({"tokens": ["a", "b"], "span": [1, 1]}, r"span \[1, 1\] is not \[start, end\)"),
    ({"text": "a b", "span": [1]}, r"a span is \[start, end\) counted from 0, .*, not \[1\]"),
    ({"text": "a b", "span": None}, "or its words as they occur in the text, not null"),
    ({"text": "a b", "span": ""}, "a span is"),
    ({"text": "a b", "span": [0, "x"]}, "a span is"),
]


@pytest.mark.parametrize(("row", "said"), MISTAKES)
def test_a_bad_span_is_one_sentence_or_counted(tmp_path, row, said):
    good = {**row, "label": "x", "span": "b"}
    file = lines(tmp_path / "a.jsonl", [good, {**row, "label": "x"}, good])
    with pytest.raises(DataProblem, match=f"a.jsonl:2: .*{said}"):
        read_dataset(file)
    left = found(file, on_error="skip")
    assert (len(left), left.notes["source"]["skipped"]) == (2, 1)


@pytest.mark.parametrize(
    ("names", "asked", "said"),
    [
        ("text,span2,label", {}, "there is span2= but no span="),
        ("sentence1,sentence2,span,label", {}, "two texts .* need a span each: add span2="),
        ("text,a,b,c,label", {"span": "a+b+c"}, "a span has one column, or two"),
        ("text,a,label", {"span": "z"}, "no column 'z' for span="),
        ("text,span,label", {"text": "span"}, "column 'span' cannot be two things"),
    ],
)
def test_columns_of_spans_that_do_not_fit_are_said(names, asked, said):
    with pytest.raises(DataProblem, match=said):
        choose_columns(Columns(**asked), names.split(","), "a.csv")


def test_characters_cover_the_words_that_they_touch():
    """Against every character's own word, by hand."""
    draw = random.Random(3)
    for _ in range(200):
        pieces = [draw.choice(["ab", "c", "d9", "é"]) for _ in range(draw.randint(1, 6))]
        gaps = [draw.choice([" ", "  ", "\t"]) for _ in pieces]
        text = "".join(p + g for p, g in zip(pieces, gaps, strict=True))
        owner = [k for k, p in enumerate(pieces) for _ in p + gaps[k]]
        start = draw.randrange(len(text))
        stop = draw.randint(start + 1, len(text))
        touched = {owner[i] for i in range(start, stop) if not text[i].isspace()}
        if touched:
            site = find_site(text, (start, stop), "characters")
            assert site.sentence.words == tuple(pieces)
            assert set(range(*site.span)) == touched


TOKENS = [["Ann", "saw", "Bo", "."], ["Bo", "slept"]] * 6
TAGS = [[1, 0, 1, -100], [1, 0]] * 6


def hub(file, tokens, tags, column="ner_tags"):
    names = {"feature": {"names": ["O", "PER"], "_type": "ClassLabel"}, "_type": "List"}
    about = {"huggingface": json.dumps({"info": {"features": {column: names}}})}
    table = pa.table({"id": list(map(str, range(len(tokens)))), "tokens": tokens, column: tags})
    pq.write_table(table.replace_schema_metadata(about), file)
    return file


def test_a_list_of_labels_as_long_as_the_words_labels_each(tmp_path):
    dataset = read_dataset(hub(tmp_path / "a.parquet", TOKENS, TAGS))
    assert spans(dataset)[:5] == [
        ("Ann", "PER"),
        ("saw", "O"),
        ("Bo", "PER"),
        ("Bo", "PER"),
        ("slept", "O"),
    ]
    assert (len(dataset), len(dataset.sentences)) == (30, 2)
    assert list(dataset.notes.remarks) == [
        "its labels, as many as words in each row, were read as those of the words"
    ]
    task = TASKS.make(f"table:{tmp_path}/a.parquet")
    assert (task.metric, task.view) == ("accuracy", "mean")


def test_words_and_labels_of_other_numbers_are_a_bad_row_or_a_set(tmp_path):
    many = [["a", "b"]] * 1000
    file = hub(tmp_path / "a.parquet", [*many, ["a", "b"]], [[0, 1]] * 1000 + [[1]])
    with pytest.raises(DataProblem, match="row 1001: 1 labels for 2 words"):
        read_dataset(file)
    file = hub(tmp_path / "b.parquet", [*many[:9], ["a", "b"]], [[0, 1]] * 9 + [[1]])
    with pytest.raises(DataProblem, match="row 10: 1 labels for 2 words"):  # one slip of ten
        read_dataset(file)
    file = hub(tmp_path / "c.parquet", many[:10], [[0, 1]] * 8 + [[1]] * 2)
    assert [e.label for e in read_dataset(file).examples()][-1] == {"PER"}


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_spans_beside_splits_are_no_table_of_ours(tmp_path, suffix):
    """They are read as any others: what their numbers count is found, or asked."""
    rows = [
        {"text": f"the small dog runs {i}", "span": [4, 9], "label": "xy"[i % 2], "split": split}
        for i, split in enumerate(("train", "validation", "test") * 4)
    ]
    file = tmp_path / f"a.{suffix}"
    if suffix == "jsonl":
        lines(file, rows)
    else:
        pq.write_table(pa.Table.from_pylist(rows), file)
    dataset = read_dataset(file)
    assert {e.sites[0].span for e in dataset.examples()} == {(1, 2)}
    assert set(dataset.splits.tolist()) == {0, 1, 2}
    [remark] = dataset.notes.remarks
    assert remark == "numbers of its spans were read as characters; offsets=words overrules"


@pytest.mark.parametrize("ends", ["start end", "Start stop", "begin end"])
def test_columns_that_seem_a_span_are_not_passed_over_in_silence(tmp_path, ends):
    start, end = ends.split()
    rows = [{"text": "a b", start: 0, end: 1, "label": "xy"[i % 2]} for i in range(4)]
    file = lines(tmp_path / "a.jsonl", rows)
    [remark] = read_dataset(file).notes.remarks
    assert remark.startswith(f"its columns {start} and {end} were not read; span={start}+{end}")
    assert spans(found(file, span=f"{start}+{end}", offsets="words"))[0] == ("a", "x")


def test_of_several_lists_of_labels_one_is_named(tmp_path):
    file = lines(
        tmp_path / "a.jsonl", [{"tokens": ["a"], "pos_tags": ["N"], "ner_tags": ["O"]}] * 4
    )
    with pytest.raises(DataProblem, match="which column is the label, 'pos_tags' or 'ner_tags'"):
        read_dataset(file)
    assert spans(found(file, label="pos_tags")) == [("a", "N")] * 4


def test_a_slip_among_annotated_spans_moves_no_other(tmp_path):
    rows = [
        {"text": f"Ann met Bob {i}", "entities": [[0, 3, "P"], [8, 11, "P"]]} for i in range(20)
    ]
    rows[3]["entities"][0] = [3, 3, "P"]
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(DataProblem, match=r"a\.jsonl:4: span \[3, 3\] is empty"):
        read_dataset(file)
    dataset = read_dataset(file, manner=Manner(on_error="skip"))
    words = {
        " ".join(e.sites[0].sentence.words[slice(*e.sites[0].span)]) for e in dataset.examples()
    }
    assert (words, len(dataset)) == ({"Ann", "Bob"}, 38)


@pytest.mark.parametrize(
    "entry", [[0, "3", "P"], {"start": 0, "end": 3, "label": 5}, [0, 3], "Ann"]
)
def test_a_bad_annotation_is_a_bad_row(tmp_path, entry):
    rows = [
        {"text": f"Ann met Bob {i}", "spans": [{"start": 0, "end": 3, "label": "P"}]}
        for i in range(20)
    ]
    rows[5]["spans"] = [entry]
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(DataProblem, match=r"a\.jsonl:6: "):
        read_dataset(file)
    assert len(read_dataset(file, manner=Manner(on_error="skip"))) == 19
