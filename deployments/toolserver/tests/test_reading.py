"""TrOCR: the lines of a page."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw

from toolserver.families.reading import lines
from toolserver.faults import Cancelled
from toolserver.work import Loaded, Request

from ._steps import Told

Loader = Callable[[str], Loaded]


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.inference_mode():
        yield


def noise(seed: int, width: int = 60, height: int = 40) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def page(*words: str, dark: bool = False) -> Image.Image:
    ground, ink = ("black", "white") if dark else ("white", "black")
    image = Image.new("RGB", (200, 30 * len(words) + 10), ground)
    draw = ImageDraw.Draw(image)
    for i, word in enumerate(words):
        draw.text((10, 10 + 30 * i), word, fill=ink, font_size=16)
    return image


def seen(image: Image.Image, **parameters: object) -> Request:
    return Request("image-to-text", image, parameters)


@pytest.mark.parametrize("dark", [False, True])
def test_a_page_is_cut_into_its_lines(dark: bool):
    found = lines(page("The cat", "is hiding", "in Berlin", dark=dark))
    assert len(found) == 3
    assert all(line.width == 200 and 10 < line.height < 30 for line in found)


def test_a_single_line_and_an_empty_page_stay_whole():
    for image in (page("hello there"), page(""), noise(1)):
        assert [line.size for line in lines(image)] == [image.size]


def test_a_page_has_a_line_of_text_for_each_of_its_lines(loaded: Loader):
    (answer,) = loaded("tiny/reading").run([seen(page("The cat", "sits", "here"))], Told())
    assert set(answer[0]) == {"generated_text"}
    assert len(answer[0]["generated_text"].split("\n")) >= 3


def test_what_is_read_hangs_on_the_picture_and_not_on_the_prompt(loaded: Loader):
    model = loaded("tiny/reading")
    first, told, *others = model.run([seen(noise(1)), seen(noise(1), prompt="Write down all."), seen(noise(2)), seen(page("x"))], Told())
    assert first == told
    assert any(first != other for other in others)


def test_a_batch_answers_as_each_alone(loaded: Loader):
    model = loaded("tiny/reading")
    requests = [seen(page("The cat", "sits")), seen(noise(1), max_new_tokens=2), seen(page(*"abcdefghijklmnopqrs"))]
    assert model.run(requests, Told()) == [model.run([r], Told())[0] for r in requests]


def test_a_cancelled_page_ends_between_tokens(loaded: Loader):
    steps = Told(until=2)
    with pytest.raises(Cancelled):
        loaded("tiny/reading").run([seen(noise(1))], steps)
    assert len(steps.done) == 2
