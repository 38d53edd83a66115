"""Sounds get labels."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from toolserver.faults import Cancelled, Fault
from toolserver.work import Request, Sound


def tone(pitch: float, seconds: float = 1.0, rate: int = 16000) -> Sound:
    t = np.arange(int(seconds * rate)) / rate
    return Sound(0.5 * np.sin(2 * np.pi * pitch * t), rate)


@pytest.fixture
def label(loaded):
    def ask(*sounds, step=lambda _: None, **parameters):
        with torch.inference_mode():
            return loaded("tiny/ast").run([Request("audio-classification", s, parameters) for s in sounds], step)

    return ask


def scores(told):
    return {t["label"]: t["score"] for t in told}


def test_the_likeliest_label_is_first(label):
    told = label(tone(440))[0]
    assert {t["label"] for t in told} == {"Speech", "Music", "Dog"}
    assert [t["score"] for t in told] == sorted((t["score"] for t in told), reverse=True)
    assert sum(t["score"] for t in told) == pytest.approx(1, abs=1e-4)
    assert scores(told) != scores(label(tone(5000))[0])
    assert label(tone(440), top_k=1)[0] == told[:1]


def test_the_function_is_that_asked_for(label):
    soft, each, raw = (scores(label(tone(440), function_to_apply=f)[0]) for f in ("softmax", "sigmoid", "none"))
    for name, value in raw.items():
        assert each[name] == pytest.approx(1 / (1 + np.exp(-value)), abs=1e-4)
    assert soft == scores(label(tone(440))[0]) != each


def test_together_as_alone(label):
    sounds = [tone(440), tone(900, 0.4), tone(440, 25)]
    assert label(*sounds) == [label(s)[0] for s in sounds]


def test_a_long_recording_is_heard_to_its_end(label):
    quiet = Sound(np.zeros(16000 * 25), 16000)
    end = Sound(np.concatenate([np.zeros(16000 * 15), tone(3000, 10).samples]), 16000)
    assert label(quiet) != label(end)
    told: list[float] = []
    label(end, step=told.append)
    assert told == sorted(told)
    assert len(told) == 4, "three parts, and that it is done"


def test_nothing_to_hear_is_a_fault(label):
    with pytest.raises(Fault) as err:
        label(Sound(np.zeros(0), 16000))
    assert err.value.code == "invalid_input"


def test_it_stops_when_nobody_waits(label):
    def step(done):
        if done > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        label(tone(440), tone(440), step=step)
