"""Bars of US equities as files of a LEAN data folder.

LEAN's files name bars by their start, as stored bars are; LEAN hands them out at the end. Symbols have no map
and factor files: prices are as they are, under the ticker that they had.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from ..errors import InputError
from ..query import Query
from .frame import bars_of_equity

# Prices are whole numbers of this part of a dollar.
_PARTS = 10_000


def write(query: Query, folder: Path | str) -> list[Path]:
    """Writes the minute or daily bars of one company below LEAN's `folder`; gives the files.

    A file that is there already is replaced: with minutes, one of a day, and with days, all of the ticker.
    """
    frame, length = bars_of_equity(query, "LEAN's folder of equities")
    if length not in (1, "day"):
        raise InputError("LEAN's data folder has minute and daily bars: leave out `interval`")
    place = Path(folder, "equity", "usa")
    tickers = frame.groupby(frame["ticker"].str.lower())
    return [path for ticker, bars in tickers for path in _write(place, ticker, bars, length == "day")]


def _write(place: Path, ticker: str, frame: Any, is_daily: bool) -> list[Path]:
    if is_daily:
        lines = [f"{bar.time:%Y%m%d} 00:00,{_values(bar)}" for bar in frame.itertuples()]
        return [_zip(place / "daily" / f"{ticker}.zip", f"{ticker}.csv", lines)]
    paths = []
    for day, bars in frame.groupby(frame["time"].dt.date):
        lines = [f"{_milliseconds(bar.time)},{_values(bar)}" for bar in bars.itertuples()]
        name = f"{day:%Y%m%d}_{ticker}_minute_trade.csv"
        paths.append(_zip(place / "minute" / ticker / f"{day:%Y%m%d}_trade.zip", name, lines))
    return paths


def _values(bar: Any) -> str:
    prices = (round(float(price) * _PARTS) for price in (bar.open, bar.high, bar.low, bar.close))
    # Decimals where the dataset has fractional sizes.
    volume = bar.volume if isinstance(bar.volume, Decimal) else int(bar.volume)
    return ",".join(map(str, [*prices, volume]))


def _milliseconds(start: Any) -> int:
    """Of the day, on the clock of the market."""
    return int(((start.hour * 60 + start.minute) * 60 + start.second) * 1000)


def _zip(path: Path, name: str, lines: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        file.writestr(name, "\n".join(lines) + "\n")
    return path
