"""The house rules that a machine can hold: light imports, quick help, a public face that is what it
says, budgets, generated pages.
"""

import ast
import functools
import importlib
import io
import pkgutil
import re
import runpy
import subprocess
import sys
import tokenize
import tomllib
from bisect import bisect_left, bisect_right
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import grimp
import pytest

import lingprobe
from lingprobe.cli import main

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
HEAVY = ("torch", "transformers", "sklearn", "sentence_transformers", "matplotlib")
CODE_LINES, FILE_LINES = 60, 800
P95_TOKENS = 300
LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def imported(code: str) -> set[str]:
    """The modules that a fresh Python has imported after running some code."""
    shown = "\nimport sys; print('\\nMODULES', *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code + shown], capture_output=True, text=True, check=True
    )
    return set(done.stdout.rpartition("MODULES")[2].split())


def command(*arguments: str) -> str:
    """Code that runs a command line without ending Python."""
    return f"""import sys
sys.argv = {["lingprobe", *arguments]!r}
from lingprobe.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


def heavy(modules: set[str]) -> set[str]:
    return modules & set(HEAVY)


def assert_light(*steps: str) -> None:
    """None of some pieces of code, one after the other in one Python, imports a heavy library."""
    found = f"found = set({HEAVY!r}) & set(sys.modules)"
    code = "\n".join(f"{step}\n{found}\nassert not found, ({step!r}, found)" for step in steps)
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


LOOKS_AROUND = ("--help", "run --help", "--version", "tasks", "encoders", "list probes")


def test_looking_around_imports_nothing_heavy():
    assert_light(*(command(*line.split()) for line in LOOKS_AROUND))


def test_what_is_heavy_is_seen():
    with pytest.raises(AssertionError, match="import sklearn"):
        assert_light("import json", "import sklearn")


@pytest.mark.parametrize(
    "file",
    [f for f in sorted((ROOT / "tests" / "reference").glob("*.py")) if f.name[:5] != "test_"],
    ids=lambda path: path.stem,
)
def test_a_reference_imports_nothing_of_what_it_checks(file):
    tree = ast.walk(ast.parse(file.read_text("utf-8")))
    names = {alias.name for node in tree if isinstance(node, ast.Import) for alias in node.names}
    tree = ast.walk(ast.parse(file.read_text("utf-8")))
    names |= {node.module or "" for node in tree if isinstance(node, ast.ImportFrom)}
    assert not {name for name in names if name.partition(".")[0] == "lingprobe"}


def test_importing_lingprobe_does_nothing():
    assert not imported("import lingprobe") & {"numpy", *HEAVY}


LIGHT = (
    *("data.core", "data.reading", "datasets", "tasks", "pages", "experiment.plan"),
    *("experiment.run", "audit", "experiment.runners", "suites.suite"),
    "suites.facts",
)


def test_light_rooms_stay_light():
    assert_light(*(f"import lingprobe.{room}" for room in LIGHT))


def test_planning_and_a_cached_run_import_nothing_heavy():
    probes = ("--probe", "logreg", "--probe", "mlp,hidden=5,dropout=0", "--seeds", "2")
    task = ("-t", "ud/tense:embedded", "-e", "length", "--limit", "300")
    arguments = ("run", *task, *probes, "-q")
    first = imported(command(*arguments))
    assert "torch" in first or "sklearn" in first  # so that the next line can fail
    assert not heavy(imported(command(*arguments)))


COUNTED = """import sys
events = 0
def count(*_):
    global events
    events += 1
sys.setprofile(count)
try:
    exec(sys.argv[1])
except SystemExit:
    pass
