"""Same identity, same numbers; different numbers, different identity: computed from code, wherever
files lie.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import lingprobe
from fixtures.plugin import CENTROID
from lingprobe.data import _closure as closure
from lingprobe.data import _source as source
from lingprobe.data._packages import entry_points, is_own_module
from lingprobe.data.cache import _SHARED
from lingprobe.data.identity import compute_identity, make_portable, walk_parts
from lingprobe.data.references import allow_code
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS, adapt_encoder
from lingprobe.experiment.data import task_identity
from lingprobe.experiment.keys import (
    _MEASURES,
    EMBEDDING_CODE,
    identify_encoder,
    vectors_key,
)
from lingprobe.metrics import METRICS
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS

SOURCES = Path(lingprobe.__file__).parent


def run(code: str, *arguments: str, path: Path, package: str = "LINGPROBE") -> str:
    """What a fresh Python prints that finds lingprobe below a folder; package is what variables of
    the environment call it.
    """
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={
            "PYTHONPATH": str(path),
            "PATH": "/usr/bin:/bin",
            f"{package}_CACHE": os.environ["LINGPROBE_CACHE"],
            f"{package}_SHARED_CACHE": os.environ[_SHARED],
        },
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip().splitlines()[-1]


@pytest.fixture
def checkout(tmp_path):
    """A copy of the sources that may be edited, with what was compiled of them, which holds for a
    file as long as it is not edited.
    """
    shutil.copytree(SOURCES, tmp_path / "copy" / "lingprobe")
    return tmp_path / "copy"


MOVES = {
    "encoders.surface": "corpora.plain",  # that a table of contents names
    "nets.precision": "tables.rounding",  # that is imported as a module, under another name
    "corpora.universal": "datasets.formats.treebanks",  # with its data
}
CODES = """
import json, sys
from lingprobe.data import _closure as closure
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.keys import EMBEDDING_CODE, _MEASURES
from lingprobe.metrics import METRICS
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS

roots = {"embeds": EMBEDDING_CODE, "measures": _MEASURES}
for contents in (TASKS, ENCODERS, PROBES, CONTROLS, METRICS):
    roots |= {f"{contents.kind} {name}": sorted(contents.roots(name)) for name in contents.places(own=True)}
codes = {name: closure.digest_code(*each) for name, each in roots.items()}
edited = closure.Node(*sys.argv[1].split(":"))
users = [name for name, each in roots.items() if edited in closure.closure(each).nodes]
print(json.dumps([codes, users]))
"""


PRECISION = "lingprobe.nets.precision:BFLOAT16_VARIABLE"


class Moved(ast.NodeTransformer):
    """What is imported from modules that moved, from where they are now."""

    def visit_ImportFrom(self, node):
        for old, new in MOVES.items():
            (above, _, last), (place, _, name) = (
                f"lingprobe.{each}".rpartition(".") for each in (old, new)
            )
            if node.module == f"lingprobe.{old}":
                node.module = f"lingprobe.{new}"
            elif node.module == above and [alias.name for alias in node.names] == [last]:
                node.module, node.names = place, [ast.alias(name, node.names[0].asname or last)]
        return node

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            for old, new in MOVES.items():
                node.value = node.value.replace(f"lingprobe.{old}:", f"lingprobe.{new}:")
            node.value = MOVES.get(node.value, node.value)  # as a face names its modules
        return node


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory):
    """What CODES print of the sources as they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINGPROBE_CACHE", str(tmp_path_factory.mktemp("cache")))
        return json.loads(run(CODES, PRECISION, path=SOURCES.parent))


def test_modules_that_move_keep_every_identity_and_an_edit_after_it_counts(checkout, unchanged):
    root = checkout / "lingprobe"
    module = "lingprobe." + MOVES["nets.precision"] + ":BFLOAT16_VARIABLE"
    before, _ = unchanged
    for file in root.rglob("*.py"):
        if any(old.rpartition(".")[2] in (text := file.read_text("utf-8")) for old in MOVES):
            file.write_text(ast.unparse(Moved().visit(ast.parse(text))), "utf-8")
    for old, new in MOVES.items():
        there = root.joinpath(*new.split("."))
        for file in root.joinpath(*old.split(".")).parent.glob(f"{old.rpartition('.')[2]}.*"):
            file.rename(there.with_suffix(file.suffix))
    after, _ = json.loads(run(CODES, module, path=checkout))
    assert after == before
    file = root.joinpath(*MOVES["nets.precision"].split(".")).with_suffix(".py")
    file.write_text(file.read_text("utf-8").replace("LINGPROBE_BFLOAT16", "ANOTHER"), "utf-8")
    edited, users = json.loads(run(CODES, module, path=checkout))
    assert 0 < len(users) < len(edited)
    assert [name for name in edited if edited[name] != before[name]] == [
        name for name in edited if name in users
    ]


