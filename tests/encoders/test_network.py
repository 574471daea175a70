import types

import numpy as np
import pytest
import torch
from tokenisers import Slow

from lingprobe.data.core import DataProblem, Sentence
from lingprobe.encoders import make_encoder
from lingprobe.encoders.forward import ForwardPass
from lingprobe.encoders.frames import DEFAULT_PROMPT_FRAME
from lingprobe.encoders.hub import ModelSource
from lingprobe.encoders.network import LoadedModel, WeightSettings, load_network
from lingprobe.testing import check_encoder

EXACT = "dtype=float32,device=cpu"
SMALL = {
    "vocab_size": 50,
    "num_attention_heads": 2,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
}
POSITIONS = {"max_position_embeddings": 40}


def network(model: torch.nn.Module) -> LoadedModel:
    tokenizer = types.SimpleNamespace(model_max_length=40, pad_token_id=0)
    return LoadedModel(model.eval(), tokenizer, "cpu", "float32")


def built(name: str, **settings) -> torch.nn.Module:
    import transformers

    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = getattr(transformers, f"{name}Model")(
            getattr(transformers, f"{name}Config")(**settings)
        )
        for weights in model.parameters():  # so that norms and biases show
            torch.nn.init.normal_(weights, 0.1, 0.5)
    return model


