"""Fits on another device than the processor: nothing stays behind on the processor, and the same
numbers are drawn, so that fits are the same.

No GPU is needed: `elsewhere` is a device that refuses what a GPU refuses, and computes as the
processor does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from lingprobe.data.core import Cell, DataProblem, Dataset, Example, Sentence
from lingprobe.data.errors import UsageProblem
from lingprobe.data.reading import Readings
from lingprobe.data.vectors import Vectors
from lingprobe.nets import device, memory
from lingprobe.probes import PROBES
from lingprobe.probes.mlp import probe as mlp
from lingprobe.probes.mlp.joint import JointTraining
from lingprobe.probes.relatedness import probe as relatedness
from lingprobe.probes.schedules import AnnealingSchedule
from lingprobe.probes.span import probe as span
from lingprobe.probes.span import room as span_room
from lingprobe.probes.span.training import NetworkTraining
from probes import elsewhere as elsewhere_module
from probes.elsewhere import MOVES, elsewhere
from probes.pairs import scored_pairs
from probes.test_span import readings as spans


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    """Fewer steps: what a step does is the same in all of them."""
    for protocols in (mlp.GRID_PROTOCOLS, relatedness._PROTOCOLS):
        for name, one in protocols.items():
            plan = (
                replace(one.plan, epochs=1, steps=12, looks=3)
                if isinstance(one.plan, AnnealingSchedule)
                else replace(one.plan, epoch_size=1, max_epoch=3)
            )
            monkeypatch.setitem(protocols, name, replace(one, plan=plan))
    for name, one in span.EDGE_PROTOCOLS.items():
        plan = (
            replace(one.plan, steps=6, epochs=1, looks=2)
            if isinstance(one.plan, AnnealingSchedule)
            else replace(one.plan, interval_small=3, most=2)
        )
        monkeypatch.setitem(span.EDGE_PROTOCOLS, name, replace(one, plan=plan))


@pytest.fixture
def away(monkeypatch):
    """A device that is not the processor, which probes are fitted on."""
    with elsewhere() as place:
        monkeypatch.setattr(device, "fit_device", lambda: place)
        yield place


def classes(sizes=(130, 40, 20), dim=70, labels=None):
    """Three classes in vectors of numbers at random."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(sum(sizes), dim)).astype(np.float32)
    best = (x @ rng.normal(size=(dim, 3))).argmax(1)
    given = [labels(k) if labels else f"c{k}" for k in best.tolist()]
    splits = np.repeat(["train", "dev", "test"], sizes).tolist()
    examples = [
        Example.about(Sentence.of((f"s{i}",)), y, s)
        for i, (y, s) in enumerate(zip(given, splits, strict=True))
    ]
    return Readings(Dataset.of(examples), Vectors((x, x[:, ::-1].copy()), ("0", "1")))


def sets():
    """The same as sets of labels, of which some are not annotated."""
    return classes(labels=lambda k: {"a": k == 0, "b": None if k == 1 else 1.0})


def said(probe, given, reads, seeds=(0, 1)):
    """What the fits of a probe say of test, and what is told of them."""
    cells = tuple(Cell(read, seed) for read in reads for seed in seeds)
    cells += tuple(cell._replace(by="loss") for cell in cells)
    fits = PROBES.make(probe).fit(given.split("train"), given.split("dev"), cells=cells)
    return [(fit.predict(given.split("test")).scores, fit.choice) for fit in fits]


PROBED = [
    ("mlp,precision=float32", classes, ("0", "1")),
    ("mlp,precision=bf16", classes, ("0", "1")),
    ("mlp,precision=float32,hidden=0", sets, ("0",)),
    ("mlp,precision=float32,protocol=full,hidden=20", scored_pairs, ("-",)),
    ("mlp,protocol=acl18,hidden=10,l2=0.01", classes, ("0", "1")),
    ("mlp,protocol=senteval", lambda: classes((130, 0, 20)), ("0",)),  # tuned on folds
    ("relatedness", scored_pairs, ("-",)),
    ("relatedness,protocol=senteval", scored_pairs, ("-",)),
    ("span", spans, ("1", "mix", "cat:0+1")),
    ("span,protocol=tenney,pool=endpoints,loss=softmax", spans, ("1", "mix:0-1")),
    ("span,protocol=jiant,pool=max,layer_norm=true", spans, ("mix",)),
    ("span,pool=mean,bag=true,context=1,projection=0,hidden=0", spans, ("1",)),
]


@pytest.mark.parametrize(("probe", "make", "reads"), PROBED, ids=[each[0] for each in PROBED])
def test_fits_elsewhere_are_those_of_the_processor(probe, make, reads, request):
    given = make()
    expected = said(probe, given, reads)
    request.getfixturevalue("away")
    found = said(probe, given, reads)
    for (scores, choice), (wanted, told) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(scores, wanted)
        assert dict(choice) == dict(told)


def test_what_stays_on_the_processor_is_found(away):
    """That the test above can fail."""
    there = torch.ones(3).to(away)
    with pytest.raises(RuntimeError, match="on the processor"):
        there + torch.ones(3)
    with pytest.raises(TypeError, match="call cpu"):
        there.numpy()
    assert (there + 1).cpu().tolist() == [2, 2, 2]


