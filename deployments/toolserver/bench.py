"""What the server costs: the same models asked over HTTP and called directly, in one run.

    python bench.py            full-size architectures on the first GPU
    python bench.py --small    the same on a CPU, with tiny models, in seconds

The weights are random and made on the device by the configurations of the real models (SDXL base
1.0, RT-DETRv2 R50), so nothing is fetched; they are written to a temporary folder (--folder, 8 GB)
and loaded from there as any model is. It prints one Markdown table:

    direct, served        ms of one request alone, median; the server's is from the first byte sent
                          to the last that came
    direct/s, served/s    pictures a second: batches in a loop, and as many requests at once as two
                          batches; turn about, so that a device that gets warm is so for both
    ratio                 served/s : direct/s
    empty                 ms of a request that needs no model (GET /status), median
    load                  seconds that loading took, from the files
    swap                  seconds of a request for a model for which another one has to leave first
    memory                MiB on the device, of the loaded model
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import diffusers
import httpx
import torch
import transformers
import uvicorn
from PIL import Image

from toolserver.api import create_app
from toolserver.engine import Engine
from toolserver.registry import Model, Registry
from toolserver.settings import Settings
from toolserver.worker import Worker
from toolserver.workers import LocalWorkers

MIB = 1 << 20
PROMPT = "a red house on a hill by the sea, at dawn"

UNET: dict[str, Any] = {
    "sample_size": 128,
    "down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"],
    "up_block_types": ["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"],
    "block_out_channels": [320, 640, 1280],
    "layers_per_block": 2,
    "transformer_layers_per_block": [1, 2, 10],
    "attention_head_dim": [5, 10, 20],
    "cross_attention_dim": 2048,
    "use_linear_projection": True,
    "addition_embed_type": "text_time",
    "addition_time_embed_dim": 256,
    "projection_class_embeddings_input_dim": 2816,
}
VAE: dict[str, Any] = {
    "block_out_channels": [128, 256, 512, 512],
    "down_block_types": ["DownEncoderBlock2D"] * 4,
    "up_block_types": ["UpDecoderBlock2D"] * 4,
    "layers_per_block": 2,
    "latent_channels": 4,
    "sample_size": 1024,
    "scaling_factor": 0.13025,
    "force_upcast": False,
}
CLIP_L: dict[str, Any] = {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12}
CLIP_G: dict[str, Any] = {
    "hidden_size": 1280,
    "intermediate_size": 5120,
    "num_hidden_layers": 32,
    "num_attention_heads": 20,
    "hidden_act": "gelu",
    "projection_dim": 1280,
}
"""stabilityai/stable-diffusion-xl-base-1.0, its config.json files."""

RTDETR: dict[str, Any] = {"num_labels": 80}
"""PekingU/rtdetr_v2_r50vd: what transformers takes first is that model."""

SMALL_UNET = UNET | {
    "sample_size": 16,
    "down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D"],
    "up_block_types": ["CrossAttnUpBlock2D", "UpBlock2D"],
    "block_out_channels": [16, 32],
    "layers_per_block": 1,
    "transformer_layers_per_block": [1, 1],
    "attention_head_dim": [2, 4],
    "norm_num_groups": 8,
    "cross_attention_dim": 64,
    "addition_time_embed_dim": 8,
    "projection_class_embeddings_input_dim": 6 * 8 + 32,
}
SMALL_VAE = VAE | {
    "block_out_channels": [16, 16],
    "down_block_types": ["DownEncoderBlock2D"] * 2,
    "up_block_types": ["UpDecoderBlock2D"] * 2,
    "layers_per_block": 1,
    "norm_num_groups": 8,
    "sample_size": 32,
}
SMALL_CLIP: dict[str, Any] = {
    "hidden_size": 32,
    "intermediate_size": 37,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "projection_dim": 32,
}
SMALL_RTDETR: dict[str, Any] = {
    "num_labels": 4,
    "encoder_hidden_dim": 16,
    "encoder_in_channels": [8, 16, 16],
    "encoder_ffn_dim": 16,
    "encoder_attention_heads": 2,
    "decoder_in_channels": [16, 16, 16],
    "d_model": 16,
    "decoder_ffn_dim": 16,
    "decoder_layers": 2,
    "decoder_attention_heads": 2,
    "num_queries": 10,
}
SMALL_RESNET: dict[str, Any] = {"embedding_size": 8, "hidden_sizes": [8, 8, 16, 16], "depths": [1, 1, 1, 1], "layer_type": "basic"}


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    device: str
    dtype: torch.dtype
    small: bool
    alone: int
    """Requests one after the other."""
    rounds: int
    """Turns of the comparison."""


class Drawing:
    """text_to_image by SDXL."""

    def __init__(self, scale: Scale) -> None:
        self.scale = scale
        self.name = "drawing"
        self.title = "text_to_image, " + ("tiny SDXL" if scale.small else "SDXL 1024², 30 steps")
        self.size, self.steps, self.batch, self.turns = (32, 2, 2, 1) if scale.small else (1024, 30, 4, 2)
        self.alone = max(1, scale.alone // 4)
        self.path = "/pipeline/text-to-image"

    def entry(self) -> dict[str, Any]:
        options = {"size": self.size, "steps": self.steps, "guidance": 6}
        return {"family": "drawing", "tasks": ["text-to-image"], "options": options}

    def make(self, folder: Path) -> None:
        from diffusers import AutoencoderKL, EulerDiscreteScheduler, StableDiffusionXLPipeline, UNet2DConditionModel
        from tokenizers import pre_tokenizers
        from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection, CLIPTokenizer

        small = self.scale.small
        letters = sorted(pre_tokenizers.ByteLevel.alphabet())
        pieces = [*letters, *(c + "</w>" for c in letters), "<|startoftext|>", "<|endoftext|>"]
        tokenizer = CLIPTokenizer(vocab={p: i for i, p in enumerate(pieces)}, merges=[], model_max_length=77)
        ends = {"bos_token_id": len(pieces) - 2, "eos_token_id": len(pieces) - 1, "pad_token_id": len(pieces) - 1}
        words = {"vocab_size": len(pieces) if small else 49408} | ends
        with _random(self.scale):
            parts = {
                "unet": UNet2DConditionModel(**(SMALL_UNET if small else UNET)),
                "vae": AutoencoderKL(**(SMALL_VAE if small else VAE)),
                "text_encoder": CLIPTextModel(CLIPTextConfig(**(SMALL_CLIP if small else CLIP_L), **words)),
                "text_encoder_2": CLIPTextModelWithProjection(CLIPTextConfig(**(SMALL_CLIP if small else CLIP_G), **words)),
            }
        for part in parts.values():
            part.to(self.scale.dtype)
        sampler = EulerDiscreteScheduler(
            beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", steps_offset=1, timestep_spacing="leading"
        )
        pipe = StableDiffusionXLPipeline(**parts, tokenizer=tokenizer, tokenizer_2=tokenizer, scheduler=sampler, add_watermarker=False)
        pipe.save_pretrained(folder)

    def direct(self, folder: Path) -> Callable[[int], None]:
        """Draws so many in one batch."""
        from diffusers import StableDiffusionXLPipeline

        pipe = StableDiffusionXLPipeline.from_pretrained(folder, dtype=self.scale.dtype, add_watermarker=False).to(self.scale.device)
        pipe.set_progress_bar_config(disable=True)
        pipe.vae.enable_slicing()

        def run(count: int) -> None:
            chance = [torch.Generator("cpu").manual_seed(i) for i in range(count)]
            size = {"width": self.size, "height": self.size}
            pipe(prompt=[PROMPT] * count, num_inference_steps=self.steps, guidance_scale=6.0, generator=chance, **size)

        return run

    def request(self, number: int) -> dict[str, Any]:
        body = {"inputs": PROMPT, "parameters": {"seed": number}}
        return {"content": json.dumps(body).encode(), "headers": {"Content-Type": "application/json"}}


class Detection:
    """object_detection by RT-DETRv2."""

    def __init__(self, scale: Scale) -> None:
        self.scale = scale
        self.name = "detection"
        self.title = "object_detection, " + ("tiny RT-DETRv2" if scale.small else "RT-DETRv2 R50, 640×480")
        self.batch, self.turns, self.alone = (2, 2, scale.alone) if scale.small else (8, 32, 4 * scale.alone)
        self.side = 64 if scale.small else 640
        self.path = "/pipeline/object-detection"
        picture = Image.effect_noise((640, 480), 64).convert("RGB").resize((640, 480))
        written = io.BytesIO()
        picture.save(written, "JPEG", quality=85)
        self.picture = written.getvalue()

    def entry(self) -> dict[str, Any]:
        return {"family": "detecting", "tasks": ["object-detection"]}

    def make(self, folder: Path) -> None:
        from transformers import RTDetrImageProcessor, RTDetrResNetConfig, RTDetrV2Config, RTDetrV2ForObjectDetection

        resnet = RTDetrResNetConfig(**(SMALL_RESNET if self.scale.small else {}), out_indices=[2, 3, 4])
        config = RTDetrV2Config(backbone_config=resnet, **(SMALL_RTDETR if self.scale.small else RTDETR))
        with _random(self.scale):
            net = RTDetrV2ForObjectDetection(config)
        net.to(self.scale.dtype).save_pretrained(folder)
        RTDetrImageProcessor(size={"height": self.side, "width": self.side}).save_pretrained(folder)

    def direct(self, folder: Path) -> Callable[[int], None]:
        """Looks at so many in one batch: from the bytes of the files, as the server gets them."""
        from transformers import AutoImageProcessor, RTDetrV2ForObjectDetection

        processor = AutoImageProcessor.from_pretrained(folder)
        net = RTDetrV2ForObjectDetection.from_pretrained(folder, dtype=self.scale.dtype).to(self.scale.device).eval()

        @torch.inference_mode()
        def run(count: int) -> None:
            pictures = [Image.open(io.BytesIO(self.picture)).convert("RGB") for _ in range(count)]
            inputs = processor(images=pictures, return_tensors="pt", device=self.scale.device).to(self.scale.dtype)
            outputs = net(**inputs.to(self.scale.device))
            outputs.logits, outputs.pred_boxes = outputs.logits.float(), outputs.pred_boxes.float()
            found = processor.post_process_object_detection(outputs, threshold=0.5, target_sizes=[(480, 640)] * count)
            for one in found:
                one["boxes"].tolist()

        return run

    def request(self, number: int) -> dict[str, Any]:
        return {"content": self.picture, "headers": {"Content-Type": "image/jpeg"}}


Case = Drawing | Detection


@contextmanager
def _random(scale: Scale) -> Iterator[None]:
    """Within it modules are made on the device, with random weights, in its precision."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(scale.dtype)
    try:
        with torch.device(scale.device):
            yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def served(settings: Settings, registry: Registry) -> Iterator[tuple[str, Engine]]:
    """The server in a thread: its address, and the engine to look at."""
    engine = Engine(settings, registry)
    worker = Worker(settings, registry, engine)
    app = create_app(settings, registry, LocalWorkers(worker), engine.metrics.registry, ending=(worker.close,))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, access_log=False, lifespan="on"))
    listening = server.config.bind_socket()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", engine
    finally:
        server.should_exit = True
        thread.join()


