"""What people send becomes a work.Request: JSON is read, files are decoded, all is checked.

Nothing here repeats what was sent: sentences name parameters, limits, and sizes of pictures.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, get_args

import pydantic_core
from PIL import Image
from pydantic import BaseModel, ValidationError

from . import pictures, recordings
from .faults import Fault
from .settings import Settings
from .tasks import TASKS, Parameters, Task
from .work import Request

MOST_PARTS = 1_000_000
"""Commas and brackets in JSON: what would become far more memory than it is bytes."""
MOST_CELLS = 50_000
"""The maximum number of cells of a table."""


@dataclass(frozen=True)
class Message:
    """A request before its task is known."""

    inputs: Any = field(repr=False)
    """Bytes, where the body is a file; else what JSON has as inputs."""
    parameters: dict[str, Any] = field(repr=False)


def is_json(content_type: str, body: bytes) -> bool:
    """Whether the body is JSON and not a file. Programs that know no better say that it is
    JSON, or that it is a form, whatever it is."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind.endswith(("/json", "+json")):
        return True
    return not kind.startswith(("image/", "audio/", "video/", "text/")) and body[:256].lstrip()[:1] == b"{"


def message(content_type: str, body: bytes) -> Message:
    """Reads the body. It takes about a second for 100 MB."""
    if not is_json(content_type, body):
        if content_type.strip().lower().startswith("text/"):
            try:
                return Message(body.decode(), {})
            except UnicodeDecodeError:
                raise Fault("invalid_input", "The text is not UTF-8.") from None
        return Message(body, {})
    if sum(map(body.count, (b",", b"[", b"{"))) > MOST_PARTS:
        raise Fault("too_large", "The JSON has too many parts.")
    try:
        told = pydantic_core.from_json(body, allow_inf_nan=False)
    except ValueError:  # too deep, too large a number, or no JSON
        raise Fault("invalid_input", "The body is not JSON that can be read.") from None
    if not isinstance(told, dict):
        raise Fault("invalid_input", 'The body is not of the form {"inputs": …, "parameters": {…}}.')
    if "inputs" not in told:
        raise Fault("missing_parameter", "inputs is missing.")
    parameters = told.get("parameters")
    if parameters is None:
        parameters = {}
    if not isinstance(parameters, dict):
        raise Fault("invalid_parameter", "parameters must be an object.")
    return Message(told["inputs"], {name: value for name, value in parameters.items() if value is not None})


