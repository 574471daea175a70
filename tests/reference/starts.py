"""What an edge probe starts from, in plain loops."""

from __future__ import annotations

from math import log


def priors(sets, names, loss, rarest=1e-4):
    """The score of each label that says how often it holds among the examples that it is annotated
    in: the logarithm of that share under a softmax, of its odds under sigmoids.

    sets  of each example the weights of labels by name, None where one is not annotated
    """
    found = []
    for name in names:
        known = [each[name] for each in sets if each[name] is not None]
        share = min(max(sum(known) / max(len(known), 1), rarest), 1 - rarest)
        found.append(log(share) if loss == "softmax" else log(share / (1 - share)))
    return found


def shapes(dim, sides, labels, design, layers):
    """The tensors of the network of Tenney et al. 2019, section 3.1 and appendix C, in the order in
    which they are drawn: the shape of each, and the inputs of the layer it is of; 0 for those that
    are not drawn.

    design  its settings by name; `layers` of a mix, 0 for none
    """
    width, hidden = design["projection"] or dim, design["hidden"]
    made, parts = {}, 0
    for side in range(sides + design["bag"]):
        bag = side == sides
        if design["projection"]:
            made[f"project.{side}"] = (width, dim), dim
            made[f"project-bias.{side}"] = (width,), dim
        if not bag:
            made[f"attend.{side}"] = (width,), width
        parts += 2 if design["pool"] == "endpoints" and not bag else 1
    made["first"] = (hidden or labels, parts * width), parts * width
    made["first-bias"] = (hidden or labels,), parts * width
    if hidden:
        if design["norm"]:
            made["norm"] = made["norm-bias"] = (hidden,), 0
        made["last"] = (labels, hidden), hidden
        made["last-bias"] = (labels,), hidden
    if layers:
        made["mix"] = (layers,), 0
        if design["gamma"]:
            made["gamma"] = (), 0
    return made