def test_definitions_and_a_package_of_other_names_keep_every_identity(checkout, unchanged):
    """The package, and all definitions whose names stand for nothing else, each called otherwise
    wherever it is.
    """
    trees = [ast.parse(file.read_bytes()) for file in sorted(checkout.rglob("*.py"))]
    names = free_names(trees)
    assert len(names) > 1000
    packages = {"lingprobe": "zyxwprobe", "Lingprobe": "Zyxwprobe", "LINGPROBE": "ZYXWPROBE"}

    def of_another_package(text: str) -> str:
        return functools.reduce(lambda done, pair: done.replace(*pair), packages.items(), text)

    def renamed(text: str) -> str:
        other = re.sub(r"\w+", lambda word: word[0] + "_otherwise" * (word[0] in names), text)
        return of_another_package(other)

    exact = {"encoding": "utf-8", "errors": "surrogateescape"}  # some files are packed
    for change, suffixes in ((renamed, (".py",)), (of_another_package, source.DATA_FILE_SUFFIXES)):
        for file in [path for path in checkout.rglob("*") if path.suffix in suffixes]:
            file.write_bytes(change(file.read_bytes().decode(**exact)).encode(**exact))
    (checkout / "lingprobe").rename(checkout / "zyxwprobe")
    code, place = renamed(CODES), renamed(PRECISION)
    codes, users = json.loads(run(code, place, path=checkout, package="ZYXWPROBE"))
    # what extensions offer is found under the groups of entry points of lingprobe alone
    theirs = {
        f"{kind} {point.name}"
        for kind in ("encoder", "task")
        for point in entry_points(f"lingprobe.{kind}s")
        if is_own_module(point.value)
    }
    assert codes == {name: each for name, each in unchanged[0].items() if name not in theirs}
    assert users == [name for name in unchanged[1] if name not in theirs]


def free_names(trees: list[ast.Module]) -> set[str]:
    """Names that are each one definition of one module, and nowhere an attribute, a parameter, a
    local, or a word of a text.
    """
    defined = Counter(name for tree in trees for name in source._Module(tree).statements)
    other: set[str] = set()
    for tree in trees:
        at_top = {id(node) for statement in tree.body for node in (statement, *tops(statement))}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                other.add(node.attr)
            elif isinstance(node, ast.arg | ast.keyword):
                other.add(node.arg or "")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if not source._PLACE.fullmatch(node.value):
                    words = re.findall(r"[\w-]+", node.value)
                    written = {word.replace("-", "_") for word in words}  # how tasks are found
                    other |= set(re.findall(r"\w+", node.value)) | written
                    other |= {f"_{word}" for word in written}
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                other |= {node.id} if id(node) not in at_top else set()
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                other |= {node.name} if id(node) not in at_top else set()
            elif isinstance(node, ast.alias):
                other |= {node.asname or ""} | set(node.name.split(".")[:-1])
            elif isinstance(node, ast.ImportFrom):
                place = (node.module or "").split(".")
                is_foreign = not place[0].startswith("lingprobe")
                other |= {*place, *(each.name for each in node.names if is_foreign)}
    return {name for name, times in defined.items() if times == 1 and name.isidentifier()} - other


def tops(statement: ast.stmt) -> list[ast.AST]:
    """The names that a statement of a module binds."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return [node for target in targets if target is not None for node in ast.walk(target)]


@pytest.fixture
def measure(tmp_path):
    """A function of an encoder and of where modules are found: the score of a tiny task, over one
    cache for all calls.
    """
    parts = [("tr", 40), ("va", 10), ("te", 20)]
    rows = [
        f"{split}\t{'ab'[k % 2]}\t{'word ' * (1 + k % 2)}{k}"
        for split, n in parts
        for k in range(n)
    ]
    (tmp_path / "data.tsv").write_text("\n".join(rows) + "\n")
    code = f"""
