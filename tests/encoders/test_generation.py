"""Tokens that a model writes itself: they are those of plain greedy decoding, and their states
those of a pass over prompt and text.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

import lingprobe
from encoders.test_conversations import KINDS, save_model, talk
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop, PartRefused
from lingprobe.data.references import ReferenceProblem
from lingprobe.encoders import make_encoder

LONGEST = 12
PROMPTS = [
    [("user", "Is the earth flat?")],
    [("user", "Where do cats sleep at night, and why?")],
    [("user", "Who?"), ("assistant", "Nobody."), ("user", "Say a name.")],
    [("user", "x")],
]
EXACT = "dtype=float32,device=cpu"


def save_writer(folder: Path, name: str, side: str = "right") -> Path:
    """A tiny model of an architecture that writes tokens."""
    save_model(folder, name, side)
    config, sizes, _ = KINDS[name]
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = transformers.AutoModelForCausalLM.from_config(
            config(initializer_range=0.4, **sizes)
        )
    model.eval().save_pretrained(folder)
    return folder


def write_by_hand(folder, turns, longest=LONGEST):
    """The tokens that transformers alone writes, and the states [layers][tokens, dim] of a pass."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    messages = [{"role": role, "content": content} for role, content in turns]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    prompt = tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        whole = model.generate(prompt, do_sample=False, max_new_tokens=longest, pad_token_id=0)[0]
        written = whole[prompt.shape[1] :].tolist()
        ends = model.generation_config.eos_token_id
        if ends is not None and ends in written:
            written = written[: written.index(ends)]
        ids = [*prompt[0].tolist(), *written]
        hidden = model(torch.tensor([ids]), output_hidden_states=True).hidden_states
    return written, [layer[0].numpy() for layer in hidden], prompt.shape[1]


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    return save_writer(tmp_path_factory.mktemp("llama") / "llama", "llama")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """What was written before is not known."""
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "own-cache"))


@pytest.mark.parametrize("name", KINDS)
def test_tokens_and_states_are_those_of_transformers(name, tmp_path):
    folder = save_writer(tmp_path / name, name)
    talks = [talk(turns) for turns in PROMPTS]
    by_hand = [write_by_hand(folder, turns) for turns in PROMPTS]
    pools = {"mean": lambda x: x.mean(0), "last": lambda x: x[-1], "max": lambda x: x.max(0)}
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    is_blind = name == "mistral"  # whose window of 8 tokens has the template's last ones alone
    assert (len({tuple(written) for written, _, _ in by_hand}) > 1) != is_blind
    for turns, start in (("", None), ("turns=response,", None), ("turns=all,", 0)):
        for pool, reduce in pools.items():
            encoder = make_encoder(
                f"hf:{folder},template=chat,{turns}generate={LONGEST},layers=all,pool={pool},{EXACT}"
            )
            found = encoder.encode(talks)
            texts = encoder.find_written(talks)
            for k, (written, layers, prompt) in enumerate(by_hand):
                assert texts[k] == tokenizer.decode(written)
                for layer, states in zip(found.layers, layers, strict=True):
                    wanted = reduce(states[prompt if start is None else start :])
                    assert np.abs(layer[k] - wanted).max() < 1e-5, (turns, pool, k)


@pytest.mark.parametrize("name", ["llama", "gpt2", "qwen2", "gemma2"])
def test_neither_padding_nor_company_changes_what_is_written(name, tmp_path, monkeypatch):
    right, left = (save_writer(tmp_path / side, name, side) for side in ("right", "left"))
    read = f",template=chat,generate={LONGEST},layers=all,{EXACT}"
    talks = [talk(turns) for turns in PROMPTS]
    one = make_encoder(f"hf:{right}{read}").encode(talks)
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "second"))
    other = make_encoder(f"hf:{left}{read}").encode(talks)
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "third"))
    alone = [make_encoder(f"hf:{right}{read}").encode([each]) for each in talks]
    for n, (a, b) in enumerate(zip(one.layers, other.layers, strict=True)):
        assert np.abs(a - b).max() < 1e-5
        assert np.abs(a - np.concatenate([each.layers[n] for each in alone])).max() < 1e-5


def test_every_written_token_is_a_unit(llama):
    encoder = make_encoder(f"hf:{llama},template=chat,generate={LONGEST},pool=none,{EXACT}")
    found = encoder.encode([talk(turns) for turns in PROMPTS])
    for k, turns in enumerate(PROMPTS):
        start, stop = found.spans.sentences[k : k + 2]
        _, layers, prompt = write_by_hand(llama, turns)
        assert np.abs(found.layers[0][start:stop] - layers[-1][prompt:]).max() < 1e-5


