"""What a source file defines: each definition of a module as a digest of its text, and what it
mentions of other definitions.

A text counts without comments, docstrings and layout. What a definition mentions of its module, or
of what that imports, is no text: `_closure` puts there the digest of what is meant. Parameters and
locals count by the order in which they are bound. So a definition may be renamed or move, and what
uses it with it, and no digest changes. Attributes, methods, fields, options and strings are text.

Reading a file takes longer than all else that a repeated run does, so what was read is remembered
by content.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from lingprobe.data._packages import CORE_PACKAGE, is_own_module
from lingprobe.data.cache import cache_dir, pack_line, recall_lines, remember_lines, unpack_line
from lingprobe.data.digests import digest_pieces

DATA_FILE_SUFFIXES = (".tsv", ".toml", ".json", ".txt", ".xz")
"""Suffixes of the data files that a definition may open beside its module."""
_CODE = "code"  # the folder of a cache
_MAX_REMEMBERED_FILES = 2000
# fields of nodes that change nothing, and annotations, of which `_Text` says where they count
_SILENT = ("ctx", "kind", "type_comment", "type_ignores", "annotation", "returns")
# decorators under which a function is called as it is written
_TRANSPARENT = ("functools.cache", "functools.lru_cache", "contextlib.contextmanager")
_PLACE = re.compile(r"((?:\w+\.)*\w+):(\w+)")
_HELP = "Help"
"""What says of an option what it means, in its annotation: prose, which does not count."""
_NAMES = re.compile("|".join((CORE_PACKAGE, CORE_PACKAGE.capitalize(), CORE_PACKAGE.upper())))

Function = ast.FunctionDef | ast.AsyncFunctionDef
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class ImportedName(NamedTuple):
    """A thing that a statement imports; without a `name`, the module itself."""

    level: int
    module: str
    name: str


class NameMention(NamedTuple):
    """What a definition mentions.

    kind     "definition" of the same module, called `name`
             "import": what `source` imports, and of that the attributes in `name`, dotted
             "statement": an import that runs, whether or not what it binds is used
             "keyword": the parameter `name` of the function that is the `of`-th mention
             "place": 'module:attribute' in a string, as `name`
             "data": the file `name` beside the module; a suffix stands for the module's own
    valued   whether it is more than called: who holds a function may call it with any keyword
    """

    kind: Literal["definition", "import", "statement", "keyword", "place", "data"]
    name: str = ""
    source: ImportedName | None = None
    of: int = 0
    valued: bool = False


class SourceDefinition(NamedTuple):
    """What a module calls by a name, or the statements of it that define nothing.

    text        a digest of its text, with the mentions by number
    mentions    what it mentions, in order
    parameters  of a function that is called as it is written: their names
    face        a digest of the annotations of its parameters, which make options, and what these
                mention
    maker       the number of the mention that is called to make it
    bases       of a class: the numbers of its bases
    """

    text: str
    mentions: tuple[NameMention, ...] = ()
    parameters: tuple[str, ...] | None = None
    face: tuple[str, tuple[NameMention, ...]] = ("", ())
    maker: int | None = None
    bases: tuple[int, ...] = ()


class SourceFile(NamedTuple):
    """A source file.

    definitions  by name; under '' what its statements do that define nothing
    imports      what it imports, by the name that it gives to it
    stars        the modules of which it imports everything
    unused       what it imports and does not name again: for what the import does
    """

    definitions: Mapping[str, SourceDefinition]
    imports: Mapping[str, ImportedName]
    stars: tuple[ImportedName, ...] = ()
    unused: tuple[ImportedName, ...] = ()


class _Memory:
    """What sources say, by a digest of their bytes, in a file of the cache; another Python and
    another reader have another file.
    """

    def __init__(self, place: Path) -> None:
        self.folder = place / _CODE
        reader = Path(__file__).read_bytes()
        self.key = digest_pieces(f"{sys.version_info[:2]}", reader)
        self.lines = recall_lines(self.folder, self.key)
        self.fresh: dict[str, bytes] = {}

    def find(self, key: str) -> SourceFile | None:
        """What is known of a source."""
        line = self.lines.get(key) or self.fresh.get(key)
        known = unpack_line(key, line) if line else None
        return _from_json(known) if known else None

    def note(self, key: str, source: SourceFile) -> None:
        """Have it known from now on."""
        self.lines.pop(key, None)
        self.fresh[key] = pack_line(key, _to_json(source))

    def keep(self) -> None:
        """Write down what was read, with as much of what was known before as there is room for."""
        if self.fresh:
            room = max(0, _MAX_REMEMBERED_FILES - len(self.fresh))
            self.lines = dict([*self.lines.items()][-room:] if room else []) | self.fresh
            remember_lines(self.folder, self.key, self.lines)
            self.fresh = {}


_memory = functools.lru_cache(maxsize=1)(_Memory)


def read(data: bytes) -> SourceFile:
    """What a source file with these bytes says. SyntaxError where it is no Python."""
    memory, key = _memory(cache_dir()), digest_pieces(data)
    if known := memory.find(key):
        return known
    source = _Module(ast.parse(data)).source()
    memory.note(key, source)
    return source


def keep_sources() -> None:
    """Remember what was read for other processes."""
    _memory(cache_dir()).keep()


def _to_json(source: SourceFile) -> list[Any]:
    """A source as JSON has it: a tuple is a list there."""
    return [dict(source.definitions), dict(source.imports), source.stars, source.unused]


def _from_json(known: list[Any]) -> SourceFile:
    definitions, imports, stars, unused = known
    return SourceFile(
        {name: _definition(*parts) for name, parts in definitions.items()},
        {name: ImportedName(*each) for name, each in imports.items()},
        tuple(ImportedName(*each) for each in stars),
        tuple(ImportedName(*each) for each in unused),
    )


def _definition(
    text: str, mentions: Any, parameters: Any, face: Any, maker: int | None, bases: Any
) -> SourceDefinition:
    return SourceDefinition(
        text,
        _mentions(mentions),
        None if parameters is None else tuple(parameters),
        (face[0], _mentions(face[1])),
        maker,
        tuple(bases),
    )


def _mentions(known: Iterable[Any]) -> tuple[NameMention, ...]:
    return tuple(
        NameMention(kind, name, ImportedName(*source) if source else None, of, valued)
        for kind, name, source, of, valued in known
    )


def drop_package_name(text: str) -> str:
    """A text without this package's name."""
    return _NAMES.sub("\0", text)


