"""A small web server for tests: whole files and parts of them, and the ways in which servers fail."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Site:
    """What a server has, how it misbehaves, and what it was asked.

    cuts    bytes after which answers stop, one an answer; then whole ones
    ranges  whether it can send the rest of a file
    errors  status codes of the first answers
    length  whether answers say how long they are, or what they say instead
    delay   seconds before an answer's last byte
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.cuts: list[int] = []
        self.ranges = True
        self.errors: list[int] = []
        self.etag = '"one"'
        self.length: bool | str = True
        self.delay = 0.0
        self.asked: list[tuple[str, str | None]] = []
        self.url = ""


class _Handler(BaseHTTPRequestHandler):
    site: Site

    def do_GET(self) -> None:
        site, wanted = self.site, self.headers.get("Range")
        site.asked.append((self.path, wanted))
        if site.errors:
            return self._empty(site.errors.pop(0))
        content = site.files.get(self.path.removeprefix("/"))
        if content is None:
            return self._empty(404)
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and site.ranges else 0
        if self.headers.get("If-Range") not in (None, site.etag):
            start = 0
        if start and start >= len(content):
            return self._empty(416, {"Content-Range": f"bytes */{len(content)}"})
        self.send_response(206 if start else 200)
        self.send_header("ETag", site.etag)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if site.length:
            self.send_header("Content-Length", str(len(content) - start) if site.length is True else site.length)
        self.end_headers()
        sent = content[start : start + site.cuts.pop(0)] if site.cuts else content[start:]
        self.wfile.write(sent[:-1])
        time.sleep(site.delay)
        self.wfile.write(sent[-1:])
        return None

    def _empty(self, code: int, headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in {**(headers or {}), "Content-Length": "0"}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Site]:
    """A site on this machine, as long as the block runs."""
    site = Site(files)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"site": site}))
    site.url = f"http://127.0.0.1:{server.server_address[1]}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
