"""The Universal Sentence Encoder, with a stub in place of TensorFlow, which is not installed."""

import re
import sys
import types

import numpy as np
import pytest

from fixtures.models import SENTENCES
from fixtures.published import use
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import describe_install
from lingprobe.encoders import ENCODERS
from lingprobe.testing import check_encoder


class Stub(types.ModuleType):
    """What lingprobe calls of TensorFlow, by its documentation."""

    def __init__(self, callable_module=True, outputs=("default",), shape=None):
        super().__init__("tensorflow")
        self.loaded, self.batches, self.shape = [], [], shape
        self.callable_module, self.outputs = callable_module, outputs
        self.saved_model = types.SimpleNamespace(load=self.load)

    def constant(self, texts):
        assert isinstance(texts, list)
        return texts

    def run(self, texts):
        self.batches.append(len(texts))
        rows = np.array([[len(text), sum(text.encode()) % 97, 1.5] for text in texts], np.float32)
        return rows if self.shape is None else rows.reshape(self.shape)

    def load(self, folder, tags=None):
        self.loaded.append(tags)
        signature = lambda texts: {name: self.run(texts) for name in self.outputs}  # noqa: E731
        if self.callable_module and tags is None:
            return self.run
        return types.SimpleNamespace(signatures={"default": signature})


@pytest.fixture
def stub(monkeypatch):
    made = Stub()
    monkeypatch.setitem(sys.modules, "tensorflow", made)
    return made


@pytest.mark.parametrize("old", [True, False])
def test_texts_are_read_in_batches_and_come_back_in_their_order(tmp_path, stub, old):
    encoder = ENCODERS.make(f"use:{use(tmp_path / str(old), old)},batch=4")
    found = encoder.encode(SENTENCES[:10]).layers[0]
    assert np.array_equal(found[:, 0], [len(s.text) for s in SENTENCES[:10]])
    assert stub.loaded == [[] if old else None]
    assert stub.batches == [4, 4, 2]
    assert encoder.encode([]).layers[0].shape == (0, 3)


def test_it_keeps_the_promises_of_an_encoder(tmp_path, stub):
    check_encoder(f"use:{use(tmp_path / 'module')}")


def test_outputs_are_taken_by_name_or_the_first(tmp_path, stub):
    stub.outputs = ("other", "default")
    old = ENCODERS.make(f"use:{use(tmp_path / 'old', True)}")
    assert old.encode(SENTENCES[:2]).layers[0].shape == (2, 3)
    with pytest.raises(DataProblem, match="no signature 'sts'"):
        ENCODERS.make(f"use:{tmp_path / 'old'},signature=sts").encode(SENTENCES[:2])


def test_what_is_wrong_is_told_in_one_sentence(tmp_path, stub, monkeypatch):
    with pytest.raises(DataProblem, match=r"saved_model\.pb"):
        ENCODERS.make(f"use:{tmp_path}").encode(SENTENCES[:2])
    stub.shape = (1, -1, 3)
    with pytest.raises(DataProblem, match="another module"):
        ENCODERS.make(f"use:{use(tmp_path / 'odd')}").encode(SENTENCES[:2])
    stub.saved_model.load = lambda folder: (_ for _ in ()).throw(RuntimeError("bad graph"))
    with pytest.raises(DataProblem, match=r"cannot load this module: .*bad graph"):
        ENCODERS.make(f"use:{use(tmp_path / 'bad')}").encode(SENTENCES[:2])
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    with pytest.raises(DataProblem, match=re.escape(describe_install("tf"))):
        ENCODERS.make(f"use:{use(tmp_path / 'none')}").encode(SENTENCES[:2])
