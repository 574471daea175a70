"""Files of word vectors: where each word stands in one, found in a single reading and remembered,
so that another process finds its words at once.
"""

from __future__ import annotations

import codecs
import struct
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Protocol

import numpy as np
from numpy.typing import NDArray

from lingprobe.corpora.array_files import ArrayFile
from lingprobe.corpora.damage import report_damage
from lingprobe.corpora.files import (
    COMPRESSION_SUFFIXES,
    digest_files,
    known_digest,
    open_and_hash,
    open_file,
)
from lingprobe.data.cache import (
    FileProblem,
    cache_dir,
    open_draft,
    recall_value,
    remember_value,
)
from lingprobe.data.core import DataProblem
from lingprobe.data.digests import hash_bytes
from lingprobe.data.errors import describe_install
from lingprobe.data.vectors import Floats
from lingprobe.encoders.sources import check_vectors

_LARGE = 1 << 24  # bytes; what is found in a smaller file is found again sooner than remembered
_WIDEST = 1 << 20  # numbers of a vector; a file that says more is none
_MAX_DIGITS = 18  # of a number of words or dimensions
_FASTTEXT_MAGIC = struct.pack("<i", 793712314)  # the first four bytes of a fastText model


# dimensions, buckets, shortest and longest subword, entries, words
_FASTTEXT = struct.Struct("<8x i 28x iii 12x ii")


Places = Callable[[IO[bytes]], Iterator[tuple[bytes, int]]]
"""From the bytes of a file to its words, and where each stands."""


class WordFile(Protocol):
    """An open file of word vectors."""

    @property
    def dim(self) -> int: ...

    def find(self, words: Sequence[str]) -> dict[str, Floats]:
        """The vectors of those words that the file has."""
        ...


def open_words(path: Path) -> WordFile:
    """Look at the beginning of a file and open it as what it is; a DataProblem says what is wrong,
    and in which line.
    """
    with report_damage(path, "a file of word vectors"):
        return _open_word_file(path.expanduser())


def word_digest(path: Path) -> str:
    """The digest of a file of word vectors; while a large one is read for it, its words are found,
    too.
    """
    check_vectors(path)
    if not known_digest(path) and path.expanduser().stat().st_size >= _LARGE:
        with suppress(DataProblem):  # which is for those who ask for words
            open_words(path)
    return digest_files([path])


def _open_word_file(path: Path) -> WordFile:
    with open_file(path) as stream:
        if stream.read(4) == _FASTTEXT_MAGIC:
            return _fasttext(path)
        stream.seek(0)
        first, second = stream.readline(1 << 20), stream.read(1 << 16)
    first = first.removeprefix(codecs.BOM_UTF8)
    header = first.split()
    if len(header) == 2 and all(cell.isdigit() for cell in header):
        if max(map(len, header)) > _MAX_DIGITS:
            raise DataProblem(
                f"{path}:1: the header promises a number of {max(map(len, header)):,} digits; is it"
                " a file of word vectors?"
            )
        count, dim = map(int, header)
        if not 1 <= dim <= _WIDEST:
            raise DataProblem(
                f"{path}:1: the header promises vectors of {dim:,} dimensions; is it a file of word"
                " vectors?"
            )
        if not _is_text_vectors(second, dim):
            return _index_file(path, dim, partial(_records, path, dim, count), binary=True)
        _check_points(second, f"{path}:2")
        return _index_file(path, dim, partial(_scan_vector_lines, path, dim, count), binary=False)
    _check_points(first, f"{path}:1")
    dim = _width(header)
    if not dim:
        raise DataProblem(
            f"{path}:1: not a file of word vectors: a line is a word and its numbers, or 'words"
            " dimensions' at the head"
        )
    return _index_file(path, dim, partial(_scan_vector_lines, path, dim, None), binary=False)


def _width(cells: list[bytes]) -> int:
    """How many numbers stand at the end of a line, 0 where the last cell is none; the first word
    may have spaces in it.
    """
    dim = len(cells) - 1
    if dim < 1 or not _is_float_text(cells[-1]):
        return 0
    while dim > 1 and not _is_float_text(cells[-dim]):
        dim -= 1
    return dim


