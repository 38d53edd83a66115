"""A tiny Donut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _words

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/documents",
        "licence": "CC0-1.0",
        "family": "documents",
        "tier": "minimal",
        "tasks": ["document-question-answering"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
    },
]


def make(folder: Path, id: str) -> None:
    from transformers import (
        DonutImageProcessor,
        DonutProcessor,
        DonutSwinConfig,
        MBartConfig,
        VisionEncoderDecoderConfig,
        VisionEncoderDecoderModel,
    )

    special = ["<s>", "<pad>", "</s>", "<s_docvqa>", "<s_question>", "</s_question>", "<s_answer>", "</s_answer>"]
    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
    tokenizer = _words.bytes_bpe(special, around=("<s>", "</s>"), model_max_length=64, **names)
    vision = DonutSwinConfig(
        image_size=[32, 32], patch_size=4, embed_dim=8, depths=[1, 1], num_heads=[2, 2], window_size=4, initializer_range=0.5
    )
    text = MBartConfig(
        vocab_size=len(tokenizer),
        d_model=16,
        decoder_layers=1,
        decoder_attention_heads=2,
        decoder_ffn_dim=16,
        max_position_embeddings=48,
        init_std=0.5,
        is_decoder=True,
        add_cross_attention=True,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
    )
    config = VisionEncoderDecoderConfig.from_encoder_decoder_configs(vision, text, decoder_start_token_id=3, pad_token_id=1, eos_token_id=2)
    model = VisionEncoderDecoderModel(config)
    model.generation_config.update(decoder_start_token_id=3, pad_token_id=1, eos_token_id=2)
    model.save_pretrained(folder)
    DonutProcessor(DonutImageProcessor(size={"height": 32, "width": 32}), tokenizer).save_pretrained(folder)
