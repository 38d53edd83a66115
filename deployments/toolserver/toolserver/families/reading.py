"""TrOCR, which reads a line of print or writing (arXiv:2109.10282,
huggingface.co/microsoft/trocr-large-printed).

A page is cut into its lines first, by the rows that have no ink. What it is told to do
(prompt) does not matter: it reads.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import torch
from PIL import Image
from transformers import TrOCRProcessor, VisionEncoderDecoderModel

from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _generating, _language
from ._seeing import picture

TASKS = frozenset({"image-to-text"})

AT_ONCE = 16
"""The batch size, in lines."""

MOST_LINES = 200
"""The maximum number of lines in a picture: a printed page has sixty."""

CONTRAST = 50
"""The minimum contrast between ink and background, of 255."""


def load(model: Model, place: Place) -> Reading:
    processor = _language.reader(TrOCRProcessor, place.folder)
    # the encoder's pooler is not used, and not among the weights
    return Reading(model, place, _language.network(VisionEncoderDecoderModel, place, ignore=("encoder.pooler",)), processor)


class Reading:
    """A model that reads lines."""

    def __init__(self, model: Model, place: Place, network: Any, processor: Any) -> None:  # noqa: ANN401 - transformers is untyped
        self._place, self._network, self._processor = place, network, processor
        self._most = int(model.options.get("tokens", 100))

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._network]

    def key(self, request: Request) -> Hashable | None:
        return "pictures"

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        cut = [lines(picture(r)) for r in requests]
        flat = [(line, r) for of, r in zip(cut, requests, strict=True) for line in of]
        read: list[str] = []
        for start in range(0, len(flat), AT_ONCE):
            chunk = flat[start : start + AT_ONCE]
            pixels = self._processor.image_processor([line for line, _ in chunk], return_tensors="pt")
            manners = [_generating.bound(_generating.manner(r.parameters, self._most), self._most) for _, r in chunk]
            texts = _generating.write(
                self._network, self._processor.tokenizer, manners, step, _language.moved(pixels, self._place),
                part=(start / len(flat), (start + len(chunk)) / len(flat)),
            )  # fmt: skip
            read += [text.text for text in texts]
        results: list[Result] = []
        for of in cut:
            results.append([{"generated_text": "\n".join(read[: len(of)])}])
            read = read[len(of) :]
        return results


def lines(image: Image.Image) -> list[Image.Image]:
    """The lines of a page from top to bottom; the picture itself if it looks like one line."""
    grey = np.asarray(image.convert("L"), dtype=np.int16)
    ink = (np.abs(grey - np.median(grey)) > CONTRAST).any(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], ink.astype(np.int8), [0]])))
    runs = [(int(top), int(bottom)) for top, bottom in zip(edges[::2], edges[1::2], strict=True)]
    if not runs:
        return [image]
    usual = float(np.median([bottom - top for top, bottom in runs]))
    tall: list[tuple[int, int]] = []
    for top, bottom in runs:
        if tall and (top - tall[-1][1] <= usual / 5 or bottom - top < usual / 3):  # a dot of an i, an accent
            near = top - tall[-1][1] <= usual
            tall[-1] = (tall[-1][0], bottom) if near else tall[-1]
        else:
            tall.append((top, bottom))
    if len(tall) < 2 or len(tall) > MOST_LINES:
        return [image]
    edge = max(2, round(usual / 6))
    return [image.crop((0, max(0, top - edge), image.width, min(image.height, bottom + edge))) for top, bottom in tall]
