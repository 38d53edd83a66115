"""A tiny Marigold, which draws normals by diffusion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/marigold-normals",
        "licence": "Apache-2.0",
        "family": "normals",
        "tier": "minimal",
        "tasks": ["image-to-image+control"],
        "modes": ["normal"],
        "memory": 64,
        "seconds": 1,
        "batch": 2,
        "options": {"steps": 2, "size": 64},
    }
]


def make(folder: Path, id: str) -> None:
    from diffusers import DDIMScheduler
    from diffusers.pipelines.marigold import MarigoldNormalsPipeline

    from . import _pictures

    MarigoldNormalsPipeline(
        unet=_pictures.unet(channels=8),
        vae=_pictures.autoencoder(),
        scheduler=DDIMScheduler(prediction_type="v_prediction"),
        text_encoder=_pictures.clip_encoder(),
        tokenizer=_pictures.clip_tokenizer(),
        prediction_type="normals",
        default_denoising_steps=2,
        default_processing_resolution=64,
    ).save_pretrained(folder)
