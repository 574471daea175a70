"""Tables that anybody wrote: their columns, formats, encodings and what is wrong with them."""

import csv
import gzip
import json

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from lingprobe.data.core import DataProblem
from lingprobe.data.errors import LingprobeError
from lingprobe.datasets.formats.chosen_columns import choose_columns
from lingprobe.datasets.formats.folders import split_in_name, table_parts
from lingprobe.datasets.formats.labelled_rows import Manner
from lingprobe.datasets.formats.tables import read_dataset, usual_metric
from lingprobe.datasets.formats.usual_columns import Columns
from lingprobe.tasks import TASKS

ROWS = [(f'the "dog", {i} runs\nhome', ("pos", "neg")[i % 3 == 0]) for i in range(30)]
LABELS = [label for _, label in ROWS]


def write_csv(file, rows=ROWS, headings=("text", "label"), delimiter=",", encoding="utf-8"):
    with file.open("w", encoding=encoding, newline="") as out:
        csv.writer(out, delimiter=delimiter).writerows([headings, *rows] if headings else rows)
    return file


def columns_of(rows=ROWS, names=("text", "label")):
    return pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))


def asked(encoding="", on_error="raise", **columns):
    return Manner(Columns(**columns), encoding, on_error)


def content(dataset):
    """Texts and labels in their order."""
    return [(e.sites[0].sentence.text, e.label) for e in dataset.examples()]


def write_stream(table, file):
    with pa.OSFile(str(file), "wb") as out, pa.ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)


def save(file, rows=ROWS):
    """The same rows in the format that the name of a file says."""
    table = columns_of(rows)
    if file.suffix == ".csv":
        write_csv(file, rows)
    elif file.suffix == ".json":
        file.write_text(json.dumps([{"text": t, "label": v} for t, v in rows], indent=1))
    elif file.suffix in (".jsonl", ".ndjson"):
        file.write_text("".join(json.dumps({"text": t, "label": v}) + "\n" for t, v in rows))
    elif file.suffix == ".parquet":
        pq.write_table(table, file)
    elif file.suffix == ".arrow":
        write_stream(table, file)
    else:
        pyarrow.feather.write_feather(table, str(file))
    return file


