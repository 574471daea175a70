"""Sentences a second: drawing, saying and annotating sentences of the paper's constructions, as
values and as JSON lines.

usage: python benchmarks/generate.py [--whole]      (--whole also makes ten million lines, to see
the memory)

The constructions and words are those of Ettinger et al. 2018. The reference is what one would write
without the package: a loop that draws words and features, puts the sentence together, notes its
event in a dict, remembers sentences so that none comes twice, and says `json.dumps`; it knows
transitive main clauses and one kind of relative clause only. Both run in this process, in turn, and
the best of ROUNDS process times of each counts.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable

from lingprobe_extensions.compose.events.batch import ShapeBatch, map_in_order
from lingprobe_extensions.compose.events.draw import draw_from_space
from lingprobe_extensions.compose.events.request import parse_generation_request
from lingprobe_extensions.compose.events.space import SentenceSpace, make_space

NOUNS = ["professor", "student", "woman", "man", "doctor", "scientist", "lawyer"]
VERBS = {
    "transitive": ["call", "help", "follow", "recommend", "meet"],
    "intransitive": ["dance", "sleep"],
}
PAPER = {"nouns": NOUNS, "verbs": VERBS}
ONE = {
    "frame": "transitive",
    "tense": "past",
    "aspect": "simple",
    "polarity": "positive",
    "voice": "active",
}
RELATIVE = {**ONE, "agent": {"gap": True}, "patient": {"relative": None}}
CELL = {"frame": "transitive", "agent": {"relative": RELATIVE}, "patient": {"relative": None}}
SENTENCES, LINES, EXHAUST, MEMORY = 100_000, 50_000, 2.0, 200  # a second, a second, seconds, MiB
ROUNDS, N = 3, 200_000

WHOLE = """
import json, re, sys
from pathlib import Path
from lingprobe_extensions.compose.events.batch import ShapeBatch, map_in_order
from lingprobe_extensions.compose.events.draw import draw_from_space
from lingprobe_extensions.compose.events.request import parse_generation_request
from lingprobe_extensions.compose.events.space import make_space
for n, parts in draw_from_space(make_space(parse_generation_request(json.loads(sys.argv[1]))),
10_000_000).chunks():
    map_in_order(parts, n, ShapeBatch.lines)  # what the command writes, chunk by chunk
status = Path("/proc/self/status").read_text()  # getrusage would also know the peak of the process that began this one
print(round(int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) / 1024))
"""


def drawn(found: SentenceSpace, read: Callable[[ShapeBatch], list[object]]) -> int:
    """Sentences of a draw, read in some way."""
    return sum(len(map_in_order(parts, n, read)) for n, parts in draw_from_space(found, N).chunks())


def plain() -> int:
    """Lines of the plain loop."""
    chance, seen, lines = random.Random(0), set(), []
    plural = {n: n + "s" for n in NOUNS} | {"woman": "women", "man": "men"}
    forms = {
        "call": "called",
        "help": "helped",
        "follow": "followed",
        "recommend": "recommended",
        "meet": "met",
    }
    while len(lines) < N:
        people, verbs = chance.sample(NOUNS, 3), chance.sample(VERBS["transitive"], 2)
        many = [chance.random() < 0.5 for _ in people]
        negative = [chance.random() < 0.5 for _ in verbs]
        said = [plural[n] if m else n for n, m in zip(people, many, strict=True)]
        groups = [
            ["did", "not", v] if no else [forms[v]] for v, no in zip(verbs, negative, strict=True)
        ]
        words = ["the", said[0], "that", *groups[1], "the", said[2], *groups[0], "the", said[1]]
        text = " ".join(words)
        if text in seen:
            continue
        seen.add(text)
        characters = [
            {"noun": n, "number": "plural" if m else "singular"}
            for n, m in zip(people, many, strict=True)
        ]
        inner = {
            "predicate": verbs[1],
            "tense": "past",
            "negative": negative[1],
            "patient": characters[2],
        }
        characters[0]["relative"] = inner
        event = {
            "predicate": verbs[0],
            "tense": "past",
            "negative": negative[0],
            "agent": characters[0],
            "patient": characters[1],
        }
        lines.append(json.dumps({"text": text, "words": words, "event": event}))
        if len(seen) > 6_000:
            seen.clear()  # the loop's grammar has 26,880 sentences only
    return len(lines)


def rate(work: Callable[[], int]) -> float:
    """Sentences a second of processor time."""
    start = time.process_time()
    n = work()
    return n / (time.process_time() - start)


def told(what: str, value: str, good: bool) -> bool:
    print(f"{what:58} {value:>16}   {'ok' if good else 'MISSED'}")
    return good


def main() -> None:
    paper = make_space(parse_generation_request(PAPER))
    works = {
        "sentences": lambda: drawn(paper, ShapeBatch.sentences),
        "lines": lambda: drawn(paper, ShapeBatch.lines),
        "plain": plain,
    }
    best = dict.fromkeys(works, 0.0)
    for _ in range(ROUNDS):
        for name, work in works.items():
            best[name] = max(best[name], rate(work))
    start = time.process_time()
    large = make_space(parse_generation_request({}))
    counted = time.process_time() - start
    cell = make_space(
        parse_generation_request(
            {**PAPER, "number": ["singular"], "require": [{"in": "main", "event": CELL}]}
        )
    )
    start = time.process_time()
    texts = [
        t
        for n, parts in draw_from_space(cell).chunks()
        for t in map_in_order(parts, n, ShapeBatch.texts)
    ]
    exhausted = time.process_time() - start
    good = [
        told(
            "annotated sentences a second",
            f"{best['sentences']:,.0f}",
            best["sentences"] >= SENTENCES,
        ),
        told("JSON lines a second", f"{best['lines']:,.0f}", best["lines"] >= LINES),
        told(
            "  against the plain loop, which has one construction",
            f"{best['lines'] / best['plain']:.2f} x",
            best["lines"] > best["plain"],
        ),
        told(f"counting {large.size:,} sentences", f"{counted:.2f} s", counted < 1),
        told(
            f"exhausting {cell.size:,}, {len(set(texts)):,} different",
            f"{exhausted:.2f} s",
            exhausted < EXHAUST,
        ),
    ]
    if "--whole" in sys.argv:
        done = subprocess.run(
            [sys.executable, "-c", WHOLE, json.dumps(PAPER)],
            capture_output=True,
            text=True,
            check=True,
        )
        good.append(
            told(
                "10,000,000 lines in a row, peak memory",
                f"{done.stdout.strip()} MiB",
                int(done.stdout) < MEMORY,
            )
        )
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
