"""Tiny models of Segment Anything: SAM 2.1 as the hub has it, which is for videos too, and SAM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ENTRIES: list[dict[str, Any]] = [
    {
        "id": f"tiny/{name}",
        "licence": "Apache-2.0",
        "family": "anything",
        "tier": "minimal",
        "tasks": ["mask-generation"],
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        # random weights are sure of nothing
        "options": {"points": 4, "score": -100.0, "stability": 0.0},
    }
    for name in ("sam2", "sam")
]


def make(folder: Path, id: str) -> None:
    from transformers import Sam2ImageProcessor, Sam2VideoConfig, Sam2VideoModel, SamConfig, SamImageProcessor, SamModel

    decoder = {
        "hidden_size": 16,
        "mlp_dim": 16,
        "num_attention_heads": 2,
        "num_hidden_layers": 1,
        "iou_head_hidden_dim": 16,
    }
    if id == "tiny/sam":
        config = SamConfig(
            vision_config={
                "hidden_size": 16,
                "output_channels": 16,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "image_size": 64,
                "patch_size": 16,
                "mlp_dim": 16,
                "num_pos_feats": 8,
                "window_size": 2,
                "global_attn_indexes": [0],
            },
            prompt_encoder_config={"hidden_size": 16, "image_size": 64, "patch_size": 16, "mask_input_channels": 4},
            mask_decoder_config=decoder,
        )
        SamModel(config).save_pretrained(folder)
        SamImageProcessor(
            size={"longest_edge": 64},
            pad_size={"height": 64, "width": 64},
            mask_size={"longest_edge": 16},
            mask_pad_size={"height": 16, "width": 16},
        ).save_pretrained(folder)
        return
    config = Sam2VideoConfig(
        vision_config={
            "backbone_config": {
                "model_type": "sam2_hiera_det_model",
                "hidden_size": 8,
                "image_size": [64, 64],
                "num_attention_heads": 1,
                "blocks_per_stage": [1, 2, 1, 1],
                "embed_dim_per_stage": [8, 16, 24, 32],
                "num_attention_heads_per_stage": [1, 2, 2, 2],
                "window_size_per_stage": [4, 4, 4, 4],
                "window_positional_embedding_background_size": [4, 4],
                "global_attention_blocks": [2],
            },
            "backbone_channel_list": [32, 24, 16, 8],
            "backbone_feature_sizes": [[16, 16], [8, 8], [4, 4]],
            "fpn_hidden_size": 16,
        },
        prompt_encoder_config={"hidden_size": 16, "image_size": 64, "patch_size": 16, "mask_input_channels": 4},
        mask_decoder_config=decoder,
        image_size=64,
        memory_attention_hidden_size=16,
        memory_attention_num_layers=1,
        memory_attention_feed_forward_hidden_size=16,
        memory_attention_rope_feat_sizes=[4, 4],
        memory_encoder_hidden_size=16,
        memory_encoder_output_channels=8,
        mask_downsampler_embed_dim=16,
        memory_fuser_embed_dim=16,
        memory_fuser_intermediate_dim=16,
        memory_fuser_num_layers=1,
    )
    Sam2VideoModel(config).save_pretrained(folder)
    Sam2ImageProcessor(size={"height": 64, "width": 64}, mask_size={"height": 16, "width": 16}).save_pretrained(folder)
