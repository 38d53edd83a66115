"""Tiny models of depth: Depth Anything and DPT."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ENTRIES: list[dict[str, Any]] = [
    {
        "id": f"tiny/{name}",
        "licence": "Apache-2.0",
        "family": "depth",
        "tier": "minimal",
        "tasks": ["depth-estimation", "image-to-image+control"],
        "modes": ["depth"],
        "memory": 64,
        "seconds": 1,
        "batch": 4,
    }
    for name in ("depth-anything", "dpt")
]


def make(folder: Path, id: str) -> None:
    from transformers import (
        DepthAnythingConfig,
        DepthAnythingForDepthEstimation,
        Dinov2Config,
        DPTConfig,
        DPTForDepthEstimation,
        DPTImageProcessor,
    )

    if id == "tiny/dpt":
        config = DPTConfig(
            hidden_size=16,
            num_hidden_layers=4,
            num_attention_heads=2,
            intermediate_size=16,
            image_size=64,
            patch_size=16,
            backbone_out_indices=[0, 1, 2, 3],
            neck_hidden_sizes=[8, 8, 16, 16],
            fusion_hidden_size=8,
        )
        DPTForDepthEstimation(config).save_pretrained(folder)
        DPTImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
        return
    config = DepthAnythingConfig(
        backbone_config=Dinov2Config(
            hidden_size=16,
            num_hidden_layers=4,
            num_attention_heads=2,
            image_size=56,
            patch_size=14,
            out_indices=[1, 2, 3, 4],
            apply_layernorm=True,
            reshape_hidden_states=False,
        ),
        reassemble_hidden_size=16,
        patch_size=14,
        neck_hidden_sizes=[8, 8, 16, 16],
        fusion_hidden_size=8,
        head_hidden_size=8,
    )
    DepthAnythingForDepthEstimation(config).save_pretrained(folder)
    DPTImageProcessor(size={"height": 56, "width": 56}, keep_aspect_ratio=True, ensure_multiple_of=14).save_pretrained(folder)
