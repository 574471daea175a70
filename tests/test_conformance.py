"""Every entry of the contents keeps its promises; one that is added without a line here fails."""

import contextlib
import json
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fixtures import published
from fixtures.compsets import SMALL
from fixtures.embedding_server import embedding_server
from fixtures.forest import forest
from fixtures.models import (
    SENTENCES,
    given_arrow,
    given_npy,
    given_npz,
    given_parquet,
    recorded_states,
    sentence_transformer,
    trained,
    transformer,
    word_vectors,
)
from lingprobe import evaluate
from lingprobe.corpora.embedded import generate_treebank
from lingprobe.data._logits import ProbeLogits
from lingprobe.data.core import DataProblem
from lingprobe.data.identity import compute_identity
from lingprobe.data.labels import NumberList, NumberLists, build_column
from lingprobe.data.oracles import oracles_of
from lingprobe.data.references import Reference, summarise_docstring
from lingprobe.data.scored_labels import ScoredLabels
from lingprobe.datasets.controls import CONTROLS
from lingprobe.datasets.formats.tables import write_dataset
from lingprobe.encoders import ENCODERS
from lingprobe.metrics import METRICS
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS, list_task_names
from lingprobe.testing import TINY_DATASET_FAMILIES, check_encoder, check_probe, check_task
from tasks.edges import edge_files
from tasks.publications import released

