"""Segment Anything: SAM (Kirillov et al. 2023) and SAM 2.1 (Ravi et al. 2024).

What is outlined is what points, boxes or a rough mask mean; without them all that there is,
found as the authors' automatic mask generator does: a grid of points, three masks for each,
of which those stay that the model is sure of, that hardly change with the threshold, and that
no surer one repeats. Masks have no names, so that labels are empty.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from PIL import Image
from scipy import ndimage
from torch.nn import functional
from torchvision.ops import masks_to_boxes, nms

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _seeing

TASKS = frozenset({"mask-generation"})

ARCHITECTURES = {
    "SamModel": "SamModel",
    "Sam2Model": "Sam2Model",
    # the hub's SAM 2.1 is the one for videos, whose part for pictures is the same
    "Sam2VideoModel": "Sam2Model",
}

AT_ONCE = 64
"""The batch size for points of the grid."""
MOST = 128
"""The maximum number of masks in an answer."""
MOST_PIXELS = 600_000_000
"""Of all masks of an answer together, which are in the size of the picture: fewer masks of
large pictures."""
SURE = 8.0
"""The logit of a rough mask: confident, but low enough for the model to correct it."""


@dataclass(frozen=True)
class Hint:
    """What means one thing, in pixels of the picture."""

    points: Sequence[tuple[float, float]] = ()
    labels: Sequence[int] = ()
    box: Sequence[float] | None = None
    rough: np.ndarray | None = None
    """Whether each pixel is meant."""


@dataclass(frozen=True)
class Seen:
    """A picture that the model has looked at."""

    embeddings: Any
    size: tuple[int, int]
    """Its width and height."""
    inner: tuple[int, int]
    """Width and height that it has within the square that the model sees."""
    side: int
    """Of that square."""


class Anything:
    def __init__(self, model: Model, place: Place) -> None:
        self.place = place
        options = model.options
        self.grid = int(options.get("points", 32))
        self.least_score = float(options.get("score", 0.8))
        self.least_stability = float(options.get("stability", 0.95))
        self.overlap = float(options.get("overlap", 0.7))
        self.processor = _seeing.open_processor(place.folder)
        name = ARCHITECTURES[_seeing.architecture(place.folder, ARCHITECTURES)]
        self.net = _seeing.open_model(place.folder, place, name)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.net]

    def key(self, request: Request) -> Hashable | None:
        # what takes long is the looking, which pictures can share; all things of a picture take
        # the device for themselves
        return request.task if self._hinted(request) else None

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        step(0)
        images = [_seeing.picture(request) for request in requests]
        hints = [self._hints(request, image) for request, image in zip(requests, images, strict=True)]
        seen = self._look(images)
        results: list[Result] = []
        for i, (wanted, one) in enumerate(zip(hints, seen, strict=True)):
            start, share = i / len(seen), 1 / len(seen)
            step(start + share / 10)
            results.append(self._meant(one, wanted) if wanted else self._everything(one, lambda done, s=start, h=share: step(s + h * done)))
        step(1)
        return results

    @staticmethod
    def _hinted(request: Request) -> bool:
        return any(request.parameters.get(name) is not None for name in ("points", "boxes", "mask_image"))

    def _hints(self, request: Request, image: Image.Image) -> list[Hint]:
        """What is meant; empty where everything is."""
        given = request.parameters
        if given.get("prompt"):
            raise Fault("invalid_parameter", "This model outlines what points, boxes or a mask mean, and takes no words.")
        points = [(float(x), float(y)) for x, y in given.get("points") or []]
        labels = [int(label) for label in given.get("labels") or [1] * len(points)]
        if any(not (0 <= x < image.width and 0 <= y < image.height) for x, y in points):
            raise Fault("invalid_input", "A point lies outside of the picture.")
        boxes = []
        for x0, y0, x1, y1 in given.get("boxes") or []:
            box = (max(x0, 0), max(y0, 0), min(x1, image.width), min(y1, image.height))
            if box[0] >= box[2] or box[1] >= box[3]:
                raise Fault("invalid_input", "A box lies outside of the picture.")
            boxes.append(box)
        if given.get("mask_image") is not None:
            return [self._rough(given["mask_image"], points, labels, boxes)]
        if len(boxes) > 1:
            # points say more about each of them: those that lie in it
            return [Hint(*_within(points, labels, box), box=box) for box in boxes]
        if points or boxes:
            return [Hint(points, labels, boxes[0] if boxes else None)]
        return []

    @staticmethod
    def _rough(mask: Image.Image, points: list[tuple[float, float]], labels: list[int], boxes: list[Any]) -> Hint:
        """A rough mask: itself, the box around it, and the place deepest inside of it."""
        meant = np.asarray(mask.convert("L")) >= 128
        if not meant.any():
            raise Fault("invalid_input", "The mask covers nothing.")
        rows, columns = np.flatnonzero(meant.any(1)), np.flatnonzero(meant.any(0))
        around = (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
        if not points:
            # what lies beyond the picture counts as outside, so that a mask of all has its middle inside
            y, x = np.unravel_index(
                int(np.argmax(ndimage.distance_transform_cdt(np.pad(meant, 1)))), (meant.shape[0] + 2, meant.shape[1] + 2)
            )
            points, labels = [(float(x) - 1, float(y) - 1)], [1]
        return Hint(points, labels, boxes[0] if boxes else [float(side) for side in around], meant)

    def _look(self, images: Sequence[Image.Image]) -> list[Seen]:
        inputs = self.processor(images=list(images), return_tensors="pt", device=self.place.device)
        pixels = inputs["pixel_values"]
        made = self.net.get_image_embeddings(pixels.to(self.place.device, self.place.dtype))
        side = int(pixels.shape[-1])
        # SAM keeps the shape and pads, SAM 2 brings all to a square
        inner = inputs.get("reshaped_input_sizes")
        seen = []
        for i, image in enumerate(images):
            own = [level[i : i + 1] for level in made] if isinstance(made, (list, tuple)) else made[i : i + 1]
            height, width = (int(s) for s in inner[i]) if inner is not None else (side, side)
            seen.append(Seen(own, image.size, (width, height), side))
        return seen

    def _decode(self, seen: Seen, multiple: bool, points: Any, labels: Any, box: Any = None, rough: Any = None) -> tuple[Any, Any]:  # noqa: ANN401
        """Logits, objects by masks by height by width, of low resolution, and how sure the model is
        of each. points are objects by points by 2, in the pixels of the picture."""
        scale = torch.tensor([seen.inner[0] / seen.size[0], seen.inner[1] / seen.size[1]])
        device = self.place.device
        more: dict[str, Any] = {}
        if points is not None:
            more["input_points"] = (torch.as_tensor(points, dtype=torch.float32) * scale)[None].to(device, self.place.dtype)
            more["input_labels"] = torch.as_tensor(labels, dtype=torch.int64)[None].to(device)
        if box is not None:
            more["input_boxes"] = (
                (torch.as_tensor(box, dtype=torch.float32).reshape(1, 2, 2) * scale).reshape(1, 1, 4).to(device, self.place.dtype)
            )
        if rough is not None:
            more["input_masks"] = rough.to(device, self.place.dtype)
        out = self.net(image_embeddings=seen.embeddings, multimask_output=multiple, **more)
        return out.pred_masks[0].float(), out.iou_scores[0].float()

    def _low(self, seen: Seen, meant: np.ndarray) -> torch.Tensor:
        """A rough mask as the model takes one: logits, a quarter of its square."""
        square = torch.full((1, 1, seen.side, seen.side), -SURE)
        width, height = seen.inner
        logits = torch.from_numpy(meant.astype(np.float32))[None, None] * 2 * SURE - SURE
        square[..., :height, :width] = functional.interpolate(logits, (height, width), mode="bilinear", antialias=True)
        return functional.interpolate(square, (seen.side // 4, seen.side // 4), mode="bilinear", antialias=True)

    @staticmethod
    def _within(seen: Seen, logits: torch.Tensor) -> torch.Tensor:
        """The part of masks of low resolution that has the picture, without what is padded."""
        height, width = logits.shape[-2:]
        inner_width, inner_height = (max(round(s / seen.side * of), 1) for s, of in zip(seen.inner, (width, height), strict=True))
        return logits[..., :inner_height, :inner_width]

    @staticmethod
    def _full(seen: Seen, logits: torch.Tensor) -> np.ndarray:
        """A mask in the size of the picture, of its logits of low resolution."""
        grown = functional.interpolate(logits[None, None], (seen.size[1], seen.size[0]), mode="bilinear")[0, 0]
        meant: np.ndarray = (grown > 0).cpu().numpy()
        return meant

    def _meant(self, seen: Seen, hints: Sequence[Hint]) -> list[dict[str, Any]]:
        told = []
        for hint in hints:
            # a single point may mean a part or the whole: the model says which of three it is surest of
            multiple = hint.box is None and hint.rough is None and len(hint.points) == 1
            logits, scores = self._decode(
                seen,
                multiple,
                [list(hint.points)] if hint.points else None,
                [list(hint.labels)] if hint.points else None,
                hint.box,
                None if hint.rough is None else self._low(seen, hint.rough),
            )
            best = int(scores[0].argmax())
            told.append(_told(self._full(seen, self._within(seen, logits[0, best])), float(scores[0, best])))
        return told

    def _everything(self, seen: Seen, step: Step) -> list[dict[str, Any]]:
        width, height = seen.size
        at = (np.arange(self.grid) + 0.5) / self.grid
        grid = np.stack(np.meshgrid(at * width, at * height), -1).reshape(-1, 1, 2)
        kept_logits, kept_scores, kept_boxes = [], [], []
        for start in range(0, len(grid), AT_ONCE):
            points = grid[start : start + AT_ONCE]
            logits, scores = self._decode(seen, True, points, np.ones(points.shape[:2], dtype=np.int64))
            logits, scores = self._within(seen, logits.flatten(0, 1)), scores.flatten()
            meant = logits > 0
            area = meant.sum((-2, -1))
            # the share of a mask that stays when it has to be surer, of what it is when it may be less sure
            stable = (logits > 1).sum((-2, -1)) / (logits > -1).sum((-2, -1)).clamp(min=1)
            keep = (scores > self.least_score) & (stable >= self.least_stability) & (area > 0)
            kept_logits.append(logits[keep])
            kept_scores.append(scores[keep])
            kept_boxes.append(masks_to_boxes(meant[keep]) if keep.any() else logits.new_zeros((0, 4)))
            step(min(0.1 + 0.8 * (start + len(points)) / len(grid), 0.9))
        logits, scores, boxes = torch.cat(kept_logits), torch.cat(kept_scores), torch.cat(kept_boxes)
        # of a pixel's width, so that masks of a single row have an area too
        order = nms(boxes + boxes.new_tensor([0, 0, 1, 1]), scores, self.overlap)
        most = max(1, min(MOST, MOST_PIXELS // (width * height)))
        told = []
        for i in order[:most].tolist():
            cover = self._full(seen, logits[i])
            if cover.any():
                told.append(_told(cover, float(scores[i])))
        return told


def _within(
    points: Sequence[tuple[float, float]], labels: Sequence[int], box: Sequence[float]
) -> tuple[list[tuple[float, float]], list[int]]:
    inside = [i for i, (x, y) in enumerate(points) if box[0] <= x < box[2] and box[1] <= y < box[3]]
    return [points[i] for i in inside], [labels[i] for i in inside]


def _told(cover: np.ndarray, score: float) -> dict[str, Any]:
    return {"label": "", "score": _seeing.score(score), "mask": _seeing.mask(cover)}


def load(model: Model, place: Place) -> Anything:
    return Anything(model, place)
