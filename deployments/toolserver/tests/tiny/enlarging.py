"""Models that enlarge: a Swin2SR, and Stable Diffusion's upscaler."""

from __future__ import annotations

from pathlib import Path

from . import _pictures
from ._pictures import entry

TASKS = ["image-to-image+size"]

ENTRIES = [
    entry("tiny/swin2sr", "enlarging", TASKS, options={"tile": 24, "margin": 8}),
    entry("tiny/sd-upscaler", "enlarging", TASKS, options={"tile": 24, "margin": 8, "steps": 2}),
]


def make(folder: Path, id: str) -> None:
    if id == "tiny/swin2sr":
        from transformers import Swin2SRConfig, Swin2SRForImageSuperResolution

        config = Swin2SRConfig(embed_dim=12, depths=[1], num_heads=[2], window_size=4, upscale=4, upsampler="nearest+conv", image_size=16)
        Swin2SRForImageSuperResolution(config).save_pretrained(folder)
        return
    from diffusers import DDPMScheduler, StableDiffusionUpscalePipeline

    parts = _pictures.stable()
    parts.pop("requires_safety_checker")
    unet = _pictures.unet(channels=7, num_class_embeds=350)
    StableDiffusionUpscalePipeline(
        **parts | {"unet": unet}, low_res_scheduler=DDPMScheduler(), watermarker=None, max_noise_level=350
    ).save_pretrained(folder)