@dataclass(frozen=True)
class WordIndex:
    """Where each word of a file stands, by a hash of the word; vectors are read there when asked
    for.

    table  the hashes, sorted, and the places [2, words]
    """

    path: Path
    dim: int
    table: NDArray[np.uint64]
    binary: bool

    def find(self, words: Sequence[str]) -> dict[str, Floats]:
        asked = [w.encode("utf-8", "surrogatepass") for w in words]
        keys = np.array([_hash(w) for w in asked], np.uint64)
        hashes, places = self.table
        at = np.minimum(np.searchsorted(hashes, keys), len(hashes) - 1)
        hits = np.flatnonzero(hashes[at] == keys)
        vectors = {}
        with open_file(self.path) as stream:
            # in file order: packed files only go forward
            for i in hits[np.argsort(places[at[hits]], kind="stable")].tolist():
                stream.seek(int(places[at[i]]))
                if stream.read(len(asked[i]) + 1) == asked[i] + b" ":
                    vectors[words[i]] = self._vector(stream, words[i])
        return vectors

    def _vector(self, stream: IO[bytes], word: str) -> Floats:
        if self.binary:
            return np.frombuffer(stream.read(4 * self.dim), "<f4").astype(np.float32)
        try:
            with np.errstate(over="ignore"):  # who looks up refuses what is not finite
                vector = np.array(stream.readline().split(), np.float32)
        except ValueError:
            vector = np.empty(0, np.float32)
        if len(vector) != self.dim:
            raise DataProblem(
                f"{self.path}: the vector of {word!r} does not have {self.dim} dimensions; fix or"
                " remove its line"
            )
        return vector


@dataclass(frozen=True)
class FastText:
    """A fastText model read by gensim: words that it lacks get a vector from their subwords, if it
    has any of them.
    """

    path: Path
    dim: int
    model: object

    def find(self, words: Sequence[str]) -> dict[str, Floats]:
        return {w: np.asarray(self.model[w], np.float32) for w in words if w in self.model}  # type: ignore[index,operator]


def _fasttext(path: Path) -> FastText:
    try:
        from gensim.models.fasttext import load_facebook_vectors
    except ImportError:
        raise DataProblem(
            f"{path}: a fastText model with subwords is read by gensim:"
            f" {describe_install('static')}"
        ) from None
    if path.suffix in COMPRESSION_SUFFIXES:
        raise DataProblem(f"{path}: unpack this fastText model first")
    _check_fasttext(path)
    try:
        model = load_facebook_vectors(str(path))
    except Exception as error:  # gensim raises whatever the damaged bytes lead to
        raise DataProblem(
            f"{path}: not a fastText model that gensim can read ({type(error).__name__}: {error})"
        ) from error
    return FastText(path, model.vector_size, model)


def _check_fasttext(path: Path) -> None:
    """Refuse a header that speaks of more than the file holds: gensim would go on for hours."""
    with path.open("rb") as file:
        head = file.read(_FASTTEXT.size)
    if len(head) < _FASTTEXT.size:
        raise DataProblem(f"{path}: a fastText model that is cut short; is the download complete?")
    dim, bucket, shortest, longest, size, words = _FASTTEXT.unpack(head)
    held = path.stat().st_size
    right = (
        0 < dim <= _WIDEST
        and bucket >= 0
        and 0 <= words <= size
        and 0 <= shortest <= 1000
        and 0 <= longest <= 1000
    )
    if not right or (words + bucket) * dim * 4 > held:
        raise DataProblem(
            f"{path}: a fastText model of {words:,} words and {dim:,} dimensions is not {held:,}"
            " bytes long; download it again"
        )


def _index_file(path: Path, dim: int, places: Places, binary: bool) -> WordIndex:
    """Where words stand in a file: as remembered of a large one, else by reading it through."""
    large = path.stat().st_size >= _LARGE
    if large and (table := _recall_table(known_digest(path))) is not None:
        return WordIndex(path, dim, table, binary)
    with open_and_hash(path) as (stream, finish):
        table = _build_table(path, places(stream))
        if large:
            _remember(finish(), table)
    return WordIndex(path, dim, table, binary)


def _build_table(path: Path, places: Iterator[tuple[bytes, int]]) -> NDArray[np.uint64]:
    """Sorted hashes of words, and where the words stand [2, words]; the first place of a word
    counts.
    """
    hashes, offsets = array("Q"), array("Q")
    for word, place in places:
        hashes.append(_hash(word))
        offsets.append(place)
    if not hashes:
        raise DataProblem(f"{path}: the file contains no word vectors")
    unique, first = np.unique(np.frombuffer(hashes, np.uint64), return_index=True)
    return np.stack([unique, np.frombuffer(offsets, np.uint64)[first]])


def _recall_table(mark: str) -> NDArray[np.uint64] | None:
    """What was found in a file that has the digest `mark`; None where nothing is remembered, or
    where it is not what was written.
    """
    with suppress(OSError, ValueError):
        if mark and recall_value(cache_dir() / "words", mark) == digest_files(
            [_get_index_path(mark)]
        ):
            table: NDArray[np.uint64] = ArrayFile(_get_index_path(mark))[""]
            return table
    return None


