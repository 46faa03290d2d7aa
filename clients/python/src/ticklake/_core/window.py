"""What a reader should know of the dates that were read. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from .read import Question

# The first and the last day of a rule; an end may be open.
Span = tuple[str, str | None]
# Where rules begin that say nothing else, and an end that is open.
FIRST, LAST = "1900-01-01", "9999-12-31"


def _joined(rules: tuple[Span, ...]) -> list[tuple[str, str]]:
    """The spans of the rules, with those that meet put together."""
    joined: list[tuple[str, str]] = []
    for start, end in sorted((start, end or LAST) for start, end in rules):
        before = str(date.fromisoformat(start) - timedelta(days=1))
        if joined and joined[-1][1] >= before:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def window_notes(rules: tuple[Span, ...], asked: Question, window: str | None, today: date) -> Iterator[str]:
    """That the account's rules leave out days, or that nobody named any."""
    days = asked.days
    if window is not None and days is None and "period" not in asked.options:
        yield f"No dates were named: the rows are those of {window}; `start` and `end` name others"
    if days is None or days.each:
        return
    first, last = str(days.first or FIRST), str(days.last or today)
    spans = [(start, end) for start, end in _joined(rules) if start <= last and end >= first]
    if spans and not any(start <= first and end >= last for start, end in spans):
        readable = ", ".join(f"{start}/{'..' if end == LAST else end}" for start, end in spans)
        yield f"The account's rules leave out some of these dates; it may read {readable}"
