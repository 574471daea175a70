"""What rules found in a corpus, as candidates: rows and answers. Sentences are read when a data set
is laid out, and of those alone that it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lingprobe.data.core import DATA_SPLITS, Sentence
from lingprobe.data.vectors import Ints
from lingprobe.datasets.candidates import Candidate, CandidatePool, hash_candidates, joined
from lingprobe.tasks.answers import Answer, Finding, RuleFindings
from lingprobe.tasks.parsed_corpora import ParsedCorpus
from lingprobe.tasks.shards import CONTENT_COLUMN, LENGTH_COLUMN, LETTERS_COLUMN
from lingprobe.tasks.sources import make_source_stratum

CANDIDATE_BATCH_ROWS = 10_000  # candidates that are read at once
Edit = Callable[[ParsedCorpus, Ints], list[Sentence]]
"""What some rows of a corpus are asked about as."""


@dataclass(frozen=True, slots=True)
class FoundCandidates:
    """Candidates of a corpus: their rows [n], ascending, and codes [n] into answers.

    edit    what is made of the sentences, where they are not asked about as they stand
    length  what decorrelation calls the length of those with an answer; None: the number of words
    """

    corpus: ParsedCorpus
    rows: Ints
    codes: Ints
    answers: Sequence[Answer]
    edit: Edit | None = None
    length: Callable[[Answer], int] | None = None

    @classmethod
    def of(cls, corpus: ParsedCorpus, findings: RuleFindings) -> FoundCandidates:
        """The sentences that have an answer."""
        return cls.where(corpus, findings.codes, findings.values)

    @classmethod
    def where(
        cls, corpus: ParsedCorpus, codes: Ints, said: Sequence[Finding | None]
    ) -> FoundCandidates:
        """The same of codes [sentences] into answers and what is none; -1 is none."""
        every = FoundCandidates(corpus, np.arange(len(codes)), codes, ())
        return every._keep_answers([*said, None])  # the last one is that of -1

    def _keep_answers(self, said: Sequence[Finding | None]) -> FoundCandidates:
        """Those whose code stands for an answer now."""
        kept = np.array([type(each) is Answer for each in said], bool)
        rows = np.flatnonzero(kept[self.codes])
        codes = (np.cumsum(kept) - 1)[self.codes[rows]]
        answers = [each for each in said if type(each) is Answer]
        return replace(self, rows=self.rows[rows], codes=codes, answers=answers)

    def map_answers(self, change: Callable[[Answer], Answer | None]) -> FoundCandidates:
        """The same with each answer changed; without those that have none then."""
        return self._keep_answers(list(map(change, self.answers)))

    def with_labels(self, labels: Collection[str]) -> FoundCandidates:
        """Those with some labels."""
        return self.map_answers(lambda answer: answer if answer.label in labels else None)

    def take(self, rows: Ints) -> FoundCandidates:
        """Some of them."""
        return replace(self, rows=self.rows[rows], codes=self.codes[rows])

    def __len__(self) -> int:
        return len(self.rows)

    def counts(self) -> Counter[str]:
        """How many there are by label."""
        counts: Counter[str] = Counter()
        many = np.bincount(self.codes, minlength=len(self.answers)).tolist()
        for answer, n in zip(self.answers, many, strict=True):
            counts[str(answer.label)] += n
        return counts

    def __iter__(self) -> Iterator[Candidate]:
        for first in range(0, len(self), CANDIDATE_BATCH_ROWS):
            yield from self.read(np.arange(first, min(first + CANDIDATE_BATCH_ROWS, len(self))))

    def read(self, rows: Ints) -> list[Candidate]:
        """Some of them, with their sentences."""
        mine = self.rows[rows]
        sentences = self._sentences(mine)
        codes, splits = self.codes[rows].tolist(), self.corpus.splits[mine].tolist()
        names = self.corpus.names(mine)
        strata = {
            (code, name): {**self.answers[code].strata, **make_source_stratum(name)}
            for code, name in set(zip(codes, names, strict=True))
        }
        lengths = self._lengths()
        return [
            Candidate(
                sentence,
                self.answers[code].label,
                self.answers[code].target,
                (*DATA_SPLITS, "")[split],
                strata[code, name],
                lengths[code],
                self.answers[code].lemma,
            )
            for sentence, code, split, name in zip(sentences, codes, splits, names, strict=True)
        ]

    def _sentences(self, rows: Ints) -> list[Sentence]:
        """Some rows of the corpus, as they are asked about."""
        return self.edit(self.corpus, rows) if self.edit else self.corpus.read_rows(rows)[0]

    def _lengths(self) -> Sequence[int | None]:
        """The length of each answer, where that is not the number of words."""
        return [self.length(each) if self.length else None for each in self.answers]

    def pool(self) -> CandidatePool:
        """The same in columns."""
        corpus = self.corpus
        if self.edit is None:
            content, letters, lengths = (
                column[self.rows]
                for column in corpus.columns(CONTENT_COLUMN, LETTERS_COLUMN, LENGTH_COLUMN)
            )
        else:
            content, letters, lengths = self._edited_columns()
        if self.length:
            lengths = np.array(self._lengths())[self.codes]
        said = [(answer.label, answer.target, answer.lemma) for answer in self.answers]
        splits = corpus.splits[self.rows]
        return CandidatePool.from_codes(
            self.codes, said, (content, letters, lengths, splits), self.read
        )

    def _edited_columns(self) -> tuple[Ints, Ints, Ints]:
        """The columns content, letters and lengths of what is made of the sentences."""
        parts = []
        for first in range(0, len(self), CANDIDATE_BATCH_ROWS):
            rows = self.rows[first : first + CANDIDATE_BATCH_ROWS]
            words = [sentence.words for sentence in self._sentences(rows)]
            parts.append(
                (*hash_candidates(map(joined, words))[:2], np.array(list(map(len, words))))
            )
        content, letters, lengths = map(np.concatenate, zip(*parts, strict=True))
        return content, letters, lengths
