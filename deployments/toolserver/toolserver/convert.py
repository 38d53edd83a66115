"""Makes safetensors of weights that there are only as a pickle:

    python -m toolserver.convert hed ControlNetHED.pth annotators/model.safetensors
    python -m toolserver.convert teed 7_model.pth teed/model.safetensors

The server itself never reads a pickle. Here only tensors are read of it, by torch.load with
weights_only, and only those are written that the network has, in their sizes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from pickle import UnpicklingError


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m toolserver.convert", description="Makes safetensors of a pickle of weights.")
    parser.add_argument("network", choices=("hed", "teed"))
    parser.add_argument("source", type=Path, help="the pickle, such as ControlNetHED.pth")
    parser.add_argument("out", type=Path, help="the file that is written, such as model.safetensors")
    given = parser.parse_args(arguments)

    import torch
    from safetensors.torch import save_file

    from .families import annotating

    try:
        weights = torch.load(given.source, map_location="cpu", weights_only=True)
        net = annotating.build(given.network)
        net.load_state_dict(weights)
    except OSError as err:
        return _wrong(f"{given.source}: {err.strerror or 'cannot be read'}")
    except (UnpicklingError, EOFError, ValueError):
        return _wrong(f"{given.source} has more than weights in it, or is damaged; it is not read")
    except (RuntimeError, TypeError, AttributeError):
        return _wrong(f"{given.source} does not have the weights of {given.network}")
    given.out.parent.mkdir(parents=True, exist_ok=True)
    save_file({name: value.contiguous() for name, value in net.state_dict().items()}, given.out)
    return 0


def _wrong(why: str) -> int:
    print(why, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
