"""Videos get labels."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from toolserver.families.watching import looked_at
from toolserver.faults import Cancelled, Fault
from toolserver.work import Film, Request

BOTH = pytest.mark.parametrize("model", ["tiny/vivit", "tiny/xclip"])


def film(seed=0, frames=10, size=(48, 64)) -> Film:
    return Film(np.random.default_rng(seed).integers(0, 256, (frames, *size, 3), dtype=np.uint8), 10.0)


@pytest.fixture
def label(loaded):
    def ask(model, *films, step=lambda _: None, **parameters):
        with torch.inference_mode():
            return loaded(model).run([Request("video-classification", f, parameters) for f in films], step)

    return ask


@BOTH
def test_the_likeliest_label_is_first(label, model):
    told = label(model, film())[0]
    assert told == sorted(told, key=lambda t: -t["score"])
    assert all(0 <= t["score"] <= 1 and t["label"] for t in told)
    assert len(told) == (3 if model == "tiny/vivit" else 5)
    assert label(model, film(), top_k=1)[0] == told[:1]
    assert label(model, film(3))[0] != told


@BOTH
def test_together_as_alone(label, model):
    films = [film(), film(1, frames=1), film(2, frames=30, size=(64, 40))]
    assert label(model, *films) == [label(model, f)[0] for f in films]


def test_frames_are_spread_over_the_video_or_as_far_apart_as_asked():
    marked = Film(np.arange(10, dtype=np.uint8)[:, None, None, None] * np.ones((1, 2, 2, 3), np.uint8), 10.0)
    at = lambda *a: [int(f[0, 0, 0]) for f in looked_at(marked, *a)]  # noqa: E731
    assert at(4, None) == [0, 3, 6, 9]
    assert at(4, 1) == [3, 4, 5, 6]
    assert at(4, 99) == [0, 3, 6, 9]
    with pytest.raises(Fault):
        looked_at(Film(np.zeros((0, 2, 2, 3), np.uint8), 10.0), 4, None)


def test_another_number_of_frames_is_refused_with_that_it_looks_at(label):
    with pytest.raises(Fault, match="4 frames") as err:
        label("tiny/vivit", film(), num_frames=9)
    assert err.value.code == "invalid_parameter"
    assert label("tiny/vivit", film(), num_frames=4) == label("tiny/vivit", film())


def test_it_stops_when_nobody_waits(label):
    def step(done):
        if done > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        label("tiny/vivit", film(), film(), step=step)
