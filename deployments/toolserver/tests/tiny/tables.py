"""A tiny TAPAS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _words

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/tables",
        "licence": "CC0-1.0",
        "family": "tables",
        "tier": "minimal",
        "tasks": ["table-question-answering"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
    },
]


def make(folder: Path, id: str) -> None:
    from transformers import TapasConfig, TapasForQuestionAnswering, TapasTokenizer

    words = sorted(_words.pieces().get_vocab().items(), key=lambda pair: pair[1])
    (folder / "vocab.txt").write_text("\n".join(["[EMPTY]", *(word for word, _ in words)]), encoding="utf-8")
    tokenizer = TapasTokenizer(folder / "vocab.txt", model_max_length=128)
    config = TapasConfig(
        **_words.bert(len(tokenizer), []) | {"max_position_embeddings": 128, "id2label": None, "label2id": None},
        num_aggregation_labels=4, aggregation_labels={0: "NONE", 1: "SUM", 2: "AVERAGE", 3: "COUNT"}, no_aggregation_label_index=0,
        cell_selection_preference=0.2, select_one_column=True,
    )  # fmt: skip
    model = TapasForQuestionAnswering(config)
    model.output_bias.data.fill_(2.0)  # so that it chooses a cell for nearly every question
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