FORMATS = ["csv", "json", "jsonl", "ndjson", "parquet", "arrow", "feather"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_same_rows_are_read_from_every_format(tmp_path, suffix):
    file = save(tmp_path / f"a.{suffix}")
    dataset = read_dataset(file)
    assert content(dataset) == ROWS
    assert usual_metric(file) == "accuracy"
    assert dataset.notes["columns"] == {"text": "text", "label": "label"}
    assert not dataset.notes.remarks


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_what_parts_cells_is_found(tmp_path, delimiter):
    assert content(read_dataset(write_csv(tmp_path / "a.csv", delimiter=delimiter))) == ROWS


def test_json_is_a_list_of_objects_or_has_one_a_line(tmp_path):
    rows = [{"text": text, "label": label} for text, label in ROWS]
    for name, text in {
        "a.json": json.dumps(rows),
        "a.jsonl": json.dumps(rows),
        "b.json": "\n".join(map(json.dumps, rows)),
    }.items():
        (tmp_path / name).write_text(text)
        assert content(read_dataset(tmp_path / name)) == ROWS
    for text, said in {
        json.dumps({"a": 1}): r"a\.json: one value, and no table",
        json.dumps({"a": rows, "b": rows}): r"several lists of objects, under 'a', 'b'",
        json.dumps([*rows, 3]): r"a\.json: item 31: a row is an object",
        '[\n{"text":\n]': r"a\.json:3: not JSON",
        "[\n\udcff\n]": r"a\.json:2: byte 0xff is not UTF-8",
        "": "no examples",
    }.items():
        (tmp_path / "a.json").write_text(text, errors="surrogateescape")
        with pytest.raises(DataProblem, match=said):
            read_dataset(tmp_path / "a.json")


def test_what_libraries_leave_in_a_folder_is_no_table(tmp_path):
    save(tmp_path / "train.json")
    (tmp_path / "dataset_info.json").write_text("{}")
    assert [part.path.name for part in table_parts(tmp_path)] == ["train.json"]


@pytest.mark.parametrize(
    "read_with", [read_dataset, lambda path: TASKS.make(f"table:{path}").load()]
)
def test_old_feather_is_named(tmp_path, read_with):
    (tmp_path / "a.feather").write_bytes(b"FEA1" + bytes(40))
    with pytest.raises(DataProblem, match=r"Feather of version 1.*save it again"):
        read_with(tmp_path / "a.feather")


def test_a_file_that_is_no_table_is_named(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04")
    for reference in (f"table:{tmp_path / 'a.xlsx'}", str(tmp_path / "a.xlsx")):
        with pytest.raises(LingprobeError, match=r"a\.xlsx: no table by its name.*spreadsheet"):
            TASKS.make(reference).load()


def test_quotes_of_tsv_are_data(tmp_path):
    (tmp_path / "a.tsv").write_text('label\tsentence\nx\t"one\ny\ttwo" ""\n')
    assert content(read_dataset(tmp_path / "a.tsv")) == [('"one', "x"), ('two" ""', "y")]


@pytest.mark.parametrize("headings", [None, ("Satz", "Klasse")])
def test_two_columns_are_told_apart_by_their_cells(tmp_path, headings):
    dataset = read_dataset(write_csv(tmp_path / "a.csv", headings=headings))
    assert content(dataset) == ROWS
    one, other = headings or "12"
    [remark] = dataset.notes.remarks
    assert remark.endswith(f"its column {one} is the text, its column {other} is the label")


def test_a_first_label_that_is_a_usual_name_is_no_heading(tmp_path):
    rows = [(text, "y" if label == "pos" else "n") for text, label in ROWS]
    rows = rows[1:] + rows[:1]
    assert rows[0][1] == "y"
    assert content(read_dataset(write_csv(tmp_path / "a.csv", rows, headings=None))) == rows


def test_without_headings_columns_have_numbers(tmp_path):
    file = write_csv(tmp_path / "a.csv", [(v, i, t) for i, (t, v) in enumerate(ROWS)], None)
    dataset = read_dataset(file)
    assert content(dataset) == ROWS
    remark = "it has no headings: its column 3 is the text, its column 1 is the label"
    assert dataset.notes.remarks == (remark,)
    assert content(read_dataset(file, manner=asked(text="3", label="1"))) == ROWS


USUAL = {
    "Text,LABEL": ("Text", "LABEL"),
    "idx,sentence,label": ("sentence", "label"),
    "title,text,class,id": ("text", "class"),
    "sentence1,sentence2,score": ("sentence1", "sentence2", "score"),
    "Sentence 1,sentence_2,gold_label": ("Sentence 1", "sentence_2", "gold_label"),
    "question,answer,label": ("question", "answer", "label"),
    "text_a,text_b,label,split": ("text_a", "text_b", "label", "split"),
    "Satz,label": ("Satz", "label"),
    "text,Klasse,id": ("text", "Klasse"),
}


@pytest.mark.parametrize("headings", USUAL)
def test_usual_names_are_found(headings):
    found = choose_columns(Columns(), headings.split(","), "a.csv").plain()
    assert tuple(found.values()) == USUAL[headings]


@pytest.mark.parametrize(
    ("headings", "columns", "said"),
    [
        (
            "review,comment,label",
            {},
            "which column is the text, 'review' or 'comment'.*text=review",
        ),
        ("text,class,target", {}, "which column is the label, 'class' or 'target'.*label=class"),
        ("question,answer,text,label", {}, "which of the texts 'question', 'answer', 'text'"),
        ("premise,hypothesis,text1,text2,y", {}, "which of the texts"),
        ("text,text,label", {}, "two columns are called 'text'"),
        ("text,label", {"text": "label"}, "no column has a usual name of a label"),
        ("text,label", {"label": "lable"}, "no column 'lable' for label=; its columns: 'text'"),
        ("idx,label", {}, "no column has a usual name of a text"),
        ("text", {}, "no column has a usual name of a label"),
    ],
)
def test_what_is_ambiguous_is_asked(headings, columns, said):
    with pytest.raises(DataProblem, match=said):
        choose_columns(Columns(**columns), headings.split(","), "a.csv")


def test_columns_that_are_named_win(tmp_path):
    rows = [(t, t + " x", v, v[::-1], f"d{i // 5}") for i, (t, v) in enumerate(ROWS)]
    file = write_csv(tmp_path / "a.csv", rows, ("text", "body", "label", "other", "doc"))
    dataset = read_dataset(file, manner=asked(text="body", label="other", group="doc"))
    assert content(dataset) == [(body, other) for _, body, _, other, _ in rows]
    assert dataset.clusters[-1] == "doc"
    assert [e.strata["doc"] for e in dataset.examples()] == [row[4] for row in rows]
    pair = next(read_dataset(file, manner=asked(text="text", text2="body")).examples())
    assert [site.sentence.text for site in pair.sites] == list(rows[0][:2])


def test_splits_have_any_usual_name(tmp_path):
    names = ["train", "validation", "TEST", "valid", "te", "dev"]
    rows = [(f"a {i}", "xy"[i % 2], name) for i, name in enumerate(names)]
    dataset = read_dataset(write_csv(tmp_path / "a.csv", rows, ("text", "label", "split")))
    assert dataset.splits.tolist() == [0, 1, 2, 1, 2, 1]
    other = write_csv(tmp_path / "b.csv", [*rows, ("c", "x", "all")], ("text", "label", "split"))
    with pytest.raises(DataProblem, match=r"b\.csv:8: split 'all' is not one of train, validation"):
        read_dataset(other)


@pytest.mark.parametrize(
    ("label", "kind", "first"),
    [
        (lambda i: i / 7, "squared", 0.0),
        (lambda i: i % 2, "softmax", "0"),
        (lambda i: ["a", "b"][: i % 3], "sigmoid", frozenset()),
        (lambda i: bool(i % 2), "softmax", "false"),
    ],
)
@pytest.mark.parametrize("suffix", FORMATS)
def test_kinds_of_labels(tmp_path, suffix, label, kind, first):
    if suffix == "csv" and kind == "sigmoid":
        return  # a cell of CSV is no list
    rows = [(text, label(i)) for i, (text, _) in enumerate(ROWS)]
    if suffix == "csv":
        rows = [(t, str(v).lower() if isinstance(v, bool) else v) for t, v in rows]
    file = save(tmp_path / f"a.{suffix}", rows)
    assert usual_metric(file) == read_dataset(file).labels.metric
    assert read_dataset(file).labels.loss == kind
    assert read_dataset(file).labels.label(0) == first


def test_numbers_of_csv_are_classes_where_that_is_asked(tmp_path):
    file = write_csv(tmp_path / "a.csv", [(t, f"0{i % 2}") for i, (t, _) in enumerate(ROWS)])
    assert read_dataset(file, labels="classes").labels.names == ("00", "01")
    assert read_dataset(file, labels="scores").labels.loss == "squared"


HUB = {
    "label": {"names": ["no", "yes"], "_type": "ClassLabel"},
    "emotions": {"feature": {"names": ["joy", "grief"], "_type": "ClassLabel"}, "_type": "List"},
    "kinds": [{"names": ["a", "b"], "_type": "ClassLabel"}],
}


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_names_of_classes_are_in_the_metadata(tmp_path, suffix):
    columns = {"text": ["a", "b"], "label": [1, 0], "emotions": [[0, 1], []], "kinds": [[1], [0]]}
    metadata = {"huggingface": json.dumps({"info": {"features": HUB}})}
    table = pa.table(columns).replace_schema_metadata(metadata)
    file = tmp_path / f"a.{suffix}"
    pq.write_table(table, file) if suffix == "parquet" else write_stream(table, file)
    labels = {
        name: [e.label for e in read_dataset(file, manner=asked(label=name)).examples()]
        for name in HUB
    }
    assert labels == {
        "label": ["yes", "no"],
        "emotions": [{"joy", "grief"}, set()],
        "kinds": [{"b"}, {"a"}],
    }


def test_a_folder_has_a_file_a_split(tmp_path):
    """As a data set of the hub lies on a disk, with a split in two files."""
    for name, rows in (("train-00000-of-00002", ROWS[:9]), ("train-00001-of-00002", ROWS[9:15])):
        save(tmp_path / f"{name}.parquet", rows)
    save(tmp_path / "validation-00000-of-00001.parquet", ROWS[15:20])
    save(tmp_path / "test-00000-of-00001.parquet", ROWS[20:])
    (tmp_path / "README.md").write_text("about")
    dataset = read_dataset(tmp_path)
    assert content(dataset) == ROWS
    assert [len(dataset.rows(split)) for split in ("train", "dev", "test")] == [15, 5, 10]
    save(tmp_path / "test.csv", ROWS)
    with pytest.raises(DataProblem, match=r"several formats \(\.csv, \.parquet\)"):
        read_dataset(tmp_path)


def test_a_folder_may_have_its_files_in_folders(tmp_path):
    for split in ("train", "test"):
        (tmp_path / "saved" / split).mkdir(parents=True)
        save(tmp_path / "saved" / split / "data-00000-of-00001.arrow")
    (tmp_path / "hub" / "data").mkdir(parents=True)
    save(tmp_path / "hub" / "data" / "dev.csv")
    save(tmp_path / "hub" / "data" / "train.csv")
    assert [part.split for part in table_parts(tmp_path / "saved")] == ["train", "test"]
    assert [part.split for part in table_parts(tmp_path / "hub")] == ["train", "dev"]
    (tmp_path / "set" / "english").mkdir(parents=True)
    save(tmp_path / "set" / "english" / "a.csv")
    with pytest.raises(DataProblem, match=r"no table in .*/set'.*; did you mean .*/set/english'"):
        table_parts(tmp_path / "set")


def test_files_that_say_no_split_are_not_mixed(tmp_path):
    save(tmp_path / "a.csv")
    assert [part.path.name for part in table_parts(tmp_path)] == ["a.csv"]
    save(tmp_path / "b.csv")
    with pytest.raises(DataProblem, match=r"several tables \(a\.csv, b\.csv\)"):
        read_dataset(tmp_path)


def test_files_of_a_folder_have_the_same_columns(tmp_path):
    write_csv(tmp_path / "train.csv")
    write_csv(tmp_path / "test.csv", headings=("text", "y"))
    with pytest.raises(DataProblem, match=r"test\.csv: no column 'label', which the file before"):
        read_dataset(tmp_path)


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train", "train"),
        ("emotion-train", "train"),
        ("my.valid.v2", "dev"),
        ("test2", "test"),
        ("training_set", "train"),
        ("train_dev", "dev"),
        ("test-dev", "dev"),
        ("latest", ""),
        ("trainer", ""),
        ("devices", ""),
    ],
)
def test_splits_in_names_are_whole_words(name, split):
    assert split_in_name(name) == split


