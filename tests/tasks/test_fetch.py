import gzip
import hashlib
import io
import json
import signal
import socket
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fixtures.server import serving
from lingprobe.cli import app
from lingprobe.data.core import DataProblem
from lingprobe.data.records import read_tab_separated
from lingprobe.tasks.released import catalogue
from lingprobe.tasks.released.catalogue import Collection, KnownFile, read_collections
from lingprobe.tasks.released.content import examine_file
from lingprobe.tasks.released.download import _TRIES, UnreachableServer, WebDownloader
from lingprobe.tasks.released.fetch import (
    FetchedFile,
    FetchRequest,
    fetch_files,
    place_of,
)
from lingprobe.tasks.released.receipts import RECEIPT_FILE, all_published, is_published

ROWS = b"tr\tx\tone word\ntr\ty\tanother word\nva\tx\ta third\nte\ty\tand the last\n"
SHA = hashlib.sha256(ROWS).hexdigest()


@pytest.fixture(autouse=True)
def _directly(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def site():
    with serving({"a.txt": ROWS, "b.txt": ROWS}) as site:
        yield site


def wish(site, folder, known=None, files=("a.txt", "b.txt"), **more):
    """A wish for files of a site of ours, of which as much is known as the test says."""

    class Ours(Collection):
        def known_files(self):
            return known or {}

    ours = Ours("ours", "https://example.org/ours", site.url, files, "Nobody 2020")
    return FetchRequest(ours, folder, web=WebDownloader(pause=lambda _: None), **more)


def test_files_are_put_where_they_belong_with_a_receipt(site, tmp_path):
    got = list(fetch_files(wish(site, tmp_path)))
    assert got == [
        FetchedFile(name, "fetched", ((2, 1, 1), len(ROWS), SHA)) for name in ("a.txt", "b.txt")
    ]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "b.txt", RECEIPT_FILE]
    assert (tmp_path / "a.txt").read_bytes() == ROWS
    receipt = json.loads((tmp_path / RECEIPT_FILE).read_text())["a.txt"]
    assert receipt == {
        "url": site.url + "a.txt",
        "rows": [2, 1, 1],
        "size": len(ROWS),
        "sha256": SHA,
    }


def test_what_is_there_is_not_fetched_again(site, tmp_path):
    list(fetch_files(wish(site, tmp_path)))
    site.asked.clear()
    assert [got.how for got in fetch_files(wish(site, tmp_path))] == ["there already"] * 2
    assert not site.asked


def test_what_was_put_there_by_hand_is_checked(site, tmp_path):
    (tmp_path / "a.txt").write_bytes(ROWS)
    good = wish(site, tmp_path, {"a.txt": KnownFile(sha256=SHA)}, ("a.txt",))
    assert [got.how for got in fetch_files(good)] == ["there already"]
    assert not site.asked


def test_a_file_that_is_there_and_wrong_is_left_as_it_is(site, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"te\tx\tmine\n")
    with pytest.raises(
        DataProblem,
        match=(
            r"1 of 2 files .*a\.txt has rows 0/0/1, and the published file 2/1/1; it is left as"
            r" it is"
        ),
    ):
        list(fetch_files(wish(site, tmp_path, {"a.txt": KnownFile(rows=(2, 1, 1))})))
    assert (tmp_path / "a.txt").read_bytes() == b"te\tx\tmine\n"
    assert (tmp_path / "b.txt").read_bytes() == ROWS


def test_a_file_that_was_changed_after_it_was_fetched_is_noticed(site, tmp_path):
    list(fetch_files(wish(site, tmp_path)))
    (tmp_path / "a.txt").write_bytes(ROWS.replace(b"third", b"fifth"))
    with pytest.raises(DataProblem, match=r"a\.txt has SHA-256 .*it is left as it is"):
        list(fetch_files(wish(site, tmp_path)))


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (KnownFile(sha256="0" * 64), f"SHA-256 {SHA}, and the published file 0000"),
        (KnownFile(rows=(3, 1, 1)), "rows 2/1/1, and the published file 3/1/1"),
        (KnownFile(size=9), f"bytes {len(ROWS)}, and the published file 9"),
    ],
)
def test_a_wrong_file_never_appears(site, tmp_path, known, said):
    with pytest.raises(DataProblem, match=said + ".*nothing of it was kept"):
        list(fetch_files(wish(site, tmp_path, {"a.txt": known}, ("a.txt",))))
    assert not list(tmp_path.iterdir())


