"""Treebanks of Universal Dependencies from servers of our own: GitHub's list and files, mirrors, and
what goes wrong between.
"""

import hashlib
import json
import logging
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import lingprobe
from fixtures.server import serving
from lingprobe.cli import app
from lingprobe.corpora.embedded import generate_treebank
from lingprobe.corpora.places import TREEBANK_LISTING_FILE, MissingTreebank, home_of, locate_path
from lingprobe.corpora.universal import find_treebank
from lingprobe.data.core import DataProblem
from lingprobe.tasks.find import expand_tasks
from lingprobe.tasks.released import download, supply, universal

BODY = "\n".join(generate_treebank(60)).encode()
README = b"# Summary\n\nText.\n\nLicense: CC BY-SA 4.0\nIncludes text: yes\n"
FILES = {
    "README.md": README,
    "LICENSE.txt": b"Creative Commons\n",
    **{f"en_ewt-ud-{split}.conllu": BODY for split in ("train", "dev", "test")},
}
STATS = (
    b"<treebank><size><total><sentences>180</sentences></total>"
    + b"".join(b"<%s><sentences>60</sentences></%s>" % (s, s) for s in (b"train", b"dev", b"test"))
    + b"</size></treebank>"
)


def git(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def tree(files, **more):
    listed = [
        {"path": name, "type": "blob", "size": len(content), "sha": git(content)}
        for name, content in files.items()
    ]
    return json.dumps(
        {"tree": [{"path": "not-to-release", "type": "tree"}, *listed], **more}
    ).encode()


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Servers in GitHub's place, an empty working folder and an empty cache."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    for name in ("LINGPROBE_TREEBANKS", "LINGPROBE_MIRROR", "LINGPROBE_OFFLINE", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(download, "_TRIES", 2)
    raw = {f"raw/UD_English-EWT/r2.17/{name}": content for name, content in FILES.items()}
    with serving(
        {"api/UD_English-EWT/r2.17": tree({**FILES, "CONTRIBUTING.md": b"x"}), **raw}
    ) as site:
        monkeypatch.setattr(universal, "_API", site.url + "api/{name}/r{release}")
        monkeypatch.setattr(universal, "_RAW", site.url + "raw/{name}/r{release}/")
        yield site


def raw(name):
    return f"raw/UD_English-EWT/r2.17/{name}"


@pytest.mark.parametrize("asked", ["ud/en_ewt", "en_ewt", "UD_English-EWT", "ud/en_ewt@2.17"])
def test_a_treebank_comes_whole_and_is_found_by_its_code(site, asked):
    announced, got = [], []
    done = lingprobe.fetch(asked, before=announced.append, each=got.append)
    assert done.folder == locate_path("en_ewt") == home_of(find_treebank("en_ewt"))
    assert {name: (done.folder / name).read_bytes() for name in FILES} == FILES
    assert not (done.folder / "CONTRIBUTING.md").exists()
    assert not list(done.folder.glob(".*"))
    assert [each.file for each in got[:2]] == ["README.md", "LICENSE.txt"]
    assert all(each.published for each in got)
    rows = {each.file: each.content.rows for each in got}
    assert rows["en_ewt-ud-train.conllu"] == (60, 0, 0)
    assert done.remark == "licence: CC BY-SA 4.0"
    (said,) = announced
    assert said.startswith("ud/en_ewt@2.17: 5 files, ")
    assert "CC BY-SA 4.0, from http" in said
    assert "(download not tested)" in said
    assert "(as published)" in str(got[0])


def test_what_is_there_needs_no_network(site):
    lingprobe.fetch("ud/en_ewt")
    site.asked.clear()
    assert {got.how for got in lingprobe.fetch("ud/en_ewt").files} == {"there already"}
    assert not site.asked


def test_releases_lie_beside_each_other(site):
    old = {**FILES, "en_ewt-ud-dev.conllu": BODY + b"\n"}
    site.files["api/UD_English-EWT/r2.10"] = tree(old)
    site.files |= {f"raw/UD_English-EWT/r2.10/{name}": content for name, content in old.items()}
    new, old = lingprobe.fetch("ud/en_ewt").folder, lingprobe.fetch("ud/en_ewt@2.10").folder
    assert (locate_path("en_ewt"), locate_path("en_ewt@2.10")) == (new, old)
    assert new != old


def test_a_treebank_that_the_table_lacks_goes_by_its_repository(site):
    files = {"README.txt": README, "zz_new-ud-test-1.conllu": BODY, "zz_new-ud-test-2.conllu": BODY}
    site.files["api/UD_New-New/r2.18"] = tree(files)
    site.files |= {f"raw/UD_New-New/r2.18/{name}": content for name, content in files.items()}
    done = lingprobe.fetch("ud/UD_New-New@2.18")
    assert sorted(p.name for p in done.folder.glob("*.conllu")) == [
        *("zz_new-ud-test-1.conllu", "zz_new-ud-test-2.conllu")
    ]
    assert locate_path("UD_New-New@2.18") == done.folder
    assert done.remark == "licence: CC BY-SA 4.0"


def test_an_interrupted_treebank_is_gone_on_with_and_not_taken_for_whole(site):
    site.cuts = [len(site.files["api/UD_English-EWT/r2.17"]), 10**9, 10**9, *[1000] * 2]
    with pytest.raises(DataProblem, match="2,000 bytes are kept"):
        lingprobe.fetch("ud/en_ewt")
    with pytest.raises(MissingTreebank):
        locate_path("en_ewt")
    lingprobe.fetch("ud/en_ewt")
    assert "bytes=2000-" in [wanted for _, wanted in site.asked]
    assert locate_path("en_ewt") == home_of(find_treebank("en_ewt"))


WRONG = {
    "another file of the same size": BODY[:-2] + b"x\n",
    "a shorter file": BODY[:-500],
    "a page": b"<!DOCTYPE html><title>Rate limit</title>",
    "nothing": b"",
}


@pytest.mark.parametrize("content", WRONG.values(), ids=WRONG)
def test_another_file_than_git_has_is_not_kept(site, content):
    site.files[raw("en_ewt-ud-dev.conllu")] = content
    with pytest.raises(DataProblem, match=r"en_ewt-ud-dev\.conllu.*nothing of it was kept"):
        lingprobe.fetch("ud/en_ewt")
    place = home_of(find_treebank("en_ewt"))
    assert not (place / "en_ewt-ud-dev.conllu").exists()
    assert not list(place.glob("*.part"))
    with pytest.raises(MissingTreebank):
        locate_path("en_ewt")


@pytest.mark.parametrize(
    "answer", [None, b"<html>no</html>", b"[]", b'{"message": "limit"}', b"\xff"]
)
def test_without_a_list_the_statistics_say_what_there_is(site, answer):
    site.files.pop("api/UD_English-EWT/r2.17")
    if answer is not None:
        site.files["api/UD_English-EWT/r2.17"] = answer
    site.files[raw("stats.xml")] = STATS
    done = lingprobe.fetch("ud/en_ewt")
    assert [got.file for got in done.files] == [
        f"en_ewt-ud-{s}.conllu" for s in ("train", "dev", "test")
    ]
    assert not any(got.published for got in done.files)
    assert "recorded here, because none was published" in str(done.files[0])
    site.files.pop(raw("stats.xml"))
    (done.folder / "en_ewt-ud-dev.conllu").unlink()
    site.files[raw("en_ewt-ud-dev.conllu")] = BODY.replace(b"a", b"e", 1)
    with pytest.raises(DataProblem, match=r"and the file fetched first"):
        lingprobe.fetch("ud/en_ewt")


def test_fewer_sentences_than_the_statistics_say_are_not_kept(site):
    site.files.pop("api/UD_English-EWT/r2.17")
    site.files[raw("stats.xml")] = STATS
    site.files[raw("en_ewt-ud-train.conllu")] = "\n".join(generate_treebank(30)).encode()
    with pytest.raises(DataProblem, match=r"has rows 30/0/0, and the published file 60/0/0"):
        lingprobe.fetch("ud/en_ewt")


def test_a_list_names_no_files_but_those_of_treebanks(site):
    evil = {"../../evil-ud-train.conllu": BODY, "/etc/x-ud-dev.conllu": BODY, "run.py": b"x"}
    site.files["api/UD_English-EWT/r2.17"] = tree({**FILES, **evil})
    done = lingprobe.fetch("ud/en_ewt")
    assert sorted(got.file for got in done.files) == sorted(FILES)


@pytest.mark.parametrize("entry", [{"size": "many"}, {"rows": [1]}, {"rows": "abc"}, 3])
def test_a_list_that_says_nonsense_is_none(site, entry):
    site.files["mirror/listing.json"] = json.dumps(
        {"files": {"en_ewt-ud-dev.conllu": entry}}
    ).encode()
    with pytest.raises(
        DataProblem, match=r"no list of the files of UD_English-EWT of release 2\.17"
    ):
        lingprobe.fetch("ud/en_ewt", mirror=site.url + "mirror")


def test_no_network_is_said_in_a_sentence_with_what_to_do(site, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/"
    monkeypatch.setattr(universal, "_API", nobody + "api/{name}/r{release}")
    monkeypatch.setattr(universal, "_RAW", nobody + "raw/{name}/r{release}/")
    with pytest.raises(DataProblem) as caught:
        lingprobe.fetch("ud/en_ewt")
    assert "git clone --branch r2.17 --depth 1" in str(caught.value)
    assert "LINGPROBE_TREEBANKS" in str(caught.value)
    assert not home_of(find_treebank("en_ewt")).joinpath(TREEBANK_LISTING_FILE).exists()


def test_a_slip_is_told():
    with pytest.raises(DataProblem, match="did you mean 'ud/en_ewt'"):
        lingprobe.fetch("ud/en_ewtt")
    with pytest.raises(DataProblem, match="nothing called 'ud/what' can be fetched"):
        lingprobe.fetch("ud/what")


@pytest.mark.parametrize("listing", [True, False])
def test_a_mirror_is_the_data_of_somebody_who_has_them(site, tmp_path, monkeypatch, listing):
    place = lingprobe.fetch("ud/en_ewt").folder
    served = {f"ud/2.17/UD_English-EWT/{f.name}": f.read_bytes() for f in place.iterdir()}
    if not listing:  # as the release comes unpacked
        served["ud/2.17/UD_English-EWT/stats.xml"] = STATS
        served.pop("ud/2.17/UD_English-EWT/listing.json")
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "another"))
    site.asked.clear()
    with serving(served) as mirror:
        monkeypatch.setenv("LINGPROBE_MIRROR", mirror.url)
        announced = []
        done = lingprobe.fetch("ud/en_ewt", before=announced.append)
        assert mirror.url in announced[0]
        assert "not tested" not in announced[0]
        assert locate_path("en_ewt") == done.folder
        other = lingprobe.fetch(
            "en_ewt", tmp_path / "here", mirror=mirror.url + "ud/2.17/UD_English-EWT"
        )
    assert other.folder == tmp_path / "here" / "UD_English-EWT"
    assert (other.folder / "en_ewt-ud-dev.conllu").read_bytes() == BODY
    assert not site.asked


