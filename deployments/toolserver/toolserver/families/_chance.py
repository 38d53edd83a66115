"""Random numbers from a seed."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

import torch


def seed_of(parameters: Mapping[str, Any]) -> int:
    """The seed that was asked for; -1, as some clients say it, and none at all are any."""
    seed = parameters.get("seed", (parameters.get("generation_parameters") or {}).get("seed", -1))
    return seed if seed is not None and seed >= 0 else secrets.randbelow(2**31)


@contextlib.contextmanager
def seeded(seed: int, device: str) -> Iterator[None]:
    """Within it torch draws as the seed says; after it its generators are as they were. For what
    takes no torch.Generator, such as the sampling of tokens in transformers."""
    with torch.random.fork_rng(devices=[torch.device(device)] if device.startswith("cuda") else []):
        torch.manual_seed(seed)
        yield
