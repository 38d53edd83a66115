"""What is told of a device, and of what torch says when it fails."""

from pathlib import Path

import pytest
import torch

from toolserver import trouble
from toolserver.device import Cpu, pick, weigh


@pytest.mark.parametrize("name", ["cuda:99", "tpu", "mps", "cuda:x", "nonsense"])
def test_a_device_that_is_not_there_is_told_at_the_start(name):
    with pytest.raises(ValueError, match=r"there is no"):
        pick(name)


def test_a_part_of_the_machines_memory_is_for_models():
    device = pick("cpu")
    assert device.name == "cpu"
    total = int(Path("/proc/meminfo").read_text().split()[1]) << 10
    assert 0 < device.free() < total


def test_a_container_has_no_more_than_its_limit(tmp_path, monkeypatch):
    (tmp_path / "max").write_text("1000000\n")
    (tmp_path / "current").write_text("400000\n")
    monkeypatch.setattr("toolserver.device._LIMIT", tmp_path / "max")
    monkeypatch.setattr("toolserver.device._USED", tmp_path / "current")
    assert Cpu().free() == 300_000
    (tmp_path / "max").write_text("max\n")
    assert Cpu().free() > 300_000


def test_weights_that_are_shared_are_weighed_once():
    one = torch.nn.Linear(256, 256, bias=False)
    tied = torch.nn.Linear(256, 256, bias=False)
    tied.weight = one.weight
    normed = torch.nn.BatchNorm1d(256)
    buffers = sum(b.nbytes for b in normed.buffers())
    assert weigh([one, tied, normed], "cpu") == 256 * 256 * 4 + 2 * 256 * 4 + buffers
    assert weigh([one.half()], "cpu") == 256 * 256 * 2


def test_what_lies_elsewhere_is_not_of_this_device():
    assert weigh([torch.nn.Linear(8, 8, device="meta")], "cpu") == 0


@pytest.mark.parametrize(
    ("err", "kind"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB."), "memory"),
        (torch.AcceleratorError("CUDA error: out of memory"), "memory"),
        (torch.AcceleratorError("CUDA error: the launch timed out and was terminated"), "device"),
        (RuntimeError("HIP error: unspecified launch failure"), "device"),
        (RuntimeError("The size of tensor a (3) must match the size of tensor b (4)"), "other"),
        (ValueError("a text about a CUDA error"), "other"),
    ],
)
def test_what_torch_says_is_sorted(err, kind):
    assert trouble.kind(err) == kind


def test_no_sentence_repeats_what_an_error_says():
    for err in (
        ValueError("/secret/path"),
        RuntimeError("size mismatch for /secret/path"),
        OSError("/secret/path"),
        Exception("/secret/path"),
    ):
        assert "secret" not in trouble.of_load(err, "org/it").message
