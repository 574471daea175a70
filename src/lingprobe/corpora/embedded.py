"""A small treebank of English in the package, so that lingprobe has data without any download.

A grammar wrote it, and its sentences are dull but grammatical: every tense, voice, number and kind
of sentence that the tasks ask about occurs in every length from three to twenty-three words, and
adverbials fit all tenses, so that no single word gives an answer away. They are different from each
other, and equally many are of each of seven ranges of length.

The file lists the words (form, lemma, tag, features, relation, space after), then, after an empty
line, each sentence: the number of each word, and how far it is to its head, 0 for the root.
"""

from __future__ import annotations

import functools
import lzma
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lingprobe.data._closure import digest_code, root_of
from lingprobe.data.cache import FileProblem, cache_dir, find_cached, write_text

_SENTENCES = 17_000  # enough for 200 test examples a class in five of the tasks
_LENGTHS = range(3, 24)
_RANGES, _WIDTH = 7, 3  # of length
EMBEDDED_TREEBANK = "embedded"


def generate_treebank(sentences: int = _SENTENCES, after: int = 0) -> Iterator[str]:
    """CoNLL-U lines, without line ends, of so many sentences, equally many of each range of length;
    of those behind the ones that `treebank(after)` gives.
    """
    skip, room = [-(-after // _RANGES)] * _RANGES, [-(-sentences // _RANGES)] * _RANGES
    written = 0
    words, trees = _unpack_treebank()
    for tree in trees:
        nodes = tree.split()
        length = len(nodes) // _WIDTH - 1
        left = skip if skip[length] else room
        if left is room and written == sentences:
            return
        if not left[length]:
            continue
        left[length] -= 1
        if left is room:
            written += 1
            yield from _format_sentence(f"{EMBEDDED_TREEBANK}-{written:05d}", words, nodes)


def _unpack_treebank() -> tuple[list[list[str]], list[str]]:
    """The words and the sentences of the file."""
    text = lzma.decompress(Path(__file__).with_suffix(".xz").read_bytes()).decode("utf-8")
    words, _, trees = text.partition("\n\n")
    return [line.split("\t") for line in words.split("\n")], trees.splitlines()


def _format_sentence(name: str, words: list[list[str]], nodes: list[str]) -> Iterator[str]:
    """The lines of a sentence."""
    rows, text = [], ""
    for place, node in enumerate(nodes, 1):
        number, away = map(int, node.split(","))
        form, lemma, tag, feats, relation, space = words[number]
        head = place + away if away else 0
        rows.append(f"{place}\t{form}\t{lemma}\t{tag}\t_\t{feats}\t{head}\t{relation}\t_\t{space}")
        text += form if space == "SpaceAfter=No" else f"{form} "
    yield f"# sent_id = {name}"
    yield f"# text = {text.rstrip()}"
    yield from rows
    yield ""


def treebank_file() -> Path:
    """The embedded treebank of simple English sentences and their trees, as a file in the cache,
    written when it is first asked for and again when it changes.
    """
    file = find_cached(
        cache_dir()
        / EMBEDDED_TREEBANK
        / f"{EMBEDDED_TREEBANK}-{digest_code(root_of(generate_treebank))[:12]}.conllu"
    )
    if file.is_file():
        return file
    content = "".join(line + "\n" for line in generate_treebank())
    try:
        write_text(file, content)
    except FileProblem:  # a cache that cannot be written is done without
        file = Path(_folder().name) / file.name
        write_text(file, content)
    return file


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """A folder that lasts as long as the process."""
    return tempfile.TemporaryDirectory(prefix="lingprobe-")
