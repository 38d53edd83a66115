"""A tiny model that tells what follows from a text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _words

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/sorting",
        "licence": "CC0-1.0",
        "family": "sorting",
        "tier": "minimal",
        "tasks": ["zero-shot-classification"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
    },
]


def make(folder: Path, id: str) -> None:
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = _words.pieces(model_max_length=32)
    labels = ["contradiction", "neutral", "entailment"]
    BertForSequenceClassification(BertConfig(**_words.bert(len(tokenizer), labels))).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
