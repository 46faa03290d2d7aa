"""Carries out the steps of a task with asyncio."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from .._core.fork import renew_in_children, require_process
from .._core.session import Settings
from .._core.steps import Emit, Handle, Head, Join, Lost, Reply, Send, Sleep, Start, Task, Work
from .http import http_options, lost_by

T = TypeVar("T")


class _Run:
    """One task and all that it starts; they end together."""

    def __init__(self, http: Any) -> None:
        self._http = http
        self._process = os.getpid()
        self._started: set[asyncio.Task[Any]] = set()

    async def stop(self) -> None:
        for started in self._started:
            started.cancel()
        await asyncio.gather(*self._started, return_exceptions=True)

    async def steps(self, task: Task[Any], take: Callable[[Any], None]) -> AsyncIterator[Any]:
        """Runs a task; gives what it emits, and its result to `take`."""
        answer: Any = None
        error: BaseException | None = None
        try:
            while True:
                try:
                    step = task.send(answer) if error is None else task.throw(error)
                except StopIteration as end:
                    take(end.value)
                    return
                answer, error = None, None
                if isinstance(step, Emit):
                    yield step.value
                    continue
                try:
                    answer = await self._perform(step)
                except BaseException as failure:
                    error = failure
        finally:
            task.close()

    async def _beside(self, task: Task[Any]) -> Any:
        results: list[Any] = []
        async for _ in self.steps(task, results.append):
            raise AssertionError("a task beside another one has nobody to hand parts to")
        return results[0]

    async def _perform(self, step: Any) -> Any:
        require_process(self._process)
        match step:
            case Send():
                return await self._send(step)
            case Sleep(seconds):
                return await asyncio.sleep(seconds)
            case Work(call):
                return await asyncio.to_thread(call)
            case Start(task):
                started = asyncio.ensure_future(self._beside(task))
                self._started.add(started)
                return Handle(started)
            case Join(handle):
                return await handle.running
            case _:
                raise AssertionError(step)

    async def _send(self, step: Send) -> Reply | Lost:
        import httpx2

        try:
            async with self._http.stream("GET", step.url, headers=step.headers, auth=step.sign) as response:
                head = Head(response.status_code, response.headers)
                sink = step.choose(head)
                if sink is None:
                    return Reply(head, None)
                async for chunk in response.aiter_raw():
                    sink.write(chunk)
                return Reply(head, sink)
        except (httpx2.TransportError, httpx2.StreamError, httpx2.InvalidURL) as error:
            return lost_by(error)


class AsyncDriver:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        self._http: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def _connections(self) -> Any:
        # Connections belong to the loop that opened them.
        loop = asyncio.get_running_loop()
        if self._http is None or self._loop is not loop:
            self._loop = loop
            import httpx2

            self._http = httpx2.AsyncClient(**http_options(self._settings))
        return self._http

    async def iterate(self, task: Task[Any]) -> AsyncIterator[Any]:
        """Gives what a task emits. All that it has started ends with the iteration."""
        run = _Run(self._connections())
        try:
            async for part in run.steps(task, lambda _: None):
                yield part
        finally:
            await run.stop()

    async def run(self, task: Task[T]) -> T:
        """The result of a task that emits nothing."""
        run = _Run(self._connections())
        results: list[T] = []
        try:
            async for _ in run.steps(task, results.append):
                raise AssertionError("nobody takes what this task emits")
        finally:
            await run.stop()
        return results[0]

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()
            self._http = None
