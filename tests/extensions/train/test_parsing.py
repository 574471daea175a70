"""Parsers: training, annotation, and what they are as encoders."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lingprobe
from lingprobe import annotators
from lingprobe.annotators.parser import Annotation
from lingprobe.corpora import training_sentences as seen
from lingprobe.corpora.trees import compute_tree_depth
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.errors import UsageProblem
from lingprobe.data.references import PlaceOption
from lingprobe_extensions.train.encoder import TrainedEncoder
from lingprobe_extensions.train.parsers import network
from lingprobe_extensions.train.parsers.network import NetworkParser
from lingprobe_extensions.train.parsers.treebank import AnnotatedSentence, read_annotated_sentences
from lingprobe_extensions.train.parsing import learn_auxiliary_lemmas

SMALL = {
    "hidden": 24,
    "dim": 12,
    "letters": 8,
    "arcs": 16,
    "epochs": 10,
    "batch": 150,
    "rate": 0.02,
    "dropout": 0.1,
}
NOUNS = ["dog", "cat", "bird", "child", "fish", "man", "woman", "baker"]
VERBS = {"sees": "Pres", "hears": "Pres", "saw": "Past", "met": "Past", "heard": "Past"}


def sentence(draws: random.Random) -> tuple[str, str]:
    """One in CoNLL-U and in brackets: `the dog sees a cat today .`"""
    first, verb, second = draws.choice(NOUNS), draws.choice([*VERBS]), draws.choice(NOUNS)
    late = draws.random() < 0.5
    rows = [
        ("the", "DET", "DT", "Definite=Def", 2, "det"),
        (first, "NOUN", "NN", "Number=Sing", 3, "nsubj"),
        (verb, "VERB", "VBZ", f"Tense={VERBS[verb]}", 0, "root"),
        ("a", "DET", "DT", "Definite=Ind", 5, "det"),
        (second, "NOUN", "NN", "Number=Sing", 3, "obj"),
        *([("today", "NOUN", "NN", "Number=Sing", 3, "obl:tmod")] if late else []),
        (".", "PUNCT", ".", "_", 3, "punct"),
    ]
    lines = [
        f"{i}\t{form}\t_\t{upos}\t{xpos}\t{feats}\t{head}\t{label}\t_\t_"
        for i, (form, upos, xpos, feats, head, label) in enumerate(rows, 1)
    ]
    extra = " (NP (NN today))" if late else ""
    tree = (
        f"(TOP (S (NP (DT the) (NN {first})) (VP (VBZ {verb}) (NP (DT a) (NN {second})){extra})"
        " (. .)))"
    )
    return "\n".join(lines), tree


@pytest.fixture(scope="module")
def treebank(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("treebank")
    for split, seed, many in (("train", 0, 400), ("dev", 1, 30), ("test", 2, 30)):
        draws = random.Random(seed)
        parses, trees = zip(*(sentence(draws) for _ in range(many)), strict=True)
        (folder / f"x-{split}.conllu").write_text("\n\n".join(parses) + "\n\n", encoding="utf-8")
        (folder / f"x-{split}.ptb").write_text("\n".join(trees) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def parser(treebank, tmp_path_factory) -> lingprobe.EncoderTraining:
    output = tmp_path_factory.mktemp("models") / "small"
    return lingprobe.train("parser", "", [treebank], output, least=1, **SMALL)


def test_a_parser_learns_what_its_treebank_tells(parser):
    assert isinstance(annotators.make_parser(parser.folder), NetworkParser)
    last = parser.epochs[-1]
    assert last["dev LAS"] > 95 > parser.trivial["LAS of the commonest for the form"]
    assert last["dev F1"] > 95
    assert last["dev UPOS"] > 99
    assert last["dev score"] == pytest.approx((last["dev LAS"] + last["dev F1"]) / 2)
    assert parser.counts["train"] + parser.counts["also in dev"] == 400  # and nothing of test
    assert parser.counts["dev"] == 30


def test_auxiliaries_have_the_lemmas_that_train_had():
    def told(*rows: tuple[str, str, str]) -> AnnotatedSentence:
        words, lemmas, upos = zip(*rows, strict=True)
        return AnnotatedSentence(words, " ".join(words), Annotation(upos, lemmas=lemmas))

    has, got = ("Has", "have", "AUX"), ("got", "get", "VERB")
    train = [told(has, got), told(has, got), told(("has", "haz", "AUX")), told(("is", "be", "AUX"))]
    lemmas = learn_auxiliary_lemmas(train)
    assert lemmas == {"has": "have", "is": "be"}
    parse = Annotation(("AUX", "AUX", "VERB"))
    known = network._with_lemmas(parse, ("HAS", "xas", "is"), lemmas)
    assert known.lemmas == ("have", "_", "_")
    assert network._with_lemmas(parse, ("HAS", "xas", "is"), {}).lemmas == ()


def test_what_it_annotates_is_well_formed_for_any_words(parser):
    made = NetworkParser(PlaceOption(str(parser.folder)))
    words = [
        ["the", "dog", "sees", "a", "cat", "."],
        ["(", "Zażółć", ")", "", "x" * 500],
        ["alone"],
        ["the"] * 60,
    ]
    told = list(made.annotate(words))
    for sentence, annotation in zip(words, told, strict=True):
        assert annotation.heads.count(-1) == 1
        assert compute_tree_depth(annotation.heads)
        assert [label == "root" for label in annotation.deprels] == [
            head < 0 for head in annotation.heads
        ]
        assert len(annotation.upos) == len(annotation.feats) == len(sentence)
        assert annotation.brackets.startswith("(ROOT ")
        assert 0 <= annotation.confidence <= 1
    assert told[0].heads == (1, 2, -1, 4, 2, 2)
    assert told[0].deprels == ("det", "nsubj", "root", "det", "obj", "punct")
    assert told[0].brackets == (
        "(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))) (. .)))"
    )
    assert told[0].confidence > told[1].confidence


def test_a_sentence_is_annotated_alike_whatever_stands_beside_it(parser):
    made = NetworkParser(PlaceOption(str(parser.folder)))
    words = [["the", "bird", "hears", "a", "child", "."], ["a"] * 9, ["dog", "cat"]]
    together = list(made.annotate(words))
    for alone, beside in zip(words, together, strict=True):
        [mine] = made.annotate([alone])
        assert (mine.heads, mine.deprels, mine.brackets) == (
            beside.heads,
            beside.deprels,
            beside.brackets,
        )
        assert mine.confidence == pytest.approx(beside.confidence, abs=1e-5)


@pytest.mark.parametrize("cells", [1, 500, 10**6])
def test_annotation_does_not_depend_on_how_much_is_judged_at_once(parser, monkeypatch, cells):
    words = [
        ["the", "dog", "sees", "a", "cat", "."],
        ["the"] * 90,
        *[["dog", "cat"]] * 9,
        ["a"] * 70,
    ]
    made = NetworkParser(PlaceOption(str(parser.folder)))
    usual = list(made.annotate(words))
    monkeypatch.setattr(network, "_CELLS", cells)
    sizes = []
    judged = network.decode_annotations
    monkeypatch.setattr(
        network, "decode_annotations", lambda *a: (sizes.append(a[1].shape[:2]), judged(*a))[1]
    )
    for mine, other in zip(made.annotate(words), usual, strict=True):
        assert replace(mine, confidence=0) == replace(other, confidence=0)
        assert mine.confidence == pytest.approx(other.confidence, abs=1e-5)
    assert all(rows == 1 or rows * longest**2 <= cells for rows, longest in sizes)
    assert sum(rows for rows, _ in sizes) == len(words)


def test_its_states_are_an_encoder(parser):
    some = [Sentence(("the", "dog", "sees"), ""), Sentence(("today",), "")]
    place = PlaceOption(str(parser.folder))
    by_word = TrainedEncoder(place, pool="none").encode(some)
    states = by_word.layers[0]
    assert states.shape == (4, 48)
    for pool, gather in (("max", np.max), ("mean", np.mean), ("auto", np.max)):
        pooled = TrainedEncoder(place, pool=pool).encode(some).layers[0]
        np.testing.assert_allclose(pooled[0], gather(states[:3], 0), atol=1e-6)
        np.testing.assert_allclose(pooled[1], states[3], atol=1e-6)
    assert not np.allclose(
        TrainedEncoder(place, epoch="1").encode(some).layers[0],
        TrainedEncoder(place).encode(some).layers[0],
    )


def test_its_folder_knows_what_it_was_trained_on_and_judged_by(parser, treebank):
    saw = TrainedEncoder(PlaceOption(str(parser.folder))).saw()
    assert saw is not None
    train, dev, test = (
        {each.words for each in read_annotated_sentences([treebank / f"x-{split}.conllu"])}
        for split in ("train", "dev", "test")
    )
    for words in train | dev:
        assert seen.are_among(seen.hash_sentences([Sentence(words, "")]), saw).all()
    new = [Sentence(words, "") for words in test - train - dev]
    assert new
    assert not seen.are_among(seen.hash_sentences(new), saw).any()


def test_a_training_that_was_stopped_ends_as_one_that_was_not(treebank, tmp_path):
    how = {**SMALL, "epochs": 3}

    class Stopped(Exception):
        pass

    def told(epoch: int, *_) -> None:
        if epoch == 2:
            raise Stopped

    with pytest.raises(Stopped):
        lingprobe.train("parser", "", [treebank], tmp_path / "one", told=told, **how)
    lingprobe.train("parser", "", [treebank], tmp_path / "one", **how)
    lingprobe.train("parser", "", [treebank], tmp_path / "other", **how)
    files = [(tmp_path / name / "epoch-3.safetensors").read_bytes() for name in ("one", "other")]
    assert files[0] == files[1]
    weights = tmp_path / "one" / "epoch-3.safetensors"
    weights.write_bytes(files[0][:1000])
    with pytest.raises(
        lingprobe.DataProblem, match=r"epoch-3\.safetensors is damaged .*; copy it again"
    ):
        list(annotators.make_parser(f"trained:{tmp_path / 'one'},epoch=3").annotate([("A", "dog")]))


@pytest.mark.parametrize("kind", ["conllu", "ptb"])
def test_either_annotation_is_learnt_alone(treebank, tmp_path, kind):
    files = [treebank / f"x-{split}.{kind}" for split in ("train", "dev")]
    done = lingprobe.train("parser", "", files[:1], tmp_path / kind, dev=files[1:], **SMALL)
    figure = "dev LAS" if kind == "conllu" else "dev F1"
    assert done.epochs[-1][figure] == done.epochs[-1]["dev score"] > 90
    [told] = NetworkParser(PlaceOption(str(tmp_path / kind))).annotate(
        [["the", "dog", "sees", "."]]
    )
    assert bool(told.heads) == (kind == "conllu")
    assert bool(told.brackets) == (kind == "ptb")


def test_sizes_of_combo_and_static_vectors(treebank, tmp_path):
    vectors = tmp_path / "words.vec"
    vectors.write_text("".join(f"{w} {i} 1 0.5\n" for i, w in enumerate([*NOUNS, *VERBS])))
    how = {**SMALL, "epochs": 2, "hidden": 8, "vectors": vectors}
    done = lingprobe.train("parser", "", [treebank], tmp_path / "m", recipe="combo", **how)
    assert len(done.epochs) == 2
    assert list(NetworkParser(PlaceOption(str(tmp_path / "m"))).annotate([["dog", "sees"]]))


def test_what_is_not_trained_so_is_refused(treebank, tmp_path):
    with pytest.raises(UsageProblem, match="bilstm-max is not trained for annotate"):
        lingprobe.train("bilstm-max", "annotate", [treebank], tmp_path / "m")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataProblem, match=r"no file in .* ends in \.conllu"):
        lingprobe.train("parser", "", [tmp_path / "empty"], tmp_path / "m")


def test_an_encoder_that_does_not_parse_is_told_as_such(treebank, tmp_path):
    path = tmp_path / "pairs.tsv"
    rows = [f"a{i}\tb{i}\t{'yes' if i % 2 else 'no'}" for i in range(40)]
    path.write_text("\n".join(["premise\thypothesis\tlabel", *rows]) + "\n")
    lingprobe.train("mean", "infer", [path], tmp_path / "m", embedding=4, epochs=1, dim=6)
    with pytest.raises(DataProblem, match="holds an encoder that does not parse"):
        list(NetworkParser(PlaceOption(str(tmp_path / "m"))).annotate([["a"]]))


def test_sentences_of_bracketed_trees_are_left_out_of_training(treebank, tmp_path):
    files = [treebank / "x-train.ptb"]
    with pytest.raises(DataProblem, match="excluded: 400 to be probed"):
        lingprobe.train("parser", "", files, tmp_path / "m", exclude=files, **SMALL)


def test_an_audit_says_that_gold_was_learnt_from(treebank, tmp_path):
    lines = (treebank / "x-train.ptb").read_text("utf-8").splitlines(keepends=True)
    for name, part in (("old", lines[:200]), ("new", sorted({*lines[200:]} - {*lines[:200]}))):
        (tmp_path / f"{name}.ptb").write_text("".join(part), "utf-8")
    lingprobe.train("parser", "", [tmp_path / "old.ptb"], tmp_path / "m", **SMALL | {"epochs": 1})
    old = lingprobe.audit_parser(tmp_path / "old.ptb", tmp_path / "m")
    assert old.content.learnt == 200
    assert "trained on 200 of the gold sentences" in str(old)
    first = lingprobe.audit_parser(
        tmp_path / "old.ptb", NetworkParser(PlaceOption(str(tmp_path / "m")))
    )
    assert first.content.learnt == 200
    new = lingprobe.audit_parser(tmp_path / "new.ptb", tmp_path / "m")
    assert new.content.learnt == 0
    assert "trained on" not in str(new)


def test_a_parser_without_files_says_what_is_missing(tmp_path):
    with pytest.raises(UsageProblem, match="no file to learn to annotate from: name --data"):
        lingprobe.train("parser", "", [], tmp_path / "m")
    (tmp_path / "x-dev.conllu").write_text("", "utf-8")
    with pytest.raises(DataProblem, match=r"no train files, only such as x-dev\.conllu"):
        lingprobe.train("parser", "", [tmp_path], tmp_path / "m")
