"""What all edge tasks do with labelled spans: columns, splits, strata, sizes, counts."""

import json
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lingprobe.data.core import DataProblem, Dataset, Example, Sentence, Site
from lingprobe.tasks import TASKS
from lingprobe.tasks.edge.columns import (
    SentenceTargets,
    assign_splits,
    count_targets,
    pool_targets,
    prune_dataset,
    sample_targets,
    tagged_seen,
)
from lingprobe.testing.tasks import same_dataset
from tasks.edges import edge_files


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return edge_files(tmp_path_factory.mktemp("edges"))


def examples(reference):
    return list(TASKS.make(reference).load().examples())


@st.composite
def marked(draw):
    words = tuple(draw(st.lists(st.sampled_from("abC"), min_size=1, max_size=5)))
    span = st.integers(0, len(words) - 1).flatmap(
        lambda a: st.tuples(st.just(a), st.integers(a + 1, len(words)))
    )
    spans = [draw(span) + draw(span) for _ in range(draw(st.integers(0, 4)))]
    return SentenceTargets(
        Sentence.of(words),
        spans,
        [draw(st.sampled_from("xyz")) for _ in spans],
        draw(st.sampled_from(["train", "dev", "test"])),
    )


@given(st.lists(marked(), min_size=1, max_size=8))
def test_columns_are_those_of_examples(found):
    """Pool out at once, targets are what examples written one by one would be."""
    written = [
        Example(
            (Site(one.sentence, (a, b)), Site(one.sentence, (c, d))),
            label,
            one.split,
            strata={"distance": str(max(c - b, a - d, 0))},
        )
        for one in found
        for (a, b, c, d), label in zip(one.spans, one.labels, strict=True)
    ]
    if not written:
        with pytest.raises(DataProblem, match="no targets"):
            pool_targets(found)
        return
    dataset = pool_targets(found).dataset
    wanted = Dataset.of(written)
    assert list(dataset.examples()) == list(wanted.examples())
    assert dataset.sentences == wanted.sentences
    assert dataset.labels.names == wanted.labels.names


@given(st.lists(marked(), min_size=1, max_size=8))
def test_seen_is_whether_train_has_the_words(found):
    if not any(one.spans for one in found):
        return
    dataset = tagged_seen(pool_targets(found).dataset)
    assert ("seen" in dataset.strata) == bool(len(dataset.rows("train")))
    told = [
        tuple(" ".join(s.sentence.words[slice(*s.span)]).casefold() for s in e.sites)
        for e in dataset.examples()
    ]
    train = [words for words, e in zip(told, dataset.examples(), strict=True) if e.split == "train"]
    firsts, seconds = {a for a, _ in train}, {b for _, b in train}
    for words, example in zip(told, dataset.examples(), strict=True):
        both = words in train
        each = words[0] in firsts and words[1] in seconds
        assert example.strata.get("seen") == (
            None
            if not train or example.split == "train"
            else "yes"
            if both
            else "apart"
            if each
            else "no"
        )


@settings(max_examples=30)
@given(st.lists(marked(), min_size=6, max_size=30), st.integers(0, 3))
def test_drawn_splits_keep_equal_sentences_together_and_repeat(found, seed):
    laid = pool_targets(
        [
            *(one._replace(split="") for one in found),
            SentenceTargets(Sentence.of("ab"), [(0, 1, 1, 2)], ["x"]),
        ]
    )
    dataset = assign_splits(laid, False, seed)
    home = {}
    for example in dataset.examples():
        home.setdefault(tuple(w.casefold() for w in example.sites[0].sentence.words), set()).add(
            example.split
        )
    assert all(len(splits) == 1 for splits in home.values())
    same_dataset(dataset, assign_splits(laid, True, seed))


def test_documents_stay_together_when_splits_are_drawn():
    found = [
        SentenceTargets(Sentence.of(f"w{i} x".split()), [(0, 1)], ["a"], group=f"d{i // 5}")
        for i in range(100)
    ]
    dataset = assign_splits(pool_targets(found), False, 0)
    assert all(len(set(dataset.splits[i : i + 5].tolist())) == 1 for i in range(0, 100, 5))
    assert np.bincount(dataset.splits).tolist() == [80, 10, 10]
    assert dataset.notes["splits"] == {"drawn": "8:1:1", "groups": 20, "seed": 0}


