"""Same identity, same numbers; different numbers, different identity: computed from code, wherever
files lie.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lingprobe
from fixtures.plugin import CENTROID
from lingprobe.data import _closure as closure
from lingprobe.data import _source as source
from lingprobe.data.identity import identity, portable, walk_parts
from lingprobe.data.references import allow
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS, adapt
from lingprobe.experiment.data import task_identity
from lingprobe.experiment.keys import EMBEDS, MEASURES, encoder_identity, vectors_key
from lingprobe.metrics import METRICS
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS

SOURCES = Path(lingprobe.__file__).parent

EDITED = """
import json, sys
from dataclasses import replace
from pathlib import Path
import grimp
from lingprobe.data import _closure as closure
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS
from lingprobe.metrics import METRICS
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS

root = Path(sys.argv[1]) / "lingprobe"
starts = {"embed": {"lingprobe.experiment.embed"}, "measure": {"lingprobe.experiment.measure"}, "data": {"lingprobe.experiment.data"}}
for contents in (TASKS, ENCODERS, PROBES, CONTROLS, METRICS):
    starts |= {f"{contents.kind} {name}": contents.modules(name) for name in contents.table}
graph = grimp.build_graph("lingprobe", cache_dir=None, exclude_type_checking_imports=True)
reached = {
    name: modules.union(*(graph.find_upstream_modules(module) for module in modules)) for name, modules in starts.items()
}

# starts that reach the same code have the same digest
alike = {}
for name, modules in starts.items():
    alike.setdefault(frozenset(closure.closure(modules).files), []).append(name)

kept = {}  # modules as they were read, but for one that is edited
read = closure._module.__wrapped__

def remembered(file):
    if file not in kept:
        kept[file] = read(file)
    return kept[file]

closure._module = remembered

def digests():
    closure._digest_of.cache_clear()
    closure.code_in.cache_clear()
    return [closure.code_of(*starts[names[0]]) for names in alike.values()]

files = sorted(root.rglob("*.py"))
before, wrong = digests(), []
for file in files:
    was = remembered(file)
    kept[file] = replace(was, code="edited")
    after, kept[file] = digests(), was
    module = ".".join(file.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")
    changed = {name for names, one, other in zip(alike.values(), before, after) if one != other for name in names}
    expected = {name for name in reached if module in reached[name]}
    if changed != expected:
        wrong.append([module, sorted(changed ^ expected)])
for file in files[::10]:
    text = file.read_text("utf-8")
    file.write_text(text + "\\n# a remark\\n\\n\\n", "utf-8")
    if read(file) != kept[file]:
        wrong.append([str(file), "a comment counts"])
    file.write_text(text + "\\nEDITED = 1\\n", "utf-8")
    if read(file).code == kept[file].code:
        wrong.append([str(file), "a statement does not count"])
print(json.dumps(wrong))
"""


def run(code: str, *arguments: str, path: Path) -> str:
    """What a fresh Python prints that finds lingprobe below a folder."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={
            "PYTHONPATH": str(path),
            "PATH": "/usr/bin:/bin",
            "LINGPROBE_CACHE": os.environ["LINGPROBE_CACHE"],
        },
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip().splitlines()[-1]


