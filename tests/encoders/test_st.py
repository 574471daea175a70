import numpy as np
import pytest

from lingprobe.data.core import DataProblem, Sentence
from lingprobe.encoders import make_encoder

EXACT = "dtype=float32,device=cpu"


@pytest.fixture(scope="module")
def model(sbert):
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(sbert), device="cpu")


def test_vectors_are_those_of_encode(sbert, model, sentences):
    vectors = make_encoder(f"st:{sbert},{EXACT}").encode(sentences)
    assert np.allclose(vectors.layers[0], model.encode([s.text for s in sentences]), atol=1e-5)
    assert vectors.layers[0].dtype == np.float32
    assert not vectors.cut.any()


def test_prompts(sbert, model, sentences):
    texts = [s.text for s in sentences]
    vectors = make_encoder(f"st:{sbert},prompt=like cats %3A ,{EXACT}").encode(sentences).layers[0]
    assert np.allclose(vectors, model.encode(texts, prompt_name="query"), atol=1e-5)
    assert not np.allclose(vectors, model.encode(texts), atol=1e-3)


def asked(model, texts, prompt=None, tokens=2048):
    from lingprobe.encoders.sentence_models import EncodeSettings, prepare_sentence_model, run_texts

    return run_texts(
        prepare_sentence_model(
            model, "SentenceTransformer", EncodeSettings(prompt), "float32", "it"
        ),
        texts,
        tokens,
    )[0]


def test_the_models_own_default_prompt_is_used(model, sentences):
    texts = [s.text for s in sentences]
    plain = asked(model, texts)
    model.default_prompt_name = "query"
    try:
        vectors = asked(model, texts)
        assert np.allclose(vectors, model.encode(texts), atol=1e-5)
        bare = asked(model, texts, "")
    finally:
        model.default_prompt_name = None
    assert not np.allclose(vectors, plain, atol=1e-3)
    assert np.array_equal(bare, plain)


def test_a_vector_does_not_depend_on_its_batch(sbert, sentences):
    whole = make_encoder(f"st:{sbert},{EXACT}").encode(sentences).layers[0]
    small = make_encoder(f"st:{sbert},{EXACT},tokens=20").encode(sentences[::-1]).layers[0][::-1]
    assert np.allclose(whole, small, atol=1e-5)
    assert np.array_equal(make_encoder(f"st:{sbert},{EXACT}").encode(sentences).layers[0], whole)


def test_long_and_no_sentences(sbert, model):
    long = Sentence.of(["cat"] * 10_000)
    vectors = make_encoder(f"st:{sbert},{EXACT}").encode([Sentence.of(["cat"]), long])
    assert vectors.cut.tolist() == [False, True]
    assert np.allclose(vectors.layers[0], model.encode(["cat", long.text]), atol=1e-5)
    assert make_encoder(f"st:{sbert}").encode([]).layers[0].shape == (0, 24)


def test_models_with_input_of_their_own_go_their_own_way(model, sentences, monkeypatch):
    from lingprobe.encoders.sentence_models import tokenize_texts

    texts = [s.text for s in sentences]
    original = type(model).preprocess

    def louder(self, inputs, prompt=None, **kwargs):
        return original(self, [text + " on and on" for text in inputs], prompt=prompt, **kwargs)

    assert tokenize_texts(model, texts, "", {}) is not None
    monkeypatch.setattr(type(model), "preprocess", louder)
    assert tokenize_texts(model, texts, "", {}) is None
    assert np.allclose(asked(model, texts, tokens=40), model.encode(texts), atol=1e-5)


def test_a_live_model_is_an_encoder(model, sbert, sentences):
    from lingprobe.encoders import adapt_encoder

    encoder = adapt_encoder(model)
    assert np.array_equal(
        encoder.encode(sentences).layers[0],
        make_encoder(f"st:{sbert},device=cpu").encode(sentences).layers[0],
    )
    before = encoder.fingerprint
    assert adapt_encoder(model).fingerprint == before
    with __import__("torch").no_grad():
        weight = model[2].linear.weight
        weight[0, 0] += 1
        changed = adapt_encoder(model).fingerprint
        weight[0, 0] -= 1
    assert changed != before


def test_truncated_dimensions(model, sentences):
    model.truncate_dim = 5
    try:
        vectors = asked(model, [s.text for s in sentences])
        assert np.allclose(vectors, model.encode([s.text for s in sentences]), atol=1e-5)
        assert vectors.shape[1] == 5
    finally:
        model.truncate_dim = None


def test_minilm_is_found_in_the_package_that_carries_it(minilm, sentences, tmp_path, monkeypatch):
    from sentence_transformers import SentenceTransformer

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    named, by_path = (
        make_encoder(f"st:all-MiniLM-L6-v2,{EXACT}"),
        make_encoder(f"st:{minilm},{EXACT}"),
    )
    assert named.fingerprint == by_path.fingerprint
    reference = SentenceTransformer(str(minilm), device="cpu").encode([s.text for s in sentences])
    assert np.abs(named.encode(sentences).layers[0] - reference).max() <= 1e-5
    half = make_encoder("st:all-MiniLM-L6-v2,dtype=bfloat16,device=cpu").encode(sentences).layers[0]
    cosine = (half * reference).sum(1) / np.linalg.norm(half, axis=1)
    assert cosine.min() >= 0.999
    mean = make_encoder(f"hf:{minilm},{EXACT}").encode(sentences).layers[0]
    assert np.allclose(mean / np.linalg.norm(mean, axis=1, keepdims=True), reference, atol=1e-5)


def test_a_missing_model_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(DataProblem, match="nothing-of-that-name"):
        make_encoder("st:nothing-of-that-name").encode([])


def test_truncated_dimensions_are_an_option(sbert, sentences):
    from sentence_transformers import SentenceTransformer

    texts = [s.text for s in sentences]
    theirs = SentenceTransformer(str(sbert), device="cpu", truncate_dim=5).encode(texts)
    encoder = make_encoder(f"st:{sbert},truncate_dim=5,{EXACT}")
    ours = encoder.encode(sentences).layers[0]
    assert ours.shape == (len(sentences), 5)
    assert np.allclose(ours, theirs, atol=1e-5)
    assert encoder.name.endswith(",truncate_dim=5")
    with pytest.raises(DataProblem, match="truncate_dim=99, and its vectors have 24 dimensions"):
        make_encoder(f"st:{sbert},truncate_dim=99,{EXACT}").encode(sentences)
    with pytest.raises(DataProblem, match="at least one"):
        make_encoder(f"st:{sbert},truncate_dim=0").fingerprint  # noqa: B018
