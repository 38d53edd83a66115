"""Tiny detectors of the classes that are served: RF-DETR, RT-DETRv2, DETR."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ENTRIES: list[dict[str, Any]] = [
    {
        "id": f"tiny/{name}",
        "licence": "Apache-2.0",
        "family": "detecting",
        "tier": "minimal",
        "tasks": ["object-detection"],
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"threshold": 0.0},
    }
    for name in ("rf-detr", "rtdetr-v2", "detr")
]

LABELS = {0: "person", 1: "cat", 2: "N/A", 3: "bus"}


def rtdetr(**more: Any) -> Any:
    """RT-DETRv2's configuration, small; the person detector of poses is one too."""
    from transformers import RTDetrResNetConfig, RTDetrV2Config

    return RTDetrV2Config(
        backbone_config=RTDetrResNetConfig(
            embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], layer_type="basic", out_indices=[2, 3, 4]
        ),
        encoder_hidden_dim=16,
        encoder_in_channels=[8, 16, 16],
        encoder_layers=1,
        encoder_ffn_dim=16,
        encoder_attention_heads=2,
        decoder_in_channels=[16, 16, 16],
        d_model=16,
        decoder_ffn_dim=16,
        decoder_layers=2,
        decoder_attention_heads=2,
        num_queries=10,
        num_denoising=0,
        id2label=LABELS,
        label2id={name: i for i, name in LABELS.items()},
        **more,
    )


def make(folder: Path, id: str) -> None:
    from transformers import (
        DetrConfig,
        DetrForObjectDetection,
        DetrImageProcessor,
        ResNetConfig,
        RfDetrConfig,
        RfDetrForObjectDetection,
        RfDetrImageProcessor,
        RTDetrImageProcessor,
        RTDetrV2ForObjectDetection,
    )

    labels = {"id2label": LABELS, "label2id": {name: i for i, name in LABELS.items()}}
    if id == "tiny/rtdetr-v2":
        net = RTDetrV2ForObjectDetection(rtdetr())
        for head in net.model.decoder.class_embed:
            head.bias.data[0] += 1  # there is a person in each picture, which the tests of poses go by
        net.save_pretrained(folder)
        RTDetrImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
    elif id == "tiny/detr":
        backbone = ResNetConfig(
            embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage4"]
        )
        config = DetrConfig(
            use_timm_backbone=False,
            use_pretrained_backbone=False,
            backbone=None,
            backbone_config=backbone,
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=16,
            decoder_ffn_dim=16,
            num_queries=10,
            **labels,
        )
        net = DetrForObjectDetection(config)
        # of random weights every query is as sure as the next; these are not
        net.class_labels_classifier.weight.data.normal_(std=3)
        net.model.query_position_embeddings.weight.data.normal_(std=3)
        net.save_pretrained(folder)
        DetrImageProcessor(size={"shortest_edge": 64, "longest_edge": 96}).save_pretrained(folder)
    else:
        config = RfDetrConfig(
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
        RfDetrForObjectDetection(config).save_pretrained(folder)
        RfDetrImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
