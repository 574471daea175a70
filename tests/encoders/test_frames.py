"""What a language model is asked: templates, of which only the sentence counts; and that the side
on which batches are padded changes nothing.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from tokenizers.processors import TemplateProcessing

import lingprobe
from encoders.tokenisers import byte_level
from fixtures.models import transformer
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders import frames, make_encoder
from lingprobe.encoders.frames import SENTENCE_PLACEHOLDER, PromptFrame, make_prompt_frame

EXACT = "dtype=float32,device=cpu"
CHAT = (
    "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>{{ m.content | trim }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
AROUND = "Q: {sentence} A:"


@pytest.fixture(scope="module")
def llama(tmp_path_factory) -> Path:
    """A tiny Llama with a byte-level tokeniser that puts a token before a text, and a chat
    template.
    """
    folder = tmp_path_factory.mktemp("llama")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=byte_level(), bos_token="<s>", eos_token="</s>", model_max_length=64
    )
    special = ["<|user|>", "<|assistant|>", "<|end|>"]
    tokenizer.add_special_tokens({"additional_special_tokens": special})
    tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(folder)
    sizes = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2}
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = transformers.LlamaModel(
            transformers.LlamaConfig(
                vocab_size=len(tokenizer), num_attention_heads=2, initializer_range=0.5, **sizes
            )
        )
    model.save_pretrained(folder)
    return folder


def by_hand(folder: Path, before: str, sentence: str, after: str, **options) -> np.ndarray:
    """The last hidden states of the tokens of a sentence within a text, one text at a time."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer(
        before + sentence + after, return_tensors="pt", return_offsets_mapping=True, **options
    )
    start, stop = len(before), len(before) + len(sentence)
    mine = [a < stop and b > start and b > a for a, b in inputs.pop("offset_mapping")[0].tolist()]
    with torch.no_grad():
        states = transformers.AutoModel.from_pretrained(folder)(**inputs).last_hidden_state[0]
    return states.numpy()[mine]


@pytest.mark.parametrize("model", ["llama", "bert"])
def test_only_the_tokens_of_the_sentence_are_pooled(model, sentences, request):
    folder = request.getfixturevalue(model)
    theirs = [by_hand(folder, "Q: ", s.text, " A:") for s in sentences[:5]]
    for pool, of in (("mean", np.mean), ("max", np.max), ("last", lambda rows, axis: rows[-1])):
        encoder = make_encoder(f"hf:{folder},template={AROUND},pool={pool},{EXACT}")
        ours = encoder.encode(sentences[:5]).layers[0]
        np.testing.assert_allclose(ours, [of(rows, axis=0) for rows in theirs], atol=2e-4)


def test_the_end_of_a_template_is_the_last_token_of_all_that_is_read(llama, sentences):
    """What PromptEOL reads, where the sentence's own last token does not know the question."""
    question = 'This sentence: "{sentence}" means in one word: "'
    before, after = question.split("{sentence}")
    tokenizer = transformers.AutoTokenizer.from_pretrained(llama)
    model = transformers.AutoModel.from_pretrained(llama)
    with torch.no_grad():
        theirs = [
            model(**tokenizer(before + s.text + after, return_tensors="pt")).last_hidden_state[0]
            for s in sentences[:3]
        ]
    encoder = make_encoder(f"hf:{llama},template={question},pool=end,{EXACT}")
    ours = encoder.encode(sentences[:3]).layers[0]
    np.testing.assert_allclose(ours, [rows[-1] for rows in theirs], atol=2e-4)
    other = make_encoder(f"hf:{llama},template={question} ?,pool=end,{EXACT}").encode(sentences[:3])
    assert not np.allclose(ours, other.layers[0], atol=0.01)


@pytest.mark.parametrize(("model", "said"), [("llama", 1), ("bert", 0)])
def test_a_text_that_cannot_matter_is_said_once(model, said, sentences, request, caplog):
    folder = request.getfixturevalue(model)
    for pool in ("mean", "mean", "end"):
        make_encoder(f"hf:{folder},template={{sentence}} A: {said},pool={pool},{EXACT}").encode(
            sentences[:2]
        )
    unread = [r for r in caplog.records if "pool=end reads the last token" in r.getMessage()]
    assert len(unread) == said


