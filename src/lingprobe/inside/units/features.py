"""States -> features of a sparse autoencoder, and back; and the encoder with directions at random.

Bricken et al. 2023 (standard), Gao et al. 2024 (top-k), Rajamanoharan et al. 2024 (gated;
JumpReLU), as SAELens computes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lingprobe.data.vectors import Floats
from lingprobe.inside.units.recipes import AutoencoderFolder, AutoencoderRecipe

ENCODING_BATCH_ROWS = 1024  # states that are encoded at a time


@dataclass(frozen=True)
class SparseAutoencoder:
    """A folder that is ready to be used; `scale` is what states are multiplied by first."""

    folder: AutoencoderFolder
    scale: float = 1.0

    @property
    def units(self) -> int:
        """How many features there are."""
        return int(self.folder.tensors["W_enc"].shape[1])

    def encode(self, states: Floats) -> Floats:
        """The features of some states [n, dim], [n, units] float32."""
        tensors, recipe = self.folder.tensors, self.folder.recipe
        x = self._scale(states)[0]
        if recipe.subtract:
            x = x - tensors["b_dec"]
        before = x @ tensors["W_enc"]
        if recipe.kind == "gated":
            active = before + tensors["b_gate"] > 0
            size = before * np.exp(tensors["r_mag"]) + tensors["b_mag"]
            return np.where(active, np.maximum(size, 0), np.float32(0))
        before += tensors["b_enc"]
        if recipe.rescale:
            before *= np.linalg.norm(tensors["W_dec"], axis=1)
        if recipe.kind == "jumprelu":
            return np.where(before > tensors["threshold"], np.maximum(before, 0), np.float32(0))
        if recipe.kind == "groupmax":
            return _largest_of_groups(before, recipe.k)
        return np.maximum(before, 0) if recipe.kind == "standard" else _largest(before, recipe.k)

    def rebuild(self, states: Floats) -> Floats:
        """What the decoder makes of the features of some states, [n, dim]."""
        tensors, recipe = self.folder.tensors, self.folder.recipe
        features = self.encode(states)
        if recipe.rescale:
            features = features / np.linalg.norm(tensors["W_dec"], axis=1)
        _, shift, factor = self._scale(states)
        rebuilt: Floats = (features @ tensors["W_dec"] + tensors["b_dec"]) * factor + shift
        return rebuilt

    def explained_share(self, states: Floats) -> float:
        """The share of the variance of some states [n, dim] that the decoder gives back."""
        given = self.centre(states)
        lost = 0.0
        for start in range(0, len(states), ENCODING_BATCH_ROWS):
            part = slice(start, start + ENCODING_BATCH_ROWS)
            error = given[part].astype(np.float64) - self.rebuild(states[part])
            lost += float(np.square(error).sum())
        total = np.square(given - given.mean(0, dtype=np.float64)).sum()
        return 1 - lost / max(float(total), 1e-30)

    def centre(self, states: Floats) -> Floats:
        """The states as the autoencoder was given them: each with mean 0 where TransformerLens made
        them so.
        """
        if not self.folder.recipe.centred:
            return states
        return np.asarray(states - states.mean(1, keepdims=True), np.float32)

    def _scale(self, states: Floats) -> tuple[Floats, Floats, Floats]:
        """States at the scale that is asked for, and the shift and factor [n, 1] that undo it."""
        x, dim = self.centre(states), np.float32(states.shape[1])
        none = np.zeros((len(x), 1), np.float32)
        if self.folder.recipe.norm == "constant_norm_rescale":
            factor = np.linalg.norm(x, axis=1, keepdims=True) / np.sqrt(dim)
            factor = np.maximum(factor, np.float32(1e-30))
            return x / factor, none, factor
        if self.folder.recipe.norm == "layer_norm":
            shift = x.mean(1, keepdims=True)
            spread = (x - shift).std(1, ddof=1, keepdims=True)
            return (x - shift) / (spread + np.float32(1e-5)), shift, spread
        return x * np.float32(self.scale), none, np.full_like(none, 1 / self.scale)


def _largest(values: Floats, k: int) -> Floats:
    """The k largest of each row that are above 0, and 0 elsewhere."""
    features = np.zeros_like(values)
    if k:
        where = np.argpartition(values, -k, axis=1)[:, -k:]
        kept = np.maximum(np.take_along_axis(values, where, 1), 0)
        np.put_along_axis(features, where, kept, 1)
    return features


def _largest_of_groups(values: Floats, k: int) -> Floats:
    """The largest of each of k groups of neighbours, where it is above 0, and 0 elsewhere."""
    groups = np.maximum(values, 0).reshape(len(values), k, -1)
    largest = groups.argmax(2)[:, :, None]
    features = np.zeros_like(groups)
    np.put_along_axis(features, largest, np.take_along_axis(groups, largest, 2), 2)
    return features.reshape(values.shape)


def draw_directions(folder: AutoencoderFolder, k: int, seed: int) -> AutoencoderFolder:
    """Random directions of the same number, as many active: the same encoder with directions
    sampled at random, of which the k largest are kept; their norms stay, and so does the point that
    is the middle of features.
    """
    tensors, draws = folder.tensors, np.random.default_rng([seed, 43])
    weights = tensors["W_enc"]
    drawn = draws.normal(size=weights.shape).astype(np.float32)
    drawn *= np.linalg.norm(weights, axis=0) / np.linalg.norm(drawn, axis=0)
    recipe = AutoencoderRecipe("topk", folder.recipe.layer, k, False, folder.recipe.norm)
    bias = -_middle(folder) @ drawn
    return AutoencoderFolder(
        replace(recipe, centred=folder.recipe.centred), {"W_enc": drawn, "b_enc": bias}
    )


def _middle(folder: AutoencoderFolder) -> Floats:
    """The point that features are measured from [dim]: the decoder's bias where it is taken away,
    else where all pre-activations are nearest to none.
    """
    tensors = folder.tensors
    if folder.recipe.subtract:
        return tensors["b_dec"]
    bias = tensors["b_gate" if folder.recipe.kind == "gated" else "b_enc"]
    # by the normal equations, since there are many more units than dimensions
    weights = tensors["W_enc"].astype(np.float64)
    found = np.linalg.lstsq(weights @ weights.T, weights @ -bias, rcond=None)[0]
    return np.asarray(found, np.float32)