@dataclass(frozen=True)
class Reader:
    """Reads requests within the limits. Its methods may be called by any thread."""

    settings: Settings

    def weight(self, task: str, body: bytes) -> int:
        """About how many bytes the request takes once it is read. It is an estimate from above
        where headers tell the truth and a guess where they are not looked at."""
        match TASKS[task].inputs:
            case "picture" | "picture+question":
                return 4 * len(body) + self._pixels(body)
            case "sound":
                return 24 * len(body)
            case "film":
                return 6 * self.settings.max_pixels
        return 4 * len(body)

    def _pixels(self, body: bytes) -> int:
        """Bytes of the picture that the body is; of one within JSON a usual photo."""
        if pictures.sniff(body) is None:
            return 4 * 12_000_000
        width, height = pictures.size(body, self.settings.max_pixels)
        return 4 * width * height

    def request(self, task: str, content_type: str, body: bytes, check: Callable[[], None] = lambda: None) -> Request:
        """The request as the task wants it. check is called now and then and raises
        faults.Cancelled when nobody waits any more."""
        spec = TASKS[task]
        told = message(content_type, body)
        parameters = validated(spec, told.parameters)
        inputs = self._inputs(spec, told.inputs, check)
        self._pictures(spec, parameters, inputs)
        _places(parameters, inputs)
        return Request(task, inputs, parameters)

    def _inputs(self, spec: Task, told: Any, check: Callable[[], None]) -> Any:  # noqa: ANN401 - JSON
        match spec.inputs:
            case "text":
                return self._text(told, "inputs")
            case "picture":
                return pictures.decode(_file(told, "inputs", "image"), self.settings.max_pixels)
            case "sound":
                return recordings.decode_sound(_file(told, "inputs", "audio"), self.settings.max_audio, check)
            case "film":
                return recordings.decode_film(_file(told, "inputs", "video"), self.settings.max_frames, self.settings.max_pixels, check)
            case "picture+question":
                asked = _object(told, "image", "question")
                question = self._text(asked["question"], "question")
                return {"image": pictures.decode(_file(asked["image"], "image"), self.settings.max_pixels), "question": question}
            case "table+question":
                asked = _object(told, "table", "question")
                return {"table": self._table(asked["table"]), "question": self._text(asked["question"], "question")}

    def _text(self, told: Any, name: str) -> str:  # noqa: ANN401 - JSON
        if not isinstance(told, str):
            raise Fault("invalid_input", f"{name} must be a text.")
        if not told.strip():
            raise Fault("invalid_input", f"{name} is empty.")
        if len(told) > self.settings.max_text:
            raise Fault("too_large", f"The text has {len(told)} characters; at most {self.settings.max_text} are taken.")
        return told

    def _table(self, told: Any) -> dict[str, list[str]]:  # noqa: ANN401 - JSON
        if not isinstance(told, dict) or not told or not all(isinstance(column, list) for column in told.values()):
            raise Fault("invalid_input", "table must be an object of columns, each a list of texts.")
        rows = {len(column) for column in told.values()}
        if len(rows) != 1 or rows == {0}:
            raise Fault("invalid_input", "table must have as many cells in each column, and one at least.")
        if len(told) * rows.pop() > MOST_CELLS:
            raise Fault("too_large", f"The table is too large: at most {MOST_CELLS} cells are taken.")
        if not all(isinstance(cell, str | int | float) for column in told.values() for cell in column):
            raise Fault("invalid_input", "table must have texts and numbers as its cells.")
        table = {name: [str(cell) for cell in column] for name, column in told.items()}
        if sum(len(name) + sum(map(len, column)) for name, column in table.items()) > self.settings.max_text:
            raise Fault("too_large", f"The table is too large: at most {self.settings.max_text} characters are taken.")
        return table

    def _pictures(self, spec: Task, parameters: dict[str, Any], inputs: Any) -> None:  # noqa: ANN401 - JSON
        """Puts decoded pictures in the place of those among the parameters."""
        most = self.settings.max_pixels
        for name, kind in picture_fields(spec.parameters).items():
            if name not in parameters:
                continue
            data = _file(parameters[name], name)
            try:
                parameters[name] = image = pictures.decode_mask(data, most) if kind == "mask" else pictures.decode(data, most)
            except Fault as fault:
                if fault.code != "invalid_input":
                    raise
                raise Fault("invalid_parameter", f"{name} cannot be read: it is damaged, or of a format that is not taken.") from None
            if kind == "mask" and isinstance(inputs, Image.Image) and image.size != inputs.size:
                (w, h), (w2, h2) = image.size, inputs.size
                raise Fault("invalid_parameter", f"{name} has {w} × {h} pixels, and the picture {w2} × {h2}.")


def _object(told: Any, *names: str) -> dict[str, Any]:  # noqa: ANN401 - JSON
    if not isinstance(told, dict):
        raise Fault("invalid_input", f"inputs must be an object with {' and '.join(names)}.")
    for name in names:
        if name not in told:
            raise Fault("missing_parameter", f"{name} is missing.")
    return told


def _file(told: Any, *names: str) -> bytes:  # noqa: ANN401 - JSON
    """The bytes of a file that came as it is, in Base64, or in an object with one of the names."""
    name = names[0]
    if isinstance(told, dict):
        found = [told[n] for n in names[1:] if n in told]
        if not found:
            raise Fault("invalid_input", f"{name} must be a file in Base64.")
        told = found[0]
    if isinstance(told, bytes):
        data = told
    elif isinstance(told, str):
        text = told.partition(",")[2] if told.startswith("data:") else told
        try:
            data = base64.b64decode(text.encode("ascii").translate(None, b" \t\r\n"), validate=True)
        except (binascii.Error, UnicodeEncodeError):
            data = b""
            told = ""  # no Base64 is as none
    else:
        raise Fault("invalid_input", f"{name} must be a file in Base64.")
    if not data:
        raise Fault("invalid_input", f"{name} is no file: it is empty, or not in Base64.")
    return data


@cache
def picture_fields(parameters: type[Parameters]) -> Mapping[str, str]:
    """The parameters that are files, and whether each is a picture or a mask. It is kept, since
    pydantic takes milliseconds to make a schema, in which no other thread runs."""
    kinds = {}
    for name, told in parameters.model_json_schema()["properties"].items() if parameters.model_fields else ():
        for one in [told, *told.get("anyOf", ())]:
            if one.get("format") in ("picture", "mask"):
                kinds[name] = one["format"]
    return MappingProxyType(kinds)


