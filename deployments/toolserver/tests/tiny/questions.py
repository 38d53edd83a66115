"""Tiny models that answer questions about pictures: a BLIP and a ViLT."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _words

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/questions",
        "licence": "CC0-1.0",
        "family": "questions",
        "tier": "minimal",
        "tasks": ["visual-question-answering"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
    },
    {
        "id": "tiny/questions-chosen",
        "licence": "CC0-1.0",
        "family": "questions",
        "tier": "minimal",
        "tasks": ["visual-question-answering"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
    },
]


def make(folder: Path, id: str) -> None:
    _vilt(folder) if id == "tiny/questions-chosen" else _blip(folder)


def _blip(folder: Path) -> None:
    from transformers import BlipConfig, BlipForQuestionAnswering, BlipImageProcessor, BlipProcessor

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
    BlipForQuestionAnswering(config).save_pretrained(folder)
    BlipProcessor(BlipImageProcessor(size={"height": 32, "width": 32}), tokenizer).save_pretrained(folder)


def _vilt(folder: Path) -> None:
    from transformers import ViltConfig, ViltForQuestionAnswering, ViltImageProcessor, ViltProcessor

    tokenizer = _words.pieces(model_max_length=32)
    answers = ["yes", "no", "red", "green", "two", "a cat", "a dog"]
    config = ViltConfig(**_words.bert(len(tokenizer), answers), image_size=32, patch_size=8)
    ViltForQuestionAnswering(config).save_pretrained(folder)
    ViltProcessor(ViltImageProcessor(size={"shortest_edge": 32}, size_divisor=8), tokenizer).save_pretrained(folder)
