"""How near things are, as a grey picture."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests._looking import noise, plain, run, stops
from toolserver.faults import Fault
from toolserver.work import Request

TASK = "depth-estimation"
MODELS = ["tiny/depth-anything", "tiny/dpt"]


@pytest.mark.parametrize("id", MODELS)
def test_a_map_has_the_size_of_the_picture_and_all_shades(loaded, id):
    for size in ((90, 60), (40, 150)):
        (made,) = run(loaded(id), TASK, noise(*size))
        assert made.size == size
        assert made.mode == "L"
        assert made.getextrema() == (0, 255)


@pytest.mark.parametrize("id", MODELS)
def test_another_picture_has_another_map(loaded, id):
    one, other = run(loaded(id), TASK, noise(seed=1), noise(seed=2))
    assert plain(one) != plain(other)


@pytest.mark.parametrize("id", MODELS)
def test_a_batch_has_the_maps_of_each_alone(loaded, id):
    images = [noise(seed=1), noise(seed=2)]
    for made, image in zip(run(loaded(id), TASK, *images), images, strict=True):
        (alone,) = run(loaded(id), TASK, image)
        assert np.abs(np.asarray(made, int) - np.asarray(alone, int)).max() <= 2


def test_it_is_the_map_that_pictures_are_drawn_after_too(loaded):
    model = loaded("tiny/dpt")
    assert plain(run(model, "image-to-image+control", noise(), control_mode="depth")) == plain(run(model, TASK, noise()))
    with pytest.raises(Fault) as told:
        run(model, "image-to-image+control", noise(), control_mode="hed")
    assert told.value.code == "invalid_parameter"


@pytest.mark.parametrize(("metres", "left", "right"), [(False, 255, 0), (True, 0, 255)])
def test_the_nearest_is_white_also_where_a_model_tells_metres(loaded, monkeypatch, metres, left, right):
    model = loaded("tiny/dpt")
    told = torch.tensor([[[8.0, 1.0], [8.0, 1.0]]])
    monkeypatch.setattr(model, "net", lambda pixel_values: type("Out", (), {"predicted_depth": told}))
    monkeypatch.setattr(model, "far_is_more", metres)
    (made,) = run(model, TASK, noise())
    assert (made.getpixel((0, 30)), made.getpixel((89, 30))) == (left, right)


def test_a_flat_or_broken_map_is_black_and_no_fault(loaded, monkeypatch):
    for value in (3.0, float("nan")):
        told = torch.full((1, 4, 4), value)
        monkeypatch.setattr(loaded("tiny/dpt"), "net", lambda pixel_values, told=told: type("Out", (), {"predicted_depth": told}))
        assert run(loaded("tiny/dpt"), TASK, noise())[0].getextrema() == (0, 0)


def test_pictures_of_another_shape_wait_for_their_own_batch(loaded):
    model = loaded("tiny/depth-anything")
    assert model.key(Request(TASK, noise(90, 60))) != model.key(Request(TASK, noise(60, 90)))


def test_it_stops_when_nobody_waits(loaded):
    assert all(stops(loaded("tiny/dpt"), TASK, noise(), after) for after in range(3))