import sys, lingprobe
found = lingprobe.evaluate(sys.argv[1], {"table:" + str(tmp_path / "data.tsv")!r}, probes=[{CENTROID!r}], seeds=1, baselines="none",
                       cache={str(tmp_path / "cache")!r}, progress=False)
print(found.results[0].score)
"""
    return lambda encoder, path: float(run(code, encoder, path=path))


@pytest.mark.parametrize("edited", ["helper.py", "mine.py"])
def test_an_edit_in_a_helper_of_ones_own_measures_anew(tmp_path, measure, edited):
    body = "    return np.array([[len(s) * scale(), 1.0] for s in sentences])\n"
    (tmp_path / "helper.py").write_text("def scale():\n    return 1.0\n")
    (tmp_path / "mine.py").write_text(
        f"import numpy as np\nfrom helper import scale\ndef fn(sentences):\n{body}"
    )
    encoder, path = f"{tmp_path}/mine.py@fn", f"{SOURCES.parent}:{tmp_path}"
    assert measure(encoder, path) == 1.0
    blind = {
        "helper.py": "def scale():\n    return 0.0\n",
        "mine.py": (
            "import numpy as np\ndef fn(sentences):\n    return np.ones((len(sentences), 2))\n"
        ),
    }
    (tmp_path / edited).write_text(blind[edited])
    assert measure(encoder, path) == 0.5


def test_two_checkouts_on_one_cache_never_share_a_stale_result(checkout, measure):
    assert measure("length", SOURCES.parent) == 1.0
    file = checkout / "lingprobe" / "data" / "labels" / "__init__.py"
    text, decoding = file.read_text("utf-8"), "Classes(scores.argmax(1)"
    assert text.count(decoding) == 1
    file.write_text(text.replace(decoding, decoding.replace("argmax", "argmin")), "utf-8")
    assert measure("length", checkout) == 0.0
    assert measure("length", SOURCES.parent) == 1.0


class Outer:
    """Holds another thing, as a probe within a probe."""

    def __init__(self, inner: object) -> None:
        self.inner = inner


def test_what_a_thing_holds_counts_however_deep():
    inner = PROBES.make("logreg")
    for thing in (
        Outer(inner),
        Outer([{"a": (inner,)}]),
        functools.partial(print, inner),
        Outer(inner).__init__,
        lambda: inner,
    ):
        assert inner in list(walk_parts(thing))
    assert "lingprobe.probes.logreg" in {
        type(part).__module__ for part in walk_parts(PROBES.make("online:logreg"))
    }


def test_what_a_thing_remembers_does_not_count(tmp_path):
    (file := tmp_path / "words.txt").write_text("a 1 2\nb 3 4\n")
    encoder = ENCODERS.make(f"static:{file}")
    before = identify_encoder(ENCODERS.canonical(f"static:{file}"), encoder)
    encoder.table.look_up(["a", "b"])
    assert identify_encoder(ENCODERS.canonical(f"static:{file}"), encoder) == before


def test_a_thing_of_the_same_name_as_a_built_in_one_is_not_taken_for_it():
    def length(sentences: list[str]) -> np.ndarray:
        return np.zeros((len(sentences), 1))

    mine = adapt_encoder(length)
    assert mine.name == "length"
    assert vectors_key(mine, identify_encoder(None, mine)) != vectors_key(
        ENCODERS.make("length"), identify_encoder("length", ENCODERS.make("length"))
    )


def test_two_functions_of_one_file_and_name_are_told_apart():
    one, two, again = (
        adapt_encoder(lambda s: np.ones((len(s), 1))),
        adapt_encoder(lambda s: np.zeros((len(s), 1))),
        adapt_encoder(lambda s: np.ones((len(s), 1))),
    )
    assert (
        identify_encoder(None, one) == identify_encoder(None, again) != identify_encoder(None, two)
    )


def test_no_identity_holds_a_path(tmp_path):
    (tmp_path / "words.txt").write_text("a 1 2\nb 3 4\n")
    np.savez(tmp_path / "given.npz", sentences=np.array(["a"]), vectors=np.ones((1, 2), np.float32))
    (tmp_path / "set.tsv").write_text("tr\ta\tx y\nte\tb\tx z\nva\ta\ty\n")
    (tmp_path / "mine.py").write_text("def fn(sentences):\n    return [[1.0] for s in sentences]\n")
    allow_code(f"{tmp_path}/mine.py@fn")
    shutil.copytree(tmp_path, other := tmp_path / "moved")
    allow_code(f"{other}/mine.py@fn")
    for written in (
        "static:{}/words.txt",
        "untrained:bilstm-max,vectors={}/words.txt",
        "npz:{}/given.npz",
        "{}/mine.py@fn",
    ):
        made = [ENCODERS.canonical(written.format(place)) for place in (tmp_path, other)]
        first, second = (
            identify_encoder(reference, ENCODERS.make(reference)) for reference in made
        )
        assert first == second
        assert str(tmp_path) not in str(first)
        keys = {
            vectors_key(ENCODERS.make(r), i) for r, i in zip(made, (first, second), strict=True)
        }
        assert len(keys) == 1
    tasks = [TASKS.canonical(f"table:{place}/set.tsv") for place in (tmp_path, other)]
    assert task_identity(tasks[0], TASKS.make(tasks[0])) == task_identity(
        tasks[1], TASKS.make(tasks[1])
    )
    (other / "set.tsv").write_text("tr\ta\tx y\nte\tb\tx z\nva\tb\ty\n")
    assert task_identity(tasks[0], TASKS.make(tasks[0])) != task_identity(
        tasks[1], TASKS.make(tasks[1])
    )


def test_a_users_thing_that_takes_a_path_is_known_by_what_lies_there(tmp_path):
    allow_code(f"{tmp_path}/mine.py@fn")
    (tmp_path / "mine.py").write_text(
        "from pathlib import Path\nimport numpy as np\ndef fn(path: Path, *, scale: float = 1.0):\n"
        "    return lambda s: np.full((len(s), 1), float(path.read_text()) * scale)\n"
    )
    for name, number in (("one", 1), ("two", 2), ("three", 1)):
        (tmp_path / name).write_text(str(number))
    texts = [
        make_portable(ENCODERS, ENCODERS.canonical(f"{tmp_path}/mine.py@fn:{tmp_path / name}"))
        for name in ("one", "two", "three")
    ]
    assert texts[0] == texts[2] != texts[1]
    assert not any(str(tmp_path) in text for text in texts)


def test_vectors_outlive_an_edit_in_a_metric_and_data_sets_one_in_an_encoder():
    def files(*starts: str) -> set[str]:
        return set(closure.closure(starts).files.values())

    vectors = files(*EMBEDDING_CODE, *ENCODERS.roots("hf"))
    assert not {
        name
        for name in vectors
        if name.startswith(
            ("lingprobe.metrics", "lingprobe.probes", "lingprobe.tasks", "lingprobe.pages")
        )
    }
    data = files(*TASKS.roots("ud/tense"))
    assert not {
        name
        for name in data
        if name.startswith(
            ("lingprobe.metrics", "lingprobe.probes", "lingprobe.encoders", "lingprobe.pages")
        )
    }
    assert "lingprobe.metrics.compare" in files(*METRICS.roots("accuracy"))
    assert not {
        name
        for name in files(*_MEASURES)
        if name.startswith(
            ("lingprobe.cli", "lingprobe.pages", "lingprobe.tasks", "lingprobe.encoders")
        )
    } - {"lingprobe.tasks", "lingprobe.tasks.limits"}  # the table that makes another fold of a task


NAMED = {
    "task": ("lingprobe.tasks", "TASKS", "ud/tense:embedded"),
    "encoder": ("lingprobe.encoders", "ENCODERS", "untrained:bilstm-max"),
    "probe": ("lingprobe.probes", "PROBES", "mlp"),
    "control": ("lingprobe.datasets.controls", "CONTROLS", "shuffled"),
    "metric": ("lingprobe.metrics", "METRICS", "macro-f1"),
}


@pytest.mark.parametrize(
    "contents", [TASKS, ENCODERS, PROBES, CONTROLS, METRICS], ids=lambda c: c.kind
)
def test_an_identity_is_one_line_of_text_and_the_same_in_another_process(contents):
    module, room, name = NAMED[contents.kind]
    reference = contents.canonical(name)
    here = str(compute_identity(contents, reference, contents.make(reference)))
    code = f"""
from {module} import {room} as room
from lingprobe.data.cache import _SHARED
from lingprobe.data.identity import compute_identity
print(compute_identity(room, {reference!r}, room.make({reference!r})))
"""
    assert here == run(code, path=SOURCES.parent)
    assert "\n" not in here
