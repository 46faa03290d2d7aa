"""Rows that the tests load, and the Arrow tables that clients have to read: both from one generator."""

from __future__ import annotations

import csv
import json
import random
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa

DAYS = [date(2026, 11, 18), date(2026, 11, 19), date(2026, 11, 20)]
TICKERS = ["AAA", "BBB", "CCC"]
ROWS_EACH = 3000
ZONE = "America/New_York"

TICK_SCHEMA = pa.schema(
    [
        ("TradeDate", pa.date32()),
        ("EventDateTime", pa.timestamp("ns", ZONE)),
        ("EventType", pa.string()),
        ("Ticker", pa.string()),
        ("ASID", pa.int64()),
        ("Price", pa.float64()),
        ("Quantity", pa.int64()),
        ("Exchange", pa.string()),
        ("ConditionCode", pa.int64()),
    ]
)

KINDS_DEFINITION = """
id: US9001
text_id: kinds
name: Kinds of columns
description: A column of every type.
data_group: Test
dataset_class: Test
dataset_format: Reference
time_granularity: Daily
universe_identifier: symbol
creation_date: 2026-11-20
is_time_series: true
group: test
segment: kinds
path: query
natural_order: [TradeDate, Ticker]
partition: { unit: month, column: TradeDate }
date_column: TradeDate
universe: [Ticker]
time_zone: America/New_York
default_period: 1Y
schedule: { days: trading, time: "21:30" }
columns:
  - { name: TradeDate, type: date, description: The day. }
  - { name: Ticker, type: string, description: The symbol. }
  - { name: Whole, type: integer, description: Whole numbers. }
  - { name: Real, type: number, description: Numbers. }
  - { name: Exact, type: decimal, precision: 20, scale: 4, description: Decimals. }
  - { name: Flag, type: boolean, description: Truth values. }
  - { name: At, type: date-time, fraction_digits: 9, description: Moments. }
  - { name: Other, type: date, description: Dates. }
  - { name: Words, type: array of string, description: Lists of text. }
  - { name: Counts, type: array of integer, description: Lists of whole numbers. }
"""

KINDS_SCHEMA = pa.schema(
    [
        ("TradeDate", pa.date32()),
        ("Ticker", pa.string()),
        ("Whole", pa.int64()),
        ("Real", pa.float64()),
        ("Exact", pa.decimal128(20, 4)),
        ("Flag", pa.bool_()),
        ("At", pa.timestamp("ns", ZONE)),
        ("Other", pa.date32()),
        ("Words", pa.list_(pa.string())),
        ("Counts", pa.list_(pa.int64())),
    ]
)


def _nanos(day: date, nanos_of_day: int) -> int:
    midnight = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(ZONE))
    return int(midnight.timestamp()) * 1_000_000_000 + nanos_of_day


def time_text(nanos: int) -> str:
    at = datetime.fromtimestamp(nanos // 1_000_000_000, ZoneInfo(ZONE))
    return f"{at:%Y-%m-%dT%H:%M:%S}.{nanos % 1_000_000_000:09d}{at:%z}"[:-2] + ":00"


@cache
def ticks(day: date, ticker: str, rows: int = ROWS_EACH) -> pa.Table:
    """A day of a ticker in natural order; the seed is in the arguments."""
    chance = random.Random(f"{day} {ticker}")
    times = sorted(chance.sample(range(36 * 10**12, 57 * 10**12), rows))
    kinds = ["TRADE", "TRADE NB", "QUOTE BID", "QUOTE ASK"]
    asid = 1010000000000000 + sum(map(ord, ticker))
    columns = {
        "TradeDate": [day] * rows,
        "EventDateTime": pa.array([_nanos(day, at) for at in times], pa.timestamp("ns", ZONE)),
        "EventType": [chance.choice(kinds) for _ in range(rows)],
        "Ticker": [ticker] * rows,
        "ASID": [asid] * rows,
        "Price": [round(chance.uniform(1, 200), 2) for _ in range(rows)],
        "Quantity": [chance.randrange(1, 2**53 + 10**6) for _ in range(rows)],
        "Exchange": [chance.choice(["NYSE", "NASDAQ", "ARCA"]) for _ in range(rows)],
        "ConditionCode": [chance.choice([None, 2**53 + 1, 5]) for _ in range(rows)],
    }
    return pa.table(columns, schema=TICK_SCHEMA)


def all_ticks(days: list[date] = DAYS, tickers: list[str] = TICKERS) -> pa.Table:
    return pa.concat_tables([ticks(day, ticker) for day in days for ticker in tickers])


@cache
def kinds() -> pa.Table:
    """Forty days of two tickers; every column but the keys has missing values."""
    chance = random.Random("kinds")

    def maybe(value: object) -> object:
        return None if chance.random() < 0.25 else value

    rows = []
    for number in range(40):
        day = date(2026, 9, 1) + timedelta(days=number)
        for ticker in ("AAA", "B,B"):
            at = _nanos(day, chance.randrange(10**12, 8 * 10**13))
            words = [chance.choice(["a", "b c", "ü"]) for _ in range(chance.randrange(3))]
            rows.append(
                {
                    "TradeDate": day,
                    "Ticker": ticker,
                    "Whole": maybe(2**62 + number),
                    "Real": maybe(number / 7),
                    "Exact": maybe(Decimal(number * 123456789) / 10000),
                    "Flag": maybe(number % 2 == 0),
                    "At": maybe(at),
                    "Other": maybe(day - timedelta(days=1)),
                    "Words": maybe(words),
                    "Counts": maybe([2**60 + number, number]),
                }
            )
    return pa.Table.from_pylist(rows, schema=KINDS_SCHEMA)


def _cell(value: object, kind: pa.DataType) -> str:
    if value is None:
        return ""
    if pa.types.is_timestamp(kind):
        assert isinstance(value, int)
        return time_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else str(value)


def write_csv(table: pa.Table, path: Path) -> Path:
    """A file of the rows, as operators load them."""
    columns = [
        column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column for column in table.columns
    ]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.schema.names)
        for row in zip(*(column.to_pylist() for column in columns), strict=True):
            writer.writerow(_cell(value, kind) for value, kind in zip(row, table.schema.types, strict=True))
    return path


def write_master(path: Path) -> Path:
    """A security that has changed its ticker."""
    row = {
        "SecId": "33",
        "ASID": "1010000000000033",
        "ListStatus": "L",
        "Ticker": '["OLD","NEW"]',
        "TickerStartToEndDate": '["20100104:20200630","20200701:20991231"]',
        "Name": '["Second Corp"]',
        "NameStartToEndDate": '["20100104:20991231"]',
    }
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row)
    return path
