"""Models that make videos: Wan with words and with a picture, and CogVideoX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

OPTIONS = {"size": [48, 32], "frames": 5, "longest": 9, "rate": 8, "steps": 2, "guidance": 5}


def _entry(id: str, tasks: list[str], batch: int, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "licence": "Apache-2.0",
        "family": "filming",
        "tier": "minimal",
        "tasks": tasks,
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": batch,
        "options": OPTIONS | more,
    }


ENTRIES = [
    _entry("tiny/wan-ti2v", ["text-to-video", "image-to-video"], 2, negative="static"),
    _entry("tiny/wan-t2v-a14b", ["text-to-video"], 2, guidance_2=2),
    _entry("tiny/wan-i2v-a14b", ["image-to-video"], 1, guidance_2=2),
    _entry("tiny/cogvideox", ["text-to-video"], 2, text_on_cpu=True, tiling=[40, 48], frames=9),
]


def tokenizer() -> Any:
    """Cuts words into letters, as long as T5 wants them."""
    from . import _words

    return _words.bytes_bpe(["<pad>", "</s>", "<unk>"], pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=512)


def encoder(cls: str, words: int) -> Any:
    import transformers

    config = getattr(transformers, cls.replace("EncoderModel", "Config"))(
        vocab_size=words, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, pad_token_id=0, eos_token_id=1
    )
    return getattr(transformers, cls)(config)


def _wan(picture: bool, two: bool, joint: bool) -> Any:
    """joint: one model for words and pictures, whose picture is a frame without noise; else a
    picture goes in besides, as channels."""
    from diffusers import AutoencoderKLWan, UniPCMultistepScheduler, WanImageToVideoPipeline, WanPipeline, WanTransformer3DModel

    def network() -> Any:
        return WanTransformer3DModel(
            num_attention_heads=2,
            attention_head_dim=12,
            in_channels=36 if picture and not joint else 16,
            out_channels=16,
            text_dim=16,
            freq_dim=32,
            ffn_dim=32,
            num_layers=1,
            rope_max_seq_len=32,
        )

    words = tokenizer()
    parts = {
        "tokenizer": words,
        "text_encoder": encoder("UMT5EncoderModel", len(words)),
        "vae": AutoencoderKLWan(base_dim=3, num_res_blocks=1),
        "scheduler": UniPCMultistepScheduler(prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=3.0),
        "transformer": network(),
        "transformer_2": network() if two else None,
        "boundary_ratio": 0.9 if two else None,
        "expand_timesteps": joint,
    }
    if picture and not joint:
        return WanImageToVideoPipeline(**parts, image_encoder=None, image_processor=None)
    return WanPipeline(**parts)


def _cogvideox() -> Any:
    from diffusers import AutoencoderKLCogVideoX, CogVideoXDDIMScheduler, CogVideoXPipeline, CogVideoXTransformer3DModel

    words = tokenizer()
    return CogVideoXPipeline(
        tokenizer=words,
        text_encoder=encoder("T5EncoderModel", len(words)),
        vae=AutoencoderKLCogVideoX(
            down_block_types=("CogVideoXDownBlock3D",) * 4,
            up_block_types=("CogVideoXUpBlock3D",) * 4,
            block_out_channels=(8, 8, 8, 8),
            latent_channels=4,
            layers_per_block=1,
            norm_num_groups=2,
            temporal_compression_ratio=4,
        ),
        transformer=CogVideoXTransformer3DModel(
            num_attention_heads=2,
            attention_head_dim=16,
            in_channels=4,
            out_channels=4,
            time_embed_dim=2,
            text_embed_dim=16,
            num_layers=1,
            sample_width=6,
            sample_height=4,
            sample_frames=9,
            max_text_seq_length=226,
        ),
        scheduler=CogVideoXDDIMScheduler(),
    )


def make(folder: Path, id: str) -> None:
    made = {
        "tiny/wan-ti2v": lambda: _wan(picture=True, two=False, joint=True),
        "tiny/wan-t2v-a14b": lambda: _wan(picture=False, two=True, joint=False),
        "tiny/wan-i2v-a14b": lambda: _wan(picture=True, two=True, joint=False),
        "tiny/cogvideox": _cogvideox,
    }[id]()
    made.save_pretrained(folder)
