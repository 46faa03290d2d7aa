"""Bars as a feed of backtrader, which takes the time of a bar for the moment at which it is known.

So bars within the day have their end. Those of days have the last moment of their date, as backtrader's own:
they come after all bars within that day, never before.
"""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from typing import Any

from .._frames.library import require
from ..query import Query
from .frame import bars_of_one

# As far before midnight as backtrader's clock is fine.
_BEFORE_MIDNIGHT = timedelta(microseconds=10)


def feed(query: Query, **options: Any) -> Any:
    """A feed of the bars of one security, on the clock of its market; `options` are those of `PandasData`."""
    require("backtrader")
    bt: Any = import_module("backtrader")
    frame, length = bars_of_one(query)
    ends = frame["end"].dt.tz_localize(None)
    is_daily = isinstance(length, str)
    prices = frame[["open", "high", "low", "close", "volume"]].astype(float).fillna(0.0)
    prices.index = ends - _BEFORE_MIDNIGHT if is_daily else ends
    frames = {"day": bt.TimeFrame.Days, "week": bt.TimeFrame.Weeks, "month": bt.TimeFrame.Months}
    own = {
        "timeframe": frames[str(length)] if is_daily else bt.TimeFrame.Minutes,
        "compression": 1 if is_daily else length,
        "openinterest": None,
    }
    return bt.feeds.PandasData(dataname=prices, **{**own, **options})
