"""A device and its models: requests wait here, are put into batches, and are done.

    run ──> queue of its model ──> device thread: one batch at a time ──> result
               │                       ▲
               └─ files ─> room ─> load (a thread of its own)

Promises:

  - One model is loaded once, however many wait for it, and while others run. Which ones stay is
    decided by cache, which requests are next by queues.
  - One batch runs at a time: requests of one model with the same Loaded.key, of those that wait
    when the device gets free. Nobody waits for a batch to fill.
  - If a batch fails, its requests are tried one by one, so that each fails for itself alone.
  - Out of memory drops all that is idle and tries once more.
  - A request whose consumer is gone leaves the queue; a batch stops at its next step once all of
    its consumers are gone.
  - A model that could not be loaded is tried again after PAUSE, and meanwhile answered for by
    what it failed of.
  - After an error that the device does not survive everything fails (device_lost), and ``fault``
    says so.

All but the work itself happens in one event loop, the one that run is first called in.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import AsyncGenerator, Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Generic, TypeVar

import torch
from PIL import Image

from . import families, trouble, write
from .cache import Cache, TooLarge
from .device import Device, pick, weigh
from .events import ModelState, Progress, ReplicaState
from .faults import Cancelled, Fault
from .metrics import Metrics
from .queues import Queues
from .registry import Model, Registry
from .settings import Settings
from .weights import Files, Weights
from .work import Loaded, Place, Request, Result

T = TypeVar("T")

log = logging.getLogger(__name__)

PAUSE = 60.0
"""How long to wait before retrying to load a model, in seconds."""
STEP = 0.01
"""The minimum progress of a batch to report."""
PREVIEW = 3.0
"""How often a preview is made at most, in seconds. Short work has none."""
FETCHES = 4
"""The maximum number of concurrent downloads."""

_MIB = 1 << 20


@dataclass(eq=False)
class _Job:
    """A request, from run to its end."""

    model: Model
    request: Request
    order: int
    cancelled: bool = False
    seconds: float = 0.0
    """How long the device worked for it."""
    key: tuple[Hashable | None] | None = None
    """The result of Loaded.key, once that was called."""
    _progress: Progress | None = None
    _preview: bytes | None = field(default=None, repr=False)
    _outcome: tuple[Result] | Fault | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def model_id(self) -> str:
        return self.model.id

    @property
    def ended(self) -> bool:
        return self._outcome is not None

    def tell(self, done: float, preview: bytes | None = None) -> None:
        """Records its progress. Of reports that were not read yet, only the last one counts, with the last preview."""
        if not self.ended:
            self._preview = preview or self._preview
            self._progress = Progress(min(max(done, 0.0), 1.0), running=True, preview=self._preview)
            self._news.set()

    def end(self, outcome: tuple[Result] | Fault) -> None:
        if not self.ended:
            self._outcome = outcome
            self._news.set()

    async def next(self) -> Progress | tuple[Result]:
        """The next progress, and finally the result in a tuple. Raises Fault."""
        while True:
            await self._news.wait()
            self._news.clear()
            if isinstance(self._outcome, Fault):
                raise _copy(self._outcome)
            if self._outcome is not None:
                return self._outcome
            if self._progress is not None:
                self._preview = None
                return self._progress


@dataclass(frozen=True)
class _Failure:
    """A batch that failed or was cancelled."""

    kind: trouble.Kind | None
    """None for a fault that the family raised itself, and for cancelled work."""
    fault: Fault


class _Held(Generic[T]):
    """A value that is passed to a thread or returned from it. A thread of an executor keeps its arguments
    and its result for a while after they were used. Without this, a model among them would still take
    memory when the next one is loaded."""

    def __init__(self, value: T | None = None) -> None:
        self._value = value

    def put(self, value: T) -> None:
        self._value = value

    def take(self) -> T:
        """Returns the value and forgets it."""
        value, self._value = self._value, None
        assert value is not None
        return value


class Engine:
    """The models of one device."""

    def __init__(
        self,
        settings: Settings,
        registry: Registry,
        device: Device | str | None = None,
        *,
        weights: Weights | None = None,
        metrics: Metrics | None = None,
        clock: Callable[[], float] = time.monotonic,
        lost: Callable[[], None] = lambda: None,
    ) -> None:
        """Starts nothing. Without device, the one of the settings is used. lost is called once if the device
        is lost. Raises ValueError if there is no such device."""
        self._settings, self._registry, self._clock = settings, registry, clock
        self._when_lost = lost
        self._device = pick(device or settings.device) if isinstance(device, str | None) else device
        self._weights = weights or Weights(settings.weights, converted=settings.converted)
        self.metrics = metrics or Metrics()
        self._queues: Queues[_Job] = Queues()
        budget = settings.memory * _MIB or self._device.free()
        self._cache: Cache[Loaded] = Cache(budget, self._queues.wanted, self._dropped)
        self.metrics.budget.set(budget)
        self.fault: Fault | None = None
        """Why the device is lost. It stays lost."""
        self._orders = count()
        self._running: list[_Job] = []
        self._last: str | None = None
        self._weighed: dict[str, int] = {}
        """The memory of models that took more than the registry says."""
        self._limits: dict[str, int] = {}
        """The batch sizes that fit, for models whose size in the registry did not."""
        self._failed: dict[str, tuple[Fault, float]] = {}
        """Models that could not be loaded, and when they may be tried again."""
        self._bringing: dict[str, asyncio.Task[None]] = {}
        self._loads = 0
        """Loads that were started. A peak of memory during a load says nothing about a batch."""
        self._loading = False
        self._rubbish = False
        """Models were dropped, but their memory was not returned yet."""
        self._work: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._closed = False
        self._run_thread = ThreadPoolExecutor(1, "device")
        self._load_thread = ThreadPoolExecutor(1, "load")
        self._fetch_threads = ThreadPoolExecutor(FETCHES, "fetch")

    async def run(
        self, model_id: str, request: Request, meter: Callable[[float], None] = lambda seconds: None
    ) -> AsyncGenerator[Progress | Result]:
        """Does a request: yields Progress, and finally the result. Raises Fault. Closing it, or cancelling the
        waiting task, cancels the work. meter is called before the result, with the seconds that the device
        worked for it."""
        model = self._registry.model(model_id)
        job = _Job(model, request, next(self._orders))
        code = "cancelled"
        try:
            self._admit(job)
            yield Progress(0, running=False)
            while isinstance(news := await job.next(), Progress):
                yield news
            code = "ok"
            meter(job.seconds)
            yield news[0]
        except Fault as fault:
            code = fault.code
            raise
        finally:
            self._leave(job)
            self.metrics.requests.labels(model.id, request.task, code).inc()

    def state(self) -> ReplicaState:
        """The current state. It does not wait."""
        models = [ModelState(e.name, "loaded" if e.value is not None else "loading", e.weights) for e in self._cache.entries()]
        known = {m.model for m in models}
        models += [ModelState(m, "loading", self._need(self._registry.model(m))) for m in self._bringing if m not in known]
        now = self._clock()
        models += [ModelState(m, "unavailable", reason=f) for m, (f, until) in self._failed.items() if until > now and m not in known]
        return ReplicaState(
            replica=self._device.name,
            device=self._device.title,
            budget=self._cache.budget,
            models=tuple(models),
            waiting=len(self._queues),
            running=len(self._running),
            fault=self.fault,
        )

    async def close(self) -> None:
        """Ends the engine: all requests fail because the server stops. Waits for the current step or load."""
        if self._closed:
            return
        self._closed = True
        self._fail_all(Fault("replica_lost", "The server is being stopped; ask again.", retry_after=5))
        tasks = [*self._bringing.values(), *([self._work] if self._work else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for threads in (self._fetch_threads, self._load_thread, self._run_thread):
            await asyncio.to_thread(threads.shutdown, cancel_futures=True)
        self._cache.drop_idle()
        self._device.clear()

    # Requests come and go.

    def _admit(self, job: _Job) -> None:
        if self._closed:
            raise Fault("replica_lost", "The server is being stopped; ask again.", retry_after=5)
        if self.fault:
            raise _copy(self.fault)
        if job.request.task not in job.model.tasks:
            raise Fault("unknown_task", "That model does not do this task; GET /capabilities lists what it does.")
        if failed := self._failed.get(job.model_id):
            fault, until = failed
            if (left := until - self._clock()) > 0:
                raise _copy(fault, left)
            del self._failed[job.model_id]
        if len(self._queues) >= self._settings.max_waiting:
            work = sum(j.model.seconds / j.model.batch for j in self._queues)
            raise Fault("too_busy", "Too many requests wait already; ask again later.", retry_after=min(max(round(work), 1), 60))
        self._queues.add(job)
        self._counted()
        if self._work is None:
            self._work = asyncio.create_task(self._serve())
        self._want(job.model_id)
        self._wake.set()

    def _leave(self, job: _Job) -> None:
        """Removes a request that is done or that nobody waits for."""
        job.cancelled = True
        if self._queues.remove(job):
            if not self._queues.wanted(job.model_id) and not self._cache.has(job.model_id):
                self._cache.give_up(job.model_id)
            self._cache.settle()
            self._counted()

    def _end(self, jobs: Sequence[_Job], fault: Fault) -> None:
        for job in jobs:
            job.end(fault)

    def _fail_all(self, fault: Fault) -> None:
        waiting = list(self._queues)
        for job in waiting:
            self._queues.remove(job)
        self._end([*waiting, *self._running], fault)
        self._counted()

    def _counted(self) -> None:
        self.metrics.waiting.set(len(self._queues))
        self.metrics.running.set(len(self._running))
        self.metrics.loaded.set(sum(e.weights for e in self._cache.entries() if e.value is not None))

    # Loading.

    def _need(self, model: Model) -> int:
        """Bytes that are reserved for it: as the registry says, or as measured."""
        return max(model.memory * _MIB, self._weighed.get(model.id, 0))

    def _want(self, model: str) -> None:
        """Loads a model that requests wait for, unless it is loaded or being loaded."""
        if not (self._closed or self.fault or self._cache.has(model) or model in self._bringing):
            self._bringing[model] = asyncio.create_task(self._bring(self._registry.model(model)))

    def _dropped(self, model: str) -> None:
        self._rubbish = True
        self.metrics.evictions.labels(model).inc()
        self._counted()
        if self._queues.wanted(model):
            asyncio.get_running_loop().call_soon(self._rewant, model)

    def _rewant(self, model: str) -> None:
        if self._queues.wanted(model):
            self._want(model)

    async def _bring(self, model: Model) -> None:
        """Loads it onto the device, or fails all requests that wait for it."""
        fault = None
        try:
            fault = await self._load(model)
        except Exception as err:  # a bug in this file: those who wait must hear of it
            trouble.note("could not be brought", model.id, err)
            fault = trouble.of_run()
        finally:
            self._bringing.pop(model.id, None)
        if fault is not None:
            self.metrics.loads.labels(model.id, fault.code).inc()
            self._failed[model.id] = (fault, self._clock() + PAUSE)
            self._end(self._queues.remove_all(model.id), _copy(fault, PAUSE))
            self._counted()
        elif not self._cache.has(model.id) and self._queues.wanted(model.id):
            self._want(model.id)  # the load was given up, but then a request came
        self._wake.set()

    async def _load(self, model: Model) -> Fault | None:
        """None if it is loaded, or if nobody waits for it any more."""
        loop = asyncio.get_running_loop()
        try:
            files = await loop.run_in_executor(self._fetch_threads, self._weights.find, model)
        except Fault as fault:
            log.warning("%s cannot be loaded: %s", model.id, fault)
            return fault
        while True:
            try:
                if not self._queues.wanted(model.id) or not await self._cache.ask(
                    model.id, self._need(model), lambda: self._queues.due(model.id)
                ):
                    return None
                loaded = await self._load_into(model, files)
                if isinstance(loaded, Fault):
                    self._cache.withdraw(model.id)
                    return loaded
                weight = weigh(loaded.modules(), self._device.name)
                self._weighed[model.id] = max(weight, self._weighed.get(model.id, 0))
                if self._cache.put(model.id, loaded, weight, max(model.memory * _MIB - weight, 0)):
                    break
                log.warning("%s takes more than models.yaml says: %d MiB", model.id, weight // _MIB)
                del loaded  # before the wait for room
            except TooLarge:
                return Fault("out_of_memory", f"{model.id} needs more memory than the device has for models.")
            except BaseException:
                self._cache.withdraw(model.id)
                raise
        self.metrics.loads.labels(model.id, "ok").inc()
        self._counted()
        return None

    async def _load_into(self, model: Model, files: Files) -> Loaded | Fault:
        loop = asyncio.get_running_loop()
        began = self._clock()
        self._loads += 1
        self._loading = True
        try:
            held = _Held[Loaded | _Failure]()
            await loop.run_in_executor(self._load_thread, self._load_now, model, files, held)
            loaded = held.take()
            if isinstance(loaded, _Failure) and loaded.kind == "memory":
                self._cache.drop_idle()
                await loop.run_in_executor(self._load_thread, self._load_now, model, files, held)
                loaded = held.take()
        finally:
            self._loading = False
        self.metrics.load_seconds.labels(model.id).inc(self._clock() - began)
        if isinstance(loaded, _Failure):
            if loaded.kind == "device":
                self._lost()
            return loaded.fault
        return loaded

    def _load_now(self, model: Model, files: Files, held: _Held[Loaded | _Failure]) -> None:
        """Runs in the thread for loading. The result is held."""
        if self._rubbish:  # of models that were dropped for it
            self._rubbish = False
            self._device.clear()
        dtype = torch.float32 if self._device.name == "cpu" else getattr(torch, model.precision)
        place = Place(files.folder, self._device.name, dtype, files.companions)
        try:
            with self._device.here():
                held.put(families.find(model.family).load(model, place))
        except Fault as fault:
            log.warning("%s cannot be loaded: %s", model.id, fault)
            held.put(_Failure(None, _copy(fault)))
        except Exception as err:
            trouble.note("could not be loaded", model.id, err, public=True)
            held.put(self._sorted(err, trouble.of_load(err, model.id)))

    # Running.

    async def _serve(self) -> None:
        """Runs one batch after another, as long as the engine exists."""
        while not self.fault:
            self._wake.clear()
            if not (chosen := self._choose()):
                await self._wake.wait()
                continue
            model, loaded, jobs = chosen
            del chosen
            self._running, self._last = jobs, model.id
            self._cache.settle()  # other models were passed over, and may be due now
            self._counted()
            peak = 0
            try:
                peak = await self._do(model, loaded, jobs)
            except Exception as err:  # of this file: who waits is told in any case
                trouble.note("could not be run", model.id, err)
                self._end(jobs, trouble.of_run())
            finally:
                del loaded  # from here on, only the cache holds it
                self._running = []
                self._cache.release(model.id, peak)
                self._counted()

    def _choose(self) -> tuple[Model, Loaded, list[_Job]] | None:
        """The next batch and its model, which is in use from now on."""
        warm = {e.name for e in self._cache.entries() if e.value is not None}
        for name in self._queues.order(warm, self._last if self._cache.crowded else None):
            loaded = self._cache.use(name)
            if loaded is None:
                continue
            model = self._registry.model(name)
            jobs = self._queues.take(name, self._limits.get(name, model.batch), partial(_key, loaded))
            return model, loaded, jobs
        return None

    async def _do(self, model: Model, loaded: Loaded, jobs: list[_Job]) -> int:
        """Ends the jobs, each with its result or fault. Returns their peak of memory, 0 if it is unknown."""
        before, loads, busy = self._device.allocated(), self._loads, self._loading
        self._device.watch()
        failure = await self._attempt(model, loaded, jobs)
        if failure is not None and failure.kind == "memory":
            log.warning("%s ran out of memory with %d at once; idle models leave", model.id, len(jobs))
            self._cache.drop_idle()
            await asyncio.get_running_loop().run_in_executor(self._run_thread, self._device.clear)
            if len(jobs) > 1:
                self._limits[model.id] = max(len(jobs) // 2, 1)
            else:
                failure = await self._attempt(model, loaded, jobs)
        if failure is not None and len(jobs) > 1 and not self.fault:
            for job in jobs:
                if not (job.cancelled or self.fault or self._closed):
                    alone = await self._attempt(model, loaded, [job])
                    if alone is not None:
                        job.end(alone.fault)
                    if alone is not None and alone.kind == "memory":
                        await asyncio.get_running_loop().run_in_executor(self._run_thread, self._device.clear)
        if failure is not None:
            self._end(jobs, self.fault or failure.fault)
        if busy or loads != self._loads or self.fault:
            return 0
        return max(self._device.peak() - before, 0)

    async def _attempt(self, model: Model, loaded: Loaded, jobs: Sequence[_Job]) -> _Failure | None:
        """Runs the batch once. None if it has succeeded."""
        for job in jobs:
            job.tell(0)
        began = self._clock()
        loop = asyncio.get_running_loop()
        outcome = await loop.run_in_executor(self._run_thread, self._run_now, model, _Held(loaded), jobs, loop)
        seconds = self._clock() - began
        self._queues.passed(jobs[0].order, seconds)
        self.metrics.batches.labels(model.id).inc()
        for job in jobs:
            job.seconds += seconds / len(jobs)
            self.metrics.seconds.labels(model.id, job.request.task).inc(seconds / len(jobs))
        if isinstance(outcome, _Failure):
            if outcome.kind == "device":
                self._lost()
            return outcome
        for job, result in zip(jobs, outcome, strict=True):
            job.end((result,))
        return None

    def _run_now(self, model: Model, held: _Held[Loaded], jobs: Sequence[_Job], loop: asyncio.AbstractEventLoop) -> list[Result] | _Failure:
        """Runs in the thread of the device."""
        loaded = held.take()
        told, shown = 0.0, self._clock()

        def tell(done: float, previews: Sequence[bytes | None]) -> None:
            for job, preview in zip(jobs, previews, strict=True):
                job.tell(done, preview)

        def step(done: float, preview: Callable[[], Sequence[Image.Image]] | None = None) -> None:
            nonlocal told, shown
            if self._closed or all(job.cancelled for job in jobs):
                raise Cancelled
            previews: list[bytes | None] = [None] * len(jobs)
            if preview is not None and self._clock() - shown >= PREVIEW:
                shown = self._clock()
                previews = _previews(model.id, preview, len(jobs))
            if done - told >= STEP or any(previews):
                told = max(done, told)
                with contextlib.suppress(RuntimeError):  # the loop is closed, so nobody listens
                    loop.call_soon_threadsafe(tell, told, previews)

        try:
            with self._device.here(), torch.inference_mode():
                step(0)
                results = loaded.run([job.request for job in jobs], step)
                if len(results) != len(jobs):
                    raise RuntimeError("as many results as requests are wanted")
                return results
        except Cancelled:
            return _Failure(None, Fault("model_failed", "The work was called off."))
        except Fault as fault:
            return _Failure(None, _copy(fault))
        except Exception as err:
            trouble.note("failed", model.id, err)
            return self._sorted(err, trouble.of_run())

    # Faults.

    def _sorted(self, err: Exception, other: Fault) -> _Failure:
        """What kind of failure it was. The exception is not kept, because its frames hold data of the device."""
        match trouble.kind(err):
            case "memory":
                return _Failure("memory", trouble.of_memory())
            case "device" if not self._device.works():
                return _Failure("device", trouble.of_device())
            case _:
                return _Failure("other", other)

    def _lost(self) -> None:
        if self.fault:
            return
        self.fault = trouble.of_device()
        log.error("the device is lost; every request fails from now on")
        self._fail_all(self.fault)
        self._wake.set()
        self._when_lost()


def _previews(model_id: str, draw: Callable[[], Sequence[Image.Image]], count: int) -> list[bytes | None]:
    """The previews of a batch, or none: what goes wrong with them is no fault of the work."""
    try:
        drawn = draw()
        if len(drawn) == count:
            return [write.preview(picture) for picture in drawn]
    except Exception as err:
        trouble.note("cannot be shown before it is done", model_id, err)
    return [None] * count


def _key(loaded: Loaded, job: _Job) -> Hashable | None:
    """The key, computed once. If the family cannot compute it, the request runs alone, which shows what is
    wrong with it."""
    if job.key is None:
        try:
            key = loaded.key(job.request)
            hash(key)
        except Exception:
            key = None
        job.key = (key,)
    return job.key[0]


def _copy(fault: Fault, left: float | None = None) -> Fault:
    """A copy to raise, because raising changes an exception. left is the time to the next try in seconds,
    which is reported if waiting helps."""
    after = fault.retry_after if left is None or fault.retry_after is None else math.ceil(left)
    return Fault(fault.code, fault.message, after)
