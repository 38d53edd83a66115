"""Generates the tables in README.md: python -m toolserver.readme [--write]."""

from __future__ import annotations

import ast
import inspect
import sys
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import SecretStr

from .settings import PREFIX, Settings

README = Path(__file__).parent.parent / "README.md"


def meanings() -> dict[str, str]:
    """What the docstring under each setting says."""
    body = ast.parse(inspect.getsource(Settings)).body[0]
    found: dict[str, str] = {}
    name = ""
    for node in body.body if isinstance(body, ast.ClassDef) else ():
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and name:
            found[name] = " ".join(str(node.value.value).split())
            name = ""
        else:
            name = ""
    return found


def rows() -> list[tuple[str, str, str]]:
    """The variable, its default, and what it means, of every setting."""
    said = meanings()
    return [
        (PREFIX + name.upper(), _default(field.default), " ".join(filter(None, [said.get(name, ""), _choice(field.annotation)])))
        for name, field in Settings.model_fields.items()
    ]


def _default(value: Any) -> str:  # noqa: ANN401 - of any setting
    value = value.get_secret_value() if isinstance(value, SecretStr) else value
    return "" if value in (None, "", []) else f"{value:g}" if isinstance(value, float) else str(value)


def _choice(annotation: Any) -> str:  # noqa: ANN401 - a type
    if get_origin(annotation) in (Union, types.UnionType):
        annotation = next(a for a in get_args(annotation) if a is not type(None))
    return f"One of {', '.join(get_args(annotation))}." if get_origin(annotation) is Literal else ""


def settings_table() -> str:
    lines = ["| Variable | Default | Meaning |", "| --- | --- | --- |"]
    lines += [
        f"| `{name}` | {f'`{default}`' if default else ''} | {meaning.replace('|', chr(92) + '|')} |" for name, default, meaning in rows()
    ]
    return "\n".join(lines)


def renewed(text: str) -> str:
    """README.md with its tables as they should be."""
    from .table import models_table

    for name, table in (("settings", settings_table()), ("models", models_table())):
        begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        head, _, rest = text.partition(begin)
        _, found, tail = rest.partition(end)
        if not found:
            raise ValueError(f"README.md has no place for the table of {name}")
        text = f"{head}{begin}\n{table}\n{end}{tail}"
    return text


def main() -> None:
    if sys.argv[1:] == ["--write"]:
        README.write_text(renewed(README.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(settings_table())


if __name__ == "__main__":
    main()
