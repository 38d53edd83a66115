"""Parakeet TDT: what is said in a recording, in the 25 languages of Europe that it was taught,
many times quicker than it was said (Xu et al. 2023, arXiv:2304.06795; NVIDIA's model card).

It finds the language by itself. A long recording is heard in parts of at most ``part`` seconds
(option, 120), cut where it is quietest.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import torch
from transformers import ParakeetForTDT, ParakeetProcessor, StoppingCriteria

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from ._sound import mono
from ._strict import pretrained

TASKS = frozenset({"automatic-speech-recognition"})

LANGUAGES = (
    *("bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "hr", "hu", "it"),
    *("lt", "lv", "mt", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "uk"),
)
"""As the model card of Parakeet TDT 0.6B v3 lists them."""

LEAST = 0.1
"""The minimum length, in seconds; shorter recordings are padded with silence."""


class _Watch(StoppingCriteria):
    """Where a request that nobody waits for ends."""

    def __init__(self, step: Step, before: float) -> None:
        self.step, self.before = step, before

    def __call__(self, input_ids: torch.Tensor, scores: object, **_: object) -> torch.Tensor:
        self.step(self.before)
        return torch.zeros(input_ids.shape[0], dtype=torch.bool, device=input_ids.device)


class Listening:
    def __init__(self, model: Any, processor: Any, place: Place, part: float) -> None:  # noqa: ANN401
        self.model, self.processor, self.place, self.part = model, processor, place, part
        self.rate = int(processor.feature_extractor.sampling_rate)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.model]

    def key(self, request: Request) -> Hashable | None:
        """Each alone: it is done before others would have come."""
        return None

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        return [self._heard(r, step, i / len(requests), 1 / len(requests)) for i, r in enumerate(requests)]

    def _heard(self, request: Request, step: Step, before: float, share: float) -> dict[str, Any]:
        p = request.parameters
        language = (p.get("language") or "").strip().lower().partition("-")[0]
        if language and language not in LANGUAGES:
            raise Fault("invalid_parameter", f"language: this model finds it by itself, among {', '.join(LANGUAGES)}.")
        wave = mono(request.inputs, self.rate)
        cuts = cut(wave, round(self.part * self.rate), self.rate // 10)
        words: list[dict[str, Any]] = []
        texts: list[str] = []
        for start, stop in cuts:
            done = before + share * start / len(wave)
            step(done)
            text, times = self._part(wave[start:stop], _Watch(step, done))
            texts.append(text)
            heard = joined(times, start / self.rate, len(wave) / self.rate)
            if words and heard and not heard[0]["text"].startswith(" "):
                heard[0]["text"] = " " + heard[0]["text"]
            words += heard
        step(before + share)
        told: dict[str, Any] = {"text": " ".join(t for t in texts if t)}
        if stamps := p.get("return_timestamps"):
            told["chunks"] = words if stamps == "word" else sentences(words)
        return told

    def _part(self, wave: np.ndarray, watch: _Watch) -> tuple[str, list[dict[str, Any]]]:
        wave = np.pad(wave, (0, max(0, round(LEAST * self.rate) - len(wave))))
        taken = self.processor([wave], sampling_rate=self.rate)
        features = taken["input_features"].to(self.place.device, self.place.dtype)
        mask = taken["attention_mask"].to(self.place.device)
        most = self.model.config.max_symbols_per_step * (features.shape[1] // self.model.config.encoder_config.subsampling_factor + 1)
        made = self.model.generate(features, attention_mask=mask, max_new_tokens=most, stopping_criteria=[watch])
        texts, times = self.processor.decode(made.sequences, durations=made.durations, skip_special_tokens=True)
        return texts[0].strip(), times[0]


def cut(wave: np.ndarray, most: int, frame: int) -> list[tuple[int, int]]:
    """Parts of at most that many samples. Each ends in the last third of what it might be,
    where a frame has the least of sound."""
    parts, start = [], 0
    while len(wave) - start > most:
        first = start + most * 2 // 3
        frames = (start + most - first) // frame
        quiet = np.square(wave[first : first + frames * frame].reshape(frames, frame)).mean(axis=1).argmin() if frames else 0
        stop = first + int(quiet) * frame + frame // 2
        parts.append((start, stop))
        start = stop
    return [*parts, (start, len(wave))]


def joined(tokens: list[dict[str, Any]], start: float, end: float) -> list[dict[str, Any]]:
    """Words of tokens: one begins where there is a space. Times are of the whole recording."""
    words: list[dict[str, Any]] = []
    for token in tokens:
        a, b = (round(float(np.clip(start + token[side], 0, end)), 2) for side in ("start", "end"))
        if words and not token["token"].startswith(" "):
            words[-1]["text"] += token["token"]
            words[-1]["timestamp"][1] = max(words[-1]["timestamp"][1], b)
        else:
            words.append({"text": token["token"], "timestamp": [a, max(a, b)]})
    return words


def sentences(words: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sentences of words."""
    told: list[dict[str, Any]] = []
    for word in words:
        if told and not told[-1]["text"].rstrip().endswith((".", "?", "!", "…")):
            told[-1]["text"] += word["text"]
            told[-1]["timestamp"][1] = word["timestamp"][1]
        else:
            told.append({"text": word["text"], "timestamp": list(word["timestamp"])})
    return told


def load(model: Model, place: Place) -> Listening:
    whole = pretrained(ParakeetForTDT, place.folder, place.dtype, place.device, ignore=("num_batches_tracked",))
    # behind the tokens stand the durations, which are no tokens to be chosen
    size, durations = whole.config.vocab_size, len(whole.config.durations)
    whole.generation_config.suppress_tokens = list(range(size, size + durations))
    processor = ParakeetProcessor.from_pretrained(place.folder, local_files_only=True)
    return Listening(whole, processor, place, float(model.options.get("part", 120)))