class Client:
    """Asks over HTTP, and fails at an answer that is none."""

    def __init__(self, address: str) -> None:
        self._http = httpx.AsyncClient(base_url=address, timeout=600, limits=httpx.Limits(max_connections=64))

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def ask(self, case: Case, number: int, path: str = "") -> float:
        """The seconds that it took."""
        began = time.perf_counter()
        answer = await self._http.post(path or case.path, **case.request(number))
        if answer.status_code != 200:
            sys.exit(f"{case.name}: the server answered {answer.status_code}: {answer.text[:200]}")
        return time.perf_counter() - began

    async def many(self, case: Case, count: int, at_once: int) -> float:
        """The seconds that so many took, so many of them at once."""
        numbers = iter(range(count))

        async def one() -> None:
            for number in numbers:
                await self.ask(case, number)

        began = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(at_once)))
        return time.perf_counter() - began

    async def empty(self, model: str) -> float:
        began = time.perf_counter()
        (await self._http.get(f"/status/{model}")).raise_for_status()
        return time.perf_counter() - began


def timed(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


@dataclass(frozen=True)
class Row:
    """One line of the table; times in seconds."""

    title: str
    batch: int
    direct: float
    served: float
    direct_rate: float
    served_rate: float
    empty: float
    load: float
    swap: float
    memory: float

    def cells(self) -> list[str]:
        ratio = self.served_rate / self.direct_rate
        numbers = (self.direct * 1e3, self.served * 1e3, self.direct_rate, self.served_rate, ratio, self.empty * 1e3, self.load, self.swap)
        return [self.title, str(self.batch), *(f"{number:.4g}" for number in numbers), f"{self.memory:.4g}"]


HEAD = ["", "batch", "direct ms", "served ms", "direct/s", "served/s", "ratio", "empty ms", "load s", "swap s", "memory MiB"]


async def measure(case: Case, scale: Scale, folder: Path) -> Row:
    """One case, from the writing of its weights on."""
    model, again = f"bench/{case.name}", f"bench/{case.name}-again"
    case.make(folder / model)
    (folder / again).symlink_to((folder / model).resolve(), target_is_directory=True)
    if scale.device != "cpu":
        torch.cuda.empty_cache()
    size = sum(f.stat().st_size for f in (folder / model).rglob("*.safetensors"))
    precision = str(scale.dtype).removeprefix("torch.")
    common = {"licence": "none", "tier": "full", "precision": precision, "memory": size // MIB + 256, "batch": case.batch} | case.entry()
    registry = Registry([Model.model_validate(common | {"id": i}) for i in (model, again)])
    settings = Settings(weights=folder, device=scale.device, tier="full", patience=600, log="error", memory=4 * (size // MIB) + 16384)
    with served(settings, registry) as (address, engine):
        async with Client(address) as client:
            await client.ask(case, 0)  # loads it
            load = engine.metrics.registry.get_sample_value("toolserver_load_seconds_total", {"model": model}) or 0.0
            memory = next(m.bytes for m in engine.state().models if m.model == model) / MIB
            run = await asyncio.to_thread(case.direct, folder / model)
            for count in (1, case.batch):  # what is chosen and compiled at the first time is so now
                await asyncio.to_thread(run, count)
            await client.many(case, 2 * case.batch, 2 * case.batch)
            direct = [await asyncio.to_thread(timed, lambda: run(1)) for _ in range(case.alone)]
            asked = [await client.ask(case, i) for i in range(case.alone)]
            empty = [await client.empty(model) for _ in range(4 * scale.alone)]
            direct_all = served_all = 0.0
            for _ in range(scale.rounds):
                direct_all += await asyncio.to_thread(timed, lambda: [run(case.batch) for _ in range(2 * case.turns)])
                served_all += await client.many(case, 2 * case.turns * case.batch, 2 * case.batch)
            done = scale.rounds * 2 * case.turns * case.batch
    if scale.device != "cpu":
        torch.cuda.empty_cache()
    # room for one and not for two
    tight = settings.model_copy(update={"memory": int(max(memory, size // MIB + 256)) + 1})
    with served(tight, registry) as (address, _):
        async with Client(address) as client:
            await client.ask(case, 0, f"/models/{model}")
            swap = await client.ask(case, 0, f"/models/{again}")
    return Row(
        case.title,
        case.batch,
        statistics.median(direct),
        statistics.median(asked),
        done / direct_all,
        done / served_all,
        statistics.median(empty),
        load,
        swap,
        memory,
    )


def table(device: str, rows: list[Row]) -> str:
    lines = [[device, *HEAD[1:]], ["---", *["---:"] * (len(HEAD) - 1)], *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--small", action="store_true", help="tiny models on a CPU: whether it works, not how fast it is")
    parser.add_argument("--folder", type=Path, help="where the weights are written for the time being; else the system's own")
    parser.add_argument("--only", choices=["drawing", "detection"], help="one of the two")
    args = parser.parse_args(argv)
    if not args.small and not torch.cuda.is_available():
        sys.exit("There is no GPU here; --small measures tiny models on the CPU.")
    small, full = Scale("cpu", torch.float32, True, alone=4, rounds=1), Scale("cuda", torch.bfloat16, False, alone=20, rounds=3)
    scale = small if args.small else full
    diffusers.utils.logging.disable_progress_bar()
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(0)
    rows = []
    for case in (Drawing(scale), Detection(scale)):
        if args.only in (None, case.name):
            with tempfile.TemporaryDirectory(dir=args.folder) as folder:
                rows.append(asyncio.run(measure(case, scale, Path(folder))))
    print(table("CPU" if args.small else torch.cuda.get_device_name(), rows))


if __name__ == "__main__":
    main()
