"""Copy what pyproject.toml says of authors, addresses and version to the files that repeat it:
`python release/about.py`. A test holds them to it.

What only an owner can state has its place there, too: names of authors, and the first e-mail
address among `maintainers`, to which reports go.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
WANTED = ("Homepage", "Repository")
UNSTATED = "the maintainers of the copy that you use (an address will stand here)"
GROUP = re.compile(r"^The .* authors$")  # a group, which has no family name


def stated(root: Path = ROOT) -> Mapping[str, Any]:
    """The table [project] of pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]


def citation(text: str, project: Mapping[str, Any]) -> str:
    """CITATION.cff with the authors and addresses of the project."""
    lines = []
    for name in names(project):
        given, _, family = name.rpartition(" ")
        if GROUP.match(name):
            lines.append(f'  - name: "{name}"')
        else:
            lines += [f'  - family-names: "{family}"', f'    given-names: "{given}"']
    text = re.sub(
        r"(?<=^authors:\n)(?:  .*\n)+", lambda _: "\n".join(lines) + "\n", text, count=1, flags=re.M
    )
    text = re.sub(r"^version: .*$", lambda _: f"version: {project['version']}", text, flags=re.M)
    urls = project.get("urls", {})
    for key, name in (("repository-code", "Repository"), ("url", "Homepage")):
        text = re.sub(rf"^{key}: .*\n", "", text, flags=re.M)
        if name in urls:
            text = text.replace("keywords:\n", f'{key}: "{urls[name]}"\nkeywords:\n', 1)
    return text


def names(project: Mapping[str, Any]) -> list[str]:
    """The names of the authors."""
    return [author["name"] for author in project["authors"]]


def entry(text: str, project: Mapping[str, Any]) -> str:
    """docs/cite.md with the authors in the entry of lingprobe itself."""
    who = " and ".join(f"{{{n}}}" if GROUP.match(n) else n for n in names(project))
    text = re.sub(
        r"(@software\{lingprobe,\n(?:.*\n)*?  author  = ).*", lambda m: f"{m[1]}{{{who}}},", text
    )
    stated_version = f"  version = {{{project['version']}}},"
    return re.sub(r"^  version = .*$", lambda _: stated_version, text, flags=re.M)


def contact(text: str, project: Mapping[str, Any]) -> str:
    """A page with the address for reports, or that there is none yet."""
    people = [*project.get("maintainers", []), *project["authors"]]
    addresses = [person["email"] for person in people if "email" in person]
    said = f"<{addresses[0]}>" if addresses else UNSTATED
    return re.sub(
        r"(<!-- contact -->).*?(<!-- /contact -->)", lambda m: f"{m[1]}{said}{m[2]}", text
    )


def paper(text: str, project: Mapping[str, Any]) -> str:
    """paper.md with the authors in its head."""
    lines = "".join(f'  - name: "{name}"\n    affiliation: 1\n' for name in names(project))
    return re.sub(r"(?<=^authors:\n)(?:  .*\n)+", lambda _: lines, text, count=1, flags=re.M)


def site(text: str, project: Mapping[str, Any]) -> str:
    """zensical.toml with the addresses."""
    text = re.sub(r"^(?:site_url|repo_url) = .*\n", "", text, flags=re.M)
    urls = project.get("urls", {})
    lines = [
        f'{key} = "{urls[name]}"\n'
        for key, name in (("site_url", "Homepage"), ("repo_url", "Repository"))
        if name in urls
    ]
    return text.replace("docs_dir = ", "".join(lines) + "docs_dir = ", 1)


def recipe(text: str, project: Mapping[str, Any]) -> str:
    """The recipe for conda with version, summary and addresses."""
    text = re.sub(r'(?<=^  version: ").*(?="$)', lambda _: project["version"], text, flags=re.M)
    text = re.sub(r"(?<=^  summary: ).*$", lambda _: project["description"], text, flags=re.M)
    text = re.sub(r"^  (?:homepage|repository): .*\n", "", text, flags=re.M)
    urls = project.get("urls", {})
    lines = "".join(f"  {name.lower()}: {urls[name]}\n" for name in WANTED if name in urls)
    return text.replace("about:\n", f"about:\n{lines}", 1)


FILES = {
    "CITATION.cff": citation,
    "docs/cite.md": entry,
    "paper/paper.md": paper,
    "zensical.toml": site,
    "recipe/recipe.yaml": recipe,
    "SECURITY.md": contact,
    "CODE_OF_CONDUCT.md": contact,
}


def main() -> None:
    """Write every file anew."""
    for name, derived in FILES.items():
        file = ROOT / name
        file.write_text(derived(file.read_text("utf-8"), stated()), "utf-8")


if __name__ == "__main__":
    main()
