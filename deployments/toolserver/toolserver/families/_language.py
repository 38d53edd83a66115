"""What the families that work with words share: loading, the limits of a model, and what people
write made harmless."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from ..faults import Fault
from ..work import Place
from . import _strict


def network(cls: Any, place: Place, ignore: tuple[str, ...] = (), **more: Any) -> Any:  # noqa: ANN401 - transformers' classes are untyped
    """A model of transformers on the device, of safetensors, with every weight in its place."""
    try:
        return _strict.pretrained(cls, place.folder, place.dtype, place.device, ignore, trust_remote_code=False, **more)
    except SafetensorError:
        raise Fault("weights_damaged", "The model's weights are damaged.") from None
    except OSError:
        raise Fault("weights_missing", "The model's weights are missing or cannot be read.") from None
    except (ValueError, TypeError, KeyError, AttributeError) as err:
        raise Fault("weights_mismatch", "The weights of the model do not fit its architecture.") from err


def reader(cls: Any, folder: Path, **more: Any) -> Any:  # noqa: ANN401
    """A tokenizer or a processor, by the files beside the weights."""
    try:
        return cls.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **more)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as err:
        raise Fault("weights_mismatch", "The files by which the model reads its input are missing or do not fit.") from err


def context_of(config: Any, tokenizer: Any, options: Mapping[str, Any]) -> int:  # noqa: ANN401 - transformers is untyped
    """How many tokens a model reads and writes in one go: what it was made for, or less where
    models.yaml says so (option context), for the cache of what was read takes memory."""
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    limits = [options.get("context"), getattr(text, "max_position_embeddings", None), getattr(text, "n_positions", None)]
    if tokenizer is not None and tokenizer.model_max_length < 1e9:  # where it is not known it is 1e30
        limits.append(tokenizer.model_max_length)
    return min((int(limit) for limit in limits if limit), default=2048)


def window_of(config: Any, tokenizer: Any) -> int:  # noqa: ANN401
    """How many tokens an encoder takes. Those that are built like RoBERTa count positions from
    behind the one of the padding, and so have fewer than their table."""
    known = context_of(config, tokenizer, {})
    if getattr(config, "model_type", "") in ("roberta", "xlm-roberta", "camembert"):
        known = min(known, int(config.max_position_embeddings) - int(config.pad_token_id or 0) - 1)
    return known


def moved(inputs: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """What a processor made, on the device, pixels in the model's precision."""
    return {
        name: value.to(place.device, place.dtype if value.is_floating_point() else value.dtype)
        for name, value in inputs.items()
        if isinstance(value, torch.Tensor)
    }


def told(name: str) -> str:
    """What a model is told, from the text file of that name in words/."""
    return (Path(__file__).parent / "words" / f"{name}.txt").read_text(encoding="utf-8").strip()


def score(value: float) -> float:
    """From 0 to 1, with four digits; what is no number is 0."""
    return round(min(max(float(value), 0.0), 1.0), 4) if value == value else 0.0


def inert(text: str, tokenizer: Any) -> str:  # noqa: ANN401
    """The text of a user, in which the tokens that mark turns, pictures and ends are cut in
    two: whoever writes them means the letters."""
    special = {str(token) for token in tokenizer.get_added_vocab() if len(str(token).strip()) > 1}
    if not special:
        return text
    found = re.compile("|".join(re.escape(token) for token in sorted(special, key=len, reverse=True)))
    return found.sub(lambda m: m[0][0] + " " + m[0][1:], text)
