"""`lingprobe parse`."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from lingprobe.cli import app


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """A folder with text, and the reference of a parser in a file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from fixtures.chains import Chain\n"
        "def chain():\n    return Chain()\n"
    )  # fmt: skip
    (tmp_path / "a.txt").write_bytes(b"The dogs bark.\n\nNa\x00ught.\n\ngr\xf6\xdfer\n")
    return "mine.py@chain"


def test_what_was_parsed_left_out_and_changed_is_said(engine, tmp_path):
    done = CliRunner().invoke(app, ["parse", "a.txt", "--with", engine, "-o", "out"])
    assert done.exit_code == 0, done.output
    said = re.sub(r".*\r", "", done.output)
    assert "out: 2 sentences, 7 words\n" in said
    assert "- excluded once: bytes that are not UTF-8 (first in a.txt:5)" in said
    assert "- changed once: NUL bytes and control characters, read as spaces" in said
    assert "a.txt:3" in said


def test_parsers_are_listed():
    done = CliRunner().invoke(app, ["list", "parsers"])
    assert [line.split()[0] for line in done.output.splitlines() if line[0] != " "] == [
        "corenlp", "spacy", "stanza", "trained", "udpipe",
    ]  # fmt: skip


def test_an_audit_is_shown(engine, tmp_path):
    rows = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\t_"
    (tmp_path / "gold.conllu").write_text(f"# text = Go!\n{rows}\n\n" * 12)
    done = CliRunner().invoke(
        app, ["data", "audit-parser", "gold.conllu", engine], env={"COLUMNS": "200"}
    )
    assert done.exit_code == 0, done.output
    assert "Labels from chain against those from gold trees" in done.output
    assert "12 sentences of gold.conllu" in done.output
