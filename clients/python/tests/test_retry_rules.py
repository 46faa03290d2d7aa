"""Waits and attempts, by the headers of refusals and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ticklake._core.retry import backoff, is_retried, wait_of
from ticklake._core.steps import Head
from ticklake.errors import QuotaExceededError, RateLimitError, VersionGoneError, error_class

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_waits_grow_to_eight_seconds_and_scatter_by_a_quarter() -> None:
    assert [backoff(tries, 0.5) for tries in range(6)] == [0.5, 1, 2, 4, 8, 8]
    assert (backoff(0, 0), backoff(0, 1)) == (0.375, 0.625)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7", "x-ratelimit-reset": "3"}, 7),
        ({"retry-after": "Fri, 20 Nov 2026 12:00:09 GMT"}, 9),
        ({"retry-after": "Fri, 20 Nov 2026 11:00:00 GMT"}, 0),
        ({"x-ratelimit-reset": "20"}, 20),
        ({"retry-after": "soon", "x-ratelimit-reset": "3"}, 3),
    ],
)
def test_what_the_service_says_goes_before_the_backoff(headers: dict[str, str], seconds: float) -> None:
    assert wait_of(Head(429, headers), 0, 0, NOW) == seconds


def test_resets_are_scattered_behind_their_time() -> None:
    assert wait_of(Head(429, {"x-ratelimit-reset": "20"}), 0, 1, NOW) == 25


def test_only_what_may_pass_is_tried_again() -> None:
    tried = {status for status in range(400, 600) if is_retried(status, 1)}
    assert tried == {408, 429, 502, 503}
    assert is_retried(500, 0)


def test_the_window_of_a_429_tells_the_month_from_the_minute() -> None:
    assert error_class(429, "Limit", "month") is QuotaExceededError
    assert error_class(429, "Per-minute request limit exceeded: 1/1", "minute") is RateLimitError
    assert error_class(403, "Monthly request limit exceeded: 1 / 1", None) is QuotaExceededError
    assert error_class(410, "Dataset version 1 is no longer available", None) is VersionGoneError