def test_a_page_that_says_sorry_is_no_data(site, tmp_path):
    site.files["a.txt"] = b"<!DOCTYPE html>\n<title>Log in</title>\n"
    with pytest.raises(
        DataProblem, match=r"a web page and no table \(it begins with '<!DOCTYPE html>'"
    ):
        list(fetch_files(wish(site, tmp_path, files=("a.txt",))))
    assert not list(tmp_path.iterdir())


def test_a_short_file_does_not_appear_and_is_gone_on_with(site, tmp_path):
    site.cuts = [10] * _TRIES
    with pytest.raises(
        DataProblem,
        match=(
            r"ended after 40 of \d+ bytes.*40 bytes are kept.*by hand from"
            r" https://example\.org/ours"
        ),
    ):
        list(fetch_files(wish(site, tmp_path)))
    assert not (tmp_path / "a.txt").exists()
    assert [got.how for got in fetch_files(wish(site, tmp_path))] == ["fetched", "fetched"]
    assert (tmp_path / "a.txt").read_bytes() == ROWS
    assert not list(tmp_path.glob("*.part*"))


def test_a_short_file_whose_length_nobody_said_is_found_out(site, tmp_path):
    site.cuts, site.length = [20], False
    with pytest.raises(
        DataProblem,
        match=r"a\.txt has rows 2/0/0, and the published file 2/1/1; nothing of it was kept",
    ):
        list(fetch_files(wish(site, tmp_path, {"a.txt": KnownFile(rows=(2, 1, 1))}, ("a.txt",))))
    assert not list(tmp_path.iterdir())


def test_a_missing_file_is_named_and_the_others_come(site, tmp_path):
    got = []
    with pytest.raises(
        DataProblem,
        match=(
            r"1 of 3 files could not be downloaded: .*none\.txt: 404 Not Found\. Get the files by hand"
            r" from"
        ),
    ):
        got.extend(fetch_files(wish(site, tmp_path, files=("a.txt", "none.txt", "b.txt"))))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "b.txt", RECEIPT_FILE]


def test_without_a_network_it_is_said_what_to_do(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{free.getsockname()[1]}/"
    away = FetchRequest(
        read_collections()["senteval"], tmp_path, base=base, web=WebDownloader(pause=lambda _: None)
    )
    with pytest.raises(DataProblem) as caught:
        list(fetch_files(away))
    told = str(caught.value)
    assert "sentence_length.txt" in told
    assert "facebookresearch/SentEval" in told
    assert f"put them into {tmp_path}" in told
    assert "--from URL" in told
    assert not isinstance(caught.value, UnreachableServer)


def test_some_files_from_a_mirror(site, tmp_path):
    elsewhere = wish(site, tmp_path, only="b*", base=site.url)
    assert [
        got.file
        for got in fetch_files(
            replace(
                elsewhere, collection=replace(elsewhere.collection, base="https://example.org/")
            )
        )
    ] == ["b.txt"]
    with pytest.raises(
        DataProblem, match=r"no file of ours is called 'c\*'; it has a\.txt, b\.txt"
    ):
        list(fetch_files(wish(site, tmp_path, only="c*")))


def archive(files, kind="w:gz"):
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode=kind) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return whole.getvalue()


TWO = {"en/tense.txt": ROWS, "en/voice.txt": ROWS * 500}


def all_of(site, folder, name="all.tar.gz"):
    """A wish for an archive."""
    return wish(site, folder, files=(name,))


@pytest.mark.parametrize(
    ("name", "kind"), [("all.tar.gz", "w:gz"), ("all.tgz", "w:gz"), ("all.tar", "w:")]
)
def test_archives_are_unpacked_once_and_found_to_be_there(site, tmp_path, name, kind):
    site.files[name] = archive(TWO, kind)
    assert [got.how for got in fetch_files(all_of(site, tmp_path, name))] == ["fetched"]
    assert {path: (tmp_path / path).read_bytes() for path in TWO} == TWO
    site.asked.clear()
    for _ in range(2):
        assert [got.how for got in fetch_files(all_of(site, tmp_path, name))] == ["there already"]
    assert not site.asked


def test_a_packed_table_is_the_same_at_the_second_look(site, tmp_path):
    site.files["a.txt.gz"] = gzip.compress(ROWS)
    assert next(fetch_files(all_of(site, tmp_path, "a.txt.gz"))).content == (
        (2, 1, 1),
        len(ROWS),
        SHA,
    )
    assert [got.how for got in fetch_files(all_of(site, tmp_path, "a.txt.gz"))] == ["there already"]


