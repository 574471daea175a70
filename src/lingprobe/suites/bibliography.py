"""Whom to cite for a task or a method, as BibTeX."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from pathlib import Path

from lingprobe.tasks.about import find_task_description

PAPER_NAMES = {
    "conneau-2018-cram": "Conneau et al. 2018",
    "krasnowska-kieras-wroblewska-2019-empirical": "Krasnowska-Kieraś & Wróblewska 2019",
    "ettinger-2018-assessing": "Ettinger et al. 2018",
    "tenney-2019-context": "Tenney et al. 2019",
    "ravishankar-2019-probing": "Ravishankar et al. 2019",
    "mikhailov-2021-rusenteval": "Mikhailov et al. 2021",
    "sahin-2020-linspector": "Şahin et al. 2020",
    "dolan-brockett-2005-automatically": "Dolan & Brockett 2005",
    "marelli-2014-sick": "Marelli et al. 2014",
    "bowman-2015-large": "Bowman et al. 2015",
    "cer-2017-semeval": "Cer et al. 2017",
    "agirre-2012-semeval": "Agirre et al. 2012",
    "agirre-2013-semeval": "Agirre et al. 2013",
    "agirre-2014-semeval": "Agirre et al. 2014",
    "agirre-2015-semeval": "Agirre et al. 2015",
    "agirre-2016-semeval": "Agirre et al. 2016",
    "wroblewska-krasnowska-kieras-2017-polish": "Wróblewska & Krasnowska-Kieraś 2017",
    "dadas-2020-evaluation": "Dadas et al. 2020",
    "de-marneffe-2021-universal": "de Marneffe et al. 2021",
    "hewitt-liang-2019-designing": "Hewitt & Liang 2019",
    "hewitt-manning-2019-structural": "Hewitt & Manning 2019",
    "voita-titov-2020-information": "Voita & Titov 2020",
    "linzen-2016-assessing": "Linzen et al. 2016",
    "warstadt-2020-blimp": "Warstadt et al. 2020",
    "clark-2019-bert": "Clark et al. 2019",
}
"""Papers as a text names them, by their key in BibTeX."""


def papers_of(task: str) -> tuple[str, ...]:
    """The keys of the papers of a task's reference, those who asked it first; () for none known."""
    known = find_task_description(re.split("[:,]", task, maxsplit=1)[0])
    return known.papers if known else ()


def format_bibtex(keys: Iterable[str]) -> str:
    """BibTeX of what to cite: the entries of some papers, each once."""
    known = _entries()
    return "\n".join(known[key] for key in dict.fromkeys(keys))


@functools.cache
def _entries() -> dict[str, str]:
    text = Path(__file__).with_suffix(".bib").read_text("utf-8")
    matches = re.finditer(r"^@\w+\{([^,]+),\n(?:.*\n)*?\}$", text, re.M)
    return {entry[1]: entry[0] for entry in matches}
