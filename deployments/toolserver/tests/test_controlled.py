"""Pictures drawn after a map."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image, ImageOps

from toolserver.families import controlled
from toolserver.faults import Cancelled, Fault
from toolserver.registry import Model
from toolserver.tasks import MODES
from toolserver.work import Place, Request

from . import tiny

UNION, NORMAL, QWEN = "tiny/controlnet-union", "tiny/controlnet-normal", "tiny/controlnet-qwen"


def drawn_map(box=(10, 10, 40, 30), size=(96, 48)):
    made = Image.new("RGB", size, "black")
    made.paste((255, 255, 255), box)
    return made


def ask(mode="depth", map_=None, **parameters):
    return Request(
        "text-to-image+control", "a red house", {"seed": 1, "control_image": map_ or drawn_map(), "control_mode": mode} | parameters
    )


@torch.inference_mode()
def made(model, *requests, step=lambda done, preview=None: None):
    return model.run(list(requests), step)


def far(a, b):
    return np.abs(np.asarray(a, dtype=int) - np.asarray(b, dtype=int)).max()


@pytest.mark.parametrize(("name", "mode"), [(UNION, "depth"), (NORMAL, "normal"), (QWEN, "depth")])
def test_the_map_matters(loaded, name, mode):
    model = loaded(name)
    first = made(model, ask(mode))[0]
    assert far(first, made(model, ask(mode))[0]) == 0
    assert far(first, made(model, ask(mode, drawn_map((50, 5, 90, 45))))[0]) > 0
    assert far(first, made(model, ask(mode, controlnet_conditioning_scale=0.0))[0]) > 0


def test_a_union_follows_each_kind_of_map_in_its_own_way(loaded):
    pictures = {mode: made(loaded(UNION), ask(mode))[0] for mode in MODES}
    kinds = {number: [m for m in MODES if controlled.UNION[m] == number] for number in controlled.UNION.values()}
    for mode, picture in pictures.items():
        for other in MODES:
            alike = any(mode in k and other in k for k in kinds.values())
            assert (far(picture, pictures[other]) == 0) == alike, (mode, other)


def test_the_picture_has_the_shape_of_the_map(loaded):
    wide = made(loaded(UNION), ask())[0]
    assert wide.width == pytest.approx(2 * wide.height, rel=0.1)
    assert made(loaded(UNION), ask(width=70, height=61))[0].size == (70, 61)
    assert made(loaded(UNION), ask(width=100))[0].size == (100, 50)


def test_dark_lines_on_light_are_turned_round(loaded):
    light = ImageOps.invert(drawn_map())
    assert far(made(loaded(UNION), ask("scribble"))[0], made(loaded(UNION), ask("scribble", light))[0]) == 0
    assert far(made(loaded(UNION), ask("depth"))[0], made(loaded(UNION), ask("depth", light))[0]) > 0


def test_a_map_that_the_model_does_not_follow_is_refused(loaded):
    with pytest.raises(Fault) as told:
        made(loaded(NORMAL), ask("pose"))
    assert told.value.code == "invalid_parameter"


@pytest.mark.parametrize(("name", "mode"), [(UNION, "edge"), (NORMAL, "normal"), (QWEN, "depth")])
def test_together_is_as_alone(loaded, name, mode):
    model = loaded(name)
    asked = [ask(mode), ask(mode, drawn_map((50, 5, 90, 45)), seed=2)]
    assert model.key(asked[0]) == model.key(asked[1]) is not None
    for alone, together in zip([made(model, r)[0] for r in asked], made(model, *asked), strict=True):
        assert far(alone, together) <= 2


def test_different_maps_are_not_drawn_together(loaded):
    assert len({loaded(UNION).key(ask(mode)) for mode in ("edge", "depth", "pose")}) == 3
    assert loaded(UNION).key(ask(controlnet_conditioning_scale=0.5)) != loaded(UNION).key(ask())


def test_it_stops_between_steps(loaded):
    def leave(done, preview=None):
        if done > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        made(loaded(UNION), ask(num_inference_steps=5), step=leave)


def load(name, folder, **companions):
    return controlled.load(Model.model_validate(tiny.entry(name)), Place(folder, "cpu", torch.float32, companions))


@pytest.mark.parametrize(
    ("name", "folder", "base"),
    [(NORMAL, NORMAL, None), (UNION, UNION, "tiny/sd"), (NORMAL, "tiny/sdxl", "tiny/sdxl")],
    ids=["nothing to steer", "for another model", "no control network"],
)
def test_a_network_and_a_model_that_do_not_go_together_are_a_fault(tiny_folder, name, folder, base):
    with pytest.raises(Fault) as told:
        load(name, tiny_folder(folder), **({"base": tiny_folder(base)} if base else {}))
    assert told.value.code == "weights_mismatch"


def test_a_network_of_the_wrong_width_is_a_fault(tiny_folder):
    """A network for Stable Diffusion 1.5 that shall steer an SDXL: both classes go together, their
    widths do not."""
    with pytest.raises(Fault) as told:
        load(NORMAL, tiny_folder(NORMAL), base=tiny_folder("tiny/sdxl"))
    assert told.value.code == "weights_mismatch"


def test_an_autoencoder_of_another_model_is_a_fault(tiny_folder):
    with pytest.raises(Fault) as told:
        load(UNION, tiny_folder(UNION), base=tiny_folder("tiny/sdxl"), vae=tiny_folder("tiny/z-image") / "vae")
    assert told.value.code == "weights_mismatch"
