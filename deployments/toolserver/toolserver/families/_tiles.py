"""Pictures that are enlarged part by part, so that memory does not grow with them.

A part is enlarged with a margin around it, which the network needs to go on well at its
sides and which is then cut off; neighbours are blended where they meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PIL import Image, ImageChops

Size = tuple[int, int]
Enlarge = Callable[[Image.Image], Image.Image]
"""Enlarges a picture by the model's factor."""


@dataclass(frozen=True)
class Tiling:
    """How a picture is parted."""

    factor: int
    """How many times larger the model makes a side."""
    side: int
    """The longest side of a part, without its margins, in pixels of what is enlarged."""
    margin: int
    """What a part has around it, in the same pixels."""

    def passes(self, size: Size, target: Size) -> list[Size]:
        """The sizes on the way: twice by the model's factor if once is not enough, and what is
        wanted beyond that is left to plain scaling."""
        first = size[0] * self.factor, size[1] * self.factor
        enough = target[0] <= first[0] and target[1] <= first[1]
        return [target] if enough else [(min(first[0], target[0]), min(first[1], target[1])), target]

    def count(self, size: Size, target: Size) -> int:
        """How many parts there are in all passes."""
        total = 0
        for to in self.passes(size, target):
            total += math.ceil(size[0] / self.side) * math.ceil(size[1] / self.side)
            size = to
        return total

    def enlarge(self, picture: Image.Image, target: Size, enlarge: Enlarge) -> Image.Image:
        """The RGB picture in the size target, which is no smaller."""
        for to in self.passes(picture.size, target):
            picture = self._once(picture, to, enlarge)
        return picture

    def _once(self, picture: Image.Image, to: Size, enlarge: Enlarge) -> Image.Image:
        made = Image.new("RGB", to)
        for top, bottom in self._spans(picture.height):
            for left, right in self._spans(picture.width):
                self._part(picture, (left, top, right, bottom), made, enlarge)
        return made

    def _spans(self, length: int) -> Iterator[tuple[int, int]]:
        parts = math.ceil(length / self.side)
        for i in range(parts):
            yield i * length // parts, (i + 1) * length // parts

    def _part(self, picture: Image.Image, core: tuple[int, int, int, int], made: Image.Image, enlarge: Enlarge) -> None:
        left, top, right, bottom = core
        wide, high = made.width / picture.width, made.height / picture.height
        x, y = max(0, left - self.margin), max(0, top - self.margin)
        around = x, y, min(picture.width, right + self.margin), min(picture.height, bottom + self.margin)
        large = enlarge(picture.crop(around))
        # half of the margin goes over the neighbours that are there, and fades into them
        fade = round(self.margin / 2 * wide) if left else 0, round(self.margin / 2 * high) if top else 0
        x0, y0 = round(left * wide) - fade[0], round(top * high) - fade[1]
        x1, y1 = round(right * wide), round(bottom * high)
        box = (
            max(0.0, (x0 / wide - x) * self.factor),
            max(0.0, (y0 / high - y) * self.factor),
            min(float(large.width), (x1 / wide - x) * self.factor),
            min(float(large.height), (y1 / high - y) * self.factor),
        )
        # what lies around the box is looked at too, so that parts fit to the pixel
        part = large.resize((x1 - x0, y1 - y0), Image.Resampling.BICUBIC, box=box)
        made.paste(part, (x0, y0), _faded(part.size, fade))


def _faded(size: Size, fade: Size) -> Image.Image:
    """White, from black at the left and at the top over so many pixels."""
    mask = Image.new("L", size, 255)
    for length, turn in ((min(fade[0], size[0]), True), (min(fade[1], size[1]), False)):
        if not length:
            continue
        ramp = Image.linear_gradient("L")  # 256 by 256, black at the top
        if turn:
            ramp = ramp.transpose(Image.Transpose.ROTATE_90)
        ramp = ramp.resize((length, size[1]) if turn else (size[0], length))
        area = mask.crop((0, 0, *ramp.size))
        mask.paste(ImageChops.multiply(area, ramp))
    return mask