ENCODER_OPTIONS = {
    "length": ["length"],
    "words": ["words"],
    "random": ["random", "random,dim=4,seed=1", "random,pool=none,dim=4"],
    "overlap": ["overlap"],
    "hypothesis": ["hypothesis", "hypothesis,dim=8,seed=1"],
    "negation": ["negation", "negation,words=nicht"],
    "bow": [
        "bow:random",
        "bow:random,pool=max,lowercase=true",
        "bow:random,pool=sum",
        "bow:random,pool=none,dim=8",
    ],
    "static": ["static:VEC", "static:VEC,pool=max", "static:VEC,pool=none"],
    "untrained": (
        [f"untrained:{a},hidden=16,dim=8" for a in ("bilstm-max", "bilstm-last", "gated-convnet")]
        + ["untrained:bilstm-max,vectors=VEC,hidden=16"]
        + [f"untrained:{a},hidden=16,dim=8,pool=none" for a in ("bilstm-max", "gated-convnet")]
    ),
    "trained": ["trained:TRAINED", "trained:TRAINED,epoch=1,pool=none"],
    "npz": ["npz:NPZ"],
    "parquet": ["parquet:PARQUET"],
    "arrow": ["arrow:ARROW"],
    "npy": ["npy:NPY"],
    "api": ["api:SERVER,model=tiny", "api:SERVER,model=tiny,batch=3,prompt=about "],
    "acts": ["acts:STATES,model=HF", "acts:STATES,model=HF,pool=none"],
    "hf": (
        [
            f"hf:HF,dtype=float32,{o}"
            for o in (
                "pool=mean",
                "layers=all,pool=none",
                "layers=0-1,pool=cls",
                "pool=last,special=false",
            )
        ]
        + [
            "hf:HF,dtype=float32,layers=all,pool=max",
            "hf:HF,dtype=float32,layers=lex+0-1,pool=none,spaces=true",
        ]
        + [
            f"hf:HF,dtype=float32,weights={w},layers=lex+all,pool=none"
            for w in ("random", "orthonormal")
        ]
    ),
    "window": ["window", "window:1"],
    "ngrams": ["ngrams", "ngrams:2,dim=8"],
    "gold": ["gold:words", "gold:words,width=none", "gold:words,width=32,noise=0.1,seed=1"],
    "st": ["st:ST,dtype=float32", "st:ST,dtype=float32,prompt=about "],
    "infersent": [
        f"infersent:INFERSENT/infersent1.pkl,vectors=INFERSENT/glove.txt,pool={pool}"
        for pool in ("max", "mean", "none")
    ],
    "skipthought": [
        "skipthought:SKIP",
        "skipthought:SKIP,model=uni,end=true",
        "skipthought:SKIP,model=bi,normalise=false",
        "skipthought:SKIP,pool=none",
    ],
    "sent2vec": ["sent2vec:NGRAMS", "sent2vec:NGRAMS,pool=none,lowercase=false"],
    "laser": [f"laser:{each}{o}" for each in ("CODES", "PIECES") for o in ("", ",pool=none")],
    "cove": [
        f"cove:COVE/wmtlstm.pth,vectors=COVE/glove.txt,{o}"
        for o in ("pool=mean", "layers=all,pool=max", "layers=lex+1-2,pool=none")
    ],
    "elmo": [
        "elmo:ELMO/elmo_weights.hdf5",
        "elmo:ELMO/elmo_weights.hdf5,options=ELMO/elmo_options.json,layers=all,pool=max",
        "elmo:ELMO/elmo_weights.hdf5,layers=lex+all,pool=none",
        "elmo:ELMO/elmo_weights.hdf5,layers=all,pool=none,weights=orthonormal",
        "elmo:ELMO/elmo_weights.hdf5,weights=random,seed=1",
    ],
    "char-ngrams": ["char-ngrams", "char-ngrams,dim=64,longest=2", "char-ngrams,pool=none"],
    "tags": ["tags"],
    "lm": ["lm:MASKED", "lm:MASKED,weights=random,seed=1"],
    "ngram": ["ngram:TEXT", "ngram:TEXT,order=1"],
    "sae": [f"sae:SAE,of=hf:HF%2Cdtype=float32,layers=1{o}" for o in ("", ",pool=none")],
    "use": [],  # needs TensorFlow; test_use.py checks it over a stub of that
}
PROBE_OPTIONS = {
    "mlp": [
        ("mlp", {"kinds": ("classes",)}),
        ("mlp,hidden=50,dropout=0", {"kinds": ("scores", "sets", "partial")}),
        ("mlp,hidden=0", {"kinds": ("classes",)}),
        ("mlp,protocol=acl18,hidden=50,dropout=0.1", {"kinds": ("classes",)}),
        ("mlp,protocol=senteval,l2=1e-5", {"kinds": ("classes",)}),
        ("mlp,protocol=krasnowska,l2=1e-4", {"kinds": ("classes",)}),
        ("mlp,protocol=ettinger", {"kinds": ("classes",)}),
    ],
    # sets are learnt as those that are annotated in part, all of whose weights are 1
    "span": [("span,projection=32,hidden=32", {"kinds": ("classes", "partial")})],
    "linear": [("linear", {}), ("linear,member=logistic,standardised=false,penalty=0.01", {})],
    "logreg": [("logreg", {})],
    "means": [("means", {"kinds": ("classes",)})],
    "online": [("online:logreg%2Cc=1", {"kinds": ("classes", "sets", "partial")})],
    "relatedness": [
        ("relatedness", {"kinds": ("scores",), "pairs": True}),
        # planted scores begin at 0, for which SentEval has no class
        ("relatedness,protocol=senteval", {"kinds": ("scores",), "pairs": True, "learns": False}),
    ],
    "cosine": [("cosine", {"kinds": ("scores",), "pairs": True})],
    "attention": [("attention,epochs=10", {}), ("attention,pool=max", {"kinds": ("classes",)})],
    "sparse": [
        ("sparse,k=4", {}),
        ("sparse,k=4,by=l1", {"kinds": ("classes", "partial")}),
        ("sparse,k=9,rotate=1", {"kinds": ("classes", "scores")}),
    ],
    "majority": [("majority", {"learns": False})],
    "majority-feature": [("majority-feature", {"kinds": ("classes",)})],
    "nb-uni-tfidf": [("nb-uni-tfidf", {}), ("nb-uni-tfidf,alpha=0.5", {})],
    "nb-bi-tfidf": [("nb-bi-tfidf", {})],
    # labels of these are no kind that is planted here: tests of their parts fit them
    "preference": [("preference", {"kinds": ()})],
    "structural": [("structural", {"kinds": ()}), ("structural,rank=4", {"kinds": ()})],
    "chain": [("chain", {"kinds": ()})],
    "pointer": [("pointer", {"kinds": ()})],
}
PUBLISHED = ("senteval", "xprobe", "rusenteval", "ud2019", "comp/released", "text", "pair")
PAPERS = list_task_names("comp/released")
# labels are all that they publish
UNANNOTATED = (
    "minimal",  # which of two sentences is the better one, no annotation of words says
    *("senteval", "xprobe", "rusenteval", "ud2019", "linspector", "indicsenteval", "text", "pair"),
    "table",
)
TASK_OPTIONS = {
    "ud/feat": [
        f"ud/feat:BANK,{o}"
        for o in (
            "feature=Number,of=subj,upos=NOUN",
            "feature=Tense",
            "feature=Tense,of=VERB,rare=refuse",
        )
    ],
    **{
        name: [f"{name}:BANK"]
        for name in TASKS.places(own=True)
        if name.startswith("ud/") and name != "ud/feat"
    },
    **{name: [f"{name}:TREES"] for name in TASKS.places(own=True) if name.startswith("tree/")},
    **{f"{f}/{n}": [f"{f}/{n}:RELEASED/{f}"] for f in PUBLISHED for n in list_task_names(f)},
    **{
        f"linspector/{n}": [f"linspector/{n}:RELEASED/linspector/{n}"]
        for n in list_task_names("linspector")
    },
    **{f"comp/{n}": [f"comp/{n},{SMALL}{mode}" for mode in ("", ",mode=paper")] for n in PAPERS},
    **{f"comp/{n}": [f"comp/{n},{SMALL}"] for n in list_task_names("comp") if n not in PAPERS},
    "senteval/sent-len": [
        "senteval/sent-len:RELEASED/senteval",
        "senteval/sent-len:RELEASED/senteval,detokenise=true,size=18",
    ],
    "text/sst2": ["text/sst2:RELEASED/text", "text/sst2:RELEASED/text,phrases=false"],
    "text/trec": ["text/trec:RELEASED/text", "text/trec:RELEASED/text,labels=fine"],
    "pair/jsonl": ["pair/jsonl:RELEASED/pair/mine.jsonl"],
    "indicsenteval": ["indicsenteval:RELEASED/voice.csv,splits=sampled"],
    "edge/jsonl": ["edge/jsonl:EDGES/jsonl", "edge/jsonl:EDGES/sets"],
    "edge/pos": ["edge/pos:BANK", "edge/pos:EDGES/gold", "edge/pos:TREES"],
    "edge/dep": ["edge/dep:BANK", "edge/dep:EDGES/misc,root=self,relations=universal"],
    "edge/feat": [
        "edge/feat:BANK,feature=Number",
        "edge/feat:BANK,feature=Tense,upos=VERB,absent=label",
    ],
    "edge/const": (
        ["edge/const:TREES"]
        + [
            f"edge/const:EDGES/gold,root=true,unary={unary}"
            for unary in ("joined", "set", "separate")
        ]
    ),
    "edge/entities": [
        "edge/entities:EDGES/columns",
        "edge/entities:EDGES/misc",
        "edge/entities:EDGES/gold",
    ],
    "edge/chunks": [
        "edge/chunks:EDGES/columns",
        "edge/chunks:EDGES/columns,column=2,encoding=latin-1",
    ],
    "edge/tags": ["edge/tags:EDGES/columns,column=1", "edge/tags:EDGES/columns,column=-1,word=0"],
    "edge/coref": [
        "edge/coref:EDGES/misc",
        "edge/coref:EDGES/gold,across=2",
        "edge/coref:EDGES/misc,singletons=false,across=1",
        "edge/coref:EDGES/onto,sentences=EDGES/onto/dep",
    ],
    "edge/srl": ["edge/srl:EDGES/gold", "edge/srl:EDGES/gold,roles=core"],
    "edge/spr1": (
        ["edge/spr1:EDGES/spr1", "edge/spr1:EDGES/sets"]
        + [
            f"edge/spr1:EDGES/spr1_table/protoroles_eng_pb_08302015.tsv,treebank=EDGES/spr1_table/wsj,soft={s}"
            for s in ("true", "false")
        ]
    ),
    "edge/spr2": (
        ["edge/spr2:EDGES/sets"]
        + [
            f"edge/spr2:EDGES/spr2/protoroles.tsv,treebank=EDGES/spr2/bank,soft={s}"
            for s in ("true", "false")
        ]
    ),
    "edge/uds": [
        f"edge/uds:EDGES/uds/normalized_protoroles.zip,treebank=EDGES/uds/bank,soft={s}"
        for s in ("true", "false")
    ],
    "edge/dpr": ["edge/dpr:EDGES/jsonl", "edge/dpr:EDGES/recast/dpr_data.txt"],
    "edge/semeval": [
        "edge/semeval:EDGES/semeval",
        "edge/semeval:EDGES/semeval,words=cut,dev=carved",
    ],
    "minimal/pairs": ["minimal/pairs:PAIRS", "minimal/pairs:PAIRS,size=20,fold=2/5"],
    "minimal/agreement": ["minimal/agreement:BANK,size=200"],
    "structure/distance": ["structure/distance:BANK"],
    "structure/depth": ["structure/depth:BANK"],
    "arcs/head": ["arcs/head:BANK,rel=det"],
    "forms/feat": [
        "forms/feat:BANK,feature=Number,least=2",
        "forms/feat:BANK,feature=Number,least=2,several=set,upos=NOUN",
    ],
    "transfer": [
        "transfer:BANK,test=BANK,task=ud/tense",
        "transfer:BANK,test=BANK,task=ud/tense,centred=true",
    ],
    "table": [
        f"table:TABLES/{family}.{suffix}"
        for family in TINY_DATASET_FAMILIES
        for suffix in ("parquet", "jsonl")
    ],
}