def test_a_task_fetches_the_treebank_that_it_names_and_says_so(site, caplog):
    with caplog.at_level(logging.WARNING, "lingprobe"):
        every = expand_tasks(["ud/tense:en_ewt", "edge/pos:en_ewt", "ud/sent-len:embedded"])
    assert str(every[0]) == "ud/tense:en_ewt"
    assert locate_path("en_ewt") == home_of(find_treebank("en_ewt"))
    fetching, there = [record.getMessage() for record in caplog.records]
    assert fetching.startswith("fetching ud/en_ewt@2.17: 5 files")
    assert "CC BY-SA 4.0" in fetching
    assert "is in" in there


@pytest.mark.parametrize("variable", ["LINGPROBE_OFFLINE", "HF_HUB_OFFLINE"])
def test_offline_nothing_is_fetched_unasked(site, monkeypatch, variable):
    monkeypatch.setenv(variable, "1")
    with pytest.raises(DataProblem, match=rf"`lingprobe fetch ud/en_ewt`.*\({variable} is set"):
        lingprobe.inspect("ud/tense:en_ewt")
    assert not site.asked
    monkeypatch.setenv(variable, "0")
    assert supply.find_offline_variable() == ""


def test_what_reads_no_treebank_fetches_none(site):
    with pytest.raises(DataProblem, match="no file or folder 'en_ewt'"):
        lingprobe.inspect("tree/tense:en_ewt")
    assert not site.asked


