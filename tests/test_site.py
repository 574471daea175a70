"""The site: every page for readers is in its menu, no link is dead, nothing is loaded from elsewhere,
and its search, by the library that the theme brings, finds the page that a query asks for.
"""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BUILDER = runpy.run_path(str(DOCS / "build_site.py"))
COUNTER = runpy.run_path(str(DOCS / "count_words.py"))
SEARCH = Path(__file__).parent / "fixtures" / "site_search.js"
OUTSIDE = ("design/", "results/")  # files for contributors, in neither menu nor search


def build(folder):
    command = [sys.executable, str(folder / "docs" / "build_site.py")]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of what the site is made from, with the site built."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS, folder / "docs")
    for name in ("README.md", "zensical.toml"):
        shutil.copy(ROOT / name, folder)
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def site(copy):
    return copy / "build" / "site"


def menu():
    project = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]
    return list(BUILDER["pages"](project["nav"]))


def test_every_page_for_readers_is_in_the_menu_once():
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    for_readers = {name for name in written if not name.startswith(OUTSIDE)}
    listed = [name for name in menu()[1:] if not name.startswith(OUTSIDE)]
    assert sorted(listed) == sorted(for_readers)
    assert menu()[0] == "index.md"
    assert not (DOCS / "index.md").exists(), "the home page is the README"


def test_readers_have_no_more_to_read_than_agreed():
    counts = COUNTER["words"]()
    most, most_generated = COUNTER["MOST"], COUNTER["MOST_GENERATED"]
    for_readers, generated = COUNTER["sums"](counts)
    longest = sorted(counts, key=counts.__getitem__)[-8:]
    assert for_readers <= most, f"shorten the longest pages: {longest}"
    assert generated <= most_generated
    written = {name: n for name, n in counts.items() if name not in COUNTER["GENERATED"]}
    assert {name: n for name, n in written.items() if n > COUNTER["MOST_PAGE"]} == {}


def test_design_notes_have_no_more_words_than_agreed():
    counts = COUNTER["note_words"]()
    longest = sorted(counts, key=counts.__getitem__)[-8:]
    assert sum(counts.values()) <= COUNTER["MOST_NOTES"], f"shorten the longest notes: {longest}"


def test_words_are_counted_as_people_count_them(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "zensical.toml").write_text('{ "Home" = "index.md" }, { "API" = "api.md" }')
    (tmp_path / "README.md").write_text("# Three short words\n")
    (tmp_path / "docs" / "api.md").write_text("| a | b |\n|---|---|\n| `c` | ── |\n")
    (tmp_path / "docs" / "note.md").write_text("not in the menu\n")
    counts = COUNTER["words"](tmp_path)
    assert counts == {"index.md": 3, "api.md": 3}
    assert COUNTER["sums"](counts) == (3, 3)
    (tmp_path / "docs" / "design").mkdir()
    (tmp_path / "docs" / "design" / "map.md").write_text("generated, so not counted\n")
    (tmp_path / "docs" / "design" / "way.md").write_text("## Two <!-- hidden --> words\n")
    assert COUNTER["note_words"](tmp_path) == {"way.md": 2}


def test_nothing_is_loaded_from_elsewhere_and_no_program_is_published(site):
    html = "".join(path.read_text("utf-8") for path in site.rglob("*.html"))
    loaded = re.findall(r'<(?:script|img|iframe)[^>]*\ssrc="?(https?://[^">]+)', html)
    loaded += re.findall(r'<link[^>]*rel="?stylesheet"?[^>]*href="?(https?://[^">]+)', html)
    assert not loaded
    assert not list(site.rglob("*.py"))


def test_links_lead_to_pages_and_headings_that_are_there(site):
    texts = {page: page.read_text("utf-8") for page in site.rglob("*.html")}
    ids = {page: set(re.findall(r'\sid="?([^"\s>]+)', text)) for page, text in texts.items()}
    dead = []
    for page, text in texts.items():
        article = re.search(r"<article.*?</article>", text, re.S)
        for link in re.findall(r'href="?([^"\s>]+)', article[0] if article else ""):
            file, _, heading = link.partition("#")
            there = (page.parent / file).resolve() if file else page
            if link.startswith("http") or there.suffix != ".html":
                continue
            if there not in ids or (heading and heading not in ids[there]):
                dead.append((page.name, link))
    assert not dead


