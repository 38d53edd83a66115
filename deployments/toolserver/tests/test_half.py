"""Every model does each of its tasks in half precision, which is what they are served in: what
goes into a network is brought to its precision everywhere. The CPU, on which the other tests run
in float32, knows bfloat16."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from toolserver import families
from toolserver.registry import Model
from toolserver.tasks import TASKS
from toolserver.work import Film, Place, Request, Sound

from . import tiny

CASES = [pytest.param(e["id"], task, id=f"{e['id'].partition('/')[2]}-{task}") for e in tiny.all_entries() for task in e["tasks"]]


def picture() -> Image.Image:
    down, along = np.mgrid[0:64, 0:96]
    return Image.fromarray(np.stack([down * 3, along * 2, (down + along) % 200], -1).astype(np.uint8))


def given(model: Model, task: str) -> Request:
    wave = np.sin(np.arange(8000) / 9).astype(np.float32) / 2
    film = Film(np.stack([np.asarray(picture())] * 8), 8.0)
    inputs: dict[str, Any] = {
        "text": "The train to Berlin leaves at nine.",
        "picture": picture(),
        "sound": Sound(wave, 8000),
        "film": film,
        "picture+question": {"image": picture(), "question": "What is it?"},
        "table+question": {"table": {"name": ["Ann", "Bob"], "age": ["5", "6"]}, "question": "How old is Ann?"},
    }
    mode = (model.modes or ["depth"])[0]
    few = {"num_inference_steps": 2, "seed": 1}
    parameters: dict[str, dict[str, Any]] = {
        "text-to-image": few,
        "text-to-image+control": few | {"control_image": picture(), "control_mode": mode},
        "image-to-image": few | {"prompt": "a hat"},
        "image-to-image+mask": few | {"prompt": "a hat", "mask_image": Image.new("L", (96, 64), 255)},
        "image-to-image+control": {"control_mode": mode},
        "image-to-image+size": {"target_size": {"width": 120, "height": 80}},
        "zero-shot-object-detection": {"candidate_labels": ["a cat", "a dog"]},
        "zero-shot-classification": {"candidate_labels": ["travel", "food"]},
        "mask-generation": {"points": [(30, 30)]},
        "text-to-video": few | {"num_frames": 5},
        "image-to-video": few | {"num_frames": 5, "prompt": "it moves"},
        "text-to-speech": {"generation_parameters": {"seed": 1}},
        "text-to-audio": {"duration": 1.0, "seed": 1},
        "text-generation": {"max_new_tokens": 4},
        "translation": {"src_lang": "en", "tgt_lang": "de"},
    }
    return Request(task, inputs[TASKS[task].inputs], parameters.get(task, {}))


@pytest.fixture(scope="module")
def halved(tiny_cache):
    known: dict[str, Any] = {}

    def load(name):
        if name not in known:
            known.clear()  # one at a time
            model = Model.model_validate(tiny.entry(name))
            companions = {what: tiny.cached(tiny_cache, c.id) for what, c in model.companions.items()}
            place = Place(tiny.cached(tiny_cache, name), "cpu", torch.bfloat16, companions)
            known[name] = model, families.find(model.family).load(model, place)
        return known[name]

    return load


def in_float(real: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """A convolution that CPUs without bfloat16 take minutes for. It still fails where what goes in
    and the weights are of different precision."""

    def convolve(tensor, weight, bias=None, *more, **how):
        if {t.dtype for t in (tensor, weight, bias) if t is not None} != {torch.bfloat16}:
            return real(tensor, weight, bias, *more, **how)
        return real(tensor.float(), weight.float(), None if bias is None else bias.float(), *more, **how).to(torch.bfloat16)

    return convolve


@pytest.fixture(autouse=True)
def as_on_a_gpu(monkeypatch):
    """What torch does in bfloat16 on a GPU only, or is slow at without one."""
    real = torch.nn.functional.interpolate

    def interpolate(tensor, *more, **how):
        if how.get("antialias") and tensor.dtype == torch.bfloat16:
            return real(tensor.float(), *more, **how).to(tensor.dtype)
        return real(tensor, *more, **how)

    monkeypatch.setattr(torch.nn.functional, "interpolate", interpolate)
    for name in ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"):
        monkeypatch.setattr(torch.nn.functional, name, in_float(getattr(torch.nn.functional, name)))


@pytest.mark.parametrize(("name", "task"), CASES)
def test_it_is_done_in_half_precision(halved, name, task):
    model, loaded = halved(name)
    with torch.inference_mode():
        results = loaded.run([given(model, task)], lambda done, preview=None: None)
    assert len(results) == 1
    assert torch.bfloat16 in {p.dtype for m in loaded.modules() for p in m.parameters()}
