"""Rows of the published files: what is loaded is what lies there, byte for byte, and goes down the
whole road.
"""

import hashlib
import os
import subprocess
import sys

import pytest

from lingprobe.audit.inspection import audit_dataset
from lingprobe.corpora.files import uncompressed_path
from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS, list_task_names

FILES = {
    "sent-len": "sentence_length", "word-content": "word_content", "tree-depth": "tree_depth",
    "top-const": "top_constituents",
    "bigram-shift": "bigram_shift", "tense": "past_present", "subj-num": "subj_number",
    "obj-num": "obj_number",
    "somo": "odd_man_out", "coord-inv": "coordination_inversion",
}  # fmt: skip


@pytest.fixture(scope="session")
def published(data):
    return data / "published_probing"


@pytest.fixture(scope="session")
def dealt(published, tmp_path_factory):
    """The published rows, which are of one split each, with their splits dealt out anew; labels and
    sentences stay as they are.
    """
    folder = tmp_path_factory.mktemp("senteval")
    for file in FILES.values():
        lines = (
            (published / "SentEval-probing-rows" / f"{file}.txt")
            .read_bytes()
            .splitlines(keepends=True)
        )
        by_label = sorted(lines, key=lambda line: line.split(b"\t")[1])
        codes = [(b"tr", b"va", b"te", b"tr")[i % 4] for i in range(len(lines))]
        (folder / f"{file}.txt").write_bytes(
            b"".join(code + line[2:] for code, line in zip(codes, by_label, strict=True))
        )
    return folder


def test_the_names_are_those_of_the_paper():
    assert set(FILES) == set(list_task_names("senteval"))


@pytest.mark.parametrize("name", FILES)
def test_published_rows_load_byte_for_byte(published, dealt, name):
    file = dealt / f"{FILES[name]}.txt"
    dataset = TASKS.make(f"senteval/{name}:{dealt}").load()
    codes = {"train": "tr", "dev": "va", "test": "te"}
    written = "".join(
        f"{codes[e.split]}\t{e.label}\t{e.sites[0].sentence.text}\n" for e in dataset.examples()
    )
    assert written.encode() == file.read_bytes()
    assert dataset.notes["source"] == {
        "files": [str(file)],
        "examples": len(dataset),
        "words": dataset.notes["source"]["words"],
    }
    assert len(dataset) == (40 if name == "sent-len" else 30)
    rows = (
        (published / "SentEval-probing-rows" / f"{FILES[name]}.txt")
        .read_bytes()
        .splitlines(keepends=True)
    )
    assert sorted(line[2:] for line in rows) == sorted(
        line[2:] for line in file.read_bytes().splitlines(keepends=True)
    )


@pytest.mark.parametrize("name", ["subj-num", "tree-depth"])
def test_rows_of_one_split_are_refused_as_a_task(published, name):
    with pytest.raises(
        DataProblem, match="no train and no test examples in the files; their splits: dev"
    ):
        TASKS.make(f"senteval/{name}:{published / 'SentEval-probing-rows'}").load()


def test_only_spaces_go_where_published_rows_are_detokenised(dealt):
    for name in FILES:
        cut, whole = (
            TASKS.make(f"senteval/{name}:{dealt}{option}").load().sentences
            for option in ("", ",detokenise=true")
        )
        assert [s.text.replace(" ", "") for s in whole] == [s.text.replace(" ", "") for s in cut]
        assert sum(len(s.text) for s in whole) < sum(len(s.text) for s in cut)


def test_published_rows_go_down_the_whole_road(dealt, tmp_path):
    how = [
        "-e",
        "length",
        "--probe",
        "logreg",
        "--seeds",
        "1",
        "--baselines",
        "none",
        "-q",
        "--format",
        "csv",
    ]
    arguments = ["run", "-t", f"senteval/*:{dealt}", *how]
    arguments += ["-o", str(tmp_path), "--cache", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "lingprobe", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ},
    )
    header, *rows = (line.split(",") for line in done.stdout.strip().splitlines())
    tests = [row[header.index("n")] for row in rows]
    assert len(rows) == 10, done.stdout
    assert sorted(map(int, tests)) == [7] * 9 + [10]


