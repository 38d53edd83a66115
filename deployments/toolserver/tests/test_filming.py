"""Words become a video, and so does a picture."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from tests import tiny
from toolserver import families
from toolserver.faults import Cancelled, Fault
from toolserver.registry import Model
from toolserver.work import Film, Place, Request

WORDS, PICTURE = "text-to-video", "image-to-video"
OF_WORDS = ["tiny/wan-ti2v", "tiny/wan-t2v-a14b", "tiny/cogvideox"]
OF_PICTURES = ["tiny/wan-ti2v", "tiny/wan-i2v-a14b"]


def picture(size=(90, 60), shade=0, mode="RGB"):
    ramp = np.add.outer(np.arange(size[1]), np.arange(size[0]) + shade) % 256
    return Image.fromarray(np.stack([ramp, 255 - ramp, ramp // 2], -1).astype(np.uint8)).convert(mode)


@pytest.fixture
def made(loaded):
    def ask(model, *inputs, step=lambda *_: None, **parameters):
        task = PICTURE if isinstance(inputs[0], Image.Image) else WORDS
        each = [p if isinstance(p, dict) else {} for p in parameters.pop("each", [{}] * len(inputs))]
        with torch.inference_mode():
            return loaded(model).run([Request(task, i, {"seed": 1} | parameters | own) for i, own in zip(inputs, each, strict=True)], step)

    return ask


def same(a: Film, b: Film) -> bool:
    return a.frames.shape == b.frames.shape and int(np.abs(a.frames.astype(int) - b.frames).max()) <= 1


@pytest.mark.parametrize("model", OF_WORDS)
def test_words_become_a_video_by_their_seed(made, model):
    film = made(model, "a panda rides a bike")[0]
    assert film.frames.shape == (9 if "cog" in model else 5, 32, 48, 3)
    assert film.frames.dtype == np.uint8
    assert film.rate == 8
    assert np.ptp(film.frames) > 0
    assert same(made(model, "a panda rides a bike")[0], film)
    assert not same(made(model, "a panda rides a bike", seed=2)[0], film)
    assert not same(made(model, "waves at dawn", guidance_scale=50)[0], made(model, "a panda", guidance_scale=50)[0])


@pytest.mark.parametrize("model", OF_WORDS)
def test_together_as_alone(made, loaded, model):
    alone = [made(model, "a panda")[0], made(model, "waves", seed=7)[0]]
    both = made(model, "a panda", "waves", each=[{}, {"seed": 7}])
    assert [same(a, b) for a, b in zip(alone, both, strict=True)] == [True, True]
    key = loaded(model).key
    assert key(Request(WORDS, "a")) == key(Request(WORDS, "b", {"seed": 3, "negative_prompt": "blur"})) is not None
    assert key(Request(WORDS, "a")) != key(Request(WORDS, "a", {"num_inference_steps": 3}))


@pytest.mark.parametrize("model", OF_PICTURES)
def test_a_picture_moves_in_its_own_shape(made, model):
    wide = made(model, picture((120, 60)), prompt="it moves")[0]
    tall = made(model, picture((60, 120)), prompt="it moves")[0]
    assert wide.frames.shape[2] > wide.frames.shape[1]
    assert tall.frames.shape[1:3] == wide.frames.shape[2:0:-1]
    assert wide.frames.shape[1] % 16 == wide.frames.shape[2] % 16 == 0
    assert not same(made(model, picture((120, 60), shade=99), prompt="it moves")[0], wide)
    assert same(made(model, picture((120, 60), mode="RGBA"), prompt="it moves")[0], wide)


def test_a_picture_needs_no_words_and_takes_a_size(made):
    film = made("tiny/wan-ti2v", picture(), target_size={"width": 100, "height": 50})[0]
    assert film.frames.shape == (5, 50, 100, 3)
    with pytest.raises(Fault) as err:
        made("tiny/wan-ti2v", picture(), target_size={"width": 8000, "height": 50})
    assert err.value.code == "invalid_parameter"


@pytest.mark.parametrize(("asked", "got"), [(1, 1), (4, 5), (6, 5), (8, 9), (9, 9)])
def test_the_number_of_frames_is_the_nearest_that_the_model_makes(made, asked, got):
    assert len(made("tiny/wan-ti2v", "waves", num_frames=asked, num_inference_steps=1)[0].frames) == got


def test_too_many_frames_and_no_words_are_refused(made):
    for bad, code in (({"num_frames": 10}, "invalid_parameter"), ({}, "invalid_input")):
        with pytest.raises(Fault) as err:
            made("tiny/wan-ti2v", "waves" if bad else "  ", **bad)
        assert err.value.code == code


def test_what_shall_not_be_seen_matters(made):
    plain = made("tiny/wan-ti2v", "waves", guidance_scale=50)[0]
    assert not same(made("tiny/wan-ti2v", "waves", guidance_scale=50, negative_prompt="blue water, foam")[0], plain)
    assert same(made("tiny/wan-ti2v", "waves", negative_prompt=["a", "b"])[0], made("tiny/wan-ti2v", "waves", negative_prompt="a, b")[0])
    assert made("tiny/wan-ti2v", "waves", guidance_scale=1)[0].frames.shape == plain.frames.shape


def test_what_shall_not_be_seen_where_a_picture_moves_matters(made):
    plain = made("tiny/wan-ti2v", picture(), guidance_scale=50)[0]
    assert not same(made("tiny/wan-ti2v", picture(), guidance_scale=50, negative_prompt="people, text")[0], plain)


@pytest.mark.parametrize("model", ["tiny/wan-ti2v", "tiny/cogvideox"])
def test_it_tells_how_far_it_is_and_stops_when_nobody_waits(made, model):
    told: list[float] = []
    made(model, "waves", num_inference_steps=4, step=lambda done, preview=None: told.append(done))
    assert told == sorted(told)
    assert told[-1] == 1
    assert len([t for t in told if 0 < t < 1]) == 4

    def step(done, preview=None):
        if done > 0.3:
            raise Cancelled

    with pytest.raises(Cancelled):
        made(model, "waves", num_inference_steps=4, step=step)
    assert made(model, "waves")[0].frames.shape[1:] == (32, 48, 3), "it is as good as before"


def test_weights_that_lack_a_part_are_a_fault(tiny_folder, tmp_path):
    folder = shutil.copytree(tiny_folder("tiny/cogvideox"), tmp_path / "m")
    path = folder / "transformer" / "diffusion_pytorch_model.safetensors"
    weights = load_file(path)
    weights.pop(next(iter(weights)))
    save_file(weights, path, {"format": "pt"})
    described = Model.model_validate(tiny.entry("tiny/cogvideox"))
    with pytest.raises(Fault) as err:
        families.find("filming").load(described, Place(folder, "cpu", torch.float32))
    assert err.value.code == "weights_mismatch"
