"""Models of sentence-transformers of every class give what their own `encode` gives, or are refused
by name.
"""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
import torch
from sentence_transformers import MultiVectorEncoder, SentenceTransformer, SparseEncoder
from sentence_transformers.base.modules import Dense, Normalize, Router, Transformer
from sentence_transformers.multi_vector_encoder.modules import (
    HierarchicalTokenPooling,
    MultiVectorMask,
)
from sentence_transformers.sentence_transformer.modules import Pooling
from sentence_transformers.sparse_encoder.modules import SpladePooling

from encoders.tokenisers import LINES
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders import adapt_encoder, make_encoder
from lingprobe.testing import check_encoder

EXACT = "dtype=float32,device=cpu"
TEXTS = [
    Sentence.of(
        line.replace(" .", "").replace(" '", "'").split(),
        line.replace(" .", ".").replace(" ,", ","),
    )
    for line in LINES
]


def dense(size, **rest):
    with torch.random.fork_rng():
        torch.manual_seed(2)
        return Dense(32, size, **rest)


@pytest.fixture(scope="module")
def masked(bert, tmp_path_factory):
    """The tiny BERT with a head that predicts words, as sparse models have."""
    from transformers import BertConfig, BertForMaskedLM

    folder = shutil.copytree(bert, tmp_path_factory.mktemp("mlm") / "model")
    with torch.random.fork_rng():
        torch.manual_seed(3)
        BertForMaskedLM(BertConfig.from_pretrained(bert, tie_word_embeddings=True)).save_pretrained(
            folder
        )
    return folder


def saved(model, folder):
    model.save(str(folder))
    return folder


@pytest.fixture(scope="module")
def sparse(masked, tmp_path_factory):
    modules = [Transformer(str(masked), transformer_task="fill-mask"), SpladePooling()]
    return saved(SparseEncoder(modules=modules, device="cpu"), tmp_path_factory.mktemp("sparse"))


def many(bert, mask=None, **transformer):
    modules = [
        Transformer(str(bert), **transformer),
        dense(
            8,
            bias=False,
            activation_function=torch.nn.Identity(),
            module_input_name="token_embeddings",
        ),
        mask or MultiVectorMask(skiplist_words=[".", ","]),
        Normalize(module_input_name="token_embeddings"),
    ]
    return MultiVectorEncoder(
        modules=modules, device="cpu", prompts={"query": "like ", "document": "cats : "}
    )


@pytest.fixture(scope="module")
def colbert(bert, tmp_path_factory):
    expansion = {"strategy": "fixed", "length": 24, "attend": False}
    return saved(many(bert, query_expansion=expansion), tmp_path_factory.mktemp("colbert"))


def router(bert, **options):
    routes = {
        name: [Transformer(str(bert)), Pooling(32), dense(12) if name == "query" else dense(16)]
        for name in ("query", "document")
    }
    return SentenceTransformer(
        modules=[Router(routes, **options), Normalize()],
        device="cpu",
        prompts={"query": "like ", "passage": "cats : "},
    )


@pytest.fixture(scope="module")
def routed(bert, tmp_path_factory):
    return saved(router(bert, default_route="document"), tmp_path_factory.mktemp("router"))


def vectors(reference):
    return make_encoder(f"{reference},{EXACT}").encode(TEXTS).layers[0]


STRINGS = [s.text for s in TEXTS]


def test_sparse_models_give_vectors_as_wide_as_their_vocabulary(sparse):
    model = SparseEncoder(str(sparse), device="cpu")
    expected = model.encode(STRINGS, convert_to_sparse_tensor=False).numpy()
    encoded = vectors(f"st:{sparse}")
    assert encoded.shape == (len(TEXTS), model.get_embedding_dimension()) != (len(TEXTS), 32)
    np.testing.assert_allclose(encoded, expected, atol=1e-5)
    assert 0 < (encoded > 0).mean() < 1
    live = adapt_encoder(model).encode(TEXTS).layers[0]  # in the precision that is usual here
    assert (
        (live * expected).sum(1) / np.linalg.norm(live, axis=1) / np.linalg.norm(expected, axis=1)
    ).min() > 0.99
    model.max_active_dims = 3
    encoded = adapt_encoder(model).encode(TEXTS).layers[0]
    assert ((encoded > 0).sum(1) <= 3).all()


