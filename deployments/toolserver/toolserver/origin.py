"""Where an exception came from, for the log: its message may hold what was sent."""

from __future__ import annotations

import traceback
from pathlib import Path


def origin(err: BaseException) -> str:
    """Its type and the places in the code, without its message."""
    frames = traceback.extract_tb(err.__traceback__)[-5:]
    places = " < ".join(f"{'/'.join(Path(f.filename).parts[-2:])}:{f.lineno}" for f in reversed(frames))
    return f"{type(err).__name__} at {places or 'an unknown place'}"
