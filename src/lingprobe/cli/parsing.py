"""How a command line is read: several values after one option, and one sentence on what cannot be
read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from typer.core import TyperArgument, TyperCommand
from typer.exceptions import TyperException

from lingprobe.cli.completing import complete_kinds
from lingprobe.cli.help import PlainHelp
from lingprobe.data.suggestions import get_advice, suggest_name

_UNKNOWN = re.compile(r"No such option: (\S+)")
_COMMAND = re.compile(r"No such command '(.+?)'")
_WORDS = {
    "Input should be a valid integer, unable to parse string as an integer": "not a whole number",
    "Input should be greater than or equal to": "the least is",
    "Value error, ": "",
    "Got unexpected extra argument(s)": "values need an option before them, as -t for tasks, -e or"
    " -m for encoders, -o for the file to write:",
}
"""What the parser says, and what is said in its place."""


FILE_METAVAR = "PATH"
"""What help calls a file that a command writes in a format; a folder is called FOLDER."""


class MultiValueCommand(PlainHelp, TyperCommand):
    """A command whose options that may be repeated take several values after one flag, as `-t A B`;
    one that takes arguments does so where these stand first.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        taken = any(isinstance(each, TyperArgument) for each in self.params)
        first = list(takewhile(lambda each: not each.startswith("-"), args))
        if first or not taken:
            flags = [flag for each in self.params if each.multiple for flag in each.opts]
            args = [*first, *_spread(args[len(first) :], flags)]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, unless the file that it writes at the end has a name of no format."""
        given = ctx.params
        files = [given[each.name] for each in self.params if each.metavar == FILE_METAVAR]
        if any(files) and given.get("style") == "terminal" and not given.get("html"):
            from lingprobe.tables.page import format_of

            for file in filter(None, files):
                format_of(file)
        return super().invoke(ctx)


def _spread(arguments: Iterable[str], flags: Iterable[str]) -> Iterator[str]:
    """The arguments with a flag before each of the values that follow it."""
    several, flag, first = set(flags), "", True
    for argument in arguments:
        if argument.startswith("-") and argument != "-":
            flag, first = (argument if argument in several else ""), True
            yield argument
            continue
        if flag and not first:
            yield flag
        first = False
        yield argument


def explain_parse_error(
    error: TyperException, arguments: Iterable[str], commands: Mapping[str, Any]
) -> str:
    """What could not be read, in one sentence that says where help is."""
    words = [each for each in arguments if not each.startswith("-")][:2]
    called = next((name for name in (" ".join(words), *words[:1]) if name in commands), "")
    said = error.format_message().strip()
    if unknown := _UNKNOWN.match(said):
        parameters = commands[called].command(called).params if called else ()
        said = _unknown_option(
            unknown[1], [flag for each in parameters for flag in (*each.opts, *each.secondary_opts)]
        )
        # a group that is called as a command by another name, as `lingprobe probe -t TASK`
        if not called and words and (near := suggest_name("command", words[0], commands)):
            said += f"; did you mean {near}?"
    if kind := _COMMAND.match(said):
        named = {name.rpartition(" ")[2]: name for name in reversed([*commands])}
        if kind[1] not in named and kind[1] in complete_kinds(""):
            return f"no command {kind[1]}; `lingprobe list {kind[1]}` lists them"
        near = suggest_name("command", kind[1], [*commands, *named])
        near = named.get(kind[1]) or named.get(near, near)
        said = f"no command {kind[1]}{f'; did you mean {near}?' if near else ''}"
    for theirs, ours in _WORDS.items():
        said = said.replace(theirs, ours)
    said = f"{said[:1].lower()}{said[1:]}".removesuffix(".")
    if called == "run" and (settings := next((w for w in words if w.endswith(".toml")), "")):
        return f"run takes no file of settings: `lingprobe experiment {settings}` does"
    group = next(
        (name for name in words[:1] if any(n.startswith(f"{name} ") for n in commands)), ""
    )
    command = " ".join(filter(None, ["lingprobe", called or group]))
    return f"{said} (`{command} --help` shows what there is)"


def _unknown_option(flag: str, flags: Iterable[str]) -> str:
    """That there is no such option, and what was meant."""
    name = flag.lstrip("-").partition("=")[0]
    near = suggest_name("option", name, [each[2:] for each in flags if each.startswith("--")])
    instead = f"did you mean --{near}?" if near else get_advice("option", name)
    return f"no option {flag}{f'; {instead}' if instead else ''}"
