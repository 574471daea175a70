import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from lingprobe.data.core import DataProblem, LayeredEncoder, Sentence
from lingprobe.encoders import ENCODERS, make_encoder
from lingprobe.encoders.hf import count_model_layers
from lingprobe.encoders.layers import layer_names

EXACT = "dtype=float32,device=cpu"


def by_hand(folder: Path, text: str) -> list[np.ndarray]:
    """Hidden states [tokens, dim] of one text, layer by layer, without batches or padding."""
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder).eval()
    made = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.no_grad():
        return [h[0].numpy() for h in model(**made, output_hidden_states=True).hidden_states]


@pytest.mark.parametrize("pool", ["mean", "rest", "max", "cls", "last"])
@pytest.mark.parametrize("family", ["bert", "gpt"])
def test_pooling_is_over_real_tokens(family, pool, sentences, request):
    folder = request.getfixturevalue(family)
    encoder = make_encoder(f"hf:{folder},layers=all,pool={pool},{EXACT}")
    vectors = encoder.encode(sentences)
    for i, sentence in enumerate(sentences[:-1]):
        for layer, states in zip(vectors.layers, by_hand(folder, sentence.text), strict=True):
            expected = {
                "mean": states.mean(0),
                "rest": states[1:].mean(0) if len(states) > 1 else states[0],
                "max": states.max(0),
                "cls": states[0],
                "last": states[-1],
            }[pool]
            assert np.allclose(layer[i], expected, atol=2e-4), (i, pool)


@pytest.mark.parametrize("family", ["bert", "gpt"])
def test_a_vector_does_not_depend_on_its_batch(family, sentences, request):
    folder = request.getfixturevalue(family)
    whole = make_encoder(f"hf:{folder},{EXACT}").encode(sentences).layers[0]
    small = make_encoder(f"hf:{folder},{EXACT},tokens=20").encode(sentences[::-1]).layers[0][::-1]
    assert np.allclose(whole, small, atol=1e-4)
    assert np.array_equal(make_encoder(f"hf:{folder},{EXACT}").encode(sentences).layers[0], whole)


def test_layers_are_slots_and_one_pass_fills_several(bert, sentences):
    encoder = make_encoder(f"hf:{bert},layers=all,{EXACT}")
    assert isinstance(encoder, LayeredEncoder)
    assert encoder.slots == ("0.mean", "1.mean", "2.mean", "3.mean")
    assert encoder.base == make_encoder(f"hf:{bert},layers=2,pool=max,{EXACT}").base
    asked = encoder.asking(("3.mean", "1.max", "3.cls")).encode(sentences)
    for layer, (n, pool) in zip(
        asked.layers, [("3", "mean"), ("1", "max"), ("3", "cls")], strict=True
    ):
        assert np.allclose(
            layer,
            make_encoder(f"hf:{bert},layers={n},pool={pool},{EXACT}").encode(sentences).layers[0],
            atol=1e-5,
        )
    assert encoder.encode(sentences).names == ("0", "1", "2", "3")
    assert make_encoder(f"hf:{bert},layers=penultimate").slots == ("2.mean",)


def test_pieces_and_sentences_are_kept_apart(bert):
    encoder = make_encoder(f"hf:{bert},pool=none")
    assert encoder.base != make_encoder(f"hf:{bert}").base
    with pytest.raises(ValueError, match="different units"):
        encoder.asking(("1.none", "1.mean"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("last", "12"),
        ("penultimate", "11"),
        ("0", "0"),
        ("3-5", "3 4 5"),
        ("0+12", "0 12"),
        ("0-2+7", "0 1 2 7"),
        ("lex", "lex"),
        ("lex+0-1", "lex 0 1"),
        ("last+lex+12", "12 lex"),
    ],
)
def test_layers_can_be_written(text, names):
    assert layer_names(text, 12) == tuple(names.split())
    assert layer_names("lex+all", 2) == ("lex", "0", "1", "2")
    assert layer_names("every:8", 32) == ("0", "8", "16", "24", "32")
    assert layer_names("lex+every:5", 12) == ("lex", "0", "5", "10", "12")


