"""Stanza and spaCy, played by stubs with the parts of them that are used."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

import lingprobe
from lingprobe.annotators import make_parser, make_segmenter


def _stanza(constituents):
    class Pipeline:
        def __init__(self, language, processors, **options):
            if language != "en" or ("constituency" in processors and not constituents):
                raise FileNotFoundError(f"no model for {processors}\nmore")
            assert options["tokenize_pretokenized"]
            assert options["download_method"] is None

        def __call__(self, sentences):
            words = [
                SimpleNamespace(upos="X", xpos=None, feats=None, head=i, deprel="dep", lemma=w)
                for i, w in enumerate(sentences[0])
            ]
            tree = f"(ROOT (X {sentences[0][0]}))" if constituents else None
            return SimpleNamespace(sentences=[SimpleNamespace(words=words, constituency=tree)])

    module = ModuleType("stanza")
    module.__version__, module.Pipeline = "1.9", Pipeline
    return module


@pytest.mark.parametrize("constituents", [True, False])
def test_stanza_s_columns_become_ours(monkeypatch, constituents):
    monkeypatch.setitem(sys.modules, "stanza", _stanza(constituents))
    made = make_parser("stanza:en")
    (said,) = made.annotate([("a", "b")])
    assert (said.heads, said.xpos, said.feats) == ((-1, 0), ("_", "_"), ("_", "_"))
    assert said.lemmas == ("a", "b")
    assert said.brackets == ("(ROOT (X a))" if constituents else "")
    assert (made.name, made.fingerprint) == ("stanza en default", "1.9 en default")
    assert make_segmenter("", made).name == "rules"
    with pytest.raises(lingprobe.DataProblem, match="no models for 'xx' here"):
        list(make_parser("stanza:xx").annotate([("a",)]))


class Token(SimpleNamespace):
    pos_, tag_, morph, dep_, lemma_ = "X", "T", "Number=Sing", "obj", "l"


class Doc(list):
    def __init__(self, vocab, words, sent_starts=None):
        self.starts, at, tokens = sent_starts, 0, []
        for i, word in enumerate(words):
            tokens.append(Token(i=i, text=word, idx=at))
            at += len(word) + 1
        for token in tokens:
            token.head = tokens[max(token.i - 1, 0)]
        super().__init__(tokens)

    @property
    def sents(self):
        return [self[:2], self[2:]]


def _load(name):
    if name != "en":
        raise OSError(name)
    made = lambda text: Doc(None, text.split(" "))  # noqa: E731
    return type("Pipeline", (), {
        "vocab": None, "meta": {"version": "3.8"}, "pipeline": [("parser", lambda doc: doc)],
        "make_doc": staticmethod(made), "__call__": lambda self, text: made(text),
    })()  # fmt: skip


def test_spacy_s_columns_become_ours(monkeypatch):
    library, tokens = ModuleType("spacy"), ModuleType("spacy.tokens")
    library.__version__, library.load, tokens.Doc = "3.8.1", _load, Doc
    monkeypatch.setitem(sys.modules, "spacy", library)
    monkeypatch.setitem(sys.modules, "spacy.tokens", tokens)
    made = make_parser("spacy:en")
    (said,) = made.annotate([("a", "b", "c")])
    assert (said.heads, said.deprels) == ((-1, 0, 1), ("root", "obj", "obj"))
    assert (said.upos, said.xpos, said.lemmas) == (("X",) * 3, ("T",) * 3, ("l",) * 3)
    assert said.feats == ("Number=Sing",) * 3
    for column in ("pos_", "tag_", "morph", "lemma_"):
        monkeypatch.setattr(Token, column, "")
    (blank,) = made.annotate([("a",)])
    assert blank.upos == blank.xpos == blank.feats == blank.lemmas == ("_",)
    assert (made.name, made.fingerprint) == ("spacy en", "3.8.1 en 3.8")
    cutter = make_segmenter("", made)
    assert [cut.words for cut in cutter.segment("a b c d")] == [("a", "b"), ("c", "d")]
    assert [cut.text for cut in cutter.segment("a b c d", is_sentence=True)] == ["a b c d"]
    with pytest.raises(lingprobe.DataProblem, match="no pipeline 'xx' here"):
        list(make_parser("spacy:xx").annotate([("a",)]))


@pytest.mark.parametrize("name", ["stanza", "spacy", "ufal.udpipe"])
def test_a_library_that_is_not_there_is_named(monkeypatch, name, tmp_path):
    monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "m").write_bytes(b"")
    reference = f"{name.removeprefix('ufal.')}:{tmp_path / 'm'}"
    with pytest.raises(lingprobe.DataProblem, match="pip install"):
        _ = make_parser(reference).fingerprint
