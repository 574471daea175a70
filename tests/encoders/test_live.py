"""Models that are loaded already: the vectors of the folders that they came from, bit for bit; known
by what decides their vectors; and left as they were.
"""

from __future__ import annotations

import pickle
import shutil

import numpy as np
import pytest
import torch
from torch import nn
from transformers import (
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    pipeline,
)

import lingprobe
from encoders.test_stored_precision import MODELS, STORED, saved
from fixtures.models import sentence_transformer
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.errors import UsageProblem
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders import adapt_encoder, make_encoder

DTYPES = ("float32", "bfloat16", "float16")


def loaded(folder, kind=AutoModel):
    return kind.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)


def same(one, other, sentences) -> None:
    """Two encoders give the same bits, the same layers and the same units."""
    a, b = one.encode(sentences), other.encode(sentences)
    assert a.names == b.names
    assert all(np.array_equal(x, y) for x, y in zip(a.layers, b.layers, strict=True))
    assert np.array_equal(a.cut, b.cut)
    if a.spans is not None:
        assert np.array_equal(a.spans.words, b.spans.words)


PRECISIONS = [(stored, dtype) for stored in STORED for dtype in DTYPES]
ALL = [("MiniLM", *each) for each in PRECISIONS if each[0] != each[1]]
ALL += [(name, *PRECISIONS[(4 * k) % 9]) for k, name in enumerate(MODELS)]


@pytest.mark.parametrize(("name", "stored", "dtype"), ALL)
def test_the_same_bits_as_of_the_folder(name, stored, dtype, bert, sentences, tmp_path):
    folder = saved(name, stored, bert, tmp_path / "model")
    live = adapt_encoder(loaded(folder), layers="all", dtype=dtype)
    same(live, make_encoder(f"hf:{folder},layers=all,dtype={dtype}"), sentences[:4])


@pytest.mark.parametrize(
    "options",
    [
        {"layers": "lex+0", "pool": "none"},
        {"pool": "none", "text": "raw", "special": True},
        {"pool": "cls", "layers": "penultimate"},
        {"pool": "max", "special": False},
        {"prompt": "I saw him "},
        {"template": "She said {sentence} and", "pool": "end"},
        {"pool": "rest", "tokens": 64},
    ],
    ids=str,
)
def test_the_same_bits_with_every_option(options, bert, sentences):
    said = "".join(f",{key}={value}".replace("True", "true") for key, value in options.items())
    reference = f"hf:{bert}{said}".replace("False", "false")
    live, named = adapt_encoder(loaded(bert), **options), make_encoder(reference)
    same(live, named, sentences)
    assert live.slots == named.slots
    assert live.reads == named.reads
    words = ["cat", "☃", "Incomprehensibilities"]
    assert np.array_equal(live.unknown(words), named.unknown(words))
    shown = "".join(f",{k}={options[k]}" for k in sorted(options) if k != "layers")
    assert live.name == adapt_encoder(loaded(bert)).name + shown


@pytest.mark.parametrize("kind", [AutoModelForMaskedLM, AutoModelForSequenceClassification])
def test_a_head_is_not_read(kind, bert, sentences, tmp_path):
    model, tokenizer = loaded(bert, kind)
    same(adapt_encoder((model, tokenizer)), make_encoder(f"hf:{bert}"), sentences)
    assert type(model).__name__ not in str(adapt_encoder((model, tokenizer)).network.model)


class OptimizedModule(nn.Module):
    """As torch.compile returns it."""

    def __init__(self, model):
        super().__init__()
        self._orig_mod = model


class Processor:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer


@pytest.mark.parametrize(
    "form",
    [
        lambda model, tokenizer: (tokenizer, model),
        lambda model, tokenizer: (model, Processor(tokenizer)),
        lambda model, tokenizer: pipeline("feature-extraction", model=model, tokenizer=tokenizer),
        lambda model, tokenizer: model,
        lambda model, tokenizer: (OptimizedModule(model), tokenizer),
        lambda model, tokenizer: (nn.DataParallel(model), tokenizer),
    ],
    ids=["swapped", "processor", "pipeline", "alone", "compiled", "parallel"],
)
def test_every_form_is_the_same_model(form, bert, sentences):
    model, tokenizer = loaded(bert)
    one = adapt_encoder(form(model, tokenizer))
    same(one, make_encoder(f"hf:{bert}"), sentences)
    assert one.fingerprint == adapt_encoder((model, tokenizer)).fingerprint


