"""Thousands of damaged files before every reader: each is read as a naive reader reads it, or
refused in one line, within seconds.

    python benchmarks/fuzz.py [--cases 5000] [--seed 0] [--only READER]

Seeds are small files of every format that lingprobe reads; each case is one of them after one to three
accidents (bytes, lines, cells, encodings, truncation, nonsense of great depth or size), now and
then compressed. A reader may refuse a file: with an error that the command line tells in one line.
What else it raises is a traceback; what takes more than ten seconds is a hang. Where a format has a
naive reader of a few lines here, what both accept must be the same. Exits 1 where a case fails, and
prints how to make it again.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import io
import json
import lzma
import multiprocessing
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

LIMIT = 10.0  # seconds that reading one small file may take
Naive = Callable[[bytes], Any]


@dataclass(frozen=True)
class Format:
    """How a format is read, by lingprobe and naively; the naive reader raises ValueError for what it
    does not take.
    """

    suffix: str
    seeds: tuple[bytes, ...]
    read: Callable[[Path], Any]
    naive: Naive | None = None
    packed: bool = True  # whether it may come as .gz or .xz


# What is read
# ------------------------------------------------------------------------------------------------------------------

CONLLU = (
    "# sent_id = 1\n# text = Dogs don't bark.\n"
    "1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t4\tnsubj\t_\t_\n2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdo\tdo\tAUX\tVBP\tTense=Pres\t4\taux\t_\t_\n"
    "3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_\n4\tbark\tbark\tVERB\tVB\tVerbForm=Inf\t0\troot\t_\tSpaceAfter=No\n"
    "5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_\n\n"
    "# sent_id = 2\n# text = Zażółć gęślą jaźń\n1\tZażółć\tzażółcić\tVERB\timpt\t_\t0\troot\t_\t_\n"
    "2\tgęślą\tgęśl\tNOUN\tsubst\t_\t1\tobl\t_\t_\n"
    "2.1\tghost\tghost\tVERB\t_\t_\t_\t_\t1:conj\t_\n3\tjaźń\tjaźń\tNOUN\tsubst\t_\t1\tobj\t_\t_\n\n"
).encode()
BRACKETS = (
    b"( (S (NP-SBJ (DT The) (NN dog)) (VP (VBD barked) (NP (-NONE- *T*-1))) (. .)) )\n(S (NP (NNP"
    b" Ann)) (VP (VBZ sleeps)))\n"
)
BIO = b"EU B-ORG\nrejects O\nGerman B-MISC\ncall I-MISC\n\nPeter B-PER\nBlackburn I-PER\n\n"
CONLL2012 = b"".join(
    b"bc/cctv/00 0 %d %s %s %s - - - - %s\n" % row
    for row in (
        (0, b"Ann", b"NNP", b"(TOP(S(NP*)", b"(0)"),
        (1, b"saw", b"VBD", b"(VP*", b"-"),
        (2, b"her", b"PRP", b"(NP*))))", b"(0)"),
    )
)
CONLL2012 = b"#begin document (bc/cctv/00); part 000\n" + CONLL2012 + b"\n#end document\n"
DOCUMENTS = (
    b"#begin document a\n0\tAnn\t(1)\n1\tsaw\t_\n2\ther\t(1)\n3\tdog\t(2)\n\n#end document\n"
)
TAGGED = b"The/AT dog/NN barked/VBD ./.\nAnn/NP sleeps/VBZ ./.\n"
PLAIN = "The dog barked.\nAnn sleeps.\nZażółć gęślą jaźń.\n".encode()
SENTEVAL = (
    b"tr\tPAST\tthe dog barked\ntr\tPRES\tthe dog barks\nva\tPAST\tAnn slept\nte\tPRES\tAnn"
    b" sleeps\n"
)
JIANT = b"".join(
    json.dumps(
        {"text": "Ann saw her dog", "targets": [{"span1": [0, 1], "span2": [2, 4], "label": label}]}
    ).encode()
    + b"\n"
    for label in ("ARG0", ["ARG1", "ARG2"], [])
)
JSONL = b'{"sonde": 1, "loss": "softmax", "names": ["a", "b"]}\n' + b"".join(
    json.dumps({"split": split, "text": text, "words": text.split(), "label": label}).encode()
    + b"\n"
    for split, text, label in (
        ("train", "the dog barked", "a"),
        ("dev", "Ann sleeps", "b"),
        ("test", "Ann slept", "a"),
    )
)
WORDS = b"4 3\nthe 0.1 0.2 0.3\ndog -1 2.5 1e-3\nAnn 0 0 1\n. 4 5 6\n"
GLOVE = b"the 0.1 0.2 0.3\ndog -1 2.5 1e-3\nAnn 0 0 1\n"
WORD2VEC = (
    b"2 3\nthe "
    + np.float32([0.1, 0.2, 0.3]).tobytes()
    + b"\ndog "
    + np.float32([1, 2, 3]).tobytes()
    + b"\n"
)
REQUEST = (
    b'{"nouns": ["man", "dog"], "verbs": {"transitive": ["help"]}, "tense": ["past"], "at_most":'
    b' {"relatives": 1}, "priors": {"tense": {"past": 2}}}'
)


def _spr2_seed() -> bytes:
    """The heading that the reader looks for, over the rows above."""
    from lingprobe.corpora.protoroles import SPR1_COLUMNS

    rows = (
        ("train", "1", "1", "0", "0", "ann", "awareness", "5", "yes"),
        ("dev", "ewt 2", "1", "2", "3", "the dog", "volition", "nan", "no"),
    )
    return "".join("\t".join(row) + "\n" for row in (SPR1_COLUMNS, *rows)).encode()


def _npz() -> bytes:
    out = io.BytesIO()
    np.savez(
        out, sentences=np.array(["a b", "c"]), vectors=np.arange(6, dtype=np.float32).reshape(2, 3)
    )
    return out.getvalue()


def _store() -> bytes:
    from lingprobe.store.blocks import write_block_file

    with tempfile.TemporaryDirectory() as folder:
        write_block_file(
            Path(folder) / "a.block",
            "results",
            {"results": []},
            {"x": np.arange(5), "y": np.ones(3, np.float32)},
        )
        return (Path(folder) / "a.block").read_bytes()


def _parquet() -> bytes:
    from lingprobe.datasets.formats import tables

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.jsonl").write_bytes(JSONL)
        tables.write_dataset(
            tables.read_dataset(Path(folder) / "a.jsonl"), Path(folder) / "a.parquet"
        )
        return (Path(folder) / "a.parquet").read_bytes()


def formats() -> dict[str, Format]:
    """Every format by name."""
    from lingprobe.corpora import bio, brackets, conll2012, conllu, edges, protoroles, text
    from lingprobe.corpora import tagged_text as tagged
    from lingprobe.corpora.mentions import read_documents
    from lingprobe.corpora.tally import ProblemTally
    from lingprobe.data.core import Sentence
    from lingprobe.datasets.formats import tables
    from lingprobe.encoders import ENCODERS
    from lingprobe.store.blocks import BlockFile
    from lingprobe_extensions.compose.events import files

    def given(kind: str) -> Callable[[Path], Any]:
        return lambda path: (
            ENCODERS.make(f"{kind}:{path}").encode([Sentence.of(("a", "b"))]).layers[0].tolist()
        )

    def block(path: Path) -> None:
        BlockFile(path).check()

    return {
        "conllu": Format(
            ".conllu",
            (CONLLU,),
            lambda p: [
                (t.words, tuple(head + 1 for head in t.heads)) for t in conllu.read_conllu(p)
            ],
            naive_conllu,
        ),
        "brackets": Format(
            ".mrg",
            (BRACKETS,),
            lambda p: [t.words for t in brackets.read_brackets(p)],
            naive_brackets,
        ),
        "bio": Format(
            ".bio",
            (BIO,),
            lambda p: [t.sentence.words for t in bio.read_tag_columns(p, bio.TagLayout())],
        ),
        "conll2012": Format(
            ".gold_conll", (CONLL2012,), lambda p: list(conll2012.read_conll2012(p))
        ),
        "documents": Format(
            ".conll", (DOCUMENTS,), lambda p: [d.mentions() for d in read_documents(p)]
        ),
        "tagged": Format(".tagged", (TAGGED,), lambda p: list(tagged.read_tagged_text(p))),
        "text": Format(
            ".txt", (PLAIN,), lambda p: [s.text for s in text.read_running_text(p)], naive_text
        ),
        "jiant": Format(
            ".json",
            (JIANT,),
            lambda p: [(" ".join(r.words), len(r.targets)) for r in edges.read_edge_records(p)],
            naive_jiant,
        ),
        "jsonl": Format(".jsonl", (JSONL,), lambda p: _texts(tables.read_dataset(p)), naive_jsonl),
        "senteval": Format(
            ".txt",
            (SENTEVAL,),
            lambda p: _texts(tables.read_dataset(p, "senteval")),
            naive_senteval,
        ),
        "parquet": Format(".parquet", (_parquet(),), tables.read_dataset, packed=False),
        "spr2": Format(
            ".tsv", (_spr2_seed(),), lambda p: protoroles.read_spr2(p, "raise", ProblemTally())
        ),
        "uds": Format(
            ".json",
            (json.dumps({"data": {}, "metadata": {}}).encode(),),
            lambda p: list(protoroles.read_uds(p, "raise", ProblemTally())),
        ),
        "request": Format(".json", (REQUEST, b"{}"), files.read_request, packed=False),
        "word vectors": Format(
            ".vec",
            (WORDS, GLOVE, WORD2VEC),
            lambda p: _looked_up(ENCODERS.make(f"static:{p}")),
            naive_vectors,
        ),
        "npz": Format(".npz", (_npz(),), given("npz"), packed=False),
        "store": Format(".result", (_store(),), block, packed=False),
    }


LOOKED_UP = ("the", "dog", "Ann")


def _looked_up(bag: Any) -> dict[str, list[float]]:
    """The vectors of the words that the seeds have, as far as they are known."""
    found, known = bag.table.look_up(list(LOOKED_UP))
    return {w: found[i].tolist() for i, w in enumerate(LOOKED_UP) if known[i]}


def _texts(dataset: Any) -> list[str]:
    return [dataset.sentences[i].text for i in dataset.sites[:, 0, 0]]


# Naive readers: a few lines each, which take only what is plainly well-formed
# ------------------------------------------------------


def naive_conllu(data: bytes) -> Any:
    """Words and heads of blocks of ten columns."""
    found = []
    for part in data.decode().replace("\r\n", "\n").split("\n\n"):
        rows = [line.split("\t") for line in part.split("\n") if line and not line.startswith("#")]
        if any(len(row) != 10 for row in rows):
            raise ValueError("columns")
        rows = [row for row in rows if row[0].isdigit()]
        if rows:
            found.append((tuple(row[1] for row in rows), tuple(int(row[6]) for row in rows)))
    return found


def naive_text(data: bytes) -> Any:
    """The lines that are not blank."""
    return [line.strip() for line in data.decode().split("\n") if line.strip()]


def naive_senteval(data: bytes) -> Any:
    """The third column of rows that have three."""
    rows = [line.split("\t") for line in data.decode().split("\n") if line]
    if any(len(row) != 3 for row in rows):
        raise ValueError("columns")
    return [row[2] for row in rows]


def naive_jsonl(data: bytes) -> Any:
    """The texts of the rows."""
    return [
        row["text"]
        for row in map(json.loads, filter(str.strip, data.decode().split("\n")))
        if "sonde" not in row
    ]


def naive_jiant(data: bytes) -> Any:
    """The words and the number of targets of the records."""
    rows = map(json.loads, filter(str.strip, data.decode().split("\n")))
    return [(" ".join(row["text"].split()), len(row["targets"])) for row in rows]


def naive_brackets(data: bytes) -> Any:
    """The leaves of each balanced tree whose tokens are plain, by a stack; traces left out."""
    tokens = data.decode("ascii").replace("(", " ( ").replace(")", " ) ").split()
    trees: list[Any] = []
    stack: list[list[Any]] = []
    for token in tokens:
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop() if stack else _no("balance")
            (stack[-1] if stack else trees).append(done)
        else:
            (stack[-1] if stack else _no("outside")).append(token)
    if stack:
        raise ValueError("balance")
    return [leaves for tree in trees if (leaves := tuple(_leaves(tree)))]


def _no(why: str) -> Any:
    raise ValueError(why)


def _leaves(tree: list[Any]) -> Iterator[str]:
    if len(tree) == 2 and all(isinstance(part, str) for part in tree):
        if tree[0] != "-NONE-":
            yield tree[1]
    elif any(isinstance(part, str) for part in tree[1:]):
        raise ValueError("a word beside a phrase")
    else:
        for part in tree:
            if isinstance(part, list):
                yield from _leaves(part)


def naive_vectors(data: bytes) -> Any:
    """Words and numbers of a text file in which every line has as many; the first of equal
    words.
    """
    lines = data.decode().rstrip("\n").split("\n")
    if len(lines[0].split(" ")) == 2:
        del lines[0]
    rows = [line.rstrip(" ").split(" ") for line in lines]
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        raise ValueError("columns")
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row[0], np.array([float(x) for x in row[1:]], np.float32).tolist())
    return {word: found[word] for word in LOOKED_UP if word in found}


# Accidents
# ---------------------------------------------------------------------------------------------------------------------

NONSENSE = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n", b"\t", b" ", b"(", b")",
    b"[" * 3000, b"(" * 3000, b"{" * 3000,
    b'"', b"'", b",", b"=", b"NaN", b"Infinity", b"-1", b"9" * 5000, b"1e309", b"\xe2\x80\xa8",
    b"\\ud800", b"\xed\xa0\x80", b"null",
    b"true", b"{}", b"[]", b"_", b"-", b"*", b"0", b"a" * 100_000,
)  # fmt: skip


def harmed(data: bytes, draw: random.Random) -> bytes:
    """A file after one to three accidents."""
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        data = draw.choice(ACCIDENTS)(data, draw)
    return data


def _flip(data: bytes, draw: random.Random) -> bytes:
    if not data:
        return data
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << draw.randrange(8))]) + data[at + 1 :]


def _insert(data: bytes, draw: random.Random) -> bytes:
    at = draw.randint(0, len(data))
    return data[:at] + draw.choice(NONSENSE) + data[at:]


def _cut(data: bytes, draw: random.Random) -> bytes:
    a, b = sorted((draw.randint(0, len(data)), draw.randint(0, len(data))))
    return data[:a] + data[b:]


def _truncate(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randint(0, len(data))]


def _repeat(data: bytes, draw: random.Random) -> bytes:
    a, b = sorted((draw.randint(0, len(data)), draw.randint(0, len(data))))
    return data[:b] + data[a:b] * draw.choice((1, 1, 2, 50)) + data[b:]


def _lines(data: bytes, draw: random.Random) -> bytes:
    lines = data.split(b"\n")
    draw.shuffle(lines)
    return b"\n".join(lines)


def _cells(data: bytes, draw: random.Random) -> bytes:
    lines = data.split(b"\n")
    at = draw.randrange(len(lines))
    mark = b"\t" if b"\t" in lines[at] else b" "
    cells = lines[at].split(mark)
    draw.choice((draw.shuffle, lambda c: c.pop(), lambda c: c.append(draw.choice(NONSENSE))))(cells)
    lines[at] = mark.join(cells)
    return b"\n".join(lines)


def _encoding(data: bytes, draw: random.Random) -> bytes:
    return data.decode("utf-8", "replace").encode(
        draw.choice(("utf-16", "latin-1", "utf-8-sig", "cp1250")), "replace"
    )


def _number(data: bytes, draw: random.Random) -> bytes:
    places = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
    if not places:
        return data
    at = draw.choice(places)
    return (
        data[:at]
        + draw.choice(
            (
                b"-1",
                b"99999999999999999999",
                b"1.5",
                b"1_0",
                "٣".encode(),
                b"0",
                b"",
                b"NaN",
                b"1e400",
            )
        )
        + data[at + 1 :]
    )


ACCIDENTS = (_flip, _insert, _cut, _truncate, _repeat, _lines, _cells, _encoding, _number)


# Cases
# -------------------------------------------------------------------------------------------------------------------------


def case(name: str, form: Format, seed: str) -> tuple[bytes, bytes, str]:
    """The content of a case, as a file, bare, and the file's name."""
    draw = random.Random(f"{seed}:{name}")
    bare = harmed(draw.choice(form.seeds), draw)
    packing = draw.choice(("", "", "", ".gz", ".xz")) if form.packed else ""
    packed = {"": bytes, ".gz": lambda b: gzip.compress(b, mtime=0), ".xz": lzma.compress}[packing](
        bare
    )
    if packing and draw.random() < 0.5:
        # damaged twice: no naive reader takes it
        return harmed(packed, draw), b"\xff", f"case{form.suffix}{packing}"
    return packed, bare, f"case{form.suffix}{packing}"


