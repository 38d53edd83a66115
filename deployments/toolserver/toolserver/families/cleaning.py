"""A recording becomes other recordings: its voices one by one, or its voice without the noise
(_sepformer). Long ones are worked on in windows that overlap; which voice is which in the next
window is found by what both have of the overlap.

The network speaks of one channel at its own rate, 8 or 16 kHz: what comes out has no more.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from itertools import permutations

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Sound, Step
from ._sepformer import SepFormer, Shape
from ._sound import mono

TASKS = frozenset({"audio-to-audio"})

WINDOW, OVERLAP = 12.0, 2.0
"""The window in seconds. The networks were trained on short clips; memory grows with its square."""


class Cleaning:
    def __init__(self, net: SepFormer, place: Place, window: float, overlap: float) -> None:
        self.net, self.place, self.rate = net, place, net.shape.rate
        self.window, self.overlap = round(window * self.rate), round(overlap * self.rate)

    def modules(self) -> Sequence[torch.nn.Module]:
        return [self.net]

    def key(self, request: Request) -> Hashable | None:
        """Each alone: its windows follow each other."""
        return None

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        return [self._parted(mono(r.inputs, self.rate), step, i / len(requests), 1 / len(requests)) for i, r in enumerate(requests)]

    def _parted(self, wave: np.ndarray, step: Step, before: float, share: float) -> list[tuple[str, Sound]]:
        whole = np.zeros((self.net.shape.sources, len(wave)), np.float32)
        hop = self.window - self.overlap
        starts = list(range(0, max(1, len(wave) - self.overlap), hop))
        for i, start in enumerate(starts):
            step(before + share * i / len(starts))
            made = self._window(wave[start : start + self.window])
            stop = start + made.shape[1]
            if start == 0:
                whole[:, :stop] = made
                continue
            common = min(self.overlap, made.shape[1])
            made = _alike(whole[:, start : start + common], made, common)
            fade = np.linspace(0, 1, common, dtype=np.float32)
            whole[:, start : start + common] = whole[:, start : start + common] * (1 - fade) + made[:, :common] * fade
            whole[:, start + common : stop] = made[:, common:]
        step(before + share)
        if not np.isfinite(whole).all():
            raise Fault("model_failed", "The model made a sound that is none.")
        whole = np.clip(whole, -1, 1)
        return [(label, Sound(source, self.rate)) for label, source in zip(self.net.shape.labels, whole, strict=True)]

    def _window(self, wave: np.ndarray) -> np.ndarray:
        least = self.net.shape.kernel
        given = np.pad(wave, (0, max(0, least - len(wave))))
        made = self.net(torch.from_numpy(given)[None].to(self.place.device, self.place.dtype))[0]
        out: np.ndarray = made.float().cpu().numpy()[:, : len(wave)]
        # The networks were taught without regard for loudness (by SI-SNR). A source that has
        # little to do with the others is as loud as what of it is in the recording.
        share = (out @ wave) / np.maximum((out * out).sum(axis=1), 1e-12)
        leveled: np.ndarray = out * np.abs(share)[:, None]
        return leveled


def _alike(old: np.ndarray, new: np.ndarray, common: int) -> np.ndarray:
    """The new sources in the order in which they are most like the old ones in what both have."""
    best = max(permutations(range(len(new))), key=lambda order: float((old * new[list(order), :common]).sum()))
    return new[list(best)]


def load(model: Model, place: Place) -> Cleaning:
    try:
        told = json.loads((place.folder / "config.json").read_text(encoding="utf-8"))
        told["labels"] = tuple(told["labels"])
        shape = Shape(**{k: v for k, v in told.items() if k != "architecture"})
        if told.get("architecture") != "SepFormer" or len(shape.labels) != shape.sources:
            raise ValueError("another architecture")
        weights = load_file(place.folder / "model.safetensors")
    except FileNotFoundError as err:
        raise Fault("weights_missing", "Files of the model are missing; python -m toolserver.convert_published makes them.") from err
    except SafetensorError as err:
        raise Fault("weights_damaged", "The weights of the model are damaged.") from err
    except (ValueError, KeyError, TypeError) as err:
        raise Fault("weights_mismatch", "The description of the model is not that of a SepFormer.") from err
    net = SepFormer(shape)
    try:
        net.load_state_dict(weights)
    except RuntimeError as err:
        raise Fault("weights_mismatch", "The weights of the model do not fit its architecture.") from err
    window, overlap = float(model.options.get("window", WINDOW)), float(model.options.get("overlap", OVERLAP))
    return Cleaning(net.to(place.device, place.dtype).eval(), place, window, overlap)