@pytest.mark.parametrize("suffix", FORMATS)
def test_empty_rows_are_left_out_and_counted_where_that_is_asked(tmp_path, suffix):
    typed = suffix != "csv"
    rows = [*ROWS[:5], ("", "pos"), (" ", "pos"), ("abc", None if typed else ""), *ROWS[5:]]
    file = save(tmp_path / f"a.{suffix}", rows)
    with pytest.raises(DataProblem, match=r"a\.\w+: ?(row |item )?\d+: there is no text in column"):
        read_dataset(file)
    dataset = read_dataset(file, manner=asked(on_error="skip"))
    assert content(dataset) == ROWS
    many, first = dataset.notes.malformed_sentences
    assert many == 3
    assert "there is no text in column 'text'" in first


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1", "utf-16-le", "cp1250"])
def test_encodings_are_found_or_named(tmp_path, encoding):
    rows = [(f"café {i}", label) for i, (_, label) in enumerate(ROWS)]
    file = write_csv(tmp_path / "a.csv", rows, encoding=encoding)
    marked = encoding in ("utf-8-sig", "utf-16")
    if not marked:
        with pytest.raises(DataProblem, match=r"a\.csv:[12]: .*encoding="):
            read_dataset(file)
    assert content(read_dataset(file, manner=asked("" if marked else encoding))) == rows