def test_the_users_model_stays_as_it_was(bert, sentences):
    model, tokenizer = loaded(bert)
    model.train().half()
    model.config.use_cache = True
    before = {name: value.clone() for name, value in model.state_dict().items()}
    same(
        adapt_encoder((model, tokenizer), dtype="float32"),
        adapt_encoder((model.eval(), tokenizer), dtype="float32"),
        sentences,
    )
    model.train()
    adapt_encoder((model, tokenizer), dtype="bfloat16", layers="lex+all").encode(sentences)
    assert model.training
    assert all(module.training for module in model.modules())
    assert model.config.use_cache
    assert all(p.requires_grad and p.dtype == torch.float16 for p in model.parameters())
    assert all(torch.equal(before[k], v) for k, v in model.state_dict().items())
    # and nothing that the vectors were made with keeps it from being trained
    model.float()(input_ids=torch.tensor([[1, 2]])).last_hidden_state.sum().backward()


def fingerprint(model, tokenizer) -> str:
    return adapt_encoder((model, tokenizer)).fingerprint


def test_it_is_known_by_what_it_holds_and_not_by_where_it_lay(bert, tmp_path):
    shutil.copytree(bert, tmp_path / "copy")
    one, other = loaded(bert), loaded(tmp_path / "copy")
    other[0](input_ids=torch.tensor([[1, 2]]), output_hidden_states=True)
    other[1](["a longer text", "b"], padding=True, truncation=True, max_length=5)
    assert fingerprint(*one) == fingerprint(*other)
    encoder = adapt_encoder(one)
    encoder.encode([Sentence.of(["cat"])])
    assert adapt_encoder(encoder).fingerprint == encoder.fingerprint


def test_saving_makes_it_no_other_model(bert, tmp_path):
    """As a trainer does at a checkpoint, which it loads again when it has ended."""
    model, tokenizer = loaded(bert, AutoModelForSequenceClassification)
    before = fingerprint(model, tokenizer)
    model.save_pretrained(tmp_path / "checkpoint")
    assert fingerprint(model, tokenizer) == before


def test_it_goes_to_other_processes(bert, sbert, sentences):
    for encoder in (adapt_encoder(loaded(bert)), adapt_encoder(sbert[1])):
        vectors = encoder.encode(sentences).layers[0]
        other = pickle.loads(pickle.dumps(encoder))
        assert np.array_equal(other.encode(sentences).layers[0], vectors)
        assert other.fingerprint == encoder.fingerprint


def trained(model, tokenizer):
    with torch.no_grad():
        model.encoder.layer[0].output.dense.weight[0, 0] += 1e-4
    return model, tokenizer


def extended(model, tokenizer):
    tokenizer.add_tokens(["Immelt"])
    return model, tokenizer


def shortened(model, tokenizer):
    tokenizer.model_max_length = 5
    return model, tokenizer


def configured(model, tokenizer):
    model.encoder.layer[0].attention.output.LayerNorm.eps = 1e-2
    return model, tokenizer


def watched(model, tokenizer):
    model.encoder.layer[0].register_forward_hook(lambda module, given, output: output)
    return model, tokenizer


def patched(model, tokenizer):
    model.encoder.layer[1].forward = lambda hidden, *_, **__: hidden
    return model, tokenizer


@pytest.mark.parametrize("change", [trained, extended, shortened, configured, watched, patched])
def test_a_changed_model_is_another(change, bert):
    one, other = loaded(bert), change(*loaded(bert))
    assert fingerprint(*one) != fingerprint(*other)


def test_no_stale_vectors_are_served_where_a_model_was_trained_in_between(task, bert, tmp_path):
    how = {"probes": "logreg", "seeds": 1, "baselines": "none", "cache": tmp_path / "cache"}
    how["output"] = tmp_path / "out"
    model = loaded(bert)
    held = adapt_encoder(model, "held")
    assert [lingprobe.evaluate(held, task, **how).fresh for _ in range(2)] == [1, 0]
    trained(*model)
    assert lingprobe.evaluate(held, task, **how).fresh == 1


def test_poolings_and_templates_of_one_model_are_rows_of_their_own(task, bert, tmp_path):
    model = loaded(bert)
    how = {"probes": "logreg", "seeds": 1, "baselines": "none", "cache": tmp_path}
    encoders = [
        *lingprobe.configure(model, pool="max"),
        *lingprobe.configure([model], layers="all"),
        *lingprobe.configure([model], layers="0", template="Q {sentence}"),
    ]
    evaluation = lingprobe.evaluate(encoders, task, **how)
    assert evaluation.failures == {}
    rows = {(r.trial.encoder, r.trial.read) for r in evaluation.results}
    name = adapt_encoder(model).name
    assert rows == {
        (f"{name},pool=max", "3"),
        *((name, str(layer)) for layer in range(4)),
        (f"{name},template=Q {{sentence}}", "0"),
    }
    assert len({r.score for r in evaluation.results}) > 1