@pytest.fixture
def checkout(tmp_path):
    """A copy of the sources that may be edited."""
    shutil.copytree(
        SOURCES, tmp_path / "copy" / "lingprobe", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path / "copy"


def test_an_edit_changes_exactly_the_identities_that_reach_it_and_a_comment_changes_none(checkout):
    wrong = json.loads(run(EDITED, str(checkout), path=checkout))
    assert not wrong, wrong[:5]


MOVES = {
    "encoders.surface": "corpora.plain",  # that a table of contents names
    "nets.precision": "tables.rounding",  # that is imported as a module, under another name
    "corpora.universal": "datasets.formats.treebanks",  # with its data
}
AFTER = """
import json, sys
from pathlib import Path
import grimp
from lingprobe.data import _closure as closure
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS
from lingprobe.metrics import METRICS
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS

starts = {module: [module] for module in ("lingprobe.experiment.embed", "lingprobe.experiment.measure", "lingprobe.experiment.data")}
for contents in (TASKS, ENCODERS, PROBES, CONTROLS, METRICS):
    starts |= {f"{contents.kind} {name}": sorted(contents.modules(name)) for name in contents.table}
graph = grimp.build_graph("lingprobe", cache_dir=None, exclude_type_checking_imports=True)
reached = {name: [*modules, *(up for module in modules for up in graph.find_upstream_modules(module))] for name, modules in starts.items()}
codes = {name.partition("lingprobe.")[2] or name: closure.code_of(*modules) for name, modules in starts.items()}
users = {name.partition("lingprobe.")[2] or name for name, modules in reached.items() if sys.argv[1] in modules}
print(json.dumps([codes, sorted(users)]))
"""


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
        return node


def test_modules_that_move_keep_every_identity_and_an_edit_after_it_counts(checkout):
    root = checkout / "lingprobe"
    module = "lingprobe." + MOVES["nets.precision"]
    before, _ = json.loads(run(AFTER, module, path=checkout))
    for file in root.rglob("*.py"):
        if any(old.rpartition(".")[2] in (text := file.read_text("utf-8")) for old in MOVES):
            file.write_text(ast.unparse(Moved().visit(ast.parse(text))), "utf-8")
    for old, new in MOVES.items():
        there = root.joinpath(*new.split("."))
        for file in root.joinpath(*old.split(".")).parent.glob(f"{old.rpartition('.')[2]}.*"):
            file.rename(there.with_suffix(file.suffix))
    after, _ = json.loads(run(AFTER, module, path=checkout))
    assert after == before
    file = root.joinpath(*MOVES["nets.precision"].split(".")).with_suffix(".py")
    file.write_text(file.read_text("utf-8").replace("LINGPROBE_BFLOAT16", "ANOTHER"), "utf-8")
    edited, users = json.loads(run(AFTER, module, path=checkout))
    assert 0 < len(users) < len(edited)
    assert [name for name in edited if edited[name] != before[name]] == [
        name for name in edited if name in users
    ]


def test_a_package_of_another_name_keeps_every_identity(checkout):
    module = "lingprobe.nets.precision"
    before, users = json.loads(run(AFTER, module, path=checkout))
    named = {"lingprobe": "zyxwprobe", "Lingprobe": "Zyxwprobe", "LINGPROBE": "ZYXWPROBE"}

    def renamed(text: str) -> str:
        return functools.reduce(lambda done, pair: done.replace(*pair), named.items(), text)

    exact = {"encoding": "utf-8", "errors": "surrogateescape"}  # some files are packed
    for file in [path for path in checkout.rglob("*") if path.suffix in (".py", *closure.DATA)]:
        file.write_bytes(renamed(file.read_bytes().decode(**exact)).encode(**exact))
    (checkout / "lingprobe").rename(checkout / "zyxwprobe")
    assert json.loads(run(renamed(AFTER), renamed(module), path=checkout)) == [before, users]


def test_the_name_under_which_a_thing_is_imported_from_a_module_counts(tmp_path, monkeypatch):
    """Two modules may define a name: which one is meant decides, wherever it lies."""
    (tmp_path / "here_one.py").write_text("def f():\n    return 1\n")
    (tmp_path / "here_two.py").write_text("def f():\n    return 2\n")
    (tmp_path / "here_three.py").write_text("from here_one import f\n")
    monkeypatch.syspath_prepend(tmp_path)
    texts = [
        "import here_two\nfrom here_one import f\n",
        "import here_one\nfrom here_two import f\n",
        "import here_two\nfrom here_three import f\n",
    ]
    files = [tmp_path / f"user_{k}.py" for k in range(3)]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    one, two, handed = (closure.code_in(file, file.stem) for file in files)
    assert one != two
    assert one == handed  # what hands it on changes nothing in the code that uses it


def test_a_name_that_the_package_offers_is_followed_to_its_module(tmp_path, monkeypatch):
    (tmp_path / "asks_one.py").write_text("from lingprobe import question\n")
    (tmp_path / "asks_two.py").write_text(
        "import lingprobe\n@lingprobe.question\ndef f(tree):\n    return 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("asks_one", "asks_two"):
        reached = set(closure.closure([name]).files.values())
        assert "lingprobe.tasks.rules" in reached
        assert "lingprobe" not in reached


def test_every_data_file_belongs_to_a_module_and_an_edit_in_it_counts(checkout):
    for file in sorted(path for path in SOURCES.rglob("*") if path.suffix in closure.DATA):
        copy = checkout / "lingprobe" / file.relative_to(SOURCES)
        readers = list(copy.parent.glob("*.py"))
        before = {path: closure._module.__wrapped__(path).alone for path in readers}
        copy.write_bytes(copy.read_bytes() + b"\n# more\n")
        changed = [
            path.name for path in readers if closure._module.__wrapped__(path).alone != before[path]
        ]
        assert changed, f"no module names {file.name}"


def plain(text: str, tmp_path: Path) -> str:
    (file := tmp_path / "module.py").write_text(text)
    return closure._module.__wrapped__(file).alone


def test_what_cannot_change_behaviour_is_left_out(tmp_path):
    code = 'def f(a, b=1):\n    """Say something."""\n    return a + b  # a remark\n'
    same = (
        'def f(\n    a,\n    b = 1,\n):\n\n    """Say something else."""\n    return (a +'
        ' b)\n"""Text that stands alone."""\n'
    )
    assert plain(code, tmp_path) == plain(same, tmp_path)


@pytest.mark.parametrize(
    "other",
    [
        "def f(a, b=2):\n    return a + b\n",
        "def f(a, b=1):\n    return a - b\n",
        "def f(a, b: int = 1):\n    return a + b\n",
        "def f(a, *, b=1):\n    return a + b\n",
    ],
)
def test_what_can_change_behaviour_counts(tmp_path, other):
    assert plain("def f(a, b=1):\n    return a + b\n", tmp_path) != plain(other, tmp_path)


def test_imports_for_type_checkers_alone_are_not_followed(tmp_path, monkeypatch):
    (tmp_path / "seen_one.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import seen_two\nelse:\n   "
        " import seen_three\n"
    )
    for name in ("seen_two", "seen_three"):
        (tmp_path / f"{name}.py").write_text("X = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert {file.name for file in closure.closure(["seen_one"]).files} == {
        "seen_one.py",
        "seen_three.py",
    }


def test_what_is_remembered_of_a_source_is_what_reading_it_finds(tmp_path, monkeypatch):
    place, data = tmp_path / "cache", Path(closure.__file__).read_bytes()
    monkeypatch.setenv("LINGPROBE_CACHE", str(place))
    found = source.read(data)
    source.keep()
    source._memory.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(source.ast, "parse", None)  # so nothing is read anew
        assert source.read(data) == found
        with pytest.raises(TypeError):
            source.read(data + b"#")
    (file,) = (place / source.CODE).iterdir()
    file.write_bytes(file.read_bytes().replace(found.code.encode(), b"0" * 32))
    source._memory.cache_clear()
    assert source.read(data) == found


def test_only_so_many_sources_are_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path))
    monkeypatch.setattr(source, "MOST", 3)
    for batch in ((0, 1), (2, 3), (4, 5, 6, 7)):
        for number in batch:
            source.read(b"a = %d" % number)
        source.keep()
    memory = source._Memory(tmp_path)
    assert len(memory.sources) == 4  # what one process read counts, however much it is
    source.read(b"a = 8")
    source.keep()
    assert len(source._Memory(tmp_path).sources) == 3


