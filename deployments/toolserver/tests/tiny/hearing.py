"""A Whisper that hears windows of two seconds and writes bytes."""

from __future__ import annotations

from pathlib import Path

ENTRIES = [
    {
        "id": "tiny/whisper",
        "licence": "Apache-2.0",
        "family": "hearing",
        "tier": "minimal",
        "tasks": ["automatic-speech-recognition"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"fallback": {"temperature": [0.0, 0.5]}},
    }
]

SECONDS = 2  # of a window


def make(folder: Path, id: str) -> None:
    import torch
    from tokenizers import pre_tokenizers
    from transformers import (
        WhisperConfig,
        WhisperFeatureExtractor,
        WhisperForConditionalGeneration,
        WhisperProcessor,
        WhisperTokenizer,
    )

    vocabulary = {c: i for i, c in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = WhisperTokenizer(vocab=vocabulary | {"<|endoftext|>": 256}, merges=[])
    languages = [f"<|{code}|>" for code in ("en", "de", "fr")]
    special = ["<|startoftranscript|>", *languages, "<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>"]
    special += ["<|nospeech|>", "<|notimestamps|>"]
    tokenizer.add_special_tokens({"additional_special_tokens": special})
    tokenizer.add_tokens([f"<|{i * 0.02:.2f}|>" for i in range(SECONDS * 50 + 1)])
    at = tokenizer.convert_tokens_to_ids
    extractor = WhisperFeatureExtractor(feature_size=16, chunk_length=SECONDS)
    WhisperProcessor(extractor, tokenizer).save_pretrained(folder)
    model = WhisperForConditionalGeneration(
        WhisperConfig(
            vocab_size=len(tokenizer),
            num_mel_bins=16,
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=32,
            decoder_ffn_dim=32,
            max_source_positions=SECONDS * 50,
            max_target_positions=24,
            pad_token_id=256,
            bos_token_id=256,
            eos_token_id=256,
            decoder_start_token_id=at("<|startoftranscript|>"),
            init_std=1.0,  # weights so large that what is written hangs on what is heard
        )
    )
    with torch.no_grad():  # and on the language: else the place in the text outweighs it
        model.model.decoder.embed_positions.weight *= 0.1
    told = model.generation_config
    told._from_model_config = False  # such a one is read without what only Whisper has
    told.is_multilingual = True
    told.lang_to_id = {name: at(name) for name in languages}
    told.task_to_id = {"transcribe": at("<|transcribe|>"), "translate": at("<|translate|>")}
    told.no_timestamps_token_id = at("<|notimestamps|>")
    told.prev_sot_token_id = at("<|startofprev|>")
    told.max_initial_timestamp_index = 50
    told.alignment_heads = [[0, 0], [0, 1]]
    told.suppress_tokens = [at(s) for s in special]
    told.begin_suppress_tokens = [256]
    told.max_length = 24
    model.save_pretrained(folder)
