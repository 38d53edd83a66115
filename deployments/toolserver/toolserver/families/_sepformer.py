"""SepFormer (Subakan et al. 2021, arXiv:2010.13154): parts the voices of a recording, or a
voice from its noise, by masks over a learned transform of the wave. A network of our own, whose
weights have the names of those that are published (SpeechBrain, Apache-2.0), so that they need
no more than another file format (python -m toolserver.convert_published).

    encoder   the wave becomes channels by frames
    masknet   chunks of the frames are read across (within a chunk) and along (from chunk to
              chunk), by turns; a mask comes out for each source
    decoder   channels by frames become the wave
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional


@dataclass(frozen=True)
class Shape:
    """What config.json says; the values are those of all published ones."""

    rate: int
    sources: int
    labels: tuple[str, ...]
    channels: int = 256
    kernel: int = 16
    blocks: int = 2
    layers: int = 8
    heads: int = 8
    inner: int = 1024
    chunk: int = 250


class _Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.att = nn.MultiheadAttention(width, heads, batch_first=True)


class _Forward(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.ffn = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Identity(), nn.Linear(inner, width))


class _Norm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, eps=1e-6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        normed: torch.Tensor = self.norm(x)
        return normed


class _Layer(nn.Module):
    """Attention and two linear layers, each normed before."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.self_att = _Attention(shape.channels, shape.heads)
        self.pos_ffn = _Forward(shape.channels, shape.inner)
        self.norm1, self.norm2 = _Norm(shape.channels), _Norm(shape.channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm1(x)
        x = x + self.self_att.att(y, y, y, need_weights=False)[0]
        out: torch.Tensor = x + self.pos_ffn.ffn(self.norm2(x))
        return out


class _Stack(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.layers = nn.ModuleList(_Layer(shape) for _ in range(shape.layers))
        self.norm = _Norm(shape.channels)


class _Transformer(nn.Module):
    """Over batch by places by channels; where a place is is told by sines (Vaswani et al. 2017)."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.mdl = _Stack(shape)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + _sines(x.shape[1], x.shape[2], x)
        for layer in self.mdl.layers:
            x = layer(x)
        normed: torch.Tensor = self.mdl.norm(x)
        return normed


def _sines(places: int, width: int, like: torch.Tensor) -> torch.Tensor:
    place = torch.arange(places, device=like.device, dtype=torch.float32)[:, None]
    rates = torch.exp(torch.arange(0, width, 2, device=like.device, dtype=torch.float32) * -(math.log(10000.0) / width))
    told = torch.zeros(places, width, device=like.device)
    told[:, 0::2], told[:, 1::2] = torch.sin(place * rates), torch.cos(place * rates)
    return told.to(like.dtype)


class _Block(nn.Module):
    """Across each chunk, then along all of them."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.intra_mdl, self.inter_mdl = _Transformer(shape), _Transformer(shape)
        self.intra_norm = nn.GroupNorm(1, shape.channels, eps=1e-8)
        self.inter_norm = nn.GroupNorm(1, shape.channels, eps=1e-8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, n, k, s = x.shape
        across = self.intra_mdl(x.permute(0, 3, 2, 1).reshape(b * s, k, n)).view(b, s, k, n).permute(0, 3, 2, 1)
        x = self.intra_norm(across) + x
        along = self.inter_mdl(x.permute(0, 2, 3, 1).reshape(b * k, s, n)).view(b, k, s, n).permute(0, 3, 1, 2)
        out: torch.Tensor = self.inter_norm(along) + x
        return out


class _Masks(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        n = shape.channels
        self.shape = shape
        self.norm = nn.GroupNorm(1, n, eps=1e-8)
        self.conv1d = nn.Conv1d(n, n, 1, bias=False)
        self.dual_mdl = nn.ModuleList(_Block(shape) for _ in range(shape.blocks))
        self.conv2d = nn.Conv2d(n, n * shape.sources, 1)
        self.end_conv1x1 = nn.Conv1d(n, n, 1, bias=False)
        self.prelu = nn.PReLU()
        self.output = nn.Sequential(nn.Conv1d(n, n, 1), nn.Tanh())
        self.output_gate = nn.Sequential(nn.Conv1d(n, n, 1), nn.Sigmoid())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Batch by channels by frames becomes sources by batch by channels by frames."""
        b, n, frames = x.shape
        x, gap = _chunks(self.conv1d(self.norm(x)), self.shape.chunk)
        for block in self.dual_mdl:
            x = block(x)
        x = self.conv2d(self.prelu(x))
        x = _joined(x.reshape(b * self.shape.sources, n, *x.shape[2:]), gap)[..., :frames]
        x = self.end_conv1x1(self.output(x) * self.output_gate(x))
        return functional.relu(x).view(b, self.shape.sources, n, frames).transpose(0, 1)


def _chunks(x: torch.Tensor, size: int) -> tuple[torch.Tensor, int]:
    """Chunks that overlap by half: batch by channels by size by chunks; and what was added at the end."""
    b, n, length = x.shape
    half = size // 2
    gap = size - (half + length % size) % size
    x = functional.pad(x, (half, gap + half))
    first = x[:, :, :-half].reshape(b, n, -1, size)
    second = x[:, :, half:].reshape(b, n, -1, size)
    return torch.cat([first, second], dim=3).view(b, n, -1, size).transpose(2, 3), gap


def _joined(x: torch.Tensor, gap: int) -> torch.Tensor:
    """The other way round; what overlaps is added."""
    b, n, size, _ = x.shape
    half = size // 2
    x = x.transpose(2, 3).reshape(b, n, -1, size * 2)
    first = x[..., :size].reshape(b, n, -1)[:, :, half:]
    second = x[..., size:].reshape(b, n, -1)[:, :, :-half]
    joined = first + second
    return joined[:, :, :-gap] if gap > 0 else joined


class _Encoder(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.conv1d = nn.Conv1d(1, shape.channels, shape.kernel, stride=shape.kernel // 2, bias=False)


class SepFormer(nn.Module):
    """Batch by samples becomes batch by sources by samples."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.encoder = _Encoder(shape)
        self.masknet = _Masks(shape)
        self.decoder = nn.ConvTranspose1d(shape.channels, 1, shape.kernel, stride=shape.kernel // 2, bias=False)

    def forward(self, wave: torch.Tensor) -> torch.Tensor:
        samples = wave.shape[-1]
        seen = functional.relu(self.encoder.conv1d(wave[:, None]))
        sources = [self.decoder(seen * mask)[:, 0] for mask in self.masknet(seen)]
        told = torch.stack(sources, dim=1)
        return functional.pad(told, (0, max(0, samples - told.shape[-1])))[..., :samples]
