"""What views say: templates and expressions of Jinja about the rows of a frame."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lingprobe.analysis.answers import describe_interval_base
from lingprobe.analysis.frame import ResultFrame
from lingprobe.analysis.row import PERCENT_SCALE, said_of
from lingprobe.pages.captions import shorten_task
from lingprobe.tables.table import format_coefficient, format_number, format_p_value

if TYPE_CHECKING:
    from jinja2 import Environment, Template

_BARS = "▏▎▍▌▋▊▉█"
_BAR_LETTERS = 16  # of the longest bar


class ViewText(NamedTuple):
    """A view's templates.

    names   of encoders, as the view calls them
    macros  those of the view's template
    """

    names: Mapping[str, str]
    macros: Mapping[str, Callable[..., str]]

    @classmethod
    def read(cls, file: Path, names: Mapping[str, str], facts: Mapping[str, Any]) -> ViewText:
        """Those of a file; `facts` are further values for its sentences."""
        source = _compile_template(file.read_text("utf-8"))
        return cls(names, vars(source.make_module({**facts, "names": names})))

    def fill(self, macro: str, *values: Any) -> str:
        """The text that a macro has for a row, or for several; '' for no macro."""
        return join_line(self.macros[macro](*values)) if macro else ""

    def list_lines(self, macro: str, *values: Any) -> tuple[str, ...]:
        """The paragraphs of such a text, each as a line."""
        parts = self.macros[macro](*values).split("\n\n") if macro else ()
        return tuple(map(join_line, filter(str.strip, parts)))

    def render(self, template: str, rows: ResultFrame) -> str:
        """A template with the columns of the first of some rows."""
        if not template:
            return ""
        known = {**self.macros, **rows[0]._asdict(), "names": self.names, "rows": rows.rows}
        return join_line(_compile_template(template).render(known))

    def decide(self, expression: str, row: Any, **known: Any) -> Any:
        """The value of an expression about the columns of a row."""
        return compile_expression(expression)({**self.macros, **row._asdict(), **known})


@cache
def _environment() -> Environment:
    from jinja2 import Environment, StrictUndefined

    made = Environment(
        autoescape=False,  # noqa: S701 - text, which each format escapes
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": format_number,
        "p_value": format_p_value,
        "coefficient": format_coefficient,
        "task": shorten_task,
        "count": "{:,}".format,
        "bar": draw_bar,
        "from_json": json.loads,
        "class_note": _note_classes,
        "layer_note": said_of,
        "test_notes": _list_test_notes,
        "interval_scope": lambda rows, fit: describe_interval_base(fit, rows),
    }
    made.filters |= {"group": _group_rows, "different": _select_different}
    made.tests["unknown"] = math.isnan
    return made


def draw_bar(share: float) -> str:
    """A bar of so much of the longest, in eighths of a character."""
    if math.isnan(share) or share <= 0:
        return ""
    eighths = max(1, round(share * _BAR_LETTERS * len(_BARS)))
    whole, rest = divmod(eighths, len(_BARS))
    return _BARS[-1] * whole + (_BARS[rest - 1] if rest else "")


def _group_rows(rows: Sequence[Any], *names: str) -> list[tuple[Any, list[Any]]]:
    """Rows with the same value of a column, or of several, together, in the order in which these
    come.
    """
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        values = tuple(getattr(row, name) for name in names)
        groups.setdefault(values if len(names) > 1 else values[0], []).append(row)
    return list(groups.items())


def _select_different(rows: Sequence[Any], one: str, other: str) -> list[Any]:
    """Rows with different values in two columns."""
    return [row for row in rows if getattr(row, one) != getattr(row, other)]


def _note_classes(row: Any) -> str:
    """How many classes the task of a row has, and how many of its labels are wrong, where a parser
    gave them: in brackets, '' for nothing.
    """
    parts = []
    if row.classes:
        of = f" of {row.question_classes:,}" if row.question_classes > row.classes else ""
        parts.append(f"{row.classes:,}{of} classes")
    if row.wrong:
        upper = PERCENT_SCALE - row.wrong
        parts.append(f"{row.wrong:.1f} % of labels are wrong: upper bound {upper:.1f}")
    return f" ({', '.join(parts)})" if parts else ""


def _list_test_notes(rows: Sequence[Any], *family: str) -> list[str]:
    """What there is to say of the test examples that rows are over, by the families that are
    marked (`mark_notes`), and of fits that were over others.
    """
    notes = {
        f"{sign} {shorten_task(row.task)}: {text}".lstrip(): None
        for row in {tuple(getattr(row, name) for name in family): row for row in rows}.values()
        for sign, text in row.mark_notes
    }
    left = {(row.task, row.encoder): row.left_out for row in rows if row.left_out}
    return [
        *notes,
        *(
            f"{shorten_task(task)}, {encoder}: {n:,} fit{'s were' if n > 1 else ' was'} excluded,"
            " over different test examples."
            for (task, encoder), n in left.items()
        ),
    ]


@cache
def _compile_template(template: str) -> Template:
    return _environment().from_string(template)


@cache
def compile_expression(expression: str) -> Callable[..., Any]:
    """An expression as a function of the values that it names."""
    return _environment().compile_expression(expression)


def join_line(text: str) -> str:
    """A text in one line."""
    return " ".join(text.split())
