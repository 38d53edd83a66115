"""The tasks: what goes in, which parameters there are, what comes out.

They are those of Hugging Face's task API (npm: @huggingface/tasks), and behind a "+" our
extension of them, which goes by the parameters of a request:

    text-to-image+control     control_image, control_mode: drawn after a map
    image-to-image+mask       mask_image: changed within a mask
    image-to-image+control    control_mode: a map is made of the picture
    image-to-image+size       target_size without a prompt: the picture is enlarged

mask-generation, image-segmentation and keypoint-detection, of which the hub has a task and
no form to ask for it, take points, labels, boxes, mask_image and prompt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

MODES = ("edge", "line", "hed", "scribble", "pose", "depth", "normal", "segmentation")
"""The maps that are made from pictures, and that guide drawing."""

Input = Literal["text", "picture", "sound", "film", "picture+question", "table+question"]
Output = Literal["picture", "sound", "sounds", "film", "json"]

Picture = Annotated[str, Field(min_length=4, json_schema_extra={"format": "picture"})]
"""A picture in Base64, with or without "data:…,". The worker puts the decoded one in its place."""
Mask = Annotated[str, Field(min_length=4, json_schema_extra={"format": "mask"})]
"""The same, in the size of the picture; the selected area is white."""

Seed = Annotated[int, Field(ge=-1, le=2**63 - 1)]
Share = Annotated[float, Field(ge=0, le=1)]
Labels = Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(min_length=1, max_length=200)]
Words = Annotated[str, Field(max_length=20_000)]
Whole = Annotated[int, Field(strict=True)]


class Parameters(BaseModel):
    """None, which some tasks have."""

    model_config = ConfigDict(extra="forbid")

    passed_over: ClassVar[frozenset[str]] = frozenset()
    """The hub's parameters that are taken, whatever they hold, and not followed."""

    @classmethod
    def takes(cls, name: str) -> bool:
        return name in cls.model_fields or name in cls.passed_over


class Generate(Parameters):
    """How a text is written."""

    # of text-generation, and of what the hub has as generation_parameters elsewhere
    passed_over = frozenset(
        {
            "adapter_id",
            "best_of",
            "decoder_input_details",
            "details",
            "frequency_penalty",
            "grammar",
            "top_n_tokens",
            "truncate",
            "typical_p",
            "watermark",
            "epsilon_cutoff",
            "eta_cutoff",
            "max_length",
            "min_length",
            "min_new_tokens",
            "early_stopping",
            "num_beams",
            "num_beam_groups",
            "penalty_alpha",
            "use_cache",
        }
    )

    max_new_tokens: Annotated[int, Field(ge=1, le=8192)] | None = None
    temperature: Annotated[float, Field(ge=0, le=5)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=0)] | None = None
    do_sample: bool | None = None
    repetition_penalty: Annotated[float, Field(gt=0, le=10)] | None = None
    seed: Seed | None = None
    stop: list[str] | None = None
    return_full_text: bool | None = None


class Draw(Parameters):
    """How a picture is drawn."""

    passed_over = frozenset({"scheduler"})

    negative_prompt: Words | None = None
    guidance_scale: Annotated[float, Field(ge=0, le=50)] | None = None
    num_inference_steps: Annotated[int, Field(ge=1, le=200)] | None = None
    width: Annotated[int, Field(ge=64, le=4096)] | None = None
    height: Annotated[int, Field(ge=64, le=4096)] | None = None
    seed: Seed | None = None


class DrawAfter(Draw):
    control_image: Picture
    control_mode: Literal["edge", "line", "hed", "scribble", "pose", "depth", "normal", "segmentation"]
    controlnet_conditioning_scale: Annotated[float, Field(ge=0, le=2)] | None = None


class Size(BaseModel):
    model_config = ConfigDict(extra="forbid")

    width: Annotated[int, Field(ge=1, le=16384)]
    height: Annotated[int, Field(ge=1, le=16384)]


