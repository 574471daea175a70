"""Commands, declared by the functions of `lingprobe` that they call.

A declaration names the functions, the arguments and options in the order of the help, and what
calls the functions and prints:

    @command("build", argument("task", "TASK"), option("output", "-o", metavar="FILE"), DRY_RUN)
    def build(given: Arguments, *, dry_run: bool = False) -> None:
        "Write the data set of a task to a file."
        remark(str(lingprobe.build(**given)))

An option has the type, the default and the meaning of the parameter of that name, in the first of
the functions that has one; `given` holds all of these that are not None. An option that they do not
have, as `dry_run`, is a keyword of what is decorated, and brings its help.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, get_origin

import typer
import typer.main

from lingprobe.cli.completing import names
from lingprobe.cli.parsing import Command
from lingprobe.cli.signatures import REQUIRED, Parameter, parameters

Arguments = Mapping[str, Any]
AS_IN_PYTHON: Any = object()


@dataclass(frozen=True)
class Option:
    """An option or argument, where the command line differs from Python.

    name      the parameter
    flags     what is written for it: short flags beside --name, or all flags
    metavar   what help calls a value
    help      what it means, where the docstring of the function does not fit
    kind      the type, if it is another one than in Python
    default   the default, if it is another one
    least     the least number
    complete  what the Tab key offers: names of a kind, as `tasks`, or what a function says
    panel     the heading in the help
    """

    name: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    help: str = ""
    kind: Any = None
    default: Any = AS_IN_PYTHON
    least: int | None = None
    complete: str | Callable[..., list[str]] | None = None
    panel: str | None = None
    positional: bool = False

    def but(self, **changes: Any) -> Option:
        """The same with changes."""
        return replace(self, **changes)

    def parameter(self, source: Parameter) -> inspect.Parameter:
        """The parameter as typer reads it."""
        kind = self.kind or source.kind
        default = source.default if self.default is AS_IN_PYTHON else self.default
        shown: dict[str, Any] = {
            "metavar": self.metavar,
            "help": self.help or f"{source.meaning}{self._remark(kind, source.default)}.",
            "min": self.least,
            "autocompletion": names(self.complete)
            if isinstance(self.complete, str)
            else self.complete,
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

    def _remark(self, kind: Any, usual: Any) -> str:
        """What the command line adds to the meaning."""
        if get_origin(kind) is list and not self.positional:
            return "; several may follow"
        if self.default is None and usual not in (None, "", REQUIRED):
            return f" (default: {usual})"
        return ""

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
class Declaration:
    """A command: the functions that it calls, its options, and what calls them and prints; of an
    extension or plugin the heading in the help, too.
    """

    functions: tuple[str, ...]
    options: tuple[Option, ...]
    show: Callable[..., None]
    heading: str = "Plugins"

    @property
    def text(self) -> str:
        """What the command is for, with examples."""
        return inspect.getdoc(self.show) or ""

    def command(self, name: str) -> Any:
        """The command as typer parses it."""
        app = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        app.command(name, cls=Command)(self.callback())
        return typer.main.get_command(app)

    def callback(self) -> Callable[..., None]:
        """The command as a function with all its options, as typer takes it."""
        own = inspect.signature(self.show, eval_str=True).parameters
        sources = [parameters(name) for name in self.functions]
        every = [each.parameter(_source(each.name, own, sources)) for each in self.options]

        def command(**values: Any) -> None:
            given = {k: v for k, v in values.items() if k not in own and v is not None}
            self.show(given, **{k: v for k, v in values.items() if k in own})

        command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in every}
        command.__doc__ = self.show.__doc__
        return command


def command(
    functions: str, *options: Option | str, heading: str = "Plugins"
) -> Callable[[Callable[..., None]], Declaration]:
    """A command that calls these functions of `lingprobe`; a plain name is an option that is as in
    Python. Under which heading of the help the core's commands stand, `api.commands` says.
    """
    every = tuple(option(each) if isinstance(each, str) else each for each in options)
    return lambda show: Declaration(tuple(functions.split()), every, show, heading)


def _source(
    name: str, own: Mapping[str, inspect.Parameter], sources: Iterable[Mapping[str, Parameter]]
) -> Parameter:
    """The parameter of a name: a keyword of the command, or of the first function that has it."""
    if name in own:
        return Parameter(own[name].annotation, own[name].default, "")
    return next(each[name] for each in sources if name in each)
