"""How large a board's first page is, and how long it takes to write a board and to open it: made
results of many models on many tasks, several of them read from several layers.

    python benchmarks/board.py --models 500 --tasks 20 --layers 13 --browser chromium

Opening is timed in a browser by playwright, where it is installed (`make test-integration` installs
both): from the start of the navigation to the end of the page's own script.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import lingprobe
from extensions.board.made import bounds, fit, store

CORPORA = ("UD_English-EWT", "UD_Polish-PDB", "UD_German-GSD", "UD_Finnish-TDT")
NAMES = ("tense", "passive", "subj-num", "obj-num", "sent-len", "tree-depth", "top-deps")
LOADED = "() => performance.getEntriesByType('navigation')[0].loadEventEnd"


def tasks(many: int) -> list[str]:
    """References of tasks on several treebanks."""
    every = [f"ud/{name}:{corpus}" for corpus in CORPORA for name in NAMES]
    return every[:many]


def write(folder: Path, models: int, asked: list[str], layers: int, n: int) -> None:
    """Write results of models whose shares of right answers differ."""
    made = bounds(asked, n)
    for k in range(models):
        share = 0.55 + 0.4 * k / models
        reads = [str(layer) for layer in range(layers)] if layers > 1 else ["-"]
        for task in asked:
            made += [
                fit(f"hf:org/model-{k:03}", share - 0.01 * i, task=task, read=read, n=n)
                for i, read in enumerate(reads)
            ]
    store(made, folder)


def opened(file: Path, browser: str) -> list[float]:
    """Seconds until the page was there, five times in fresh windows."""
    from playwright.sync_api import sync_playwright

    times = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for _ in range(5):
            page = chromium.new_page(viewport={"width": 1600, "height": 900})
            page.goto(file.as_uri())
            page.wait_for_function("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
            times.append(page.evaluate(LOADED) / 1000)
            page.close()
        chromium.close()
    return times


def main() -> None:
    """Time it and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=500)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--examples", type=int, default=200)
    parser.add_argument("--browser")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder, site = Path(place) / "made", Path(place) / "site"
        started = time.perf_counter()
        write(folder, given.models, tasks(given.tasks), given.layers, given.examples)
        written = time.perf_counter()
        files = lingprobe.board(output=site, measure=folder).files
        done = time.perf_counter()
        size = files[0].stat().st_size
        print(f"results: {written - started:.1f} s; board: {done - written:.1f} s")
        print(
            f"index.html: {size:,} bytes; all {len(files):,} pages:"
            f" {sum(f.stat().st_size for f in files):,} bytes"
        )
        if given.browser:
            times = sorted(opened(files[0], given.browser))
            print(f"opened in {times[2]:.2f} s (median of 5; {times[0]:.2f} to {times[-1]:.2f})")


if __name__ == "__main__":
    main()
