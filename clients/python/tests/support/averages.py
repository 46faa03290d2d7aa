"""A strategy of moving averages on plain lists: what engines have to come to with the same bars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from .bars import Bar

FAST, SLOW = 3, 8
CASH = 100_000.0


def crossings(closes: Sequence[float]) -> list[bool | None]:
    """After each bar: whether the fast average is above the slow one; None before there are both."""

    def average(last: int, count: int) -> float:
        return sum(closes[last + 1 - count : last + 1]) / count

    known = range(len(closes))
    return [average(i, FAST) > average(i, SLOW) if i + 1 >= SLOW else None for i in known]


# The price of a decision after a bar, as engines have it: of the next one, which is not known before, or the
# close that was decided by.
FILLS: dict[str, Callable[[Sequence[Bar], int], float]] = {
    "next open": lambda bars, number: bars[number + 1].open,
    "next close": lambda bars, number: bars[number + 1].close,
    "close": lambda bars, number: bars[number].close,
}


def trades(
    bars: Sequence[Bar], ends: Sequence[datetime], filled: str = "next open"
) -> list[tuple[datetime, bool, float]]:
    """The moment of each decision, whether it buys, and the price."""
    found, holds = [], False
    for number, is_above in enumerate(crossings([bar.close for bar in bars])[:-1]):
        if is_above is not None and is_above != holds:
            holds = is_above
            found.append((ends[number], holds, FILLS[filled](bars, number)))
    return found


def final_cash(made: Sequence[tuple[datetime, bool, float]], last_close: float) -> float:
    """The value at the end of trading one share."""
    cash = CASH + sum(-price if buys else price for _, buys, price in made)
    return cash + (last_close if made and made[-1][1] else 0.0)
