"""Encodes results in the form that the client prefers."""

from __future__ import annotations

import base64
import json
import math
from io import BytesIO
from typing import Any, TypeVar

import numpy as np
from PIL import Image

from . import pictures, recordings
from .faults import Fault
from .tasks import TASKS
from .work import Film, Sound

T = TypeVar("T")

JSON = "application/json"
OFFERED = {
    "picture": ("image/png", "image/jpeg", JSON),
    "sound": ("audio/flac", "audio/wav", JSON),
    "film": ("video/mp4", JSON),
    "sounds": (JSON,),
    "json": (JSON,),
}
"""The media types of each kind of answer, the usual one first."""


def answer(task: str, result: Any, accept: str) -> tuple[str, bytes]:  # noqa: ANN401 - work.Result
    """The media type and the bytes of the answer. In JSON a file is in Base64, under the name
    that the hub's schema of the task has for it."""
    made = TASKS[task].answer
    kind = preferred(accept, OFFERED[made])
    match made:
        case "picture":
            image = _expect(result, Image.Image)
            if kind != JSON:
                return kind, pictures.encode(image, kind)
            name = "depth" if TASKS[task].hub == "depth-estimation" else "image"
            return JSON, _json({name: image})
        case "sound":
            sound = _expect(result, Sound)
            if kind != JSON:
                return kind, recordings.encode_sound(sound, kind)
            return JSON, _json({"audio": _text(recordings.encode_sound(sound)), "sampling_rate": sound.rate})
        case "film":
            video = recordings.encode_film(_expect(result, Film))
            return (kind, video) if kind != JSON else (JSON, _json({"video": _text(video)}))
        case "sounds":
            # sounds in JSON are of the type that is wanted of sounds alone
            inner = preferred(accept, OFFERED["sound"][:2])
            return JSON, _json(
                [
                    {"label": label, "blob": _text(recordings.encode_sound(sound, inner)), "content-type": inner}
                    for label, sound in _expect(result, list)
                ]
            )
        case "json":
            return JSON, _json(result)


PREVIEW = 256
"""The maximum side of a preview, in pixels."""


def preview(picture: Image.Image) -> bytes:
    """A small JPEG of the picture."""
    small = picture.convert("RGB")
    small.thumbnail((PREVIEW, PREVIEW))
    to = BytesIO()
    small.save(to, "JPEG", quality=75)
    return to.getvalue()


def preferred(accept: str, offered: tuple[str, ...]) -> str:
    """The one of the media types that is offered and liked best (RFC 9110, section 12.5.1); of
    several that are liked as much the one that stands first in the header or, if one word
    of it means several, the first that is offered. Where none is liked, the usual one."""
    ranges = []
    for place, part in enumerate(accept.lower().split(",")[:50]):
        kind, *options = (word.strip() for word in part.split(";"))
        weights = [o.partition("=")[2] for o in options if o.startswith("q=")]
        if kind:
            ranges.append((kind, _weight(weights), place))

    def liking(one: str) -> tuple[float, int]:
        fits = [(len(kind.replace("*", "")), q, place) for kind, q, place in ranges if _fits(kind, one)]
        _, q, place = max(fits, default=(0, 0.0, 0))  # the most precise range says how much it is liked
        return q, -place

    best = max(offered, key=liking)
    return best if liking(best)[0] > 0 else offered[0]


def _weight(told: list[str]) -> float:
    try:
        q = float(told[0]) if told else 1.0
    except ValueError:
        return 0.0
    return q if 0 <= q <= 1 else 0.0


def _fits(kind: str, one: str) -> bool:
    return kind in ("*/*", "*", one) or (kind.endswith("/*") and one.startswith(kind[:-1]))


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _expect(result: Any, kind: type[T]) -> T:  # noqa: ANN401 - work.Result
    if not isinstance(result, kind):
        raise TypeError(f"the family made a {type(result).__name__} where {kind} is wanted")
    return result


def _json(value: Any) -> bytes:  # noqa: ANN401 - work.Result
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "replace")


def _plain(value: Any) -> Any:  # noqa: ANN401 - work.Result
    match value:
        case Image.Image():
            return _text(pictures.encode(value))
        case dict():
            return {str(name): _plain(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case np.generic() | np.ndarray():
            return _plain(value.tolist())
        case float() if not math.isfinite(value):
            raise Fault("model_failed", "The model's answer has a number that is none.")
    return value
