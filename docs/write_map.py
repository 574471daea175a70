"""Write docs/design/map.md, the rooms and what they import, from the code itself: `make docs`. A
test holds the page to it.
"""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
CODE = ROOT / "src" / "lingprobe"
EXTENSIONS = ROOT / "src" / "lingprobe_extensions"
PAGE = Path(__file__).parent / "design" / "map.md"
HEAD = """# The map of the rooms

This page is generated from the imports (`make docs`), and a test fails if it is out of date.
Imports go down only: a room never imports one that is in a line above it or in its own line.
`lint-imports` checks this for every module; the lines are those of its first contract in
`pyproject.toml`. Modules that begin with an underscore are internal.

An arrow is an import. Arrows that follow from others are left out: `cli` imports `pages`, and
`pages` imports `core`, so there is no arrow from `cli` to `core`.

"""

BESIDE = """## Extensions

`lingprobe_extensions` holds what nothing in lingprobe needs. An extension is found by its entry
points in `pyproject.toml`, as a plugin of anybody is; it imports what `lingprobe` and
`lingprobe.extend` offer, and no other extension."""
EXTENSION_TABLE = ["| extension | what it is |", "|---|---|"]


def page() -> str:
    """The whole page: the picture, then a line for each room."""
    lines, imports = _lines(), _imports()
    rooms = [room for line in lines for room in line]
    table = ["| room | what it is | imports |", "|---|---|---|"]
    for room in rooms:
        below = [other for other in rooms if other in imports[room]]
        table.append(
            f"| `{room}` | {_said(room)} |"
            f" {', '.join(f'`{other}`' for other in below) or 'nothing'} |"
        )
    beside = [
        f"| `{file.parent.name}` | {_first_line(file)} |"
        for file in sorted(EXTENSIONS.glob("*/__init__.py"))
    ]
    return HEAD + "\n".join(
        [*_picture(lines, imports), "", *table, "", BESIDE, "", *EXTENSION_TABLE, *beside, ""]
    )


def _lines() -> list[list[str]]:
    """The rooms from top to bottom, those of one line beside each other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [
        [name.strip().removeprefix("lingprobe.") for name in layer.split("|")] for layer in layers
    ]


def _picture(lines: list[list[str]], imports: dict[str, set[str]]) -> list[str]:
    """A Mermaid graph with the arrows that do not follow from others."""
    drawn = ["```mermaid", "flowchart TD"]
    for line in lines:
        for room in line:
            drawn.append(f'    {_knot(room)}["{room}"]')
    for room, below in imports.items():
        for other in sorted(below):
            if not any(other in _reached(third, imports) for third in below - {other}):
                drawn.append(f"    {_knot(room)} --> {_knot(other)}")
    return [*drawn, "```"]


def _knot(room: str) -> str:
    """What a room is called within the picture."""
    return room.replace(".", "_")


def _reached(room: str, imports: dict[str, set[str]]) -> set[str]:
    """All rooms that a room imports, directly or through others."""
    found: set[str] = set()
    open_rooms = [room]
    while open_rooms:
        for other in imports[open_rooms.pop()] - found:
            found.add(other)
            open_rooms.append(other)
    return found


def _imports() -> dict[str, set[str]]:
    """Room -> rooms that its modules import, inside functions, too."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(CODE.rglob("*.py")):
        room = _room(path.relative_to(CODE).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for name in _names(node):
                other = _room(tuple(name.split("."))[1:])
                if room and other not in (room, ""):
                    found[room].add(other)
    return found


def _names(node: ast.AST) -> list[str]:
    """The modules of lingprobe that a statement imports, by their full names."""
    if isinstance(node, ast.ImportFrom) and node.module == "lingprobe":
        return [f"lingprobe.{alias.name}" for alias in node.names]
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lingprobe."):
        return [str(node.module)]
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name.startswith("lingprobe.")]
    return []


def _room(parts: tuple[str, ...]) -> str:
    """The room of a module; '' for the package's own face, which imports nothing by itself."""
    name = parts[0] if parts else ""
    path = CODE / name
    return name if name not in ("", "__init__", "__main__") and path.is_dir() else ""


def _said(room: str) -> str:
    """The first line of the docstring of a room."""
    path = CODE.joinpath(*room.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return _first_line(path)


def _first_line(path: Path) -> str:
    """The first line of the docstring of a module."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return text.partition("\n")[0].replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
