"""A Dia, and the codec that makes sound of what it says."""

from __future__ import annotations

from pathlib import Path

ENTRIES = [
    {
        "id": "tiny/dia",
        "licence": "Apache-2.0",
        "family": "speaking",
        "tier": "minimal",
        "tasks": ["text-to-speech"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "companions": {"codec": {"id": "tiny/dac", "licence": "MIT"}},
        "options": {"part": 24},
    }
]

RATE, HOP = 800, 64


def make(folder: Path, id: str) -> None:
    from transformers import DacConfig, DacModel, DiaConfig, DiaFeatureExtractor, DiaForConditionalGeneration, DiaTokenizer

    if id == "tiny/dac":
        config = DacConfig(
            encoder_hidden_size=4,
            downsampling_ratios=[4, 4, 4],
            decoder_hidden_size=16,
            n_codebooks=9,
            codebook_size=1024,
            codebook_dim=2,
            sampling_rate=RATE,
        )
        DacModel(config).save_pretrained(folder)
        return
    layers = {"num_hidden_layers": 1, "intermediate_size": 32, "head_dim": 8, "num_attention_heads": 2, "initializer_range": 0.5}
    config = DiaConfig(
        encoder_config={"hidden_size": 16, "num_key_value_heads": 2, "max_position_embeddings": 128, **layers},
        decoder_config={
            "hidden_size": 16,
            "num_key_value_heads": 1,
            "cross_num_attention_heads": 2,
            "cross_head_dim": 8,
            "cross_num_key_value_heads": 2,
            "cross_hidden_size": 16,
            "max_position_embeddings": 96,
            **layers,
        },
    )
    DiaForConditionalGeneration(config).save_pretrained(folder)
    DiaFeatureExtractor(sampling_rate=RATE, hop_length=HOP).save_pretrained(folder)
    DiaTokenizer().save_pretrained(folder)