@pytest.mark.parametrize(
    "text",
    ["13", "x", "5-3", "-1", "1+", "0-13", "lex+13", "lexx", "", "every:0", "every:", "every:x"],
)
def test_layers_that_are_none_are_refused(text):
    with pytest.raises(DataProblem, match="layers="):
        layer_names(text, 12)


def test_a_depth_that_transformers_counts_is_asked_of_it(tmp_path):
    blocks = ["mamba", "attention", "moe"]
    said = {"model_type": "nemotron_h", "layers_block_type": blocks}
    (tmp_path / "config.json").write_text(json.dumps(said))
    assert make_encoder(f"hf:{tmp_path}").depth == len(blocks)


def test_depth_is_read_from_the_configuration():
    assert count_model_layers({"num_hidden_layers": 6}) == 6
    assert count_model_layers({"encoder_layers": 4, "num_hidden_layers": 9}) == 4
    assert count_model_layers({"text_config": {"num_hidden_layers": 7}}) == 7
    assert count_model_layers({}) is None


def test_special_tokens_can_be_left_out(bert, sentences):
    with_, without = (
        make_encoder(f"hf:{bert},special={s},{EXACT}").encode(sentences).layers[0]
        for s in ("true", "false")
    )
    states = by_hand(bert, sentences[0].text)[-1]
    assert np.allclose(with_[0], states.mean(0), atol=1e-4)
    assert np.allclose(without[0], states[1:-1].mean(0), atol=1e-4)
    assert not without[-1].any()  # an empty sentence has no tokens but the special ones


@pytest.mark.parametrize("family", ["bert", "gpt"])
def test_pieces_are_aligned_to_words(family, sentences, request):
    folder = request.getfixturevalue(family)
    special = int(family == "bert")
    vectors = make_encoder(f"hf:{folder},pool=none,special=true,{EXACT}").encode(sentences)
    spans = vectors.spans
    assert spans.first_word.tolist() == [0, *np.cumsum([len(s.words) for s in sentences]).tolist()]
    for i, sentence in enumerate(sentences[:-1]):
        states = by_hand(folder, " ".join(sentence.words))[-1]
        assert np.allclose(
            vectors.layers[0][spans.sentences[i] : spans.sentences[i + 1]], states, atol=2e-4
        )
        words = spans.words[spans.first_word[i] : spans.first_word[i + 1]] - spans.sentences[i]
        assert (words[:, 1] > words[:, 0]).all()
        assert words[0, 0] == special
        assert words[-1, 1] == len(states) - special
        assert (words[1:, 0] >= words[:-1, 1]).all()
    assert spans.sentences[-1] - spans.sentences[-2] == 2 * special  # the empty sentence


@pytest.mark.parametrize("family", ["bert", "gpt"])
def test_added_tokens_are_no_pieces_unless_asked_for(family, sentences, request):
    folder = request.getfixturevalue(family)
    special = int(family == "bert")
    with_, without = (
        make_encoder(f"hf:{folder},pool=none,{more}{EXACT}").encode(sentences)
        for more in ("special=true,", "")
    )
    bare = make_encoder(f"hf:{folder},pool=none,special=false,{EXACT}")
    assert (
        bare.base
        == make_encoder(f"hf:{folder},pool=none").base
        != make_encoder(f"hf:{folder},pool=none,special=true").base
    )
    for i, sentence in enumerate(sentences[:-1]):
        own = slice(*without.spans.sentences[i : i + 2])
        inner = slice(with_.spans.sentences[i] + special, with_.spans.sentences[i + 1] - special)
        assert np.array_equal(without.layers[0][own], with_.layers[0][inner])
        words = without.spans.words[without.spans.first_word[i] : without.spans.first_word[i + 1]]
        assert words[0, 0] == own.start, sentence
        assert words[-1, 1] == own.stop
    assert without.spans.sentences[-1] == without.spans.sentences[-2]  # the empty sentence has none
    assert np.array_equal(
        make_encoder(f"hf:{folder},{EXACT}").encode(sentences).layers[0],
        make_encoder(f"hf:{folder},special=true,{EXACT}").encode(sentences).layers[0],
    )


