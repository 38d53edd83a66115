"""Dia: a text is read aloud, in English (nari-labs, model card of Dia-1.6B-0626), with the
companion ``codec`` (DAC, Kumar et al. 2023, arXiv:2306.06546), which makes sound of its codes.

The model speaks with any voice. A long text is read in parts, and each part is given how the
first was spoken to go on with, so that the voice stays; the seed chooses it. Options:

    part      characters of a part, at most
    sampling  of the codes, as generate takes it: temperature, top_p, top_k, guidance_scale
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import torch
from transformers import (
    DacModel,
    DiaFeatureExtractor,
    DiaForConditionalGeneration,
    DiaProcessor,
    DiaTokenizer,
    StoppingCriteria,
)

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Sound, Step
from . import _say
from ._chance import seed_of, seeded
from ._strict import pretrained

TASKS = frozenset({"text-to-speech"})

SAMPLING = {"temperature": 1.8, "top_p": 0.9, "top_k": 45, "guidance_scale": 3.0}
"""As in the model card."""

SLOWEST = 8
"""The minimum speaking rate, in characters per second. A longer part is not speech, and is stopped."""

BETWEEN = 0.1
"""Seconds of silence between parts."""


class _Watch(StoppingCriteria):
    def __init__(self, step: Step, before: float, share: float, tokens: int) -> None:
        self.step, self.before, self.share, self.tokens, self.written = step, before, share, tokens, 0

    def __call__(self, input_ids: torch.Tensor, scores: object, **_: object) -> torch.Tensor:
        self.written += 1
        self.step(self.before + self.share * min(1.0, self.written / self.tokens))
        return torch.zeros(input_ids.shape[0], dtype=torch.bool, device=input_ids.device)


class Speaking:
    def __init__(self, model: Model, place: Place, voice: Any, processor: Any) -> None:  # noqa: ANN401
        self.options, self.place, self.voice, self.processor = model.options, place, voice, processor
        codec = processor.audio_tokenizer
        self.rate = int(codec.config.sampling_rate)
        self.tokens_a_second = self.rate / codec.config.hop_length

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.voice, self.processor.audio_tokenizer]

    def key(self, request: Request) -> Hashable | None:
        """Each alone, since its parts follow each other."""
        return None

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        return [self._read(r, step, i / len(requests), 1 / len(requests)) for i, r in enumerate(requests)]

    def _read(self, request: Request, step: Step, before: float, share: float) -> Sound:
        p = request.parameters
        language = (p.get("language") or "en").strip().lower()
        if language.partition("-")[0].partition("_")[0] not in ("", "en", "eng", "english"):
            raise Fault("invalid_parameter", "language: this model speaks English only.")
        if (p.get("voice") or "").strip():
            raise Fault("invalid_parameter", "voice: this model has no voices with names; the same seed is the same voice.")
        # its marks of who speaks are ours to set
        parts = _say.parts(request.inputs.replace("[S1]", " ").replace("[S2]", " "), int(self.options.get("part", 200)))
        if not any(c.isalnum() for part in parts for c in part):
            raise Fault("invalid_input", "There are no words to be spoken.")
        seed = seed_of(p)
        spoken: list[np.ndarray] = []
        for i, part in enumerate(parts):
            step(before + share * i / len(parts))
            with seeded(seed + i, self.place.device):
                heard = (parts[0], spoken[0]) if spoken else None
                spoken.append(self._part(part, heard, step, before + share * i / len(parts), share / len(parts)))
        step(before + share)
        silence = np.zeros(round(BETWEEN * self.rate), np.float32)
        joined = [piece for sound in spoken for piece in (silence, sound)][1:]
        return Sound(np.concatenate(joined), self.rate)

    def _part(self, text: str, heard: tuple[str, np.ndarray] | None, step: Step, before: float, share: float) -> np.ndarray:
        said = f"[S1] {text}" if heard is None else f"[S1] {heard[0]} {text}"
        # how the first part was spoken goes in once more, if there is sound enough to be heard
        codec = self.processor.audio_tokenizer
        sound = heard[1] if heard is not None and len(heard[1]) >= codec.config.hop_length else None
        taken = self.processor(
            text=[said if sound is not None else f"[S1] {text}"],
            audio=None if sound is None else [sound],
            sampling_rate=self.rate,
            padding=True,
            return_tensors="pt",
        ).to(self.place.device)
        given = self.processor.get_audio_prompt_len(taken["decoder_attention_mask"]) if sound is not None else None
        room = self.voice.config.decoder_config.max_position_embeddings - taken["decoder_input_ids"].shape[1]
        most = max(1, min(room, int((len(text) / SLOWEST + 2) * self.tokens_a_second)))
        codes = self.voice.generate(
            **taken,
            max_new_tokens=most,
            do_sample=True,
            stopping_criteria=[_Watch(step, before, share, most)],
            **{**SAMPLING, **self.options.get("sampling", {})},
        )
        # what is not a code (a mark of begin or end that came too early) would be none of the codec's
        made = self.processor.batch_decode(self._codes(codes), audio_prompt_len=given)[0]
        wave: np.ndarray = made.float().reshape(-1).clamp(-1, 1).cpu().numpy()
        if not np.isfinite(wave).all():
            raise Fault("model_failed", "The model made a sound that is none.")
        return wave

    def _codes(self, codes: torch.Tensor) -> torch.Tensor:
        """Marks stay in the first channel, which tells where the speech begins and ends."""
        size = self.processor.audio_tokenizer.config.codebook_size
        inner = codes[..., 1:]
        return torch.cat([codes[..., :1], torch.where(inner < size, inner, 0)], dim=-1)


def load(model: Model, place: Place) -> Speaking:
    if "codec" not in place.companions:
        raise Fault("weights_missing", "The codec of the model is missing.")
    voice = pretrained(DiaForConditionalGeneration, place.folder, place.dtype, place.device)
    codec = pretrained(DacModel, place.companions["codec"], torch.float32, place.device)
    extractor = DiaFeatureExtractor.from_pretrained(place.folder, local_files_only=True)
    tokenizer = DiaTokenizer.from_pretrained(place.folder, local_files_only=True)
    made: Any = DiaProcessor
    return Speaking(model, place, voice, made(extractor, tokenizer, audio_tokenizer=codec))
