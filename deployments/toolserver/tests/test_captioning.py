"""BLIP: captions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from PIL import Image

from toolserver.faults import Cancelled, Fault
from toolserver.work import Loaded, Request

from ._steps import Told

Loader = Callable[[str], Loaded]


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.inference_mode():
        yield


def noise(seed: int, width: int = 60, height: int = 40) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def seen(image: Image.Image, **parameters: object) -> Request:
    return Request("image-to-text", image, parameters)


def test_a_caption_hangs_on_the_picture(loaded: Loader):
    model = loaded("tiny/captioning")
    first, again = (model.run([seen(noise(1))], Told())[0] for _ in range(2))
    others = [model.run([seen(Image.new("RGB", (40, 40), c))], Told())[0] for c in ("red", "white", "black")]
    assert set(first[0]) == {"generated_text"}
    assert first[0]["generated_text"]
    assert first == again
    assert any(first != other for other in others)


def test_a_batch_answers_as_each_alone(loaded: Loader):
    model = loaded("tiny/captioning")
    requests = [seen(noise(1)), seen(noise(2, 10, 90), max_new_tokens=3), seen(Image.new("RGBA", (20, 20)), temperature=2.0, seed=4)]
    assert model.run(requests, Told()) == [model.run([r], Told())[0] for r in requests]


def test_it_says_that_it_cannot_be_told_what_to_write(loaded: Loader):
    with pytest.raises(Fault) as err:
        loaded("tiny/captioning").run([seen(noise(1), prompt="Write down all text.")], Told())
    assert err.value.code == "invalid_parameter"
    assert "prompt" in err.value.message


def test_more_tokens_than_the_model_has_places_for_are_not_written(loaded: Loader):
    steps = Told()
    loaded("tiny/captioning").run([seen(noise(1), max_new_tokens=500)], steps)
    assert len(steps.done) <= 24


def test_a_cancelled_caption_ends_between_tokens(loaded: Loader):
    steps = Told(until=1)
    with pytest.raises(Cancelled):
        loaded("tiny/captioning").run([seen(noise(1))], steps)
    assert len(steps.done) == 1
