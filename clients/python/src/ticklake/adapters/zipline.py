"""Bars as a bundle of Zipline, whose minutes have the time at which they end, and whose days are sessions.

Zipline keeps prices to the thousandth, and whole shares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._frames.library import require
from ..errors import InputError
from ..query import Query
from .frame import bars_of_one

_NAMES = ["open", "high", "low", "close", "volume"]


def bundle(queries: Sequence[Query], exchange: str = "NYSE") -> Callable[..., None]:
    """For `zipline.data.bundles.register`: ingests daily or minute bars, a query for each security."""
    require("zipline")

    def ingest(
        environ: Any,
        asset_db_writer: Any,
        minute_bar_writer: Any,
        daily_bar_writer: Any,
        adjustment_writer: Any,
        calendar: Any,
        *_: Any,
    ) -> None:
        frames = [_frame(query, calendar) for query in queries]
        lengths = {length for *_, length in frames}
        if lengths not in ({1}, {"day"}):
            raise InputError("A bundle takes daily bars alone, or minute bars alone: leave out `interval`")
        asset_db_writer.write(equities=_assets(frames, exchange))
        writer = daily_bar_writer if lengths == {"day"} else minute_bar_writer
        writer.write(((sid, frame) for sid, (_, frame, _) in enumerate(frames)), show_progress=False)
        adjustment_writer.write()

    return ingest


def _frame(query: Query, calendar: Any) -> tuple[str, Any, int | str]:
    """The ticker, and its bars; a session without one has no price."""
    bars, length = bars_of_one(query)
    if bars.empty:
        raise InputError(f"There are no bars of {query!r}")
    prices = bars[_NAMES].astype(float)
    if length == "day":
        dated = prices.set_axis(bars["time"].dt.tz_localize(None))
        sessions = calendar.sessions_in_range(dated.index[0], dated.index[-1])
        _require(dated.index, sessions, "session")
        return bars["ticker"].iloc[-1], dated.reindex(sessions).fillna(0.0), length
    timed = prices.set_axis(bars["end"].dt.tz_convert("UTC"))
    _require(timed.index, calendar.minutes, "minute")
    return bars["ticker"].iloc[-1], timed.fillna(0.0), length


def _require(found: Any, known: Any, what: str) -> None:
    """Zipline would take other moments for those beside them."""
    others = found.difference(known)
    if len(others):
        raise InputError(f"Zipline's calendar has no {what} {others[0]}: ask for session='regular'")


def _assets(frames: Sequence[tuple[str, Any, int | str]], exchange: str) -> Any:
    """What Zipline's database has of each security."""
    import pandas as pd

    first = [frame.index[0].tz_localize(None).normalize() for _, frame, _ in frames]
    last = [frame.index[-1].tz_localize(None).normalize() for _, frame, _ in frames]
    return pd.DataFrame(
        {
            "symbol": [ticker for ticker, *_ in frames],
            "asset_name": [ticker for ticker, *_ in frames],
            "start_date": first,
            "end_date": last,
            "first_traded": first,
            "auto_close_date": [each + pd.Timedelta(days=1) for each in last],
            "exchange": exchange,
        }
    )