sys.setprofile(None)
print(events)
"""
BARE = """import typer
app = typer.Typer(rich_markup_mode="markdown")
app.command("one")(lambda: None)
app.command("two")(lambda: None)
app(["--help"])
"""


def calls(code: str) -> int:
    """How many calls and returns of functions there are in some code and what it imports; other
    work on the machine adds none.
    """
    asked = [sys.executable, "-c", COUNTED, code]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1])


def test_help_is_there_at_once():
    """In little more than twice the work of the shortest program with typer, which takes a fifth of
    a second: 1.9 times now.
    """
    assert calls(command("--help")) < 2.2 * calls(BARE)


def test_the_public_names_are_there():
    assert sorted(lingprobe.__all__) == lingprobe.__all__
    assert all(hasattr(lingprobe, name) for name in lingprobe.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lingprobe.nothing


class Source(NamedTuple):
    """What the rules ask of a source file, which is read once for all of them.

    functions  name, lines of code and tokens of each
    classes    those that have bases
    """

    lines: int
    functions: tuple[tuple[str, int, int], ...]
    classes: tuple[str, ...]
    kinds: bool
    looks: bool
    hashes: bool
    loads: bool


@functools.cache
def source(file: Path) -> Source:
    """That of a file."""
    text = file.read_text("utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    read = tokenize.generate_tokens(io.StringIO(text).readline)
    spans = [(t.start[0], t.end[0]) for t in read if t.type not in LAYOUT]
    starts = [start for start, _ in spans]
    lines = sorted({line for start, end in spans for line in range(start, end + 1)})
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    return Source(
        text.count("\n"),
        tuple((f.name, inside(f, lines), inside(f, starts)) for f in functions),
        tuple(node.name for node in nodes if isinstance(node, ast.ClassDef) and node.bases),
        any(map(knows_kinds, nodes)),
        any(map(looks, nodes)),
        any(map(imports_hashlib, nodes)),
        any(map(loads_arrays, nodes)),
    )


def inside(function: ast.FunctionDef, lines: list[int]) -> int:
    """How many of some lines of its file a function's body has, without its docstring."""
    body = function.body[ast.get_docstring(function) is not None :]
    end = function.end_lineno or 0
    return bisect_right(lines, end) - bisect_left(lines, body[0].lineno) if body else 0


def test_budgets():
    for file in SOURCES:
        assert source(file).lines <= FILE_LINES, (
            f"{file} has more than {FILE_LINES} lines: a noun is missing"
        )
        for name, lines, _ in source(file).functions:
            assert lines <= CODE_LINES, f"{file}: {name} has more than {CODE_LINES} lines of code"


def test_the_way_of_a_sentence_passes_what_is_there():
    page = (ROOT / "docs" / "design" / "way.md").read_text("utf-8")
    names = re.findall(r"`([a-z_]+(?:\.\w+)+)`", page)
    assert len(names) > 20
    assert len(page.splitlines()) <= 40
    for name in names:
        assert reached(f"lingprobe.{name}"), f"docs/design/way.md names {name}, which is not there"


def reached(name: str) -> bool:
    """Whether a dotted name is a module, or something that a module holds."""
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True


