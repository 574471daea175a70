"""A joint training as plain arrays, and back; a training that goes on from there ends in the same
bits.

The order of examples is not in it: it is drawn again from the start, which takes no time beside
training.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lingprobe.data.checkpoints import State, name_of_fit
from lingprobe.probes.mlp.blocks import Block, Lane
from lingprobe.probes.mlp.joint import Best, Joint, Part, Problem

Arrays = dict[str, NDArray[Any]]


def name_of(problem: Problem, *settings: object) -> str:
    """Stands for all that a training is given."""
    parts = problem.train, problem.dev
    said = [(part.counts, part.inputs.dtype, part.inputs.device.type) for part in parts]
    return name_of_fit((settings, said), (_bytes(t) for part in parts for t in _part_tensors(part)))


def _part_tensors(part: Part) -> Iterable[Tensor]:
    return (t for t in (part.inputs, part.wanted, part.first, part.chosen) if t is not None)


def _bytes(tensor: Tensor) -> NDArray[Any]:
    """The bytes of a tensor of any format, rows of the same length as its own."""
    whole = tensor.contiguous().cpu()
    return whole.view(torch.uint8).numpy() if whole.ndim else whole.numpy()


def state_of(joint: Joint, **more: Any) -> State:
    """The state of a training, and what its loop knows besides."""
    arrays: Arrays = {}
    facts: dict[str, Any] = {"running": numbers(joint.lanes), "blocks": [], **more}
    for k, block in enumerate(joint.blocks):
        noise = {seed: _noise(one) for seed, one in block.noise.items()}
        facts["blocks"].append({"lanes": numbers(block.lanes), "noise": list(noise)})
        arrays |= {f"{k}.noise.{seed}": state for seed, state in noise.items()}
        arrays |= {f"{k}.{name}": tensor.cpu().numpy() for name, tensor in _tensors(block)}
    for name, best in _bests(joint):
        facts[name] = numbers(best.looks)
        arrays[f"{name}.looks"] = np.array(list(best.looks.values()), np.float64).reshape(-1, 3)
        for k, tensors in enumerate(best.tensors[lane] for lane in best.looks):
            arrays |= {f"{name}.{k}.{i}": tensor.cpu().numpy() for i, tensor in enumerate(tensors)}
    return State(facts, arrays)


def restore(joint: Joint, state: State) -> None:
    """Bring a training that has not begun to a state of the same one."""
    facts, arrays = state.facts, state.arrays
    known = {(lane.group, lane.number): lane for lane in joint.lanes}
    joint.keep({lane for block in facts["blocks"] for lane in lanes(block["lanes"], known)})
    joint.lanes = lanes(facts["running"], known)
    for k, (block, said) in enumerate(zip(joint.blocks, facts["blocks"], strict=True)):
        for seed in said["noise"]:
            block.noise[seed].state = _noise_from(arrays[f"{k}.noise.{seed}"])
        for name, tensor in _tensors(block):
            tensor.copy_(_tensor(arrays[f"{k}.{name}"]).view_as(tensor))
    for name, best in _bests(joint):
        for k, lane in enumerate(lanes(facts[name], known)):
            score, loss, passes = arrays[f"{name}.looks"][k].tolist()
            best.looks[lane] = score, loss, passes
            kept = [f"{name}.{k}.{i}" for i in range(4 if lane.member.hidden else 2)]
            best.tensors[lane] = [_tensor(arrays[each]).to(joint.device) for each in kept]


def numbers(some: Iterable[Lane]) -> list[list[int]]:
    """Lanes as their groups and numbers."""
    return [[lane.group, lane.number] for lane in some]


def lanes(some: Sequence[Sequence[int]], known: Mapping[tuple[int, int], Lane]) -> list[Lane]:
    """Lanes by their groups and numbers."""
    return [known[group, number] for group, number in some]


def _bests(joint: Joint) -> list[tuple[str, Best]]:
    likeliest = [("likeliest", joint.likeliest)] if joint.likeliest is not None else []
    return [("best", joint.best), *likeliest]


def _tensors(block: Block) -> Iterable[tuple[str, Tensor]]:
    """All tensors of a block that training changes, by name."""
    adam = block.adam
    columns = {"now": block.tensors, "first": adam.first, "second": adam.second, "step": adam.steps}
    return (
        (f"{name}.{i}", tensor) for name, each in columns.items() for i, tensor in enumerate(each)
    )


def _tensor(array: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.array(array))  # files are read-only


def _noise(generator: np.random.SFC64) -> NDArray[np.uint64]:
    """The four words that a generator's draws of 64 bits follow from."""
    state: NDArray[np.uint64] = generator.state["state"]["state"]
    return state


def _noise_from(words: NDArray[np.uint64]) -> Any:
    state = {"state": np.array(words)}
    return {"bit_generator": "SFC64", "state": state, "has_uint32": 0, "uinteger": 0}
