"""Tiny models that see: one of Qwen3-VL's kind and one of SmolVLM2's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import _words

ENTRIES: list[dict[str, Any]] = [
    {
        "id": "tiny/seeing",
        "licence": "CC0-1.0",
        "family": "seeing",
        "tier": "standard",  # before those that only write captions
        "tasks": ["image-to-text", "visual-question-answering", "document-question-answering", "video-text-to-text"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"pixels": 4096, "frames": 4, "tokens": 12},
    },
    {
        "id": "tiny/seeing-small",
        "licence": "CC0-1.0",
        "family": "seeing",
        "tier": "minimal",
        "tasks": ["image-to-text", "visual-question-answering", "video-text-to-text"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"pixels": 4096, "frames": 4, "tokens": 12},
    },
]


def make(folder: Path, id: str) -> None:
    _smol(folder) if id == "tiny/seeing-small" else _qwen(folder)


def _qwen(folder: Path) -> None:
    from transformers import Qwen2VLImageProcessor, Qwen3VLConfig, Qwen3VLForConditionalGeneration, Qwen3VLProcessor, Qwen3VLVideoProcessor

    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    tokenizer = _words.bytes_bpe(special, eos_token="<|im_end|>", pad_token="<|endoftext|>", model_max_length=1024)
    ids = dict(zip(special, tokenizer.convert_tokens_to_ids(special), strict=True))
    model = Qwen3VLForConditionalGeneration(
        Qwen3VLConfig(
            text_config={
                "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
                "num_key_value_heads": 1, "head_dim": 16, "max_position_embeddings": 1024, "initializer_range": 0.5,
                "rope_parameters": {"rope_type": "default", "mrope_section": [4, 2, 2], "mrope_interleaved": True, "rope_theta": 10000.0},
            },
            vision_config={
                "depth": 2, "hidden_size": 16, "intermediate_size": 32, "num_heads": 2, "patch_size": 8, "spatial_merge_size": 2,
                "temporal_patch_size": 2, "out_hidden_size": 32, "num_position_embeddings": 64, "deepstack_visual_indexes": [0],
                "initializer_range": 0.5,
            },
            image_token_id=ids["<|image_pad|>"], video_token_id=ids["<|video_pad|>"],
            vision_start_token_id=ids["<|vision_start|>"], vision_end_token_id=ids["<|vision_end|>"],
        )
    )  # fmt: skip
    model.generation_config.update(eos_token_id=[ids["<|im_end|>"], ids["<|endoftext|>"]], pad_token_id=ids["<|endoftext|>"])
    sizes = {"patch_size": 8, "merge_size": 2, "temporal_patch_size": 2}
    processor = Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessor(**sizes, size={"shortest_edge": 256, "longest_edge": 4096}),
        tokenizer=tokenizer,
        video_processor=Qwen3VLVideoProcessor(**sizes, size={"shortest_edge": 256, "longest_edge": 16384}),
        chat_template=_words.CHAT,
    )
    model.save_pretrained(folder)
    processor.save_pretrained(folder)


def _smol(folder: Path) -> None:
    from transformers import SmolVLMConfig, SmolVLMForConditionalGeneration, SmolVLMImageProcessor, SmolVLMVideoProcessor
    from transformers.models.smolvlm import processing_smolvlm

    processing_smolvlm.num2words = str  # the package of that name is not needed to save it
    special = ["<|endoftext|>", "<|im_start|>", "<end_of_utterance>", "<fake_token_around_image>", "<image>", "<global-img>", "<video>"]
    special += [f"<row_{r}_col_{c}>" for r in (1, 2) for c in (1, 2)]
    tokenizer = _words.bytes_bpe(
        special, 420, bos_token="<|im_start|>", eos_token="<end_of_utterance>", pad_token="<|endoftext|>", model_max_length=1024
    )
    text = {
        "model_type": "llama", "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 1024, "initializer_range": 0.5,
        "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip
    vision = {
        "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 32, "patch_size": 8,
        "initializer_range": 0.5,
    }  # fmt: skip
    image = tokenizer.convert_tokens_to_ids("<image>")
    model = SmolVLMForConditionalGeneration(
        SmolVLMConfig(text_config=text, vision_config=vision, image_token_id=image, scale_factor=2, pad_token_id=0)
    )
    model.generation_config.update(eos_token_id=2, pad_token_id=0)
    edges = {"size": {"longest_edge": 64}, "max_image_size": {"longest_edge": 32}}
    processor = processing_smolvlm.SmolVLMProcessor(
        image_processor=SmolVLMImageProcessor(**edges),
        tokenizer=tokenizer,
        video_processor=SmolVLMVideoProcessor(**edges, video_sampling={"max_frames": 4, "fps": 1, "video_size": {"longest_edge": 64}}),
        image_seq_len=4,  # (32 / 8)² / 2²
        chat_template=processing_smolvlm.DEFAULT_CHAT_TEMPLATE,
    )
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
