"""Files of weights are written whole, or not at all."""

import numpy as np
import pytest
import safetensors
import safetensors.numpy
import torch

from lingprobe.data.cache import FileProblem
from lingprobe_extensions.train.weights import save_tensors


@pytest.mark.parametrize("made", [np.ones, torch.ones], ids=["numpy", "torch"])
def test_arrays_and_tensors_come_back(made, tmp_path):
    save_tensors({"a": made(3)}, tmp_path / "w.safetensors", {"of": "a test"})
    assert safetensors.numpy.load_file(tmp_path / "w.safetensors")["a"].tolist() == [1, 1, 1]
    with safetensors.safe_open(tmp_path / "w.safetensors", "np") as file:
        assert file.metadata() == {"of": "a test"}
    (tmp_path / "other").touch()
    modes = {file.stat().st_mode for file in tmp_path.iterdir()}
    assert len(modes) == 1


def test_a_full_disk_is_told_and_the_file_before_stays(tmp_path, monkeypatch):
    save_tensors({"a": np.ones(3)}, tmp_path / "w.safetensors")

    def full(*_):
        raise safetensors.SafetensorError("I/O error: No space left on device (os error 28)")

    monkeypatch.setattr(safetensors.numpy, "save_file", full)
    with pytest.raises(FileProblem, match=r"cannot write .*w\.safetensors: .*no space left"):
        save_tensors({"a": np.zeros(3)}, tmp_path / "w.safetensors")
    assert [file.name for file in tmp_path.iterdir()] == ["w.safetensors"]
    assert safetensors.numpy.load_file(tmp_path / "w.safetensors")["a"].tolist() == [1, 1, 1]