def test_files_of_tests_have_names_of_their_own():
    """pytest imports them by their base names, and leaves out the second of a name."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_functions_are_short_in_tokens_too():
    """Of their bodies, without docstrings, comments and layout: width is no way to be short."""
    counts = sorted(count for file in SOURCES for _, _, count in source(file).functions)
    assert counts[int(0.95 * len(counts))] <= P95_TOKENS


@pytest.mark.parametrize(
    "table",
    [
        "lingprobe.tasks:TASKS",
        "lingprobe.encoders:ENCODERS",
        "lingprobe.probes:PROBES",
        "lingprobe.datasets.controls:CONTROLS",
        "lingprobe.suites:SUITES",
    ],
)
def test_contents_name_what_is_there(table):
    module, _, name = table.partition(":")
    contents = getattr(importlib.import_module(module), name)
    for entry in contents:
        described = contents.find(entry).__doc__
        assert described, f"{entry} has no docstring: it is what the listing shows"
        assert described.strip(), entry


def test_the_page_of_commands_is_what_the_commands_say():
    page = runpy.run_path(str(ROOT / "docs" / "write_cli.py"))["page"]()
    assert (ROOT / "docs" / "cli.md").read_text("utf-8") == page, "run `make docs`"


def test_no_modules_import_each_other_in_a_circle():
    """Inside functions and for types alone, too: whoever reads one of them would have to read
    all.
    """
    graph = grimp.build_graph("lingprobe", cache_dir=None)
    TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    ).prepare()


def test_the_map_of_the_rooms_is_what_they_import():
    page = runpy.run_path(str(ROOT / "docs" / "write_map.py"))["page"]()
    assert (ROOT / "docs" / "design" / "map.md").read_text("utf-8") == page, "run `make docs`"


def test_every_exception_is_a_lingprobe_error():
    """Those that stand in sources, private ones included: users catch one class."""
    found = 0
    for file, name in [(each, name) for each in SOURCES for name in source(each).classes]:
        parts = file.relative_to(ROOT / "src").with_suffix("").parts
        thing = getattr(
            importlib.import_module(".".join(parts).removesuffix(".__init__")), name, None
        )
        if isinstance(thing, type) and issubclass(thing, BaseException):
            found += 1
            assert issubclass(thing, lingprobe.LingprobeError), f"{file}: {name}"
    assert found > 15


KINDS = {"Classes", "LabelSets", "ScoreLabels"}


def knows_kinds(node: ast.AST) -> bool:
    """Whether code names a kind of labels, or compares the loss or the link of something with a
    name.
    """
    return (
        (isinstance(node, ast.Name) and node.id in KINDS)
        or (isinstance(node, ast.Attribute) and node.attr in KINDS)
        or (isinstance(node, ast.alias) and node.name in KINDS)
        or (isinstance(node, ast.Compare) and _by_loss(node))
    )


def _by_loss(node: ast.Compare) -> bool:
    sides = (node.left, *node.comparators)
    return any(getattr(side, "attr", "") in {"loss", "link"} for side in sides) and any(
        isinstance(getattr(side, "value", None), str) for side in sides
    )


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(a, Classes)",
        "from lingprobe.data.labels import ScoreLabels",
        "a.labels.loss == 'b'",
    ],
)
def test_code_that_knows_kinds_is_seen(code):
    assert any(map(knows_kinds, ast.walk(ast.parse(code))))
    other = ast.walk(ast.parse("a.labels.classes is None or a.loss < b.loss"))
    assert not any(map(knows_kinds, other))


def test_few_files_know_the_kinds_of_labels():
    """Whoever adds a kind edits these; all others call the methods of columns."""
    files = [file for file in SOURCES if source(file).kinds]
    assert len(files) <= 4, [str(file.relative_to(ROOT)) for file in files]


def test_constraints_pin_what_the_project_asks_for():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines if "==" in line}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    names = {re.split(r"[\[<>=~ ]", name)[0].lower().replace("_", "-") for name in asked} - {
        "lingprobe"
    }
    assert names <= pinned, names - pinned
    assert "torch==2.13.0" in lines
    assert not any(name.startswith(("nvidia", "triton")) for name in pinned)


WRONG = (
    ["run", "-t", "ud/tens:x", "-e", "length"],
    ["report", "none"],
    ["inspect", "ud/tense:/no/such/place"],
)


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_errors_are_one_line(arguments, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["lingprobe", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    printed = capfd.readouterr()
    assert (end.value.code, printed.out) == (2, ""), printed.err
    assert len(printed.err.strip().splitlines()) == 1, printed.err
    assert printed.err.startswith("lingprobe: ")


def test_an_error_of_a_process_is_one_line_and_a_traceback_where_it_is_asked_for(tmp_path):
    def lingprobe(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "lingprobe", "report", "none", *more],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    done = lingprobe()
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("lingprobe: ")
    assert "Traceback" not in done.stderr
    assert "Traceback" in lingprobe("--debug").stderr


@pytest.mark.parametrize(
    "script", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda path: path.stem
)
def test_a_benchmark_finds_what_it_imports(script, monkeypatch):
    """Nothing else runs these scripts, so a name that moved away from under one would go unseen."""
    monkeypatch.syspath_prepend(str(script.parent))
    runpy.run_path(str(script), run_name=script.stem)


REFLECTION = {
    # what a reference may say is what the signature of the thing says
    "data/references.py",
    "data/_code.py",
    "data/_options.py",
    "data/_members.py",
    "tasks/task.py",
    "tasks/options.py",
    # what a thing is made of, whatever it is
    "data/identity.py",
    "data/_closure.py",
    "data/_source.py",
    # names that are imported when they are asked for
    "extend.py",
    # keywords that several functions share, as `help` shows them
    "api/arguments.py",
    # options are the fields of their classes
    "data/options.py",
    # fields that are written as JSON under their names
    "data/notes.py",
    # columns of rows, whose names a view declares
    "pages/view_figures.py",
    "pages/view_page.py",
    "pages/view_text.py",
    # names that are imported when they are asked for
    "__init__.py",
    # the door for encoders, and what other libraries' objects are called
    "encoders/any_encoder.py",
    "encoders/encoder_contents.py",
    "encoders/signatures.py",
    "encoders/origin.py",
    # columns of a file are the fields of its rows
    "lingprobe_extensions/board/frame.py",
}
FOREIGN = {  # objects of other libraries, whose versions differ
    "corpora/batches.py",  # pyarrow
    "probes/ettinger.py",  # scikit-learn
    "probes/estimators.py",
    "probes/plain.py",
    "encoders/blocks.py",  # transformers, torch
    "encoders/live.py",
    "encoders/live_models.py",
    "encoders/loading.py",
    "encoders/network.py",
    "encoders/random_weights.py",
    "encoders/model_files.py",
    "encoders/sentence_models.py",  # sentence-transformers
    "encoders/token_forward.py",
}
LOOKS = {"getattr", "hasattr", "signature"}


def looks(node: ast.AST) -> bool:
    """Whether it is a call that asks an object or a signature what it has."""
    called = node.func if isinstance(node, ast.Call) else None
    return getattr(called, "attr", getattr(called, "id", "")) in LOOKS


def test_what_a_thing_offers_is_declared():
    """Nothing of ours is looked at by a name in a string: core and its like say what there is."""
    using = {
        str(file.relative_to(ROOT / "src")).removeprefix("lingprobe/")
        for file in SOURCES
        if source(file).looks
    }
    assert using - REFLECTION - FOREIGN == set(), "declare it in core, or take it by its name"
    assert using == REFLECTION | FOREIGN, "files that need no permission any more"


HASHING = {"lingprobe/data/digests.py"}


def imports_hashlib(node: ast.AST) -> bool:
    """Whether code imports hashlib, as a whole or a name of it."""
    if isinstance(node, ast.ImportFrom):
        return node.module == "hashlib"
    return isinstance(node, ast.Import) and any(alias.name == "hashlib" for alias in node.names)


@pytest.mark.parametrize(
    "code",
    ["import hashlib", "def f():\n    from hashlib import blake2b as b", "import os, hashlib"],
)
def test_an_import_of_hashlib_is_seen(code):
    assert any(map(imports_hashlib, ast.walk(ast.parse(code))))


def test_digests_are_computed_in_one_place():
    using = {str(file.relative_to(ROOT / "src")) for file in SOURCES if source(file).hashes}
    assert using == HASHING, "call a function of lingprobe.data.digests"


_READS = ("load", "read_")


def loads_arrays(node: ast.AST) -> bool:
    """Whether code reads a file of NumPy's, or has NumPy read what a file says that it is."""
    if not isinstance(node, ast.Call) or not getattr(node.func, "attr", "").startswith(_READS):
        return False
    called = ast.unparse(node.func)  # of few, as it takes a while
    return re.fullmatch(r"(np|numpy)\.(load|lib\.format\.read_\w+)", called) is not None


@pytest.mark.parametrize(
    ("code", "loads"),
    [
        ("np.load(path, mmap_mode='r')", True),
        ("x = numpy.load(f)['a']", True),
        ("np.lib.format.read_array(f)", True),
        ("json.load(f)", False),
        ("np.save(f, x)", False),
    ],
)
def test_what_reads_arrays_is_seen(code, loads):
    assert any(map(loads_arrays, ast.walk(ast.parse(code)))) is loads


def test_files_of_arrays_are_read_in_one_place():
    reading = {str(file.relative_to(ROOT / "src")) for file in SOURCES if source(file).loads}
    assert reading == {"lingprobe/corpora/array_files.py"}, "read it as an ArrayFile"


def test_no_test_imports_a_conftest():
    """Several have that name: which one is had depends on what was collected before."""
    for path in Path(__file__).parent.rglob("*.py"):
        imported = re.search(r"^\s*(from|import) conftest\b", path.read_text("utf-8"), re.MULTILINE)
        assert not imported, f"{path}: take it from a module of its own"
