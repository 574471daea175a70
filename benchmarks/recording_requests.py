"""What `benchmarks/recording.py` asks of a checkout: command lines, and the small inputs that they
name.

A request is some commands, run in a folder of their own in which `data/` has the inputs. INPUTS
says how each input is made from the folder of data; those of OWN need none. Old references stay
valid, so this file should outlive any reshaping of the package; where an input is Python code that
has to import from the package (ESTIMATOR), it tries the places one after the other.
"""

from __future__ import annotations

import gzip
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

RECORDED = "RECORDED_PACKAGE"  # the variable that names the package that is recorded
ESTIMATOR = '''"""A function as an encoder, and an estimator of scikit-learn as a probe."""

import os
from functools import partial
from importlib import import_module

import numpy as np
from sklearn.neighbors import KNeighborsClassifier


def _found(*names):
    """A thing of the package, by the first of its names that this checkout knows, wherever it
    lies.
    """
    for name in names:
        for place in (".probes.plain", ".probes", ""):
            try:
                return getattr(import_module(os.environ["RECORDED_PACKAGE"] + place), name)
            except (ImportError, AttributeError):
                continue
    raise ImportError(f"{names[0]}: name the module that has it in recording_requests.py")


def vowels(sentences: list[str]) -> np.ndarray:
    """How often each vowel occurs in the sentence."""
    return np.array([[sentence.lower().count(v) for v in "aeiou"] for sentence in sentences])


def knn(*, k: int = 5):
    """The majority among the k nearest training examples."""
    return _found("OneByOne")(_found("EstimatorProbe", "Estimator")(f"knn-{k}", partial(KNeighborsClassifier, k), seeded=False))
'''

SENTEVAL = {
    "sentence_length": "0 1 2", "word_content": "river stone", "tree_depth": "5 6 10",
    "top_constituents": "NP_VP_. OTHER",
    "bigram_shift": "I O", "past_present": "PAST PRES", "subj_number": "NN NNS",
    "obj_number": "NN NNS",
    "odd_man_out": "C O", "coordination_inversion": "I O",
}  # fmt: skip
RUSENTEVAL = (
    "conj_type gapping impersonal_sent ngram_shift obj_gender obj_number predicate_aspect"
    " predicate_tense predicate_voice sent_len subj_gender subj_number tree_depth word_content"
)
UD2019 = "SentLen WC TreeDepth TopDeps Passive Tense SubjNum ObjNum SentType"
WORDS = [
    "the",
    "a",
    "old",
    "small",
    "quiet",
    "red",
    "dog",
    "bird",
    "house",
    "river",
    "sees",
    "finds",
    "likes",
    "near",
    "under",
    "and",
]
REQUEST = {
    "nouns": ["professor", "student", "woman", "man", "doctor"],
    "verbs": {"transitive": ["call", "help", "follow", "meet"], "intransitive": ["dance", "sleep"]},
    "at_most": {"relatives": 1, "adverbs": 1},
    "prohibit": [{"voice": "passive", "polarity": "negative"}],
    "priors": {"polarity": {"negative": 0.5, "positive": 0.5}},
}


def lines_of(file: Path) -> Iterator[str]:
    """The lines of a file, packed or not."""
    opened = {".xz": lzma.open, ".gz": gzip.open}.get(file.suffix, open)
    with opened(file, "rt", encoding="utf-8", newline="\n") as text:
        yield from text


def blocks(lines: Iterable[str], many: int, first: str = "") -> str:
    """The first blocks: what blank lines part, or what begins with lines that begin so."""
    kept, seen = [], 0
    for line in lines:
        seen += line.startswith(first) if first else not line.strip()
        if seen > many if first else seen == many:
            break
        kept.append(line)
    return "".join(kept) + ("" if first else "\n")


def cut(source: str, sizes: dict[str, int], first: str = "") -> Callable[[Path, Path], None]:
    """A maker of a folder with the first blocks of some packed files; `source` has {} for their
    names.
    """

    def make(data: Path, place: Path) -> None:
        place.mkdir()
        for name, many in sizes.items():
            file = data / source.format(name)
            (place / file.name.removesuffix(".xz")).write_text(
                blocks(lines_of(file), many, first), "utf-8"
            )

    return make