@pytest.mark.parametrize("encoding", ["klingon", "base64", "rot13"])
def test_what_is_no_encoding_is_said(tmp_path, encoding):
    file = write_csv(tmp_path / "a.csv")
    with pytest.raises(DataProblem, match=f"no encoding called '{encoding}'"):
        read_dataset(file, manner=asked(encoding))


HOSTILE = {
    "a NUL": (b"text,label\na\0b,x\nc,y\n", r"a\.csv:2: there is a NUL in it"),
    "UTF-16 without a mark": ("text,label\r\na,x\r\n".encode("utf-16-le"), "encoding=utf-16-le"),
    "mixed encodings": ("text,label\né,x\n".encode() + b"\xe9,y\n", r"a\.csv:3: byte 0xe9 is not"),
    "an open quote": (b'text,label\n"a,x\nb,y\n', r"a\.csv:2: .*fix the quotes"),
    "a comma too many": (b"text,label\na,x\na, b,y\n", r"a\.csv:3: 3 cells, not 2, with ',' betw"),
    "old line ends": (b"text,label\ra,x\rb,y\r", "lines end in CR alone"),
    "a long cell": (b"text,label\n" + b"a" * 200_000 + b",x\n", r"a\.csv:2: field larger"),
    "half of UTF-16": (b"\xff\xfet\0e\0x", "is not text in its encoding"),
    "a spreadsheet": (
        b"PK\x03\x04" + b"\xa1" * 99,
        r"a\.csv is an archive .* a spreadsheet as CSV",
    ),
    "nothing": (b"", "no examples in it"),
    "headings alone": (b"text,label\n", "no examples in it"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_tables_are_one_sentence(tmp_path, name):
    data, said = HOSTILE[name]
    (tmp_path / "a.csv").write_bytes(data)
    with pytest.raises(DataProblem, match=said) as told:
        read_dataset(tmp_path / "a.csv")
    assert "\n" not in str(told.value)


def test_cells_that_a_spreadsheet_would_run_are_text(tmp_path):
    rows = [(f"=1+1 {i}", ("@SUM(A1)", "-x")[i % 2]) for i in range(30)]
    assert content(read_dataset(write_csv(tmp_path / "a.csv", rows))) == rows


def test_a_hundred_thousand_labels_are_taken_for_an_id(tmp_path):
    file = tmp_path / "a.tsv"
    file.write_text("text\tlabel\n" + "".join(f"a {i}\tl{i}\n" for i in range(100_000)))
    with pytest.raises(
        DataProblem, match="100,000 labels of 100,000 examples: is this an identifier"
    ):
        read_dataset(file)


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather"])
def test_damaged_files_are_said(tmp_path, suffix):
    file = tmp_path / f"a.{suffix}"
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(DataProblem, match=rf"a\.{suffix}: not an? \w+ file that can be read"):
        read_dataset(file)
    file.write_bytes(save(tmp_path / f"b.{suffix}").read_bytes()[:-40])
    with pytest.raises(DataProblem, match=r"a\.\w+: (not|no)"):
        read_dataset(file)


def test_a_bad_split_of_our_own_files_can_be_left_out(tmp_path):
    lines = [f"{s}\tx{i % 2}\ta {i}" for i, s in enumerate(["tr"] * 8 + ["te"] * 4)]
    (tmp_path / "a.tsv").write_text("\n".join([*lines, "no\tx\ty", "te\tx"]) + "\n")
    with pytest.raises(DataProblem, match=r"a\.tsv:13: split 'no'"):
        read_dataset(tmp_path / "a.tsv")
    dataset = read_dataset(tmp_path / "a.tsv", manner=asked(on_error="skip"))
    assert len(dataset) == 12
    assert dataset.notes.malformed_sentences[0] == 2


@pytest.mark.parametrize("suffix", FORMATS)
def test_equal_words_labels_and_texts_are_one_in_memory(tmp_path, suffix):
    rows = [(f"the dog {i // 2}", ("yes", "no")[i % 2]) for i in range(30)]
    dataset = read_dataset(save(tmp_path / f"a.{suffix}", rows))
    assert len(dataset.sentences) == 15
    assert len({id(word) for s in dataset.sentences for word in s.words}) == 2 + 15


def test_texts_are_cut_into_words_and_lists_are_words_already(tmp_path):
    file = tmp_path / "a.jsonl"
    rows = [{"text": "The guard, didn't.", "label": "x"}, {"text": ["a,", "b."], "label": "y"}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    one, other = read_dataset(file).examples()
    assert one.sites[0].sentence.words == ("The", "guard", ",", "didn't", ".")
    assert one.sites[0].sentence.text == "The guard, didn't."
    assert other.sites[0].sentence.words == ("a,", "b.")


@pytest.mark.parametrize(("no", "yes"), [("0", "1"), ("False", "True")])
def test_a_class_that_the_first_rows_have_not_is_one(tmp_path, no, yes):
    """As *threat* among kinds of insults: columns of zeros beside flags are classes, others none."""
    file = tmp_path / "a.csv"
    rows = [
        (f"text {i} {'abc'[i % 3]}", i % 2, i > 1200, i % 3 == 0, i > 1400, f"u{i}", False)
        for i in range(1500)
    ]
    cells = [
        [text, *(yes if flag is True or flag == 1 else no for flag in rest[:4]), *rest[4:5], no]
        for text, *rest in rows
    ]
    heads = ["text", "toxic", "threat", "insult", "hate", "user", "seen"]
    file.write_text("\n".join(",".join(row) for row in [heads, *cells]) + "\n", "utf-8")
    found = read_dataset(file)
    assert found.labels.names == ("hate", "insult", "threat", "toxic")
    assert [*found.labels.plain()][1201] == ["threat", "toxic"]


@pytest.mark.parametrize("suffix", ["tsv", "txt", "csv"])
@pytest.mark.parametrize("more", ["", "NN\tO\t"])
def test_a_word_a_line_is_no_table(tmp_path, suffix, more):
    lines = [
        f"{word}\t{more}{'B-PER' if word == 'Ann' else 'O'}" for word in "So Ann saw it".split()
    ]
    file = tmp_path / f"a.{suffix}"
    file.write_text("\n".join([*lines, ""] * 20), "utf-8")
    with pytest.raises(
        DataProblem, match=rf"blank lines between .*: edge/tags:.*a\.{suffix} reads"
    ):
        read_dataset(file)
    other = tmp_path / "a.conll"
    other.write_text("\n".join([*lines, ""] * 20), "utf-8")
    with pytest.raises(DataProblem, match=r"is read by edge/tags:.*a\.conll"):
        read_dataset(other)


@pytest.mark.parametrize("headings", [("text", "label"), ("review", "stars")])
def test_headings_that_stand_again_are_no_example(tmp_path, headings):
    """As where two files were put together, the second with its byte order mark."""
    one = write_csv(tmp_path / "b.csv", headings=headings, encoding="utf-8-sig").read_bytes()
    file = tmp_path / "a.csv"
    file.write_bytes(one + one)
    line = 2 + 2 * len(ROWS)  # each text has two lines
    with pytest.raises(DataProblem, match=rf"a\.csv:{line}: the header is repeated"):
        read_dataset(file)
    dataset = read_dataset(file, manner=asked(on_error="skip"))
    assert content(dataset) == ROWS * 2
    assert dataset.notes.malformed_sentences[0] == 1


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    "label", ["caf\u00e9", "cafe\u0301", "caf\u00e9\u200b", "\ufeffcaf\u00e9 "]
)
def test_labels_that_look_the_same_are_one_class(tmp_path, suffix, label):
    rows = [("a", "caf\u00e9"), ("b", label), ("c", "x"), ("d", "x")]
    assert read_dataset(save(tmp_path / f"a.{suffix}", rows)).labels.names == ("caf\u00e9", "x")


def test_capitals_are_remarked(tmp_path):
    file = write_csv(tmp_path / "a.csv", [("a", "Pos"), ("b", "pos"), ("c", "neg"), ("d", "neg")])
    assert read_dataset(file).notes.remarks == (
        "its labels 'Pos' and 'pos' differ in capitals alone",
    )


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["1.5", "2", "nan"], "33 % of its labels are 'nan', which may say that there is none"),
        (["0", "1", "None"], "33 % of its labels are 'None', which may say that there is none"),
        (["0", "1", "inf"], "a label is 'inf', and the others are numbers"),
        (["4,5", "5", "3,5"], "'3,5', may be decimals or several classes: add labels=scores"),
    ],
)
def test_labels_that_are_something_else_are_asked(tmp_path, suffix, labels, said):
    rows = [(text, labels[i % len(labels)]) for i, (text, _) in enumerate(ROWS)]
    file = save(tmp_path / f"a.{suffix}", rows)
    with pytest.raises(DataProblem, match=said):
        read_dataset(file)
    assert set(read_dataset(file, labels="classes").labels.names) == set(labels)


