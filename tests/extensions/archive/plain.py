"""Recurrent cells as the papers write them, one sentence and one word at a time, in float64."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(words, state, layer=0, side="", prefix=""):
    """The states of an LSTM by torch's names of weights [words, hidden], in the order of words."""
    w, u, b, c = (
        state[f"{prefix}{name}_l{layer}{side}"].double().numpy()
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    hidden = np.zeros(u.shape[1])
    memory = hidden.copy()
    states = []
    for word in words[::-1] if side else words:
        take, keep, new, give = np.split(w @ word + b + u @ hidden + c, 4)
        memory = sigmoid(keep) * memory + sigmoid(take) * np.tanh(new)
        hidden = sigmoid(give) * np.tanh(memory)
        states.append(hidden)
    return np.array(states[::-1] if side else states)


def bilstm(words, state, layers=1, prefix=""):
    """The states of all layers of a bidirectional LSTM, from the lowest."""
    made = []
    for layer in range(layers):
        sides = [lstm(words, state, layer, side, prefix) for side in ("", "_reverse")]
        words = np.concatenate(sides, 1)
        made.append(words)
    return made


def gru(words, arrays, prefix):
    """The states of a GRU as Kiros et al. (2015, equations 1 to 4) write it."""
    hidden = np.zeros(arrays[f"{prefix}_Ux"].shape[0])
    states = []
    for word in words:
        both = word @ arrays[f"{prefix}_W"] + arrays[f"{prefix}_b"] + hidden @ arrays[f"{prefix}_U"]
        reset, update = np.split(sigmoid(both.astype(np.float64)), 2)
        new = np.tanh(
            word @ arrays[f"{prefix}_Wx"]
            + arrays[f"{prefix}_bx"]
            + reset * (hidden @ arrays[f"{prefix}_Ux"])
        )
        hidden = update * hidden + (1 - update) * new
        states.append(hidden)
    return np.array(states)


def table(path):
    """The word vectors of a text file."""
    rows = (line.split() for line in path.read_text("utf-8").splitlines())
    return {row[0]: np.array(row[1:], np.float32).astype(np.float64) for row in rows}


def mixed(sentences):
    """The sentences in some other order, and where each of them went."""
    order = np.random.default_rng(5).permutation(len(sentences))
    return [sentences[i] for i in order], order
