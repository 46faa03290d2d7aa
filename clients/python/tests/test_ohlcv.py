"""Bars of every dataset under one naming, with the moment at which each is known."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pyarrow as pa
import pytest

import ticklake

from .conftest import Homes
from .support import bars
from .support.server import Server

NAMES = ["time", "end", "ticker", "open", "high", "low", "close", "volume", "vwap", "trades"]
Z = ZoneInfo(bars.ZONE)


def told(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """The start, the prices and the volume of each bar."""
    names = ("time", "open", "high", "low", "close", "volume")
    return [tuple(row[name] for name in names) for row in rows]


def expected(known: list[bars.Bar]) -> list[tuple[Any, ...]]:
    return [(bar.start, bar.open, bar.high, bar.low, bar.close, bar.volume) for bar in known]


def test_minutes_have_their_own_start_and_the_next_as_end(bars_client: ticklake.Client) -> None:
    table = bars_client.bars("AAA", (bars.DAYS[0], None)).ohlcv().to_arrow()
    assert table.schema.names == NAMES
    rows = table.to_pylist()
    assert told(rows) == expected(bars.minutes())
    assert all(row["end"] - row["time"] == timedelta(minutes=1) for row in rows)
    assert {(row["ticker"], row["trades"]) for row in rows} == {("AAA", 3)}
    assert table.schema.metadata[b"ticklake.dataset_version"] == b"1"


def test_a_day_is_known_at_the_midnight_after_it(bars_client: ticklake.Client) -> None:
    rows = bars_client.daily("AAA", (bars.days()[0].start.date(), None)).ohlcv().to_arrow().to_pylist()
    assert told(rows) == expected(bars.days())
    midnights = [bar.start.replace(tzinfo=None) + timedelta(days=1) for bar in bars.days()]
    # Days on which the clocks change have 23 or 25 hours.
    assert [row["end"] for row in rows] == [each.replace(tzinfo=Z) for each in midnights]
    assert [row["vwap"] for row in rows] == [bar.close for bar in bars.days()]
    assert {row["trades"] for row in rows} == {None}


@pytest.mark.parametrize(
    ("interval", "first", "end"),
    [("1w", "2026-10-26", "2026-11-02"), ("1mo", "2026-11-02", "2026-12-01")],
)
def test_a_week_and_a_month_are_known_after_their_last_day(
    bars_client: ticklake.Client, interval: str, first: str, end: str
) -> None:
    query = bars_client.daily("AAA", (first, "2026-11-20"), interval=interval)
    row = query.ohlcv().to_arrow().to_pylist()[0]
    assert row["time"] == datetime.fromisoformat(first).replace(tzinfo=Z)
    assert row["end"] == datetime.fromisoformat(end).replace(tzinfo=Z)


def test_longer_bars_within_a_day_are_known_after_their_length(bars_client: ticklake.Client) -> None:
    rows = bars_client.bars("AAA", "2026-11-20", interval="15m").ohlcv().to_arrow().to_pylist()
    known = [bar for bar in bars.minutes() if bar.start.date() == bars.DAYS[-1]]
    assert [row["time"] for row in rows] == [bar.start for bar in known[::15]]
    assert [row["close"] for row in rows] == [bar.close for bar in known[14::15]]
    assert all(row["end"] - row["time"] == timedelta(minutes=15) for row in rows)
    day = bars_client.bars("AAA", "2026-11-20", interval="1d").ohlcv().to_arrow().to_pylist()[0]
    assert day["end"] == datetime(2026, 11, 21, tzinfo=Z) and day["close"] == known[-1].close


def test_futures_and_options_have_the_same_names(bars_client: ticklake.Client) -> None:
    future = bars_client.daily("ESZ26", (bars.days()[0].start.date(), None), market="future")
    rows = future.ohlcv().to_arrow().to_pylist()
    assert list(rows[0]) == NAMES
    zone = ZoneInfo("America/Chicago")
    assert [row["time"] for row in rows] == [bar.start.replace(tzinfo=zone) for bar in bars.days("ESZ26")]
    assert [row["volume"] for row in rows] == [bar.volume for bar in bars.days("ESZ26")]
    option = bars_client.bars("AAA", (bars.DAYS[0], None), market="option").ohlcv().to_arrow()
    assert option.schema.names == [*NAMES[:3], "expiration", "strike", "call_put", *NAMES[3:]]
    assert told(option.to_pylist()) == expected(bars.minutes("AAA 90C"))


def test_volume_and_average_are_of_the_trades_that_are_counted(bars_client: ticklake.Client) -> None:
    read = bars_client.dataset("eq_taq_1min").read
    rows = read("AAA", (bars.DAYS[0], None)).ohlcv().to_arrow().to_pylist()
    known = bars.minutes()
    off = [bar.volume // 2 for bar in known]
    on = [0 if bar.start.minute % 5 == 0 else bar.volume for bar in known]
    assert [row["volume"] for row in rows] == [sum(pair) for pair in zip(on, off, strict=True)]
    averages = [bar.close + 2 * o / (n + o) for bar, n, o in zip(known, on, off, strict=True)]
    assert [row["vwap"] for row in rows] == pytest.approx(averages)
    hours = read("AAA", bars.DAYS[0], interval="1h").ohlcv().to_arrow().to_pylist()
    assert sum(row["volume"] for row in hours) == sum(on[: bars.MINUTES_EACH] + off[: bars.MINUTES_EACH])


def test_every_way_to_take_bars_gives_the_same(bars_client: ticklake.Client) -> None:
    query = bars_client.bars(["AAA", "BBB"], (bars.DAYS[0], None))
    view = query.ohlcv()
    table = view.to_arrow().replace_schema_metadata(None)
    assert pa.Table.from_batches(view.batches(), table.schema).equals(table)
    assert pa.table(view).equals(table)
    assert view.to_polars().equals(pl.DataFrame(table))
    assert view.to_pandas().shape == view.to_duckdb().to_df().shape == (table.num_rows, 10)
    assert query.ohlcv().to_arrow().schema.metadata[b"ticklake.dataset_id"] == b"US1014"

    async def awaited() -> tuple[pa.Table, list[pa.RecordBatch]]:
        settings = bars_client._session.settings
        async with ticklake.AsyncClient(settings.origin, settings.key, cache=False) as other:
            bars_of = other.bars(["AAA", "BBB"], (bars.DAYS[0], None)).ohlcv()
            return await bars_of.to_arrow(), [batch async for batch in bars_of.batches()]

    found, batches = asyncio.run(awaited())
    assert found.replace_schema_metadata(None).equals(table)
    assert pa.Table.from_batches(batches, table.schema).equals(table)


def test_rows_that_are_no_bars_are_refused(bars_client: ticklake.Client) -> None:
    with pytest.raises(ticklake.InputError, match="no bars"):
        bars_client.ticks("AAA", "2026-11-20").ohlcv().to_arrow()
    with pytest.raises(ticklake.InputError, match="leave out `columns`"):
        bars_client.daily("AAA", "2026-11-20", columns=["ClosePrice"]).ohlcv().to_arrow()


def test_bars_of_whole_sessions_warn_of_evenings_that_rules_leave_out(homes: Homes, tmp_path: Path) -> None:
    home = homes.small.copy(tmp_path / "home")
    bars.load_bars(home, tmp_path)
    key = home.account("later", [])
    start = "2026-11-16"
    rule = ["--identity", str(home.identities["later"]), "--dataset", "fut_daily", "--start", start]
    home.run("rule", "add", *rule)
    server = Server(home)
    with ticklake.Client(server.url, key, cache=tmp_path / "cache") as client:
        weeks = client.daily("ESZ26", (start, None), market="future", interval="1w")
        with pytest.warns(ticklake.ReadWarning, match="^A rule begins with"):
            assert weeks.to_arrow().num_rows > 0
        with pytest.warns(ticklake.ReadWarning, match="^A rule begins with"):
            assert weeks.download(tmp_path)
    server.stop()