# ---- a module


class _Module:
    """The statements of a module, by the names that they bind."""

    def __init__(self, tree: ast.Module) -> None:
        self.statements: dict[str, list[ast.stmt]] = {}
        self.effects: list[ast.stmt] = []
        self.imports: dict[str, ImportedName] = {}
        self.stars: list[ImportedName] = []
        self.dotted: list[ImportedName] = []  # as `import a.b`, which runs `a.b` and binds `a`
        self.typed: set[str] = set()  # for type checkers alone
        for statement in tree.body:
            self._sort(statement)

    def _sort(self, node: ast.stmt) -> None:
        """Note a statement under what it defines or imports; one that does neither runs."""
        if _is_text(node):
            return
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._note_import(node)
        elif isinstance(node, ast.If) and _checks_types(node):
            for inner in node.body:
                self.typed |= {name for name, _ in _imports(inner)} | set(_bound_names([inner]))
            for inner in node.orelse:
                self._sort(inner)
        elif isinstance(node, ast.If) and _is_script(node):
            for inner in node.orelse:
                self._sort(inner)
        else:
            names = _bound_names([node])
            for name in names:
                self.statements.setdefault(name, []).append(node)
            if not names or not _only_binds(node):
                self.effects.append(node)

    def _note_import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            return
        self.dotted += [each for _, each in _imports(node, whole=True) if "." in each.module]
        for name, source in _imports(node):
            if source.name == "*":
                self.stars.append(source._replace(name=""))
            elif name in self.imports and self.imports[name] != source:
                self.statements.setdefault(name, []).append(node)
            else:
                self.imports.setdefault(name, source)

    def source(self) -> SourceFile:
        """What the file says."""
        for name in self.statements.keys() & self.imports.keys():
            del self.imports[name]  # bound in two ways: what it is then depends on what runs
        named: set[str] = set()
        definitions = {}
        for name, nodes in self.statements.items():
            definitions[name] = self._read(name, nodes, named)
        if self.effects:
            definitions[""] = self._read("", self.effects, named)
        unused = [each for name, each in self.imports.items() if name not in named]
        bare = [each for each in self.dotted if not each.name]
        return SourceFile(definitions, self.imports, tuple(self.stars), (*unused, *bare))

    def _read(self, name: str, nodes: list[ast.stmt], named: set[str]) -> SourceDefinition:
        """A definition; notes which imports it names."""
        text = _Text(self, name)
        for node in nodes:
            text.visit(node)
        face = _Text(self, name)
        for annotation in _annotations(nodes[-1]):
            face.visit(annotation)
        named |= text.named | face.named
        return SourceDefinition(
            text.digest(),
            (*text.mentions, *text.statements),
            text.parameters,
            (face.digest() if face.parts else "", tuple(face.mentions)),
            text.maker,
            tuple(text.bases),
        )


