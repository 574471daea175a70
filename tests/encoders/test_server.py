"""Embedding servers: a real one on this machine, which does what servers do when they fail."""

from __future__ import annotations

import os
import socket
import threading
import urllib.error
from email.utils import formatdate

import numpy as np
import pytest

import lingprobe
from fixtures.embedding_server import embedding_server, vector
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders import make_encoder, server
from lingprobe.encoders.server import _authorisation

KEY = "sk-very-secret-0123456789"
SENTENCES = [Sentence.of(text.split()) for text in ("A cat .", "Two dogs bark .", "Who ?", "Yes")]


@pytest.fixture
def service(monkeypatch):
    """A server at work; no key in the environment, and no time lost waiting."""
    for name in server._KEYS:
        monkeypatch.delenv(name, raising=False)
    with embedding_server() as mine:
        mine.waits = []
        monkeypatch.setattr(server.time, "sleep", mine.waits.append)
        yield mine


def reference(service, **options) -> str:
    return f"api:{service.url},model=tiny" + "".join(f",{k}={v}" for k, v in options.items())


def expected(sentences=SENTENCES, prompt="") -> list[list[float]]:
    return [vector(prompt + s.text) for s in sentences]


@pytest.mark.parametrize("batch", [1, 3, 64])
def test_sentences_are_sent_in_batches_and_come_back_in_order(batch, service):
    ours = make_encoder(reference(service, batch=batch)).encode(SENTENCES).layers[0]
    assert ours.tolist() == expected()
    texts = [s.text for s in SENTENCES]
    wanted = [texts[i : i + batch] for i in range(0, 4, batch)]
    assert [body["input"] for body in service.asked] == wanted
    assert {body["model"] for body in service.asked} == {"tiny"}
    assert set(service.paths) == {"/v1/embeddings"}


def test_prompts_and_dimensions_are_asked_for(service):
    encoder = make_encoder(reference(service, dimensions=2, prompt="query%3A "))
    assert encoder.encode(SENTENCES).layers[0].tolist() == [
        row[:2] for row in expected(prompt="query: ")
    ]
    assert service.asked[0]["dimensions"] == 2
    service.faults = [lambda data: [{**each, "embedding": [1.0]} for each in data]]
    with pytest.raises(EncoderStop, match="vectors of 1 dimensions, not 2"):
        encoder.encode(SENTENCES)


def shuffled(data):
    return data[::-1]


def nameless(data):
    return [{"embedding": each["embedding"]} for each in data]


@pytest.mark.parametrize("fault", [shuffled, nameless])
def test_the_order_is_that_of_the_numbers_where_there_are_some(fault, service):
    service.faults = [fault]
    assert make_encoder(reference(service)).encode(SENTENCES).layers[0].tolist() == expected()


WRONG = {
    "one too few": lambda data: data[1:],
    "one too many": lambda data: [*data, data[0]],
    "a number twice": lambda data: [{**each, "index": 0} for each in data],
    "rows of other widths": lambda data: [data[0] | {"embedding": [1.0]}, *data[1:]],
    "no numbers": lambda data: [{**each, "embedding": "none"} for each in data],
    "nothing": lambda data: [{"index": each["index"]} for each in data],
    "empty": lambda data: [{**each, "embedding": []} for each in data],
    "null": lambda data: None,
}


@pytest.mark.parametrize("fault", WRONG)
def test_what_is_no_answer_of_this_protocol_is_said(fault, service):
    service.faults = [WRONG[fault]]
    with pytest.raises(EncoderStop, match=r"does not speak the protocol of OpenAI's"):
        make_encoder(reference(service)).encode(SENTENCES)
    assert len(service.asked) == 1


def test_a_text_without_a_letter_is_not_sent(service):
    empty = Sentence((), " ")
    ours = make_encoder(reference(service)).encode([empty, *SENTENCES]).layers[0]
    assert ours.tolist() == [[0.0] * 4, *expected()]
    assert service.asked[0]["input"] == [s.text for s in SENTENCES]
    assert make_encoder(reference(service)).encode([empty]).layers[0].tolist() == [[0.0] * 4]


