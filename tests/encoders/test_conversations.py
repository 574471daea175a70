"""Conversations are read through a model's own chat template, with one start token, and only the
tokens of the turns that are asked for count.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

import lingprobe
from encoders.tokenisers import byte_level
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.errors import UsageProblem
from lingprobe.data.examples import EncoderStop, PartRefused
from lingprobe.data.references import Reference
from lingprobe.encoders import make_encoder
from lingprobe.encoders.conversations import (
    RenderedTurns,
    TurnProblem,
    choose_ranges,
    render_turns,
)
from lingprobe.encoders.frames import say_alone
from lingprobe.store.items import read_items

PLAIN_CHAT = (
    "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>\n{{ m.content | trim }}<|end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
GEMMA_CHAT = (
    "{{ bos_token }}{% if messages[0].role == 'system' %}{{ raise_exception('System role not"
    " supported') }}{% endif %}{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2"
    " == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}<start>{{ 'model' if m.role"
    " == 'assistant' else m.role }}\n{{ m.content | trim }}<end>\n{% endfor %}"
    "{% if add_generation_prompt %}<start>model\n{% endif %}"
)
NO_START_CHAT = PLAIN_CHAT.removeprefix("{{ bos_token }}")
SIZES = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "vocab_size": 600}
HEADS = {"num_attention_heads": 2, "num_key_value_heads": 1}
KINDS = {
    "llama": (transformers.LlamaConfig, SIZES | HEADS, PLAIN_CHAT),
    "qwen2": (transformers.Qwen2Config, SIZES | HEADS, NO_START_CHAT),
    "qwen3": (transformers.Qwen3Config, SIZES | HEADS | {"head_dim": 8}, NO_START_CHAT),
    "mistral": (transformers.MistralConfig, SIZES | HEADS | {"sliding_window": 8}, PLAIN_CHAT),
    "gemma2": (transformers.Gemma2Config, SIZES | HEADS | {"head_dim": 8}, GEMMA_CHAT),
    "gpt2": (
        transformers.GPT2Config,
        {"n_embd": 16, "n_layer": 2, "n_head": 2, "vocab_size": 600, "n_positions": 256},
        PLAIN_CHAT,
    ),
    "phi3": (transformers.Phi3Config, SIZES | HEADS | {"pad_token_id": 0}, PLAIN_CHAT),
    "olmo2": (transformers.Olmo2Config, SIZES | HEADS, NO_START_CHAT),
    "gemma3": (transformers.Gemma3TextConfig, SIZES | HEADS | {"head_dim": 8}, GEMMA_CHAT),
    "gpt-neox": (transformers.GPTNeoXConfig, SIZES | {"num_attention_heads": 2}, NO_START_CHAT),
}
TALKS = [
    [("user", "Is the earth flat?"), ("assistant", "No, it is round.")],
    [
        ("user", "  Where do cats sleep?  "),
        ("assistant", "On mats."),
        ("user", "Is the earth flat?"),
        ("assistant", "No."),
    ],
    [("user", "Who is it?\nSay a name."), ("assistant", "It is é, who sleeps.\n")],
]


def save_model(folder: Path, name: str, side: str = "right") -> Path:
    """A tiny model of an architecture with a byte-level tokenizer and a chat template."""
    config, sizes, chat = KINDS[name]
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=byte_level(),
        bos_token="<s>",
        eos_token="</s>",
        pad_token="</s>",
        model_max_length=128,
        padding_side=side,
    )
    tokenizer.chat_template = chat
    tokenizer.save_pretrained(folder)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = transformers.AutoModel.from_config(config(initializer_range=0.4, **sizes)).eval()
    model.save_pretrained(folder)
    return folder


def talk(turns):
    lines = "\n".join(content for _, content in turns)
    return Sentence.of(lines.split(), lines, turns)


def states_by_hand(folder, turns, wanted):
    """The states [layers][tokens, dim] of the tokens that count, with transformers alone."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder)
    messages = [{"role": role, "content": content} for role, content in turns]
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    inputs = tokenizer(
        text, add_special_tokens=False, return_offsets_mapping=True, return_tensors="pt"
    )
    offsets = inputs.pop("offset_mapping")[0].tolist()
    ids = tokenizer.apply_chat_template(messages, tokenize=True, return_dict=True)["input_ids"]
    assert inputs["input_ids"][0].tolist() == list(ids)
    ranges, at = [], 0
    for role, content in turns:
        start = text.index(content.strip(), at)
        at = start + len(content.strip())
        ranges.append((role, start, at))
    chosen = {
        "": ranges,
        "all": [("", 0, len(text))],
        "response": ranges[-1:],
        "last-turn": ranges[-1:],
        "prompt": ranges[:-1],
        "role:user": [each for each in ranges if each[0] == "user"],
    }[wanted]
    keep = [any(a < stop and b > start for _, start, stop in chosen) for a, b in offsets]
    with torch.no_grad():
        hidden = model(**inputs, output_hidden_states=True).hidden_states
    return [layer[0].numpy()[keep] for layer in hidden]


