"""Bars that the tests load, of a minute and of a day: a walk of prices whose seed is in the arguments."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from ticklake import Client, Query

from .server import Home

ZONE = "America/New_York"
DAYS = [date(2026, 11, 18), date(2026, 11, 19), date(2026, 11, 20)]
MINUTES_EACH = 60


@dataclass(frozen=True)
class Bar:
    start: datetime
    open: float
    high: float
    low: float
    close: float
    volume: int


def _walk(starts: list[datetime], name: str) -> Iterator[Bar]:
    chance, price = random.Random(name), 100.0
    for start in starts:
        prices = [price]
        for _ in range(4):
            prices.append(round(max(1.0, prices[-1] + chance.gauss(0, 0.5)), 2))
        price = prices[-1]
        yield Bar(start, prices[0], max(prices), min(prices), price, chance.randrange(100, 5000))


def minutes(ticker: str = "AAA") -> list[Bar]:
    first = [datetime(day.year, day.month, day.day, 9, 30, tzinfo=ZoneInfo(ZONE)) for day in DAYS]
    starts = [start + timedelta(minutes=number) for start in first for number in range(MINUTES_EACH)]
    return list(_walk(starts, f"minutes {ticker}"))


def days(ticker: str = "AAA") -> list[Bar]:
    """The weekdays since Labor Day, up to the last of `DAYS`: the clocks change between them."""
    return _days([DAYS[-1] - timedelta(days=number) for number in range(73, -1, -1)], ticker)


def _days(found: list[date], ticker: str) -> list[Bar]:
    starts = [datetime(d.year, d.month, d.day, tzinfo=ZoneInfo(ZONE)) for d in found if d.weekday() < 5]
    return list(_walk(starts, f"days {ticker}"))


def renamed() -> dict[str, list[Bar]]:
    """The days of a company before and after it changed its ticker: see `rows.write_master`."""
    starts = {"OLD": date(2020, 6, 29), "NEW": date(2020, 7, 1)}
    return {ticker: _days([day, day + timedelta(days=1)], ticker) for ticker, day in starts.items()}


ODD_DAY = date(2019, 6, 3)


def _odd() -> Iterator[dict[str, Any]]:
    """A day of securities whose names or prices engines take badly."""
    start = datetime(ODD_DAY.year, ODD_DAY.month, ODD_DAY.day, tzinfo=ZoneInfo(ZONE))
    for ticker, price in (("CON", 10.0), ("NA", 10.0), ("SUB", 0.0004)):
        yield _day_row(Bar(start, price, price, price, price, 100), ticker)


def _minute_row(bar: Bar, ticker: str) -> dict[str, Any]:
    return {
        "TradeDate": bar.start.date(),
        "BarDateTime": bar.start.isoformat(),
        "Ticker": ticker,
        "ASID": 1010000000000000 + sum(map(ord, ticker)),
        "FirstTradePrice": bar.open,
        "HighTradePrice": bar.high,
        "LowTradePrice": bar.low,
        "LastTradePrice": bar.close,
        "VolumeWeightPrice": bar.close,
        "Volume": bar.volume,
        "TotalTrades": 3,
    }


def _quoted_minute_row(bar: Bar, ticker: str) -> dict[str, Any]:
    """A third of the volume is off exchanges, two dollars above the rest, every fifth minute all of it."""
    volume = 0 if bar.start.minute % 5 == 0 else bar.volume
    return {
        **_minute_row(bar, ticker),
        "Volume": volume,
        "VolumeWeightPrice": bar.close if volume else None,
        "FinraVolume": bar.volume // 2,
        "FinraVolumeWeightPrice": bar.close + 2,
    }


def _day_row(bar: Bar, ticker: str, asid: int | None = None) -> dict[str, Any]:
    return {
        "TradeDate": bar.start.date(),
        "Ticker": ticker,
        "ASID": asid or 1010000000000000 + sum(map(ord, ticker)),
        "OpenPrice": bar.open,
        "HighPrice": bar.high,
        "LowPrice": bar.low,
        "ClosePrice": bar.close,
        "MarketHoursVolume": bar.volume,
        "DailyVolume": bar.volume + 7,
        "MarketHoursVWAP": bar.close,
        "DailyVWAP": bar.close + 1,
    }


def _future_row(bar: Bar, ticker: str) -> dict[str, Any]:
    return {
        "TradeDate": bar.start.date(),
        "Ticker": ticker,
        "BaseSymbol": "ES",
        "OpenPrice": bar.open,
        "HighPrice": bar.high,
        "LowPrice": bar.low,
        "ClosePrice": bar.close,
        "VolumeWeightPrice": bar.close,
        "TotalQuantity": bar.volume,
        "TotalTrades": 3,
    }


def _option_row(bar: Bar, ticker: str) -> dict[str, Any]:
    return {
        "TradeDate": bar.start.date(),
        "BarDateTime": bar.start.isoformat(),
        "Ticker": ticker,
        "CallPut": "C",
        "Strike": 90,
        "ExpirationDate": "2026-12-18",
        "OpenTradePrice": bar.open,
        "HighTradePrice": bar.high,
        "LowTradePrice": bar.low,
        "CloseTradePrice": bar.close,
        "VolumeWeightPrice": bar.close,
        "Volume": bar.volume,
        "TotalTrades": 3,
    }


# Of a second each; the cancelled trade was known as a trade until then.
TICKS = [
    ("QUOTE BID NB", 10.0, 300),
    ("TRADE", 10.01, 50),
    ("QUOTE ASK NB", 10.02, 200),
    ("QUOTE BID", 9.0, 100),
    ("TRADE NB", 10.02, 100),
    ("TRADE CANCELLED", 10.01, 50),
    ("QUOTE BID NB", 0.0, 0),
    ("QUOTE BID NB", 10.01, 400),
    ("TRADE", 10.01, 25),
]
OPENING = datetime(ODD_DAY.year, ODD_DAY.month, ODD_DAY.day, 9, 30, tzinfo=ZoneInfo(ZONE))
NEXT_OPENING = OPENING + timedelta(days=1)


def _tick_row(number: int) -> dict[str, Any]:
    """The first tick comes again at the next opening."""
    kind, price, quantity = TICKS[number % len(TICKS)]
    at = OPENING + timedelta(seconds=number) if number < len(TICKS) else NEXT_OPENING
    return {
        "TradeDate": at.date(),
        "EventDateTime": at.isoformat(),
        "EventType": kind,
        "Ticker": "AAA",
        "Price": price,
        "Quantity": quantity,
        "Exchange": "NYSE",
    }


ROWS = {
    "eq_trades_1min": [_minute_row(bar, ticker) for ticker in ("AAA", "BBB") for bar in minutes(ticker)],
    "eq_taq_1min": [_quoted_minute_row(bar, "AAA") for bar in minutes()],
    "eq_daily_ohlc": [
        *(_day_row(bar, ticker) for ticker in ("AAA", "BBB") for bar in days(ticker)),
        *(_day_row(bar, ticker, 1010000000000033) for ticker, known in renamed().items() for bar in known),
        *_odd(),
    ],
    "fut_daily": [_future_row(bar, "ESZ26") for bar in days("ESZ26")],
    "eq_taq": [_tick_row(number) for number in range(len(TICKS) + 1)],
    "opt_trades_1min": [_option_row(bar, "AAA") for bar in minutes("AAA 90C")],
}


def asked(client: Client, kind: str) -> tuple[list[Bar], Query, list[datetime]]:
    """The `minutes` or `days`, the query of them, and the ends of the bars."""
    if kind == "minutes":
        known, query, length = minutes(), client.bars("AAA", (DAYS[0], None)), timedelta(minutes=1)
    else:
        known, length = days(), timedelta(days=1)
        query = client.daily("AAA", (known[0].start.date(), None))
    return known, query, [bar.start + length for bar in known]


def load_bars(home: Home, folder: Path) -> None:
    """Loads all of them, and lets the account 1 read them."""
    for dataset, rows in ROWS.items():
        file = folder / f"{dataset}.csv"
        with file.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        home.run("ingest", dataset, str(file))
        # The account may read ticks already.
        if dataset != "eq_taq":
            home.run("rule", "add", "--identity", "1", "--dataset", dataset)
