"""How things are called: by nouns of the field and verbs of what is done."""

import ast
import re
from collections import Counter, defaultdict
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

import pytest

import lingprobe
from lingprobe.api.listing import CONTENTS_PLACES, get_contents

PACKAGE = Path(lingprobe.__file__).parent
ROOT = Path(__file__).parent.parent
USERS = ("src", "benchmarks", "docs", "release")
"""Folders whose code may use a constant of another module; tests may also use a private one."""
IRREGULAR = set(
    "bought brought built caught chosen done drawn found given gone heard held hidden kept"
    " known left lost made meant met said seen sent shown sought spoken taken taught thought told"
    " won written".split()
)
NO_PARTICIPLES = {"embed", "feed", "need", "seed", "shed", "speed"}
KEPT = {
    "computed": "a column of the tables that are written",
    "embedded": "the treebank, as users name it",
    "malformed": "a check, as users name it",
    "mixed": "a check, as users name it",
    "randomised": "what controls say of themselves",
    "released": "data sets as users name them",
    "trained": "a probe of a run, as who keeps one asks for it",
    "tested": "a column of the tables that are written",
    "untrained": "encoders, as users name them",
}
"""Participles that are names all the same, and why."""


def is_participle(name: str) -> bool:
    """Whether a name is a participle and nothing else."""
    bare = name.strip("_")
    regular = re.fullmatch(r"[a-z]+ed", bare) and bare not in NO_PARTICIPLES
    return bool(regular) or bare in IRREGULAR


@cache
def defined(file: Path) -> list[str]:
    """The names of a module and of what it defines."""
    tree = ast.parse(file.read_text("utf-8"))
    inside = [n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    return [file.parent.name if file.stem == "__init__" else file.stem, *inside]


@pytest.mark.parametrize(
    ("name", "bare"),
    [("_named", True), ("told", True), ("parsed_corpus", False), ("embed", False), ("by", False)],
)
def test_participles_are_known(name, bare):
    assert is_participle(name) is bare


def test_no_name_is_a_bare_participle():
    names = {
        f"{file.relative_to(PACKAGE)}: {name}": name
        for file in sorted(PACKAGE.rglob("*.py"))
        for name in defined(file)
        if is_participle(name)
    }
    assert [place for place, name in names.items() if name not in KEPT] == []
    assert KEPT.keys() <= set(names.values()), "no longer there"


ROOMS = sorted(
    folder.parent
    for depth in ("*", "parts/*")
    for folder in PACKAGE.glob(f"{depth}/__init__.py")
    if folder.parent.name != "parts"
)


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(PACKAGE)))
def test_the_first_page_of_a_room_names_modules_that_are_there(room):
    page = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8"))) or ""
    modules = {each.stem for each in room.iterdir() if each.suffix in ("", ".py")}
    named = set(re.findall(r"`([a-z_]+)`", page))
    assert len(named & modules) >= 2, "say where to begin"
    elsewhere = {each.name for each in ROOMS} | {"lingprobe", *lingprobe.__all__}
    here = {name for file in room.rglob("*.py") for name in defined(file)}
    assert named <= modules | elsewhere | here


GLOSSARY = Path(__file__).parent / "glossary.tsv"
"""Classes whose name is one word: nouns of the field, or of libraries that its people use, each with
its meaning here and its source. A class that users do not meet gets a name of two words.
"""
MAX_GLOSSARY_NOUNS = 60
HASHED_NAMES = {
    "Handling": "how rows in memory become a task",
    "Manner": "how a table is read",
}
"""Classes whose name is one word because the identity of data holds it: their text is hashed."""
ONE_WORD_FUNCTIONS = Path(__file__).parent / "one_word_functions.txt"
"""Functions whose name is one word, and that users do not type. The others say what they do with
what: a verb and an object. The list only shrinks, and what is no longer there is taken out.
"""
TWICE = {
    "annotate": "an objective of `lingprobe train encoder`, as users name it",
    "layers": "a figure, as users name it",
    "parse": "an objective of `lingprobe train encoder`, as users name it",
    "suite": "a view, as users name it",
}
"""Functions that share their name with another, and why. Commands are called as users call them."""
MODULES_OF_A_PRIVATE_NAME = 3


