# ruff: noqa: ANN401 - the pipelines of diffusers have no type in common
"""Small pictures of what a sampler has made so far.

The latents are made small before they are decoded, which takes a small part of a step, and also
takes most of the noise away. Of a video, a frame in the middle is shown. There are none for
pipelines that keep their latents in a form of their own (FLUX.2, which needs few steps).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from PIL import Image

from . import _canvas

SIDE = 32
"""The longer side that latents are decoded in; a picture has 8 or 16 times as many pixels."""


def pictures(pipe: Any, latents: torch.Tensor, size: _canvas.Size) -> Sequence[Image.Image]:
    """A picture of each of the latents, or none if they cannot be read. size is that of what is made."""
    small = _small(pipe, latents, size)
    if small is None:
        return ()
    vae = pipe.vae
    kept = vae.dtype
    upcast = kept == torch.float16 and getattr(vae.config, "force_upcast", False)  # half precision overflows there
    try:
        if upcast:
            vae.to(dtype=torch.float32)
        decoded = vae.decode(small.to(vae.dtype), return_dict=False)[0]
    finally:
        if upcast:
            vae.to(dtype=kept)
    if decoded.ndim == 5:
        decoded = decoded[:, :, 0]
    made = ((decoded.float() / 2 + 0.5).clamp(0, 1).nan_to_num() * 255).round().to(torch.uint8).permute(0, 2, 3, 1).cpu().numpy()
    return [Image.fromarray(one) for one in made]


def _small(pipe: Any, latents: torch.Tensor, size: _canvas.Size) -> torch.Tensor | None:
    """The latents as the autoencoder takes them, small: a batch of channels, for some of one frame."""
    config = pipe.vae.config
    channels = int(getattr(config, "z_dim", 0) or config.latent_channels)
    if latents.ndim == 3:  # a row of patches
        unpack = getattr(pipe, "_unpack_latents", None)
        if unpack is None or latents.shape[-1] != 4 * channels:
            return None
        latents = unpack(latents, size[1], size[0], pipe.vae_scale_factor)
    film = latents.ndim == 5
    if film:
        if latents.shape[1] != channels:  # frames come first
            latents = latents.transpose(1, 2)
        latents = latents[:, :, latents.shape[2] // 2]
    if latents.ndim != 4 or latents.shape[1] != channels:
        return None
    latents = latents.float()
    longer = max(latents.shape[-2:])
    if longer > SIDE:
        side = [max(1, round(n * SIDE / longer)) for n in latents.shape[-2:]]
        latents = torch.nn.functional.interpolate(latents, side, mode="area")
    mean, std = getattr(config, "latents_mean", None), getattr(config, "latents_std", None)
    if mean is not None and std is not None:
        shape = (1, channels, 1, 1)
        latents = latents * latents.new_tensor(std).view(shape) + latents.new_tensor(mean).view(shape)
    else:
        latents = latents / config.scaling_factor + (getattr(config, "shift_factor", None) or 0.0)
    return latents.unsqueeze(2) if film else latents
