"""Labels and scores of two sentences: files as they are distributed, where they lie, and what is
wrong with them.
"""

import json
import lzma
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

import lingprobe
from lingprobe.data.core import DataProblem
from lingprobe.datasets.splits import code_shared_groups
from lingprobe.tasks import TASKS, list_task_names
from tasks.publications import pair_sets, pairs, refused_or_counted

SCORES = ("sick-r", "sts-b", "cdsc-r", "sick-pl-r")


def load(reference):
    return TASKS.make(str(reference)).load()


def told(dataset):
    return [
        (e.split, e.label, *(site.sentence.text for site in e.sites)) for e in dataset.examples()
    ]


YEARS = tuple(f"sts{year}" for year in range(12, 17))


@pytest.mark.parametrize("name", [name for name in list_task_names("pair") if name not in YEARS])
def test_every_task_reads_pairs_of_whole_sentences_in_their_order(tmp_path, name):
    place = pair_sets(tmp_path) / ("mine.jsonl" if name == "jsonl" else "")
    task = TASKS.make(f"pair/{name}:{place}")
    dataset = task.load()
    assert [(a, b) for _, _, a, b in told(dataset)] == [
        (a, b) for split, _, a, b in pairs() if name != "mrpc" or split != "dev"
    ]
    assert dataset.sites.shape[1] == 2
    assert (dataset.sites[:, :, 1:] == -1).all()
    assert task.view == "mean+contrast"
    scored = name in (*SCORES, "jsonl")
    assert task.metric == ("pearson" if scored else "accuracy")
    assert task.probe == ("relatedness" if name in SCORES else "linear")
    assert (dataset.labels.numbers is not None) == scored
    assert set(code_shared_groups(dataset)) == {"sentence"}


def test_scores_and_labels_are_those_of_the_files(tmp_path):
    folder = pair_sets(tmp_path)
    scores = {name: load(f"pair/{name}:{folder}").labels.plain()[:4] for name in SCORES}
    assert scores == {
        "sick-r": [1.5, 2.5, 3.5, 4.5],
        "sick-pl-r": [1.5, 2.5, 3.5, 4.5],
        "cdsc-r": [0.5, 1.5, 2.5, 3.5],
        "sts-b": [0, 1, 2, 3],
    }
    assert load(f"pair/sick-e:{folder}").labels.plain()[:3] == [
        "ENTAILMENT",
        "CONTRADICTION",
        "NEUTRAL",
    ]
    assert load(f"pair/mrpc:{folder}").labels.plain()[:2] == ["0", "1"]
    assert load(f"pair/ppc:{folder}").labels.plain()[:3] == ["1", "2", "3"]


def test_columns_beyond_are_passed_over_and_the_source_of_a_pair_is_a_stratum(tmp_path):
    dataset = load(f"pair/sts-b:{pair_sets(tmp_path)}")
    assert {k: t.names for k, t in dataset.strata.items()} == {
        "genre": ("news",),
        "subset": ("headlines",),
    }


def test_marks_are_words_of_their_own_in_running_text_alone(tmp_path):
    folder = pair_sets(tmp_path)
    raw, cut = (load(f"pair/{name}:{folder}").sentences[1] for name in ("sts-b", "sick-r"))
    assert raw.text == cut.text == "One train cat 0 rests ."
    (folder / "PPC" / "train.txt").write_text("Spi.\tNie śpi.\t3\n", "utf-8")
    pair = next(load(f"pair/ppc:{folder},dev=none").examples())
    assert [site.sentence.words for site in pair.sites] == [("Spi", "."), ("Nie", "śpi", ".")]
    (folder / "SICK" / "SICK_train.txt").write_text("1\tHe's off.\tSo\t2\tNEUTRAL\n", "utf-8")
    assert load(f"pair/sick-e:{folder}").sentences[0].words == ("He's", "off.")


