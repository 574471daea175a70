"""Which changes of a formula no test would notice: `make mutants`, with ROOM="metrics probes" and
SAMPLE=150.

    python release/mutants.py [--sample N] [--seed N] [--room ROOM]...

For each room a sample of its mutants (`mutations`) is tried in a copy of the tree, one after the
other (`trials`). A mutant meets the tests of its room that reach its line, as many of the fastest
as take six seconds, until one fails: that kills it, as does using up its time. What is known is in
`build/mutants`, so that a run goes on where it was stopped: which lines a test reaches until the
test or the room changes, what was killed until its file changes, and what survived until its file
or a test does.

`release/equivalent.tsv` lists mutants that no test can kill, each with its reason. Exits with 1
where a room has less than nine tenths of the others killed, or more than a tenth listed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from itertools import accumulate, count
from pathlib import Path
from typing import Any

import coverage
import pytest
from mutations import Mutant, mutants, sample
from trials import COMPILED, QUIET, Trials, forked

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "build" / "mutants"
TREE = KEPT / "tree"
EQUIVALENT = ROOT / "release" / "equivalent.tsv"
SOURCES = "src"
ROOMS = ("metrics", "probes", "training", "datasets", "analysis", "audit", "annotators")
EXTENSIONS = {"training": "train"}
THROUGH = {"analysis": ("pages",)}
SAMPLE = 150
GOAL, MOST_EQUIVALENT = 0.9, 0.1
HEAVY = ("hypothesis", "pyarrow.parquet", "scipy.stats", "sklearn.linear_model", "torch")
FAILED, REACHED = KEPT / "failure", KEPT / "reached.json"
TIMES = count(10**9)
SLOWER = 2  # times as much processor time as its tests take may a mutant use,
SECONDS = 5  # and so many seconds more,
IMPORTING = 30  # and these where our modules are imported anew
ENOUGH = 6  # seconds of the fastest tests that reach a mutant
WATCHED = 1800  # seconds of a processor that a file of a room's own tests may take,
ELSEWHERE = 120  # and one of another folder, which is left out otherwise


def digest(files: Iterable[Path]) -> str:
    """What the content of some files hashes to."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()[:16]


def package_of(room: str) -> str:
    """The package that a room is, as a path below the sources."""
    return f"lingprobe_extensions/{EXTENSIONS[room]}" if room in EXTENSIONS else f"lingprobe/{room}"


def folder(room: str) -> str:
    """Where the tests of a room lie, below those of all."""
    return f"extensions/{EXTENSIONS[room]}" if room in EXTENSIONS else room


def sources(room: str) -> list[Path]:
    """The modules of a room."""
    return sorted((TREE / SOURCES / package_of(room)).rglob("*.py"))


def tests(room: str) -> list[Path]:
    """The files that test a room: its folder, what it is seen through, and what imports it."""
    place = folder(room)
    folders = {TREE / "tests" / name for name in (place, *THROUGH.get(room, ()))}
    imported = package_of(room).replace("/", ".")
    return [
        file
        for file in sorted((TREE / "tests").rglob("test_*.py"))
        if folders & {*file.parents}
        or ("integration" not in file.parts and imported in file.read_text("utf-8"))
    ]


class Watch:
    """Notes which lines each test reaches and how long it takes; what a fixture of several tests
    reaches counts for all tests of its file.
    """

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}
        self.context = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        name, start = item.nodeid.partition("[")[0], time.process_time()
        with self._in(name):
            done = yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - start
        return done

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Any:
        with self._in(
            self.context if fixturedef.scope == "function" else self.context.partition("::")[0]
        ):
            return (yield)

    @contextmanager
    def _in(self, context: str) -> Iterator[None]:
        before, self.context = self.context, context
        self.measured.switch_context(context)
        yield
        self.context = before
        self.measured.switch_context(before)


def watch(room: str, file: str) -> int:
    """Run the tests of a file, and write which lines each reaches; pytest's exit code."""
    measured = coverage.Coverage(data_file=None, include=[f"{TREE}/{SOURCES}/{package_of(room)}/*"])
    plugin = Watch(measured)
    measured.start()
    code = pytest.main([*QUIET, file], plugins=[plugin])
    measured.stop()
    lines: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    data = measured.get_data()
    for file in data.measured_files():
        for line, contexts in data.contexts_by_lineno(file).items():
            for context in contexts:
                lines[context][Path(file).relative_to(TREE).as_posix()].append(line)
    REACHED.write_text(json.dumps({"seconds": plugin.seconds, "lines": lines}), "utf-8")
    return int(code)