def head(source: str, sizes: dict[str, int]) -> Callable[[Path, Path], None]:
    """The same with the first lines."""

    def make(data: Path, place: Path) -> None:
        place.mkdir()
        for name, many in sizes.items():
            file = data / source.format(name)
            (place / file.name.removesuffix(".xz")).write_text(
                "".join(islice(lines_of(file), many)), "utf-8"
            )

    return make


def linked(source: str) -> Callable[[Path, Path], None]:
    """A maker of a link to data that are read as they are."""
    return lambda data, place: place.symlink_to((data / source).resolve(strict=True))


def unpacked(source: str) -> Callable[[Path, Path], None]:
    """A maker of a folder with what an archive has."""

    def make(data: Path, place: Path) -> None:
        with tarfile.open(data / source) as archive:
            archive.extractall(place, filter="data")

    return make


def rows(labels: str, number: int, many: int = 40) -> Iterator[tuple[str, str, str]]:
    """Split, label and sentence of rows of our own; labels follow from the first word, with
    exceptions.
    """
    rng, names = np.random.default_rng([7, number]), labels.split()
    for code, size in (("tr", many * 2), ("va", many // 2), ("te", many)):
        for i in range(size):
            words = rng.choice(WORDS, int(rng.integers(4, 12))).tolist()
            noise = int(rng.integers(5)) == 0
            yield (
                code,
                names[(WORDS.index(words[0]) + noise) % len(names)],
                f"{' '.join(words)} {code}{i}",
            )


def columned(names: dict[str, str]) -> Callable[[Path, Path], None]:
    """A maker of a folder in SentEval's layout."""

    def make(_: Path, place: Path) -> None:
        place.mkdir()
        for number, (name, labels) in enumerate(names.items()):
            written = "".join(
                f"{code}\t{label}\t{text}\n" for code, label, text in rows(labels, number)
            )
            (place / f"{name}.txt").write_text(written, "utf-8")

    return make


def xprobe(_: Path, place: Path) -> None:
    """A folder in X-Probe's layout."""
    for number, (name, labels) in enumerate(SENTEVAL.items()):
        (place / name).mkdir(parents=True)
        for split in ("tr", "va", "te"):
            written = "".join(
                f"{text}\t{label}\n" for code, label, text in rows(labels, number) if code == split
            )
            (place / name / f"{split}.txt").write_text(written, "utf-8")


def table(_: Path, place: Path) -> None:
    """JSON lines of classes, sets and numbers, each a file."""
    place.mkdir()
    names = {"tr": "train", "va": "dev", "te": "test"}
    every = list(rows("x y z", 99, 60))
    kinds = {
        "classes": lambda label, text: label,
        "sets": lambda label, text: sorted({label, *(w for w in ("dog", "bird") if w in text)}),
        "scores": lambda label, text: len(text) + text.count("e") / 2,
    }
    for kind, labelled in kinds.items():
        written = [
            {
                "split": names[c],
                "label": labelled(label, text),
                "text": text,
                "strata": {"first": text[0]},
            }
            for c, label, text in every
        ]
        (place / f"{kind}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in written), "utf-8"
        )
    sentences = np.array([text for _, _, text in every])
    np.savez(
        place / "vectors.npz",
        sentences=sentences,
        vectors=np.random.default_rng(0).normal(size=(len(every), 16)).astype(np.float32),
    )
    (place / "sentences.txt").write_text(
        "".join(f"{text}\n" for _, _, text in every[:100]), "utf-8"
    )


def broken(data: Path, place: Path) -> None:
    """A treebank in which a row of the fourth sentence has too few columns."""
    lines = blocks(
        lines_of(data / "treebanks/UD_English-EWT/en_ewt-ud-train.conllu.xz"), 1500
    ).splitlines(keepends=True)
    blank = [i for i, line in enumerate(lines) if not line.strip()]
    lines[blank[3] - 1] = "1\tbroken\n"
    place.write_text("".join(lines), "utf-8")


def brown(data: Path, place: Path) -> None:
    """One in twelve of the Brown corpus's files."""
    with (
        zipfile.ZipFile(data / "raw_text/Brown-NLTK/brown.zip") as every,
        zipfile.ZipFile(place, "w") as some,
    ):
        for name in every.namelist()[1::12]:
            some.writestr(name, every.read(name))


EWT = "treebanks/UD_English-EWT/en_ewt-ud-{}.conllu.xz"
THREE = {"train": 2400, "dev": 300, "test": 300}
OWN = {
    "senteval": columned(SENTEVAL),
    "rusenteval": columned(dict.fromkeys(RUSENTEVAL.split(), "0 1")),
    "ud2019": columned(dict.fromkeys(UD2019.split(), "0 1")),
    "xprobe": xprobe,
    "table": table,
    "mine.py": lambda _, place: place.write_text(ESTIMATOR, "utf-8"),
    "request.json": lambda _, place: place.write_text(json.dumps(REQUEST), "utf-8"),
    "empty.json": lambda _, place: place.write_text("{}", "utf-8"),
}
INPUTS: dict[str, Callable[[Path, Path], object]] = {
    **OWN,
    "ewt": cut(EWT, THREE),
    "small": cut(EWT, {"train": 500, "dev": 60, "test": 60}),
    "whole": linked("treebanks/UD_English-EWT"),
    "pdb": cut("treebanks/UD_Polish-PDB/pl_pdb-ud-{}.conllu.xz", {"dev": 900, "test": 300}),
    "broken.conllu": broken,
    "trees": head(
        "constituency/EWT-propbank-skel/ewt_{}.ptb.xz", {"train": 6000, "dev": 900, "test": 900}
    ),
    "gum": cut(
        "treebanks/GUM/dep/gum_{}.conllu.xz", {"train": 12, "dev": 3, "test": 3}, "# newdoc"
    ),
    "ontogum": cut(
        "treebanks/GUM/coref_ontogum/gum_{}.conll.xz",
        {"train": 12, "dev": 3, "test": 3},
        "# begin document",
    ),
    "chunks": cut("edge/CONLL2000/{}.txt.xz", {"train": 400, "test": 100}),
    "wnut": linked("edge/WNUT17"),
    "srl": cut("edge/PropBank-EWT/ewt_{}.gold_conll.xz", {"train": 400, "dev": 80, "test": 80}),
    "spr2": head("edge/SPR2/edges.{}.json.xz", {"train": 400, "dev": 80, "test": 80}),
    "protoroles.zip": linked("edge/UDS-1.0-decomp/normalized_protoroles.zip"),
    "ud_ids.json.xz": linked("edge/UDS-1.0-decomp/ud_ids.json.xz"),
    "dpr": head("edge/DPR/{}.json", {"train": 200, "dev": 60, "test": 100}),
    "semeval": linked("edge/SemEval2010-Task8/edges"),
    "jiant": head("edge/UD-EWT-r2.2-edges/en_ewt-ud-{}.json.xz", {"dev": 200, "test": 100}),
    "free": linked("."),
    "released": linked("published_probing/compeval-released"),
    "linspector": unpacked("published_probing/linspector/word_polish.tar.xz"),
    "contextual": unpacked("published_probing/linspector/contextual_english.tar.xz"),
    "xprobe-en": unpacked("published_probing/xprobe/xprobe_en.tar.xz"),
    "gapping.txt.xz": linked("published_probing/RuSentEval/gapping.txt.xz"),
    "hindi_voice.csv.xz": linked("published_probing/IndicSentEval/hindi_voice.csv.xz"),
    "glove.txt.gz": linked("vectors_misc/glove.6B.100d.sample.txt.gz"),
    "brown.zip": brown,
    "novels": head("raw_text/LitBank-Gutenberg-fiction/{}.txt.xz", {"sentences": 3000}),
}

BOW = "-e bow:random,dim=24"
WORDWISE = "-e bow:random,dim=24,pool=none"
SPAN = "span,projection=16,hidden=16"
MINI = "all-MiniLM-L6-v2"
EDGE = {
    "pos": "data/small", "feat": "data/small,feature=Number", "dep": "data/small",
    "const": "data/trees", "entities": "data/gum",
    "chunks": "data/chunks", "coref": "data/gum", "srl": "data/srl", "spr1": "data/spr2",
    "spr2": "data/spr2", "dpr": "data/dpr",
    "uds": "data/protoroles.zip,treebank=data/whole,ids=data/ud_ids.json.xz",
    "semeval": "data/semeval",
    "jsonl": "data/jiant,splits=sampled",
}  # fmt: skip
SHOWN = ["report results --format csv", "report results --classes", "compare results --format csv"]


def built(*tasks: str) -> list[str]:
    """Each task's data set as rows."""
    return [f"build {task} -o {number}.jsonl" for number, task in enumerate(tasks)]


UD = [
    "obj-num",
    "passive",
    "sent-len",
    "sent-type",
    "subj-num",
    "tense",
    "top-deps",
    "tree-depth",
    "word-content",
]
TREE = [
    "bigram-shift",
    "coord-inv",
    "obj-num",
    "sent-len",
    "somo",
    "subj-num",
    "tense",
    "top-const",
    "tree-depth",
    "word-content",
]
COMP = [
    "adjective",
    "agreement",
    "content1",
    "content2",
    "embedded-tense",
    "negation",
    "order",
    "quantifier-scope",
    "sem-role",
]
FEW = "size=240,dev=60,test=80"

VECTORS = {
    "length": "length", "bow": "bow:random,dim=24", "bow-words": "bow:random,dim=24,pool=none",
    "random": "random,dim=24,pool=none",
    "static": "static:data/glove.txt.gz", "static-words": "static:data/glove.txt.gz,pool=none",
    "bilstm-last": "untrained:bilstm-last,dim=20,hidden=16",
    "bilstm-max": "untrained:bilstm-max,dim=20,hidden=16,pool=none",
    "convnet": "untrained:gated-convnet,dim=20,hidden=16,vectors=data/glove.txt.gz",
    "st": f"st:{MINI}", "st-prompt": f"st:{MINI},prompt=query",
    "hf": f"hf:{MINI},layers=all,pool=mean",
    "hf-words": f"hf:{MINI},layers=lex+all,pool=none",
    "hf-raw": f"hf:{MINI},layers=3-5,pool=none,text=raw,special=true",
    "hf-random": f"hf:{MINI},layers=penultimate,weights=random,pool=max",
    "hf-orthonormal": f"hf:{MINI},layers=1+6,weights=orthonormal,pool=cls",
}  # fmt: skip
AUDITED = (
    "ud/tense:data/ewt", "ud/top-deps:data/ewt", "tree/somo:data/trees,size=300",
    f"comp/sem-role,{FEW}", "edge/dep:data/small,size=400",
    "senteval/tense:data/senteval", "table:data/table/classes.jsonl",
    "table:data/table/sets.jsonl", "table:data/table/scores.jsonl",
)  # fmt: skip

REQUESTS: dict[str, list[str]] = {
    "table": [
        (
            f"run -t table:data/table/classes.jsonl {BOW} --baselines none --probe logreg --seeds 1 -q"
            " -o results"
        ),
        "build rusenteval/tense:data/rusenteval,splits=sampled -o sampled.jsonl",
        "report results --format csv",
    ],
    "table-kinds": [
        (
            f"run -t table:data/table/sets.jsonl -t table:data/table/scores.jsonl {BOW} --probe mlp"
            " --probe logreg --seeds 2 -q -o results"
        ),
        "build table:data/table/classes.jsonl -o built.parquet",
        "build table:data/table/classes.jsonl -o built.txt --format senteval",
        (
            f"run -t table:built.parquet,clusters=first {BOW} --probe majority-feature --probe"
            " majority --seeds 1 -q -o again"
        ),
        *SHOWN,
    ],
    # families: data sets row by row, then one cheap run
    "ud-data": built(
        *(f"ud/{name}:data/ewt" for name in UD), "ud/feat:data/ewt,feature=Number,of=subj"
    ),
    "ud": [
        (
            f"run -t ud/*:data/ewt -t ud/feat:data/ewt,feature=Number,of=subj {BOW} -e length"
            " --baselines none --probe logreg --seeds 1 -q -o results"
        ),
        *SHOWN,
    ],
    "ud-options": [
        *built(
            "ud/tense:data/ewt,rules=paper,forms=simple,size=300",
            "ud/top-deps:data/ewt,relations=subtypes,seed=3",
            "ud/sent-type:data/whole,final=strip,splits=official,size=600",
            "ud/sent-len:data/novels/sentences.txt,size=600",
            "ud/passive:data/ewt,passive=morphological",
            "ud/subj-num:data/pdb/pl_pdb-ud-dev.conllu,with=data/pdb/pl_pdb-ud-test.conllu",
            "ud/subj-num:data/ewt,fold=2/5",
        ),
    ],
    "folds": [
        (
            f"run -t ud/obj-num:data/ewt -t ud/tense:data/small {BOW} --probe logreg --seeds 2 -q"
            " -o results"
        ),
        *SHOWN,
    ],
    "on-error": [
        (
            "run -t ud/sent-len:data/broken.conllu -t"
            f" ud/subj-num:data/broken.conllu,with=data/small --on-error skip {BOW} --probe logreg"
            " --seeds 1 -q -o results"
        ),
        "inspect ud/sent-len:data/broken.conllu --on-error skip --format markdown",
        "report results --format csv",
    ],
    "tree-data": built(*(f"tree/{name}:data/trees" for name in TREE)),
    "tree": [
        (
            f"run -t tree/*:data/trees,size=300 {BOW} -e length --baselines none --probe logreg --seeds"
            " 1 -q -o results"
        ),
        *SHOWN,
    ],
    "tree-options": built(
        "tree/sent-len:data/trees,bins=readme,splits=official",
        "tree/tense:data/trees,band=literal,freq=data/novels/sentences.txt,rules=paper",
        "tree/tree-depth:data/trees,depths=gaussian,seed=2",
        "tree/top-const:data/trees,inventory=published",
    ),
    "comp-data": built(*(f"comp/{name},{FEW}" for name in COMP)),
    "comp": [
        (
            f"run -t comp/order,{FEW} -t comp/agreement,{FEW} {BOW} --probe logreg --seeds 1 -q -o"
            " results"
        ),
        *SHOWN,
    ],
    "comp-options": built(
        f"comp/order,{FEW},mode=paper",
        f"comp/negation,{FEW},balance=rules,written=cased",
        f"comp/content1,{FEW},asked=vectors,balance=none,seed=4",
    ),
    "comp-released": [
        (
            f"run -t comp/released/*:data/released,size=500 {BOW} -e length --baselines none --probe"
            " logreg --seeds 1 -q -o results"
        ),
        *built(
            *(
                f"comp/released/{name}:data/released"
                for name in ["content1", "content2", "negation", "order", "sem-role"]
            )
        ),
        *SHOWN,
    ],
    "edge-data": built(*(f"edge/{kind}:{argument},size=300" for kind, argument in EDGE.items())),
    "edge": [
        " ".join(
            ["run", *(f"-t edge/{kind}:{argument},size=100" for kind, argument in EDGE.items())]
        )
        + f" {WORDWISE} --probe span,projection=32,hidden=32 --baselines none --seeds 1 -q -o results",
        "report results --format csv",
        "report results --classes",
        "report results --by seen",
    ],
    "edge-options": [
        *built(
            "edge/coref:data/ontogum,sentences=data/gum,across=1,singletons=false",
            "edge/entities:data/wnut,size=300",
            "edge/dep:data/small,root=self,relations=universal,sample=2/5",
            "edge/const:data/trees,unary=separate,root=true,size=400",
            "edge/srl:data/srl,roles=core",
            "edge/uds:data/protoroles.zip,treebank=data/whole,ids=data/ud_ids.json.xz,soft=true,size=300",
        ),
        "build edge/dep:data/small -o edges.json --format jiant",
    ],
    # released sets
    "senteval": [
        f"run -t senteval/*:data/senteval {BOW} --probe logreg --seeds 1 -q -o results",
        *SHOWN,
    ],
    "xprobe": [
        f"run -t xprobe/*:data/xprobe {BOW} --probe logreg --seeds 1 -q -o results",
        *built(
            "xprobe/tense:data/xprobe-en/en,splits=sampled,size=400",
            "xprobe/somo:data/xprobe-en/en,splits=sampled,detokenise=true,size=300",
        ),
        "inspect xprobe/tree-depth:data/xprobe-en/en,size=2000 --format markdown",
    ],
    "rusenteval": [
        f"run -t rusenteval/*:data/rusenteval {BOW} --probe logreg --seeds 1 -q -o results",
        *built("rusenteval/gapping:data/gapping.txt.xz,size=500"),
    ],
    "linspector": [
        (
            "run -t linspector/word:data/linspector/intrinsic/data/Case/polish,size=400"
            " -t linspector/pair:data/linspector/intrinsic/data/OddFeat/polish,size=400"
            f" {BOW} --probe logreg --seeds 1 -q -o results"
        ),
        (
            "run -t"
            " linspector/contextual:data/contextual/intrinsic/data_contextual/Case/english,size=400"
            f" {WORDWISE} --seeds 1 -q -o spans"
        ),
        *built("linspector/word:data/linspector/intrinsic/data/Case/polish,size=400"),
    ],
    "indicsenteval": [
        (
            f"run -t indicsenteval:data/hindi_voice.csv.xz,splits=sampled,on_error=skip {BOW}"
            " --probe logreg --seeds 1 -q -o results"
        ),
        *built("indicsenteval:data/hindi_voice.csv.xz,splits=sampled,on_error=skip"),
    ],
    # probes, controls, encoders
    "probes": [
        (
            "run -t ud/tense:data/ewt,size=200 -t table:data/table/sets.jsonl -t"
            f" table:data/table/scores.jsonl {BOW} --probe mlp --probe mlp,protocol=acl18 --probe"
            " mlp,protocol=senteval --probe mlp,protocol=krasnowska --probe"
            " mlp,protocol=krasnowska,hidden=0,reduction=sum --probe logreg,scaled=false --probe"
            " majority --baselines none --seeds 2 --keep-scores -q -o results"
        ),
        (
            f"run -t ud/tense:data/ewt,size=200 {BOW} --probe data/mine.py@knn,k=3 --baselines none"
            " --seeds 1 -q -o results"
        ),
        *SHOWN,
        "report results --bits",
    ],
    "words": [
        "run -t ud/tense:data/ewt -t ud/sent-type:data/whole,size=300 -e words --probe nb-uni-tfidf"
        " --probe nb-bi-tfidf --probe majority-feature --baselines none --seeds 1 -q -o results"
    ],
    "ettinger": [
        f"run -t comp/order,{FEW},mode=paper -t comp/released/content1:data/released,size=500 {BOW}"
        " --probe mlp,protocol=ettinger --baselines none --seeds 2 -q -o results"
    ],
    "online": [
        (
            f"run -t table:data/table/classes.jsonl {BOW} --probe online:logreg --probe"
            " online:mlp%2Chidden=20 --baselines none --seeds 1 -q -o results"
        ),
        (
            f"run -t edge/pos:data/small,size=300 {WORDWISE} --probe online:span,fallback=false"
            " --seeds 1 --baselines none -q -o results"
        ),
        "report results --format csv",
    ],
    "span": [
        (
            f"run -t edge/dep:data/small,size=100 {WORDWISE} --probe {SPAN} --probe"
            f" {SPAN},pool=endpoints,context=1 --probe {SPAN},pool=max,loss=softmax,decode=argmax"
            f" --probe {SPAN},pool=mean,layer_norm=true --keep-scores --baselines none --seeds 1 -q -o"
            " results"
        ),
        (
            f"run -t edge/spr2:data/spr2,size=60 {WORDWISE} -e random,dim=24,pool=none --probe"
            f" {SPAN} --keep-scores --baselines none --seeds 2 -q -o results"
        ),
        (
            f"run -t edge/pos:data/small,size=60 {WORDWISE} --probe {SPAN},protocol=tenney --probe"
            f" {SPAN},protocol=jiant --baselines none --seeds 1 -q -o published"
        ),
        *SHOWN,
        "report results --bits",
        "report results --by distance",
        "results predictions results -o predictions -t edge/dep",
        "results predictions results -o records -t edge/spr2 --format jiant",
    ],
    "controls": [
        (
            f"run -t ud/tense:data/ewt -t tree/obj-num:data/trees,size=300 {BOW} --control shuffled"
            " --control word-labels --probe logreg --baselines none --seeds 2 -q -o results"
        ),
        (
            f"run -t edge/pos:data/small,size=300 {WORDWISE} --control shuffled --control"
            " word-labels --baselines none --seeds 1 -q -o results"
        ),
        (
            f"run -t comp/sem-role,{FEW} {BOW} -e length --control random-asked --probe mlp"
            " --baselines none --seeds 1 -q -o results"
        ),
        *SHOWN,
    ],
    "encoders": [
        (
            "run -t table:data/table/classes.jsonl -e length -e words -e random,dim=20,seed=2 -e"
            " bow:random,dim=20,pool=max,lowercase=true -e static:data/glove.txt.gz -e"
            " npz:data/table/vectors.npz -e data/mine.py@vowels -e"
            " untrained:bilstm-last,dim=20,hidden=16 -e"
            " untrained:bilstm-max,dim=20,hidden=16,seed=1 -e"
            " untrained:gated-convnet,dim=20,hidden=16 --probe logreg --seeds 1 --baselines none -q -o"
            " results"
        ),
        *SHOWN,
    ],
    "gold": [
        (
            "run -t ud/tense:data/ewt -t tree/tree-depth:data/trees,size=300 -t"
            " comp/order,size=240,dev=60,test=80 -e gold,noise=0.2,width=64 --probe logreg"
            " --baselines none --seeds 1 -q -o results"
        ),
        (
            "run -t edge/dep:data/small,size=300 -t edge/coref:data/gum,size=200 -e gold,width=32"
            " --baselines none --seeds 1 -q -o results"
        ),
    ],
    **{
        f"vectors-{name}": [
            f"embed -q -e {encoder} data/table/sentences.txt data/small/en_ewt-ud-dev.conllu"
        ]
        for name, encoder in VECTORS.items()
    },
    "transformers": [
        (
            f"run -t ud/tense:data/ewt,size=300 -e st:{MINI} -e hf:{MINI},layers=all,pool=mean -e"
            f" hf:{MINI},layers=lex+2,pool=cls,special=false --probe logreg --seeds 1 --baselines none"
            " -q -o results"
        ),
        "layers results --format csv",
        *SHOWN,
    ],
    "mixes": [
        (
            f"run -t edge/dep:data/small,size=100 -e hf:{MINI},layers=lex+all,pool=none --probe"
            f" {SPAN} --layers layers --layers top --layers cat:lex+top --layers mix --layers mix:0-2 --layers"
            " cumulative --keep-scores --baselines none --seeds 1 -q -o results"
        ),
        *SHOWN,
        "report results --bits",
        "layers results --format csv",
        "layers results --format markdown",
        "results predictions results -o predictions -t edge/dep --layers mix",
    ],
    # suites, audits, people, generation, training
    "conneau2018": [
        f"run --suite conneau2018:data/senteval,probe=logreg {BOW} --seeds 1 -q -o results",
        (
            f"run --suite conneau2018,trees=data/trees,probe=logreg {BOW} --seeds 1 --baselines none -q"
            " -o trees"
        ),
        "report results --suite conneau2018:data/senteval,probe=logreg --format csv",
    ],
    "ud2019": [
        f"run --suite ud2019:data/ewt,language=en {BOW} --seeds 1 -q -o results",
        (
            f"run --suite ud2019,released=data/ud2019,language=pl {BOW} --seeds 1 --baselines none -q -o"
            " released"
        ),
    ],
    "ettinger2018": [
        (
            f"run --suite ettinger2018,task=size=240,task=dev=60,task=test=80 {BOW} --seeds 1 -q -o"
            " results"
        ),
        (
            f"run --suite ettinger2018:data/released,task=size=500 {BOW} --seeds 1 --baselines none -q"
            " -o released"
        ),
    ],
    "tenney2019": [
        f"run --suite tenney2019:data/free,protocol=fast,task=size=40 {WORDWISE} --baselines none"
        " --seeds 1 -q -o results"
    ],
    "audits": [
        *(f"inspect {task} --format markdown --sample 5" for task in AUDITED),
        "build ud/tense:data/ewt -o tense.jsonl --audit tense.md",
    ],
    "annotate": [
        "data annotate tree/somo:data/trees -n 20 -o sheet.tsv",
        "data annotate ud/tense:data/ewt --check -n 20 -o check.tsv",
    ],
    "generate": [
        "data generate data/empty.json",
        "data generate data/empty.json -n 200 -o drawn.jsonl -q",
        "data generate data/request.json -n 200 --seed 5 -o request.jsonl -q",
        "data generate data/empty.json --language polish -n 200 -o polish.jsonl -q",
        "data generate data/empty.json --language polish -n 100 --seed 1 --text -o polish.txt -q",
    ],
    "lists": ["embed -t ud/tense:data/ewt -t tree/somo:data/trees --list sentences.txt -q"],
    "training": [
        "data tag data/novels/sentences.txt --from data/brown.zip -o novels.tagged -q",
        (
            "train vectors data/novels/sentences.txt --exclude data/small --english --dim 20 --epochs 2"
            " -o novels.vec -q"
        ),
        (
            "run -t table:data/table/classes.jsonl -e static:novels.vec --probe logreg --seeds 1"
            " --baselines none -q -o results"
        ),
    ],
}
