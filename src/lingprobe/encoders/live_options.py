"""Options of models that are loaded already: those of the reference that would name them, but for
what cannot be changed any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lingprobe.data.errors import UsageProblem

_WEIGHTS = "the model has the weights that it has; name its folder, hf:FOLDER,weights=random"
_CODE = "the model's code runs already"
_FIXED = {
    "device": "the model stays where it is; move it with model.to(...)",
    **dict.fromkeys(("weights", "seed", "lexical"), _WEIGHTS),
    "adapter": "put it into the model first, peft.PeftModel.from_pretrained(model, FOLDER)",
    **dict.fromkeys(("trust_remote_code", "code_revision"), _CODE),
}
"""What a model cannot be asked for once it is loaded, with the reason."""
_UNNAMED = ("layers",)  # tables have a column for them


def list_option_names(kind: type) -> list[str]:
    """The options of a kind of loaded models."""
    return sorted(f.name for f in fields(kind) if f.kw_only and f.name not in (*_FIXED, "parts"))


def check_options(model_kind: str, options: Mapping[str, Any], kind: type) -> None:
    """Refuse options that a loaded model does not have, with the reason. UsageProblem."""
    for key in options:
        if key in _FIXED:
            raise UsageProblem(f"a loaded {model_kind} has no option {key}: {_FIXED[key]}")
        if key not in (known := list_option_names(kind)):
            raise UsageProblem(
                f"a loaded {model_kind} has no option {key}; it has {', '.join(known)}"
            )


def without_memory(model: Any) -> dict[str, Any]:
    """What a loaded model is given, without what it made of that, for a pickle."""
    return {f.name: vars(model)[f.name] for f in fields(model)}


def format_model_options(model: Any) -> str:
    """The options of a loaded model that are not as they are by default, as references write
    them.
    """
    chosen = vars(model)
    usual = {f.name: f.default for f in fields(model)}
    names = [name for name in list_option_names(type(model)) if name not in _UNNAMED]
    return "".join(f",{name}={chosen[name]}" for name in names if chosen[name] != usual[name])
