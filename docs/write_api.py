"""Write docs/api.md and docs/design/public-api.txt from the code itself: `make docs`. Tests hold
both to what the code says, and the changelog to the second.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import importlib
import inspect
import re
import runpy
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, ForwardRef, get_args, is_typeddict

from typer.models import ArgumentInfo

import lingprobe
from lingprobe import extend
from lingprobe.api.arguments import describe_call
from lingprobe.api.listing import CONTENTS_PLACES, get_contents
from lingprobe.cli import COMMANDS
from lingprobe.data._packages import entry_points, is_own_module
from lingprobe.data.options import describe_options
from lingprobe.pages.view_page import FrameView

ROOT = Path(__file__).parent.parent
shared_options = runpy.run_path(str(ROOT / "docs" / "write_options.py"))["shared_options"]
PAGE, TEXT = ROOT / "docs" / "api.md", ROOT / "docs" / "design" / "public-api.txt"
CHANGELOG = ROOT / "CHANGELOG.md"
HEAD = """# The Python reference

Generated from the code (`make docs`); [Python](python.md) has examples. `**settings` are the fields
of [`Settings`](#settings), `**selection` those of [`Selection`](#selection). `help(lingprobe.NAME)`
shows types.
"""
CLASSES = (  # those that users hold in their hands; the others are named only
    "Settings Selection Evaluation Score Result Page Table Comparison Dataset Sentence Tree Word"
    " TrainedProbe"
    " Answer Reason"
)
COMMANDED = {  # whose parameters are the options of a command, where they are described
    "audit_parser": "data audit-parser",
    "rank_heads": "inside heads",
    "survey": "data languages",
    "train_vectors": "train vectors",
    "train": "train encoder",
    **{name: name for name in ("embed", "erase", "layers", "parse", "relate", "transfer")},
    **{name: f"inside {name}" for name in ("geometry", "intervene", "locate", "morphology")},
    **{name: f"results {name}" for name in ("claims", "curve", "predictions")},
    **{name: f"publish {name}" for name in ("board", "card", "submit")},
    **{name: f"cluster {name}" for name in ("slurm", "status")},
    **{name: f"data {name}" for name in ("generate", "tag")},
    "export": "train export",
    "keep_probe": "probe keep",
    "score_file": "probe score",
    "annotate": "data annotate",
    "estimate": "run",
    "estimate_board": "publish board",
    **{name: name for name in ("build", "fetch", "inspect", "report")},
}
SHARED = {"settings": "Settings", "selection": "Selection"}
EXTEND = """## Names for extensions

`lingprobe.extend` has definitions of the core for [extensions](extend.md#extensions);
`help(lingprobe.extend)` lists them. They may change with any release.
"""
TOP = "The public API of lingprobe, by `make docs`. A change needs a line in CHANGELOG.md.\n"
EXPLAINED = re.compile(r"^(\w+(?:, \w+)*) {2,}(\S.*)")
LISTS = {  # what CSV and Parquet hold, by what writes it
    "report": "lingprobe.analysis.score_columns:SCORE_FIELDS",
    "report --suite": "lingprobe.suites.page:PaperTableCell",
    "report --bits": "lingprobe.pages.bits_view:BITS_VIEW",
    "report --classes": "lingprobe.pages.class_view:CLASS_VIEW",
    "report --headroom": "lingprobe.pages.headroom_view:HEADROOM_VIEW",
    "layers": "lingprobe.pages.layer_view:LAYER_VIEW",
    "compare": "lingprobe.pages.compare:ComparedScores",
    "relate": "lingprobe.analysis.relation:Correlation",
    "relate --languages": "lingprobe.pages.relate_languages:LanguageRow",
}


# ---- what there is


def names() -> list[str]:
    """The public names: the core's, and those of its extensions."""
    added = (p.name for p in entry_points("lingprobe.functions") if is_own_module(p.value))
    return sorted([*lingprobe.__all__, *added])


def module_of(name: str) -> str:
    """The module that defines a public name."""
    places = lingprobe._PLACES.items()
    own = (f"lingprobe.{place}" for place, names in places if name in names.split())
    added = (p.module for p in entry_points("lingprobe.functions") if p.name == name)
    return next(own, "") or next(added)


def kinds() -> dict[str, list[str]]:
    """The public names, by what they are."""
    found: dict[str, list[str]] = {"Functions": [], "Classes": [], "Exceptions": []}
    for name in names():
        thing = getattr(lingprobe, name)
        exception = isinstance(thing, type) and issubclass(thing, BaseException)
        kind = (
            "Exceptions" if exception else "Functions" if inspect.isfunction(thing) else "Classes"
        )
        found[kind].append(name)
    return found


def signature(thing: Any) -> str:
    """Parameters as they are written, the same in every version of Python."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    parts, starred = [], False
    for p in found.parameters.values():
        if p.name == "self":
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        starred = starred or p.kind is p.VAR_POSITIONAL
        parts.append(_parameter(p))
    returns = _annotation(found.return_annotation)
    return f"({', '.join(parts)})" + (f" -> {returns}" if returns and returns != "None" else "")


def _parameter(p: inspect.Parameter) -> str:
    stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    kind = _annotation(p.annotation)
    text = f"{stars}{p.name}" + (f": {kind}" if kind else "")
    if p.default is p.empty:
        return text
    default = "..." if "factory" in repr(p.default) else repr(p.default)
    return text + (f" = {default}" if "0x" not in default else " = ...")


def _annotation(kind: Any) -> str:
    if kind is inspect.Parameter.empty:
        return ""
    if isinstance(kind, ForwardRef):
        return kind.__forward_arg__
    return kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))


def members(thing: Any) -> Iterator[tuple[str, str, str]]:
    """The public members that a class defines: name, how it is written, first line of its text."""
    for name, value in sorted(vars(thing).items()):
        plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if name.startswith("_"):
            continue
        if isinstance(plain, property) or type(plain).__name__ == "cached_property":
            getter = getattr(plain, "fget", None) or plain.func
            yield (
                name,
                f"{name}: {_annotation(getter.__annotations__.get('return', ''))}",
                _first(plain),
            )
        elif inspect.isfunction(plain) and "namedtuple" not in str(plain.__code__.co_filename):
            yield name, f"{name}{_of(plain)}", _first(plain)


def _of(method: Any) -> str:
    return re.sub(r"^\((self|cls)(, )?", "(", signature(method))


def _first(thing: Any) -> str:
    text = inspect.getdoc(thing) or ""
    return " ".join(text.partition("\n\n")[0].split())


def described(name: str) -> str:
    """The docstring of a public name, that of an alias from its source."""
    thing = getattr(lingprobe, name)
    if is_typeddict(thing):
        return f"{inspect.getdoc(thing)}\n\n{describe_options(shared_options(name).values())}"
    if inspect.isfunction(thing) and hasattr(thing, "declared"):
        return _described_call(thing)
    if isinstance(thing, type) or inspect.isfunction(thing):
        return inspect.getdoc(thing) or ""
    body = ast.parse(inspect.getsource(importlib.import_module(module_of(name)))).body
    for one, after in pairwise(body):
        if isinstance(one, ast.Assign) and getattr(one.targets[0], "id", "") == name:
            value = after.value if isinstance(after, ast.Expr) else None
            return inspect.cleandoc(value.value) if isinstance(value, ast.Constant) else ""
    return ""


def _described_call(function: Any) -> str:
    """The docstring of a function with its options, those of shared settings by one name."""
    plain = inspect.unwrap(function)
    rest = [p for p in inspect.signature(plain).parameters.values() if p.kind is p.VAR_KEYWORD]
    shared = [name for name in SHARED.values() if rest and name in str(rest[0].annotation)]
    hidden = {each for name in shared for each in shared_options(name)}
    hidden -= inspect.signature(plain).parameters.keys()
    options = [option for name, option in function.declared.items() if name not in hidden]
    text = describe_call(inspect.getdoc(plain) or "", options)
    return text if not shared else f"{text}\n\nFurther keywords are the fields of `{shared[0]}`."


# ---- the page


def page() -> str:
    """The whole page of reference."""
    names = kinds()
    others = [f"`{name}`" for name in names["Classes"] if name not in CLASSES.split()]
    return "\n".join(
        [
            HEAD,
            "## Functions\n",
            *map(_section, names["Functions"]),
            "## Classes\n",
            *map(_section, CLASSES.split()),
            "## Exceptions\n",
            *(f"- `{name}`: {_first(getattr(lingprobe, name))}" for name in names["Exceptions"]),
            "\n## Other names\n",
            "Values that these functions take and return, and protocols for [extending lingprobe]"
            f"(extend.md); their docstrings describe them: {', '.join(others)}.\n",
            EXTEND,
            "",
        ]
    )


def _section(name: str) -> str:
    thing = getattr(lingprobe, name)
    lines = [f"### {name}", "", f"    lingprobe.{name}{_brief(thing)}", ""]
    command = COMMANDED.get(name)
    anchor = (command or "").replace(" ", "-")
    options = f"Parameters: [`{command}`](cli.md#{anchor})."
    lines += [f"{_first(thing)} {options}" if command else _markdown(described(name)), ""]
    if isinstance(thing, type):
        lines += [
            f"- `{member}`" + (f": {said}" if said else "") for member, _, said in members(thing)
        ]
        lines.append("")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def _brief(thing: Any) -> str:
    """The parameters of a function without their types; those of settings by one name."""
    if not inspect.isfunction(thing):
        return ""
    parameters = inspect.signature(thing).parameters
    shared = {}
    for short, name in SHARED.items():
        fields = getattr(lingprobe, name).__annotations__
        if 2 * len(fields.keys() & parameters.keys()) > len(fields):
            shared |= dict.fromkeys(fields, f"**{short}")
    written: list[str] = []
    for p in parameters.values():
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        if p.kind is p.KEYWORD_ONLY and "*" not in "".join(written):
            written.append("*")
        default = "" if p.default is p.empty else f"={p.default!r}"
        text = shared.get(p.name) or f"{stars}{p.name}{'=...' if '0x' in default else default}"
        written += [] if text in written else [text]
    return f"({', '.join(written)})".replace("*, **", "**")


def _headline(name: str, thing: Any) -> str:
    if isinstance(thing, type) and issubclass(thing, BaseException):
        return f"lingprobe.{name}({', '.join(base.__name__ for base in thing.__bases__)})"
    if is_typeddict(thing):
        return f"lingprobe.{name}: {', '.join(_fields(thing))}"
    if getattr(thing, "_is_protocol", False):
        return f"lingprobe.{name}, a protocol"
    if not (isinstance(thing, type) or inspect.isfunction(thing)):
        return f"lingprobe.{name} = {thing}".replace("lingprobe.data.core.", "")
    return f"lingprobe.{name}{signature(thing)}".removesuffix(" -> None")


def _fields(thing: Any) -> list[str]:
    """The keys of a typed dictionary with their kinds, as they are written in its source."""
    tree = ast.parse(inspect.getsource(importlib.import_module(thing.__module__)))
    body = next(
        n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == thing.__name__
    )
    return [ast.unparse(line) for line in body if isinstance(line, ast.AnnAssign)]


def _markdown(text: str) -> str:
    """A docstring as Markdown: what it says of names as a list, examples as code."""
    lines, item = [], False
    for line in text.splitlines():
        named = EXPLAINED.match(line)
        if named:
            lines += [
                *([""] if lines and lines[-1] and not item else []),
                f"- `{named[1]}`: {named[2]}",
            ]
        elif item and line.startswith("  ") and lines[-1]:
            lines.append("  " + line.strip())
        else:
            if item and line and lines[-1]:
                lines.append("")
            lines.append(line)
        item = bool(named) or (item and (line.startswith("  ") or not line))
        if not line:
            item = False
    return "\n".join(lines)


# ---- the text


def text() -> str:
    """Names, signatures, exceptions, options, commands and columns, a line each."""
    names = [line for kind in kinds().values() for name in kind for line in _lines(name)]
    parts = {"names": names, **_options(), "command line": _commands(), "columns": _columns()}
    parts["lingprobe.extend, for which semantic versioning does not hold"] = [
        _extend_line(name) for name in extend.__all__
    ]
    return TOP + "".join(
        f"\n[{part}]\n" + "".join(f"{line}\n" for line in lines) for part, lines in parts.items()
    )


def _extend_line(name: str) -> str:
    """A name for extensions, with what it takes where it is called."""
    thing = inspect.unwrap(getattr(extend, name))
    called = isinstance(thing, type) or inspect.isfunction(thing)
    return (_headline(name, thing) if called else f"lingprobe.{name}").replace(
        "lingprobe.", "lingprobe.extend.", 1
    )


def _lines(name: str) -> Iterator[str]:
    thing = getattr(lingprobe, name)
    yield _headline(name, thing)
    if isinstance(thing, type):
        yield from (f"    {name}.{written}" for _, written, _ in members(thing))


def _options() -> dict[str, list[str]]:
    """What each built-in thing is called, and its options."""
    return {
        kind: [
            " ".join([entry.name, *(option.written for option in entry.options)])
            for entry in lingprobe.available(kind)  # type: ignore[arg-type]
            if entry.name in contents.places(own=True)
        ]
        for kind, contents in ((each, get_contents(each)) for each in CONTENTS_PLACES)
    }


def _commands() -> list[str]:
    """Each command with its arguments, options and what they are without being given."""
    lines = []
    for name, declared in COMMANDS.items():
        callback = declared.callback()
        hints = inspect.get_annotations(callback, eval_str=True)
        written = [
            _flag(p, *get_args(hints[p.name])[:2])
            for p in inspect.signature(callback).parameters.values()
        ]
        lines.append(f"lingprobe {name} {' '.join(written)}")
    return lines


def _flag(p: inspect.Parameter, kind: Any, info: Any) -> str:
    if isinstance(info, ArgumentInfo):
        return str(info.metavar)
    flags = "/".join(f for f in (info.default, *(info.param_decls or ())) if str(f).startswith("-"))
    choices = re.findall(r"Literal\[(.*?)\]", str(kind))
    value = f"={choices[0].replace(', ', '|')}" if choices else ""
    default = "" if p.default in (p.empty, None, False) else f"({p.default})"
    return flags + value.replace("'", "") + default


def _columns() -> list[str]:
    """The columns of CSV and Parquet, by the command that writes them."""
    lines = []
    for command, place in LISTS.items():
        module, _, name = place.partition(":")
        kind = getattr(importlib.import_module(module), name)
        if isinstance(kind, FrameView):
            fields = [name.partition("=")[0] for name in kind.fields]
        else:
            is_class = isinstance(kind, type)
            fields = [f.name for f in dataclasses.fields(kind)] if is_class else [*kind]
        lines.append(f"{command}: {', '.join(fields)}")
    return lines


def digest(text: str) -> str:
    """Eight hexadecimal digits that stand for the text of the API."""
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def line_missing(changelog: str, text: str) -> str:
    """What to write into the changelog for it to tell of this API; '' where its first line about
    the API does.
    """
    first = re.search(r"^- API ([0-9a-f]{8}): (.*)", changelog, re.M)
    if first and first[1] == digest(text) and len(first[2].split()) > 2:
        return ""
    return (
        "the public API (docs/design/public-api.txt) is another than the changelog's first line on"
        f" it: add a line on top of them, '- API {digest(text)}: what changed for users'"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    TEXT.write_text(text(), "utf-8")
    print(line_missing(CHANGELOG.read_text("utf-8"), text()) or "the changelog tells of the API")  # noqa: T201
