"""vectorbt, with bars by their end, comes to what the same strategy does on plain lists."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

import ticklake
from ticklake.adapters import vectorbt

from .support import averages, bars

# It is in a Python of its own: see `scripts/test-python.ts`.
vbt: Any = pytest.importorskip("vectorbt")


def run(frame: Any) -> list[tuple[datetime, bool, float]]:
    """The strategy in vectorbt's own words."""
    fast, slow = (vbt.MA.run(frame["Close"], window=each) for each in (averages.FAST, averages.SLOW))
    above = fast.ma > slow.ma
    known = slow.ma.notna()
    portfolio = vbt.Portfolio.from_signals(
        frame["Close"], above & known, ~above & known, size=1, init_cash=averages.CASH, fees=0
    )
    orders = portfolio.orders.records_readable
    return [
        (row["Timestamp"].to_pydatetime(), row["Side"] == "Buy", row["Price"])
        for row in orders.to_dict("records")
    ]


@pytest.mark.parametrize("kind", ["minutes", "days"])
def test_vectorbt_comes_to_the_same_trades(bars_client: ticklake.Client, kind: str) -> None:
    known, query, ends = bars.asked(bars_client, kind)
    frame = vectorbt.frame(query)
    assert list(frame.index) == ends
    assert list(frame.vbt.ohlcv.open) == [bar.open for bar in known]
    expected = averages.trades(known, ends, "close")
    assert len(expected) > 3
    assert run(frame)[: len(expected)] == expected
