"""The things of a picture, outlined and named; and what words mean of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests._looking import covers, noise, plain, run, steps, stops
from toolserver.families import segmenting
from toolserver.faults import Fault
from toolserver.work import Request

TASK = "image-segmentation"
MODELS = ["tiny/rf-detr-seg", "tiny/detr-panoptic", "tiny/mask2former"]


@pytest.mark.parametrize("id", MODELS)
def test_masks_have_the_size_of_the_picture_and_lie_beside_each_other(loaded, id):
    for size in ((90, 60), (50, 120)):
        (found,) = run(loaded(id), TASK, noise(*size))
        assert found
        for one in found:
            assert one["mask"].size == size
            assert one["mask"].mode == "L"
            assert covers(one["mask"]).any()
            assert 0 <= one["score"] <= 1
            assert isinstance(one["label"], str)
        assert np.sum([covers(one["mask"]) for one in found], axis=0).max() == 1
        scores = [one["score"] for one in found]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("id", MODELS)
def test_another_picture_is_outlined_otherwise(loaded, id):
    one, other = run(loaded(id), TASK, noise(seed=1), noise(seed=2))
    assert plain(one) != plain(other)


@pytest.mark.parametrize("id", MODELS)
def test_the_threshold_leaves_out_what_is_less_sure(loaded, id):
    assert run(loaded(id), TASK, noise(), threshold=1.0) == [[]]


@pytest.mark.parametrize("id", MODELS)
def test_a_batch_outlines_what_each_alone_has(loaded, id):
    images = [noise(seed=1), noise(seed=2)]
    together = run(loaded(id), TASK, *images)
    for found, image in zip(together, images, strict=True):
        (alone,) = run(loaded(id), TASK, image)
        assert sum(covers(one["mask"]).mean() for one in found) == pytest.approx(sum(covers(one["mask"]).mean() for one in alone), abs=0.05)


def test_other_ways_to_segment_are_there_where_the_model_has_them(loaded):
    for subtask in ("instance", "panoptic", "semantic"):
        assert run(loaded("tiny/detr-panoptic"), TASK, noise(), subtask=subtask, overlap_mask_area_threshold=0.0)[0]
    with pytest.raises(Fault) as told:
        run(loaded("tiny/rf-detr-seg"), TASK, noise(), subtask="panoptic")
    assert told.value.code == "invalid_parameter"


def test_a_mask_grows_when_its_threshold_falls(loaded):
    areas = [
        sum(covers(one["mask"]).sum() for one in run(loaded("tiny/rf-detr-seg"), TASK, noise(), mask_threshold=share)[0])
        for share in (0.05, 0.95)
    ]
    assert areas[0] > areas[1]


def test_only_requests_with_the_same_thresholds_are_a_batch(loaded):
    model = loaded("tiny/rf-detr-seg")
    keys = [model.key(Request(TASK, noise(), given)) for given in ({}, {"prompt": "the main subject"}, {"threshold": 0.1})]
    assert keys[0] == keys[1] != keys[2]


def square(left, top, side, size=100):
    cover = np.zeros((size, size), bool)
    cover[top : top + side, left : left + side] = True
    return cover


DOG, CUP, CAR = ("dog", 0.9, square(30, 30, 40)), ("cup", 0.9, square(0, 0, 12)), ("car", 0.9, square(40, 60, 30))


def test_the_main_thing_is_large_and_in_the_middle():
    assert segmenting.meant([CUP, DOG], "the main subject") == [DOG]


def test_several_main_things_stay():
    assert segmenting.meant([CUP, CAR, DOG], "the main subject") == [CAR, DOG]


@pytest.mark.parametrize("words", ["the cup", "Cups!", "a cup and nothing else"])
def test_what_words_name_is_meant_however_small_it_is(words):
    assert segmenting.meant([CUP, DOG], words) == [CUP]


def test_of_nothing_nothing_is_meant():
    assert segmenting.meant([], "the main subject") == []


def test_a_prompt_leaves_what_it_means_and_has_it_outlined_anew(loaded):
    model = loaded("tiny/rf-detr-seg")
    (everything,) = run(model, TASK, noise())
    (main,) = run(model, TASK, noise(), prompt="the main subject")
    assert 0 < len(main) <= len(everything)
    assert plain(main[0]["mask"]) not in [plain(one["mask"]) for one in everything]
    assert model.outlines.net in model.modules()


def test_without_a_companion_the_outlines_stay(loaded):
    model = loaded("tiny/mask2former")
    (everything,), (main,) = run(model, TASK, noise()), run(model, TASK, noise(), prompt="the main subject")
    assert all(plain(one["mask"]) in [plain(other["mask"]) for other in everything] for one in main)


def test_it_tells_how_far_it_is_and_stops_on_the_way(loaded):
    told = steps(loaded("tiny/rf-detr-seg"), TASK, noise())
    assert told == sorted(told)
    assert all(stops(loaded("tiny/rf-detr-seg"), TASK, noise(), after) for after in range(len(told)))