def running_text(file):
    """The sentences that models are made for, one a line."""
    file.write_text("".join(f"{sentence.text}\n" for sentence in SENTENCES), "utf-8")
    return file


def agreeing_pairs(file):
    """Ten paradigms of four pairs each."""
    nouns = [(f"p{k}", f"{noun}{k}") for k in range(10) for noun in ("cat", "dog", "fox", "owl")]
    rows = [
        {"sentence_good": f"the {noun} runs", "sentence_bad": f"the {noun} run", "UID": paradigm}
        for paradigm, noun in nouns
    ]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return file


@pytest.fixture(scope="session")
def places(tmp_path_factory):
    """What stands for the capitals in references; each is made when it is first asked for."""
    folder = tmp_path_factory.mktemp("conformance")

    def tables():
        (folder / "tables").mkdir()
        for family, make in TINY_DATASET_FAMILIES.items():
            for suffix in ("parquet", "jsonl"):
                write_dataset(make(), folder / "tables" / f"{family}.{suffix}")
        return folder / "tables"

    def bank():
        sentences = "\n".join(generate_treebank()).split("\n\n")[:3000]
        (folder / "ours.conllu").write_text("\n\n".join(sentences) + "\n\n", "utf-8")
        return folder / "ours.conllu"

    def trees():
        (folder / "ours.ptb").write_text(forest(4000), "utf-8")
        return folder / "ours.ptb"

    makers = {
        "VEC": lambda: word_vectors(folder / "ours.vec"),
        "NPZ": lambda: given_npz(folder / "ours.npz"),
        "ARROW": lambda: given_arrow(folder / "ours.arrow"),
        "NPY": lambda: given_npy(folder / "ours.npy"),
        "STATES": lambda: recorded_states(folder / "states", transformer(folder / "recorded")),
        "PARQUET": lambda: given_parquet(folder / "ours.parquet"),
        "HF": lambda: transformer(folder / "hf"),
        "SAE": lambda: published.autoencoder(folder / "sae"),
        "ST": lambda: sentence_transformer(folder / "st"),
        "TRAINED": lambda: trained(folder),
        "INFERSENT": lambda: published.infersent(folder / "infersent"),
        "SKIP": lambda: published.skipthought(folder / "skipthought"),
        "NGRAMS": lambda: published.sent2vec(folder / "sent2vec.bin"),
        "CODES": lambda: published.laser(folder / "laser"),
        "PIECES": lambda: published.laser3(folder / "laser3"),
        "COVE": lambda: published.cove(folder / "cove"),
        "ELMO": lambda: published.elmo(folder / "elmo").parent,
        "TABLES": tables,
        "RELEASED": lambda: released(folder / "released"),
        "EDGES": lambda: edge_files(folder / "edges"),
        "BANK": bank,
        "TREES": trees,
        "MASKED": lambda: transformer(folder / "masked", predicts=True),
        "TEXT": lambda: running_text(folder / "text.txt"),
        "PAIRS": lambda: agreeing_pairs(folder / "pairs.jsonl"),
        "SERVER": lambda: servers.enter_context(embedding_server()).url,
    }
    made, servers = {}, contextlib.ExitStack()

    def settled(reference):
        for name, make in makers.items():
            if name in reference:
                if name not in made:
                    made[name] = make()
                reference = reference.replace(name, str(made[name]))
        return reference

    settled.folder = folder
    with servers:
        yield settled


