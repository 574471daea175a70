"""`lingprobe train encoder bow --objective cbow`."""

from __future__ import annotations

import json
import random
from itertools import pairwise

import numpy as np
import pytest
import torch

pytest.importorskip("numba")
import lingprobe
from lingprobe.data.core import Sentence
from lingprobe.encoders import ENCODERS
from lingprobe_extensions.train import bag as module
from lingprobe_extensions.train.corpus import TrainingCorpus, WordVocabulary
from lingprobe_extensions.train.ngrams import bigram_rows
from lingprobe_extensions.train.options import TrainingSettings

TOPICS = [[f"{topic}{i}" for i in range(12)] for topic in ("sea", "sky", "war")]
SMALL = {"dim": 12, "buckets": 50, "least": 2, "negatives": 4, "patience": 0}


@pytest.fixture
def text(tmp_path):
    """Sentences of which each has the words of one topic."""
    draws = random.Random(0)
    lines = (
        " ".join(draws.choices(draws.choice(TOPICS), k=draws.randint(1, 9))) for _ in range(2500)
    )
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path / "a.txt"


def weights(folder, epoch):
    from safetensors.torch import load_file

    return load_file(folder / f"epoch-{epoch}.safetensors")["source"]


def test_topics_are_learnt_beyond_what_frequency_tells(text, tmp_path):
    made = lingprobe.train("bow", "cbow", text, tmp_path / "m", epochs=6, subsample=0.0, **SMALL)
    best = made.epochs[made.best - 1]
    assert made.trivial["perplexity of unigrams"] == pytest.approx(36, rel=0.05)
    assert best["dev perplexity"] < 16  # 12 words a topic, and the first words tell it
    assert best["dev accuracy"] > made.trivial["accuracy of the more frequent word"] + 10
    encoder = ENCODERS.make(f"trained:{tmp_path / 'm'},pool=none")
    words = encoder.encode([Sentence.of([w for topic in TOPICS for w in topic])]).layers[0]
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    near = words @ words.T - 2 * np.eye(36)
    assert np.mean(near.argmax(1) // 12 == np.arange(36) // 12) > 0.95


def test_subsampling_does_not_bend_the_perplexity(text, tmp_path):
    """Words that are seldom predicted are judged by what they are in the text."""
    with text.open("a", encoding="utf-8") as file:
        lines = text.read_text("utf-8").split("\n")
        file.writelines(f"{line.replace(' ', ' the ')}\n" for line in lines if line)
    made = lingprobe.train("bow", "cbow", text, tmp_path / "m", epochs=6, subsample=0.02, **SMALL)
    best = made.epochs[made.best - 1]
    assert best["dev perplexity"] < made.trivial["perplexity of unigrams"] * 0.6


def test_a_training_that_was_stopped_ends_as_one_that_was_not(text, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    lingprobe.train("bow", "cbow", text, whole, epochs=3, **SMALL)

    class Stop(Exception):
        pass

    def told(epoch, done, of, loss):
        if epoch == stop:
            raise Stop

    for stopped in (1, 2, 3):
        stop = stopped
        with pytest.raises(Stop):
            lingprobe.train("bow", "cbow", text, parts, epochs=3, told=told, **SMALL)
    again = lingprobe.train("bow", "cbow", text, parts, epochs=3, **SMALL)
    for epoch in (1, 2, 3):
        assert torch.equal(weights(whole, epoch), weights(parts, epoch))
    assert not torch.equal(weights(whole, 1), weights(whole, 2))
    facts = [json.loads((f / "model.json").read_text("utf-8")) for f in (whole, parts)]
    for each in facts:
        for epoch in each["epochs"]:
            del epoch["seconds"]
    assert facts[0] == facts[1]
    assert sorted(p.name for p in parts.iterdir()) == sorted(p.name for p in whole.iterdir())
    assert len(again.epochs) == 3


def test_a_damaged_state_is_named(text, tmp_path):
    lingprobe.train("bow", "cbow", text, tmp_path / "m", epochs=1, **SMALL)
    file = tmp_path / "m" / "state.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(
        lingprobe.DataProblem, match=r"state\.safetensors cannot be read .* train anew"
    ):
        lingprobe.train("bow", "cbow", text, tmp_path / "m", epochs=1, **SMALL)


def test_how_many_epochs_there_are_decides_the_rate(text, tmp_path):
    lingprobe.train("bow", "cbow", text, tmp_path / "m", epochs=1, **SMALL)
    with pytest.raises(lingprobe.UsageProblem, match="holds another training"):
        lingprobe.train("bow", "cbow", text, tmp_path / "m", epochs=2, **SMALL)


def test_the_folder_is_an_encoder_of_each_epoch(text, tmp_path):
    made = lingprobe.train("bow", "cbow", text, tmp_path / "m", epochs=2, **SMALL)
    assert made.parameters == (36 + 50) * 12
    sentences = [Sentence.of(t.split()) for t in ("sea1 sea2 sea3", "unheard", "sky1")]
    first, second = (
        ENCODERS.make(f"trained:{tmp_path / 'm'},epoch={n}").encode(sentences).layers[0]
        for n in (1, 2)
    )
    assert first.shape == (3, 12)
    assert not np.allclose(first, second)
    words = (tmp_path / "m" / "words.txt").read_text("utf-8").split("\n")
    ids = np.array([words.index(w) for w in ("sea1", "sea2", "sea3")])
    rows = [*ids, *bigram_rows(ids, np.array([0, 3]), 36, 50)[:2]]
    np.testing.assert_allclose(first[0], weights(tmp_path / "m", 1)[rows].mean(0), rtol=1e-5)
    assert not first[1].any()
    assert "cbow" in (tmp_path / "m" / "README.md").read_text("utf-8")
    before = ENCODERS.make(f"trained:{tmp_path / 'm'},epoch=0").encode(sentences).layers[0]
    assert np.abs(before).max() <= 1 / 12 < np.abs(first).max()
    (tmp_path / "m" / "words.txt").write_text("", "utf-8")
    with pytest.raises(lingprobe.DataProblem, match=r"words\.txt, which has the words"):
        ENCODERS.make(f"trained:{tmp_path / 'm'}").encode(sentences)


def test_probed_sentences_are_left_out_and_those_of_dev(text, tmp_path):
    (tmp_path / "probed.txt").write_text("SEA1\n", "utf-8")
    (tmp_path / "dev.txt").write_text("sky1 sky2\nsea2 sea3\n" * 3, "utf-8")
    lines = text.read_text("utf-8").split("\n")
    made = lingprobe.train(
        "bow", "cbow", text, tmp_path / "m",
        dev=tmp_path / "dev.txt", exclude=[tmp_path / "probed.txt"], epochs=1, **SMALL,
    )  # fmt: skip
    seen = sum(line in ("sky1 sky2", "sea2 sea3") for line in lines)
    assert seen
    assert made.counts["to be probed"] == lines.count("sea1") > 0
    assert made.counts["also in dev"] == seen
    assert made.counts["train"] == 2500 - seen - lines.count("sea1")
    assert made.counts["dev"] == 6


def test_each_sentence_is_learnt_from_once_an_epoch(text, tmp_path, monkeypatch):
    monkeypatch.setattr("lingprobe_extensions.train.corpus._BLOCK", 900)
    monkeypatch.setattr(module, "_PIECE", 200)
    corpus = TrainingCorpus.of(
        (line.split() for line in text.read_text("utf-8").splitlines()), tmp_path
    )
    rows = np.flatnonzero(np.arange(len(corpus)) % 7)
    how = TrainingSettings.of({**SMALL, "subsample": 0.001})
    one = module.WordVectorTraining(corpus, WordVocabulary.of(corpus, rows, 1), how)
    pieces = list(one._pieces(rows, np.random.default_rng(0)))
    assert len(pieces) > 30
    assert max(len(p.ids) for p in pieces) < 220
    got = sorted(p.ids[a:b].tolist() for p in pieces for a, b in pairwise(p.starts.tolist()))
    texts = one.vocabulary.drop_rare_words(corpus.read(0, len(corpus)))
    assert got == sorted(texts.row(i).tolist() for i in rows.tolist())
    chosen = np.concatenate([p.predicted for p in pieces])
    ids = np.concatenate([p.ids for p in pieces])
    expected, spread = one.shares[ids].sum(), np.sqrt((one.shares * (1 - one.shares))[ids].sum())
    assert abs(chosen.sum() - expected) < 4 * spread
    assert 0.2 < chosen.mean() < 0.8


def test_judged_are_sentences_from_all_over_dev(tmp_path, monkeypatch):
    """Texts of several kinds come one after the other, and the first is not all of them."""
    monkeypatch.setattr(module, "_JUDGED", 200)
    corpus = TrainingCorpus.of(([f"w{i // 10}", "of", "a"] for i in range(1000)), tmp_path)
    one = module.WordVectorTraining(
        corpus, WordVocabulary.of(corpus, np.arange(1000), 1), TrainingSettings.of(SMALL)
    )
    first, again = (one.dev_sample(np.arange(1000)) for _ in range(2))
    assert [len(table) for table in first] == [201, 68, 201, 201, 201]
    for most, words in ((198, 198), (199, 201), (201, 201)):
        monkeypatch.setattr(module, "_JUDGED", most)
        assert len(one.dev_sample(np.arange(1000)).ids) == words
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    tens = [int(one.vocabulary.words[i][1:]) for i in first.ids[::3]]
    assert min(tens) < 15
    assert max(tens) > 85


@pytest.mark.parametrize(
    ("lines", "said"),
    [(["a b"] * 3, "none has two of these words"), (["a", "b"] * 99, "none has two of these")],
)
def test_too_little_text_is_said(lines, said, tmp_path):
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(lingprobe.DataProblem, match=said):
        lingprobe.train("bow", "cbow", tmp_path / "a.txt", tmp_path / "m", **SMALL)


@pytest.mark.parametrize(
    "asked", [{"device": "cuda"}, {"precision": "bf16"}, {"vectors": "words.vec"}]
)
def test_what_cbow_does_not_do_is_refused(asked, text, tmp_path):
    (tmp_path / "words.vec").write_text("1 2\nsea1 1 0\n", "utf-8")
    asked = {k: tmp_path / v if k == "vectors" else v for k, v in asked.items()}
    with pytest.raises(lingprobe.UsageProblem, match="fp32 on the processor; leave"):
        lingprobe.train("bow", "cbow", text, tmp_path / "m", **asked, **SMALL)
    lingprobe.train("bow", "cbow", text, tmp_path / "m", device="cpu", epochs=1, **SMALL)


@pytest.mark.parametrize("asked", [("bow", "next"), ("bilstm-max", "cbow")])
def test_bow_and_cbow_belong_together(asked, tmp_path):
    with pytest.raises(
        lingprobe.UsageProblem, match="bow is trained for cbow, and for nothing else"
    ):
        lingprobe.train(*asked, tmp_path / "a.txt", tmp_path / "m")


def test_a_rate_that_breaks_the_loss_is_said(text, tmp_path):
    with pytest.raises(lingprobe.DataProblem, match="the loss is no number any more; take a lower"):
        lingprobe.train("bow", "cbow", text, tmp_path / "m", rate=1e30, **SMALL)


def test_progress_is_told_now_and_then_and_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PIECE", 50)
    corpus = TrainingCorpus.of((["a", "b", "c"] for _ in range(100)), tmp_path)

    def told(seconds):
        monkeypatch.setattr(module, "PROGRESS_INTERVAL_SECONDS", seconds)
        one = module.WordVectorTraining(
            corpus, WordVocabulary.of(corpus, np.arange(100), 1), TrainingSettings.of(SMALL)
        )
        heard = []
        one.epoch(np.arange(100), np.arange(100), lambda *each: heard.append(each))
        assert heard[-1][:2] == (300, 300)
        assert heard[-1][2] == pytest.approx(one.epochs[0].loss)
        return [done for done, *_ in heard]

    assert told(1e9) == [300]
    often = told(-1.0)
    assert len(often) >= 6
    assert often == sorted(often)
    assert often[-2] == 300


def test_the_rate_falls_in_a_straight_line_over_all_epochs(tmp_path):
    corpus = TrainingCorpus.of((["a", "b"] for _ in range(50)), tmp_path)
    how = TrainingSettings.of({**SMALL, "epochs": 4, "rate": 0.8, "divided": False})
    one = module.WordVectorTraining(corpus, WordVocabulary.of(corpus, np.arange(50), 1), how)
    found = [one._rates(*each) for each in ((1, 0, 25), (1, 75, 25), (3, 50, 0), (4, 0, 100))]
    expected = [(0.8, 0.75), (0.65, 0.6), (0.3, 0.3), (0.2, 0.0)]
    np.testing.assert_allclose([(each.first, each.last) for each in found], expected, atol=1e-9)
    assert not any(each.divided for each in found)
    usual = module.WordVectorTraining(
        corpus, one.vocabulary, TrainingSettings.of({**SMALL, "epochs": 4})
    )
    assert usual._rates(1, 0, 0).first == module._RATE == 0.2


def test_pieces_are_all_sentences_once_and_not_much_more_than_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_PIECE", 20)
    draws = random.Random(0)
    texts = [draws.choices("abcdefgh", k=draws.randint(0, 9)) for _ in range(60)]
    corpus = TrainingCorpus.of(texts, tmp_path)
    for shuffled in (True, False):
        how = TrainingSettings.of({**SMALL, "shuffled": shuffled})
        one = module.WordVectorTraining(corpus, WordVocabulary.of(corpus, np.arange(60), 1), how)
        rows = np.arange(5, 55)
        parts = list(one._pieces(rows, np.random.default_rng(0)))
        found = [
            [one.vocabulary.words[k] for k in part.ids[a:b].tolist()]
            for part in parts
            for a, b in pairwise(part.starts.tolist())
        ]
        expected = [text for text in texts[5:55] if text]
        assert sorted(found) == sorted(expected)
        assert (found == expected) == (not shuffled)
        assert all(len(part.ids) <= 20 + 9 for part in parts)
        assert len(parts) > 8
