import contextlib
import errno
import socket
import threading
import time
from pathlib import Path

import pytest

from fixtures.server import serving
from lingprobe.data.core import DataProblem
from lingprobe.tasks.released import download as downloads
from lingprobe.tasks.released.download import (
    _TRIES,
    NoRoom,
    TooLarge,
    UnreachableServer,
    WebDownloader,
    download_file,
    get_partial_path,
)

CONTENT = bytes(range(256)) * 1000


@pytest.fixture(autouse=True)
def _directly(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def site():
    with serving({"a.txt": CONTENT}) as site:
        yield site


@pytest.fixture
def waits():
    return []


@pytest.fixture
def web(waits):
    return WebDownloader(pause=waits.append)


def test_a_whole_file_comes_in_one_request(site, web, tmp_path):
    part = download_file(site.url + "a.txt", tmp_path / "a.txt", web)
    assert part == tmp_path / "a.txt.part"
    assert part.read_bytes() == CONTENT
    assert site.asked == [("/a.txt", None)]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt.part"]


def test_an_interrupted_file_goes_on_where_it_stopped(site, web, waits, tmp_path):
    site.cuts = [100_000, 50_000]
    assert download_file(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert [wanted for _, wanted in site.asked] == [None, "bytes=100000-", "bytes=150000-"]
    assert waits == [1, 2]


def test_a_later_run_goes_on_too(site, web, tmp_path):
    site.cuts = [1000] * _TRIES
    with pytest.raises(
        UnreachableServer,
        match=r"ended after 4,000 of 256,000 bytes \(4 tries\); 4,000 bytes are kept",
    ):
        download_file(site.url + "a.txt", tmp_path / "a.txt", web)
    assert download_file(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert site.asked[-1] == ("/a.txt", "bytes=4000-")


def test_a_part_of_an_older_version_is_not_mixed_with_a_newer_one(site, web, tmp_path):
    site.cuts = [1000] * _TRIES
    with pytest.raises(UnreachableServer):
        download_file(site.url + "a.txt", tmp_path / "a.txt", web)
    site.files["a.txt"], site.etag = b"z" * 9000, '"two"'
    assert download_file(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == b"z" * 9000


def test_a_server_that_cannot_send_the_rest_sends_all_of_it_again(site, web, tmp_path):
    site.cuts, site.ranges = [5000], False
    steps = []
    assert (
        download_file(
            site.url + "a.txt", tmp_path / "a.txt", WebDownloader(steps.append, web.pause)
        ).read_bytes()
        == CONTENT
    )
    assert sum(steps) == len(CONTENT)
    assert -5000 in steps


def test_a_part_that_is_all_of_the_file_is_taken_as_it_is(site, web, tmp_path):
    get_partial_path(tmp_path / "a.txt").write_bytes(CONTENT)
    assert download_file(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert len(site.asked) == 1


def test_a_part_that_is_longer_than_the_file_is_thrown_away(site, web, tmp_path):
    interrupted(site, web, tmp_path)
    get_partial_path(tmp_path / "a.txt").write_bytes(CONTENT + b"more")
    assert download_file(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert [wanted for _, wanted in site.asked[_TRIES:]] == ["bytes=256004-", None]


def interrupted(site, web, folder):
    """A file of which 4,000 bytes are there."""
    site.cuts = [1000] * _TRIES
    with pytest.raises(UnreachableServer):
        download_file(site.url + "a.txt", folder / "a.txt", web)


VERSIONS = {
    "a date": (("", "Mon, 01 Jan 2024 00:00:00 GMT"), ("", "Tue, 02 Jan 2024 00:00:00 GMT")),
    "a weak mark": (('W/"one"', ""), ('W/"two"', "")),
    "a mark": (('"one"', ""), ('"two"', "")),
    "nothing": (("", ""), ("", "")),
}


@pytest.mark.parametrize("obeys", [True, False])
@pytest.mark.parametrize("told", VERSIONS)
def test_a_file_that_changed_and_kept_its_length_is_never_mixed(site, web, tmp_path, told, obeys):
    (site.etag, site.modified), later = VERSIONS[told]
    site.obeys = obeys
    interrupted(site, web, tmp_path)
    site.files["a.txt"] = new = bytes(reversed(CONTENT))
    site.etag, site.modified = later
    assert download_file(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == new
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt.part"]


@pytest.mark.parametrize("told", ["a date", "a weak mark"])
def test_the_rest_of_the_same_version_is_asked_for(site, web, tmp_path, told):
    (site.etag, site.modified), _ = VERSIONS[told]
    interrupted(site, web, tmp_path)
    assert download_file(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert site.asked[-1] == ("/a.txt", "bytes=4000-")


def test_a_body_without_an_end_stops_at_the_size_that_is_known(site, web, tmp_path):
    site.length, site.endless = False, True
    with pytest.raises(TooLarge, match=r"a\.txt: the server sends more than the 300,000 bytes"):
        download_file(site.url + "a.txt", tmp_path / "a.txt", web, 300_000)
    assert not get_partial_path(tmp_path / "a.txt").exists()


def test_a_file_that_says_that_it_is_too_large_is_not_begun(site, web, tmp_path):
    with pytest.raises(TooLarge):
        download_file(site.url + "a.txt", tmp_path / "a.txt", web, len(CONTENT) - 1)
    assert not list(tmp_path.iterdir())


def test_a_server_that_is_too_slow_is_given_up(site, tmp_path):
    site.cuts = [1000] * _TRIES
    web = WebDownloader(pause=lambda _: None, patience=0, slowest=1e12)
    with pytest.raises(UnreachableServer, match="slower than 1,000,000,000,000 bytes a second"):
        download_file(site.url + "a.txt", tmp_path / "a.txt", web)


def test_a_head_that_does_not_end_is_given_up(monkeypatch, tmp_path):
    monkeypatch.setattr(downloads, "_HEAD", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection, contextlib.suppress(OSError):
                        connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                        while True:
                            connection.sendall(b"x")
                            time.sleep(0.02)

        threading.Thread(target=drip, daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/a.txt"
        with pytest.raises(UnreachableServer, match="cannot get"):
            download_file(url, tmp_path / "a.txt", WebDownloader(pause=lambda _: None))


def test_one_file_has_a_deadline_over_all_tries(site, tmp_path):
    site.endless, site.length = True, False
    with pytest.raises(UnreachableServer, match=r"not whole after 0 seconds \(1 try\)"):
        download_file(site.url + "a.txt", tmp_path / "a.txt", WebDownloader(longest=0.1))


def test_what_fails_for_good_is_said_at_once(site, web, waits, tmp_path):
    with pytest.raises(DataProblem, match=r"none\.txt: 404 Not Found") as caught:
        download_file(site.url + "none.txt", tmp_path / "none.txt", web)
    assert not isinstance(caught.value, UnreachableServer)
    assert not waits
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("code", [500, 503, 429])
def test_what_fails_for_a_moment_is_tried_again(site, web, tmp_path, code):
    site.errors = [code]
    assert download_file(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    site.errors = [code] * _TRIES
    with pytest.raises(UnreachableServer, match=f"{code} .*4 tries"):
        download_file(site.url + "a.txt", tmp_path / "b.txt", web)


def test_no_network_is_said(web, waits, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(
        UnreachableServer, match=r"(?i)cannot get http.*connection refused.*4 tries"
    ):
        download_file(f"http://127.0.0.1:{port}/a.txt", tmp_path / "a.txt", web)
    assert waits == [1, 2, 4]


@pytest.mark.parametrize(
    "problem", [socket.gaierror(-3, "no such name"), TimeoutError("timed out")]
)
def test_without_a_way_to_the_server_it_is_said_at_once(web, waits, tmp_path, monkeypatch, problem):
    def connect(*_, **__):
        raise problem

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(
        UnreachableServer, match=r"cannot get http://example\.org/a\.txt: .*\(1 try\)"
    ):
        download_file("http://example.org/a.txt", tmp_path / "a.txt", web)
    assert not waits


def test_a_redirection_is_followed(site, web, tmp_path):
    site.moved["old.txt"] = "a.txt"
    assert download_file(site.url + "old.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert [path for path, _ in site.asked] == ["/old.txt", "/a.txt"]


def test_only_the_web_is_fetched_from(site, web, tmp_path):
    (tmp_path / "secret").write_text("x")
    with pytest.raises(DataProblem, match="begins with https"):
        download_file(f"file://{tmp_path}/secret", tmp_path / "a.txt", web)
    for elsewhere in (f"file://{tmp_path}/secret", "ftp://127.0.0.1:9/secret", "data:,x"):
        site.moved["old.txt"] = elsewhere
        with pytest.raises(DataProblem) as caught:
            download_file(site.url + "old.txt", tmp_path / "a.txt", web)
        assert not isinstance(caught.value, UnreachableServer)
    assert not (tmp_path / "a.txt.part").exists()


def test_a_full_disk_is_said_and_keeps_the_part(site, web, tmp_path, monkeypatch):
    real = Path.open

    class Full:
        def __init__(self, file):
            self.file, self.room = file, 100_000

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def write(self, chunk):
            self.file.write(chunk[: self.room])
            if len(chunk) > self.room:
                raise OSError(errno.ENOSPC, "No space left on device")
            self.room -= len(chunk)

    monkeypatch.setattr(
        Path,
        "open",
        lambda self, *a, **k: (
            Full(real(self, *a, **k)) if self.suffix == ".part" else real(self, *a, **k)
        ),
    )
    with pytest.raises(
        NoRoom, match=r"cannot write .*a\.txt\.part: no space left on device; make room"
    ):
        download_file(site.url + "a.txt", tmp_path / "a.txt", web)
    monkeypatch.undo()
    assert get_partial_path(tmp_path / "a.txt").stat().st_size == 100_000
    monkeypatch.setenv("no_proxy", "*")
    assert download_file(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert site.asked[-1][1] == "bytes=100000-"
