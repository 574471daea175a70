"""Bars over what a run does: sentences that are encoded, trials that are measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from lingprobe.data.printing import strip_unprintable
from lingprobe.data.progress import listen_to_progress, show_progress
from lingprobe.experiment.groups import FitBatch

_SECONDS = 1.0  # from one drawing of a bar over trials to the next, at least


@contextmanager
def encoding_bar(name: str, progress: bool) -> Iterator[None]:
    """A bar over the sentences that an encoder is given while the block runs."""
    with show_progress(progress, total=0, desc=f"encode {name}", unit=" sentences") as shown:

        def update_bar(done: int, total: int | None) -> None:
            shown.total = total
            shown.update(done - shown.n)

        with listen_to_progress(update_bar):
            yield


@contextmanager
def measuring_bar(trials: int, progress: bool) -> Iterator[Any]:
    """A bar over trials, which also shows the steps of fits in this process."""
    with show_progress(
        progress and trials > 0, total=trials, unit="trial", miniters=0, mininterval=_SECONDS
    ) as shown:

        def show_step(done: int, of: int | None) -> None:
            steps = f"step {done:,}" + (f" of {of:,}" if of else "")
            shown.set_postfix_str(steps, refresh=False)
            shown.update(0)

        with listen_to_progress(show_step):
            yield shown


def name_batches(batches: Iterable[FitBatch], shown: Any) -> Iterator[FitBatch]:
    """The batches; the bar names each as it is handed out."""
    for batch in batches:
        shown.set_description_str(f"measure {strip_unprintable(batch.name)}")
        yield batch