def _only_binds(node: ast.stmt) -> bool:
    """Whether a statement does nothing but to give names to things."""
    simple = (
        *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom),
        ast.Pass,
    )
    if isinstance(node, simple) or _is_text(node):
        return True
    if isinstance(node, ast.Assign):
        return all(isinstance(n, ast.Name | ast.Tuple | ast.List) for n in node.targets)
    if isinstance(node, ast.AnnAssign | ast.AugAssign):
        return isinstance(node.target, ast.Name)
    if isinstance(node, ast.If | ast.Try):
        inner = [*node.body, *node.orelse]
        if isinstance(node, ast.Try):
            inner += [*node.finalbody, *(each for h in node.handlers for each in h.body)]
        return all(map(_only_binds, inner))
    return False


def _annotations(node: ast.stmt) -> Iterator[ast.expr]:
    """Those of a function's parameters; of a class, of those that make one."""
    if isinstance(node, ast.ClassDef):
        for each in node.body:
            if isinstance(each, ast.FunctionDef) and each.name in ("__init__", "__new__"):
                yield from _annotations(each)
    elif isinstance(node, Function):
        for parameter in _list_parameters(node.args):
            if parameter.annotation is not None:
                yield parameter.annotation


# ---- a definition

_Scope = dict[str, "str | ImportedName"]
"""What names stand for: a text, or what is imported."""