def test_each_prompt_is_written_to_once(llama, monkeypatch):
    from lingprobe.encoders import generation

    calls = []
    write = generation.write_greedily

    def count(network, prompts, *more):
        calls.append(len(prompts))
        return write(network, prompts, *more)

    monkeypatch.setattr(generation, "write_greedily", count)
    talks = [talk(turns) for turns in PROMPTS]
    chat = f"hf:{llama},template=chat,generate={LONGEST},{EXACT}"
    make_encoder(chat).encode(talks[:2])  # and then it was stopped
    make_encoder(chat).encode(talks)
    make_encoder(f"{chat},layers=0,pool=max,turns=all").encode(talks)
    copy = make_encoder(f"{chat},weights=random")
    ours = copy.encode(talks)
    assert calls == [2, 2]
    # an untrained copy reads what the trained model wrote
    assert copy.find_written(talks) == make_encoder(chat).find_written(talks)
    network = copy.load()
    for k, turns in enumerate(PROMPTS):
        written, _, _ = write_by_hand(llama, turns)
        tokens, _ = copy._passes(network).tokenize_sentences([talks[k]], False)
        ids = tokens.ids[0]
        assert ids[-len(written) :] == written
        states = network.hidden_states([ids])[-1][0].numpy()
        assert np.abs(ours.layers[0][k] - states[-len(written) :].mean(0)).max() < 1e-5


def test_settings_of_a_folder_do_not_make_it_sample(llama, tmp_path):
    import shutil

    folder = tmp_path / "sampling"
    shutil.copytree(llama, folder)
    path = folder / "generation_config.json"
    settings = json.loads(path.read_text())
    more = {"do_sample": True, "temperature": 0.7, "repetition_penalty": 1.9, "max_length": 5}
    path.write_text(json.dumps(settings | more))
    read = f"template=chat,generate={LONGEST},{EXACT}"
    talks = [talk(turns) for turns in PROMPTS]
    one, other = (make_encoder(f"hf:{each},{read}").encode(talks) for each in (llama, folder))
    assert np.array_equal(one.layers[0], other.layers[0])


def test_a_text_ends_before_the_token_that_ends_it(llama, tmp_path):
    import shutil

    folder = tmp_path / "ending"
    shutil.copytree(llama, folder)
    first, _, _ = write_by_hand(llama, PROMPTS[0])
    path = folder / "generation_config.json"
    for place in (3, 0):
        path.write_text(json.dumps({"eos_token_id": [first[place], 599]}))
        encoder = make_encoder(f"hf:{folder},template=chat,generate={LONGEST},layers=all,{EXACT}")
        size = first.index(first[place])
        if size:
            found = encoder.encode([talk(PROMPTS[0])])
            _, layers, prompt = write_by_hand(llama, PROMPTS[0], longest=size)
            assert np.abs(found.layers[-1][0] - layers[-1][prompt:].mean(0)).max() < 1e-5
            continue
        with pytest.raises(PartRefused) as refused:
            encoder.encode([talk(PROMPTS[0])])
        assert refused.value.reasons == {0: "the model writes nothing behind it"}


def test_texts_without_a_chat_template(llama):
    tokenizer = transformers.AutoTokenizer.from_pretrained(llama)
    model = transformers.AutoModelForCausalLM.from_pretrained(llama)
    sentence = Sentence.of(["cats", "sleep"])
    for option, text in (("", "cats sleep"), ("template=Q: {sentence} A:,", "Q: cats sleep A:")):
        found = make_encoder(f"hf:{llama},{option}generate=5,{EXACT}").encode([sentence])
        prompt = tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            whole = model.generate(prompt, do_sample=False, max_new_tokens=5, pad_token_id=0)
            hidden = model(whole, output_hidden_states=True).hidden_states[-1][0]
        assert np.abs(found.layers[0][0] - hidden[prompt.shape[1] :].mean(0).numpy()).max() < 1e-5


