"""Static word vectors trained on running text by gensim, the sentences that probe them excluded."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from lingprobe import DataProblem, Sentence
from lingprobe.extend import (
    describe_install,
    open_draft,
    read_running_text,
    split_clitic,
    strip_to_letters,
)
from lingprobe_extensions.train.options import VectorSettings


@dataclass(frozen=True)
class TrainedVectors:
    """What became of the text."""

    path: Path
    sentences: int
    words: int
    excluded: int
    vocabulary: int

    def __str__(self) -> str:
        return (
            f"{self.path}: vectors of {self.vocabulary} words, from {self.words} words in"
            f" {self.sentences} sentences; {self.excluded} sentences excluded because they are"
            " probed"
        )


def train_word_vectors(
    paths: Iterable[str | Path],
    out: str | Path,
    exclude: Iterable[Sentence] = (),
    settings: VectorSettings | None = None,
) -> TrainedVectors:
    """Train word vectors on files of running text, one sentence or paragraph a line, and write them
    as word2vec text.

    Sentences to exclude are told by their letters and digits alone, so spacing, case, quotes and
    tokenisation do not hide them. One thread: the same text and settings give the same file.
    """
    settings = settings or VectorSettings()
    out = Path(out).expanduser()
    suffix = ".bin" if settings.subwords else ".vec"
    if out.suffix != suffix:
        raise DataProblem(
            f"{out}: vectors {'with subwords ' if settings.subwords else ''}are written as"
            f" {suffix}; name the file so"
        )
    left_out = {strip_to_letters(form) for s in exclude for form in (s.text, " ".join(s.words))} - {
        ""
    }
    counts = {"sentences": 0, "words": 0, "excluded": 0}
    with tempfile.TemporaryDirectory(prefix="lingprobe-") as folder:
        corpus = Path(folder) / "corpus.txt"
        with corpus.open("w", encoding="utf-8") as file:
            for path in paths:
                _write(read_running_text(path), file, (left_out, settings.english), counts)
        if not counts["words"]:
            raise DataProblem("no sentences are left to train vectors on")
        model = _fit_vectors(corpus, settings)
    _save(model, out, settings.subwords)
    return TrainedVectors(out, **counts, vocabulary=len(model.wv))


def _save(model: Any, out: Path, subwords: bool) -> None:
    with open_draft(out) as part:
        if subwords:
            from gensim.models.fasttext import save_facebook_model

            save_facebook_model(model, str(part))
        else:
            model.wv.save_word2vec_format(str(part))


def _write(
    sentences: Iterator[Sentence],
    file: TextIO,
    rules: tuple[set[str], bool],
    counts: dict[str, int],
) -> None:
    """Write words joined with spaces, one sentence a line, and count."""
    left_out, english = rules
    for sentence in sentences:
        if left_out and strip_to_letters(sentence.text) in left_out:
            counts["excluded"] += 1
            continue
        words = (
            [w for word in sentence.words for w in split_clitic(word)]
            if english
            else sentence.words
        )
        counts["sentences"] += 1
        counts["words"] += len(words)
        file.write(" ".join(words) + "\n")


def _fit_vectors(corpus: Path, settings: VectorSettings) -> Any:
    try:
        from gensim.models import FastText, Word2Vec
    except ImportError:
        raise DataProblem(
            f"training word vectors needs gensim: {describe_install('static')}"
        ) from None
    kind = FastText if settings.subwords else Word2Vec
    try:
        return kind(
            corpus_file=str(corpus),
            vector_size=settings.dim,
            epochs=settings.epochs,
            window=settings.window,
            min_count=settings.least,
            seed=settings.seed + 1,  # gensim takes 0 for a seed of its own
            sg=int(settings.skipgram),
            workers=1,
        )
    except RuntimeError as error:  # gensim's word for an empty vocabulary
        raise DataProblem(
            f"no word occurs {settings.least} times in the text; lower `least` or give more text"
        ) from error
