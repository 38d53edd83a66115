"""What goes wrong in a model has a word and a sentence, and hurts nobody else."""

import asyncio
import logging

import pytest
import torch

from toolserver.faults import Fault
from toolserver.weights import Weights

from .engine_rig import Gate, model, rig

__all__ = ["rig"]


async def test_one_bad_input_does_not_spoil_the_others_of_its_batch(rig):
    r = rig([model("a", batch=8)])
    gate = Gate()
    r.loading = lambda described, place: gate()

    def work(described, inputs, step):
        if "bad" in inputs:
            raise Fault("invalid_input", "This picture has no pixels.")
        if "odd" in inputs:
            raise IndexError
        return inputs

    r.do = work
    asked = [r.start("a", i) for i in ("one", "bad", "two", "odd")]
    await gate.reached()
    gate.open()
    answers = await asyncio.gather(*asked)
    assert [getattr(a, "code", a) for a in answers] == ["one", "invalid_input", "two", "model_failed"]
    assert answers[1].message == "This picture has no pixels."


async def test_what_a_model_fails_of_is_logged_by_its_place_and_without_what_was_sent(rig, caplog):
    r = rig([model("a")])

    def broken_tokenizer(text):
        try:
            {}[text]
        except KeyError as err:
            raise ValueError(f"cannot make sense of {text!r}") from err

    r.do = lambda described, inputs, step: broken_tokenizer(inputs[0])
    with caplog.at_level(logging.DEBUG, "toolserver"):
        fault = await r.ask("a", "my secret wish")
    assert (fault.code, fault.status) == ("model_failed", 500)
    assert "secret" not in caplog.text + fault.message
    assert "ValueError" in caplog.text
    assert "KeyError" in caplog.text
    assert "broken_tokenizer" in caplog.text
    assert "fake/a" in caplog.text


async def test_a_model_that_answers_for_fewer_than_were_asked_has_failed(rig):
    r = rig([model("a")])
    r.do = lambda described, inputs, step: []
    assert (await r.ask("a")).code == "model_failed"


LOST = [
    torch.AcceleratorError("CUDA error: an illegal memory access was encountered"),
    RuntimeError("CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported"),
    RuntimeError("CUDA error: unspecified launch failure"),
    RuntimeError("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"),
    RuntimeError("CUDA driver error: uncorrectable ECC error encountered"),
]


@pytest.mark.parametrize("err", LOST, ids=lambda e: str(e)[:40])
async def test_when_the_device_is_lost_everything_is_told_so(rig, err):
    r = rig([model("a"), model("b")])
    gate = Gate()

    def work(described, inputs, step):
        gate()
        raise err

    r.do = work
    asked = [r.start("a", i) for i in range(3)]
    await gate.reached()
    asked.append(r.start("b"))
    await r.settled()
    assert r.engine.state().fault is None
    gate.open()
    assert {(f.code, f.status) for f in await asyncio.gather(*asked)} == {("device_lost", 503)}
    assert r.engine.state().fault.code == "device_lost"
    assert (await r.ask("a")).code == "device_lost"
    assert len(r.runs) == 1


async def test_a_device_that_is_lost_while_loading_is_lost_and_told_once(rig):
    told = []
    r = rig([model("a")], lost=lambda: told.append(1))

    def loading(described, place):
        raise LOST[0]

    r.loading = loading
    assert (await r.ask("a")).code == "device_lost"
    assert r.engine.state().fault.code == "device_lost"
    assert (await r.ask("a")).code == "device_lost"
    assert told == [1]


async def test_an_error_that_the_device_survives_is_one_of_the_model(rig):
    r = rig([model("a")])
    r.device.healthy = True

    def work(described, inputs, step):
        if inputs == ["bad"]:
            raise torch.AcceleratorError("CUDA error: invalid argument")
        return inputs

    r.do = work
    assert (await r.ask("a", "bad")).code == "model_failed"
    assert await r.ask("a", "good") == "good"
    assert r.engine.state().fault is None


async def test_what_torch_says_of_the_device_is_logged(rig, caplog):
    r = rig([model("a")])

    def work(described, inputs, step):
        raise LOST[0]

    r.do = work
    await r.ask("a")
    assert "illegal memory access" in caplog.text


def mismatched(described, place):
    torch.nn.Linear(2, 2).load_state_dict({"weight": torch.zeros(3, 3)})


@pytest.mark.parametrize(
    ("err", "code"),
    [
        (ValueError("Unrecognized configuration class"), "weights_mismatch"),
        (KeyError("hidden_size"), "weights_mismatch"),
        (OSError("does not appear to have a file named config.json"), "weights_missing"),
        (ImportError("no module"), "model_failed"),
        (Fault("weights_mismatch", "The controlnet is of another base."), "weights_mismatch"),
    ],
    ids=lambda x: str(x)[:20],
)
async def test_a_model_that_cannot_be_loaded_says_why(rig, err, code):
    r = rig([model("a")])

    def loading(described, place):
        raise err

    r.loading = loading
    assert (await r.ask("a")).code == code


async def test_weights_of_another_shape_do_not_fit(rig):
    r = rig([model("a")])
    r.loading = mismatched
    fault = await r.ask("a")
    assert (fault.code, fault.status) == ("weights_mismatch", 503)
    assert "fake/a" in fault.message


async def test_two_models_that_do_not_fit_together_are_told_of(rig):
    companion = {"controlnet": {"id": "fake/net", "licence": "MIT"}}
    r = rig([model("a", companions=companion)])
    seen = []

    def loading(described, place):
        seen.append(sorted(p.name for p in place.companions.values()))
        raise Fault("weights_mismatch", "The controlnet and the model that it is to steer are of different bases.")

    r.loading = loading
    assert (await r.ask("a")).code == "weights_mismatch"
    assert seen == [["net"]]


async def test_a_model_that_could_not_be_loaded_is_not_tried_for_each_request(rig):
    r = rig([model("a"), model("b")])
    broken = True

    def loading(described, place):
        if broken and described.id == "fake/a":
            mismatched(described, place)

    r.loading = loading
    assert [(await r.ask("a")).code for _ in range(3)] == ["weights_mismatch"] * 3
    assert r.loads == ["a"]
    [state] = r.engine.state().models
    assert (state.model, state.state, state.reason.code) == ("fake/a", "unavailable", "weights_mismatch")
    r.now = 59.0
    assert (await r.ask("a")).code == "weights_mismatch"
    assert r.loads == ["a"]
    assert await r.ask("b") == "done x"
    r.now, broken = 61.0, False
    assert await r.ask("a") == "done x"
    assert {m.state for m in r.engine.state().models} == {"loaded"}


async def test_a_hub_that_is_not_there_is_asked_once_a_while_and_nobody_waits_for_it(rig):
    asked = []

    def unreachable(repo_id, **more):
        asked.append(repo_id)
        raise ConnectionError

    r = rig([model("a")], weights=Weights(None, unreachable))
    for now, times in ((0.0, 1), (40.0, 1), (61.0, 2)):
        r.now = now
        fault = await r.ask("a")
        assert (fault.code, fault.retry_after, len(asked)) == ("hub_unreachable", None, times)


async def test_weights_that_are_not_there_or_broken_off_are_told_of(rig, tmp_path):
    r = rig([model("a"), model("b")])
    (tmp_path / "fake/a/model.safetensors").unlink()
    file = tmp_path / "fake/b/model.safetensors"
    file.write_bytes(file.read_bytes()[:-1])
    assert (await r.ask("a")).code == "weights_missing"
    assert (await r.ask("b")).code == "weights_damaged"
    assert r.loads == []
