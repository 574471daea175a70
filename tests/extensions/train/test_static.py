import subprocess
import sys

import numpy as np
import pytest

from lingprobe.corpora.text import strip_to_letters
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.encoders import make_encoder
from lingprobe_extensions.train.options import VectorSettings
from lingprobe_extensions.train.static import train_word_vectors

pytest.importorskip("gensim")
LINES = [
    "The cat sat on the mat.",
    "“Don't,” said the dog.",
    "The dog sat on the cat.",
    "# book = a",
    "",
]
SMALL = VectorSettings(dim=4, least=1, epochs=2)


@pytest.fixture
def corpus(tmp_path):
    (path := tmp_path / "text.txt").write_text("\n".join(LINES * 3))
    return path


def test_vectors_are_trained_and_read_back(corpus, tmp_path):
    done = train_word_vectors([corpus], tmp_path / "a.vec", settings=SMALL)
    assert (done.sentences, done.excluded) == (9, 0)
    bag = make_encoder(f"static:{tmp_path / 'a.vec'}")
    assert bag.coverage([Sentence.of(["The", "cat", "Don't", "zebra"])]) == {
        "words": 4,
        "unknown": 1,
        "sentences unread": 0,
    }


def test_probing_sentences_are_left_out_however_they_are_spaced(corpus, tmp_path):
    probed = [
        Sentence.of("the CAT sat on the mat .".split()),
        Sentence(("``", "Don't", "x"), '"Don\'t," said the dog .'),
    ]
    done = train_word_vectors([corpus], tmp_path / "a.vec", probed, SMALL)
    assert (done.sentences, done.excluded) == (3, 6)
    assert "mat" not in (tmp_path / "a.vec").read_text()
    assert strip_to_letters("“Don’t,” he  said") == strip_to_letters("Don't, he said .")


def test_sentences_without_letters_exclude_nothing(corpus, tmp_path):
    assert (
        train_word_vectors([corpus], tmp_path / "a.vec", [Sentence.of(["..."])], SMALL).excluded
        == 0
    )


def test_english_is_split_as_in_treebanks(corpus, tmp_path):
    train_word_vectors(
        [corpus], tmp_path / "a.vec", settings=VectorSettings(dim=4, least=1, english=True)
    )
    words = {line.split(" ")[0] for line in (tmp_path / "a.vec").read_text().splitlines()[1:]}
    assert {"Do", "n't", '"'} <= words
    assert not {"Don't", "“"} & words


def test_the_same_text_gives_the_same_file_in_every_process(corpus, tmp_path):
    code = (
        "import sys; from lingprobe_extensions.train.static import *; "
        "how = VectorSettings(dim=4, least=1, epochs=2); "
        "train_word_vectors([sys.argv[1]], sys.argv[2], settings=how)"
    )
    for seed in ("1", "2"):
        where = str(tmp_path / f"{seed}.vec")
        subprocess.run(
            [sys.executable, "-c", code, str(corpus), where],
            check=True,
            env={**__import__("os").environ, "PYTHONHASHSEED": seed},
        )
    assert (tmp_path / "1.vec").read_bytes() == (tmp_path / "2.vec").read_bytes()


def test_subwords_make_vectors_of_unknown_words(corpus, tmp_path):
    train_word_vectors(
        [corpus],
        tmp_path / "a.bin",
        settings=VectorSettings(dim=4, least=1, epochs=1, subwords=True),
    )
    vectors = (
        make_encoder(f"static:{tmp_path / 'a.bin'}").encode([Sentence.of(["catty"])]).layers[0]
    )
    assert np.isfinite(vectors).all()
    assert vectors.any()


def test_problems_are_sentences(corpus, tmp_path):
    with pytest.raises(DataProblem, match=r"written as \.vec"):
        train_word_vectors([corpus], tmp_path / "a.bin", settings=SMALL)
    with pytest.raises(DataProblem, match="no word occurs 500 times"):
        train_word_vectors([corpus], tmp_path / "a.vec", settings=VectorSettings(least=500))
    with pytest.raises(DataProblem, match="no sentences are left"):
        train_word_vectors(
            [corpus], tmp_path / "a.vec", [Sentence((), line) for line in LINES], SMALL
        )
    assert list(tmp_path.glob("*.vec")) == []