def listed(options):
    return [item for items in options.values() for item in items]


ALL = {
    "encoder": (ENCODERS, ENCODER_OPTIONS),
    "probe": (PROBES, PROBE_OPTIONS),
    "task": (TASKS, TASK_OPTIONS),
}


@pytest.mark.parametrize(("contents", "options"), ALL.values(), ids=ALL)
def test_every_entry_has_a_conformance_test(contents, options):
    assert set(contents.places(own=True)) == set(options), (
        f"add the {contents.kind} to the table of this module"
    )


GIVEN = ("npz:", "parquet:", "arrow:", "npy:", "acts:")


@pytest.mark.parametrize("reference", listed(ENCODER_OPTIONS))
def test_encoders(reference, places):
    known = SENTENCES if reference.startswith(GIVEN) else ()
    check_encoder(places(reference), known, tolerance=1e-4)


@pytest.mark.parametrize(("reference", "settings"), listed(PROBE_OPTIONS), ids=str)
def test_probes(reference, settings):
    check_probe(reference, **settings)


@pytest.mark.parametrize("reference", listed(TASK_OPTIONS))
def test_tasks(reference, places):
    check_task(places(reference))


@pytest.mark.parametrize("name", TASK_OPTIONS)
def test_every_task_has_an_oracle_but_those_whose_files_have_no_annotation(name, places):
    has = [bool(oracles_of(TASKS.make(places(reference)))) for reference in TASK_OPTIONS[name]]
    without = name.partition("/")[0] in UNANNOTATED
    assert not any(has) if without else all(has)


