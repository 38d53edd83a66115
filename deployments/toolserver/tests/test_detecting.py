"""What who sends a picture to a detector gets back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from tests import tiny
from toolserver import families
from toolserver.faults import Cancelled, Fault
from toolserver.registry import Model
from toolserver.work import Place, Request

MODELS = [entry["id"] for entry in tiny._module("detecting").ENTRIES]


def noise(width: int = 90, height: int = 60, seed: int = 0) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8))


def run(model, *images, **parameters):
    with torch.inference_mode():
        return model.run([Request("object-detection", image, parameters) for image in images], lambda done: None)


@pytest.mark.parametrize("id", MODELS)
def test_boxes_lie_in_the_picture_that_was_sent(loaded, id):
    for size in ((90, 60), (33, 140)):
        (found,) = run(loaded(id), noise(*size), threshold=0.0)
        assert found
        for one in found:
            box = one["box"]
            assert 0 <= box["xmin"] < box["xmax"] <= size[0]
            assert 0 <= box["ymin"] < box["ymax"] <= size[1]
            assert one["label"] in ("person", "cat", "bus")
            assert 0 <= one["score"] <= 1
        assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)
        json.dumps(found)


@pytest.mark.parametrize("id", MODELS)
def test_a_batch_finds_what_each_picture_alone_has(loaded, id):
    model, images = loaded(id), [noise(seed=seed) for seed in range(3)]
    assert run(model, *images, threshold=0.0) == [run(model, image, threshold=0.0)[0] for image in images]


@pytest.mark.parametrize("id", MODELS)
def test_another_picture_has_other_things_in_it(loaded, id):
    one, other = run(loaded(id), noise(seed=1), noise(seed=2))
    assert one != other


@pytest.mark.parametrize("id", MODELS)
def test_the_threshold_leaves_out_what_is_less_sure(loaded, id):
    model = loaded(id)
    (everything,) = run(model, noise(), threshold=0.0)
    middle = everything[len(everything) // 2]["score"]
    (sure,) = run(model, noise(), threshold=middle)
    assert 0 < len(sure) < len(everything)
    assert all(one["score"] >= middle - 1e-4 for one in sure)
    assert run(model, noise(), threshold=1.0) == [[]]


def test_each_of_a_batch_has_its_own_threshold(loaded):
    model = loaded("tiny/rf-detr")
    requests = [Request("object-detection", noise(), {"threshold": share}) for share in (0.0, 1.0)]
    with torch.inference_mode():
        low, high = model.run(requests, lambda done: None)
    assert low
    assert high == []


def test_pictures_of_several_shapes_share_a_batch_only_where_nothing_changes_by_it(loaded):
    flat, tall = (Request("object-detection", noise(*size)) for size in ((90, 60), (60, 90)))
    fixed, shaped = loaded("tiny/rf-detr"), loaded("tiny/detr")
    assert fixed.key(flat) == fixed.key(tall)
    assert shaped.key(flat) != shaped.key(tall)


def test_transparent_and_grey_pictures_are_looked_at_too(loaded):
    for mode in ("RGBA", "L", "P", "LA"):
        assert run(loaded("tiny/rf-detr"), noise().convert(mode))[0]


def test_it_stops_when_nobody_waits(loaded):
    def step(done: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        loaded("tiny/rf-detr").run([Request("object-detection", noise())], step)


def load(folder: Path, dtype: torch.dtype = torch.float32):
    return families.find("detecting").load(Model.model_validate(tiny.entry("tiny/rf-detr")), Place(folder, "cpu", dtype))


@pytest.mark.parametrize("id", MODELS)
def test_it_works_in_half_precision(tiny_folder, id):
    (found,) = run(load(tiny_folder(id), torch.bfloat16), noise(), threshold=0.0)
    assert found


def spoilt(folder: Path, to: Path, **changes) -> Path:
    shutil.copytree(folder, to)
    config = json.loads((to / "config.json").read_text())
    (to / "config.json").write_text(json.dumps(config | changes))
    return to


def test_weights_of_another_size_are_told(tiny_folder, tmp_path):
    with pytest.raises(Fault) as told:
        load(spoilt(tiny_folder("tiny/rf-detr"), tmp_path / "x", num_queries=7))
    assert told.value.code == "weights_mismatch"


def test_weights_that_lack_a_part_are_never_filled_up(tiny_folder, tmp_path):
    with pytest.raises(Fault) as told:
        load(spoilt(tiny_folder("tiny/rf-detr"), tmp_path / "x", decoder_layers=2))
    assert told.value.code == "weights_mismatch"


def test_what_is_no_detector_is_not_loaded(tiny_folder, tmp_path):
    with pytest.raises(Fault) as told:
        load(spoilt(tiny_folder("tiny/rf-detr"), tmp_path / "x", architectures=["BertModel"]))
    assert told.value.code == "weights_mismatch"


def test_truncated_weights_are_told(tiny_folder, tmp_path):
    folder = spoilt(tiny_folder("tiny/rf-detr"), tmp_path / "x")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(Fault) as told:
        load(folder)
    assert told.value.code == "weights_damaged"


def test_pickled_weights_are_never_read(tiny_folder, tmp_path):
    folder = spoilt(tiny_folder("tiny/rf-detr"), tmp_path / "x")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(Fault) as told:
        load(folder)
    assert told.value.code == "weights_missing"
