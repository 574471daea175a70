"""What cutting words into chunks takes in any language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sonde.generation.readings.structure import Chunk

Row = tuple[Chunk, ...]


def rows(
    words: Sequence[str], beginning: Callable[[Sequence[str], int], Iterable[tuple[int, Chunk]]]
) -> list[Row]:
    """All ways to cut words into chunks; `beginning` gives those that can begin at a word, each
    with the word after it.
    """
    cuts: dict[int, list[Row]] = {len(words): [()]}

    def after(start: int) -> list[Row]:
        if start not in cuts:
            cuts[start] = [
                (chunk, *rest) for stop, chunk in beginning(words, start) for rest in after(stop)
            ]
        return cuts[start]

    return after(0)


def grades(adverbs: Sequence[str], grading: Callable[[str, str], bool]) -> list[tuple[str, ...]]:
    """The ways to take adverbs in a row: each for itself, or one as the grade of the next, as in
    "really often".
    """
    if len(adverbs) < 2:
        return [tuple(adverbs)]
    first, second, *others = adverbs
    ways = [(first, *rest) for rest in grades(adverbs[1:], grading)]
    if grading(first, second):
        ways += [(f"{first} {second}", *rest) for rest in grades(others, grading)]
    return ways
