"""Tiny models that know classes: moods, of which one holds, and feelings, of which several may."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _words

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/labelling",
        "licence": "CC0-1.0",
        "family": "labelling",
        "tier": "minimal",
        "tasks": ["text-classification"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
    },
    {
        "id": "tiny/labelling-several",
        "licence": "CC0-1.0",
        "family": "labelling",
        "tier": "minimal",
        "tasks": ["text-classification"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
    },
]


def make(folder: Path, id: str) -> None:
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = _words.pieces(model_max_length=32)
    if id == "tiny/labelling":
        config = BertConfig(**_words.bert(len(tokenizer), ["negative", "neutral", "positive"]))
    else:
        labels = ["joy", "anger", "fear", "love"]
        config = BertConfig(**_words.bert(len(tokenizer), labels), problem_type="multi_label_classification")
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
