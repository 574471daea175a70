"""A rule's function -> the options of its task: those of every question, and what the function
takes by keyword alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import asdict, field, make_dataclass
from typing import Any, get_type_hints

from lingprobe.tasks.edge.family import EdgeTaskOptions, TreeOptions
from lingprobe.tasks.questions import CorpusOptions


def derive_options(function: Callable[..., Any], base: type[Any]) -> type[Any]:
    """The options of every question, and what the rule takes by keyword alone."""
    hints = get_type_hints(function, include_extras=True)
    own = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    fields = [
        (p.name, hints.get(p.name, str), field(kw_only=True))
        if p.default is p.empty
        else (p.name, hints.get(p.name, str), field(default=p.default, kw_only=True))
        for p in own
    ]
    if taken := {p.name for p in own} & set(base.__dataclass_fields__):
        raise TypeError(f"{function.__name__}: every question has an option {min(taken)!r} already")
    options = make_dataclass("Options", fields, bases=(base,), frozen=True)
    options.__doc__ = function.__doc__ or ""
    return options


def get_rule_arguments(options: CorpusOptions | EdgeTaskOptions) -> dict[str, Any]:
    """What the rule takes by keyword alone."""
    base = CorpusOptions if isinstance(options, CorpusOptions) else TreeOptions
    known = set(base.__dataclass_fields__)
    return {name: value for name, value in asdict(options).items() if name not in known}
