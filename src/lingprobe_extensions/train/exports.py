"""A trained encoder as modules of sentence-transformers: word vectors, an LSTM, pooling, and a
linear layer where it has one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from lingprobe import DataProblem, Sentence, UsageProblem
from lingprobe.extend import Floats, NetworkShape, describe_install, write_text
from lingprobe_extensions.train.encoder import Trained, words_of

POOLING = {"bilstm-max": "max", "lstm-last": "lasttoken", "mean": "mean"}
"""Architectures that can be written, with how sentence-transformers calls their pooling."""
CHECKED, CLOSE = 8, 1e-5  # sentences that are read again, and how far numbers may lie apart


class Exported(NamedTuple):
    """What was written; printing it shows this.

    words     the size of the vocabulary
    lacking   those of them without a vector, which are zeros
    """

    folder: Path
    words: int
    lacking: int

    def __str__(self) -> str:
        return (
            f"{self.folder}: {self.words:,} words, {self.lacking:,} of them without a vector;"
            f" SentenceTransformer({str(self.folder)!r}) opens it"
        )


def export(encoder: Trained, output: Path, more: Iterable[str] = ()) -> Exported:
    """Write an encoder as a folder that sentence-transformers opens, with the words of its training
    and some more; words with spaces inside are excluded.

    Sentences of these words, joined with spaces, get the same vectors up to 1e-5, which is checked.
    DataProblem for an architecture that its modules cannot express.
    """
    facts = encoder.facts
    architecture = facts["architecture"]
    if architecture not in POOLING or encoder.pool == "none":
        raise DataProblem(
            f"{encoder.folder} is a {architecture}, which the modules of"
            f" sentence-transformers cannot express; they can {', '.join(POOLING)}"
        )
    shape = NetworkShape(**facts["shape"])
    if output.exists():
        raise UsageProblem(f"{output} is there already; name another folder with -o, or remove it")
    every = dict.fromkeys([*words_of(Path(encoder.folder).expanduser()), *more])
    forms = [form for form in every if form.split() == [form]]  # texts are cut at spaces there
    network, (vectors, known) = encoder.parts(forms, facts)
    model = _model(shape, network, forms, vectors)
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}-") as place:
        part = Path(place) / output.name
        model.save(str(part), create_model_card=False)
        write_text(part / "README.md", _card(encoder, shape, len(forms)))
        _check(encoder, part, forms)
        part.replace(output)
    return Exported(output, len(forms), int((~known).sum()))


def _model(shape: NetworkShape, network: Any, forms: Sequence[str], vectors: Floats) -> Any:
    """The modules, one after the other."""
    try:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer import modules as kinds
        from sentence_transformers.sentence_transformer.modules.tokenizer import (
            WhitespaceTokenizer,
        )
    except ImportError:
        raise DataProblem(
            f"an export needs sentence-transformers 6 or newer: {describe_install('st')}"
        ) from None
    tokens = WhitespaceTokenizer(forms, stop_words=[], do_lower_case=False)
    modules: list[Any] = [kinds.WordEmbeddings(tokens, vectors, max_seq_length=10_000)]
    if shape.architecture != "mean":
        lstm = network.body.cells
        both = lstm.bidirectional
        modules.append(kinds.LSTM(shape.dim, shape.hidden, lstm.num_layers, bidirectional=both))
        modules[-1].encoder.load_state_dict(lstm.state_dict())
    modules.append(kinds.Pooling(shape.pooled_dim, POOLING[shape.architecture]))
    if network.head is not None:
        straight = torch.nn.Identity()
        modules.append(kinds.Dense(shape.pooled_dim, shape.embedding, activation_function=straight))
        modules[-1].linear.load_state_dict(network.head.state_dict())
    return SentenceTransformer(modules=modules, device="cpu")


def _check(encoder: Trained, folder: Path, forms: Sequence[str]) -> None:
    """Read the folder, and compare what it says of some sentences of its words."""
    from sentence_transformers import SentenceTransformer

    words, sentences = iter(forms), list[Sentence]()
    while part := list(islice(words, 3 * len(sentences) + 1)):
        if len(sentences) == CHECKED:
            break
        sentences.append(Sentence.of(part))
    ours = encoder.encode(sentences).layers[0]
    model = SentenceTransformer(str(folder), device="cpu")
    theirs = model.encode([sentence.text for sentence in sentences], show_progress_bar=False)
    if not np.allclose(ours, theirs, rtol=CLOSE, atol=CLOSE):
        raise DataProblem(
            f"{encoder.folder}: as modules of sentence-transformers it gives other vectors than"
            " here; nothing was written"
        )


def _card(encoder: Trained, shape: NetworkShape, many: int) -> str:
    return (
        "---\nlibrary_name: sentence-transformers\n---\n\nA sentence encoder that `lingprobe train`"
        f" made: {shape.architecture}, {encoder.facts['objective']}, {shape.width} dimensions.\n\n"
        f"It has a vocabulary of {many:,} case-sensitive words. Sentences need spaces between words"
        " and punctuation. Out-of-vocabulary words are looked up without the punctuation around"
        " them or in lower case, or else skipped; a sentence without a known word has no usable"
        " vector. Do not probe it on its training sentences, which are recorded in the folder that"
        " it was exported from, not here.\n"
    )