class Names(NamedTuple):
    """The modules of each class, of each function and of each constant without `_` that a module
    defines, by its name; commands are left out. `used`: the names of other modules that one uses.
    """

    classes: dict[str, list[str]]
    functions: dict[str, list[str]]
    constants: dict[str, list[str]]
    used: set[str]


@cache
def parse_folder(folder: str) -> dict[Path, ast.Module]:
    """The trees of the modules of a folder of the checkout, in order."""
    return {file: ast.parse(file.read_bytes()) for file in sorted((ROOT / folder).rglob("*.py"))}


@cache
def all_names() -> Names:
    found = Names(defaultdict(list), defaultdict(list), defaultdict(list), set())
    found.used.update(list_places((ROOT / "pyproject.toml").read_text("utf-8")))
    for folder in USERS:
        for file, tree in parse_folder(folder).items():
            found.used.update(list_foreign_names(tree))
            if folder != "src":
                continue
            place = str(file.relative_to(PACKAGE.parent))
            for name in list_constants(tree):
                found.constants[name].append(place)
            for node in tree.body:
                if isinstance(node, ast.ClassDef):
                    found.classes[node.name].append(place)
                elif isinstance(node, ast.FunctionDef) and not is_command(node):
                    found.functions[node.name].append(place)
    return found


def definitions() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The modules of each class and of each function."""
    return all_names().classes, all_names().functions


def is_command(node: ast.FunctionDef) -> bool:
    calls = [each.func for each in node.decorator_list if isinstance(each, ast.Call)]
    return any(isinstance(call, ast.Name) and call.id == "command" for call in calls)


def is_one_word(name: str) -> bool:
    """Whether a name of a class is one word: it has one capital, or is one abbreviation."""
    return not re.search(r"[a-z0-9][A-Z]", name)


@pytest.mark.parametrize(
    ("name", "one"), [("Dataset", True), ("LEACE", True), ("ScoreCell", False), ("NGrams", True)]
)
def test_words_of_classes_are_counted(name, one):
    assert is_one_word(name) is one


def test_a_class_is_defined_once():
    classes, _ = definitions()
    shared = {n: at for n, at in classes.items() if len(at) > 1 and not n.startswith("_")}
    assert shared == {}


def test_a_function_is_defined_once():
    _, functions = definitions()
    shared = {n: at for n, at in functions.items() if len(at) > 1 and not n.startswith("_")}
    assert {n: at for n, at in shared.items() if n not in TWICE} == {}
    assert TWICE.keys() <= shared.keys(), "no longer there"
    assert all(len(at) == 2 for at in shared.values())


def test_a_private_function_shares_its_name_with_few():
    _, functions = definitions()
    often = {
        name: at
        for name, at in functions.items()
        if name.startswith("_") and len(set(at)) > MODULES_OF_A_PRIVATE_NAME
    }
    assert often == {}, "merge them, or say what each does"


def test_a_class_has_two_words_or_stands_in_the_glossary():
    header, *rows = (line.split("\t") for line in GLOSSARY.read_text("utf-8").splitlines())
    assert header == ["name", "meaning", "source"]
    assert all(len(row) == 3 and all(row) for row in rows), (
        "say what it means, and whose noun it is"
    )
    nouns = [row[0] for row in rows]
    assert nouns == sorted(set(nouns))
    assert len(nouns) <= MAX_GLOSSARY_NOUNS
    classes, _ = definitions()
    short = {name for name in classes if is_one_word(name) and not name.startswith("_")}
    assert short - HASHED_NAMES.keys() == set(nouns)
    assert HASHED_NAMES.keys() <= short, "no longer there"


def typed_by_users() -> set[str]:
    """The functions that users name: public ones, and what names of the command line stand for."""
    points = distribution("lingprobe").entry_points
    contents = [get_contents(kind) for kind in CONTENTS_PLACES]
    places = {place for each in contents for place in each.places().values()}
    places |= {point.value for point in points if point.group.startswith("lingprobe.")}
    return {place.rpartition(":")[2] for place in places} | {*lingprobe.__all__}


def test_a_function_is_verb_and_object():
    known = ONE_WORD_FUNCTIONS.read_text("utf-8").split()
    assert known == sorted(set(known))
    _, functions = definitions()
    short = {name for name in functions if "_" not in name} - typed_by_users()
    assert short - {*known} == set(), "say what it does, with what"
    assert {*known} - short == set(), "no longer there"


CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*")
ONE_WORD_CONSTANTS = {
    "BEYOND": "identity takes the compiled steps of training as a whole, with their names",
    "CHECKS": "a registry",
    "COMMANDS": "`benchmarks/recording.py` asks checkouts of other releases for it",
    "CONTROLS": "a registry",
    "ENCODERS": "a registry",
    "FIGURES": "a registry",
    "LANGUAGES": "a registry",
    "METRICS": "a registry",
    "OBJECTIVES": "a registry",
    "PARSERS": "a registry",
    "POOLS": "in `lingprobe.extend`, for authors of encoders",
    "PROBES": "a registry",
    "SUITES": "a registry",
    "TASKS": "a registry",
    "VIEWS": "a registry",
}
"""Constants whose name is one word, and why. The others say which quantity, and in which unit."""
MAX_ONE_WORD_CONSTANTS = 25
LONE_CONSTANTS = {
    "BEYOND": ONE_WORD_CONSTANTS["BEYOND"],
    "READING_GRAMMARS": "`Language` says that readers have their names there",
}
"""Constants that one module uses, and whose name has no `_` all the same."""


def list_constants(tree: ast.Module) -> set[str]:
    """The constants that a module assigns, tuples of them included, but no type variables."""
    names: set[str] = set()
    nodes: list[ast.AST] = [*tree.body]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.expr) or is_type_variable(node):
            continue
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.For):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            bound = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
            names |= {name for name in bound if CONSTANT.fullmatch(name)}
        nodes += ast.iter_child_nodes(node)
    return names


def is_type_variable(node: ast.AST) -> bool:
    call = node.value if isinstance(node, ast.Assign) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func) in ("TypeVar", "ParamSpec")


def list_foreign_names(tree: ast.Module) -> set[str]:
    """What a module uses of others: names that it imports, attributes, and places in texts."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names |= list_places(node.value)
    return names


