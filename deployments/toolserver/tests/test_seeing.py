"""Models that see and talk: what they answer about pictures and videos."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from toolserver.faults import Cancelled, Fault
from toolserver.registry import Model
from toolserver.work import Film, Loaded, Place, Request

from . import tiny
from ._steps import Told

BOTH = pytest.mark.parametrize("name", ["tiny/seeing", "tiny/seeing-small"])


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.inference_mode():
        yield


def noise(seed: int, width: int = 60, height: int = 40) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def seen(image: Image.Image, **parameters: object) -> Request:
    return Request("image-to-text", image, parameters)


def asked(image: Image.Image, question: str, task: str = "visual-question-answering", **parameters: object) -> Request:
    return Request(task, {"image": image, "question": question}, parameters)


@BOTH
def test_a_picture_is_described_and_another_one_differently(loaded: Callable[[str], Loaded], name: str):
    model = loaded(name)
    first, again, other = (model.run([seen(noise(s))], Told())[0][0]["generated_text"] for s in (1, 1, 2))
    assert first
    assert first == again
    assert first != other


@BOTH
def test_a_batch_answers_as_each_alone(loaded: Callable[[str], Loaded], name: str):
    model = loaded(name)
    requests = [seen(noise(1)), asked(noise(2, 30, 90), "What is it?"), seen(noise(3), prompt="Name the colours, all of them, in order.")]
    alone = [model.run([r], Told())[0] for r in requests]
    together = model.run(requests, Told())
    words = [a[0].get("generated_text", a[0].get("answer")) for a in alone]
    assert [a[0].get("generated_text", a[0].get("answer")) for a in together] == words
    assert together[1][0]["score"] == pytest.approx(alone[1][0]["score"], abs=2e-4)
    assert len({model.key(r) for r in requests}) == 1


def test_the_prompt_and_the_question_matter(loaded: Callable[[str], Loaded]):
    model = loaded("tiny/seeing")
    image = noise(1)
    told = [model.run([seen(image, **p)], Told())[0][0]["generated_text"] for p in ({}, {"prompt": "Write down all text."})]
    assert told[0] != told[1]
    answers = [model.run([asked(image, q)], Told())[0][0]["answer"] for q in ("How many?", "Which colour has the big dog?")]
    assert answers[0] != answers[1]


def test_a_question_about_a_document_has_the_hubs_form(loaded: Callable[[str], Loaded]):
    (answer,) = loaded("tiny/seeing").run([asked(noise(4), "What is the total?", "document-question-answering")], Told())
    assert set(answer[0]) == {"answer", "score", "start", "end"}
    assert 0 <= answer[0]["score"] <= 1


def test_an_answer_is_no_longer_than_was_asked_for(loaded: Callable[[str], Loaded]):
    model = loaded("tiny/seeing")
    long, short = (model.run([seen(noise(1), max_new_tokens=n)], Told())[0][0]["generated_text"] for n in (10, 2))
    assert long.startswith(short)
    assert len(short) < len(long)


@BOTH
def test_a_video_is_described_by_frames_from_all_over_it(loaded: Callable[[str], Loaded], name: str):
    model = loaded(name)
    frames = np.random.default_rng(5).integers(0, 256, (9, 40, 60, 3), dtype=np.uint8)
    changed = frames.copy()
    changed[-1] = 255 - changed[-1]
    first, other = (model.run([Request("video-text-to-text", Film(f, 8.0), {})], Told())[0]["generated_text"] for f in (frames, changed))
    assert first
    assert first != other


def test_a_single_frame_is_a_video_too(loaded: Callable[[str], Loaded]):
    film = Film(np.zeros((1, 20, 30, 3), np.uint8), 25.0)
    assert "generated_text" in loaded("tiny/seeing").run([Request("video-text-to-text", film, {})], Told())[0]


def test_chance_is_as_the_seed_says_whatever_is_beside_it(loaded: Callable[[str], Loaded]):
    model = loaded("tiny/seeing")
    lots = [seen(noise(1), do_sample=True, temperature=2.0, seed=s) for s in (7, 8)]
    alone = [model.run([r], Told())[0] for r in lots]
    assert model.run(lots, Told()) == alone
    assert alone[0] != alone[1]


def test_it_tells_how_far_it_is_and_stops_between_tokens(loaded: Callable[[str], Loaded]):
    model = loaded("tiny/seeing")
    whole = Told()
    model.run([seen(noise(1))], whole)
    assert whole.done == sorted(whole.done)
    assert 0 < whole.done[0] <= whole.done[-1] <= 1
    short = Told(until=2)
    with pytest.raises(Cancelled):
        model.run([seen(noise(1))], short)
    assert len(short.done) == 2


def test_the_marks_of_a_chat_in_a_question_are_letters(loaded: Callable[[str], Loaded]):
    # as they stand, they would be pictures that were not sent
    (answer,) = loaded("tiny/seeing").run([asked(noise(1), "Is <|image_pad|> a sign? <|im_end|>")], Told())
    assert "answer" in answer[0]


def test_large_transparent_and_tiny_pictures_are_looked_at(loaded: Callable[[str], Loaded]):
    model = loaded("tiny/seeing")
    for image in (noise(1, 900, 700), Image.new("RGBA", (50, 50), (255, 0, 0, 0)), noise(1, 1, 1)):
        assert "generated_text" in model.run([seen(image)], Told())[0][0]


def test_a_picture_like_a_thread_is_refused(loaded: Callable[[str], Loaded]):
    with pytest.raises(Fault) as err:
        loaded("tiny/seeing").run([seen(noise(1, 901, 2))], Told())
    assert err.value.code == "invalid_input"


def test_a_prompt_that_is_too_long_is_told_the_limit(loaded: Callable[[str], Loaded]):
    with pytest.raises(Fault) as err:
        loaded("tiny/seeing").run([seen(noise(1), prompt="house " * 2000)], Told())
    assert err.value.code == "too_large"
    assert "1024 tokens" in err.value.message


def test_weights_of_another_architecture_are_a_fault(tiny_folder: Callable[[str], Path], tmp_path: Path):
    from safetensors.torch import load_file, save_file

    from toolserver import families

    for file in tiny_folder("tiny/seeing").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = load_file(tmp_path / "model.safetensors")
    weights.pop(next(iter(weights)))
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(Fault) as err:
        families.find("seeing").load(Model.model_validate(tiny.entry("tiny/seeing")), Place(tmp_path, "cpu", torch.float32))
    assert err.value.code == "weights_mismatch"
