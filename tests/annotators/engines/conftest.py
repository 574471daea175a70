"""A small model of UDPipe, trained once on a part of the embedded treebank."""

from __future__ import annotations

import pytest

from lingprobe.annotators.engines import udpipe
from lingprobe.corpora import conllu
from lingprobe.corpora.embedded import treebank_file
from lingprobe.corpora.trees import format_conllu_tree


@pytest.fixture(scope="session")
def udpipe_model(tmp_path_factory):
    pytest.importorskip("ufal.udpipe")
    folder = tmp_path_factory.mktemp("udpipe")
    (folder / "few.conllu").write_text(
        "".join(map(format_conllu_tree, list(conllu.read_conllu(treebank_file()))[:40]))
    )
    udpipe.train_udpipe(
        [folder / "few.conllu"],
        folder / "tiny.udpipe",
        tokenizer="epochs=1;batch_size=5;dimension=16;segment_size=20",
        tagger="iterations=2",
        parser="iterations=1;hidden_layer=10;embedding_form=8;embedding_upostag=8",
    )
    return folder / "tiny.udpipe"
