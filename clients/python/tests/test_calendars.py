"""The calendars that the server goes by, against those of two public packages."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

FIRST, LAST = "2007-01-01", "2027-11-01"
MARKET = Path(__file__).parents[3] / "market" / "src"

# Contracts by the calendars of their product groups in pandas_market_calendars.
GROUPS = {
    "ES": "CME Globex Equity",
    "ZN": "CME Globex Interest Rate Products",
    "6E": "CMEGlobex_FX",
    "CL": "CMEGlobex_CL",
    "GC": "CMEGlobex_GC",
    "ZC": "CMEGlobex_Grains",
}
# Days of mourning, on which Globex traded in its day hours: they keep their sessions.
MOURNING = {"2007-01-02", "2018-12-05", "2025-01-09"}
# Good Fridays with an employment report, on which financial futures traded in the morning.
SHORT_FRIDAYS = {"2010-04-02", "2012-04-06", "2015-04-03", "2021-04-02", "2023-04-07", "2026-04-03"}

PROGRAM = f"""
import {{ isHalfDayOf, isTradingDayOf, sessionsOfCalendar }} from '{(MARKET / "calendars.ts").as_uri()}';
const days = [];
const end = Date.parse('{LAST}');
for (let ms = Date.parse('{FIRST}'); ms <= end; ms += 86_400_000)
  days.push(new Date(ms).toISOString().slice(0, 10));
const tradingDays = (name, root) => days.filter((day) => isTradingDayOf(name, day, root));
console.log(JSON.stringify({{
  stocks: tradingDays('XNYS', null),
  halfDays: tradingDays('XNYS', null).filter((day) => isHalfDayOf('XNYS', day)),
  stockSessions: sessionsOfCalendar('XNYS'),
  futuresSessions: sessionsOfCalendar('CME'),
  futures: Object.fromEntries(
    {json.dumps(list(GROUPS))}.map((root) => [root, tradingDays('CME', root)]),
  ),
}}));
"""


@pytest.fixture(scope="module")
def ours() -> dict:
    words = ["node", "--input-type=module", "--eval", PROGRAM]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def _days(dates: Iterable) -> set[str]:
    """Those of the range, as text."""
    texts = (f"{date:%Y-%m-%d}" for date in dates)
    return {text for text in texts if FIRST <= text <= LAST}


def test_stock_exchanges_open_and_close_early_on_the_days_of_exchange_calendars(ours: dict) -> None:
    package = pytest.importorskip("exchange_calendars", reason="exchange-calendars is not installed")
    theirs = package.get_calendar("XNYS", start=FIRST, end=LAST)
    assert set(ours["stocks"]) == _days(theirs.sessions)
    assert set(ours["halfDays"]) == _days(theirs.early_closes)


@pytest.fixture(scope="module")
def market_calendars():
    return pytest.importorskip("pandas_market_calendars", reason="pandas-market-calendars is not installed")


def test_stock_exchanges_keep_the_days_and_hours_of_pandas_market_calendars(
    ours: dict, market_calendars
) -> None:
    theirs = market_calendars.get_calendar("NYSE")
    schedule = theirs.schedule(FIRST, LAST)
    assert set(ours["stocks"]) == _days(schedule.index)
    assert set(ours["halfDays"]) == _days(theirs.early_closes(schedule).index)
    _, early, regular, late = ours["stockSessions"]
    hours = {"pre": early["start"], "market_open": regular["start"]}
    hours |= {"market_close": regular["end"], "post": late["end"]}
    assert {name: f"{theirs.get_time(name):%H:%M}" for name in hours} == hours


@pytest.mark.parametrize("root", GROUPS)
def test_futures_have_the_trade_dates_of_pandas_market_calendars(
    ours: dict, market_calendars, root: str
) -> None:
    dates = _days(market_calendars.get_calendar("CME_TradeDate").schedule(FIRST, LAST).index)
    is_financial = root in ("ES", "ZN", "6E")
    assert set(ours["futures"][root]) == dates | MOURNING | (SHORT_FRIDAYS if is_financial else set())
    # Each is a day on which the product group traded. Three Fridays of currencies are not listed.
    group = _days(market_calendars.get_calendar(GROUPS[root]).schedule(FIRST, LAST).index)
    unlisted = {day for day in SHORT_FRIDAYS if day < "2021"} if root == "6E" else set()
    assert set(ours["futures"][root]) <= group | unlisted


def test_futures_sessions_have_the_hours_of_globex(ours: dict, market_calendars) -> None:
    theirs = market_calendars.get_calendar("CMEGlobex_CL")
    [session] = ours["futuresSessions"]
    assert session["start"] == f"{theirs.get_time('market_open'):%H:%M}"
    assert session["end"] == f"{theirs.get_time('market_close'):%H:%M}"
    assert theirs.get_offset("market_open") == -1
