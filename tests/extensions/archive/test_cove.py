"""CoVe against a plain loop over words, layer by layer."""

import numpy as np
import pytest
import torch

from extensions.archive.plain import bilstm, mixed, table
from fixtures.models import SENTENCES
from fixtures.published import cove, vectors_file
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.encoders import ENCODERS
from lingprobe_extensions.archive.files import recurrent_shapes

TEXTS = [*SENTENCES[:10], Sentence((), ""), Sentence.of(("zzz", "the"))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return cove(tmp_path_factory.mktemp("cove"))


def encoder(folder, **options):
    rest = "".join(f",{key}={value}" for key, value in options.items())
    return ENCODERS.make(f"cove:{folder}/wmtlstm.pth,vectors={folder}/glove.txt{rest}")


def plainly(folder, sentence):
    """Layers 0, 1 and 2 of a sentence's words."""
    vectors = table(folder / "glove.txt")
    state = torch.load(folder / "wmtlstm.pth", weights_only=True)
    words = np.array([vectors.get(w, np.zeros(6)) for w in sentence.words])
    return [words, *bilstm(words, state, 2)]


def test_layers_are_those_of_a_plain_loop_in_any_batch_and_order(folder):
    texts = [s for s in TEXTS if s.words]
    each = encoder(folder, layers="lex+all", pool="none")
    for sentences in (texts, mixed(texts)[0], *[[s] for s in texts]):
        vectors = each.encode(sentences)
        assert vectors.names == ("lex", "0", "1", "2")
        wanted = [
            np.concatenate(parts)
            for parts in zip(*(plainly(folder, s) for s in sentences), strict=True)
        ]
        for name, layer in zip(("0", "1", "2"), wanted, strict=True):
            assert np.abs(vectors.layer(name) - layer).max() < 1e-5
        assert np.array_equal(vectors.layer("lex"), vectors.layer("0"))


@pytest.mark.parametrize("pool", ["mean", "max"])
def test_sentences_are_pooled_over_words(folder, pool):
    found = encoder(folder, pool=pool).encode(TEXTS).layers[0]
    for vector, sentence in zip(found, TEXTS, strict=True):
        top = plainly(folder, sentence)[2] if sentence.words else np.zeros((1, 10))
        assert np.abs(vector - getattr(top, pool)(0)).max() < 1e-5


def test_the_published_network_has_two_layers_of_300_units_a_direction():
    shapes = recurrent_shapes(300, 300, 2)
    lower, upper = 2 * 4 * 300 * (300 + 300 + 2), 2 * 4 * 300 * (600 + 300 + 2)
    assert sum(np.prod(shape) for shape in shapes.values()) == lower + upper


def test_wrong_files_are_told_in_one_sentence(folder, tmp_path):
    wide = vectors_file(tmp_path / "wide.txt", ["the", "a"], 9)
    with pytest.raises(DataProblem, match="vectors of 6 dimensions, and those of vectors= have 9"):
        ENCODERS.make(f"cove:{folder}/wmtlstm.pth,vectors={wide}").encode(TEXTS)
    torch.save([1, 2], tmp_path / "list.pth")
    with pytest.raises(DataProblem, match="weight_hh_l0"):
        ENCODERS.make(f"cove:{tmp_path}/list.pth,vectors={wide}").encode(TEXTS)
    with pytest.raises(DataProblem, match="layers=3"):
        encoder(folder, layers="3").encode(TEXTS)
    with pytest.raises(ValueError, match="one after the other"):
        encoder(folder).asking(("1.none", "1.mean"))
