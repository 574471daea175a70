"""What docstrings of public functions state: the shapes of arrays, and which error is raised when.

Public are the names of `lingprobe`, of its extensions and of `lingprobe.extend`, and the public
methods of their classes. Everything is read from the source, so nothing is imported here.
"""

import ast
import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from fixtures.definitions import Place, find_definition, find_docstring, find_public_places

ARRAYS = re.compile(
    r"\b(Ints|Floats|Flags|FloatArray|NDArray|ndarray|ArrayLike|Tensor|csr_matrix|csr_array)\b"
)
SHAPE = re.compile(r"\[(?:[\w.+*/ ×-]+)(?:, ?[\w.+*/ ×-]+)*\]")  # [n], [n, dim], [2 * n]
ERRORS = re.compile(r"\w+(?:Problem|Stop)|LingprobeError")


class Definition(NamedTuple):
    """A public function or method, with the docstring of its class where it is a constructor."""

    name: str
    node: ast.FunctionDef
    text: str


class PublicClass(NamedTuple):
    """A public class, with its fields that are arrays."""

    name: str
    fields: tuple[str, ...]
    text: str


@functools.cache
def public() -> tuple[tuple[Definition, ...], tuple[PublicClass, ...]]:
    functions, classes = list[Definition](), list[PublicClass]()
    for name, module in sorted(find_public_places().items()):
        place = find_definition(module, name)
        if place is None:  # a constant, or a name for a type
            continue
        text = ast.get_docstring(place.node) or ""
        if isinstance(place.node, ast.FunctionDef):
            functions.append(Definition(name, place.node, text))
        else:
            classes.append(PublicClass(name, tuple(array_fields(place.node)), text))
            functions += methods(place)
    return tuple(functions), tuple(classes)


def array_fields(node: ast.ClassDef) -> Iterator[str]:
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and ARRAYS.search(ast.unparse(part.annotation)):
            yield ast.unparse(part.target)


def methods(place: Place) -> Iterator[Definition]:
    """The public methods of a class; the class says what its constructor raises."""
    whole = ast.get_docstring(place.node) or ""
    for part in place.node.body:
        if isinstance(part, ast.FunctionDef):
            name = f"{place.node.name}.{part.name}"
            if part.name in ("__init__", "__post_init__", "__new__"):
                yield Definition(name, part, f"{whole}\n{ast.get_docstring(part) or ''}")
            elif not part.name.startswith("_"):
                yield Definition(name, part, find_docstring(place, part.name))


def lacking_shapes(each: Definition) -> list[str]:
    """The parameters that are arrays, and `return`, whose shapes the docstring does not give."""
    given = each.node.args
    named = [
        parameter.arg
        for parameter in (*given.posonlyargs, *given.args, *given.kwonlyargs)
        if parameter.annotation and ARRAYS.search(ast.unparse(parameter.annotation))
    ]
    lacking = [
        name for name in named if not re.search(rf"\b{name}`?\(?\s*{SHAPE.pattern}", each.text)
    ]
    returned = each.node.returns is not None and ARRAYS.search(ast.unparse(each.node.returns))
    if returned and len(SHAPE.findall(each.text)) <= len(named) - len(lacking):
        lacking.append("return")
    return lacking


def lacking_fields(each: PublicClass) -> list[str]:
    """The fields that are arrays, and whose shapes do not follow them in the docstring's line."""
    return [
        name
        for name in each.fields
        if not re.search(rf"\b{name}\b[^\n]*{SHAPE.pattern}", each.text)
    ]


def raised(node: ast.AST) -> Iterator[str]:
    """The errors of lingprobe that a function raises itself, not in functions inside of it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(child, ast.Raise) and child.exc is not None:
            error = child.exc.func if isinstance(child.exc, ast.Call) else child.exc
            if isinstance(error, ast.Name) and ERRORS.fullmatch(error.id):
                yield error.id
        yield from raised(child)


def lacking_errors(each: Definition) -> list[str]:
    """The errors that a function raises and its docstring does not name."""
    return [error for error in dict.fromkeys(raised(each.node)) if error not in each.text]


def parse_definition(text: str) -> Definition:
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    return Definition(node.name, node, ast.get_docstring(node) or "")


@pytest.mark.parametrize(
    ("code", "lacking"),
    [
        ('def f(x: Floats) -> Ints:\n    """x [n, dim]; the classes [n]."""', []),
        ('def f(x: Floats) -> Ints:\n    """x [n, dim]; the classes."""', ["return"]),
        ('def f(x: Floats, y: int) -> None:\n    """Nothing about x."""', ["x"]),
        ('def f(x: int) -> NDArray[Any] | None:\n    """An array."""', ["return"]),
        ('def f(*, xs: Sequence[np.ndarray]) -> None:\n    """xs: arrays."""', ["xs"]),
    ],
)
def test_a_shape_that_is_lacking_is_seen(code, lacking):
    assert lacking_shapes(parse_definition(code)) == lacking


def test_an_error_that_is_lacking_is_seen():
    code = (
        "def f():\n    '''DataProblem for no rows.'''\n    if a:\n        raise DataProblem('b')\n"
        "    def g():\n        raise PlanProblem('c')\n    raise UsageProblem('d') from None\n"
        "    raise ValueError('e')"
    )
    assert lacking_errors(parse_definition(code)) == ["UsageProblem"]


def test_public_definitions_are_found():
    functions, classes = public()
    assert {"evaluate", "Classes.take", "Dataset.of_columns"} <= {each.name for each in functions}
    assert "Vectors" in {each.name for each in classes}


def test_docstrings_give_the_shapes_of_arrays():
    functions, classes = public()
    lacking = {each.name: names for each in functions if (names := lacking_shapes(each))}
    lacking |= {each.name: names for each in classes if (names := lacking_fields(each))}
    assert not lacking, lacking


def test_docstrings_name_the_errors_that_are_raised():
    lacking = {each.name: names for each in public()[0] if (names := lacking_errors(each))}
    assert not lacking, lacking
