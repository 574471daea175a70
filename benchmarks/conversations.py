"""From one's own conversations to scores, timed, and the memory that long conversations take.

usage: python benchmarks/conversations.py [--many 2000] [--tokens 500]

A tiny chat model (Llama, random weights) is made. First the whole way of `docs/keep.md` over 400
short conversations: run, keep, score, trace. Then a tenth of the long conversations and all of them
are encoded, recorded and generated for, each in a process of its own, and the largest memory of each
is compared. Exits with 1 where ten times the conversations take more than 1.3 times the memory:
texts and vectors are kept, states of tokens are not.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MOST = 1.3
SHORT = 400
CHAT = (
    "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>\n{{ m.content | trim }}<|end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
ENCODE = """
import json, resource, sys, time
import lingprobe
from lingprobe.data.core import Sentence
model, many, tokens, options, place = json.loads(sys.argv[1])
def talk(i):
    words = [f"w{(i * (k + 7) + k * k) % 97}" for k in range(tokens // 4)]
    words[0], half = str(i), len(words) // 2
    turns = [{"role": "user", "content": " ".join(words[:half])}]
    if "generate" not in options:
        turns.append({"role": "assistant", "content": " ".join(words[half:])})
    return {"messages": turns, "label": "ny"[i % 2]}
started = time.perf_counter()
rows = [talk(i) for i in range(many)]
task = lingprobe.table(rows, name="talks")
found = lingprobe.run(task, f"hf:{model},template=chat{options}", baselines="none", seeds=1,
    texts=False, output=f"{place}/results", cache=f"{place}/cache", progress=False)
assert not found.problems, found.problems
assert len({sentence.text for sentence in task.load().sentences}) == many
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([time.perf_counter() - started, peak]))
"""


def make_model(folder: Path) -> str:
    """A tiny chat model with a byte-level tokenizer."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    cutter = Tokenizer(models.BPE())
    cutter.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    cutter.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    cutter.train_from_iterator([f"w{k}" for k in range(97)], trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=cutter, bos_token="<s>", eos_token="</s>", model_max_length=2048
    )
    tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=4,
        num_attention_heads=4,
        vocab_size=400,
        max_position_embeddings=2048,
        initializer_range=0.2,
    )
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    return str(folder)


def time_the_way(model: str, place: Path) -> None:
    """Run, keep, score and trace, in seconds each."""
    talks, new = place / "talks.jsonl", place / "new.jsonl"
    rows = [
        {
            "prompt": f"question {i // 2} w{i % 31}",
            "response": f"{'no' if i % 2 else 'yes'} w{i % 7}",
        }
        for i in range(SHORT)
    ]
    talks.write_text("\n".join(json.dumps(r | {"label": "ny"[i % 2]}) for i, r in enumerate(rows)))
    new.write_text("\n".join(map(json.dumps, rows)))
    encoder = f"hf:{model},template=chat,turns=response,layers=all"
    probe, text = str(place / "probe"), "No, it is not so."
    steps = {
        "run": ["run", "-t", str(talks), "-e", encoder, "-o", str(place / "run"), "-q"],
        "probe keep": ["probe", "keep", str(place / "run"), "-e", "hf:*response*", "-o", probe],
        "probe score": ["probe", "score", probe, str(new), "-o", str(place / "scores.csv")],
        "probe trace": ["probe", "trace", probe, text, "-o", str(place / "trace.html")],
    }
    for name, arguments in steps.items():
        started = time.perf_counter()
        command = [sys.executable, "-m", "lingprobe", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{name} failed: {done.stderr[-400:]}")
        print(f"{name}: {time.perf_counter() - started:.1f} s")


def measure(model: str, many: int, tokens: int, options: str) -> tuple[float, float]:
    """Seconds, and the largest memory in MiB."""
    with tempfile.TemporaryDirectory() as place:
        request = json.dumps([model, many, tokens, options, place])
        command = [sys.executable, "-c", ENCODE, request]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak


def main() -> int:
    """Measure, and say how it compares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--many", type=int, default=2000)
    parser.add_argument("--tokens", type=int, default=500)
    asked = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        model = make_model(Path(folder) / "model")
        time_the_way(model, Path(folder))
        for options in (",turns=response,layers=all", ",generate=20"):
            few, many = (
                measure(model, n, asked.tokens, options) for n in (asked.many // 10, asked.many)
            )
            worst = max(worst, many[1] / few[1])
            print(
                f"{options[1:]}: {asked.many // 10:,} conversations {few[0]:.0f} s {few[1]:,.0f} MiB,"
                f" {asked.many:,} {many[0]:.0f} s {many[1]:,.0f} MiB: {many[1] / few[1]:.2f} times"
            )
    print(f"memory: {worst:.2f} times (at most {MOST})")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
