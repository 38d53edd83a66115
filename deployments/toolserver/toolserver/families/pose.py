"""Where people's joints are: a detector of people, and ViTPose (Xu et al. 2022) for each of them.

The detector is the companion "detector", one that the family detecting loads. The answer has
the seventeen points of COCO for each person, in pixels; as a map (control_mode pose) people are
drawn as OpenPose draws them, which is what models that follow a pose have learnt.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import torch
from PIL import Image, ImageDraw

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _seeing, detecting

TASKS = frozenset({"keypoint-detection", "image-to-image+control"})

COCO = (
    "nose", "left_eye", "right_eye", "left_ear", "right_ear", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow",
    "left_wrist", "right_wrist", "left_hip", "right_hip", "left_knee", "right_knee", "left_ankle", "right_ankle",
)  # fmt: skip
JOINTS = (
    "nose", "neck", "right_shoulder", "right_elbow", "right_wrist", "left_shoulder", "left_elbow", "left_wrist", "right_hip",
    "right_knee", "right_ankle", "left_hip", "left_knee", "left_ankle", "right_eye", "left_eye", "right_ear", "left_ear",
)  # fmt: skip
"""OpenPose's points; the neck is between the shoulders."""
LIMBS = (
    (1, 2), (1, 5), (2, 3), (3, 4), (5, 6), (6, 7), (1, 8), (8, 9), (9, 10), (1, 11), (11, 12), (12, 13), (1, 0), (0, 14), (14, 16),
    (0, 15), (15, 17),
)  # fmt: skip
LEAST = 0.3
"""The minimum confidence of a point to draw."""
PEOPLE = 50
"""The maximum number of persons, the most confident first."""
AT_ONCE = 16
"""The batch size, in persons."""


class Pose:
    def __init__(self, model: Model, place: Place) -> None:
        self.place = place
        if "detector" not in place.companions:
            raise Fault("weights_missing", "The model's companion, a detector of people, is missing.")
        self.detector = detecting.Detector(model, Place(place.companions["detector"], place.device, place.dtype))
        self.person = str(model.options.get("person", "person"))
        self.threshold = float(model.options.get("threshold", 0.3))
        self.processor = _seeing.open_processor(place.folder)
        self.net = _seeing.open_model(place.folder, place, _seeing.architecture(place.folder, {"VitPoseForPoseEstimation"}))
        self.expert = int(getattr(self.net.config.backbone_config, "num_experts", 1)) > 1

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.detector.net, self.net]

    def key(self, request: Request) -> Hashable:
        return request.task, _seeing.shape_key(self.detector.processor, request)

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        step(0)
        if any(request.parameters.get("control_mode", "pose") != "pose" for request in requests):
            raise Fault("invalid_parameter", "This model makes maps of people's poses only.")
        images = [_seeing.picture(request) for request in requests]
        thresholds = [float(request.parameters.get("threshold", self.threshold)) for request in requests]
        found = self.detector.find(images, min(thresholds))
        results: list[Result] = []
        for i, (request, image, one) in enumerate(zip(requests, images, found, strict=True)):
            step(0.2 + 0.8 * i / len(images))
            people = self._people(image, self._boxes(one, thresholds[i], image.size), step, 0.2 + 0.8 * i / len(images))
            results.append(draw(image.size, people) if "control_mode" in request.parameters else people)
        step(1)
        return results

    def _boxes(self, found: dict[str, torch.Tensor], threshold: float, size: tuple[int, int]) -> list[tuple[float, list[float]]]:
        """The persons that were found, with their boxes: left, top, width, height."""
        boxes = []
        for sure, label, sides in zip(found["scores"].tolist(), found["labels"].tolist(), found["boxes"].tolist(), strict=True):
            box = _seeing.box(sides, size)
            if sure >= threshold and box is not None and self.detector.labels.get(label, "").lower() == self.person:
                boxes.append(
                    (sure, [float(box["xmin"]), float(box["ymin"]), float(box["xmax"] - box["xmin"]), float(box["ymax"] - box["ymin"])])
                )
        return sorted(boxes, key=lambda one: -one[0])[:PEOPLE]

    def _people(self, image: Image.Image, boxes: list[tuple[float, list[float]]], step: Step, done: float) -> list[dict[str, Any]]:
        people: list[dict[str, Any]] = []
        for start in range(0, len(boxes), AT_ONCE):
            step(done)
            part = boxes[start : start + AT_ONCE]
            sides = [[box for _, box in part]]
            inputs = _seeing.moved(self.processor(images=[image], boxes=sides, return_tensors="pt"), self.place)
            more: dict[str, Any] = {}
            if self.expert:  # ViTPose+ has an expert for each data set, the first of which is COCO
                more["dataset_index"] = torch.zeros(len(part), dtype=torch.int64, device=self.place.device)
            out = self.net(pixel_values=inputs["pixel_values"], **more)
            out.heatmaps = out.heatmaps.float()
            posed = self.processor.post_process_pose_estimation(out, boxes=sides)[0]
            people += [self._told(sure, one, image.size) for (sure, _), one in zip(part, posed, strict=True)]
        return people

    def _told(self, sure: float, posed: dict[str, torch.Tensor], size: tuple[int, int]) -> dict[str, Any]:
        places, scores = posed["keypoints"].tolist(), posed["scores"].reshape(-1).tolist()
        names = COCO if len(places) == len(COCO) else [str(self.net.config.id2label.get(i, i)) for i in range(len(places))]
        return {
            "label": self.person,
            "score": _seeing.score(sure),
            "keypoints": [
                {
                    "label": name,
                    "x": round(min(max(x, 0.0), size[0] - 1.0), 1),
                    "y": round(min(max(y, 0.0), size[1] - 1.0), 1),
                    "score": _seeing.score(share),
                }
                for name, (x, y), share in zip(names, places, scores, strict=True)
            ],
        }


def _colour(i: int) -> tuple[int, int, int]:
    """OpenPose's colours: around the wheel of hues, from red on, in eighteen steps."""
    sector, share = divmod(i, 3)
    rising, falling = 85 * share, 255 - 85 * share
    return [(255, rising, 0), (falling, 255, 0), (0, 255, rising), (0, falling, 255), (rising, 0, 255), (255, 0, falling)][sector]


def draw(size: tuple[int, int], people: Sequence[dict[str, Any]]) -> Image.Image:
    """People on black, as OpenPose draws them: limbs at 60 percent, then joints."""
    image = Image.new("RGB", size)
    pen = ImageDraw.Draw(image)
    thick = max(2, min(size) // 128)
    for person in people:
        at = {point["label"]: (point["x"], point["y"]) for point in person["keypoints"] if point["score"] >= LEAST}
        if "left_shoulder" in at and "right_shoulder" in at:
            (x0, y0), (x1, y1) = at["left_shoulder"], at["right_shoulder"]
            at["neck"] = ((x0 + x1) / 2, (y0 + y1) / 2)
        for i, (start, end) in enumerate(LIMBS):
            if JOINTS[start] in at and JOINTS[end] in at:
                pen.line([at[JOINTS[start]], at[JOINTS[end]]], fill=tuple(c * 3 // 5 for c in _colour(i)), width=2 * thick)
        for i, name in enumerate(JOINTS):
            if name in at:
                x, y = at[name]
                pen.ellipse((x - thick, y - thick, x + thick, y + thick), fill=_colour(i))
    return image


def load(model: Model, place: Place) -> Pose:
    return Pose(model, place)
