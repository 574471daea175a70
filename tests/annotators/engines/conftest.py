"""A small model of UDPipe, trained once on the embedded treebank."""

from __future__ import annotations

import pytest

from sonde.corpora import conllu
from sonde.corpora.embedded import stored
from sonde.corpora.trees import written


@pytest.fixture(scope="session")
def udpipe_model(tmp_path_factory):
    udpipe = pytest.importorskip("ufal.udpipe")
    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    reader.setText("".join(map(written, list(conllu.read(stored()))[:40])))
    trees, one = udpipe.Sentences(), udpipe.Sentence()
    while reader.nextSentence(one, error):
        trees.append(one)
    tokens = "epochs=5;batch_size=5;dimension=16;segment_size=20"
    tree = "iterations=2;hidden_layer=10;embedding_form=8;embedding_upostag=8;embedding_deprel=8"
    model = udpipe.Trainer.train(
        "morphodita_parsito", trees, udpipe.Sentences(), tokens, "iterations=3", tree, error
    )
    path = tmp_path_factory.mktemp("udpipe") / "tiny.udpipe"
    path.write_bytes(model)
    return path
