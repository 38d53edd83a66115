"""Pictures changed by words, or drawn in another way."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from toolserver.faults import Cancelled, Fault
from toolserver.work import Request

ALL = ["tiny/sdxl", "tiny/z-image", "tiny/flux2-klein", "tiny/instruct-pix2pix"]


def picture(size=(90, 60), colour=(200, 40, 40), mode="RGB"):
    made = Image.new(mode, size, colour)
    made.paste((20, 60, 200), (size[0] // 3, size[1] // 4, size[0] // 2, size[1] // 2))
    return made


def ask(inputs=None, **parameters):
    return Request("image-to-image", inputs or picture(), {"seed": 1, "prompt": "make it winter", "num_inference_steps": 5} | parameters)


@torch.inference_mode()
def edited(model, *requests, step=lambda done, preview=None: None):
    return model.run(list(requests), step)


def far(a, b):
    return np.abs(np.asarray(a, dtype=int) - np.asarray(b, dtype=int)).max()


@pytest.mark.parametrize("name", ALL)
def test_picture_words_and_seed_matter_and_nothing_else(loaded, name):
    model = loaded(name)
    first = edited(model, ask())[0]
    assert (first.size, first.mode) == ((90, 60), "RGB")
    assert far(first, edited(model, ask())[0]) == 0
    assert far(first, edited(model, ask(picture(colour=(0, 200, 0))))[0]) > 0
    assert far(first, edited(model, ask(prompt="a drawing in ink"))[0]) > 0
    assert far(first, edited(model, ask(seed=2))[0]) > 0


@pytest.mark.parametrize("name", ["tiny/sdxl", "tiny/instruct-pix2pix"])
@pytest.mark.parametrize("size", [(33, 47), (1, 1), (200, 30), (640, 480)])
def test_the_answer_has_the_size_of_the_picture(loaded, name, size):
    assert edited(loaded(name), ask(picture(size)))[0].size == size


def test_another_size_is_made_where_it_is_asked_for(loaded):
    assert edited(loaded("tiny/sdxl"), ask(target_size={"width": 50, "height": 120}))[0].size == (50, 120)


@pytest.mark.parametrize("name", ALL)
def test_without_words_it_is_drawn_anew(loaded, name):
    for words in ({}, {"prompt": "  "}):
        made = edited(loaded(name), Request("image-to-image", picture(), {"seed": 3} | words))[0]
        assert made.size == (90, 60)
        assert far(made, edited(loaded(name), Request("image-to-image", picture(), {"seed": 4} | words))[0]) > 0


def test_what_can_be_seen_through_is_white(loaded):
    clear = Image.new("RGBA", (64, 64), (10, 200, 10, 0))
    white = Image.new("RGB", (64, 64), "white")
    made = edited(loaded("tiny/sdxl"), ask(clear))[0]
    assert made.mode == "RGB"
    assert far(made, edited(loaded("tiny/sdxl"), ask(white))[0]) == 0


@pytest.mark.parametrize("name", ["tiny/sdxl", "tiny/instruct-pix2pix", "tiny/z-image"])
def test_together_is_as_alone(loaded, name):
    model = loaded(name)
    asked = [ask(), ask(picture(colour=(0, 90, 90)), seed=2, prompt="make it night")]
    assert model.key(asked[0]) == model.key(asked[1]) is not None
    for alone, together in zip([edited(model, r)[0] for r in asked], edited(model, *asked), strict=True):
        assert far(alone, together) <= 2


def test_pictures_that_a_model_would_mix_are_run_alone(loaded):
    """FLUX.2 takes several pictures as references of one result."""
    assert loaded("tiny/flux2-klein").key(ask()) is None


def test_less_strength_leaves_more_of_the_picture(loaded):
    model = loaded("tiny/sdxl")
    weak, strong = (edited(model, ask(strength=s, num_inference_steps=10))[0] for s in (0.1, 1.0))
    assert far(weak, strong) > 0
    assert edited(model, ask(strength=0))[0].size == (90, 60)


def test_strength_is_refused_by_a_model_that_has_none(loaded):
    with pytest.raises(Fault) as told:
        edited(loaded("tiny/instruct-pix2pix"), ask(strength=0.5))
    assert told.value.code == "invalid_parameter"


def test_a_strip_is_refused(loaded):
    with pytest.raises(Fault) as told:
        edited(loaded("tiny/sdxl"), ask(picture((900, 10))))
    assert told.value.code == "invalid_input"


@pytest.mark.parametrize("name", ALL)
def test_it_stops_between_steps(loaded, name):
    told = []

    def leave(done, preview=None):
        told.append(done)
        if done > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        edited(loaded(name), ask(num_inference_steps=5), step=leave)
    assert 0 < told[-1] < 1


def test_a_model_that_looks_at_a_million_pixels_answers_in_the_size_of_the_picture(loaded):
    """Qwen-Image-Edit brings each picture to that size, and draws in the size that it is told."""
    model = loaded("tiny/qwen-image-edit")
    asked = {"seed": 1, "prompt": "make it winter"}
    assert edited(model, Request("image-to-image", picture(), asked))[0].size == (90, 60)
    assert model.key(Request("image-to-image", picture(), asked)) is None