class Edit(Parameters):
    prompt: Words | None = None
    negative_prompt: Words | None = None
    guidance_scale: Annotated[float, Field(ge=0, le=50)] | None = None
    num_inference_steps: Annotated[int, Field(ge=1, le=200)] | None = None
    strength: Share | None = None
    target_size: Size | None = None
    seed: Seed | None = None


class EditWithin(Edit):
    mask_image: Mask


class MapOf(Parameters):
    passed_over = frozenset({"prompt", "negative_prompt", "guidance_scale", "num_inference_steps", "target_size"})

    control_mode: Literal["edge", "line", "hed", "scribble", "pose", "depth", "normal", "segmentation"]


class Enlarge(Parameters):
    passed_over = frozenset({"prompt", "negative_prompt", "guidance_scale", "num_inference_steps"})

    target_size: Size


class Detect(Parameters):
    threshold: Share | None = None


class Find(Detect):
    candidate_labels: Labels


class Segment(Parameters):
    threshold: Share | None = None
    mask_threshold: Share | None = None
    overlap_mask_area_threshold: Share | None = None
    subtask: Literal["instance", "panoptic", "semantic"] | None = None
    prompt: Words | None = None


class Masks(Parameters):
    """No points, boxes or mask: all that there is."""

    points: Annotated[list[tuple[Whole, Whole]], Field(min_length=1, max_length=100)] | None = None
    labels: Annotated[list[Literal[0, 1]], Field(min_length=1, max_length=100)] | None = None
    """Of the points: 1 is meant, 0 is not."""
    boxes: Annotated[list[tuple[Whole, Whole, Whole, Whole]], Field(min_length=1, max_length=100)] | None = None
    mask_image: Mask | None = None
    prompt: Words | None = None

    @model_validator(mode="after")
    def _paired(self) -> Masks:
        if self.labels is not None and len(self.labels) != len(self.points or []):
            raise ValueError("labels: one is wanted for each of points")
        for x0, y0, x1, y1 in self.boxes or []:
            if x1 <= x0 or y1 <= y0:
                raise ValueError("boxes: each is left, top, right, bottom")
        return self


class Classify(Parameters):
    top_k: Annotated[int, Field(ge=1, le=1000)] | None = None
    function_to_apply: Literal["sigmoid", "softmax", "none"] | None = None


class ClassifyFilm(Classify):
    num_frames: Annotated[int, Field(ge=1, le=512)] | None = None
    frame_sampling_rate: Annotated[int, Field(ge=1)] | None = None


class Tell(Generate):
    """What is told of a picture or a video."""

    prompt: Words | None = None
    generation_parameters: Generate | None = None


class Reply(Parameters):
    top_k: Annotated[int, Field(ge=1, le=100)] | None = None


class ReplyOnPage(Reply):
    passed_over = frozenset({"doc_stride", "handle_impossible_answer", "max_seq_len", "max_question_len", "word_boxes"})

    max_answer_len: Annotated[int, Field(ge=1)] | None = None
    lang: str | None = None


class Hear(Parameters):
    return_timestamps: bool | Literal["word"] | None = None
    language: Annotated[str, Field(max_length=40)] | None = None
    generation_parameters: Generate | None = None


class Speak(Parameters):
    language: Annotated[str, Field(max_length=40)] | None = None
    voice: Annotated[str, Field(max_length=80)] | None = None
    generation_parameters: Generate | None = None


class Play(Parameters):
    duration: Annotated[float, Field(gt=0, le=600)] | None = None
    seed: Seed | None = None
    generation_parameters: Generate | None = None


class Film(Parameters):
    num_frames: Annotated[int, Field(ge=1, le=512)] | None = None
    guidance_scale: Annotated[float, Field(ge=0, le=50)] | None = None
    num_inference_steps: Annotated[int, Field(ge=1, le=200)] | None = None
    negative_prompt: Words | list[Words] | None = None
    seed: Seed | None = None


class Move(Film):
    prompt: Words | None = None
    target_size: Size | None = None


