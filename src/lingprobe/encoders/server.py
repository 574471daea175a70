"""Embedding servers that speak OpenAI's protocol: sentences are sent, batch by batch, and come back
as vectors.

The key is read from the environment for each request, and stands in nothing that is kept, logged
or raised.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import logging
import os
import queue
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from lingprobe.data._foreign_code import one_line
from lingprobe.data.cache import format_bytes
from lingprobe.data.checks import check_number
from lingprobe.data.core import DataProblem, Sentence
from lingprobe.data.errors import LingprobeError
from lingprobe.data.examples import EncoderStop, PartRefused
from lingprobe.data.options import Help
from lingprobe.data.printing import strip_unprintable
from lingprobe.data.vectors import Vectors

_KEYS = {"LINGPROBE_API_KEY": "", "OPENAI_API_KEY": "openai.com"}  # and for whom alone each is
_OURS = "LINGPROBE_API_KEY"
_TRIES = 6  # of a request, with waits of 1, 2, 4, 8 and 16 seconds between
_LONGEST_WAIT = 300.0  # seconds that a server may ask us to wait
_TIMEOUT = 120.0  # seconds without an answer
_WHOLE_SECONDS = 600.0  # for a whole answer
_WHOLE_BYTES = 1 << 20  # of an answer for each text, and as many besides
_AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 529)
_BROKEN = (500, 502, 504)  # which may be the fault of a text
_OF_TEXTS = (400, 413, 422)  # what a server says of texts that it does not take
_SAID = 300  # bytes of what a server says that are shown
_BATCH_TRIES, _PART_TRIES = 3, 2  # of what may fail for a text's sake, as a batch and divided
_PATIENCE = 32  # texts that fail one after another while others are embedded
_KNOWN = "."  # a text that shows whether a server works, and how wide its vectors are

log = logging.getLogger("lingprobe.encoders")


@dataclass(frozen=True)
class EmbeddingServer:
    """An embedding server that speaks OpenAI's protocol (OpenAI, vLLM, TEI, Ollama, llama.cpp and
    others) by its address. All sentences are sent to it.

    The key of the server is $LINGPROBE_API_KEY, or else, for openai.com alone, $OPENAI_API_KEY.
    """

    url: str
    model: Annotated[str, Help("what the server calls the model")] = field(kw_only=True)
    dimensions: Annotated[
        int | None,
        Help("how many numbers of a vector are asked for, of a model that can be cut; all without"),
    ] = field(default=None, kw_only=True)
    prompt: Annotated[str, Help("text put before each sentence")] = field(default="", kw_only=True)
    batch: Annotated[int, Help("how many sentences go into one request")] = field(
        default=64, kw_only=True
    )

    takes = "sentences"

    @property
    def name(self) -> str:
        return f"api:{self.url},model={self.model}"

    @property
    def fingerprint(self) -> str:
        """All that is known of the model: where it is asked, and how."""
        return f"{self.address} {self.model} {self.dimensions} {self.prompt!r}"

    @property
    def address(self) -> str:
        """Where texts are sent; DataProblem for what is no address, or has a password in it."""
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise DataProblem(
                f"{self.url!r} is not an address of a server; write"
                " api:http://localhost:8000/v1,model=NAME"
            )
        if parts.username or parts.password:
            raise DataProblem(
                f"{parts.hostname}: the address holds a password, which would be kept with the"
                f" results; leave it out, and set {_OURS}"
            )
        path = parts.path.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        return urllib.parse.urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))

    @property
    def sends_to(self) -> str:
        """The server to which all sentences are sent."""
        return urllib.parse.urlsplit(self.address).netloc

    def encode(self, sentences: Sequence[Sentence]) -> Vectors:
        check_number("batch", self.batch, "1", "sentences of a request", EncoderStop)
        texts = [self.prompt + sentence.text for sentence in sentences]
        # servers refuse a text without a letter; its vector is zeros
        full = [i for i, text in enumerate(texts) if text.strip()]
        parts, refused = list[tuple[list[int], NDArray[np.float32]]](), dict[int, str]()
        for start in range(0, len(full), self.batch):
            for row, part in self._divide(texts, full[start : start + self.batch]):
                if isinstance(part, str):
                    refused[row[0]] = part
                    self._check_patience(full, refused)
                else:
                    parts.append((row, part))
        widths = {part.shape[1] for _, part in parts} or {self._embed([_KNOWN]).shape[1]}
        if len(widths) > 1:
            shown = " and of ".join(str(part.shape[1]) for _, part in parts[-2:])
            raise self._wrong(f"vectors of {shown} dimensions")
        vectors = np.zeros((len(sentences), widths.pop()), np.float32)
        for rows, part in parts:
            vectors[rows] = part
        if refused:
            raise PartRefused(Vectors((vectors,)), refused)
        return Vectors((vectors,))

    def _divide(
        self, texts: Sequence[str], rows: list[int], tries: int = _BATCH_TRIES
    ) -> Iterator[tuple[list[int], NDArray[np.float32] | str]]:
        """The vectors of some of the texts, by row; a text that the server refuses or fails on has
        the reason in place of its vector, found by halving until it is alone.
        """
        try:
            yield rows, self._embed([texts[i] for i in rows], tries)
            return
        except DataProblem as problem:
            if isinstance(problem, EncoderStop):
                raise
            why = str(problem)
        if len(rows) > 1:
            middle = len(rows) // 2
            yield from self._divide(texts, rows[:middle], _PART_TRIES)
            yield from self._divide(texts, rows[middle:], _PART_TRIES)
            return
        self._embed([_KNOWN])  # or the server is at fault
        try:
            yield rows, self._embed([texts[rows[0]]], 1)
        except _Broken:
            yield rows, why

    def _check_patience(self, full: Sequence[int], refused: Mapping[int, str]) -> None:
        """Give up where many texts failed one after another. EncoderStop."""
        last = full[: full.index(max(refused)) + 1][-_PATIENCE:]
        if len(last) == _PATIENCE and refused.keys() >= set(last):
            raise EncoderStop(
                f"{self.sends_to} embeds {_KNOWN!r}, and failed on {_PATIENCE} texts one after"
                f" another ({refused[last[-1]]}); see its log"
            )

    def _embed(self, texts: list[str], tries: int = _TRIES) -> NDArray[np.float32]:
        """What the server says to POST /embeddings: one vector a text, [texts, numbers], in their
        order; DataProblem where the texts may be at fault.
        """
        asked: dict[str, Any] = {"model": self.model, "input": texts}
        if self.dimensions is not None:
            asked["dimensions"] = self.dimensions
        most = _WHOLE_BYTES * (1 + len(texts))
        answer = self._ask(json.dumps(asked).encode(), most, tries)
        try:
            items = json.loads(answer)["data"]
            order = [int(item.get("index", i)) for i, item in enumerate(items)]
            rows = [np.array(item["embedding"], np.float32) for item in items]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise self._wrong(f"something else than embeddings ({one_line(error)})") from None
        if sorted(order) != list(range(len(texts))):
            raise self._wrong(
                f"{len(rows)} vectors, numbered otherwise than {len(texts)} texts are"
            )
        widths = {row.shape for row in rows}
        if len(widths) != 1 or rows[0].ndim != 1 or not rows[0].size:
            raise self._wrong(f"vectors of the shapes {', '.join(map(str, sorted(widths)))}")
        if self.dimensions not in (None, rows[0].size):
            raise self._wrong(f"vectors of {rows[0].size} dimensions, not {self.dimensions}")
        vectors = np.empty((len(texts), rows[0].size), np.float32)
        vectors[order] = rows
        return vectors

    def _ask(self, body: bytes, most: int, tries: int) -> bytes:
        """What the server answers to a request, at most so many bytes; a busy server, or a lost
        connection, is tried up to six times.

        EncoderStop where it does not answer, or refuses; DataProblem where it refuses the texts, or
        fails on them in fewer than all tries.
        """
        for again in range(_TRIES):
            broken, wait = True, 2.0**again
            try:
                return _within(_WHOLE_SECONDS, lambda: _post(self.address, body, most))
            except _Answered as answer:
                broken, wait = answer.code in _BROKEN, self._wait(answer, wait)
                problem = f"it answered {answer.code}"
                if said := _without_key(answer.said):
                    log.debug("%s: %s", self.sends_to, said)
                    problem += f": {said}"
            except _TooMuch as error:
                raise EncoderStop(
                    f"{self.sends_to} {error}; check the address, or ask for fewer texts at a time"
                    " (batch=8)"
                ) from None
            except (OSError, http.client.HTTPException) as error:
                problem = self._reason(error)
            if broken and again + 1 == tries < _TRIES:
                raise _Broken(f"{self.sends_to}: {problem}")
            if again + 1 < _TRIES:
                log.warning("%s: %s; retrying in %.0f s", self.sends_to, problem, wait)
                time.sleep(wait)
        raise EncoderStop(
            f"{self.sends_to} was asked {_TRIES} times ({problem}); what it embedded is saved, and"
            " the same command resumes"
        )

    def _wait(self, answer: _Answered, usual: float) -> float:
        """Seconds until a server may be asked again; raises what an answer means that none would
        change.
        """
        said = _without_key(answer.said)
        who = f"{self.sends_to} answered {answer.code}"
        if answer.code in (401, 403):
            raise EncoderStop(f"{who}: set its key in the environment, as {_OURS} ({said})")
        if answer.code in _OF_TEXTS:
            raise _Broken(f"{who}: {said}")
        if answer.code not in _AGAIN:
            raise EncoderStop(
                f"{who} at {self.address}: {said or answer.reason}; check the address and"
                f" model={self.model}"
            )
        wait = _retry_after(answer.later)
        if wait is not None and wait > _LONGEST_WAIT:
            raise EncoderStop(
                f"{who} and allows the next request in {wait:,.0f} seconds; run the same command"
                f" then, as what it embedded is saved ({said})"
            )
        return usual if wait is None else wait

    def _reason(self, error: Exception) -> str:
        """Why no answer came; EncoderStop where there is no server at all."""
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(cause, ConnectionRefusedError | socket.gaierror):
            raise EncoderStop(
                f"no server answers at {self.address} ({one_line(cause)}); start it, or check the"
                " address"
            ) from None
        return one_line(cause) if isinstance(cause, Exception) else str(cause)

    def _wrong(self, what: str) -> EncoderStop:
        return EncoderStop(
            f"{self.sends_to} returned {what}, so it does not speak the protocol of OpenAI's"
            " embeddings; check the address and the model"
        )


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A server that sends us elsewhere is refused: the key is not for whoever is there."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Broken(DataProblem):
    """A request that failed, which may be for the sake of a text in it."""


class _TooMuch(LingprobeError):
    """An answer that is too long or takes too long, in words that follow the server's name."""


