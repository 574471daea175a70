"""A small grammar of English that writes sentences with their dependency trees, so that lingprobe
has data without any download.

Its sentences are dull but grammatical: every tense, voice, number and kind of sentence that the
tasks ask about occurs in every length from three to twenty-three words, and adverbials fit all
tenses, so that no single word gives an answer away.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lingprobe.corpora.embedded.clauses import command, exclamation, form, question, statement
from lingprobe.corpora.embedded.phrases import Chance, Word, flat, lines
from lingprobe.data._closure import code_of
from lingprobe.data.cache import FileProblem, cache_dir, write_text

SENTENCES, SEED = 17_000, 1  # enough for 200 test examples a class in five of the tasks
LENGTHS = range(3, 24)
NAME = "embedded"


def treebank(sentences: int = SENTENCES, seed: int = SEED) -> Iterator[str]:
    """CoNLL-U lines, without line ends, of that many different sentences, equally many of each of
    seven ranges of length.
    """
    chance = Chance(seed)
    room = [-(-sentences // 7)] * 7
    seen: set[str] = set()
    while sum(room) and len(seen) < sentences:
        words = flat(sentence(chance))
        size = len(words)
        if size not in LENGTHS or not room[size // 3 - 1]:
            continue
        key = " ".join([word.form for word in words])
        if key in seen:
            continue
        room[size // 3 - 1] -= 1
        seen.add(key)
        yield from lines(words, f"embedded-{len(seen):05d}")


def sentence(chance: Chance) -> Word:
    """One tree: mostly a statement, else a question, a command or an exclamation, with its final
    mark.
    """
    chance.fresh()
    draw = chance.pick(range(20))
    if draw < 13:
        root, mark = statement(chance, form(chance), 0), "!" if chance.hit(0.08) else "."
    elif draw < 16:
        root, mark = question(chance), "?"
    elif draw < 19:
        root, mark = command(chance), chance.pick((".", "!"))
    else:
        root, mark = exclamation(chance), "!"
    return root.under("root").plus(right=(Word(mark, mark, "PUNCT", deprel="punct", tight=True),))


def stored() -> Path:
    """The treebank as a file in the cache, written when it is first asked for and again when the
    grammar changes.
    """
    file = cache_dir() / NAME / f"{NAME}-{code_of(__name__)[:12]}.conllu"
    if file.is_file():
        return file
    content = "".join(line + "\n" for line in treebank())
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
