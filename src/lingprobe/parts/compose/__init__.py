"""Sentences from events with known meaning, a parser that checks them, and the tasks of comp/.

`events` writes the sentences, `readings` reads them and shares nothing with what wrote them, and
`comp` asks questions about their words (Ettinger et al. 2018).
"""

PAPERS = ["content1", "content2", "order", "sem-role", "negation"]
MORE = ["agreement", "embedded-tense", "adjective", "quantifier-scope"]


def _tasks(family: str, module: str, names: list[str]) -> dict[str, str]:
    return {f"{family}/{name}": f"comp.{module}:{name.replace('-', '_')}" for name in names}


TABLES = {
    "kinds": {"languages": "events.languages:LANGUAGES"},
    "tasks": {
        **_tasks("comp", "family", PAPERS + MORE),
        **_tasks("comp/released", "released", PAPERS),
    },
    "about": {"comp/*": "comp.about:KNOWN"},
    "encoders": {"window": "comp.floors:Window", "ngrams": "comp.floors:NGrams"},
    "answers": {"asked words": "audit:answers"},
}
COMMANDS = {"Data": "commands:generate"}
_PLACES = {"api": "Generated generate"}