@pytest.mark.parametrize("name", KINDS)
def test_states_are_those_of_transformers(name, tmp_path):
    folder = save_model(tmp_path / name, name)
    pools = {"mean": lambda x: x.mean(0), "last": lambda x: x[-1], "max": lambda x: x.max(0)}
    for wanted in ("", "all", "response", "last-turn", "prompt", "role:user"):
        for pool, reduce in pools.items():
            turns = f",turns={wanted}" if wanted else ""
            encoder = make_encoder(
                f"hf:{folder},template=chat,layers=all,pool={pool},dtype=float32,device=cpu{turns}"
            )
            found = encoder.encode([talk(turns) for turns in TALKS])
            for k, turns in enumerate(TALKS):
                for layer, states in zip(
                    found.layers, states_by_hand(folder, turns, wanted), strict=True
                ):
                    assert np.abs(layer[k] - reduce(states)).max() < 1e-5, (wanted, pool, k)


def test_every_token_can_be_had_and_words_are_found(tmp_path):
    folder = save_model(tmp_path / "llama", "llama")
    encoder = make_encoder(
        f"hf:{folder},template=chat,pool=none,turns=response,dtype=float32,device=cpu"
    )
    found = encoder.encode([talk(turns) for turns in TALKS])
    for k, turns in enumerate(TALKS):
        start, stop = found.spans.sentences[k : k + 2]
        states = states_by_hand(folder, turns, "response")[-1]
        assert np.abs(found.layers[0][start:stop] - states).max() < 1e-5
        first, last = found.spans.first_word[k : k + 2]
        words = found.spans.words[first:last]
        response = len(turns[-1][1].split())
        assert (words[-response:, 1] > words[-response:, 0]).all()
        assert (words[:-response, 1] == words[:-response, 0]).all()


@pytest.mark.parametrize("name", ["llama", "gpt2", "qwen2"])
def test_the_side_of_the_padding_changes_nothing(name, tmp_path):
    right, left = (save_model(tmp_path / side, name, side) for side in ("right", "left"))
    read = ",template=chat,turns=response,layers=all,dtype=float32,device=cpu"
    talks = [talk(turns) for turns in TALKS]
    one, other = (make_encoder(f"hf:{folder}{read}").encode(talks) for folder in (right, left))
    for a, b in zip(one.layers, other.layers, strict=True):
        assert np.abs(a - b).max() < 1e-5


def test_there_is_one_start_token(tmp_path):
    folder = save_model(tmp_path / "llama", "llama")
    trace = make_encoder(f"hf:{folder},template=chat,turns=all").read_tokens(talk(TALKS[0]), ["2"])
    assert trace.pieces.count("<s>") == 1
    assert "".join(trace.pieces).count("Is the earth flat?") == 1
    assert trace.counted.all()


