"""SepFormers: one that parts two voices, one that takes noise away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def _entry(id: str) -> dict[str, Any]:
    return {
        "id": id,
        "licence": "Apache-2.0",
        "family": "cleaning",
        "tier": "minimal",
        "tasks": ["audio-to-audio"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "options": {"window": 1, "overlap": 0.25},
    }


ENTRIES = [_entry("tiny/sepformer"), _entry("tiny/sepformer-enhancement")]

SMALL = {"rate": 1000, "channels": 8, "kernel": 8, "blocks": 1, "layers": 1, "heads": 2, "inner": 16, "chunk": 10}


def make(folder: Path, id: str) -> None:
    from safetensors.torch import save_file

    from toolserver.families._sepformer import SepFormer, Shape

    labels = ["voice"] if id == "tiny/sepformer-enhancement" else ["voice 1", "voice 2"]
    shape = {**SMALL, "sources": len(labels), "labels": labels}
    (folder / "config.json").write_text(json.dumps({"architecture": "SepFormer", **shape}), encoding="utf-8")
    save_file(SepFormer(Shape(**shape)).state_dict(), folder / "model.safetensors")
