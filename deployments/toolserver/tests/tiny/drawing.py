"""Models that draw, edit and fill: SDXL, Z-Image, FLUX.2 klein, InstructPix2Pix, SD inpainting."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from . import _pictures
from ._pictures import entry, options

DRAW, EDIT, FILL = "text-to-image", "image-to-image", "image-to-image+mask"

ENTRIES = [
    entry("tiny/z-image", "drawing", [DRAW, EDIT, FILL], options=options(guidance=0, call={"max_sequence_length": 128})),
    entry("tiny/sdxl", "drawing", [DRAW, EDIT, FILL], options=options(guidance=5)),
    entry(
        "tiny/flux2-klein",
        "drawing",
        [DRAW, EDIT, FILL],
        options=options(guidance=1, size=96, call={"max_sequence_length": 128, "text_encoder_out_layers": [0, 1, 2]}),
    ),
    entry("tiny/qwen-image", "drawing", [DRAW], options=options(guidance=4)),
    entry("tiny/qwen-image-edit", "drawing", [EDIT, FILL], options=options(guidance=1, steps=1, strength=1)),
    entry("tiny/sd", "drawing", [DRAW, EDIT], options=options(guidance=5)),
    entry("tiny/instruct-pix2pix", "drawing", [EDIT], options=options(guidance=5, call={"image_guidance_scale": 1.5})),
    entry("tiny/sd-inpainting", "drawing", [FILL], options=options(guidance=5, strength=1)),
]


def make(folder: Path, id: str) -> None:
    made: dict[str, Any] = {
        "tiny/z-image": z_image,
        "tiny/sdxl": sdxl,
        "tiny/flux2-klein": klein,
        "tiny/qwen-image": qwen_image,
        "tiny/qwen-image-edit": partial(qwen_image, edits=True),
        "tiny/sd": sd,
        "tiny/instruct-pix2pix": instructed,
        "tiny/sd-inpainting": inpainting,
    }
    made[id]().save_pretrained(folder)


def sdxl() -> Any:
    from diffusers import StableDiffusionXLPipeline

    return StableDiffusionXLPipeline(**_pictures.stable(xl=True), add_watermarker=False)


def sd() -> Any:
    from diffusers import StableDiffusionPipeline

    return StableDiffusionPipeline(**_pictures.stable() | {"scheduler": _pictures.noise("PNDMScheduler")})


def instructed() -> Any:
    from diffusers import StableDiffusionInstructPix2PixPipeline

    return StableDiffusionInstructPix2PixPipeline(
        **_pictures.stable(channels=8) | {"scheduler": _pictures.noise("EulerAncestralDiscreteScheduler")}
    )


def inpainting() -> Any:
    from diffusers import StableDiffusionInpaintPipeline

    return StableDiffusionInpaintPipeline(**_pictures.stable(channels=9))


def z_image() -> Any:
    import torch
    from diffusers import FlowMatchEulerDiscreteScheduler, ZImagePipeline, ZImageTransformer2DModel
    from transformers import Qwen3Model

    transformer = ZImageTransformer2DModel(
        dim=32,
        n_layers=2,
        n_refiner_layers=1,
        n_heads=2,
        n_kv_heads=2,
        cap_feat_dim=16,
        axes_dims=[8, 4, 4],
        axes_lens=[256, 64, 64],
    )
    with torch.no_grad():  # which it leaves as the memory was
        transformer.x_pad_token.zero_()
        transformer.cap_pad_token.zero_()
    tokenizer = _pictures.qwen_tokenizer()
    return ZImagePipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(shift=3.0),
        vae=_pictures.autoencoder(16, scaling_factor=0.3611, shift_factor=0.1159),
        text_encoder=Qwen3Model(_pictures.qwen_config(len(tokenizer))),
        tokenizer=tokenizer,
        transformer=transformer,
    )


def klein() -> Any:
    # its pipeline takes no picture with a side under 64 pixels, hence size=96
    from diffusers import AutoencoderKLFlux2, FlowMatchEulerDiscreteScheduler, Flux2KleinPipeline, Flux2Transformer2DModel
    from transformers import Qwen3ForCausalLM

    tokenizer = _pictures.qwen_tokenizer()
    return Flux2KleinPipeline(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=AutoencoderKLFlux2(
            block_out_channels=(8, 8),
            down_block_types=("DownEncoderBlock2D",) * 2,
            up_block_types=("UpDecoderBlock2D",) * 2,
            layers_per_block=1,
            latent_channels=4,
            norm_num_groups=4,
            sample_size=_pictures.SIDE,
        ),
        text_encoder=Qwen3ForCausalLM(_pictures.qwen_config(len(tokenizer))),
        tokenizer=tokenizer,
        transformer=Flux2Transformer2DModel(
            in_channels=16,
            num_layers=1,
            num_single_layers=1,
            attention_head_dim=16,
            num_attention_heads=2,
            joint_attention_dim=48,
            timestep_guidance_channels=32,
            axes_dims_rope=(4, 4, 4, 4),
            guidance_embeds=False,
        ),
        is_distilled=True,
    )


def qwen_image(edits: bool = False) -> Any:
    """Qwen-Image, and the one that edits: which looks at a million pixels of the picture whatever
    its size, so that its autoencoder halves more often than the real one does, to be quick."""
    from diffusers import (
        AutoencoderKLQwenImage,
        FlowMatchEulerDiscreteScheduler,
        QwenImageEditPlusPipeline,
        QwenImagePipeline,
        QwenImageTransformer2DModel,
    )
    from transformers import (
        Qwen2_5_VLConfig,
        Qwen2_5_VLForConditionalGeneration,
        Qwen2VLImageProcessor,
        Qwen2VLProcessor,
        Qwen2VLVideoProcessor,
    )

    tokenizer = _pictures.qwen_tokenizer()
    seen = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    tokenizer.add_tokens(seen, special_tokens=True)
    start, end, image, video = tokenizer.convert_tokens_to_ids(seen)
    config = Qwen2_5_VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": 16,
            "intermediate_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 1000000.0},
        },
        vision_config={"depth": 1, "hidden_size": 16, "intermediate_size": 32, "num_heads": 2, "out_hidden_size": 16},
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    halvings = 5 if edits else 1
    parts = {
        "scheduler": FlowMatchEulerDiscreteScheduler(),
        "vae": AutoencoderKLQwenImage(
            base_dim=4,
            z_dim=4,
            dim_mult=[1] * (halvings + 1),
            num_res_blocks=1,
            temperal_downsample=[False] * halvings,
            latents_mean=[0.0] * 4,
            latents_std=[1.0] * 4,
        ),
        "text_encoder": Qwen2_5_VLForConditionalGeneration(config),
        "tokenizer": tokenizer,
        "transformer": QwenImageTransformer2DModel(
            in_channels=16,
            out_channels=4,
            num_layers=1,
            attention_head_dim=16,
            num_attention_heads=2,
            joint_attention_dim=16,
            axes_dims_rope=(4, 6, 6),
        ),
    }
    if not edits:
        return QwenImagePipeline(**parts)
    processor = Qwen2VLProcessor(Qwen2VLImageProcessor(), tokenizer, Qwen2VLVideoProcessor(), chat_template=tokenizer.chat_template)
    return QwenImageEditPlusPipeline(**parts, processor=processor)
