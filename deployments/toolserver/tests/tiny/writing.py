"""A tiny model that writes, of Qwen3's kind, and one that has no form of a chat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _words

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/writing",
        "licence": "CC0-1.0",
        "family": "writing",
        "tier": "standard",
        "tasks": ["text-generation", "summarization", "translation"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"tokens": 12, "longest": 24},
    },
    {
        "id": "tiny/writing-on",
        "licence": "CC0-1.0",
        "family": "writing",
        "tier": "minimal",
        "tasks": ["text-generation"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "options": {"tokens": 12, "context": 64},
    },
]


def make(folder: Path, id: str) -> None:
    from transformers import Qwen3Config, Qwen3ForCausalLM

    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    tokenizer = _words.bytes_bpe(special, eos_token="<|im_end|>", pad_token="<|endoftext|>", model_max_length=2048)
    if id == "tiny/writing":
        tokenizer.chat_template = _words.CHAT + "{% if enable_thinking is not false %}{{ '<think>' }}{% endif %}"
    model = Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer), hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
            num_key_value_heads=1, head_dim=16, max_position_embeddings=2048, initializer_range=0.5, eos_token_id=2, pad_token_id=0,
        )
    )  # fmt: skip
    # as Qwen3 comes: it would draw by lot if nothing is said
    model.generation_config.update(do_sample=True, temperature=0.6, top_k=20, top_p=0.95, eos_token_id=[2, 0], pad_token_id=0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
