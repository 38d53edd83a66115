"""Pictures from words."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
import torch

from toolserver import families
from toolserver.faults import Cancelled, Fault
from toolserver.registry import Model
from toolserver.work import Place, Request

from . import tiny

ALL = ["tiny/z-image", "tiny/sdxl", "tiny/flux2-klein", "tiny/qwen-image", "tiny/sd"]


def ask(words="a red house", **parameters):
    return Request("text-to-image", words, {"seed": 1} | parameters)


def ignore(done, preview=None):
    pass


@torch.inference_mode()
def drawn(model, *requests, step=ignore):
    return model.run(list(requests), step)


def pixels(picture):
    return np.asarray(picture, dtype=int)


def far(a, b):
    return np.abs(pixels(a) - pixels(b)).max()


@pytest.mark.parametrize("name", ALL)
def test_a_picture_is_drawn_of_words_and_the_seed_alone(loaded, name):
    model = loaded(name)
    first, again = drawn(model, ask())[0], drawn(model, ask())[0]
    side = tiny.entry(name)["options"]["size"]
    assert (first.size, first.mode) == ((side, side), "RGB")
    assert far(first, again) == 0
    assert far(first, drawn(model, ask(seed=2))[0]) > 0
    assert far(first, drawn(model, ask("a blue sea"))[0]) > 0


@pytest.mark.parametrize("name", ALL)
def test_who_is_drawn_for_together_gets_what_they_get_alone(loaded, name):
    model = loaded(name)
    asked = [ask(seed=1), ask("a blue sea, and a boat on it", seed=2)]
    assert model.key(asked[0]) == model.key(asked[1]) is not None
    for alone, together in zip([drawn(model, r)[0] for r in asked], drawn(model, *asked), strict=True):
        assert far(alone, together) <= 2


def test_without_a_seed_each_picture_is_another(loaded):
    model = loaded("tiny/sdxl")
    for seed in ({}, {"seed": -1}):
        one, other = drawn(model, *[Request("text-to-image", "a red house", seed)] * 2)
        assert far(one, other) > 0


def test_drawing_does_not_touch_the_chance_of_others(loaded):
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    drawn(loaded("tiny/sdxl"), ask())
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("wanted", [(80, 72), (65, 99), (256, 128), (1000, 500)])
def test_the_picture_has_the_size_that_was_asked_for(loaded, name, wanted):
    if wanted[0] > 100 and name != "tiny/sdxl":
        wanted = (wanted[0] // 4, wanted[1] // 4)
    (picture,) = drawn(loaded(name), ask(width=wanted[0], height=wanted[1], num_inference_steps=1))
    assert picture.size == wanted


def test_one_side_alone_asks_for_a_square(loaded):
    assert drawn(loaded("tiny/sdxl"), ask(width=72))[0].size == (72, 72)


def test_a_strip_is_refused(loaded):
    with pytest.raises(Fault) as told:
        drawn(loaded("tiny/sdxl"), ask(width=2048, height=64))
    assert told.value.code == "invalid_input"


def test_no_words_are_refused(loaded):
    with pytest.raises(Fault) as told:
        drawn(loaded("tiny/sdxl"), ask("  "))
    assert told.value.code == "invalid_input"


def test_what_is_not_to_be_seen_matters(loaded):
    model = loaded("tiny/sdxl")
    one, other = (drawn(model, ask(negative_prompt=words))[0] for words in ("green", "yellow"))
    assert far(one, other) > 0
    assert model.key(ask(negative_prompt="green")) != model.key(ask())


def test_a_model_that_cannot_avoid_says_so(loaded):
    for name in ("tiny/flux2-klein", "tiny/z-image"):
        with pytest.raises(Fault) as told:
            drawn(loaded(name), ask(negative_prompt="secret words"))
        assert told.value.code == "invalid_parameter"
        assert "secret" not in told.value.message


def test_guidance_and_steps_matter_and_part_batches(loaded):
    model = loaded("tiny/sdxl")
    plain = drawn(model, ask())[0]
    for more in ({"guidance_scale": 9.0}, {"num_inference_steps": 3}):
        assert far(plain, drawn(model, ask(**more))[0]) > 0
        assert model.key(ask(**more)) != model.key(ask())


@pytest.mark.parametrize("name", ALL)
def test_it_tells_how_far_it_is_and_stops_between_steps(loaded, name):
    told = []
    drawn(loaded(name), ask(num_inference_steps=4), step=lambda done, preview=None: told.append(done))
    assert told[0] == 0
    assert told == sorted(told)
    assert len(told) >= 5
    assert told[-1] == 1

    def leave(done, preview=None):
        told.append(done)
        if done > 0.4:
            raise Cancelled

    told.clear()
    with pytest.raises(Cancelled):
        drawn(loaded(name), ask(num_inference_steps=4), step=leave)
    assert max(told) < 1
    assert far(drawn(loaded(name), ask())[0], drawn(loaded(name), ask())[0]) == 0


def test_all_that_takes_memory_is_told(loaded):
    kinds = sorted(type(m).__name__ for m in loaded("tiny/sdxl").modules())
    assert kinds == ["AutoencoderKL", "CLIPTextModel", "CLIPTextModelWithProjection", "UNet2DConditionModel"]


def load(folder, name="tiny/sdxl", **more):
    described = Model.model_validate(tiny.entry(name) | more)
    return families.find(described.family).load(described, Place(folder, "cpu", torch.float32))


@pytest.fixture
def copy(tiny_folder, tmp_path):
    return shutil.copytree(tiny_folder("tiny/sdxl"), tmp_path / "copy", symlinks=False)


def change(path, **more):
    told = json.loads(path.read_text())
    path.write_text(json.dumps(told | more))


def without(path):
    from safetensors.torch import load_file, save_file

    weights = load_file(path)
    weights.pop(sorted(weights)[0])
    save_file(weights, path, {"format": "pt"})


def wider(path):
    from safetensors.torch import load_file, save_file

    weights = load_file(path)
    name = sorted(weights)[0]
    weights[name] = torch.cat([weights[name], weights[name]])
    save_file(weights, path, {"format": "pt"})


UNET, TEXT = "unet/diffusion_pytorch_model.safetensors", "text_encoder/model.safetensors"


@pytest.mark.parametrize("file", [UNET, TEXT])
@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (without, "weights_mismatch"),
        (wider, "weights_mismatch"),
        (lambda p: p.write_bytes(p.read_bytes()[:-100]), "weights_damaged"),
        (lambda p: p.unlink(), "weights_missing"),
    ],
    ids=["missing one", "of another shape", "cut short", "not there"],
)
def test_weights_that_are_not_whole_are_never_made_up(copy, file, spoil, code):
    spoil(copy / file)
    with pytest.raises(Fault) as told:
        load(copy)
    assert told.value.code == code
    assert str(copy) not in told.value.message


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda p: p.unlink(), "weights_missing"),
        (lambda p: p.write_text("{"), "weights_damaged"),
        (lambda p: change(p, _class_name="StableVideoDiffusionPipeline"), "weights_mismatch"),
        (lambda p: change(p, unet=["somewhere", "Else"]), "weights_mismatch"),
        (lambda p: p.write_text("{}"), "weights_mismatch"),
    ],
)
def test_a_description_that_is_not_right_is_a_fault(copy, spoil, code):
    spoil(copy / "model_index.json")
    with pytest.raises(Fault) as told:
        load(copy)
    assert told.value.code == code


def test_a_model_that_cannot_do_the_task_is_refused(tiny_folder):
    with pytest.raises(Fault) as told:
        load(tiny_folder("tiny/sd-inpainting"), "tiny/sd-inpainting", tasks=["text-to-image"])
    assert told.value.code == "weights_mismatch"


def test_a_safety_checker_is_not_loaded(copy):
    """It would hide pictures, which who asked could not tell from a fault."""
    change(copy / "model_index.json", safety_checker=["stable_diffusion", "StableDiffusionSafetyChecker"])
    assert len(load(copy).modules()) == 4


def test_another_autoencoder_takes_the_place_of_its_own(tiny_folder, tmp_path):
    from toolserver.families import drawing

    described = Model.model_validate(tiny.entry("tiny/sdxl"))
    other = tmp_path / "vae"
    shutil.copytree(tiny_folder("tiny/sd") / "vae", other)
    place = Place(tiny_folder("tiny/sdxl"), "cpu", torch.float32, {"vae": other})
    own = drawing.load(described, Place(tiny_folder("tiny/sdxl"), "cpu", torch.float32))
    assert far(drawn(own, ask())[0], drawn(drawing.load(described, place), ask())[0]) > 0


def test_words_that_are_too_long_are_not_logged(loaded, caplog, capfd):
    drawn(loaded("tiny/sdxl"), ask("unmistakable " * 60))
    out, err = capfd.readouterr()
    assert "unmistakable" not in out + err + caplog.text
