"""Splits texts at natural pauses."""

from __future__ import annotations

import re
from collections.abc import Callable

_END = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|(?<=[。！？])")


def sentences(line: str) -> list[str]:
    """The sentences of one line, in order, without what stands between them."""
    ends = [match.end() for match in _END.finditer(line)]
    cuts = [line[a:b].strip() for a, b in zip([0, *ends], [*ends, len(line)], strict=True)]
    return [cut for cut in cuts if cut]


def fitting(text: str, length: Callable[[str], int], most: int) -> list[str]:
    """The text in pieces of at most so much by that measure: cut in the middle, between words
    where there are any, as often as it takes."""
    if len(text) < 2 or length(text) <= most:
        return [text]
    spaces = [match.start() for match in re.finditer(r"\s", text)]
    middle = len(text) // 2
    cut = min(spaces, key=lambda at: abs(at - middle), default=middle) or middle
    return [piece for half in (text[:cut].strip(), text[cut:].strip()) if half for piece in fitting(half, length, most)]


def packed(pieces: list[str], length: Callable[[str], int], most: int) -> list[str]:
    """Pieces joined by spaces to as few as hold no more than so much each."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        more = length(piece)
        if held and size + more <= most:
            held[-1] += " " + piece
            size += more
        else:
            held.append(piece)
            size = more
    return held
