"""Tiny files of our own in every format that the edge tasks read: a few dozen sentences, all labels
in all splits.

A `Scene` is one sentence with all that can be said of it; each writer says part of it in one
format."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

SPLITS = ("train", "dev", "test")
PEOPLE = ("Anna", "Boris", "Clara", "Dmitri", "Edith", "Filip")
CITIES = ("Lodz", "Turku", "Gent", "Porto", "Graz", "Cork")
TAGS = ("NNP", "VBD", "DT", "JJ", "NN", "IN", "NNP", "IN", "PRP", "VBD", ".")
PROPERTIES = ("awareness", "existed_after", "was_used")


class Scene(NamedTuple):
    """`Anna saw the old clock12 in Lodz when she left .`"""

    split: str
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.words[:-1]) + "."


def scenes(many: int = 6) -> Iterator[Scene]:
    """So many sentences a split, all different."""
    for s, split in enumerate(SPLITS):
        for i in range(many):
            person, city = PEOPLE[i % len(PEOPLE)], CITIES[(i + s) % len(CITIES)]
            yield Scene(
                split,
                (
                    person,
                    "saw",
                    "the",
                    "old",
                    f"clock{s}{i}",
                    "in",
                    city,
                    "when",
                    "she",
                    "left",
                    ".",
                ),
            )


def _files(
    folder: Path, name: str, write: Callable[[Scene, int], str], head: str = "", tail: str = ""
) -> Path:
    """A file a split; `name` has {} for it."""
    folder.mkdir(parents=True, exist_ok=True)
    for split in SPLITS:
        mine = [scene for scene in scenes() if scene.split == split]
        (folder / name.format(split)).write_text(
            head + "".join(write(s, i) for i, s in enumerate(mine)) + tail, "utf-8"
        )
    return folder


def jsonl(folder: Path) -> Path:
    """jiant's JSON lines with two spans and one label."""

    def line(scene: Scene, i: int) -> str:
        targets = [
            {
                "span1": [1, 2],
                "span2": [0, 1],
                "label": "ARG0",
                "info": {"height": 2 + i % 2, "sure": True, "note": "backslash \\ here"},
            },
            {"span1": [1, 2], "span2": [2, 5], "label": "ARG1", "score": 0.5},
        ]
        return (
            json.dumps({"text": " ".join(scene.words), "targets": targets, "info": {"id": i}})
            + "\n"
        )

    return _files(folder, "edges.{}.json", line)


def sets(folder: Path) -> Path:
    """The same with lists of labels, of which some are empty and none is sorted."""

    def line(scene: Scene, i: int) -> str:
        labels = [["was_used", "awareness"], [], list(PROPERTIES)][i % 3]
        return (
            json.dumps(
                {
                    "info": {},
                    "targets": [{"label": labels, "span1": [1, 2], "span2": [2, 5]}],
                    "text": " ".join(scene.words),
                }
            )
            + "\n"
        )

    return _files(folder, "edges.{}.jsonl", line)


def columns(folder: Path) -> Path:
    """Words, part-of-speech tags, chunks and entities with spaces between, as CoNLL-2003."""
    chunks = "B-NP B-VP B-NP I-NP I-NP B-PP B-NP B-SBAR B-NP B-VP O".split()
    entities = "B-PER O O O O O B-LOC O O O O".split()

    def block(scene: Scene, i: int) -> str:
        rows = "".join(
            f"{w} {t} {c} {e}\n"
            for w, t, c, e in zip(scene.words, TAGS, chunks, entities, strict=True)
        )
        return ("-DOCSTART- -X- -X- O\n\n" if i % 2 == 0 else "") + rows + "\n"

    return _files(folder, "en.{}", block)


