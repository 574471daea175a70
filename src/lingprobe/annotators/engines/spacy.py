"""spaCy (Honnibal et al. 2020), where it is installed with a pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from lingprobe.annotators.parser import Annotation, Words
from lingprobe.annotators.segment import SegmentedSentence, by_places
from lingprobe.data.core import DataProblem
from lingprobe.data.options import Help


@dataclass(frozen=True)
class SpaCy:
    """A pipeline of spaCy, where it is installed. Those for English and German have relations of
    their own, which tasks about relations of UD refuse.
    """

    pipeline: Annotated[str, Help("its name, as en_core_web_sm")]

    @property
    def name(self) -> str:
        """The library and the pipeline."""
        return f"spacy {self.pipeline}"

    @property
    def fingerprint(self) -> str:
        """The versions of spaCy and of the pipeline."""
        return f"{_library().__version__} {self.pipeline} {self._model.meta.get('version', '')}"

    def annotate(self, sentences: Sequence[Words]) -> Iterator[Annotation]:
        loaded = self._model
        from spacy.tokens import Doc

        for words in sentences:
            starts = [True] + [False] * (len(words) - 1)
            doc = Doc(loaded.vocab, words=list(words), sent_starts=starts)
            for _, step in loaded.pipeline:
                doc = step(doc)
            yield _annotation(list(doc))

    def segment(self, text: str, *, is_sentence: bool = False) -> Iterator[SegmentedSentence]:
        doc = self._model.make_doc(text) if is_sentence else self._model(text)
        for sentence in [doc] if is_sentence else doc.sents:
            if cut := by_places(text, [(t.idx, t.idx + len(t.text)) for t in sentence]):
                yield cut

    @cached_property
    def _model(self) -> Any:
        try:
            return _library().load(self.pipeline)
        except OSError:
            raise DataProblem(
                f"spaCy has no pipeline {self.pipeline!r} here; get it, as with `python -m spacy"
                f" download {self.pipeline}`"
            ) from None


def _library() -> Any:
    try:
        import spacy
    except ImportError:
        raise DataProblem("spaCy is not installed: pip install spacy") from None
    return spacy


def _annotation(tokens: Sequence[Any]) -> Annotation:
    return Annotation(
        upos=tuple(token.pos_ or "_" for token in tokens),
        xpos=tuple(token.tag_ or "_" for token in tokens),
        feats=tuple(str(token.morph) or "_" for token in tokens),
        heads=tuple(-1 if t.head.i == t.i else t.head.i for t in tokens),
        deprels=tuple("root" if t.head.i == t.i else t.dep_ for t in tokens),
        lemmas=tuple(token.lemma_ or "_" for token in tokens),
    )
