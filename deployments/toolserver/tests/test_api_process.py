"""The program itself: how it is started, what it says of wrong settings, how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from toolserver import readme, table
from toolserver.__main__ import main
from toolserver.settings import Settings
from toolserver.tasks import TASKS

from . import tiny
from .fakes import png

HERE = Path(__file__).parent.parent


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs it in this process with settings, and tells its status, what it says and its complaints."""

    def run(*args: str, **settings: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["atelier-toolserver", *args])
        for name, value in settings.items():
            monkeypatch.setenv(f"TOOLSERVER_{name.upper()}", value)
        status = 0
        try:
            main()
        except SystemExit as end:
            status = int(end.code or 0)
        return status, *capsys.readouterr()

    return run


Program = Callable[..., tuple[int, str, str]]


def test_help_tells_every_setting(program: Program) -> None:
    status, said, _ = program("--help")
    assert status == 0
    for name in Settings.model_fields:
        assert f"TOOLSERVER_{name.upper()}" in said


@pytest.mark.parametrize(
    ("args", "settings", "said"),
    [
        (["--check"], {"port": "hush"}, "TOOLSERVER_PORT"),
        (["--check"], {"host": "0.0.0.0"}, "TOOLSERVER_TOKEN"),
        (["--check"], {"prot": "8000"}, "TOOLSERVER_PROT"),
        (["--check"], {"only": "no/model"}, "no/model"),
        (["--check"], {"models": "/nowhere/models.yaml"}, "models.yaml"),
        ([], {"weights": "/nowhere"}, "TOOLSERVER_WEIGHTS"),
        ([], {"converted": "/nowhere"}, "TOOLSERVER_CONVERTED"),
        (["--port=8000"], {}, "--help"),
    ],
)
def test_what_is_set_wrong_ends_it_with_status_2_and_a_line_that_names_it(
    program: Program, args: list[str], settings: dict[str, str], said: str
) -> None:
    status, _, complaint = program(*args, **settings)
    assert status == 2
    assert said in complaint
    assert "hush" not in complaint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models: [", "models.yaml"),
        ("models: []", "models"),
        ("models: [{id: x}]", "models.0.id"),
        ("models: [{id: a/b, licence: MIT, family: nobody, tier: minimal, tasks: [object-detection], memory: 1}]", "nobody"),
        ("models: [{id: a/b, licence: MIT, family: x, tier: minimal, tasks: [hovering], memory: 1}]", "hovering"),
    ],
)
def test_a_models_file_that_is_wrong_is_told_where(program: Program, tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "models.yaml"
    file.write_text(text)
    status, _, complaint = program("--check", models=str(file))
    assert status == 2
    assert said in complaint
    assert complaint.count("\n") == 1


def test_the_models_that_come_with_it_are_right(program: Program) -> None:
    status, said, complaint = program("--check", tier="full")
    assert (status, complaint) == (0, "")
    assert re.match(r"\d+ models for \d+ tasks", said)


@contextmanager
def serving(models: Path, program: Sequence[str] = ("-m", "toolserver"), **settings: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    environment = {
        **os.environ,
        "TOOLSERVER_PORT": "0",
        "TOOLSERVER_DEVICE": "cpu",
        "TOOLSERVER_WEIGHTS": str(models),
        "TOOLSERVER_MODELS": str(models / "models.yaml"),
        **{f"TOOLSERVER_{name.upper()}": value for name, value in settings.items()},
    }
    process = subprocess.Popen([sys.executable, *program], cwd=HERE, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr
        for line in process.stderr:
            if found := re.search(r"running on (http://\S+)", line):
                yield found[1], process
                return
        raise AssertionError("it did not start")
    finally:
        process.kill()
        process.wait()


def test_one_machine_serves_and_ends_when_it_is_told_to(tmp_path: Path, tiny_folder: Callable[[str], Path]) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "detr").symlink_to(tiny_folder("tiny/detr"))
    (tmp_path / "models.yaml").write_text(yaml.safe_dump({"models": [tiny.entry("tiny/detr")]}))
    with serving(tmp_path, token="t0ken", patience="500") as (base, process):
        assert json.load(urllib.request.urlopen(f"{base}/healthz")) == {"status": "ok"}
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{base}/capabilities")
        assert caught.value.code == 401
        asked = urllib.request.Request(
            f"{base}/pipeline/object-detection",
            png(64, 48),
            {"Content-Type": "image/png", "Authorization": "Bearer t0ken"},
        )
        with urllib.request.urlopen(asked) as answer:
            assert isinstance(json.load(answer), list)
            assert answer.headers["X-Model"] == "tiny/detr"
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate()
        assert process.returncode == 0
        assert "POST /pipeline/{task} model=tiny/detr status=200" in said
        assert "t0ken" not in said
        assert "Traceback" not in said


LOSES = """
from toolserver.__main__ import main
from toolserver.families import detecting

def load(model, place):
    raise RuntimeError("CUDA error: device-side assert triggered")

detecting.load = load
main()
"""


def test_a_lost_device_is_told_and_ends_it_with_status_1(tmp_path: Path, tiny_folder: Callable[[str], Path]) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "detr").symlink_to(tiny_folder("tiny/detr"))
    (tmp_path / "models.yaml").write_text(yaml.safe_dump({"models": [tiny.entry("tiny/detr")]}))
    with serving(tmp_path, program=("-c", LOSES)) as (base, process):
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(urllib.request.Request(f"{base}/pipeline/object-detection", png(64, 48), {"Content-Type": "image/png"}))
        assert (caught.value.code, json.load(caught.value)["code"]) == (503, "device_lost")
        process.communicate()
        assert process.returncode == 1


# README.md


def test_every_setting_has_its_meaning_and_the_readme_lists_them() -> None:
    assert f"<!-- settings -->\n{readme.settings_table()}\n<!-- /settings -->" in readme.README.read_text()
    assert all(meaning for _, _, meaning in readme.rows())


def test_the_readme_has_the_table_of_models_as_models_yaml_makes_it() -> None:
    """python -m toolserver.readme --write renews it."""
    assert readme.renewed(readme.README.read_text()) == readme.README.read_text()


def test_every_tool_of_the_catalogue_that_asks_a_tool_server_asks_for_a_task_of_ours() -> None:
    for path in table.CATALOGUE.glob("*.yaml"):
        for backend in yaml.safe_load(path.read_text()).get("backends", ()):
            if backend["kind"] == "hftask":
                assert table.asked(backend["run"]), f"{path.name}: {backend['run']}"
    assert {key for _, (key, _) in table.tools()} <= TASKS.keys()
