"""The engine's view of a device: its memory, and whether it still works."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol

import torch

FREE_SHARE = 0.9
"""Of what is free on a GPU at the start, what models may take: the rest is for the CUDA context
and for what the allocator cannot use."""
RAM_SHARE = 0.5
"""The same for a machine's memory, which other programs use too."""

_LIMIT = Path("/sys/fs/cgroup/memory.max")
"""The memory limit of the container (cgroup v2), if any."""
_USED = Path("/sys/fs/cgroup/memory.current")


class Device(Protocol):
    """A device that models are loaded to."""

    name: str
    """Of torch: cuda:0, cpu."""
    title: str
    """What it is called by people."""

    def free(self) -> int:
        """Bytes that models may take, before any is loaded."""

    def allocated(self) -> int:
        """Bytes that are taken now, or 0 where that is not told."""

    def watch(self) -> None:
        """From here on the peak is counted."""

    def peak(self) -> int:
        """The most bytes that were taken since watch, or 0 where that is not told."""

    def clear(self) -> None:
        """Gives back what nobody holds any more."""

    def works(self) -> bool:
        """Tries it out, after an error that can be one of the device."""

    def here(self) -> AbstractContextManager[object]:
        """Within it the thread works on this device."""


class Cpu:
    """The processor and the machine's memory."""

    name = "cpu"
    title = "CPU"

    def free(self) -> int:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        for line in _lines(Path("/proc/meminfo")):  # which counts what the caches would give back
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) << 10
        limit, used = _lines(_LIMIT), _lines(_USED)
        if limit and used and limit[0].isdigit():
            free = min(free, int(limit[0]) - int(used[0]))
        return int(free * RAM_SHARE)

    def allocated(self) -> int:
        return 0

    def watch(self) -> None:
        pass

    def peak(self) -> int:
        return 0

    def clear(self) -> None:
        gc.collect()

    def works(self) -> bool:
        return False  # who tells of a lost device here means one that is not this one

    def here(self) -> AbstractContextManager[object]:
        return nullcontext()


class Gpu:
    """A GPU of CUDA, or of ROCm, which torch calls by the same name."""

    def __init__(self, name: str) -> None:
        self._device = torch.device(name)
        self.name = str(self._device)
        self.title = torch.cuda.get_device_name(self._device)

    def free(self) -> int:
        return int(torch.cuda.mem_get_info(self._device)[0] * FREE_SHARE)

    def allocated(self) -> int:
        return torch.cuda.memory_allocated(self._device)

    def watch(self) -> None:
        torch.cuda.reset_peak_memory_stats(self._device)

    def peak(self) -> int:
        return torch.cuda.max_memory_allocated(self._device)

    def clear(self) -> None:
        gc.collect()
        torch.cuda.empty_cache()

    def works(self) -> bool:
        try:
            with self.here():
                torch.cuda.synchronize(self._device)
                return float(torch.ones(8, device=self._device).sum()) == 8
        except (RuntimeError, torch.AcceleratorError):
            return False

    def here(self) -> AbstractContextManager[object]:
        return torch.cuda.device(self._device)


def pick(name: str = "") -> Device:
    """The device of that name; empty is the first GPU, or the CPU where there is none. A
    ValueError says that there is no such device."""
    if not name:
        return Gpu("cuda:0") if torch.cuda.is_available() else Cpu()
    if name == "cpu":
        return Cpu()
    try:
        kind, index = torch.device(name).type, torch.device(name).index or 0
    except RuntimeError:
        raise ValueError(f"there is no kind of device {name!r}: it is cpu, cuda, or cuda:1") from None
    if kind != "cuda" or index >= torch.cuda.device_count():
        raise ValueError(f"there is no device {name!r}: torch sees {torch.cuda.device_count()} GPUs")
    return Gpu(f"cuda:{index}")


def weigh(modules: Iterable[torch.nn.Module], device: str) -> int:
    """Bytes of the parameters and buffers that lie on the device, what is shared counted once."""
    kind = torch.device(device).type
    storages: dict[tuple[int, int], int] = {}
    for module in modules:
        for tensor in (*module.parameters(), *module.buffers()):
            if tensor.device.type == kind:
                storage = tensor.untyped_storage()
                storages[storage.data_ptr(), storage.nbytes()] = storage.nbytes()
    return sum(storages.values())


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError:
        return []
