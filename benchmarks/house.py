"""How much code there is, and how much of it a reader walks through, for one or more checkouts.

usage: python benchmarks/house.py [CHECKOUT...] [--no-walks]      (default: the one it lies in)

A row for each measure, a column for each checkout. Tokens are those of Python's tokenizer without
comments and layout (a docstring is one); a line of code has at least one. Definitions are the
functions, classes and constants of modules. The core is all but the extensions. Floors are the
layers of the first contract of import-linter. A walk is one call, made with the checkout's own code under
this Python: how many functions of it are entered, in how many files, and how many climbs there are,
pairs of functions of which one calls another on a higher floor.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
PARTICIPLE = re.compile(
    r"_*([a-z]+(?<!se|ne|fe|be|he|pe)ed|told|made|said|found|drawn|kept|shown|known|seen|given)"
)


def main() -> None:
    """The table, a column for each checkout."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("checkout", nargs="*", type=Path, default=[Path(__file__).parent.parent])
    parser.add_argument("--no-walks", action="store_true", help="run nothing, only read")
    parser.add_argument("--walk", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.walk:
        print(json.dumps(walks(options.checkout[0])))
        return
    columns = [figures(folder, not options.no_walks) for folder in options.checkout]
    print("| | " + " | ".join(str(folder) for folder in options.checkout) + " |")
    print("|---|" + "---:|" * len(columns))
    for name in dict.fromkeys(name for column in columns for name in column):
        print(f"| {name} | " + " | ".join(column.get(name, "–") for column in columns) + " |")


def figures(checkout: Path, walked: bool) -> dict[str, str]:
    """All measures of a checkout by their names."""
    files, tested = code(checkout), tests(checkout)
    core = {file for file, module in files.items() if not in_extension(module)}
    rooms = Counter[str]()
    for file in core:
        rooms[files[file].parts[1]] += tokens(file)[0]
    room, most = rooms.most_common(1)[0]
    values = {
        **{f"{name}, in all": value for name, value in size(files).items()},
        **{f"{name}, core": value for name, value in size(core).items()},
        "floors": str(len(floors(checkout))),
        "modules with one importer": str(lone(checkout, files)),
        "modules at the root": str(sum(len(module.parts) == 2 for module in files.values())),
        "bare participles": str(participles(files)),
        "largest room": f"{room} ({most:,} tokens)",
        "test files": f"{len(tested):,}",
        "test lines": f"{sum(len(file.read_bytes().splitlines()) for file in tested):,}",
    }
    if walked:
        environment = dict(os.environ, PYTHONPATH=str(checkout.resolve() / "src"))
        order = [sys.executable, __file__, str(checkout.resolve()), "--walk"]
        done = subprocess.run(order, env=environment, check=True, stdout=subprocess.PIPE, text=True)
        values |= json.loads(done.stdout.splitlines()[-1])
    return values


def code(checkout: Path) -> dict[Path, Path]:
    """The files of the package, and where each is within `src`."""
    root = checkout / "src"
    return {file: file.relative_to(root) for file in sorted(root.glob("*/**/*.py"))}


def in_extension(module: Path) -> bool:
    """Whether a file is of an extension, which older checkouts have among their parts."""
    first, *rest = module.parts
    old = rest[:1] == ["parts"] and rest[1] in OLD
    return first.endswith("_extensions") or old


OLD = {"archive", "board", "claims", "compose", "training"}


def tests(checkout: Path) -> list[Path]:
    """The Python files of the tests."""
    return sorted((checkout / "tests").rglob("*.py"))


def size(files: Any) -> dict[str, str]:
    """Files, lines, tokens, and tokens a line of code."""
    counts = [tokens(file) for file in files]
    total, lines = sum(count for count, _ in counts), sum(count for _, count in counts)
    text = sum(len(file.read_bytes().splitlines()) for file in files)
    return {
        "files": f"{len(counts):,}",
        "lines": f"{text:,}",
        "definitions": f"{sum(map(definitions, files)):,}",
        "tokens": f"{total:,}",
        "tokens a line of code": f"{total / lines:.1f}",
    }


def definitions(file: Path) -> int:
    """How many functions, classes and constants a module defines."""
    count = 0
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            count += sum(isinstance(target, ast.Name) for target in targets)
        else:
            count += isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    return count


@cache
def tokens(file: Path) -> tuple[int, int]:
    """Tokens of a file without comments and layout, and the lines that have one."""
    with tokenize.open(file) as stream:
        found = [t for t in tokenize.generate_tokens(stream.readline) if t.type not in LAYOUT]
    return len(found), len({line for t in found for line in range(t.start[0], t.end[0] + 1)})


def floors(checkout: Path) -> list[list[str]]:
    """The rooms of each floor, the highest first: names of modules without the package's."""
    setup = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))
    contracts = setup["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[room.strip().partition(".")[2] for room in layer.split("|")] for layer in layers]


def lone(checkout: Path, files: dict[Path, Path]) -> int:
    """Modules that one other module imports. What is named in tables of contents alone has none."""
    names = {
        ".".join(module.with_suffix("").parts).removesuffix(".__init__")
        for module in files.values()
    }
    importers = Counter(
        name
        for file, module in files.items()
        for name in set(imports(file, names)) - {".".join(module.with_suffix("").parts)}
    )
    return sum(count == 1 for count in importers.values())


def imports(file: Path, names: set[str]) -> Iterator[str]:
    """The modules of the package that a file imports, at its top or within functions."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            below = [name for name in inner if name in names]
            yield from below
            if node.module in names and len(below) < len(inner):
                yield node.module


def participles(files: dict[Path, Path]) -> int:
    """Functions, classes and modules whose name is a participle and nothing else."""
    count = 0
    for file in files:
        nodes = ast.walk(ast.parse(file.read_bytes()))
        names = [n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)]
        count += sum(bool(PARTICIPLE.fullmatch(name)) for name in [file.stem, *names])
    return count


def walks(checkout: Path) -> dict[str, str]:
    """Each walk's functions, files and climbs."""
    from importlib import import_module

    name = next(iter(code(checkout).values())).parts[0]
    package, encoders = import_module(name), import_module(f"{name}.encoders")
    levels = {room: -level for level, rooms in enumerate(floors(checkout)) for room in rooms}
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        examples(Path(folder))
        for title, call in calls(package, encoders, Path(folder)).items():
            watch = Watch(checkout / "src", levels)
            sys.setprofile(watch)
            try:
                call()
            finally:
                sys.setprofile(None)
            result[f"{title}: functions, files, climbs"] = watch.summary()
    return result


def calls(package: Any, encoders: Any, folder: Path) -> dict[str, Callable[[], object]]:
    """The five walks. A parser is trained before, for the last one."""
    text, results = folder / "text.txt", folder / "results"
    sizes = {"epochs": 1, "hidden": 4}
    package.train("parser", "annotate", folder / "bank", folder / "parser", **sizes)
    fits = {"probes": ["logreg"], "seeds": 1, "baselines": "none", "cache": folder / "cache"}
    return {
        "file -> score": lambda: package.run(
            f"ud/subj-num:{folder}/bank", "bow", output=results, **fits
        ),
        "reference -> encoder": lambda: encoders.make("bow"),
        "result -> page": lambda: str(package.report(results)),
        "corpus -> trained encoder": lambda: package.train(
            "bilstm-max", "autoencode", text, folder / "encoder", decoder=4, pieces=60, **sizes
        ),
        "text -> parsed corpus": lambda: package.parse(
            text, folder / "parser", folder / "parsed", lines=True
        ),
    }


class Watch:
    """Notes which functions of a package call which, in one thread."""

    def __init__(self, root: Path, levels: dict[str, int]) -> None:
        self.root = str(root) + os.sep
        self.levels = levels
        self.places = dict[CodeType, tuple[str, str] | None]()
        self.entries = set[tuple[str, str]]()
        self.calls = set[tuple[tuple[str, str], tuple[str, str]]]()
        self.climbs = set[tuple[tuple[str, str], tuple[str, str]]]()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """What the interpreter calls as a function begins."""
        if event != "call":
            return
        here = self.place(frame.f_code)
        if here is None:
            return
        self.entries.add(here)
        caller = self.caller(frame.f_back)
        if caller is not None and (caller, here) not in self.calls:
            self.calls.add((caller, here))
            if self.level(here[0]) > self.level(caller[0]):
                self.climbs.add((caller, here))

    def place(self, code: CodeType) -> tuple[str, str] | None:
        """File and function of some code, if it is a function of the package."""
        if code not in self.places:
            inside = code.co_filename.startswith(self.root)
            inside &= not code.co_qualname.endswith(("<module>", "<lambda>"))
            file = code.co_filename.removeprefix(self.root)
            name = code.co_qualname.split(".<locals>")[0]
            self.places[code] = (file, name) if inside else None
        return self.places[code]

    def caller(self, frame: FrameType | None) -> tuple[str, str] | None:
        """The nearest function of the package below, through other libraries."""
        while frame is not None:
            if place := self.place(frame.f_code):
                return place
            frame = frame.f_back
        return None

    def level(self, file: str) -> int:
        """How high a file's room is; the root and the extensions are above all."""
        module = file.removesuffix(".py").replace(os.sep, ".").partition(".")[2]
        rooms = [room for room in self.levels if f"{module}.".startswith(f"{room}.")]
        return self.levels[max(rooms, key=len)] if rooms else 1

    def summary(self) -> str:
        """The three figures."""
        files = {file for file, _ in self.entries}
        return f"{len(self.entries)}, {len(files)}, {len(self.climbs)}"


def examples(folder: Path) -> None:
    """A small treebank and running text."""
    (folder / "bank").mkdir()
    rows = [(f"n{'aeiou'[i % 5]}{i // 5}", ("Sing", "Plur")[i % 2]) for i in range(240)]
    for split, part in (("train", rows[:160]), ("dev", rows[160:200]), ("test", rows[200:])):
        text = "\n".join(sentence(split, number, *row) for number, row in enumerate(part))
        (folder / "bank" / f"xx_toy-ud-{split}.conllu").write_text(text, "utf-8")
    text = "\n".join(f"the {noun} ran home today ." for noun, _ in rows)
    (folder / "text.txt").write_text(text, "utf-8")


def sentence(split: str, number: int, noun: str, feature: str) -> str:
    """One sentence in CoNLL-U."""
    words = [
        ("the", "DET", "_", 2, "det"),
        (noun, "NOUN", f"Number={feature}", 3, "nsubj"),
        ("ran", "VERB", "Mood=Ind|Tense=Past|VerbForm=Fin", 0, "root"),
        (".", "PUNCT", "_", 3, "punct"),
    ]
    lines = [
        f"{i}\t{form}\t{form}\t{tag}\t_\t{features}\t{head}\t{relation}\t_\t_"
        for i, (form, tag, features, head, relation) in enumerate(words, 1)
    ]
    text = " ".join(word[0] for word in words)
    return "\n".join([f"# sent_id = {split}-{number}", f"# text = {text}", *lines, ""])


if __name__ == "__main__":
    main()
