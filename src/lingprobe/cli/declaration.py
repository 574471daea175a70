"""Commands, declared by the options that they take.

    @dataclass(frozen=True, kw_only=True)
    class BuildCommand(QuietOptions, BuildOptions):
        pass

    @command(BuildCommand)
    def build(options: BuildCommand) -> None:
        "Write the data set of a task to a file."
        remark(str(lingprobe.build(**options.select(BuildOptions))), options.quiet)

The flags, types, defaults and help of a command are those of its class of options
(`data/options.py`); what the function of `lingprobe` takes is one of its bases, and what the
command line alone has stands in the class itself or in a group of `cli/options.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_origin

import typer
import typer.main

from lingprobe.cli.completing import make_completer
from lingprobe.cli.parsing import MultiValueCommand
from lingprobe.data.options import REQUIRED_OPTION, DeclaredOption, Options, declared_options

O = TypeVar("O", bound=Options)  # noqa: E741


@dataclass(frozen=True)
class CommandDeclaration:
    """A command: its options, and what runs it and prints; of an extension or plugin the heading in
    the help, too.
    """

    options: type[Options]
    show: Callable[[Any], None]
    heading: str = "Plugins"

    @property
    def text(self) -> str:
        """What the command is for, with examples."""
        return inspect.getdoc(self.show) or ""

    def command(self, name: str) -> Any:
        """The command as typer parses it."""
        return build_command(name, self.callback())

    def callback(self) -> Callable[..., None]:
        """The command as a function with all its options, as typer takes it."""
        declared = declared_options(self.options).values()
        taken = [_parameter(option) for option in declared if not option.flag.hidden]

        def command(**values: Any) -> None:
            given = {name: value for name, value in values.items() if value not in (None, [])}
            self.show(self.options(**given))

        command.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in taken}
        command.__doc__ = self.show.__doc__
        return command


def command(
    options: type[O], *, heading: str = "Plugins"
) -> Callable[[Callable[[O], None]], CommandDeclaration]:
    """A command of the command line, for entry points of `lingprobe.commands`: what it decorates is
    called with an object of the options, and its docstring is the help.

    options  a class of options, as `lingprobe.Options` describes it
    heading  the heading in the list of commands

        @command(LongestOptions)
        def longest(options: LongestOptions) -> None:
    """
    return lambda show: CommandDeclaration(options, show, heading)


def build_command(name: str, function: Callable[..., Any]) -> Any:
    """A function whose parameters are options as a command that typer parses."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=MultiValueCommand)(function)
    return typer.main.get_command(app)


def _parameter(option: DeclaredOption) -> inspect.Parameter:
    """An option as typer reads it."""
    kind, default = option.read_as, option.default
    if default is REQUIRED_OPTION:
        default = inspect.Parameter.empty
    elif isinstance(default, tuple):
        default = list(default) or None
    elif kind is Path and default is not None:
        default = Path(default)
    elif kind is bool:
        default = bool(default)
    complete = option.flag.complete
    shown: dict[str, Any] = {
        "metavar": option.flag.metavar,
        "help": _sentence(option),
        "min": option.help.least,
        "autocompletion": make_completer(complete) if complete else None,
        "rich_help_panel": option.flag.panel,
    }
    if option.flag.positional:
        info = typer.Argument(**shown)
    else:
        info = typer.Option(*_flags(option), **shown)
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind | None if default is None else kind, info],
    )


def _sentence(option: DeclaredOption) -> str:
    """What an option means, as help shows it."""
    text = option.help.meaning
    several = get_origin(option.read_as) is list and not option.flag.positional
    return f"{text[:1].upper()}{text[1:]}{'; several may follow' if several else ''}."


def _flags(option: DeclaredOption) -> tuple[str, ...]:
    """All flags, the long one first; a name of one letter has only those that are given."""
    flags = option.flag.names
    if len(option.name) == 1 or any(each.startswith("--") for each in flags):
        return flags
    name = option.name.rstrip("_").replace("_", "-")
    long = f"--{name}/--no-{name}" if option.default is True else f"--{name}"
    return (long, *flags)