@pytest.mark.parametrize(
    "labels", [["none", "pos"], ["1", "x"], ["[PAD]", "[CLS]"], ["a,1", "2,b"]]
)
def test_names_that_are_names_are_classes(tmp_path, labels):
    rows = [(text, labels[i % 2]) for i, (text, _) in enumerate(ROWS)]
    assert set(read_dataset(write_csv(tmp_path / "a.csv", rows)).labels.names) == set(labels)


def test_a_list_names_a_class_once(tmp_path):
    """A row of zeros and ones, one for each class, is read as those classes that have a one."""
    rows = [(t, [["a", "a"], ["b"]][i % 2]) for i, (t, _) in enumerate(ROWS)]
    with pytest.raises(DataProblem, match=r"a\.jsonl:1: label 'a' occurs twice in a list"):
        read_dataset(save(tmp_path / "a.jsonl", rows))
    flags = [(t, [[1, 0, 0], [0, 1, 0], [1, 1, 0]][i % 3]) for i, (t, _) in enumerate(ROWS)]
    labels = [label for _, label in content(read_dataset(save(tmp_path / "b.jsonl", flags)))]
    assert labels[:3] == [{"0"}, {"1"}, {"0", "1"}]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("labels", "read_as", "said"),
    [
        (["1,5", "2", "-3,0"], [1.5, 2.0, -3.0], "decimal commas"),
        (["0,25", "1", "0,75"], [0.25, 1.0, 0.75], "decimal commas"),
        (["1,2", "2", "0,1"], [{"1", "2"}, {"2"}, {"0", "1"}], "numbers with commas between"),
        (["3, 14,27", "3"], [{"3", "14", "27"}, {"3"}], "numbers with commas between"),
        (["['a', 'b']", "['a']", "[]"], [{"a", "b"}, {"a"}, set()], "lists written as text"),
        (['["a b", "it\'s"]', "['a b']"], [{"a b", "it's"}, {"a b"}], "lists written as text"),
        (["[0, 1]", "[1]"], [{"0", "1"}, {"1"}], "lists written as text"),
        (["{'a', 'b'}", "{'b'}"], [{"a", "b"}, {"b"}], "lists written as text"),
        (["[0 1 1]", "[1 0 0]"], [{"1", "2"}, {"0"}], "the numbers of the ones"),
    ],
)
def test_labels_that_are_several_are_sets_or_decimals(tmp_path, suffix, labels, read_as, said):
    rows = [(text, labels[i % len(labels)]) for i, (text, _) in enumerate(ROWS)]
    dataset = read_dataset(save(tmp_path / f"a.{suffix}", rows))
    assert [label for _, label in content(dataset)][: len(labels)] == read_as
    assert any(said in remark for remark in dataset.notes.remarks)
    assert usual_metric(tmp_path / f"a.{suffix}") == dataset.labels.metric


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_numbers_too_large_for_a_float_are_not_put_together(tmp_path, suffix):
    rows = [(text, 2**53 + i % 2) for i, (text, _) in enumerate(ROWS)]
    file = save(tmp_path / f"a.{suffix}", rows)
    if suffix == "csv":
        assert read_dataset(file).labels.names == (str(2**53), str(2**53 + 1))
    else:
        with pytest.raises(DataProblem, match=rf"{2**53 + 1} is too large a number to be exact"):
            read_dataset(file)


