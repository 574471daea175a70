"""Generated tokens in files, laid out as vLLM writes them with `include_output_tokens`: what `acts:`
reads of them are the states of a pass of transformers alone over prompt and text.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoTokenizer

import lingprobe
from encoders.test_conversations import talk
from encoders.test_generation import LONGEST, PROMPTS, save_writer, write_by_hand
from fixtures.scored import to_scores
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop, PartRefused
from lingprobe.data.oracles import find_own_baselines, get_encoder_role
from lingprobe.data.references import Reference
from lingprobe.encoders import make_encoder
from lingprobe.encoders.recordings import pack_ids

TALKS = [talk(turns) for turns in PROMPTS]


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    return save_writer(tmp_path_factory.mktemp("llama") / "llama", "llama")


def record(folder: Path, model: Path, name: str, turns, longest: int = LONGEST) -> None:
    """A file as vLLM writes one: prompt and text without the last token, which no pass has read."""
    written, layers, prompt = write_by_hand(model, turns, longest)
    tokenizer = AutoTokenizer.from_pretrained(model)
    messages = [{"role": role, "content": content} for role, content in turns]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"] + written
    size = prompt + max(len(written) - (len(written) == longest), 0)
    states = torch.stack([torch.from_numpy(layer[:size]) for layer in layers], 1).contiguous()
    tensors = {"hidden_states": states, "token_ids": torch.tensor(ids[:size])}
    save_file(tensors, str(folder / f"{name}.safetensors"))


@pytest.fixture(scope="module")
def recorded(llama, tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    for number, turns in enumerate(PROMPTS):
        record(folder, llama, f"cmpl-{number}", turns)
    return folder


@pytest.mark.parametrize("pool", ["mean", "last", "max"])
@pytest.mark.parametrize("turns", ["", "response", "all", "prompt"])
def test_states_are_those_of_transformers(llama, recorded, turns, pool):
    encoder = make_encoder(
        f"acts:{recorded},model={llama},template=chat,generated=true,turns={turns},pool={pool}"
    )
    found = encoder.encode(TALKS)
    reduce = {"mean": lambda x: x.mean(0), "last": lambda x: x[-1], "max": lambda x: x.max(0)}[pool]
    for k, each in enumerate(PROMPTS):
        written, layers, prompt = write_by_hand(llama, each)
        size = prompt + len(written) - (len(written) == LONGEST)
        start, stop = {"all": (0, size), "prompt": (0, prompt)}.get(turns, (prompt, size))
        for layer, states in zip(found.layers, layers, strict=True):
            assert np.abs(layer[k] - reduce(states[start:stop])).max() < 1e-5, (turns, pool, k)


def test_tokens_and_texts_that_were_written_are_shown(llama, recorded):
    tokenizer = AutoTokenizer.from_pretrained(llama)
    encoder = make_encoder(f"acts:{recorded},model={llama},template=chat,generated=true")
    texts = encoder.find_written([*TALKS, talk([("user", "Who else?")])])
    assert texts[-1] is None
    for k, each in enumerate(PROMPTS):
        written, layers, prompt = write_by_hand(llama, each)
        size = prompt + len(written) - (len(written) == LONGEST)
        shown = encoder.read_tokens(TALKS[k], ["2", "0"])
        for layer in ("0", "2"):
            assert np.abs(shown.states[layer] - layers[int(layer)][:size]).max() < 1e-6
        assert shown.counted.tolist() == [place >= prompt for place in range(size)]
        assert texts[k] == tokenizer.decode(written[: size - prompt])
    skipping = make_encoder(
        f"acts:{recorded},model={llama},template=chat,generated=true,missing=skip"
    )
    with pytest.raises(EncoderStop, match="for 1 of 1 sentences"):
        skipping.read_tokens(talk([("user", "Who else?")]), ["1"])


def test_what_the_prompt_tells_alone_is_a_baseline_of_the_same_files(llama, recorded):
    encoder = make_encoder(f"acts:{recorded},model={llama},template=chat,generated=true")
    (reference,) = find_own_baselines(encoder)
    baseline = make_encoder(reference)
    assert (get_encoder_role(encoder), get_encoder_role(baseline)) == ("trained", "baseline")
    assert find_own_baselines(baseline) == {}
    same = make_encoder(f"acts:{recorded},model={llama},template=chat,generated=true,turns=prompt")
    for layer, other in zip(baseline.encode(TALKS).layers, same.encode(TALKS).layers, strict=True):
        assert np.array_equal(layer, other)
    assert find_own_baselines(make_encoder(f"acts:{recorded},model={llama}")) == {}


def test_a_run_over_prompts_reads_what_was_written_behind_them(llama, tmp_path):
    texts = [f"Say {word} {number}" for number in range(20) for word in ("yes", "no")]
    for number, text in enumerate(texts):
        record(tmp_path, llama, str(number), [("user", text)], 4)
    found = lingprobe.evaluate(
        f"acts:{tmp_path},model={llama},template=chat,generated=true",
        ([[{"role": "user", "content": text}] for text in texts], ["a", "b"] * 20),
        baselines="none",
    )
    assert {row.n for row in to_scores(found.results)} == {40}


def test_given_responses_are_read_from_files_of_whole_conversations(llama, tmp_path):
    answered = [*PROMPTS[0], ("assistant", "Not at all.")]
    tokenizer = AutoTokenizer.from_pretrained(llama)
    messages = [{"role": role, "content": content} for role, content in answered]
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    ids = torch.tensor(tokenizer(text, add_special_tokens=False)["input_ids"])
    states = torch.randn(len(ids), 1, 8)
    save_file({"hidden_states": states, "token_ids": ids}, str(tmp_path / "a.safetensors"))
    places = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    start = text.index("Not at all.")
    inside = [a < start + 11 and b > start for a, b in places["offset_mapping"]]
    found = make_encoder(f"acts:{tmp_path},model={llama},template=chat,turns=response")
    wanted = states[torch.tensor(inside), 0].mean(0).numpy()
    assert np.abs(found.encode([talk(answered)]).layers[0][0] - wanted).max() < 1e-5


def test_what_cannot_be_read_is_told(llama, recorded, tmp_path):
    read = f"model={llama},template=chat,generated=true"
    others = [talk([("user", "Who else?")]), talk([*PROMPTS[3], ("assistant", "I.")])]
    with pytest.raises(EncoderStop, match="for 1 of 6 sentences"):
        make_encoder(f"acts:{recorded},{read}").encode([*TALKS, *others])
    with pytest.raises(PartRefused) as refused:
        make_encoder(f"acts:{recorded},{read},missing=skip").encode([*TALKS, *others])
    assert refused.value.reasons == {
        4: "its file has no token behind the prompt",
        5: "it has a response already: to read that one, leave out what is generated",
    }
    with pytest.raises(DataProblem, match="write response, prompt or all"):
        make_encoder(f"acts:{recorded},{read},turns=role:user").encode(TALKS)
    with pytest.raises(DataProblem, match="add template=chat"):
        make_encoder(f"acts:{recorded},model={llama},turns=response").encode(TALKS)
    for size in (2, 6):
        record(tmp_path, llama, f"of-{size}", PROMPTS[0], size)
    with pytest.raises(EncoderStop, match=r"of-\d.* and of-\d.* both begin with the tokens of 'Is"):
        make_encoder(f"acts:{tmp_path},{read}").encode(TALKS[:1])


def test_texts_need_no_chat_template(llama, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(llama)
    ids = torch.tensor([*tokenizer("cats sleep")["input_ids"], 5, 6, 7])
    states = torch.randn(len(ids), 2, 8)
    save_file({"hidden_states": states, "token_ids": ids}, str(tmp_path / "a.safetensors"))
    sentence = Sentence.of(["cats", "sleep"])
    found = make_encoder(f"acts:{tmp_path},model={llama},generated=true").encode([sentence])
    for layer, wanted in zip(found.layers, states[-3:].mean(0).numpy(), strict=True):
        assert np.abs(layer[0] - wanted).max() < 1e-5


@pytest.mark.parametrize(
    ("places", "wanted"),
    [("1-3", slice(0, 3)), ("4-", slice(3, None)), ("-2", slice(-2, None)), ("2-2", slice(1, 2))],
)
def test_some_of_the_tokens_that_count_are_pooled(llama, recorded, places, wanted):
    """Of the model itself and of files alike; the last token that is generated has no state there."""
    read = f"template=chat,places={places}"
    files = make_encoder(f"acts:{recorded},model={llama},generated=true,{read}").encode(TALKS)
    itself = make_encoder(
        f"hf:{llama},generate={LONGEST},layers=all,{read},dtype=float32,device=cpu"
    )
    own = itself.encode(TALKS)
    for k, each in enumerate(PROMPTS):
        written, layers, prompt = write_by_hand(llama, each)
        size = prompt + len(written) - (len(written) == LONGEST)
        for theirs, ours, states in zip(own.layers, files.layers, layers, strict=True):
            assert np.abs(theirs[k] - states[prompt:][wanted].mean(0)).max() < 1e-5
            assert np.abs(ours[k] - states[prompt:size][wanted].mean(0)).max() < 1e-5


def test_places_that_are_not_there_are_said(llama, recorded):
    read = f"acts:{recorded},model={llama},template=chat,generated=true"
    with pytest.raises(PartRefused) as refused:
        make_encoder(f"{read},turns=prompt,places=40-").encode(TALKS)
    assert {*refused.value.reasons.values()} == {"it has no token at those places"}
    assert 0 < len(refused.value.reasons) < len(TALKS)
    for written in ("0-3", "5-2", "first", "1", "-0"):
        with pytest.raises(DataProblem, match="write which tokens, as 1-50"):
            make_encoder(f"{read},places={written}").encode(TALKS)
    baseline = dict(
        Reference.parse(*find_own_baselines(make_encoder(f"{read},places=1-3"))).options
    )
    assert "places" not in baseline


def test_sentences_are_cut_once_and_ids_take_four_bytes(llama, recorded, monkeypatch):
    tokenizer, cut = AutoTokenizer.from_pretrained(llama), []
    real = type(tokenizer).__call__
    monkeypatch.setattr(
        type(tokenizer),
        "__call__",
        lambda self, text, **how: cut.append(len(text)) or real(self, text, **how),
    )
    make_encoder(f"acts:{recorded},model={llama},template=chat,generated=true").encode(TALKS)
    assert cut.count(len(TALKS)) == 1
    ids = [7, 300, 2**32 - 1]
    assert len(pack_ids(ids)) == 12
    rows = [[1], [1, 2], [1, 256], [2], [256], [256, 0], [65536]]
    assert sorted(map(pack_ids, rows)) == [pack_ids(row) for row in sorted(rows)]


@pytest.mark.parametrize("number", [-1, 2**40])
def test_ids_that_no_token_has_are_refused(llama, tmp_path, number):
    ids = torch.tensor([3, number])
    save_file(
        {"hidden_states": torch.randn(2, 1, 8), "token_ids": ids}, str(tmp_path / "a.safetensors")
    )
    with pytest.raises(EncoderStop, match="numbers that are no token ids"):
        make_encoder(f"acts:{tmp_path},model={llama}").encode(TALKS[:1])