def sparse():
    """An archive with a file of 3 GiB that has one byte, as GNU tar packs holes."""
    member = tarfile.TarInfo("a.txt")
    member.size, member.type = 512, tarfile.GNUTYPE_SPARSE
    block = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    hole, whole = (3 << 30) - 512, 3 << 30
    block[386:410] = b"%011o\0%011o\0" % (hole, 512)
    block[483:495] = b"%011o\0" % whole
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return gzip.compress(bytes(block) + b"te\tx\ty\n".ljust(512, b"\0") + bytes(1024))


def bomb():
    """An archive of a few hundred kilobytes with two files of 100 MB."""
    return archive(dict.fromkeys(("a.txt", "b.txt"), bytes(10**8)))


@pytest.mark.parametrize("made", [sparse, bomb])
def test_an_archive_of_holes_is_not_unpacked(site, tmp_path, made):
    site.files["all.tar.gz"] = made()
    assert len(site.files["all.tar.gz"]) < 300_000
    with pytest.raises(DataProblem, match=r"files that are mostly empty, which is not unpacked"):
        list(fetch_files(all_of(site, tmp_path)))
    assert not list(tmp_path.iterdir())


def test_what_differs_from_an_archive_stays_and_is_named(site, tmp_path):
    site.files["all.tar.gz"] = archive(TWO)
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "voice.txt").write_text("mine")
    for _ in range(2):
        with pytest.raises(
            DataProblem,
            match=r"en/voice\.txt of all\.tar\.gz were there already and differ; .* move them away",
        ):
            list(fetch_files(all_of(site, tmp_path)))
        assert (tmp_path / "en" / "voice.txt").read_text() == "mine"
        assert (tmp_path / "en" / "tense.txt").read_bytes() == ROWS
    (tmp_path / "en" / "voice.txt").unlink()
    list(fetch_files(all_of(site, tmp_path)))
    assert (tmp_path / "en" / "voice.txt").read_bytes() == TWO["en/voice.txt"]


def wrong_sum(content):
    return content[:-8] + bytes([content[-8] ^ 1]) + content[-7:]


UNSOUND = {
    "outside": archive({"../outside.txt": ROWS}),
    "page": b"<html>no archive</html>",
    "packed page": gzip.compress(b"<html>no archive</html>"),
    "cut": archive(TWO)[:-200],
    "cut at the end": archive(TWO)[:-1],
    "cut between files": archive(TWO, "w:")[: 2 * 512],
    "wrong sum": wrong_sum(archive(TWO)),
    "zeros": gzip.compress(bytes(100_000)),
    "nothing": b"",
    "no files": archive({}),
}


@pytest.mark.parametrize("content", UNSOUND.values(), ids=UNSOUND)
def test_archives_that_are_none_or_not_whole_or_reach_outside_are_refused(site, tmp_path, content):
    name = "all.tar" if content is UNSOUND["cut between files"] else "all.tar.gz"
    site.files[name] = content
    (tmp_path / "in").mkdir()
    with pytest.raises(
        DataProblem,
        match=r"all.tar(.gz)? is (not an archive that can be unpacked|an archive without files)",
    ):
        list(fetch_files(all_of(site, tmp_path / "in", name)))
    assert not (tmp_path / "outside.txt").exists()
    assert not list((tmp_path / "in").iterdir())


@pytest.mark.parametrize(
    "start", [b"<!DOCTYPE html>\t\n", b" <html lang='en'>\ttr\n", b"\ttab\n", b"xx\tno\tsplits\n"]
)
def test_pages_and_tables_of_something_else_are_no_data(site, tmp_path, start):
    site.files["a.txt"] = start + b"more\tof it\n"
    with pytest.raises(
        DataProblem, match=r"is a web page and no table|has no rows of train, dev or test"
    ):
        list(fetch_files(wish(site, tmp_path, files=("a.txt",))))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("said", ["abc", "-5", "1e3", "", "9" * 40])
def test_a_length_that_is_none_is_not_believed(site, tmp_path, said):
    site.length = said
    list(fetch_files(wish(site, tmp_path, {"a.txt": KnownFile(sha256=SHA)}, ("a.txt",))))
    assert (tmp_path / "a.txt").read_bytes() == ROWS


FETCHING = """
import sys
from pathlib import Path
from lingprobe.tasks.released import archives
from lingprobe.tasks.released.catalogue import Collection
from lingprobe.tasks.released.fetch import FetchRequest, fetch_files
if sys.argv[3:]:  # one file is unpacked, then there is nobody left
    put = archives._put
    archives._put = lambda *a: put(*a) and __import__("os").kill(__import__("os").getpid(), 9)
for got in fetch_files(FetchRequest(Collection("ours", "https://example.org", sys.argv[1], ("all.tar.gz", "a.txt"), "N 2020"), Path(sys.argv[2]))):
    print(got.how)
"""