def test_widths_that_change_between_requests_are_refused(service):
    service.faults = [None, lambda data: [{**each, "embedding": [1.0]} for each in data]]
    with pytest.raises(EncoderStop, match="vectors of 4 and of 1 dimensions"):
        make_encoder(reference(service, batch=2)).encode(SENTENCES)


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 504, 0])
def test_a_busy_or_broken_server_is_asked_again(code, service):
    service.faults = [(code, {}, b"later"), (code, {}, b"later")]
    assert make_encoder(reference(service)).encode(SENTENCES).layers[0].tolist() == expected()
    assert len(service.asked) == 3
    assert service.waits == [1.0, 2.0]


def test_a_server_that_says_when_to_come_back_is_obeyed(service):
    service.faults = [(429, {"Retry-After": "7"}, b""), (503, {"Retry-After": "soon"}, b"")]
    make_encoder(reference(service)).encode(SENTENCES)
    assert service.waits == [7.0, 2.0]
    date = formatdate(server.time.time() + 50, usegmt=True)
    service.faults = [(429, {"Retry-After": date}, b"")]
    make_encoder(reference(service)).encode(SENTENCES)
    assert 40 < service.waits[-1] <= 50
    service.faults = [(429, {"Retry-After": "7200"}, b"the quota of today is used up")]
    with pytest.raises(EncoderStop, match=r"7,200 seconds.*saved.*quota of today"):
        make_encoder(reference(service)).encode(SENTENCES)
    assert len(service.waits) == 3


def test_a_server_that_stays_broken_is_given_up(service):
    service.answer = lambda _: (500, {}, b"")
    with pytest.raises(EncoderStop, match=r"asked 6 times \(it answered 500\)"):
        make_encoder(reference(service)).encode(SENTENCES)
    assert service.waits == [1.0, 2.0, 1.0, 1.0, 1.0, 2.0, 4.0, 8.0, 16.0]
    service.waits.clear()
    service.answer = lambda _: (503, {}, b"")  # a busy one: no text is at fault
    with pytest.raises(EncoderStop, match=r"asked 6 times \(it answered 503\)"):
        make_encoder(reference(service)).encode(SENTENCES)
    assert service.waits == [1.0, 2.0, 4.0, 8.0, 16.0]


def failing(service, at_fault, answer):
    """The service, which answers so where one of some texts is asked for."""
    original = service.answer

    def answer_texts(body):
        return answer if at_fault.intersection(body["input"]) else original(body)

    service.answer = answer_texts


FAULTS = [
    (500, {}, b'{"error": "unsupported value: NaN"}'),
    (0, {}, b""),
    (400, {}, b"cannot be tokenized"),
    (413, {}, b""),
]


@pytest.mark.parametrize("batch", [1, 2, 64])
@pytest.mark.parametrize("answer", FAULTS, ids=lambda answer: str(answer[0]))
def test_texts_that_a_server_fails_on_are_left_out_and_counted(answer, batch, service, tmp_path):
    sentences = [Sentence.of([f"w{i}"]) for i in range(40)]
    failing(service, {"w3", "w17", "w18"}, answer)
    done = lingprobe.embed(sentences, reference(service, batch=batch), cache=tmp_path)
    (embedded,) = done.values()
    assert np.flatnonzero(~embedded.usable).tolist() == [3, 17, 18]
    why = dict(embedded.problems)
    assert set(why) == {3, 17, 18}
    assert all(service.url.split("/")[2] in each for each in why.values())
    service.answer = type(service).answer.__get__(service)  # it was mended
    (again,) = lingprobe.embed(sentences, reference(service, batch=batch), cache=tmp_path).values()
    assert (again.encoded, again.cached, again.usable.all()) == (3, 37, True)


def test_a_server_that_fails_on_nearly_all_texts_is_given_up(service):
    original = service.answer
    service.answer = lambda body: original(body) if body["input"] == ["."] else (500, {}, b"")
    with pytest.raises(EncoderStop, match=r"embeds '\.', and failed on 32 texts one after another"):
        make_encoder(reference(service)).encode([Sentence.of([f"w{i}"]) for i in range(200)])


def test_an_outage_leaves_no_text_out(service):
    service.faults = [(500, {}, b"")] * 11
    assert make_encoder(reference(service)).encode(SENTENCES).layers[0].tolist() == expected()


def test_an_answer_has_an_end(service, monkeypatch):
    monkeypatch.setattr(server, "_WHOLE_BYTES", 200)
    service.faults = [lambda data: [{**data[0], "embedding": [0.1] * 1000}]]
    with pytest.raises(EncoderStop, match=r"answers with more than 400 B; .*batch=8"):
        make_encoder(reference(service)).encode(SENTENCES[:1])
    assert len(service.asked) == 1


