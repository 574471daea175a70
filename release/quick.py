"""What an edit can have broken, in a minute: `make quick`, or `make quick BASE=COMMIT`.

    python release/quick.py [--base COMMIT] [--seconds N] [--list | --remember]

Definitions that differ from what landed last (origin/main; with --base, from another commit),
edits that are not committed included, are followed backwards through the graph of definitions that
identities are computed from, with tests as further nodes. Tests that are nearest come first, of
these the fastest, as many as fit into the time on two workers; how long each takes is known from
earlier runs (`.venv/test-durations.json`), in a fresh checkout of the slow ones from
`tests/slow.tsv`, which `--remember` writes after a run of all tests. Beside them ruff looks at the
changed files, and mypy at all that they reach. What did not run is named and counted; only `make
test` runs everything.

An edge is a name in the code. What is chosen when a program runs is an edge of its own: a table of
contents leads to all that it lists, and a text in a test that begins with the name of a command, or
holds the name of a task, an encoder, a probe, a control or a metric, to that. These are longer.
"""

from __future__ import annotations

import argparse
import ast
import gc
import hashlib
import heapq
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from landed import ROOT, closure, git, landed, packages, source

if TYPE_CHECKING:
    from lingprobe.data._closure import Node
else:
    Node = closure.Node

EFFECTS, WHOLE = closure.MODULE_STATEMENTS, closure.WHOLE_MODULE
PACKAGE, TESTS = ROOT / "src", ROOT / "tests"
BIN = Path(sys.executable).parent
DURATIONS = ROOT / ".venv" / "test-durations.json"
SLOW = TESTS / "slow.tsv"
WORDS = ROOT / ".venv" / "test-words.json"
BUDGET_SECONDS, WORKERS = 38.0, 2
START_SECONDS = 32.0  # that starting workers, and tests that are slower than they were, may take
UNKNOWN_SECONDS = 0.5  # what a test takes that was never run
MISSING_SHARE = 0.01  # of the tests that need not have been run, for all to count as run
SLOW_SECONDS = 1.0  # from which on a test stands among the slow ones
MAX_TEST_SECONDS = 20.0  # of one test that is chosen among others
TEST_LIMIT_SECONDS = 45  # from which on a test is taken not to end
FEW_TESTS = 20  # with so few, starting workers takes longer than they save
# lengths of edges that are no names: of a table of contents, of a command or a text
CHOSEN, CALLED = 3, 2
# by how much the tests of a folder are nearer to what is defined in the folder that they test
BESIDE = 2
PLUGINS = ("timeout", "xdist", "hypothesispytest")  # as they know each other; in this order
PYTEST = (
    *(sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=short", "-x"),
    *(argument for plugin in PLUGINS for argument in ("-p", plugin)),
)


def main() -> int:
    """Run what is nearest to the changes."""
    start = time.monotonic()
    gc.disable()  # the graph is no garbage, and looking for some takes a third of the time
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--base", default=landed(), help="the commit to compare with")
    parser.add_argument(
        "--seconds", type=float, default=BUDGET_SECONDS, help="for tests, on each worker"
    )
    parser.add_argument("--list", action="store_true", help="name the tests and run none")
    parser.add_argument(
        "--remember", action="store_true", help=f"write {SLOW.relative_to(ROOT)} and run none"
    )
    options = parser.parse_args()
    if options.remember:
        return write_slow_tests()
    paths = changed_paths(options.base)
    checks = [] if options.list else [*started(paths)]
    changed = changed_nodes(options.base, paths)
    near = distances(changed)
    rooms = {room_of(node.module) for node in changed}
    near = {test: far - BESIDE * (room_of(test) in rooms) for test, far in near.items()}
    chosen, left = choose(near, options.seconds * WORKERS)
    print(f"{len(paths)} files and {len(changed)} definitions differ from {options.base}")
    if options.list:
        print("\n".join(f"{near[test]:3} {test}" for test in chosen))
        return 0
    failed = run(chosen, options.seconds)
    for name, process in checks:
        output = process.communicate()[0]
        if process.returncode:
            print(f"--- {name}\n{output.strip()}")
            failed = True
    say_what_ran(chosen, left, time.monotonic() - start)
    return int(failed)


# ---- what changed


def changed_paths(base: str) -> list[Path]:
    """Files that differ from a commit, new ones included."""
    names = git("diff", "--name-only", "--no-renames", base, "--").split("\n")
    names += git("ls-files", "--others", "--exclude-standard").split("\n")
    return [ROOT / name for name in dict.fromkeys(names) if name]


def started(paths: Iterable[Path]) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Checks that run beside the tests."""
    ruff = str(BIN / "ruff")
    python = [str(path) for path in paths if path.suffix == ".py" and path.exists()]
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "cwd": ROOT}
    if python:
        yield "ruff", subprocess.Popen((ruff, "check", "-q", *python), **pipe)
        yield "format", subprocess.Popen((ruff, "format", "--check", "-q", *python), **pipe)
        if any(PACKAGE in path.parents for path in paths):
            yield "mypy", subprocess.Popen((str(BIN / "mypy"),), **pipe)


def changed_nodes(base: str, paths: Iterable[Path]) -> set[Node]:
    """The definitions that differ; of files that are no Python those that read them."""
    found: set[Node] = set()
    for path in paths:
        if path.suffix == ".py" and (PACKAGE in path.parents or TESTS in path.parents):
            found |= changed_in(base, path)
        else:
            found |= {node for node in graph()[1] if path.name in names_of_files(node)}
    return found


def changed_in(base: str, path: Path) -> set[Node]:
    """The definitions of a source file that are new, gone or other ones."""
    name = path.relative_to(ROOT)
    before, now = (
        git("show", f"{base}:{name}").encode(),
        path.read_bytes() if path.exists() else b"",
    )
    old, new = (dict(source.read(text).definitions) for text in (before, now))
    place = module_of(path)
    differ = {each for each in old.keys() | new.keys() if old.get(each) != new.get(each)}
    if place.startswith("tests/"):
        words = [test_words(text) for text in (before, now)]
        differ |= {each for each in new if words[0].get(each) != words[1].get(each)}
    if EFFECTS in differ:
        differ |= new.keys()
    whole = {Node(place, WHOLE)} if old.keys() - new.keys() else set()
    return {Node(place, each) for each in differ} | whole


# ---- the graph


@cache
def module_of(path: Path) -> str:
    """What a node calls a file: a module of the package, or the path of a test."""
    if PACKAGE not in path.parents:
        return str(path.relative_to(ROOT))
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def no_package(top: str) -> dict[str, str]:
    """Versions are asked of nobody: an edit changes none."""
    return {}


def room_of(place: str) -> str:
    """The folder of a module of the package, or the one that a test is written for."""
    if place.startswith("tests/"):
        return str(Path(place.partition("::")[0]).parent.relative_to("tests"))
    return "/".join(place.split(".")[1:-1])


@cache
def graph() -> tuple[dict[Node, list[tuple[int, Node]]], frozenset[Node]]:
    """Who mentions a node, with the length of the edge; and all nodes."""
    closure._package = no_package  # type: ignore[assignment]
    users: dict[Node, list[tuple[int, Node]]] = defaultdict(list)
    nodes: set[Node] = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        module = module_of(path)
        for name in closure._source(module).definitions:
            node = Node(module, name)
            nodes.add(node)
            for each in dict.fromkeys(closure._step(node).nodes):
                if each.name != EFFECTS:
                    users[each].append((1, node))
            for each in listed(node):
                users[each].append((CHOSEN, node))
    for path in sorted(TESTS.rglob("*.py")):
        for node, below in test_edges(path):
            nodes.add(node)
            for length, each in below:
                users[each].append((length, node))
    source.keep_sources()
    remember_words()
    return users, frozenset(nodes)


def listed(node: Node) -> Iterator[Node]:
    """What a table of contents leads to."""
    if closure._step(node).text == "registry":
        for kind in registries().values():
            if kind.get("") == f"{node.module}:{node.name}":
                for place in kind.values():
                    yield from nodes_at(place)


def nodes_at(place: str) -> Iterator[Node]:
    module, _, name = place.partition(":")
    if found := closure._definition_of(module, name):
        yield found


@cache
def registries() -> dict[str, dict[str, str]]:
    """The tables of contents: name -> place; under '' where the table is."""
    from lingprobe.api.commands import list_core_commands
    from lingprobe.datasets.controls import CONTROLS
    from lingprobe.encoders import ENCODERS
    from lingprobe.metrics import METRICS
    from lingprobe.probes import PROBES
    from lingprobe.tasks import TASKS

    tables = {
        "lingprobe.tasks:TASKS": TASKS,
        "lingprobe.encoders:ENCODERS": ENCODERS,
        "lingprobe.probes:PROBES": PROBES,
        "lingprobe.datasets.controls:CONTROLS": CONTROLS,
        "lingprobe.metrics:METRICS": METRICS,
    }
    found = {place: {"": place, **contents.table} for place, contents in tables.items()}
    return found | {"commands": {each.name: each.place for each in list_core_commands()}}


def named_in(words: Iterable[str]) -> Iterator[Node]:
    """What the texts of a test name: commands by their first word, other things by any."""
    for word in words:
        first, text = word.startswith("^"), word.lstrip("^")
        for kind, table in registries().items():
            if text in table and (kind != "commands" or first):
                yield from nodes_at(table[text])


def test_edges(path: Path) -> Iterator[tuple[Node, list[tuple[int, Node]]]]:
    """What each definition of a file of tests mentions, by name and by text."""
    found, words, place = said(path), test_words(path.read_bytes()), module_of(path)
    for name, definition in found.definitions.items():
        below = [(1, node) for each in definition.mentions for node in meant(each, place)]
        below += [
            (1, fixture)
            for each in parameters_of(words, name)
            if (fixture := fixture_of(each, path))
        ]
        below += [(CALLED, node) for node in named_in(words.get(name, ()))]
        if name != EFFECTS:
            below.append((1, Node(place, EFFECTS)))
        yield Node(place, name), below


def meant(mention: source.NameMention, place: str) -> Iterable[Node]:
    """The nodes that a mention in a file of tests stands for."""
    if mention.kind == "definition":
        return (Node(place, mention.name),)
    if mention.kind == "place":
        return nodes_at(mention.name)
    if mention.kind in ("import", "statement") and mention.source is not None:
        chain = filter(None, (mention.source.name, *mention.name.split(".")))
        return imported(mention.source.module, tuple(chain))
    return ()


@cache
def imported(base: str, chain: tuple[str, ...]) -> tuple[Node, ...]:
    """The definitions that a chain of names from a module stands for."""
    if packages.is_own_module(base):
        return closure._follow(base, [*chain]).nodes
    helper = helper_of(base, chain)
    return (helper,) if helper else ()


def helper_of(base: str, chain: Iterable[str]) -> Node | None:
    """The definition of a module beside the tests, as of `fixtures`."""
    parts = [*base.split("."), *chain]
    if not TESTS.joinpath(parts[0]).is_dir() and not TESTS.joinpath(f"{parts[0]}.py").is_file():
        return None
    for depth in range(len(parts), 0, -1):
        file = TESTS.joinpath(*parts[:depth]).with_suffix(".py")
        if file.is_file():
            return Node(module_of(file), parts[depth] if depth < len(parts) else EFFECTS)
    return None


def parameters_of(words: dict[str, list[str]], name: str) -> list[str]:
    return [word[1:] for word in words.get(name, ()) if word.startswith("=")]


@cache
def said(path: Path) -> source.SourceFile:
    """What a file says; nothing where there is none."""
    return source.read(path.read_bytes()) if path.is_file() else source.SourceFile({}, {})


@cache
def fixture_of(name: str, path: Path) -> Node | None:
    """The fixture of that name that a file of tests sees."""
    for file in (path, *fixture_files(path.parent)):
        if name in said(file).definitions:
            return Node(module_of(file), name)
    return None


@cache
def fixture_files(folder: Path) -> tuple[Path, ...]:
    """The conftest.py that the tests of a folder see, the nearest first."""
    above = fixture_files(folder.parent) if folder != TESTS else ()
    return (folder / "conftest.py", *above) if (folder / "conftest.py").is_file() else above


@cache
def known_words() -> dict[str, dict[str, list[str]]]:
    try:
        known: dict[str, dict[str, list[str]]] = json.loads(WORDS.read_text("utf-8"))
        return known
    except (OSError, ValueError):
        return {}


FRESH: dict[str, dict[str, list[str]]] = {}


def test_words(data: bytes) -> dict[str, list[str]]:
    """The words of the texts of each definition in a file of tests: the first of a text with a ^,
    and parameters with a =. Remembered by content, as reading them takes seconds.
    """
    key = hashlib.blake2b(data, digest_size=16).hexdigest()
    if key not in FRESH:
        FRESH[key] = known_words().get(key) or read_words(ast.parse(data))
    return FRESH[key]


def read_words(tree: ast.Module) -> dict[str, list[str]]:
    """The same, from the tree."""
    found: dict[str, list[str]] = {}
    for name, nodes in source._Module(tree).statements.items():
        words: dict[str, None] = {}
        for node in (each for statement in nodes for each in ast.walk(statement)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts = re.findall(r"[a-z][\w/-]*", node.value)
                words |= {f"^{word}": None for word in texts[:1]} | dict.fromkeys(texts[1:])
            elif isinstance(node, ast.arg):
                words[f"={node.arg}"] = None
        found[name] = [*words]
    return found


def remember_words() -> None:
    """Write down what was read of tests."""
    if FRESH.keys() - known_words().keys():
        draft = WORDS.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(FRESH), "utf-8")
        draft.replace(WORDS)


@cache
def names_of_files(node: Node) -> frozenset[str]:
    """The files that a definition names."""
    if node.module.startswith("tests/"):
        return frozenset()
    found = closure._source(node.module).definitions.get(node.name)
    own = closure._file(node.module)
    return frozenset(
        own.with_suffix(m.name).name if m.name in source.DATA_FILE_SUFFIXES else m.name
        for m in (found.mentions if found else ())
        if m.kind == "data"
    )


# ---- which tests


def distances(changed: Iterable[Node]) -> dict[str, int]:
    """How far from a changed definition each test is that reaches one (Dijkstra's algorithm)."""
    users, _ = graph()
    shortest: dict[Node, int] = {}
    todo = [(0, node) for node in sorted(changed)]
    heapq.heapify(todo)
    while todo:
        far, node = heapq.heappop(todo)
        if node in shortest:
            continue
        shortest[node] = far
        for length, user in users.get(node, ()):
            if user not in shortest:
                heapq.heappush(todo, (far + length, user))
    return {f"{node.module}::{node.name}": far for node, far in shortest.items() if is_test(node)}


def is_test(node: Node) -> bool:
    """Whether a node is a test that `make test` runs."""
    file = Path(node.module).name
    slow = "tests/integration" in node.module
    return file.startswith("test_") and node.name.startswith(("test_", "Test")) and not slow


@cache
def durations() -> dict[str, float]:
    """How long each test took, all of its cases together: here, or else where the slow ones were
    written down.
    """
    rows = SLOW.read_text("utf-8").splitlines() if SLOW.is_file() else ()
    return {test: float(seconds) for test, seconds in map(str.split, rows)} | run_here()


def run_here() -> dict[str, float]:
    """How long each test took that was run in this checkout."""
    try:
        known: dict[str, float] = json.loads(DURATIONS.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    found: dict[str, float] = defaultdict(float)
    for test, seconds in known.items():
        found[test.partition("[")[0]] += seconds
    return found


def write_slow_tests() -> int:
    """Write down how long slow tests take; 1 where fewer tests were run here than there are."""
    found = run_here()
    tests = {f"{node.module}::{node.name}" for node in graph()[1] if is_test(node)}
    missing = sorted(tests - found.keys())  # a few run elsewhere, on a cluster
    if len(missing) > MISSING_SHARE * len(tests):
        print(f"{len(missing)} tests were not run here, as {missing[0]}: run `make test` first")
        return 1
    slow = {test: found[test] for test in sorted(tests) if found[test] >= SLOW_SECONDS}
    SLOW.write_text("".join(f"{test}\t{seconds:.0f}\n" for test, seconds in slow.items()), "utf-8")
    print(f"{len(slow)} of {len(tests)} tests take {SLOW_SECONDS:.0f} s and more")
    return 0


def choose(near: dict[str, int], seconds: float) -> tuple[list[str], list[str]]:
    """The nearest tests, of these the fastest, as many as fit; and the others."""
    known = durations()
    order = sorted(near, key=lambda test: (near[test], known.get(test, UNKNOWN_SECONDS), test))
    chosen: list[str] = []
    for test in order:
        takes = known.get(test, UNKNOWN_SECONDS)
        if takes <= min(seconds, MAX_TEST_SECONDS):
            chosen.append(test)
            seconds -= takes
    return chosen, sorted(set(order) - set(chosen))


def run(tests: list[str], seconds: float) -> bool:
    """Whether tests fail, or one does not end; where time is up, that is said."""
    if not tests:
        return False
    # the nearest first, on all workers
    workers = ("--numprocesses", str(WORKERS), "--dist", "load", "--maxschedchunk", "1")
    limit = ("--timeout", str(TEST_LIMIT_SECONDS))
    command = (*PYTEST, *limit, *(workers if len(tests) > FEW_TESTS else ()), *tests)
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        return process.wait(seconds + START_SECONDS) != 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        print(f"\nstopped after {seconds + START_SECONDS:.0f} s, before all of these had run")
        return False


def say_what_ran(chosen: list[str], left: list[str], seconds: float) -> None:
    """One line on what ran, and one for each folder of what did not."""
    print(f"{len(chosen)} of {len(chosen) + len(left)} affected tests ran, {seconds:.0f} s")
    folders = Counter(str(Path(test.partition("::")[0]).parent) for test in left)
    for folder, count in folders.most_common():
        print(f"  not run: {count} of {folder}")


if __name__ == "__main__":
    raise SystemExit(main())
