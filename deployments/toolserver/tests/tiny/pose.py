"""Tiny models of pose: ViTPose and ViTPose+, with the tiny RT-DETRv2 as the detector of people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ENTRIES: list[dict[str, Any]] = [
    {
        "id": f"tiny/{name}",
        "licence": "Apache-2.0",
        "family": "pose",
        "tier": "minimal",
        "tasks": ["keypoint-detection", "image-to-image+control"],
        "modes": ["pose"],
        "memory": 64,
        "seconds": 1,
        "batch": 2,
        "companions": {"detector": {"id": "tiny/rtdetr-v2", "licence": "Apache-2.0"}},
        "options": {"threshold": 0.0},
    }
    for name in ("vitpose", "vitpose-plus")
]


def make(folder: Path, id: str) -> None:
    from transformers import VitPoseBackboneConfig, VitPoseConfig, VitPoseForPoseEstimation, VitPoseImageProcessor

    experts = 3 if id == "tiny/vitpose-plus" else 1
    config = VitPoseConfig(
        backbone_config=VitPoseBackboneConfig(
            image_size=[64, 48],
            patch_size=[16, 16],
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            out_indices=[1],
            num_experts=experts,
            part_features=4,
        ),
        num_labels=17,
    )
    net = VitPoseForPoseEstimation(config)
    # as sure of joints as a trained one, so that there is something to be drawn
    net.head.conv.weight.data.normal_(std=1)
    net.save_pretrained(folder)
    VitPoseImageProcessor(size={"height": 64, "width": 48}).save_pretrained(folder)