def drip(connection, ended):
    """Answer byte by byte, without end."""
    with connection:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not ended.wait(0.02):
            connection.sendall(b"x")


def test_an_answer_that_comes_byte_by_byte_is_given_up(service, monkeypatch):
    monkeypatch.setattr(server, "_WHOLE_SECONDS", 0.3)
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        slow = threading.Thread(target=lambda: drip(listening.accept()[0], ended), daemon=True)
        slow.start()
        address = f"api:http://127.0.0.1:{listening.getsockname()[1]}/v1,model=tiny"
        with pytest.raises(EncoderStop, match="has not ended its answer after 0 s"):
            make_encoder(address).encode(SENTENCES)
        ended.set()
        slow.join()


@pytest.mark.parametrize("code", [301, 302, 307, 404, 405])
def test_another_address_is_not_followed_with_the_key(code, service, monkeypatch):
    monkeypatch.setenv("LINGPROBE_API_KEY", KEY)
    service.faults = [(code, {"Location": "/elsewhere"}, b"")]
    with pytest.raises(EncoderStop, match=f"answered {code} at .*check the address and model=tiny"):
        make_encoder(reference(service)).encode(SENTENCES)
    assert service.paths == ["/v1/embeddings"]


def test_where_no_server_is_one_sentence_says_so(service, monkeypatch):
    closed = "http://127.0.0.1:9/v1"
    with pytest.raises(EncoderStop, match=f"no server answers at {closed}/embeddings .*refused"):
        make_encoder(f"api:{closed},model=tiny").encode(SENTENCES)

    def unknown(*_):
        raise urllib.error.URLError(socket.gaierror(-2, "Name or service not known"))

    monkeypatch.setattr(server, "_post", unknown)
    with pytest.raises(EncoderStop, match=r"no server answers .*not known"):
        make_encoder(reference(service)).encode(SENTENCES)
    assert service.waits == []


@pytest.mark.parametrize("address", ["localhost:8000", "ftp://a/b", "http://", "file:///etc"])
def test_an_address_has_to_be_one(address):
    with pytest.raises(DataProblem, match="not an address of a server"):
        _ = make_encoder(f"api:{address},model=tiny").fingerprint


def test_a_password_in_the_address_is_refused_unshown():
    with pytest.raises(DataProblem, match="holds a password") as caught:
        _ = make_encoder("api:http://me%3Asecret%40host/v1,model=tiny").fingerprint
    assert "secret" not in str(caught.value)


def test_sentences_that_a_server_refuses_are_left_out_and_counted(service, tmp_path):
    original = service.answer

    def answer(body):
        if any(text == "Who ?" for text in body["input"]):
            return 400, {}, b"the input is too long"
        return original(body)

    service.answer = answer
    sentences = [*SENTENCES, Sentence((), "")]
    done = lingprobe.embed(sentences, reference(service), cache=tmp_path)
    (embedded,) = done.values()
    assert embedded.usable.tolist() == [True, True, False, True, True]
    assert "answered 400: the input is too long" in dict(embedded.problems)[2]
    assert all(text.strip() for body in service.asked for text in body["input"])


def test_numbers_that_are_none_are_left_out_and_counted(service, tmp_path):
    service.faults = [
        None,
        lambda data: [
            {**each, "embedding": [float("nan")] * 4} if each["index"] == 1 else each
            for each in data
        ],
    ]
    make_encoder(reference(service)).encode(SENTENCES)
    (embedded,) = lingprobe.embed(SENTENCES, reference(service), cache=tmp_path).values()
    assert embedded.usable.sum() == len(SENTENCES) - 1


def test_a_run_that_was_cut_off_goes_on_where_it_was(service, tmp_path):
    """Blocks have at most 2,048 sentences; the server stops within the second."""
    sentences = [Sentence.of([f"w{i}"]) for i in range(3000)]
    how = reference(service, batch=1024)
    service.faults = [None, None, (401, {}, b"no more")]
    with pytest.raises(lingprobe.LingprobeError, match="answered 401"):
        lingprobe.embed(sentences, how, cache=tmp_path)
    before = {text for body in service.asked[:2] for text in body["input"]}
    service.asked.clear()
    (embedded,) = lingprobe.embed(sentences, how, cache=tmp_path).values()
    after = {text for body in service.asked for text in body["input"]}
    assert (len(before), len(after - before)) == (2048, 952)
    assert len(before & after) == 12  # which are checked again
    assert (embedded.cached, embedded.encoded) == (2048, 952)


