"""Tiny models of soft outlines: a narrow HED, and TEED, which is as small as that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ENTRIES: list[dict[str, Any]] = [
    {
        "id": f"tiny/{network}",
        "licence": "MIT",
        "family": "annotating",
        "tier": "minimal",
        "tasks": ["image-to-image+control"],
        "modes": ["hed", "scribble"],
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"network": network, "file": "model.safetensors", "width": 4},
    }
    for network in ("teed", "hed")
]


def make(folder: Path, id: str) -> None:
    from safetensors.torch import save_file

    from toolserver.families import annotating

    save_file(annotating.build(id.removeprefix("tiny/"), 4).state_dict(), folder / "model.safetensors")
