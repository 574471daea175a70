"""Hidden states in files, laid out as vLLM's extraction writes them: what `acts:` reads of them is
what `hf:` reads of the model itself.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import lingprobe
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.encoders import make_encoder


@pytest.fixture(scope="module")
def recorded(bert: Path, sentences, tmp_path_factory) -> Path:
    """Layers 1 and 3 of the tiny model over the sentences, a file each, and vLLM's lock files."""
    from transformers import AutoModel, AutoTokenizer

    folder = tmp_path_factory.mktemp("states")
    tokenizer, model = AutoTokenizer.from_pretrained(bert), AutoModel.from_pretrained(bert)
    for number, sentence in enumerate(sentences):
        inputs = tokenizer(sentence.text, return_tensors="pt")
        with torch.inference_mode():
            hidden = model(**inputs, output_hidden_states=True).hidden_states
        states = torch.stack([hidden[1][0], hidden[3][0]], 1)
        write(folder / f"cmpl-{number}-0.safetensors", inputs["input_ids"][0], states)
        (folder / f"cmpl-{number}-0.safetensors.lock").write_text("")
    return folder


def write(file: Path, ids: torch.Tensor, states: torch.Tensor) -> None:
    save_file({"hidden_states": states.contiguous(), "token_ids": ids.clone()}, str(file))


@pytest.mark.parametrize("pool", ["mean", "max", "cls", "last", "none"])
def test_states_in_files_are_read_as_those_of_the_model(recorded, bert, sentences, pool):
    options = f"pool={pool},dtype=float32,device=cpu"
    theirs = make_encoder(f"hf:{bert},layers=1+3,{options}").encode(sentences)
    ours = make_encoder(f"acts:{recorded},model={bert},ids=1+3,pool={pool}").encode(sentences)
    assert ours.names == theirs.names == ("1", "3")
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        np.testing.assert_allclose(mine, other, atol=2e-5)
    if pool == "none":
        assert np.array_equal(ours.spans.words, theirs.spans.words)


def test_special_tokens_may_be_left_out(recorded, bert, sentences):
    theirs = make_encoder(f"hf:{bert},layers=3,special=false,dtype=float32,device=cpu").encode(
        sentences
    )
    ours = make_encoder(f"acts:{recorded},model={bert},ids=1+3,special=false").asking(("3.mean",))
    np.testing.assert_allclose(ours.encode(sentences).layers[0], theirs.layers[0], atol=2e-5)


def test_layers_have_the_numbers_that_they_are_given(recorded, bert):
    assert make_encoder(f"acts:{recorded},model={bert}").slots == ("0.mean", "1.mean")
    assert make_encoder(f"acts:{recorded},model={bert},ids=1+3").slots == ("1.mean", "3.mean")
    with pytest.raises(DataProblem, match=r"ids=1\+2\+3 names 3 layers, and cmpl-0.* has 2"):
        _ = make_encoder(f"acts:{recorded},model={bert},ids=1+2+3").slots
    with pytest.raises(DataProblem, match="no layer 4 in a model of 3; layer N is the state after"):
        _ = make_encoder(f"acts:{recorded},model={bert},ids=1+4").slots


def test_sentences_without_a_file_are_counted(recorded, bert, sentences):
    others = [Sentence.of(["A", "cat"]), Sentence.of(["Dogs"])]
    with pytest.raises(
        DataProblem,
        match=r"has no file of the tokens that .* reads for 2 of 11 sentences: 'A cat', 'Dogs'",
    ):
        make_encoder(f"acts:{recorded},model={bert}").encode([*sentences, *others])
    skipping = make_encoder(f"acts:{recorded},model={bert},missing=skip").encode(
        [*sentences, *others]
    )
    assert np.isfinite(skipping.layers[0]).all(1).tolist() == [True] * 9 + [False] * 2


def test_a_dry_run_says_which_sentences_have_no_file(recorded, bert):
    rows = ([f"word {i}" for i in range(40)], ["a", "b"] * 20)
    refused = lingprobe.estimate({"rows": rows}, f"acts:{recorded},model={bert}").refused
    assert ["has no file of the tokens" in why for why in refused.values()] == [True]


def test_another_tokeniser_is_noticed(recorded, sentences, tmp_path):
    """Since then no ids are those of a sentence."""
    from transformers import PreTrainedTokenizerFast

    from encoders.tokenisers import byte_level

    PreTrainedTokenizerFast(tokenizer_object=byte_level()).save_pretrained(tmp_path)
    with pytest.raises(DataProblem, match="for 8 of 8 sentences"):
        make_encoder(f"acts:{recorded},model={tmp_path}").encode(sentences[:8])


