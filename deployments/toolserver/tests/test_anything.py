"""What points, boxes, rough masks, and none of them, have outlined."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw

from tests._looking import covers, noise, plain, run, steps, stops
from toolserver.families import anything
from toolserver.faults import Fault
from toolserver.work import Request

TASK = "mask-generation"
MODELS = ["tiny/sam2", "tiny/sam"]


def rough(size=(90, 60), box=(10, 10, 40, 30)) -> Image.Image:
    mask = Image.new("L", size)
    ImageDraw.Draw(mask).rectangle(box, fill=255)
    return mask


@pytest.mark.parametrize("id", MODELS)
@pytest.mark.parametrize("size", [(90, 60), (33, 140)])
def test_masks_have_the_size_of_the_picture(loaded, id, size):
    for hint in ({}, {"points": [(5, 6)]}, {"boxes": [(1, 2, 20, 30)]}, {"mask_image": rough(size)}):
        (found,) = run(loaded(id), TASK, noise(*size), **hint)
        assert found
        for one in found:
            assert one["mask"].size == size
            assert one["mask"].mode == "L"
            assert 0 <= one["score"] <= 1
            assert set(np.unique(np.asarray(one["mask"]))) <= {0, 255}


def decoded(monkeypatch, model, *images, **hint):
    """What the network is asked, which of random weights says more than what it answers."""
    asked = []
    forward = model.net.forward

    def spy(*given, **named):
        asked.append(
            {name: value for name, value in named.items() if name.startswith("input_")} | {"multiple": named.get("multimask_output")}
        )
        return forward(*given, **named)

    monkeypatch.setattr(model.net, "forward", spy)
    run(model, TASK, *images, **hint)
    return asked


@pytest.mark.parametrize("id", MODELS)
def test_points_arrive_where_they_are_in_the_picture(loaded, monkeypatch, id):
    (asked,) = decoded(monkeypatch, loaded(id), noise(128, 64), points=[(64, 32), (0, 0)], labels=[1, 0])
    # SAM 2 sees a square; SAM keeps the shape and pads
    middle = [32, 32] if id == "tiny/sam2" else [32, 16]
    assert asked["input_points"].tolist() == [[[middle, [0, 0]]]]
    assert asked["input_labels"].tolist() == [[[1, 0]]]
    assert asked["multiple"] is False


def test_of_one_point_the_surest_of_three_masks_is_taken(loaded, monkeypatch):
    (asked,) = decoded(monkeypatch, loaded("tiny/sam2"), noise(), points=[(64, 32)])
    assert asked["multiple"] is True
    assert len(run(loaded("tiny/sam2"), TASK, noise(), points=[(64, 32)])[0]) == 1


def test_each_box_has_a_mask_with_the_points_in_it(loaded, monkeypatch):
    asked = decoded(
        monkeypatch, loaded("tiny/sam2"), noise(64, 64), boxes=[(0, 0, 20, 20), (30, 30, 60, 60)], points=[(40, 41)], labels=[0]
    )
    assert [one["input_boxes"].tolist() for one in asked] == [[[[0, 0, 20, 20]]], [[[30, 30, 60, 60]]]]
    assert "input_points" not in asked[0]
    assert asked[1]["input_points"].tolist() == [[[[40, 41]]]]
    assert asked[1]["input_labels"].tolist() == [[[0]]]


@pytest.mark.parametrize("id", MODELS)
def test_a_rough_mask_is_handed_on_with_its_box_and_a_place_inside(loaded, monkeypatch, id):
    (asked,) = decoded(monkeypatch, loaded(id), noise(64, 64), mask_image=rough((64, 64), (8, 16, 39, 47)))
    assert asked["input_boxes"].tolist() == [[[8, 16, 40, 48]]]
    ((((x, y),),),) = asked["input_points"].tolist()
    assert 20 <= x <= 27
    assert 28 <= y <= 35
    low = asked["input_masks"][0, 0]
    assert low[8, 6] > 4  # inside, at a quarter of the side
    assert low[1, 1] < -4


def test_a_mask_of_all_is_no_trouble(loaded):
    (found,) = run(loaded("tiny/sam2"), TASK, noise(), mask_image=Image.new("L", (90, 60), 255))
    assert len(found) == 1


def test_another_hint_means_another_thing(loaded):
    model = loaded("tiny/sam2")
    told = [
        plain(run(model, TASK, noise(), **hint)) for hint in ({"points": [(5, 6)]}, {"points": [(80, 50)]}, {"boxes": [(1, 2, 60, 30)]})
    ]
    assert told[0] != told[1]
    assert told[1] != told[2]


def test_a_batch_outlines_what_each_alone_has(loaded):
    model, images = loaded("tiny/sam2"), [noise(seed=1), noise(50, 70, seed=2)]
    together = run(model, TASK, *images, points=[(20, 30)])
    assert [[covers(one["mask"]).mean() for one in found] for found in together] == [
        pytest.approx([covers(one["mask"]).mean() for one in run(model, TASK, image, points=[(20, 30)])[0]], abs=0.002) for image in images
    ]


def test_only_what_is_hinted_at_is_done_in_batches(loaded):
    model = loaded("tiny/sam2")
    assert model.key(Request(TASK, noise())) is None
    assert model.key(Request(TASK, noise(), {"points": [(1, 1)]})) == model.key(Request(TASK, noise(20, 30), {"boxes": [(0, 0, 5, 5)]}))


def test_all_things_are_the_surest_first_and_none_twice(loaded):
    (found,) = run(loaded("tiny/sam2"), TASK, noise())
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)
    boxes = [one["mask"].getbbox() for one in found]
    assert len(set(boxes)) == len(boxes)


class Fake:
    """A network that outlines four squares of which two are the same thing, and one is unsure."""

    def __call__(self, image_embeddings, multimask_output, input_points, input_labels):
        del image_embeddings, multimask_output, input_labels
        count = input_points.shape[1]
        logits = torch.full((1, count, 3, 16, 16), -9.0)
        logits[..., 0, 2:8, 2:8] = 9
        logits[..., 1, 2:8, 2:9] = 9
        logits[..., 2, 10:14, 10:14] = 9
        logits[..., 2, 12:14, 10:14] = 0.5  # gone when it has to be surer
        scores = torch.tensor([0.9, 0.95, 0.99]).repeat(1, count, 1)
        return type("Out", (), {"pred_masks": logits, "iou_scores": scores})


def test_what_is_unsure_or_there_already_is_left_out(loaded, monkeypatch):
    model = loaded("tiny/sam2")
    monkeypatch.setattr(model, "net", Fake())
    monkeypatch.setattr(model, "least_score", 0.8)
    monkeypatch.setattr(model, "least_stability", 0.95)
    seen = anything.Seen(None, (160, 160), (64, 64), 64)
    (only,) = model._everything(seen, lambda done: None)
    assert only["score"] == 0.95
    left, top, right, bottom = only["mask"].getbbox()
    assert (left, top) == (pytest.approx(20, abs=5), pytest.approx(20, abs=5))
    assert (right, bottom) == (pytest.approx(90, abs=5), pytest.approx(80, abs=5))


@pytest.mark.parametrize(
    "hint",
    [{"points": [(90, 5)]}, {"points": [(5, -1)]}, {"boxes": [(95, 5, 99, 9)]}, {"mask_image": Image.new("L", (90, 60))}],
    ids=["beside", "above", "box", "empty"],
)
def test_what_lies_outside_or_covers_nothing_is_told(loaded, hint):
    with pytest.raises(Fault) as told:
        run(loaded("tiny/sam2"), TASK, noise(), **hint)
    assert told.value.code == "invalid_input"


def test_words_mean_nothing_to_it(loaded):
    with pytest.raises(Fault) as told:
        run(loaded("tiny/sam2"), TASK, noise(), prompt="the dog")
    assert told.value.code == "invalid_parameter"
    assert "dog" not in told.value.message


def test_it_tells_how_far_it_is_and_stops_on_the_way(loaded):
    told = steps(loaded("tiny/sam2"), TASK, noise())
    assert told == sorted(told)
    assert told[-1] == 1
    for after in range(len(told)):
        assert stops(loaded("tiny/sam2"), TASK, noise(), after)
