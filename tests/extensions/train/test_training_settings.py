"""What is asked for where an encoder is trained, and what follows from it."""

from __future__ import annotations

import inspect
import math
import re
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch

import lingprobe
from lingprobe.nets.trainable import NetworkShape
from lingprobe_extensions.train import bag, parsing, sentences, static
from lingprobe_extensions.train.contents import OBJECTIVES
from lingprobe_extensions.train.data import FileReading, TrainingExample
from lingprobe_extensions.train.examples import TrainingExamples
from lingprobe_extensions.train.loop import EpochResult, OptimizerSettings
from lingprobe_extensions.train.objectives import LessonKit, compute_bleu
from lingprobe_extensions.train.options import TrainingSettings, VectorSettings
from lingprobe_extensions.train.selection import SelectionCriterion
from lingprobe_extensions.train.settings import TrainingRequest
from lingprobe_extensions.train.splits import choose_rows, draw_dev_rows
from lingprobe_extensions.train.texts import DecoderVocabulary
from reference import recipes


def test_settings_are_as_stated():
    assert asdict(TrainingSettings()) == recipes.TRAINING
    for name, own in recipes.TRAININGS.items():
        assert asdict(TrainingSettings.of({}, name)) == {**recipes.TRAINING, **own}


@pytest.mark.parametrize("name", recipes.LEAST)
def test_settings_have_a_least_value_and_some_a_bound(name):
    least, below = recipes.LEAST[name], recipes.BELOW.get(name, math.inf)
    kind = type(recipes.TRAINING[name])
    most = f"and below {below}" if below < math.inf else "on"
    said = f"{name}={kind(least - 1)}: write a number from {least} {most}"
    with pytest.raises(lingprobe.UsageProblem, match=f"^{re.escape(said)}$"):
        TrainingSettings.of({name: least - 1})
    assert getattr(TrainingSettings.of({name: least}), name) == least
    if below < math.inf:
        with pytest.raises(lingprobe.UsageProblem, match=f"and below {below}$"):
            TrainingSettings.of({name: below})
    else:
        assert getattr(TrainingSettings.of({name: 10**6}), name) == 10**6


def test_values_are_read_from_texts(tmp_path):
    said = {
        "english": "True",
        "learned": "false",
        "hidden": "7",
        "rate": "1e-3",
        "vectors": "a.vec",
    }
    made = TrainingSettings.of(said)
    assert (made.english, made.learned, made.hidden, made.rate) == (True, False, 7, 1e-3)
    assert made.vectors == Path("a.vec")
    assert TrainingSettings.of({"vectors": None}).vectors is None


def test_static_vectors_are_trained_as_word2vec_trains_them():
    word2vec = pytest.importorskip("gensim").models.Word2Vec
    usual = {k: p.default for k, p in inspect.signature(word2vec.__init__).parameters.items()}
    made = VectorSettings()
    assert (made.epochs, made.window, made.least) == (
        *(usual["epochs"], usual["window"], usual["min_count"]),
    )
    assert made.skipgram == bool(usual["sg"])
    assert (made.dim, made.seed, made.subwords, made.english) == (300, 0, False, False)


@pytest.mark.parametrize(
    ("architecture", "asked", "kind", "rate"),
    [
        ("gated-convnet", {}, "sgd", 0.1),
        ("bilstm-max", {}, "adam", 0.001),
        ("bilstm-max", {"optimizer": "sgd"}, "sgd", 0.1),
        ("gated-convnet", {"optimizer": "adam", "rate": 0.5}, "adam", 0.5),
    ],
)
def test_convolutions_learn_by_sgd_and_the_rest_by_adam(architecture, asked, kind, rate):
    request = TrainingRequest(architecture, "next", [Path("a")])
    found = sentences._schedule(request, TrainingSettings.of({**asked, "seed": 3, "batch": 9}))
    assert (found.optimizer, found.rate, found.falls) == (kind, rate, 0)
    assert (found.clip, found.batch, found.seed) == (5.0, 9, 3)


@pytest.mark.parametrize(("falls", "over"), [(True, 30), (False, 0)])
def test_a_parser_s_rate_falls_over_its_epochs(falls, over):
    found = parsing._schedule(TrainingSettings.of({"falls": falls}, "parser"))
    assert (found.optimizer, found.rate, found.falls) == ("adam", 0.002, over)
    assert (
        parsing._schedule(TrainingSettings.of({"rate": 0.0, "optimizer": "sgd"}, "parser")).rate
        == 0.002
    )


