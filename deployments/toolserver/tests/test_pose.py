"""Where people's joints are, in numbers and drawn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from tests import tiny
from tests._looking import noise, plain, run, steps, stops
from toolserver.families import pose
from toolserver.faults import Fault
from toolserver.registry import Model
from toolserver.work import Place

TASK = "keypoint-detection"
MODELS = ["tiny/vitpose", "tiny/vitpose-plus"]


@pytest.mark.parametrize("id", MODELS)
def test_each_person_has_the_points_of_coco_within_the_picture(loaded, id):
    for size in ((90, 60), (50, 120)):
        (people,) = run(loaded(id), TASK, noise(*size))
        assert people
        for person in people:
            assert [point["label"] for point in person["keypoints"]] == list(pose.COCO)
            for point in person["keypoints"]:
                assert 0 <= point["x"] <= size[0] - 1
                assert 0 <= point["y"] <= size[1] - 1
                assert 0 <= point["score"] <= 1
            assert 0 <= person["score"] <= 1
        json.dumps(people)


def test_another_picture_has_others_in_it(loaded):
    one, other = run(loaded("tiny/vitpose"), TASK, noise(seed=1), noise(seed=2))
    assert one != other


def test_a_batch_has_the_people_of_each_alone(loaded):
    images = [noise(seed=1), noise(seed=2)]
    together = run(loaded("tiny/vitpose"), TASK, *images)
    assert [len(people) for people in together] == [len(run(loaded("tiny/vitpose"), TASK, image)[0]) for image in images]


def test_who_is_less_sure_than_wanted_is_left_out(loaded):
    assert run(loaded("tiny/vitpose"), TASK, noise(), threshold=1.0) == [[]]


def test_only_people_are_looked_at(loaded):
    found = {"scores": torch.tensor([0.9, 0.8]), "labels": torch.tensor([1, 0]), "boxes": torch.tensor([[0.0, 0, 9, 9], [2.0, 3, 12, 23]])}
    assert loaded("tiny/vitpose")._boxes(found, 0.5, (90, 60)) == [(pytest.approx(0.8), [2, 3, 10, 20])]


def test_a_joint_is_where_the_heat_is(loaded, monkeypatch):
    model = loaded("tiny/vitpose")
    monkeypatch.setattr(model, "_boxes", lambda *given: [(0.9, [20.0, 0.0, 48.0, 64.0])])

    def net(pixel_values):
        y, x = torch.meshgrid(torch.arange(16.0), torch.arange(12.0), indexing="ij")
        heat = torch.exp(-((x - 9) ** 2 + (y - 4) ** 2) / 4)
        return type("Out", (), {"heatmaps": heat.repeat(1, 17, 1, 1)})()

    monkeypatch.setattr(model, "net", net)
    ((person,),) = run(model, TASK, noise(100, 64))
    # ViTPose looks at a quarter more than the box, whose middle is at 44, 32
    assert person["keypoints"][0]["x"] == pytest.approx(44 + 1.25 * 48 * (9 / 11 - 0.5), abs=3)
    assert person["keypoints"][0]["y"] == pytest.approx(32 + 1.25 * 64 * (4 / 15 - 0.5), abs=3)


def test_people_are_drawn_as_openpose_draws_them(loaded):
    point = {"score": 0.9}
    person = {
        "keypoints": [
            {"label": "left_shoulder", "x": 120, "y": 100} | point,
            {"label": "right_shoulder", "x": 80, "y": 100} | point,
            {"label": "nose", "x": 100, "y": 40} | point,
            {"label": "left_hip", "x": 10, "y": 190, "score": 0.1},
        ]
    }
    drawn = np.asarray(pose.draw((200, 200), [person]))
    assert tuple(drawn[40, 100]) == (255, 0, 0)  # the nose
    assert tuple(drawn[100, 100]) == (255, 85, 0)  # the neck, between the shoulders
    assert tuple(drawn[100, 90]) == (153, 0, 0)  # a limb, at 60 percent
    assert not drawn[180:].any()  # an unsure joint
    colours = [(255, 0, 0), (255, 85, 0), (255, 170, 0), (255, 255, 0), (170, 255, 0), (85, 255, 0), (0, 255, 0)]
    assert [pose._colour(i) for i in range(7)] == colours
    assert pose._colour(17) == (255, 0, 85)


@pytest.mark.parametrize("id", MODELS)
def test_a_map_of_poses_has_the_size_of_the_picture(loaded, id):
    (made,) = run(loaded(id), "image-to-image+control", noise(70, 90), control_mode="pose")
    assert made.size == (70, 90)
    assert made.getextrema() != ((0, 0),) * 3
    (nobody,) = run(loaded(id), "image-to-image+control", noise(70, 90), control_mode="pose")
    assert plain(nobody) == plain(made)


def test_another_map_is_told(loaded):
    with pytest.raises(Fault) as told:
        run(loaded("tiny/vitpose"), "image-to-image+control", noise(), control_mode="hed")
    assert told.value.code == "invalid_parameter"


def test_it_tells_how_far_it_is_and_stops_on_the_way(loaded):
    told = steps(loaded("tiny/vitpose"), TASK, noise())
    assert told == sorted(told)
    assert all(stops(loaded("tiny/vitpose"), TASK, noise(), after) for after in range(len(told)))


def test_without_its_detector_it_is_not_loaded(tiny_folder):
    with pytest.raises(Fault) as told:
        pose.load(Model.model_validate(tiny.entry("tiny/vitpose")), Place(Path(tiny_folder("tiny/vitpose")), "cpu", torch.float32))
    assert told.value.code == "weights_missing"
