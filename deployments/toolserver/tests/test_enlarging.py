"""Pictures that are enlarged."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from toolserver.families._tiles import Tiling
from toolserver.faults import Cancelled, Fault
from toolserver.work import Request

SHARP, DRAWN = "tiny/swin2sr", "tiny/sd-upscaler"


def picture(size=(30, 20), mode="RGB"):
    chance = np.random.default_rng(1)
    return Image.fromarray(chance.integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)).convert(mode)


def ask(inputs=None, target=(60, 40)):
    return Request("image-to-image+size", inputs or picture(), {"target_size": {"width": target[0], "height": target[1]}})


@torch.inference_mode()
def enlarged(model, *requests, step=lambda done: None):
    return model.run(list(requests), step)


def far(a, b):
    return np.abs(np.asarray(a, dtype=int) - np.asarray(b, dtype=int)).max()


@pytest.mark.parametrize("name", [SHARP, DRAWN])
def test_the_same_picture_becomes_the_same_larger_one(loaded, name):
    first = enlarged(loaded(name), ask())[0]
    assert (first.size, first.mode) == ((60, 40), "RGB")
    assert far(first, enlarged(loaded(name), ask())[0]) == 0
    assert far(first, enlarged(loaded(name), ask(picture().rotate(180)))[0]) > 0


@pytest.mark.parametrize(
    ("size", "target"),
    [((30, 20), (120, 80)), ((30, 20), (30, 20)), ((30, 20), (31, 20)), ((1, 1), (4, 4)), ((5, 50), (13, 150)), ((30, 20), (200, 130))],
)
def test_it_has_the_size_that_was_wanted(loaded, size, target):
    assert enlarged(loaded(SHARP), ask(picture(size), target))[0].size == target


def test_far_beyond_the_model_it_is_enlarged_twice(loaded):
    made = enlarged(loaded(SHARP), ask(picture((6, 5)), (300, 250)))[0]
    assert made.size == (300, 250)


def test_what_can_be_seen_through_stays_so(loaded):
    clear = picture(mode="RGBA")
    clear.putalpha(Image.linear_gradient("L").resize(clear.size))
    made = enlarged(loaded(SHARP), ask(clear))[0]
    assert made.mode == "RGBA"
    alpha = np.asarray(made.getchannel("A"), dtype=int)
    assert alpha[0].mean() < 20
    assert alpha[-1].mean() > 235


@pytest.mark.parametrize(("target", "code"), [((29, 40), "invalid_parameter"), ((16384, 16384), "too_large")])
def test_smaller_and_far_too_large_are_refused(loaded, target, code):
    with pytest.raises(Fault) as told:
        enlarged(loaded(SHARP), ask(target=target))
    assert told.value.code == code


@pytest.mark.parametrize("name", [SHARP, DRAWN])
def test_it_tells_how_far_it_is_and_stops_between_parts(loaded, name):
    told = []
    enlarged(loaded(name), ask(picture((50, 40)), (100, 80)), step=told.append)
    assert told == sorted(told)
    assert told[0] == 0
    assert told[-1] == pytest.approx(1)
    assert len(told) >= 5

    def leave(done):
        if done > 0.3:
            raise Cancelled

    with pytest.raises(Cancelled):
        enlarged(loaded(name), ask(picture((50, 40)), (100, 80)), step=leave)


@pytest.mark.parametrize("target", [(400, 240), (200, 120), (150, 97), (100, 60)])
def test_parts_fit_together_to_the_pixel(target):
    """With a model that only repeats pixels, no seam shows: it is as if it had been done at once."""
    smooth = Image.radial_gradient("L").resize((100, 60)).convert("RGB")

    def repeat(part):
        return part.resize((part.width * 4, part.height * 4), Image.Resampling.BICUBIC)

    made = Tiling(4, 16, 8).enlarge(smooth, target, repeat)
    at_once = repeat(smooth).resize(target, Image.Resampling.BICUBIC)
    assert far(made, at_once) <= 2


def test_memory_does_not_grow_with_the_picture():
    sizes = []

    def look(part):
        sizes.append(part.size)
        return part.resize((part.width * 2, part.height * 2))

    tiling = Tiling(2, 64, 8)
    tiling.enlarge(Image.new("RGB", (1000, 300)), (2000, 600), look)
    assert len(sizes) == tiling.count((1000, 300), (2000, 600)) == 16 * 5
    assert max(max(s) for s in sizes) <= 64 + 2 * 8