@pytest.mark.parametrize(
    ("name", "turns", "wanted", "said"),
    [
        ("llama", [("narrator", "a")], "", "the role 'narrator' is unknown"),
        ("llama", [("user", "a"), ("assistant", " ")], "response", "its response is empty"),
        ("llama", [("user", "a")], "response", "its response is not there"),
        ("llama", [("assistant", "a")], "prompt", "its prompt is not there"),
        ("llama", [("user", "a")], "role:tool", "its role:tool is not there"),
        ("gemma2", [("system", "a"), ("user", "b")], "", "System role not supported"),
        ("gemma2", [("assistant", "a")], "", "roles must alternate"),
        ("llama", [("user", "x" * 300), ("assistant", "b")], "response", "lie behind the 128"),
    ],
)
def test_conversations_that_cannot_be_read_are_told_and_counted(
    name, turns, wanted, said, tmp_path
):
    folder = save_model(tmp_path / name, name)
    asked = f",turns={wanted}" if wanted else ""
    encoder = make_encoder(f"hf:{folder},template=chat{asked},dtype=float32,device=cpu")
    good, bad = talk([("user", "Who?"), ("assistant", "I.")]), talk(turns)
    with pytest.raises(PartRefused) as refused:
        encoder.encode([good, bad, good])
    assert list(refused.value.reasons) == [1] or wanted == "role:tool"
    assert said in refused.value.reasons[1]
    if wanted != "role:tool":
        alone = encoder.encode([good]).layers[0][0]
        assert np.allclose(refused.value.vectors.layers[0][0], alone, atol=1e-5)


def test_white_space_is_an_empty_response():
    """Also where a template keeps it."""
    turns = talk([("user", "a"), ("assistant", " \n")]).turns
    with pytest.raises(TurnProblem, match="its response is empty"):
        choose_ranges(turns, RenderedTurns("a \n", ((0, 1), (1, 3))), "response")


def test_what_is_no_turn_or_has_no_template_is_told(tmp_path):
    folder = save_model(tmp_path / "llama", "llama")
    with pytest.raises(DataProblem, match="write all, response"):
        make_encoder(f"hf:{folder},template=chat,turns=answer").encode([])
    with pytest.raises(DataProblem, match="add template=chat"):
        make_encoder(f"hf:{folder},turns=response").encode([])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = "{% for m in messages %}{{ m.content | upper }}{% endfor %}"
    with pytest.raises(TurnProblem, match="leaves out or changes what the user says"):
        render_turns(tokenizer, talk(TALKS[0]).turns)
    tokenizer.chat_template = None
    with pytest.raises(EncoderStop, match="no chat template"):
        render_turns(tokenizer, talk(TALKS[0]).turns)


def test_without_a_template_texts_are_read_and_it_is_said(tmp_path, caplog):
    folder = save_model(tmp_path / "llama", "llama")
    encoder = make_encoder(f"hf:{folder},dtype=float32,device=cpu")
    turns = talk(TALKS[0])
    assert np.array_equal(
        encoder.encode([turns]).layers[0],
        encoder.encode([Sentence.of(turns.words, turns.text)]).layers[0],
    )
    assert "template=chat reads them" in caplog.text


def rows(n=240):
    """Conversations whose label is in the response, two of each prompt."""
    made = []
    for i in range(n):
        answer = ("yes it is so", "no it is not")[i % 2]
        messages = [
            {"role": "user", "content": f"question number {'x' * (i // 2 % 37)} {i // 2}"},
            {"role": "assistant", "content": f"{answer} {'y' * (i % 5)}"},
        ]
        made.append({"messages": messages, "label": "yn"[i % 2]})
    return made


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory):
    root = tmp_path_factory.mktemp("talks")
    folder = save_model(root / "llama", "llama")
    reference = f"hf:{folder},template=chat,turns=response,dtype=float32,device=cpu"
    return lingprobe.evaluate(reference, rows(), output=root / "results", cache=root / "cache")