class Reach:
    """Which tests of a room reach a line, and how long each takes."""

    def __init__(self, room: str) -> None:
        path = KEPT / f"{room}.reach.json"
        known = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        self.sources = sources(room)
        code = digest(self.sources)
        now = {file.relative_to(TREE).as_posix(): code + digest([file]) for file in tests(room)}
        self.files = {f: each for f, each in known.items() if now.get(f) == each["of"]}
        for file in sorted(now.keys() - self.files.keys()):
            self.files[file] = {"of": now[file], **self._watched(room, file)}
            path.write_text(json.dumps(self.files), "utf-8")

    def _watched(self, room: str, file: str) -> dict[str, Any]:
        """What a file of tests reaches; watched again where numba has compiled something, which
        tests of a file wait for once.
        """
        own = file.startswith((f"tests/{folder(room)}/", "tests/reference/"))
        code, compiled = None, -1
        while compiled < (now := len([*TREE.rglob("*.nbc")])):
            code = forked(partial(watch, room, file), WATCHED if own else ELSEWHERE)
            compiled = now
        if code or (own and code is None):
            sys.exit(f"{file} fails without any mutant: run it, and mend it first")
        if code is None:
            print(f"{file} is left out: it takes over {ELSEWHERE} seconds, or breaks off")
            return {"seconds": {}, "lines": {}}
        return dict(json.loads(REACHED.read_text("utf-8")))

    def tests(self, mutant: Mutant, most: float) -> dict[str, float]:
        """The tests that reach a mutant and their seconds, file by file: the fastest that take so
        many seconds together.
        """
        places = self._places(mutant)
        reaching = {
            test: spent
            for file, each in self.files.items()
            for test, spent in each["seconds"].items()
            if (unwatched(mutant) and imports(TREE / file, mutant.file))
            or any(
                found if line is None else line in found
                for name in (file, test)
                for place, line in places
                for found in [each["lines"].get(name, {}).get(place, ())]
            )
        }
        fastest = sorted(reaching, key=lambda test: reaching[test])
        within = list(accumulate(reaching[test] for test in fastest))
        some = fastest[: max(1, bisect_right(within, most))]
        files = {test.partition("::")[0]: place for place, test in reversed([*enumerate(some)])}
        some.sort(key=lambda test: files[test.partition("::")[0]])
        return {test: reaching[test] for test in some}

    def _places(self, mutant: Mutant) -> list[tuple[str, int | None]]:
        """Its line; where nobody sees it run, all lines of its file, and of the files of its room
        that import that.
        """
        if not unwatched(mutant):
            return [(mutant.file, mutant.line)]
        files = [file for file in self.sources if imports(file, mutant.file)]
        return [(mutant.file, None), *((file.relative_to(TREE).as_posix(), None) for file in files)]


def unwatched(mutant: Mutant) -> bool:
    """Whether its line is seen by no test: it is read on import, or compiled by numba."""
    return mutant.imported or COMPILED in (TREE / mutant.file).read_bytes()


@cache
def imports(file: Path, module: str) -> bool:
    """Whether a file imports a module of ours, which is named as a file."""
    package, _, name = (
        module.removeprefix("src/").removesuffix(".py").replace("/", ".").rpartition(".")
    )
    said = rf"from {package}\.{name} |from {package} import [^\n]*\b{name}\b"
    return bool(re.search(said, file.read_text("utf-8")))


def survives(mutant: Mutant, trials: Trials, chosen: Mapping[str, float]) -> bool:
    """Whether tests, given with their seconds, pass with a mutant in the copy of the tree."""
    path, text = TREE / mutant.file, (TREE / mutant.file).read_bytes()
    changed = mutant.apply(text)
    FAILED.unlink(missing_ok=True)
    with _written(path, changed):
        codes = trials.exchange(path, text, changed)
        limit = SLOWER * sum(chosen.values()) + SECONDS + (0 if codes else IMPORTING)
        if forked(lambda: trials.fails([*chosen], codes), limit) == 0:
            return True
    if FAILED.is_file() and not codes:
        first = FAILED.read_text("utf-8")
        if forked(lambda: trials.fails([first], {}), limit) != 0:
            sys.exit(f"{first} fails without any mutant where modules are imported anew")
    return False


