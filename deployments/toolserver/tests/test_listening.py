"""Speech of Europe becomes text."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from toolserver.families.listening import cut, joined, sentences
from toolserver.faults import Cancelled, Fault
from toolserver.work import Request, Sound


def tones(*pitches: float, seconds: float = 0.5, rate: int = 16000) -> Sound:
    t = np.arange(int(seconds * rate)) / rate
    return Sound(np.concatenate([0.5 * np.sin(2 * np.pi * pitch * t) for pitch in pitches]), rate)


@pytest.fixture
def hear(loaded):
    def ask(*sounds, step=lambda _: None, **parameters):
        with torch.inference_mode():
            return loaded("tiny/parakeet").run([Request("automatic-speech-recognition", s, parameters) for s in sounds], step)

    return ask


def test_what_is_heard_becomes_text_and_hangs_on_the_sound(hear):
    sounds = [tones(200, 900), tones(3000), tones(500, 100, 4000), tones(1500)]
    told = [t["text"] for t in hear(*sounds)]
    assert len(set(told)) > 1
    assert any(told)
    assert told == [hear(s)[0]["text"] for s in sounds]


def test_times_lie_in_the_recording_one_after_the_other(hear):
    for stamps in (True, "word"):
        told = hear(tones(200, 900, 3000, 500, 100), return_timestamps=stamps)[0]
        spans = [c["timestamp"] for c in told["chunks"]]
        assert spans == sorted(spans)
        assert all(0 <= a <= b <= 2.5 for a, b in spans)
        assert "".join(c["text"] for c in told["chunks"]).split() == told["text"].split()


def test_a_long_recording_is_cut_where_it_is_quiet(hear):
    wave = np.ones(250, np.float32)
    wave[90:100] = 0
    assert cut(wave, 100, 10) == [(0, 91), (91, 162), (162, 250)]
    assert cut(wave[:100], 100, 10) == [(0, 100)]
    told: list[float] = []
    hear(tones(200, 900, 3000, seconds=2), step=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert any(0.2 < d < 0.9 for d in told)


def test_tokens_become_words_and_words_sentences():
    tokens = [("Hel", 0, 1), ("lo", 1, 2), (".", 2, 2), (" You", 3, 9)]
    words = joined([{"token": t, "start": a, "end": b} for t, a, b in tokens], 10, 15)
    assert words == [{"text": "Hello.", "timestamp": [10, 12]}, {"text": " You", "timestamp": [13, 15]}]
    assert sentences(words) == words
    assert sentences([{"text": "One", "timestamp": [0, 1]}, {"text": " two.", "timestamp": [1, 2]}]) == [
        {"text": "One two.", "timestamp": [0, 2]}
    ]


def test_a_language_that_it_does_not_know_is_refused(hear):
    with pytest.raises(Fault, match="de, el, en") as err:
        hear(tones(200), language="ja")
    assert err.value.code == "invalid_parameter"
    assert hear(tones(200), language="de-AT") == hear(tones(200))


def test_nothing_to_hear_is_a_fault_and_a_click_is_not(hear):
    with pytest.raises(Fault) as err:
        hear(Sound(np.zeros(0), 16000))
    assert err.value.code == "invalid_input"
    assert isinstance(hear(Sound(np.ones(3), 16000))[0]["text"], str)


def test_it_stops_when_nobody_waits(hear):
    def step(done):
        if done > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        hear(tones(200, 900, seconds=2), step=step)
