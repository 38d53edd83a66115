"""What people send is read as they mean it, and refused in words that they understand."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import av
import numpy as np
import pytest
import soundfile
from PIL import Image

from toolserver.faults import Cancelled, Fault
from toolserver.read import Reader
from toolserver.tasks import Parameters
from toolserver.work import Film, Request, Sound

from .fakes import noise, png, settings


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def read(task: str, inputs: Any, parameters: dict[str, Any] | None = None, **limits: Any) -> Request:
    body = json.dumps({"inputs": inputs, "parameters": parameters or {}}).encode()
    return Reader(settings(**limits)).request(task, "application/json", body)


def read_file(task: str, data: bytes, kind: str = "application/octet-stream", **limits: Any) -> Request:
    return Reader(settings(**limits)).request(task, kind, data)


def refused(code: str, do: Callable[[], Any]) -> str:
    with pytest.raises(Fault) as caught:
        do()
    assert caught.value.code == code
    return caught.value.message


def saved(image: Image.Image, kind: str, **how: Any) -> bytes:
    to = BytesIO()
    image.save(to, kind, **how)
    return to.getvalue()


# Pictures.

RED = (200, 10, 20)


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "GIF", "BMP", "TIFF"])
def test_pictures_of_usual_formats_are_read(kind: str) -> None:
    how = {"lossless": True} if kind == "WEBP" else {}
    image = read_file("object-detection", saved(Image.new("RGB", (5, 4), RED), kind, **how)).inputs
    assert (image.mode, image.size, image.getpixel((2, 2))) == ("RGB", (5, 4), RED)


def test_a_picture_comes_as_a_file_or_in_base64_with_or_without_its_type() -> None:
    data = png(7, 5, colour=RED)
    spread = "\n".join(b64(data)[i : i + 20] for i in range(0, 200, 20)) + b64(data)[200:]
    for inputs in (b64(data), "data:image/png;base64," + b64(data), {"image": b64(data)}, spread):
        assert read("object-detection", inputs).inputs.getpixel((0, 0)) == RED
    for kind in ("image/png", "application/octet-stream", "application/x-www-form-urlencoded", ""):
        assert read_file("object-detection", data, kind).inputs.getpixel((0, 0)) == RED


@pytest.mark.parametrize(
    ("image", "mode", "pixel"),
    [
        (Image.new("CMYK", (3, 3), (0, 255, 255, 0)), "RGB", (255, 0, 0)),
        (Image.new("L", (3, 3), 77), "RGB", (77, 77, 77)),
        (Image.new("1", (3, 3), 1), "RGB", (255, 255, 255)),
        (Image.new("RGBA", (3, 3), (1, 2, 3, 4)), "RGBA", (1, 2, 3, 4)),
        (Image.new("LA", (3, 3), (9, 8)), "RGBA", (9, 9, 9, 8)),
        (Image.fromarray(np.full((3, 3), 0x8000, np.uint16)), "RGB", (128, 128, 128)),
        (Image.fromarray(np.full((3, 3), 0.5, np.float32)), "RGB", (128, 128, 128)),
    ],
)
def test_unusual_colours_become_usual_ones(image: Image.Image, mode: str, pixel: tuple[int, ...]) -> None:
    made = read_file("object-detection", saved(image, "TIFF")).inputs
    assert (made.mode, made.getpixel((1, 1))) == (mode, pixel)


def test_a_palette_and_its_transparent_colour_are_kept() -> None:
    image = Image.new("P", (4, 4), 1)
    image.putpalette([0, 0, 0, *RED])
    assert read_file("object-detection", saved(image, "PNG")).inputs.getpixel((0, 0)) == RED
    clear = read_file("object-detection", saved(image, "PNG", transparency=1)).inputs
    assert (clear.mode, clear.getpixel((0, 0))) == ("RGBA", (*RED, 0))


def test_of_an_animation_the_first_frame_is_taken() -> None:
    frames = [Image.new("RGB", (4, 4), colour) for colour in (RED, (0, 0, 255))]
    data = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert read_file("object-detection", data).inputs.getpixel((0, 0)) == RED


def test_a_photo_that_was_held_sideways_is_upright() -> None:
    image = Image.new("RGB", (6, 4))
    image.putpixel((0, 0), RED)
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    made = read_file("object-detection", saved(image, "PNG", exif=exif)).inputs
    assert made.size == (4, 6)
    assert made.getpixel((3, 0)) == RED


def test_a_picture_of_a_hundred_megapixels_is_refused_by_its_header() -> None:
    data = bytearray(png(8, 8))
    data[16:24] = (10_000).to_bytes(4, "big") * 2  # the header alone says so
    crc = __import__("zlib").crc32(bytes(data[12:29])).to_bytes(4, "big")
    data[29:33] = crc
    said = refused("too_large", lambda: read_file("object-detection", bytes(data)))
    assert said == "The picture has 10000 × 10000 pixels; at most 64 million are taken."


@pytest.mark.parametrize(
    "data",
    [
        b"no picture",
        png(64, 64, colour=RED)[:60],
        saved(Image.effect_noise((64, 64), 50), "JPEG")[:700],
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%!PS-Adobe-3.0 EPSF-3.0",
        b"#EXTM3U\nhttp://127.0.0.1/x",
    ],
)
@pytest.mark.parametrize("task", ["object-detection", "automatic-speech-recognition", "video-classification"])
def test_what_is_damaged_or_of_another_kind_is_refused(data: bytes, task: str) -> None:
    said = refused("invalid_input", lambda: read_file(task, data))
    assert said.endswith(".")


def test_a_picture_that_is_missing_or_no_base64_is_told() -> None:
    assert "inputs" in refused("invalid_input", lambda: read("object-detection", "§§§§"))
    assert "inputs" in refused("invalid_input", lambda: read("object-detection", 7))
    assert "inputs" in refused("invalid_input", lambda: read("object-detection", ""))
    assert "inputs" in refused("invalid_input", lambda: read_file("object-detection", b""))


# Parameters.


@pytest.mark.parametrize(
    ("task", "parameters", "code", "said"),
    [
        ("zero-shot-object-detection", {}, "missing_parameter", "candidate_labels is missing."),
        ("zero-shot-object-detection", {"candidate_labels": "hush"}, "invalid_parameter", "candidate_labels must be a list."),
        ("zero-shot-object-detection", {"candidate_labels": []}, "invalid_parameter", "candidate_labels is too short."),
        ("zero-shot-object-detection", {"candidate_labels": ["a", 7]}, "invalid_parameter", "candidate_labels[1] must be a text."),
        ("image-to-image", {"seed": "hush"}, "invalid_parameter", "seed must be a whole number."),
        ("image-to-image", {"seed": 1.5}, "invalid_parameter", "seed must be a whole number."),
        ("image-to-image", {"seed": True}, "invalid_parameter", "seed must be a whole number."),
        ("image-to-image", {"seed": 10**40}, "invalid_parameter", "seed must be at most 9223372036854775807."),
        ("image-to-image", {"strength": 2}, "invalid_parameter", "strength must be at most 1.0."),
        ("image-to-image", {"strength": [[[]]]}, "invalid_parameter", "strength must be a number."),
        ("image-to-image", {"target_size": {"width": 8}}, "missing_parameter", "target_size.height is missing."),
        ("image-to-image", {"target_size": 8}, "invalid_parameter", "target_size must be an object."),
        (
            "object-detection",
            {"hush hush": 1},
            "invalid_parameter",
            "There is a parameter that the task does not take; it takes threshold.",
        ),
        ("object-detection", {"seed": 1}, "invalid_parameter", "The task does not take seed; it takes threshold."),
        ("depth-estimation", {"seed": 1}, "invalid_parameter", "The task does not take seed: it takes none."),
        ("image-to-image+control", {"control_mode": "hush"}, "invalid_parameter", None),
        ("image-to-image+mask", {"prompt": "x"}, "missing_parameter", "mask_image is missing."),
        ("image-to-image+mask", {"mask_image": 7}, "invalid_parameter", "mask_image must be a text."),
        ("image-to-image+mask", {"mask_image": "hush"}, "invalid_parameter", None),
        ("mask-generation", {"points": [[1, 2], [3]]}, "missing_parameter", None),
        ("mask-generation", {"points": [[1, 2]], "labels": [1, 0]}, "invalid_parameter", "labels: one is wanted for each of points."),
        ("mask-generation", {"labels": [1]}, "invalid_parameter", "labels: one is wanted for each of points."),
        (
            "mask-generation",
            {"points": [[1, 2], [8, 0]]},
            "invalid_parameter",
            "points[1] lies outside of the picture, which has 8 × 6 pixels.",
        ),
        ("mask-generation", {"points": [[-1, 2]]}, "invalid_parameter", "points[0] lies outside of the picture, which has 8 × 6 pixels."),
        (
            "mask-generation",
            {"boxes": [[0, 0, 9, 6]]},
            "invalid_parameter",
            "boxes[0] lies outside of the picture, which has 8 × 6 pixels.",
        ),
        ("mask-generation", {"boxes": [[3, 3, 3, 5]]}, "invalid_parameter", "boxes: each is left, top, right, bottom."),
    ],
)
def test_a_parameter_that_is_wrong_is_named_and_not_repeated(task: str, parameters: dict[str, Any], code: str, said: str | None) -> None:
    told = refused(code, lambda: read(task, b64(png()), parameters))
    assert "hush" not in told
    assert said in (None, told)


def test_parameters_that_are_right_become_what_they_mean() -> None:
    made = read("mask-generation", b64(png()), {"points": [[0, 0], [7, 5]], "labels": [1, 0], "boxes": [[0, 0, 8, 6]], "prompt": None})
    assert made.parameters == {"points": [(0, 0), (7, 5)], "labels": [1, 0], "boxes": [(0, 0, 8, 6)]}
    assert read("image-to-image", b64(png()), {"strength": 1, "target_size": {"width": 8, "height": 9}}).parameters == {
        "strength": 1,
        "target_size": {"width": 8, "height": 9},
    }


def test_what_a_task_takes_is_not_made_out_again_for_each_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """A schema of pydantic takes milliseconds, in which nothing else runs."""
    read_file("image-to-image", png(64, 48), "image/png")

    def schema(*_: Any, **__: Any) -> None:
        pytest.fail("a schema was made")

    monkeypatch.setattr(Parameters, "model_json_schema", schema)
    read_file("image-to-image", png(64, 48), "image/png")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none_are_refused(number: str) -> None:
    body = b'{"inputs": "%s", "parameters": {"strength": %s}}' % (b64(png()).encode(), number.encode())
    with pytest.raises(Fault) as caught:
        Reader(settings()).request("image-to-image", "application/json", body)
    assert caught.value.code in ("invalid_input", "invalid_parameter")


def test_a_mask_has_the_size_of_its_picture_and_white_is_what_is_meant() -> None:
    mask = png(8, 6, "RGB", (255, 255, 255))
    made = read("image-to-image+mask", b64(png()), {"mask_image": b64(mask)}).parameters["mask_image"]
    assert (made.mode, made.size, made.getpixel((0, 0))) == ("L", (8, 6), 255)
    hidden = read("image-to-image+mask", b64(png()), {"mask_image": b64(png(8, 6, "RGBA", (255, 255, 255, 0)))}).parameters["mask_image"]
    assert hidden.getpixel((0, 0)) == 0
    said = refused("invalid_parameter", lambda: read("image-to-image+mask", b64(png()), {"mask_image": b64(png(9, 7))}))
    assert said == "mask_image has 9 × 7 pixels, and the picture 8 × 6."


def test_a_map_may_have_any_size_within_the_limit() -> None:
    parameters = {"control_image": b64(png(30, 20, colour=RED)), "control_mode": "pose"}
    made = read("text-to-image+control", "a cat", parameters)
    assert made.parameters["control_image"].size == (30, 20)
    assert refused("too_large", lambda: read("text-to-image+control", "a cat", parameters, max_pixels=100))
    parameters["control_image"] = b64(b"no picture")
    assert "control_image" in refused("invalid_parameter", lambda: read("text-to-image+control", "a cat", parameters))


# Texts, questions, tables.


def test_a_text_is_not_empty_and_not_without_end() -> None:
    assert read("text-to-image", " a cat ").inputs == " a cat "
    assert read_file("text-to-image", "Möwe".encode(), "text/plain; charset=utf-8").inputs == "Möwe"
    assert refused("invalid_input", lambda: read("text-to-image", " \n")) == "inputs is empty."
    assert refused("invalid_input", lambda: read("text-to-image", ["a"])) == "inputs must be a text."
    assert refused("too_large", lambda: read("text-to-image", "aaaa", max_text=3)) == "The text has 4 characters; at most 3 are taken."


def test_a_question_comes_with_its_picture() -> None:
    made = read("document-question-answering", {"image": b64(png()), "question": "who?"}).inputs
    assert (made["image"].size, made["question"]) == ((8, 6), "who?")
    said = refused("missing_parameter", lambda: read("document-question-answering", {"image": b64(png())}))
    assert said == "question is missing."
    assert refused("invalid_input", lambda: read_file("document-question-answering", png()))


def test_a_table_has_columns_of_one_length() -> None:
    made = read("table-question-answering", {"table": {"a": ["1", 2], "b": ["x", "y"]}, "question": "who?"}).inputs
    assert made == {"table": {"a": ["1", "2"], "b": ["x", "y"]}, "question": "who?"}
    for table in ({}, {"a": []}, {"a": ["1"], "b": []}, {"a": "x"}, [["a"]], {"a": [["x"]]}):
        assert refused("invalid_input", lambda table=table: read("table-question-answering", {"table": table, "question": "who?"}))
    assert refused("too_large", lambda: read("table-question-answering", {"table": {"a": ["x"] * 60_000}, "question": "who?"}))


# Sounds.


def sound(kind: str = "WAV", seconds: float = 1.0, rate: int = 16000, channels: int = 1) -> bytes:
    to = BytesIO()
    soundfile.write(to, noise(seconds, rate, channels), rate, format=kind)
    return to.getvalue()


@pytest.mark.parametrize("kind", ["WAV", "FLAC", "OGG", "MP3"])
def test_sounds_of_usual_formats_are_read(kind: str) -> None:
    heard = read_file("automatic-speech-recognition", sound(kind)).inputs
    assert isinstance(heard, Sound)
    assert heard.rate == 16000
    assert heard.samples.ndim == 1
    assert abs(len(heard.samples) - 16000) < 3000
    assert 0.05 < np.abs(heard.samples).max() <= 1


def test_sounds_have_two_channels_at_most_and_a_bounded_rate() -> None:
    heard = read_file("audio-to-audio", sound("WAV", 0.5, 96000, 4)).inputs
    assert heard.samples.shape[0] == 2
    assert heard.rate == 48000
    assert abs(heard.samples.shape[1] - 24000) < 100


@pytest.mark.parametrize("kind", ["WAV", "FLAC", "MP3"])
def test_an_hour_of_sound_is_refused_with_the_limit(kind: str) -> None:
    data = sound(kind, 6, 8000)
    said = refused("too_large", lambda: read_file("automatic-speech-recognition", data, max_audio=2))
    assert said == "The recording is too long: at most 2 seconds are taken."


def test_a_sound_that_hides_its_length_is_refused_while_it_is_read() -> None:
    data = bytearray(sound("FLAC", 6, 8000))
    data[21] &= 0xF0  # the number of samples in STREAMINFO: unknown
    data[22:26] = bytes(4)
    assert refused("too_large", lambda: read_file("automatic-speech-recognition", bytes(data), max_audio=2))


@pytest.mark.parametrize("kind", ["WAV", "FLAC", "MP3"])
def test_a_sound_that_is_cut_off_is_refused(kind: str) -> None:
    data = sound(kind, 9)
    assert refused("invalid_input", lambda: read_file("automatic-speech-recognition", data[: len(data) // 2]))


def test_the_guessed_length_of_an_mp3_is_not_held_against_it() -> None:
    """Without a header of its own for that, FFmpeg guesses it by the first frame's bit rate."""
    quiet = np.concatenate([noise(1.0), np.zeros(16000 * 8)])
    to = BytesIO()
    soundfile.write(to, quiet, 16000, format="MP3", bitrate_mode="VARIABLE")
    data = to.getvalue()
    for mark in (b"Xing", b"Info"):
        data = data.replace(mark, b"    ")
    heard = read_file("automatic-speech-recognition", data).inputs
    assert abs(len(heard.samples) / 16000 - 9) < 0.5


