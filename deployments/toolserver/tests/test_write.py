"""What models make is answered in the form that who asks prefers."""

from __future__ import annotations

import base64
import json
from io import BytesIO
from typing import Any

import av
import numpy as np
import pytest
import soundfile
from PIL import Image

from toolserver import write
from toolserver.faults import Fault
from toolserver.work import Film, Sound

from .fakes import noise

PICTURES = "image/png, image/jpeg, image/*;q=0.9, application/json;q=0.5"
"""What agent/toolbox/hftask asks for."""
SOUNDS = "audio/flac, audio/wav, audio/mpeg, audio/*;q=0.9, application/json;q=0.5"

RED = Image.new("RGB", (4, 3), (200, 10, 20))


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("", "image/png"),
        ("*/*", "image/png"),
        (PICTURES, "image/png"),
        ("image/jpeg", "image/jpeg"),
        ("image/jpeg, image/png", "image/jpeg"),
        ("image/png;q=0.1, image/jpeg;q=0.2", "image/jpeg"),
        ("image/*, image/png;q=0", "image/jpeg"),
        ("application/json", "application/json"),
        ("video/mp4", "image/png"),
        ("image/jpeg;q=x, image/png;q=nan", "image/png"),
        (",;=,", "image/png"),
    ],
)
def test_a_picture_is_of_the_type_that_is_liked_best(accept: str, kind: str) -> None:
    told, body = write.answer("text-to-image", RED, accept)
    assert told == kind
    if kind != "application/json":
        image = Image.open(BytesIO(body))
        assert (Image.MIME[image.format or ""], image.size) == (kind, RED.size)


def test_alpha_is_kept_as_png() -> None:
    _, body = write.answer("image-to-image", Image.new("RGBA", (4, 3), (1, 2, 3, 4)), PICTURES)
    assert Image.open(BytesIO(body)).getpixel((0, 0)) == (1, 2, 3, 4)


def test_a_depth_map_is_a_picture_or_stands_in_json_as_the_hub_has_it() -> None:
    depth = Image.new("L", (4, 3), 99)
    assert Image.open(BytesIO(write.answer("depth-estimation", depth, PICTURES)[1])).getpixel((0, 0)) == 99
    kind, body = write.answer("depth-estimation", depth, "application/json")
    told = json.loads(body)
    assert (kind, list(told)) == ("application/json", ["depth"])
    assert Image.open(BytesIO(base64.b64decode(told["depth"]))).getpixel((0, 0)) == 99


@pytest.mark.parametrize(("accept", "kind", "file"), [(SOUNDS, "audio/flac", "FLAC"), ("audio/wav", "audio/wav", "WAV")])
@pytest.mark.parametrize("channels", [1, 2])
def test_a_sound_is_flac_or_wav(accept: str, kind: str, file: str, channels: int) -> None:
    samples = noise(0.5, 22050, channels)
    told, body = write.answer("text-to-speech", Sound(samples.T, 22050), accept)
    about = soundfile.info(BytesIO(body))
    assert (told, about.format, about.samplerate, about.channels, about.frames) == (kind, file, 22050, channels, 11025)
    read, _ = soundfile.read(BytesIO(body))
    assert np.abs(read - samples).max() < 1e-3


def test_a_sound_in_json_tells_its_rate() -> None:
    told = json.loads(write.answer("text-to-audio", Sound(noise(0.1), 16000), "application/json")[1])
    assert told["sampling_rate"] == 16000
    assert soundfile.info(BytesIO(base64.b64decode(told["audio"]))).frames == 1600


def test_sounds_that_are_too_loud_or_none_are_bounded() -> None:
    wild = Sound(np.array([2.0, -3.0, np.nan, np.inf]), 8000)
    read, _ = soundfile.read(BytesIO(write.answer("text-to-speech", wild, "audio/wav")[1]))
    assert read == pytest.approx([1, -1, 0, 1], abs=1e-3)


def test_several_sounds_stand_in_json_each_with_its_label() -> None:
    kind, body = write.answer("audio-to-audio", [("voice", Sound(noise(0.1), 16000)), ("rest", Sound(noise(0.2), 16000))], SOUNDS)
    told = json.loads(body)
    assert kind == "application/json"
    assert [(one["label"], one["content-type"]) for one in told] == [("voice", "audio/flac"), ("rest", "audio/flac")]
    assert soundfile.info(BytesIO(base64.b64decode(told[1]["blob"]))).frames == 3200


@pytest.mark.parametrize("size", [(24, 32), (25, 33)])
def test_a_video_is_an_mp4_that_every_program_plays(size: tuple[int, int]) -> None:
    frames = np.zeros((6, *size, 3), np.uint8)
    frames[3:] = 200
    kind, body = write.answer("text-to-video", Film(frames, 7.5), "video/mp4, video/*;q=0.9")
    assert kind == "video/mp4"
    assert body.index(b"moov") < body.index(b"mdat")
    with av.open(BytesIO(body)) as container:
        stream = container.streams.video[0]
        assert (stream.codec_context.name, stream.pix_fmt, stream.average_rate) == ("h264", "yuv420p", 7.5)
        seen = [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]
    assert (len(seen), seen[0].shape) == (6, (24, 32, 3))
    assert seen[0].mean() < 20
    assert seen[5].mean() > 180


def test_json_has_pictures_in_base64_and_plain_numbers() -> None:
    kind, body = write.answer(
        "image-segmentation", [{"label": "cat", "score": np.float32(0.5), "mask": Image.new("1", (4, 3), 1), "n": np.int64(3)}], SOUNDS
    )
    (told,) = json.loads(body)
    assert (kind, told["label"], told["score"], told["n"]) == ("application/json", "cat", 0.5, 3)
    assert Image.open(BytesIO(base64.b64decode(told["mask"]))).size == (4, 3)


@pytest.mark.parametrize("wrong", [float("nan"), np.float32("inf"), np.array([1.0, np.nan])])
def test_a_number_that_is_none_is_no_answer(wrong: Any) -> None:
    with pytest.raises(Fault) as caught:
        write.answer("object-detection", [{"score": wrong}], "")
    assert caught.value.code == "model_failed"
