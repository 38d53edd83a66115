"""A picture becomes a short video on a small device."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from toolserver.faults import Cancelled, Fault
from toolserver.work import Request

MODEL = "tiny/i2vgen-xl"


def picture(size=(200, 100), shade=0):
    ramp = np.add.outer(np.arange(size[1]), np.arange(size[0]) + shade) % 256
    return Image.fromarray(np.stack([ramp, 255 - ramp, ramp // 2], -1).astype(np.uint8))


@pytest.fixture
def move(loaded):
    def ask(*pictures, step=lambda *_: None, **parameters):
        with torch.inference_mode():
            return loaded(MODEL).run([Request("image-to-video", p, {"seed": 1} | parameters) for p in pictures], step)

    return ask


def test_a_picture_moves_by_its_seed(move):
    film = move(picture())[0]
    assert film.frames.shape == (4, 64, 128, 3)
    assert film.rate == 8
    assert (move(picture())[0].frames == film.frames).all()
    assert (move(picture(), seed=2)[0].frames != film.frames).any()
    assert (move(picture(shade=99))[0].frames != film.frames).any()
    assert (move(picture(), prompt="a storm")[0].frames != film.frames).any()
    assert move(picture((100, 200)), num_frames=2)[0].frames.shape == (2, 128, 64, 3)


def test_what_shall_not_be_seen_matters(move):
    plain = move(picture(), guidance_scale=50)[0].frames
    assert (move(picture(), guidance_scale=50, negative_prompt="people, text")[0].frames != plain).any()
    assert (move(picture(), guidance_scale=50, negative_prompt=["people", "text"])[0].frames != plain).any()


def test_what_reads_is_on_the_device_only_while_it_reads(loaded, monkeypatch):
    model = loaded(MODEL)
    at = {}
    for name in ("text_encoder", "image_encoder"):
        part, moves = getattr(model.pipe, name), at.setdefault(name, [])

        def to(*where, part=part, moves=moves, real=part.to, **how):
            moves.append(where[0])
            return real(*where, **how) if where[0] != "home" else part

        monkeypatch.setattr(part, "to", to)
    monkeypatch.setattr(model, "_home", "home")
    with torch.inference_mode():
        model.run([Request("image-to-video", picture(), {"seed": 1})], lambda _: None)
    assert at == {"text_encoder": ["cpu", "home"] * 2, "image_encoder": ["cpu", "cpu"]}


def test_the_generators_of_others_are_left_alone(move):
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    move(picture())
    assert (torch.random.get_rng_state() == before).all()


def test_too_many_frames_and_a_stripe_are_refused(move):
    for bad, size, code in (({"num_frames": 9}, (200, 100), "invalid_parameter"), ({}, (900, 10), "invalid_input")):
        with pytest.raises(Fault) as err:
            move(picture(size), **bad)
        assert err.value.code == code


def test_it_tells_how_far_it_is_and_stops_when_nobody_waits(move, loaded):
    told: list[float] = []
    move(picture(), picture(), step=lambda done, preview=None: told.append(done))
    assert told == sorted(told)
    assert told[-1] == 1

    def step(done, preview=None):
        if done > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        move(picture(), step=step)
    assert not loaded(MODEL).pipe.unet._forward_hooks
