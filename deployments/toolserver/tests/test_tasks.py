"""What the hub publishes of its tasks is taken: agent/toolbox/hftask/hftasktest/spec has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolserver.read import message, validated
from toolserver.tasks import MODES, TASKS

SPEC = Path(__file__).parents[3] / "agent" / "toolbox" / "hftask" / "hftasktest" / "spec" / "tasks"
OURS = {"mask-generation", "keypoint-detection", "video-text-to-text", "audio-to-audio"}
"""Of which the hub has no schema."""
COMMON = json.loads((SPEC / "common-definitions.json").read_text())["definitions"]
WANTED = {
    "text-to-image+control": {"control_image": "QUJD", "control_mode": MODES[0]},
    "image-to-image+mask": {"mask_image": "QUJD"},
    "image-to-image+control": {"control_mode": MODES[0]},
}
"""What our forms of a task need besides."""


def schema(hub: str) -> dict[str, Any]:
    return json.loads((SPEC / hub / "input.json").read_text())


def sample(told: dict[str, Any], own: dict[str, Any]) -> Any:
    """A value as the schema wants it."""
    if "$ref" in told:
        name = told["$ref"].rpartition("/")[2]
        return sample(own[name] if told["$ref"].startswith("#") else COMMON[name], own)
    if "enum" in told:
        return told["enum"][0]
    if "const" in told:
        return told["const"]
    for several in ("anyOf", "oneOf"):
        if several in told:
            return sample(told[several][0], own)
    kind = told.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            return {name: sample(inner, own) for name, inner in told.get("properties", {}).items()}
        case "array":
            return [sample(told["items"], own)]
        case "integer":
            return 64
        case "number":
            return 1
        case "boolean":
            return True
    return "x"


@pytest.mark.parametrize("key", [key for key, task in TASKS.items() if task.hub not in OURS])
def test_all_parameters_of_the_hub_are_taken(key: str) -> None:
    task = TASKS[key]
    told = schema(task.hub)
    given = told["properties"].get("parameters")
    values = sample(given, told["$defs"]) if given else {}
    assert [name for name in values if not task.parameters.takes(name)] == []
    kept = validated(task, WANTED.get(key, {}) | values)
    assert kept.keys() >= values.keys() - task.parameters.passed_over
    assert not kept.keys() & task.parameters.passed_over


def test_a_schema_is_missing_for_no_other_task() -> None:
    assert {task.hub for task in TASKS.values() if not (SPEC / task.hub).is_dir()} == OURS


def test_what_is_passed_over_may_hold_anything() -> None:
    nested = {"generation_parameters": {"num_beams": "many", "temperature": 0.5}}
    assert validated(TASKS["image-to-text"], nested) == {"generation_parameters": {"temperature": 0.5}}
    assert validated(TASKS["text-to-image"], {"scheduler": {"a": [1]}, "seed": 3}) == {"seed": 3}


def test_a_parameter_that_is_null_is_as_not_given() -> None:
    told = message("application/json", b'{"inputs": "a", "parameters": {"control_mode": null, "mask_image": null, "prompt": "x"}}')
    assert told.parameters == {"prompt": "x"}