@pytest.mark.parametrize("model", ["llama", "bert"])
def test_words_are_found_within_a_template(model, sentences, request):
    folder = request.getfixturevalue(model)
    ours = make_encoder(f"hf:{folder},template={AROUND},pool=none,{EXACT}").encode(sentences[:5])
    theirs = [by_hand(folder, "Q: ", " ".join(s.words), " A:") for s in sentences[:5]]
    np.testing.assert_allclose(ours.layers[0], np.concatenate(theirs), atol=2e-4)
    words = ours.spans.words
    assert (words[:, 1] > words[:, 0]).all()
    assert words[0, 0] == 0
    assert words[-1, 1] == ours.spans.sentences[-1]


def test_a_chat_template_is_the_models_own(llama, sentences):
    before, after = "<s><|user|>", "<|end|><|assistant|>"
    ours = make_encoder(f"hf:{llama},template=chat,{EXACT}").encode(sentences[:3]).layers[0]
    theirs = [
        by_hand(llama, before, s.text, after, add_special_tokens=False).mean(0)
        for s in sentences[:3]
    ]
    np.testing.assert_allclose(ours, theirs, atol=2e-4)


def test_what_stands_around_is_told_and_is_part_of_what_it_is(llama):
    plain, chat = make_encoder(f"hf:{llama}"), make_encoder(f"hf:{llama},template=chat")
    assert plain.reads == ""
    assert chat.reads == "<s><|user|>{sentence}<|end|><|assistant|>"
    assert make_encoder(f"hf:{llama},template={AROUND}").reads == AROUND
    assert make_encoder(f"hf:{llama},prompt=Q: ").reads == "Q: {sentence}"
    bases = {plain.base, chat.base, make_encoder(f"hf:{llama},template={AROUND}").base}
    assert len(bases) == 3
    assert "template" not in plain.base  # whose vectors are those of before
    assert "<|assistant|>" in chat.base


def test_a_result_says_what_was_read(tmp_path):
    folder = transformer(tmp_path / "bert")
    settings = {"probes": "logreg", "seeds": 1, "baselines": "none", "limit": 60}
    encoder = f"hf:{folder},template=one%2C {SENTENCE_PLACEHOLDER}"
    (result,) = lingprobe.run(
        "ud/tense:embedded", encoder, cache=tmp_path / "cache", **settings
    ).results
    assert result.provenance.read_as == "one, {sentence}"
    assert result.provenance.plain()["read_as"] == "one, {sentence}"


def test_a_sentence_that_is_cut_within_its_template_is_counted(llama):
    long = Sentence.of(["incomprehensibility"] * 40)
    assert make_encoder(f"hf:{llama},template={AROUND},{EXACT}").encode(
        [Sentence.of(["cat"]), long]
    ).cut.tolist() == [False, True]


def test_a_sentence_of_nothing_has_zeros(llama):
    ours = make_encoder(f"hf:{llama},template={AROUND},{EXACT}").encode([Sentence((), "")])
    assert not ours.layers[0].any()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("template=Say it", r"write chat, or a text with \{sentence\} in it, once"),
        ("template={sentence} {sentence}", "once"),
        ("template=Q: {sentence},prompt=Q", "leave out prompt, or template"),
    ],
)
def test_what_is_no_template_is_told_before_work_starts(llama, options, said):
    with pytest.raises(DataProblem, match=said):
        _ = make_encoder(f"hf:{llama},{options}").base


def test_a_model_without_a_chat_template_is_told(bert, llama, tmp_path, sentences):
    with pytest.raises(EncoderStop, match="this model has no chat template"):
        make_encoder(f"hf:{bert},template=chat,{EXACT}").encode(sentences[:1])
    tokenizer = transformers.AutoTokenizer.from_pretrained(llama)
    tokenizer.chat_template = "{{ bos_token }}"
    with pytest.raises(EncoderStop, match="does not have the message once"):
        make_prompt_frame("chat", "", tokenizer)


def test_the_tokens_inside_are_those_that_share_a_letter():
    characters = np.array([[0, 0], [0, 2], [2, 4], [4, 6], [6, 8], [8, 9], [0, 0]])
    around = PromptFrame("Q: ", " A", alone=True)  # the sentence is letters 3 to 7
    assert around.inside(characters, 4).tolist() == [False] * 2 + [True] * 3 + [False] * 2