class Translate(Parameters):
    passed_over = frozenset({"truncation"})

    src_lang: Annotated[str, Field(max_length=40)] | None = None
    tgt_lang: Annotated[str, Field(max_length=40)] | None = None
    clean_up_tokenization_spaces: bool | None = None
    generate_parameters: Generate | None = None


class Shorten(Parameters):
    clean_up_tokenization_spaces: bool | None = None
    truncation: str | None = None
    generate_parameters: Generate | None = None


class ClassifyTokens(Parameters):
    aggregation_strategy: Literal["none", "simple", "first", "average", "max"] | None = None
    ignore_labels: list[str] | None = None
    stride: Annotated[int, Field(ge=0)] | None = None


class ClassifyAmong(Parameters):
    candidate_labels: Labels
    hypothesis_template: Annotated[str, Field(max_length=500)] | None = None
    multi_label: bool | None = None


class AskTable(Parameters):
    padding: str | None = None
    sequential: bool | None = None
    truncation: bool | None = None


@dataclass(frozen=True)
class Task:
    """A task."""

    hub: str
    """What the hub calls it, and what stands behind /pipeline/."""
    inputs: Input
    parameters: type[Parameters]
    answer: Output


def _tasks(*rows: tuple[str, Input, type[Parameters], Output]) -> dict[str, Task]:
    return {key: Task(key.partition("+")[0], inputs, parameters, answer) for key, inputs, parameters, answer in rows}


TASKS: dict[str, Task] = _tasks(
    ("text-to-image", "text", Draw, "picture"),
    ("text-to-image+control", "text", DrawAfter, "picture"),
    ("image-to-image", "picture", Edit, "picture"),
    ("image-to-image+mask", "picture", EditWithin, "picture"),
    ("image-to-image+control", "picture", MapOf, "picture"),
    ("image-to-image+size", "picture", Enlarge, "picture"),
    ("depth-estimation", "picture", Parameters, "picture"),
    ("object-detection", "picture", Detect, "json"),
    ("zero-shot-object-detection", "picture", Find, "json"),
    ("image-segmentation", "picture", Segment, "json"),
    ("mask-generation", "picture", Masks, "json"),
    ("keypoint-detection", "picture", Detect, "json"),
    ("image-classification", "picture", Classify, "json"),
    ("image-to-text", "picture", Tell, "json"),
    ("visual-question-answering", "picture+question", Reply, "json"),
    ("document-question-answering", "picture+question", ReplyOnPage, "json"),
    ("video-classification", "film", ClassifyFilm, "json"),
    ("video-text-to-text", "film", Tell, "json"),
    ("text-to-video", "text", Film, "film"),
    ("image-to-video", "picture", Move, "film"),
    ("automatic-speech-recognition", "sound", Hear, "json"),
    ("text-to-speech", "text", Speak, "sound"),
    ("text-to-audio", "text", Play, "sound"),
    ("audio-classification", "sound", Classify, "json"),
    ("audio-to-audio", "sound", Parameters, "sounds"),
    ("text-generation", "text", Generate, "json"),
    ("summarization", "text", Shorten, "json"),
    ("translation", "text", Translate, "json"),
    ("text-classification", "text", Classify, "json"),
    ("token-classification", "text", ClassifyTokens, "json"),
    ("zero-shot-classification", "text", ClassifyAmong, "json"),
    ("table-question-answering", "table+question", AskTable, "json"),
)


def resolve(hub: str, parameters: dict[str, Any]) -> str | None:
    """The key of the task that a request is of, by its parameters; None if the hub's task is
    not known here."""
    if hub not in TASKS:
        return None
    if hub == "text-to-image" and ("control_image" in parameters or "control_mode" in parameters):
        return "text-to-image+control"
    if hub == "image-to-image":
        if "mask_image" in parameters:
            return "image-to-image+mask"
        if "control_mode" in parameters:
            return "image-to-image+control"
        if "target_size" in parameters and not parameters.get("prompt"):
            return "image-to-image+size"
    return hub