@pytest.mark.parametrize(
    ("task", "method"),
    [("", "encode"), (",task=query", "encode_query"), (",task=document", "encode_document")],
)
def test_models_that_route_texts_take_the_route_of_the_task(task, method, routed):
    model = SentenceTransformer(str(routed), device="cpu")
    expected = getattr(model, method)(STRINGS)
    encoded = vectors(f"st:{routed}{task}")
    assert encoded.shape == expected.shape
    np.testing.assert_allclose(encoded, expected, atol=1e-5)


def test_tasks_without_routes_choose_the_prompt_alone(sbert):
    model = SentenceTransformer(str(sbert), device="cpu")
    for task in ("query", "document"):
        np.testing.assert_allclose(
            vectors(f"st:{sbert},task={task}"), getattr(model, f"encode_{task}")(STRINGS), atol=1e-5
        )
    assert not np.allclose(vectors(f"st:{sbert},task=query"), vectors(f"st:{sbert}"), atol=1e-3)
    bare = vectors(f"st:{sbert},task=query,prompt=")  # what the user says stands
    np.testing.assert_allclose(bare, model.encode(STRINGS), atol=1e-5)


def test_a_model_that_must_be_told_the_task_says_so(bert, tmp_path):
    folder = saved(router(bert, allow_empty_key=False), tmp_path)
    with pytest.raises(
        EncoderStop, match="routes texts by task, so write task=query or task=document"
    ):
        vectors(f"st:{folder}")
    assert vectors(f"st:{folder},task=query").shape[1] == 12


@pytest.mark.parametrize(
    ("task", "method"),
    [("", "encode"), (",task=query", "encode_query"), (",task=document", "encode_document")],
)
def test_models_of_many_vectors_give_those_of_their_tokens(task, method, colbert):
    model = MultiVectorEncoder(str(colbert), device="cpu")
    expected = getattr(model, method)(STRINGS, convert_to_numpy=True)
    vectors = make_encoder(f"st:{colbert},pool=none{task},{EXACT}").encode(TEXTS)
    assert vectors.layers[0].shape[1] == 8
    assert np.diff(vectors.spans.sentences).tolist() == [len(e) for e in expected]
    np.testing.assert_allclose(vectors.layers[0], np.concatenate(expected), atol=1e-5)


def test_words_have_the_vectors_of_their_tokens(colbert):
    model = MultiVectorEncoder(str(colbert), device="cpu")
    sentence = Sentence.of(
        ["Dogs", "do", "n't", "like", ",", "cats", "."], "Dogs don't like, cats."
    )
    vectors = make_encoder(f"st:{colbert},pool=none,{EXACT}").encode([sentence])
    inside = model.tokenizer(sentence.text, return_offsets_mapping=True)
    skipped = {model.tokenizer.convert_tokens_to_ids(sign) for sign in ".,"}
    kept = [i for i, number in enumerate(inside["input_ids"]) if number not in skipped]
    for word, (a, b) in zip(sentence.words, vectors.spans.words.tolist(), strict=True):
        start = sentence.text.index(word)
        mine = [
            k
            for k, i in enumerate(kept)
            if inside["offset_mapping"][i][0] < start + len(word)
            and inside["offset_mapping"][i][1] > start
        ]
        assert list(range(a, b)) == mine, word
    # the comma is on the list of what is skipped
    assert vectors.spans.words[4, 0] == vectors.spans.words[4, 1]
    check_encoder(f"st:{colbert},pool=none,{EXACT}", TEXTS)