MODELS = {
    "Bert": SMALL | POSITIONS,
    "Roberta": SMALL | POSITIONS,
    "Electra": SMALL | POSITIONS | {"embedding_size": 8},
    "Albert": SMALL | POSITIONS | {"embedding_size": 8},
    "MPNet": SMALL | POSITIONS,
    "DistilBert": (
        {
            "vocab_size": 50,
            "n_heads": 2,
            "dim": 16,
            "hidden_dim": 24,
            "n_layers": 2,
            "sinusoidal_pos_embds": True,
        }
        | POSITIONS
    ),
    "DebertaV2": (
        SMALL
        | POSITIONS
        | {
            "relative_attention": True,
            "pos_att_type": ["c2p"],
            "position_biased_input": True,
        }
    ),
    "ModernBert": SMALL | POSITIONS | {"pad_token_id": 0, "reference_compile": False},
    "GPT2": {"vocab_size": 50, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 40},
    "Llama": SMALL | POSITIONS,
    "OPT": (
        {
            "vocab_size": 50,
            "hidden_size": 16,
            "ffn_dim": 24,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "word_embed_proj_dim": 16,
        }
        | POSITIONS
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_lexical_vectors_know_neither_place_nor_neighbours(name):
    made = network(built(name, **MODELS[name]))
    ids = np.array([7, 3, 3, 9, 7])
    lexical = made.lexical(ids)
    assert lexical.shape == (5, 16)
    assert np.array_equal(lexical[0], lexical[4])
    assert np.array_equal(lexical[1:3], np.stack([lexical[1]] * 2))
    assert not np.allclose(lexical[0], lexical[1])
    # whatever is asked beside
    np.testing.assert_allclose(
        network(made.model).lexical(np.array([9, 3])), lexical[[3, 1]], atol=1e-6
    )
    before = [w.clone() for w in made.model.parameters()]
    made.lexical(np.arange(4, 40))
    assert all(torch.equal(a, b) for a, b in zip(before, made.model.parameters(), strict=True))


def test_of_bert_they_are_word_embeddings_and_their_norm():
    model = built("Bert", **MODELS["Bert"])
    ids = torch.arange(4, 30)
    with torch.no_grad():
        expected = model.embeddings.LayerNorm(model.embeddings.word_embeddings(ids))
    np.testing.assert_allclose(network(model).lexical(ids.numpy()), expected.numpy(), atol=1e-6)


def test_of_gpt_they_are_word_embeddings_and_of_llama_layer_0():
    for name, table in (("GPT2", "wte"), ("Llama", "embed_tokens")):
        model = built(name, **MODELS[name])
        np.testing.assert_allclose(
            network(model).lexical(np.arange(50)),
            getattr(model, table).weight.detach().numpy(),
            atol=1e-6,
        )


def test_a_model_whose_places_cannot_be_taken_away_is_refused():
    model = built("Bert", **MODELS["Bert"])
    table = torch.randn(40, 16)
    model.embeddings.LayerNorm.register_forward_hook(
        lambda _m, _i, out: out + table[: out.shape[1]]
    )
    with pytest.raises(DataProblem, match="token and position embeddings cannot be separated"):
        network(model).lexical(np.arange(5))


@pytest.mark.parametrize("family", ["bert", "gpt"])
@pytest.mark.parametrize("pool", ["none", "mean"])
def test_lex_is_a_layer_like_any_other(family, pool, sentences, request):
    folder = request.getfixturevalue(family)
    encoder = make_encoder(f"hf:{folder},layers=lex+all,pool={pool},{EXACT}")
    vectors = encoder.encode(sentences)
    depth = {"bert": 3, "gpt": 2}[family]
    assert vectors.names == ("lex", *map(str, range(depth + 1)))
    assert encoder.base == make_encoder(f"hf:{folder},layers=last,pool={pool},{EXACT}").base
    without = make_encoder(f"hf:{folder},layers=all,pool={pool},{EXACT}").encode(sentences)
    for name in without.names:
        assert np.array_equal(vectors.layer(name), without.layer(name))
    assert not np.allclose(vectors.layer("lex"), vectors.layer("0"))
    check_encoder(f"hf:{folder},layers=lex+0,pool={pool},{EXACT}", sentences[:-1])


def test_the_same_word_has_the_same_lexical_vector_everywhere(bert):
    sentence = Sentence.of(["cats", "like", "cats", "and", "cats"])
    vectors = make_encoder(f"hf:{bert},layers=lex+0,pool=none,{EXACT}").encode([sentence])
    first, third, fifth = vectors.spans.words[[0, 2, 4]]
    units = [vectors.layer("lex")[a:b] for a, b in (first, third, fifth)]
    assert np.array_equal(units[0], units[1])
    assert np.array_equal(units[0], units[2])
    assert not np.allclose(vectors.layer("0")[slice(*first)], vectors.layer("0")[slice(*third)])


def test_nothing_is_run_for_lex_alone(bert, sentences, monkeypatch):
    encoder = make_encoder(f"hf:{bert},layers=lex+1,pool=none,{EXACT}")
    expected = encoder.encode(sentences)
    monkeypatch.setattr(
        LoadedModel, "hidden_states", lambda *_, **__: pytest.fail("the model was run")
    )
    vectors = make_encoder(f"hf:{bert},layers=lex,pool=none,{EXACT}").encode(sentences)
    assert np.array_equal(vectors.layers[0], expected.layer("lex"))


# weights that are drawn


@pytest.mark.parametrize("family", ["bert", "gpt"])
@pytest.mark.parametrize("weights", ["random", "orthonormal"])
def test_drawn_weights_follow_their_seed_and_leave_the_global_one_alone(
    family, weights, sentences, request
):
    folder = request.getfixturevalue(family)

    def of(seed):
        load_network.cache_clear()
        return (
            make_encoder(f"hf:{folder},weights={weights},seed={seed},layers=all,{EXACT}")
            .encode(sentences)
            .layers[-1]
        )

    torch.manual_seed(5)
    state = torch.get_rng_state()
    one = of(7)  # the models of these tests were drawn with 0
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(6)
    assert np.array_equal(of(7), one)
    assert not np.allclose(of(8), one)
    assert not np.allclose(
        make_encoder(f"hf:{folder},layers=all,{EXACT}").encode(sentences).layers[-1], one
    )
    assert np.isfinite(one).all()


def test_what_is_below_the_first_layer_can_stay_as_it_was_trained(bert, sentences):
    trained, paper, bare = (
        make_encoder(f"hf:{bert},layers=lex+all,pool=none,{more}{EXACT}").encode(sentences)
        for more in ("", "weights=orthonormal,", "weights=orthonormal,lexical=drawn,seed=7,")
    )
    for name in ("lex", "0"):
        np.testing.assert_allclose(paper.layer(name), trained.layer(name), atol=1e-6)
        assert not np.allclose(bare.layer(name), trained.layer(name), atol=1e-2)
    assert not np.allclose(paper.layer("1"), trained.layer("1"), atol=1e-2)
    kept = make_encoder(
        f"hf:{bert},layers=0,pool=none,weights=random,lexical=trained,{EXACT}"
    ).encode(sentences)
    np.testing.assert_allclose(kept.layers[0], trained.layer("0"), atol=1e-6)
    assert not np.allclose(
        make_encoder(f"hf:{bert},layers=0,pool=none,weights=random,seed=7,{EXACT}")
        .encode(sentences)
        .layers[0],
        trained.layer("0"),
    )


@pytest.mark.parametrize("family", ["bert", "gpt"])
def test_every_matrix_above_the_embeddings_is_orthonormal(family, request):
    model = load_network(
        ModelSource(str(request.getfixturevalue(family))),
        "cpu",
        "float32",
        WeightSettings("orthonormal", 3),
    ).model
    matrices = {
        n: w.detach()
        for n, w in model.named_parameters()
        if w.ndim == 2 and ("layer" in n or "h." in n)
    }
    assert len(matrices) > 7
    for name, weights in matrices.items():
        small = weights if weights.shape[0] <= weights.shape[1] else weights.T
        assert torch.allclose(small @ small.T, torch.eye(len(small)), atol=1e-4), name
    biases = [
        w
        for n, w in model.named_parameters()
        if n.endswith("bias") and ("layer." in n or "h." in n)
    ]
    assert not any(b.any() for b in biases)


def test_networks_of_other_weights_are_other_encoders(bert):
    made = [
        make_encoder(f"hf:{bert}{more}")
        for more in (
            "",
            ",weights=random",
            ",weights=random,seed=1",
            ",weights=random,lexical=trained",
            ",weights=orthonormal",
        )
    ]
    assert len({encoder.base for encoder in made}) == len(made)
    assert made[1].name.endswith("weights=random")
    assert make_encoder(f"hf:{bert},seed=4").base == made[0].base  # nothing is drawn
    assert make_encoder(f"hf:{bert},weights=orthonormal,lexical=trained").base == made[4].base


# other architectures, end to end


@pytest.fixture(scope="module")
def translator(bert, tmp_path_factory):
    """A model with an encoder and a decoder, of which the encoder is read: T5's, whose distances
    are relative.
    """
    import shutil

    from transformers import T5Config, T5Model

    folder = shutil.copytree(bert, tmp_path_factory.mktemp("t5") / "model")
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 24, "num_layers": 2, "num_heads": 2}
    with torch.random.fork_rng():
        torch.manual_seed(1)
        T5Model(T5Config(vocab_size=200, **sizes)).save_pretrained(str(folder))
    return folder


def test_of_an_encoder_and_a_decoder_the_encoder_is_read(translator, sentences):
    trained, drawn = (
        make_encoder(f"hf:{translator},layers=lex+all,pool=none,weights={weights},{EXACT}").encode(
            sentences
        )
        for weights in ("trained", "orthonormal")
    )
    assert trained.names == ("lex", "0", "1", "2")
    assert np.allclose(trained.layer("lex"), trained.layer("0"), atol=1e-5)
    assert np.allclose(trained.layer("0"), drawn.layer("0"), atol=1e-5)
    assert not np.allclose(trained.layer("1"), drawn.layer("1"), atol=1e-2)


def test_a_tokeniser_without_offsets_reaches_the_layers():
    made = LoadedModel(built("Bert", **MODELS["Bert"]).eval(), Slow(), "cpu", "float32")
    found = ForwardPass(made, DEFAULT_PROMPT_FRAME, True, 100).run(
        [Sentence.of(["letters", "q", "and"]), Sentence.of(["and"])],
        [("lex", "none"), ("2", "none")],
    )
    assert found.spans.sentences.tolist() == [0, 6, 9]
    assert found.spans.words.tolist() == [[1, 4], [0, 0], [4, 5], [7, 8]]
    assert np.array_equal(found.layers[0][4], found.layers[0][7])
    assert not np.allclose(found.layers[1][4], found.layers[1][7])


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("Mpt", {"max_seq_len": 24}),
        ("Gemma3", {"text_config": {"max_position_embeddings": 24}}),
        ("Llava", {"text_config": {"model_type": "llama", "max_position_embeddings": 24}}),
        ("Qwen2_5_VL", {"text_config": {"max_position_embeddings": 24}}),
    ],
)
def test_the_limit_is_that_of_the_part_that_reads_text(name, settings):
    import transformers

    config = getattr(transformers, f"{name}Config")(**settings)
    tokenizer = types.SimpleNamespace(model_max_length=10**30)
    found = LoadedModel(types.SimpleNamespace(config=config), tokenizer, "cpu", "float32")
    assert found.limit == 24
