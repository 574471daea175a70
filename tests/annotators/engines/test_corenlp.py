"""A CoreNLP server, played by one that answers as it does (outputFormat json, version 4.5)."""

from __future__ import annotations

import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import lingprobe
from lingprobe.annotators import make_parser
from lingprobe.corpora import brackets, conllu

TAGS = {"the": "DT", "dogs": "NNS", "bark": "VBP", ".": ".", "(": "-LRB-", ")": "-RRB-"}


def answer(line, offset, parsed):
    words = line.split()
    tokens, at = [], offset
    for i, word in enumerate(words, 1):
        at += line[at - offset :].index(word)
        tokens.append({
            "index": i, "word": word, "originalText": word, "lemma": word.lower(),
            "pos": TAGS.get(word.lower(), "NN"), "characterOffsetBegin": at,
            "characterOffsetEnd": at + len(word),
        })  # fmt: skip
        at += len(word)
    if not parsed:
        return {"index": 0, "tokens": [{k: v for k, v in t.items() if k != "pos"} for t in tokens]}
    edges = [
        {"dep": "ROOT" if i == 1 else "dep", "governor": i - 1, "dependent": i}
        for i in range(1, len(words) + 1)
    ]
    leaves = "\n    ".join(
        f"({t['pos']} {'-LRB-' if t['word'] == '(' else t['word']})" for t in tokens
    )
    return {
        "index": 0, "parse": f"(ROOT\n  (NP {leaves}))", "basicDependencies": edges, "tokens": tokens,
    }  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        asked = json.loads(query["properties"][0])
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.asked.append((asked, text))
        if "REFUSED" in text:
            self.send_error(500, "CoreNLP request timed out")
            return
        parsed = "parse" in asked["annotators"]
        sentences, offset = [], 0
        for line in text.split("\n") if "ssplit.eolonly" in asked else text.split(" / "):
            if line.split():
                sentences.append(answer(line, offset, parsed))
            offset += len(line) + (1 if "ssplit.eolonly" in asked else 3)
        if "DROPPED" in text:
            sentences[0]["tokens"] = sentences[0]["tokens"][1:]
        data = json.dumps({"sentences": sentences}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        made.asked = []
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture
def url(server):
    return f"http://127.0.0.1:{server.server_port}"


def test_words_are_sent_as_they_are_and_trees_come_back(server, url):
    (said,) = make_parser(f"corenlp:{url}").annotate([("the", "dogs", "(", "bark", ".")])
    asked, text = server.asked[-1]
    assert (asked["tokenize.whitespace"], text) == ("true", "the dogs ( bark .")
    assert said.heads == (-1, 0, 1, 2, 3)
    assert said.deprels[0] == "root"
    assert said.upos == ("PRON", "NOUN", "PUNCT", "VERB", "PUNCT")
    assert said.feats[3] == "Mood=Ind|Tense=Pres|VerbForm=Fin"
    assert said.brackets == "(ROOT (NP (DT the) (NNS dogs) (-LRB- -LRB-) (VBP bark) (. .)))"


def test_text_becomes_trees_of_both_kinds(url, tmp_path):
    text = tmp_path / "a.txt"
    text.write_text("The 😀 dogs bark . / Dogs bark .")
    lingprobe.parse(text, f"corenlp:{url}", tmp_path / "out")
    trees = list(conllu.read_conllu(tmp_path / "out" / "00000.conllu.zst"))
    assert [tree.text for tree in trees] == ["The 😀 dogs bark .", "Dogs bark ."]
    phrases = list(brackets.read_brackets(tmp_path / "out" / "00000.trees.zst"))
    assert [tree.words for tree in phrases] == [tree.words for tree in trees]


def test_a_sentence_that_comes_back_with_other_words_is_left_out(url, tmp_path):
    text = tmp_path / "a.txt"
    text.write_text("Dogs DROPPED .")
    done = lingprobe.parse(text, f"corenlp:{url}", tmp_path / "out", tokens="rules")
    assert (done.sentences, done.skipped["no tree"]["times"]) == (0, 1)


@pytest.mark.parametrize(
    ("address", "words", "says"),
    [
        ("localhost:9000", "a", "is not an address"),
        ("http://127.0.0.1:9", "a", "no CoreNLP server answers"),
        (None, "REFUSED", "refused the text: 500"),
    ],
)
def test_what_is_wrong_with_a_server_is_said(url, address, words, says):
    with pytest.raises(lingprobe.DataProblem, match=says):
        list(make_parser(f"corenlp:{address or url}").annotate([(words,)]))
