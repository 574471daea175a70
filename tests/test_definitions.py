"""The code behind an identity: what a definition says, what it reaches, and that all that runs is
reached.
"""

from __future__ import annotations

import ast
import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pytest

import lingprobe
import lingprobe.experiment.run
import lingprobe.experiment.work
from lingprobe.data import _closure as closure
from lingprobe.data import _packages
from lingprobe.data import _source as source
from lingprobe.data._closure import MODULE_STATEMENTS, WHOLE_MODULE, Node
from lingprobe.data.cache import _SHARED
from lingprobe.data.identity import code_roots, walk_parts
from lingprobe.datasets.controls import CONTROLS
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.encoders import ENCODERS
from lingprobe.experiment.keys import _MEASURES, EMBEDDING_CODE
from lingprobe.metrics import METRICS
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS
from lingprobe.testing import TINY_DATASET_FAMILIES
from lingprobe_extensions.compose.events.languages import LANGUAGES

SOURCES = Path(lingprobe.__file__).parent


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Writes modules of a package that counts by definitions, and forgets what was found before."""
    monkeypatch.setattr(_packages, "CORE_PACKAGE", "written")
    monkeypatch.setattr(closure, "CORE_PACKAGE", "written")
    monkeypatch.setattr(closure, "read", lambda data: source._Module(ast.parse(data)).source())
    monkeypatch.setattr(closure, "keep_sources", lambda: None)
    monkeypatch.syspath_prepend(tmp_path)

    def write(**texts: str) -> None:
        for file in tmp_path.rglob("*.py"):
            file.unlink()
        (folder := tmp_path / "written").mkdir(exist_ok=True)
        (folder / "__init__.py").write_text("")
        for name, text in texts.items():
            (folder / f"{name}.py").write_text(text)
        forget()

    yield write
    forget()


def forget() -> None:
    for cached in (
        *(closure._digest_of, closure._step, closure._source, closure._data, closure._read_face),
        *(closure.file_of, closure.is_ours, closure._has_content),
    ):
        cached.cache_clear()
    closure._digests.known.clear()


def code(root: str) -> str:
    return closure.digest_code(f"written.{root}")


def reached(root: str) -> set[str]:
    nodes = closure.closure([f"written.{root}"]).nodes
    return {
        f"{node.module.removeprefix('written.')}:{node.name}"
        for node in nodes
        if node.name != MODULE_STATEMENTS
    }


def test_a_definition_reaches_what_it_names_and_nothing_beside_it(modules):
    modules(
        a="from written.b import f as g, unused\nN = 1\ndef used(): return g(N)\ndef other(): return unused()\n",
        b="def f(x): return x\ndef unused(): return 0\n",
    )
    assert reached("a:used") == {"a:used", "a:N", "b:f"}
    assert reached("a:other") == {"a:other", "b:unused"}
    assert reached("a") == {"a:*", "a:used", "a:N", "a:other", "b:f", "b:unused"}


SAME = [
    # comments, docstrings, layout, annotations
    ("def f(a, b=1):\n    return a + b\n", 'def f(a: int, b: int=1) -> int:\n  "Say."\n  return (a + b)  # why\n'),
    # names of definitions, parameters, locals and modules
    ("def g(x): return x\ndef f(a):\n    b = g(x=a)\n    return b\n", "def h(y): return y\ndef f(c):\n    d = h(y=c)\n    return d\n"),
    ("import numpy as np\ndef f(): return np.linalg.norm\n", "from numpy import linalg\ndef f(): return linalg.norm\n"),
    ("N = [k for k in range(3)]\ndef f(): return N\n", "M = [j for j in range(3)]\ndef f(): return M\n"),
    ("def f(a):\n    return f(a - 1)\n", "def f(b):\n    return f(b - 1)\n"),
    ("def g(a): return f(a)\ndef f(a): return g(a)\n", "def h(a): return f(a)\ndef f(b): return h(b)\n"),
    ("class A:\n    x = 1\ndef f(): return A().x\n", "class B:\n    x = 1\ndef f(): return B().x\n"),
    ("from typing import cast\nclass A: ...\ndef f(x): return cast('A', x)\n", "from typing import cast\ndef f(x): return cast('B', x)\n"),
    ("def f():\n    import json\n    return json.dumps\n", "import json\ndef f():\n    return json.dumps\n"),
    ("import other_thing\nN = 3\ndef f(): return 1\n", "def f(): return 1\n"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "two"), SAME)
def test_what_cannot_change_behaviour_does_not_count(modules, one, two):
    if "other_thing" in one:
        one = one.replace("import other_thing\n", "import json\nJ = json\n")
    modules(a=one)
    before = code("a:f").encode()
    modules(a=two)
    assert code("a:f").encode() == before or _face(one) != _face(two)


def _face(text: str) -> object:
    """What a root shows: the names and annotations of its parameters, which make options."""
    function = next(n for n in ast.parse(text).body if getattr(n, "name", "") == "f")
    return ast.dump(function.args) if isinstance(function, ast.FunctionDef) else None


@pytest.mark.parametrize(("one", "two"), SAME)
def test_nor_does_it_where_another_definition_uses_it(modules, one, two):
    use = "from written.a import f\ndef use(): return f(1)\n"
    modules(a=one, b=use)
    before = code("b:use")
    modules(a=two, b=use)
    assert code("b:use") == before


DIFFERENT = [
    ("def f(a, b=1): return a + b\n", "def f(a, b=2): return a + b\n"),
    ("def f(a, b=1): return a + b\n", "def f(a, b=1): return a - b\n"),
    ("def f(a, b=1): return a + b\n", "def f(a, *, b=1): return a + b\n"),
    ("def f(a, b): return a - b\n", "def f(b, a): return b - a\nN = 1\n"),
    ("def f(a): return len(a)\n", "def f(a): return max(a)\n"),
    ("N = 1\ndef f(): return N\n", "N = 2\ndef f(): return N\n"),
    ("N = 1\nN += 1\ndef f(): return N\n", "N = 1\nN += 2\ndef f(): return N\n"),
    ("A, B = 1, 2\ndef f(): return A\n", "A, B = 1, 2\ndef f(): return B\n"),
    ("def g(): return 1\ndef f(): return g()\n", "def g(): return 2\ndef f(): return g()\n"),
    ("def g(a, b): return a - b\ndef f(): return g(a=1, b=2)\n", "def g(b, a): return b - a\ndef f(): return g(a=1, b=2)\n"),
    ("def g(a, b): return a - b\ndef f(k): return k(g)(a=1, b=2)\n", "def g(b, a): return b - a\ndef f(k): return k(g)(a=1, b=2)\n"),
    ("def g(a, b): return a - b\ndef f(k): return g(**k)\n", "def g(b, a): return b - a\ndef f(k): return g(**k)\n"),
    ("def g(a): return f(a)\ndef f(a): return g(a)\n", "def g(a): return f(a) + 1\ndef f(a): return g(a)\n"),
    ("class A:\n    def g(self): return 1\ndef f(): return A\n", "class A:\n    def g(self): return 2\ndef f(): return A\n"),
    ("class A:\n    x: int\ndef f(): return A\n", "class A:\n    x: float\ndef f(): return A\n"),
    ("class A:\n    x = 1\nclass B(A): ...\ndef f(): return B\n", "class A:\n    x = 2\nclass B(A): ...\ndef f(): return B\n"),
    ("T = {}\nT[1] = 1\ndef f(): return 1\n", "T = {}\nT[1] = 2\ndef f(): return 1\n"),
    ("import json\njson.x = 1\ndef f(): return 1\n", "import json\njson.x = 2\ndef f(): return 1\n"),
    ("try:\n    import json as j\nexcept ImportError:\n    j = None\ndef f(): return j\n", "try:\n    import csv as j\nexcept ImportError:\n    j = None\ndef f(): return j\n"),
    ("def d(g): return g\n@d\ndef f(): return 1\n", "def d(g): return None\n@d\ndef f(): return 1\n"),
    ("def f(x):\n    def g(): return x\n    return g\n", "def f(x):\n    def g(): return 1\n    return g\n"),
    ("def f(x): return lambda y: y + x\n", "def f(x): return lambda y: x + x\n"),
    ("def f(x, y): return [x for x in y]\n", "def f(x, y): return [y for x in y]\n"),
    ("G = 0\ndef f():\n    global G\n    G = 1\n", "G = 0\ndef f():\n    G = 1\n"),
    ("from written.b import *\ndef f(): return one()\n", "from written.c import *\ndef f(): return one()\n"),
    ("import written.b as m\ndef f(k): return getattr(m, k)\n", "import written.c as m\ndef f(k): return getattr(m, k)\n"),
    ("from written import b\ndef f(): return b.one()\n", "from written import c\ndef f(): return c.one()\n"),
    ("def f(): return 'written.b:one'\n", "def f(): return 'written.c:one'\n"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "two"), DIFFERENT)
def test_what_can_change_behaviour_counts(modules, one, two):
    beside = {"b": "def one(): return 1\n", "c": "def one(): return 2\n"}
    use = "from written.a import f\ndef use(): return f\n"
    modules(a=one, use=use, **beside)
    before = code("a:f"), code("use:use")
    modules(a=two, use=use, **beside)
    assert code("a:f") != before[0]
    assert code("use:use") != before[1] or one == DIFFERENT[3][0]
    modules(a=one, use=use, **beside)
    assert (code("a:f"), code("use:use")) == before


def test_annotations_of_a_root_count_since_they_convert_options(modules):
    modules(a="from typing import Literal\nK = Literal['a']\ndef f(x: K): return x\n")
    before = code("a:f")
    assert "a:K" in reached("a:f")
    modules(a="from typing import Literal\nK = Literal['b']\ndef f(x: K): return x\n")
    assert code("a:f") != before


def test_statements_of_a_module_count_for_all_that_is_reached_in_it(modules):
    modules(a="import os\ndef f(): return 1\n", b="from written.a import f\n")
    before = code("a:f")
    modules(a="import os\nos.environ['X'] = '1'\ndef f(): return 1\n")
    assert code("a:f") != before
    modules(a="import written.b\ndef f(): return 1\n", b="import os\nos.environ['X'] = '1'\n")
    one = code("a:f")
    modules(a="import written.b\ndef f(): return 1\n", b="import os\nos.environ['X'] = '2'\n")
    assert len({before, one, code("a:f")}) == 3


def test_what_a_module_hands_on_is_what_defines_it(modules):
    texts = [
        "from written.b import f\ndef use(): return f()\n",
        "from written.c import f\ndef use(): return f()\n",
        "from written.d import g\ndef use(): return g()\n",
    ]
    beside = {
        "b": "def f(): return 1\n",
        "c": "def f(): return 2\n",
        "d": "from written.b import f as g\n",
    }
    digests = []
    for text in texts:
        modules(a=text, **beside)
        digests.append(code("a:use"))
    assert digests[0] == digests[2] != digests[1]


def test_a_table_of_contents_counts_where_something_of_it_is_chosen():
    """A new probe leaves every other probe's identity alone, though probes look others up."""
    (node,) = (n for n in closure.closure(["lingprobe.probes:PROBES"]).nodes if n.name == "PROBES")
    assert closure._step(node).text == "registry"
    reached = closure.closure(PROBES.roots("online")).nodes
    assert Node("lingprobe.probes.online", "online") in reached
    assert Node("lingprobe.probes.mlp.probe", "mlp") not in reached