@pytest.mark.parametrize(
    "contents", [ENCODERS, PROBES, TASKS, METRICS, CONTROLS], ids=lambda c: c.kind
)
def test_every_factory_says_in_one_line_what_it_is(contents):
    for name in contents.places(own=True):
        line = summarise_docstring(contents.find(name))
        assert line, f"{contents.kind} {name} has no docstring, whose first paragraph is listed"
        assert line[-1:] in ("?" if contents is TASKS else ".:;"), f"{name}: {line!r}"


@pytest.mark.parametrize(
    ("contents", "options"), [ALL["encoder"], ALL["task"]], ids=["encoder", "task"]
)
def test_references_are_canonical_once_and_for_all(contents, options, places):
    for reference in map(places, listed(options)):
        canonical = contents.canonical(reference)
        assert contents.canonical(canonical) == canonical
        assert Reference.parse(canonical).name == Reference.parse(reference).name
        assert contents.make(canonical) == contents.make(reference)


@pytest.mark.parametrize(("contents", "options"), ALL.values(), ids=ALL)
def test_things_pickle_and_have_a_stable_fingerprint(contents, options, places):
    for item in listed(options):
        reference = places(item if isinstance(item, str) else item[0])
        thing, other = contents.make(reference), contents.make(reference)
        back = pickle.loads(pickle.dumps(thing))
        assert back == thing == other
        assert (
            getattr(back, "fingerprint", "")
            == getattr(thing, "fingerprint", "")
            == getattr(other, "fingerprint", "")
        )
        assert isinstance(getattr(thing, "fingerprint", ""), str)


@pytest.mark.parametrize(
    ("contents", "options"), [ALL["encoder"], ALL["task"]], ids=["encoder", "task"]
)
def test_identities_hold_no_path_so_that_what_moves_stays_what_it_is(
    contents, options, places, tmp_path
):
    references = [places(item) for item in listed(options)]
    home = places.folder
    shutil.copytree(home, moved := tmp_path / "moved")
    for reference in references:
        canonical = [
            contents.canonical(reference.replace(str(home), str(folder)))
            for folder in (home, moved)
        ]
        first, second = (
            str(compute_identity(contents, each, contents.make(each))) for each in canonical
        )
        assert first == second
        assert str(home) not in first


@pytest.mark.parametrize(
    ("contents", "options"), [ALL["encoder"], ALL["task"]], ids=["encoder", "task"]
)
def test_identities_follow_the_content_of_every_file_that_a_reference_names(
    contents, options, places, tmp_path
):
    for reference in [contents.canonical(places(item)) for item in listed(options)]:
        known = compute_identity(contents, reference, contents.make(reference))
        for number, place in enumerate(
            dict.fromkeys(re.findall(rf"{re.escape(str(places.folder))}[^,:%]*", reference))
        ):
            changed = other_content(Path(place), tmp_path / str(number))
            other = reference.replace(place, str(changed))
            # what cannot be read any more has no identity to be mistaken for
            with contextlib.suppress(DataProblem):
                assert compute_identity(contents, other, contents.make(other)) != known, place


