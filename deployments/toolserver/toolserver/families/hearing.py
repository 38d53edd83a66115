"""Whisper: what is said in a recording (Radford et al. 2022, arXiv:2212.04356).

A recording of more than one window (30 s) is heard window after window, each from where the
last whole sentence of the one before ended (section 3.8 of the paper); a window that comes
out as a loop, or as what the model itself thinks unlikely, is heard again with some chance.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from transformers import StoppingCriteria, WhisperForConditionalGeneration, WhisperProcessor
from transformers.models.whisper.tokenization_whisper import LANGUAGES, TO_LANGUAGE_CODE, _combine_tokens_into_words

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from ._chance import seed_of, seeded
from ._sound import mono
from ._strict import pretrained

TASKS = frozenset({"automatic-speech-recognition"})

# What is tried again, and when (the values of the paper's own code, as transformers counts them).
FALLBACK = {
    "temperature": (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
    "compression_ratio_threshold": 1.35,
    "logprob_threshold": -1.0,
    "no_speech_threshold": 0.6,
}


class _Watch(StoppingCriteria):
    """Tells how far it is after each token, which is where a request that nobody waits for ends."""

    def __init__(self, step: Step, tokens: int, windows: float) -> None:
        self.step, self.tokens, self.windows, self.before = step, tokens, windows, 0.0

    def window(self, seek: torch.Tensor) -> None:
        """Where each recording is (frames), and how many it has."""
        at, of = seek[:, 0].sum().item(), seek[:, 1].sum().item()
        self.before = min(1.0, at / of) if of else 0.0
        self.step(self.before)

    def __call__(self, input_ids: torch.Tensor, scores: object, **_: object) -> torch.Tensor:
        within = min(1.0, input_ids.shape[1] / self.tokens)
        self.step(min(1.0, self.before + within / self.windows))
        return torch.zeros(input_ids.shape[0], dtype=torch.bool, device=input_ids.device)


class Hearing:
    """A Whisper model."""

    def __init__(self, model: Any, processor: Any, place: Place, options: Mapping[str, Any]) -> None:  # noqa: ANN401
        self.model, self.processor, self.place = model, processor, place
        self.rate: int = processor.feature_extractor.sampling_rate
        self.window: int = processor.feature_extractor.n_samples
        self.fallback = {**FALLBACK, **options.get("fallback", {})}
        told = model.generation_config
        ids = getattr(told, "lang_to_id", None) or {}
        self.languages = {name.strip("<|>") for name in ids} if getattr(told, "is_multilingual", False) else set()

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.model]

    def key(self, request: Request) -> Hashable | None:
        """Those that fit into one window are heard together. A longer one is alone: it fills the
        device by itself, and its windows begin where its sentences end."""
        if request.inputs.samples.shape[-1] * self.rate > self.window * request.inputs.rate:
            return None
        p = request.parameters
        made = p.get("generation_parameters") or {}
        return str(p.get("return_timestamps") or False), p.get("language"), tuple(sorted((k, str(v)) for k, v in made.items()))

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        p = requests[0].parameters
        stamps = p.get("return_timestamps") or False
        language = self._language(p.get("language"))
        if stamps == "word" and not getattr(self.model.generation_config, "alignment_heads", None):
            raise Fault("invalid_parameter", "This model does not know when each word is said; return_timestamps may be true.")
        waves = [mono(r.inputs, self.rate) for r in requests]
        longest = max(len(w) for w in waves)
        long = longest > self.window
        heard = self.processor.feature_extractor(
            waves,
            sampling_rate=self.rate,
            return_tensors="pt",
            return_attention_mask=True,
            **({"truncation": False, "padding": "longest"} if long else {}),
        )
        limit = self._tokens(p.get("generation_parameters") or {})
        watch = _Watch(step, limit, max(1.0, longest / self.window))
        attention = self.model.config._attn_implementation
        try:
            with seeded(seed_of(p) if "seed" in (p.get("generation_parameters") or {}) else 0, self.place.device):
                out = self.model.generate(
                    heard.input_features.to(self.place.device, self.place.dtype),
                    attention_mask=heard.attention_mask.to(self.place.device),
                    return_timestamps=bool(stamps) or long,
                    return_token_timestamps=stamps == "word",
                    return_segments=True,
                    max_new_tokens=limit,
                    stopping_criteria=[watch],
                    monitor_progress=watch.window,
                    **({"language": language, "task": "transcribe"} if self.languages else {}),
                    **(self.fallback if long else {}),
                    **self._chosen(p.get("generation_parameters") or {}, long),
                )
        finally:
            # times of words need eager attention, which generate sets for good; the next request is quicker without
            self.model.config._attn_implementation = self.model.model.config._attn_implementation = attention
        step(1.0)
        return [
            self._told(segments, stamps, language, len(wave) / self.rate) for segments, wave in zip(out["segments"], waves, strict=True)
        ]

    def _language(self, said: str | None) -> str | None:
        """As the model calls it: a code such as de."""
        if not said or not said.strip():
            return None
        name = said.strip().lower()
        code = TO_LANGUAGE_CODE.get(name, name.partition("-")[0].partition("_")[0])
        known = self.languages or {"en"}
        if code not in known:
            raise Fault("invalid_parameter", f"This model does not hear that language; language is one of {', '.join(sorted(known))}.")
        return LANGUAGES.get(code, code) if self.languages else None

    def _tokens(self, made: Mapping[str, Any]) -> int:
        """Of one window, at most: four of the decoder's places begin each (start, language, task, no times)."""
        most = int(self.model.config.max_target_positions) - 4
        return min(int(made.get("max_new_tokens") or most), most)

    @staticmethod
    def _chosen(made: Mapping[str, Any], long: bool) -> dict[str, Any]:
        """What was asked of the writing, as generate calls it."""
        chosen = {k: made[k] for k in ("top_k", "top_p", "repetition_penalty") if made.get(k) is not None}
        if made.get("do_sample") and not long:
            chosen |= {"do_sample": True, "temperature": made.get("temperature") or 1.0}
        return chosen

    def _told(self, segments: list[dict[str, Any]], stamps: object, language: str | None, seconds: float) -> dict[str, Any]:
        tokenizer = self.processor.tokenizer
        texts = [tokenizer.decode(s["tokens"], skip_special_tokens=True) for s in segments]
        told: dict[str, Any] = {"text": "".join(texts).strip()}
        if stamps == "word":
            told["chunks"] = [c for s in segments for c in self._words(s, language, seconds)]
        elif stamps:
            told["chunks"] = [
                {"text": text, "timestamp": _span(float(s["start"]), float(s["end"]), seconds)}
                for text, s in zip(texts, segments, strict=True)
                if text.strip()
            ]
        return told

    def _words(self, segment: dict[str, Any], language: str | None, seconds: float) -> list[dict[str, Any]]:
        special = set(self.processor.tokenizer.all_special_ids)
        first = self.processor.tokenizer.convert_tokens_to_ids("<|0.00|>")
        pairs = zip(segment["tokens"].tolist(), segment["token_timestamps"].tolist(), strict=True)
        said = [(t, at) for t, at in pairs if t not in special and not (first is not None and t >= first)]
        if not said:
            return []
        words, _, places = _combine_tokens_into_words(self.processor.tokenizer, [t for t, _ in said], language or "english")
        # a token's time is when it ends, as the attention has it; a word begins where the one before ends
        ends = [said[place[-1]][1] for place in places]
        starts = [float(segment["start"]), *ends[:-1]]
        return [{"text": w, "timestamp": _span(a, b, seconds)} for w, a, b in zip(words, starts, ends, strict=True)]


def _span(start: float, end: float, seconds: float) -> list[float]:
    """In seconds, within the recording, and the right way round."""
    start, end = np.clip([start, max(start, end)], 0, seconds)
    return [round(float(start), 2), round(float(end), 2)]


def load(model: Model, place: Place) -> Hearing:
    whole = pretrained(
        WhisperForConditionalGeneration, place.folder, place.dtype, place.device, ignore=("proj_out.weight", "embed_positions")
    )
    whole.generation_config.max_length = None  # ours is max_new_tokens, and generate warns each time of two limits
    return Hearing(whole, WhisperProcessor.from_pretrained(place.folder, local_files_only=True), place, model.options)
