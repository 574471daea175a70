import lzma
from collections import Counter

import pytest

from lingprobe.data.cache import cache_dir
from lingprobe.data.core import DataProblem
from lingprobe.data.oracles import BEYOND_SURFACE_QUESTION, find_opposed
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.data import task_identity
from lingprobe.tasks import TASKS, baselines, list_task_names
from lingprobe.testing import same_dataset
from tasks.publications import indic, linspector, released, rows, senteval, xprobe


def load(reference):
    return TASKS.make(str(reference)).load()


@pytest.mark.parametrize(
    "family", ["senteval", "xprobe", "rusenteval", "ud2019", "linspector", "comp/released"]
)
def test_every_task_of_a_family_finds_its_file_in_the_folder(tmp_path, family):
    folder = released(tmp_path)
    for name in list_task_names(family):
        place = folder / family / name if family == "linspector" else folder / family
        assert len(load(f"{family}/{name}:{place}")) >= 24, name


def test_rows_stay_as_the_file_has_them(tmp_path):
    senteval(tmp_path)
    dataset = load(f"senteval/sent-len:{tmp_path}")
    found = [(e.split, e.label, e.sites[0].sentence.text) for e in dataset.examples()]
    assert found == [
        (split, label, text) for _, split, label, text in rows("0 1 2", "sentence_length")
    ]
    assert dataset.notes["source"]["examples"] == 36


def test_labels_are_numbered_in_the_order_of_their_text_as_senteval_does(tmp_path):
    assert load(f"senteval/tree-depth:{senteval(tmp_path)}").labels.names == ("10", "5", "6")


def test_labels_of_word_content_are_lower_case_and_sentences_are_not(tmp_path):
    (tmp_path / "word_content.txt").write_text(
        "tr\tsource\tThe Source can help .\nte\tsource\tA source .\nva\tsource\tSource !\n"
    )
    dataset = load(f"senteval/word-content:{tmp_path}")
    assert dataset.labels.names == ("source",)
    assert dataset.sentences[0].words[1] == "Source"
    assert TASKS.make(f"senteval/word-content:{tmp_path}").probe == "linear"


def test_a_file_alone_a_compressed_file_and_a_fetched_folder_are_the_same(tmp_path, monkeypatch):
    folder = senteval(tmp_path / "plain")
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "past_present.txt.xz").write_bytes(
        lzma.compress((folder / "past_present.txt").read_bytes())
    )
    senteval(cache_dir() / "data" / "senteval")
    wanted = [e.sites for e in load(f"senteval/tense:{folder}").examples()]
    for reference in (f":{folder / 'past_present.txt'}", f":{tmp_path / 'packed'}", ""):
        assert [e.sites for e in load(f"senteval/tense{reference}").examples()] == wanted


def test_a_plain_file_goes_before_a_compressed_one(tmp_path):
    plain = senteval(tmp_path) / "past_present.txt"
    (tmp_path / "past_present.txt.xz").write_bytes(lzma.compress(b"other"))
    assert [part.path for part in TASKS.make(f"senteval/tense:{tmp_path}").parts()] == [plain]
    folder = xprobe(tmp_path / "en")
    (folder / "past_present" / "te.txt.xz").write_bytes(lzma.compress(b"other"))
    assert [part.path.name for part in TASKS.make(f"xprobe/tense:{folder}").parts()] == [
        "tr.txt",
        "va.txt",
        "te.txt",
    ]


def test_what_is_missing_is_said_with_what_to_do(tmp_path):
    with pytest.raises(
        DataProblem,
        match=(
            r"no past_present in .*`lingprobe fetch senteval` gets it, or write senteval/tense:FOLDER"
        ),
    ):
        load("senteval/tense")
    with pytest.raises(DataProblem, match=r"`lingprobe fetch xprobe/en` gets it"):
        load(f"xprobe/tense:{tmp_path}")
    with pytest.raises(DataProblem, match=r"needs its files: write indicsenteval:FOLDER"):
        load("indicsenteval")


def test_the_content_of_the_file_is_its_identity(tmp_path):
    folder = senteval(tmp_path)
    reference = f"senteval/tense:{folder}"
    before = task_identity(reference, TASKS.make(reference))
    file = folder / "past_present.txt"
    file.write_text(file.read_text() + "te\tPAST\tone more .\n")
    assert task_identity(reference, TASKS.make(reference)) != before
    assert TASKS.canonical(reference) != TASKS.canonical(reference + ",detokenise=true")


def test_raw_text_is_written_for_readers_on_request_and_words_stay(tmp_path):
    folder = senteval(tmp_path)
    cut, whole = load(f"senteval/tense:{folder}"), load(f"senteval/tense:{folder},detokenise=true")
    assert cut.sentences[0].text == "\" the past past_presenttrain number 0 wasn 't far ."
    assert whole.sentences[0].text == "\"the past past_presenttrain number 0 wasn't far."
    assert [s.words for s in whole.sentences] == [s.words for s in cut.sentences]