def test_the_prompt_alone_is_a_baseline(evaluation):
    scores = {
        result.trial.encoder: result.score
        for result in evaluation.results
        if result.trial.control == "none"
    }
    (prompt,) = (name for name in scores if "turns=prompt" in name)
    trained = ("turns=response", "weights=trained", "layers=last")
    (response,) = (name for name in scores if all(each in name for each in trained))
    kinds = {r.trial.encoder: r.provenance.kind for r in evaluation.results}
    assert kinds[prompt] == "baseline"
    assert kinds[response] == "trained"
    assert scores[response] > 0.95
    assert abs(scores[prompt] - 0.5) < 0.2


def test_the_card_has_the_prompt_and_one_untrained_copy_of_a_kind(evaluation):
    names = [each.name for each in evaluation.trained(encoder="*turns=response*").facts.baselines]
    assert sum("turns=prompt" in name for name in names) == 1
    copies = [name for name in names if "weights=random" in name]
    assert len(copies) == 2  # of all weights, and of the blocks
    assert not any("seed=" in name for name in copies)


def test_conversations_without_a_response_may_be_among_the_others():
    """They have no prompt that others could share."""
    made = rows()
    for k in (0, 31, 239):
        made[k] = made[k] | {"messages": made[k]["messages"][:1]}
    loaded = lingprobe.table(made).load()
    tags = loaded.strata["prompt"]
    assert len(tags.codes) == len(loaded)
    untold = [k for k, code in enumerate(tags.codes.tolist()) if code < 0]
    assert len(untold) == 3
    numbers = loaded.sites[untold, 0, 0].tolist()
    assert all(len(loaded.sentences[number].turns) == 1 for number in numbers)


def test_reasons_are_counted_and_a_run_that_reads_nothing_says_why(tmp_path):
    folder = save_model(tmp_path / "llama", "llama")
    made = rows(80)
    for k, role in ((3, "narrator"), (5, "narrator"), (8, "user")):
        made[k] = made[k] | {"messages": [*made[k]["messages"][:1], {"role": role, "content": "a"}]}
    where = {"cache": tmp_path / "cache", "progress": False}
    how = {**where, "baselines": "none", "copies": False, "probes": "logreg", "seeds": 1}

    def evaluate(options):
        model = f"hf:{folder},template=chat,dtype=float32,device=cpu,{options}"
        return str(lingprobe.evaluate(model, made, **how))

    said = evaluate("turns=response")
    assert "3 examples were excluded: not encoded (2 as the role 'narrator' is unknown" in said
    assert "; 1 as its response is not there" in said
    for options, why in (
        ("turns=role:tool", "its role:tool is not there"),
        ("turns=response,places=900-", "it has no token at those places"),
    ):
        for _ in range(2):  # the second time, what failed is known
            assert f"80 sentences: of each, {why}" in evaluate(options)


def test_conversations_with_one_prompt_share_a_fold(evaluation):
    seen: dict[str, set[str]] = {}
    for result in evaluation.results:
        assert "prompt" in result.clusters
        for sentence in read_items(result).sentences:
            assert sentence.turns[1].role == "assistant"
            seen.setdefault(sentence.turns[0].content, set()).add(result.trial.task)
    assert seen
    assert all(len(tasks) == 1 for tasks in seen.values())


def test_a_probe_of_conversations_is_kept_and_scores_them(evaluation, tmp_path):
    probe = evaluation.trained(encoder="*turns=response*")
    kept = lingprobe.load_probe(probe.save(tmp_path / "kept"))
    talks = [row["messages"] for row in rows(8)]
    assert np.array_equal(kept.score(talks), probe.score(talks))
    many = rows(80)
    right = kept.predict([row["messages"] for row in many]) == [row["label"] for row in many]
    assert right.mean() > 0.9
    trace = kept.trace(talks[0])
    assert "".join(np.array(trace.tokens)[trace.counted]).strip() == talks[0][1]["content"].strip()
    with pytest.raises(DataProblem, match="its response is not there"):
        kept.score([talks[0][:1]])
    (tmp_path / "talks.jsonl").write_text("\n".join(map(json.dumps, rows(8))))
    done = lingprobe.score_file(tmp_path / "kept", tmp_path / "talks.jsonl")
    assert done.scored == 8
    pairs = [
        {"prompt": row["messages"][0]["content"], "response": row["messages"][1]["content"]}
        for row in rows(8)
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, pairs)))
    again = lingprobe.score_file(tmp_path / "kept", tmp_path / "pairs.jsonl")
    assert again.path.read_text() == done.path.read_text()


