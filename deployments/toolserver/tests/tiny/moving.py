"""An I2VGen-XL."""

from __future__ import annotations

from pathlib import Path

ENTRIES = [
    {
        "id": "tiny/i2vgen-xl",
        "licence": "MIT",
        "family": "moving",
        "tier": "minimal",
        "tasks": ["image-to-video"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "options": {"size": [128, 64], "frames": 4, "longest": 8, "rate": 8, "steps": 2, "guidance": 9, "motion": "gentle motion"},
    }
]


def make(folder: Path, id: str) -> None:
    from diffusers import AutoencoderKL, DDIMScheduler, I2VGenXLPipeline
    from diffusers.models.unets.unet_i2vgen_xl import I2VGenXLUNet
    from transformers import CLIPImageProcessor, CLIPVisionConfig, CLIPVisionModelWithProjection

    from . import _pictures

    eye = CLIPVisionConfig(
        hidden_size=32, projection_dim=32, num_hidden_layers=1, num_attention_heads=4, image_size=32, intermediate_size=37, patch_size=8
    )
    I2VGenXLPipeline(
        vae=AutoencoderKL(
            block_out_channels=(8,) * 4,
            down_block_types=("DownEncoderBlock2D",) * 4,
            up_block_types=("UpDecoderBlock2D",) * 4,
            norm_num_groups=2,
            latent_channels=4,
            sample_size=64,
        ),
        text_encoder=_pictures.clip_encoder(),
        tokenizer=_pictures.clip_tokenizer(),
        image_encoder=CLIPVisionModelWithProjection(eye),
        feature_extractor=CLIPImageProcessor(crop_size=32, size=32),
        unet=I2VGenXLUNet(
            block_out_channels=(4, 8),
            layers_per_block=1,
            sample_size=8,
            in_channels=4,
            out_channels=4,
            down_block_types=("CrossAttnDownBlock3D", "DownBlock3D"),
            up_block_types=("UpBlock3D", "CrossAttnUpBlock3D"),
            cross_attention_dim=32,
            attention_head_dim=2,
            num_attention_heads=None,
            norm_num_groups=2,
        ),
        scheduler=DDIMScheduler(beta_start=0.00085, beta_end=0.012, beta_schedule="linear", clip_sample=False, set_alpha_to_one=False),
    ).save_pretrained(folder)
