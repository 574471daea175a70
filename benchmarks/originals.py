"""Sentences a second of published encoders, on random weights of the published sizes, against a
straightforward loop, on sentences of UD_English-EWT.

usage: python benchmarks/originals.py NAME [--small] [--sentences N]
       NAME is one of infersent, skipthought, sent2vec, laser, cove, elmo

A loop takes sentences in the order and in the numbers in which the published program does: of
InferSent longest first, 64 at a time; of Skip-Thought 128 of one length; of LASER longest first,
12,000 tokens; of CoVe 100 of like length; of ELMo 64 as they come, the longest first among them; of
Sent2Vec one. It looks every word up, fills batches up to their longest sentence, and hands recurrent
layers to torch, told of the lengths (of ELMo, whose LSTMs torch has not, step by step, with the
sentences that still go on). Both sides are timed in turn in one process on one thread, by processor
time, and the best of three times of each counts. Before that, lingprobe's memory is measured (Linux).

The files take up to 900 MB of a temporary folder. `--small` has a quarter of the units.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import struct
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lingprobe.corpora.conllu import read_conllu
from lingprobe.corpora.files import find_treebank_files
from lingprobe.data.core import Sentence
from lingprobe.encoders import make_encoder
from lingprobe_extensions.archive.elmo import character_ids
from lingprobe_extensions.archive.elmo_shape import read_elmo_shape

ROUNDS = 3
MANY = {
    "infersent": 2000,
    "skipthought": 512,
    "sent2vec": 4000,
    "laser": 512,
    "cove": 2000,
    "elmo": 256,
}
TOKENS = 4096  # of a batch, which is lingprobe's default
NUMBERS = {  # that a token takes in the widest layer: what is read, gates, and a state each way
    "infersent": 300 + 2 * 5 * 2048,
    "skipthought": 620 + 4 * 2400,
    "laser": 1024 + 2 * 5 * 512,
    "cove": 600 + 2 * 5 * 300,
    "elmo": 512 + 2 * (5 * 4096 + 512),
}
Loop = Callable[[Sequence[Sentence]], np.ndarray]
PRODUCTS: list[int] = []
"""Additions and multiplications of products in the recurrent layers of a loop."""


def sentences(many: int) -> list[Sentence]:
    """The first sentences of EWT's dev and test, or, without it, generated ones."""
    folder = Path(os.environ.get("LINGPROBE_DATA", "")) / "treebanks" / "UD_English-EWT"
    parts = find_treebank_files(folder if folder.is_dir() else "embedded")
    chosen = [p for p in parts if p.split in ("dev", "test")] or parts
    found = (tree.sentence for part in chosen for tree in read_conllu(part.path))
    return [sentence for _, sentence in zip(range(many), found, strict=False)]


def drawn(*shape: int) -> np.ndarray:
    """Small random numbers."""
    return np.random.default_rng(0).normal(0, 0.05, shape).astype(np.float32)


def vectors(path: Path, given: Sequence[Sentence], dim: int, marks: Sequence[str] = ()) -> Any:
    """Word vectors of all words, as a file and as a dictionary."""
    words = list(dict.fromkeys([*marks, *(w for s in given for w in s.words)]))
    table = drawn(len(words), dim).round(4)
    lines = (f"{w} {' '.join(map(str, v))}\n" for w, v in zip(words, table.tolist(), strict=True))
    path.write_text("".join(lines), "utf-8")
    return dict(zip(words, table, strict=True))


def padded(rows: Sequence[Sequence[np.ndarray]]) -> tuple[torch.Tensor, list[int]]:
    """Vectors of words [rows, longest, dim], filled in one by one."""
    lengths = [len(row) for row in rows]
    batch = np.zeros((len(rows), max(lengths), len(rows[0][0])), np.float32)
    for i, row in enumerate(rows):
        for j, vector in enumerate(row):
            batch[i, j] = vector
    return torch.from_numpy(batch), lengths


def states(net: nn.Module, batch: torch.Tensor, lengths: list[int], fill: float) -> torch.Tensor:
    """What a recurrent layer makes of a batch."""
    count(net.parameters(), sum(lengths))
    packed = pack_padded_sequence(batch, lengths, batch_first=True, enforce_sorted=False)
    with torch.inference_mode():
        return pad_packed_sequence(net(packed)[0], batch_first=True, padding_value=fill)[0]


