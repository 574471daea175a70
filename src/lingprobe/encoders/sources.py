"""Where published word vectors are to be had, and under which licence, as far as we know."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lingprobe.data.core import DataProblem


@dataclass(frozen=True)
class FileSource:
    """Where a file is to be had, and its licence."""

    address: str
    licence: str

    def missing(self, path: Path, what: str, kind: str = "file") -> DataProblem:
        """That a file or folder is not there, and where to get it."""
        return DataProblem(f"no {kind} {str(path)!r} ({what}); {self}")

    def __str__(self) -> str:
        return f"get it from {self.address} (licence: {self.licence})"


_ENGLISH = FileSource("https://fasttext.cc/docs/en/english-vectors.html", "CC BY-SA 3.0")
_VECTORS = {
    "glove.*": FileSource("https://nlp.stanford.edu/projects/glove/", "PDDL"),
    "crawl-300d-2M*": _ENGLISH,
    "wiki-news-300d-1M*": _ENGLISH,
    "cc.*.300.*": FileSource("https://fasttext.cc/docs/en/crawl-vectors.html", "CC BY-SA 3.0"),
}
"""Word vectors by the names that their files were published with."""


def check_vectors(path: Path) -> None:
    """DataProblem where a file of word vectors is not there, by the name of which it is known where
    to get it.
    """
    source = next((s for name, s in _VECTORS.items() if path.match(name)), None)
    if source is not None and not path.expanduser().is_file():
        raise source.missing(path, "word vectors")
