"""How often words and pairs of neighbouring words occur in a corpus, which may be larger than
memory would hold naively.

A corpus is running text, tagged text, a treebank or constituency trees; words are counted ignoring
case, split as English treebanks split them. Pairs are kept as sorted 64-bit numbers (the two words'
numbers side by side), sixteen bytes a distinct pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np

from lingprobe.corpora import brackets, conllu, text
from lingprobe.corpora import tagged_text as tagged
from lingprobe.corpora.array_files import ArrayFile
from lingprobe.corpora.files import (
    digest_files,
    find_treebank_files,
    uncompressed_path,
)
from lingprobe.corpora.places import locate_path
from lingprobe.corpora.tally import OnError
from lingprobe.corpora.text import tokenize_words
from lingprobe.data._closure import digest_code, root_of
from lingprobe.data.cache import (
    FileProblem,
    cache_dir,
    open_draft,
)
from lingprobe.data.core import DataProblem
from lingprobe.data.digests import digest_pieces
from lingprobe.data.vectors import Ints

_HELD = 1 << 21  # tokens whose pairs are counted at once
_END = ""  # stands after each sentence


@dataclass(frozen=True, eq=False)
class WordFrequencies:
    """Counts of a corpus, ignoring case.

    numbers   of the distinct words; counts [words] how often each occurs
    small     [words] how often a word inside a sentence is written in small letters, capital how
              often it is not
    pairs     [pairs] sorted, first word << 32 | second; together [pairs] how often they stand side
              by side in a sentence
    total     words in all
    """

    numbers: dict[str, int]
    counts: Ints
    small: Ints
    capital: Ints
    pairs: Ints
    together: Ints
    total: int

    def count(self, word: str) -> int:
        """How often a word occurs."""
        number = self.numbers.get(word.lower(), -1)
        return int(self.counts[number]) if number >= 0 else 0

    def side_by_side(self, first: str, second: str) -> int:
        """How often one word follows another."""
        a, b = self.numbers.get(first.lower(), -1), self.numbers.get(second.lower(), -1)
        if a < 0 or b < 0:
            return 0
        key = a << 32 | b
        place = int(np.searchsorted(self.pairs, key))
        return (
            int(self.together[place]) if place < len(self.pairs) and self.pairs[place] == key else 0
        )

    def is_name(self, word: str) -> bool | None:
        """Whether a word inside a sentence mostly has a capital; None where it never stands
        there.
        """
        number = self.numbers.get(word.lower(), -1)
        if number < 0 or not (self.small[number] or self.capital[number]):
            return None
        return bool(self.capital[number] > self.small[number])


class _Forms:
    """The words of a corpus as they stand, by number.

    words         of small letters, by number
    lower         of each form, the number of the word that it is in small letters
    before        of each form, whether what follows stands inside a sentence
    seen, inside  how often each form occurs, in all and inside a sentence
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {_END: 0}
        self.words: dict[str, int] = {}
        self.lower = np.full(1, -1)
        self.before = np.zeros(1, bool)
        self.seen = self.inside = np.zeros(1, np.int64)

    def add(self, sentences: Iterable[Sequence[str]]) -> Ints:
        """Count sentences; returns the numbers of their words, each sentence with -1 behind it."""
        numbers, words = self.numbers, self.words
        flat = list(chain.from_iterable((*sentence, _END) for sentence in sentences))
        codes = np.fromiter(
            (numbers.setdefault(form, len(numbers)) for form in flat), np.int64, len(flat)
        )
        new = list(islice(numbers, len(self.lower), None))
        lower = [words.setdefault(form.lower(), len(words)) for form in new]
        before = [form == "," or form[-1:].isalnum() for form in new]
        self.lower = np.append(self.lower, np.array(lower, np.int64))
        self.before = np.append(self.before, np.array(before, bool))
        self.seen = _plus(self.seen, codes, len(numbers))
        self.inside = _plus(self.inside, codes[1:][self.before[codes[:-1]]], len(numbers))
        return self.lower[codes]

    def counts(self) -> Iterator[Ints]:
        """How often each word occurs: in all, and inside a sentence in small letters and not."""
        small = np.array([form == form.lower() for form in self.numbers])
        for counts in (self.seen, np.where(small, self.inside, 0), np.where(small, 0, self.inside)):
            yield np.bincount(self.lower[1:], counts[1:], len(self.words)).astype(np.int64)


