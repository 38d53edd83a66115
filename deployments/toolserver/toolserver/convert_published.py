"""Makes a snapshot with safetensors of what is published as a pickle only:

    python -m toolserver.convert_published folder m2m100_418M OUT/facebook/m2m100_418M
    python -m toolserver.convert_published sepformer-wham sepformer-wham OUT/speechbrain/sepformer-wham
    python -m toolserver.convert_published sepformer-wham16k-enhancement ... OUT/speechbrain/sepformer-wham16k-enhancement

The first is a folder of transformers with a pytorch_model.bin, the others are SpeechBrain's
with encoder.ckpt, masknet.ckpt and decoder.ckpt. OUT is then TOOLSERVER_CONVERTED. Only tensors
are read of a pickle (torch.load with weights_only); the server itself never reads one.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from .families._sepformer import Shape

KINDS = ("folder", "sepformer-wham", "sepformer-wham16k-enhancement")
KEPT = ("*.json", "*.txt", "*.model")
"""The other files that are copied."""


def _tensors(path: Path) -> dict[str, torch.Tensor]:
    import torch

    loaded = torch.load(path, map_location="cpu", weights_only=True)
    if not isinstance(loaded, dict) or not all(isinstance(v, torch.Tensor) for v in loaded.values()):
        raise ValueError("more than weights")
    return {name: value.clone().contiguous() for name, value in loaded.items()}


def folder(source: Path, out: Path) -> None:
    """A folder of transformers."""
    from safetensors.torch import save_file

    weights = _tensors(source / "pytorch_model.bin")
    out.mkdir(parents=True, exist_ok=True)
    for pattern in KEPT:
        for path in source.glob(pattern):
            shutil.copyfile(path, out / path.name)
    save_file(weights, out / "model.safetensors", {"format": "pt"})


def sepformer(source: Path, out: Path, shape: Shape) -> None:
    """SpeechBrain's files of a SepFormer. Its sines are left out: they are computed."""
    from safetensors.torch import save_file

    from .families._sepformer import SepFormer

    weights = {
        f"{part}.{name}": value
        for part in ("encoder", "masknet", "decoder")
        for name, value in _tensors(source / f"{part}.ckpt").items()
        if not name.endswith("pos_enc.pe")
    }
    SepFormer(shape).load_state_dict(weights)
    out.mkdir(parents=True, exist_ok=True)
    (out / "config.json").write_text(json.dumps({"architecture": "SepFormer", **asdict(shape)}, indent=2), encoding="utf-8")
    save_file(weights, out / "model.safetensors", {"format": "pt"})


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m toolserver.convert_published", description="Makes safetensors of a published pickle.")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("source", type=Path, help="the folder with what was published")
    parser.add_argument("out", type=Path, help="the folder that is written")
    given = parser.parse_args(arguments)

    from .families._sepformer import Shape

    try:
        if given.kind == "folder":
            folder(given.source, given.out)
        elif given.kind == "sepformer-wham":
            sepformer(given.source, given.out, Shape(rate=8000, sources=2, labels=("voice 1", "voice 2")))
        else:
            sepformer(given.source, given.out, Shape(rate=16000, sources=1, labels=("voice",)))
    except OSError as err:
        return _wrong(f"{given.source}: {err.strerror or 'cannot be read'}")
    except (UnpicklingError, EOFError, ValueError):
        return _wrong(f"{given.source} has more than weights in it, or is damaged; it is not read")
    except RuntimeError:
        return _wrong(f"{given.source} does not have the weights of {given.kind}")
    return 0


def _wrong(why: str) -> int:
    print(why, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
