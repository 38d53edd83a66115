"""Sounds and videos: read from bytes of people, and written for them.

A file is opened as what its first bytes say it is, and as nothing else, so that no playlist
and no address in it is ever followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from io import BytesIO
from itertools import chain
from typing import Any, overload

import av
import numpy as np
import soundfile
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from .faults import Fault
from .work import Film, Sound

MOST_RATE = 48_000
"""The maximum sample rate, in hertz; recordings above it are resampled. Models use lower rates."""
MOST_CHANNELS = 2
MOST_DECODED = 60_000
"""The maximum number of frames to decode: half an hour of an ordinary video."""

Check = Callable[[], None]
"""Called now and then; raises faults.Cancelled when nobody waits any more."""


def sniff(data: bytes) -> str | None:
    """FFmpeg's name of the format by the first bytes, None if it is none that is taken."""
    head = data[:12]
    if head[:4] == b"RIFF":
        return {b"WAVE": "wav", b"AVI ": "avi"}.get(head[8:12])
    if head[4:8] in (b"ftyp", b"moov", b"mdat", b"free", b"wide", b"skip"):
        return "mov"
    for start, name in ((b"fLaC", "flac"), (b"OggS", "ogg"), (b"ID3", "mp3"), (b"\x1a\x45\xdf\xa3", "matroska"), (b"GIF8", "gif")):
        if head.startswith(start):
            return name
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0:
        return "aac" if head[1] & 0xF6 == 0xF0 else "mp3"
    return None


def decode_sound(data: bytes, most: float, check: Check = lambda: None) -> Sound:
    """The recording with one or two channels and at most MOST_RATE samples a second. One of
    more than most seconds is a Fault, before it is decoded where its header tells."""
    what = "recording"
    with _opened(data, what) as container:
        if not container.streams.audio:
            raise Fault("invalid_input", "There is no sound in the file.")
        stream = container.streams.audio[0]
        told = _duration(container, stream, data)
        too_long = Fault("too_large", f"The recording is too long: at most {most:g} seconds are taken.")
        if told is not None and told > most * 1.01 + 1:
            raise too_long
        rate, channels = stream.rate, stream.channels
        if not rate or not channels:
            raise Fault("invalid_input", _unreadable(what))
        rate, channels = min(rate, MOST_RATE), min(channels, MOST_CHANNELS)
        resampler = AudioResampler("fltp", "mono" if channels == 1 else "stereo", rate)
        parts: list[np.ndarray] = []
        count = 0
        for frame in chain(_frames(container, stream, what, check), [None]):
            for out in _resampled(resampler, frame, what):
                parts.append(out.to_ndarray())
                count += out.samples
            if count > most * rate:
                raise too_long
    if count == 0:
        raise Fault("invalid_input", "There is no sound in the file.")
    if (told is not None and count / rate < 0.8 * told - 0.5) or _cut_wav(data):
        raise Fault("invalid_input", "The recording is cut off: it is shorter than it says.")
    samples = np.concatenate(parts, axis=1)
    samples = np.clip(np.nan_to_num(samples, nan=0, posinf=1, neginf=-1), -1, 1)
    return Sound(samples[0] if channels == 1 else samples, rate)


def _resampled(resampler: AudioResampler, frame: AudioFrame | None, what: str) -> list[AudioFrame]:
    try:
        return resampler.resample(frame)
    except (FFmpegError, ValueError):  # it changes its form in the middle
        raise Fault("invalid_input", _unreadable(what)) from None


def decode_film(data: bytes, frames: int, pixels: int, check: Check = lambda: None) -> Film:
    """At most that many frames of the video, evenly spread over it, upright and all of one
    size. A frame has at most pixels pixels as it comes, and all that are given together have
    at most twice as many: they are made smaller, as models want them anyway."""
    what = "video"
    with _opened(data, what) as container:
        if not container.streams.video:
            raise Fault("invalid_input", "There are no pictures in the file.")
        stream = container.streams.video[0]
        width, height = stream.codec_context.width, stream.codec_context.height
        if width < 1 or height < 1:
            raise Fault("invalid_input", _unreadable(what))
        if width * height > pixels:
            raise Fault("too_large", f"The video has frames of {width} × {height} pixels; at most {pixels / 1e6:g} million are taken.")
        told, count = _duration(container, stream, data), stream.frames
        if not count and stream.average_rate:
            count = int((told or (container.duration or 0) / av.time_base) * stream.average_rate)
        if count > MOST_DECODED // 4:
            stream.codec_context.skip_frame = "NONKEY"  # what others are made from is enough of so long a video
            count = 0
        shrink = min(1.0, (2 * pixels / (min(frames, count or frames) * width * height)) ** 0.5)
        to = max(1, int(width * shrink)), max(1, int(height * shrink))
        # Where it is known how many there are, it is known which are kept. Else every stride-th
        # is; when there are too many, every other one of them goes.
        wanted = set(np.linspace(0, count - 1, frames).round().astype(int).tolist()) if count > frames else None
        stride, kept, last = 1, list[tuple[float, np.ndarray]](), 0.0
        for seen, frame in enumerate(_frames(container, stream, what, check)):
            last = float(frame.time) if frame.time is not None else last + 1 / float(stream.average_rate or 25)
            if seen in wanted if wanted else seen % stride == 0:
                if frame.width * frame.height > pixels:
                    raise Fault("too_large", "The video has frames of more pixels than are taken.")
                kept.append((last, _upright(frame, to)))
                if len(kept) >= 2 * frames:
                    kept, stride = kept[::2], stride * 2
            if seen >= MOST_DECODED:
                raise Fault("too_large", f"The video is too long: at most {MOST_DECODED} frames are looked at.")
    if not kept:
        raise Fault("invalid_input", "There are no pictures in the file.")
    if told is not None and told > 1 and last < 0.8 * told - 1:
        raise Fault("invalid_input", "The video is cut off: it is shorter than it says.")
    chosen = [kept[i] for i in np.unique(np.linspace(0, len(kept) - 1, min(frames, len(kept))).round().astype(int))]
    seconds = chosen[-1][0] - chosen[0][0]
    rate = (len(chosen) - 1) / seconds if len(chosen) > 1 and seconds > 0 else float(stream.average_rate or 25)
    return Film(np.stack([picture for _, picture in chosen]), rate)


