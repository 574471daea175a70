"""ELMo against a plain loop over characters, words and layers."""

import json

import numpy as np
import pytest

from extensions.archive.plain import mixed, sigmoid
from fixtures.models import SENTENCES
from fixtures.published import ELMO, FULL, elmo
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.encoders import ENCODERS
from lingprobe_extensions.archive.elmo import _PADDING, character_ids
from lingprobe_extensions.archive.elmo_shape import read_elmo_shape

h5py = pytest.importorskip("h5py")
LONG = Sentence.of(("antidisestablishmentarianism", "żółć", "a"))
TEXTS = [*SENTENCES[:8], LONG]


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return elmo(tmp_path_factory.mktemp("elmo"))


def encoder(file, **options):
    rest = "".join(f",{key}={value}" for key, value in options.items())
    return ENCODERS.make(f"elmo:{file}{rest}")


def word_plainly(file, letters, options):
    """What the character network makes of one word, by its characters."""
    cnn = options["char_cnn"]
    longest = cnn["max_characters_per_token"]
    ids = [258, *letters[: longest - 2], 259]
    ids += [260] * (longest - len(ids))
    read = file["char_embed"][...].astype(np.float64)[ids]
    parts = []
    for i, (width, _) in enumerate(cnn["filters"]):
        kernel, bias = file[f"CNN/W_cnn_{i}"][0].astype(np.float64), file[f"CNN/b_cnn_{i}"][...]
        windows = [read[at : at + width] for at in range(longest - width + 1)]
        parts.append(max_over([np.einsum("wd,wdn->n", w, kernel) + bias for w in windows]))
    states = np.maximum(np.concatenate(parts), 0)
    for i in range(cnn["n_highway"]):
        high = file[f"CNN_high_{i}"]
        gate = sigmoid(states @ high["W_carry"][...] + high["b_carry"][...])
        new = np.maximum(states @ high["W_transform"][...] + high["b_transform"][...], 0)
        states = gate * new + (1 - gate) * states
    return states @ file["CNN_proj/W_proj"][...] + file["CNN_proj/b_proj"][...]


def max_over(rows):
    return np.max(np.array(rows), 0)


def lstm_plainly(cell, words, skip, options):
    """One LSTM with clipped memory and clipped projection, from a state of zeros."""
    lstm = options["lstm"]
    memory, state, made = np.zeros(lstm["dim"]), np.zeros(lstm["projection_dim"]), []
    for word in words:
        gates = np.concatenate([word, state]) @ cell["W_0"][...].astype(np.float64) + cell["B"][...]
        take, new, keep, give = np.split(gates, 4)
        memory = sigmoid(keep + 1) * memory + sigmoid(take) * np.tanh(new)
        memory = np.clip(memory, -lstm["cell_clip"], lstm["cell_clip"])
        state = (sigmoid(give) * np.tanh(memory)) @ cell["W_P_0"][...]
        state = np.clip(state, -lstm["proj_clip"], lstm["proj_clip"])
        made.append(state + word if skip else state)
    return made


def plainly(weights, sentence, options=ELMO):
    """Layers 0, 1 and 2 of a sentence's words."""
    with h5py.File(weights, "r") as file:
        letters = [[256], *(list(w.encode()) for w in sentence.words), [257]]
        words = [word_plainly(file, each, options) for each in letters]
        low = np.array(words[1:-1])
        layers = [np.concatenate([low, low], 1)]
        ways = [words, words[::-1]]
        for layer in range(2):
            for way in (0, 1):
                cell = file[f"RNN_{way}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"]
                ways[way] = lstm_plainly(cell, ways[way], layer > 0, options)
            layers.append(np.concatenate([ways[0][1:-1], ways[1][::-1][1:-1]], 1))
    return layers


def test_layers_are_those_of_a_plain_loop_in_any_batch_and_order(weights):
    each = encoder(weights, layers="lex+all", pool="none")
    for sentences in (TEXTS, mixed(TEXTS)[0], *[[s] for s in TEXTS]):
        vectors = each.encode(sentences)
        assert vectors.names == ("lex", "0", "1", "2")
        wanted = zip(*(plainly(weights, s) for s in sentences), strict=True)
        for name, layer in zip(("0", "1", "2"), map(np.concatenate, wanted), strict=True):
            assert np.abs(vectors.layer(name) - layer).max() < 1e-5
        assert np.array_equal(vectors.layer("lex"), vectors.layer("0"))
        assert (np.diff(vectors.spans.words) == 1).all()