def gold(folder: Path) -> Path:
    """CoNLL-2012 columns with everything."""
    bits = "(TOP(S(NP*) (VP* (NP* * *) (PP* (NP*)) (SBAR* (S(NP*) (VP*)))) *))".split()
    lemmas, senses = "- see - - - - - - - leave -".split(), "- 01 - - - - - - - 02 -".split()
    entities = "(PERSON) * * * * * (GPE) * * * *".split()
    saw = "(ARG0*) (V*) (ARG1* * *) (ARGM-LOC* *) (ARGM-TMP* * *) *".split()
    left = "* * * * * * * * (ARG0*) (V*) *".split()
    coref = "(1) - (2 - 2) - - - (1) - -".split()

    def block(scene: Scene, i: int) -> str:
        dashes = ["-"] * len(scene.words)
        columns = (
            scene.words,
            TAGS,
            bits,
            lemmas,
            senses,
            dashes,
            dashes,
            entities,
            saw,
            left,
            coref,
        )
        rows = [
            f"a/b 0 {k} {' '.join(cells)}\n" for k, cells in enumerate(zip(*columns, strict=True))
        ]
        return "".join(rows) + "\n"

    return _files(
        folder, "toy.{}.gold_conll", block, "#begin document (a/b); part 000\n", "#end document\n"
    )


def misc(folder: Path) -> Path:
    """CoNLL-U with mentions of entities in MISC."""
    mentions = {
        0: "(1-person-new)", 2: "(2-object-new", 3: "(3-object-new)", 4: "2)", 6: "(4-place-new)",
        8: "(1-person-giv)",
    }  # fmt: skip

    def block(scene: Scene, i: int) -> str:
        rows = [f"# newdoc id = d{i}"] if i % 2 == 0 else []
        rows += ["# global.Entity = GRP-etype-infstat", f"# text = {scene.text}"]
        for k, word in enumerate(scene.words):
            head = 0 if k == 1 else 2
            note = f"Entity={mentions[k]}" if k in mentions else "_"
            rows.append(
                f"{k + 1}\t{word}\t_\tX\t{TAGS[k]}\t_\t{head}\t{'root' if head == 0 else 'dep'}\t_\t{note}"
            )
        return "\n".join(rows) + "\n\n"

    return _files(folder, "toy-{}.conllu", block)


def onto(folder: Path) -> Path:
    """Coreference in three columns of whole documents, two sentences each, beside a treebank that
    has the sentences.
    """
    mentions = {0: "(7", 1: "_", 2: "(8(9)", 4: "8)7)", 8: "(9)"}
    misc(folder / "dep")

    def block(scene: Scene, i: int) -> str:
        head = "# begin document\n" if i % 2 == 0 else ""
        return head + "".join(
            f"{11 * (i % 2) + k}\t{word}\t{mentions.get(k, '_')}\n"
            for k, word in enumerate(scene.words)
        )

    return _files(folder, "toy_{}.conll", block)


def spr2(folder: Path) -> tuple[Path, Path]:
    """The table of SPR2, and the treebank whose sentences it numbers from 1."""
    heads = "Split\tPred.Token\tSentence.ID\tArg.Tokens.Begin\tArg.Tokens.End\tArg.Phrase\tProperty\tResponse\tApplicable"
    rows = [heads]
    for number, scene in enumerate(scenes()):
        for k, name in enumerate(PROPERTIES):
            phrase = " ".join(scene.words[2:5]).lower()
            for response in (5, 2 + (number + k) % 3, 4):
                rows.append(
                    f"{scene.split}\t1\ten-ud-{scene.split}.conllu"
                    f" {number % 6 + 1}\t2\t4\t{phrase}\t{name}\t{response}\tyes"
                )
    path = folder / "protoroles.tsv"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path, misc(folder / "bank")


