# ruff: noqa: ANN401 - the pipelines of diffusers have no type in common
"""What all models that draw by diffusion have in common.

A model is a set of parts in memory and, for each of its tasks, a pipeline of diffusers over
them. What differs between tasks (which words, which pictures go in, what becomes of what
comes out) is a Way; what differs between models is in models.yaml's options:

    size       side of a square of as many pixels as the model draws best; 1024
    steps      of the sampler; 30
    guidance   how closely it keeps to the words; 0 or 1 is none, as distilled models want it; 5
    strength   for a picture that is drawn over: how much of it is lost, 0 to 1; 0.6
    freedom    how many times more or fewer pixels than size**2 may be drawn; 2
    variant    of the weights' files, such as fp16
    call       further arguments of the pipeline, as diffusers names them
"""

from __future__ import annotations

import inspect
import math
import secrets
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

import torch
from PIL import Image

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _canvas, _components, _preview

WORDS = Path(__file__).with_name("words")
"""The prompts for requests without one."""


def fixed(name: str) -> str:
    """The words of that file."""
    return (WORDS / f"{name}.txt").read_text(encoding="utf-8").strip()


class Way(Protocol):
    """How a task is done."""

    PIPELINES: Mapping[str, str]
    """The class of the pipeline, by the class that the model's description names: a model of
    another class is none for this task."""
    FREE: ClassVar[bool]
    """Whether the size that is wanted may be drawn as it is, within reason (options.freedom)."""
    PICTURE: ClassVar[bool]
    """Whether the pipeline is given a picture to change."""

    def words(self, request: Request, pipeline: str) -> tuple[str, str | None]:
        """What is drawn, and what shall not be."""

    def size(self, request: Request) -> _canvas.Size:
        """The size that is wanted, or (0, 0): what the model draws best."""

    def media(self, requests: Sequence[Request], size: _canvas.Size, pipeline: str) -> dict[str, Any]:
        """The pipeline's arguments that are not words, in the size that is worked at."""

    def alike(self, request: Request) -> Hashable:
        """What else has to be the same in a batch."""

    def finish(self, request: Request, drawn: Image.Image) -> Image.Image:
        """What becomes the answer."""


# Pipelines whose words are an instruction, not a description of the result.
INSTRUCTED = frozenset(
    {
        "StableDiffusionInstructPix2PixPipeline",
        "QwenImageEditPipeline",
        "QwenImageEditPlusPipeline",
        "QwenImageEditInpaintPipeline",
        "Flux2KleinPipeline",
        "Flux2KleinInpaintPipeline",
    }
)
# Pipelines that take several pictures as several references for one result.
ALONE = INSTRUCTED - {"StableDiffusionInstructPix2PixPipeline"}


class _Task:
    """A pipeline, and how it is asked."""

    def __init__(self, way: Way, made: Any) -> None:
        self.way = way
        self.pipe = made
        self.name = type(made).__name__
        self.takes = inspect.signature(made.__call__).parameters
        # Qwen-Image has guidance_scale for models that have guidance learned in, of which there
        # are none, and FLUX.1 has it the other way round.
        own = self.takes["guidance_scale"].default is not None
        self.guidance = "guidance_scale" if own else "true_cfg_scale"
        self.avoids = "negative_prompt" in self.takes and not (own and "true_cfg_scale" in self.takes)
        self.multiple = _multiple(made)
        # pictures in a list are for these the references of one result, not of one result each
        self.batches = not (way.PICTURE and self.name in ALONE)


def _multiple(pipe: Any) -> int:
    """What both sides have to be multiples of: pixels in one of the autoencoder's, times what
    the network halves them by (a transformer: patches of two); and 8, which diffusers wants."""
    unet = getattr(pipe, "unet", None)
    halved = 2 if unet is None else 2 ** (len(unet.config.block_out_channels) - 1)
    return math.lcm(int(pipe.vae_scale_factor) * halved, 8)


