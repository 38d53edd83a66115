"""Splits a text into the parts to read aloud: a few sentences each."""

from __future__ import annotations

import re
from collections.abc import Iterator

END = re.compile(r"(?<=[.!?…。！？])[\"'”’»)]*\s+|(?<=[。！？])|\n\s*\n")
PAUSE = re.compile(r"(?<=[,;:–—、，；：])\s*")


def parts(text: str, most: int) -> list[str]:
    """The text in parts of at most that many characters, each of whole sentences where they
    are short enough, else of whole clauses, else of whole words."""
    told: list[str] = []
    for piece in _pieces(text, most):
        if told and len(told[-1]) + 1 + len(piece) <= most:
            told[-1] += " " + piece
        else:
            told.append(piece)
    return told


def _pieces(text: str, most: int) -> Iterator[str]:
    for sentence in _cut(END, text):
        if len(sentence) <= most:
            yield sentence
            continue
        for clause in _cut(PAUSE, sentence):
            while len(clause) > most:
                at = clause.rfind(" ", 1, most + 1)
                at = at if at > 0 else most
                yield clause[:at].strip()
                clause = clause[at:].strip()
            if clause:
                yield clause


def _cut(where: re.Pattern[str], text: str) -> Iterator[str]:
    start = 0
    for found in where.finditer(text):
        yield from _clean(text[start : found.end()])
        start = found.end()
    yield from _clean(text[start:])


def _clean(piece: str) -> Iterator[str]:
    if words := " ".join(piece.split()):
        yield words
