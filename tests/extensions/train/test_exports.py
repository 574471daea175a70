"""Trained encoders as modules of sentence-transformers."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from typer.testing import CliRunner

import lingprobe
from lingprobe.cli import app
from lingprobe.corpora.text import split_words
from lingprobe.data.core import Sentence
from lingprobe.encoders import ENCODERS
from lingprobe_extensions.train import exports

WORDS = "Anna Bea Carl sees hears don't ( ) . , 3 Straße".split()
SMALL = {"hidden": 12, "dim": 10, "decoder": 16, "pieces": 270, "epochs": 2, "rate": 0.01}


@pytest.fixture
def text(tmp_path):
    draws = random.Random(0)
    lines = [" ".join(draws.choices(WORDS, k=draws.randint(1, 9))) for _ in range(200)]
    (tmp_path / "a.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path / "a.txt"


def opened(folder):
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu")


@pytest.mark.parametrize("embedding", [0, 7])
@pytest.mark.parametrize(
    ("architecture", "layers", "kinds"),
    [
        ("bilstm-max", 2, ["WordEmbeddings", "LSTM", "Pooling"]),
        ("lstm-last", 1, ["WordEmbeddings", "LSTM", "Pooling"]),
        ("mean", 0, ["WordEmbeddings", "Pooling"]),
    ],
)
def test_sentences_get_the_same_vectors(
    architecture, layers, kinds, embedding, text, tmp_path, capfd
):
    how = {**SMALL, "layers": layers, "embedding": embedding}
    lingprobe.train(architecture, "autoencode", text, tmp_path / "m", **how)
    capfd.readouterr()
    done = lingprobe.export(tmp_path / "m", tmp_path / "st", epoch=1)
    assert capfd.readouterr() == ("", "")
    model = opened(tmp_path / "st")
    assert [type(part).__name__ for part in model] == kinds + ["Dense"] * bool(embedding)
    draws = random.Random(1)
    sentences = [Sentence.of(draws.choices(WORDS, k=n)) for n in (1, 17, 3, 40, 2, 9)]
    ours = ENCODERS.make(f"trained:{tmp_path / 'm'},epoch=1").encode(sentences).layers[0]
    theirs = model.encode([" ".join(s.words) for s in sentences])
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-5)
    other = ENCODERS.make(f"trained:{tmp_path / 'm'},epoch=2").encode(sentences).layers[0]
    assert (architecture, embedding) == ("mean", 0) or not np.allclose(theirs, other, atol=1e-5)
    assert {*WORDS, "<unk>"} == {*model.tokenizer.tokenizer.get_vocab()}
    assert (done.words, done.lacking) == (len(WORDS), 0)
    assert not list(tmp_path.glob(".st-*"))


def test_words_of_corpora_are_known_too_and_words_without_a_vector_are_zeros(text, tmp_path):
    vectors = [f"{word} 0.5 {i}" for i, word in enumerate((*WORDS[1:], "new"))]
    (tmp_path / "a.vec").write_text("\n".join(vectors) + "\n", "utf-8")
    how = {**SMALL, "vectors": tmp_path / "a.vec"}
    lingprobe.train("bilstm-max", "autoencode", text, tmp_path / "m", **how)
    (tmp_path / "more.txt").write_text("a new Bea\n", "utf-8")
    done = lingprobe.export(tmp_path / "m", tmp_path / "st", words=[tmp_path / "more.txt"])
    assert (done.words, done.lacking) == (len(WORDS) + 2, 2)  # `Anna` and `a`
    asked = ["Anna new Bea", "a Carl"]
    ours = ENCODERS.make(f"trained:{tmp_path / 'm'}").encode(
        [Sentence.of(t.split()) for t in asked]
    )
    np.testing.assert_allclose(opened(tmp_path / "st").encode(asked), ours.layers[0], atol=1e-5)


@pytest.mark.parametrize("architecture", ["bilstm-max", "lstm-last", "mean"])
@pytest.mark.parametrize("learned", [False, True])
def test_ordinary_text_gets_the_same_vectors(architecture, learned, text, tmp_path):
    """Words that it does not know, marks beside words, and nothing at all."""
    vectors = tmp_path / "a.vec"
    vectors.write_text("".join(f"{word} 0.5 {i}\n" for i, word in enumerate(WORDS[1:])), "utf-8")
    how = {**SMALL, "layers": int(architecture != "mean"), "learned": learned, "vectors": vectors}
    lingprobe.train(architecture, "autoencode", text, tmp_path / "m", **how)
    lingprobe.export(tmp_path / "m", tmp_path / "st")
    draws, some = random.Random(2), ["Zoë", "-", "…", "12", "well-known", "Anna's", "🙂", "ANNA"]
    words = [draws.choices([*WORDS, *some], k=draws.randint(1, 12)) for _ in range(150)]
    texts = [" ".join(line) for line in words] + ["Anna sees (Bea), who hears.", "Nobody knows!"]
    sentences = [Sentence.of(split_words(line), line) for line in texts]
    ours = ENCODERS.make(f"trained:{tmp_path / 'm'}").encode(sentences).layers[0]
    model = opened(tmp_path / "st")
    np.testing.assert_allclose(model.encode(texts), ours, rtol=0, atol=1e-5)
    assert np.isfinite(model.encode(["  ", "\n", "…", "Zoë"])).all()


def test_words_that_running_text_would_cut_are_kept_between_spaces(text, tmp_path):
    lingprobe.train("mean", "autoencode", text, tmp_path / "m", **{**SMALL, "epochs": 1})
    vocabulary = lingprobe.export(tmp_path / "m", tmp_path / "one").words
    (tmp_path / "bank.conllu").write_text("1\ta.m.\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    done = lingprobe.export(tmp_path / "m", tmp_path / "two", words=[tmp_path / "bank.conllu"])
    assert done.words == vocabulary + 1
    assert opened(tmp_path / "two").tokenizer.tokenize("a.m. a.m .")[0] == vocabulary
    assert "stand between spaces" in (tmp_path / "two" / "README.md").read_text("utf-8")
    assert "cuts texts into words" in (tmp_path / "one" / "README.md").read_text("utf-8")


@pytest.mark.parametrize("architecture", ["bilstm-last", "gated-convnet"])
def test_what_cannot_be_expressed_is_said(architecture, text, tmp_path):
    lingprobe.train(architecture, "autoencode", text, tmp_path / "m", **{**SMALL, "epochs": 1})
    with pytest.raises(lingprobe.DataProblem, match=f"is a {architecture}, which the modules of"):
        lingprobe.export(tmp_path / "m", tmp_path / "st")
    assert not (tmp_path / "st").exists()


def test_a_folder_that_is_there_and_one_that_is_none(text, tmp_path):
    lingprobe.train("mean", "autoencode", text, tmp_path / "m", **{**SMALL, "epochs": 1})
    with pytest.raises(lingprobe.UsageProblem, match="is there already; name another folder"):
        lingprobe.export(tmp_path / "m", tmp_path)
    with pytest.raises(lingprobe.DataProblem, match="an encoder made by `lingprobe train`"):
        lingprobe.export(tmp_path / "none", tmp_path / "st")
    (tmp_path / "m" / "words.txt").unlink()
    with pytest.raises(
        lingprobe.DataProblem, match="has the words of the encoder's training, cannot be read"
    ):
        lingprobe.export(tmp_path / "m", tmp_path / "st")


def test_other_vectors_are_not_written(text, tmp_path, monkeypatch):
    lingprobe.train("lstm-last", "autoencode", text, tmp_path / "m", **{**SMALL, "epochs": 1})
    monkeypatch.setitem(exports._POOLING, "lstm-last", "mean")
    with pytest.raises(lingprobe.DataProblem, match="gives other vectors than here; nothing was"):
        lingprobe.export(tmp_path / "m", tmp_path / "st")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "m"]


def test_on_the_command_line(text, tmp_path):
    lingprobe.train("mean", "autoencode", text, tmp_path / "m", **{**SMALL, "epochs": 1})
    asked = ["train", "export", str(tmp_path / "m"), "-o", str(tmp_path / "st"), "--epoch", "1"]
    said = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert "12 words, 0 of them without a vector; SentenceTransformer(" in said.output
    assert json.loads((tmp_path / "st/modules.json").read_text("utf-8"))
    card = (tmp_path / "st/README.md").read_text("utf-8")
    assert "Do not probe it on its training sentences" in card
