"""Decoding and encoding of pictures."""

from __future__ import annotations

import warnings
import zlib
from io import BytesIO

import numpy as np
from PIL import Image, ImageOps

from .faults import Fault

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
"""The accepted formats of Pillow. None of them refers to other files."""


def sniff(data: bytes) -> str | None:
    """The format by the first bytes, None if it is none of those that are taken."""
    match data[:12]:
        case head if head.startswith(b"\x89PNG\r\n\x1a\n"):
            return "PNG"
        case head if head.startswith(b"\xff\xd8\xff"):
            return "JPEG"
        case head if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
            return "WEBP"
        case head if head.startswith((b"GIF87a", b"GIF89a")):
            return "GIF"
        case head if head.startswith(b"BM"):
            return "BMP"
        case head if head.startswith((b"II*\x00", b"MM\x00*")):
            return "TIFF"
    return None


def size(data: bytes, most: int) -> tuple[int, int]:
    """Width and height as the header tells them; a Fault where they are more than most pixels.
    Nothing is decoded."""
    with _opened(data) as image:
        width, height = image.size
    if width * height > most:
        raise Fault("too_large", f"The picture has {width} × {height} pixels; at most {most / 1e6:g} million are taken.")
    return width, height


def decode(data: bytes, most: int) -> Image.Image:
    """The picture, upright, of mode RGB, or of RGBA where it has an alpha channel; of an
    animation the first frame."""
    size(data, most)
    with _opened(data) as image:
        return _plain(_loaded(image))


def decode_mask(data: bytes, most: int) -> Image.Image:
    """The same as mode L: white is what is meant. What alpha hides is not."""
    image = decode(data, most)
    if image.mode == "RGBA":
        black = Image.new("RGBA", image.size, (0, 0, 0, 255))
        image = Image.alpha_composite(black, image)
    return image.convert("L")


def encode(image: Image.Image, kind: str = "image/png") -> bytes:
    """The picture as a file: of image/png or of image/jpeg, which has no alpha channel. PNG is
    packed fast rather than small, since people wait for it."""
    to = BytesIO()
    if kind == "image/jpeg":
        image.convert("RGB").save(to, "JPEG", quality=95)
    else:
        if image.mode not in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
            image = image.convert("RGB")
        image.save(to, "PNG", compress_level=1, compress_type=zlib.Z_RLE)
    return to.getvalue()


_UNREADABLE = "The picture cannot be read: it is damaged, or of a format that is not taken (PNG, JPEG, WebP, GIF, BMP and TIFF are)."


def _opened(data: bytes) -> Image.Image:
    kind = sniff(data)
    if kind is None:
        raise Fault("invalid_input", _UNREADABLE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of very large pictures: our own limit holds
            return Image.open(BytesIO(data), formats=[kind])
    except Image.DecompressionBombError:
        raise Fault("too_large", "The picture has more pixels than any that is taken.") from None
    except Exception:  # Pillow raises whatever its parsers stumble over
        raise Fault("invalid_input", _UNREADABLE) from None


def _loaded(image: Image.Image) -> Image.Image:
    try:
        image.seek(0)
        image.load()
    except Exception:  # as above
        raise Fault("invalid_input", "The picture cannot be read: it is cut off or damaged.") from None
    try:
        return ImageOps.exif_transpose(image)
    except Exception:  # tags of no form say nothing
        return image


def _plain(image: Image.Image) -> Image.Image:
    mode = image.mode
    if mode.startswith("I") or mode == "F":
        return _eight_bits(image).convert("RGB")
    if mode in ("LA", "La", "PA", "RGBa") or (mode in ("1", "L", "P", "RGB") and "transparency" in image.info):
        return image.convert("RGBA")
    if mode in ("RGB", "RGBA"):
        image.info.clear()  # what the file told besides is nobody's business
        return image.copy()
    try:
        return image.convert("RGB")
    except ValueError:
        raise Fault("invalid_input", "The picture has colours of a kind that is not taken; save it as RGB.") from None


def _eight_bits(image: Image.Image) -> Image.Image:
    """Greys of 16 or 32 bits as such of 8, which Pillow would cut off rather than scale."""
    grey = np.nan_to_num(np.asarray(image).astype(np.float32), nan=0, posinf=0, neginf=0)
    most = float(grey.max(initial=0))
    top = 1 if image.mode == "F" and most <= 1 else 255 if most <= 255 and not image.mode.startswith("I;16") else max(most, 65535)
    return Image.fromarray(np.clip(np.rint(grey * (255 / top)), 0, 255).astype(np.uint8), "L")
