"""A tiny BLIP that writes captions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _words

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/captioning",
        "licence": "CC0-1.0",
        "family": "captioning",
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
    from transformers import BlipConfig, BlipForConditionalGeneration, BlipImageProcessor, BlipProcessor

    tokenizer = _words.pieces(model_max_length=32)
    names = tokenizer.get_vocab()
    config = BlipConfig(
        text_config={
            **_words.bert(len(tokenizer), []),
            "encoder_hidden_size": 16,
            "projection_dim": 16,
            "bos_token_id": names["[DEC]"],
            "pad_token_id": names["[PAD]"],
            "eos_token_id": names["[SEP]"],
            "sep_token_id": names["[SEP]"],
        },
        vision_config={
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": 32,
            "patch_size": 8,
            "initializer_range": 0.5,
        },
        initializer_range=0.5,
    )
    BlipForConditionalGeneration(config).save_pretrained(folder)
    BlipProcessor(BlipImageProcessor(size={"height": 32, "width": 32}), tokenizer).save_pretrained(folder)