def count_frequencies(sentences: Iterable[Sequence[str]]) -> WordFrequencies:
    """The frequencies of some sentences."""
    forms = _Forms()
    pairs, together = np.empty(0, np.int64), np.empty(0, np.int64)
    for block in _batch_words(sentences):
        pairs, together = _merge_counts(pairs, together, *_neighbours(forms.add(block)))
    counts, small, capital = forms.counts()
    return WordFrequencies(forms.words, counts, small, capital, pairs, together, int(counts.sum()))


def _plus(counts: Ints, codes: Ints, size: int) -> Ints:
    """Counts of numbers with more of them added, [size]."""
    return np.pad(counts, (0, size - len(counts))) + np.bincount(codes, minlength=size)


def _neighbours(words: Ints) -> tuple[Ints, Ints]:
    """The distinct pairs of words that stand side by side, and how often; -1 is no word."""
    first, second = words[:-1], words[1:]
    return np.unique((first << 32 | second)[(first >= 0) & (second >= 0)], return_counts=True)


def load_frequencies(paths: Sequence[str], on_error: OnError = "raise") -> WordFrequencies:
    """The frequencies of some corpora; counted once, and kept under a hash of the files and of what
    reads them.
    """
    files = [file for path in paths for file in list_readable_files(path)]
    kinds = "".join(
        uncompressed_path(file).suffix for file in files
    )  # names say how files are read
    key = digest_pieces(f"{digest_files(files)}{kinds}{on_error}")
    place = cache_dir() / "frequencies" / f"{key}-{digest_code(root_of(load_frequencies))}.npz"
    try:
        return _load_frequencies(place)
    except (OSError, ValueError, KeyError):
        table = count_frequencies(
            chain.from_iterable(_read_file_words(file, on_error) for file in files)
        )
    if not table.total:
        raise DataProblem(f"no words in {', '.join(paths)}: nothing to count")
    _save(table, place)
    return table


def list_readable_files(path: str) -> list[Path]:
    """The files of a corpus: the file itself, or those of a folder that can be read, by name."""
    place = locate_path(path)
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise DataProblem(f"no file or folder {path!r} to count words in")
    endings = (*brackets.BRACKET_SUFFIXES, *tagged.TAGGED_TEXT_SUFFIXES[:-1], ".txt")
    files = sorted(
        file
        for file in place.iterdir()
        if file.is_file() and uncompressed_path(file).suffix in endings
    )
    return files or [part.path for part in find_treebank_files(place)]


def _read_file_words(path: Path, on_error: OnError) -> Iterator[Sequence[str]]:
    """The words of each sentence of a file, by the kind that its name says; text is cut as
    treebanks are.
    """
    suffix = uncompressed_path(path).suffix
    if suffix in brackets.BRACKET_SUFFIXES:
        return (tree.words for tree in brackets.read_brackets(path, on_error))
    if suffix == ".conllu":
        return (tree.words for tree in conllu.read_conllu(path, on_error))
    if tagged.is_tagged(path):
        return (sentence.words for sentence, _ in tagged.read_tagged_text(path, on_error))
    return (tokenize_words(sentence.words) for sentence in text.read_running_text(path, on_error))


def _batch_words(sentences: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    held: list[Sequence[str]] = []
    size = 0
    for words in sentences:
        held.append(words)
        size += len(words)
        if size >= _HELD:
            yield held
            held, size = [], 0
    if held:
        yield held


def _merge_counts(pairs: Ints, together: Ints, keys: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Sorted pairs and their counts, with others added."""
    if not len(keys):
        return pairs, together
    joined = np.concatenate([pairs, keys])
    order = np.argsort(joined, kind="stable")
    joined = joined[order]
    first = np.flatnonzero(np.r_[True, joined[1:] != joined[:-1]])
    return joined[first], np.add.reduceat(np.concatenate([together, counts])[order], first)


def _save(table: WordFrequencies, place: Path) -> None:
    """Write counts at once, so that several processes may; a cache that cannot be written is done
    without.
    """
    words = np.frombuffer("\n".join(table.numbers).encode("utf-8", "surrogatepass"), np.uint8)
    with suppress(FileProblem), open_draft(place) as part, part.open("wb") as file:
        np.savez(
            file, words=words, counts=table.counts, small=table.small, capital=table.capital,
            pairs=table.pairs, together=table.together,
        )  # fmt: skip


def _load_frequencies(place: Path) -> WordFrequencies:
    file = ArrayFile(place)
    words = file["words"].tobytes().decode("utf-8", "surrogatepass").split("\n")
    arrays = {name: file[name] for name in ("counts", "small", "capital", "pairs", "together")}
    numbers = {word: i for i, word in enumerate(words)}
    return WordFrequencies(numbers, **arrays, total=int(arrays["counts"].sum()))
