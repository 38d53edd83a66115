"""Tiny models that outline things: RF-DETR, with the tiny SAM 2 as the companion that outlines
anew, DETR and Mask2Former."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .detecting import LABELS

ENTRIES: list[dict[str, Any]] = [
    {
        "id": f"tiny/{name}",
        "licence": "Apache-2.0",
        "family": "segmenting",
        "tier": "minimal",
        "tasks": ["image-segmentation"],
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"threshold": 0.0},
    }
    for name in ("rf-detr-seg", "detr-panoptic", "mask2former")
]
ENTRIES[0]["companions"] = {"outlines": {"id": "tiny/sam2", "licence": "Apache-2.0"}}


def make(folder: Path, id: str) -> None:
    from transformers import (
        DetrConfig,
        DetrForSegmentation,
        DetrImageProcessor,
        Mask2FormerConfig,
        Mask2FormerForUniversalSegmentation,
        Mask2FormerImageProcessor,
        ResNetConfig,
        RfDetrConfig,
        RfDetrForInstanceSegmentation,
        RfDetrImageProcessor,
        SwinConfig,
    )

    labels = {"id2label": LABELS, "label2id": {name: i for i, name in LABELS.items()}}
    if id == "tiny/detr-panoptic":
        net = DetrForSegmentation(
            DetrConfig(
                use_timm_backbone=False,
                use_pretrained_backbone=False,
                backbone=None,
                backbone_config=ResNetConfig(
                    embedding_size=8,
                    hidden_sizes=[8, 8, 16, 16],
                    depths=[1, 1, 1, 1],
                    layer_type="basic",
                    out_features=["stage1", "stage2", "stage3", "stage4"],
                ),
                d_model=128,
                encoder_layers=1,
                decoder_layers=1,
                encoder_attention_heads=8,
                decoder_attention_heads=8,
                encoder_ffn_dim=16,
                decoder_ffn_dim=16,
                num_queries=6,
                **labels,
            )
        )
        net.detr.class_labels_classifier.weight.data.normal_(std=3)
        net.detr.model.query_position_embeddings.weight.data.normal_(std=3)
        net.save_pretrained(folder)
        DetrImageProcessor(size={"shortest_edge": 64, "longest_edge": 96}).save_pretrained(folder)
    elif id == "tiny/mask2former":
        Mask2FormerForUniversalSegmentation(
            Mask2FormerConfig(
                backbone_config=SwinConfig(
                    image_size=64,
                    patch_size=4,
                    embed_dim=8,
                    depths=[1, 1, 1, 1],
                    num_heads=[1, 1, 2, 2],
                    window_size=4,
                    out_features=["stage1", "stage2", "stage3", "stage4"],
                ),
                feature_size=32,
                mask_feature_size=32,
                hidden_dim=32,
                encoder_feedforward_dim=16,
                encoder_layers=1,
                decoder_layers=2,
                num_attention_heads=2,
                dim_feedforward=16,
                num_queries=6,
                **labels,
            )
        ).save_pretrained(folder)
        Mask2FormerImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
    else:
        net = RfDetrForInstanceSegmentation(
            RfDetrConfig(
                backbone_config={
                    "model_type": "rf_detr_dinov2",
                    "hidden_size": 16,
                    "num_hidden_layers": 2,
                    "num_attention_heads": 2,
                    "patch_size": 8,
                    "image_size": 64,
                    "num_windows": 2,
                    "out_features": ["stage1", "stage2"],
                },
                d_model=16,
                decoder_ffn_dim=16,
                decoder_layers=1,
                decoder_self_attention_heads=2,
                decoder_cross_attention_heads=2,
                decoder_n_points=2,
                num_queries=10,
                group_detr=1,
                c2f_num_blocks=1,
                intermediate_size=16,
                **labels,
            )
        )
        net.query_features_proj.weight.data.normal_(std=2)
        net.save_pretrained(folder)
        RfDetrImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
