"""What a picture shows, by a classifier."""

from __future__ import annotations

import pytest

from tests._looking import noise, run, stops

TASK = "image-classification"
MODELS = ["tiny/vit", "tiny/resnet"]


@pytest.mark.parametrize("id", MODELS)
def test_five_labels_are_told_the_surest_first(loaded, id):
    (told,) = run(loaded(id), TASK, noise())
    assert len(told) == 5
    scores = [one["score"] for one in told]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert all(isinstance(one["label"], str) for one in told)


@pytest.mark.parametrize("id", MODELS)
def test_all_labels_make_one(loaded, id):
    (told,) = run(loaded(id), TASK, noise(), top_k=1000)
    assert len(told) == 7
    assert sum(one["score"] for one in told) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("id", MODELS)
def test_as_many_as_wanted_are_told(loaded, id):
    assert [len(told) for told in run(loaded(id), TASK, noise(), noise(seed=1), top_k=2)] == [2, 2]


def test_scores_are_what_was_asked_for(loaded):
    shares = {
        apply: run(loaded("tiny/vit"), TASK, noise(), top_k=7, function_to_apply=apply)[0] for apply in ("softmax", "sigmoid", "none")
    }
    assert [one["label"] for one in shares["softmax"]] == [one["label"] for one in shares["none"]]
    assert sum(one["score"] for one in shares["sigmoid"]) != pytest.approx(1, abs=1e-3)
    assert min(one["score"] for one in shares["none"]) < 0


def test_pictures_of_all_sizes_are_one_batch_and_do_not_change_each_other(loaded):
    for id in MODELS:
        model, images = loaded(id), [noise(seed=1), noise(40, 200, seed=2)]
        for told, image in zip(run(model, TASK, *images), images, strict=True):
            (alone,) = run(model, TASK, image)
            assert [one["label"] for one in told] == [one["label"] for one in alone]
            assert [one["score"] for one in told] == pytest.approx([one["score"] for one in alone], abs=1e-4)


def test_another_picture_shows_something_else(loaded):
    one, other = run(loaded("tiny/vit"), TASK, noise(seed=1), noise(seed=2))
    assert one != other


def test_it_stops_when_nobody_waits(loaded):
    assert all(stops(loaded("tiny/vit"), TASK, noise(), after) for after in range(2))
