"""States that another program wrote, in the documented format: what `acts:` reads of them is what
`hf:` gives for the same texts.
"""

from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import load_file

import lingprobe
from encoders.test_conversations import TALKS, save_model, talk
from fixtures.models import SENTENCES, transformer
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import UsageProblem
from lingprobe.data.examples import EncoderStop, PartRefused
from lingprobe.encoders import make_encoder
from lingprobe.encoders.token_states import STATES_FILE

EXACT = "dtype=float32,device=cpu"


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return transformer(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def written(bert, tmp_path_factory):
    """States of layers 1 and 2 of some texts, in the documented format."""
    folder = tmp_path_factory.mktemp("written") / "states"
    reader = make_encoder(f"hf:{bert},{EXACT}")
    with lingprobe.ActivationWriter(folder, model="tiny") as writer:
        for sentence in SENTENCES:
            found = reader.read_tokens(sentence, ["1", "2"])
            writer.add(sentence.text, found.pieces, {1: found.states["1"], 2: found.states["2"]})
    return folder


@pytest.mark.parametrize("places", ["", "2-3", "-1"])
@pytest.mark.parametrize("pool", ["mean", "max", "last"])
def test_vectors_are_those_of_the_model(bert, written, pool, places):
    read = f"pool={pool},places={places}"
    ours = make_encoder(f"acts:{written},{read}").encode(SENTENCES)
    theirs = make_encoder(f"hf:{bert},layers=1-2,{read},{EXACT}").encode(SENTENCES)
    assert ours.names == theirs.names == ("1", "2")
    for a, b in zip(ours.layers, theirs.layers, strict=True):
        assert np.abs(a - b).max() < 1e-5


def test_every_token_is_a_unit(bert, written):
    ours = make_encoder(f"acts:{written},pool=none").encode(SENTENCES[:3])
    reader = make_encoder(f"hf:{bert},{EXACT}")
    for k, sentence in enumerate(SENTENCES[:3]):
        start, stop = ours.spans.sentences[k : k + 2]
        states = reader.read_tokens(sentence, ["2"]).states["2"]
        assert np.array_equal(ours.layer("2")[start:stop], states)


def test_tokens_are_shown_with_their_states(bert, written):
    reader = make_encoder(f"hf:{bert},{EXACT}")
    for sentence in SENTENCES[3:5]:
        ours = make_encoder(f"acts:{written},places=2-").read_tokens(sentence, ["2", "1"])
        theirs = reader.read_tokens(sentence, ["1", "2"])
        assert ours.pieces == theirs.pieces
        for layer in ("1", "2"):
            assert np.array_equal(ours.states[layer], theirs.states[layer])
        assert ours.counted.tolist() == [k > 0 for k in range(len(ours.pieces))]
    with pytest.raises(EncoderStop, match="has no states for 1 of 1"):
        make_encoder(f"acts:{written},missing=skip").read_tokens(
            lingprobe.Sentence.of(["no"]), ["1"]
        )


def test_the_files_are_what_the_documentation_says(written):
    facts = json.loads((written / STATES_FILE).read_text())
    assert facts["layers"] == ["1", "2"]
    assert facts["texts"] == len(SENTENCES)
    index = pq.read_table(written / "index.parquet")
    assert index.column_names == ["row", "token", "piece", "role"]
    assert len(index) == facts["tokens"]
    states = load_file(written / "layer-1.safetensors")["states"]
    assert states.shape == (facts["tokens"], 32)
    encoder = make_encoder(f"acts:{written}")
    assert isinstance(encoder._token_states.layers["1"], np.memmap)


def test_a_folder_that_numpy_alone_wrote_is_read(tmp_path):
    """The format is documented, so others may write it."""
    import pyarrow as pa
    from safetensors.numpy import save_file

    states = np.arange(10, dtype=np.float16).reshape(5, 2)
    save_file({"states": states}, tmp_path / "layer-x.safetensors")
    pq.write_table(pa.table({"text": ["a b", "c"], "turns": ["", ""]}), tmp_path / "texts.parquet")
    columns = {"row": [0, 0, 0, 1, 1], "token": [0, 1, 2, 0, 1], "piece": list("abccd")}
    pq.write_table(pa.table(columns | {"role": [""] * 5}), tmp_path / "index.parquet")
    facts = {"format": "lingprobe token states 1", "layers": ["x"], "texts": 2, "tokens": 5}
    (tmp_path / STATES_FILE).write_text(json.dumps(facts))
    sentences = [lingprobe.Sentence.of(["c"]), lingprobe.Sentence.of(["a", "b"])]
    found = make_encoder(f"acts:{tmp_path}").encode(sentences)
    assert found.layers[0].tolist() == [[7, 8], [2, 3]]
    with pytest.raises(DataProblem, match="its tokens have roles: write role=assistant"):
        make_encoder(f"acts:{tmp_path},turns=response").encode(sentences)


def test_roles_of_conversations(tmp_path):
    folder = save_model(tmp_path / "llama", "llama")
    reader = make_encoder(f"hf:{folder},template=chat,turns=all,{EXACT}")
    talks = [talk(turns) for turns in TALKS]
    with lingprobe.ActivationWriter(tmp_path / "states") as writer:
        for turns, sentence in zip(TALKS, talks, strict=True):
            states = reader.read_tokens(sentence, ["2"])
            roles = np.full(len(states.pieces), "", object)
            for role in ("user", "assistant"):
                mine = make_encoder(f"hf:{folder},template=chat,turns=role:{role},{EXACT}")
                roles[mine.read_tokens(sentence, ["2"]).counted] = role
            messages = [{"role": role, "content": content} for role, content in turns]
            writer.add(messages, states.pieces, states.states, roles.tolist())
    ours = make_encoder(f"acts:{tmp_path}/states,role=assistant").encode(talks).layers[0]
    theirs = make_encoder(f"hf:{folder},template=chat,turns=role:assistant,{EXACT}").encode(talks)
    assert np.abs(ours - theirs.layers[0]).max() < 1e-5
    with pytest.raises(PartRefused, match="no token of the role 'tool'"):
        make_encoder(f"acts:{tmp_path}/states,role=tool").encode(talks)


def test_a_run_reads_them(written, tmp_path):
    labels = ["xy"[i % 2] for i in range(len(SENTENCES))]
    texts = [s.text for s in SENTENCES]
    evaluation = lingprobe.run(
        {"text": texts, "label": labels},
        f"acts:{written}",
        baselines="none",
        output=tmp_path / "results",
        cache=tmp_path / "cache",
    )
    assert {r.trial.read for r in evaluation.results} == {"1", "2"}


def test_texts_that_are_not_there_are_told_or_skipped(written):
    other = lingprobe.Sentence.of(["not", "there"])
    with pytest.raises(EncoderStop, match="has no states for 1 of 2 sentences: 'not there'"):
        make_encoder(f"acts:{written}").encode([SENTENCES[0], other])
    with pytest.raises(PartRefused) as refused:
        make_encoder(f"acts:{written},missing=skip").encode([SENTENCES[0], other])
    assert [*refused.value.reasons] == [1]
    with pytest.raises(EncoderStop, match="write mean, max, last or none"):
        make_encoder(f"acts:{written},pool=cls").encode(SENTENCES[:1])


@pytest.mark.parametrize(
    ("pieces", "states", "said"),
    [
        (["a"], {1: np.zeros((2, 4))}, "for 1 pieces"),
        (["a"], {1: np.zeros((1, 5))}, r"expected floats of \[1, 4\]"),
        (["a"], {2: np.zeros((1, 4))}, "layers 2, expected 1"),
        (["a"], {1: np.zeros((1, 4), int)}, "expected floats"),
    ],
)
def test_what_does_not_belong_together_is_not_written(tmp_path, pieces, states, said):
    writer = lingprobe.ActivationWriter(tmp_path / "states")
    writer.add("one", ["a", "b"], {1: np.ones((2, 4))})
    with pytest.raises(UsageProblem, match=said):
        writer.add("two", pieces, states)
    writer.close()
    with pytest.raises(DataProblem, match="has files already"):
        lingprobe.ActivationWriter(tmp_path / "states")


@pytest.mark.parametrize(
    ("name", "harm", "said"),
    [
        ("layer-1.safetensors", lambda path: path.write_bytes(path.read_bytes()[:-8]), "announced"),
        ("layer-1.safetensors", lambda path: path.write_bytes(b"\xff" * 99), "header of"),
        ("layer-1.safetensors", lambda path: path.unlink(), "is missing"),
        ("index.parquet", lambda path: path.write_bytes(b"PAR1"), "an index of tokens"),
        (STATES_FILE, lambda path: path.write_text('{"format": "x"}'), "this version reads"),
        (
            STATES_FILE,
            lambda path: path.write_text(path.read_text().replace('"tokens": 2', '"tokens": 3')),
            "was it written to its end",
        ),
    ],
)
def test_damaged_folders_are_refused(tmp_path, name, harm, said):
    with lingprobe.ActivationWriter(tmp_path / "states") as writer:
        writer.add("one", ["a", "b"], {1: np.ones((2, 4))})
    harm(tmp_path / "states" / name)
    with pytest.raises(DataProblem, match=said):
        make_encoder(f"acts:{tmp_path}/states").encode([lingprobe.Sentence.of(["one"])])


def write_and_stop(folder):
    with lingprobe.ActivationWriter(folder) as writer:
        writer.add("one", ["a"], {1: np.ones((1, 4))})
        raise ValueError("stopped")


def test_nothing_can_be_read_of_a_folder_that_was_not_closed(tmp_path):
    with pytest.raises(ValueError, match="stopped"):
        write_and_stop(tmp_path / "states")
    assert not (tmp_path / "states" / STATES_FILE).exists()
