"""A recording becomes its voices, or is rid of its noise."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
import torch

from tests import tiny
from toolserver import convert_published, families
from toolserver.families._sepformer import Shape, _chunks, _joined
from toolserver.families.cleaning import _alike
from toolserver.faults import Cancelled, Fault
from toolserver.registry import Model
from toolserver.work import Place, Request, Sound


def noise(seconds: float, rate: int = 1000, seed: int = 0) -> Sound:
    return Sound(np.random.default_rng(seed).uniform(-0.5, 0.5, int(seconds * rate)).astype(np.float32), rate)


@pytest.fixture
def part(loaded):
    def ask(*sounds, model="tiny/sepformer", step=lambda _: None):
        with torch.inference_mode():
            return loaded(model).run([Request("audio-to-audio", s) for s in sounds], step)

    return ask


@pytest.mark.parametrize(("model", "labels"), [("tiny/sepformer", ["voice 1", "voice 2"]), ("tiny/sepformer-enhancement", ["voice"])])
@pytest.mark.parametrize("seconds", [0.003, 0.7, 1.0, 3.3])
def test_each_source_is_as_long_as_the_recording(part, model, labels, seconds):
    told = part(noise(seconds), model=model)[0]
    assert [label for label, _ in told] == labels
    for _, sound in told:
        assert sound.samples.shape == (int(seconds * 1000),)
        assert sound.rate == 1000
        assert np.abs(sound.samples).max() <= 1


def test_the_sources_hang_on_the_sound_and_differ(part):
    (_, one), (_, two) = part(noise(1))[0]
    assert not np.array_equal(one.samples, two.samples)
    assert not np.array_equal(part(noise(1, seed=1))[0][0][1].samples, one.samples)
    again = part(noise(1), noise(1, seed=1))
    assert np.array_equal(again[0][0][1].samples, one.samples)


def test_a_long_recording_is_worked_on_in_windows_that_overlap(part):
    short, long = noise(1), noise(3.3)
    assert np.array_equal(short.samples, long.samples[:1000])
    whole = part(long)[0][0][1].samples
    assert np.allclose(whole[:750], part(short)[0][0][1].samples[:750]), "what only the first window has"
    assert whole[-200:].any()
    told: list[float] = []
    part(long, step=told.append)
    assert told == sorted(told)
    assert len(told) == 6
    assert told[-1] == 1


def test_a_source_is_as_loud_as_it_is_in_the_recording(part):
    loud = part(noise(1))[0][0][1].samples
    quiet = part(Sound(noise(1).samples / 4, 1000))[0][0][1].samples
    assert np.abs(loud).max() > np.abs(quiet).max() > 0


def test_a_voice_stays_itself_from_window_to_window():
    old = np.array([[1.0, 2, 3], [-3, 1, 0]])
    new = np.array([[-3.0, 1, 0, 9], [1, 2, 3, 8]])
    assert np.array_equal(_alike(old, new, 3), new[::-1])
    assert np.array_equal(_alike(old, new[::-1], 3), new[::-1])


def test_chunks_join_to_what_they_were_of():
    for length in (7, 10, 23, 40):
        x = torch.randn(2, 3, length)
        chunks, gap = _chunks(x, 10)
        assert torch.allclose(_joined(chunks, gap), 2 * x), "each sample is in two chunks"


def test_silence_stays_silence(part):
    told = part(Sound(np.zeros(500, np.float32), 1000))[0]
    assert all(not sound.samples.any() for _, sound in told)


def test_it_stops_when_nobody_waits(part):
    def step(done):
        if done > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        part(noise(3.3), step=step)


def test_the_published_weights_become_a_model(tiny_folder, tmp_path):
    """SpeechBrain has a file each for encoder, masks and decoder, and the sines with them."""
    from safetensors.torch import load_file

    weights = load_file(tiny_folder("tiny/sepformer") / "model.safetensors")
    source = tmp_path / "published"
    source.mkdir()
    for name in ("encoder", "masknet", "decoder"):
        own = {k.removeprefix(name + "."): v for k, v in weights.items() if k.startswith(name + ".")}
        if name == "masknet":
            own["dual_mdl.0.intra_mdl.pos_enc.pe"] = torch.zeros(1, 2500, 8)
        torch.save(own, source / f"{name}.ckpt")
    told = json.loads((tiny_folder("tiny/sepformer") / "config.json").read_text())
    convert_published.sepformer(source, tmp_path / "out", Shape(**{k: v for k, v in told.items() if k != "architecture"}))
    described = Model.model_validate(tiny.entry("tiny/sepformer"))
    made = families.find("cleaning").load(described, Place(tmp_path / "out", "cpu", torch.float32))
    assert all(torch.equal(v, weights[k]) for k, v in made.net.state_dict().items())


def test_a_folder_with_a_pickle_becomes_one_with_safetensors(tmp_path):
    from safetensors.torch import load_file

    source = tmp_path / "in"
    source.mkdir()
    (source / "config.json").write_text("{}")
    tied = torch.ones(2)
    torch.save({"a": tied, "b": tied, "c": torch.zeros(3)}, source / "pytorch_model.bin")
    assert convert_published.main(["folder", str(source), str(tmp_path / "out")]) == 0
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"config.json", "model.safetensors"}
    assert set(load_file(tmp_path / "out" / "model.safetensors")) == {"a", "b", "c"}


def test_a_pickle_with_more_than_weights_is_not_read(tmp_path, capsys):
    source = tmp_path / "in"
    source.mkdir()
    torch.save({"a": Thing()}, source / "pytorch_model.bin")
    assert convert_published.main(["folder", str(source), str(tmp_path / "out")]) == 1
    assert "not read" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


class Thing:
    """Nothing that weights are made of."""


def test_weights_of_another_shape_are_a_fault(tiny_folder, tmp_path):
    folder = shutil.copytree(tiny_folder("tiny/sepformer"), tmp_path / "m")
    told = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(told | {"layers": 2}))
    described = Model.model_validate(tiny.entry("tiny/sepformer"))
    with pytest.raises(Fault) as err:
        families.find("cleaning").load(described, Place(folder, "cpu", torch.float32))
    assert err.value.code == "weights_mismatch"