def test_vectors_made_ahead_are_those_of_the_run(task, bert, tmp_path):
    from lingprobe.tasks import TASKS

    model, cache = loaded(bert), tmp_path / "cache"
    sentences = list(TASKS.make(task).load().sentences)
    for encoders in (model, {"mine": model}):
        (embedded,) = lingprobe.embed(sentences, encoders, cache=cache).values()
        assert embedded.usable.all()
    estimate = lingprobe.estimate(task, {"mine": model}, cache=cache, baselines="none")
    assert estimate.sentences == {}


def test_what_a_loaded_model_cannot_be_asked_for_is_said(bert):
    model = loaded(bert)
    with pytest.raises(UsageProblem, match=r"option device: .*model.to"):
        adapt_encoder(model, device="cuda")
    with pytest.raises(UsageProblem, match=r"option weights: .*hf:FOLDER,weights=random"):
        adapt_encoder(model, weights="random")
    with pytest.raises(UsageProblem, match="option layer; it has dtype, generate, layers"):
        adapt_encoder(model, layer=3)
    with pytest.raises(UsageProblem, match="has no options"):
        adapt_encoder(len, layers="all")
    with pytest.raises(DataProblem, match="layers 0"):
        adapt_encoder(model, layers="9").encode([Sentence.of(["a"])])


def test_a_model_without_a_tokenizer_is_told_the_right_call(bert, tmp_path):
    from transformers import BertConfig, BertModel

    right = r"evaluate\(\(model, tokenizer\), tasks\)"
    small = {"hidden_size": 8, "num_attention_heads": 1, "num_hidden_layers": 1}
    model = BertModel(BertConfig(vocab_size=9, intermediate_size=8, **small))
    with pytest.raises(DataProblem, match=right):
        adapt_encoder(model)
    model.save_pretrained(tmp_path / "bare")
    with pytest.raises(DataProblem, match=right):
        adapt_encoder(AutoModel.from_pretrained(tmp_path / "bare"))
    for wrong in (None, "bert-base", len):
        with pytest.raises(DataProblem, match=right):
            adapt_encoder((model, wrong))
    with pytest.raises(DataProblem, match=right):
        adapt_encoder(AutoTokenizer.from_pretrained(bert))
    with pytest.raises(DataProblem, match="reads no text"):
        adapt_encoder(nn.Linear(2, 2))
    with pytest.raises(
        DataProblem, match=r"^a BertConfig is not an encoder: .*\(model, tokenizer\)"
    ):
        adapt_encoder(model.config)
    with pytest.raises(DataProblem, match=r"^a tuple of BertModel is not an encoder"):
        adapt_encoder((model,))


def test_a_model_that_cannot_be_copied_is_to_be_saved(bert):
    model, tokenizer = loaded(bert)
    model.open = (each for each in "ab")
    with pytest.raises(EncoderStop, match="save_pretrained"):
        adapt_encoder((model, tokenizer)).encode([Sentence.of(["a"])])


@pytest.fixture
def sbert(tmp_path):
    from sentence_transformers import SentenceTransformer

    folder = sentence_transformer(tmp_path / "sbert")
    return folder, SentenceTransformer(str(folder), device="cpu")


@pytest.mark.parametrize("stored", STORED)
def test_models_of_sentence_transformers_take_the_road_of_st(stored, sbert, sentences):
    folder, model = sbert
    model.to(getattr(torch, stored)).save(str(folder))
    model.train()
    for dtype in DTYPES:
        same(
            adapt_encoder(model, dtype=dtype), make_encoder(f"st:{folder},dtype={dtype}"), sentences
        )
    assert model.training
    assert all(p.dtype == getattr(torch, stored) for p in model.parameters())


