"""Models that see and talk: Qwen3-VL, Qwen2.5-VL, Qwen2-VL and SmolVLM2.

They are asked in words about a picture or the frames of a video, and answer in words. The
form in which they are asked is that of their own chat template.

    Qwen3-VL    arXiv:2511.21631, huggingface.co/Qwen/Qwen3-VL-8B-Instruct
    SmolVLM2    arXiv:2504.05299, huggingface.co/HuggingFaceTB/SmolVLM2-2.2B-Instruct

Options in models.yaml: pixels and frames, more of which are not looked at; context and tokens,
how much is read and written at most; prompt, which is used whatever is asked (models that do
one thing by a fixed word).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from PIL import Image
from transformers import AutoModelForImageTextToText, AutoProcessor
from transformers.models.smolvlm import processing_smolvlm
from transformers.video_utils import VideoMetadata

from ..faults import Fault
from ..registry import Model
from ..work import Film, Place, Request, Result, Step
from . import _generating, _language
from ._seeing import picture

TASKS = frozenset({"image-to-text", "visual-question-answering", "document-question-answering", "video-text-to-text"})

PROMPTS = {
    "image-to-text": "seeing_caption",
    "visual-question-answering": "seeing_question",
    "document-question-answering": "seeing_document",
    "video-text-to-text": "seeing_film",
}

NARROWEST = 100
"""The maximum aspect ratio of a picture: Qwen's processors reject twice that."""


def load(model: Model, place: Place) -> Seeing:
    if getattr(processing_smolvlm, "num2words", None) is None:
        # The processor wants the package num2words, of another licence than ours, to write one
        # number: how many frames there are.
        processing_smolvlm.num2words = _number  # type: ignore[attr-defined]
    processor = _language.reader(AutoProcessor, place.folder)
    if getattr(processor, "tokenizer", None) is None:
        raise Fault("weights_mismatch", "The files by which the model reads its input are missing or do not fit.")
    processor.tokenizer.padding_side = "left"
    return Seeing(model, place, _language.network(AutoModelForImageTextToText, place), processor)


class Seeing:
    """A model that sees."""

    def __init__(self, model: Model, place: Place, network: Any, processor: Any) -> None:  # noqa: ANN401 - transformers is untyped
        self._place, self._network, self._processor = place, network, processor
        options = model.options
        self._pixels = int(options.get("pixels", 2_000_000))
        self._frames = int(options.get("frames", 16))
        self._tokens = int(options.get("tokens", 1024))
        self._prompt = options.get("prompt")
        self._context = _language.context_of(network.config, processor.tokenizer, options)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self._network]

    def key(self, request: Request) -> Hashable | None:
        return None if isinstance(request.inputs, Film) else "pictures"

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        manners = [self._manner(r) for r in requests]
        inputs = self._read(requests)
        lengths = inputs["attention_mask"].sum(1).tolist()
        manners = [
            replace(how, most=_generating.room(length, self._context, how.most)) for how, length in zip(manners, lengths, strict=True)
        ]
        parts = list(_generating.shares(lengths, [how.most for how in manners], self._context))
        texts: list[_generating.Text] = []
        for part in parts:
            chosen = inputs if len(parts) == 1 else self._read([requests[i] for i in part])
            texts += _generating.write(
                self._network, self._processor.tokenizer, [manners[i] for i in part], step, _language.moved(chosen, self._place),
                part=(part.start / len(requests), part.stop / len(requests)),
            )  # fmt: skip
        return [_answer(request, text) for request, text in zip(requests, texts, strict=True)]

    def _manner(self, request: Request) -> _generating.Manner:
        how = _generating.manner(request.parameters, self._tokens, self._network.generation_config)
        longest = request.parameters.get("max_answer_len")
        return replace(how, most=min(how.most, longest)) if longest else how

    def _read(self, requests: Sequence[Request]) -> Any:  # noqa: ANN401
        """The tokens and pixels of the requests, all of the same kind."""
        films = [_frames(r.inputs, self._frames, self._pixels) for r in requests if isinstance(r.inputs, Film)]
        pictures = [] if films else [[_fitted(picture(r), self._pixels)] for r in requests]
        kind = "video" if films else "image"
        talks = [[{"role": "user", "content": [{"type": kind}, {"type": "text", "text": self._asked(request)}]}] for request in requests]
        texts = self._processor.apply_chat_template(talks, tokenize=False, add_generation_prompt=True)
        seen: dict[str, Any] = {"images": pictures}
        if films:
            seen = {
                "videos": [[frames] for frames, _ in films], "video_metadata": [[about] for _, about in films], "do_sample_frames": False
            }  # fmt: skip
        try:
            return self._processor(text=texts, padding=True, return_tensors="pt", **seen)
        except ValueError as err:
            raise Fault("invalid_input", "The model cannot look at a picture or video of this form.") from err

    def _asked(self, request: Request) -> str:
        if self._prompt is not None:
            return str(self._prompt)
        prompt = request.parameters.get("prompt")
        if not prompt:
            prompt = _language.told(PROMPTS[request.task])
            question = request.inputs["question"] if isinstance(request.inputs, dict) else ""
            prompt = prompt.replace("{question}", question)
        return _language.inert(prompt, self._processor.tokenizer)