def test_sizes_take_whole_sentences_and_keep_shares():
    found = [
        SentenceTargets(
            Sentence.of(f"w{i} x y".split()),
            [(0, 1), (1, 2), (2, 3)],
            list("abc"),
            "train" if i % 4 else "test",
        )
        for i in range(400)
    ]
    laid = pool_targets(found)
    small, owners = sample_targets(laid.dataset, laid.owners, 100, 0)
    assert len(small) == 102
    assert len(small.rows("train")) == 75
    assert set(Counter(owners.tolist()).values()) == {3}
    assert len(small.sentences) == len(small) // 3
    assert all(
        set(e.sites[0].sentence.words) == {e.sites[0].sentence.words[0], "x", "y"}
        for e in small.examples()
    )
    same_dataset(small, sample_targets(laid.dataset, laid.owners, 100, 0)[0])
    assert sample_targets(laid.dataset, laid.owners, 100, 1)[0].sentences != small.sentences
    assert sample_targets(laid.dataset, laid.owners, 5000, 1)[0] is laid.dataset
    with pytest.raises(DataProblem, match="size=0: write a number from 1 on"):
        sample_targets(laid.dataset, laid.owners, 0, 1)


def test_sentences_that_no_target_is_about_are_let_go():
    found = [SentenceTargets(Sentence.of((f"w{i}",)), [(0, 1)], ["a"], "train") for i in range(5)]
    dataset = pool_targets(found).dataset
    kept = prune_dataset(dataset.take(np.array([3, 1])))
    assert [s.words for s in kept.sentences] == [("w1",), ("w3",)]
    assert [e.sites[0].sentence.words for e in kept.examples()] == [("w3",), ("w1",)]


def test_classes_that_no_target_has_are_let_go():
    found = [
        SentenceTargets(Sentence.of((f"w{i}",)), [(0, 1)], [label], "train")
        for i, label in enumerate("abcb")
    ]
    kept = prune_dataset(pool_targets(found).dataset.take(np.array([3, 0])))
    assert kept.labels.names == ("a", "b")
    assert [e.label for e in kept.examples()] == ["b", "a"]


def test_repeats_and_labels_that_train_lacks_are_counted():
    one, two = Sentence.of("a b".split()), Sentence.of("c d".split())
    rows = [
        ("train", one, "x"),
        ("train", one, "x"),
        ("dev", one, "y"),
        ("test", two, "y"),
        ("test", two, "x"),
    ]
    laid = pool_targets(
        [SentenceTargets(sentence, [(0, 1)], [label], split) for split, sentence, label in rows]
    )
    notes = count_targets(laid.dataset, laid.owners)
    assert notes["targets"] == {"train": 2, "dev": 1, "test": 2}
    assert notes["sentences that recur"] == {
        "again in train": 1,
        "again in test": 1,
        "in train and dev": 1,
    }
    assert notes["labels that train lacks"] == {"y": 2}


def test_targets_of_two_kinds_and_spans_outside_are_refused():
    with pytest.raises(DataProblem, match="one span and others two"):
        pool_targets(
            [
                SentenceTargets(Sentence.of("ab"), [(0, 1)], ["x"]),
                SentenceTargets(Sentence.of("ab"), [(0, 1, 1, 2)], ["x"]),
            ]
        )
    for span in ((0, 3), (1, 1), (-1, 1)):
        with pytest.raises(DataProblem, match="is outside a sentence of 2 words: 'a b'"):
            pool_targets([SentenceTargets(Sentence.of("ab"), [span], ["x"])])


