"""Renews what a forked child must not share with its parent: connections and locks."""

from __future__ import annotations

import os
from threading import Lock
from typing import Protocol
from weakref import WeakSet

from ..errors import TicklakeError


class PerProcess(Protocol):
    def renew(self) -> None:
        """Begins anew in a child that was just forked, and leaves what the parent has alone."""


_known: WeakSet[PerProcess] = WeakSet()


def renew_in_children(one: PerProcess) -> None:
    _known.add(one)


def _renew_all() -> None:
    for one in list(_known):
        one.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)


def require_process(process: int) -> None:
    """Raises `TicklakeError` in any process but the one with this number."""
    if os.getpid() != process:
        raise TicklakeError("This read began before the process was forked; begin it in the child instead")


class OwnLock:
    """A lock that is free in a child, whoever holds it in the parent."""

    def __init__(self) -> None:
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
