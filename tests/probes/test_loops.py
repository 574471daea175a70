"""Joint training is each cell's own training: same draws, same order, same patience, told from a
plain torch loop.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch

from lingprobe.probes.losses import CURVED_LOSSES
from lingprobe.probes.mlp.blocks import GridNetwork, StackedNetworks
from lingprobe.probes.mlp.grid import GridMember
from lingprobe.probes.mlp.joint import GroupExamples, JointTraining, TrainingProblem
from lingprobe.probes.mlp.loops import train_annealed, train_with_patience
from lingprobe.probes.schedules import AnnealingSchedule, SentEvalLoop
from reference import rates, schedules


def problem(groups=1, n=150, dim=8, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    x = torch.from_numpy(rng.normal(size=(n + 60, dim)).astype(np.float32))
    y = torch.from_numpy(
        (x.numpy() @ rng.normal(size=(dim, classes)) + rng.gumbel(size=(n + 60, classes))).argmax(1)
    )
    train, dev = (
        GroupExamples.of([x[rows]] * groups, [y[rows]] * groups)
        for rows in (slice(n), slice(n, None))
    )
    return TrainingProblem(train, dev, CURVED_LOSSES["softmax"], classes)


def alone(p, member, seed, plan):
    """SentEval's loop for one cell without dropout, with torch's own modules, autograd and Adam."""
    torch_generator = torch.Generator().manual_seed(seed)
    net = torch.nn.Sequential(
        torch.nn.Linear(p.train.inputs.shape[1], member.hidden),
        torch.nn.Sigmoid(),
        torch.nn.Linear(member.hidden, p.outputs),
    )
    with torch.no_grad():
        for layer in (net[0], net[2]):
            bound = layer.in_features**-0.5
            layer.weight.uniform_(-bound, bound, generator=torch_generator)
            layer.bias.uniform_(-bound, bound, generator=torch_generator)
    optimiser = torch.optim.Adam(net.parameters(), lr=plan.rate, weight_decay=member.decay)
    order = torch.Generator().manual_seed(seed)
    best, kept, misses, passes = -1.0, None, 0, 0
    while passes <= plan.max_epoch:
        for _ in range(plan.epoch_size):
            for rows in torch.randperm(len(p.train.wanted), generator=order).split(plan.batch):
                optimiser.zero_grad()
                torch.nn.functional.cross_entropy(
                    net(p.train.inputs[rows]), p.train.wanted[rows], reduction=plan.reduction
                ).backward()
                optimiser.step()
        passes += plan.epoch_size
        accuracy = float((net(p.dev.inputs).argmax(1) == p.dev.wanted).double().mean())
        if accuracy > best:
            best, kept, when = accuracy, copy.deepcopy(net), passes
        else:
            if misses >= plan.tenacity:
                break
            misses += 1
    return best, when, [t.detach().numpy() for t in kept.parameters()]


def annealed(p, member, seed, plan):
    """Our own recipe for one cell without dropout: torch's AdamW, whose decay is of weights and not
    of biases, at the rate of each step, and what was best at a look.
    """
    draws, n = torch.Generator().manual_seed(seed), len(p.train.wanted)
    sizes = [(p.train.inputs.shape[1], member.hidden), (member.hidden, p.outputs)]
    layers = [torch.nn.Linear(*size) for size in sizes]
    with torch.no_grad():
        for layer in layers:
            bound = layer.in_features**-0.5
            layer.weight.uniform_(-bound, bound, generator=draws)
            layer.bias.uniform_(-bound, bound, generator=draws)
    net = torch.nn.Sequential(layers[0], torch.nn.Sigmoid(), layers[1])
    groups = [
        {"params": [layer.weight for layer in layers], "weight_decay": plan.decay},
        {"params": [layer.bias for layer in layers], "weight_decay": 0.0},
    ]
    optimiser, order = torch.optim.AdamW(groups), torch.Generator().manual_seed(seed)
    size, steps = schedules.fast(n, plan.batch, plan.smallest, plan.epochs, plan.steps)
    best, waiting = None, []
    falling = rates.annealed(plan.rate, steps, round(plan.warm * steps))
    for step in range(steps):
        waiting = waiting or list(torch.randperm(n, generator=order).split(size))
        rows = waiting.pop(0)
        for group in optimiser.param_groups:
            group["lr"] = falling[step]
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(
            net(p.train.inputs[rows]), p.train.wanted[rows]
        ).backward()
        optimiser.step()
        if step + 1 in schedules.looks(steps, plan.looks):
            said = net(p.dev.inputs).detach()
            accuracy = float((said.argmax(1) == p.dev.wanted).double().mean())
            if best is None or accuracy > best[0]:
                loss = float(torch.nn.functional.cross_entropy(said, p.dev.wanted))
                kept = [t.detach().clone().numpy() for t in net.parameters()]
                best = accuracy, loss, (step + 1) * size / n, kept
    return best


@pytest.mark.parametrize("looks", [1, 4])
def test_a_cell_that_is_annealed_is_what_plain_torch_makes_of_it(looks):
    plan = AnnealingSchedule(batch=40, smallest=8, steps=40, epochs=2, rate=3e-2, looks=looks)
    [[trained]] = train_annealed(problem(), (3,), [[GridMember(5)]], plan, torch.float32)
    score, loss, passes, layers = annealed(problem(), GridMember(5), 3, plan)
    assert (trained.score, trained.passes) == pytest.approx((score, passes))
    assert trained.loss == pytest.approx(loss, abs=1e-4)
    for mine, theirs in zip(trained.layers, layers, strict=True):
        np.testing.assert_allclose(mine.ravel(), theirs.ravel(), atol=2e-4)


def test_without_dev_a_network_is_kept_as_it_is_at_the_end():
    whole = problem()
    none = GroupExamples.of([whole.dev.inputs[:0]], [whole.dev.wanted[:0]])
    plan = AnnealingSchedule(batch=40, smallest=8, steps=40, epochs=2, looks=4)
    [[trained]] = train_annealed(
        replace(whole, dev=none), (3,), [[GridMember(5)]], plan, torch.float32
    )
    layers = annealed(whole, GridMember(5), 3, replace(plan, looks=1))[-1]
    for mine, theirs in zip(trained.layers, layers, strict=True):
        np.testing.assert_allclose(mine.ravel(), theirs.ravel(), atol=2e-4)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_every_cell_of_a_joint_training_is_what_plain_torch_makes_of_it_alone(reduction):
    members = [GridMember(5), GridMember(5, decay=1e-2), GridMember(9, decay=1e-3)]
    plan = SentEvalLoop(batch=32, max_epoch=24, tenacity=2, rate=1e-2, reduction=reduction)
    p = problem(groups=2)
    for seed, group in zip(
        (3, 4), train_with_patience(p, (3, 4), [members] * 2, plan), strict=True
    ):
        for trained, member in zip(group, members, strict=True):
            best, when, layers = alone(p, member, seed, plan)
            assert trained.member == member
            assert (trained.score, trained.passes) == (pytest.approx(best), when)
            for mine, theirs in zip(trained.layers, layers, strict=True):
                # the same steps in another order of summation: float32 differs in its last digits,
                # Adam multiplies that a little
                np.testing.assert_allclose(mine.ravel(), theirs.ravel(), atol=2e-4)


@pytest.mark.parametrize("hidden", [0, 6])
def test_a_grid_trained_jointly_equals_its_cells_trained_alone(hidden):
    members = [
        GridMember(hidden, p if hidden else 0.0, decay) for p in (0.0, 0.2) for decay in (0.0, 1e-2)
    ]
    members = [*dict.fromkeys(members), GridMember(4, 0.1)]
    p, plan = problem(groups=2), SentEvalLoop(batch=32, max_epoch=12, tenacity=1)
    together = train_with_patience(p, (0, 1), [members] * 2, plan)
    for g, seed in enumerate((0, 1)):
        for i, member in enumerate(members):
            [[single]] = train_with_patience(problem(), (seed,), [[member]], plan)
            assert (together[g][i].score, together[g][i].passes) == (single.score, single.passes)
            for a, b in zip(together[g][i].layers, single.layers, strict=True):
                np.testing.assert_allclose(a, b, atol=1e-5)


def test_an_annealed_grid_equals_its_cells_annealed_alone():
    members = [GridMember(6), GridMember(6, 0.2), GridMember(12, 0.1)]
    plan = AnnealingSchedule(steps=60, epochs=2)
    together = train_annealed(problem(groups=2), (0, 1), [members] * 2, plan, torch.float32)
    for g, seed in enumerate((0, 1)):
        for i, member in enumerate(members):
            [[single]] = train_annealed(problem(), (seed,), [[member]], plan, torch.float32)
            for a, b in zip(together[g][i].layers, single.layers, strict=True):
                np.testing.assert_allclose(a, b, atol=1e-4)


HALVED = AnnealingSchedule(steps=60, epochs=2, cuts=((1 / 4, 3), (1 / 2, 1)))
GRID = [GridMember(h, p) for h in (4, 9) for p in (0.0, 0.2, 0.4)]


def folds(*sizes):
    """Problems of several sizes, and one of all of them."""
    each = [problem(n=n, seed=n) for n in sizes]
    parts = [
        GroupExamples.of(
            [getattr(p, part).inputs for p in each], [getattr(p, part).wanted for p in each]
        )
        for part in ("train", "dev")
    ]
    return each, TrainingProblem(*parts, CURVED_LOSSES["softmax"], 3)


def test_folds_of_unlike_size_trained_jointly_are_what_each_is_alone():
    """Before and after their grids are cut, which each does by its own dev examples."""
    alone, together = folds(140, 147, 150)
    seeds = (0, 0, 3)
    found = train_annealed(together, seeds, [GRID] * 3, HALVED, torch.float32)
    for one, seed, joint in zip(alone, seeds, found, strict=True):
        [[single]] = train_annealed(one, (seed,), [GRID], HALVED, torch.float32)
        [trained] = joint
        assert (trained.member, trained.score) == (single.member, single.score)
        assert trained.loss == pytest.approx(single.loss, abs=1e-5)
        for a, b in zip(trained.layers, single.layers, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-4)
    assert len({each[0].member for each in found}) > 1, (
        "the folds are meant to choose for themselves"
    )


def test_a_grid_is_halved_by_the_loss_on_dev(monkeypatch):
    """Three networks of the lowest loss go on, then one; what is left trains as it would uncut."""
    left = []
    cut = JointTraining.cut

    def watched(self, most):
        losses = {
            lane: loss
            for block in self.blocks
            for lane, (_, loss) in zip(block.lanes, self._judge_block(block).tolist(), strict=True)
        }
        cut(self, most)
        assert sorted(self.lanes) == sorted(sorted(losses, key=losses.__getitem__)[:most])
        left.append(len(self.lanes))

    monkeypatch.setattr(JointTraining, "cut", watched)
    [[best]] = train_annealed(problem(), (0,), [GRID], HALVED, torch.float32)
    assert left == [3, 1]
    [[single]] = train_annealed(problem(), (0,), [[best.member]], HALVED, torch.float32)
    for a, b in zip(best.layers, single.layers, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-4)


def test_patience_is_counted_over_the_whole_run_and_never_reset(monkeypatch):
    """SentEval stops at the sixth look that does not improve, wherever the others were: here after
    sixteen looks.
    """
    pattern = "+++++++---++--+-" + "+" * 30
    looks = []

    def look(self, passes, going):
        looks.append(passes[0])
        for lane in going:
            self.best.offer(lane, (0.0, 0.0, passes[0]), [torch.zeros(1, 1)])
        return going if pattern[len(looks) - 1] == "+" else set()

    monkeypatch.setattr(JointTraining, "look", look)
    monkeypatch.setattr(JointTraining, "step", lambda *_: None)
    train_with_patience(problem(), (0,), [[GridMember(2)]], SentEvalLoop(tenacity=5, epoch_size=4))
    assert len(looks) == 16
    assert pattern[: len(looks)].count("-") == 6


def test_the_last_look_is_the_one_after_max_epoch(monkeypatch):
    """SentEval asks `passes <= max_epoch` before it trains on: 4 / 200 makes up to 204 passes."""
    looks = []

    def look(self, passes, going):
        looks.append(passes[0])
        for lane in going:
            self.best.offer(lane, (0.0, 0.0, passes[0]), [torch.zeros(1, 1)])
        return going

    monkeypatch.setattr(JointTraining, "look", look)
    monkeypatch.setattr(JointTraining, "step", lambda *_: None)
    train_with_patience(
        problem(), (0,), [[GridMember(2)]], SentEvalLoop(epoch_size=4, max_epoch=200)
    )
    assert looks[-1] == 204


def test_a_cell_that_has_stopped_is_left_as_it_was():
    """One group stops at once, the other goes on; what the first had at its best stays."""
    p = problem(groups=2)
    plan = SentEvalLoop(batch=32, tenacity=0, max_epoch=40, rate=3e-2)
    together = train_with_patience(p, (0, 5), [[GridMember(4), GridMember(4, decay=0.3)]] * 2, plan)
    passes = {t.passes for group in together for t in group}
    assert len(passes) > 1, "the cells of this test are meant to stop at different times"
    for seed, group in zip((0, 5), together, strict=True):
        for trained in group:
            [[single]] = train_with_patience(problem(), (seed,), [[trained.member]], plan)
            assert trained.passes == single.passes


BRIEF = [
    AnnealingSchedule(steps=60, epochs=2, batch=40),
    SentEvalLoop(batch=8, rate=5e-2, max_epoch=24),
]


@pytest.mark.parametrize("plan", BRIEF, ids=lambda p: type(p).__name__)
def test_the_state_of_the_lowest_loss_is_kept_beside_that_of_the_best_score(plan, monkeypatch):
    """Of every look, the first ones of a small training set among them; the best by score and its
    draws are as they are without.
    """
    members, p = [GridMember(6, 0.1), GridMember(12)], problem(groups=2, n=40)
    looked = {}

    def judged(self, block):
        found = measure(self, block)
        for k, lane in enumerate(block.lanes):
            looked.setdefault((lane.group, lane.member), []).append(
                (float(found[k, 1]), [t[k].clone().numpy() for t in block.tensors])
            )
        return found

    def fitted(problem):
        if isinstance(plan, SentEvalLoop):
            return train_with_patience(problem, (0, 1), [members] * 2, plan)
        return train_annealed(problem, (0, 1), [members] * 2, plan, torch.float32)

    alone = fitted(p)
    measure = JointTraining._judge_block
    monkeypatch.setattr(JointTraining, "_judge_block", judged)
    for row, group in enumerate(fitted(replace(p, likeliest=True))):
        for one, plain in zip(group, alone[row], strict=True):
            assert plain.likeliest is None
            assert (one.score, one.loss, one.passes) == (plain.score, plain.loss, plain.passes)
            assert all(np.array_equal(a, b) for a, b in zip(one.layers, plain.layers, strict=True))
            looks = looked[row, one.member]
            lowest, tensors = min(looks, key=lambda look: look[0])
            assert one.likeliest.loss == lowest <= one.loss
            assert all(
                np.array_equal(a, b) for a, b in zip(one.likeliest.layers, tensors, strict=True)
            )
            # after 0, 1 and 2 steps before fourteen looks; after 0, 1, 2, 4, 8 and 16 before seven
            assert len(looks) == (3 + 14 if isinstance(plan, AnnealingSchedule) else 6 + 7)


def test_dropout_comes_before_the_sigmoid():
    """A unit that is dropped says 1/2, as in SentEval, and not 0."""
    block = StackedNetworks(
        [GridNetwork(0, 0, 0, GridMember(400, 0.5))], [0], (3, 2), torch.float32
    )
    block.forward(torch.randn(1, 7, 3, generator=torch.Generator().manual_seed(0)), learning=True)
    share = float((block.active == 0.5).float().mean())
    assert share == pytest.approx(0.5, abs=0.06)
    assert float(block.active.min()) > 0


def test_dropout_keeps_the_share_asked_for_and_scales_up_the_rest():
    rates = (0.0, 0.1, 0.2)
    lanes = [GridNetwork(0, 0, k, GridMember(50, rate)) for k, rate in enumerate(rates)]
    block = StackedNetworks(lanes, [0], (3, 2), torch.float32)
    block.forward(torch.randn(1, 2000, 3), learning=True)
    for rate, mask in zip(rates, block.mask, strict=True):
        assert float((mask == 0).float().mean()) == pytest.approx(rate, abs=0.01)
        assert float(mask.max()) == pytest.approx(1 / (1 - rate))


def test_gradients_written_by_hand_are_those_of_autograd():
    for loss, wanted in (
        ("softmax", torch.randint(3, (1, 11))),
        ("sigmoid", torch.where(torch.rand(1, 3, 11) < 0.3, torch.nan, torch.rand(1, 3, 11))),
        ("squared", torch.rand(1, 3, 11)),
    ):
        scores = torch.randn(1, 2, 3, 11, requires_grad=True)
        total = CURVED_LOSSES[loss].judge(scores, wanted)[1].sum()
        total.backward()
        found = CURVED_LOSSES[loss].gradient(scores.detach().clone(), wanted)
        torch.testing.assert_close(found, scores.grad, atol=1e-6, rtol=1e-5)
        values, again = CURVED_LOSSES[loss].both(scores.detach().clone(), wanted)
        torch.testing.assert_close(again, scores.grad, atol=1e-6, rtol=1e-5)
        torch.testing.assert_close(values.sum(), total.detach())
