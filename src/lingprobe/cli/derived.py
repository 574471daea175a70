"""Commands that are derived from functions of `lingprobe`.

A command is declared by the functions that it calls, its arguments and options in the order of the
help, and what it prints:

    @command("build", argument("task", "TASK"), option("output", "-o", metavar="FILE"), DRY_RUN)
    def build(given: Given, *, dry_run: bool = False) -> None:
        "Write the data set of a task to a file."
        remark(str(lingprobe.build(**given)))

The type, the default and the help of an option are those of the parameter of that name, of the
first of the functions that has it; `given` holds what was given for all of these. An option that
they do not have, as `dry_run`, is a keyword of the command, and brings its help.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, get_origin

import typer
import typer.main
from typer.core import TyperCommand

from lingprobe.cli.signatures import REQUIRED, Taken, taken

Given = Mapping[str, Any]
AS_IN_PYTHON: Any = object()


@dataclass(frozen=True)
class Option:
    """An option or argument, where the command line differs from Python.

    name      the parameter
    flags     what is written for it (default: --name); short flags beside that
    metavar   what help calls a value
    help      what it means, if the docstring does not say that, or says it of Python alone
    kind      the type, if it is another one than in Python
    default   the default, if it is another one
    least     the least number
    complete  what the Tab key offers
    panel     the heading in the help
    """

    name: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    help: str = ""
    kind: Any = None
    default: Any = AS_IN_PYTHON
    least: int | None = None
    complete: Callable[[str], list[str]] | None = None
    panel: str | None = None
    positional: bool = False

    def but(self, **changes: Any) -> Option:
        """The same with changes."""
        return replace(self, **changes)

    def parameter(self, source: Taken) -> inspect.Parameter:
        """The parameter as typer reads it."""
        kind = self.kind or (list[source.kind] if source.several else source.kind)  # type: ignore[name-defined]
        default = source.default if self.default is AS_IN_PYTHON else self.default
        shown: dict[str, Any] = {
            "metavar": self.metavar,
            "help": self.help or self._meaning(source),
            "min": self.least,
            "autocompletion": self.complete,
            "rich_help_panel": self.panel,
        }
        if self.positional:
            info = typer.Argument(**shown)
        else:
            info = typer.Option(*self._flags(default), **shown)
        return inspect.Parameter(
            self.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=Annotated[kind | None if default is None else kind, info],
        )

    def _meaning(self, source: Taken) -> str:
        """What the docstring says, and what the command line adds to it."""
        more = ""
        several = source.several if self.kind is None else get_origin(self.kind) is list
        if several and not self.positional:
            more = "; several may follow"
        elif self.default is None and source.default not in (None, "", REQUIRED):
            more = f" (default: {source.default})"
        return f"{source.meaning}{more}."

    def _flags(self, default: Any) -> tuple[str, ...]:
        """All flags, the long one first; a name of one letter has only those that are given."""
        if len(self.name) == 1 or any(flag.startswith("--") for flag in self.flags):
            return self.flags
        name = self.name.rstrip("_").replace("_", "-")
        long = f"--{name}/--no-{name}" if default is True else f"--{name}"
        return (long, *self.flags)


def option(name: str, *flags: str, **more: Any) -> Option:
    """An option; `more` are fields of `Option`."""
    return Option(name, flags, **more)


def argument(name: str, metavar: str, **more: Any) -> Option:
    """An argument; `more` are fields of `Option`."""
    return Option(name, metavar=metavar, positional=True, **more)


@dataclass(frozen=True)
class Derived:
    """A command: the functions that it calls, its options, and what calls them and prints."""

    functions: tuple[str, ...]
    options: tuple[Option, ...]
    show: Callable[..., None]

    @property
    def text(self) -> str:
        """What the command is for, with examples."""
        return inspect.getdoc(self.show) or ""

    def command(self, name: str, cls: type[TyperCommand]) -> Any:
        """The command as typer parses it."""
        app = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        app.command(name, cls=cls)(self.callback())
        return typer.main.get_command(app)

    def callback(self) -> Callable[..., None]:
        """The command as a function with all its options, as typer takes it."""
        own = inspect.signature(self.show, eval_str=True).parameters
        sources = [taken(name) for name in self.functions]
        parameters = [each.parameter(_source(each.name, own, sources)) for each in self.options]

        def command(**values: Any) -> None:
            given = {k: v for k, v in values.items() if k not in own and v is not None}
            self.show(given, **{k: v for k, v in values.items() if k in own})

        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        command.__doc__ = self.show.__doc__
        return command


def command(functions: str, *options: Option | str) -> Callable[[Callable[..., None]], Derived]:
    """A command that calls these functions of `lingprobe`; a name is an option as Python has it."""
    every = tuple(option(each) if isinstance(each, str) else each for each in options)
    return lambda show: Derived(tuple(functions.split()), every, show)


def _source(
    name: str, own: Mapping[str, inspect.Parameter], sources: Iterable[Mapping[str, Taken]]
) -> Taken:
    """Where a parameter is from: the command itself, or a function."""
    if name in own:
        return Taken(own[name].annotation, False, own[name].default, "")
    return next(each[name] for each in sources if name in each)
