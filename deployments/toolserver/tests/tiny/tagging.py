"""A tiny model that labels names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _words

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/tagging",
        "licence": "CC0-1.0",
        "family": "tagging",
        "tier": "minimal",
        "tasks": ["token-classification"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
    },
]


def make(folder: Path, id: str) -> None:
    from transformers import BertConfig, BertForTokenClassification

    tokenizer = _words.pieces(model_max_length=32)
    labels = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    model = BertForTokenClassification(BertConfig(**_words.bert(len(tokenizer), labels)))
    model.classifier.bias.data[0] = -1  # so that it finds a name in nearly every text
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
