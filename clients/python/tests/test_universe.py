"""Which identifiers a day has, and which days a market."""

from __future__ import annotations

import asyncio
from datetime import date, time
from pathlib import Path

import pytest

import ticklake

from .conftest import Connect
from .support import bars, rows
from .support.server import Server

DAY = bars.DAYS[-1]


def asid(ticker: str) -> int:
    return 1010000000000000 + sum(map(ord, ticker))


def test_the_universe_of_a_day_is_the_identifiers_with_rows_on_it(bars_client: ticklake.Client) -> None:
    named = [{"Ticker": ticker, "ASID": asid(ticker)} for ticker in ("AAA", "BBB")]
    assert bars_client.universe(DAY) == named
    assert bars_client.universe("latest") == named
    assert bars_client.universe("2020-06-30") == [{"Ticker": "OLD", "ASID": 1010000000000033}]
    assert bars_client.universe(DAY, market="future") == [{"Ticker": "ESZ26"}]
    with pytest.warns(ticklake.EmptyResultWarning):
        assert bars_client.universe("2026-11-21") == []


def test_the_universe_of_a_key_has_what_its_rules_let_through(
    bars_client: ticklake.Client, server: Server, tmp_path: Path
) -> None:
    home = server.home.copy(tmp_path / "home")
    key = home.account("narrow", [])
    rule = ["--identity", str(home.identities["narrow"]), "--dataset", "kinds", "--universe", "AAA"]
    home.run("rule", "add", *rule)
    running = Server(home)
    try:
        with ticklake.Client(running.url, key, cache=False) as client:
            assert client.universe("2026-09-01", dataset="kinds") == [{"Ticker": "AAA"}]
    finally:
        running.stop()


def test_a_universe_is_of_one_day_and_a_dataset_that_is_not_read_by_identifier(
    bars_client: ticklake.Client,
) -> None:
    with pytest.raises(ticklake.InputError, match="daily values"):
        bars_client.universe(DAY, dataset="eq_taq")
    with pytest.raises(ticklake.InputError, match="one day"):
        bars_client.universe((DAY, None))  # type: ignore[arg-type]


def test_trading_days_have_the_hours_of_the_market(bars_client: ticklake.Client) -> None:
    days = bars_client.dataset("eq_daily_ohlc").trading_days("2025-11-26", "2025-12-01")
    assert [(day.date, day.is_half_day) for day in days] == [
        (date(2025, 11, 26), False),
        (date(2025, 11, 28), True),
        (date(2025, 12, 1), False),
    ]
    regular = [day.sessions["regular"] for day in days]
    assert regular == [(time(9, 30), time(16)), (time(9, 30), time(13)), (time(9, 30), time(16))]


def test_days_that_nobody_knows_are_refused(bars_client: ticklake.Client) -> None:
    for start, end in (("2006-12-29", "2007-01-05"), ("2025-12-01", "2199-01-04")):
        with pytest.raises(ticklake.InputError, match="goes from 2007-01-01 to 20"):
            bars_client.dataset("eq_daily_ohlc").trading_days(start, end)


def test_trading_days_of_futures_are_those_of_all_products_with_their_full_hours(
    bars_client: ticklake.Client,
) -> None:
    # On Good Friday of 2023 only financial futures traded.
    futures = bars_client.dataset("fut_daily")
    easter = [day.date.day for day in futures.trading_days("2023-04-06", "2023-04-10")]
    assert easter == [6, 10]
    for product, days in (("ES", [6, 7, 10]), ("CL", [6, 10])):
        found = futures.trading_days("2023-04-06", "2023-04-10", product=product)
        assert [day.date.day for day in found] == days
    [friday] = futures.trading_days("2025-11-28", "2025-11-28")
    assert (friday.is_half_day, friday.sessions) == (False, {"regular": (time(17), time(16))})


def test_trading_days_that_end_before_they_begin_are_refused(bars_client: ticklake.Client) -> None:
    with pytest.raises(ticklake.InputError, match="ends on 2025-11-26, before it begins on 2025-12-01"):
        bars_client.dataset("eq_daily_ohlc").trading_days("2025-12-01", "2025-11-26")


def test_a_product_of_equities_is_refused(bars_client: ticklake.Client) -> None:
    with pytest.raises(ticklake.InputError, match="has no products"):
        bars_client.dataset("eq_daily_ohlc").trading_days("2025-11-26", "2025-11-28", product="ES")


def test_both_clients_tell_the_same(connect: Connect, server: Server, key: str) -> None:
    async def told() -> tuple[object, object]:
        async with ticklake.AsyncClient(server.url, key, cache=False) as client:
            days = await client.dataset("eq_taq").trading_days(rows.DAYS[0], rows.DAYS[-1])
            return await client.universe("2026-09-01", dataset="kinds"), days

    client = connect()
    universe = client.universe("2026-09-01", dataset="kinds")
    days = client.dataset("eq_taq").trading_days(rows.DAYS[0], rows.DAYS[-1])
    assert len(universe) == 2 and [day.date for day in days] == rows.DAYS
    assert asyncio.run(told()) == (universe, days)
