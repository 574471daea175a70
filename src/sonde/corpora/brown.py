"""Sentences of the Brown corpus with its tags -> the words and tags of the Penn treebank.

Nouns and verbs get the tags that the tasks ask for (NN NNS VB VBD VBG VBN VBP VBZ), everything else
the closest Penn tag.

- Words of names (`-tl`) are NNP or NNPS where they are nouns, adjectives or participles; `-hl`
  (headline) and `-nc` (cited) are dropped.
- Contractions are taken apart: didn't/dod* -> did/VBD n't/RB, he'd/pps+md -> he/PRP 'd/MD,
  John's/np$ -> John/NNP 's/POS. Those that cannot be (gonna/vbg+to) keep the first of their tags.
- Brown has one tag for infinitives and presents (vb, do, hv). One is VB after `to`, a modal or a
  form of `do`, with adverbs, `not`, or the subject of a question between them; it is VB, too, where
  a clause begins (an imperative), takes its neighbour's tag after `and`, and is VBP elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from sonde.corpora.english import CLITIC

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


def penn(words: Sequence[str], tags: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words and Penn tags of one sentence; contractions become several words."""
    found: list[tuple[str, str]] = []
    for word, tag in zip(words, tags, strict=True):
        for part, brown in _parts(word, tag):
            found.append((part, _bare(found) if brown in _BARE else _tag(part, brown)))
    return tuple(word for word, _ in found), tuple(tag for _, tag in found)


def _parts(word: str, tag: str) -> list[tuple[str, str]]:
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
    clitic = CLITIC.search(word) if "+" in plain or (plain.endswith("*") and plain != "*") else None
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
