"""Soft outlines and sketches of pictures, as pictures are drawn after: HED and TEED.

Both are small networks that no library has, so that they are built here, by their papers:

    hed    Xie & Tu 2015, "Holistically-Nested Edge Detection": the convolutions of VGG16, and of
           each of its five scales a map. In the form that ControlNet 1.1 was trained with, whose
           input is RGB from 0 to 255 less a learnt shade.
    teed   Soria et al. 2023, "Tiny and Efficient Model for the Edge Detection Generalization":
           58 thousand weights, three scales, one map that fuses them.

Their weights are safetensors with the names that the authors' files have (options.file). Files
that there are only as a pickle become such by ``python -m toolserver.convert``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageFilter
from safetensors import SafetensorError, safe_open
from scipy import ndimage
from torch import Tensor, nn
from torch.nn import functional

from ..faults import Fault
from ..registry import Model
from ..work import Place, Request, Result, Step
from . import _seeing

TASKS = frozenset({"image-to-image+control"})

MODES = ("hed", "scribble")

SIDE = 512
"""The shorter side of the model's input, in pixels, as in ControlNet's annotators."""
LONGEST = 2048
"""The maximum of the longer side."""


class Block(nn.Module):
    """Convolutions of one scale of VGG16, and its map."""

    def __init__(self, channels: int, out: int, layers: int) -> None:
        super().__init__()
        self.convs = nn.Sequential(*(nn.Conv2d(channels if i == 0 else out, out, 3, padding=1) for i in range(layers)))
        self.projection = nn.Conv2d(out, 1, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        for conv in self.convs:
            x = functional.relu(conv(x))
        return x, self.projection(x)


class Hed(nn.Module):
    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.norm = nn.Parameter(torch.zeros(1, 3, 1, 1))
        self.block1 = Block(3, width, 2)
        self.block2 = Block(width, 2 * width, 2)
        self.block3 = Block(2 * width, 4 * width, 3)
        self.block4 = Block(4 * width, 8 * width, 3)
        self.block5 = Block(8 * width, 8 * width, 3)

    def forward(self, x: Tensor) -> list[Tensor]:
        x, first = self.block1(x - self.norm)
        maps = [first]
        for block in (self.block2, self.block3, self.block4, self.block5):
            x, one = block(functional.max_pool2d(x, 2))
            maps.append(one)
        return maps


def smish(x: Tensor) -> Tensor:
    """Wang et al. 2022: x · tanh(ln(1 + sigmoid(x)))."""
    return x * torch.tanh(torch.log1p(torch.sigmoid(x)))


class Smish(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return smish(x)


class Pair(nn.Module):
    """Two convolutions."""

    def __init__(self, channels: int, out: int, stride: int, last: bool) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, padding=1, stride=stride)
        self.conv2 = nn.Conv2d(out, out, 3, padding=1)
        self.last = last

    def forward(self, x: Tensor) -> Tensor:
        x = self.conv2(smish(self.conv1(x)))
        return smish(x) if self.last else x


class Single(nn.Module):
    """One convolution of a pixel."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, out, 1, stride=stride)

    def forward(self, x: Tensor) -> Tensor:
        made: Tensor = self.conv(x)
        return made


class Dense(nn.Module):
    """A layer that is averaged with what goes around it."""

    def __init__(self, channels: int, out: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, padding=2)
        self.conv2 = nn.Conv2d(out, out, 3)

    def forward(self, x: Tensor, around: Tensor) -> Tensor:
        made: Tensor = self.conv2(smish(self.conv1(smish(x))))
        return 0.5 * (made + around)