FETCHING = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
import lingprobe
from lingprobe.tasks.released import supply, universal
universal._API = sys.argv[1] + "api/{name}/r{release}"
universal._RAW = sys.argv[1] + "raw/{name}/r{release}/"
from lingprobe.cli import main
sys.argv = ["lingprobe", "fetch", "ud/en_ewt", "-q"]
main()
"""


def test_ctrl_c_leaves_a_part_that_the_next_goes_on_from(site, tmp_path):
    site.delay = 30.0  # before the last byte
    place = home_of(find_treebank("en_ewt"))
    place.mkdir(parents=True)
    (place / TREEBANK_LISTING_FILE).write_text(
        json.dumps({"files": {"en_ewt-ud-train.conllu": {"size": len(BODY), "blob": git(BODY)}}})
    )
    running = subprocess.Popen(
        [sys.executable, "-c", FETCHING, site.url], stderr=subprocess.PIPE, text=True
    )
    part = place / "en_ewt-ud-train.conllu.part"
    for _ in range(600):
        with suppress(OSError):
            if part.stat().st_size:
                break
        with suppress(subprocess.TimeoutExpired):
            running.wait(0.1)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert "the same command resumes" in said
    had = part.stat().st_size
    assert 0 < had < len(BODY)
    site.delay = 0.0
    lingprobe.fetch("ud/en_ewt")
    assert site.asked[-1] == ("/" + raw("en_ewt-ud-train.conllu"), f"bytes={had}-")
    assert (place / "en_ewt-ud-train.conllu").read_bytes() == BODY


def test_the_command_shows_the_licence_before_and_after(site):
    done = CliRunner().invoke(app, ["fetch", "ud/en_ewt"])
    assert done.exit_code == 0, done.output
    before, _, after = done.stderr.partition("CC BY-SA 4.0, from http")
    assert "in /" not in before
    assert after.strip().endswith("UD_English-EWT; licence: CC BY-SA 4.0")
    assert "en_ewt-ud-dev.conllu: fetched, 0/60/0 rows" in done.stdout


def test_the_command_lists_treebanks_by_a_pattern():
    done = CliRunner().invoke(app, ["fetch", "ud/pl_*"])
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        *("ud/pl_lfg@2.17", "ud/pl_mpdt@2.17", "ud/pl_pdb@2.17", "ud/pl_pud@2.17")
    ]
    assert "GNU GPL 3.0" in done.stdout
    assert len(lingprobe.collections("ud/*")) == 339
    assert [each.name for each in lingprobe.collections("comp*")] == ["compeval"]


def test_withheld_words_are_told(tmp_path):
    (tmp_path / "README.md").write_text("License: CC BY 4.0\nIncludes text: no\n")
    done = universal.make_fetch_request(find_treebank("en_gum"))
    assert (
        universal.describe_treebank(done) == "licence: CC BY-NC-SA 4.0"
    )  # as the list of the release has it
    assert universal.describe_treebank(replace(done, folder=tmp_path)) == (
        "licence: CC BY 4.0; its words are withheld, and stand as _ in the files"
    )
