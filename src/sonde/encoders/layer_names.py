"""The layers of a model by name."""

from __future__ import annotations

from sonde.core import DataProblem


def layer_names(text: str, last: int) -> tuple[str, ...]:
    """The layers, by name, that a text stands for in a model with `last` layers.

    `lex`, `last`, `penultimate`, `all`, `N` and `N-M` (a range), or several of these with `+`
    between them.
    """
    named = {
        "lex": ("lex",),
        "last": (str(last),),
        "penultimate": (str(last - 1),),
        "all": tuple(map(str, range(last + 1))),
    }
    chosen: list[str] = []
    for part in text.split("+"):
        first, dash, end = part.partition("-")
        numbers = first.isdigit() and (end.isdigit() or not dash)
        if part not in named and not numbers:
            hint = (
                f"lex, last, penultimate, all, a number, a range 0-{last}, or several as"
                f" lex+0+{last}"
            )
            raise DataProblem(f"layers={text}: write {hint}")
        names = named.get(part) or tuple(map(str, range(int(first), int(end or first) + 1)))
        if not names or (numbers and int(names[-1]) > last):
            raise DataProblem(
                f"layers={text}: the model has layers 0 (its embeddings) to {last}, and lex (the"
                " same without positions)"
            )
        chosen += names
    return tuple(dict.fromkeys(chosen))
