"""Pictures changed within a mask."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from toolserver.families import _canvas
from toolserver.faults import Cancelled, Fault
from toolserver.work import Request

ALL = ["tiny/sd-inpainting", "tiny/sdxl", "tiny/z-image", "tiny/flux2-klein"]


def picture(size=(80, 64)):
    across = np.linspace(0, 255, size[0], dtype=np.uint8)
    return Image.fromarray(np.stack([np.tile(across, (size[1], 1))] * 3, axis=2))


def mask(box=(20, 10, 50, 40), size=(80, 64)):
    made = Image.new("L", size, 0)
    made.paste(255, box)
    return made


def ask(inputs=None, **parameters):
    return Request("image-to-image+mask", inputs or picture(), {"seed": 1, "mask_image": mask(), "prompt": "a cat"} | parameters)


@torch.inference_mode()
def filled(model, *requests, step=lambda done, preview=None: None):
    return model.run(list(requests), step)


def far(a, b):
    return np.abs(np.asarray(a, dtype=int) - np.asarray(b, dtype=int)).max()


@pytest.mark.parametrize("name", ALL)
def test_only_what_is_marked_changes(loaded, name):
    made = filled(loaded(name), ask())[0]
    assert (made.size, made.mode) == ((80, 64), "RGB")
    changed = np.abs(np.asarray(made, dtype=int) - np.asarray(picture(), dtype=int)).max(axis=2)
    marked = np.asarray(mask()) > 0
    assert changed[~marked].max() == 0
    assert changed[marked].max() > 0


@pytest.mark.parametrize("name", ALL)
def test_words_mask_and_seed_matter(loaded, name):
    model = loaded(name)
    first = filled(model, ask())[0]
    assert far(first, filled(model, ask())[0]) == 0
    assert far(first, filled(model, ask(prompt="a tree"))[0]) > 0
    assert far(first, filled(model, ask(seed=2))[0]) > 0
    assert far(first, filled(model, ask(mask_image=mask((20, 10, 50, 50))))[0]) > 0


@pytest.mark.parametrize("name", ALL)
def test_without_words_what_is_marked_is_drawn_away(loaded, name):
    made = filled(loaded(name), Request("image-to-image+mask", picture(), {"seed": 1, "mask_image": mask()}))[0]
    assert far(made, picture()) > 0
    assert far(made, filled(loaded(name), ask())[0]) > 0


def test_a_small_thing_in_a_large_picture_is_worked_on_at_full_detail(loaded):
    size = (900, 700)
    marked = mask((400, 300, 430, 330), size)
    assert _canvas.around(marked) == (336, 236, 494, 394)
    made = filled(loaded("tiny/sd-inpainting"), ask(picture(size), mask_image=marked))[0]
    changed = np.abs(np.asarray(made, dtype=int) - np.asarray(picture(size), dtype=int)).max(axis=2)
    assert made.size == size
    assert changed[np.asarray(marked) == 0].max() == 0
    assert changed[300:330, 400:430].max() > 0


@pytest.mark.parametrize(
    ("box", "part"),
    [
        ((0, 0, 10, 10), (0, 0, 74, 74)),
        ((0, 0, 600, 5), (0, 0, 900, 305)),
        ((0, 0, 900, 5), (0, 0, 900, 700)),
        ((0, 0, 900, 700), (0, 0, 900, 700)),
    ],
)
def test_the_part_that_is_worked_on_lies_in_the_picture(box, part):
    assert _canvas.around(mask(box, (900, 700))) == part


def test_an_empty_mask_is_refused(loaded):
    request = ask(mask_image=Image.new("L", (80, 64), 0))
    assert loaded("tiny/sd-inpainting").key(request) is None
    with pytest.raises(Fault) as told:
        filled(loaded("tiny/sd-inpainting"), request)
    assert told.value.code == "invalid_input"


@pytest.mark.parametrize("name", ["tiny/sd-inpainting", "tiny/sdxl", "tiny/z-image"])
def test_together_is_as_alone(loaded, name):
    model = loaded(name)
    asked = [ask(), ask(picture().rotate(180), seed=2, prompt="a dog on the grass", mask_image=mask((30, 20, 60, 50)))]
    assert model.key(asked[0]) == model.key(asked[1]) is not None
    for alone, together in zip([filled(model, r)[0] for r in asked], filled(model, *asked), strict=True):
        assert far(alone, together) <= 2


@pytest.mark.parametrize("name", ALL)
def test_it_stops_between_steps(loaded, name):
    def leave(done, preview=None):
        if done > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        filled(loaded(name), ask(num_inference_steps=5), step=leave)


def test_a_model_of_a_million_pixels_changes_what_is_marked_alone(loaded):
    made = filled(loaded("tiny/qwen-image-edit"), ask())[0]
    changed = np.abs(np.asarray(made, dtype=int) - np.asarray(picture(), dtype=int)).max(axis=2)
    marked = np.asarray(mask()) > 0
    assert changed[~marked].max() == 0
    assert changed[marked].max() > 0
