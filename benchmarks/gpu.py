"""Every figure of a GPU in one script, within eight minutes, on a machine without data or network.

usage: python benchmarks/gpu.py [--device cuda] [--minutes 8] [--only encode,fits,span] [--out FILE]
       python benchmarks/gpu.py --tiny --device cpu     (the same on sizes of nothing, as a test)

Needs lingprobe with torch and transformers, and nothing else: sentences are drawn with lengths as
in UD_English-EWT, weights at random in the shapes of MiniLM, multilingual-e5-small and a Llama of
seven billion parameters, since how fast a model is does not depend on what it knows.

encode  `hf:`'s passes against the loop that people write with plain transformers (`large.py`):
        sentences a second, the share of the peak of products, peak memory; the loop's vectors must
        be the same
fits    the grid of `mlp` and the whole grid for three seeds, against the processor
span    1, 13 and 81 layers trained side by side, against the processor, a step

Each figure is a line of JSON beside the text. Each part begins only if there is time for it; what
was left out is said. What is compared is timed in the same process, after a warm-up, with the
device idle before and after.
"""

from __future__ import annotations

import argparse
import functools
import json
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import fits
import large
import numpy as np
import torch

from lingprobe.data.core import Cell, Dataset, Example, Sentence, Site
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Spans, Vectors
from lingprobe.encoders.forward import ForwardPass
from lingprobe.encoders.frames import DEFAULT_PROMPT_FRAME
from lingprobe.encoders.model_files import in_precision
from lingprobe.encoders.network import LoadedModel, try_network
from lingprobe.nets.device import fitting_on
from lingprobe.probes import PROBES
from lingprobe.probes.schedules import AnnealingSchedule
from lingprobe.probes.span import probe as span

