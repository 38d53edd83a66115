"""A tiny BART."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _words

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/summarising",
        "licence": "CC0-1.0",
        "family": "summarising",
        "tier": "minimal",
        "tasks": ["summarization"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"tokens": 12},
    },
]


def make(folder: Path, id: str) -> None:
    from transformers import BartConfig, BartForConditionalGeneration

    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
    tokenizer = _words.bytes_bpe(["<s>", "<pad>", "</s>"], around=("<s>", "</s>"), model_max_length=64, **names)
    model = BartForConditionalGeneration(
        BartConfig(
            vocab_size=len(tokenizer), d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=16, decoder_ffn_dim=16, max_position_embeddings=64, init_std=0.5, bos_token_id=0, pad_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=2, forced_eos_token_id=2,
        )
    )  # fmt: skip
    model.generation_config.update(
        num_beams=2, min_length=4, max_length=20, no_repeat_ngram_size=3, length_penalty=2.0, early_stopping=True
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
