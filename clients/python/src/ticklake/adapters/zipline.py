"""Bars as a bundle of Zipline, whose minutes have the time at which they end, and whose days are sessions.

Zipline keeps prices to the thousandth, and whole shares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._frames.library import require
from ..errors import InputError
from ..query import Query
from .frame import bars_of_equity

_PRICES = ["open", "high", "low", "close"]
_NAMES = [*_PRICES, "volume"]
# It rounds a lower price to 0, which means none, and takes one below 0 for millions.
_LEAST = 0.001


def bundle(queries: Sequence[Query], exchange: str = "NYSE") -> Callable[..., None]:
    """For `zipline.data.bundles.register`: ingests daily or minute bars of US equities.

    There is a query for each security. Prices below a thousandth, which Zipline cannot keep, are refused.
    """
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
        if len(lengths) > 1:
            raise InputError("A bundle takes daily bars alone, or minute bars alone")
        asset_db_writer.write(equities=_assets(frames, exchange, calendar))
        writer = daily_bar_writer if lengths == {"day"} else minute_bar_writer
        writer.write(((sid, frame) for sid, (_, frame, _) in enumerate(frames)), show_progress=False)
        adjustment_writer.write()

    return ingest


def _frame(query: Query, calendar: Any) -> tuple[str, Any, int | str]:
    """The ticker, and its bars; a session without one has no price."""
    bars, length = bars_of_equity(query, "A bundle")
    if length not in (1, "day"):
        raise InputError("A bundle takes daily or minute bars: leave out `interval`")
    if bars.empty:
        raise InputError(f"There are no bars of {query!r}")
    prices = bars[_NAMES].astype(float)
    if (prices[_PRICES] < _LEAST).any(axis=None):
        raise InputError(f"Zipline takes prices from {_LEAST} up: there are lower ones in {query!r}")
    if length == "day":
        dated = prices.set_axis(bars["time"].dt.tz_localize(None))
        sessions = calendar.sessions_in_range(dated.index[0], dated.index[-1])
        _require(dated.index, sessions, "session")
        return bars["ticker"].iloc[-1], dated.reindex(sessions).fillna(0.0), length
    timed = prices.set_axis(bars["end"].dt.tz_convert("UTC"))
    _require(timed.index, calendar.minutes, "minute", ": ask for session='regular'")
    return bars["ticker"].iloc[-1], timed.fillna(0.0), length


def _require(found: Any, known: Any, what: str, advice: str = "") -> None:
    """Zipline silently moves other times to the nearest minute."""
    others = found.difference(known)
    if len(others):
        raise InputError(f"Zipline's calendar has no {what} {others[0]}{advice}")


def _assets(frames: Sequence[tuple[str, Any, int | str]], exchange: str, calendar: Any) -> Any:
    """What Zipline's database has of each security."""
    import pandas as pd

    def session_at(moment: Any) -> Any:
        # A session may begin on the evening before its date.
        return moment if moment.tz is None else calendar.minute_to_session(moment)

    first, last = ([session_at(frame.index[end]) for _, frame, _ in frames] for end in (0, -1))
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