def other_content(place: Path, folder: Path) -> Path:
    """A copy of a file or a folder in which every file ends otherwise."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    copy = folder / place.name
    shutil.copytree(place, copy) if place.is_dir() else shutil.copy(place, copy)
    for file in [copy] if copy.is_file() else [path for path in copy.rglob("*") if path.is_file()]:
        file.write_bytes(file.read_bytes() + b"\n")
    return copy


# a sentence of five words, each of which hangs on the one before it
DEPTHS = np.arange(5.0)
DISTANCES = np.array([b - a for a in range(5) for b in range(a + 1, 5)], float)
JUDGED = [
    (build_column([1.0, 2.0, 4.0]), ("pearson", "spearman", "r2")),
    (NumberLists.of([NumberList("distance", DISTANCES)]), ("uuas", "dspr")),
    (NumberLists.of([NumberList("depth", DEPTHS)]), ("root-accuracy", "nspr")),
]
"""Labels, and the metrics that are about such; others are about classes."""


@pytest.mark.parametrize("name", METRICS.places(own=True))
def test_metrics_are_best_where_all_is_right(name):
    labels = next(
        (labels for labels, names in JUDGED if name in names), build_column(["a", "b", "a"])
    )
    metric = METRICS.make(name)
    predicted = sure_of(labels) if metric.reads_scores else labels
    assert metric(labels, predicted) == pytest.approx(metric.most, abs=1e-6)


def sure_of(labels):
    """The labels as predicted by logits that leave no doubt."""
    logits = np.where(np.eye(len(labels.names))[labels.classes] > 0, 30.0, -30.0).astype(np.float32)
    scores = ProbeLogits.of(logits, "softmax", labels, np.arange(len(labels)))
    return ScoredLabels.of(labels, labels.names, scores)


def test_making_things_imports_no_heavy_library(places):
    references = [("ENCODERS", r) for r in map(places, listed(ENCODER_OPTIONS))] + [
        ("PROBES", r) for r, _ in listed(PROBE_OPTIONS)
    ]
    references += [("TASKS", r) for r in map(places, listed(TASK_OPTIONS))]
    code = f"""
import sys
from lingprobe import evaluate
from lingprobe.datasets.controls import CONTROLS
from lingprobe.encoders import ENCODERS
from lingprobe.probes import PROBES
from lingprobe.tasks import TASKS
for contents, reference in {references!r}:
    thing = globals()[contents].make(reference)
    getattr(thing, 'name'), getattr(thing, 'fingerprint', ''), getattr(thing, 'base', ''), getattr(thing, 'slots', '')
    heavy = [m for m in ('torch', 'transformers', 'sklearn', 'sentence_transformers') if m in sys.modules]
    assert not heavy, f'{{reference}} imports {{heavy}}'
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr.splitlines()[-1]


@pytest.mark.parametrize("family", TINY_DATASET_FAMILIES)
def test_every_family_goes_down_the_whole_road(family, places, tmp_path):
    view = {"asked": "mean%2Basked", "pair": "mean%2Bcontrast"}.get(family, "mean")
    task = places(f"table:TABLES/{family}.parquet,view={view}")
    probes = ["majority", "nb-uni-tfidf", "logreg", "mlp"]
    evaluation = evaluate(
        "bow:random,pool=none,dim=128",
        task,
        probes=probes,
        seeds=2,
        baselines="none",
        output=tmp_path,
        progress=False,
    )
    assert not evaluation.failures
    found = {
        (r.trial.probe.partition(",")[0], r.trial.encoder.partition(":")[0]): r
        for r in evaluation.results
    }
    assert set(found) == {
        ("majority", "words"),
        ("nb-uni-tfidf", "words"),
        ("logreg", "bow"),
        ("mlp", "bow"),
    }
    for result in found.values():
        assert result.n == 20
        assert result.low <= result.score <= result.high
        assert -1 <= result.score <= 1
        assert result.metric == {"span": "micro-f1", "spans": "micro-f1", "pair": "pearson"}.get(
            family, "accuracy"
        )
    assert found["majority", "words"].score == found["majority", "words"].majority
    if family in ("sentence", "span"):
        assert found["logreg", "bow"].score > found["logreg", "bow"].majority
    again = evaluate(
        "bow:random,pool=none,dim=128",
        task,
        probes=probes,
        seeds=2,
        baselines="none",
        output=tmp_path,
        progress=False,
    )
    assert [r.score for r in again.results] == [r.score for r in evaluation.results]
    assert family in str(evaluation)
