"""The page as a whole."""

from __future__ import annotations

from lingprobe.analysis.frame import ResultFrame
from lingprobe.data.oracles import Kind
from lingprobe.pages.web.failures import make_failure_chapter
from lingprobe.pages.web.making import make_provenance_chapter
from lingprobe.pages.web.outcome import make_outcome_chapter
from lingprobe.pages.web.questions import ROLE_NOUNS, tasks_chapter
from lingprobe.pages.web.study import EMPTY_STUDY_CONTEXT, ResultStudy, StudyContext, format_count
from lingprobe.pages.web.trust import make_trust_chapter
from lingprobe.tables.web import WebDocument


def web_page(
    frame: ResultFrame, scored: ResultFrame, beside: StudyContext = EMPTY_STUDY_CONTEXT
) -> str:
    """Trained probes and their scores as one file for browsers, which asks nobody for anything."""
    study = ResultStudy(frame, scored, beside)
    makers = (
        make_outcome_chapter,
        make_trust_chapter,
        tasks_chapter,
        make_failure_chapter,
        make_provenance_chapter,
    )
    return WebDocument(_title(study), _about(study), tuple(make(study) for make in makers)).text()


def _title(study: ResultStudy) -> str:
    """What was probed, by its name where that is short."""
    judged = _list_encoders_of_kind(study, "trained")
    name = study.score_grid.names.get(judged[0], judged[0]) if judged else ""
    probed = name if len(judged) == 1 else format_count(len(judged), "encoder")
    groups = [mine[0].group for mine in study.score_grid.groups if mine[0].group]
    tasks = format_count(len(study.score_grid.columns), "task")
    on = f"{tasks} of {groups[0]}" if len(study.score_grid.groups) == len(groups) == 1 else tasks
    return f"{probed} on {on}" if judged else f"Baselines on {on}"


def _about(study: ResultStudy) -> str:
    """What stands below the title."""
    kinds = {kind: len(_list_encoders_of_kind(study, kind)) for kind in ROLE_NOUNS}
    counted = ", ".join(format_count(n, ROLE_NOUNS[kind]) for kind, n in kinds.items() if n)
    every = [run.about for run in study.runs]
    dates = sorted(about.date[:10] for about in every if about.date)
    versions = dict.fromkeys(about.version for about in every)
    made = " and ".join(version for version in versions if version)
    by = f", measured with lingprobe {made}" if made else ""
    return f"Probing results: {counted}{by}" + (f" on {dates[-1]}." if dates else ".")


def _list_encoders_of_kind(study: ResultStudy, kind: Kind) -> list[str]:
    """The encoders of a kind, whatever was read of them."""
    return list(dict.fromkeys(line.encoder for line in study.lines(kind)))
