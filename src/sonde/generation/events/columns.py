"""What the columns of any language are put together from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sonde.generation.events.language import Column, Texts


def word(text: str, role: str) -> Column:
    """One word that is always the same."""
    return Column(np.array(f"{text} ", object), np.array(f"{role} ", object), ())


def texts(words: Iterable[str]) -> Texts:
    """Words as columns have them, each with a space after it; nothing stays nothing."""
    return np.array([f"{text} " if text else "" for text in words], object)


def same(role: str, shape: Sequence[int]) -> Texts:
    """One role whatever the words are."""
    return np.broadcast_to(np.array(f"{role} ", object), tuple(shape))


def under(roles: Texts, prefix: str) -> Texts:
    """Roles with a prefix before each."""
    if not prefix:
        return roles
    prefixed = np.frompyfunc(lambda text: "".join(f"{prefix}{r} " for r in text.split()), 1, 1)
    return prefixed(roles)  # type: ignore[no-any-return]
