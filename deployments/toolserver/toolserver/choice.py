"""Chooses the model and the task of a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .faults import Fault
from .read import Message
from .registry import Model, Registry
from .tasks import MODES, TASKS, resolve


def choose(
    registry: Registry,
    model: str | None,
    task: str | None,
    told: Message,
    content_type: str,
    able: Callable[[Model], bool] = lambda model: True,
) -> tuple[Model, str]:
    """The model and the key of its task. model is None where none is named: then it is the first
    that is able to. task is None where only the model is named: of several tasks the parameters
    decide, or the type of the file."""
    parameters = told.parameters
    if task is not None and task not in TASKS:
        raise Fault("unknown_task", "There is no such task; GET /capabilities lists those that there are.")
    mode = _mode(parameters)
    if model is None:
        if task is None:
            raise Fault("unknown_task", "Neither a model nor a task is named.")
        key = _key(task, parameters)
        return registry.default(key, mode, able), key
    named = registry.model(model)
    hubs = [task.partition("+")[0]] if task else list(dict.fromkeys(TASKS[key].hub for key in named.tasks))
    if len(hubs) > 1:
        hubs = [hub for hub in hubs if _may_be(named, hub, told, content_type)] or hubs
    if len(hubs) > 1:
        raise Fault("missing_parameter", f"The model does several tasks: ask at /models/{model}/pipeline/ and one of {', '.join(hubs)}.")
    key = _of(named, task if task and "+" in task else _key(hubs[0], parameters))
    if mode and named.modes and mode not in named.modes and "control_mode" in TASKS[key].parameters.model_fields:
        raise Fault("invalid_parameter", f"control_mode must be one that the model has: {', '.join(named.modes)}.")
    return named, key


def _mode(parameters: dict[str, Any]) -> str | None:
    mode = parameters.get("control_mode")
    if mode is None:
        return None
    if not isinstance(mode, str) or mode not in MODES:
        raise Fault("invalid_parameter", f"control_mode must be one of {', '.join(MODES)}.")
    return mode


def _key(task: str, parameters: dict[str, Any]) -> str:
    return task if "+" in task else resolve(task, parameters) or task


def _of(model: Model, key: str) -> str:
    """The model's own task that comes next to the key: what it lacks is then told by its name,
    and a picture is also enlarged by models that change pictures in general."""
    if key in model.tasks:
        return key
    hub = TASKS[key].hub
    own = [k for k in model.tasks if TASKS[k].hub == hub]
    if key == hub and len(own) == 1:
        return own[0]
    if key == "image-to-image+size" and hub in own:
        return hub
    if not own:
        raise Fault("unknown_task", f"The model does not do {hub}; it does {', '.join(model.tasks)}.")
    raise Fault("unknown_task", f"The model does not do {key}; it does {', '.join(own)}.")


def _may_be(model: Model, hub: str, told: Message, content_type: str) -> bool:
    """Whether a request may be of the task, by what it has."""
    key = _key(hub, told.parameters)
    if key not in model.tasks:
        return False
    spec = TASKS[key]
    if not all(map(spec.parameters.takes, told.parameters)):
        return False
    if {name for name, field in spec.parameters.model_fields.items() if field.is_required()} - told.parameters.keys():
        return False
    match told.inputs:
        case bytes():
            sort = content_type.partition("/")[0].strip().lower()
            wanted = {"picture": "image", "sound": "audio", "film": "video"}.get(spec.inputs)
            return wanted is not None and (sort == wanted or sort not in ("image", "audio", "video"))
        case dict():
            return spec.inputs in ("picture+question", "table+question") and all(name in told.inputs for name in spec.inputs.split("+")[1:])
    return spec.inputs not in ("picture+question", "table+question")