def list_places(text: str) -> set[str]:
    """The constants that a text names as `lingprobe.module:NAME`."""
    return set(re.findall(r"lingprobe[\w.]*:([A-Z]\w*)", text)) if "lingprobe" in text else set()


def test_constants_are_found():
    code = """
import a.b
from c import TAKEN
T = TypeVar("T")
FIRST, (SECOND, _third) = 1, (2, 3)
_PRIVATE: int = 1
for LETTER in "ab":
    pass
try:
    LATER: int = a.b.SEEN
except OSError:
    OTHER = "lingprobe.tasks:NAMED"
class Klass:
    FIELD = 1
def function():
    LOCAL = 1
"""
    tree = ast.parse(code)
    assert list_constants(tree) == {"FIRST", "SECOND", "LETTER", "LATER", "OTHER"}
    assert list_foreign_names(tree) == {"TAKEN", "b", "SEEN", "NAMED"}


def test_a_constant_that_one_module_uses_begins_with_an_underscore():
    alone = all_names().constants.keys() - all_names().used
    assert alone - LONE_CONSTANTS.keys() == set(), "no other module uses them"
    assert LONE_CONSTANTS.keys() - alone == set(), "no longer there"


def test_a_constant_of_several_modules_is_defined_once():
    assert {name: at for name, at in all_names().constants.items() if len(at) > 1} == {}


def test_a_constant_of_several_modules_has_two_words():
    short = {name for name in all_names().constants if "_" not in name}
    assert short - ONE_WORD_CONSTANTS.keys() == set(), "say which quantity, and in which unit"
    assert ONE_WORD_CONSTANTS.keys() - short == set(), "no longer there"
    assert len(ONE_WORD_CONSTANTS) <= MAX_ONE_WORD_CONSTANTS


