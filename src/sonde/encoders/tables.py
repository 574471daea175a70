"""Tables of word vectors: drawn at random by word form, or read from a file as words are asked
for.
"""

from __future__ import annotations

import codecs
import functools
import gzip
import hashlib
import lzma
import struct
import zlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

import numpy as np
from numpy.typing import NDArray

from sonde.core import DataProblem
from sonde.corpora.files import digest, opened
from sonde.encoders.keyed import normals
from sonde.vectors import Floats, Ints

WIDEST = 1 << 20  # numbers of a vector; a file that says more is none
FASTTEXT = struct.pack("<i", 793712314)  # the first four bytes of a fastText model


# dimensions, buckets, shortest and longest subword, entries, words
_FASTTEXT = struct.Struct("<8x i 28x iii 12x ii")


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
    try:
        return _opened(path.expanduser())
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise DataProblem(
            f"{path}: the packed file is damaged ({error}); is the download complete?"
        ) from error


def _opened(path: Path) -> WordFile:
    with opened(path) as stream:
        if stream.read(4) == FASTTEXT:
            return _fasttext(path)
        stream.seek(0)
        first, second = stream.readline(1 << 20), stream.read(1 << 16)
    first = first.removeprefix(codecs.BOM_UTF8)
    header = first.split()
    if len(header) == 2 and all(cell.isdigit() for cell in header):
        count, dim = map(int, header)
        if not 1 <= dim <= WIDEST:
            raise DataProblem(
                f"{path}:1: the header promises vectors of {dim:,} numbers; is it a file of word"
                " vectors?"
            )
        if not _is_text(second, dim):
            return _indexed(path, _records(path, dim, count), dim, binary=True)
        _check_points(second, f"{path}:2")
        return _indexed(path, _lines(path, dim, count), dim, binary=False)
    _check_points(first, f"{path}:1")
    dim = _width(header)
    if not dim:
        raise DataProblem(
            f"{path}:1: not a file of word vectors: a line is a word and its numbers, or 'words"
            " dimensions' at the head"
        )
    return _indexed(path, _lines(path, dim, None), dim, binary=False)


def _width(cells: list[bytes]) -> int:
    """How many numbers stand at the end of a line, 0 where the last cell is none; the first word
    may have spaces in it.
    """
    dim = len(cells) - 1
    if dim < 1 or not _number(cells[-1]):
        return 0
    while dim > 1 and not _number(cells[-dim]):
        dim -= 1
    return dim


@dataclass(frozen=True)
class Indexed:
    """Where each word of a file stands, by a hash of the word; vectors are read there when asked
    for.
    """

    path: Path
    dim: int
    hashes: NDArray[np.uint64]
    places: Ints
    binary: bool

    def find(self, words: Sequence[str]) -> dict[str, Floats]:
        asked = [w.encode("utf-8", "surrogatepass") for w in words]
        keys = np.array([_hash(w) for w in asked], np.uint64)
        at = np.minimum(np.searchsorted(self.hashes, keys), len(self.hashes) - 1)
        hits = np.flatnonzero(self.hashes[at] == keys)
        vectors = {}
        with opened(self.path) as stream:
            # in file order: packed files only go forward
            for i in hits[np.argsort(self.places[at[hits]], kind="stable")].tolist():
                stream.seek(int(self.places[at[i]]))
                if stream.read(len(asked[i]) + 1) == asked[i] + b" ":
                    vectors[words[i]] = self._vector(stream, words[i])
        return vectors

    def _vector(self, stream: IO[bytes], word: str) -> Floats:
        if self.binary:
            return np.frombuffer(stream.read(4 * self.dim), "<f4").astype(np.float32)
        try:
            vector = np.array(stream.readline().split(), np.float32)
        except ValueError:
            vector = np.empty(0, np.float32)
        if len(vector) != self.dim:
            raise DataProblem(
                f"{self.path}: the vector of {word!r} is not {self.dim} numbers; mend or remove its"
                " line"
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
            f"{path}: a fastText model with subwords is read by gensim: pip install 'sonde[static]'"
        ) from None
    if path.suffix in (".gz", ".xz"):
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
        0 < dim <= WIDEST
        and bucket >= 0
        and 0 <= words <= size
        and 0 <= shortest <= 1000
        and 0 <= longest <= 1000
    )
    if not right or (words + bucket) * dim * 4 > held:
        raise DataProblem(
            f"{path}: a fastText model of {words:,} words and {dim:,} numbers a word is not"
            f" {held:,} bytes long; get it again"
        )


