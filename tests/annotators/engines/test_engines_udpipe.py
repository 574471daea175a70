"""UDPipe by its own library."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import lingprobe
from lingprobe.annotators import make_parser
from lingprobe.annotators.engines import udpipe
from lingprobe.corpora import conllu


def test_udpipe_cuts_tags_and_parses(udpipe_model, tmp_path):
    made = make_parser(f"udpipe:{udpipe_model}")
    assert made.name == "udpipe tiny.udpipe"
    sentences = [("the", "dog", "barks", "."), ("dogs",)]
    both = list(made.annotate(sentences))
    assert both == [next(made.annotate([one])) for one in sentences]
    for words, said in zip(sentences, both, strict=True):
        columns = (said.upos, said.xpos, said.feats, said.heads, said.deprels, said.lemmas)
        assert {len(column) for column in columns} == {len(words)}
        assert said.heads.count(-1) == 1
    text = tmp_path / "a.txt"
    text.write_text("The dog barks. The dogs bark.\n\n😀 A cat sleeps.")
    done = lingprobe.parse(text, f"udpipe:{udpipe_model}", tmp_path / "out")
    trees = list(conllu.read_conllu(tmp_path / "out" / "00000.conllu.zst"))
    assert "".join("".join(tree.words) for tree in trees) == "".join(text.read_text().split())
    assert done.finished
    [whole] = made.segment("The dog barks. The dogs bark.", is_sentence=True)
    assert whole.text == "The dog barks. The dogs bark."


def test_the_fingerprint_is_of_the_content(udpipe_model, tmp_path):
    other = tmp_path / "other.udpipe"
    other.write_bytes(udpipe_model.read_bytes())
    first, second = (make_parser(f"udpipe:{path}").fingerprint for path in (udpipe_model, other))
    assert first == second
    other.write_bytes(udpipe_model.read_bytes() + b"\0")
    assert make_parser(f"udpipe:{other}").fingerprint != first


@pytest.mark.parametrize(
    ("data", "says"), [(None, "no file"), (b"no model", "is not a model of UDPipe 1")]
)
def test_what_is_no_model_is_named(data, says, tmp_path):
    pytest.importorskip("ufal.udpipe")
    path = tmp_path / "a.udpipe"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(lingprobe.DataProblem, match=says):
        list(make_parser(f"udpipe:{path}").annotate([("a",)]))


def test_nothing_is_learnt_of_nothing(tmp_path):
    pytest.importorskip("ufal.udpipe")
    with pytest.raises(lingprobe.DataProblem, match="UDPipe learnt nothing"):
        udpipe.train_udpipe([], tmp_path / "a.udpipe")
    assert not (tmp_path / "a.udpipe").exists()


@pytest.mark.parametrize("lacking", ["tag", "parse", "newTokenizer"])
def test_a_model_that_lacks_a_part_is_named(lacking, tmp_path):
    pytest.importorskip("ufal.udpipe")
    made = udpipe.UDPipeParser(tmp_path / "a.udpipe")
    parts = {"tag": True, "parse": True, "newTokenizer": object(), lacking: None}
    model = {name: lambda *_, part=part: part for name, part in parts.items()}
    constants = {"DEFAULT": "", "TOKENIZER_PRESEGMENTED": ""}
    made.__dict__["_model"] = SimpleNamespace(**model, **constants)
    call = made.segment("A.") if lacking == "newTokenizer" else made.annotate([("A",)])
    what = "no tokenizer" if lacking == "newTokenizer" else "no tagger or no parser"
    with pytest.raises(lingprobe.DataProblem, match=rf"a\.udpipe: has {what}"):
        list(call)