class Diffusion:
    """A model on the device, with all of its tasks."""

    def __init__(self, model: Model, place: Place, tasks: Mapping[str, tuple[Way, Any]]) -> None:
        self._place = place
        self._tasks = {task: _Task(way, made) for task, (way, made) in tasks.items()}
        options = dict(model.options)
        options.pop("variant", None)
        self._native = int(options.pop("size", 1024))
        self._steps = int(options.pop("steps", 30))
        self._guidance = float(options.pop("guidance", 5))
        self._strength = float(options.pop("strength", 0.6))
        self._freedom = float(options.pop("freedom", 2))
        self._call: dict[str, Any] = dict(options.pop("call", {}))
        if options:
            raise Fault("model_failed", f"models.yaml has an option that this family does not know: {min(options)}.")

    def modules(self) -> Sequence[torch.nn.Module]:
        found = {id(p): p for t in self._tasks.values() for p in t.pipe.components.values() if isinstance(p, torch.nn.Module)}
        return list(found.values())

    def key(self, request: Request) -> Hashable | None:
        task = self._tasks[request.task]
        if not task.batches:
            return None
        try:
            return request.task, self._size(task, request), *self._sampling(task, request).items(), task.way.alike(request)
        except Fault:
            return None  # it is run alone, and refused then

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        task = self._tasks[requests[0].task]
        words = [task.way.words(r, task.name) for r in requests]
        if any(not prompt.strip() for prompt, _ in words):
            raise Fault("invalid_input", "There are no words to draw after.")
        size = self._size(task, requests[0])
        call = self._sampling(task, requests[0]) | task.way.media(requests, size, task.name)
        if call.pop("avoids"):
            call["negative_prompt"] = [avoided or _nothing(task) for _, avoided in words]
        if "height" in task.takes:
            call["width"], call["height"] = size
        self._prepare(task, size)
        step(0.0)
        drawn = task.pipe(
            prompt=[prompt for prompt, _ in words],
            generator=[_chance(r) for r in requests],
            callback_on_step_end=_told(step, call["num_inference_steps"], size),
            **{name: v for name, v in self._call.items() if name in task.takes} | call,
        ).images
        return [task.way.finish(r, d) for r, d in zip(requests, drawn, strict=True)]

    def _size(self, task: _Task, request: Request) -> _canvas.Size:
        wanted = task.way.size(request)
        if not all(wanted):
            wanted = self._native, self._native
        return _canvas.working(wanted, self._native, task.multiple, self._freedom if task.way.FREE else 1)

    def _sampling(self, task: _Task, request: Request) -> dict[str, Any]:
        """What the request asks for, and what models.yaml says where it does not."""
        asked = request.parameters
        steps = int(asked.get("num_inference_steps", self._steps))
        guidance = float(asked.get("guidance_scale", self._guidance))
        sampling: dict[str, Any] = {"num_inference_steps": steps, task.guidance: guidance}
        guided = task.avoids and guidance > 1
        if asked.get("negative_prompt") and not guided:
            raise Fault("invalid_parameter", "negative_prompt: this model cannot be told here what not to draw.")
        # Qwen-Image is guided only if it has something to be led away from, if only a blank
        avoided = task.way.words(request, task.name)[1]
        sampling["avoids"] = guided and (bool(avoided) or task.guidance == "true_cfg_scale")
        if "strength" in task.takes:
            # one step at least: pipelines take steps * strength of them, rounded down
            sampling["strength"] = min(1.0, max(float(asked.get("strength", self._strength)), 1 / steps + 1e-6))
        elif "strength" in asked:
            raise Fault("invalid_parameter", "strength: this model does not draw a picture over, but after an instruction.")
        return sampling

    def _prepare(self, task: _Task, size: _canvas.Size) -> None:
        vae = task.pipe.vae
        if vae.dtype != self._place.dtype and vae.dtype == torch.float32:
            vae.to(dtype=self._place.dtype)  # a run that was broken off while it was decoded in more precision
        # decoding is what takes most memory: of a batch one by one, of large pictures in parts
        vae.enable_slicing()
        large = size[0] * size[1] > 1.5 * max(self._native, 1024) ** 2
        vae.enable_tiling() if large else vae.disable_tiling()


def _nothing(task: _Task) -> str:
    return " " if task.guidance == "true_cfg_scale" else ""


def _chance(request: Request) -> torch.Generator:
    """By the seed that was asked for, the same on each device; without one, or with -1, any."""
    seed = request.parameters.get("seed", -1)
    return torch.Generator("cpu").manual_seed(seed if seed >= 0 else secrets.randbits(63))


def _told(step: Step, steps: int, size: _canvas.Size) -> Any:
    def after(pipe: Any, done: int, _time: Any, tensors: dict[str, Any]) -> dict[str, Any]:
        share = min(1.0, (done + 1) / max(1, getattr(pipe, "num_timesteps", 0) or steps))
        step(share, lambda: _preview.pictures(pipe, tensors["latents"], size))
        return tensors

    return after


def load(model: Model, place: Place, ways: Mapping[str, Way]) -> Diffusion:
    """The model with those of the ways that models.yaml lists it for."""
    described = str(_components.index(place.folder)["_class_name"])
    classes: dict[str, str] = {}
    for task in model.tasks:
        if task not in ways or described not in ways[task].PIPELINES:
            raise Fault("weights_mismatch", f"A model of the class {described} cannot do {task}.")
        classes[task] = ways[task].PIPELINES[described]
    variant = model.options.get("variant")
    given = {what: _components.companion(folder, place.dtype) for what, folder in place.companions.items()}
    known = _components.parts(place.folder, place.dtype, variant, given)
    _components.fit(known)
    made: dict[str, Any] = {}
    for name in classes.values():
        if name not in made:
            made[name] = _components.pipeline(name, place.folder, known, place.device)
            known |= made[name].components
    return Diffusion(model, place, {task: (ways[task], made[name]) for task, name in classes.items()})
