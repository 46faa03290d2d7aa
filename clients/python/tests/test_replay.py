"""Rows of several datasets come in the order in which they became known."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa
import pytest

import ticklake

from .support import bars, rows

DAYS = (rows.DAYS[0], rows.DAYS[-1])
TICKERS = ["AAA", "BBB"]


def moment(at: datetime) -> int:
    return int(pd.Timestamp(at).value)


def all_events() -> list[tuple[int, int, str, str]]:
    """When each row is known, bars before ticks, its query and its ticker: sorted from plain lists."""
    events: list[tuple[int, int, str, str]] = []
    for ticker in TICKERS:
        for day in rows.DAYS:
            ticks = rows.ticks(day, ticker)["EventDateTime"].cast("int64").to_pylist()
            events += [(at, 1, "ticks", ticker) for at in ticks]
        ends = [bar.start + timedelta(minutes=1) for bar in bars.minutes(ticker)]
        events += [(moment(end), 0, "minutes", ticker) for end in ends]
    for bar in bars.days():
        if bar.start.date() in rows.DAYS:
            after = bar.start.replace(tzinfo=None) + timedelta(days=1)
            events.append((moment(after.replace(tzinfo=ZoneInfo(bars.ZONE))), 0, "days", "AAA"))
    return sorted(events, key=lambda event: event[:2])


def test_rows_of_datasets_come_in_the_order_in_which_they_are_known(bars_client: ticklake.Client) -> None:
    queries: dict[str, ticklake.Query | ticklake.Bars] = {
        "ticks": bars_client.ticks(TICKERS, DAYS),
        "minutes": bars_client.bars(TICKERS, DAYS).ohlcv(),
        "days": bars_client.daily("AAA", DAYS).ohlcv(),
    }
    found = [
        (moment(row["EventDateTime"] if name == "ticks" else row["end"]), int(name == "ticks"), name)
        for name, row in ticklake.replay(queries)
    ]
    assert found == [event[:3] for event in all_events()]


def test_a_replay_has_every_value_of_its_rows(bars_client: ticklake.Client) -> None:
    query = bars_client.ticks("AAA", DAYS)
    assert [row for _, row in ticklake.replay({"ticks": query})] == query.to_arrow().to_pylist()


def test_a_bar_comes_before_a_tick_at_its_end(bars_client: ticklake.Client) -> None:
    view = bars_client.bars("AAA", bars.DAYS[0]).ohlcv()
    ticks = bars_client.ticks("AAA", bars.DAYS[0])
    end = bars.minutes()[45].start + timedelta(minutes=1)
    table = ticks.to_arrow().slice(0, 1)
    moments = pa.array([end], table.schema.field("EventDateTime").type)
    moved = table.set_column(table.schema.get_field_index("EventDateTime"), "EventDateTime", moments)
    query: Any = ticks
    query.batches = lambda: iter(moved.to_batches())
    names = [name for name, row in ticklake.replay({"ticks": query, "bars": view})]
    assert names.index("ticks") == 46


def test_rows_out_of_the_order_of_dates_are_refused(bars_client: ticklake.Client) -> None:
    turned = bars_client.daily("AAA", DAYS, sort="-TradeDate").ohlcv()
    with pytest.raises(ticklake.InputError, match="2026-11-19 comes after 2026-11-20"):
        list(ticklake.replay({"days": turned}))
    query: Any = bars_client.ticks("AAA", DAYS)
    batches = [rows.ticks(day, "AAA").slice(0, 2).to_batches()[0] for day in rows.DAYS[:2]]
    query.batches = lambda: iter([*batches, batches[0]])
    with pytest.raises(ticklake.InputError, match="2026-11-18 comes after 2026-11-19"):
        list(ticklake.replay({"ticks": query}))


def test_rows_without_a_moment_of_their_own_are_refused(bars_client: ticklake.Client) -> None:
    for query in (bars_client.bars("AAA", DAYS), bars_client.daily("AAA", DAYS)):
        with pytest.raises(ticklake.InputError, match="as `ohlcv"):
            next(ticklake.replay({"bars": query}))
