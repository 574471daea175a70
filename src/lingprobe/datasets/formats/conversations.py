"""Conversations in a cell: a list of turns, each with a role and a text, as chat models are trained
on them (`role` and `content`, or `from` and `value`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from lingprobe.corpora.strict import MalformedJson, parse_json
from lingprobe.data.digests import digest_texts
from lingprobe.data.examples import ChatTurn

_ROLES, _CONTENTS = ("role", "from", "speaker"), ("content", "value", "text")
_ALIASES = {"human": "user", "gpt": "assistant", "bot": "assistant", "model": "assistant"}
RESPONSE_ROLE = "assistant"
"""The role whose last turn is the response."""
_SHOWN_PROMPT, _DIGEST_LETTERS = 30, 8
_KNOWN_ROLES = (*_ALIASES, "user", "assistant", "system", "tool")


def is_conversation(cell: Any) -> bool:
    """Whether a cell is a list of turns."""
    return isinstance(cell, list) and bool(cell) and all(map(_is_turn, cell))


def is_talk_of_lists(cell: Any) -> bool:
    """Whether a cell has the roles and texts of its turns as lists, as `datasets` keeps them."""
    return isinstance(cell, dict) and _is_turn(cell) and all(map(_is_listed, cell.values()))


def arrange_turns(cell: Any) -> Any:
    """A conversation as a list of turns, also where it is text in JSON, or its roles and texts are
    lists; any other cell as it is.
    """
    if is_talk_of_lists(cell):
        return [dict(zip(cell, turn, strict=True)) for turn in zip(*cell.values(), strict=False)]
    if isinstance(cell, str) and cell.lstrip()[:2] == "[{":
        with suppress(MalformedJson):
            value = parse_json(cell)
            return value if is_conversation(value) else cell
    return cell


def read_turns(turns: Sequence[dict[str, Any]]) -> tuple[ChatTurn, ...]:
    """The turns of a conversation, with roles as chat templates call them."""
    return tuple(
        ChatTurn(_ALIASES.get(name := _role(turn), name), _content(turn)) for turn in turns
    )


def name_prompt(turns: Sequence[ChatTurn]) -> str:
    """A name of all that stands before a response, the same wherever it is the same: how it begins,
    and a digest. '' where no response ends the conversation, or nothing stands before it.
    """
    if len(turns) < 2 or turns[-1].role != RESPONSE_ROLE:
        return ""
    before = [part for turn in turns[:-1] for part in turn]
    begins = " ".join(turns[-2].content.split())[:_SHOWN_PROMPT]
    return f"{begins} ({digest_texts(*before)[:_DIGEST_LETTERS]})"


def join_turns(turns: Sequence[dict[str, Any]], role: str = "") -> str:
    """The texts of a conversation, a line each; of one role where it is named."""
    wanted = _ALIASES.get(role, role)
    return "\n".join(
        _content(turn)
        for turn in turns
        if not role or _ALIASES.get(name := _role(turn), name) == wanted
    )


def split_role(name: str, names: Sequence[str]) -> tuple[str, str]:
    """The column and the role that `messages.user` names; ('', '') where it names none."""
    column, _, role = name.rpartition(".")
    return (column, role) if column in names and role in _KNOWN_ROLES else ("", "")


def _is_listed(value: Any) -> bool:
    return isinstance(value, list)


def _is_turn(turn: Any) -> bool:
    if not isinstance(turn, dict):
        return False
    return any(key in turn for key in _ROLES) and any(key in turn for key in _CONTENTS)


def _role(turn: dict[str, Any]) -> str:
    return next(str(turn[key]).casefold() for key in _ROLES if key in turn)


def _content(turn: dict[str, Any]) -> str:
    """The text of a turn, whose parts may be objects, of which those of other kinds are none."""
    content = next(turn[key] for key in _CONTENTS if key in turn)
    if isinstance(content, list):
        parts = [part.get("text") or "" for part in content if isinstance(part, dict)]
        return "\n".join(filter(None, parts))
    return content if isinstance(content, str) else ""
