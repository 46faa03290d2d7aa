"""Carries out the steps of a task with threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from threading import Event, Thread
from typing import Any, TypeVar

from .._core.fork import renew_in_children, require_process
from .._core.session import Settings
from .._core.steps import Emit, Handle, Head, Join, Lost, Reply, Send, Sleep, Start, Task, Work
from .http import http_options, lost_by

T = TypeVar("T")


class Stopped(BaseException):
    """The run to which a thread belongs is over."""


class _Worker:
    """A task in a thread of its own."""

    def __init__(self, run: _Run, task: Task[Any]) -> None:
        self._run = run
        self._task = task
        self._result: Any = None
        self._error: BaseException | None = None
        self._thread = Thread(target=self._work, name="ticklake", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            for _ in self._run.steps(self._task, self._take):
                raise AssertionError("a task beside another one has nobody to hand parts to")
        except BaseException as error:
            self._error = error

    def _take(self, result: Any) -> None:
        self._result = result

    def join(self) -> Any:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result


class _Run:
    """One task and all that it starts; they end together."""

    def __init__(self, http: Any) -> None:
        self._http = http
        self._process = os.getpid()
        self._over = Event()

    def stop(self) -> None:
        self._over.set()

    def steps(self, task: Task[Any], take: Any) -> Iterator[Any]:
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
                    answer = self._perform(step)
                except BaseException as failure:
                    error = failure
        finally:
            task.close()

    def _perform(self, step: Any) -> Any:
        require_process(self._process)
        if self._over.is_set():
            raise Stopped
        match step:
            case Send():
                return self._send(step)
            case Sleep(seconds):
                if self._over.wait(seconds):
                    raise Stopped
                return None
            case Work(call):
                return call()
            case Start(task):
                return Handle(_Worker(self, task))
            case Join(handle):
                return handle.running.join()
            case _:
                raise AssertionError(step)

    def _send(self, step: Send) -> Reply | Lost:
        import httpx2

        try:
            with self._http.stream("GET", step.url, headers=step.headers, auth=step.sign) as response:
                head = Head(response.status_code, response.headers)
                sink = step.choose(head)
                if sink is None:
                    return Reply(head, None)
                for chunk in response.iter_raw():
                    if self._over.is_set():
                        raise Stopped
                    sink.write(chunk)
                return Reply(head, sink)
        except (httpx2.TransportError, httpx2.StreamError, httpx2.InvalidURL) as error:
            return lost_by(error)


class SyncDriver:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        self._http: Any = None

    def _connections(self) -> Any:
        # Late, because importing it takes longer than all the rest of this package.
        if self._http is None:
            import httpx2

            self._http = httpx2.Client(**http_options(self._settings))
        return self._http

    def iterate(self, task: Task[Any]) -> Iterator[Any]:
        """Gives what a task emits. All that it has started ends with the iteration."""
        run = _Run(self._connections())
        try:
            yield from run.steps(task, lambda _: None)
        finally:
            run.stop()

    def run(self, task: Task[T]) -> T:
        """The result of a task that emits nothing."""
        run = _Run(self._connections())
        results: list[T] = []
        try:
            for _ in run.steps(task, results.append):
                raise AssertionError("nobody takes what this task emits")
        finally:
            run.stop()
        return results[0]

    def close(self) -> None:
        if self._http is not None:
            self._http.close()
            self._http = None
