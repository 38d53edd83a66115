"""Parts of models that draw, small enough to draw with on a CPU at once.

The shapes of the networks follow what their classes want to hold together: a text encoder as
wide as the network's attention to it, groups that divide the channels.
"""

from __future__ import annotations

from typing import Any

SIDE = 64
"""The side of the square of as many pixels as the tiny models draw best (options.size)."""


def options(**more: Any) -> dict[str, Any]:
    return {"size": SIDE, "steps": 2} | more


def entry(id: str, family: str, tasks: list[str], **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "licence": "Apache-2.0",
        "family": family,
        "tier": "minimal",
        "tasks": tasks,
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
    } | more


def clip_tokenizer() -> Any:
    """Cuts words into letters."""
    from tokenizers import pre_tokenizers
    from transformers import CLIPTokenizer

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = [*letters, *(c + "</w>" for c in letters), "<|startoftext|>", "<|endoftext|>"]
    return CLIPTokenizer(vocab={p: i for i, p in enumerate(pieces)}, merges=[], model_max_length=77)


def clip_encoder(projected: bool = False) -> Any:
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection

    config = CLIPTextConfig(
        vocab_size=514,
        hidden_size=32,
        intermediate_size=37,
        num_attention_heads=4,
        num_hidden_layers=2,
        projection_dim=32,
        bos_token_id=512,
        eos_token_id=513,
        pad_token_id=513,
    )
    return (CLIPTextModelWithProjection if projected else CLIPTextModel)(config)


def autoencoder(latent: int = 4, **more: Any) -> Any:
    from diffusers import AutoencoderKL

    return AutoencoderKL(
        block_out_channels=(16, 16),
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        norm_num_groups=8,
        latent_channels=latent,
        sample_size=SIDE,
        **more,
    )


def wide(xl: bool) -> dict[str, Any]:
    """What a UNet and its control network have in common: XL is told sizes besides the text."""
    common: dict[str, Any] = {
        "block_out_channels": (16, 32),
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
        "layers_per_block": 1,
        "norm_num_groups": 8,
        "cross_attention_dim": 64 if xl else 32,
        "attention_head_dim": (2, 4),
    }
    if xl:
        common |= {
            "use_linear_projection": True,
            "addition_embed_type": "text_time",
            "addition_time_embed_dim": 8,
            "transformer_layers_per_block": (1, 2),
            "projection_class_embeddings_input_dim": 6 * 8 + 32,
        }
    return common


def unet(xl: bool = False, channels: int = 4, **more: Any) -> Any:
    from diffusers import UNet2DConditionModel

    return UNet2DConditionModel(
        sample_size=SIDE // 2, in_channels=channels, out_channels=4, up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), **wide(xl), **more
    )


def noise(kind: str = "EulerDiscreteScheduler") -> Any:
    """A sampler with the noise that Stable Diffusion was trained with."""
    import diffusers

    more = {"skip_prk_steps": True} if kind == "PNDMScheduler" else {}
    return getattr(diffusers, kind)(
        beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", steps_offset=1, timestep_spacing="leading", **more
    )


def stable(xl: bool = False, channels: int = 4) -> dict[str, Any]:
    """The parts of a Stable Diffusion."""
    known = {
        "vae": autoencoder(),
        "text_encoder": clip_encoder(),
        "tokenizer": clip_tokenizer(),
        "unet": unet(xl, channels),
        "scheduler": noise(),
        "feature_extractor": None,
    }
    if xl:
        return known | {"text_encoder_2": clip_encoder(projected=True), "tokenizer_2": clip_tokenizer()}
    return known | {"safety_checker": None, "requires_safety_checker": False}


def qwen_tokenizer() -> Any:
    """Cuts text into bytes, with the marks of a talk."""
    from tokenizers import pre_tokenizers
    from transformers import Qwen2Tokenizer

    from ._words import CHAT

    made = Qwen2Tokenizer(vocab={c: i for i, c in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}, merges=[])
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    made.chat_template = CHAT
    return made


def qwen_config(vocabulary: int, layers: int = 2) -> Any:
    from transformers import Qwen3Config

    return Qwen3Config(
        vocab_size=vocabulary,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=layers,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=8,
        max_position_embeddings=1024,
    )
