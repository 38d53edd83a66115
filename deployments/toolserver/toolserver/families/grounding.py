"""Finders of what words name: Grounding DINO (Liu et al. 2023) and OWLv2 (Minderer et al. 2023).

The answer is that of the hub's zero-shot-object-detection; each label is one of those asked for,
as it was asked for.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import torch
from PIL import Image
from torchvision.ops import batched_nms, box_convert

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _seeing

TASKS = frozenset({"zero-shot-object-detection"})

ARCHITECTURES = frozenset({"GroundingDinoForObjectDetection", "MMGroundingDinoForObjectDetection", "Owlv2ForObjectDetection"})

OVERLAP = 0.7
"""The maximum overlap of boxes with the same label; of those above it only the most confident is kept."""
MOST = 300
"""The maximum number of boxes in an answer."""


class Finder:
    """What both have in common."""

    threshold = 0.3

    def __init__(self, model: Model, place: Place, name: str) -> None:
        self.place = place
        self.default = float(model.options.get("threshold", self.threshold))
        self.processor = _seeing.open_processor(place.folder)
        self.tokenizer = _seeing.open_tokenizer(place.folder)
        self.net = _seeing.open_model(place.folder, place, name)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.net]

    def key(self, request: Request) -> Hashable:
        return request.task, tuple(request.parameters["candidate_labels"]), _seeing.shape_key(self.processor, request)

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        labels = [str(label) for label in requests[0].parameters["candidate_labels"]]
        images = [_seeing.picture(request) for request in requests]
        pixels = _seeing.moved(self.processor(images=images, return_tensors="pt", device=self.place.device), self.place)
        parts = self.parts(labels)
        boxes, scores = [], []
        for i, part in enumerate(parts):
            step(i / len(parts))
            found = self.look(pixels, part, images)
            boxes.append(found[0])
            scores.append(found[1])
        step(1)
        # by pictures, boxes and labels; every part of the labels has boxes of its own
        told: list[Result] = []
        for i, (request, image) in enumerate(zip(requests, images, strict=True)):
            sure = torch.block_diag(*(one[i] for one in scores))  # type: ignore[no-untyped-call]
            told.append(self._told(request, labels, torch.cat([one[i] for one in boxes]), sure, image.size))
        return told

    def parts(self, labels: list[str]) -> list[list[str]]:
        """The labels that are looked for in one go."""
        return [labels]

    def look(self, pixels: dict[str, Any], labels: list[str], images: Sequence[Image.Image]) -> tuple[Any, Any]:
        """Boxes in pixels, pictures by boxes by 4, and how sure each is of each label, pictures
        by boxes by labels."""
        raise NotImplementedError

    def _told(self, request: Request, labels: list[str], boxes: Any, scores: Any, size: tuple[int, int]) -> list[dict[str, Any]]:  # noqa: ANN401
        sure, which = scores.max(-1)
        keep = sure >= float(request.parameters.get("threshold", self.default))
        boxes, sure, which = boxes[keep], sure[keep], which[keep]
        told = []
        for i in batched_nms(boxes, sure, which, OVERLAP)[:MOST].tolist():
            box = _seeing.box(boxes[i].tolist(), size)
            if box is not None:
                told.append({"label": labels[int(which[i])], "score": _seeing.score(float(sure[i])), "box": box})
        return told


class GroundingDino(Finder):
    """Reads all labels as one text, "a cat. a dog.", and says of each of its words how much of it
    is in each box; a label is as sure as the surest of its words."""

    threshold = 0.3

    def __init__(self, model: Model, place: Place, name: str) -> None:
        super().__init__(model, place, name)
        self.room = int(self.net.config.max_text_len) - 2

    def _words(self, label: str) -> list[int]:
        """Its tokens with the dot behind them, which parts labels, and so is in none."""
        tokens = self.tokenizer(label.lower().replace(".", " "), add_special_tokens=False)["input_ids"]
        if not tokens:
            raise Fault("invalid_parameter", "A label of candidate_labels has no words.")
        return [*tokens[: self.room - 1], self.tokenizer.convert_tokens_to_ids(".")]

    def parts(self, labels: list[str]) -> list[list[str]]:
        parts: list[list[str]] = [[]]
        room = self.room
        for label in labels:
            length = len(self._words(label))
            if length > room:
                parts.append([])
                room = self.room
            parts[-1].append(label)
            room -= length
        return parts

    def look(self, pixels: dict[str, Any], labels: list[str], images: Sequence[Image.Image]) -> tuple[Any, Any]:
        tokens, spans = [self.tokenizer.cls_token_id], []
        for label in labels:
            words = self._words(label)
            spans.append((len(tokens), len(tokens) + len(words) - 1))
            tokens += words
        text = torch.tensor([[*tokens, self.tokenizer.sep_token_id]] * len(images), device=self.place.device)
        out = self.net(**pixels, input_ids=text, token_type_ids=torch.zeros_like(text), attention_mask=torch.ones_like(text))
        shares = out.logits.float().sigmoid()
        scores = torch.stack([shares[..., start:end].amax(-1) for start, end in spans], -1)
        scale = torch.tensor([[image.width, image.height] * 2 for image in images], device=self.place.device)
        boxes = box_convert(out.pred_boxes.float(), "cxcywh", "xyxy") * scale[:, None]
        return boxes.cpu(), scores.cpu()


class Owl(Finder):
    """Reads each label for itself."""

    threshold = 0.2

    def look(self, pixels: dict[str, Any], labels: list[str], images: Sequence[Image.Image]) -> tuple[Any, Any]:
        room = int(self.net.config.text_config.max_position_embeddings)
        # the words that it was trained with
        text = self.tokenizer(
            [f"a photo of a {label}" for label in labels], padding="max_length", max_length=room, truncation=True, return_tensors="pt"
        )
        words = {name: text[name].repeat(len(images), 1).to(self.place.device) for name in ("input_ids", "attention_mask")}
        out = self.net(pixel_values=pixels["pixel_values"], **words)
        # its square is the picture with what is padded at the right or below
        side = torch.tensor([max(image.size) for image in images], device=self.place.device)
        boxes = box_convert(out.pred_boxes.float(), "cxcywh", "xyxy") * side[:, None, None]
        return boxes.cpu(), out.logits.float().sigmoid().cpu()


def load(model: Model, place: Place) -> Finder:
    name = _seeing.architecture(place.folder, ARCHITECTURES)
    return (Owl if name == "Owlv2ForObjectDetection" else GroundingDino)(model, place, name)
