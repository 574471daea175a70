"""A parsed corpus: complete whatever the text is like, and the same however often it was stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

import lingprobe
import lingprobe.annotators.parse as module
from fixtures.chains import Chain, content
from lingprobe.annotators import blocks
from lingprobe.annotators.blocks import ParsingPipeline
from lingprobe.annotators.parse import parse_files
from lingprobe.annotators.segment import RuleSegmenter
from lingprobe.corpora import brackets, conllu
from lingprobe.corpora.files import read_text_lines
from lingprobe.corpora.running import _CONTROL_REMARK, _EMPTY, _NOT_UTF8

TEXT = "".join(f"The {i} dogs didn't bark. Who came?\n\n" for i in range(60))


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    return path


def done(texts, folder, *, chain=None, **options):
    return parse_files(
        texts, folder, ParsingPipeline(chain or Chain(), RuleSegmenter()), block=300, **options
    )


def trees(folder):
    return [t for path in sorted(folder.glob("*.conllu.zst")) for t in conllu.read_conllu(path)]


def test_a_folder_holds_trees_brackets_and_where_they_are_from(text, tmp_path):
    got = done([text], tmp_path / "out")
    assert (got.sentences, got.words, got.finished) == (120, 60 * 10, True)
    assert str(got) == f"{tmp_path / 'out'}: 120 sentences, 600 words"
    first, *_ = trees(tmp_path / "out")
    assert first.words == ("The", "0", "dogs", "did", "n't", "bark", ".")
    assert first.text == "The 0 dogs didn't bark."
    assert list(first.misc) == [
        "_",
        "_",
        "_",
        "SpaceAfter=No",
        "_",
        "SpaceAfter=No",
        "_",
    ]
    assert {"# source = a.txt:1", "# confidence = 0.1429"} < set(first.comments)
    assert len({tree.sent_id for tree in trees(tmp_path / "out")}) == 120
    shard = sorted((tmp_path / "out").glob("*.trees.zst"))[0]
    assert next(iter(brackets.read_brackets(shard))).words == first.words
    note = json.loads((tmp_path / "out" / "parsed.json").read_text())
    assert note["parser"] == {"name": "chain", "fingerprint": "1"}
    assert note["sources"][0]["name"] == "a.txt"
    assert str(tmp_path) not in json.dumps(note)


def test_a_run_that_was_stopped_goes_on_and_writes_the_same(text, tmp_path):
    done([text], tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        done([text], tmp_path / "out", chain=Chain(fail=70))
    kept = content(tmp_path / "out")
    assert kept["parsed.json"] != content(tmp_path / "whole")["parsed.json"]
    chain = Chain()
    done([text], tmp_path / "out", chain=chain)
    assert 0 < chain.done < 120
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_a_run_that_was_killed_goes_on_and_writes_the_same(text, tmp_path):
    code = (
        "import sys, pathlib; sys.path.insert(0, sys.argv[3]);"
        "from fixtures.chains import Chain; from lingprobe.annotators.blocks import"
        " ParsingPipeline;from lingprobe.annotators.parse import parse_files;"
        "from lingprobe.annotators.segment import RuleSegmenter;"
        "parse_files([pathlib.Path(sys.argv[1])], pathlib.Path(sys.argv[2]),"
        " ParsingPipeline(Chain(seconds=.01), RuleSegmenter()), block=300)"
    )
    out = tmp_path / "out"
    run = [sys.executable, "-c", code, str(text), str(out), str(Path(__file__).parents[1])]
    process = subprocess.Popen(run)
    for _ in range(2000):
        if len(list(out.glob("*.conllu.zst"))) >= 2 or process.poll() is not None:
            break
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    (out / ".00003.conllu.zst.0000.part").write_text("half")
    with pytest.raises(lingprobe.DataProblem, match="not completely parsed"):
        lingprobe.build(f"ud/sent-len:{out}", tmp_path / "x.jsonl")
    done([text], out)
    done([text], tmp_path / "whole")
    assert content(out) == content(tmp_path / "whole")


def test_runs_that_share_the_work_write_what_one_would(text, tmp_path):
    half = done([text], tmp_path / "out", share=(2, 2))
    assert not half.finished
    assert str(half).endswith("words so far; the same command goes on")
    assert done([text], tmp_path / "out", share=(1, 2)).finished
    done([text], tmp_path / "whole")
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_another_parse_is_not_written_into_a_folder(text, tmp_path):
    done([text], tmp_path / "out")
    with pytest.raises(lingprobe.UsageProblem, match="a parse by another parser; choose"):
        done([text], tmp_path / "out", chain=Chain(fingerprint="2"))
    text.write_text("Other text.")
    with pytest.raises(lingprobe.UsageProblem, match="a parse of another text; choose"):
        done([text], tmp_path / "out")
    with pytest.raises(lingprobe.UsageProblem, match="holds something else"):
        done([text], tmp_path)


def test_a_file_that_was_cut_is_written_again(text, tmp_path):
    done([text], tmp_path / "whole")
    done([text], tmp_path / "out")
    shard, lost, *_ = sorted((tmp_path / "out").glob("*.conllu.zst"))
    shard.write_bytes(shard.read_bytes()[:50])
    lost.unlink()
    chain = Chain()
    done([text], tmp_path / "out", chain=chain)
    assert 0 < chain.done < 120
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def left_out(folder):
    paths = sorted((folder / "blocks").glob("*.skipped.jsonl.zst"))
    return [json.loads(line) for path in paths for _, line in read_text_lines(path) if line]


def test_whatever_is_wrong_is_counted_named_and_kept(tmp_path):
    texts = {
        "nul.txt": b"Na\x00ught.\n",
        "line.txt": b"word " * 250_000 + b"\n\nAfter it.",  # a line of more than a megabyte
        "endless.txt": b"\n".join([b"so it goes on and"] * 20_000),  # 100,000 words, no end
        "mixed.txt": "Größe.\n".encode() + "Größe.\n".encode("latin-1") + b"Last.",
        "empty.txt": b"",
        "wide.txt": "One.".encode("utf-16"),
        "bad.txt": b"BAD tree here.\n\n\x01\n\nGood.",
        "last.txt": b"The end.",
    }
    for name, data in texts.items():
        (tmp_path / name).write_bytes(data)
    got = parse_files(
        [tmp_path / name for name in texts],
        tmp_path / "out",
        ParsingPipeline(Chain(), RuleSegmenter(), longest=50),
    )
    assert [tree.text for tree in trees(tmp_path / "out")] == [
        "Na ught.", "After it.", "Größe.", "Last.", "Good.", "The end.",
    ]  # fmt: skip
    cases = {what: (case["times"], case["first"]) for what, case in got.skipped.items()}
    assert cases[_EMPTY] == (1, "empty.txt")
    assert cases[_NOT_UTF8] == (1, "mixed.txt:2")
    assert cases["no tree"] == (1, "bad.txt:1")
    assert cases["a sentence of more than 50 words"][1] == "line.txt:1"
    assert any("UTF-16" in what for what in cases)
    assert got.mended[_CONTROL_REMARK]["first"] == "nul.txt:1"
    rows = left_out(tmp_path / "out")
    assert sum(row["text"].count("word") for row in rows) == 250_000
    assert sum(row["text"].count("goes") for row in rows) == 20_000
    assert {"BAD tree here.", "Gr\\xf6\\xdfe."} < {row["text"] for row in rows}
    assert got.sentences + sum(case["times"] for case in got.skipped.values()) == 6 + len(rows)


def test_blocks_are_of_so_many_characters_or_a_little_more(tmp_path):
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    paths[0].write_text("one\n\ntwo\n\nsix\n\n" * 3)
    paths[1].write_text("ten\n\nfifteen\n\nx\n")
    found = [[each.text for each in some] for some in module._group_passages(paths, False, 10)]
    nine = ["one", "two", "six"] * 3
    assert found == [nine[:4], nine[4:8], [nine[8], "ten", "fifteen"], ["x"]]
    assert list(module._group_passages(paths[:1], False, 27)) == list(
        module._group_passages(paths[:1], False, 99)
    )


def test_memory_does_not_grow_with_the_text(tmp_path):
    peaks = []
    for many in (1, 4):
        path = tmp_path / f"{many}.txt"
        path.write_text(TEXT * 3 * many)
        tracemalloc.start()
        parse_files(
            [path], tmp_path / f"out{many}", ParsingPipeline(Chain(), RuleSegmenter()), block=3000
        )
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_what_is_compressed_piece_by_piece_is_read_as_one(text, tmp_path, monkeypatch):
    done([text], tmp_path / "whole")
    monkeypatch.setattr(blocks, "_PIECE", 100)
    done([text], tmp_path / "out")
    names = [path.name for path in (tmp_path / "whole").glob("*.zst")]
    assert len(names) > 10
    for name in names:
        once, pieces = (tmp_path / folder / name for folder in ("whole", "out"))
        assert pieces.stat().st_size > once.stat().st_size
        assert list(read_text_lines(pieces)) == list(read_text_lines(once))


def test_a_parsed_folder_is_a_corpus_with_a_remark(tmp_path):
    text = tmp_path / "a.txt"
    two = "We saw {} cats and dogs. We all saw {} cats and dogs and all the other animals near the house.\n\n"
    text.write_text("".join(two.format(i, i) for i in range(200)))
    done([text], tmp_path / "out")
    said = {
        task: lingprobe.inspect(f"{task}:{tmp_path / 'out'}").text("markdown")
        for task in ("ud/sent-len", "tree/sent-len", "edge/pos")
    }
    assert all(
        "labels come from a parser, not from people: chain" in page for page in said.values()
    )


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({"texts": [], "parser": Chain()}, "no text"),
        ({"texts": "none.txt", "parser": Chain()}, "no file 'none.txt'"),
        ({"texts": "a.txt", "parser": "."}, "no model.json in '.'"),
        ({"texts": "a.txt", "parser": "udpip:x"}, "did you mean 'udpipe'"),
        ({"texts": "a.txt", "parser": Chain(), "share": "3/2"}, "share '3/2'"),
        ({"texts": "a.txt", "parser": Chain(), "tokens": "chain"}, "no parser called 'chain'"),
    ],
)
def test_mistakes_are_named(call, says, tmp_path, text, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(lingprobe.LingprobeError, match=says):
        lingprobe.parse(**call, output="out")
