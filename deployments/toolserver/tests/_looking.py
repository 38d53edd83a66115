"""What the tests of families that look at pictures share."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from PIL import Image

from toolserver.faults import Cancelled
from toolserver.work import Loaded, Request


def noise(width: int = 90, height: int = 60, seed: int = 0) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8))


def run(model: Loaded, task: str, *images: Image.Image, **parameters: Any) -> list[Any]:
    with torch.inference_mode():
        return model.run([Request(task, image, parameters) for image in images], lambda done: None)


def steps(model: Loaded, task: str, image: Image.Image, **parameters: Any) -> list[float]:
    """What the model told of its progress."""
    told: list[float] = []
    with torch.inference_mode():
        model.run([Request(task, image, parameters)], told.append)
    return told


def stops(model: Loaded, task: str, image: Image.Image, after: int, **parameters: Any) -> bool:
    """Whether it lets go when nobody waits any more, at that many steps."""
    left = after

    def step(done: float) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Cancelled

    try:
        with torch.inference_mode():
            model.run([Request(task, image, parameters)], step)
    except Cancelled:
        return True
    return False


def covers(mask: Image.Image) -> np.ndarray:
    return np.asarray(mask) >= 128


def plain(answer: Any) -> Any:
    """The same with pictures as what is in them, to be compared."""
    if isinstance(answer, Image.Image):
        return answer.mode, answer.size, answer.tobytes()
    if isinstance(answer, list):
        return [plain(one) for one in answer]
    if isinstance(answer, dict):
        return {name: plain(value) for name, value in answer.items()}
    return answer