# Videos.


def film(frames: int = 10, size: tuple[int, int] = (32, 24), rate: int = 5, kind: str = "mp4", with_sound: bool = False) -> bytes:
    """The brighter the later."""
    to = BytesIO()
    with av.open(to, "w", format=kind) as container:
        stream = container.add_stream("libx264" if kind != "avi" else "mpeg4", rate=rate)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        heard = container.add_stream("aac", rate=16000) if with_sound else None
        for i in range(frames):
            pixels = np.full((size[1], size[0], 3), 20 + 200 * i // frames, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode(None))
        if heard is not None:
            frame = av.AudioFrame.from_ndarray(noise(1.0)[None].astype(np.float32), format="fltp", layout="mono")
            frame.rate = 16000
            container.mux(heard.encode(frame))
            container.mux(heard.encode(None))
    return to.getvalue()


@pytest.mark.parametrize("kind", ["mp4", "matroska", "avi"])
def test_videos_of_usual_formats_are_read(kind: str) -> None:
    seen = read_file("video-classification", film(kind=kind)).inputs
    assert isinstance(seen, Film)
    assert seen.frames.shape == (10, 24, 32, 3)
    assert seen.frames.dtype == np.uint8
    assert seen.rate == pytest.approx(5, rel=0.05)


def test_of_a_long_video_frames_are_taken_evenly() -> None:
    seen = read_file("video-classification", film(frames=90, rate=30), max_frames=7).inputs
    assert seen.frames.shape[0] == 7
    brightness = seen.frames.reshape(7, -1).mean(axis=1)
    steps = np.diff(brightness)
    assert (steps > 15).all()
    assert steps.max() < 2 * steps.min()
    assert brightness[0] < 30
    assert brightness[-1] > 190


def test_frames_are_made_smaller_where_all_together_are_too_many() -> None:
    seen = read_file("video-classification", film(), max_pixels=800).inputs
    count, height, width, _ = seen.frames.shape
    assert count * height * width <= 1600
    assert refused("too_large", lambda: read_file("video-classification", film(), max_pixels=700))


def test_a_video_that_is_cut_off_or_has_no_pictures_is_refused() -> None:
    data = film(frames=60, size=(64, 64), kind="mp4")
    assert refused("invalid_input", lambda: read_file("video-classification", data[: len(data) // 2]))
    assert refused("invalid_input", lambda: read_file("video-classification", sound("OGG")))


def test_the_sound_of_a_video_can_be_heard() -> None:
    heard = read_file("automatic-speech-recognition", film(with_sound=True)).inputs
    assert abs(heard.samples.shape[-1] / heard.rate - 1) < 0.2
    assert refused("invalid_input", lambda: read_file("automatic-speech-recognition", film())) == "There is no sound in the file."


def test_reading_stops_when_nobody_waits_any_more() -> None:
    def gone() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        Reader(settings()).request("automatic-speech-recognition", "audio/wav", sound(), gone)