def test_behind_the_limit_of_a_model_of_many_vectors_there_is_nothing(colbert):
    long = Sentence.of(["cats", "like", "dogs"] * 40)
    vectors = make_encoder(f"st:{colbert},pool=none,{EXACT}").encode([TEXTS[0], long])
    assert vectors.cut.tolist() == [False, True]
    lengths = np.diff(vectors.spans.words[len(TEXTS[0].words) :], axis=1).ravel()
    assert lengths[0] > 0
    assert not lengths[-20:].any()
    expected = MultiVectorEncoder(str(colbert), device="cpu").encode(
        [long.text], convert_to_numpy=True
    )[0]
    np.testing.assert_allclose(vectors.layers[0][vectors.spans.sentences[1] :], expected, atol=1e-5)


def test_a_live_model_of_many_vectors_is_an_encoder(colbert):
    vectors = adapt_encoder(MultiVectorEncoder(str(colbert), device="cpu")).encode(TEXTS)
    assert vectors.spans is not None
    assert len(vectors.layers[0]) == vectors.spans.sentences[-1]


def test_tokens_that_are_put_together_belong_to_no_word(bert, tmp_path):
    model = many(bert)
    model.append(HierarchicalTokenPooling(pool_factor=2))
    folder = saved(model, tmp_path)
    with pytest.raises(EncoderStop, match="puts tokens together"):
        make_encoder(f"st:{folder},pool=none,{EXACT}").encode(TEXTS)


@pytest.mark.parametrize("which", ["fingerprint", "encode"])
def test_what_gives_other_vectors_than_are_asked_for_is_refused_before_work(
    which, colbert, sbert, tmp_path
):
    cross = shutil.copytree(sbert, tmp_path / "cross")
    said = json.loads((cross / "config_sentence_transformers.json").read_text())
    (cross / "config_sentence_transformers.json").write_text(
        json.dumps(said | {"model_type": "CrossEncoder"})
    )
    refused = {
        f"st:{colbert}": "gives one vector for each token; read them with st:.*,pool=none",
        f"st:{sbert},pool=none": (
            "gives one vector for a text; hf:.*,pool=none gives one for each subword"
        ),
        f"st:{cross}": "is a CrossEncoder, which gives no vectors of sentences",
    }
    for reference, message in refused.items():
        with pytest.raises(DataProblem, match=message):
            _ = (
                make_encoder(reference).fingerprint
                if which == "fingerprint"
                else make_encoder(reference).encode(TEXTS)
            )


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("config_sentence_transformers.json", {"model_type": "ColBERT"}),
        ("config.json", {"architectures": ["HF_ColBERT"]}),
    ],
)
def test_models_of_older_libraries_are_known(file, said, tmp_path):
    from lingprobe.encoders.hub import ModelFiles
    from lingprobe.encoders.st import identify_model_class

    (tmp_path / file).write_text(json.dumps(said))
    assert identify_model_class(ModelFiles(tmp_path)) == "MultiVectorEncoder"
    assert identify_model_class(ModelFiles(tmp_path / "nothing")) == "SentenceTransformer"


def test_a_model_that_reads_its_padding_is_read_without(sbert, monkeypatch, caplog):
    import lingprobe.encoders.sentence_models as models

    model = SentenceTransformer(str(sbert), device="cpu")
    original = models.run_modules

    def padded(model, features, way, dtype):
        return original(
            model,
            features | {"attention_mask": torch.ones_like(features["attention_mask"])},
            way,
            dtype,
        )

    monkeypatch.setattr(models, "run_modules", padded)
    encoder = adapt_encoder(model)
    assert encoder.ready.batching == "equal"
    assert "depends on the rest of the batch" in caplog.text
    whole = encoder.encode(TEXTS).layers[0]
    alone = np.concatenate([encoder.encode([s]).layers[0] for s in TEXTS])
    np.testing.assert_allclose(whole, alone, atol=1e-2)
