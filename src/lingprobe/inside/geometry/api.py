"""How representations lie to each other, as a function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from lingprobe.api.arguments import as_list, takes_options
from lingprobe.api.measure import resolve_encoders, use_cache
from lingprobe.data.errors import UsageProblem
from lingprobe.data.progress import show_progress
from lingprobe.experiment.paths import RunPaths
from lingprobe.inside.geometry.comparisons import GeometryRow, language_rows, layer_rows
from lingprobe.inside.geometry.networks import encode_networks
from lingprobe.inside.geometry.options import GeometryOptions
from lingprobe.inside.geometry.pages import geometry_page
from lingprobe.inside.geometry.texts import read_parallel_texts
from lingprobe.store.precision import kept_as
from lingprobe.tables.page import Page


@takes_options(GeometryOptions)
def geometry(
    corpora: Sequence[str | Path] | str | Path,
    encoders: Any = None,
    *,
    untrained: bool = True,
    cache: str | Path | None = None,
    dtype: Literal["float32", "float16", "bfloat16"] = "float32",
    progress: bool = False,
) -> Page[tuple[GeometryRow, ...]]:
    """Compare layers, encoders or languages: CKA, anisotropy, norms, intrinsic dimension, and how
    many sentences find their translation after a rotation.

    UsageProblem for no text, DataProblem for fewer than forty sentences or texts that cannot be
    paired. `.content` has a `GeometryRow` for each measure.

        print(lingprobe.geometry("en_pud", "hf:bert-base-cased,layers=all"))
    """
    names = [str(corpus) for corpus in as_list(corpora)]
    if not names:
        raise UsageProblem("name a text: a treebank, or a file with one sentence per line")
    kept_as(dtype)
    texts, remarks = read_parallel_texts(names)
    with use_cache(cache):
        asked, paths = resolve_encoders(encoders, None), RunPaths.of(None, cache, dtype)
        networks, more = encode_networks(asked, texts, paths, untrained, progress)

        def steps(over: Iterable[Any]) -> Any:
            return show_progress(progress, over, desc="comparing", leave=False)

        measure = layer_rows if len(texts) == 1 else language_rows
        rows = list(measure(networks, steps))
    return geometry_page(rows).with_remarks((*remarks, *more))
