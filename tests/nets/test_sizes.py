"""What the pages say of the size of untrained networks (Conneau et al. 2018, section 3: "~4M",
"~12M").
"""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(("hidden", "width", "millions"), [(512, 1024, 9.6), (256, 512, 2.7)])
def test_both_readings_of_the_paper_s_bilstm(hidden, width, millions):
    from lingprobe.data.core import Sentence
    from lingprobe.encoders import make_encoder
    from lingprobe.nets.architectures import RecurrentNetwork

    net = RecurrentNetwork(300, hidden, 2)
    assert sum(w.numel() for w in net.parameters()) / 1e6 == pytest.approx(millions, abs=0.05)
    assert make_encoder(f"untrained:bilstm-max,hidden={hidden}").encode(
        [Sentence.of(["Cats", "sleep"])]
    ).layers[0].shape == (1, width)


def test_one_direction_alone_and_the_convolutions():
    import torch

    from lingprobe.nets.architectures import GatedConvNet

    assert sum(w.numel() for w in torch.nn.LSTM(300, 512, 2).parameters()) / 1e6 == pytest.approx(
        3.8, abs=0.05
    )
    assert sum(w.numel() for w in GatedConvNet(300, 512, 8).parameters()) / 1e6 == pytest.approx(
        12.7, abs=0.05
    )
