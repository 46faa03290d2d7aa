"""Which failures are tried again, and when. Pure: the time and the chance are handed in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from .steps import Head

# The month's 429 is not: nothing mends it in time. Nor 504: the same request takes as long again.
RETRIED = frozenset({408, 429, 502, 503})
RETRIED_ONCE = frozenset({500})
FIRST_WAIT_SECONDS = 0.5
LONGEST_BACKOFF_SECONDS = 8.0
JITTER = 0.25


def is_retried(status: int, tries: int) -> bool:
    return status in RETRIED or (status in RETRIED_ONCE and tries == 0)


def backoff(tries: int, chance: float) -> float:
    """Seconds before another attempt; `chance` is between 0 and 1."""
    seconds = min(FIRST_WAIT_SECONDS * 2.0**tries, LONGEST_BACKOFF_SECONDS)
    return seconds * (1 - JITTER + 2 * JITTER * chance)


def wait_of(head: Head, tries: int, chance: float, now: datetime) -> float:
    """Seconds until the service may be asked again: what it says, else the backoff."""
    told = _retry_after(head.headers, now)
    if told is not None:
        return told
    reset = _number(head.headers.get("x-ratelimit-reset"))
    if reset is not None:
        # Whoever was refused together would else come back together, and be refused again.
        return reset + chance * max(1.0, JITTER * reset)
    return backoff(tries, chance)


def _number(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None


def _retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None or not text:
        return seconds
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - now).total_seconds())
