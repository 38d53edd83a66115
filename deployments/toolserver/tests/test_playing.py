"""Words become music."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from toolserver.families.playing import INSTRUMENTAL, Playing
from toolserver.faults import Cancelled, Fault
from toolserver.work import Request


@pytest.fixture
def play(loaded):
    def ask(*texts, step=lambda _: None, **parameters):
        with torch.inference_mode():
            return loaded("tiny/ace-step").run([Request("text-to-audio", t, {"seed": 1} | parameters) for t in texts], step)

    return ask


def test_words_become_stereo_by_their_seed(play):
    sound = play("a calm piano piece")[0]
    assert sound.samples.shape == (2, 1600)
    assert sound.rate == 800
    assert 0 < np.abs(sound.samples).max() <= 1
    assert np.array_equal(play("a calm piano piece")[0].samples, sound.samples)
    assert not np.array_equal(play("a calm piano piece", seed=2)[0].samples, sound.samples)
    assert not np.array_equal(play("drums")[0].samples, sound.samples)


def test_the_length_is_that_asked_for(play):
    assert play("drums", duration=3.5)[0].samples.shape == (2, 2800)
    assert play("drums", duration=0.25)[0].samples.shape == (2, 200), "what is too short to make is cut"
    with pytest.raises(Fault, match="4 seconds") as err:
        play("drums", duration=5)
    assert err.value.code == "invalid_parameter"


def test_together_as_alone(play):
    both = play("drums", "a calm piano piece")
    for sound, text in zip(both, ("drums", "a calm piano piece"), strict=True):
        assert np.array_equal(sound.samples, play(text)[0].samples)


def test_lyrics_are_sung_and_not_played():
    assert Playing._words("a song\n[verse]\nLa la") == ("a song", "[verse]\nLa la")
    assert Playing._words("a song\n[Lyrics]\nLa la") == ("a song", "La la")
    assert Playing._words("a [verse] of words") == ("a [verse] of words", INSTRUMENTAL)


def test_lyrics_matter_and_no_words_are_refused(play):
    assert not np.array_equal(play("a song\n[verse]\nLa la")[0].samples, play("a song\n[verse]\nOh no")[0].samples)
    with pytest.raises(Fault) as err:
        play("  ")
    assert err.value.code == "invalid_input"


def test_it_stops_when_nobody_waits(play):
    told: list[float] = []
    play("drums", step=told.append)
    assert told == sorted(told)
    assert told[-1] == 1

    def step(done):
        if done > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        play("drums", step=step)
