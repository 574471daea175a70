"""How long and how fast probes are trained."""

from __future__ import annotations

from math import ceil


def looks(steps, many):
    """After which steps dev is looked at, so many times at even distances."""
    return {round(steps * k / many) for k in range(1, many + 1)}


def early(first):
    """At which steps before the first look the loss on dev is measured: 0, 1, 2, 4 and so on."""
    found, step = {0}, 1
    while step < first:
        found.add(step)
        step *= 2
    return found


def fast(examples, most=1024, least=32, epochs=14, steps=560):
    """Examples of a batch and steps in all: forty batches a pass, none below or above some size nor
    of more than there is, and so many passes or steps.
    """
    batch = min(max(examples // 40, least), most, max(examples, 1))
    return batch, max(epochs * ceil(examples / batch), steps)