WORDS, LONGEST = 4000, 60
ALIKE = 0.99  # least cosine of a vector with the loop's, in bfloat16


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    shapes  of models, each with how many sentences it reads and the tokens of a batch
    layers  of `span`, and how many examples and steps it has
    """

    shapes: dict[str, tuple[int, tuple[int, ...]]]
    probes: tuple[str, ...]
    examples: int
    dim: int
    layers: tuple[int, ...]
    spans: int
    steps: int


FULL = Sizes(
    {
        "minilm": (8192, (1024, 16384)),
        "e5": (8192, (1024, 16384)),
        "7b": (2048, (1024, 8192)),
    },
    ("mlp", "mlp,protocol=full"),
    20_000,
    768,
    (1, 13, 81),
    4_000,
    40,
)
TINY = Sizes({"tiny": (48, (256,))}, ("mlp,hidden=0",), 120, 16, (1, 3), 60, 4)


@dataclass
class Report:
    """Figures as they come in, and how much time is left for more."""

    device: str
    seconds: float
    out: Path | None
    start: float = field(default_factory=time.perf_counter)

    def tell(self, what: str, **figures: Any) -> None:
        """Print figures, and keep them as a line of JSON."""
        told = ", ".join(f"{name} {value}" for name, value in figures.items())
        print(f"{what}: {told}", flush=True)
        if self.out is not None:
            with self.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"what": what, **figures}) + "\n")

    def has(self, needed: float, what: str) -> bool:
        """Whether there are so many seconds left; says it where there are not."""
        left = self.seconds - (time.perf_counter() - self.start)
        if left < needed:
            self.tell(what, left_out=f"{left:.0f} s are left, and it may take {needed:.0f} s")
        return left >= needed

    def timed(self, work: Callable[[], Any]) -> tuple[float, Any]:
        """Seconds that work takes with the device idle before and after, and what it gives."""
        return large.timed(work, self.device)


def sentences(many: int) -> list[Sentence]:
    """Sentences of drawn words; lengths are spread as those of web text (mean 16 words)."""
    rng = np.random.default_rng(0)
    lengths = np.clip(rng.lognormal(2.5, 0.75, many).astype(int), 1, LONGEST)
    ranks = np.minimum(rng.zipf(1.3, int(lengths.sum())), WORDS)
    words = iter(f"w{rank:x}" for rank in ranks.tolist())
    return [Sentence.of([next(words) for _ in range(n)]) for n in lengths.tolist()]


def encode(report: Report, sizes: Sizes) -> None:
    """Models of several shapes against the loop."""
    best = large.peak(report.device)
    report.tell("products", tflops=round(best / 1e12, 2))
    for shape, (many, batches) in sizes.shapes.items():
        if report.has({"7b": 150}.get(shape, 30) if sizes is FULL else 0, f"encode {shape}"):
            _encode(report, shape, sentences(many), batches, best)
            if report.device.startswith("cuda"):
                torch.cuda.empty_cache()


def _encode(
    report: Report, shape: str, given: Sequence[Sentence], batches: Sequence[int], best: float
) -> None:
    texts = [sentence.text for sentence in given]
    model, tokenizer = large.drawn(shape, texts, report.device)
    loop, weights, tokens = large.loop_of(model, tokenizer, texts, report.device)
    loop(texts[:64])
    base, wanted = report.timed(lambda: loop(texts))
    told = {"weights": weights, "tokens": tokens}
    report.tell(f"encode {shape}, loop", **told, **_speed(base, base, texts, tokens, weights, best))
    ready = LoadedModel(in_precision(model, "bfloat16"), tokenizer, report.device, "bfloat16")
    network = try_network(ready, shape)
    asked = [(str(len(network.widths) - 1), "mean")]
    for size in batches:
        passes = ForwardPass(network, DEFAULT_PROMPT_FRAME, True, size)
        passes.run(given[:64], asked)
        if report.device.startswith("cuda"):
            torch.cuda.reset_peak_memory_stats()
        seconds, units = report.timed(lambda passes=passes: passes.run(given, asked))
        got = np.asarray(units.layers[0], np.float32)
        norms = np.linalg.norm(got, axis=1) * np.linalg.norm(wanted, axis=1)
        cosine = float(((got * wanted).sum(1) / norms).min())
        report.tell(
            f"encode {shape}, lingprobe, tokens={size}",
            **_speed(seconds, base, texts, tokens, weights, best),
            least_cosine=round(cosine, 4),
            memory_gib=round(_memory(report.device), 2),
        )
        assert cosine > ALIKE, f"{shape}: vectors differ from the loop's"


def _speed(
    seconds: float, base: float, texts: Sequence[str], tokens: int, weights: int, best: float
) -> dict[str, float]:
    """Sentences a second, how many times as fast as the loop, and the share of the peak."""
    return {
        "per_second": round(len(texts) / seconds),
        "times_the_loop": round(base / seconds, 2),
        "share_of_peak": round(2 * weights * tokens / seconds / best, 3),
    }


def _memory(device: str) -> float:
    """The most memory of a GPU that was taken, in GiB."""
    return torch.cuda.max_memory_allocated() / 2**30 if device.startswith("cuda") else 0.0


def compare_fits(report: Report, sizes: Sizes) -> None:
    """Probes on vectors, against the processor."""
    given, small = fits.readings(sizes.examples, sizes.dim), fits.readings(120, sizes.dim)
    for probe in sizes.probes:
        if not report.has(40 if sizes is FULL else 0, f"fit {probe}"):
            continue
        fits.fitted(probe, small, report.device)
        there, first = fits.fitted(probe, given, report.device)
        here, second = fits.fitted(probe, given, "cpu")
        told = fits.compared(first, second, given.split("test"))
        report.tell(f"fit {probe}", **_times(there, here), answers=told)


def compare_span(report: Report, sizes: Sizes) -> None:
    """Edge probes of several layers side by side, a step, against the processor."""
    plan = span.EDGE_PROTOCOLS["fast"].plan
    assert isinstance(plan, AnnealingSchedule)
    for many in sizes.layers:
        if not report.has(20 + 2 * many if sizes is FULL else 0, f"span of {many} layers"):
            continue
        given = layered(sizes.spans, sizes.dim, many)
        reads, seconds = [str(n) for n in range(many)], []
        for device in (report.device, "cpu"):
            for steps in (2, sizes.steps):  # the first warms up
                short = replace(plan, steps=steps, epochs=1, looks=1)
                span.EDGE_PROTOCOLS["fast"] = replace(span.EDGE_PROTOCOLS["fast"], plan=short)
                with fitting_on(device):
                    took, _ = report.timed(functools.partial(_fit, given, reads))
            seconds.append(took / sizes.steps)
        there, here = seconds
        report.tell(
            f"span of {many} layers, a step",
            **_times(there, here),
            memory_gib=round(_memory(report.device), 2),
        )
    span.EDGE_PROTOCOLS["fast"] = replace(span.EDGE_PROTOCOLS["fast"], plan=plan)


def _fit(given: Readings, reads: Sequence[str]) -> Any:
    cells = tuple(Cell(read, 0) for read in reads)
    return PROBES.make("span").fit(given.split("train"), given.split("dev"), cells=cells)


def _times(there: float, here: float) -> dict[str, float]:
    return {
        "device_s": round(there, 4),
        "processor_s": round(here, 4),
        "times": round(here / there, 2),
    }


def layered(examples: int, dim: int, layers: int) -> Readings:
    """Sentences of twelve units with two spans, their vectors in several layers."""
    rng, units = np.random.default_rng(0), 12
    each = rng.normal(size=(examples * units, dim)).astype(np.float32)
    made = []
    for i in range(examples):
        sentence = Sentence.of([f"s{i}w{w}" for w in range(units)])
        split = ("train", "train", "train", "dev")[i % 4]
        sites = Site(sentence, (0, 3)), Site(sentence, (5, 9))
        made.append(Example(sites, f"c{int(each[i * units, 0] > 0)}", split))
    ends = np.arange(examples * units + 1)
    spans = Spans(ends[::units], np.stack([ends[:-1], ends[1:]], 1), ends[::units])
    # layers are views of one array, since only their number matters here
    names = tuple(str(n) for n in range(layers))
    return Readings(Dataset.of(made), Vectors((each,) * layers, names, spans))


PARTS = {"encode": encode, "fits": compare_fits, "span": compare_span}


def machine(device: str) -> Iterator[tuple[str, str]]:
    """What is measured on."""
    yield "processor", platform.processor() or platform.machine()
    yield "threads", str(torch.get_num_threads())
    yield "torch", torch.__version__
    if device.startswith("cuda"):
        yield "device", torch.cuda.get_device_name()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--tiny", action="store_true")
    args = parser.parse_args()
    if args.device.startswith("cuda") and not torch.cuda.is_available():
        print("no GPU that torch can use is here, so none was measured; --tiny --device cpu tries")
        return 1
    report = Report(args.device, 60 * args.minutes, args.out)
    report.tell("machine", **dict(machine(args.device)))
    for name in args.only.split(","):
        PARTS[name](report, TINY if args.tiny else FULL)
    print(f"{time.perf_counter() - report.start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
