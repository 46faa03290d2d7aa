"""Waits for a state to come about. Whoever waits has the limit."""

from __future__ import annotations

import time
from collections.abc import Callable

LOOK_AGAIN_SECONDS = 0.01


def until(holds: Callable[[], bool]) -> None:
    while not holds():
        time.sleep(LOOK_AGAIN_SECONDS)
