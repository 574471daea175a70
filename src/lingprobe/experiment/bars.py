"""Bars over what a run does: sentences that are encoded, trials that are measured."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from lingprobe.data.progress import bar as new_bar
from lingprobe.data.progress import listening
from lingprobe.experiment.groups import Batch

BEAT = 10.0  # seconds after which the bar is drawn anew though nothing has been told
EVERY = 1.0  # seconds between two words on how far a fit is


class Bar:
    """A bar over trials, which may be many for one fit."""

    def __init__(self, bar: Any) -> None:
        self.bar, self.name, self.told = bar, "", time.monotonic()

    def show_names(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """The batches, each named as it is handed out."""
        for batch in batches:
            self.name = batch.name
            self.bar.set_postfix_str(self.name)
            yield batch

    def step(self, done: int, of: int | None) -> None:
        """The fit has made so many steps."""
        if time.monotonic() - self.told >= EVERY:
            self.told = time.monotonic()
            self.bar.set_postfix_str(f"{self.name}, step {done:,}" + (f" of {of:,}" if of else ""))

    def advance(self, trials: int) -> None:
        """So many trials more are measured."""
        self.bar.set_postfix_str("", refresh=False)
        self.bar.update(trials)


@contextmanager
def encoding_bar(name: str, progress: bool) -> Iterator[None]:
    """A bar over the sentences that an encoder is given while the block runs."""
    with new_bar(progress, total=0, desc=f"encode {name}", unit=" sentences") as bar:

        def update_bar(done: int, total: int | None) -> None:
            bar.total = total
            bar.update(done - bar.n)

        with listening(update_bar):
            yield


@contextmanager
def bar_over(trials: int, progress: bool) -> Iterator[Bar]:
    """A bar that is drawn while the block runs, and hears what fits in this process tell; of those
    in others it knows the ends.
    """
    bar = new_bar(progress and trials > 0, total=trials, desc="measure", unit="trial")
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(BEAT):
            bar.refresh()

    thread = threading.Thread(target=beat, name="bar", daemon=True)
    if not bar.disable:
        thread.start()
    try:
        with bar:
            shown = Bar(bar)
            with listening(shown.step):
                yield shown
    finally:
        ended.set()
        if thread.is_alive():
            thread.join()