@dataclass
class _Answered(LingprobeError):
    """An answer that is an error: its code and reason, what it says, and Retry-After."""

    code: int
    reason: str
    said: str
    later: str


def _post(address: str, body: bytes, most: int) -> bytes:
    """The whole answer to a request. _Answered for an error, _TooMuch for more bytes."""
    headers = {"Content-Type": "application/json", **_authorisation(address, os.environ)}
    request = urllib.request.Request(address, body, headers)  # noqa: S310 - http or https, as checked
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=_TIMEOUT) as answer:
            content: bytes = answer.read(most + 1)
            if len(content) <= most and answer.length:
                raise http.client.IncompleteRead(content, answer.length)
    except urllib.error.HTTPError as error:
        with error:
            said = strip_unprintable(error.read(_SAID).decode("utf-8", "replace").strip())
        later = error.headers.get("Retry-After", "")
        raise _Answered(error.code, str(error.reason), said, later) from None
    if len(content) > most:
        raise _TooMuch(f"answers with more than {format_bytes(most)}")
    return content


def _within(seconds: float, call: Callable[[], bytes]) -> bytes:
    """What a call returns or raises; _TooMuch where it takes longer, as an answer does that comes
    byte by byte.
    """
    box: queue.SimpleQueue[bytes | BaseException] = queue.SimpleQueue()

    def work() -> None:
        try:
            box.put(call())
        except BaseException as error:
            box.put(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        done = box.get(timeout=seconds)
    except queue.Empty:
        raise _TooMuch(f"has not ended its answer after {seconds:.0f} s") from None
    if isinstance(done, BaseException):
        raise done
    return done


def _authorisation(address: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The header with the key, where there is one; EncoderStop for one that no header can hold."""
    name, key = next(_keys(address, environment), ("", ""))
    if not key:
        return {}
    if not (key.isascii() and key.isprintable()):
        raise EncoderStop(f"the key in {name} is not one line of ASCII; set it again")
    return {"Authorization": f"Bearer {key}"}


def _keys(address: str, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The keys that are set for whoever is at an address ($LINGPROBE_API_KEY; for openai.com also
    $OPENAI_API_KEY), by their names.
    """
    host = urllib.parse.urlsplit(address).hostname or ""
    for name, owner in _KEYS.items():
        key = environment.get(name, "").strip()
        if key and f".{host}".endswith(f".{owner}" if owner else ""):
            yield name, key


def _without_key(said: str) -> str:
    for name in _KEYS:
        if key := os.environ.get(name, "").strip():
            said = said.replace(key, "***")
    return said


def _retry_after(text: str) -> float | None:
    """Seconds that a server wants to be left alone, which it says as a number or a date."""
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
