"""What the families that look at pictures share: loading by transformers' own classes, boxes
and masks in the pixels of the picture that was sent."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from PIL import Image
from transformers import AutoImageProcessor, AutoTokenizer
from transformers.utils import logging

from ..faults import Fault
from ..work import Place, Request
from . import _strict

logging.disable_progress_bar()  # type: ignore[no-untyped-call]


def architecture(folder: Path, allowed: Collection[str]) -> str:
    """The class of transformers that a snapshot is of, by its config.json: one of those that
    are allowed, for a snapshot never says what code is run."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except OSError:
        raise Fault("weights_missing", "The model's config.json is missing.") from None
    except ValueError:
        raise Fault("weights_damaged", "The model's config.json cannot be read.") from None
    named = config.get("architectures") if isinstance(config, dict) else None
    for name in named if isinstance(named, list) else []:
        if name in allowed:
            return str(name)
    raise Fault("weights_mismatch", "The weights are of an architecture that this family does not load.")


def open_model(folder: Path, place: Place, name: str) -> Any:  # noqa: ANN401 - transformers' classes are untyped
    """Loads a class of transformers, which is one that architecture has allowed."""
    # num_batches_tracked counts in training only; older files lack it
    return _strict.pretrained(getattr(transformers, name), folder, place.dtype, place.device, ignore=("num_batches_tracked",))


def open_processor(folder: Path) -> Any:  # noqa: ANN401
    """What makes pixels for the model, as its preprocessor_config.json says."""
    try:
        return AutoImageProcessor.from_pretrained(folder, local_files_only=True, trust_remote_code=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError, KeyError) as err:
        raise Fault("weights_mismatch", "The model's preprocessor_config.json is missing or does not fit.") from err


def open_tokenizer(folder: Path) -> Any:  # noqa: ANN401
    """What makes numbers of words for the model."""
    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, TypeError, KeyError) as err:
        raise Fault("weights_mismatch", "The model's tokenizer is missing or does not fit.") from err


def picture(request: Request) -> Image.Image:
    """The picture in RGB: what is transparent is seen on white, as people see it."""
    image: Image.Image = request.inputs["image"] if isinstance(request.inputs, dict) else request.inputs
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        over = image.convert("RGBA")
        ground = Image.new("RGBA", over.size, "white")
        ground.alpha_composite(over)
        return ground.convert("RGB")
    return image.convert("RGB")


def sizes(images: Sequence[Image.Image]) -> list[tuple[int, int]]:
    """Height and width of each, as processors want them."""
    return [(image.height, image.width) for image in images]


def shape_key(processor: Any, request: Request) -> Hashable:  # noqa: ANN401
    """What requests must share to be a batch: nothing where the processor brings every picture
    to one size, and their size where it keeps their shape, since a picture that is padded to
    another's size comes out a little different."""
    size = getattr(processor, "size", None) or {}
    image = request.inputs["image"] if isinstance(request.inputs, dict) else request.inputs
    fixed = size.get("height") and size.get("width") and not getattr(processor, "keep_aspect_ratio", False)
    return "any" if fixed else image.size


def moved(inputs: Any, place: Place) -> Any:  # noqa: ANN401
    """What a processor made, on the device, floats in the model's precision."""
    return {
        name: value.to(place.device, place.dtype if value.is_floating_point() else value.dtype)
        if isinstance(value, torch.Tensor)
        else value
        for name, value in inputs.items()
    }


def score(value: float) -> float:
    """From 0 to 1, with four digits."""
    return round(min(max(float(value), 0.0), 1.0), 4)


def box(sides: Sequence[float], size: tuple[int, int]) -> dict[str, int] | None:
    """A box in whole pixels within a picture of that width and height; None where nothing of
    it lies inside, or it is not a number."""
    if not all(np.isfinite(side) for side in sides):
        return None
    width, height = size
    x0, y0, x1, y1 = (round(float(side)) for side in sides)
    x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, width), min(y1, height)
    return {"xmin": x0, "ymin": y0, "xmax": x1, "ymax": y1} if x0 < x1 and y0 < y1 else None


def mask(cover: np.ndarray) -> Image.Image:
    """A mask as it is told: white is meant. Of booleans, or of shares from 0 to 1."""
    if cover.dtype == np.bool_:
        return Image.fromarray(cover.astype(np.uint8) * 255)
    return Image.fromarray(np.rint(np.clip(np.nan_to_num(cover), 0, 1) * 255).astype(np.uint8))