def _upright(frame: VideoFrame, to: tuple[int, int]) -> np.ndarray:
    pixels = frame.reformat(width=to[0], height=to[1], format="rgb24").to_ndarray()
    return np.rot90(pixels, round(frame.rotation / 90) % 4)


def _unreadable(what: str) -> str:
    return f"The {what} cannot be read: it is damaged, or of a format that is not taken."


def _opened(data: bytes, what: str) -> InputContainer:
    kind = sniff(data)
    if kind is None:
        raise Fault("invalid_input", _unreadable(what))
    try:
        return av.open(BytesIO(data), "r", format=kind)
    except (FFmpegError, ValueError):
        raise Fault("invalid_input", _unreadable(what)) from None


def _duration(container: InputContainer, stream: AudioStream | VideoStream, data: bytes) -> float | None:
    """What the file tells of the stream's length in seconds; None where it does not, or where
    FFmpeg only guesses it by the bit rate, or where it is that of another stream."""
    kind = sniff(data)
    if kind == "aac" or (kind == "mp3" and not any(mark in data[: 1 << 18] for mark in (b"Xing", b"Info", b"VBRI"))):
        return None
    if stream.duration and stream.time_base:
        return float(stream.duration * stream.time_base)
    return container.duration / av.time_base if container.duration and len(container.streams) == 1 else None


@overload
def _frames(container: InputContainer, stream: AudioStream, what: str, check: Check) -> Iterator[AudioFrame]: ...
@overload
def _frames(container: InputContainer, stream: VideoStream, what: str, check: Check) -> Iterator[VideoFrame]: ...
def _frames(container: InputContainer, stream: AudioStream | VideoStream, what: str, check: Check) -> Iterator[Any]:
    """The frames of a stream. A few packets that cannot be decoded are no harm: many MP3s have
    tags in their middle."""
    good = bad = 0
    packets = container.demux(stream)
    while True:
        check()
        try:
            packet = next(packets, None)
        except FFmpegError:
            raise Fault("invalid_input", f"The {what} is cut off or damaged.") from None
        if packet is None:
            break
        try:
            frames = packet.decode()
        except FFmpegError:
            bad += 1
            if bad > 3 + good // 50:
                raise Fault("invalid_input", f"The {what} is cut off or damaged.") from None
            continue
        good += 1
        yield from frames


def _cut_wav(data: bytes) -> bool:
    """Whether a WAV file has much less than its header tells. Programs that do not know the
    length when they begin write one without end."""
    told = int.from_bytes(data[4:8], "little")
    return data[:4] == b"RIFF" and told < 0x7FFF0000 and told + 8 > len(data) * 1.25


def encode_sound(sound: Sound, kind: str = "audio/flac") -> bytes:
    """The sound as a file with 16 bits a sample: of audio/flac or of audio/wav."""
    samples = np.asarray(sound.samples, dtype=np.float32)
    if samples.ndim == 2:
        samples = samples.T  # soundfile has frames by channels
    samples = np.clip(np.nan_to_num(samples, nan=0, posinf=1, neginf=-1), -1, 1)
    to = BytesIO()
    soundfile.write(to, samples, int(sound.rate), format="WAV" if kind == "audio/wav" else "FLAC", subtype="PCM_16")
    return to.getvalue()


def encode_film(film: Film) -> bytes:
    """The video as MP4 with H.264 that every program plays: 4:2:0, which needs even sides, so
    that an odd one loses a row; what is needed to begin stands at the front."""
    frames = film.frames
    height, width = (max(2, side - side % 2) for side in frames.shape[1:3])
    to = BytesIO()
    front = 4096 + 64 * len(frames)  # where each frame lies takes less
    with av.open(to, "w", format="mp4", options={"moov_size": str(front)}) as container:
        rate = Fraction(film.rate).limit_denominator(1001) if film.rate > 0 else Fraction(8)
        stream: Any = container.add_stream("libx264", rate=max(rate, Fraction(1, 100)), options={"crf": "18", "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for pixels in frames:
            pixels = np.ascontiguousarray(np.resize(pixels, (height, width, 3)) if min(pixels.shape[:2]) < 2 else pixels[:height, :width])
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode(None))
    return to.getvalue()
