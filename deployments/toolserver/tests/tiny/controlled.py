"""Models that draw after a map: a union for SDXL, one for Qwen-Image, and one for normal maps for SD 1.5."""

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
    entry("tiny/controlnet-qwen", "controlled", TASKS, modes=["depth"], companions=_base("tiny/qwen-image"), options=options(guidance=4)),
    entry("tiny/controlnet-normal", "controlled", TASKS, modes=["normal"], companions=_base("tiny/sd"), options=options(guidance=5)),
]


def make(folder: Path, id: str) -> None:
    import torch
    from diffusers import ControlNetModel, ControlNetUnionModel, QwenImageControlNetModel

    if id == "tiny/controlnet-union":
        made = ControlNetUnionModel(
            **_pictures.wide(xl=True),
            conditioning_embedding_out_channels=(8, 16),
            num_trans_channel=16,
            num_trans_head=2,
            num_proj_channel=16,
        )
    elif id == "tiny/controlnet-qwen":
        made = QwenImageControlNetModel(
            in_channels=16,
            out_channels=4,
            num_layers=1,
            attention_head_dim=16,
            num_attention_heads=2,
            joint_attention_dim=16,
            axes_dims_rope=(4, 6, 6),
        )
    else:
        made = ControlNetModel(**_pictures.wide(xl=False), conditioning_embedding_out_channels=(8, 16))
    with torch.no_grad():  # an untrained one is made to change nothing
        for weights in made.parameters():
            if not weights.any():
                weights.normal_(std=0.2)
    made.save_pretrained(folder)
