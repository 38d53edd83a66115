"""Small pictures of what is made so far."""

from __future__ import annotations

import asyncio
from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image

from toolserver.engine import PREVIEW
from toolserver.events import Answer, Call, Progress
from toolserver.jobs import Work
from toolserver.work import Request

from .engine_rig import model, rig
from .fakes import FakeWorkers

__all__ = ["rig"]

DRAWS = ["tiny/z-image", "tiny/sdxl", "tiny/qwen-image", "tiny/sd"]
FILMS = ["tiny/wan-ti2v", "tiny/wan-t2v-a14b", "tiny/cogvideox"]


def shown(loaded, name, task, count, **parameters):
    """The previews after each step, and the results."""
    previews = []

    def step(done, preview=None):
        if preview is not None:
            previews.append(list(preview()))

    requests = [Request(task, "a red house", {"seed": i, "num_inference_steps": 3} | parameters) for i in range(count)]
    with torch.inference_mode():
        return previews, loaded(name).run(requests, step)


@pytest.mark.parametrize("name", DRAWS)
def test_a_drawing_is_shown_before_it_is_done(loaded, name):
    previews, drawn = shown(loaded, name, "text-to-image", 2)
    assert len(previews) >= 2
    assert all(len(each) == 2 for each in previews)
    last = previews[-1][0]
    assert (last.mode, last.width / last.height) == ("RGB", drawn[0].width / drawn[0].height)
    # after the last step it is what the answer shows, but small
    alike = np.asarray(drawn[0].convert("RGB").resize((4, 4)), dtype=int) - np.asarray(last.resize((4, 4)), dtype=int)
    assert np.abs(alike).mean() < 40


@pytest.mark.parametrize("name", DRAWS)
def test_a_preview_changes_nothing(loaded, name):
    with torch.inference_mode():
        plain = loaded(name).run(
            [Request("text-to-image", "a red house", {"seed": 0, "num_inference_steps": 3})], lambda done, preview=None: None
        )
    _, drawn = shown(loaded, name, "text-to-image", 1)
    assert np.array_equal(np.asarray(plain[0]), np.asarray(drawn[0]))


@pytest.mark.parametrize("name", FILMS)
def test_a_film_is_shown_by_a_frame(loaded, name):
    previews, films = shown(loaded, name, "text-to-video", 1)
    frame = previews[-1][0]
    high, wide = films[0].frames.shape[1:3]
    assert abs(frame.width / frame.height - wide / high) < 0.3


def test_latents_in_a_form_of_their_own_are_not_shown(loaded):
    previews, drawn = shown(loaded, "tiny/flux2-klein", "text-to-image", 1)
    assert previews == [[]] * len(previews)
    assert len(drawn) == 1


async def test_long_work_is_shown_and_short_work_is_not(rig):
    r, drawn = rig([model("a")]), []

    def preview():
        drawn.append(1)
        return [Image.new("RGB", (1000, 500), "red")]

    def work(described, inputs, step):
        for done in (0.25, 0.5, 0.75):
            r.now += inputs[0]
            step(done, preview)
        return ["picture"]

    r.do = work
    assert await r.ask("a", 0.5) == "picture"
    assert drawn == []
    previews = [e.preview for e in await r.events("a", 2 * PREVIEW) if isinstance(e, Progress) and e.preview]
    assert len(drawn) == 3
    assert previews
    picture = Image.open(BytesIO(previews[-1]))
    assert (picture.format, picture.size) == ("JPEG", (256, 128))


async def test_a_preview_that_fails_fails_nothing(rig):
    r = rig([model("a")])

    def preview():
        raise RuntimeError("no picture")

    def work(described, inputs, step):
        r.now += 2 * PREVIEW
        step(0.5, preview)
        return ["picture"]

    r.do = work
    assert await r.ask("a") == "picture"


async def test_a_job_tells_its_newest_preview_until_it_is_done():
    class Slow(FakeWorkers):
        async def run(self, call):
            yield Progress(0.5, running=True, preview=b"\xff\xd8\xff")
            yield Progress(0.6, running=True)
            self.came.set()
            await self.go.wait()
            yield Answer("image/png", b"x")

    workers = Slow(held=True)
    work = Work(workers, Call("tiny/draws", "text-to-image", "application/json", "", b"{}"), 8)
    await asyncio.wait_for(workers.came.wait(), 5)
    assert (work.told()["preview"], work.told()["progress"]) == ("/9j/", 0.6)
    workers.go.set()
    await work.wait()
    assert "preview" not in work.told()
