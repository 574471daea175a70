"""Stanza (Qi et al. 2020), where it is installed with its models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from lingprobe.annotators.parser import Annotation, Words
from lingprobe.data.core import DataProblem
from lingprobe.data.options import Help


@dataclass(frozen=True)
class StanzaParser:
    """Stanza, where it is installed: pip install stanza, and its models as it says."""

    language: Annotated[str, Help("a code, as en")]
    package: Annotated[str, Help("which of its models")] = "default"

    @property
    def name(self) -> str:
        """Stanza, the language and the package."""
        return f"stanza {self.language} {self.package}"

    @property
    def fingerprint(self) -> str:
        """The version of Stanza, and which models."""
        return f"{_library().__version__} {self.language} {self.package}"

    def annotate(self, sentences: Sequence[Words]) -> Iterator[Annotation]:
        for words in sentences:
            (parsed,) = self._pipeline([list(words)]).sentences
            yield _annotation(parsed) if len(parsed.words) == len(words) else Annotation()

    @cached_property
    def _pipeline(self) -> Any:
        stanza = _library()
        shared = {"package": self.package, "tokenize_pretokenized": True, "verbose": False}
        steps = "tokenize,pos,lemma,depparse"
        for processors in (f"{steps},constituency", steps):
            try:
                return stanza.Pipeline(
                    self.language, processors=processors, download_method=None, **shared
                )
            except Exception as error:
                problem = str(error).splitlines()[0]
        raise DataProblem(
            f"Stanza has no models for {self.language!r} here ({problem}); get them, as with"
            f" `python -c \"import stanza; stanza.download('{self.language}')\"`"
        )


def _library() -> Any:
    try:
        import stanza
    except ImportError:
        raise DataProblem("Stanza is not installed: pip install stanza") from None
    return stanza


def _annotation(parsed: Any) -> Annotation:
    tree, words = parsed.constituency, parsed.words
    return Annotation(
        upos=tuple(word.upos or "_" for word in words),
        xpos=tuple(word.xpos or "_" for word in words),
        feats=tuple(word.feats or "_" for word in words),
        heads=tuple(word.head - 1 for word in words),
        deprels=tuple(word.deprel for word in words),
        brackets="" if tree is None else " ".join(str(tree).split()),
        lemmas=tuple(word.lemma or "_" for word in words),
    )