def spr1(folder: Path) -> Path:
    """Rudinger's records with the heads of arguments; splits are said by the records."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number, scene in enumerate(scenes()):
        said = [
            {"spr_property": name, "response": 1.0 + (number + k) % 5}
            for k, name in enumerate(PROPERTIES)
        ]
        arguments = [
            {"pred_idx": 1, "arg_idx": 0, "responses": said},
            {"pred_idx": 1, "arg_idx": 4, "responses": said[::-1]},
        ]
        record = {
            "tokens": scene.words,
            "pb": [],
            "split": scene.split,
            "sent_id": f"1940_{number}",
            "spr1": arguments,
        }
        rows.append(json.dumps(record) + "\n")
    (folder / "spr1.json").write_text("".join(rows), "utf-8")
    return folder


def spr1_table(folder: Path) -> tuple[Path, Path]:
    """The published table of SPR1, and the treebank whose sentences and traces it counts from 0, a
    file for each two sentences.
    """
    heads = "Split\tSentence.ID\tPred.Token\tArg\tArg.Pos\tRoleset\tGram.Func\tProperty\tResponse\tApplicable"
    rows, bank = [heads], folder / "wsj"
    bank.mkdir(parents=True, exist_ok=True)
    for number, scene in enumerate(scenes()):
        person, saw, the, old, clock, *rest = scene.words
        trace = "(NP-SBJ (-NONE- *T*-1))"
        tail = " ".join(f"(X {word})" for word in rest)
        tree = (
            f"( (S (NP-SBJ-1 (NNP {person})) {trace} (VP (VBD {saw}) (NP (DT {the}) (JJ {old}) (NN"
            f" {clock}))) (ADVP {tail})))\n"
        )
        file = bank / f"wsj_{2000 + number // 2}.mrg"
        file.write_text((file.read_text("utf-8") if number % 2 else "") + tree, "utf-8")
        for k, name in enumerate(PROPERTIES):
            for argument, function, pointer in ((0, "subj", "1:1*0:1"), (1, "obj", "3:1")):
                cells = (
                    scene.split,
                    f"{2000 + number // 2}_{number % 2}",
                    2,
                    argument,
                    pointer,
                    "see.01",
                    function,
                    name,
                )
                rows.append(
                    "\t".join(
                        map(str, (*cells, 1 + (number + k) % 5, bool((number + argument) % 4)))
                    )
                )
    path = folder / "protoroles_eng_pb_08302015.tsv"
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path, bank


def uds(folder: Path) -> tuple[Path, Path]:
    """UDS's zip, and the treebank."""
    data: dict[str, dict[str, object]] = {}
    for number, scene in enumerate(scenes()):
        name = f"ewt-{scene.split}-{number % 6 + 1}"
        values = {
            p: {"value": (-1) ** (number + k) * 0.5, "confidence": 1.0}
            for k, p in enumerate(PROPERTIES[: 2 + number % 2])
        }
        data[name] = {f"{name}-semantics-pred-2%%{name}-semantics-arg-5": {"protoroles": values}}
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "normalized_protoroles.zip", "w") as archive:
        archive.writestr("protoroles.json", json.dumps({"metadata": {}, "data": data}))
    return folder / "normalized_protoroles.zip", misc(folder / "bank")


def semeval(folder: Path) -> Path:
    """The original files of SemEval-2010 Task 8, of which train is drawn in two."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = ("Cause-Effect(e1,e2)", "Other", "Cause-Effect(e2,e1)")
    for name, many in (("TRAIN_FILE.TXT", 60), ("TEST_FILE_FULL.TXT", 12)):
        rows = [
            f'{i + 1}\t"The <e1>spark{name[:2].lower()}{i}</e1> lit the'
            f' <e2>fire</e2>."\r\n{labels[i // 2 % 3]}\r\nComment: none\r\n\r\n'
            for i in range(many)
        ]
        (folder / name).write_text("".join(rows), "utf-8", newline="")
    return folder


def recast(folder: Path) -> Path:
    """DPR as recast: text, hypothesis and the rest, the last without a blank line behind it."""
    folder.mkdir(parents=True, exist_ok=True)
    blocks = []
    for number, scene in enumerate(scenes()):
        name, noun = scene.words[0], scene.words[4]
        for who, said in ((name, "entailed"), (f"the {noun}", "not-entailed")):
            text, other = (f"{name} broke the {noun}, because {x} fell over." for x in ("it", who))
            blocks.append(
                f"provenance: ours\nindex: {number}\ntext: {text}\nhypothesis: {other}\nentailed:"
                f" {said}\npartof: {scene.split}\n"
            )
    path = folder / "dpr_data.txt"
    path.write_text("\n".join(blocks), "utf-8")
    return path


def edge_files(folder: Path) -> Path:
    """A folder of all of them, one folder each."""
    for write in (
        jsonl,
        sets,
        columns,
        gold,
        misc,
        onto,
        spr1,
        spr1_table,
        spr2,
        uds,
        semeval,
        recast,
    ):
        write(folder / write.__name__)
    return folder
