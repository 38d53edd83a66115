"""Tiny classifiers of pictures: ViT and ResNet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ENTRIES: list[dict[str, Any]] = [
    {
        "id": f"tiny/{name}",
        "licence": "Apache-2.0",
        "family": "classifying",
        "tier": "minimal",
        "tasks": ["image-classification"],
        "memory": 64,
        "seconds": 1,
        "batch": 4,
    }
    for name in ("vit", "resnet")
]

LABELS = dict(enumerate(("tabby", "beagle", "lighthouse", "teapot", "bicycle", "daisy", "violin")))


def make(folder: Path, id: str) -> None:
    from transformers import (
        ConvNextImageProcessor,
        ResNetConfig,
        ResNetForImageClassification,
        ViTConfig,
        ViTForImageClassification,
        ViTImageProcessor,
    )

    labels = {"id2label": LABELS, "label2id": {name: i for i, name in LABELS.items()}}
    if id == "tiny/resnet":
        ResNetForImageClassification(
            ResNetConfig(embedding_size=8, hidden_sizes=[8, 8], depths=[1, 1], layer_type="basic", **labels)
        ).save_pretrained(folder)
        ConvNextImageProcessor(size={"shortest_edge": 32}).save_pretrained(folder)
        return
    config = ViTConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, image_size=32, patch_size=8, **labels
    )
    net = ViTForImageClassification(config)
    net.classifier.weight.data.normal_()
    net.save_pretrained(folder)
    ViTImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