@pytest.mark.parametrize("kind", ["adam", "sgd"])
def test_optimisers_take_the_steps_of_textbooks(kind):
    """Kingma & Ba 2015, algorithm 1; Nesterov's momentum as Sutskever et al. 2013 have it."""
    weight = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    optimizer = OptimizerSettings(kind, 0.1, 0.0, 1).optimizer_of([weight])
    ours, first, second = np.array([1.0, -2.0]), np.zeros(2), np.zeros(2)
    for step in range(1, 4):
        slope = np.array([0.5, -step])
        weight.grad = torch.from_numpy(slope).float()
        optimizer.step()
        if kind == "adam":
            first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
            mean, square = first / (1 - 0.9**step), second / (1 - 0.999**step)
            ours = ours - 0.1 * mean / (np.sqrt(square) + 1e-8)
        else:
            first = 0.9 * first + slope
            ours = ours - 0.1 * (slope + 0.9 * first)
        np.testing.assert_allclose(weight.detach().numpy(), ours, rtol=1e-5)


@pytest.mark.parametrize(
    ("architecture", "falls", "epochs"),
    [("bow", True, True), ("parser", True, True), ("parser", False, False), ("mean", True, False)],
)
def test_epochs_decide_weights_only_where_the_rate_falls_to_the_last(architecture, falls, epochs):
    request = TrainingRequest(architecture, "x", [])
    found = sentences._request_facts(request, TrainingSettings.of({"falls": falls}), FileReading())
    free = {"patience", "device"} if epochs else {"patience", "device", "epochs"}
    assert found["settings"].keys() == recipes.TRAINING.keys() - free
    assert found["vectors"] == "random"


def epochs_of(*figures: float) -> list[EpochResult]:
    return [EpochResult(n, 1.0, {"accuracy": each}, 1, 1.0) for n, each in enumerate(figures, 1)]


@pytest.mark.parametrize(
    ("figures", "asked", "over"),
    [
        ([], {}, False),
        ([5, 4, 3], {}, False),
        ([5, 4, 3, 2], {}, True),
        ([5, 4, 3, 6], {}, False),
        ([5, 4, 3, 2], {"patience": 0}, False),
        ([1, 2], {"epochs": 3}, False),
        ([1, 2, 3], {"epochs": 3}, True),
        ([1, 2, 3], {"epochs": 2}, True),
    ],
)
def test_training_ends_with_patience_or_the_last_epoch(figures, asked, over):
    selection = SelectionCriterion("accuracy", {})
    assert sentences._over(epochs_of(*figures), selection, TrainingSettings.of(asked)) == over


@pytest.mark.parametrize(("many", "few"), [(100, 5), (139, 6), (19, 0), (60000, 2000)])
def test_a_twentieth_is_held_out_and_too_many_are_drawn_from(many, few):
    rows, again = draw_dev_rows(many, 3), draw_dev_rows(many, 3)
    assert len(rows) == len(set(rows.tolist())) == few
    assert rows.tolist() == again.tolist() == sorted(rows.tolist())
    some = choose_rows(many, 10, 3)
    assert len(some) == len(set(some.tolist())) == 10
    assert some.tolist() == sorted(some.tolist())
    assert (
        choose_rows(many, 0, 3).tolist() == choose_rows(many, many, 3).tolist() == list(range(many))
    )


def written(path: Path, *texts: str) -> Path:
    path.write_text("\n".join(texts) + "\n", "utf-8")
    return path


def test_sentences_of_dev_are_not_in_train(tmp_path):
    train = written(tmp_path / "a.txt", *(f"w{i} a" for i in range(40)), "x y", "x y")
    dev = written(tmp_path / "b.txt", "x y", "w3 a", "z")
    request, how = TrainingRequest("mean", "autoencode", [train], [dev]), FileReading()
    parts = sentences._split_train_dev(request, how, TrainingSettings())
    assert parts.dev.tolist() == [42, 43, 44]
    assert parts.train.tolist() == [i for i in range(40) if i != 3]
    assert how.counts["also in dev"] == 3
    some = sentences._split_train_dev(request, FileReading(), TrainingSettings.of({"most": 9}))
    assert some.dev.tolist() == [9, 10, 11]
    assert 6 <= len(some.train) <= 9
    drawn = sentences._split_train_dev(
        TrainingRequest("mean", "autoencode", [train]), FileReading(), TrainingSettings()
    )
    assert len(drawn.dev) == 2
    assert not set(drawn.dev.tolist()) & set(drawn.train.tolist())


@pytest.mark.parametrize("lines", [["x y"], ["x y"] * 30, ["a", "b"]])
def test_too_little_is_said(tmp_path, lines):
    request = TrainingRequest("mean", "autoencode", [written(tmp_path / "a.txt", *lines)])
    with pytest.raises(lingprobe.DataProblem, match=r"left to train on and \d for dev"):
        sentences._split_train_dev(request, FileReading(), TrainingSettings())


TREE = "1\t{0}\t_\tX\t_\t_\t0\troot\t_\t_\n\n"


