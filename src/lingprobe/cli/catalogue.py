"""Which commands there are: ours and those of installed packages. One is imported when it is called
for, and all only where they are listed.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint
from typing import Any, NamedTuple

from typer.core import TyperGroup

from lingprobe.api.commands import COMMANDS_BY_HEADING, GROUP_DESCRIPTIONS, list_core_commands
from lingprobe.cli.declaration import CommandDeclaration, build_command
from lingprobe.cli.help import PlainHelp
from lingprobe.data._foreign_code import one_line
from lingprobe.data._listings import recall_listing
from lingprobe.data._members import import_attribute
from lingprobe.data._packages import entry_points, load_point
from lingprobe.data.errors import UsageProblem

_PLUGINS = "Plugins"


class ListedCommand(NamedTuple):
    """A command as a list shows it: its heading, its name, a group and a name or a name alone, and
    what was found under it, declared or a function that typer takes.
    """

    heading: str
    name: str
    found: Any

    @property
    def text(self) -> str:
        """What it is for."""
        return (
            self.found.text
            if isinstance(self.found, CommandDeclaration)
            else self.found.__doc__ or ""
        )


class CommandCatalogue(Mapping[str, CommandDeclaration]):
    """Declared commands by name, in the order of the help."""

    def __init__(self) -> None:
        self._own = {each.name: each for each in list_core_commands()}
        self._loaded: dict[str, Any] = {}
        self._failed: dict[str, BaseException] = {}

    @functools.cached_property
    def _points(self) -> dict[str, EntryPoint]:
        """Entry points by the name of their command. A name that is taken is ours."""
        points = entry_points("lingprobe.commands")
        named = {point.name.replace(".", " "): point for point in points}
        return {
            n: point
            for n, point in named.items()
            if n not in self._own and n not in GROUP_DESCRIPTIONS
        }

    @functools.cached_property
    def entries(self) -> list[ListedCommand]:
        """All commands that can be imported, by heading."""
        found = [ListedCommand(each.heading, n, self.load(n)) for n, each in self._own.items()]
        for name in self._points:
            if (one := self.load(name)) is not None:
                heading = one.heading if isinstance(one, CommandDeclaration) else _PLUGINS
                found.append(ListedCommand(heading, name, one))
        rank = {heading: place for place, heading in enumerate([*COMMANDS_BY_HEADING, _PLUGINS])}
        return sorted(found, key=lambda each: rank.get(each.heading, len(rank)))

    @functools.cached_property
    def texts(self) -> list[tuple[str, str, str]]:
        """The heading, the name and the text of each, remembered: help imports no command."""
        made = recall_listing(
            "commands", "lingprobe.commands", lambda: [[*e[:2], e.text] for e in self.entries]
        )
        return [(heading, name, text) for heading, name, text in made]

    def names(self) -> list[str]:
        """All names, of commands that cannot be imported, too."""
        return [*self._own, *self._points]

    def load(self, name: str) -> Any:
        """What is found under a name; None where nothing is, or nothing that can be imported."""
        if name not in self._loaded:
            self._loaded[name] = self._import(name)
        return self._loaded[name]

    def _import(self, name: str) -> Any:
        if name in self._own:
            return import_attribute(self._own[name].place)
        point = self._points.get(name)
        return None if point is None else load_point(point, self._failed)

    def check_importable(self, name: str) -> None:
        """UsageProblem for a command of an installed package that cannot be imported."""
        if self.load(name) is None and (error := self._failed.get(name)):
            raise UsageProblem(
                f"the command {name}, which an installed package adds, cannot be imported:"
                f" {one_line(error)}; `lingprobe list plugins` says which"
                " package that is"
            )

    def __getitem__(self, name: str) -> CommandDeclaration:
        found = self.load(name)
        if not isinstance(found, CommandDeclaration):
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and isinstance(self.load(name), CommandDeclaration)

    def __iter__(self) -> Iterator[str]:
        return (each.name for each in self.entries if isinstance(each.found, CommandDeclaration))

    def __len__(self) -> int:
        return sum(1 for _ in self)


COMMAND_CATALOGUE = CommandCatalogue()


def _describe_group(name: str) -> str:
    return GROUP_DESCRIPTIONS.get(name, "Commands of installed packages.")


class CommandGroup(PlainHelp, TyperGroup):
    """All commands, or those of a group."""

    lists = True
    prefix = ""  # of the names of a group's commands, as 'train '

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; without any, its help is shown."""
        return super().parse_args(ctx, args or ["--help"])

    def rows(self) -> list[tuple[str, str, str]]:
        """The heading, the name and the text of each command or group below."""
        found: dict[str, tuple[str, str, str]] = {}
        for heading, name, text in COMMAND_CATALOGUE.texts:
            first, _, last = name.partition(" ")
            if self.prefix and f"{first} " == self.prefix:
                found[last] = ("Commands", last, text)
            elif not self.prefix:
                found.setdefault(first, (heading, first, _describe_group(first) if last else text))
        return list(found.values())

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, groups among them, in the order of their headings."""
        return [name for _, name, _ in self.rows()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command or a group; None where there is none of that name."""
        whole = f"{self.prefix}{cmd_name}"
        COMMAND_CATALOGUE.check_importable(whole)
        found = COMMAND_CATALOGUE.load(whole)
        if isinstance(found, CommandDeclaration):
            return found.command(cmd_name)
        if found is not None:
            return build_command(cmd_name, found)
        below = f"{whole} "
        if not any(name.startswith(below) for name in COMMAND_CATALOGUE.names()):
            return None
        group = CommandGroup(name=cmd_name, help=_describe_group(cmd_name), rich_markup_mode=None)
        group.prefix = below
        return group