RAW = [
    Sentence.of(["She", "do", "n't", "sit", "."], "She don't sit."),
    Sentence.of(["Je", "parle", "de", "le", "chat", "."], "Je parle du chat."),
    Sentence.of(["Dogs", ",", "cats"], "Dogs, cats"),
]


@pytest.mark.parametrize("family", ["bert", "gpt"])
def test_words_are_found_in_the_raw_text(family, request):
    folder = request.getfixturevalue(family)
    vectors = make_encoder(f"hf:{folder},pool=none,text=raw,special=true,{EXACT}").encode(RAW)
    for i, sentence in enumerate(RAW):
        states = by_hand(folder, sentence.text)[-1]
        assert np.allclose(
            vectors.layers[0][slice(*vectors.spans.sentences[i : i + 2])], states, atol=2e-4
        )
    du = vectors.spans.words[7:9] - vectors.spans.sentences[1]
    assert np.array_equal(du[0], du[1])  # both are what `du` is
    assert (
        make_encoder(f"hf:{folder},pool=none,text=raw").base
        != make_encoder(f"hf:{folder},pool=none").base
    )
    # whole sentences are read raw in any case
    assert make_encoder(f"hf:{folder},text=raw").base == make_encoder(f"hf:{folder}").base


def test_pieces_are_the_words_own_characters(gpt):
    # byte-level pieces of letters outside ASCII: whole words, nothing lost and nothing shifted
    from transformers import AutoTokenizer

    words = ["café", "”", "日本", "語", "I"]
    tokenizer = AutoTokenizer.from_pretrained(gpt)
    ids = tokenizer(" ".join(words))["input_ids"]
    spans = make_encoder(f"hf:{gpt},pool=none,{EXACT}").encode([Sentence.of(words)]).spans
    assert [tokenizer.decode(ids[a:b]).strip() for a, b in spans.words.tolist()] == words


def test_cut_sentences_are_flagged_and_their_words_have_no_pieces(bert, sentences):
    long = Sentence.of(["cat"] * 10_000)
    assert make_encoder(f"hf:{bert},{EXACT}").encode([long, sentences[0]]).cut.tolist() == [
        True,
        False,
    ]
    vectors = make_encoder(f"hf:{bert},pool=none,{EXACT}").encode([long, sentences[0]])
    assert vectors.cut.tolist() == [True, False]
    lengths = vectors.spans.words[:, 1] - vectors.spans.words[:, 0]
    assert (lengths[:20] > 0).all()
    assert not lengths[100:10_000].any()


def test_prompts_come_first(bert, sentences):
    vectors = make_encoder(f"hf:{bert},prompt=like cats ,{EXACT}").encode(sentences[:2]).layers[0]
    assert np.allclose(
        vectors[0], by_hand(bert, "like cats " + sentences[0].text)[-1].mean(0), atol=1e-4
    )
    spans = (
        make_encoder(f"hf:{bert},prompt=like cats ,pool=none,{EXACT}").encode(sentences[:1]).spans
    )
    bare = make_encoder(f"hf:{bert},pool=none,{EXACT}").encode(sentences[:1]).spans
    shift = spans.words[:, 0] - bare.words[:, 0]
    assert shift.min() == shift.max() > 0


def test_nothing_to_encode(bert):
    vectors = make_encoder(f"hf:{bert},layers=all").encode([])
    assert [layer.shape for layer in vectors.layers] == [(0, 32)] * 4
    vectors = make_encoder(f"hf:{bert},pool=none").encode([])
    assert vectors.sentences == 0


