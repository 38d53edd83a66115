"""A ViViT of three classes, and an X-CLIP that knows words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FRAMES = 4


def _entry(id: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "licence": "MIT",
        "family": "watching",
        "tier": "minimal",
        "tasks": ["video-classification"],
        "precision": "float32",
        "memory": 64,
        "seconds": 1,
        "batch": 4,
        **more,
    }


ENTRIES = [_entry("tiny/vivit"), _entry("tiny/xclip", options={"labels": "videos"})]


def make(folder: Path, id: str) -> None:
    {"tiny/vivit": vivit, "tiny/xclip": xclip}[id](folder)


def vivit(folder: Path) -> None:
    from transformers import VivitConfig, VivitForVideoClassification, VivitImageProcessor

    labels = dict(enumerate(("dancing", "cooking", "swimming")))
    config = VivitConfig(
        image_size=32,
        num_frames=FRAMES,
        tubelet_size=[2, 16, 16],
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        initializer_range=1.0,
        id2label=labels,
        label2id={label: i for i, label in labels.items()},
    )
    VivitForVideoClassification(config).save_pretrained(folder)
    VivitImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}).save_pretrained(folder)


def xclip(folder: Path) -> None:
    from transformers import VideoMAEImageProcessor, XCLIPConfig, XCLIPModel, XCLIPProcessor, XCLIPTextConfig, XCLIPVisionConfig

    from . import _pictures

    small = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = XCLIPConfig(
        text_config=XCLIPTextConfig(vocab_size=514, bos_token_id=512, eos_token_id=513, pad_token_id=513, **small).to_dict(),
        vision_config=XCLIPVisionConfig(
            image_size=32, patch_size=16, num_frames=FRAMES, mit_hidden_size=16, mit_intermediate_size=32,
            mit_num_hidden_layers=1, mit_num_attention_heads=2, **small,
        ).to_dict(),
        projection_dim=16,
        prompt_layers=1,
        prompt_num_attention_heads=2,
        logit_scale_init_value=4.0,
    )  # fmt: skip
    XCLIPModel(config).save_pretrained(folder)
    images = VideoMAEImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    XCLIPProcessor(images, _pictures.clip_tokenizer()).save_pretrained(folder)
    images.save_pretrained(folder)
