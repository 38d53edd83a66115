"""The settings: environment variables, read once at startup."""

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
    """Each field is set by TOOLSERVER_ and its name in capitals; README.md lists them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = "127.0.0.1"
    """The address to listen on. Any address but this machine's own needs a token."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    """The TCP port; 0 chooses a free one."""
    token: SecretStr = SecretStr("")
    """The bearer token that clients must send; if empty, none."""
    models: Path | None = None
    """Your own models.yaml."""
    tier: Tier = "standard"
    """The GPU size that models are chosen for: 8 GB, 24 GB or 80 GB. Smaller tiers are served too."""
    only: Annotated[list[str], BeforeValidator(_names)] = []
    """The ids of the models to serve; if empty, all of the tier."""
    weights: Path | None = None
    """A folder with a subfolder org/model for each model; if empty, the hub and its cache (HF_HOME) are used."""
    converted: Path | None = None
    """A folder with a subfolder org/model for each converted model (see below); others come from the hub."""
    device: str = ""
    """cuda, cuda:1 or cpu; if empty, the first GPU, or the CPU if there is none."""
    memory: Annotated[int, Field(ge=0)] = 0
    """The device memory for models, in MiB; 0 means nine tenths of the memory that is free at startup."""
    replicas: Annotated[int, Field(ge=1)] = 1
    """The number of processes, each with its own device: at most the number of GPUs."""
    max_body: Annotated[int, Field(gt=0)] = 128 << 20
    """The maximum size of a request, in bytes."""
    max_pixels: Annotated[int, Field(gt=0)] = 64_000_000
    """The maximum size of a picture, checked before decoding."""
    max_audio: Annotated[float, Field(gt=0)] = 1800
    """The maximum length of a recording, in seconds."""
    max_frames: Annotated[int, Field(gt=0)] = 512
    """The maximum number of frames of a video to use; longer videos are sampled."""
    max_text: Annotated[int, Field(gt=0)] = 100_000
    """The maximum length of a text, in characters."""
    max_waiting: Annotated[int, Field(gt=0)] = 256
    """The maximum number of waiting requests per replica; further ones must retry."""
    patience: Annotated[float, Field(ge=0)] = 20
    """Seconds after which a request becomes a job to poll (202)."""
    keep: Annotated[float, Field(gt=0)] = 900
    """How long the result of a job is kept, in seconds."""
    grace: Annotated[float, Field(ge=0)] = 30
    """The grace period for running work at shutdown, in seconds."""
    log: Literal["debug", "info", "warning", "error"] = "info"
    """The minimum level of the log; info has a line for each request."""

    @property
    def folders(self) -> list[Path]:
        """The folders that may contain converted models."""
        return [folder for folder in (self.weights, self.converted) if folder is not None]

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Reads the variables. A ValueError names the wrong variable, but never its value."""
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
