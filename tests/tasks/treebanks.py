"""Small treebanks for tests: sentences written as rows of `form upos feats head deprel`, and a
lemma where it matters.
"""

from __future__ import annotations

from pathlib import Path

from lingprobe.corpora.batches import TreebankBatch
from lingprobe.corpora.conllu import read_conllu
from lingprobe.corpora.trees import TreeColumns
from lingprobe.tasks.ud.clause import MainClause, extract_main_clauses

STARRED = """
She      PRON  Number=Sing|Person=3                       3 nsubj
has      AUX   Mood=Ind|Tense=Pres|VerbForm=Fin           3 aux have
starred  VERB  Tense=Past|VerbForm=Part                   0 root
with     ADP   _                                          7 case
many     ADJ   Degree=Pos                                 7 amod
leading  ADJ   Degree=Pos                                 7 amod
actors   NOUN  Number=Plur                                3 obl
.        PUNCT _                                          3 punct
"""  # Krasnowska-Kieraś & Wróblewska 2019, figure 1


def block(rows: str, *comments: str) -> str:
    """CoNLL-U of some rows; forms are written with _ for a space inside."""
    lines = list(comments)
    for i, row in enumerate(rows.strip().splitlines(), 1):
        form, upos, feats, head, deprel, *lemma = row.split()
        lines.append(
            "\t".join(
                [str(i), form, *(lemma or [form.lower()]), upos, "_", feats, head, deprel, "_", "_"]
            )
        )
    return "\n".join(lines) + "\n\n"


def tree(rows: str, folder: Path) -> TreeColumns:
    """One tree of some rows."""
    path = folder / "one.conllu"
    path.write_text(block(rows), encoding="utf-8")
    return next(read_conllu(path))


def main(tree: TreeColumns, language: str = "") -> MainClause:
    """The main clause of a tree."""
    return next(extract_main_clauses(TreebankBatch.of([tree]), [tree.sentence], language))