def test_gapping_of_rusenteval_has_its_published_splits(published, tmp_path):
    packed = published / "RuSentEval" / "gapping.txt.xz"
    dataset = TASKS.make(f"rusenteval/gapping:{packed.parent}").load()
    assert [len(dataset.rows(s)) for s in ("train", "dev", "test")] == [6233, 1649, 741]
    assert dataset.notes["source"]["files"] == [str(packed)]
    assert uncompressed_path(packed).name == "gapping.txt"


@pytest.fixture(scope="session")
def unpacked(published, tmp_path_factory):
    """Archives of the published data, unpacked."""
    import tarfile

    folder = tmp_path_factory.mktemp("unpacked")
    for name in ("xprobe/xprobe_en", "linspector/contextual_polish", "linspector/word_polish"):
        with tarfile.open(published / f"{name}.tar.xz") as tar:
            tar.extractall(folder, filter="data")
    return folder


@pytest.mark.parametrize("name", list_task_names("xprobe"))
def test_xprobe_without_its_train_files_is_refused_and_drawn_anew(unpacked, name):
    with pytest.raises(
        DataProblem, match="no train examples in the files; their splits: dev, test"
    ):
        TASKS.make(f"xprobe/{name}:{unpacked / 'en'}").load()
    if name != "word-content":  # ten sentences a word in each file
        dataset = TASKS.make(f"xprobe/{name}:{unpacked / 'en'},splits=sampled").load()
        left = sum(dataset.notes["sampling"][why] for why in ("duplicates", "conflicting"))
        assert (left >= 4297) == (name in ("tree-depth", "somo"))


def test_known_faults_of_xprobe_are_found(unpacked):
    depth, odd = (
        audit_dataset(TASKS.make(f"xprobe/{name}:{unpacked / 'en'}").all_examples(), floors=False)
        for name in ("tree-depth", "somo")
    )
    assert depth.same == {"dev/test": "rows"}
    assert odd.duplicates["test"] == 4297


def test_linspector_rows_are_spans_and_words(unpacked):
    case = unpacked / "intrinsic" / "data_contextual" / "Case" / "polish"
    dataset = TASKS.make(f"linspector/contextual:{case}").load()
    assert [len(dataset.rows(s)) for s in ("train", "dev", "test")] == [7000, 2000, 1000]
    assert (dataset.sites[:, 0, 2] - dataset.sites[:, 0, 1] == 1).all()
    for kind, test in (("word", "Case"), ("pair", "OddFeat")):
        assert (
            len(
                TASKS.make(
                    f"linspector/{kind}:{unpacked / 'intrinsic' / 'data' / test / 'polish'}"
                ).load()
            )
            == 10000
        )


@pytest.mark.parametrize(
    ("file", "kept", "left"), [("hindi_subnum", 398, 1351), ("hindi_voice", 1729, 20)]
)
def test_indic_rows_without_labels_are_counted(published, file, kept, left):
    path = published / "IndicSentEval" / f"{file}.csv.xz"
    with pytest.raises(DataProblem, match=r"csv\.xz:\d+: the label is empty"):
        TASKS.make(f"indicsenteval:{path},splits=sampled").load()
    source = TASKS.make(f"indicsenteval:{path},splits=sampled,on_error=skip").load().notes["source"]
    assert (source["examples"], source["skipped"]) == (kept, left)


def test_facts_of_the_catalogue_hold_for_the_copies(published, unpacked):
    from lingprobe.tasks.released.catalogue import read_collections
    from lingprobe.tasks.released.receipts import is_published

    known = read_collections()["xprobe/en"].known_files()
    for name in ("tree_depth/te", "tree_depth/va", "odd_man_out/te"):
        file = unpacked / "en" / f"{name}.txt"
        assert known[f"en/{name}.txt"].sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
        assert is_published(file) is True
    assert is_published(published / "RuSentEval" / "gapping.txt.xz") is True
    assert is_published(published / "SentEval-probing-rows" / "sentence_length.txt") is False
