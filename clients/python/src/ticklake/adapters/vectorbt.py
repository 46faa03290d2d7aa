"""Bars as frames for vectorbt, whose orders fill at the bar that decides, when its close is known."""

from __future__ import annotations

from typing import Any

from ..query import Query
from .frame import bars_of_one


def frame(query: Query) -> Any:
    """The bars of one security by their end, in a frame of pandas with the names of `vbt.ohlcv`."""
    bars, _ = bars_of_one(query)
    names = ["open", "high", "low", "close", "volume"]
    prices = bars[names].astype(float).set_axis([name.title() for name in names], axis=1)
    return prices.fillna({"Volume": 0.0}).set_axis(bars["end"])
