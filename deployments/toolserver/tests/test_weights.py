"""Where models come from, and how an operator is told of what is wrong with them."""

import json
import os
import socket
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import huggingface_hub
import numpy as np
import pytest
from safetensors.numpy import save_file

from toolserver.faults import Fault
from toolserver.registry import Model
from toolserver.weights import Weights, check


def model(**more):
    entry = {"id": "org/it", "licence": "MIT", "family": "any", "tier": "minimal", "tasks": ["translation"], "memory": 1}
    return Model.model_validate(entry | more)


def save(path: Path, *names: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file({name: np.arange(12, dtype=np.float32) for name in names or ("w",)}, path)
    return path


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    """A whole one, in two shards, in the folder of the weights."""
    folder = tmp_path / "org/it"
    save(folder / "model-1.safetensors", "a", "b")
    save(folder / "model-2.safetensors", "c")
    places = {"a": "model-1.safetensors", "b": "model-1.safetensors", "c": "model-2.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))
    (folder / "config.json").write_text("{}")
    return folder


def refused(call) -> Fault:
    with pytest.raises(Fault) as caught:
        call()
    assert caught.value.status == 503
    return caught.value


def test_a_folder_has_each_model_by_its_name(snapshot, tmp_path):
    save(tmp_path / "org/net/model.safetensors")
    found = Weights(tmp_path).find(model(companions={"controlnet": {"id": "org/net", "licence": "MIT"}}))
    assert found.folder == snapshot
    assert found.companions == {"controlnet": tmp_path / "org/net"}


def test_what_is_not_there_is_named_without_the_path(snapshot, tmp_path):
    for wanted in (model(id="org/none"), model(companions={"vocoder": {"id": "org/none", "licence": "MIT"}})):
        fault = refused(lambda wanted=wanted: Weights(tmp_path).find(wanted))
        assert fault.code == "weights_missing"
        assert "org/none" in fault.message
        assert str(tmp_path) not in fault.message


def test_what_was_converted_lies_beside_what_comes_from_the_hub(snapshot, tmp_path):
    def download(*_: object, **__: object) -> str:
        raise AssertionError("it is here")

    made = model(convert="folder")
    assert Weights(None, download, converted=tmp_path).find(made).folder == snapshot
    assert Weights(tmp_path, download).find(made).folder == snapshot
    for folder, how, said in (
        (None, "sepformer-wham", "python -m toolserver.convert_published sepformer-wham none $TOOLSERVER_CONVERTED/org/none"),
        (tmp_path, "folder", "hf download org/none --local-dir none"),
        (None, "scripts/convert_it_to_diffusers.py", "scripts/convert_it_to_diffusers.py"),
    ):
        fault = refused(lambda f=folder, h=how: Weights(f, download, converted=tmp_path).find(model(id="org/none", convert=h)))
        assert fault.code == "weights_missing"
        assert said in fault.message
        assert str(tmp_path) not in fault.message


def test_weights_in_another_format_come_with_how_they_are_converted(tmp_path):
    (tmp_path / "org/it").mkdir(parents=True)
    (tmp_path / "org/it/pytorch_model.bin").write_bytes(b"pickle")
    assert "toolserver.convert_published folder" in refused(lambda: Weights(tmp_path).find(model())).message


def cut(path: Path, size: int) -> None:
    os.truncate(path, size if size >= 0 else path.stat().st_size + size)


def header(path: Path, told: object) -> None:
    text = json.dumps(told).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(8))


DAMAGE = {
    "empty": lambda p: cut(p, 0),
    "within the length": lambda p: cut(p, 5),
    "within the header": lambda p: cut(p, 40),
    "before the tensors": lambda p: cut(p, 8 + int.from_bytes(p.read_bytes()[:8], "little")),
    "by one byte": lambda p: cut(p, -1),
    "one byte more": lambda p: p.write_bytes(p.read_bytes() + b"x"),
    "a page of HTML": lambda p: p.write_text("<!doctype html><title>404</title>"),
    "a pointer of LFS": lambda p: p.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"),
    "a header that is a list": lambda p: header(p, []),
    "a tensor without a place": lambda p: header(p, {"w": {"dtype": "F32"}}),
    "tensors that overlap": lambda p: header(
        p, {n: {"dtype": "F32", "shape": [2], "data_offsets": o} for n, o in {"v": [0, 8], "w": [4, 8]}.items()}
    ),
    "a place of words": lambda p: header(p, {"w": {"data_offsets": ["a", "b"]}, "v": {"data_offsets": [0, 8]}}),
    "a length beyond reason": lambda p: p.write_bytes(b"\xff" * 64),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_download_that_broke_off_is_told_by_its_file(snapshot, damage):
    damage(snapshot / "model-2.safetensors")
    fault = refused(lambda: check(snapshot, "org/it"))
    assert fault.code == "weights_damaged"
    assert "model-2.safetensors" in fault.message


def test_a_whole_one_is_let_through(snapshot):
    check(snapshot, "org/it")


def test_a_shard_that_is_missing_is_named(snapshot):
    (snapshot / "model-2.safetensors").unlink()
    fault = refused(lambda: check(snapshot, "org/it"))
    assert fault.code == "weights_missing"
    assert "model-2.safetensors" in fault.message


def test_a_shard_of_another_model_is_found_out(snapshot):
    save(snapshot / "model-2.safetensors", "other")
    assert refused(lambda: check(snapshot, "org/it")).code == "weights_damaged"


@pytest.mark.parametrize("text", ['{"weight_map": ', "[]", '{"weight_map": {"a": 1}}'])
def test_an_index_that_is_none_is_found_out(snapshot, text):
    (snapshot / "model.safetensors.index.json").write_text(text)
    assert refused(lambda: check(snapshot, "org/it")).code == "weights_damaged"


def test_a_configuration_that_broke_off_is_found_out(snapshot):
    (snapshot / "config.json").write_text('{"hidden')
    fault = refused(lambda: check(snapshot, "org/it"))
    assert (fault.code, "config.json" in fault.message) == ("weights_damaged", True)


def test_weights_in_other_formats_are_not_there(snapshot):
    for file in snapshot.glob("*.safetensors"):
        file.rename(file.with_suffix(".bin"))
    assert refused(lambda: check(snapshot, "org/it")).code == "weights_missing"


def test_an_index_of_a_variant_that_was_left_out_is_none_of_our_business(tmp_path):
    save(tmp_path / "unet/model.fp16.safetensors")
    (tmp_path / "unet/model.safetensors.index.json").write_text('{"weight_map": {"w": "model-1.safetensors"}}')
    check(tmp_path, "org/it", ["*.fp16.safetensors", "*.json"])


def test_a_pipeline_has_all_its_parts(tmp_path):
    save(tmp_path / "unet/model.safetensors")
    (tmp_path / "model_index.json").write_text(
        json.dumps({"_class_name": "X", "unet": ["diffusers", "U"], "vae": ["diffusers", "V"], "safety_checker": [None, None]})
    )
    fault = refused(lambda: check(tmp_path, "org/it"))
    assert (fault.code, "vae" in fault.message) == ("weights_missing", True)
    (tmp_path / "vae").mkdir()
    check(tmp_path, "org/it")


class Hub(BaseHTTPRequestHandler):
    """As much of the hub as a download asks for."""

    files: ClassVar[dict[str, bytes]] = {}
    status = 200
    why = ""
    asked: ClassVar[list[str]] = []
    commit = "a" * 40

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        self.asked.append(self.path)
        body = b"{}"
        name = self.path.partition(f"/resolve/{self.commit}/")[2]
        if self.status == 200 and self.path.startswith("/api/models/org/it/revision/"):
            body = json.dumps({"id": "org/it", "sha": self.commit, "siblings": [{"rfilename": n} for n in self.files]}).encode()
        elif self.status == 200 and self.path.startswith("/api/models/org/it/tree/"):
            body = json.dumps([{"type": "file", "path": n, "size": len(b), "oid": "0"} for n, b in self.files.items()]).encode()
        elif self.status == 200 and name in self.files:
            body = self.files[name]
        else:
            self.send_response(404 if self.status == 200 else self.status)
            if why := self.why or ("EntryNotFound" if self.status == 200 else ""):
                self.send_header("X-Error-Code", why)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{hash(body) & 0xFFFFFFFF:x}"')
        self.send_header("X-Repo-Commit", self.commit)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def hub(tmp_path):
    """hub(files, status=…) is a Weights that fetches from a hub that has those."""
    servers = []

    def serve(files: dict[str, bytes], **more):
        handler = type("OneHub", (Hub,), {"files": files, "asked": [], **more})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return Weights(None, fetcher(tmp_path, server.server_address[1])), handler.asked

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def fetcher(cache: Path, port: int):
    return partial(
        huggingface_hub.snapshot_download, endpoint=f"http://127.0.0.1:{port}", cache_dir=cache / "hub", token=False, etag_timeout=5
    )


def test_weights_are_fetched_from_the_hub_and_pickles_never(hub, tmp_path):
    whole = save(tmp_path / "made.safetensors").read_bytes()
    files = {
        "model.safetensors": whole,
        "config.json": b"{}",
        "merges.txt": b"x",
        "pytorch_model.bin": b"pickle",
        "unet/it.ckpt": b"pickle",
        "modeling.py": b"program",
        "README.md": b"words",
    }
    weights, asked = hub(files)
    found = weights.find(model(revision="v1"))
    assert sorted(p.name for p in found.folder.rglob("*") if p.is_file()) == ["config.json", "merges.txt", "model.safetensors"]
    assert (found.folder / "model.safetensors").read_bytes() == whole
    assert any("/revision/v1" in path for path in asked)
    assert not any(".bin" in path or ".ckpt" in path or ".py" in path for path in asked)
    asked.clear()
    assert weights.find(model(revision="v1")) == found
    assert asked == []  # what was found once is not asked for again


def test_the_registry_says_which_files_and_a_pickle_is_not_let_in_by_that(hub, tmp_path):
    whole = save(tmp_path / "made.safetensors").read_bytes()
    weights, _ = hub({"model.safetensors": b"large", "model.fp16.safetensors": whole, "config.json": b"{}", "model.bin": b"pickle"})
    found = weights.find(model(files=["*.fp16.safetensors", "*.json", "*.bin"]))
    assert sorted(p.name for p in found.folder.rglob("*") if p.is_file()) == ["config.json", "model.fp16.safetensors"]


def test_what_the_hub_hands_over_is_checked_too(hub, tmp_path):
    weights, _ = hub({"model.safetensors": save(tmp_path / "made.safetensors").read_bytes()[:-1], "config.json": b"{}"})
    assert refused(lambda: weights.find(model())).code == "weights_damaged"


@pytest.mark.parametrize(
    ("status", "why", "code", "word"),
    [
        (401, "RepoNotFound", "weights_missing", "no model"),
        (404, "RepoNotFound", "weights_missing", "no model"),
        (404, "RevisionNotFound", "weights_missing", "revision"),
        (403, "GatedRepo", "weights_missing", "terms"),
        (403, "", "weights_missing", "HF_TOKEN"),
        (400, "", "hub_unreachable", "reached"),
    ],
)
def test_what_the_hub_refuses_is_told_with_what_to_do(hub, status, why, code, word):
    weights, _ = hub({}, status=status, why=why)
    fault = refused(lambda: weights.find(model()))
    assert (fault.code, word in fault.message) == (code, True), fault.message


def test_nobody_is_told_to_wait_for_a_hub_that_is_not_there(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]  # nobody listens on it
        fault = refused(lambda: Weights(None, fetcher(tmp_path, port)).find(model()))
    assert (fault.code, fault.retry_after) == ("hub_unreachable", None)  # who asked goes elsewhere, and does not wait


@pytest.mark.parametrize(
    ("err", "code"),
    [
        (OSError(28, "No space left on device"), "weights_missing"),
        (PermissionError(13, "no"), "weights_missing"),
        (TimeoutError(), "hub_unreachable"),
    ],
)
def test_trouble_of_the_disk_is_not_the_hubs(err, code):
    def download(repo_id, **more):
        raise err

    assert refused(lambda: Weights(None, download).find(model())).code == code