def validated(spec: Task, told: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that were given, each of its type. A Fault names the first that is wrong."""
    told = _followed(spec.parameters, told)
    files = {name: told[name] for name in picture_fields(spec.parameters) if isinstance(told.get(name), str)}
    try:
        # as JSON, since in it a list may stand for a tuple while nothing else is bent; files
        # are long, and anything may stand for them here
        text = pydantic_core.to_json({**told, **dict.fromkeys(files, "file")}, inf_nan_mode="constants")
        model = spec.parameters.model_validate_json(text, strict=True)
    except ValidationError as err:
        raise _fault(spec.parameters, err) from None
    given = model.model_dump(exclude_none=True, exclude_unset=True)
    return {**given, **files}


def _followed(model: type[BaseModel], told: Mapping[str, Any]) -> dict[str, Any]:
    """Without the parameters that are passed over, here and in objects within."""
    passed_over = model.passed_over if issubclass(model, Parameters) else frozenset()
    kept = {name: value for name, value in told.items() if name not in passed_over}
    for name, known in model.model_fields.items():
        if isinstance(kept.get(name), dict) and (inner := _inner(known.annotation)):
            kept[name] = _followed(inner, kept[name])
    return kept


def _inner(annotation: Any) -> type[BaseModel] | None:  # noqa: ANN401 - a type
    """The object that a parameter is, if it is one."""
    return next((t for t in (annotation, *get_args(annotation)) if isinstance(t, type) and issubclass(t, BaseModel)), None)


def _fault(model: type[BaseModel], err: ValidationError) -> Fault:
    first = err.errors(include_input=False, include_url=False)[0]
    kind, context = first["type"], first.get("ctx", {})
    name = _name(model, first["loc"])
    match kind:
        case "missing":
            return Fault("missing_parameter", f"{name} is missing.")
        case "extra_forbidden":
            names = ", ".join(model.model_fields)
            said = f"The task does not take {name}" if name else "There is a parameter that the task does not take"
            return Fault("invalid_parameter", f"{said}; it takes {names}." if names else f"{said}: it takes none.")
        case "value_error":
            return Fault("invalid_parameter", f"{context['error']}.")
        case "literal_error":
            wanted = f"must be {context['expected']}"
        case "greater_than_equal":
            wanted = f"must be at least {context['ge']}"
        case "greater_than":
            wanted = f"must be more than {context['gt']}"
        case "less_than_equal":
            wanted = f"must be at most {context['le']}"
        case "too_long" | "string_too_long":
            wanted = "is too long"
        case "too_short" | "string_too_short":
            wanted = "is too short"
        case _:
            wanted = _WANTED.get(kind, "is not of its form")
    return Fault("invalid_parameter", f"{name or 'A parameter'} {wanted}.")


_WANTED = {
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing_size": "is too large a number",
    "float_type": "must be a number",
    "finite_number": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be a text",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "model_type": "must be an object",
}


def _name(model: type[BaseModel], loc: tuple[int | str, ...]) -> str:
    """What a place is called: target_size.width, points[3]. What is no name that we gave is
    repeated only where it looks like one."""
    if not loc or not re.fullmatch(r"[a-zA-Z_]{1,40}", str(loc[0])):
        return ""
    name, rest = str(loc[0]), loc[1:]
    known = model.model_fields.get(name)
    if known and rest:
        if inner := _inner(known.annotation):
            further = _name(inner, rest)
            return f"{name}.{further}" if further else name
        if isinstance(rest[0], int):
            return f"{name}[{rest[0]}]"
    return name


def _places(parameters: Mapping[str, Any], inputs: Any) -> None:  # noqa: ANN401 - JSON
    """Points and boxes lie in the picture."""
    if not isinstance(inputs, Image.Image):
        return
    width, height = inputs.size
    for i, (x, y) in enumerate(parameters.get("points", ())):
        if not (0 <= x < width and 0 <= y < height):
            raise Fault("invalid_parameter", f"points[{i}] lies outside of the picture, which has {width} × {height} pixels.")
    for i, (x0, y0, x1, y1) in enumerate(parameters.get("boxes", ())):
        if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
            raise Fault("invalid_parameter", f"boxes[{i}] lies outside of the picture, which has {width} × {height} pixels.")