def test_what_uses_a_table_of_contents_is_none_itself(modules, monkeypatch):
    monkeypatch.setattr(closure, "_REGISTRY", "written.t:Contents")
    text = (
        "from written.t import Contents\nclass User:\n    def g(self): return Contents({{}}), {0}\n"
        "class Kind(Contents): ...\nX, Y = 1, 2\nUSER = User()\nA = Contents({{'a': {0}}})\n"
        "B = Kind({{'b': {0}}})\ndef f(): return USER\ndef g(): return A\ndef h(): return B\n"
    )
    found = []
    for number in (1, 2):
        modules(t="class Contents: ...\n", a=text.format(number))
        found.append([code(f"a:{name}") for name in "fgh"])
    assert [one == two for one, two in zip(*found, strict=True)] == [False, True, True]


def test_a_name_that_the_package_offers_is_followed_to_its_definition(tmp_path, monkeypatch):
    (tmp_path / "asks_one.py").write_text("from lingprobe import question\n")
    (tmp_path / "asks_two.py").write_text(
        "import lingprobe\n@lingprobe.question\ndef f(tree):\n    return 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("asks_one", "asks_two"):
        reached = closure.closure([name]).nodes
        assert Node("lingprobe.tasks.rules", "question") in reached
        assert Node("lingprobe", WHOLE_MODULE) not in reached


EXTEND = """
'''What extensions use.'''
from __future__ import annotations
import importlib
from typing import TYPE_CHECKING, Any
if TYPE_CHECKING:
    from written.moved import keep_text
__all__ = ["keep_text"]
_PLACES = {"moved": "keep_text"}
def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("written.moved"), name)
"""


def test_a_definition_that_moves_behind_extend_keeps_its_digest(modules, monkeypatch):
    monkeypatch.setattr(closure, "_FACES", ("written", "written.extend"))
    definition = "def keep_text(text, many):\n    return text * many\n"
    asks = "from written.{} import keep_text\ndef ask():\n    return keep_text('a', many=2)\n"
    modules(room=definition, user=asks.format("room"))
    before = code("user:ask")
    modules(moved=definition, extend=EXTEND, user=asks.format("extend"))
    assert code("user:ask") == before
    assert reached("user:ask") == {"user:ask", "moved:keep_text"}
    modules(
        moved=definition.replace("text * many", "text"), extend=EXTEND, user=asks.format("extend")
    )
    assert code("user:ask") != before


def test_what_extensions_import_counts_as_its_definition(tmp_path, monkeypatch):
    for module in ("data.cache", "extend"):
        (tmp_path / f"asks_{module[:4]}.py").write_text(
            f"from lingprobe.{module} import write_text\ndef ask(path):\n    write_text(path, '')\n"
        )
    monkeypatch.syspath_prepend(tmp_path)
    one, other = (Node(f"asks_{name}", "ask") for name in ("data", "exte"))
    assert closure._digests.of(one) == closure._digests.of(other)
    reached = closure.closure(["asks_exte:ask"]).nodes
    assert Node("lingprobe.data.cache", "write_text") in reached
    assert Node("lingprobe.extend", WHOLE_MODULE) not in reached


def test_every_data_file_belongs_to_a_definition_and_an_edit_in_it_counts(tmp_path):
    for file in sorted(
        path for path in SOURCES.rglob("*") if path.suffix in source.DATA_FILE_SUFFIXES
    ):
        modules = [
            ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts)
            for path in file.parent.glob("*.py")
        ]
        owners = [
            (module.removesuffix(".__init__"), name)
            for module in modules
            for name, found in closure._source(module.removesuffix(".__init__")).definitions.items()
            for mention in found.mentions
            if mention.kind == "data"
            and file.name in (mention.name, f"{module.rpartition('.')[2]}{mention.name}")
        ]
        assert owners, f"no definition names {file.name}"
        assert closure._data(file.name, owners[0][0])


