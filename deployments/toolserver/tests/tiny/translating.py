"""Tiny models that translate: one of MADLAD-400's kind and one of M2M100's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toolserver.families import _tongues

from . import _words

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/translating",
        "licence": "CC0-1.0",
        "family": "translating",
        "tier": "minimal",
        "tasks": ["translation"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"sentences": 4},
    },
    {
        "id": "tiny/translating-pairs",
        "licence": "CC0-1.0",
        "family": "translating",
        "tier": "minimal",
        "tasks": ["translation"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"sentences": 4},
    },
]


def make(folder: Path, id: str) -> None:
    _pairs(folder) if id == "tiny/translating-pairs" else _marks(folder)


def _marks(folder: Path) -> None:
    from transformers import T5Config, T5ForConditionalGeneration

    # MADLAD-400 has Filipino and no Tagalog
    special = ["<pad>", "</s>", "<unk>", *(f"<2{'fil' if code == 'tl' else code}>" for code in _tongues.NAMES)]
    tokenizer = _words.bytes_bpe(special, 500, around=("", "</s>"), pad_token="<pad>", eos_token="</s>", model_max_length=128)
    model = T5ForConditionalGeneration(
        T5Config(
            vocab_size=len(tokenizer), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, pad_token_id=0, eos_token_id=1,
            decoder_start_token_id=0, initializer_factor=3.0, tie_word_embeddings=False,
        )
    )  # fmt: skip
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _pairs(folder: Path) -> None:
    import json

    import sentencepiece
    from transformers import M2M100Config, M2M100ForConditionalGeneration, M2M100Tokenizer

    with (folder / "made.model").open("wb") as out:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(_words.SENTENCES), model_writer=out, vocab_size=100, hard_vocab_limit=False, minloglevel=2
        )
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "made.model"))
    words = ["<s>", "<pad>", "</s>", "<unk>", *(pieces.id_to_piece(i) for i in range(3, pieces.get_piece_size()))]
    (folder / "made.json").write_text(json.dumps({word: i for i, word in enumerate(words)}), encoding="utf-8")
    tokenizer = M2M100Tokenizer(str(folder / "made.json"), str(folder / "made.model"), model_max_length=128)
    model = M2M100ForConditionalGeneration(
        M2M100Config(
            vocab_size=len(words) + 108, d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
            decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, max_position_embeddings=128, init_std=0.5,
        )
    )  # fmt: skip
    model.generation_config.update(num_beams=2)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "made.json").unlink()
    (folder / "made.model").unlink()
