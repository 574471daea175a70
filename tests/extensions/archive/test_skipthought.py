"""Skip-Thought vectors against a plain loop over words."""

import numpy as np
import pytest

from extensions.archive.plain import gru, mixed
from fixtures.models import SENTENCES
from fixtures.published import skipthought, vectors_file
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.encoders import ENCODERS
from lingprobe_extensions.archive.skipthought import _shapes

TEXTS = [*SENTENCES[:10], Sentence((), ""), Sentence.of(("zzz", "yyy"))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return skipthought(tmp_path_factory.mktemp("skipthought"))


def made(folder, sentences, **options):
    rest = "".join(f",{key}={value}" for key, value in options.items())
    return ENCODERS.make(f"skipthought:{folder}{rest}").encode(sentences)


def states(folder, sentence, part, end=False):
    """The states of one model: of both directions side by side for bi."""
    words = (folder / "dictionary.txt").read_text().split("\n")[:-1]
    table = np.load(folder / f"{part[0]}table.npy").astype(np.float64)
    arrays = dict(np.load(folder / f"{part}_skip.npz"))
    read = [table[words.index(w) if w in words else 1] for w in sentence.words]
    read += [table[0]] if end else []
    forward = gru(read, arrays, "encoder")
    if part == "uni":
        return forward, forward[-1:]
    backward = gru(read[::-1], arrays, "encoder_r")
    both = np.concatenate([forward, backward[::-1]], 1)
    return both, np.concatenate([forward[-1:], backward[-1:]], 1)


def plainly(folder, sentence, parts, end=False, long=False):
    vectors = []
    for part in parts:
        last = np.zeros(4)
        if sentence.words or end:
            last = states(folder, sentence, part, end)[1][0]
        size = np.linalg.norm(last)
        vectors.append(last if long or not size else last / size)
    return np.concatenate(vectors)


@pytest.mark.parametrize(
    ("model", "parts"), [("uni", ["uni"]), ("bi", ["bi"]), ("combined", ["uni", "bi"])]
)
def test_vectors_are_those_of_a_plain_loop(folder, model, parts):
    wanted = np.array([plainly(folder, s, parts) for s in TEXTS])
    assert np.abs(made(folder, TEXTS, model=model).layers[0] - wanted).max() < 1e-5
    turned, order = mixed(TEXTS)
    assert np.abs(made(folder, turned, model=model).layers[0] - wanted[order]).max() < 1e-5
    alone = np.concatenate([made(folder, [s], model=model, tokens=1).layers[0] for s in TEXTS])
    assert np.abs(alone - wanted).max() < 1e-5


def test_the_end_of_a_sentence_and_its_length_are_chosen(folder):
    wanted = [plainly(folder, s, ["uni", "bi"], end=True, long=True) for s in TEXTS]
    found = made(folder, TEXTS, end="true", normalise="false").layers[0]
    assert np.abs(found - wanted).max() < 1e-5


@pytest.mark.parametrize("end", ["true", "false"])
def test_words_have_their_states(folder, end):
    vectors = made(folder, TEXTS[:4], pool="none", end=end)
    wanted = [
        np.concatenate(
            [states(folder, s, part, end == "true")[0][: len(s.words)] for part in ("uni", "bi")], 1
        )
        for s in TEXTS[:4]
    ]
    assert np.abs(vectors.layers[0] - np.concatenate(wanted)).max() < 1e-5
    assert (np.diff(vectors.spans.words) == 1).all()


def test_words_that_the_tables_lack_come_from_word2vec(folder, tmp_path):
    """A table that is a linear map of other vectors is found again by least squares."""
    words = [f"w{i}" for i in range(30)]
    other = vectors_file(tmp_path / "w2v.txt", [*words, "new"], 3, seed=4)
    known = np.array([line.split()[1:] for line in other.read_text().splitlines()], np.float32)
    matrix, shift = np.random.default_rng(1).normal(size=(3, 6)), np.arange(6.0)
    for name in ("uni_skip.npz", "bi_skip.npz"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "dictionary.txt").write_text("\n".join(["<eos>", "UNK", *words, "new"]) + "\n")
    rows = np.concatenate([np.ones((2, 6)), known @ matrix + shift]).astype(np.float32)
    for name in ("utable.npy", "btable.npy"):
        np.save(tmp_path / name, rows)
    sentence = [Sentence.of(("w1", "new", "w2"))]
    whole = made(tmp_path, sentence).layers[0]
    (tmp_path / "dictionary.txt").write_text("\n".join(["<eos>", "UNK", *words]) + "\n")
    assert np.abs(made(tmp_path, sentence).layers[0] - whole).max() > 1e-3
    expanded = made(tmp_path, sentence, vectors=other).layers[0]
    assert np.abs(expanded - whole).max() < 1e-4
    encoder = ENCODERS.make(f"skipthought:{tmp_path},vectors={other}")
    assert encoder.unknown(["w1", "new", "zzz"]).tolist() == [False, False, True]


def test_the_published_networks_have_2400_units():
    uni = sum(np.prod(shape) for shape in _shapes(620, 2400, "encoder").values())
    assert uni == 3 * 2400 * (620 + 2400 + 1)
    bi = 2 * sum(np.prod(shape) for shape in _shapes(620, 1200, "encoder").values())
    assert bi == 2 * 3 * 1200 * (620 + 1200 + 1)


def test_wrong_files_are_told_in_one_sentence(tmp_path):
    def told(change):
        folder = skipthought(tmp_path / change.__name__)
        change(folder)
        with pytest.raises(DataProblem) as problem:
            made(folder, SENTENCES[:2])
        assert "\n" not in str(problem.value)
        return str(problem.value)

    def missing(folder):
        (folder / "utable.npy").unlink()

    def cut(folder):
        data = (folder / "uni_skip.npz").read_bytes()
        (folder / "uni_skip.npz").write_bytes(data[: len(data) // 2])

    def objects(folder):
        np.save(folder / "btable.npy", np.array([[{}]], object), allow_pickle=True)

    def narrow(folder):
        np.save(folder / "utable.npy", np.zeros((500, 3), np.float32))

    def strange(folder):
        (folder / "dictionary.txt").write_text("a\nb\n")

    def ended(folder):
        data = (folder / "dictionary.txt").read_bytes()
        (folder / "dictionary.txt").write_bytes(data[: data.index(b"\n", len(data) // 2) - 1])

    def shapes(folder):
        arrays = dict(np.load(folder / "uni_skip.npz"))
        np.savez(folder / "uni_skip.npz", **{**arrays, "encoder_bx": np.zeros(9, np.float32)})

    assert "utable.npy" in told(missing)
    assert "complete" in told(cut)
    assert "run code" in told(objects)
    assert "of 3 dimensions" in told(narrow)
    assert "<eos>" in told(strange)
    assert "dictionary.txt is cut" in told(ended)
    assert "encoder_bx" in told(shapes)
