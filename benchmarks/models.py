"""Which kinds of text models of the installed transformers `hf:` reads with layers=all.

usage: python benchmarks/models.py [--only bert gpt2 ...] [--seconds 60]

Each kind of configuration is made small where it has the usual numbers (two layers, 32 wide, 4
heads), a model of it is drawn at random and written to a folder with a tokenizer of a few words, and
three sentences are encoded with all layers by word pieces. Each kind has a process of its own, so
that one that ends it, or does not end, is a line as well. Printed are the kinds that are read, those
that lingprobe refuses with the reason, and those of which no small model could be made.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

SMALL = {
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "dim", "embedding_size", "emb_dim"), 32),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers"), 2),
    **dict.fromkeys(("encoder_layers", "decoder_layers", "num_decoder_layers"), 2),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads"), 4),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 4),
    **dict.fromkeys(("num_key_value_heads", "num_kv_heads"), 4),
    **dict.fromkeys(("intermediate_size", "d_ff", "ffn_dim", "n_inner", "hidden_dim"), 64),
    **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim", "moe_intermediate_size"), 64),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "max_seq_len"), 128),
    **dict.fromkeys(("head_dim", "d_kv", "attention_head_size"), 8),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts"), 4),
    **dict.fromkeys(("rotary_dim", "qk_rope_head_dim"), 8),
    "num_experts_per_tok": 2,
    "vocab_size": 100,
}
ROOM = 6 * 2**30  # bytes: what stays larger is not made
WORDS = ("the", "cat", "sat", "on", "mat", "dogs", "bark", "who", "came", ".")


def kinds() -> list[str]:
    """The kinds of models that transformers knows as models of text."""
    from transformers.models.auto import modeling_auto as known

    of_text = {
        *known.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        *known.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        *known.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
        *known.MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES,
    }
    return sorted(of_text & set(known.MODEL_MAPPING_NAMES))


def small(kind: str) -> Any:
    """A small configuration; the parts of one that has several are made small as well."""
    from transformers import AutoConfig

    config = AutoConfig.for_model(kind)
    try:  # what it computes of these numbers fits them then
        config = AutoConfig.for_model(kind, **_smaller(config))
    except Exception:
        _set(config, _smaller(config))
    for part in (config, *(v for v in vars(config).values() if hasattr(v, "model_type"))):
        _set(part, _smaller(part))
        if isinstance(types := getattr(part, "layer_types", None), list):
            _set(part, {"layer_types": types[:2]})
        tokens = ("pad_token_id", "bos_token_id", "eos_token_id")
        _set(part, {name: 0 for name in tokens if isinstance(getattr(part, name, None), int)})
    return config


def _smaller(config: Any) -> dict[str, int]:
    known = {name: getattr(config, name, None) for name in SMALL}
    return {
        name: SMALL[name]
        for name, value in known.items()
        if isinstance(value, int) and not isinstance(value, bool) and value > SMALL[name]
    }


def _set(config: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        with contextlib.suppress(AttributeError):  # made of others
            setattr(config, name, value)


def write(kind: str, folder: Path) -> None:
    """A model of a kind, drawn at random, with a tokenizer."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import AutoModel, PreTrainedTokenizerFast

    torch.manual_seed(0)
    config = small(kind)
    model = AutoModel.from_config(config).float().eval()
    reads = model.get_encoder() if getattr(config, "is_encoder_decoder", False) else model
    with torch.no_grad():  # or the configuration is at fault, and not lingprobe
        reads(torch.tensor([[2, 3, 4]]))
    model.save_pretrained(folder)
    vocabulary = {word: i for i, word in enumerate(("[PAD]", "[UNK]", *WORDS))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]"
    ).save_pretrained(folder)


def outcome(kind: str) -> tuple[str, str]:
    """What became of a kind: read, refused or not made, and why."""
    from lingprobe.data.core import Sentence
    from lingprobe.data.errors import LingprobeError
    from lingprobe.encoders import make_encoder

    with tempfile.TemporaryDirectory() as folder:
        try:
            write(kind, Path(folder))
        except Exception as error:
            return "not made", f"{type(error).__name__}: {str(error).strip()[:100]!r}"
        texts = ("the cat sat on the mat .", "dogs bark .", "who came")
        try:
            encoder = make_encoder(f"hf:{folder},layers=all,pool=none,device=cpu,dtype=float32")
            vectors = encoder.encode([Sentence.of(text.split()) for text in texts])
        except LingprobeError as problem:
            return "refused", str(problem).replace(folder, "MODEL")
        except Exception as error:
            return "error", f"{type(error).__name__}: {str(error).strip()[:200]!r}"
        return "read", f"{len(vectors.layers)} layers"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
        for kind in asked.one.split(","):
            print("START", kind, flush=True)
            print("END", json.dumps([kind, *outcome(kind)]), flush=True)
        return
    found: dict[str, tuple[str, str]] = {}
    left = asked.only or kinds()
    while left:
        found |= several(left, asked.seconds)
        left = [kind for kind in left if kind not in found]
    for what, many in Counter(what for what, _ in found.values()).most_common():
        print(f"\n{what}: {many} of {len(found)}")
        for kind, (_, why) in sorted(found.items()):
            if found[kind][0] == what and what != "read":
                print(f"  {kind}: {why}")
    print("\nread:", ", ".join(sorted(kind for kind, (what, _) in found.items() if what == "read")))


def several(left: list[str], seconds: float) -> dict[str, tuple[str, str]]:
    """What became of the first kinds, up to one that ends the process or takes too long."""
    some = left[:10]
    command = [sys.executable, __file__, "--one", ",".join(some)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=seconds * len(some)
        )
        lines, why = done.stdout.splitlines(), f"its process ended with {done.returncode}"
    except subprocess.TimeoutExpired as late:
        lines = (late.stdout or b"").decode().splitlines()
        why = f"not in {seconds * len(some):.0f} seconds"
    found = {}
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "START":
            found[rest] = ("error", why)
        elif word == "END":
            kind, what, reason = json.loads(rest)
            found[kind] = (what, reason)
    found = found or {some[0]: ("error", why)}
    print("".join(f"{kind}\t{what}\t{why}\n" for kind, (what, why) in found.items()), flush=True)
    return found


if __name__ == "__main__":
    main()