def _check_seeds(name: str, form: Format) -> None:
    """See that the files are read before they are damaged."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in form.seeds:
            outcome, said = judged(form, seed, seed, Path(folder) / f"case{form.suffix}")
            assert outcome == "read", f"{name}: an undamaged file is {outcome} {said}"


def judged(form: Format, content: bytes, bare: bytes, path: Path) -> tuple[str, str]:
    """What became of a case: read, refused, or what is wrong; and a word on it."""
    path.write_bytes(content)
    try:
        found = form.read(path)
    except Exception as error:
        told = isinstance(error, OSError) or type(error).__name__.endswith(
            ("Problem", "DamagedFile")
        )
        return (
            ("refused", str(error))
            if told
            else ("traceback", "".join(traceback.format_exception(error)[-3:]))
        )
    if form.naive is None:
        return "read", ""
    try:
        expected = form.naive(bare.removeprefix(b"\xef\xbb\xbf"))
    except (
        ValueError,
        IndexError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ):
        return "read", ""
    return (
        ("read", "")
        if _same(found, expected)
        else ("misread", f"lingprobe {found!r:.300}\nnaive {expected!r:.300}")
    )


def _same(found: Any, expected: Any) -> bool:
    if isinstance(found, dict):
        return found.keys() == expected.keys() and all(
            np.allclose(found[k], expected[k], equal_nan=True) for k in found
        )
    return list(found) == list(expected)


def work(pipe: Connection) -> None:
    """Judge cases until there are no more."""
    every = formats()
    with tempfile.TemporaryDirectory() as folder:
        while (wanted := pipe.recv()) is not None:
            name, seed = wanted
            content, bare, file = case(name, every[name], seed)
            pipe.send("made")
            start = time.perf_counter()
            pipe.send(
                (
                    *judged(every[name], content, bare, Path(folder) / file),
                    time.perf_counter() - start,
                )
            )


class Worker:
    """A process that judges cases, and is replaced when it hangs or dies."""

    def __init__(self) -> None:
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(
            target=work, args=(other,), daemon=True
        )
        self.process.start()
        other.close()

    def judge(self, name: str, seed: str) -> tuple[str, str, float]:
        """What became of a case."""
        self.pipe.send((name, seed))
        try:
            self.pipe.recv()
            if self.pipe.poll(LIMIT):
                found: tuple[str, str, float] = self.pipe.recv()
                return found
        except EOFError:
            return "died", "the process that read it ended", 0.0
        return "hang", f"more than {LIMIT:.0f} s", LIMIT

    def stop(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.join()


def main() -> int:
    """Run all cases; 1 where one fails."""
    given = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    given.add_argument("--cases", type=int, default=5000)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--only")
    asked = given.parse_args()
    every = formats()
    names = [name for name in every if asked.only in (None, name)]
    for name in names:
        _check_seeds(name, every[name])
    worker, counts, failures = Worker(), collections.Counter[tuple[str, str]](), list[str]()
    slowest = collections.defaultdict[str, float](float)
    for number in range(asked.cases):
        name, seed = names[number % len(names)], f"{asked.seed}:{number}"
        outcome, said, seconds = worker.judge(name, seed)
        counts[name, outcome] += 1
        slowest[name] = max(slowest[name], seconds)
        if outcome in ("hang", "died"):
            worker.stop()
            worker = Worker()
        if outcome not in ("read", "refused"):
            failures.append(f"{outcome}: {name}, case {seed}\n{said}")
            print(failures[-1], flush=True)
    worker.stop()
    print(f"{'format':<14}{'read':>8}{'refused':>9}{'failed':>8}{'slowest':>10}")
    for name in names:
        read, refused = counts[name, "read"], counts[name, "refused"]
        failed = sum(n for (of, _), n in counts.items() if of == name) - read - refused
        print(f"{name:<14}{read:>8}{refused:>9}{failed:>8}{slowest[name]:>8.2f} s")
    print(f"{asked.cases} files: {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
