"""What is known of the tasks of comp/ before any sentence is generated."""

from __future__ import annotations

from collections.abc import Mapping

from lingprobe.extend import TaskDescription
from lingprobe_extensions.compose.comp.designs import DESIGNS_BY_LANGUAGE
from lingprobe_extensions.compose.events.languages import LANGUAGES, load_language

_GENERATED = "none needed: lingprobe writes the sentences"
_ASKED = "a sentence and asked words"
_ETTINGER = "ettinger-2018-assessing"


def _generated_tasks() -> dict[str, TaskDescription]:
    """Each task with the languages that have a design for it."""
    made = [load_language(name) for name in LANGUAGES.table]
    return {
        f"comp/{name}": TaskDescription(
            _ASKED,
            "sentences that lingprobe generates",
            (_ETTINGER,),
            tuple(
                each.code
                for each in made
                if not isinstance(DESIGNS_BY_LANGUAGE[each.designs][name], str)
            ),
            _GENERATED,
        )
        for name in DESIGNS_BY_LANGUAGE["english"]
    }


COMPOSED_TASKS: Mapping[str, TaskDescription] = {
    "comp/released/*": TaskDescription(
        _ASKED, "the sets of Ettinger et al.", (_ETTINGER,), ("en",), "[compeval]"
    ),
    **_generated_tasks(),
}