def test_the_loop_clips_memory_and_projection(weights):
    """Without clips the layers are others, so that the test above holds them."""
    loose = {**ELMO, "lstm": {**ELMO["lstm"], "cell_clip": 50, "proj_clip": 50}}
    for part in ("cell_clip", "proj_clip"):
        one = {**ELMO, "lstm": {**ELMO["lstm"], part: 50}}
        change = plainly(weights, TEXTS[0], one)[2] - plainly(weights, TEXTS[0])[2]
        assert np.abs(change).max() > 1e-3
    assert np.abs(plainly(weights, TEXTS[0], loose)[2] - plainly(weights, TEXTS[0])[2]).max() > 1e-3


@pytest.mark.parametrize("pool", ["mean", "max"])
def test_sentences_are_pooled_over_words(weights, pool):
    found = encoder(weights, pool=pool).encode([*TEXTS, Sentence((), "")]).layers[0]
    for vector, sentence in zip(found, TEXTS, strict=False):
        assert np.abs(vector - getattr(plainly(weights, sentence)[2], pool)(0)).max() < 1e-5
    assert not found[-1].any()


def test_character_ids_are_the_bytes_of_words_between_their_marks():
    """As bilm/data.py gives them, before 1 is added for padding between words."""
    ids = character_ids(["The", "café", "x" * 60], 50)
    assert ids[0].tolist() == [258, 256, 259] + [_PADDING] * 47
    assert ids[1].tolist() == [258, 257, 259] + [_PADDING] * 47
    assert ids[2].tolist() == [258, 84, 104, 101, 259] + [_PADDING] * 45
    assert ids[3].tolist() == [258, 99, 97, 102, 195, 169, 259] + [_PADDING] * 43
    assert ids[4].tolist() == [258] + [120] * 48 + [259]


def test_the_published_model_has_93_6_million_parameters(tmp_path):
    (tmp_path / "options.json").write_text(json.dumps(FULL))
    shapes = read_elmo_shape(tmp_path / "options.json").datasets
    assert round(sum(np.prod(shape) for shape in shapes.values()) / 1e6, 1) == 93.6


def test_drawn_weights_are_orthonormal_above_the_words_or_random_throughout(weights):
    trained = encoder(weights, layers="all", pool="none").encode(TEXTS)
    orthonormal = encoder(weights, layers="all", pool="none", weights="orthonormal")
    drawn = orthonormal.encode(TEXTS)
    assert np.array_equal(drawn.layer("0"), trained.layer("0"))
    assert np.abs(drawn.layer("1") - trained.layer("1")).max() > 0.1
    random = encoder(weights, layers="all", pool="none", weights="random").encode(TEXTS)
    assert np.abs(random.layer("0") - trained.layer("0")).max() > 1e-3
    other = encoder(weights, layers="all", pool="none", weights="random", seed=1).encode(TEXTS)
    assert np.abs(random.layer("0") - other.layer("0")).max() > 1e-3
    assert orthonormal.kind == "baseline"


def test_orthonormal_matrices_are_so_along_their_smaller_side(weights):
    from lingprobe_extensions.archive.elmo_network import draw_weights

    arrays = draw_weights(read_elmo_shape(weights.with_name("elmo_options.json")), "orthonormal", 0)
    matrices = [array for array in arrays.values() if array.ndim > 1]
    assert len(arrays) == 3 * 4
    for matrix in matrices:
        small = matrix @ matrix.T if len(matrix) < matrix.shape[1] else matrix.T @ matrix
        assert np.allclose(small, np.eye(len(small)), atol=1e-5)


def test_wrong_files_are_told_in_one_sentence(weights, tmp_path):
    def told(file, **options):
        with pytest.raises(DataProblem) as problem:
            encoder(file, **options).encode(TEXTS)
        assert "\n" not in str(problem.value)
        return str(problem.value)

    sizes = weights.with_name("elmo_options.json")
    (tmp_path / "cut.hdf5").write_bytes(weights.read_bytes()[:3000])
    assert "complete" in told(tmp_path / "cut.hdf5", options=sizes)
    assert "none_weights.hdf5" in told(tmp_path / "none_weights.hdf5")
    for name in ("alone_weights.hdf5", "model.hdf5"):
        (tmp_path / name).write_bytes(weights.read_bytes())
    assert "alone_options.json" in told(tmp_path / "alone_weights.hdf5")
    assert "write options=FILE" in told(tmp_path / "model.hdf5")
    (tmp_path / "list.json").write_text("[1]")
    assert "no JSON object" in told(weights, options=tmp_path / "list.json")
    (tmp_path / "other.json").write_text(json.dumps({"lstm": {}}))
    assert "sizes of an ELMo" in told(weights, options=tmp_path / "other.json")
    (tmp_path / "full.json").write_text(json.dumps(FULL))
    assert "of one model" in told(weights, options=tmp_path / "full.json")
    assert "layers=4" in told(weights, layers="4")