def _indexed(path: Path, places: Iterator[tuple[bytes, int]], dim: int, binary: bool) -> Indexed:
    """Gather where words stand; the first place of a word counts."""
    hashes, offsets = array("Q"), array("q")
    for word, place in places:
        hashes.append(_hash(word))
        offsets.append(place)
    if not hashes:
        raise DataProblem(f"{path}: the file holds no word vectors")
    unique, first = np.unique(np.frombuffer(hashes, np.uint64), return_index=True)
    return Indexed(path, dim, unique, np.frombuffer(offsets, np.int64)[first], binary)


def _lines(path: Path, dim: int, count: int | None) -> Iterator[tuple[bytes, int]]:
    """Word and place of each line of a text file, its fields counted; a header's promise of `count`
    words is held.
    """
    place = 0
    number = words = 0
    with opened(path) as stream:
        for number, whole in enumerate(stream, 1):
            place += len(whole)
            line = whole.removeprefix(codecs.BOM_UTF8) if number == 1 else whole
            start = place - len(line)
            if (number == 1 and count is not None) or not line.strip():
                continue
            fields = line.rstrip().count(b" ")
            if fields < dim or (
                fields > dim and _decimal(line.rsplit(None, dim)[0].split(b" ")[-1])
            ):
                raise DataProblem(
                    f"{path}:{number}: {fields} numbers follow the word, where the file has {dim}"
                )
            word = line[: line.index(b" ")] if fields == dim else line.rstrip().rsplit(b" ", dim)[0]
            words += 1
            yield word, start
    if count is not None and words != count:
        raise DataProblem(
            f"{path}:{number}: the header promises {count} words, the file holds {words}; is the"
            " download complete?"
        )


def _records(path: Path, dim: int, count: int) -> Iterator[tuple[bytes, int]]:
    """Word and place of each record of a word2vec binary: the word, a space, `dim` float32, and
    perhaps a line break.
    """
    with opened(path) as stream:
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


def _is_text(beginning: bytes, dim: int) -> bool:
    """Whether what follows a header is text: most lines are a word and `dim` numbers, or there is
    nothing that text cannot hold.

    One line does not decide: it may be imperfect, and bytes of a binary file may happen to read as
    numbers.
    """
    lines = [line.split() for line in beginning.splitlines()[:100]]
    numbers = [
        len(fields) > 1 and all(_number(f.replace(b",", b".")) for f in fields[-dim:][:8])
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
    commas = [f for f in fields if b"," in f and _number(f.replace(b",", b".", 1))]
    if commas and 2 * len(commas) >= len(fields):
        raise DataProblem(
            f"{where}: numbers with decimal commas, as {commas[0].decode()}; write points, as with"
            " `sed 's/,/./g'`"
        )


def _number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isascii()


def _decimal(text: bytes) -> bool:
    """Whether it can only be one number too many: words such as `10 000` have spaces and digits,
    but no decimals.
    """
    return _number(text) and not text.isdigit()


def _hash(word: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(word, digest_size=8).digest(), "little")


class WordTable(Protocol):
    """Words -> vectors."""

    def look_up(self, words: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        """A vector for each word [words, dim], zeros where there is none, and which words there
        are.
        """
        ...


@dataclass(frozen=True)
class RandomTable:
    """A random normal vector for each word form, the same in every process; no word is unknown."""

    dim: int
    seed: int

    def look_up(self, words: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        keys = [w.encode("utf-8", "surrogatepass") for w in words]
        return normals(keys, self.dim, f"word {self.seed}"), np.ones(len(words), bool)


@dataclass(frozen=True)
class FileTable:
    """Word vectors of a file; only those of words that were asked for are kept in memory."""

    path: Path
    _file: list[WordFile] = field(default_factory=list, repr=False, compare=False)
    _kept: dict[str, Floats | None] = field(default_factory=dict, repr=False, compare=False)

    @property
    def fingerprint(self) -> str:
        return digest([self.path])

    def __reduce__(self) -> tuple[type[FileTable], tuple[Path]]:
        return FileTable, (self.path,)  # what was read stays in the process that read it

    def look_up(self, words: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        if not self._file:
            self._file.append(open_words(self.path))
        file = self._file[0]
        new = [w for w in words if w not in self._kept]
        looked_up = file.find(new)
        self._kept.update((w, looked_up.get(w)) for w in new)
        vectors = np.zeros((len(words), file.dim), np.float32)
        known = np.zeros(len(words), bool)
        for i, word in enumerate(words):
            if (vector := self._kept[word]) is not None:
                vectors[i], known[i] = vector, True
        return vectors, known


def word_table(path: Path | None, dim: int, seed: int) -> WordTable:
    """Word vectors of a file, or random ones of so many dimensions, as they stand; shared, as
    tables keep the words that were asked for.
    """
    return RandomTable(dim, seed) if path is None else _file_table(path, digest([path]))


@functools.lru_cache(maxsize=4)
def _file_table(path: Path, mark: str) -> FileTable:
    """The table of a file as it is now; one that was written again is another."""
    return FileTable(path)