def fetching(site, folder, *more):
    return subprocess.Popen(
        [sys.executable, "-c", FETCHING, site.url, str(folder), *more],
        stdout=subprocess.PIPE,
        text=True,
    )


def linked(**kinds):
    """An archive with links and a file."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w:gz") as tar:
        for name, (kind, to) in kinds.items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, to
            tar.addfile(member)
        member = tarfile.TarInfo("link/a.txt")
        member.size = len(ROWS)
        tar.addfile(member, io.BytesIO(ROWS))
    return whole.getvalue()


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
)
def test_links_and_devices_of_an_archive_are_left_out(site, tmp_path, kind):
    (tmp_path / "outside").mkdir()
    site.files["all.tar.gz"] = linked(link=(kind, str(tmp_path / "outside")))
    list(fetch_files(all_of(site, tmp_path / "in")))
    assert not (tmp_path / "in" / "link").is_symlink()
    assert (tmp_path / "in" / "link" / "a.txt").read_bytes() == ROWS
    assert not list((tmp_path / "outside").iterdir())


def test_a_link_that_is_there_is_not_written_through(site, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path / "outside")
    site.files["all.tar.gz"] = linked()
    with pytest.raises(DataProblem, match="not an archive that can be unpacked"):
        list(fetch_files(all_of(site, tmp_path / "in")))
    assert not list((tmp_path / "outside").iterdir())


def test_what_came_first_is_what_comes_ever_after(site, tmp_path):
    first = next(fetch_files(wish(site, tmp_path)))
    assert not first.published
    assert "recorded here, because none was published" in str(first)
    (tmp_path / "a.txt").unlink()
    site.files["a.txt"] = ROWS.replace(b"third", b"fifth")
    with pytest.raises(
        DataProblem, match=rf"and the file fetched first {SHA}; nothing of it was kept"
    ):
        next(fetch_files(wish(site, tmp_path, files=("a.txt",))))
    assert not (tmp_path / "a.txt").exists()
    site.files["a.txt"] = ROWS
    assert next(fetch_files(wish(site, tmp_path))).how == "fetched"
    known = {"a.txt": KnownFile(sha256=SHA)}
    assert "(as published)" in str(next(fetch_files(wish(site, tmp_path, known))))


def test_files_of_any_kind_are_no_web_pages_and_not_empty(site, tmp_path):
    site.files |= {"a.json": b"try\tthis\n", "b.json": b"", "c.json": b"<html><body>404"}
    ours = wish(site, tmp_path, files=("a.json", "b.json", "c.json"))
    coming = fetch_files(replace(ours, collection=replace(ours.collection, kind="files")))
    assert str(next(coming)).startswith("a.json: fetched, 9 bytes")  # and no rows of train
    with pytest.raises(DataProblem, match=r"2 of 3 files .*b\.json is empty.*c\.json is a web"):
        list(coming)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", RECEIPT_FILE]


def test_what_a_killed_fetch_did_not_unpack_is_unpacked_by_the_next(site, tmp_path):
    site.files["all.tar.gz"] = archive(TWO)
    killed = fetching(site, tmp_path, "kill")
    assert killed.wait(60) == -signal.SIGKILL
    assert not (tmp_path / "en" / "voice.txt").exists()
    assert [got.how for got in fetch_files(all_of(site, tmp_path))] == ["there already"]
    assert {path: (tmp_path / path).read_bytes() for path in TWO} == TWO


def test_several_fetches_into_one_folder_end_well(site, tmp_path):
    site.files["all.tar.gz"] = archive(TWO)
    site.delay = 0.5
    several = [fetching(site, tmp_path) for _ in range(3)]
    told = sorted(process.communicate(timeout=60)[0] for process in several)
    assert [process.returncode for process in several] == [0] * 3
    assert "".join(told).count("fetched") == 2
    assert len(site.asked) == 2
    assert {path: (tmp_path / path).read_bytes() for path in TWO} == TWO
    assert sorted(json.loads((tmp_path / RECEIPT_FILE).read_text())) == ["a.txt", "all.tar.gz"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "all.tar.gz", "en", RECEIPT_FILE]


@pytest.mark.parametrize(
    "url", ["https://exa mple.org/", "http://[", "ftp://a/", "http://\u0142/\n"]
)
def test_addresses_that_are_none_are_told_at_once(tmp_path, url):
    with pytest.raises(DataProblem, match=r"is not an address to fetch from|cannot get"):
        list(
            fetch_files(
                FetchRequest(
                    read_collections()["senteval"],
                    tmp_path,
                    base=url,
                    web=WebDownloader(pause=lambda _: None),
                )
            )
        )


def test_rows_are_counted_by_the_split_that_rows_or_names_say(tmp_path):
    (tmp_path / "te.txt").write_bytes(b"a word\tx\ntr two\ty\n\n")
    assert examine_file(tmp_path / "te.txt").rows == (0, 0, 2)
    (tmp_path / "a.txt").write_bytes(ROWS)
    assert examine_file(tmp_path / "a.txt") == ((2, 1, 1), len(ROWS), SHA)


def test_a_file_is_published_if_its_publishers_sent_it(site, tmp_path, monkeypatch):
    ours = replace(wish(site, tmp_path).collection, files=("a.txt", "b.txt"))
    monkeypatch.setitem(catalogue.read_collections(), "ours", ours)
    list(fetch_files(FetchRequest(ours, tmp_path)))
    assert is_published(tmp_path / "a.txt") is True
    (tmp_path / "b.txt").write_bytes(ROWS + b"te\tx\tone more\n")
    assert is_published(tmp_path / "b.txt") is None
    assert all_published([tmp_path / "a.txt"]) is True
    assert all_published([tmp_path / "a.txt", tmp_path / "b.txt"]) is None
    site.files |= {"mirror/a.txt": ROWS, "mirror/b.txt": ROWS}
    list(fetch_files(FetchRequest(ours, tmp_path / "mirrored", base=site.url + "mirror")))
    assert is_published(tmp_path / "mirrored" / "a.txt") is None


def test_a_file_that_contradicts_what_is_known_is_not_published(tmp_path):
    (tmp_path / "sentence_length.txt").write_bytes(ROWS)
    assert is_published(tmp_path / "sentence_length.txt") is False
    (tmp_path / "past_present.txt").write_bytes(ROWS)
    assert is_published(tmp_path / "past_present.txt") is None
    (tmp_path / "mine.txt").write_bytes(ROWS)
    assert is_published(tmp_path / "mine.txt") is None
    assert all_published([tmp_path / "past_present.txt", tmp_path / "sentence_length.txt"]) is False


def test_a_line_of_collections_stands_for_each_language_and_file():
    languages = [name for name in read_collections() if name.startswith("xprobe/")]
    assert languages == [f"xprobe/{code}" for code in ("de", "en", "es", "fi", "fr", "ru", "tr")]
    files = read_collections()["xprobe/fr"].files
    assert files[:2] == ("fr/sentence_length/tr.txt", "fr/sentence_length/va.txt")
    assert len(files) == len(set(files)) == 9 * 3
    assert all(place.startswith("fr/") and place.endswith(".txt") for place in files)


def test_every_fact_is_about_a_file_that_can_be_fetched_and_has_a_source():
    for found in read_collections().values():
        assert all(name == name.strip("/") and ".." not in name for name in found.files)
        assert found.base.endswith("/")
    owned = {
        (c.name.partition("/")[0], name)
        for c in read_collections().values()
        for name in (*c.files, *c.inside)
    }
    _, lines = read_tab_separated(Path(catalogue.__file__).with_suffix(".tsv"))
    for line, (owner, file, _, _, sha256, source) in lines:
        assert (owner, file) in owned, line
        assert len(source) > 10, line
        assert read_collections()[
            owner if owner in read_collections() else f"{owner}/{file[:2]}"
        ].known_files()[file].sha256 == (None if sha256 == "-" else sha256)
    assert len(lines) > 40


def test_the_command_lists_fetches_and_explains(site, tmp_path, monkeypatch):
    ours = replace(wish(site, tmp_path).collection, remark="ours alone")
    monkeypatch.setitem(catalogue.read_collections(), "ours", ours)
    run = CliRunner().invoke
    listed = run(app, ["fetch"])
    assert "senteval" in listed.stdout
    assert "https://example.org/ours" in listed.stdout
    done = run(app, ["fetch", "ours", "-o", str(tmp_path / "here"), "-q"])
    assert done.exit_code == 0, done.output
    assert f"a.txt: fetched, 2/1/1 rows, {len(ROWS)} bytes, sha256 {SHA} (recor" in done.stdout
    assert (tmp_path / "here" / "b.txt").read_bytes() == ROWS
    assert run(app, ["fetch", "ours", "-q"]).exit_code == 0
    assert (place_of(ours) / "a.txt").read_bytes() == ROWS
    with pytest.raises(
        DataProblem, match="nothing called 'nothing' can be fetched; there are senteval"
    ):
        run(app, ["fetch", "nothing"], catch_exceptions=False)