def trees(path: Path, *words: str) -> Path:
    path.write_text("".join(map(TREE.format, words)), "utf-8")
    return path


def test_a_treebank_is_divided_alike(tmp_path):
    train = trees(tmp_path / "a.conllu", *(f"w{i}" for i in range(40)), "x", "x")
    dev = trees(tmp_path / "b.conllu", "x", "w3", "z")
    how = FileReading()
    examples, rows, judged = parsing._split_train_dev(
        TrainingRequest("parser", "annotate", [train], [dev]), how, TrainingSettings()
    )
    assert judged.tolist() == [42, 43, 44]
    assert rows.tolist() == [i for i in range(40) if i != 3]
    assert how.counts["also in dev"] == 3
    assert how.counts["read"] == 45
    assert examples[44].words == ("z",)
    for files, held in (([dev], []), ([trees(tmp_path / "c.conllu", "z")], [dev])):
        with pytest.raises(lingprobe.DataProblem, match=r"left to train on and \d for dev"):
            parsing._split_train_dev(
                TrainingRequest("parser", "annotate", files, held),
                FileReading(),
                TrainingSettings(),
            )


def test_trees_that_are_left_out_of_a_treebank_are_counted(tmp_path):
    file = written(tmp_path / "a.ptb", "(S (NN dog))", "(S ((NN", "(S (NN cat) (VB is))", "(S)")
    how = FileReading(on_error="skip", longest=1)
    assert [each.words for each in parsing._read_learnable_sentences([file], how)] == [("dog",)]
    assert how.counts["read"] == how.counts["too long"] == 1
    assert how.counts["trees without words, or malformed"] == 2


def test_static_vectors_of_forms_are_looked_up_where_they_are_given(tmp_path):
    [*examples] = parsing._read_learnable_sentences(
        [trees(tmp_path / "a.conllu", "dog", "cat", "dog")], FileReading()
    )
    vectors = written(tmp_path / "a.vec", "dog 1 2", "cat 3 4")
    rows = np.arange(2)
    without = parsing.FormInventory.of(examples, rows, TrainingSettings.of({"least": 1}))
    assert without.static.shape == (2, 0)
    assert (without.forms, without.counts.tolist()) == (["dog", "cat"], [1, 1])
    assert without.words == ["cat", "dog"]
    assert without.letters == ["a", "c", "d", "g", "o", "t"]
    given = parsing.FormInventory.of(
        examples, rows, TrainingSettings.of({"vectors": vectors, "vocabulary": 1})
    )
    assert given.static.tolist() == [[1, 2], [3, 4]]
    assert given.words == []  # none occurs twice in train


WORDS = "abcdefgh"


@pytest.mark.parametrize("objective", ["autoencode", "denoise", "next"])
def test_only_denoise_has_noise_and_only_while_it_learns(objective):
    read, _ = TrainingExamples.of(
        TrainingExample(tuple(WORDS), (" ".join(WORDS),)) for _ in range(6)
    )
    shape = NetworkShape("mean", 4, 0, 0)
    chosen = OBJECTIVES.make(objective)
    lesson = chosen.lesson(chosen, read, LessonKit(shape, 270, 3, 0, drop=0.5, swap=0.5))
    seen = []

    def encode(words, rows):
        seen.append([words.row(i).tolist() for i in rows.tolist()])
        raise StopIteration

    for draws in (None, np.random.default_rng(0)):
        with pytest.raises(StopIteration):
            lesson.loss(np.arange(1, 4), encode, draws)
    whole = [list(range(8))] * 3
    assert seen[0] == whole
    assert (seen[1] == whole) == (objective != "denoise")


def test_one_label_alone_teaches_nothing():
    read, _ = TrainingExamples.of(TrainingExample((w,), (), (w,), "yes") for w in WORDS)
    assert read.labels.tolist() == [0] * 8
    infer = OBJECTIVES.make("infer")
    with pytest.raises(lingprobe.DataProblem, match="all pairs have one label"):
        infer.lesson(infer, read, LessonKit(None, 0, 0, 0))


@pytest.mark.parametrize(
    ("library", "call"),
    [
        ("tokenizers", lambda: DecoderVocabulary.of(["a"], 270, False)),
        ("sacrebleu.metrics.bleu", lambda: compute_bleu(["a"], ["a"])),
        ("gensim.models", lambda: static._fit_vectors(Path("a"), VectorSettings())),
        ("lingprobe_extensions.train.steps", bag._import_steps),
    ],
)
def test_a_library_that_is_not_there_is_named(library, call, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    if library.startswith("lingprobe"):
        monkeypatch.delattr("lingprobe_extensions.train.steps", raising=False)
    with pytest.raises(lingprobe.DataProblem, match=r"needs .*: pip install"):
        call()
