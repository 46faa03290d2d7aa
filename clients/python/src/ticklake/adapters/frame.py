"""What the adapters share: the bars of one security as a frame of pandas."""

from __future__ import annotations

from typing import Any

from ..errors import InputError
from ..query import Query


def bars_of_one(query: Query) -> tuple[Any, int | str]:
    """Bars with prices in the order of time, and their minutes, or the unit of their dates.

    Raises `InputError` for bars of several securities, which engines take one by one.
    """
    bars = query.ohlcv()
    frame = bars.to_pandas().dropna(subset=["open", "high", "low", "close"])
    # One identifier may have had several tickers, one after the other.
    is_one = len(query._asking.question.ids) == 1 and not frame["time"].duplicated().any()
    named = ("expiration", "strike", "call_put") if is_one else ("ticker", "expiration", "strike", "call_put")
    keys = [name for name in named if name in frame]
    if keys and len(frame[keys].drop_duplicates()) > 1:
        raise InputError("An engine takes the bars of one security: ask for each by itself")
    return frame.sort_values("time").reset_index(drop=True), bars.length


def bars_of_equity(query: Query, engine: str) -> tuple[Any, int | str]:
    """The same of a query of US equities; raises `InputError` for any other."""
    frame, length = bars_of_one(query)
    # Those of an option have the ticker of its underlying.
    if "strike" in frame or query._driver.run(query._resolve()).form.group != "us-equity":
        raise InputError(f"{engine} takes bars of US equities alone")
    return frame, length