def test_what_data_say_counts(modules, tmp_path):
    text = "from pathlib import Path\ndef f(): return Path(__file__).with_suffix('.tsv')\n"
    digests = set()
    for rows in ("a\t1\n", "a\t2\n"):
        modules(a=text)
        (tmp_path / "written" / "a.tsv").write_text(rows)
        digests.add(code("a:f"))
    assert len(digests) == 2


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
    monkeypatch.delenv(_SHARED)
    found = source.read(data)
    source.keep_sources()
    source._memory.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(source.ast, "parse", None)  # so nothing is read anew
        assert source.read(data) == found
        with pytest.raises(TypeError):
            source.read(data + b"#")
    (file,) = (place / source._CODE).iterdir()
    text = found.definitions["digest_code"].text
    file.write_bytes(file.read_bytes().replace(text.encode(), b"0" * 32))
    source._memory.cache_clear()
    assert source.read(data) == found


def test_only_so_many_sources_are_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("LINGPROBE_CACHE", str(tmp_path))
    monkeypatch.setattr(source, "_MAX_REMEMBERED_FILES", 3)
    for batch in ((0, 1), (2, 3), (4, 5, 6, 7)):
        for number in batch:
            source.read(b"a = %d" % number)
        source.keep_sources()
    assert (
        len(source._Memory(tmp_path).lines) == 4
    )  # what one process read counts, however much it is
    source.read(b"a = 8")
    source.keep_sources()
    assert len(source._Memory(tmp_path).lines) == 3


