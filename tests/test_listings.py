"""Listings that are remembered: never those of other files, never those of other packages."""

from __future__ import annotations

import os
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import lingprobe
from lingprobe.api import listing
from lingprobe.api.listing import CONTENTS_PLACES, get_contents
from lingprobe.data import _listings
from lingprobe.data._listings import recall_listing
from lingprobe.data.listing import read_entries, write_entries


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of one file, to which no other package adds, and an empty cache."""
    (tmp_path / "some_package").mkdir()
    (tmp_path / "some_package" / "__init__.py").write_text("one = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(_listings, "CORE_PACKAGE", "some_package")
    monkeypatch.setattr(_listings, "EXTENSIONS_PACKAGE", "no_such_package")
    monkeypatch.setattr(_listings, "all_points", lambda group: [])
    return tmp_path / "some_package"


@pytest.fixture
def ask():
    """What is listed, as a process that has just begun asks for it, and how often it was made."""
    made = []

    def ask(name="things"):
        _listings._stamp_package.cache_clear()
        return recall_listing(name, "lingprobe.things", lambda: made.append(1) or len(made))

    yield ask
    _listings._stamp_package.cache_clear()


def test_what_was_listed_is_remembered_by_name(package, ask):
    assert [ask(), ask(), ask("others"), ask()] == [1, 1, 2, 1]


@pytest.mark.parametrize("edit", ["longer", "touched", "added", "removed", "renamed"])
def test_other_files_of_the_package_are_listed_anew(package, ask, edit):
    (package / "rooms").mkdir()
    (package / "rooms" / "more.tsv").write_text("a\tb\n")
    assert [ask(), ask()] == [1, 1]
    file = package / "rooms" / "more.tsv"
    if edit == "longer":
        file.write_text("a\tb\tc\n")
    elif edit == "touched":
        os.utime(file, ns=(1, 1))
    elif edit == "added":
        (package / "two.py").write_text("")
    elif edit == "removed":
        file.unlink()
    else:
        file.rename(package / "rooms" / "other.tsv")
    assert [ask(), ask()] == [2, 2]


def test_bytecode_is_no_file_of_the_package(package, ask):
    assert ask() == 1
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "one.pyc").write_bytes(b"1")
    assert ask() == 1


def test_after_an_installation_it_is_listed_anew(package, ask, monkeypatch):
    """What could not be imported may be there now."""
    (installed := package.parent / "site-packages").mkdir()
    monkeypatch.syspath_prepend(installed)
    assert [ask(), ask()] == [1, 1]
    (installed / "torch-2.dist-info").mkdir()
    assert [ask(), ask()] == [2, 2]


def test_where_a_package_adds_something_it_is_asked_each_time(package, ask, monkeypatch):
    point = EntryPoint("theirs", "their_package:thing", "lingprobe.things")
    assert ask() == 1
    monkeypatch.setattr(_listings, "all_points", lambda group: [point])
    assert [ask(), ask()] == [2, 3]


def test_what_was_damaged_is_made_anew(package, ask):
    assert ask() == 1
    (note,) = Path(os.environ["LINGPROBE_CACHE"]).rglob("*.json")
    note.write_text(note.read_text().replace('"value": 1', '"value": 7'))
    assert ask() == 2


def test_a_cache_that_cannot_be_written_changes_nothing(package, ask, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path / "file"))
    assert [ask(), ask()] == [1, 2]


@pytest.mark.parametrize("kind", CONTENTS_PLACES)
def test_listings_are_the_same_when_remembered(kind, tmp_path, monkeypatch):
    """And others add to a kind under the group of entry points that is looked at."""
    assert get_contents(kind).group == f"lingprobe.{kind}"
    listed = listing._list(kind)
    assert read_entries(write_entries(listed)) == listed
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path))
    monkeypatch.setattr(_listings, "all_points", lambda group: [])
    first, again = lingprobe.available(kind), lingprobe.available(kind)
    assert first == again == listed
    assert [*tmp_path.rglob("*.json")]
