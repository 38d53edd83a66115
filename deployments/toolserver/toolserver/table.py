"""Which model does which tool, as Markdown: python -m toolserver.table.

Tools are those of the catalogue, where it stands beside this folder; without it there are the
tasks alone.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from .faults import Fault
from .registry import TIERS, read
from .tasks import MODES, TASKS

CATALOGUE = Path(__file__).parents[3] / "agent" / "toolbox" / "catalogue"
ALIASES = {"super-resolution": "image-to-image+size", "sentiment-analysis": "text-classification", "ner": "token-classification"}
"""Runs of the catalogue that are called otherwise here (agent/toolbox/hftask)."""

Asked = tuple[str, str | None]
"""The key of a task, and the map that it is about."""


def asked(run: str) -> Asked | None:
    """What a run of the catalogue asks for; None if it is no task of ours."""
    run = ALIASES.get(run, run)
    if run in TASKS:
        return run, None
    hub, _, mode = run.partition("+")
    key = f"{hub}+control"
    return (key, mode) if key in TASKS and mode in MODES else None


def tools(catalogue: Path = CATALOGUE) -> list[tuple[str, Asked]]:
    """The tools that need a model, each with what it asks for."""
    found = []
    for path in sorted(catalogue.glob("*.yaml")):
        tool = yaml.safe_load(path.read_text(encoding="utf-8"))
        for backend in tool.get("backends", ()):
            what = asked(str(backend.get("run"))) if backend.get("kind") == "hftask" else None
            if what and (tool["name"], what) not in found:
                found.append((tool["name"], what))
    return found


def models_table() -> str:
    """A row for each tool and each model that does it by default in some tier, once it was
    converted and before; the models with their licences and the tiers."""
    converted, fresh = ({tier: read(tier=tier, folders=folders) for tier in TIERS} for folders in (None, ()))
    named = tools()
    named += [("", (key, None)) for key in TASKS if key not in {key for _, (key, _) in named}]
    lines = ["| Tool | Task | Default model | Licence | Tiers |", "| --- | --- | --- | --- | --- |"]
    for tool, (key, mode) in named:
        tiers: dict[tuple[str, str], list[str]] = {}
        for tier, registry in (*converted.items(), *fresh.items()):
            try:
                model = registry.default(key, mode)
            except Fault:
                continue
            name = f"{model.id} (once converted)" if model.convert else model.id
            if tier not in (of := tiers.setdefault((name, model.licence), [])):
                of.append(tier)
        task = f"{key} ({mode})" if mode else key
        for (name, licence), of in tiers.items() or [(("none yet", ""), [])]:
            lines.append(f"| {tool} | {task} | {name} | {licence} | {', '.join(of)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(models_table())