def test_the_line_of_headings_may_be_missing(tmp_path):
    file = pair_sets(tmp_path) / "SICK" / "SICK_train.txt"
    wanted = told(load(f"pair/sick-e:{tmp_path}"))
    file.write_text(file.read_text("utf-8").partition("\n")[2], "utf-8")
    assert told(load(f"pair/sick-e:{tmp_path}")) == wanted


def test_a_dev_split_is_carved_only_where_the_files_have_none(tmp_path):
    folder = pair_sets(tmp_path)
    assert "dev" not in load(f"pair/sick-e:{folder}").notes
    carved = load(f"pair/mrpc:{folder}")
    assert carved.notes["dev"]["carved_from_train"] == len(carved.rows("dev")) > 0
    for option in ("dev=none", "splits=senteval"):
        whole = load(f"pair/mrpc:{folder},{option}")
        assert (len(whole), len(whole.rows("dev"))) == (len(carved), 0)
    for split, name in (("train", "train"), ("test", "test")):
        file = folder / "MRPC" / f"msr_paraphrase_{split}.txt"
        file.rename(folder / "MRPC" / f"msr-para-{name}.tsv")
    (folder / "MRPC" / "msr-para-val.tsv").write_text("1\t2\t3\tOne .\tAnother .\n")
    assert len(load(f"pair/mrpc:{folder}").rows("dev")) == 1


@pytest.mark.parametrize("name", YEARS)
def test_pairs_of_the_shared_tasks_are_for_testing_alone_and_those_without_a_score_are_counted(
    tmp_path, name
):
    folder = pair_sets(tmp_path)
    task = TASKS.make(f"pair/{name}:{folder}")
    dataset = task.load()
    assert (task.probe, task.metric) == ("cosine", "pearson")
    assert len(dataset.rows("test")) == len(dataset)
    sizes = {"sts12": (22, 2)}.get(name, (9, 3))
    assert (len(dataset), dataset.notes["source"]["without a label"]) == sizes
    subsets = {"sts12": ("MSRpar", "OnWN"), "sts13": ("FNWN",), "sts14": ("images",)}
    assert dataset.strata["subset"].names == subsets.get(name, dataset.strata["subset"].names)
    read = {site.sentence.text for example in dataset.examples() for site in example.sites}
    assert read < {text for split, *pair in pairs() if split == "test" for text in pair[1:]}


def test_subsets_whose_sentences_or_scores_are_missing_are_left_out(tmp_path):
    folder = pair_sets(tmp_path) / "STS" / "STS12-en-test"
    (folder / "STS.input.MSRpar.txt").unlink()
    dataset = load(f"pair/sts12:{folder}")
    assert dataset.strata["subset"].names == ("OnWN",)
    (folder / "STS.gs.surprise.OnWN.txt").unlink()
    with pytest.raises(DataProblem, match=r"has STS\.gs\.MSRpar\.txt, STS\.input\.surprise"):
        load(f"pair/sts12:{folder}")


def test_the_shared_tasks_are_measured_without_training_beside_words_and_length(tmp_path):
    folder = pair_sets(tmp_path)
    evaluation = lingprobe.evaluate("random,dim=8", f"pair/sts12:{folder}", seeds=1)
    assert not evaluation.failures
    assert {(r.trial.encoder.partition(",")[0], r.trial.probe) for r in evaluation.results} == {
        (encoder, "cosine") for encoder in ("random", "length", "bow:random", "char-ngrams")
    }
    with pytest.raises(
        lingprobe.PlanProblem, match=r"no train split, which this probe needs; `cosine` does"
    ):
        lingprobe.evaluate("random,dim=8", f"pair/sts12:{folder}", probes="mlp")
    # what another task is read with is not asked of this one
    both = [f"pair/sts12:{folder}", "ud/tense:embedded,limit=60"]
    assert not lingprobe.evaluate("random,dim=8", both, seeds=1, baselines="none").failures


def test_pairs_of_snli_without_a_label_are_left_out_and_counted(tmp_path):
    dataset = load(f"pair/snli:{pair_sets(tmp_path)}")
    assert dataset.notes["source"]["without a label"] == 3
    assert len(dataset) == 36


