"""How far a read has come."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ._core.fork import OwnLock

REPORT_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a read. Totals are None until they are known.

    What was resumed or cached counts as there from the start. `waiting_until` is the time at which
    the client goes on, where it waits for a limit or before another attempt. `is_done` is told once,
    at the end of a read that came to all of its rows.
    """

    bytes_done: int = 0
    bytes_total: int | None = None
    rows_done: int = 0
    rows_total: int | None = None
    files_done: int = 0
    files_total: int | None = None
    retries: int = 0
    waiting_until: datetime | None = None
    is_done: bool = False


class Reporter:
    """Sums up what all workers of one read do, and tells it to one callback, from one at a time."""

    def __init__(self, callback: Callable[[Progress], None] | None) -> None:
        self._callback = callback
        self._state = Progress()
        self._lock = OwnLock()
        self._told_at = 0.0

    def add(self, *, bytes: int = 0, rows: int = 0, files: int = 0, retries: int = 0) -> None:
        if self._callback is None:
            return
        added = {"bytes_done": bytes, "rows_done": rows, "files_done": files, "retries": retries}
        with self._lock:
            sums = {name: getattr(self._state, name) + count for name, count in added.items()}
            self._tell(replace(self._state, **sums), REPORT_SECONDS)

    def set(self, **fields: Any) -> None:
        with self._lock:
            self._tell(replace(self._state, **fields))

    def _tell(self, state: Progress, pause: float = 0.0) -> None:
        self._state = state
        now = time.monotonic()
        if self._callback is not None and now - self._told_at >= pause:
            self._told_at = now
            self._callback(state)

    def finish(self) -> None:
        self.set(is_done=True)
        # The same query may be read once more.
        self._state = Progress()


def bar() -> Callable[[Progress], None]:
    """A bar of `tqdm` where it is installed, else a line on standard error."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _line
    bars: list[Any] = []

    def show(state: Progress) -> None:
        if not bars:
            bars.append(tqdm(unit="B", unit_scale=True, unit_divisor=1024))
        shown = bars[0]
        shown.total = state.bytes_total
        shown.n = state.bytes_done
        shown.set_postfix_str(_note(state), refresh=False)
        shown.refresh()
        if state.is_done:
            bars.pop().close()

    return show


def _note(state: Progress) -> str:
    if state.waiting_until is not None:
        return f"waits until {state.waiting_until:%H:%M:%S}"
    total = f"/{state.files_total}" if state.files_total is not None else ""
    return f"{state.files_done}{total} files, {state.rows_done:,} rows"


def _line(state: Progress) -> None:
    end = "\n" if state.is_done else ""
    sys.stderr.write(f"\r{state.bytes_done / 1e6:,.1f} MB, {_note(state)} {end}")
    sys.stderr.flush()
