"""What can be set, all by variables of the environment, read once at the start."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from .registry import Tier

PREFIX = "TOOLSERVER_"


def _names(value: object) -> object:
    return [part for part in value.replace(",", " ").split() if part] if isinstance(value, str) else value


class Settings(BaseModel):
    """Each field is the variable TOOLSERVER_ and its name in capitals; README.md lists them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = "127.0.0.1"
    """Where it listens. Anything but this machine itself needs a token."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    """Of TCP; 0 is any that is free."""
    token: SecretStr = SecretStr("")
    """What is asked for as a bearer token; empty is nothing."""
    models: Path | None = None
    """A models.yaml of one's own."""
    tier: Tier = "standard"
    """How large a GPU the models are for: 8 GB, 24 GB or 80 GB. Smaller tiers are served too."""
    only: Annotated[list[str], BeforeValidator(_names)] = []
    """The models that are served, by their ids; empty is all of the tier."""
    weights: Path | None = None
    """A folder with a folder org/model for each model; empty is the hub and its cache (HF_HOME)."""
    converted: Path | None = None
    """A folder with a folder org/model for each model that was converted (see below); others come from the hub."""
    device: str = ""
    """cuda, cuda:1, cpu; empty is the first GPU, or the CPU where there is none."""
    memory: Annotated[int, Field(ge=0)] = 0
    """MiB that models may take of a device; 0 is nine tenths of what is free at the start."""
    replicas: Annotated[int, Field(ge=1)] = 1
    """Processes with a device each, at most as many as there are GPUs."""
    max_body: Annotated[int, Field(gt=0)] = 128 << 20
    """Bytes of a request."""
    max_pixels: Annotated[int, Field(gt=0)] = 64_000_000
    """Of a picture, before it is decoded."""
    max_audio: Annotated[float, Field(gt=0)] = 1800
    """Seconds of a recording."""
    max_frames: Annotated[int, Field(gt=0)] = 512
    """Frames of a video that are looked at: longer ones are looked at in as many places."""
    max_text: Annotated[int, Field(gt=0)] = 100_000
    """Characters."""
    max_waiting: Annotated[int, Field(gt=0)] = 256
    """Requests that wait at once in a replica; more are told to come again."""
    patience: Annotated[float, Field(ge=0)] = 20
    """Seconds after which an answer becomes a job that is asked after (202)."""
    keep: Annotated[float, Field(gt=0)] = 900
    """Seconds for which the result of a job is kept."""
    grace: Annotated[float, Field(ge=0)] = 30
    """Seconds that running work is given when the server is told to stop."""
    log: Literal["debug", "info", "warning", "error"] = "info"
    """What is logged at least; info has a line for each request."""

    @property
    def folders(self) -> list[Path]:
        """Where models may be that were converted."""
        return [folder for folder in (self.weights, self.converted) if folder is not None]

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Reads the variables. A ValueError names the one that is wrong, and never its value."""
        values = {}
        for name, value in environment.items():
            field = name.removeprefix(PREFIX).lower()
            if not name.startswith(PREFIX) or value == "":
                continue
            if field not in cls.model_fields:
                raise ValueError(f"{name} is not a setting; README.md lists them")
            values[field] = value
        try:
            settings = cls.model_validate(values)
        except ValidationError as err:
            first = err.errors(include_input=False, include_url=False)[0]
            raise ValueError(f"{PREFIX}{str(first['loc'][0]).upper()}: {first['msg']}") from None
        if settings.host not in ("127.0.0.1", "::1", "localhost") and not settings.token.get_secret_value():
            raise ValueError(f"{PREFIX}HOST opens the server to others, so {PREFIX}TOKEN must be set")
        return settings
