"""As-of joins, against what was found by hand and by a plain loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

import ticklake

from .conftest import Connect
from .support import rows

NOON = 1_763_485_200_000_000_000
MOMENT = pa.timestamp("ns", rows.ZONE)


def table(kind: pa.DataType, listed: Sequence[tuple[Any, ...]]) -> pa.Table:
    """Rows of a day, a ticker, nanoseconds after noon, a price and a venue."""
    days, tickers, after, prices, venues = zip(*listed, strict=True)
    moments = [None if each is None else NOON + each for each in after]
    return pa.table(
        {
            "TradeDate": pa.array(days, pa.string()),
            "Ticker": pa.array(tickers, pa.string()),
            "EventDateTime": pa.array(moments, pa.int64()).cast(pa.timestamp("ns", "UTC")).cast(kind),
            "Price": pa.array(prices, pa.float64()),
            "Exchange": pa.array(venues, pa.string()),
        }
    )


TRADES = table(
    MOMENT,
    [
        ("18", "AAA", 100, 1.0, "X"),  # before every quote
        ("18", "AAA", 200, 2.0, "X"),  # at the nanosecond of two quotes
        ("18", "BBB", 200, 3.0, "Y"),  # of another ticker
        ("18", "AAA", 201, 4.0, "Y"),  # a nanosecond later
        ("19", "AAA", 300, 5.0, "X"),  # of the next date, which has no quote yet
        ("18", None, 300, 6.0, "X"),
        ("18", "AAA", None, 7.0, "X"),
        ("18", "AAA", 150, 8.0, "Y"),  # out of order
    ],
)
QUOTES = table(
    MOMENT,
    [
        ("18", "AAA", 150, 10.0, "X"),
        ("18", "AAA", 200, 11.0, "Y"),
        ("18", "AAA", 200, 12.0, "X"),
        ("18", "BBB", 199, 13.0, "X"),
        ("19", "AAA", 301, 14.0, "X"),
        ("18", None, 100, 15.0, "X"),
        ("18", "AAA", None, 16.0, "X"),
    ],
)


def test_each_trade_has_the_last_quote_at_or_before_it() -> None:
    found = ticklake.asof_join(TRADES, QUOTES, suffix="_quote")
    assert found.select(TRADES.column_names).equals(TRADES)
    assert found["Price_quote"].to_pylist() == [None, 12.0, 13.0, 12.0, None, None, None, 10.0]
    assert found["Exchange_quote"].to_pylist()[1:4] == ["X", "X", "X"]
    assert found["EventDateTime_quote"].cast(pa.int64())[3].as_py() == NOON + 200


def test_a_quote_of_the_same_nanosecond_counts_only_if_the_caller_wants_that() -> None:
    found = ticklake.asof_join(TRADES, QUOTES, exact=False)
    assert found["Price_right"].to_pylist() == [None, 10.0, 13.0, 12.0, None, None, None, None]


def test_rows_meet_by_the_columns_that_are_named() -> None:
    of_venue = ticklake.asof_join(TRADES, QUOTES, by=["TradeDate", "Ticker", "Exchange"])
    assert of_venue["Price_right"].to_pylist() == [None, 12.0, None, 11.0, None, None, None, None]
    over_midnight = ticklake.asof_join(TRADES, QUOTES, by="Ticker")
    assert over_midnight["Price_right"].to_pylist() == [None, 12.0, 13.0, 12.0, 12.0, None, None, 10.0]
    assert "TradeDate_right" in over_midnight.column_names


def of_contracts(ticks: pa.Table, strikes: Sequence[float]) -> pa.Table:
    contract = {
        "CallPut": ["C"] * len(strikes),
        "Strike": strikes,
        "Expiration": ["2026-12-18"] * len(strikes),
    }
    for name, values in contract.items():
        ticks = ticks.append_column(name, pa.array(values))
    return ticks


def test_a_trade_of_an_option_meets_no_quote_of_another_contract() -> None:
    trades = of_contracts(table(MOMENT, [("18", "SPY", 200, 1.0, "X")] * 3), [500.0, 600.0, 700.0])
    listed = [("18", "SPY", 100, 10.0, "X"), ("18", "SPY", 150, 20.0, "X")]
    quotes = of_contracts(table(MOMENT, listed), [500.0, 600.0])
    found = ticklake.asof_join(trades, quotes)
    assert found["Price_right"].to_pylist() == [10.0, 20.0, None]
    assert "Strike_right" not in found.column_names
    # Of the root, if that is what one wants.
    of_root = ticklake.asof_join(trades, quotes, by=["TradeDate", "Ticker"])
    assert of_root["Price_right"].to_pylist() == [20.0, 20.0, 20.0]


def test_contracts_of_one_side_alone_are_refused_unless_the_caller_says_what_meets() -> None:
    trades = of_contracts(table(MOMENT, [("18", "AAA", 200, 1.0, "X")]), [500.0])
    for one, other in (
        (trades, QUOTES),
        (QUOTES, trades),
        (trades, trades.drop_columns("Strike")),
        (trades, trades.rename_columns({"Expiration": "ExpirationDate"})),
    ):
        with pytest.raises(ticklake.InputError, match="name in `by` what makes rows meet"):
            ticklake.asof_join(one, other)
    of_underlying = ticklake.asof_join(trades, QUOTES, by=["TradeDate", "Ticker"])
    assert of_underlying["Price_right"].to_pylist() == [12.0]


def test_moments_in_other_units_and_zones_are_compared_as_moments() -> None:
    coarse = table(pa.timestamp("us", "Europe/Paris"), [("18", "AAA", 1000, 9.0, "X")])
    exact = table(MOMENT, [("18", "AAA", each, 1.0, "X") for each in (999, 1000, 1001)])
    assert ticklake.asof_join(exact, coarse)["Price_right"].to_pylist() == [None, 9.0, 9.0]


def test_without_rows_on_either_side_there_is_a_table_all_the_same() -> None:
    none = QUOTES.slice(0, 0)
    assert ticklake.asof_join(TRADES, none)["Price_right"].null_count == TRADES.num_rows
    assert ticklake.asof_join(TRADES.slice(0, 0), QUOTES).num_rows == 0


def test_what_cannot_be_joined_is_refused() -> None:
    once = ticklake.asof_join(TRADES, QUOTES)
    with pytest.raises(ticklake.InputError, match="another `suffix`"):
        ticklake.asof_join(once, QUOTES)
    with pytest.raises(ticklake.InputError, match="no column 'Venue'"):
        ticklake.asof_join(TRADES, QUOTES, by="Venue")
    with pytest.raises(ticklake.InputError, match="time zone"):
        ticklake.asof_join(TRADES, QUOTES, on="Price")
    naive = QUOTES.set_column(2, "EventDateTime", QUOTES["EventDateTime"].cast(pa.timestamp("ns")))
    with pytest.raises(ticklake.InputError, match="time zone"):
        ticklake.asof_join(TRADES, naive)


def last_quotes(trades: list[dict[str, Any]], quotes: list[dict[str, Any]]) -> list[float | None]:
    """By looking through all quotes for each trade; ticks have whole nanoseconds in `at`."""
    found: list[float | None] = []
    for trade in trades:
        best = None
        for quote in quotes:
            is_same = (quote["TradeDate"], quote["Ticker"]) == (trade["TradeDate"], trade["Ticker"])
            if is_same and quote["at"] <= trade["at"] and (best is None or quote["at"] >= best["at"]):
                best = quote
        found.append(None if best is None else best["Price"])
    return found


def listed(ticks: pa.Table, kind: str) -> list[dict[str, Any]]:
    moments = ticks["EventDateTime"].cast(pa.int64())
    return [
        {**row, "at": at}
        for row, at in zip(ticks.drop_columns("EventDateTime").to_pylist(), moments.to_pylist(), strict=True)
        if row["EventType"].startswith(kind)
    ]


def test_queries_of_trades_and_of_both_sides_of_quotes_are_joined(connect: Connect) -> None:
    client, days, tickers = connect(), rows.DAYS[:2], rows.TICKERS[:2]
    trades, bids, asks = (
        client.ticks(tickers, days, where={"EventType.like": f"{kind}*"})
        for kind in ("TRADE", "QUOTE BID", "QUOTE ASK")
    )
    joined = ticklake.asof_join(ticklake.asof_join(trades, bids, suffix="_bid"), asks, suffix="_ask")
    for day in days:
        for ticker in tickers:
            known = rows.ticks(day, ticker)
            own = [
                row
                for row in joined.select(["TradeDate", "Ticker", "Price_bid", "Price_ask"]).to_pylist()
                if (row["TradeDate"], row["Ticker"]) == (day, ticker)
            ]
            traded = listed(known, "TRADE")
            assert len(traded) == len(own) > 1000
            assert [row["Price_bid"] for row in own] == last_quotes(traded, listed(known, "QUOTE BID"))
            assert [row["Price_ask"] for row in own] == last_quotes(traded, listed(known, "QUOTE ASK"))