@pytest.mark.parametrize("end", ["jsonl", "txt"])
def test_snli_is_read_as_its_authors_distribute_it(tmp_path, end):
    wanted = told(load(f"pair/snli:{pair_sets(tmp_path / 'parallel')}"))
    for split in ("train", "dev", "test"):
        rows = [(label, a, b) for s, label, a, b in wanted if s == split]
        rows.append(("-", "Nobody knows .", "Nobody knows ."))
        if end == "jsonl":
            keys = ("gold_label", "sentence1", "sentence2")
            lines = [
                json.dumps({"annotator_labels": [], **dict(zip(keys, r, strict=True))})
                for r in rows
            ]
        else:
            head = "gold_label\tparse\tparse\tparse\tparse\tsentence1\tsentence2\tcaptionID\tpairID"
            lines = [head, *(f"{r[0]}\t(\t(\t(\t(\t{r[1]}\t{r[2]}\tc\tp\t{r[0]}" for r in rows)]
        (tmp_path / f"snli_1.0_{split}.{end}").write_text("\n".join(lines) + "\n", "utf-8")
    dataset = load(f"pair/snli:{tmp_path}")
    assert told(dataset) == wanted
    assert dataset.notes["source"]["without a label"] == 3


def test_snli_without_train_can_be_looked_at_but_not_measured(tmp_path):
    folder = pair_sets(tmp_path) / "SNLI"
    for file in folder.glob("*.train"):
        file.unlink()
    assert len(TASKS.make(f"pair/snli:{folder}").all_examples()) == 24
    with pytest.raises(DataProblem) as problem:
        load(f"pair/snli:{folder}")
    assert str(problem.value) == (
        "pair/snli: no train examples in the files; their splits: dev, test"
    )


def test_files_side_by_side_have_equally_many_lines(tmp_path):
    file = pair_sets(tmp_path) / "SNLI" / "s2.test"
    file.write_text("".join(file.read_text("utf-8").splitlines(keepends=True)[:-1]), "utf-8")
    with pytest.raises(DataProblem) as problem:
        load(f"pair/snli:{tmp_path},on_error=skip")
    assert str(problem.value) == (
        f"{file}:13: the file ends before this line, which s1.test has; parallel files must have"
        " the same number of lines, so download it again"
    )


BAD = [
    ("sick-r", "SICK/SICK_train.txt", "1\tA man .\tHe .\t5.5\tNEUTRAL", "score '5.5' is not a number from 1 to 5"),
    ("cdsc-r", "CDSCorpus/CDS_train.txt", "1\tA .\tB .\tnan\tNEUTRAL", "score 'nan' is not a number from 0 to 5"),
    ("sts-b", "STS/STSBenchmark/sts-dev.csv", "a\tb\t1\t2\t\tA .\tB .", "score '' is not a number from 0 to 5"),
    ("sick-e", "SICK/SICK_trial.txt", "1\tA .\tB .\t2\tOTHER", "label 'OTHER' is not one of ENTAILMENT, CONTRADICTION, NEUTRAL"),
    ("sick-e", "SICK/SICK_trial.txt", "1\tA .\t \t2\tNEUTRAL", "the second text has no words"),
    ("ppc", "PPC/dev.txt", "\tB .\t1", "the first text has no words"),
    ("ppc", "PPC/dev.txt", "A .\tB .\t", "the label is empty"),
    ("mrpc", "MRPC/msr_paraphrase_test.txt", "1\t2\t3\tA .", "4 columns, not 5 (Quality, two numbers, two sentences, with tabs between)"),
    ("jsonl", "mine.jsonl", '{"a": "A .", "b": "B .", "split": "dev"}', "'score' is not a string or a number; a line has a, b, score and split"),
    ("jsonl", "mine.jsonl", '{"a": 1, "b": "B .", "score": 1, "split": "dev"}', "'a' is not a string; a line has a, b, score and split"),
    ("jsonl", "mine.jsonl", '{"a": "A .", "b": "", "score": 1, "split": "dev"}', "the second text has no words"),
    ("jsonl", "mine.jsonl", '{"a": "A .", "b": "B .", "score": "much", "split": "dev"}', "score 'much' is not a number"),
    ("jsonl", "mine.jsonl", '{"a": "A .", "b": "B .", "score": 1, "split": "some"}', "split 'some' is not one of tr, va, te"),
    ("jsonl", "mine.jsonl", "[1]", "not a JSON object with a, b, score and split"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "file", "line", "message"), BAD)