def _remember(mark: str, table: NDArray[np.uint64]) -> None:
    """Remember what was found in a file, if the cache can be written."""
    with suppress(OSError, FileProblem):
        with open_draft(_get_index_path(mark)) as place, place.open("wb") as file:
            np.save(file, table)
        remember_value(cache_dir() / "words", mark, digest_files([_get_index_path(mark)]))


def _get_index_path(mark: str) -> Path:
    return cache_dir() / "words" / f"{mark}.npy"


def _scan_vector_lines(
    path: Path, dim: int, count: int | None, stream: IO[bytes]
) -> Iterator[tuple[bytes, int]]:
    """Word and place of each line of a text file; a malformed line, with other fields, is an error
    that names it, and so is another number of words than a header's `count`.
    """
    place = 0
    number = words = 0
    for number, whole in enumerate(stream, 1):
        place += len(whole)
        line = whole.removeprefix(codecs.BOM_UTF8) if number == 1 else whole
        start = place - len(line)
        if (number == 1 and count is not None) or not line.strip():
            continue
        fields = line.rstrip().count(b" ")
        before = line.rstrip().rsplit(b" ", dim)[0]  # of the numbers
        if b"  " in line.rstrip()[len(before) :] or (fields < dim and b"\t" in line):
            raise DataProblem(
                f"{path}:{number}: values must be separated by one space, not by tabs or several:"
                " fix them, as with `tr -s '\\t ' ' '`"
            )
        if fields < dim or (fields > dim and _decimal(before.split(b" ")[-1])):
            raise DataProblem(
                f"{path}:{number}: {fields} numbers follow the word, where the file has {dim}"
            )
        word = line[: line.index(b" ")] if fields == dim else before
        words += 1
        yield word, start
    if count is not None and words != count:
        raise DataProblem(
            f"{path}:{number}: the header promises {count} words, the file holds {words}; is the"
            " download complete?"
        )


def _records(path: Path, dim: int, count: int, stream: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Word and place of each record of a word2vec binary: the word, a space, `dim` float32, and
    perhaps a line break.
    """
    place = len(stream.readline())
    held, at, size = b"", 0, 4 * dim
    for number in range(1, count + 1):
        while (space := held.find(b" ", at)) < 0 or len(held) < space + 1 + size:
            more = stream.read(1 << 22)
            if not more or (space < 0 and len(held) - at > 1 << 20):
                raise DataProblem(
                    f"{path}: record {number} of {count} is cut short or not word2vec binary;"
                    " is the download complete?"
                )
            held, at = held[at:] + more, 0
        word = held[at:space].lstrip(b"\n")
        yield word, place + space - at - len(word)
        place += space + 1 + size - at
        at = space + 1 + size
    if (held[at:] + stream.read(1 << 16)).strip():
        raise DataProblem(
            f"{path}: its header promises {count} words of {dim} dimensions, and more follows;"
            " download the file again, or fix its first line"
        )


def _is_text_vectors(beginning: bytes, dim: int) -> bool:
    """Whether what follows a header is text: most lines are a word and `dim` numbers, or there is
    nothing that text cannot hold.

    One line does not decide: it may be imperfect, and bytes of a binary file may happen to read as
    numbers.
    """
    lines = [line.split() for line in beginning.splitlines()[:100]]
    numbers = [
        len(fields) > 1 and all(_is_float_text(f.replace(b",", b".")) for f in fields[-dim:][:8])
        for fields in lines
        if fields
    ]
    if numbers and 2 * sum(numbers) >= len(numbers):
        return True
    if any(byte < 9 or 13 < byte < 32 for byte in beginning):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning)  # whose last character may be cut
    except UnicodeDecodeError:
        return False
    return True


def _check_points(line: bytes, where: str) -> None:
    """Refuse decimal commas, which would be no numbers further on."""
    fields = line.split(b"\n", 1)[0].split()[1:]
    commas = [f for f in fields if b"," in f and _is_float_text(f.replace(b",", b".", 1))]
    if commas and 2 * len(commas) >= len(fields):
        raise DataProblem(
            f"{where}: numbers with decimal commas, as {commas[0].decode()}; write points, as with"
            " `sed 's/,/./g'`"
        )


def _is_float_text(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii()


def _decimal(text: bytes) -> bool:
    """Whether it can only be one number too many: words such as `10 000` have spaces and digits,
    but no decimals.
    """
    return _is_float_text(text) and not text.isdigit()


def _hash(word: bytes) -> int:
    return int.from_bytes(hash_bytes(word, 8), "little")
