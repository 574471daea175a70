"""The rename of 0.2: `sonde` to `lingprobe` in a checkout, except where the word decides a number
or is written in files (`KEPT`).

    python release/rename.py CHECKOUT

Deterministic, and a second run changes nothing. Long lines are wrapped anew; `ruff check --fix` and
`ruff format` come after it, for the order of imports.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

OLD, NEW = "sonde", "lingprobe"
WIDTH = 100
HISTORY = (
    "CHANGELOG.md",
    "release/rename.py",
    "tests/fixtures/store-",
    "tests/fixtures/release-",
)  # what says how things were called
KEPT = [
    r"b[\"']sonde[^\"']*[\"']",  # magic numbers, keys of hashes and of metadata
    r"b'\{\"sonde\"",
    # headers of data sets, notes of parses and of columns
    r"\"sonde\": (?:\d|VERSION|version\(\)|self\.|\"by another|importlib)",
    r"\"sonde\" (?:not )?in row",
    r"header\.get\([\"']sonde[\"']",
    r"plain\[\"sonde\"\]",
    r"5 bytes 'sonde'",
    r"# sonde:|\"sonde:(?: \{)?\"|\"sonde: \"",  # sheets
    r"Sonde reads +[sS]entences",  # what encoders are tried on
    r"sonde 0\.1[.\d]*",  # the release of that name
]
"""What stays, as patterns."""


def renamed(text: str) -> str:
    """A text with the new name, where the old one does not stay."""
    stays = re.compile("|".join(f"(?:{pattern})" for pattern in KEPT))
    parts, end = [], 0
    for match in stays.finditer(text):
        parts += [_plainly(text[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*parts, _plainly(text[end:])])


def _plainly(text: str) -> str:
    for old, new in ((OLD, NEW), (OLD.upper(), NEW.upper()), (OLD.capitalize(), NEW.capitalize())):
        text = text.replace(old, new)
    return text


def wrapped(text: str) -> str:
    """Python code in which comments, docstrings and texts that stand alone on a line fit again."""
    lines, number = text.split("\n"), 0
    prose = _prose(text)
    while number < len(lines):
        line = lines[number]
        if len(line) > WIDTH:
            after = lines[number + 1] if number + 1 < len(lines) else ""
            new = None
            if text_alone := re.fullmatch(r"""(\s*)(f?)"((?:[^"\\]|\\.)*)"(,?)""", line):
                new = _texts(text_alone, after)
            elif line.lstrip().startswith("# "):
                new = _comment(line, after)
            elif line.lstrip() in prose:
                new = _paragraph(line, after)
            if new and all(len(each) < len(line) + 60 for each in new):
                prose |= {each.lstrip() for each in new}
                lines[number : number + 2] = new
        number += 1
    return "\n".join(lines)


def _prose(text: str) -> set[str]:
    """The lines of texts in three quotes."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    long = (t.string for t in tokens if t.type == tokenize.STRING and t.string.endswith('"""'))
    return {line.lstrip() for each in long for line in each.split("\n")}


def _cut(line: str, room: int = 0) -> tuple[str, str] | None:
    """A line in two parts at the last space that lets the first fit; None where there is none
    outside of braces.
    """
    start = len(line) - len(line.lstrip(" #"))
    for place in range(min(WIDTH - room, len(line) - 1), start, -1):
        if line[place] == " " and line[:place].count("{") == line[:place].count("}"):
            return line[:place].rstrip(), line[place + 1 :]
    return None


def _texts(found: re.Match[str], after: str) -> list[str] | None:
    """A text cut before its last words, which begin the next one where that goes on with it."""
    indent, kind, inner, comma = found.groups()
    if (cut := _cut(f'{indent}{kind}"{inner}', room=1)) is None:
        return None
    first, rest = cut
    if not comma and (next_ := re.match(rf'{indent}(f?)"', after)):
        both = kind if "{" in rest else next_[1]
        both = "f" if next_[1] else both
        return [f'{first}"', f'{indent}{both}" {rest}{after[len(next_[0]) :]}']
    return [f'{first}"', f'{indent}{kind if "{" in rest else ""}" {rest}"{comma}', after]


def _comment(line: str, after: str) -> list[str] | None:
    indent = line[: len(line) - len(line.lstrip())]
    if (cut := _cut(line)) is None:
        return None
    if after.startswith(f"{indent}# "):
        return [cut[0], f"{indent}# {cut[1]} {after[len(indent) + 2 :]}"]
    return [cut[0], f"{indent}# {cut[1]}", after]


def _paragraph(line: str, after: str) -> list[str] | None:
    """A line of a docstring and the one after it, which takes the words that do not fit."""
    if (cut := _cut(line, room=0)) is None:
        return None
    first, rest = cut
    quotes = '"""'
    indent = line[: len(line) - len(line.lstrip())]
    if (rest.endswith(quotes) and line.count(quotes) == 2) or rest.endswith(f" {quotes}"):
        rest = rest[: -len(quotes)].rstrip()
        return [first, *([f"{indent}{rest}"] if rest else []), f"{indent}{quotes}", after]
    item = re.match(r"(\s*[\w, ]*?\w  +)\S", line)
    deep = " " * len(item[1]) if item else indent
    goes_on = after.startswith(deep) and after.strip() and not after[len(deep)].isspace()
    if goes_on and after.strip() != quotes and not re.match(r"\s*\w+  +\S", after):
        return [first, f"{deep}{rest} {after.lstrip()}"]
    return [first, f"{deep}{rest}", after]


def main() -> None:
    """Rename in a checkout."""
    root = Path(sys.argv[1]).resolve()
    for name in subprocess.check_output(["git", "ls-files"], cwd=root, text=True).splitlines():
        if name.startswith(HISTORY) or not (root / name).is_file():
            continue
        try:
            text = (root / name).read_text("utf-8")
        except UnicodeDecodeError:
            continue
        new = renamed(text)
        if name.endswith(".py") and name.startswith(("src/", "docs/", "release/")) and new != text:
            new = wrapped(new)
        (root / name).write_text(new, "utf-8", newline="")
    for old in ("src/sonde", "tests/plugin/src/sonde_example"):
        if (root / old).is_dir():
            subprocess.check_call(["git", "mv", old, old.replace(OLD, NEW)], cwd=root)


if __name__ == "__main__":
    main()