def test_one_document_leaves_nothing_to_draw(tmp_path):
    rows = "".join(f"Ann{i} NNP I-NP I-PER\nsaw{i} VBD O O\n\n" for i in range(20))
    (file := tmp_path / "a.txt").write_text(f"-DOCSTART- -X- -X- O\n\n{rows}")
    with pytest.raises(DataProblem, match=r"too few documents for .* such as -DOCSTART-"):
        TASKS.make(f"edge/entities:{file},splits=sampled").load()
    file.write_text(rows)
    assert len(TASKS.make(f"edge/entities:{file},splits=sampled").load()) == 20


def test_files_without_test_or_with_and_without_splits(folder, tmp_path):
    dev = folder / "gold" / "toy.dev.gold_conll"
    with pytest.raises(
        DataProblem,
        match=(
            r"edge/srl: no train and no test targets in .*; its splits: dev\. Name further files by"
            r" with="
        ),
    ):
        TASKS.make(f"edge/srl:{dev}").load()
    assert len(TASKS.make(f"edge/srl:{dev}").all_examples()) == 30
    drawn = TASKS.make(f"edge/srl:{dev},splits=sampled").load()
    assert len(drawn) == 30
    (tmp_path / "more.gold_conll").write_text(dev.read_text())
    with pytest.raises(DataProblem, match="some files say no split and others do"):
        TASKS.make(f"edge/srl:{dev},with={tmp_path}").load()


def test_a_dev_split_is_carved_from_train(folder):
    place = folder / "gold"
    dataset = TASKS.make(
        f"edge/pos:{place}/toy.train.gold_conll,with={place}/toy.test.gold_conll"
    ).load()
    assert dataset.notes["dev"]["kept_together"] == "sentences"
    assert len(dataset.rows("dev")) == 11  # a sentence


REFERENCES = (
    "edge/jsonl:{}/jsonl", "edge/pos:{}/gold", "edge/dep:{}/misc", "edge/const:{}/gold",
    "edge/entities:{}/columns", "edge/coref:{}/gold",
    "edge/srl:{}/gold", "edge/spr1:{}/spr1",
    "edge/spr1:{0}/spr1_table/protoroles_eng_pb_08302015.tsv,treebank={0}/spr1_table/wsj",
    "edge/spr2:{}/sets", "edge/semeval:{}/semeval", "edge/dpr:{}/recast/dpr_data.txt",
)  # fmt: skip


@pytest.mark.parametrize("reference", REFERENCES)
def test_every_task_says_what_it_read_and_can_be_read_again(folder, reference):
    task = TASKS.make(reference.format(folder))
    assert task.name == reference.partition(":")[0]
    assert TASKS.find(task.name).__doc__ == task.question
    assert (task.probe, task.view) == ("linear", "mean")
    assert pickle.loads(pickle.dumps(task)) == task
    assert task.fingerprint == TASKS.make(reference.format(folder)).fingerprint
    dataset = task.load()
    same_dataset(dataset, task.load())
    notes = json.loads(json.dumps(dict(dataset.notes)))
    assert notes["source"]["sentences"] >= 18
    assert sum(notes["targets"].values()) == len(dataset)
    assert {"left out", "problems"} <= set(notes)


def test_a_changed_file_has_another_fingerprint(folder, tmp_path):
    for path in (folder / "gold").iterdir():
        (tmp_path / path.name).write_text(path.read_text())
    task = TASKS.make(f"edge/srl:{tmp_path}")
    before = task.fingerprint
    path = tmp_path / "toy.dev.gold_conll"
    path.write_text(path.read_text().replace("ARG0", "ARG3"))
    assert task.fingerprint != before


def test_metrics_are_those_of_the_paper(folder):
    metrics = {
        "coref:{}/gold": "micro-f1,only=1",
        "srl:{}/gold": "micro-f1,without=[RC]-*",
        "semeval:{}/semeval": "micro-f1,without=Other",
        "pos:{}/gold": "micro-f1",
        "spr1:{}/spr1": "micro-f1",
        "spr2:{}/sets": "micro-f1",
    }
    assert {name: TASKS.make(f"edge/{name}".format(folder)).metric for name in metrics} == metrics
    assert TASKS.make(f"edge/jsonl:{folder}/jsonl,metric=accuracy").metric == "accuracy"