class Up(nn.Module):
    """A scale brought to the size of the picture, twice as large each time."""

    def __init__(self, channels: int, times: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for i in range(times):
            out = 1 if i == times - 1 else 16
            layers += [
                nn.Conv2d(channels, out, 1),
                Smish(),
                nn.ConvTranspose2d(out, out, 2**times, stride=2, padding=2 ** (times - 1) - 1),
            ]
            channels = out
        self.features = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        made: Tensor = self.features(x)
        return made


class Fusion(nn.Module):
    """One map of three, which are looked at each for itself."""

    def __init__(self) -> None:
        super().__init__()
        self.DWconv1 = nn.Conv2d(3, 24, 3, padding=1, groups=3)
        self.DWconv2 = nn.Conv2d(24, 24, 3, padding=1, groups=24)

    def forward(self, x: Tensor) -> Tensor:
        first = self.DWconv1(smish(x))
        return smish((self.DWconv2(smish(first)) + first).sum(1, keepdim=True))


class Teed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block_1 = Pair(3, 16, 2, last=True)
        self.block_2 = Pair(16, 32, 1, last=False)
        self.dblock_3 = nn.ModuleDict({"denselayer1": Dense(32, 48)})
        self.side_1 = Single(16, 32, 2)
        self.pre_dense_3 = Single(32, 48, 1)
        self.up_block_1, self.up_block_2, self.up_block_3 = Up(16, 1), Up(32, 1), Up(48, 2)
        self.block_cat = Fusion()

    def forward(self, x: Tensor) -> list[Tensor]:
        first = self.block_1(x)
        second = self.block_2(first)
        small = functional.max_pool2d(second, 3, stride=2, padding=1)
        third = self.dblock_3["denselayer1"](small + self.side_1(first), self.pre_dense_3(small))
        maps = [self.up_block_1(first), self.up_block_2(second), self.up_block_3(third)]
        return [*maps, self.block_cat(torch.cat(maps, 1))]


def build(network: str, width: int = 64) -> nn.Module:
    """A network without its weights; width is of HED's first scale."""
    if network == "hed":
        return Hed(width)
    if network == "teed":
        return Teed()
    raise Fault("weights_mismatch", "options.network is one that this family does not have.")


class Annotator:
    def __init__(self, model: Model, place: Place) -> None:
        self.place = place
        self.net = _weighed(model, place)
        # TEED was trained with OpenCV's order of colours, less the means of its pictures
        self.order = [2, 1, 0] if isinstance(self.net, Teed) else [0, 1, 2]
        self.means = torch.tensor([104.007, 116.669, 122.679] if isinstance(self.net, Teed) else [0.0, 0.0, 0.0]).view(1, 3, 1, 1)

    def modules(self) -> Sequence[nn.Module]:
        return [self.net]

    def key(self, request: Request) -> Hashable | None:
        return request.task, _scaled(request.inputs.size)

    def run(self, requests: Sequence[Request], step: Step) -> list[Result]:
        step(0)
        if any(request.parameters.get("control_mode") not in MODES for request in requests):
            raise Fault("invalid_parameter", f"This model makes maps of the kinds {' and '.join(MODES)}.")
        images = [_seeing.picture(request) for request in requests]
        shares = self._edges(images)
        step(0.7)
        results: list[Result] = []
        for request, image, share in zip(requests, images, shares, strict=True):
            edges = Image.fromarray(np.rint(share * 255).astype(np.uint8))
            if request.parameters["control_mode"] == "scribble":
                edges = scribble(edges)
            results.append(edges.resize(image.size, Image.Resampling.BILINEAR))
        step(1)
        return results

    def _edges(self, images: Sequence[Image.Image]) -> Any:  # noqa: ANN401
        """How much of an outline each pixel is, from 0 to 1, in the size that is looked at."""
        size = _scaled(images[0].size)
        seen = np.stack([np.asarray(image.resize(size, Image.Resampling.LANCZOS)) for image in images])
        pixels = torch.from_numpy(seen[..., self.order].copy()).permute(0, 3, 1, 2) - self.means
        pixels = pixels.to(self.place.device, self.place.dtype)
        maps = [functional.interpolate(one.float(), (size[1], size[0]), mode="bilinear", align_corners=False) for one in self.net(pixels)]
        return torch.sigmoid(torch.cat(maps, 1).mean(1)).cpu().numpy()


def _scaled(size: tuple[int, int]) -> tuple[int, int]:
    """The width and height in which a picture is looked at: multiples of 64."""
    scale = min(SIDE / min(size), LONGEST / max(size))
    return max(round(size[0] * scale / 64), 1) * 64, max(round(size[1] * scale / 64), 1) * 64


def scribble(edges: Image.Image) -> Image.Image:
    """A sketch of outlines: their ridges, as white lines of a pen on black."""
    soft = ndimage.gaussian_filter(np.asarray(edges, dtype=np.float32), 3)
    # a ridge is the most of its neighbours in one of the four directions
    lines = [np.eye(3, dtype=bool), np.fliplr(np.eye(3, dtype=bool)), np.zeros((3, 3), bool), np.zeros((3, 3), bool)]
    lines[2][1, :] = True
    lines[3][:, 1] = True
    ridge = np.any([ndimage.maximum_filter(soft, footprint=line) == soft for line in lines], axis=0) & (soft > 127)
    pen = Image.fromarray(ridge.astype(np.uint8) * 255).filter(ImageFilter.GaussianBlur(3))
    return pen.point(lambda value: 255 if value > 4 else 0)


def _weighed(model: Model, place: Place) -> nn.Module:
    """The network with its weights, all of them and no others."""
    path = place.folder / str(model.options.get("file", "model.safetensors"))
    if not path.is_file():
        raise Fault("weights_missing", "The model's weights are missing.")
    net = build(str(model.options.get("network", "hed")), int(model.options.get("width", 64)))
    try:
        with safe_open(path, framework="pt") as file:
            net.load_state_dict({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118 - it is no dict
    except SafetensorError:
        raise Fault("weights_damaged", "The model's weights are damaged.") from None
    except RuntimeError as err:
        raise Fault("weights_mismatch", "The model's weights do not fit its architecture.") from err
    return net.to(place.device, place.dtype).eval()


def load(model: Model, place: Place) -> Annotator:
    return Annotator(model, place)