def test_empty_text_of_a_model_without_special_tokens_is_zero(gpt):
    assert not make_encoder(f"hf:{gpt}").encode([Sentence((), "")]).layers[0].any()
    mixed = make_encoder(f"hf:{gpt}").encode([Sentence((), ""), Sentence.of(["cat"])]).layers[0]
    assert mixed[1].any()
    assert not mixed[0].any()


def test_half_precision_is_near_and_part_of_the_identity(bert, sentences):
    exact, half = (
        make_encoder(f"hf:{bert},{EXACT}"),
        make_encoder(f"hf:{bert},dtype=bfloat16,device=cpu"),
    )
    assert exact.fingerprint != half.fingerprint
    a, b = exact.encode(sentences).layers[0], half.encode(sentences).layers[0]
    cosine = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert cosine.min() > 0.99
    assert not np.array_equal(a, b)


def test_fingerprint_follows_the_files(bert, tmp_path):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(bert, copy)
    same, changed = make_encoder(f"hf:{copy}").fingerprint, copy / "config.json"
    assert same == make_encoder(f"hf:{bert}").fingerprint
    changed.write_text(changed.read_text() + " ")
    assert make_encoder(f"hf:{copy}").fingerprint != same


def test_planning_imports_nothing_heavy(bert):
    code = (
        f"import sys; from lingprobe.encoders import ENCODERS, make_encoder; e ="
        f" make_encoder('hf:{bert},layers=all'); e.fingerprint; e.slots;"
        " ENCODERS.canonical('st:all-MiniLM-L6-v2'); [make_encoder(r) for r in ('st:x',"
        " 'untrained:bilstm-max', 'bow:random', 'length', 'npz:a', 'static:b')]; print([m for m in"
        " ('torch', 'transformers', 'sklearn', 'sentence_transformers', 'pyarrow', 'gensim') if m"
        " in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_revision_is_read_from_the_cache(bert, tmp_path, monkeypatch):
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "hub" / "models--some--model"
    (repository / "snapshots").mkdir(parents=True)
    (repository / "snapshots" / commit).symlink_to(bert)
    for name in ("main", "v1"):
        (repository / "refs").mkdir(exist_ok=True)
        (repository / "refs" / name).write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    for reference in ("hf:some/model", "hf:some/model@v1", f"hf:some/model@{commit}"):
        assert f"commit={commit}" in make_encoder(reference).fingerprint
    assert make_encoder(ENCODERS.canonical("hf:some/model@v1")).model == "some/model@v1"
    assert make_encoder("hf:some/model,layers=all,dtype=float32").encode(
        [Sentence.of(["cat"])]
    ).layers[0].shape == (1, 32)


def test_models_of_sentence_transformers_go_by_their_bare_names(bert, tmp_path, monkeypatch):
    commit = "0123456789abcdef0123456789abcdef01234567"
    for name in ("sentence-transformers--ours", "ours-too", "sentence-transformers--ours-too"):
        repository = tmp_path / f"models--{name}"
        (repository / "snapshots").mkdir(parents=True)
        (repository / "snapshots" / commit).symlink_to(bert)
        (repository / "refs").mkdir()
        (repository / "refs" / "main").write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    assert "sentence-transformers--ours" in str(make_encoder("hf:ours").files.folder)
    # the name as it is written comes first
    assert "models--ours-too" in str(make_encoder("hf:ours-too").files.folder)


@pytest.mark.parametrize("name", ["nobody/nothing", "nobody/nothing@v2", "/no/such/folder"])
def test_a_missing_model_is_one_sentence(name, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(DataProblem) as caught:
        make_encoder(f"hf:{name}").encode([])
    assert "\n" not in str(caught.value)
    assert name.partition("@")[0] in str(caught.value)


def test_folders_without_a_model_are_named(tmp_path):
    with pytest.raises(DataProblem, match=r"no readable config\.json"):
        make_encoder(f"hf:{tmp_path}").encode([])
    (tmp_path / "config.json").write_text('{"num_hidden_layers": 2, "model_type": "bert"}')
    with pytest.raises(DataProblem, match="has no tokenizer"):
        make_encoder(f"hf:{tmp_path}").encode([Sentence.of(["a"])])


@pytest.mark.parametrize("kind", ["hf", "st"])
def test_threads_change_nothing(kind, bert, sbert, sentences):
    # hidden states of batches that run side by side are not mixed up, and torch's threads are given
    # back
    encoder = make_encoder(
        f"hf:{bert},layers=all,tokens=30,{EXACT}"
        if kind == "hf"
        else f"st:{sbert},tokens=30,{EXACT}"
    )
    many = [Sentence.of([*s.words, str(i)]) for i in range(12) for s in sentences]
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        side_by_side = encoder.encode(many).layers
        assert torch.get_num_threads() == 4
        torch.set_num_threads(1)
        one_by_one = encoder.encode(many).layers
    finally:
        torch.set_num_threads(before)
    for a, b in zip(side_by_side, one_by_one, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize(("kind", "copies"), [("Llama", 3), ("Bert", 4)])
def test_word_embeddings_and_layer_0_are_kept_once_where_places_are_rotated(
    kind, copies, bert, sentences, tmp_path
):
    import transformers
    from transformers import AutoTokenizer

    from lingprobe.experiment.embed import embed_sentences, load_vectors
    from lingprobe.store.vectors import VectorStore

    tokenizer = AutoTokenizer.from_pretrained(bert)
    tokenizer.save_pretrained(tmp_path / "model")
    sizes = {
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 48,
        "max_position_embeddings": 64,
    }
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=len(tokenizer), pad_token_id=0, **sizes
    )
    with torch.random.fork_rng():
        getattr(transformers, f"{kind}Model")(config).save_pretrained(tmp_path / "model")
    encoder, store = (
        make_encoder(f"hf:{tmp_path / 'model'},layers=lex+all,pool=none,{EXACT}"),
        VectorStore(tmp_path / "store"),
    )
    many = [Sentence.of([*s.words, str(i)]) for i in range(8) for s in sentences]
    embed_sentences(encoder, many, store, "key")
    encoded = load_vectors(encoder, many, store, "key")
    assert encoded.names == ("lex", "0", "1", "2")
    assert np.shares_memory(encoded.layer("lex"), encoded.layer("0")) == (kind == "Llama")
    written = sum(file.stat().st_size for file in (tmp_path / "store").rglob("*.vectors"))
    assert written // encoded.layer("0").nbytes == copies


def with_a_token(folder, target, **added):
    """A model whose tokenizer got a token that its table has no row for."""
    import shutil

    from transformers import AutoTokenizer

    shutil.copytree(folder, target)
    made = AutoTokenizer.from_pretrained(target)
    made.add_special_tokens(added)
    made.save_pretrained(target)
    return target


def test_a_token_to_pad_with_may_be_beyond_the_vocabulary(gpt, sentences, tmp_path):
    padded = with_a_token(gpt, tmp_path / "padded", pad_token="[PAD]")
    plain, other = (
        make_encoder(f"hf:{folder},layers=all,{EXACT}").encode(sentences)
        for folder in (gpt, padded)
    )
    for one, same in zip(plain.layers, other.layers, strict=True):
        assert np.array_equal(one, same)


def test_a_token_that_the_model_does_not_know_is_named(gpt, tmp_path):
    folder = with_a_token(gpt, tmp_path / "wider", additional_special_tokens=["[NEW]"])
    encoder = make_encoder(f"hf:{folder},{EXACT}")
    assert encoder.encode([Sentence.of(["cats"])]).layers[0].shape == (1, 32)
    with pytest.raises(
        DataProblem, match="the tokenizer gives the token 400, and the model knows 400"
    ):
        encoder.encode([Sentence.of(["[NEW]"])])
