"""Tiny finders of what words name: Grounding DINO and OWLv2."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

ENTRIES: list[dict[str, Any]] = [
    {
        "id": f"tiny/{name}",
        "licence": "Apache-2.0",
        "family": "grounding",
        "tier": "minimal",
        "tasks": ["zero-shot-object-detection"],
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        "options": {"threshold": 0.0},
    }
    for name in ("grounding-dino", "owlv2")
]


def letters(size: int, ended: bool = False) -> Any:
    """A tokenizer as BERT's, which knows letters; its own tokens have BERT's numbers, which
    Grounding DINO goes by. Where a text is ended, it is by the token of the largest number, which
    is where CLIP's encoder of texts, and so OWLv2's, has what it has read."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "?": 1029, ".": 1012}
    for i, letter in enumerate(string.ascii_lowercase + string.digits):
        vocabulary[letter], vocabulary[f"##{letter}"] = 200 + i, 300 + i
    used = set(vocabulary.values())
    vocabulary |= {f"[unused{i}]": i for i in range(size) if i not in used}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if ended:
        end = f"[unused{size - 1}]"
        tokenizer.post_processor = processors.TemplateProcessing(single=f"$A {end}", special_tokens=[(end, size - 1)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]")


def make(folder: Path, id: str) -> None:
    from transformers import (
        BertConfig,
        GroundingDinoConfig,
        GroundingDinoForObjectDetection,
        GroundingDinoImageProcessor,
        Owlv2Config,
        Owlv2ForObjectDetection,
        Owlv2ImageProcessor,
        SwinConfig,
    )

    letters(1100, ended=id == "tiny/owlv2").save_pretrained(folder)
    if id == "tiny/owlv2":
        both = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
        config = Owlv2Config(
            text_config={**both, "vocab_size": 1100, "bos_token_id": 0, "eos_token_id": 1099, "max_position_embeddings": 16},
            vision_config={**both, "image_size": 64, "patch_size": 16},
            projection_dim=16,
        )
        net = Owlv2ForObjectDetection(config)
        net.class_head.logit_scale.weight.data.normal_(std=2)
        net.save_pretrained(folder)
        Owlv2ImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
        return
    config = GroundingDinoConfig(
        backbone_config=SwinConfig(
            image_size=64, patch_size=4, embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 1, 2, 2], window_size=4, out_indices=[2, 3, 4]
        ),
        text_config=BertConfig(vocab_size=1100, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16),
        d_model=32,
        num_queries=10,
        encoder_layers=1,
        encoder_ffn_dim=16,
        encoder_attention_heads=2,
        decoder_layers=2,
        decoder_ffn_dim=16,
        decoder_attention_heads=2,
        max_text_len=40,
    )
    net = GroundingDinoForObjectDetection(config)
    net.model.text_projection.weight.data.normal_(std=2)
    net.save_pretrained(folder)
    GroundingDinoImageProcessor(size={"shortest_edge": 64, "longest_edge": 96}).save_pretrained(folder)