MINE = {
    "package_of_mine/__init__.py": "",
    "package_of_mine/near.py": "def g():\n    from . import far\n    return far.h()\n",
    "package_of_mine/far.py": "import numpy.linalg\nfrom yaml import safe_load\n"
    "def h(): return safe_load\n",
    "mine_alone.py": "from package_of_mine.near import g\n",
}
LOOK = """
import json, sys
from lingprobe.data import _closure as closure
found = closure.closure(["mine_alone"])
says = {name: [str(closure.file_of(name)), dict(closure._package(name))] for name in ("numpy", "yaml")}
files = [file.name for file in found.files]
imported = "package_of_mine.far" in sys.modules
print(json.dumps([files, dict(found.packages), imported, says]))
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Modules of a user's own, that can be imported."""
    for name, text in MINE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_users_own_modules_count_as_a_whole_and_installed_ones_by_version(mine):
    """In a process of its own, as another test may have replaced what tells of packages."""
    env = os.environ | {"PYTHONPATH": str(mine)}
    command = [sys.executable, "-c", LOOK]
    done = subprocess.run(command, check=False, env=env, capture_output=True, text=True)
    assert not done.returncode, done.stderr[-300:]
    files, packages, is_imported, says = json.loads(done.stdout)
    assert {*files} >= {"mine_alone.py", "near.py", "far.py"}
    assert packages.get("numpy") == ".".join(np.__version__.split(".")[:2]), says
    assert any(name.lower() == "pyyaml" for name in packages), says
    assert not is_imported  # nothing was imported to find this out