def test_a_dead_link_fails(copy, site):
    start = copy / "docs" / "start.md"
    kept = start.read_text("utf-8")
    start.write_text(kept + "\n[gone](nowhere.md)\n", "utf-8")
    saved = site.rename(copy / "kept")
    try:
        assert build(copy).returncode != 0
    finally:
        shutil.rmtree(site, ignore_errors=True)
        saved.rename(site)
        start.write_text(kept, "utf-8")


def test_the_home_page_is_the_readme():
    shown = BUILDER["home"]("[a](docs/start.md#b) [c](LICENSE) ![d](docs/e.svg) [f](https://g)")
    assert shown == "[a](start.md#b) c ![d](e.svg) [f](https://g)"


QUERIES = """
publish data set hub: publish
board of models: board
pull request: board
significance: compare
p value: compare
confidence interval: compare understand sure
multiple comparisons: compare
compare two encoders: compare
which layer: layers compare
layers: layers
bert layers: layers encoders objects
how many seeds: faq paper
how many examples: faq paper
what to report: paper
report in a paper: paper
latex: paper errors
figure: errors
confusion matrix: errors
control task: understand sure
selectivity: understand sure
cross-validation: understand sure
oracle: oracles
upper bound: oracles
LoRA: language-models
peft: language-models
chat template: language-models
last token: language-models
quantised: language-models
quantized: language-models
vllm: language-models
Llama: language-models
AutoModelForCausalLM: language-models encoders objects
own vectors: vectors
npz: vectors
openai: vectors
word2vec: encoders objects
fastText: encoders objects
wandb: faq while-training
Trainer: while-training
csv: columns faq keep
jsonl: faq tasks tables
DataFrame: tutorials/dataframe
pandas: tutorials/dataframe
own labels: tutorials/dataframe
Finnish: languages
Polish case and aspect: language
own csv: columns faq keep tutorials/dataframe
detector: keep detectors
morphology: cli languages tasks tables
case: tasks tables languages
agreement: tasks tables
word order: tasks tables
baseline: understand sure
Finnish case: languages tasks-ud tasks tables
attention heads: heads
CKA: geometry
anisotropy: geometry
representation similarity: geometry
intrinsic dimension: geometry
Procrustes: geometry
neurons: units
sparse autoencoder: sae
minimal pairs: minimal-pairs
BLiMP: minimal-pairs
syntactic tree: structure
structural probe: structure
cross-lingual transfer: languages
does the model use it: erase intervene
amnesic probing: erase intervene
inside two encoders: results-inside
train a language model: training
LEACE: erase intervene
INLP: erase intervene
no treebank: faq
add a task: tutorials/task
edge probing: tasks tables-edge layers
SentEval: coming-from
jiant: coming-from
mteb scores: coming-from relate mteb
correlation: relate
reproduce paper: suites claims
leaderboard: board
which probe: probes
MDL: probes measures
gpu: probes speed faq
out of memory: faq
offline: faq
cache: storage cli faq
float16: storage
slurm: cluster cli
learning curve: curve
run tests: faq
install: start index
cite: cite
"""


@pytest.mark.skipif(not shutil.which("node"), reason="the site's search runs in Node")
def test_the_search_finds_what_people_type(site):
    asked = dict(line.split(": ") for line in QUERIES.strip().splitlines())
    (worker,) = (site / "assets" / "javascripts" / "workers").glob("search.*.min.js")
    command = ["node", SEARCH, worker, site / "search.json"]
    given = json.dumps(list(asked))
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    wrong = {
        query: hits[:3]
        for (query, right), hits in zip(asked.items(), json.loads(done.stdout), strict=True)
        if not hits or hits[0].partition(".html")[0] not in right.split()
    }
    assert not wrong
