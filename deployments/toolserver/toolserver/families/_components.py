# ruff: noqa: ANN401 - the parts and the pipelines of diffusers have no type in common
"""The parts of a diffusers model, loaded strictly from a folder.

A model of diffusers is a folder with a folder for each of its parts, and model_index.json,
which says of which class each is. Every part with weights is loaded here one by one, so that
weights that are missing or of another shape are a fault (the pipelines of diffusers fill them
up at random and go on); the rest, tokenizers and the scheduler, is left to the pipeline.

The safety checker of Stable Diffusion is not loaded: it hides pictures instead of refusing
requests, which who asked could not tell from a fault.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import diffusers
import torch
import transformers
from diffusers.utils import logging
from safetensors import SafetensorError

from ..faults import Fault
from . import _strict

# Its warnings quote what was cut off a prompt, which no log may show.
logging.set_verbosity_error()

LEFT_OUT = ("safety_checker", "feature_extractor", "image_encoder", "watermarker")

CLASSES = {"ControlNetModel_Union": "ControlNetUnionModel"}
"""The name in diffusers of a class that a model calls otherwise: xinsir/controlnet-union-sdxl-1.0."""

MISMATCH = "The weights of the model do not fit its architecture."


def index(folder: Path) -> dict[str, Any]:
    """What model_index.json or a config.json says."""
    for name in ("model_index.json", "config.json"):
        if (path := folder / name).is_file():
            try:
                told = json.loads(path.read_text(encoding="utf-8"))
            except ValueError as err:
                raise Fault("weights_damaged", "The description of the model cannot be read.") from err
            if isinstance(told, dict) and isinstance(told.get("_class_name"), str):
                return told
            raise Fault("weights_mismatch", "The description of the model does not say of which class it is.")
    raise Fault("weights_missing", "The model has no description (model_index.json).")


def part(cls: Any, folder: Path, dtype: torch.dtype, variant: str | None = None) -> Any:
    """One part with weights, on the CPU."""
    try:
        if issubclass(cls, transformers.PreTrainedModel):
            return _strict.pretrained(cls, folder, dtype, "cpu", variant=variant)
        model, told = cls.from_pretrained(
            folder, torch_dtype=dtype, variant=variant, use_safetensors=True, local_files_only=True, output_loading_info=True
        )
    except (SafetensorError, OSError) as err:
        if _comes_of(err, SafetensorError):
            raise Fault("weights_damaged", "The weights of the model are damaged.") from err
        raise Fault("weights_missing", "Files of the model are missing or cannot be read.") from err
    except (ValueError, RuntimeError, NotImplementedError, KeyError) as err:
        if isinstance(err, torch.OutOfMemoryError):
            raise
        raise Fault("weights_mismatch", MISMATCH) from err
    if told["missing_keys"] or told["mismatched_keys"] or told["error_msgs"]:
        raise Fault("weights_mismatch", MISMATCH)
    return model.eval()


def _comes_of(err: BaseException | None, kind: type[BaseException]) -> bool:
    """diffusers says of files that are damaged what it says of those that are not there, but
    keeps what it was told itself."""
    while err is not None and not isinstance(err, kind):
        err = err.__cause__ or err.__context__
    return err is not None


def fit(known: Mapping[str, Any]) -> None:
    """Holds parts that come of different models against each other: networks that are as wide as
    what they steer and attend to text of the same width, an autoencoder with as many channels as
    are drawn."""
    drawn: Any = known.get("unet") or known.get("transformer")
    steers: Any = known.get("controlnet")
    vae: Any = known.get("vae")
    if steers is not None:
        for name in ("block_out_channels", "cross_attention_dim", "joint_attention_dim"):
            if _plain(steers.config.get(name)) != _plain(drawn.config.get(name)):
                raise Fault("weights_mismatch", "The control network is made for another model than the one that it shall steer.")
    if known.get("unet") is not None and vae.config.latent_channels != drawn.config.out_channels:
        raise Fault("weights_mismatch", "The autoencoder is made for another model.")


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, (list, tuple)) else value


def parts(folder: Path, dtype: torch.dtype, variant: str | None = None, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """All parts with weights that model_index.json names; given ones stand for those there."""
    known: dict[str, Any] = dict(given or {})
    for name, told in index(folder).items():
        if name in known or name.startswith("_") or not (isinstance(told, list) and len(told) == 2):
            continue
        library, class_name = told
        if name in LEFT_OUT or class_name is None:
            known[name] = None
            continue
        module = {"diffusers": diffusers, "transformers": transformers}.get(library)
        cls = getattr(module, str(class_name), None)
        if cls is None:
            raise Fault("weights_mismatch", "The model has a part of a class that is not known here.")
        if isinstance(cls, type) and issubclass(cls, torch.nn.Module):
            known[name] = part(cls, folder / name, dtype, variant)
    return known


def companion(folder: Path, dtype: torch.dtype) -> Any:
    """A model of one part that stands in a folder of its own, such as another autoencoder."""
    cls = getattr(diffusers, CLASSES.get(name := str(index(folder)["_class_name"]), name), None)
    if not (isinstance(cls, type) and issubclass(cls, torch.nn.Module)):
        raise Fault("weights_mismatch", "The model is made with one of a class that is not known here.")
    return part(cls, folder, dtype)


def pipeline(class_name: str, folder: Path, known: Mapping[str, Any], device: str) -> Any:
    """A pipeline of those parts, on the device."""
    cls = getattr(diffusers, class_name)
    wanted, options = cls._get_signature_keys(cls)
    given = {name: p for name, p in known.items() if name in wanted or name in options}
    if "requires_safety_checker" in options:
        given["requires_safety_checker"] = False
    try:
        made = cls.from_pretrained(folder, local_files_only=True, **given)
    except OSError as err:
        raise Fault("weights_missing", "Files of the model are missing or cannot be read.") from err
    except (ValueError, TypeError) as err:
        raise Fault("weights_mismatch", "The parts of the model do not fit together.") from err
    made.set_progress_bar_config(disable=True)
    return made.to(device)
