"""Continuous futures contracts as one series, without the jumps from one contract to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby, pairwise
from typing import Any, Literal, cast

from ._core.question import Options
from ._core.target import is_continuous
from .errors import InputError
from .query import Bars

PRICES = ("open", "high", "low", "close", "vwap")
# How far before a roll both contracts must have a close.
_DAYS_BEFORE = timedelta(days=7)
# Bars of so many minutes and more, and those of days, change contracts with the session, which begins at most
# so long before midnight; shorter ones at midnight.
_SESSION_MINUTES = 120
_EVENING = timedelta(hours=7)
Method = Literal["ratio", "difference"]
_Closes = Mapping[str, Mapping[date, float]]


def roll_adjusted(bars: Bars, method: Method = "ratio") -> Any:
    """The bars of one continuous contract, such as ES.v.0, as a table of Arrow, adjusted back from the last.

    The last contract keeps its prices. At each roll, all prices before it are multiplied by the ratio of the
    new contract's close to that of the old one, or get their difference added: the closes of `fut_daily` on
    the last date, at most a week before the first bar of the new contract, on which both have one. Column
    `adjustment` has what a bar's prices were multiplied by, or what was added. Later rolls change earlier
    prices, but with `ratio` no return. Raises `InputError` for other bars, and where a roll has no closes.
    """
    if method not in ("ratio", "difference"):
        raise InputError(f"`method` must be ratio or difference, not {method!r}")
    question = bars._query._asking.question
    if len(question.ids) != 1 or not is_continuous(question.ids[0]):
        raise InputError("Give bars of one continuous contract, such as ES.v.0")
    table = bars.to_arrow().sort_by("time")
    if len(table["time"].unique()) < table.num_rows:
        raise InputError("Bars of two contracts begin at one moment: take a shorter `interval`")
    length = bars.length
    is_short = isinstance(length, int) and length < _SESSION_MINUTES
    runs = _runs(table, timedelta() if is_short else _EVENING)
    adjustments = _adjustments(runs, _closes(bars, runs), method)
    return _adjusted(table, runs, adjustments, method)


def _runs(table: Any, evening: timedelta) -> list[tuple[str, date, int]]:
    """Each contract that held, the trade date of its first bar, and the number of its bars."""
    runs, start = [], 0
    for ticker, bars in groupby(table["ticker"].to_pylist()):
        count = sum(1 for _ in bars)
        runs.append((ticker, (table["time"][start].as_py() + evening).date(), count))
        start += count
    return runs


def _closes(bars: Bars, runs: Sequence[tuple[str, date, int]]) -> _Closes:
    """By contract and date, from the version that ranked the contracts."""
    found: dict[str, dict[date, float]] = {}
    if len(runs) < 2:
        return found
    query, version = bars._query, bars._query.rolls_version
    options: dict[str, Any] = {"columns": ["TradeDate", "Ticker", "ClosePrice"], "dataset": "fut_daily"}
    if version is not None:
        options["version"] = version
    dates = runs[1][1] - _DAYS_BEFORE, runs[-1][1]
    tickers = sorted({ticker for ticker, *_ in runs})
    read = query._asking.client.daily(tickers, dates, **cast(Options, options))
    for row in read.to_arrow().to_pylist():
        if row["ClosePrice"] is not None:
            found.setdefault(row["Ticker"], {})[row["TradeDate"]] = row["ClosePrice"]
    return found


def _adjustments(runs: Sequence[tuple[str, date, int]], closes: _Closes, method: Method) -> list[float]:
    """Of each run, found from the last to the first."""
    found = [1.0 if method == "ratio" else 0.0]
    for (old, *_), (new, day, _) in reversed([*pairwise(runs)]):
        before, after = _pair(old, new, day, closes)
        if method == "difference":
            found.append(found[-1] + (after - before))
        elif before <= 0 or after <= 0:
            raise InputError(f"A close of {old} or {new} is not positive: take method='difference'")
        else:
            found.append(found[-1] * (after / before))
    return found[::-1]


def _pair(old: str, new: str, day: date, closes: _Closes) -> tuple[float, float]:
    """The closes of both contracts on the last date before the roll that has both."""
    befores, afters = closes.get(old, {}), closes.get(new, {})
    common = [each for each in befores.keys() & afters.keys() if day - _DAYS_BEFORE <= each < day]
    if not common:
        raise InputError(f"No date in the week before {day} has closes of both {old} and {new}")
    return befores[max(common)], afters[max(common)]


def _adjusted(
    table: Any, runs: Sequence[tuple[str, date, int]], adjustments: Sequence[float], method: Method
) -> Any:
    import pyarrow as pa
    import pyarrow.compute

    pc: Any = pyarrow.compute
    combine = pc.multiply if method == "ratio" else pc.add
    each = [value for value, (*_, count) in zip(adjustments, runs, strict=False) for _ in range(count)]
    column = pa.array(each, pa.float64())
    for name in PRICES:
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, combine(table[name].cast(pa.float64()), column))
    return table.append_column("adjustment", column)
