"""A server of Stanford CoreNLP (Manning et al. 2014), whose PCFG parser Conneau et al. (2018) used;
reached over HTTP.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Annotated, Any

from lingprobe.annotators.engines.penn import convert_penn_tag
from lingprobe.annotators.parser import Annotation, Words
from lingprobe.annotators.segment import SegmentedSentence, by_places
from lingprobe.corpora.brackets import format_terminal
from lingprobe.data.core import DataProblem
from lingprobe.data.digests import digest_pieces
from lingprobe.data.options import Help

_SENTENCES = 20  # of a request
_GIVEN = {"tokenize.whitespace": "true", "ssplit.eolonly": "true"}
"""Words and sentences as they are sent."""
_LEAF = re.compile(r"\(([^\s()]+) [^\s()]+\)")


@dataclass(frozen=True)
class CoreNLP:
    """A CoreNLP server: constituents (`parse`), basic dependencies, Penn tags and lemmas. Parts of
    speech and features are made of the Penn tags, so this is for English.
    """

    url: Annotated[str, Help("of the server, as http://localhost:9000")]
    annotators: Annotated[str, Help("what it is asked for")] = (
        "tokenize,ssplit,pos,lemma,depparse,parse"
    )
    timeout: Annotated[int, Help("seconds for an answer")] = 600

    name = "corenlp"

    @cached_property
    def fingerprint(self) -> str:
        """What is asked for, and the answer to one sentence: servers do not say which models they
        have.
        """
        answer = json.dumps(
            self._request_sentences("The old dog saw her duck .", _GIVEN), sort_keys=True
        )
        return f"{self.annotators} {digest_pieces(answer, size=8)}"

    def annotate(self, sentences: Sequence[Words]) -> Iterator[Annotation]:
        left = iter(sentences)
        while some := list(islice(left, _SENTENCES)):
            lines = [" ".join("".join(word.split()) for word in words) for words in some]
            answers = self._request_sentences("\n".join(lines), _GIVEN)
            if len(answers) != len(some):
                raise DataProblem(
                    f"{self.url} answered with {len(answers)} sentences to {len(some)}: is"
                    " something before it that changes what is sent?"
                )
            for words, answer in zip(some, answers, strict=True):
                yield _convert_answer(words, answer)

    def segment(self, text: str, *, is_sentence: bool = False) -> Iterator[SegmentedSentence]:
        lines = {"ssplit.eolonly": "true"} if is_sentence else {}
        sent = _single(text)
        for answer in self._request_sentences(sent, {"annotators": "tokenize,ssplit", **lines}):
            tokens = answer["tokens"]
            places = [(t["characterOffsetBegin"], t["characterOffsetEnd"]) for t in tokens]
            if cut := by_places(text, places):
                yield cut

    def _request_sentences(self, text: str, properties: Mapping[str, str]) -> list[Any]:
        """The sentences of the server's answer."""
        if not self.url.startswith(("http://", "https://")):
            raise DataProblem(
                f"{self.url!r} is not an address; write corenlp:http://localhost:9000"
            )
        asked = {"annotators": self.annotators, "outputFormat": "json", **properties}
        query = urllib.parse.urlencode({"properties": json.dumps(asked)})
        request = urllib.request.Request(  # noqa: S310 - an address of the web, as checked above
            f"{self.url}/?{query}", text.encode(), {"Content-Type": "text/plain; charset=utf-8"}
        )
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as answer:  # noqa: S310
                return list(json.load(answer)["sentences"])
        except urllib.error.HTTPError as error:
            said = error.read(200).decode("utf-8", "replace").strip()
            raise DataProblem(f"{self.url} refused the text: {error.code} {said}") from None
        except (OSError, ValueError, KeyError) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            raise DataProblem(
                f"no CoreNLP server answers at {self.url} ({reason}); start one, as with `java"
                " -mx4g edu.stanford.nlp.pipeline.StanfordCoreNLPServer -port 9000`"
            ) from None


def _single(text: str) -> str:
    """The text with `?` for characters that Java counts as two, so that places are the same."""
    return "".join(c if c <= "\uffff" else "?" for c in text)


def _convert_answer(words: Words, answer: Mapping[str, Any]) -> Annotation:
    """What the server says of a sentence; nothing where it has other words."""
    tokens = answer["tokens"]
    if len(tokens) != len(words):
        return Annotation()
    tags = tuple(token["pos"] for token in tokens)
    edges = {e["dependent"]: e for e in answer.get("basicDependencies", ())}
    relations = [edges[i]["dep"] if i in edges else "dep" for i in range(1, len(words) + 1)]
    deprels = tuple("root" if name == "ROOT" else name for name in relations)
    said = [convert_penn_tag(*word) for word in zip(words, tags, deprels, strict=True)]
    return Annotation(
        upos=tuple(upos for upos, _ in said),
        xpos=tags,
        feats=tuple(feats for _, feats in said),
        heads=tuple(edges[i]["governor"] - 1 for i in range(1, len(words) + 1) if i in edges),
        deprels=deprels if edges else (),
        brackets=_brackets(answer.get("parse", ""), words),
        lemmas=tuple(token.get("lemma", "_") for token in tokens),
    )


def _brackets(parse: str, words: Words) -> str:
    """The tree on one line, with the words that were sent; '' where it has others."""
    left = iter(words)
    tree, many = _LEAF.subn(
        lambda leaf: format_terminal(leaf[1], next(left, "?")), " ".join(parse.split())
    )
    return tree if many == len(words) else ""
