"""ACE-Step 1.5: music of words (Gong et al. 2026, arXiv:2602.00744; its network without the
language model that plans songs). Options:

    seconds   of a piece, where the request does not say
    longest   seconds of a piece, at most
    steps     of the sampler
    guidance  how closely it keeps to the words; the turbo models have it learned in

A prompt may have lyrics: what stands behind a line ``[lyrics]``, or from the first line that
is a section such as ``[verse]`` on. Without them it is instrumental.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import torch

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Sound, Step
from . import _components
from ._chance import seed_of
from ._film import told

TASKS = frozenset({"text-to-audio"})

SHORTEST = 10
"""The model's minimum length in seconds, as documented; longer results are cut."""

SECTION = re.compile(r"(?mi)^[ \t]*\[(lyrics|verse|chorus|intro|outro|bridge|pre-chorus|hook)[^\]\n]*\][ \t]*$")
INSTRUMENTAL = "[Instrumental]"


class Playing:
    def __init__(self, model: Model, place: Place, pipe: Any) -> None:  # noqa: ANN401
        self.options, self.place, self.pipe = model.options, place, pipe

    def modules(self) -> Sequence[torch.nn.Module]:
        return [p for p in self.pipe.components.values() if isinstance(p, torch.nn.Module)]

    def key(self, request: Request) -> Hashable | None:
        """Each alone: in a batch the shorter words are filled up, which the network hears."""
        return None

    def _seconds(self, request: Request) -> float:
        seconds = float(request.parameters.get("duration") or self.options["seconds"])
        if seconds > self.options["longest"]:
            raise Fault("invalid_parameter", f"duration: this model makes at most {self.options['longest']} seconds.")
        return seconds

    @staticmethod
    def _words(text: str) -> tuple[str, str]:
        """What it is like, and what is sung."""
        found = SECTION.search(text)
        if found is None:
            return text.strip(), INSTRUMENTAL
        start = found.end() if found.group(1).lower() == "lyrics" else found.start()
        return text[: found.start()].strip(), text[start:].strip() or INSTRUMENTAL

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        return [self._one(r, step, i / len(requests), 1 / len(requests)) for i, r in enumerate(requests)]

    def _one(self, request: Request, step: Step, before: float, share: float) -> Sound:
        like, sung = self._words(request.inputs)
        if not like and sung == INSTRUMENTAL:
            raise Fault("invalid_input", "Please say what the music should be like.")
        seconds, steps = self._seconds(request), int(self.options["steps"])
        step(before)
        made = self.pipe(
            prompt=like,
            lyrics=sung,
            audio_duration=max(seconds, self.options.get("shortest", SHORTEST)),
            num_inference_steps=steps,
            guidance_scale=float(self.options["guidance"]),
            generator=torch.Generator("cpu").manual_seed(seed_of(request.parameters)),
            callback_on_step_end=told(lambda done, preview=None: step(before + share * done), steps),
            output_type="pt",
        ).audios[0]
        rate = int(self.pipe.sample_rate)
        sound = made[:, : round(seconds * rate)].float().clamp(-1, 1).cpu().numpy()
        if not np.isfinite(sound).all():
            raise Fault("model_failed", "The model made a sound that is none.")
        step(before + share)
        return Sound(sound, rate)


def load(model: Model, place: Place) -> Playing:
    if _components.index(place.folder)["_class_name"] != "AceStepPipeline":
        raise Fault("weights_mismatch", "The model is not of the class AceStepPipeline.")
    parts = _components.parts(place.folder, place.dtype, given=_own(place))
    parts["vae"].enable_tiling()  # decoded in one go, four minutes take 13 GB
    return Playing(model, place, _components.pipeline("AceStepPipeline", place.folder, parts, place.device))


def _own(place: Place) -> dict[str, Any]:
    """The part whose class diffusers has in the pipeline's own module; those for making covers
    of other pieces are left out."""
    from diffusers.pipelines.ace_step import AceStepConditionEncoder

    encoder = _components.part(AceStepConditionEncoder, place.folder / "condition_encoder", place.dtype)
    return {"condition_encoder": encoder, "audio_tokenizer": None, "audio_token_detokenizer": None}