def test_a_bad_row_is_one_line_that_names_it_or_is_counted(tmp_path, name, file, line, message):
    place = pair_sets(tmp_path) / file
    reference = f"pair/{name}:{place if name == 'jsonl' else tmp_path}"
    refused_or_counted(reference, place, line, message)


def read_or_told(reference, file):
    """The examples of a task; none where it says in one line what is wrong with its file."""
    try:
        return told(load(reference))
    except DataProblem as problem:
        message = str(problem)
    assert "\n" not in message
    assert file.rpartition("/")[2] in message or "no train examples" in message
    return []


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_files_cut_anywhere_are_told_in_one_line_or_read(tmp_path_factory, data):
    folder = pair_sets(tmp_path_factory.mktemp("cut"))
    name, file = data.draw(
        st.sampled_from(
            [
                ("sick-e", "SICK/SICK_train.txt"),
                ("sts-b", "STS/STSBenchmark/sts-train.csv"),
                ("mrpc", "MRPC/msr_paraphrase_train.txt"),
                ("snli", "SNLI/s1.train"),
                ("snli", "SNLI/labels.train"),
            ]
        )
    )
    place = folder / file
    whole = place.read_bytes()
    place.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    before = len(told(load(f"pair/{name}:{pair_sets(tmp_path_factory.mktemp('whole'))}")))
    assert len(read_or_told(f"pair/{name}:{folder}", file)) <= before


def test_compressed_files_and_other_capitals_will_do(tmp_path):
    folder = pair_sets(tmp_path / "plain")
    wanted = told(load(f"pair/cdsc-e:{folder}"))
    packed = tmp_path / "packed" / "cdscorpus"
    packed.mkdir(parents=True)
    for file in (folder / "CDSCorpus").iterdir():
        (packed / f"{file.name.lower()}.xz").write_bytes(lzma.compress(file.read_bytes()))
    assert told(load(f"pair/cdsc-e:{packed.parent}")) == wanted
    assert told(load(f"pair/cdsc-e:{packed}")) == wanted


def test_what_is_missing_is_said_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(DataProblem, match=r"^pair/ppc needs its files: write pair/ppc:FOLDER$"):
        load("pair/ppc")
    with pytest.raises(DataProblem) as problem:
        load("pair/cdsc-r")
    assert str(problem.value) == (
        "pair/cdsc-r needs its files: `lingprobe fetch cds` gets them, or write pair/cdsc-r:FOLDER"
    )
    (pair_sets(tmp_path) / "PPC" / "dev.txt").unlink()
    with pytest.raises(DataProblem, match=r"PPC' has train\.txt, test\.txt alone; write pair/ppc:"):
        load(f"pair/ppc:{tmp_path}")


@pytest.mark.parametrize("option", ["splits=sampled", "fold=1/5"])
def test_pairs_are_not_drawn_anew(tmp_path, option):
    with pytest.raises(lingprobe.LingprobeError, match=r"published|leave it out"):
        load(f"pair/sick-e:{pair_sets(tmp_path)},{option}")


