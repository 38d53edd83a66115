"""An Audio Spectrogram Transformer of three classes."""

from __future__ import annotations

from pathlib import Path

ENTRIES = [
    {
        "id": "tiny/ast",
        "licence": "BSD-3-Clause",
        "family": "sounding",
        "tier": "minimal",
        "tasks": ["audio-classification"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"parts": 3},
    }
]


def make(folder: Path, id: str) -> None:
    from transformers import ASTConfig, ASTFeatureExtractor, ASTForAudioClassification

    labels = dict(enumerate(("Speech", "Music", "Dog")))
    config = ASTConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_length=128,
        num_mel_bins=32,
        initializer_range=1.0,
        id2label=labels,
        label2id={label: i for i, label in labels.items()},
    )
    ASTForAudioClassification(config).save_pretrained(folder)
    ASTFeatureExtractor(num_mel_bins=32, max_length=128).save_pretrained(folder)