@contextmanager
def _written(path: Path, changed: bytes) -> Iterator[None]:
    """A file with other content, and with times by which Python knows it from what it compiled."""
    text, old = path.read_bytes(), path.stat()
    path.write_bytes(changed)
    os.utime(path, (old.st_atime, next(TIMES)))
    try:
        yield
    finally:
        path.write_bytes(text)
        os.utime(path, (old.st_atime, old.st_mtime))


class Known:
    """What became of the mutants of a room, in a file that grows by a line each."""

    def __init__(self, room: str) -> None:
        self.path = KEPT / f"{room}.jsonl"
        self.tests = digest(tests(room))
        listed = self.path.read_text("utf-8").splitlines() if self.path.is_file() else []
        self.lines = {each["key"]: each for each in map(json.loads, listed)}

    def get(self, mutant: Mutant) -> bool | None:
        """Whether it survives; None where that is not known, or may be otherwise by now."""
        line = self.lines.get(mutant.key)
        if line is None or line["of"] != digest([TREE / mutant.file]):
            return None
        return None if line["survives"] and line["tests"] != self.tests else line["survives"]

    def put(self, mutant: Mutant, survives: bool) -> None:
        """Keep what became of one."""
        facts = {"key": mutant.key, "survives": survives, "of": digest([TREE / mutant.file])}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**facts, "tests": self.tests}) + "\n")


def equivalent() -> dict[str, str]:
    """The mutants that no test can kill, with the reason of each."""
    lines = EQUIVALENT.read_text("utf-8").splitlines()
    return dict(line.split("\t") for line in lines if line and not line.startswith("#"))


def tried(room: str, many: int, seed: int) -> bool:
    """Try a sample of a room's mutants, print what survives, and say whether enough do not."""
    chosen = sample(mutants(TREE, sources(room)), many, seed)
    trials = Trials(TREE, tests(room))
    reach, known, listed = Reach(room), Known(room), equivalent()
    alive, excused = [], 0
    for each in chosen:
        if each.key in listed:
            excused += 1
            continue
        state = known.get(each)
        if state is None:
            chosen_tests = reach.tests(each, ENOUGH)
            state = not chosen_tests or survives(each, trials, chosen_tests)
            known.put(each, state)
            print("s" if state else ".", end="", flush=True)
        if state:
            alive.append(each)
    print()
    for each in sorted(alive):
        print(f"{each.file}:{each.line} {each.kind}, in {each.function}")
        print(f"  - {each.before}\n  + {each.after}")
    asked = len(chosen) - excused
    print(
        f"{room}: {asked - len(alive)} of {asked} mutants killed"
        f" ({(asked - len(alive)) / asked:.1%}), {excused} called equivalent"
    )
    return len(alive) <= (1 - GOAL) * asked and excused <= MOST_EQUIVALENT * len(chosen)


def left_out(folder: str, names: list[str]) -> set[str]:
    """What of a folder tests do not need, so that it is not copied."""
    written = {"build", "results"} if Path(folder) == ROOT else set[str]()
    return {name for name in names if name.startswith(".") or name in {"__pycache__", *written}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--room", action="append", choices=ROOMS, help="one room; repeatable")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="mutants of a room")
    parser.add_argument("--seed", type=int, default=0, help="another one draws other mutants")
    asked = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(TREE, ignore_errors=True)
    shutil.copytree(ROOT, TREE, ignore=left_out)
    os.chdir(TREE)
    os.environ |= {"PYTHONPATH": str(TREE / "src"), "OMP_NUM_THREADS": "1"}
    sys.path[:0] = [str(TREE / "src"), str(TREE)]
    for name in HEAVY:
        __import__(name)
    enough = [tried(room, asked.sample, asked.seed) for room in asked.room or ROOMS]
    sys.exit(0 if all(enough) else 1)


if __name__ == "__main__":
    main()