VAGUE = set(
    "one other each some mine yours theirs many much more most less least rest thing things stuff item"
    " what which who how where when why it them they given asked known found said told made seen heard"
    " taken left kept wanted here there now then so yet all every any none both two first last next"
    " whole part parts".split()
)
"""Words that say nothing of what a value is."""
KEPT_PARAMETERS = Path(__file__).parent / "kept_parameters.tsv"
"""Parameters called by such a word all the same: patterns of functions, the parameter, how many
there are, and why. Counts only fall, and what is no longer there is taken out.
"""
MAX_KEPT_PARAMETERS = 60


def find_vague_parameters(tree: ast.Module) -> list[tuple[str, str]]:
    """The functions and methods without an underscore that have a parameter called by a vague
    word, by their name in the module, with the parameter.
    """
    found = []
    for node in tree.body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for function in members:
            if not isinstance(function, ast.FunctionDef) or owner.startswith("_"):
                continue
            if function.name.startswith("_") and function.name not in ("__init__", "__call__"):
                continue
            arguments = function.args
            names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
            names += [each.arg for each in arguments.kwonlyargs]
            vague = VAGUE & {*names}
            if {"first", "second"} <= {*names} or {"first", "last"} <= {*names}:  # an order
                vague -= {"first", "last"}
            if owner and joins_its_kind(tree, function):
                vague -= {"other"}
            found += [(owner + function.name, name) for name in sorted(vague)]
    return found


def joins_its_kind(tree: ast.Module, function: ast.FunctionDef) -> bool:
    """Whether `other` is of a class, or of a protocol, that has the same method."""
    kinds = {
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and any(getattr(each, "name", "") == function.name for each in node.body)
    }
    noted = [each.annotation for each in function.args.args if each.arg == "other"]
    return any(isinstance(each, ast.Name) and each.id in kinds for each in noted)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def read(asked, rows): ...", [("read", "asked")]),
        ("def _read(asked): ...", []),
        ("def compare(first, second): ...", []),
        ("def take(rows, first): ...", [("take", "first")]),
        ("class Sum:\n    def plus(self, other: Sum): ...", []),
        ("class Sum:\n    def plus(self, other: int): ...", [("Sum.plus", "other")]),
        ("class Sum:\n    def __init__(self, *, parts): ...", [("Sum.__init__", "parts")]),
    ],
)
def test_vague_parameters_are_seen(text, found):
    assert find_vague_parameters(ast.parse(text)) == found


def test_a_parameter_says_what_it_is():
    header, *rows = (line.split("\t") for line in KEPT_PARAMETERS.read_text("utf-8").splitlines())
    assert header == ["functions", "parameter", "count", "reason"]
    assert all(len(row) == 4 and all(row) for row in rows), "say why it is kept"
    assert rows == sorted(rows)
    assert len(rows) <= MAX_KEPT_PARAMETERS
    vague = [
        (f"{'.'.join(file.relative_to(PACKAGE.parent).with_suffix('').parts)}:{name}", parameter)
        for file, tree in parse_folder("src").items()
        for name, parameter in find_vague_parameters(tree)
    ]
    counts = {(pattern, parameter): 0 for pattern, parameter, *_ in rows}
    new = []
    for place, name in vague:
        fitting = [key for key in counts if key[1] == name and fnmatchcase(place, key[0])]
        if not fitting:
            new.append((place, name))
        for key in fitting:
            counts[key] += 1
    assert new == [], "call it by a noun of what it is"
    assert counts == {(row[0], row[1]): int(row[2]) for row in rows}, "these only fall"


KEPT_METHODS = {
    "all": 1,
    "both": 7,
    "least": 1,
    "less": 1,
    "many": 1,
    "now": 1,
    "other": 1,
    "part": 3,
    "parts": 9,
    "where": 9,
    "whole": 5,
    "every": 1,
    "mine": 1,
}
"""Methods called by a vague word all the same, by their number: the text of a class that results
rest on counts in their identity, and `where` of a frame is what it is called elsewhere. They only
fall.
"""


def test_a_method_says_what_it_does():
    counts = Counter(
        member.name
        for tree in parse_folder("src").values()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for member in node.body
        if isinstance(member, ast.FunctionDef) and member.name in VAGUE
    )
    assert counts == KEPT_METHODS