@pytest.mark.parametrize("model", ["llama", "gpt"])
def test_the_side_of_the_padding_changes_nothing(model, sentences, request):
    """Ours is on the right, with a mask; here it is on the left, with positions that begin behind
    it, as generating pads.
    """
    folder = request.getfixturevalue(model)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModel.from_pretrained(folder)
    rows = [tokenizer(s.text)["input_ids"] for s in sentences[:5]]
    longest = max(map(len, rows))
    ids = torch.tensor([[0] * (longest - len(row)) + row for row in rows])
    mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows])
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    with torch.no_grad():
        states = network(input_ids=ids, attention_mask=mask, position_ids=positions)
    last = states.last_hidden_state[:, -1].numpy()
    ours = make_encoder(f"hf:{folder},pool=last,{EXACT}").encode(sentences[:5]).layers[0]
    np.testing.assert_allclose(ours, last, atol=2e-4)


def test_files_of_hidden_states_may_have_a_template_too(llama, sentences, tmp_path):
    from safetensors.torch import save_file

    tokenizer = transformers.AutoTokenizer.from_pretrained(llama)
    network = transformers.AutoModel.from_pretrained(llama)
    for number, sentence in enumerate(sentences[:3]):
        message = [{"role": "user", "content": sentence.text}]
        text = tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True)
        ids = tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            hidden = network(ids, output_hidden_states=True).hidden_states
        states = torch.stack([hidden[1][0], hidden[2][0]], 1).contiguous()
        save_file(
            {"hidden_states": states, "token_ids": ids[0].clone()},
            str(tmp_path / f"{number}.safetensors"),
        )
    tokeniser_alone = tmp_path / "tokeniser"
    shutil.copytree(llama, tokeniser_alone, ignore=shutil.ignore_patterns("model*"))
    theirs = make_encoder(f"hf:{llama},layers=1+2,template=chat,{EXACT}").encode(sentences[:3])
    ours = make_encoder(f"acts:{tmp_path},model={tokeniser_alone},ids=1+2,template=chat").encode(
        sentences[:3]
    )
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        np.testing.assert_allclose(mine, other, atol=2e-4)


def test_a_start_token_that_a_text_has_is_read_once(llama, tmp_path, caplog):
    """A chat that was rendered before begins with the token that the tokenizer adds."""
    frames.say_started_twice.cache_clear()
    folder = shutil.copytree(llama, tmp_path / "model")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    start = ("<s>", tokenizer.bos_token_id)
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        "<s> $A", special_tokens=[start]
    )
    tokenizer.save_pretrained(folder)
    sentence = Sentence.of(["<s>", "The", "cat", "sat"], "<s>The cat sat")
    model = transformers.AutoModel.from_pretrained(folder)
    ids = tokenizer(sentence.text)["input_ids"]
    assert ids[:2] == [tokenizer.bos_token_id] * 2
    for options, tokens in (("", ids[1:]), (",starts=twice", ids)):
        with torch.no_grad():
            states = model(torch.tensor([tokens])).last_hidden_state[0].numpy()
        for pool, expected in (("mean", states.mean(0)), ("last", states[-1])):
            encoder = make_encoder(f"hf:{folder},pool={pool},{EXACT}{options}")
            np.testing.assert_allclose(encoder.encode([sentence]).layers[0][0], expected, atol=2e-4)
        vectors = make_encoder(f"hf:{folder},pool=none,text=raw,{EXACT}{options}").encode(
            [sentence]
        )
        of_words = [stop - first for first, stop in vectors.spans.words.tolist()]
        assert of_words[0] == len(tokens) - len(ids) + 1  # the start token is a word of the text
        assert min(of_words[1:]) > 0
        assert np.allclose(vectors.layers[0][-1], states[-1], atol=2e-4)
    said = [record.message for record in caplog.records if "tokenizer adds" in record.message]
    assert said == [
        "texts begin with '<s>', which the tokenizer adds as well: it is read once; starts=twice"
        " reads both"
    ]
    plain = Sentence.of(["The", "cat", "sat"])
    one, other = (
        make_encoder(f"hf:{folder},{EXACT}{o}").encode([plain]) for o in ("", ",starts=twice")
    )
    assert np.array_equal(one.layers[0], other.layers[0])
