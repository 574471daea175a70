"""Tagged text: word/TAG or word_TAG, one sentence a line; or a word, a tab and its tag a line, and
a blank line after a sentence.

Files are plain, .gz or .xz; a .zip, such as NLTK's of the Brown corpus, is read file by file, in
the order of their names. Brown's tags, which are in lower case, become Penn's (see `brown`).
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from lingprobe.corpora.files import (
    decode_text,
    open_zip,
    read_text_lines,
    uncompressed_path,
)
from lingprobe.corpora.rendering import sentence_of, unescape_word
from lingprobe.corpora.tally import OnError, ProblemTally
from lingprobe.corpora.text import CLITIC_PATTERN
from lingprobe.data.core import DataProblem, Sentence

_PENN = {
    "abl": "PDT", "abn": "DT", "abx": "DT", "ap": "JJ", "at": "DT", "cc": "CC", "cd": "CD",
    "cs": "IN", "dt": "DT", "dti": "DT",
    "dts": "DT", "dtx": "DT", "ex": "EX", "in": "IN", "jj": "JJ", "jjr": "JJR", "jjs": "JJS",
    "jjt": "JJS", "md": "MD", "nn": "NN",
    "nns": "NNS", "np": "NNP", "nps": "NNPS", "nr": "NN", "nrs": "NNS", "od": "JJ", "pn": "NN",
    "pp$": "PRP$", "pp$$": "PRP", "ppl": "PRP",
    "ppls": "PRP", "ppo": "PRP", "pps": "PRP", "ppss": "PRP", "ql": "RB", "qlp": "RB", "rb": "RB",
    "rbr": "RBR", "rbt": "RBS", "rn": "RB",
    "rp": "RP", "to": "TO", "uh": "UH", "vbd": "VBD", "vbg": "VBG", "vbn": "VBN", "vbz": "VBZ",
    "wdt": "WDT", "wp$": "WP$", "wpo": "WP",
    "wps": "WP", "wql": "WRB", "wrb": "WRB", "bed": "VBD", "bedz": "VBD", "beg": "VBG",
    "bem": "VBP", "ben": "VBN", "ber": "VBP",
    "bez": "VBZ", "dod": "VBD", "doz": "VBZ", "hvd": "VBD", "hvg": "VBG", "hvn": "VBN",
    "hvz": "VBZ", "be": "VB", "*": "RB", ".": ".",
    ",": ",", ":": ":", "--": ":", "(": "-LRB-", ")": "-RRB-", "``": "``", "''": "''", "'": "''",
}  # fmt: skip
_BARE = {"vb", "do", "hv"}  # infinitive, imperative or present
_NAMES = {
    "nn": "NNP",
    "nns": "NNPS",
    "jj": "NNP",
    "vbn": "NNP",
    "vbg": "NNP",
    "nr": "NNP",
    "nrs": "NNPS",
    "np": "NNP",
    "nps": "NNPS",
}
_BETWEEN = {
    "RB",
    "RBR",
    "RBS",
    "PRP",
    "NN",
    "NNP",
    "NNS",
    "NNPS",
    "DT",
    "JJ",
    "PRP$",
}  # what stands between an auxiliary and its infinitive
_DO = {"do", "does", "did"}
_STARTS = {",", ":", ".", "``", "''", "-LRB-", "UH"}
_FOREIGN = ("fw-", "nil")


def convert_to_penn(
    words: Sequence[str], tags: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words and Penn tags of one sentence; contractions become several words."""
    tokens: list[tuple[str, str]] = []
    for word, tag in zip(words, tags, strict=True):
        for part, brown in _split_tagged_word(word, tag):
            tokens.append((part, _bare(tokens) if brown in _BARE else _tag(part, brown)))
    return tuple(word for word, _ in tokens), tuple(tag for _, tag in tokens)


def _split_tagged_word(word: str, tag: str) -> list[tuple[str, str]]:
    """A word and its Brown tag, or its parts and theirs; a suffix such as -tl stays with the
    first.
    """
    if word.lower() == "cannot":
        return [(word[:3], "md"), (word[3:], "*")]
    if tag.startswith(_FOREIGN):
        return [(word, "fw")]
    plain = tag if tag.startswith("-") else tag.partition("-")[0]
    suffix = tag[len(plain) :]
    if plain.endswith("$") and plain not in _PENN and len(word) > 2 and "'" in word[-2:]:
        at = word.rindex("'")
        return [(word[:at], plain[:-1] + suffix), (word[at:], "POS")]
    first, _, second = plain.partition("+")
    clitic = (
        CLITIC_PATTERN.search(word)
        if "+" in plain or (plain.endswith("*") and plain != "*")
        else None
    )
    if clitic is None:
        return [(word, tag if plain in _PENN else first.rstrip("*$") + suffix)]
    return [
        (word[: clitic.start()], first.rstrip("*") + suffix),
        (clitic[0], second.rstrip("*") or "*"),
    ]


