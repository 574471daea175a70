"""What is made of a loaded model: one to run, which leaves the user's as it is, and digests that
stand for it. Imports torch.
"""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lingprobe.data._foreign_code import one_line
from lingprobe.data.digests import RunningDigest, digest_pieces, digest_texts
from lingprobe.data.examples import EncoderStop
from lingprobe.encoders.blocks import text_encoder
from lingprobe.encoders.model_files import in_precision
from lingprobe.encoders.network import LoadedModel, try_network
from lingprobe.encoders.origin import is_plain

_LIBRARIES = ("torch", "transformers", "accelerate", "peft", "sentence_transformers")
_PASSING = {*vars(nn.Module()), "name_or_path", "warnings_issued"}
"""Attributes of modules that decide no vector."""
_BESIDE = ("tokenizer", "processor", "model_card_data")  # a card may hold the whole training
_SWITCHES = ("_disable_adapters", "_active_adapter")
_PLACES = ("_name_or_path", "name_or_path", "architectures", "transformers_version", "use_cache")
"""What configurations say of where, as and by what a model was saved."""
_STATE = ("truncation", "padding")  # of the last call of a tokenizer


def network_of(
    pair: tuple[Any, Any], name: str, device: str, dtype: str, head: bool = False
) -> LoadedModel:
    """A loaded model and its tokenizer as a network, with the head that writes tokens where that is
    asked for and the model has it; EncoderStop where it cannot be run as one.
    """
    model, tokenizer = pair
    bare = _bare(model, name)
    whole = sharing_weights(bare if head else bare.base_model, name)
    own = text_encoder(whole.base_model if head else whole)
    in_precision(whole if head else own, dtype)
    writer = whole if head and whole.base_model is not whole else None
    return try_network(LoadedModel(own, tokenizer, device, dtype, writer=writer), name)


def _bare(model: Any, name: str) -> Any:
    """A model with its head, adapters of PEFT inside it."""
    if hasattr(model, "get_base_model"):
        if any(config.is_prompt_learning for config in model.peft_config.values()):
            raise EncoderStop(
                f"{name}: this adapter puts tokens of its own before a text, so no layer of the"
                " model alone has its vectors; adapters inside the model work, such as LoRA and IA3"
            )
        return model.get_base_model()
    return model


def sharing_weights(model: nn.Module, name: str) -> nn.Module:
    """A copy of a loaded model's modules over the same weights: what is cast or switched off in
    these leaves the user's model, and its training, alone. Quantised weights and their like stay as
    they are.
    """
    memo: dict[int, Any] = {}
    for each in (*model.parameters(), *model.buffers()):
        if type(each) is nn.Parameter:
            # as a model is that was read from its files: autocast looks at it
            gradient = each.is_floating_point()
            memo[id(each)] = nn.Parameter(each.detach(), requires_grad=gradient)
        else:
            memo[id(each)] = each.detach() if type(each) is Tensor else each
    for module in model.modules():
        memo |= {id(vars(module)[key]): vars(module)[key] for key in _BESIDE if key in vars(module)}
    try:
        return copy.deepcopy(model, memo).eval()
    except Exception as error:
        raise EncoderStop(
            f"{name} cannot be run beside its training ({one_line(error)}); save it with"
            " save_pretrained(FOLDER), and its tokenizer, and write hf:FOLDER"
        ) from error


def model_digest(model: Any) -> str:
    """Thirty-two hexadecimal digits that stand for a model's modules, weights and settings.

    Of one with hooks of the user's, or weights that lie elsewhere, nobody can know what it
    computes: it is another one each time.
    """
    state = RunningDigest()
    state.add(digest_texts(*_settings(model)))
    tensors = {**dict(model.named_buffers()), **model.state_dict()}
    for name, value in tensors.items():
        state.add(name)
        for each in _plain_tensors(value):
            state.add(each if isinstance(each, bytes) else _bytes(each))
    return state.hex()


def _settings(model: Any) -> Iterator[str]:
    """What a model says of itself, and what its modules are set to beside their weights, such as
    how much an adapter counts, and which is on.
    """
    yield f"{model} {getattr(model, 'prompts', None)} {getattr(model, 'default_prompt_name', None)}"
    configurations: set[int] = set()
    for name, module in model.named_modules():
        if _has_hooks(module):
            yield uuid.uuid4().hex
        config: Any = getattr(module, "config", None)
        if hasattr(config, "to_dict") and id(config) not in configurations:
            configurations.add(id(config))
            said = {k: v for k, v in config.to_dict().items() if k not in _PLACES}
            yield json.dumps(said, sort_keys=True, default=str)
        if tokenizer := vars(module).get("tokenizer") or vars(module).get("processor"):
            yield tokenizer_digest(tokenizer)
        for key, value in sorted(vars(module).items()):
            shown = key in _SWITCHES or not (key in _PASSING or key.startswith("_"))
            if shown and is_plain(value):
                yield f"{name} {key} {value!r}"


def _has_hooks(module: nn.Module) -> bool:
    """Whether something that a user put there changes what a module computes."""
    hooks = (*module._forward_hooks.values(), *module._forward_pre_hooks.values())
    own = [*hooks, *([module.forward] if "forward" in vars(module) else [])]
    return any(
        str(getattr(each, "__module__", "")).partition(".")[0] not in (*_LIBRARIES, "functools")
        for each in own
    )


def _plain_tensors(value: Any) -> Iterator[Tensor | bytes]:
    """The tensors that a value of a model's state consists of, as those of a quantised one."""
    if not isinstance(value, Tensor):
        yield repr(value).encode() if is_plain(value) else uuid.uuid4().bytes
    elif hasattr(value, "__tensor_flatten__"):
        names, context = value.__tensor_flatten__()
        yield repr(context).encode()
        for name in names:
            yield from _plain_tensors(getattr(value, name))
    elif value.is_meta:
        yield uuid.uuid4().bytes
    else:
        yield value


def _bytes(value: Tensor) -> Any:
    flat = value.detach().cpu().contiguous().reshape(-1)
    return np.asarray(flat.view(torch.uint8).numpy()).data


def tokenizer_digest(tokenizer: Any) -> str:
    """Digits that stand for all that a tokenizer saves, without where it came from."""
    if hasattr(tokenizer, "to_str"):  # of the library tokenizers itself
        return digest_texts(_without_state(tokenizer.to_str()))
    with TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        return digest_texts(*(part for path in files for part in (path.name, _content(path))))


def _content(path: Path) -> str:
    content = path.read_bytes()
    if path.suffix != ".json":
        return digest_pieces(content)
    return _without_state(content.decode("utf-8"))


def _without_state(text: str) -> str:
    said = json.loads(text)
    if isinstance(said, dict):
        said = {k: v for k, v in said.items() if k not in (*_STATE, *_PLACES)}
    return json.dumps(said, sort_keys=True)