def test_a_part_of_a_file_that_is_a_class_at_a_time_has_all_classes(tmp_path):
    folder = senteval(tmp_path)
    dataset = load(f"senteval/sent-len:{folder},size=18")
    assert Counter(e.label for e in dataset.examples()) == {"0": 6, "1": 6, "2": 6}
    assert [len(dataset.rows(s)) for s in ("train", "dev", "test")] == [12, 3, 3]
    assert dataset.notes["size"] == {"asked": 18, "of": 36, "seed": 0}
    assert len(dataset.sentences) == 18
    same_dataset(dataset, load(f"senteval/sent-len:{folder},size=18,seed=0"))
    with pytest.raises(AssertionError):
        same_dataset(dataset, load(f"senteval/sent-len:{folder},size=18,seed=1"))


def test_bad_rows_are_an_error_or_counted(tmp_path):
    file = senteval(tmp_path) / "past_present.txt"
    file.write_text(file.read_text() + "\nte\tPAST\n")
    with pytest.raises(DataProblem, match=r"past_present\.txt:25: the line is blank"):
        load(f"senteval/tense:{tmp_path}")
    notes = load(f"senteval/tense:{tmp_path},on_error=skip").notes
    assert notes["source"]["blank lines"] == notes["source"]["skipped"] == 1
    assert notes["problems"] == [
        f"{file}:26: 2 columns, not at least 3 (split, label, words, with tabs between)"
    ]


def test_files_without_test_rows_are_refused_and_can_be_drawn_anew(tmp_path):
    lines = [f"tr\t{label}\t{label} word {i}\n" for label in ("NN", "NNS") for i in range(60)]
    (tmp_path / "subj_number.txt").write_text("".join(lines))
    reference = f"senteval/subj-num:{tmp_path}"
    with pytest.raises(
        DataProblem,
        match=r"no test examples in the files; their splits: train\. splits=sampled draws",
    ):
        load(reference)
    dataset = load(reference + ",splits=sampled")
    assert [len(dataset.rows(s)) for s in ("train", "dev", "test")] == [100, 10, 10]
    assert dataset.notes["sampling"]["folds_needed"] == 5
    assert len(load(reference + ",splits=sampled,fold=1/5").rows("test")) == 24
    with pytest.raises(DataProblem, match="too few examples of a class"):
        load(
            f"{reference},splits=sampled,size=120".replace("subj-num", "obj-num").replace(
                str(tmp_path), str(senteval(tmp_path / "small"))
            )
        )


def test_folds_are_not_cut_out_of_published_splits(tmp_path):
    with pytest.raises(DataProblem, match="splits=sampled,fold="):
        load(f"senteval/tense:{senteval(tmp_path)},fold=1/5")


def test_a_missing_dev_split_is_carved(tmp_path):
    folder = xprobe(tmp_path)
    (folder / "tree_depth" / "va.txt").unlink()
    dataset = load(f"xprobe/tree-depth:{folder}")
    assert dataset.notes["dev"]["carved_from_train"] == len(dataset.rows("dev")) > 0


def test_the_folder_of_a_task_will_do_too(tmp_path):
    folder = xprobe(tmp_path)
    assert (
        len(load(f"xprobe/tense:{folder / 'past_present'}"))
        == len(load(f"xprobe/tense:{folder}"))
        == 24
    )


def test_a_word_in_its_sentence_is_a_span_and_two_words_are_two_sites(tmp_path):
    folder = linspector(tmp_path)
    example = next(load(f"linspector/contextual:{folder / 'contextual'}").examples())
    assert (example.sites[0].sentence.words, example.sites[0].span) == (
        ("we", "singtrain0", "here"),
        (1, 2),
    )
    assert [
        s.sentence.text for s in next(load(f"linspector/pair:{folder / 'pair'}").examples()).sites
    ] == ["singtrain0", "singtrain0s"]
    with pytest.raises(DataProblem, match="not about whole sentences"):
        load(f"linspector/pair:{folder / 'pair'},splits=sampled")
    with pytest.raises(DataProblem, match=r"train\.txt:1: 2 columns, not 3"):
        load(f"linspector/contextual:{folder / 'word'}")


def test_tables_without_splits_are_sampled_on_request(tmp_path):
    reference = f"indicsenteval:{indic(tmp_path / 'voice.csv')}"
    with pytest.raises(DataProblem, match=r"no train and no test examples.*splits=sampled"):
        load(reference)
    dataset = load(reference + ",splits=sampled")
    assert len(dataset) == 160
    assert "," in dataset.sentences[0].text


@pytest.mark.parametrize("task", [name for name in TASKS.table if name.endswith("/sent-len")])
def test_length_is_no_opponent_where_length_is_asked(task):
    """In any family: it solves the task by its definition, and is one where depth is asked."""
    length = ENCODERS.make(baselines.LENGTH_BASELINE)
    depth = task.replace("sent-len", "tree-depth")
    assert not find_opposed(length, TASKS.make(f"{task}:x,limit=9"))
    assert find_opposed(length, TASKS.make(f"{depth}:x")) == (BEYOND_SURFACE_QUESTION,)
