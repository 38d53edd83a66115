"""Models that draw after a map: a union for SDXL, and one network for each map for SD 1.5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _pictures
from ._pictures import entry, options

TASKS = ["text-to-image+control"]
MAPS = ["edge", "line", "hed", "scribble", "pose", "depth", "normal", "segmentation"]


def _base(id: str) -> dict[str, Any]:
    return {"base": {"id": id, "licence": "Apache-2.0"}}


ENTRIES = [
    entry("tiny/controlnet-union", "controlled", TASKS, modes=MAPS, companions=_base("tiny/sdxl"), options=options(guidance=5)),
    entry("tiny/controlnet-normal", "controlled", TASKS, modes=["normal"], companions=_base("tiny/sd"), options=options(guidance=5)),
]


def make(folder: Path, id: str) -> None:
    import torch
    from diffusers import ControlNetModel, ControlNetUnionModel

    if id == "tiny/controlnet-union":
        made = ControlNetUnionModel(
            **_pictures.wide(xl=True),
            conditioning_embedding_out_channels=(8, 16),
            num_trans_channel=16,
            num_trans_head=2,
            num_proj_channel=16,
        )
    else:
        made = ControlNetModel(**_pictures.wide(xl=False), conditioning_embedding_out_channels=(8, 16))
    with torch.no_grad():  # an untrained one is made to change nothing
        for weights in made.parameters():
            if not weights.any():
                weights.normal_(std=0.2)
    made.save_pretrained(folder)
