"""Bars of an interval, and companies through their tickers."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import ticklake

from .conftest import Homes
from .support.server import Server

ROWS = [
    {"TradeDate": day, "Ticker": ticker, "ASID": asid, "HighPrice": high, "DailyVolume": volume}
    for day, ticker, asid, high, volume in [
        ("2020-06-29", "OLD", 1010000000000033, 10.5, 100),
        ("2020-07-01", "NEW", 1010000000000033, 12.25, 300),
        ("2020-07-02", "NEW", 1010000000000033, 11, 200),
    ]
]
DATES = ("2020-06-01", "2020-12-31")


@pytest.fixture(scope="module")
def bars(homes: Homes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ticklake.Client]:
    folder = tmp_path_factory.mktemp("bars")
    home = homes.small.copy(folder / "home")
    file = folder / "daily.csv"
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ROWS[0])
        writer.writeheader()
        writer.writerows(ROWS)
    home.run("ingest", "eq_daily_ohlc", str(file))
    home.run("rule", "add", "--identity", "1", "--dataset", "eq_daily_ohlc")
    server = Server(home)
    client = ticklake.Client(server.url, homes.key, cache=folder / "cache")
    yield client
    client.close()
    server.stop()


def test_bars_of_an_interval_are_put_together(bars: ticklake.Client) -> None:
    for _ in range(2):  # the second time from the cache
        table = bars.daily("NEW", DATES, interval="1mo").to_arrow()
        assert table.num_rows == 1
        (row,) = table.to_pylist()
        told = [row[name] for name in ("TradeDate", "HighPrice", "DailyVolume")]
        assert told == [date(2020, 7, 1), 12.25, 500]
    frame = bars.daily("NEW", DATES, interval="1w", columns=["TradeDate", "HighPrice"]).to_polars()
    assert frame.rows() == [(date(2020, 6, 29), 12.25)]


def test_bars_of_an_interval_come_as_files(bars: ticklake.Client, tmp_path: Path) -> None:
    (file,) = bars.daily("NEW", DATES, interval="1w").download(tmp_path)
    (row,) = pq.read_table(file).to_pylist()
    assert (row["TradeDate"], row["HighPrice"], row["DailyVolume"]) == (date(2020, 6, 29), 12.25, 500)


def test_bars_of_an_interval_are_sorted(bars: ticklake.Client) -> None:
    query = bars.daily(["OLD", "NEW"], DATES, interval="1mo", sort="-HighPrice")
    assert query.to_arrow()["HighPrice"].to_pylist() == [12.25, 10.5]
    with pytest.raises(ticklake.InputError, match="`sort` and `limit`"):
        bars.ticks(["AAA", "BBB"], "2026-11-20", sort="Price").to_arrow()
    with pytest.raises(ticklake.InvalidRequestError, match="interval"):
        bars.ticks(["AAA", "BBB"], "2026-11-20", interval="1h").to_arrow()
    with pytest.raises(ticklake.InvalidRequestError, match="'1w' or '1mo'"):
        bars.daily("NEW", DATES, interval="1h").to_arrow()


def test_a_company_is_followed_through_its_tickers(bars: ticklake.Client) -> None:
    told = "OLD 1010000000000033 2020-06-01/2020-06-30, NEW 1010000000000033 2020-07-01/2020-12-31"
    page = bars.daily("NEW", DATES, continuous=True, sort="-TradeDate")
    assert page.to_arrow()["Ticker"].to_pylist() == ["NEW", "NEW", "OLD"]
    assert page.symbols == told
    files = bars.daily("NEW", DATES, continuous=True)
    assert files.to_arrow().num_rows == 3
    assert files.symbols == told
    months = bars.daily("NEW", DATES, continuous=True, interval="1mo")
    assert months.to_arrow()["Ticker"].to_pylist() == ["OLD", "NEW"]


def test_strict_symbols_pass_where_a_ticker_meant_one_company(bars: ticklake.Client) -> None:
    query = bars.daily("NEW", DATES, symbols="strict")
    assert query.to_arrow().num_rows == 2
    assert query.symbols is None
