"""Zipline, from a bundle of bars, comes to what the same strategy does on plain lists."""

from __future__ import annotations

import os
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ticklake
from ticklake.adapters import zipline

from .support import averages, bars

# It is in a Python of its own: see `scripts/test-python.ts`.
pytest.importorskip("zipline")

import pandas as pd
from zipline import run_algorithm
from zipline.api import commission, order, set_commission, set_slippage, slippage, symbol
from zipline.data import bundles
from zipline.utils.calendar_utils import get_calendar

DAYS = bars.days()


def run(query: ticklake.Query, folder: Path, frequency: str, span: tuple[date, date]) -> list[dict[str, Any]]:
    """The strategy in Zipline's own words; its fills."""
    environ = {**os.environ, "ZIPLINE_ROOT": str(folder)}
    first, last = (pd.Timestamp(each) for each in span)
    bundles.register("ticklake", zipline.bundle([query]), start_session=first, end_session=last)
    try:
        bundles.ingest("ticklake", environ, show_progress=False)

        def initialize(context: Any) -> None:
            context.asset, context.closes = symbol("AAA"), []
            set_commission(commission.NoCommission())
            set_slippage(slippage.FixedSlippage(spread=0.0))

        def handle_data(context: Any, data: Any) -> None:
            if data.is_stale(context.asset):
                return
            context.closes.append(data.current(context.asset, "close"))
            is_above = averages.crossings(context.closes)[-1]
            if is_above is not None and is_above != bool(context.portfolio.positions):
                order(context.asset, 1 if is_above else -1)

        done = run_algorithm(
            start=first,
            end=last,
            initialize=initialize,
            handle_data=handle_data,
            capital_base=averages.CASH,
            data_frequency=frequency,
            bundle="ticklake",
            benchmark_returns=pd.Series(0.0, index=pd.date_range(first, last, tz="UTC")),
            environ=environ,
            default_extension=False,
        )
    finally:
        bundles.unregister("ticklake")
    return [fill for day in done["transactions"] for fill in day]


def told(fills: list[dict[str, Any]]) -> list[tuple[bool, float]]:
    return [(fill["amount"] > 0, round(fill["price"], 3)) for fill in fills]


def test_zipline_comes_to_the_same_trades_of_days(bars_client: ticklake.Client, tmp_path: Path) -> None:
    span = DAYS[0].start.date(), DAYS[-1].start.date()
    fills = run(bars_client.daily("AAA", span), tmp_path, "daily", span)
    expected = averages.trades(DAYS, [bar.start for bar in DAYS], "next close")
    assert len(expected) > 3
    assert told(fills) == [(buys, price) for _, buys, price in expected]
    # It is told of a day when trading ends, and fills on the next one.
    after = {bar.start: later.start.date() for bar, later in pairwise(DAYS)}
    assert [fill["dt"].date() for fill in fills] == [after[at] for at, *_ in expected]


def test_zipline_comes_to_the_same_trades_of_minutes(bars_client: ticklake.Client, tmp_path: Path) -> None:
    known = bars.minutes()
    span = bars.DAYS[0], bars.DAYS[-1]
    fills = run(bars_client.bars("AAA", span), tmp_path, "minute", span)
    ends = [bar.start + timedelta(minutes=1) for bar in known]
    expected = averages.trades(known, ends, "next close")
    assert len(expected) > 3
    assert told(fills) == [(buys, price) for _, buys, price in expected]
    later = dict(pairwise(ends))
    assert [fill["dt"].to_pydatetime() for fill in fills] == [later[at] for at, *_ in expected]


def test_a_bundle_has_bars_of_one_length(bars_client: ticklake.Client, tmp_path: Path) -> None:
    span = bars.DAYS[0], bars.DAYS[-1]
    for query in (
        bars_client.bars("AAA", span, interval="5m"),
        bars_client.daily("AAA", span, interval="1w"),
    ):
        with pytest.raises(ticklake.InputError, match="leave out `interval`"):
            run(query, tmp_path, "minute", span)


def test_prices_that_zipline_would_change_are_refused(bars_client: ticklake.Client, tmp_path: Path) -> None:
    span = bars.ODD_DAY, bars.ODD_DAY
    with pytest.raises(ticklake.InputError, match=r"prices from 0\.001 up"):
        run(bars_client.daily("SUB", span), tmp_path, "daily", span)


def test_a_bundle_takes_no_bars_of_futures_and_options(bars_client: ticklake.Client, tmp_path: Path) -> None:
    span = bars.DAYS[0], bars.DAYS[-1]
    future = bars_client.daily("ESZ26", span, market="future")
    option = bars_client.bars("AAA", span, market="option")
    for query in (future, option):
        with pytest.raises(ticklake.InputError, match="US equities alone"):
            run(query, tmp_path, "daily", span)


def test_a_bundle_takes_no_security_twice(bars_client: ticklake.Client, tmp_path: Path) -> None:
    query = bars_client.daily("AAA", (bars.DAYS[0], bars.DAYS[-1]))
    bundles.register("twice", zipline.bundle([query, query]))
    try:
        with pytest.raises(ValueError, match="Ambiguous ownership"):
            bundles.ingest("twice", {"ZIPLINE_ROOT": str(tmp_path)}, show_progress=False)
    finally:
        bundles.unregister("twice")


def test_the_evening_of_a_session_has_its_date() -> None:
    # Sessions of this calendar begin at 18:00 in New York.
    calendar = get_calendar("us_futures")
    evening = pd.Timestamp("2026-11-15 18:30", tz="America/New_York").tz_convert("UTC")
    frame = pd.DataFrame(index=[evening, evening + pd.Timedelta(days=1)])
    assets = zipline._assets([("AAA", frame, 1)], "NYSE", calendar)
    assert list(assets["start_date"]) == [pd.Timestamp("2026-11-16")]
    assert list(assets["end_date"]) == [pd.Timestamp("2026-11-17")]


def test_bars_outside_of_ziplines_calendar_are_refused(bars_client: ticklake.Client, tmp_path: Path) -> None:
    span = bars.DAYS[0], bars.DAYS[-1]
    # Hong Kong closes before New York opens.
    bundles.register("elsewhere", zipline.bundle([bars_client.bars("AAA", span)]), calendar_name="XHKG")
    try:
        with pytest.raises(ticklake.InputError, match="no minute 2026-11-18 14:31"):
            bundles.ingest("elsewhere", {"ZIPLINE_ROOT": str(tmp_path)}, show_progress=False)
    finally:
        bundles.unregister("elsewhere")
