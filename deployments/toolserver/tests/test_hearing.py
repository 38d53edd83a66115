"""Speech becomes text: of any rate and length, with times where they are asked for."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from tests import tiny
from toolserver import families
from toolserver.faults import Cancelled, Fault
from toolserver.registry import Model
from toolserver.work import Place, Request, Sound

TASK = "automatic-speech-recognition"


def tone(pitch: float, seconds: float = 1.0, rate: int = 16000, channels: int = 1) -> Sound:
    t = np.arange(int(seconds * rate)) / rate
    wave = 0.5 * np.sin(2 * np.pi * pitch * t) * (1 + np.sin(7 * t)) / 2
    return Sound(np.stack([wave] * channels) if channels > 1 else wave, rate)


@pytest.fixture(scope="module")
def whisper(loaded):
    return loaded("tiny/whisper")


@pytest.fixture
def hear(whisper):
    def ask(*sounds, step=lambda _: None, **parameters):
        with torch.inference_mode():
            return whisper.run([Request(TASK, s, parameters) for s in sounds], step)

    return ask


def test_what_is_heard_becomes_text_and_hangs_on_the_sound(hear):
    low, high = hear(tone(200))[0], hear(tone(3000))[0]
    assert set(low) == {"text"}
    assert low["text"]
    assert low["text"] != high["text"]
    assert hear(tone(200))[0] == low


def test_together_as_alone(hear):
    sounds = [tone(200), tone(900, 0.5), tone(3000, 1.5)]
    assert hear(*sounds) == [hear(s)[0] for s in sounds]


def test_another_rate_and_two_channels_are_the_same_sound(whisper):
    from toolserver.families._sound import mono

    same = mono(tone(200, rate=48000, channels=2), 16000)
    assert same.shape == (16000,)
    assert np.abs(same - tone(200).samples)[100:-100].max() < 0.01
    odd = mono(tone(200, rate=44101), 16000)
    assert abs(len(odd) - 16000) < 40


def test_times_lie_in_the_recording_one_after_the_other(hear):
    for stamps in (True, "word"):
        told = hear(tone(440, 1.5), return_timestamps=stamps)[0]
        assert told["chunks"], stamps
        for chunk in told["chunks"]:
            start, end = chunk["timestamp"]
            assert 0 <= start <= end <= 1.5
            assert isinstance(chunk["text"], str)
        assert "".join(c["text"] for c in told["chunks"]).strip() == told["text"]


def test_a_long_recording_is_heard_in_windows_and_tells_how_far_it_is(hear):
    done: list[float] = []
    told = hear(tone(440, 5), step=done.append, return_timestamps=True)[0]
    assert all(0 <= d <= 1 for d in done)
    assert done[-1] == 1
    assert any(0.2 < d < 0.8 for d in done)
    assert told["chunks"][-1]["timestamp"][1] > 2, "nothing was heard behind the first window"
    assert hear(tone(440, 5), return_timestamps=True)[0] == told


def test_a_long_recording_is_heard_alone(whisper):
    assert whisper.key(Request(TASK, tone(440, 5))) is None
    short = whisper.key(Request(TASK, tone(440)))
    assert short is not None
    assert short == whisper.key(Request(TASK, tone(99, 2, rate=8000)))
    assert short != whisper.key(Request(TASK, tone(440), {"language": "de"}))
    assert short != whisper.key(Request(TASK, tone(440), {"return_timestamps": True}))


def test_the_language_is_taken_by_code_or_by_name(hear):
    sounds = [tone(pitch) for pitch in (100, 200, 500, 900, 1600, 3000)]
    german = hear(*sounds, language="de")
    assert german == hear(*sounds, language="German") == hear(*sounds, language="de-AT")
    assert german != hear(*sounds, language="fr")


def test_an_unknown_language_is_refused_with_those_there_are(hear):
    with pytest.raises(Fault, match="de, en, fr") as err:
        hear(tone(200), language="Klingon")
    assert err.value.code == "invalid_parameter"
    assert "Klingon" not in err.value.message


def test_the_number_of_tokens_is_kept_to(hear):
    short = hear(tone(200), generation_parameters={"max_new_tokens": 3})[0]["text"]
    assert len(short) <= 3
    assert len(hear(tone(200))[0]["text"]) > 3


@pytest.mark.parametrize("samples", [np.zeros(0), np.array([0.0, np.nan, 0.0])])
def test_a_recording_of_nothing_is_a_fault(hear, samples):
    with pytest.raises(Fault) as err:
        hear(Sound(samples, 16000))
    assert err.value.code == "invalid_input"


@pytest.mark.parametrize("seconds", [1, 5])
def test_it_stops_when_nobody_waits(hear, seconds):
    calls = 0

    def step(_):
        nonlocal calls
        calls += 1
        if calls == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        hear(tone(200, seconds), step=step)
    assert calls == 3


def test_weights_of_another_model_are_a_fault(tiny_folder, tmp_path):
    folder = shutil.copytree(tiny_folder("tiny/whisper"), tmp_path / "m")
    weights = load_file(folder / "model.safetensors")
    del weights["model.encoder.conv1.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    described = Model.model_validate(tiny.entry("tiny/whisper"))
    with pytest.raises(Fault) as err:
        families.find("hearing").load(described, Place(folder, "cpu", torch.float32))
    assert err.value.code == "weights_mismatch"
