"""Shared by the families for sound: mono, at the model's sample rate."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.signal import resample_poly

from ..faults import Fault
from ..work import Sound


def channels(sound: Sound, rate: int) -> np.ndarray:
    """All channels, channels by frames, float32 and at that rate. An empty recording, and one
    with numbers that are none, are faults of who sent it."""
    samples = np.atleast_2d(np.asarray(sound.samples, dtype=np.float32))
    if samples.size == 0:
        raise Fault("invalid_input", "The recording is empty.")
    if not np.isfinite(samples).all():
        raise Fault("invalid_input", "The recording has samples that are not numbers.")
    if sound.rate == rate:
        return samples
    ratio = Fraction(rate, sound.rate)
    # A ratio of large numbers (44101 to 16000) would ask for a filter of a million taps; one of
    # at most 1000 is off by less than anybody hears.
    if max(ratio.numerator, ratio.denominator) > 1000:
        ratio = ratio.limit_denominator(1000) if ratio < 1 else 1 / (1 / ratio).limit_denominator(1000)
    made: np.ndarray = resample_poly(samples, ratio.numerator, ratio.denominator, axis=1)
    return made.astype(np.float32)


def mono(sound: Sound, rate: int) -> np.ndarray:
    """The mean of the channels, as float32 at that rate: what models of speech were taught with."""
    return np.ascontiguousarray(channels(sound, rate).mean(axis=0))
