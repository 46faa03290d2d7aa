"""Bars in a catalog of nautilus_trader, whose bars have the time at which they are closed and known."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .._frames.library import require
from ..query import Query
from .frame import bars_of_one


def write(query: Query, catalog: Any, instrument: Any) -> Any:
    """Writes an instrument and its bars to a `ParquetDataCatalog`; gives their `BarType`."""
    require("nautilus_trader")
    model: Any = import_module("nautilus_trader.model.data")
    wranglers: Any = import_module("nautilus_trader.persistence.wranglers")
    frame, length = bars_of_one(query)
    bar_type = model.BarType.from_str(f"{instrument.id}-{_step(length)}-LAST-EXTERNAL")
    prices = frame[["open", "high", "low", "close", "volume"]].astype(float).fillna(0.0)
    prices.index = frame["end"].dt.tz_convert("UTC").rename("timestamp")
    catalog.write_data([instrument])
    if not prices.empty:
        catalog.write_data(wranglers.BarDataWrangler(bar_type, instrument).process(prices))
    return bar_type


def _step(length: int | str) -> str:
    if isinstance(length, str):
        return f"1-{length.upper()}"
    return f"{length // 60}-HOUR" if length % 60 == 0 else f"{length}-MINUTE"