def test_the_kind_of_device_belongs_to_a_probe(monkeypatch):
    probes = [PROBES.make(name) for name in ("relatedness", "span")]
    mlp = PROBES.make("mlp")
    assert {probe.fingerprint for probe in probes} == {"cpu"}
    monkeypatch.setattr(device, "_cuda_is_possible", lambda: True)
    with device.fitting_on("cuda:1"):
        assert {probe.device for probe in probes} == {"cuda:1"}
        assert {probe.fingerprint for probe in probes} == {"cuda"}
        # half precision is up to the device, and published recipes are float32 on all of them
        monkeypatch.setattr(device, "_capability", lambda: (8, 0))
        assert mlp.fingerprint == "bf16 cuda"
        assert PROBES.make("mlp,protocol=senteval").fingerprint == "float32 cuda"
    assert probes[0].device == "cpu"


def test_a_device_that_cannot_fit_is_refused(monkeypatch):
    with pytest.raises(UsageProblem, match="probe_device='mps'"):
        device.fitting_on("mps")
    monkeypatch.setattr(device, "_cuda_is_possible", lambda: False)
    with device.fitting_on("cuda"), pytest.raises(DataProblem, match="no CUDA device"):
        device.fit_device()
    monkeypatch.setenv(device.DEVICE_VARIABLE, "mps")  # what auto is for encoders
    with device.fitting_on("auto"):
        assert device.fit_device() == "cpu"


@pytest.mark.parametrize("most", [1, 2])
def test_fits_that_have_no_room_together_are_made_in_halves(most):
    asked = []

    def fit(items):
        asked.append(len(items))
        if len(items) > most:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")
        return [10 * item for item in items]

    assert device.in_halves(fit, range(5)) == [0, 10, 20, 30, 40]
    assert asked[0] == 5
    assert max(asked[1:]) < 5


def test_one_fit_without_room_is_told():
    def fit(items):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

    with pytest.raises(DataProblem, match=r"no memory for one fit \(.*2 GiB\).*probe_device=cpu"):
        device.in_halves(fit, ["mine"])


def test_reads_of_the_span_probe_are_halved_alike(monkeypatch):
    """Networks that are trained in halves are those that are trained together."""
    given, train = spans(), span.SpanProbe._together
    expected = said("span", given, ("0", "1", "mix"))
    asked = []

    def small(self, parts, reads, seed, likeliest):
        asked.append(len(reads))
        if len(reads) > 1:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")
        return train(self, parts, reads, seed, likeliest)

    monkeypatch.setattr(span.SpanProbe, "_together", small)
    for (scores, _), (wanted, _) in zip(
        said("span", given, ("0", "1", "mix")), expected, strict=True
    ):
        np.testing.assert_allclose(scores, wanted, rtol=1e-4, atol=1e-4)
    assert set(asked) == {1, 2, 3}


@pytest.mark.parametrize(
    ("probe", "make", "reads"),
    [
        ("mlp,precision=float32", classes, ("0", "1")),
        ("span", spans, ("0", "1", "mix")),
    ],
)
def test_fits_under_a_bound_are_those_without_one(probe, make, reads, monkeypatch):
    """What does not fit into memory together is done in parts, and comes to the same."""
    given, asked = make(), []
    expected = said(probe, given, reads)
    for module in (memory, span_room, mlp):
        kept = module.at_most
        monkeypatch.setattr(
            module, "at_most", lambda *a, kept=kept: asked.append(kept(*a)) or asked[-1]
        )
    with memory.limit_memory("1kB"):
        found = said(probe, given, reads)
    assert asked
    assert max(asked) <= 500
    for (scores, _), (wanted, _) in zip(found, expected, strict=True):
        np.testing.assert_allclose(scores, wanted, rtol=1e-2, atol=2e-2)  # of a search's end


READS = (torch.ops.aten._local_scalar_dense.default, torch.ops.aten.nonzero.default)


@pytest.mark.parametrize(
    ("probe", "make", "reads", "step"),
    [
        ("span", spans, ("1", "mix"), (NetworkTraining, "step")),
        ("span,protocol=jiant", spans, ("mix",), (NetworkTraining, "step")),
        ("mlp,precision=float32", classes, ("0",), (JointTraining, "step")),
        ("mlp,precision=float32,protocol=senteval", classes, ("0",), (JointTraining, "step")),
    ],
)
def test_within_a_step_nothing_is_read_back(probe, make, reads, step, away, monkeypatch):
    """A GPU would have to be waited for."""
    inside, read, steps = [False], [], []
    work, compute = getattr(*step), elsewhere_module._done

    def watch_step(*given, **named):
        inside[0] = True
        steps.append(probe)
        try:
            return work(*given, **named)
        finally:
            inside[0] = False

    def watch_operation(func, args, kwargs):
        back = func in MOVES and torch.device((kwargs or {}).get("device") or "meta").type == "cpu"
        if inside[0] and (back or func in READS):
            read.append(str(func))
        return compute(func, args, kwargs)

    monkeypatch.setattr(*step, watch_step)
    monkeypatch.setattr(elsewhere_module, "_done", watch_operation)
    said(probe, make(), reads)
    assert len(steps) > 3
    assert not read
    inside[0] = True  # that it would be seen
    assert float(torch.ones(1).to(away).sum()) == 1
    assert read
