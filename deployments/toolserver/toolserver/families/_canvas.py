"""Sizes that diffusion models work at, and pictures brought to them and back.

A model draws well near the number of pixels that it was trained at, in sides that its
autoencoder and its network can halve as often as they do.
"""

from __future__ import annotations

import math

from PIL import Image, ImageOps

from ..faults import Fault

Size = tuple[int, int]
"""Width and height in pixels."""

NARROWEST = 8
"""The maximum aspect ratio; beyond it models draw stripes."""


def working(wanted: Size, native: int, multiple: int, freedom: float = 1) -> Size:
    """The size to work at for a picture of the size wanted: of its shape, both sides multiples,
    and of about native by native pixels. With more freedom, such as 2, anything between half
    and twice as many pixels stays as it is wanted."""
    width, height = wanted
    if max(width, height) > NARROWEST * min(width, height):
        raise Fault("invalid_input", f"The picture is too narrow: no side may be more than {NARROWEST} times the other.")
    area = min(max(width * height, native * native / freedom), native * native * freedom)
    scale = math.sqrt(area / (width * height))
    return _rounded(width * scale, multiple), _rounded(height * scale, multiple)


def _rounded(side: float, multiple: int) -> int:
    return max(multiple, round(side / multiple) * multiple)


def flat(picture: Image.Image) -> Image.Image:
    """RGB: what can be seen through becomes white."""
    if picture.mode != "RGBA":
        return picture.convert("RGB")
    paper = Image.new("RGB", picture.size, "white")
    paper.paste(picture, mask=picture.getchannel("A"))
    return paper


def scaled(picture: Image.Image, size: Size) -> Image.Image:
    """In that size, whatever its shape was."""
    return picture if picture.size == size else picture.resize(size, Image.Resampling.LANCZOS)


def cropped(picture: Image.Image, size: Size) -> Image.Image:
    """In that size, with nothing distorted: what is too much at two sides is cut off."""
    return picture if picture.size == size else ImageOps.fit(picture, size, Image.Resampling.LANCZOS)


def around(mask: Image.Image) -> tuple[int, int, int, int] | None:
    """The part of a picture (left, top, right, bottom) that is worked on for what the mask marks:
    that with as much around it on each side as half of it is long, so that the model sees what
    it has to fit to and still draws a small thing at full detail. None: the mask is empty."""
    box = mask.point(lambda v: 255 if v >= 128 else 0).getbbox()
    if box is None:
        return None
    left, top, right, bottom = box
    side = max(right - left, bottom - top)
    margin = max(side // 2, 64)
    wide, high = mask.size
    part = max(0, left - margin), max(0, top - margin), min(wide, right + margin), min(high, bottom + margin)
    if 2 * (part[2] - part[0]) * (part[3] - part[1]) > wide * high or _narrow(part):
        return 0, 0, wide, high
    return part


def _narrow(part: tuple[int, int, int, int]) -> bool:
    width, height = part[2] - part[0], part[3] - part[1]
    return max(width, height) > NARROWEST * min(width, height)