def _answer(request: Request, text: _generating.Text) -> Result:
    match request.task:
        case "visual-question-answering":
            return [{"answer": text.text, "score": _language.score(text.score)}]
        case "document-question-answering":
            # where it stands among the words of the page, which the hub's form asks for and
            # which a model that reads no word by word does not know
            return [{"answer": text.text, "score": _language.score(text.score), "start": 0, "end": 0}]
        case "video-text-to-text":
            return {"generated_text": text.text}
    return [{"generated_text": text.text}]


def _fitted(image: Image.Image, pixels: int) -> Image.Image:
    """The picture with no more pixels than that."""
    width, height = image.size
    if max(width, height) > NARROWEST * min(width, height):
        raise Fault("invalid_input", f"The picture is more than {NARROWEST} times as long as wide, which the model cannot look at.")
    shrink = (pixels / (width * height)) ** 0.5
    if shrink >= 1:
        return image
    return image.resize((max(1, int(width * shrink)), max(1, int(height * shrink))), Image.Resampling.BICUBIC)


def _frames(film: Film, most: int, pixels: int) -> tuple[np.ndarray, VideoMetadata]:
    """So many frames from all over the video, all together of no more than four pictures'
    pixels, and the times that they are of."""
    count, height, width = film.frames.shape[:3]
    if max(width, height) > NARROWEST * min(width, height):
        raise Fault("invalid_input", f"The video is more than {NARROWEST} times as long as wide, which the model cannot look at.")
    chosen = np.unique(np.linspace(0, count - 1, min(most, count)).round().astype(int))
    chosen = np.repeat(chosen, 2) if len(chosen) == 1 else chosen  # Qwen looks at two at a time
    frames = [_fitted(Image.fromarray(film.frames[i]), max(4 * pixels // len(chosen), 1)) for i in chosen]
    rate = film.rate if film.rate > 0 else 1.0
    about = VideoMetadata(
        total_num_frames=count, fps=rate, width=width, height=height, duration=count / rate, frames_indices=chosen.tolist()
    )
    return np.stack([np.asarray(frame) for frame in frames]), about


def _number(count: int) -> str:
    """A number in English words, up to 999."""
    # fmt: off
    small = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
             "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
    # fmt: on
    tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    if count < 20:
        return small[count]
    if count < 100:
        return tens[count // 10 - 2] + (f"-{small[count % 10]}" if count % 10 else "")
    return f"{small[count // 100]} hundred" + (f" and {_number(count % 100)}" if count % 100 else "")