class _Text(ast.NodeVisitor):
    """Editing a comment, a docstring or the layout changes no identity: the text of a definition
    without these, and what it mentions.
    """

    def __init__(self, module: _Module, own: str) -> None:
        self.module = module
        self.own = own
        self.parts: list[str] = []
        self.mentions: dict[NameMention, int] = {}
        self.statements: list[NameMention] = []
        self.named: set[str] = set()
        self.parameters: tuple[str, ...] | None = None
        self.maker: int | None = None
        self.bases: list[int] = []
        self.scopes: list[tuple[str, _Scope]] = []
        self.bindings = 0

    def digest(self) -> str:
        """Of the text."""
        return digest_pieces(drop_package_name("\x1f".join(self.parts)))

    def generic_visit(self, node: ast.AST) -> None:
        """Note a node field by field; what is empty counts as missing, so that later Pythons with
        more fields agree.
        """
        if _is_text(node):
            return
        self.parts.append(type(node).__name__)
        for name in node._fields:
            value = getattr(node, name, None)
            if name in _SILENT or value is None or value == []:
                continue
            self.parts.append(name)
            self._values(value if isinstance(value, list) else [value])
        self.parts.append(")")

    def _values(self, values: Iterable[Any]) -> None:
        for value in values:
            if isinstance(value, ast.AST):
                self.visit(value)
            else:
                self.parts.append(repr(value))

    def _mention(self, mention: NameMention) -> int:
        number = self.mentions.setdefault(mention, len(self.mentions))
        self.parts.append(f"\0{number}")
        return number

    # names

    def _meaning(self, name: str) -> str | ImportedName | NameMention:
        """What a name stands for here: a text, what is imported, or a definition of the module."""
        for depth, (kind, scope) in enumerate(reversed(self.scopes)):
            if name in scope and (depth == 0 or kind != "class"):
                return scope[name]
        if name in self.module.statements:
            return NameMention("definition", name)
        if name in self.module.imports:
            self.named.add(name)
            return self.module.imports[name]
        if name in self.module.typed:
            return "typed"
        for star in self.module.stars:
            self._mention(NameMention("import", "", star))
        return name

    def visit_Name(self, node: ast.Name) -> None:
        self._note_name(node.id, [], valued=isinstance(node.ctx, ast.Load))

    def _note_name(self, name: str, attributes: list[str], *, valued: bool) -> int | None:
        """Note a name and attributes of it; the number of the mention that it is, if it is one."""
        meaning = self._meaning(name)
        if isinstance(meaning, ImportedName):
            mention = NameMention("import", ".".join(attributes), meaning, valued=valued)
            return self._mention(mention)
        for attribute in reversed(attributes):
            self.parts += ("Attribute", repr(attribute))
        if isinstance(meaning, str):
            self.parts.append(f"name {meaning}")
            return None
        if not valued and meaning.name == self.own and not attributes and not self.scopes:
            self.parts.append("own")
            return None
        number = self._mention(meaning._replace(valued=valued or bool(attributes)))
        return None if attributes else number

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if (dotted := _name_parts(node)) is not None:
            self._note_name(dotted[0], dotted[1:], valued=True)
        else:
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        dotted = _name_parts(node.func)
        self.parts.append("Call")
        called: int | None = None
        if dotted is None:
            self.visit(node.func)
        else:
            spread = any(each.arg is None for each in node.keywords)
            called = self._note_name(dotted[0], dotted[1:], valued=spread)
        self._values(node.args[1:] if self._casts(called) else node.args)
        for each in node.keywords:
            if each.arg is not None and called is not None and self._may_be_ours(called):
                self._mention(NameMention("keyword", each.arg, of=called))
            else:
                self.parts.append(repr(each.arg))
            self.visit(each.value)
        self.parts.append(")")

    def _may_be_ours(self, called: int) -> bool:
        source = list(self.mentions)[called].source
        return source is None or source.level > 0 or is_own_module(source.module)

    def _casts(self, called: int | None) -> bool:
        """Whether a mention is `typing.cast`, whose first argument is for type checkers."""
        if called is None:
            return False
        mention = list(self.mentions)[called]
        source = mention.source
        return source is not None and (source.module, source.name or mention.name) == (
            "typing",
            "cast",
        )

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """What an annotation says of an option beside its type does not count."""
        if isinstance(node.slice, ast.Tuple) and any(map(self._is_help, node.slice.elts)):
            self.named.add(ast.unparse(node.value))
            kept = [each for each in node.slice.elts if not self._is_help(each)]
            if len(kept) == 1:
                self.visit(kept[0])
                return
            node = ast.Subscript(node.value, ast.Tuple(kept, ast.Load()), ast.Load())
        self.generic_visit(node)

    def _is_help(self, node: ast.expr) -> bool:
        """Whether an expression makes our description of an option."""
        dotted = _name_parts(node.func) if isinstance(node, ast.Call) else None
        if not dotted or dotted[-1] != _HELP:
            return False
        source = self._meaning(dotted[0])
        return isinstance(source, ImportedName) and is_own_module(source.module)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if not isinstance(value, str):
            self.parts.append(f"Constant {value!r}")
            return
        place = _PLACE.fullmatch(value)
        if place and is_own_module(place[1]):
            self._mention(NameMention("place", value))
            return
        self.parts.append(f"Constant {value!r}")
        if value.endswith(DATA_FILE_SUFFIXES):
            self._mention(NameMention("data", value))

    def visit_Global(self, node: ast.Global) -> None:
        for name in node.names:
            self._note_name(name, [], valued=True)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.parts.append("Nonlocal")  # a name is found where it is bound

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._binding(node, "name")

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._binding(node, "name")

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._binding(node, "name")

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._binding(node, "rest")

    def _binding(self, node: ast.AST, field: str) -> None:
        """A node that binds the name in one of its fields."""
        name = getattr(node, field)
        setattr(node, field, None)
        self.generic_visit(node)
        if name is not None:
            self._note_name(name, [], valued=False)

    # statements

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        """One that runs inside a definition; what its names stand for is noted where they are
        used. One beside others that bind the same name decides what that is.
        """
        for _, source in _imports(node, whole=bool(self.scopes)):
            if self.scopes:
                self.statements.append(NameMention("statement", "", source))
            else:
                self._mention(NameMention("import", "", source))

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_If(self, node: ast.If) -> None:
        if _checks_types(node):
            self._values(node.orelse)
        else:
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        if not self.scopes and isinstance(node.value, ast.Call):
            dotted = _name_parts(node.value.func)
            if dotted and (number := self._number(dotted)) is not None:
                self.maker = number

    def _number(self, dotted: list[str], *, valued: bool = False) -> int | None:
        """The number of the mention that a dotted name became when it was called or held."""
        meaning = self._meaning(dotted[0])
        if isinstance(meaning, ImportedName):
            meaning = NameMention("import", ".".join(dotted[1:]), meaning)
        return (
            None if isinstance(meaning, str) else self.mentions.get(meaning._replace(valued=valued))
        )

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.parts.append("AnnAssign")
        self.visit(node.target)
        if self.scopes and self.scopes[-1][0] == "class":
            self.visit(node.annotation)  # makes a field
        if node.value is not None:
            self.visit(node.value)
        self.parts.append(")")

    def visit_arg(self, node: ast.arg) -> None:
        self._note_name(node.arg, [], valued=False)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.parts.append("ClassDef")
        self._bind_definition(node.name)
        self._values([*node.decorator_list, *getattr(node, "type_params", [])])
        self._values([*node.bases, *node.keywords])
        if not self.scopes:
            dotted = filter(None, map(_name_parts, node.bases))
            numbers = (self._number(each, valued=True) for each in dotted)
            self.bases += [number for number in numbers if number is not None]
        self.scopes.append(("class", {name: name for name in _bound_names(node.body)}))
        self._values(node.body)
        self.scopes.pop()
        self.parts.append(")")

    def _bind_definition(self, name: str) -> None:
        """The name of what is defined: that of the whole definition does not count."""
        if self.scopes:
            self._note_name(name, [], valued=False)
        elif name != self.own:
            self.parts.append("another")

    def visit_FunctionDef(self, node: Function) -> None:
        self.parts.append(type(node).__name__)
        self._bind_definition(node.name)
        self._values([*node.decorator_list, *getattr(node, "type_params", [])])
        arguments = _list_parameters(node.args)
        whole = not self.scopes and node.name == self.own
        if whole and all(map(self._is_transparent, node.decorator_list)):
            self.parameters = tuple(each.arg for each in arguments)
        by_order = whole and self.parameters is not None
        scope = self._scope(node.body, [each.arg for each in arguments], by_order=by_order)
        self._values([*node.args.defaults, "/", *node.args.kw_defaults])
        self.scopes.append(("function", scope))
        self._parameters(node.args)
        self._values(node.body)
        self.scopes.pop()
        self.parts.append(")")

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def _is_transparent(self, decorator: ast.expr) -> bool:
        dotted = _name_parts(decorator.func if isinstance(decorator, ast.Call) else decorator)
        source = self._meaning(dotted[0]) if dotted else None
        if not isinstance(source, ImportedName) or dotted is None:
            return False
        parts = [source.module, *([source.name] if source.name else []), *dotted[1:]]
        return ".".join(parts) in _TRANSPARENT

    def _parameters(self, arguments: ast.arguments) -> None:
        for kind in ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg"):
            found = getattr(arguments, kind)
            self.parts.append(kind)
            self._values(found if isinstance(found, list) else [found] if found else [])

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.parts.append("Lambda")
        self._values([*node.args.defaults, "/", *node.args.kw_defaults])
        names = [each.arg for each in _list_parameters(node.args)]
        self.scopes.append(("function", self._scope([], names)))
        self._parameters(node.args)
        self.visit(node.body)
        self.scopes.pop()
        self.parts.append(")")

    def visit_ListComp(self, node: _Comprehension) -> None:
        targets = [each.target for each in node.generators]
        self.parts.append(type(node).__name__)
        self.visit(node.generators[0].iter)  # evaluated outside
        self.scopes.append(("function", self._scope(targets, [])))
        for number, each in enumerate(node.generators):
            self.parts.append(f"for {each.is_async}")
            self._values([each.target, *([each.iter] if number else []), *each.ifs])
        elements = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        self._values(elements)
        self.scopes.pop()
        self.parts.append(")")

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def _scope(
        self, body: Iterable[ast.AST], parameters: list[str], *, by_order: bool = False
    ) -> _Scope:
        """What names that are bound in a function stand for: locals by their order; so do
        parameters where every call by keyword can be told.
        """
        scope: _Scope = {} if by_order else {name: name for name in parameters}
        for name in [*(parameters if by_order else ()), *_bound_names(body)]:
            if name not in scope:
                self.bindings += 1
                scope[name] = f"local {self.bindings}"
        # a name that is bound by imports alone stands for what these import
        bound = list(_bound_names(body, imports=False))
        for name, source in _inner_imports(body):
            if name not in bound and name not in parameters:
                scope[name] = source
        return scope