def test_ones_own_pairs_have_labels_or_scores_and_a_split_or_a_file_each(tmp_path):
    rows = [{"a": a, "b": b, "label": i % 2} for split, i, a, b in pairs() if split == "train"]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    for split in ("train", "dev", "test"):
        (tmp_path / f"{split}.jsonl").write_text(lines)
    task = TASKS.make(f"pair/jsonl:{tmp_path}")
    assert (task.metric, len(task.load()), task.load().labels.names) == ("accuracy", 36, ("0", "1"))
    scored = TASKS.make(f"pair/jsonl:{pair_sets(tmp_path / 'sets')}/mine.jsonl")
    assert (scored.metric, scored.question) == (
        "pearson",
        "Which score do the two sentences have?",
    )


def test_a_task_is_measured_beside_its_floors(tmp_path):
    folder = pair_sets(tmp_path)
    tasks = [f"pair/sick-e:{folder}", f"pair/sick-r:{folder}"]
    evaluation = lingprobe.evaluate("random,dim=8", tasks, probes="logreg", seeds=1)
    assert not evaluation.failures
    assert {r.metric for r in evaluation.results} == {"accuracy", "pearson"}


def test_the_same_answers_can_be_judged_by_another_metric(tmp_path):
    folder = pair_sets(tmp_path / "sets")
    tasks = [f"pair/sick-e:{folder}", f"pair/sick-r:{folder}"]
    whole = lingprobe.evaluate(
        "bow:random", tasks, probes="logreg", seeds=1, baselines="none", output=tmp_path / "out"
    )
    scored = next(r for r in whole.results if r.metric == "pearson")
    (again,) = lingprobe.results(tmp_path / "out", metric="spearman")
    expected = spearmanr(scored.gold.values, scored.predicted.values).statistic
    assert again.metric == "spearman"
    assert again.score == pytest.approx(expected)
    assert again.low <= again.score <= again.high
    page = lingprobe.report(tmp_path / "out", metric="spearman")
    assert "spearman" in str(page)
    assert any(r.startswith(f"excluded: pair/sick-e:{folder}: a correlation") for r in page.remarks)
    assert "pearson" in str(lingprobe.report(tmp_path / "out"))
    with pytest.raises(DataProblem, match="pearson does not apply to any of the results"):
        lingprobe.report(tmp_path / "out", tasks=["pair/sick-e"], metric="pearson")
    with pytest.raises(lingprobe.UsageProblem, match="leave metric out with a suite"):
        lingprobe.report(tmp_path / "out", metric="accuracy", suite="ud2019")


COUNTS = {
    "downstream": {
        "mrpc": (3_576, 500, 1_725),
        "sick-e": (4_500, 500, 4_927),
        "sick-r": (4_500, 500, 4_927),
        "sts-b": (5_749, 1_500, 1_379),
        "sts12": (0, 0, 2_358),
        "sts15": (0, 0, 3_000),
    },
    "downstream/SentEval-layout": {
        "snli": (0, 9_842, 9_824),
        "sts12": (0, 0, 3_108),
        "sts13": (0, 0, 1_500),
        "sts14": (0, 0, 3_750),
        "sts15": (0, 0, 3_000),
        "sts16": (0, 0, 1_186),
    },
    "downstream_pl": {
        "cdsc-e": (8_000, 1_000, 1_000),
        "cdsc-r": (8_000, 1_000, 1_000),
        "sick-pl-e": (4_439, 495, 4_906),
        "sick-pl-r": (4_439, 495, 4_906),
        "ppc": (5_000, 1_000, 1_000),
    },
}
DATA = Path(os.environ.get("LINGPROBE_DATA", "/nowhere"))


@pytest.mark.skipif(
    not (DATA / "downstream").is_dir(), reason="LINGPROBE_DATA has no downstream sets"
)
def test_the_published_files_have_the_rows_that_are_known():
    for folder, tasks in COUNTS.items():
        for name, sizes in tasks.items():
            whole = TASKS.make(f"pair/{name}:{DATA / folder}").all_examples()
            assert tuple(len(whole.rows(s)) for s in ("train", "dev", "test")) == sizes, name
    labels = Counter(load(f"pair/mrpc:{DATA / 'downstream'}").labels.plain())
    assert labels == {"1": 3_900, "0": 1_901}
