"""Soft outlines and sketches of pictures, and the way from a pickle to safetensors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw
from safetensors.torch import load_file

from tests import tiny
from tests._looking import noise, plain, run, stops
from toolserver import convert
from toolserver.families import annotating
from toolserver.faults import Fault
from toolserver.registry import Model
from toolserver.work import Place, Request

TASK = "image-to-image+control"
MODELS = ["tiny/teed", "tiny/hed"]


@pytest.mark.parametrize("id", MODELS)
@pytest.mark.parametrize("mode", annotating.MODES)
def test_a_map_has_the_size_of_the_picture(loaded, id, mode):
    for size in ((90, 60), (40, 150)):
        (made,) = run(loaded(id), TASK, noise(*size), control_mode=mode)
        assert made.size == size
        assert made.mode == "L"


@pytest.mark.parametrize("id", MODELS)
def test_another_picture_has_another_map(loaded, id):
    one, other = run(loaded(id), TASK, noise(seed=1), noise(seed=2), control_mode="hed")
    assert plain(one) != plain(other)
    assert plain(one) == plain(run(loaded(id), TASK, noise(seed=1), control_mode="hed")[0])


def test_teed_has_as_many_weights_as_its_paper_says():
    assert 58_000 <= sum(p.numel() for p in annotating.build("teed").parameters()) <= 59_000


def test_hed_has_the_weights_of_vgg_and_a_map_of_each_scale():
    net = annotating.build("hed")
    vgg = [(3, 64), (64, 64), (64, 128), (128, 128), (128, 256)] + [(256, 256)] * 2 + [(256, 512)] + [(512, 512)] * 5
    wanted = sum(9 * a * b + b for a, b in vgg) + sum(c + 1 for c in (64, 128, 256, 512, 512)) + 3
    assert sum(p.numel() for p in net.parameters()) == wanted
    with torch.inference_mode():
        assert [one.shape[-1] for one in net(torch.zeros(1, 3, 32, 32))] == [32, 16, 8, 4, 2]


def test_a_sketch_is_white_lines_along_what_is_outlined():
    edges = Image.new("L", (200, 200))
    ImageDraw.Draw(edges).rectangle((50, 50, 150, 150), outline=255, width=12)
    sketch = np.asarray(annotating.scribble(edges))
    assert set(np.unique(sketch)) == {0, 255}
    assert sketch[50:60, 100].max() == 255
    assert sketch[100, 100] == 0
    assert sketch[10, 10] == 0
    assert not np.asarray(annotating.scribble(Image.new("L", (50, 50)))).any()


def test_a_map_that_it_does_not_make_is_told(loaded):
    with pytest.raises(Fault) as told:
        run(loaded("tiny/teed"), TASK, noise(), control_mode="depth")
    assert told.value.code == "invalid_parameter"


def test_it_stops_when_nobody_waits(loaded):
    assert all(stops(loaded("tiny/teed"), TASK, noise(), after, control_mode="hed") for after in range(3))


def test_pictures_of_one_shape_are_a_batch(loaded):
    model = loaded("tiny/teed")
    assert model.key(Request(TASK, noise(100, 50))) == model.key(Request(TASK, noise(200, 100)))
    assert model.key(Request(TASK, noise(100, 50))) != model.key(Request(TASK, noise(50, 100)))


def load(folder, network="teed", width=4):
    entry = tiny.entry("tiny/teed") | {"options": {"network": network, "width": width, "file": "model.safetensors"}}
    return annotating.load(Model.model_validate(entry), Place(folder, "cpu", torch.float32))


@pytest.mark.parametrize(("network", "width"), [("hed", 4), ("other", 4)])
def test_weights_of_another_network_are_told(tiny_folder, network, width):
    with pytest.raises(Fault) as told:
        load(tiny_folder("tiny/teed"), network, width)
    assert told.value.code == "weights_mismatch"


def test_weights_that_are_not_there_or_broken_off_are_told(tiny_folder, tmp_path):
    with pytest.raises(Fault) as told:
        load(tmp_path)
    assert told.value.code == "weights_missing"
    (tmp_path / "model.safetensors").write_bytes((tiny_folder("tiny/teed") / "model.safetensors").read_bytes()[:1000])
    with pytest.raises(Fault) as told:
        load(tmp_path)
    assert told.value.code == "weights_damaged"


def test_a_pickle_of_weights_becomes_safetensors(tmp_path):
    weights = annotating.build("teed").state_dict()
    torch.save(weights, tmp_path / "teed.pth")
    assert convert.main(["teed", str(tmp_path / "teed.pth"), str(tmp_path / "new" / "model.safetensors")]) == 0
    made = load_file(tmp_path / "new" / "model.safetensors")
    assert made.keys() == weights.keys()
    assert all(torch.equal(made[name], weights[name]) for name in weights)
    assert load(tmp_path / "new")


class Bomb:
    def __reduce__(self):
        return print, ("run",)


def test_a_pickle_that_runs_code_is_refused(tmp_path, capsys):
    (tmp_path / "bad.pth").write_bytes(pickle.dumps(Bomb()))
    assert convert.main(["teed", str(tmp_path / "bad.pth"), str(tmp_path / "out.safetensors")]) == 1
    told = capsys.readouterr()
    assert "run" not in told.out
    assert "not read" in told.err
    assert not (tmp_path / "out.safetensors").exists()


def test_a_pickle_of_other_weights_or_none_is_told(tmp_path, capsys):
    torch.save({"x": torch.zeros(1)}, tmp_path / "x.pth")
    for source in ("x.pth", "none.pth"):
        assert convert.main(["hed", str(tmp_path / source), str(tmp_path / "out.safetensors")]) == 1
    assert not (tmp_path / "out.safetensors").exists()
    assert "does not have the weights" in capsys.readouterr().err