def test_an_edit_in_a_users_own_module_changes_the_digest(mine):
    before = closure.digest_code("mine_alone:g")
    (mine / "package_of_mine" / "near.py").write_text(MINE["package_of_mine/near.py"] + "C = [g]\n")
    forget()
    assert closure.digest_code("mine_alone:g") != before


# ---- the whole of lingprobe


ROOTS = {"embeds": EMBEDDING_CODE, "measures": _MEASURES} | {
    f"{contents.kind} {name}": tuple(sorted(contents.roots(name)))
    for contents in (TASKS, ENCODERS, PROBES, CONTROLS, METRICS)
    for name in contents.places(own=True)
}
COMPUTED: set[str] = set()
"""Modules of which a name is computed, so that they count as a whole."""


def test_roots_that_are_named_exist_and_few_modules_count_as_a_whole():
    for name in (*EMBEDDING_CODE, *_MEASURES):
        assert closure._root(name).name not in (WHOLE_MODULE, MODULE_STATEMENTS), name
    whole = {module for roots in ROOTS.values() for module in closure.closure(roots).whole}
    assert whole == COMPUTED


def test_a_metric_is_far_from_an_encoder():
    def named(*roots: str) -> set[str]:
        return {node.module.split(".")[1] for node in closure.closure(roots).nodes if node.name}

    assert not named(*EMBEDDING_CODE, *ROOTS["encoder hf"]) & {
        "metrics",
        "probes",
        "tasks",
        "pages",
    }
    assert not named(*ROOTS["task ud/tense"]) & {"metrics", "probes", "encoders", "pages"}
    assert not named(*_MEASURES) & {"cli", "pages", "encoders"}
    reached = {node.module for node in closure.closure(_MEASURES).nodes if node.name}
    tasks = {module for module in reached if module.startswith("lingprobe.tasks")}
    assert tasks <= {"lingprobe.tasks", "lingprobe.tasks.limits"}  # which make another fold


