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
from lingprobe.extend import (
    WORD_PATTERN,
    Floats,
    NetworkShape,
    describe_install,
    split_words,
    write_text,
)
from lingprobe_extensions.train.encoder import UNKNOWN_WORD, TrainedEncoder, read_training_words

_POOLING = {"bilstm-max": "max", "lstm-last": "lasttoken", "mean": "mean"}
"""Architectures that can be written, with how sentence-transformers calls their pooling."""
_NO_WORD = "\ufffd"  # which no encoder knows
_CHECKED, _CLOSE = 8, 1e-5  # sentences that are read again, and how far numbers may lie apart


class ExportedEncoder(NamedTuple):
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


def export_encoder(
    encoder: TrainedEncoder, output: Path, extra_words: Iterable[str] = ()
) -> ExportedEncoder:
    """Write an encoder as a folder that sentence-transformers opens, with the words of its training
    and some more; words with spaces inside are excluded.

    Texts get the same vectors up to 1e-5, which is checked, also where words are not among these,
    unless the encoder draws a vector for whichever word it meets. Texts are cut as running text is,
    or, where the encoder knows words that this would cut, at spaces. DataProblem for an
    architecture that its modules cannot express.
    """
    facts = encoder.facts
    architecture = facts["architecture"]
    if architecture not in _POOLING or encoder.pool == "none":
        raise DataProblem(
            f"{encoder.folder} is a {architecture}, which the modules of"
            f" sentence-transformers cannot express; they can {', '.join(_POOLING)}"
        )
    shape = NetworkShape(**facts["shape"])
    if output.exists():
        raise UsageProblem(f"{output} is there already; name another folder with -o, or remove it")
    every = dict.fromkeys([*read_training_words(Path(encoder.folder).expanduser()), *extra_words])
    forms = [form for form in every if form.split() == [form] and form != UNKNOWN_WORD]
    network, (vectors, known) = encoder.parts([*forms, UNKNOWN_WORD], facts)
    tokenizer = _make_tokenizer(forms)
    model = _build_modules(shape, network, tokenizer, vectors)
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}-") as place:
        part = Path(place) / output.name
        model.save(str(part), create_model_card=False)
        write_text(part / "README.md", _card(encoder, shape, len(forms), any(map(_is_cut, forms))))
        draws_vectors = not facts["settings"]["learned"] and facts["settings"]["vectors"] is None
        _check_export(encoder, part, forms, () if draws_vectors else (_NO_WORD,))
        part.replace(output)
    return ExportedEncoder(output, len(forms), int((~known[:-1]).sum()))


def _is_cut(form: str) -> bool:
    """Whether a word would be cut in running text."""
    return split_words(form) != (form,)


def _make_tokenizer(forms: Sequence[str]) -> Any:
    """A tokeniser with these words and one more for all others, which a text of white space has,
    too. A text without a character has no token: nothing that `tokenizers` does changes that.
    """
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    numbers = {form: number for number, form in enumerate([*forms, UNKNOWN_WORD])}
    made = Tokenizer(models.WordLevel(numbers, unk_token=UNKNOWN_WORD))
    made.normalizer = normalizers.Replace(Regex(r"\A\s*\z"), _NO_WORD)
    made.pre_tokenizer = (
        pre_tokenizers.WhitespaceSplit()
        if any(map(_is_cut, forms))
        else pre_tokenizers.Split(Regex(WORD_PATTERN), "removed", invert=True)
    )
    return PreTrainedTokenizerFast(tokenizer_object=made, unk_token=UNKNOWN_WORD)


def _build_modules(shape: NetworkShape, network: Any, tokenizer: Any, vectors: Floats) -> Any:
    """The modules, one after the other."""
    try:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer import modules as kinds
    except ImportError:
        raise DataProblem(
            f"an export needs sentence-transformers 6 or newer: {describe_install('st')}"
        ) from None
    modules: list[Any] = [kinds.WordEmbeddings(tokenizer, vectors, max_seq_length=10_000)]
    if shape.architecture != "mean":
        lstm = network.body.cells
        both = lstm.bidirectional
        modules.append(kinds.LSTM(shape.dim, shape.hidden, lstm.num_layers, bidirectional=both))
        modules[-1].encoder.load_state_dict(lstm.state_dict())
    modules.append(kinds.Pooling(shape.pooled_dim, _POOLING[shape.architecture]))
    if network.head is not None:
        straight = torch.nn.Identity()
        modules.append(kinds.Dense(shape.pooled_dim, shape.embedding, activation_function=straight))
        modules[-1].linear.load_state_dict(network.head.state_dict())
    return SentenceTransformer(modules=modules, device="cpu")


def _check_export(
    encoder: TrainedEncoder, folder: Path, forms: Sequence[str], more: Sequence[str]
) -> None:
    """Read the folder, and compare what it says of some sentences of its words and more."""
    from sentence_transformers import SentenceTransformer

    words, sentences = iter(forms), list[Sentence]()
    while part := list(islice(words, 3 * len(sentences) + 1)):
        if len(sentences) == _CHECKED:
            break
        sentences.append(Sentence.of((*part, *more)))
    ours = encoder.encode(sentences).layers[0]
    model = SentenceTransformer(str(folder), device="cpu")
    theirs = model.encode([sentence.text for sentence in sentences], show_progress_bar=False)
    if not np.allclose(ours, theirs, rtol=_CLOSE, atol=_CLOSE):
        raise DataProblem(
            f"{encoder.folder}: as modules of sentence-transformers it gives other vectors than"
            " here; nothing was written"
        )


_CUTS = (
    "It cuts texts into words and marks of punctuation itself.",
    "Give it texts whose words and marks stand between spaces.",
)


def _card(encoder: TrainedEncoder, shape: NetworkShape, many: int, is_cut_at_spaces: bool) -> str:
    return (
        "---\nlibrary_name: sentence-transformers\n---\n\nA sentence encoder that `lingprobe train`"
        f" made: {shape.architecture}, {encoder.facts['objective']}, {shape.width} dimensions.\n\n"
        f"It has a vocabulary of {many:,} case-sensitive words, and one vector for all others."
        f" {_CUTS[is_cut_at_spaces]} A text without a character has no vector. Do not probe it on"
        " its training sentences, which are recorded in the folder that it was exported from, not"
        " here.\n"
    )
