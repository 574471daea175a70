"""Published data sets that can be fetched, and what is known of their files: facts in
`catalogue.tsv`, each with its source.

Facts are sizes, rows and checksums. What nobody could check is left open there, and never made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from lingprobe.data.core import DataProblem

Kind = Literal["tables", "treebank", "files"]


class Known(NamedTuple):
    """What is known of a file: rows in train, dev and test, bytes, SHA-256, Git's SHA-1; None where
    it is not known.
    """

    rows: tuple[int, int, int] | None = None
    size: int | None = None
    sha256: str | None = None
    blob: str | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """Files that are published together.

    name     what `lingprobe fetch` calls it
    page     its web page
    base     the address that the files' names are added to
    files    names below `base` and in the folder
    paper    what to cite
    remark   a warning to readers
    inside   names of files in an archive about which something is known
    licence  as its publishers state it; '' if unknown
    kind     what its files are checked for: tables with splits, treebanks, or files of any kind
    facts    known facts about its files (default: those in `catalogue.tsv`)
    below    its folder in the folder of data (default: the first part of its name)
    reached  whether a file was ever downloaded from `base`: so far none was
    """

    name: str
    page: str
    base: str
    files: tuple[str, ...]
    paper: str
    remark: str = ""
    inside: tuple[str, ...] = ()
    licence: str = ""
    kind: Kind = "tables"
    facts: Mapping[str, Known] | None = None
    below: str = ""
    reached: bool = False

    @property
    def home(self) -> str:
        """Its folder in the folder of data."""
        return self.below or self.name.partition("/")[0]

    @property
    def terms(self) -> str:
        """The licence in words."""
        return self.licence or "licence unknown"

    def known(self) -> Mapping[str, Known]:
        """Known facts about the files."""
        return _facts().get(self.home, {}) if self.facts is None else self.facts


SENTEVAL = (
    "sentence_length", "word_content", "tree_depth", "top_constituents", "bigram_shift",
    "past_present", "subj_number", "obj_number", "odd_man_out", "coordination_inversion",
)  # fmt: skip
XPROBE = tuple(name for name in SENTEVAL if name != "top_constituents")
EDGES = (
    "https://raw.githubusercontent.com/mohsenfayyaz/edge-probing-datasets/"
    "1696a486b58b4699f7c303ae57d0ff38f9e82ebc/data/"
)
EDGES_PAGE = "https://github.com/mohsenfayyaz/edge-probing-datasets"
POLISH = (
    "https://raw.githubusercontent.com/sdadas/polish-sentence-evaluation/"
    "f6cc854108d6044f37b610fdf64d4a954bd97a6d/resources/downstream/"
)
XPROBE_AT = (
    "https://raw.githubusercontent.com/ltgoslo/xprobe/b17e3c22ea657eb7f5b27e468cc72fcc4f4176f6/"
)
RUSENTEVAL = (
    "conj_type", "gapping", "impersonal_sent", "ngram_shift", "obj_gender", "obj_number",
    "predicate_aspect",
    "predicate_tense", "predicate_voice", "sent_len", "subj_gender", "subj_number", "tree_depth",
    "word_content",
)  # fmt: skip

COLLECTIONS: Mapping[str, Collection] = {
    "senteval": Collection(
        "senteval",
        "https://github.com/facebookresearch/SentEval/tree/main/data/probing",
        "https://raw.githubusercontent.com/facebookresearch/SentEval/"
        "6b13ac2060332842f59e84183197402f11451c94/data/probing/",
        tuple(f"{name}.txt" for name in SENTEVAL),
        "Conneau et al. 2018",
    ),
    **{
        f"xprobe/{language}": Collection(
            f"xprobe/{language}",
            "https://github.com/ltgoslo/xprobe",
            XPROBE_AT,
            tuple(
                f"{language}/{name}/{split}.txt" for name in XPROBE for split in ("tr", "va", "te")
            ),
            "Ravishankar et al. 2019",
            "the existence of tr.txt was not checked: if it is missing, fetch the rest with"
            " --only '*/va.txt' and --only '*/te.txt'",
        )
        for language in ("de", "en", "es", "fi", "fr", "ru", "tr")
    },
    "rusenteval": Collection(
        "rusenteval",
        "https://github.com/RussianNLP/RuSentEval",
        "https://raw.githubusercontent.com/RussianNLP/RuSentEval/main/data/",
        tuple(f"{name}.txt" for name in RUSENTEVAL),
        "Mikhailov et al. 2021",
        "only gapping.txt was checked; from the branch main, which may change",
        licence="Apache 2.0",
    ),
    "ud2019": Collection(
        "ud2019",
        "http://git.nlp.ipipan.waw.pl/Scwad/SCWAD-probing-data",
        "http://git.nlp.ipipan.waw.pl/Scwad/SCWAD-probing-data/repository/master/",
        ("archive.tar.gz",),
        "Krasnowska-Kieraś & Wróblewska 2019",
        "the URL of the archive and the names in it were not checked; the paper gives the page",
    ),
    "compeval": Collection(
        "compeval",
        "https://aetting.github.io/compeval.html",
        "https://raw.githubusercontent.com/aetting/aetting.github.io/d873151b46bbf14443e598eebf5a10c8e8495f67/",
        ("compeval_datasets_and_code.tar.gz",),
        "Ettinger et al. 2018",
        "the sets lie in compeval_datasets_and_code/task_datasets, which is the folder to name",
        tuple(
            f"{name}/{split}.txt"
            for name in ("cont1", "cont2", "order", "sr", "neg")
            for split in ("train", "test")
        ),
    ),
    "dpr": Collection(
        "dpr",
        EDGES_PAGE,
        EDGES + "dpr_data/",
        ("train.json", "dev.json", "test.json"),
        "Rahman & Ng 2012",
        "for edge/dpr; its publishers are not those of the data",
        kind="files",
    ),
    "semeval": Collection(
        "semeval",
        EDGES_PAGE,
        EDGES + "semeval_data/",
        ("train.0.85.json", "dev.json", "test.json"),
        "Hendrickx et al. 2010",
        "for edge/semeval; dev is a part of the published train",
        licence="CC BY 3.0",
        kind="files",
    ),
    "spr2": Collection(
        "spr2",
        EDGES_PAGE,
        EDGES + "spr2_data/",
        ("edges.train.json", "edges.dev.json", "edges.test.json"),
        "Rudinger et al. 2018",
        "for edge/spr2; its publishers are not those of the data",
        kind="files",
    ),
    "wnut17": Collection(
        "wnut17",
        "https://github.com/leondz/emerging_entities_17",
        "https://raw.githubusercontent.com/leondz/emerging_entities_17/"
        "e52a2d2a71ac1a051ca2d532eef28653c5c02603/",
        ("wnut17train.conll", "emerging.dev.conll", "emerging.test.annotated"),
        "Derczynski et al. 2017",
        "for edge/entities",
        licence="CC BY 4.0",
        kind="files",
    ),
    "sick": Collection(
        "sick",
        "https://github.com/brmson/dataset-sts",
        "https://raw.githubusercontent.com/brmson/dataset-sts/master/data/sts/sick2014/",
        ("SICK_train.txt", "SICK_trial.txt", "SICK_test_annotated.txt"),
        "Marelli et al. 2014",
        "pairs of English sentences, for pair/sick-r and pair/sick-e",
        licence="CC BY-NC-SA 3.0",
        kind="files",
    ),
    "cds": Collection(
        "cds",
        "https://github.com/sdadas/polish-sentence-evaluation",
        POLISH + "CDS/",
        ("CDS_train.txt", "CDS_trial.txt", "CDS_test_annotated.txt"),
        "Wróblewska & Krasnowska-Kieraś 2017",
        "pairs of Polish sentences, for pair/cdsc-r and pair/cdsc-e",
        licence="CC BY-NC-SA 4.0",
        kind="files",
    ),
}


def collection(name: str) -> Collection:
    """The collection of that name. Raises DataProblem that lists them."""
    if name not in COLLECTIONS:
        raise DataProblem(
            f"nothing called {name!r} can be fetched; there are {', '.join(COLLECTIONS)}, and"
            " treebanks, as ud/en_ewt"
        )
    return COLLECTIONS[name]


@cache
def _facts() -> Mapping[str, Mapping[str, Known]]:
    """Collection -> file -> what is known, from the table beside this module."""
    by_collection: dict[str, dict[str, Known]] = {}
    for line in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            owner, file, rows, size, sha256, _ = line.split("\t")
            counts = None if rows == "-" else tuple(map(int, rows.split("/")))
            assert counts is None or len(counts) == 3
            known = Known(
                counts, None if size == "-" else int(size), None if sha256 == "-" else sha256
            )
            by_collection.setdefault(owner, {})[file] = known
    return by_collection
