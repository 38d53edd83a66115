"""What an exception of a model means: for who asked, and for the device.

What is logged of it is its type and where it came from. Its message is not, if a request was
worked on: libraries write into their messages what they stumbled over, and that can be a user's
text. The messages of torch's own types tell of memory and of kernels alone, so their first line
is logged, and so is that of any error while a model is loaded, of which no user is a part.
"""

from __future__ import annotations

import logging
import re
import traceback
from pathlib import Path
from typing import Literal

import torch

from .faults import Fault

log = logging.getLogger(__name__)

_MEMORY = re.compile(r"out of memory|can't allocate memory|CUBLAS_STATUS_ALLOC_FAILED|CUDNN_STATUS_ALLOC_FAILED", re.IGNORECASE)
_DEVICE = re.compile(
    r"(CUDA|HIP)(?: driver)? error|device-side assert|CU(?:BLAS|DNN|FFT|SOLVER|SPARSE)_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR)|"
    r"(?:GPU|device) (?:is|was) lost|NCCL|unspecified launch failure|illegal memory access|uncorrectable ECC",
    re.IGNORECASE,
)
_MISFIT = re.compile(r"size mismatch|Error\(s\) in loading state_dict|shape mismatch|Missing key|Unexpected key", re.IGNORECASE)

Kind = Literal["memory", "device", "other"]


def kind(err: BaseException) -> Kind:
    """Whether it was the memory, perhaps the device, or the model."""
    if isinstance(err, torch.OutOfMemoryError | MemoryError):
        return "memory"
    if isinstance(err, RuntimeError):  # torch.AcceleratorError is one
        said = str(err)
        if _MEMORY.search(said):
            return "memory"
        if isinstance(err, torch.AcceleratorError) or _DEVICE.search(said):
            return "device"
    return "other"


def of_memory() -> Fault:
    """Nothing could be evicted any more, and it did not fit."""
    return Fault("out_of_memory", "The device has not enough memory for this: ask for less at once, or a smaller model.")


def of_device() -> Fault:
    return Fault("device_lost", "The device that models run on was lost; the server has to be started again.")


def of_run() -> Fault:
    return Fault("model_failed", "The model failed at this; the server's log says where.")


def of_load(err: BaseException, model: str) -> Fault:
    """Why a model could not be loaded, once its files were found to be whole."""
    names = {cls.__name__ for cls in type(err).__mro__}
    if "SafetensorError" in names:
        return Fault("weights_damaged", f"The weights of {model} are damaged: delete them, so that they are fetched again.")
    if isinstance(err, OSError):  # transformers and diffusers say so of a file that they miss
        return Fault("weights_missing", f"A file of {model} is missing: the server's log says where that was found.")
    if isinstance(err, ValueError | KeyError | TypeError) or _MISFIT.search(str(err)):
        return Fault("weights_mismatch", f"The weights of {model} are not of the architecture that models.yaml names for it.")
    return Fault("model_failed", f"{model} could not be loaded; the server's log says where that failed.")


def note(what: str, model: str, err: BaseException, public: bool = False) -> None:
    """Logs it without anything that a user sent; public where no user has a part in it."""
    log.error("%s %s: %s", model, what, told(err, public))


def told(err: BaseException, public: bool = False) -> str:
    """Its types, the last one first, and where each came from."""
    parts: list[str] = []
    seen: set[int] = set()
    one: BaseException | None = err
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        said = f": {str(one).strip().splitlines()[0]}" if (public or _harmless(one)) and str(one).strip() else ""
        where = " < ".join(f"{_file(f.filename)}:{f.lineno} {f.name}" for f in reversed(traceback.extract_tb(one.__traceback__)[-6:]))
        parts.append(f"{type(one).__module__}.{type(one).__name__}{said} at {where or 'an unknown place'}")
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
    return "; after ".join(parts)


def _harmless(err: BaseException) -> bool:
    return type(err).__module__.split(".")[0] == "torch" or isinstance(err, Fault)


def _file(path: str) -> str:
    return "/".join(Path(path).parts[-3:])
