"""Where what words name is found."""

from __future__ import annotations

import pytest
import torch

from tests._looking import noise, run, stops
from toolserver.families import _seeing, grounding
from toolserver.faults import Fault
from toolserver.work import Request

TASK = "zero-shot-object-detection"
MODELS = ["tiny/grounding-dino", "tiny/owlv2"]


@pytest.mark.parametrize("id", MODELS)
def test_labels_are_those_that_were_asked_for_and_boxes_lie_in_the_picture(loaded, id):
    wanted = ["A red bus.", "Katze", "dr. who's hat", "ein Haus"]
    for size in ((90, 60), (40, 100)):
        (found,) = run(loaded(id), TASK, noise(*size), candidate_labels=wanted)
        assert found
        for one in found:
            assert one["label"] in wanted
            assert 0 <= one["score"] <= 1
            box = one["box"]
            assert 0 <= box["xmin"] < box["xmax"] <= size[0]
            assert 0 <= box["ymin"] < box["ymax"] <= size[1]
        scores = [one["score"] for one in found]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("id", MODELS)
def test_other_words_are_found_elsewhere(loaded, id):
    one, other = (run(loaded(id), TASK, noise(), candidate_labels=[word])[0] for word in ("cat", "zebra"))
    assert [(f["score"], f["box"]) for f in one] != [(f["score"], f["box"]) for f in other]


def looked_at(model, *images):
    """Boxes and how sure each is, before they are rounded to pixels and put in order: what differs
    by a millionth is the same here."""
    pixels = _seeing.moved(model.processor(images=list(images), return_tensors="pt"), model.place)
    with torch.inference_mode():
        return model.look(pixels, ["cat", "dog"], images)


@pytest.mark.parametrize("id", MODELS)
def test_a_batch_finds_what_each_alone_has(loaded, id):
    images = [noise(seed=1), noise(seed=2)]
    together = run(loaded(id), TASK, *images, candidate_labels=["cat", "dog"])
    boxes, scores = looked_at(loaded(id), *images)
    for i, image in enumerate(images):
        (told,) = run(loaded(id), TASK, image, candidate_labels=["cat", "dog"])
        assert [one["score"] for one in together[i]] == pytest.approx([one["score"] for one in told], abs=1e-3)
        alone = looked_at(loaded(id), image)
        torch.testing.assert_close(boxes[i], alone[0][0], rtol=0, atol=0.01)
        torch.testing.assert_close(scores[i], alone[1][0], rtol=0, atol=1e-3)


@pytest.mark.parametrize("id", MODELS)
def test_the_threshold_leaves_out_what_is_less_sure(loaded, id):
    assert run(loaded(id), TASK, noise(), candidate_labels=["cat"], threshold=1.0) == [[]]


def test_only_those_that_ask_for_the_same_are_a_batch(loaded):
    model = loaded("tiny/owlv2")
    keys = [model.key(Request(TASK, noise(), {"candidate_labels": labels})) for labels in (["cat"], ["cat"], ["dog"])]
    assert keys[0] == keys[1] != keys[2]


def test_many_labels_are_looked_for_in_several_goes(loaded):
    model = loaded("tiny/grounding-dino")
    wanted = [f"thing{i}" for i in range(30)]
    parts = model.parts(wanted)
    assert len(parts) > 1
    assert [label for part in parts for label in part] == wanted
    (found,) = run(model, TASK, noise(), candidate_labels=wanted)
    assert {one["label"] for one in found} <= set(wanted)
    assert len({one["label"] for one in found} & set(parts[-1])) > 0


def test_a_label_is_as_sure_as_its_surest_word(loaded, monkeypatch):
    model = loaded("tiny/grounding-dino")
    seen = {}

    def net(**given):
        seen["text"] = given["input_ids"]
        logits = torch.full((1, 1, 40), -9.0)
        logits[0, 0, 4] = 2.0  # the third letter of what comes second, below
        return type("Out", (), {"logits": logits, "pred_boxes": torch.tensor([[[0.5, 0.5, 0.5, 0.5]]])})

    monkeypatch.setattr(model, "net", net)
    boxes, scores = model.look({}, ["a", "bcd"], [noise(100, 60)])
    # [CLS] a . b ##c ##d . [SEP]
    assert seen["text"].shape == (1, 8)
    assert seen["text"][0, 2] == seen["text"][0, 6] == 1012
    assert boxes[0].tolist() == [[25, 15, 75, 45]]
    assert scores[0, 0, 0] < 0.01
    assert scores[0, 0, 1] == pytest.approx(0.8808, abs=1e-3)


def test_a_long_label_is_cut_and_does_not_break_it(loaded):
    assert run(loaded("tiny/grounding-dino"), TASK, noise(), candidate_labels=["x" * 200])[0]
    assert run(loaded("tiny/owlv2"), TASK, noise(), candidate_labels=["word " * 40])[0]


def test_a_label_without_words_is_told(loaded):
    with pytest.raises(Fault) as told:
        run(loaded("tiny/grounding-dino"), TASK, noise(), candidate_labels=["..."])
    assert told.value.code == "invalid_parameter"


def test_it_stops_when_nobody_waits(loaded):
    assert stops(loaded("tiny/owlv2"), TASK, noise(), 0, candidate_labels=["cat"])
    many = [f"thing{i}" for i in range(30)]
    assert stops(loaded("tiny/grounding-dino"), TASK, noise(), 2, candidate_labels=many)


def test_owls_square_is_the_picture_with_a_margin(loaded, monkeypatch):
    model = loaded("tiny/owlv2")

    def net(**_):
        return type("Out", (), {"logits": torch.zeros(1, 1, 1), "pred_boxes": torch.tensor([[[0.5, 0.25, 1.0, 0.5]]])})

    monkeypatch.setattr(net, "config", model.net.config, raising=False)
    monkeypatch.setattr(model, "net", net)
    boxes, _ = model.look({"pixel_values": None}, ["a"], [noise(100, 50)])
    assert boxes[0].tolist() == [[0, 0, 100, 50]]
    assert isinstance(model, grounding.Owl)