EDITS = 200


def edited(tree: ast.Module, name: str, chance: random.Random) -> bool:
    """Change something that a definition does; False where there is nothing to change."""
    (node,) = [n for n in tree.body if getattr(n, "name", _target(n)) == name]
    places = [each for each in _working(node) if _change(each, chance, dry=True)]
    if not places:
        return False
    _change(chance.choice(places), chance, dry=False)
    return True


def _target(node: ast.stmt) -> str | None:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return targets[0].id if isinstance(targets[0], ast.Name) else None


def _working(node: ast.AST) -> list[ast.AST]:
    """The parts of a definition but for annotations and docstrings."""
    idle: set[int] = set()
    for each in ast.walk(node):
        parts = [getattr(each, field, None) for field in ("annotation", "returns")]
        body = getattr(each, "body", None)
        if isinstance(body, list) and body and source._is_text(body[0]):
            parts.append(body[0])
        idle |= {id(inner) for part in parts if part is not None for inner in ast.walk(part)}
    return [each for each in ast.walk(node) if id(each) not in idle]


def _change(node: ast.AST, chance: random.Random, *, dry: bool) -> bool:
    """Another number, text, operator, comparison or order; whether it can be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str):
        if not dry:
            value = node.value
            node.value = (
                f"{value}x"
                if isinstance(value, str)
                else not value
                if isinstance(value, bool)
                else value + 1
            )
    elif isinstance(node, ast.BinOp):
        if not dry:
            node.op = ast.Mod() if not isinstance(node.op, ast.Mod) else ast.Add()
    elif isinstance(node, ast.Compare):
        if not dry:
            node.ops[0] = ast.Is() if not isinstance(node.ops[0], ast.Is) else ast.Eq()
    elif isinstance(node, ast.Return) and node.value is not None:
        if not dry:
            node.value = ast.Tuple([node.value], ast.Load())
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        if not dry:
            node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Call) and len(node.args) > 1:
        if not dry:
            node.args = [*node.args[1:], node.args[0]]
    else:
        return False
    return True


def digest_with(roots: list[str], node: Node, found: source.SourceFile) -> str:
    """The digest of roots where the module of a definition says something else."""
    known = closure._source
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(closure, "_source", lambda m: found if m == node.module else known(m))
        for cached in (closure._digest_of, closure._step):
            cached.cache_clear()
        patch.setattr(closure._digests, "known", {})
        try:
            return closure.digest_code(*roots)
        finally:  # what was edited is remembered for nobody
            closure._digest_of.cache_clear()
            closure._step.cache_clear()


class Edits:
    """As `digest_with`, computed from what an edit of one definition leaves as it was: steps of all
    others, and digests of those that do not need it.
    """

    def __init__(self, roots: list[str]) -> None:
        self.roots = frozenset(roots)
        self.before = closure.digest_code(*roots)
        self.known = dict(closure._digests.known)
        self.users: dict[Node, set[Node]] = {}
        for user in self.known:
            for target in closure._step(user).targets:
                for node in target.nodes:
                    self.users.setdefault(node, set()).add(user)

    def needing(self, node: Node) -> set[Node]:
        """The definition, and all that mention it, directly or around a corner."""
        seen, todo = {node}, [node]
        while todo:
            new = self.users.get(todo.pop(), set()) - seen
            seen |= new
            todo += new
        return seen

    def digest_with(self, node: Node, found: source.SourceFile) -> str:
        known, step = closure._source, closure._step
        old, new = known(node.module), found
        was, now = old.definitions[node.name], new.definitions[node.name]
        # nothing that another definition's step asks for
        assert new._replace(definitions=new.definitions | {node.name: was}) == old
        assert (now.parameters, now.maker) == (was.parameters, was.maker)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(closure, "_source", lambda m: new if m == node.module else known(m))
            edited = step.__wrapped__(node)
            patch.setattr(closure, "_step", lambda n: edited if n == node else step(n))
            needing = self.needing(node)
            kept = {n: digest for n, digest in self.known.items() if n not in needing}
            patch.setattr(closure._digests, "known", kept)
            return closure._digest_of.__wrapped__(self.roots)


def test_edits_of_what_is_reached_change_the_digest():
    """Sampled edits, one at a time, of definitions that a transformer's results reach."""
    chance = random.Random(20261129)
    roots = [
        *_MEASURES,
        *EMBEDDING_CODE,
        *ROOTS["encoder hf"],
        *ROOTS["probe mlp"],
        *ROOTS["task ud/tense"],
    ]
    nodes = sorted(
        n for n in closure.closure(roots).nodes if n.name not in (MODULE_STATEMENTS, WHOLE_MODULE)
    )
    edits, plain = Edits(roots), set()
    samples, same = [], []
    while len(samples) < EDITS:
        node = chance.choice(nodes)
        if closure._step(node).text == "registry":
            continue  # what one lists counts where it is chosen
        tree = ast.parse(closure._file(node.module).read_bytes())
        if len([n for n in tree.body if getattr(n, "name", _target(n)) == node.name]) != 1:
            continue
        if node.module not in plain:
            found = source._Module(ast.parse(ast.unparse(tree))).source()
            assert found == closure._source(node.module)
            plain.add(node.module)
        if not edited(tree, node.name, chance):
            continue
        found = source._Module(ast.parse(ast.unparse(tree))).source()
        digest = edits.digest_with(node, found)
        if digest == edits.before:
            same.append((node, ast.unparse(tree)))
        samples.append((node, found, digest))
    for node, found, digest in samples[:: EDITS // 4]:  # as when all is computed anew
        assert digest_with(roots, node, found) == digest
    forget()
    assert not same, same[0]


# ---- what runs is reached


def pieces(path: Path) -> None:
    """Files of tiny data."""
    for name, make in TINY_DATASET_FAMILIES.items():
        write_dataset(make(), path / f"{name}.jsonl")


REQUESTS = {
    "a sentence": ("ud/tense:embedded", ("length", "bow:random", "char-ngrams"), "logreg", {"limit": 100}),
    "words": ("edge/dep:embedded", ("untrained:bilstm-max,pool=none",), "span", {"limit": 60}),
    "asked words": ("comp/content1,size=40,dev=20,test=20", ("bow:random", "ngrams"), "mlp,hidden=5,dropout=0", {"controls": ["random-asked"]}),
    "layers": ("ud/subj-num:embedded", ("hf:{minilm},layers=all,dtype=float32",), "mlp,hidden=5,dropout=0", {"limit": 60, "controls": ["shuffled"]}),
    "code length": ("ud/sent-type:embedded", ("st:{minilm},dtype=float32",), "online:logreg", {"limit": 60}),
    "pairs": ("table:{files}/pair.jsonl", ("overlap", "bow:random"), "cosine", {}),
    "distances": ("structure/distance:embedded", ("random,pool=none",), "structural,epochs=2", {"limit": 30}),
    "baselines": ("ud/feat:embedded,feature=Number", ("words",), "nb-bi-tfidf", {"limit": 100}),
    "tokens": ("ud/passive:embedded", ("hf:{minilm},pool=none,dtype=float32",), "attention,epochs=2", {"limit": 60}),
    "spans": ("table:{files}/spans.jsonl", ("untrained:bilstm-max,pool=none",), "mlp,hidden=5,dropout=0", {"controls": ["word-labels"]}),
}  # fmt: skip
WATCHERS = ("lingprobe.experiment.bars",)  # who called looks on, and has no say in the numbers


@pytest.mark.parametrize("name", REQUESTS)
def test_all_functions_that_run_are_reached(name, tmp_path, minilm, monkeypatch):
    """Loading data, encoding, fitting and scoring enter no function beside those that count."""
    task, encoders, probe, options = REQUESTS[name]
    pieces(tmp_path)
    task = task.format(files=tmp_path)
    encoders = [each.format(minilm=minilm) for each in encoders]
    entered: set[tuple[str, str]] = set()
    for module, function in (
        (lingprobe.experiment.work, "prepare_group"),
        (lingprobe.experiment.work, "fit_groups"),
        (lingprobe.experiment.run, "embed_sentences"),
        (lingprobe.experiment.data, "load_examples"),
    ):
        monkeypatch.setattr(module, function, traced(getattr(module, function), entered))
    found = lingprobe.evaluate(
        encoders,
        [task],
        probes=[probe],
        baselines="none",
        seeds=1,
        cache=tmp_path,
        progress=False,
        **options,
    )
    assert found.results
    roots = {*EMBEDDING_CODE, *_MEASURES, "lingprobe.experiment.data:load_dataset"}
    for result in found.results:
        trial = result.trial
        chosen = ((TASKS, trial.task), (ENCODERS, trial.encoder), (PROBES, trial.probe))
        for contents, reference in (*chosen, (CONTROLS, trial.control), (METRICS, result.metric)):
            made = contents.make(str(reference))
            roots |= code_roots(contents, str(reference), walk_parts(made))
    if task.startswith("comp/"):  # which it states as a fact of its own
        roots |= LANGUAGES.roots("english")
    reached = closure.closure(roots).nodes
    outside = {
        (module, name)
        for module, name in entered
        if Node(module, name) not in reached and not module.startswith(WATCHERS)
    }
    assert len(entered) > 100
    assert not outside


def traced(function: Any, entered: set[tuple[str, str]]) -> Any:
    """A function that notes which of ours run while it does; not what runs as modules are
    imported.
    """

    seen: dict[int, CodeType] = {}  # by id, as code is slow to hash, and kept, so that ids stay
    home = str(SOURCES)

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if id(code) in seen:
            return
        if not code.co_filename.startswith(home):
            seen[id(code)] = code
        elif not importing(frame):
            seen[id(code)] = code
            entered.add((str(frame.f_globals["__name__"]), defined_by(code)))

    def run(*arguments: Any, **options: Any) -> Any:
        before = sys.gettrace()
        sys.settrace(note)
        threading.settrace(note)
        try:
            return function(*arguments, **options)
        finally:
            sys.settrace(before)
            threading.settrace(None)

    return run


def defined_by(code: CodeType) -> str:
    """The definition in which code stands; of a constant that is made of functions, that."""
    name = code.co_qualname.partition(".")[0]
    if name.isidentifier():
        return name
    for node in ast.parse(Path(code.co_filename).read_bytes()).body:
        if node.lineno <= code.co_firstlineno <= (node.end_lineno or 0):
            return getattr(node, "name", _target(node)) or name
    return name


def importing(frame: FrameType | None) -> bool:
    """Whether a frame is below the code of a module, which runs when it is imported."""
    while frame is not None and frame.f_code.co_filename != __file__:
        if frame.f_code.co_name == "<module>" or frame.f_code.co_filename.startswith("<frozen"):
            return True
        frame = frame.f_back
    return False