def test_what_is_scored_may_be_a_text_alone_long_or_out_of_parquet(evaluation, caplog):
    probe = evaluation.trained(encoder="*turns=response*")
    talk_ = rows(1)[0]["messages"]
    assert np.array_equal(probe.score([np.array(talk_, object)]), probe.score([talk_]))
    assert np.array_equal(probe.score([tuple(talk_)]), probe.score([talk_]))
    with pytest.raises(UsageProblem, match=r"one conversation: give a list, \[conversation\]"):
        probe.score(talk_)
    with pytest.raises(UsageProblem, match="give texts, conversations"):
        probe.score([{"prompt": "a", "response": "b"}])
    assert not caplog.messages
    long = [talk_[0], talk_[1] | {"content": "yes " * 200}]
    probe.score([talk_, long, long])
    assert caplog.messages == ["2 of 3 texts are longer than the model reads, and cut"]
    caplog.clear()
    probe.trace(long)
    assert caplog.messages == ["the text is cut: the model reads 128 tokens"]
    caplog.clear()
    say_alone.cache_clear()
    probe.score(["yes it is so"])
    (said,) = caplog.messages
    assert "reads a text alone as a user's message, whose tokens count under turns=response" in said


def test_a_model_that_moved_is_named_by_its_place(evaluation, tmp_path):
    probe = evaluation.trained(encoder="*turns=response*")
    kept = probe.save(tmp_path / "kept")
    old = Reference.parse(probe.facts.encoder.reference).argument
    new = shutil.copytree(old, tmp_path / "moved")
    again = lingprobe.load_probe(kept, f"hf:{new}")
    talk_ = rows(1)[0]["messages"]
    assert np.array_equal(again.score([talk_]), probe.score([talk_]))
    with pytest.raises(DataProblem, match=r"turns=all.* reads texts otherwise"):
        lingprobe.load_probe(kept, f"hf:{new},turns=all")


@pytest.mark.parametrize(("layer", "width"), [("first4:1", 4), ("cat:0+2", 32), ("top", 16)])
def test_a_probe_of_part_of_a_layer_is_kept(evaluation, tmp_path, layer, width):
    old = Reference.parse(evaluation.trained(encoder="*turns=response*").facts.encoder.reference)
    model = f"hf:{old.argument},template=chat,turns=response,dtype=float32,device=cpu"
    how = {"baselines": "none", "copies": False, "cache": tmp_path / "cache", "progress": False}
    probe = lingprobe.fit(model, rows(60), layer=layer, **how)
    assert (probe.layer, probe.weights.shape) == (layer, (2, width))
    kept = lingprobe.load_probe(probe.save(tmp_path / "kept"))
    talks = [row["messages"] for row in rows(5)]
    assert np.array_equal(kept.score(talks), probe.score(talks))


@pytest.mark.parametrize(("prompts", "why"), [(1, "all have one prompt"), (4, "only 4 prompts")])
def test_few_prompts_are_not_kept_together(prompts, why):
    """As where a data set has one instruction: no folds would be left."""
    rows = [
        {"prompt": f"Say {i % prompts}.", "response": f"word {i} of {i % 7}", "label": "ab"[i % 2]}
        for i in range(60)
    ]
    loaded = lingprobe.table(rows).load()
    assert "prompt" not in loaded.clusters
    assert "prompt" not in loaded.strata
    assert any(remark.endswith(why) for remark in loaded.notes.remarks)
    many = lingprobe.table([row | {"prompt": f"Say {k // 2}."} for k, row in enumerate(rows)])
    assert "prompt" in many.load().clusters