def test_a_users_own_modules_count_by_content_and_installed_ones_by_version(tmp_path, monkeypatch):
    (tmp_path / "package_of_mine").mkdir()
    (tmp_path / "package_of_mine" / "__init__.py").write_text("")
    (tmp_path / "package_of_mine" / "near.py").write_text("def g():\n    from . import far\n")
    (tmp_path / "package_of_mine" / "far.py").write_text(
        "import numpy.linalg\nfrom yaml import safe_load\n"
    )
    (tmp_path / "mine_alone.py").write_text("from package_of_mine.near import g\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = closure.closure(["mine_alone"])
    assert {file.name for file in found.files} == {"mine_alone.py", "near.py", "far.py"}
    assert found.packages["numpy"] == np.__version__
    assert any(name.lower() == "pyyaml" for name in found.packages)
    assert "package_of_mine.far" not in sys.modules  # nothing was imported to find this out


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
found = lingprobe.evaluate(sys.argv[1], {"table:" + str(tmp_path / "data.tsv")!r}, probes=[{CENTROID!r}], seeds=1, bounds=False,
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
    assert "lingprobe.probes.logreg.probe" in {
        type(part).__module__ for part in walk_parts(PROBES.make("online:logreg"))
    }


def test_what_a_thing_remembers_does_not_count(tmp_path):
    (file := tmp_path / "words.txt").write_text("a 1 2\nb 3 4\n")
    encoder = ENCODERS.make(f"static:{file}")
    before = encoder_identity(ENCODERS.canonical(f"static:{file}"), encoder)
    encoder.table.look_up(["a", "b"])
    assert encoder_identity(ENCODERS.canonical(f"static:{file}"), encoder) == before


def test_a_thing_of_the_same_name_as_a_built_in_one_is_not_taken_for_it():
    def length(sentences: list[str]) -> np.ndarray:
        return np.zeros((len(sentences), 1))

    mine = adapt(length)
    assert mine.name == "length"
    assert vectors_key(mine, encoder_identity(None, mine)) != vectors_key(
        ENCODERS.make("length"), encoder_identity("length", ENCODERS.make("length"))
    )


def test_two_functions_of_one_file_and_name_are_told_apart():
    one, two, again = (
        adapt(lambda s: np.ones((len(s), 1))),
        adapt(lambda s: np.zeros((len(s), 1))),
        adapt(lambda s: np.ones((len(s), 1))),
    )
    assert (
        encoder_identity(None, one) == encoder_identity(None, again) != encoder_identity(None, two)
    )


def test_no_identity_holds_a_path(tmp_path):
    (tmp_path / "words.txt").write_text("a 1 2\nb 3 4\n")
    np.savez(tmp_path / "given.npz", sentences=np.array(["a"]), vectors=np.ones((1, 2), np.float32))
    (tmp_path / "set.tsv").write_text("tr\ta\tx y\nte\tb\tx z\nva\ta\ty\n")
    (tmp_path / "mine.py").write_text("def fn(sentences):\n    return [[1.0] for s in sentences]\n")
    allow(f"{tmp_path}/mine.py@fn")
    shutil.copytree(tmp_path, other := tmp_path / "moved")
    allow(f"{other}/mine.py@fn")
    for written in (
        "static:{}/words.txt",
        "untrained:bilstm-max,vectors={}/words.txt",
        "npz:{}/given.npz",
        "{}/mine.py@fn",
    ):
        made = [ENCODERS.canonical(written.format(place)) for place in (tmp_path, other)]
        first, second = (
            encoder_identity(reference, ENCODERS.make(reference)) for reference in made
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
    allow(f"{tmp_path}/mine.py@fn")
    (tmp_path / "mine.py").write_text(
        "from pathlib import Path\nimport numpy as np\ndef fn(path: Path, *, scale: float = 1.0):\n"
        "    return lambda s: np.full((len(s), 1), float(path.read_text()) * scale)\n"
    )
    for name, number in (("one", 1), ("two", 2), ("three", 1)):
        (tmp_path / name).write_text(str(number))
    texts = [
        portable(ENCODERS, ENCODERS.canonical(f"{tmp_path}/mine.py@fn:{tmp_path / name}"))
        for name in ("one", "two", "three")
    ]
    assert texts[0] == texts[2] != texts[1]
    assert not any(str(tmp_path) in text for text in texts)


def test_vectors_outlive_an_edit_in_a_metric_and_data_sets_one_in_an_encoder():
    def files(*starts: str) -> set[str]:
        return set(closure.closure(starts).files.values())

    vectors = files(EMBEDS, *ENCODERS.modules("hf"))
    assert not {
        name
        for name in vectors
        if name.startswith(
            ("lingprobe.metrics", "lingprobe.probes", "lingprobe.tasks", "lingprobe.pages")
        )
    }
    data = files(*TASKS.modules("ud/tense"))
    assert not {
        name
        for name in data
        if name.startswith(
            ("lingprobe.metrics", "lingprobe.probes", "lingprobe.encoders", "lingprobe.pages")
        )
    }
    assert "lingprobe.metrics.compare" in files(*METRICS.modules("accuracy"))
    assert not {
        name
        for name in files(MEASURES)
        if name.startswith(
            ("lingprobe.cli", "lingprobe.pages", "lingprobe.tasks", "lingprobe.encoders")
        )
    }


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
    here = str(identity(contents, reference, contents.make(reference)))
    code = f"""
from {module} import {room} as room
from lingprobe.data.identity import identity
print(identity(room, {reference!r}, room.make({reference!r})))
"""
    assert here == run(code, path=SOURCES.parent)
    assert "\n" not in here
