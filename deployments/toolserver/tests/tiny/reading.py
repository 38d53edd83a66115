"""A tiny TrOCR."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _words

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/reading",
        "licence": "CC0-1.0",
        "family": "reading",
        "tier": "minimal",
        "tasks": ["image-to-text"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"tokens": 8},
    },
]


def make(folder: Path, id: str) -> None:
    from transformers import (
        TrOCRConfig,
        TrOCRProcessor,
        VisionEncoderDecoderConfig,
        VisionEncoderDecoderModel,
        ViTConfig,
        ViTImageProcessor,
    )

    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
    tokenizer = _words.bytes_bpe(["<s>", "<pad>", "</s>"], around=("<s>", "</s>"), model_max_length=32, **names)
    vision = ViTConfig(
        hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, image_size=32, patch_size=8, initializer_range=0.5
    )
    text = TrOCRConfig(
        vocab_size=len(tokenizer),
        d_model=16,
        decoder_layers=1,
        decoder_attention_heads=2,
        decoder_ffn_dim=16,
        max_position_embeddings=32,
        init_std=0.5,
        cross_attention_hidden_size=16,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
    )
    config = VisionEncoderDecoderConfig.from_encoder_decoder_configs(vision, text, decoder_start_token_id=2, pad_token_id=1, eos_token_id=2)
    model = VisionEncoderDecoderModel(config)
    model.generation_config.update(decoder_start_token_id=2, pad_token_id=1, eos_token_id=2)
    model.save_pretrained(folder)
    TrOCRProcessor(ViTImageProcessor(size={"height": 32, "width": 32}), tokenizer).save_pretrained(folder)