@pytest.mark.parametrize("offsets", ["words", "characters"])
def test_a_span_may_be_of_a_conversation(tmp_path, offsets):
    """It lies in the contents of the turns, a line each; its states are those of a pass alone."""
    folder = save_model(tmp_path / "llama", "llama")
    made = []
    for i in range(60):
        text = f"Who is number {i}?\nIt is he."
        start = 5 if offsets == "words" else text.index("is he")
        stop = 7 if offsets == "words" else len(text)
        asked, said = text.split("\n")
        messages = [{"role": "user", "content": asked}, {"role": "assistant", "content": said}]
        made.append({"messages": messages, "span": [start, stop], "label": "ab"[i % 2]})
    dataset = lingprobe.table(made, offsets=offsets).load()
    sentence, start, stop = dataset.sites[0, 0].tolist()
    read = dataset.sentences[sentence]
    assert read.words[start:stop] in (("is", "he."), ("is", "he", "."))
    encoder = make_encoder(
        f"hf:{folder},template=chat,turns=response,pool=none,dtype=float32,device=cpu"
    )
    vectors = encoder.encode([read])
    first, last = vectors.spans.words[start, 0], vectors.spans.words[stop - 1, 1]
    trace = encoder.read_tokens(read, ["2"])
    states, pieces = trace.states["2"][trace.counted], np.array(trace.pieces)[trace.counted]
    assert "".join(pieces[first:last]).strip() == "is he."
    assert np.allclose(vectors.layers[0][first:last], states[first:last], atol=1e-6)


def test_responses_that_repeat_are_counted():
    """Their prompts differ, so that folds tear them apart."""
    said = [
        {"prompt": f"Say {i}.", "response": f"word {min(i, 57)}", "label": "ab"[i % 2]}
        for i in range(60)
    ]
    (remark,) = (r for r in lingprobe.table(said).load().notes.remarks if "response that" in r)
    assert "3 of 60 different conversations have a response that others have" in remark
    alone = lingprobe.table(said[:58]).load().notes.remarks
    assert not any("response that" in remark for remark in alone)


def test_prompt_and_response_are_one_conversation(tmp_path):
    pairs = [
        {"prompt": row["messages"][0]["content"], "response": row["messages"][1]["content"],
         "label": row["label"]}
        for row in rows()
    ]  # fmt: skip
    one = lingprobe.table(pairs).load()
    other = lingprobe.table(rows()).load()
    assert one.sentences == other.sentences
    assert "prompt" in one.clusters
    two = lingprobe.table(pairs, text="prompt", text2="response").load()
    assert two.sites.shape[1] == 2


def test_contrast_pairs_are_conversations_that_share_their_prompt():
    """One prompt with two completions, in the shapes that preference data have."""
    pairs = [
        {"prompt": row["messages"][0]["content"],
         "chosen": f"yes, it is so, say {'a' * (i % 9)} {i}",
         "rejected": f"no, it is not so, say {'b' * (i % 9)} {i}"}
        for i, row in enumerate(rows(120)[::2])
    ]  # fmt: skip
    data = lingprobe.table(pairs).load()
    assert data.labels.counts() == {"chosen": 60, "rejected": 60}
    assert "prompt" in data.clusters
    first = data.sentences[0].turns
    assert [turn.role for turn in first] == ["user", "assistant"]
    assert first[1].content == pairs[0]["chosen"]
    asked = [[{"role": "user", "content": row["prompt"]}] for row in pairs]
    answers = [
        {key: [{"role": "assistant", "content": row[key]}] for key in ("chosen", "rejected")}
        for row in pairs
    ]
    split = [{"prompt": p, **each} for p, each in zip(asked, answers, strict=True)]
    whole = [
        {key: [*p, *turns] for key, turns in each.items()}
        for p, each in zip(asked, answers, strict=True)
    ]
    for same in (split, whole):
        assert lingprobe.table(same).load().sentences == data.sentences
    two = lingprobe.table(pairs, text="prompt").load()
    assert two.sites.shape[1] == 2
