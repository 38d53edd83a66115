"""A text is read aloud, however long it is."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from toolserver.families import _say
from toolserver.faults import Cancelled, Fault
from toolserver.work import Request


@pytest.fixture
def speak(loaded):
    def ask(*texts, step=lambda _: None, **parameters):
        own = {"generation_parameters": {"seed": 1}} | parameters
        with torch.inference_mode():
            return loaded("tiny/dia").run([Request("text-to-speech", t, own) for t in texts], step)

    return ask


def test_a_text_becomes_speech_by_its_seed(speak):
    sound = speak("Good morning.")[0]
    assert sound.rate == 800
    assert sound.samples.ndim == 1
    assert len(sound.samples) > 100
    assert 0 < np.abs(sound.samples).max() <= 1
    assert np.array_equal(speak("Good morning.")[0].samples, sound.samples)
    assert not np.array_equal(speak("Good morning.", generation_parameters={"seed": 2})[0].samples, sound.samples)
    assert not np.array_equal(speak("The rain in Spain.")[0].samples, sound.samples)


def test_a_long_text_is_read_in_parts_that_follow_each_other(speak):
    told: list[float] = []
    first = speak("Good morning to you all.")[0].samples
    sound = speak("Good morning to you all. The train leaves at nine.", step=told.append)[0].samples
    assert len(sound) > len(first) + 80
    assert np.array_equal(sound[: len(first)], first)
    assert told == sorted(told)
    assert told[-1] == 1


def test_the_generators_of_others_are_left_alone(speak):
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    speak("Good morning.")
    assert (torch.random.get_rng_state() == before).all()


@pytest.mark.parametrize(("said", "word"), [({"language": "German"}, "English"), ({"voice": "deep"}, "seed")])
def test_what_it_cannot_speak_is_refused_with_what_it_can(speak, said, word):
    with pytest.raises(Fault, match=word) as err:
        speak("Guten Morgen.", **said)
    assert err.value.code == "invalid_parameter"
    assert len(speak("Good morning.", language="en-GB")[0].samples)


def test_nothing_to_say_is_a_fault(speak):
    with pytest.raises(Fault) as err:
        speak(" ... [S1] ")
    assert err.value.code == "invalid_input"


def test_it_stops_when_nobody_waits(speak):
    def step(done):
        if done > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        speak("Good morning.", step=step)


def test_texts_are_cut_at_sentences_then_clauses_then_words():
    assert _say.parts("One. Two! Three? Four.", 10) == ["One. Two!", "Three?", "Four."]
    assert _say.parts("A long clause, and another one; the end.", 20) == ["A long clause,", "and another one;", "the end."]
    assert _say.parts("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert _say.parts("3.14 is pi. 早上好。再见！", 12) == ["3.14 is pi.", "早上好。 再见！"]
    assert _say.parts("  \n ", 10) == []
    text = "Words of many kinds, some short; others, well, not so short. " * 9
    assert " ".join(_say.parts(text, 40)) == text.strip()
    assert max(map(len, _say.parts(text, 40))) <= 40
