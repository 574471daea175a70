"""What can be changed in a module, one place at a time: the mutants of mutation testing (DeMillo,
Lipton & Sayward 1978, Computer 11:34).

A mutant is a text put in another's place, so that the rest of a file stays as it is written.
Annotations, decorators and messages are left alone: no test has to know them.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from copy import copy
from functools import partial
from itertools import accumulate, chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
NAMES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "argmin": "argmax",
    "argmax": "argmin",
    "any": "all",
    "all": "any",
    "floor": "ceil",
    "ceil": "floor",
    "sum": "mean",
    "mean": "sum",
}
NUMBERS = ("float", "int", "Doubles", "Floats", "Ints")
DEFENCES = ("strict",)  # keywords that guard against what callers never do


class Mutant(NamedTuple):
    """A change of one file: bytes from start to stop become `after`.

    number    which of the same changes in the same function this is
    imported  whether it stands outside of functions
    """

    file: str
    function: str
    line: int
    kind: str
    start: int
    stop: int
    before: str
    after: str
    imported: bool = False
    number: int = 1

    @property
    def key(self) -> str:
        """What names it as long as the function says the same, wherever it stands."""
        again = f" ({self.number})" if self.number > 1 else ""
        return f"{self.file} {self.function}: {self.before} -> {self.after}{again}"

    def apply(self, text: bytes) -> bytes:
        """The file with the change in it."""
        return text[: self.start] + self.after.encode() + text[self.stop :]


def mutants(root: Path, files: Iterable[Path]) -> list[Mutant]:
    """All mutants of some files."""
    return [each for file in files for each in _of_file(file.relative_to(root).as_posix(), file)]


def sample(every: Iterable[Mutant], many: int, seed: int = 0) -> list[Mutant]:
    """As many mutants, each kind the same number where there are enough; by a hash of what each is
    and the name of its file, so that a change elsewhere, or a move, leaves the sample alone.

    seed  another one draws another sample
    """
    kinds: dict[str, list[Mutant]] = defaultdict(list)
    for each in sorted(every, key=partial(_place, seed=seed)):
        kinds[each.kind].append(each)
    turns = chain.from_iterable(zip_longest(*(kinds[kind] for kind in sorted(kinds))))
    return [each for each in turns if each is not None][:many]


def _place(mutant: Mutant, seed: int) -> bytes:
    """Where in the order of a sample it comes."""
    moved = mutant._replace(file=Path(mutant.file).name)
    return hashlib.sha256(f"{moved.key}{seed or ''}".encode()).digest()


def _of_file(name: str, file: Path) -> Iterator[Mutant]:
    text = file.read_bytes()
    starts = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    seen: Counter[str] = Counter()
    tree = ast.parse(text)
    inside = [_lines(node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function, node, kind, after in _changes(tree, ""):
        start = starts[node.lineno - 1] + node.col_offset
        stop = starts[node.end_lineno - 1] + node.end_col_offset
        before = " ".join(text[start:stop].decode().split())
        imported = not any(node.lineno in lines for lines in inside)
        made = Mutant(name, function, node.lineno, kind, start, stop, before, after, imported)
        seen[made.key] += 1
        yield made._replace(number=seen[made.key])


def _lines(function: ast.FunctionDef) -> range:
    """The lines that run when a function is called."""
    return range(function.body[0].lineno, function.end_lineno + 1)


def _changes(node: ast.AST, function: str) -> Iterator[tuple[str, ast.AST, str, str]]:
    """The changes of a node and all in it: in which function, of which node, kind and new text."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        function = f"{function}.{node.name}".lstrip(".")
    for place, kind, after in _here(node, function):
        yield function or "module", place, kind, after
    for child in _inside(node):
        yield from _changes(child, function)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that decide what it does."""
    if isinstance(node, ast.JoinedStr | ast.Raise | ast.Import | ast.ImportFrom):
        return
    if _for_types(node):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.keyword) and child.arg in DEFENCES:
                continue
            if isinstance(child, ast.AST):
                yield child


def _for_types(node: ast.AST) -> bool:
    """Whether it is what annotations alone need."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _here(node: ast.AST, function: str) -> Iterator[tuple[ast.AST, str, str]]:
    """The changes of a node itself: which node, kind and new text."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and not function):
        yield from _of_operator(node)  # that was a type
    yield from _of_value(node)
    yield from _of_condition(node)
    yield from _of_statement(node)


def _of_operator(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                ops = [*node.ops[:i], COMPARISONS[type(op)](), *node.ops[i + 1 :]]
                yield node, "comparison", _changed(node, ops=ops)
        case ast.BinOp() | ast.AugAssign() if type(node.op) in ARITHMETIC:
            yield node, "arithmetic", _changed(node, op=ARITHMETIC[type(node.op)]())
        case ast.UnaryOp(op=ast.USub()):
            yield node, "arithmetic", _changed(node.operand)
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            yield node.func, "arithmetic", NAMES[name]
        case ast.Call(func=ast.Attribute(attr=name)) if name in NAMES:
            yield node.func, "arithmetic", ast.unparse(_with(node.func, attr=NAMES[name]))


def _of_value(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    match node:
        case ast.Constant(value=bool()):
            yield node, "constant", str(not node.value)
        case ast.Constant(value=int()):
            yield node, "constant", f"({node.value} + 1)"
        case ast.Constant(value=float()):
            yield node, "constant", f"({node.value!r} * 2)" if node.value else "1.0"
        case ast.Subscript(slice=ast.Slice()):
            for name in ("lower", "upper", "step"):
                if getattr(node.slice, name) is not None:
                    yield node, "slicing", _changed(node, slice=_with(node.slice, **{name: None}))


def _of_condition(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    match node:
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield node, "boolean", _changed(node, op=other)
        case ast.UnaryOp(op=ast.Not()):
            yield node, "boolean", _changed(node.operand)
        case ast.If() | ast.IfExp() | ast.While() if not _for_types(node):
            yield node.test, "boolean", f"(not {_changed(node.test)})"


def _of_statement(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """Returns of something else, and statements left out; the assignment of a name is no such, as
    any test of its function would see that.
    """
    match node:
        case ast.FunctionDef():
            numeric = node.returns is not None and ast.unparse(node.returns) in NUMBERS
            for each in _returns(node):
                value = f"return {_changed(each.value)} * 2" if numeric else "return None"
                if ast.unparse(each.value) not in ("None", "0", "0.0"):
                    yield each, "return", value
        case ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            yield node, "deletion", "pass"
        case ast.Expr(value=ast.Call()):
            yield node, "deletion", "pass"
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            yield node, "deletion", "pass"


def _returns(node: ast.AST) -> Iterator[ast.Return]:
    """The returns of a function itself, not of functions in it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return) and child.value is not None:
            yield child
        elif not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield from _returns(child)


def _with(node: ast.AST, **fields: object) -> Any:
    changed = copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _changed(node: ast.AST, **fields: object) -> str:
    """The text of a node with other parts; in brackets where it is an expression."""
    text = ast.unparse(_with(node, **fields))
    return f"({text})" if isinstance(node, ast.expr) else text
