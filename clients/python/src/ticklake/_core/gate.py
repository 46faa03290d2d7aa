"""One gate for all requests of a client: what the service says to one worker holds for all."""

from __future__ import annotations

from .fork import OwnLock


class Gate:
    """Times are seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._lock = OwnLock()
        self._opens_at = 0.0
        self._passed = 0

    @property
    def passed(self) -> int:
        """How many requests were let through by the service: whether others get on."""
        return self._passed

    def seconds(self, now: float) -> float:
        """How long the gate is still closed."""
        return max(0.0, self._opens_at - now)

    def close_until(self, at: float) -> None:
        with self._lock:
            self._opens_at = max(self._opens_at, at)

    def count_passed(self) -> None:
        with self._lock:
            self._passed += 1
