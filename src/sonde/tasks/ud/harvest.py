"""One pass over a treebank that answers all nine questions; tasks of the same files share what it
finds.

Trees are not kept: a `Harvest` holds the sentences and, for every question, one shared `Answer` (or
reason) a sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from sonde.core import DataProblem, Sentence
from sonde.corpora import text
from sonde.corpora.batches import batches
from sonde.corpora.files import Part, digest, treebank, uncompressed
from sonde.corpora.style import Style
from sonde.corpora.tally import OnError, Tally
from sonde.tasks import questions
from sonde.tasks.questions import Held, Source
from sonde.tasks.ud import rules as ud_rules
from sonde.tasks.ud.clause import clauses
from sonde.tasks.ud.rules import Finding, Rule
from sonde.tasks.ud.types import sent_type

RULES: dict[str, Rule] = {
    "top-deps": ud_rules.top_deps,
    "passive": ud_rules.passive,
    "tense": ud_rules.tense,
    "subj-num": ud_rules.subj_num,
    "obj-num": ud_rules.obj_num,
    "sent-type": sent_type,
}
LITERAL: dict[str, ud_rules.Literal] = {
    "top-deps": ud_rules.top_deps_literal,
    "passive": ud_rules.passive_literal,
    "tense": ud_rules.tense_literal,
    "subj-num": ud_rules.subj_num_literal,
    "obj-num": ud_rules.obj_num_literal,
}
NO_TREE = "running text has no tree"


@dataclass(frozen=True, slots=True)
class Harvest:
    """What was found in some files, one value a sentence in each list.

    sources   the name of the source, '' where there is but one
    depths    of the trees; 0 where the source is running text, which has none
    findings  by rule, an answer or the reason why there is none; `literal` those of the paper's
              rules, where they differ
    forms     how often each word form occurs
    auxiliaries  construction of a tense -> lemma of the auxiliary that carries it -> sentences
    styles    of annotation, by file
    """

    sentences: list[Sentence]
    splits: list[str]
    sources: list[str]
    depths: list[int]
    findings: Mapping[str, list[Finding]]
    literal: Mapping[str, list[Finding]]
    forms: Counter[str]
    auxiliaries: dict[str, Counter[str]]
    styles: dict[str, Style]
    tally: Tally
    files: tuple[str, ...]


def sources(path: str, more: tuple[str, ...] = ()) -> list[Source]:
    """The files that some paths name: treebanks, or running text one sentence a line (.txt); of one
    path the files need no name.
    """
    found = questions.sources(
        (path, *more), lambda p: [Part("", _file(p))] if is_text(Path(p)) else treebank(p)
    )
    return found if more else [source._replace(name="") for source in found]


def parts(path: str, more: tuple[str, ...] = ()) -> list[Part]:
    """The files alone."""
    return [source.part for source in sources(path, more)]


def is_text(path: Path) -> bool:
    """Whether a file is running text, which has no trees."""
    return uncompressed(path).suffix == ".txt"


def _file(path: str) -> Path:
    file = Path(path).expanduser()
    if not file.is_file():
        raise DataProblem(
            f"no file {path!r}; give running text, one sentence a line, as .txt, .txt.gz or .txt.xz"
        )
    return file


def harvest(path: str, more: tuple[str, ...] = (), on_error: OnError = "raise") -> Harvest:
    """All that the nine tasks ask of some files; read once for all tasks of a process, while the
    files stay as they are.
    """
    found = sources(path, more)
    named = tuple((name, part.split, str(part.path.resolve())) for name, part in found)
    key = named, digest(source.part.path for source in found), on_error
    return _HELD.get(key, lambda: _gathered(found, on_error))


def refuse_first_release(styles: Mapping[str, Style]) -> None:
    """A DataProblem where a treebank has the relations of release 1, which rules about relations
    would misread.
    """
    for path, style in styles.items():
        if old := style.first_release():
            raise DataProblem(
                f"{path} {old}, and this is about relations of release 2: get a newer release of"
                " the treebank, or convert it"
            )


def forget() -> None:
    """Let go of what is held for the next task."""
    _HELD.clear()


_HELD: Held[Harvest] = Held()


def _gathered(found: list[Source], on_error: OnError) -> Harvest:
    tally = Tally()
    findings: dict[str, list[Finding]] = {name: [] for name in RULES}
    literal: dict[str, list[Finding]] = {name: [] for name in LITERAL}
    whole = Harvest(
        [],
        [],
        [],
        [],
        findings,
        literal,
        Counter(),
        {},
        {},
        tally,
        tuple(str(source.part.path) for source in found),
    )
    for name, part in found:
        if is_text(part.path):
            _add_text(whole, part, on_error)
        else:
            _add_trees(whole, part, on_error)
        whole.sources.extend([name] * (len(whole.sentences) - len(whole.sources)))
    whole.forms.update(chain.from_iterable(sentence.words for sentence in whole.sentences))
    if not whole.sentences:
        raise DataProblem(
            f"no sentences in {', '.join(whole.files)}"
            + (f"; the first problem: {tally.problems[0]}" if tally.problems else "")
        )
    return whole


def _add_trees(whole: Harvest, part: Part, on_error: OnError) -> None:
    style = whole.styles.setdefault(str(part.path), Style())
    for batch in batches(part.path, on_error, whole.tally):
        style.add(batch.deprels.names, batch.feats.names)
        found = list(clauses(batch))
        whole.sentences.extend(clause.sentence for clause in found)
        whole.splits.extend([part.split] * len(batch))
        whole.depths.extend(batch.depths.tolist())
        for how, lemma in (
            (clause.group.how, clause.group.lemma) for clause in found if clause.group.lemma
        ):
            whole.auxiliaries.setdefault(how, Counter())[lemma] += 1
        for name, rule in RULES.items():
            findings = list(map(rule, found))
            whole.findings[name].extend(findings)
            if name in LITERAL:
                whole.literal[name].extend(map(LITERAL[name], found, findings))


def _add_text(whole: Harvest, part: Part, on_error: OnError) -> None:
    for sentence in text.read(part.path, on_error, whole.tally):
        whole.sentences.append(sentence)
        whole.splits.append(part.split)
        whole.depths.append(0)
        for findings in (*whole.findings.values(), *whole.literal.values()):
            findings.append(NO_TREE)
