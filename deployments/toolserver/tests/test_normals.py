"""Which way surfaces face."""

from __future__ import annotations

import numpy as np
import pytest

from tests._looking import noise, plain, run, steps, stops
from toolserver.faults import Fault

TASK = "image-to-image+control"
ID = "tiny/marigold-normals"


def test_a_map_has_the_size_of_the_picture_and_directions_of_length_one(loaded):
    for size in ((90, 60), (50, 120)):
        (made,) = run(loaded(ID), TASK, noise(*size), control_mode="normal")
        assert made.size == size
        assert made.mode == "RGB"
        length = np.linalg.norm(np.asarray(made, float) / 127.5 - 1, axis=-1)
        assert np.median(length) == pytest.approx(1, abs=0.1)


def test_the_same_picture_has_the_same_map_alone_or_not(loaded):
    (alone,) = run(loaded(ID), TASK, noise(seed=1), control_mode="normal")
    together = run(loaded(ID), TASK, noise(seed=1), noise(seed=2), control_mode="normal")
    assert plain(run(loaded(ID), TASK, noise(seed=1), control_mode="normal")[0]) == plain(alone)
    assert np.abs(np.asarray(together[0], int) - np.asarray(alone, int)).max() <= 2
    assert plain(together[0]) != plain(together[1])


def test_another_map_is_told(loaded):
    with pytest.raises(Fault) as told:
        run(loaded(ID), TASK, noise(), control_mode="depth")
    assert told.value.code == "invalid_parameter"


def test_it_tells_how_far_it_is_and_stops_between_steps(loaded):
    told = steps(loaded(ID), TASK, noise(), control_mode="normal")
    assert told == pytest.approx([0, 1 / 3, 2 / 3])
    assert all(stops(loaded(ID), TASK, noise(), after, control_mode="normal") for after in range(3))
