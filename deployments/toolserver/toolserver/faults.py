"""What can go wrong, as the client is told.

Every fault has a status, a word that programs go by, and a sentence for the operator. No
fault repeats what was sent, nor a path of the machine. The body of the answer is

    {"error": "<sentence>", "code": "<word>"}

503 has the header Retry-After where it may go well later. Where nothing ails the server and
waiting is all it takes, it adds ``estimated_time`` in seconds, as Hugging Face's inference API
does of models that are being loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Code = Literal[
    "bad_token",
    "unknown_model",
    "unknown_task",
    "unknown_job",
    "missing_parameter",
    "invalid_parameter",
    "invalid_input",
    "too_large",
    "too_slow",
    "too_busy",
    "out_of_memory",
    "weights_missing",
    "weights_damaged",
    "weights_mismatch",
    "hub_unreachable",
    "device_lost",
    "replica_lost",
    "model_failed",
    "not_done",
]
"""The codes. In Go, agent/toolbox/hftask reads them."""

STATUS: dict[Code, int] = {
    "bad_token": 401,
    "unknown_model": 404,
    "unknown_task": 404,
    "unknown_job": 404,
    "missing_parameter": 422,
    "invalid_parameter": 422,
    "invalid_input": 422,
    "too_large": 413,
    "too_slow": 408,
    "too_busy": 503,
    "out_of_memory": 503,
    "weights_missing": 503,
    "weights_damaged": 503,
    "weights_mismatch": 503,
    "hub_unreachable": 503,
    "device_lost": 503,
    "replica_lost": 503,
    "model_failed": 500,
    "not_done": 409,
}


@dataclass(eq=False)
class Fault(Exception):  # noqa: N818 - it is told to people by this name
    """Why a request was not done."""

    code: Code
    message: str
    retry_after: float | None = None
    """Seconds after which a retry may succeed. None if waiting does not help."""

    @property
    def status(self) -> int:
        return STATUS[self.code]

    def body(self) -> dict[str, object]:
        told: dict[str, object] = {"error": self.message, "code": self.code}
        if self.code == "too_busy" and self.retry_after is not None:
            told["estimated_time"] = self.retry_after
        return told

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __reduce__(self) -> tuple[type[Fault], tuple[Code, str, float | None]]:
        return Fault, (self.code, self.message, self.retry_after)


class Cancelled(Exception):  # noqa: N818 - nothing failed
    """Nobody waits for the result any more."""