def count(weights: Iterable[torch.Tensor], tokens: int) -> None:
    """Note what so many tokens take to be multiplied with all matrices."""
    PRODUCTS.append(2 * tokens * sum(each.numel() for each in weights if each.ndim == 2))


def peak() -> float:
    """Operations a second of one large product in float32."""
    rows, weights = torch.randn(1024, 2048), torch.randn(2048, 2048)
    with torch.inference_mode():
        times = [timed(lambda: rows @ weights)[0] for _ in range(10)]
    return 2 * 1024 * 2048 * 2048 / min(times)


def parts(given: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [given[i : i + size] for i in range(0, len(given), size)]


def by_length(given: Sequence[Sentence], size: int) -> list[Sequence[int]]:
    """Sentences by number, longest first, cut into batches."""
    return parts(sorted(range(len(given)), key=lambda i: -len(given[i].words)), size)


def back(made: Sequence[np.ndarray], order: Sequence[Sequence[int]]) -> np.ndarray:
    """The vectors of batches, in the order of the sentences."""
    numbers = np.concatenate(list(map(np.array, order)))
    return np.concatenate(made)[np.argsort(numbers)]


def infersent(folder: Path, given: Sequence[Sentence], scale: int) -> tuple[str, Loop]:
    net = nn.LSTM(300, 2048 // scale, 1, bidirectional=True, batch_first=True)
    state = {f"enc_lstm.{k}": v for k, v in net.state_dict().items()}
    torch.save(state, folder / "infersent1.pkl")
    table = vectors(folder / "glove.txt", given, 300, ("<s>", "</s>"))

    def loop(given: Sequence[Sentence]) -> np.ndarray:
        order = by_length(given, 64)
        made = []
        for part in order:
            rows = [[table[w] for w in ("<s>", *given[i].words, "</s>")] for i in part]
            made.append(states(net, *padded(rows), -1e9).amax(1).numpy())
        return back(made, order)

    return f"infersent:{folder}/infersent1.pkl,vectors={folder}/glove.txt", loop


def cove(folder: Path, given: Sequence[Sentence], scale: int) -> tuple[str, Loop]:
    net = nn.LSTM(300, 300, 2, bidirectional=True, batch_first=True)
    torch.save(net.state_dict(), folder / "cove.pth")
    table = vectors(folder / "glove.txt", given, 300)

    def loop(given: Sequence[Sentence]) -> np.ndarray:
        order = by_length(given, 100)
        made = []
        for part in order:
            batch, lengths = padded([[table[w] for w in given[i].words] for i in part])
            summed = states(net, batch, lengths, 0).sum(1)
            made.append((summed / torch.tensor(lengths)[:, None]).numpy())
        return back(made, order)

    return f"cove:{folder}/cove.pth,vectors={folder}/glove.txt", loop


def skipthought(folder: Path, given: Sequence[Sentence], scale: int) -> tuple[str, Loop]:
    nets, tables = {}, {}
    words = list(dict.fromkeys(["<eos>", "UNK", *(w for s in given for w in s.words)]))
    (folder / "dictionary.txt").write_text("\n".join(words) + "\n", "utf-8")
    for name, units in (("uni", 2400 // scale), ("bi", 1200 // scale)):
        net = nn.GRU(620, units, 1, bidirectional=name == "bi", batch_first=True)
        arrays = {}
        for side, prefix in (("", "encoder"), ("_reverse", "encoder_r"))[: 1 + (name == "bi")]:
            getattr(net, f"bias_hh_l0{side}").data.zero_()
            each = {
                k: getattr(net, f"{k}_l0{side}").detach().numpy()
                for k in ("weight_ih", "weight_hh", "bias_ih")
            }
            cut = 2 * units
            arrays |= {
                f"{prefix}_W": each["weight_ih"][:cut].T,
                f"{prefix}_Wx": each["weight_ih"][cut:].T,
                f"{prefix}_U": each["weight_hh"][:cut].T,
                f"{prefix}_Ux": each["weight_hh"][cut:].T,
                f"{prefix}_b": each["bias_ih"][:cut],
                f"{prefix}_bx": each["bias_ih"][cut:],
            }
        np.savez(folder / f"{name}_skip.npz", **arrays)
        rows = drawn(len(words), 620)
        np.save(folder / f"{name[0]}table.npy", rows)
        nets[name], tables[name] = net, dict(zip(words, rows, strict=True))

    def loop(given: Sequence[Sentence]) -> np.ndarray:
        lengths: dict[int, list[int]] = {}
        for i, sentence in enumerate(given):
            lengths.setdefault(len(sentence.words), []).append(i)
        order = [part for same in lengths.values() for part in parts(same, 128)]
        made = []
        for part in order:
            both = []
            for name, net in nets.items():
                batch, sizes = padded([[tables[name][w] for w in given[i].words] for i in part])
                count(net.parameters(), sum(sizes))
                with torch.inference_mode():
                    last = torch.cat([*net(batch)[1]], 1).numpy()
                both.append(last / np.linalg.norm(last, axis=1, keepdims=True))
            made.append(np.concatenate(both, 1))
        return back(made, order)

    return f"skipthought:{folder}", loop


def sent2vec_file(path: Path, words: Sequence[str], buckets: int, dim: int) -> np.ndarray:
    """A binary file of the fork with these words, and its table."""
    table = np.concatenate([drawn(1000, dim)] * ((len(words) + buckets) // 1000 + 1))
    table = table[: len(words) + buckets]
    with path.open("wb") as file:
        head = (793712314, 11, dim, 5, 5, 5, 10, 2, 2, 4, buckets, 0, 0, 100)
        file.write(struct.pack("<14i", *head) + struct.pack("<d", 1e-4))
        file.write(struct.pack("<3i2q", len(words), len(words), 0, 1000, -1))
        tail = struct.pack("<qb", 5, 0)
        file.write(b"".join(word.encode() + b"\0" + tail for word in words))
        file.write(struct.pack("<?2q", False, *table.shape))
        table.tofile(file)
        file.write(struct.pack("<?2q", False, 0, dim))
    return table


def sent2vec(folder: Path, given: Sequence[Sentence], scale: int) -> tuple[str, Loop]:
    words = list(dict.fromkeys(w.lower() for s in given for w in s.words))
    buckets = 250_000 // scale
    table = sent2vec_file(folder / "model.bin", words, buckets, 700)
    numbers = {word: i for i, word in enumerate(words)}

    def loop(given: Sequence[Sentence]) -> np.ndarray:
        made = []
        for sentence in given:
            ids = [numbers[w.lower()] for w in sentence.words]
            rows = list(ids)
            for a, b in itertools.pairwise(ids):
                rows.append(len(words) + (a * 116049371 + b) % 2**64 % buckets)
            total = np.zeros(700, np.float32)
            for row in rows:
                total += table[row]
            made.append(total / len(rows))
        return np.array(made)

    return f"sent2vec:{folder}/model.bin", loop


def laser(folder: Path, given: Sequence[Sentence], scale: int) -> tuple[str, Loop]:
    import sacremoses

    words = list(dict.fromkeys(w for s in given for w in s.words))
    letters = sorted({c for w in words for c in w.lower()} | set("abcdefghijklmnopqrstuvwxyz"))
    names = ["<s>", "<pad>", "</s>", "<unk>", *letters, *(f"{c}@@" for c in letters)]
    (folder / "93langs.fcodes").write_text("zz zz 1\n")
    (folder / "93langs.fvocab").write_text("".join(f"{n} 1\n" for n in names[4:]), "utf-8")
    net = nn.LSTM(320, 512 // scale, 5, bidirectional=True, batch_first=True)
    rows = drawn(len(names), 320)
    state = {f"lstm.{k}": v for k, v in net.state_dict().items()}
    state["embed_tokens.weight"] = torch.from_numpy(rows)
    params = {
        "num_embeddings": len(names), "padding_idx": 1, "embed_dim": 320,
        "hidden_size": 512 // scale, "num_layers": 5, "bidirectional": True,
    }  # fmt: skip
    numbers = {name: i for i, name in enumerate(names)}
    torch.save({"params": params, "model": state, "dictionary": numbers}, folder / "model.pt")

    def loop(given: Sequence[Sentence]) -> np.ndarray:
        normaliser, tokenizer = (
            sacremoses.MosesPunctNormalizer("en"),
            sacremoses.MosesTokenizer("en"),
        )
        tokens = []
        for sentence in given:
            ids = []
            for word in tokenizer.tokenize(normaliser.normalize(sentence.text), escape=False):
                low = word.lower()
                ids += [numbers.get(f"{c}@@", 3) for c in low[:-1]] + [numbers.get(low[-1], 3)]
            tokens.append([*ids, 2])
        order: list[list[int]] = [[]]
        for i in sorted(range(len(given)), key=lambda i: -len(tokens[i])):
            if sum(len(tokens[j]) for j in order[-1]) + len(tokens[i]) > 12_000:
                order.append([])
            order[-1].append(i)
        made = []
        for part in order:
            batch, lengths = padded([list(rows[tokens[i]]) for i in part])
            made.append(states(net, batch, lengths, -np.inf).amax(1).numpy())
        return back(made, order)

    return f"laser:{folder}", loop


def elmo(folder: Path, given: Sequence[Sentence], scale: int) -> tuple[str, Loop]:  # noqa: C901
    import h5py

    filters = [[1, 32], [2, 32], [3, 64], [4, 128], [5, 256], [6, 512], [7, 1024]]
    options = {
        "lstm": {
            "use_skip_connections": True, "projection_dim": 512 // scale, "cell_clip": 3,
            "proj_clip": 3, "dim": 4096 // scale, "n_layers": 2,
        },
        "char_cnn": {
            "activation": "relu", "filters": [[w, n // scale] for w, n in filters], "n_highway": 2,
            "embedding": {"dim": 16}, "n_characters": 262, "max_characters_per_token": 50,
        },
    }  # fmt: skip
    (folder / "elmo_options.json").write_text(json.dumps(options))
    shape = read_elmo_shape(folder / "elmo_options.json")
    held = {name: drawn(*size) for name, size in shape.datasets.items()}
    with h5py.File(folder / "elmo_weights.hdf5", "w") as file:
        for name, array in held.items():
            file[name] = array
    weights = {name: torch.from_numpy(array) for name, array in held.items()}

    def characters(words: list[str]) -> torch.Tensor:
        read = weights["char_embed"][torch.from_numpy(character_ids(words, 50)[2:])].transpose(1, 2)
        made = []
        for i in range(len(filters)):
            kernel = weights[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)
            conv = torch.nn.functional.conv1d(read, kernel, weights[f"CNN/b_cnn_{i}"])
            made.append(conv.amax(2).relu())
        row = torch.cat(made, 1)
        for name in ("CNN_high_0", "CNN_high_1"):
            gate = (row @ weights[f"{name}/W_carry"] + weights[f"{name}/b_carry"]).sigmoid()
            new = (row @ weights[f"{name}/W_transform"] + weights[f"{name}/b_transform"]).relu()
            row = gate * new + (1 - gate) * row
        return row @ weights["CNN_proj/W_proj"] + weights["CNN_proj/b_proj"]

    marks = characters_of_marks(weights, characters)

    def way(batch: torch.Tensor, direction: int, many: list[int]) -> torch.Tensor:
        for layer in range(2):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            count([weights[f"{cell}/W_0"], weights[f"{cell}/W_P_0"]], sum(many))
            memory = torch.zeros(len(batch), shape.cell)
            state = torch.zeros(len(batch), shape.projection)
            made = torch.zeros_like(batch)
            for step, n in enumerate(many):
                both = torch.cat([batch[:n, step], state[:n]], 1)
                i, j, f, o = (both @ weights[f"{cell}/W_0"] + weights[f"{cell}/B"]).chunk(4, 1)
                memory = (f + 1).sigmoid() * memory[:n] + i.sigmoid() * j.tanh()
                memory = memory.clamp(-3, 3)
                state = ((o.sigmoid() * memory.tanh()) @ weights[f"{cell}/W_P_0"]).clamp(-3, 3)
                made[:n, step] = state + batch[:n, step] if layer else state
            batch = made
        return batch

    def loop(given: Sequence[Sentence]) -> np.ndarray:
        order = [
            sorted(part, key=lambda i: -len(given[i].words))
            for part in parts(range(len(given)), 64)
        ]
        made = []
        for part in order:
            with torch.inference_mode():
                lengths = [len(given[i].words) for i in part]
                longest = max(lengths)
                many = [sum(n + 2 > step for n in lengths) for step in range(longest + 2)]
                words = characters([w for i in part for w in given[i].words]).split(lengths)
                ahead = torch.zeros(len(part), longest + 2, shape.projection)
                turned = torch.zeros_like(ahead)
                for i, row in enumerate(words):
                    whole = torch.cat([marks[:1], row, marks[1:]])
                    ahead[i, : len(whole)], turned[i, : len(whole)] = whole, whole.flip(0)
                ahead, turned = way(ahead, 0, many), way(turned, 1, many)
                for i, n in enumerate(lengths):
                    both = [ahead[i, 1 : n + 1], turned[i, 1 : n + 1].flip(0)]
                    made.append(torch.cat(both, 1).mean(0, keepdim=True).numpy())
        return back(made, order)

    return f"elmo:{folder}/elmo_weights.hdf5", loop


def characters_of_marks(weights: Any, characters: Callable[[list[str]], torch.Tensor]) -> Any:
    """What the character network makes of the two marks of a sentence."""
    table = weights["char_embed"].clone()
    made = []
    for mark in (256, 257):  # stand in for the letter a, which is read in their place
        weights["char_embed"] = table.clone()
        weights["char_embed"][ord("a")] = table[mark]
        made.append(characters(["a"]))
    weights["char_embed"] = table
    return torch.cat(made)


def resident(name: str) -> float:
    """The memory of this process in MB: VmRSS now, VmHWM at most since it was last cleared."""
    return int(Path("/proc/self/status").read_text().partition(f"{name}:")[2].split()[0]) / 1e3


def told_memory(name: str, folder: Path, held: float) -> None:
    """Print what lingprobe took at most, beside the parameters and one batch."""
    files = [f for f in folder.iterdir() if f.suffix in (".pkl", ".pth", ".npz", ".hdf5", ".pt")]
    weights = sum(file.stat().st_size for file in files) / 1e6
    if (table := folder / "glove.txt").exists():  # the vectors of the words of these sentences
        weights += 4 * 300 * table.read_text("utf-8").count("\n") / 1e6
    batch = 4 * TOKENS * NUMBERS[name] / 1e6
    print(
        f"memory: {held:.0f} MB at most; parameters {weights:.0f} MB, a batch of {TOKENS:,} tokens"
        f" {batch:.0f} MB, together {held / (weights + batch):.2f} times (target: 1.3)"
    )


def timed(work: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=MANY)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--sentences", type=int, default=0)
    asked = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        given = sentences(asked.sentences or MANY[asked.name])
        reference, loop = globals()[asked.name](folder, given, 4 if asked.small else 1)
        loop(given[:2])
        time.sleep(3)  # the digest of a file that was written just now is not remembered
        before = resident("VmRSS")
        Path("/proc/self/clear_refs").write_text("5")
        encoder = make_encoder(reference)
        first, _ = timed(lambda: encoder.encode(given))
        held = resident("VmHWM") - before
        if asked.name in NUMBERS and not asked.small:
            told_memory(asked.name, folder, held)
        PRODUCTS.clear()
        rounds = [
            (timed(lambda: loop(given)), timed(lambda: encoder.encode(given).layers[0]))
            for _ in range(ROUNDS)
        ]
    theirs, ours = (min(each[side][0] for each in rounds) for side in (0, 1))
    apart = float(np.abs(rounds[0][0][1] - rounds[0][1][1]).max())
    print(
        f"loop: {len(given)} sentences in {theirs:.2f} s of a processor; lingprobe: {ours:.2f} s, and"
        f" {first:.2f} s the first time, with what it reads and compiles"
    )
    if PRODUCTS:
        alone = sum(PRODUCTS) / ROUNDS / peak()
        print(
            f"the products of the loop's recurrent layers alone take {alone:.2f} s at the peak of"
            f" this processor: {theirs / alone:.1f} times as fast is the limit, unless products are"
            f" saved, and lingprobe reaches {alone / ours:.0%} of it"
        )
    print(f"originals-{asked.name} ratio={theirs / ours:.2f} target=1 difference={apart:.1e}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