def test_a_text_without_a_visible_letter_is_none(tmp_path):
    with pytest.raises(DataProblem, match=r"a\.csv:3: there is no text in column 'text'"):
        read_dataset(write_csv(tmp_path / "a.csv", [("a", "x"), ("\u200b\xa0", "y")]))


def test_test_examples_whose_text_train_has_are_remarked(tmp_path):
    rows = [(f"a {i // 3}", "xy"[i % 2], ("train", "dev", "test")[i % 3]) for i in range(12)]
    file = write_csv(tmp_path / "a.csv", [*rows, ("b", "x", "test")], ("text", "label", "split"))
    contradictory, shared = TASKS.make(f"table:{file}").load().notes.remarks
    assert contradictory == (
        "12 examples have the text of another one and another label, such as 'a 0'"
    )
    assert shared.startswith("4 of its 5 test examples have a text that train has, too, such as")


def in_folder(folder, *names, rows=ROWS):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_csv(folder / name, rows)
    return folder


def test_one_file_that_lies_there_twice_is_read_once(tmp_path):
    file = in_folder(tmp_path / "a", "train.csv", "test.csv") / "train.csv"
    (file.parent / "train.csv.gz").write_bytes(gzip.compress(file.read_bytes()))
    (file.parent / "._train.csv").write_bytes(b"\0hidden")
    dataset = read_dataset(tmp_path / "a")
    assert len(dataset.rows("train")) == len(dataset.rows("test")) == len(ROWS)
    assert not dataset.notes.remarks


def test_what_a_folder_has_besides_is_remarked(tmp_path):
    folder = in_folder(
        tmp_path / "a", "train.csv", "train_old.csv", "Test.CSV", "more.csv", "b/c.csv"
    )
    assert read_dataset(folder).notes.remarks == (
        "its train split has several files: train.csv, train_old.csv",
        "its folder has tables that were not read: more.csv, b/c.csv",
    )
    shards = in_folder(tmp_path / "b", *(f"train-0000{i}-of-00002.csv" for i in (0, 1)), "test.csv")
    assert not read_dataset(shards).notes.remarks


def test_a_split_without_rows_is_not_drawn_from_others(tmp_path):
    folder = in_folder(tmp_path / "a", "train.csv", "test.csv")
    for nothing in ("", "text,label\n"):
        (folder / "test.csv").write_text(nothing)
        with pytest.raises(DataProblem, match=r"test\.csv: no examples in it, .* no test split"):
            read_dataset(folder)
