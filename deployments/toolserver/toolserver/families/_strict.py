"""Strict loading from a folder: all weights must exist and have the right shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from ..faults import Fault


def pretrained(cls: Any, folder: Path, dtype: torch.dtype, device: str, ignore: tuple[str, ...] = (), **more: Any) -> Any:  # noqa: ANN401
    """A model of transformers, in that precision, on that device, ready to be used.

    transformers fills weights that are missing at random and says so in the log. Here they are
    a fault, except those whose name has a part of ignore, which the model computes by itself."""
    try:
        model, info = cls.from_pretrained(
            folder, dtype=dtype, local_files_only=True, use_safetensors=True, output_loading_info=True, **more
        )
    except SafetensorError as err:
        raise Fault("weights_damaged", "The weights of the model are damaged.") from err
    except OSError as err:
        raise Fault("weights_missing", "The weights of the model are missing or cannot be read.") from err
    except (RuntimeError, ValueError, TypeError, KeyError) as err:
        if isinstance(err, torch.OutOfMemoryError):
            raise
        raise Fault("weights_mismatch", "The weights of the model do not fit its architecture.") from err
    missing = [k for k in info["missing_keys"] if not any(part in k for part in ignore)]
    if missing or info["mismatched_keys"]:
        raise Fault("weights_mismatch", "The weights of the model do not fit its architecture.")
    return model.to(device).eval()
