"""Sentences that are generated, with what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lingprobe.extend import allow_code, check_file_ending, show_progress, takes_options
from lingprobe_extensions.compose.events import files
from lingprobe_extensions.compose.events.request import GenerationRequest
from lingprobe_extensions.compose.events.request import parse_generation_request as parsed
from lingprobe_extensions.compose.options import GenerateOptions


class GenerationCounts(NamedTuple):
    """How many sentences and structures a request allows, and how many sentences were written."""

    admitted: int
    structures: int
    written: int = 0


@takes_options(GenerateOptions)
def generate(
    request: str | Path | Mapping[str, Any],
    output: str | Path | None = None,
    *,
    n: int | None = None,
    language: str | None = None,
    seed: int = 0,
    text: bool = False,
    asserted: bool = False,
    progress: bool = False,
) -> GenerationCounts:
    """Generate sentences with known meaning: who did what to whom, what did not happen, and which
    word expresses it.

    DataProblem for a request that no sentence meets; it names the parts that conflict.

        print(lingprobe.generate({"negation": True}).admitted)
    """
    check_file_ending(output, *((".txt",) if text else (".jsonl", ".json")))
    asked = _request(request, language)
    space = files.request_space(asked)
    if output is None:
        return GenerationCounts(space.size, len(space.cells))
    drawn = files.draw_requested_sentences(space, asked, n, seed)
    with show_progress(
        progress, total=drawn.n, desc="generate", unit=" sentences", unit_scale=True
    ) as shown:
        files.write_draw(output, drawn, bare=text, asserted=asserted, progress=shown.update)
    return GenerationCounts(space.size, len(space.cells), drawn.n)


def _request(request: str | Path | Mapping[str, Any], language: str | None) -> GenerationRequest:
    """A request from a file, or from its value."""
    if isinstance(request, str | Path):
        return files.read_request(request, language)
    asked = {**request, **({} if language is None else {"language": language})}
    allow_code(asked.get("language"))
    return parsed(asked)
