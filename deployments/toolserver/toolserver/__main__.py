"""One machine without a cluster: python -m toolserver [--check | --help].

The HTTP side, one worker and one engine in this process. It ends with status 2 where a setting
or models.yaml is wrong, which it says in one line, and with 1 when the device is lost, so that
who supervises it starts it anew.
"""

from __future__ import annotations

import logging
import signal
import sys
import textwrap
from importlib.util import find_spec
from types import FrameType

from .registry import Registry, read
from .settings import Settings

USAGE = """\
usage: atelier-toolserver [--check | --help]

Serves models for Atelier's tools on this machine. --check only looks whether the settings and
models.yaml are right. What can be set is set by variables of the environment:
"""


def main() -> None:
    args = sys.argv[1:]
    if args in (["--help"], ["-h"]):
        print(help_text())
        return
    if args not in ([], ["--check"]):
        print(f"{USAGE.splitlines()[0]}\natelier-toolserver: there is no such flag; settings are variables", file=sys.stderr)
        raise SystemExit(2)
    try:
        settings, registry = prepared()
    except (ValueError, OSError) as err:
        print(f"atelier-toolserver: {err}", file=sys.stderr)
        raise SystemExit(2) from None
    if args == ["--check"]:
        print(f"{len(registry.models)} models for {len({t for m in registry.models.values() for t in m.tasks})} tasks")
        return
    serve(settings, registry)


def prepared() -> tuple[Settings, Registry]:
    """The settings and the models. Raises ValueError with a sentence about the first that is wrong."""
    settings = Settings.read()
    registry = read(settings.models, settings.tier, settings.only, settings.folders)
    for model in registry.models.values():
        if find_spec(f"{__package__}.families.{model.family}") is None:
            raise ValueError(f"models.yaml: {model.id}: there is no family {model.family!r}")
    if settings.weights and not settings.weights.is_dir():
        raise ValueError("TOOLSERVER_WEIGHTS: it is no folder")
    if settings.converted and not settings.converted.is_dir():
        raise ValueError("TOOLSERVER_CONVERTED: it is no folder")
    return settings, registry


def serve(settings: Settings, registry: Registry) -> None:
    """Serves until SIGTERM or SIGINT. Then nobody is let in any more, running work has the
    grace, and what is left is called off. A device that is lost ends it likewise, with status 1:
    only a new process can use it again."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise SystemExit(0)

    # Uvicorn has handlers of its own while it serves, and raises the signal once more for these.
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    logging.basicConfig(level=settings.log.upper(), stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    for loud in ("httpx", "httpcore", "urllib3", "filelock", "PIL", "multipart"):
        logging.getLogger(loud).setLevel(logging.WARNING)

    # heavy: only now, when all is known to be right
    import uvicorn

    from .api import create_app
    from .engine import Engine
    from .worker import Worker
    from .workers import LocalWorkers

    def lost() -> None:
        server.should_exit = True

    try:
        engine = Engine(settings, registry, lost=lost)
    except ValueError as err:
        print(f"atelier-toolserver: {err}", file=sys.stderr)
        raise SystemExit(2) from None
    workers = LocalWorkers(Worker(settings, registry, engine))
    app = create_app(settings, registry, workers, engine.metrics.registry, ending=(workers.close,))
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            host=settings.host,
            port=settings.port,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=max(1, round(settings.grace)),
            timeout_keep_alive=75,
        )
    )
    server.run()
    if engine.fault:
        raise SystemExit(1)
    if not server.started:
        raise SystemExit(3)


def help_text() -> str:
    from .readme import rows

    lines = [USAGE]
    for name, default, meaning in rows():
        lines.append(f"  {name}{f' ({default})' if default else ''}")
        lines += textwrap.wrap(meaning, 90, initial_indent="      ", subsequent_indent="      ")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
