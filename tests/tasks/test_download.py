import errno
import socket
from pathlib import Path

import pytest

from fixtures.server import serving
from lingprobe.core import DataProblem
from lingprobe.tasks.released.download import TRIES, NoRoom, Unreachable, Web, download, part_of

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
    return Web(pause=waits.append)


def test_a_whole_file_comes_in_one_request(site, web, tmp_path):
    part = download(site.url + "a.txt", tmp_path / "a.txt", web)
    assert part == tmp_path / "a.txt.part"
    assert part.read_bytes() == CONTENT
    assert site.asked == [("/a.txt", None)]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt.part"]


def test_an_interrupted_file_goes_on_where_it_stopped(site, web, waits, tmp_path):
    site.cuts = [100_000, 50_000]
    assert download(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert [wanted for _, wanted in site.asked] == [None, "bytes=100000-", "bytes=150000-"]
    assert waits == [1, 2]


def test_a_later_run_goes_on_too(site, web, tmp_path):
    site.cuts = [1000] * TRIES
    with pytest.raises(
        Unreachable, match=r"ended after 4,000 of 256,000 bytes \(4 tries\); 4,000 bytes are kept"
    ):
        download(site.url + "a.txt", tmp_path / "a.txt", web)
    assert download(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert site.asked[-1] == ("/a.txt", "bytes=4000-")


def test_a_part_of_an_older_version_is_not_mixed_with_a_newer_one(site, web, tmp_path):
    site.cuts = [1000] * TRIES
    with pytest.raises(Unreachable):
        download(site.url + "a.txt", tmp_path / "a.txt", web)
    site.files["a.txt"], site.etag = b"z" * 9000, '"two"'
    assert download(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == b"z" * 9000


def test_a_server_that_cannot_send_the_rest_sends_all_of_it_again(site, web, tmp_path):
    site.cuts, site.ranges = [5000], False
    steps = []
    assert (
        download(site.url + "a.txt", tmp_path / "a.txt", Web(steps.append, web.pause)).read_bytes()
        == CONTENT
    )
    assert sum(steps) == len(CONTENT)
    assert -5000 in steps


def test_a_part_that_is_all_of_the_file_is_taken_as_it_is(site, web, tmp_path):
    part_of(tmp_path / "a.txt").write_bytes(CONTENT)
    assert download(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert len(site.asked) == 1


def test_a_part_that_is_longer_than_the_file_is_thrown_away(site, web, tmp_path):
    part_of(tmp_path / "a.txt").write_bytes(CONTENT + b"more")
    assert download(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert [wanted for _, wanted in site.asked] == ["bytes=256004-", None]


def test_what_fails_for_good_is_said_at_once(site, web, waits, tmp_path):
    with pytest.raises(DataProblem, match=r"none\.txt: 404 Not Found") as caught:
        download(site.url + "none.txt", tmp_path / "none.txt", web)
    assert not isinstance(caught.value, Unreachable)
    assert not waits
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("code", [500, 503, 429])
def test_what_fails_for_a_moment_is_tried_again(site, web, tmp_path, code):
    site.errors = [code]
    assert download(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    site.errors = [code] * TRIES
    with pytest.raises(Unreachable, match=f"{code} .*4 tries"):
        download(site.url + "a.txt", tmp_path / "b.txt", web)


def test_no_network_is_said(web, waits, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Unreachable, match=r"(?i)cannot get http.*connection refused.*4 tries"):
        download(f"http://127.0.0.1:{port}/a.txt", tmp_path / "a.txt", web)
    assert waits == [1, 2, 4]


@pytest.mark.parametrize(
    "problem", [socket.gaierror(-3, "no such name"), TimeoutError("timed out")]
)
def test_without_a_way_to_the_server_it_is_said_at_once(web, waits, tmp_path, monkeypatch, problem):
    def connect(*_, **__):
        raise problem

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(Unreachable, match=r"cannot get http://example\.org/a\.txt: .*\(1 try\)"):
        download("http://example.org/a.txt", tmp_path / "a.txt", web)
    assert not waits


def test_a_redirection_is_followed(site, web, tmp_path):
    site.moved["old.txt"] = "a.txt"
    assert download(site.url + "old.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert [path for path, _ in site.asked] == ["/old.txt", "/a.txt"]


def test_only_the_web_is_fetched_from(site, web, tmp_path):
    (tmp_path / "secret").write_text("x")
    with pytest.raises(DataProblem, match="begins with https"):
        download(f"file://{tmp_path}/secret", tmp_path / "a.txt", web)
    site.moved["old.txt"] = f"file://{tmp_path}/secret"
    with pytest.raises(DataProblem):
        download(site.url + "old.txt", tmp_path / "a.txt", web)
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
        download(site.url + "a.txt", tmp_path / "a.txt", web)
    monkeypatch.undo()
    assert part_of(tmp_path / "a.txt").stat().st_size == 100_000
    monkeypatch.setenv("no_proxy", "*")
    assert download(site.url + "a.txt", tmp_path / "a.txt", web).read_bytes() == CONTENT
    assert site.asked[-1][1] == "bytes=100000-"