def _list_parameters(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters, in the order in which they are written."""
    found = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs]
    return [each for each in [*found, arguments.kwarg] if each is not None]


def _name_parts(node: ast.AST) -> list[str] | None:
    """The parts of a dotted name that is read; None for anything else."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        attributes.append(node.attr)
        node = node.value
    named = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    return [node.id, *reversed(attributes)] if named else None  # type: ignore[attr-defined]


def _bound_names(nodes: Iterable[ast.AST], *, imports: bool = True) -> dict[str, None]:
    """The names that statements bind in their own scope, in order."""
    found: dict[str, None] = {}
    free: set[str] = set()
    for node in nodes:
        for each in _own_scope(node):
            if isinstance(each, ast.Global | ast.Nonlocal):
                free |= set(each.names)
            elif isinstance(each, ast.Import | ast.ImportFrom):
                found |= dict.fromkeys(name for name, _ in _imports(each)) if imports else {}
            else:
                found |= dict.fromkeys(_binds(each))
    return {name: None for name in found if name not in free and name != "*"}


def _binds(node: ast.AST) -> list[str]:
    """The names that a node binds itself."""
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, Function | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return [node.name] if node.name else []
    if isinstance(node, ast.MatchMapping):
        return [node.rest] if node.rest else []
    return []


def _own_scope(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is below it in the same scope, in order."""
    yield node
    if isinstance(node, Function | ast.ClassDef):
        below: list[ast.AST] = list(node.decorator_list)
    elif isinstance(node, ast.Lambda):
        below = []
    elif isinstance(node, _Comprehension):
        # `:=` in it binds a name outside of it
        walrus = [each for each in ast.walk(node) if isinstance(each, ast.NamedExpr)]
        yield from (each.target for each in walrus)
        below = []
    else:
        below = list(ast.iter_child_nodes(node))
    for each in below:
        yield from _own_scope(each)


def _inner_imports(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ImportedName]]:
    """What statements import in their own scope."""
    for node in nodes:
        for each in _own_scope(node):
            if isinstance(each, ast.Import | ast.ImportFrom):
                yield from _imports(each)


def _imports(node: ast.AST, *, whole: bool = False) -> list[tuple[str, ImportedName]]:
    """What a statement imports, by the names that it binds; of `import a.b`, which binds `a`, that
    or the whole.
    """
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        return [(a.asname or a.name, ImportedName(node.level, module, a.name)) for a in node.names]
    if isinstance(node, ast.Import):
        return [
            (a.asname, ImportedName(0, a.name, ""))
            if a.asname
            else (top := a.name.partition(".")[0], ImportedName(0, a.name if whole else top, ""))
            for a in node.names
        ]
    return []


def _is_text(node: ast.AST) -> bool:
    """Whether a statement is a string that stands alone, as docstrings do."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _checks_types(node: ast.If) -> bool:
    """Whether it is `if TYPE_CHECKING:`."""
    test = node.test
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _is_script(node: ast.If) -> bool:
    """Whether it is `if __name__ == "__main__":`, which does not run in what is imported."""
    test = node.test
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
    )
