"""What is stated of the project in several places is the same in all: authors, addresses, version, dependencies, figures."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CONDA = {"torch": "pytorch", "matplotlib": "matplotlib-base"}  # what conda-forge calls them
SPEC = importlib.util.spec_from_file_location("about", ROOT / "release" / "about.py")
about = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(about)
REAL = {
    **PROJECT,
    "version": "9.8.7",
    "authors": [{"name": "Ada Maria Lovelace"}, {"name": "The lingprobe authors"}],
    "maintainers": [{"name": "Ada", "email": "ada@site.test"}],
    "urls": {"Homepage": "https://site.test/", "Repository": "https://code.test/lingprobe"},
}


@pytest.mark.parametrize("name", about.FILES)
def test_files_say_what_pyproject_says(name):
    text = (ROOT / name).read_text("utf-8")
    assert about.FILES[name](text, PROJECT) == text, "run `python release/about.py`"


@pytest.mark.parametrize("name", about.FILES)
def test_whatever_is_stated_comes_to_every_file_and_goes_again(name):
    text = (ROOT / name).read_text("utf-8")
    changed = about.FILES[name](text, REAL)
    expected = {
        "CITATION.cff": ['family-names: "Lovelace"\n    given-names: "Ada Maria"', '- name: "The lingprobe authors"', 'url: "https://site.test/"', "version: 9.8.7"],
        "docs/cite.md": ["author  = {Ada Maria Lovelace and {The lingprobe authors}},", "version = {9.8.7},"],
        "paper/paper.md": ['- name: "Ada Maria Lovelace"\n    affiliation: 1'],
        "zensical.toml": ['site_url = "https://site.test/"', 'repo_url = "https://code.test/lingprobe"'],
        "recipe/recipe.yaml": ['version: "9.8.7"', "repository: https://code.test/lingprobe"],
        "SECURITY.md": ["in private to <!-- contact --><ada@site.test><!-- /contact -->"],
        "CODE_OF_CONDUCT.md": ["breaks this to <!-- contact --><ada@site.test><!-- /contact -->"],
    }  # fmt: skip
    assert all(part in changed for part in expected[name])
    assert about.FILES[name](changed, REAL) == changed
    assert about.FILES[name](changed, PROJECT) == text


def test_links_and_pictures_of_the_readme_work_on_an_index_of_packages():
    read = importlib.util.spec_from_file_location("readme", ROOT / "release" / "readme.py")
    readme = importlib.util.module_from_spec(read)
    read.loader.exec_module(readme)
    short = "![a](docs/c.svg) [d](docs/e.md#f) [g](#h) [i](https://j.test)"
    assert readme.link_to_repository(short, "https://k.test/l/", "1.0") == (
        "![a](https://k.test/l/raw/v1.0/docs/c.svg) [d](https://k.test/l/blob/v1.0/docs/e.md#f) [g](#h) [i](https://j.test)"
    )
    text = (ROOT / "README.md").read_text("utf-8")
    metadata = {"version": "1.0", "urls": REAL["urls"]}
    readme.ReadmeHook(str(ROOT), {}).update(metadata)
    shown = metadata["readme"]["text"]
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", shown)
    assert len(links) == len(re.findall(r"\]\(", text))
    assert all(target.startswith("https://code.test/lingprobe/") for _, target in links)
    assert all(("/raw/" in target) == bool(picture) for picture, target in links)
    without = {"version": "1.0"}
    readme.ReadmeHook(str(ROOT), {}).update(without)
    assert without["readme"] == {"content-type": "text/markdown", "text": text}


def test_the_recipe_needs_what_pyproject_needs():
    text = (ROOT / "recipe" / "recipe.yaml").read_text("utf-8")
    run = re.search(r"^  run:\n((?:    - .*\n)+)", text, re.M)[1]
    needed = dict(line.removeprefix("    - ").split(" ") for line in run.splitlines())
    assert needed.pop("python") == PROJECT["requires-python"]
    stated = dict(
        re.fullmatch(r"([\w-]+)(>=.+)", each).groups() for each in PROJECT["dependencies"]
    )
    assert needed == {CONDA.get(name, name): least for name, least in stated.items()}
    (script,) = PROJECT["scripts"].items()
    assert f"- {script[0]} = {script[1]}\n" in text


def test_the_citation_has_all_four_papers():
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert text.count("  - type: conference-paper") == 4
    for title in re.findall(
        r"^  title += \{(.*)\},$", (ROOT / "docs/cite.md").read_text("utf-8"), re.M
    )[:4]:
        assert re.sub(r"[{}\\]", "", title) in text


def test_every_figure_of_the_paper_comes_from_a_file():
    text = (ROOT / "paper" / "paper.md").read_text("utf-8").partition("# Summary")[2]
    assert text.count("<!-- value ") > 8
    typed = re.sub(r"<!-- value .*?<!-- /value -->", "", text, flags=re.S)
    assert not re.findall(r"\d+\.\d+", typed)


def test_every_reference_of_the_paper_is_known_and_cited():
    text = (ROOT / "paper" / "paper.md").read_text("utf-8")
    known = re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text("utf-8"), re.M)
    assert sorted(known) == sorted({*re.findall(r"@(\w+)", text.partition("# Summary")[2])})


def test_hashes_are_of_the_pinned_versions():
    pins = dict(
        re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.M)
    )
    pins = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pins.items()}
    text = "".join(
        (ROOT / "release" / name).read_text("utf-8") for name in ("hashes.txt", "hashes-torch.txt")
    )
    entries = re.findall(
        r"^([\w.-]+)==(\S+).*\\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)",
        text,
        re.M,
    )
    found = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version, _ in entries}
    wrong = {name for name, version in found.items() if pins.get(name, version) != version}
    assert not wrong, "run `python release/hashes.py`"
    asked = {re.split(r"[>=\[]", each)[0] for each in PROJECT["dependencies"]}
    assert asked <= set(found)
    assert len(found) > 100


def release(folder, *steps):
    command = [sys.executable, "release/release.py", *steps]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_release_says_what_is_missing(tmp_path):
    for name in (
        *about.FILES,
        "pyproject.toml",
        "release/about.py",
        "release/check.py",
        "release/release.py",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(ROOT / name, tmp_path / name)
    assert "is a development version" in release(tmp_path).stderr
    file = tmp_path / "pyproject.toml"
    text = file.read_text("utf-8").replace(f'version = "{PROJECT["version"]}"', 'version = "9.9.9"')
    file.write_text(text, "utf-8")
    assert "states no Homepage and no Repository" in release(tmp_path).stderr
    urls = '[project.urls]\nHomepage = "https://a.test"\nRepository = "https://b.test"\n\n[project.scripts]'
    file.write_text(text.replace("[project.scripts]", urls), "utf-8")
    assert "differs from pyproject.toml: run `python release/about.py`" in release(tmp_path).stderr


def test_actions_of_others_are_pinned_by_commit():
    files = (ROOT / ".github" / "workflows").glob("*.yml")
    used = [each for f in files for each in re.findall(r"uses: (\S+)", f.read_text("utf-8"))]
    assert used
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", each) for each in used)
