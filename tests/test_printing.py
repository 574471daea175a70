"""Names and messages that others wrote move no cursor and override no direction of text."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys

import pytest

import lingprobe
from fixtures.embedding_server import embedding_server
from lingprobe.data.printing import printable_lines, strip_unprintable

WRITTEN = "\x1b[2J\x1b]0;mine\x07\x9b31m\u202eevil\u2066end\ud800"
SHOWN = "\ufffd[2J\ufffd]0;mine\ufffd\ufffd31m\ufffdevil\ufffdend\ufffd"
HARMFUL = set("\x1b\x07\x9b\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def test_what_moves_a_cursor_or_turns_text_is_replaced():
    assert strip_unprintable(WRITTEN) == SHOWN
    assert printable_lines("a\tb\n\x1bc") == "a b\n\ufffdc"


@pytest.mark.parametrize("text", ["Kraków 猫 שלום\u200f مرحبا", "e\u0301 👩\u200d🔬 \u00ad"])
def test_what_belongs_to_texts_stays(text):
    assert strip_unprintable(text) == text


def test_what_a_server_says_is_harmless(tmp_path, caplog):
    with embedding_server() as service:
        service.answer = lambda _: (401, {}, "\x1b[2J\u202edenied".encode())
        evaluation = lingprobe.run(
            "ud/sent-len:embedded",
            f"api:{service.url},model=tiny",
            limit=60,
            baselines="none",
            output=tmp_path / "out",
            cache=tmp_path / "cache",
        )
    shown = [str(evaluation), evaluation._repr_html_(), caplog.text, *evaluation.failures.values()]
    assert all("denied" in text for text in (shown[0], shown[1], shown[3]))
    assert not [text for text in shown if HARMFUL.intersection(text)]


def test_names_are_harmless_in_each_format(tmp_path):
    texts = [f"w{i} {'bark' * (i % 2)}" for i in range(60)]
    name = "mine\x1b[2J\u202e"
    evaluation = lingprobe.evaluate(
        {name: lambda texts: [[len(text), 1.0] for text in texts]},
        {"mine": (texts, [len(text) for text in texts])},
        probes="linear",
        baselines="none",
        output=tmp_path / "out",
        cache=tmp_path / "cache",
    )
    page = evaluation.page
    for style in page.formats:
        if style not in page.files:
            assert not HARMFUL.intersection(page.text(style)), style
    rows = list(csv.DictReader(io.StringIO(page.text("csv"))))
    assert rows[0]["encoder"] == "mine\ufffd[2J\ufffd"


def test_the_command_line_shows_no_codes_of_names(tmp_path):
    place = tmp_path / "\x1b]0;pwn\x07"
    place.mkdir()
    command = [sys.executable, "-m", "lingprobe", "inspect", f"table:{place}"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert done.returncode == 2
    assert b"pwn" in done.stderr
    assert not {0x1B, 0x07} & set(done.stderr + done.stdout)


def test_a_working_folder_that_is_gone_is_said(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(lingprobe.UsageProblem, match=r"working folder is gone \(no such file"):
        lingprobe.run("ud/sent-len:embedded", "length", output=tmp_path / "out")
    command = [sys.executable, "-m", "lingprobe", "report", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("lingprobe: the working folder is gone")
    assert len(done.stderr.splitlines()) == 1
    assert os.path.isdir(tmp_path)