def test_what_stood_before_each_sentence_is_no_part_of_its_words(bert, sentences, tmp_path):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(bert)
    ids = tokenizer("Dogs like " + sentences[0].text, return_tensors="pt")["input_ids"][0]
    write(tmp_path / "a.safetensors", ids, torch.randn(len(ids), 1, 4))
    encoder = make_encoder(f"acts:{tmp_path},model={bert},pool=none,prompt=Dogs like ")
    (first, *_) = encoder.encode(sentences[:1]).spans.words.tolist()
    assert first[0] == len(tokenizer("Dogs like ", add_special_tokens=False)["input_ids"])


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({"token_ids": [2, 3]}, "has no hidden_states"),
        ({"hidden_states": (2, 1, 4)}, "has no token_ids"),
        ({"token_ids": [2, 3], "hidden_states": (2,)}, r"expected \[tokens, layers, numbers\]"),
        ({"token_ids": [2], "hidden_states": (2, 1, 4)}, "for 1 tokens, expected"),
        ({"token_ids": [2, 9, 3], "hidden_states": (3, 2, 4)}, r"expected \[3, 1, 4\] as in"),
        ({"token_ids": [2, 3], "hidden_states": (2, 1, 4)}, "two different states"),
    ],
)
def test_files_of_another_shape_are_named(bert, tmp_path, tensors, said):
    write(tmp_path / "a.safetensors", torch.tensor([2, 3]), torch.zeros(2, 1, 4))
    wrong = {
        name: torch.tensor(made) if name == "token_ids" else torch.ones(made)
        for name, made in tensors.items()
    }
    save_file(wrong, str(tmp_path / "b.safetensors"))
    with pytest.raises(DataProblem, match=said):
        make_encoder(f"acts:{tmp_path},model={bert}").encode([Sentence((), "")])


def test_files_that_cannot_be_read_are_named(bert, tmp_path):
    with pytest.raises(DataProblem, match="no folder"):
        _ = make_encoder(f"acts:{tmp_path / 'none'},model={bert}").slots
    with pytest.raises(DataProblem, match=r"has no .safetensors files"):
        _ = make_encoder(f"acts:{tmp_path},model={bert}").slots
    packed = tmp_path / "packed"
    packed.mkdir()
    (packed / "a.safetensors.zst").write_text("")
    with pytest.raises(DataProblem, match=r"unpack the .zst files"):
        _ = make_encoder(f"acts:{packed},model={bert}").slots
    (tmp_path / "a.safetensors").write_bytes(b"no")
    with pytest.raises(DataProblem, match=r"not a safetensors file .* written to its end"):
        _ = make_encoder(f"acts:{tmp_path},model={bert}").slots


def test_a_file_of_another_program_is_written_to_a_folder(tmp_path):
    torch.save({"states": torch.zeros(3, 4)}, tmp_path / "states.pt")
    with pytest.raises(DataProblem, match=r"is a file: .* with lingprobe\.ActivationWriter"):
        make_encoder(f"acts:{tmp_path}/states.pt,model=x").encode([Sentence.of(["a"])])


def test_the_model_must_be_named(recorded):
    with pytest.raises(DataProblem, match="name the model of the tokens"):
        _ = make_encoder(f"acts:{recorded}").fingerprint


def test_files_and_tokeniser_decide_what_it_is(recorded, bert, tmp_path):
    known = make_encoder(f"acts:{recorded},model={bert}").fingerprint
    shutil.copytree(recorded, tmp_path / "copy")
    assert make_encoder(f"acts:{tmp_path / 'copy'},model={bert}").fingerprint == known
    write(tmp_path / "copy" / "z.safetensors", torch.tensor([2, 3]), torch.zeros(2, 2, 32))
    assert make_encoder(f"acts:{tmp_path / 'copy'},model={bert}").fingerprint != known


@pytest.mark.parametrize(
    ("held", "ids", "said"),
    [
        ((1, 2), "0+1", "calls 0 is not the embeddings"),
        ((0, 2), "1+3", "calls 1 is the embeddings"),
        ((0, 2), "0+2", ""),
    ],
)
def test_layers_that_are_off_by_one_are_noticed(bert, tmp_path, held, ids, said):
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(bert), AutoModel.from_pretrained(bert)
    asked = [Sentence.of(text.split()) for text in ("the cat saw a dog", "hours saw cat a dog")]
    for number, sentence in enumerate(asked):
        inputs = tokenizer(sentence.text, return_tensors="pt")
        with torch.inference_mode():
            hidden = model(**inputs, output_hidden_states=True).hidden_states
        states = torch.stack([hidden[k][0] for k in held], 1)
        write(tmp_path / f"{number}.safetensors", inputs["input_ids"][0], states)
    encoder = make_encoder(f"acts:{tmp_path},model={bert},ids={ids}")
    if not said:
        assert len(encoder.encode(asked).layers) == 2
        return
    with pytest.raises(DataProblem, match=said):
        encoder.encode(asked)


def test_states_that_were_never_written_are_noticed(recorded, bert, sentences, tmp_path):
    from safetensors.torch import load_file

    folder = shutil.copytree(recorded, tmp_path / "zeros")
    file = sorted(folder.glob("*.safetensors"))[0]
    whole = load_file(file)
    whole["hidden_states"][1] = 0
    write(file, whole["token_ids"], whole["hidden_states"])
    with pytest.raises(DataProblem, match="never written"):
        make_encoder(f"acts:{folder},model={bert},ids=1+3").encode(sentences)