def test_a_vector_of_sentence_transformers_may_be_cut(sbert, sentences):
    folder, model = sbert
    cut = adapt_encoder(model, truncate_dim=8)
    same(cut, make_encoder(f"st:{folder},truncate_dim=8"), sentences)
    whole = adapt_encoder(model)
    before = whole.fingerprint
    assert np.array_equal(cut.encode(sentences).layers[0], whole.encode(sentences).layers[0][:, :8])
    assert cut.name == f"{whole.name},truncate_dim=8"
    assert model.truncate_dim is None
    model.truncate_dim = 4
    mine = adapt_encoder(model)
    assert mine.encode(sentences).layers[0].shape[1] == 4
    assert mine.fingerprint != before
    with pytest.raises(DataProblem, match="at least one"):
        adapt_encoder(model, truncate_dim=0).encode(sentences)
    with pytest.raises(EncoderStop, match="have 32 dimensions"):
        adapt_encoder(model, truncate_dim=64).encode(sentences)


def test_the_tokenizer_of_sentence_transformers_counts(sbert):
    _, model = sbert
    before = adapt_encoder(model).fingerprint
    model.max_seq_length = 8
    assert adapt_encoder(model).fingerprint != before


def test_static_embeddings_are_a_model(bert, sentences):
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    tokenizer = AutoTokenizer.from_pretrained(bert).backend_tokenizer
    weights = np.random.default_rng(0).normal(size=(tokenizer.get_vocab_size(), 6))
    module = StaticEmbedding(tokenizer, embedding_weights=weights.astype(np.float32))
    encoder = adapt_encoder(module)
    texts = [s.text for s in sentences if s.text]
    tokenizer.no_padding()
    by_hand = [
        module.embedding.weight.detach()
        .numpy()[tokenizer.encode(text, add_special_tokens=False).ids]
        .mean(0)
        for text in texts
    ]
    ours = encoder.encode([s for s in sentences if s.text]).layers[0]
    np.testing.assert_allclose(ours, by_hand, atol=1e-6)
    other = StaticEmbedding(tokenizer, embedding_weights=weights.astype(np.float32) + 1)
    assert adapt_encoder(other).fingerprint != encoder.fingerprint


def test_vectors_with_their_sentences_are_an_encoder(sentences):
    texts = [s.text for s in sentences]
    vectors = np.random.default_rng(0).normal(size=(len(texts), 3)).astype(np.float32)
    encoder = adapt_encoder((texts, vectors))
    assert np.array_equal(encoder.encode(sentences[::-1]).layers[0], vectors[::-1])
    for other in (torch.from_numpy(vectors), vectors.tolist(), list(vectors)):
        assert adapt_encoder((texts, other)).fingerprint == encoder.fingerprint
    assert adapt_encoder((sentences, vectors)).fingerprint == encoder.fingerprint
    assert adapt_encoder((texts, vectors + 1)).fingerprint != encoder.fingerprint
    assert adapt_encoder((texts[::-1], vectors)).fingerprint != encoder.fingerprint
    with pytest.raises(EncoderStop, match="has no vector for 1 of 1 sentences: 'Nobody'"):
        encoder.encode([Sentence.of(["Nobody"])])
    with pytest.raises(DataProblem, match=r"has an array \[9, 3\], expected .* 8 sentences"):
        adapt_encoder((texts[1:], vectors))
    with pytest.raises(DataProblem, match="is not an encoder"):
        adapt_encoder(([1, 2], vectors[:2]))
    with pytest.raises(DataProblem, match="two different vectors"):
        adapt_encoder((["a", "a"], vectors[:2]))


def test_a_model_of_model2vec_is_known_by_its_content(bert, sentences, tmp_path):
    model2vec = pytest.importorskip("model2vec")
    tokenizer = AutoTokenizer.from_pretrained(bert).backend_tokenizer
    rows = np.random.default_rng(0).normal(size=(tokenizer.get_vocab_size(), 6)).astype(np.float32)
    model2vec.StaticModel(rows, tokenizer).save_pretrained(tmp_path / "static")
    one, other = (model2vec.StaticModel.from_pretrained(tmp_path / "static") for _ in range(2))
    ours = adapt_encoder(one).encode(sentences).layers[0]
    assert np.array_equal(ours, one.encode([s.text for s in sentences]))
    assert adapt_encoder(one).fingerprint == adapt_encoder(other).fingerprint
    other.embedding = other.embedding * 2
    assert adapt_encoder(one).fingerprint != adapt_encoder(other).fingerprint
    assert adapt_encoder(one, "named").fingerprint != adapt_encoder(other, "named").fingerprint
    shorter = model2vec.StaticModel.from_pretrained(tmp_path / "static")
    shorter.max_length = 2
    assert adapt_encoder(one).fingerprint != adapt_encoder(shorter).fingerprint