def test_the_key_of_the_environment_is_sent_and_shown_nowhere(
    service, task, tmp_path, monkeypatch, caplog, capfd
):
    monkeypatch.setenv(server._OURS, f" {KEY}\n")
    caplog.set_level("DEBUG")
    service.faults = [(429, {}, KEY.encode())]
    output, cache = tmp_path / "out", tmp_path / "cache"
    how = {"output": output, "cache": cache, "seeds": 1, "probes": "logreg", "baselines": "none"}
    plan = str(lingprobe.estimate(task, reference(service), cache=cache))
    assert service.asked == []
    assert f"sent to 127.0.0.1:{service.url.split(':')[2].split('/')[0]}" in plan
    evaluation = lingprobe.evaluate(reference(service), task, **how)
    assert evaluation.failures == {}
    assert {headers["Authorization"] for headers in service.headers} == {f"Bearer {KEY}"}
    service.faults = [(401, {}, f"wrong key {KEY}".encode())] * 2
    with pytest.raises(EncoderStop, match=r"LINGPROBE_API_KEY.*wrong key \*\*\*") as caught:
        make_encoder(reference(service)).encode(SENTENCES)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 3
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    shown = [plan, str(evaluation), repr(evaluation), str(caught.value), caplog.text]
    shown += [*capfd.readouterr(), repr(make_encoder(reference(service)))]
    assert not [text for text in shown if KEY in text]


def test_a_key_that_no_header_can_hold_is_not_shown(service, monkeypatch):
    monkeypatch.setenv("LINGPROBE_API_KEY", "secret\nInjected: 1")
    with pytest.raises(EncoderStop, match="not one line of ASCII") as caught:
        make_encoder(reference(service)).encode(SENTENCES)
    assert "secret" not in str(caught.value)
    assert service.asked == []


def test_ours_goes_before_the_key_of_others(service, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "other")
    monkeypatch.setenv("LINGPROBE_API_KEY", KEY)
    make_encoder(reference(service)).encode(SENTENCES)
    assert service.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_a_key_of_openai_goes_nowhere_else(service, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    make_encoder(reference(service)).encode(SENTENCES)
    assert "Authorization" not in service.headers[0]
    theirs = {"Authorization": f"Bearer {KEY}"}
    assert _authorisation("https://api.openai.com/v1/embeddings", os.environ) == theirs
    assert _authorisation("https://notopenai.com/v1/embeddings", os.environ) == {}


def test_addresses_models_and_prompts_are_other_encoders():
    every = [
        "http://a/v1,model=b",
        "http://a/v1/,model=b,prompt=x",
        "http://a/v2,model=b",
        "http://a/v1,model=c",
        "http://a/v1?api-version%3D1,model=b",
    ]
    known = [make_encoder(f"api:{text}").fingerprint for text in every]
    assert len(set(known)) == len(every)
    assert make_encoder("api:http://a/v1/embeddings,model=b").address == "http://a/v1/embeddings"
    assert make_encoder(f"api:{every[4]}").address == "http://a/v1/embeddings?api-version=1"


def test_vectors_are_what_numpy_reads_of_the_answer(service):
    service.faults = [lambda data: [{**each, "embedding": [1, 0.1, -2e-3, 3e38]} for each in data]]
    ours = make_encoder(reference(service)).encode(SENTENCES).layers[0]
    assert np.array_equal(ours, np.tile(np.float32([1, 0.1, -2e-3, 3e38]), (4, 1)))


def test_nothing_but_nan_is_said(service, task, tmp_path):
    original = service.answer

    def answer(body):
        service.faults = [lambda data: [{**each, "embedding": [float("nan")] * 4} for each in data]]
        return original(body)

    service.answer = answer
    how = {"output": tmp_path / "out", "cache": tmp_path / "cache", "baselines": "none"}
    evaluation = lingprobe.evaluate(reference(service), task, probes="logreg", seeds=1, **how)
    (why,) = evaluation.failures.values()
    assert "has no vector that can be used of" in why
    assert "a value that is not finite (NaN or infinite)" in why
    assert len(evaluation) == 0
