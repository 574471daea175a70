"""Adapters of PEFT, such as LoRA, in the model that they were trained in. Imports neither torch nor
peft before one is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lingprobe.data._foreign_code import one_line
from lingprobe.data.core import DataProblem
from lingprobe.data.errors import describe_install
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders.hub import ADAPTER_CONFIG_FILE, ModelFiles, ModelSource, find_model_files

_INSIDE = "base_model.model."  # what PEFT puts before the names of all weights
_MERGE = "merge it into its model (merge_and_unload), save that, and name its folder"


def is_adapter(files: ModelFiles) -> bool:
    """Whether files are of an adapter alone, without the model that it belongs to."""
    return (files.folder / ADAPTER_CONFIG_FILE).is_file() and not (
        files.folder / "config.json"
    ).is_file()


def base_of(files: ModelFiles, reference: str) -> str:
    """Which model an adapter belongs to, as it says itself; DataProblem where that is not here."""
    base = str(files.says(ADAPTER_CONFIG_FILE).get("base_model_name_or_path") or "")
    try:
        if base:
            find_model_files(base, "sentence-transformers", organisation_first=False)
            return base
    except DataProblem:
        pass
    where = f"of {base!r}, which is not a folder here or in the cache" if base else "of no model"
    raise DataProblem(
        f"{reference} is an adapter {where}; say which model it belongs to,"
        f" hf:MODEL,adapter={reference}"
    )


def tokenizer_source(source: ModelSource, adapter: ModelSource | None) -> ModelSource:
    """Where the tokeniser of a model is: with its adapter, which may know tokens that the model did
    not, or with the model.
    """
    files = ("tokenizer.json", "tokenizer_config.json")
    if adapter is not None and any(Path(adapter.name, name).is_file() for name in files):
        return adapter
    return source


def apply_adapter(model: Any, source: ModelSource) -> Any:
    """A model with the layers and weights of an adapter inside it; one that does not fit, as with
    tokens before the text, is refused. EncoderStop.
    """
    try:
        import peft
        from peft.utils.save_and_load import load_peft_weights, set_peft_model_state_dict
    except ImportError:
        raise EncoderStop(f"peft is not installed: {describe_install('peft')}") from None
    where = {"revision": source.revision} if source.revision else {}
    before = set(model.state_dict())
    try:
        config = peft.PeftConfig.from_pretrained(source.name, **where)
        config.inference_mode = True
        weights = load_peft_weights(source.name, device="cpu", **where)
        _fit_vocabulary(model, weights)
        changed = peft.inject_adapter_in_model(config, model)
        state = _in_model(weights, changed)
        missing = set(set_peft_model_state_dict(changed, state).missing_keys)
    except Exception as error:  # peft raises what it likes, and so do the models that it changes
        raise EncoderStop(
            f"the adapter {source.name} does not go into the model: {one_line(error)}; {_MERGE}"
        ) from error
    new = [key for key in changed.state_dict() if key not in before and ".base_layer." not in key]
    if lost := missing & set(new):
        raise EncoderStop(
            f"the adapter {source.name} has no weights for {len(lost)} of {len(new)} of its places"
            f" in the model, such as {min(lost)}; name the model that it was trained in, or"
            f" {_MERGE}"
        )
    return changed


def _fit_vocabulary(model: Any, weights: Mapping[str, Any]) -> None:
    """Give a model as many embeddings as an adapter was trained with, where tokens were added; the
    adapter has theirs.
    """
    table = model.get_input_embeddings()
    place = next(name for name, module in model.named_modules() if module is table)
    sizes = {
        value.shape[-1 if key.endswith("lora_embedding_A") else 0]
        for key, value in _in_model(weights, model).items()
        if key in (f"{place}.weight", f"{place}.lora_embedding_A")
    }
    if sizes and (size := max(sizes)) != table.num_embeddings:
        model.resize_token_embeddings(size, mean_resizing=False)


def _in_model(weights: Mapping[str, Any], model: Any) -> dict[str, Any]:
    """An adapter's weights by their names in a model without a head; those of a head are left
    out.
    """
    modules = {name for name, _ in model.named_modules()}
    head = f"{model.base_model_prefix}."
    named: dict[str, Any] = {}
    for key, value in weights.items():
        name = key.removeprefix(_INSIDE)
        for candidate in (name, name.removeprefix(head)):
            if _parents(candidate) & modules:
                named[candidate] = value
                break
    return named


def _parents(name: str) -> set[str]:
    """The module that a weight is in, and the one around that."""
    inner = name.rpartition(".")[0]
    return {inner, inner.rpartition(".")[0]} - {""}