def _tag(word: str, brown: str) -> str:
    if brown in ("POS", "fw"):
        return brown.upper()
    plain, _, suffix = brown.partition("-") if not brown.startswith("-") else (brown, "", "")
    if (
        (suffix.startswith("tl") or plain in ("nr", "nrs"))
        and word[:1].isupper()
        and plain in _NAMES
    ):
        return _NAMES[plain]
    return _PENN.get(plain, "VB" if plain in _BARE else "FW")


def _bare(before: Sequence[tuple[str, str]]) -> str:
    """VB or VBP, from the words before, the nearest first."""
    for i, (word, tag) in enumerate(reversed(before)):
        if tag in ("TO", "MD") or word.lower() in _DO:
            return "VB"
        if tag == "CC":
            verbs = [t for _, t in before if t in ("VB", "VBP")]
            return verbs[-1] if verbs else "VBP"
        if tag in _STARTS:
            return "VB" if i == 0 else "VBP"
        if tag not in _BETWEEN:
            return "VBP"
    return "VB" if not before or all(tag == "RB" for _, tag in before) else "VBP"


TAGGED_TEXT_SUFFIXES = (".tagged", ".pos", ".tag", ".zip")
"""What the name of a tagged file ends in, before .gz or .xz."""

Tagged = tuple[Sentence, tuple[str, ...]]
Pairs = list[tuple[str, str]]


def is_tagged(path: str | Path) -> bool:
    """Whether a file's name says that it is tagged text."""
    return uncompressed_path(Path(path)).suffix in TAGGED_TEXT_SUFFIXES


def read_tagged_text(
    path: str | Path, on_error: OnError = "raise", tally: ProblemTally | None = None
) -> Iterator[Tagged]:
    """The sentences of a file with the tags of their words, in order; a word without a tag is a
    DataProblem that names file and line.
    """
    tally = ProblemTally() if tally is None else tally
    forms: dict[str, str] = {}
    for where, block in _group_sentence_lines(path):
        try:
            pairs = _split_word_tag_pairs(block, where)
        except DataProblem as problem:
            if on_error == "raise":
                raise
            tally.skip(str(problem))
            continue
        words, tags = tuple(w for w, _ in pairs), tuple(t for _, t in pairs)
        if any(t.islower() for t in tags):
            words, tags = convert_to_penn(words, tags)
        words = tuple(forms.setdefault(w, w) for w in map(unescape_word, words))
        tally.sentences += 1
        tally.words += len(words)
        yield sentence_of(words, tags), tuple(forms.setdefault(t, t) for t in tags)


def _group_sentence_lines(path: str | Path) -> Iterator[tuple[str, list[str]]]:
    """What makes up each sentence: one line of pairs, or several lines of a word, a tab and a tag;
    and where it begins.
    """
    held: list[str] = []
    start = ""
    for where, line in _read_numbered_lines(path):
        if "\t" in line.strip():
            start = start if held else where
            held.append(line)
            continue
        if held:
            yield start, held
            held = []
        if line.strip():
            yield where, line.split()
    if held:
        yield start, held


def _read_numbered_lines(path: str | Path) -> Iterator[tuple[str, str]]:
    """The lines of a file, or of all files in a .zip, and where each is."""
    if Path(path).suffix != ".zip":
        for number, line in read_text_lines(path):
            yield f"{path}:{number}", line
        return
    with open_zip(path) as archive:
        for name in sorted(archive.namelist()):
            # ca01 to cr09; the others say what is in them
            if "." not in Path(name).name and name[-1:].isdigit():
                for number, raw in enumerate(io.BytesIO(archive.read(name)), 1):
                    yield (
                        f"{path}!{name}:{number}",
                        decode_text(raw, f"{path}!{name}", number).strip(),
                    )


def _split_word_tag_pairs(block: list[str], where: str) -> Pairs:
    """Words and tags; the last separator of an item is the one that counts, since words may hold
    others.
    """
    if "\t" in block[0]:
        cut = [tuple(item.rstrip().split("\t")[:2]) for item in block]
    else:
        mark = "/" if all("/" in item for item in block) else "_"
        cut = [(word, tag) for word, _, tag in (item.rpartition(mark) for item in block)]
    for pair, item in zip(cut, block, strict=True):
        if len(pair) != 2 or not all(pair):
            raise DataProblem(
                f"{where}: {item[:40]!r} is not a word with a tag; write word/TAG, word_TAG, or"
                " word, tab, TAG on a line"
            )
    return [(pair[0], pair[1]) for pair in cut]
