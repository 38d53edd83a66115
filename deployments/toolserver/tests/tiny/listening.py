"""A Parakeet TDT that writes letters."""

from __future__ import annotations

from pathlib import Path

ENTRIES = [
    {
        "id": "tiny/parakeet",
        "licence": "CC-BY-4.0",
        "family": "listening",
        "tier": "minimal",
        "tasks": ["automatic-speech-recognition"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "options": {"part": 2},
    }
]


def make(folder: Path, id: str) -> None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import ParakeetFeatureExtractor, ParakeetForTDT, ParakeetProcessor, ParakeetTDTConfig, ParakeetTokenizer

    letters = ["▁", *"abcdefghijklmnopqrstuvwxyz.,?"]
    pieces = ["<unk>", "<pad>", *letters, *(f"▁{c}" for c in letters[1:27])]
    vocabulary = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, [], unk_token="<unk>"))
    vocabulary.pre_tokenizer = pre_tokenizers.Metaspace()
    vocabulary.decoder = decoders.Metaspace()
    tokenizer = ParakeetTokenizer(tokenizer_object=vocabulary, unk_token="<unk>", pad_token="<pad>")
    tokenizer.add_special_tokens({"additional_special_tokens": ["<blank>"]})
    blank = tokenizer.convert_tokens_to_ids("<blank>")
    extractor = ParakeetFeatureExtractor(feature_size=16)
    ParakeetProcessor(extractor, tokenizer, decoder_type="tdt").save_pretrained(folder)
    config = ParakeetTDTConfig(
        vocab_size=blank + 1,
        decoder_hidden_size=16,
        num_decoder_layers=1,
        pad_token_id=1,
        blank_token_id=blank,
        durations=[1, 2, 3],
        encoder_config={
            "hidden_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "intermediate_size": 32,
            "num_mel_bins": 16,
            "subsampling_conv_channels": 8,
            "initializer_range": 0.5,
        },
    )
    model = ParakeetForTDT(config)
    model.generation_config.decoder_start_token_id = blank
    model.generation_config.pad_token_id = 1
    model.save_pretrained(folder)
