"""An ACE-Step that makes music of 800 samples a second."""

from __future__ import annotations

from pathlib import Path

ENTRIES = [
    {
        "id": "tiny/ace-step",
        "licence": "MIT",
        "family": "playing",
        "tier": "minimal",
        "tasks": ["text-to-audio"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 2,
        "options": {"seconds": 2, "shortest": 1, "longest": 4, "steps": 2, "guidance": 1},
    }
]


def make(folder: Path, id: str) -> None:
    from diffusers import AceStepPipeline, AceStepTransformer1DModel, AutoencoderOobleck, FlowMatchEulerDiscreteScheduler
    from diffusers.pipelines.ace_step import AceStepConditionEncoder
    from transformers import Qwen3Model

    from . import _pictures

    words = _pictures.qwen_tokenizer()
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 32}
    AceStepPipeline(
        vae=AutoencoderOobleck(
            encoder_hidden_size=4,
            downsampling_ratios=[4, 8],
            channel_multiples=[1, 2],
            decoder_channels=4,
            decoder_input_channels=8,
            sampling_rate=800,
        ),
        text_encoder=Qwen3Model(_pictures.qwen_config(len(words))),
        tokenizer=words,
        transformer=AceStepTransformer1DModel(
            hidden_size=16, num_hidden_layers=2, in_channels=24, audio_acoustic_hidden_dim=8, sliding_window=16, is_turbo=True, **heads
        ),
        condition_encoder=AceStepConditionEncoder(
            hidden_size=16,
            text_hidden_dim=16,
            timbre_hidden_dim=8,
            num_lyric_encoder_hidden_layers=2,
            num_timbre_encoder_hidden_layers=2,
            sliding_window=16,
            **heads,
        ),
        scheduler=FlowMatchEulerDiscreteScheduler(num_train_timesteps=1, shift=1.0),
    ).save_pretrained(folder)