def test_a_loaded_model_writes_as_its_folder_does(llama):
    model = transformers.AutoModelForCausalLM.from_pretrained(llama)
    tokenizer = transformers.AutoTokenizer.from_pretrained(llama)
    model.train()
    before = model.generation_config.to_dict()
    chat = {"template": "chat", "generate": LONGEST, "dtype": "float32"}
    (live,) = lingprobe.configure((model, tokenizer), **chat)
    talks = [talk(turns) for turns in PROMPTS]
    ours = live.encode(talks)
    theirs = make_encoder(f"hf:{llama},template=chat,generate={LONGEST},{EXACT}").encode(talks)
    assert np.abs(ours.layers[0] - theirs.layers[0]).max() < 1e-5
    assert model.training
    assert model.generation_config.to_dict() == before
    bare = transformers.AutoModel.from_pretrained(llama)
    (none,) = lingprobe.configure((bare, tokenizer), template="chat", generate=LONGEST)
    with pytest.raises(EncoderStop, match="writes no tokens"):
        none.encode(talks)


def test_what_cannot_be_written_is_told(llama, tmp_path):
    read = f"template=chat,generate={LONGEST},{EXACT}"
    encoder = make_encoder(f"hf:{llama},{read}")
    answered = talk([("user", "Who?"), ("assistant", "I.")])
    long = talk([("user", "x" * 110)])
    with pytest.raises(PartRefused) as refused:
        encoder.encode([talk(PROMPTS[0]), answered, long])
    assert "has a response already" in refused.value.reasons[1]
    assert "leaves no room for 12 tokens: the model reads 128" in refused.value.reasons[2]
    alone = encoder.encode([talk(PROMPTS[0])]).layers[0][0]
    assert np.allclose(refused.value.vectors.layers[0][0], alone, atol=1e-5)
    headless = save_model(tmp_path / "headless", "llama")
    with pytest.raises(EncoderStop, match="its files have no head that writes tokens"):
        make_encoder(f"hf:{headless},{read}").encode([talk(PROMPTS[0])])
    with pytest.raises(DataProblem, match="write response, prompt or all"):
        make_encoder(f"hf:{llama},{read},turns=role:user").encode([])
    with pytest.raises(ReferenceProblem, match="write a whole number from 0 on"):
        make_encoder(f"hf:{llama},template=chat,generate=-1")
    with pytest.raises(EncoderStop, match="the model reads 128 tokens at most"):
        make_encoder(f"hf:{llama},template=chat,generate=128,{EXACT}").encode([talk(PROMPTS[0])])


def test_a_run_reads_what_is_written_beside_the_prompt_alone(llama, tmp_path):
    rows = [
        {
            "text": f"{'is it so' if i % 2 else 'say a name'} {'x' * (i % 7)} {i}",
            "label": "ny"[i % 2],
        }
        for i in range(120)
    ]
    given = {"output": tmp_path / "out", "cache": tmp_path / "cache", "copies": True}
    reference = f"hf:{llama},template=chat,generate=6,{EXACT}"
    evaluation = lingprobe.evaluate(reference, {"talks": rows}, keep_scores=True, **given)
    kinds = {r.trial.encoder: r.provenance.kind for r in evaluation.results}
    (prompt,) = (name for name in kinds if "turns=prompt" in name)
    assert kinds[prompt] == "baseline"
    assert "generate=0" in prompt
    copies = [name for name in kinds if "weights=random" in name]
    assert copies
    assert all("generate=6" in name for name in copies)
    probe = evaluation.trained(encoder="*generate=6*layers=last*turns=,weights=trained*")
    trace = probe.trace(rows[0]["text"])
    assert trace.counted.sum() == 6
    own = "".join(np.array(trace.tokens)[trace.counted])
    # what was written is kept beside the results, and shown
    (line,) = (
        line
        for path in lingprobe.predictions(evaluation, tmp_path / "pred")
        if "generate=6" in path.name and "weights" not in path.name and "layers" not in path.name
        for line in map(json.loads, path.read_text().splitlines())
        if line["sentences"] == [rows[0]["text"]]
    )
    (written,) = line["written"]
    assert len(written) > 0
    assert own.strip("\ufffd ") in written or "\ufffd" in written
    shown = tmp_path / "page.html"
    lingprobe.report(evaluation).write(shown)
    page = shown.read_text()
    assert any(f"{row['text']} → " in page for row in rows)
    kept = lingprobe.load_probe(probe.save(tmp_path / "kept"))
    (tmp_path / "new.csv").write_text("text\nis it so\n")
    done = lingprobe.score_file(tmp_path / "kept", tmp_path / "new.csv")
    assert done.path.read_text().startswith("text,written,predicted,")
    assert kept.score(["is it so"]).shape == (1, 2)
