"""Libraries take a query as it is, batch by batch; its first rows show themselves in notebooks."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ticklake

from .conftest import Connect
from .support import rows
from .support.fault_proxy import Fault, FaultProxy
from .support.server import Home, Server
from .test_reads import READS, filtered, plain

DAY = rows.DAYS[-1]


def by_duckdb(query: Any) -> pa.Table:
    with duckdb.connect() as connection:
        connection.execute(f"SET TimeZone = '{rows.ZONE}'")
        found = connection.sql("SELECT * FROM query").arrow()
        return found.read_all() if isinstance(found, pa.RecordBatchReader) else found


# Each takes the object, without a method of ours.
TAKERS: dict[str, Callable[[Any], pa.Table]] = {
    "arrow": pa.table,
    "arrow by batches": lambda query: pa.RecordBatchReader.from_stream(query).read_all(),
    "polars": lambda query: pl.DataFrame(query).to_arrow(),
    "duckdb": by_duckdb,
}


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize(
    "name", ["a day of a ticker", "days and tickers", "rows by a filter", "no rows of a ticker"]
)
def test_a_library_takes_a_query_as_it_is(taker: str, name: str, connect: Connect) -> None:
    ask, expected = READS[name]
    table = TAKERS[taker](ask(connect()))
    assert plain(table.cast(expected().schema)).equals(plain(expected()))


@pytest.mark.parametrize("taker", ["arrow", "polars", "duckdb"])
def test_a_library_takes_every_type(taker: str, connect: Connect) -> None:
    table = TAKERS[taker](connect().dataset("kinds").read())
    assert plain(table.cast(rows.KINDS_SCHEMA)).to_pylist() == rows.kinds().to_pylist()


@pytest.mark.skipif(not hasattr(pd.DataFrame, "from_arrow"), reason="pandas 2 takes no streams")
def test_pandas_takes_a_query_as_it_is(connect: Connect) -> None:
    # It makes floats of whole numbers that lack some, unlike `to_pandas`.
    names = ["EventDateTime", "Ticker", "Price", "Quantity"]
    frame = pd.DataFrame.from_arrow(connect().ticks("AAA", DAY, columns=names))
    expected = rows.ticks(DAY, "AAA").select(names)
    assert plain(pa.Table.from_pandas(frame, expected.schema)).equals(plain(expected))


def pages_of(proxy: FaultProxy) -> list[str]:
    return [path for path in proxy.paths if path.startswith("/v1/data/")]


def test_a_page_is_asked_for_when_its_turn_has_nearly_come(connect: Connect, proxy: FaultProxy) -> None:
    query = connect(proxy.url, cache=False).ticks("AAA", DAY, sort="EventDateTime")
    reader = pa.RecordBatchReader.from_stream(query)
    assert pages_of(proxy) == []
    first = reader.read_next_batch()
    assert first.num_rows == 1000 and not any("offset=2000" in path for path in pages_of(proxy))
    assert first.num_rows + reader.read_all().num_rows == rows.ROWS_EACH


@pytest.mark.parametrize("taker", TAKERS)
def test_a_library_gets_all_rows_or_an_error(taker: str, connect: Connect, proxy: FaultProxy) -> None:
    query = connect(proxy.url, cache=False, max_retries=0).ticks("AAA", DAY, sort="EventDateTime")
    proxy.reset(lambda _, path: Fault(reset=100) if "offset=2000" in path else None)
    with pytest.raises(Exception, match=r"(?i)peer|connection|incomplete|transport"):
        TAKERS[taker](query)


def test_the_head_of_a_query_is_its_first_rows_of_the_same_version(connect: Connect) -> None:
    query = connect().ticks("AAA", DAY, where={"EventType": "TRADE"})
    head = query.head(7)
    expected = filtered(rows.ticks(DAY, "AAA"), "EventType", "TRADE").slice(0, 7)
    assert plain(head.to_arrow()).equals(plain(expected))
    assert query.version == head.version is not None
    assert query.head().to_polars().height == 5
    assert connect().ticks("AAA", DAY, limit=3).head(9).to_arrow().num_rows == 3
    with pytest.raises(ticklake.InputError, match="at least 1"):
        query.head(0).to_arrow()


def test_a_notebook_shows_columns_with_types_and_some_rows(connect: Connect, proxy: FaultProxy) -> None:
    query = connect(proxy.url).ticks("AAA", DAY)
    shown = query._repr_html_()
    assert re.findall(r"<th>(\w+)<br><small>([^<]+)", shown)[:3] == [
        ("TradeDate", "date32[day]"),
        ("EventDateTime", "timestamp[ns, tz=America/New_York]"),
        ("EventType", "string"),
    ]
    assert shown.count("<td>AAA</td>") == 5
    assert re.search(r"5 of at most [\d,]+ rows", shown)
    assert [("limit=5" in path) for path in pages_of(proxy)] == [True]
    assert "&lt;Query ticks AAA" in shown


def test_a_notebook_reads_no_row_that_costs_more(
    connect: Connect, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ticklake.query.SHOWN_SCAN_MAX", 1)
    client = connect(proxy.url)
    shown = client.ticks("AAA", DAY)._repr_html_()
    assert "Price" in shown and "<td>" not in shown
    assert re.search(r"head\(\) would be charged with [\d,]+ bytes scanned", shown)
    several = client.ticks(["AAA", "BBB"], DAY)._repr_html_()
    assert "Price" in several and "No single request" in several
    assert pages_of(proxy) == []


def test_a_notebook_shows_a_query_without_an_answer(connect: Connect) -> None:
    shown = connect("http://127.0.0.1:1", max_retries=0).ticks("<b>", DAY)._repr_html_()
    assert "&lt;b&gt;" in shown and "<b>" not in shown and "<table>" not in shown


def left(server: Server, key: str) -> dict[str, int]:
    """What is left of the month's limits; the question counts as a request."""
    headers = {"X-API-KEY": key, "Prefer": "rate-limit"}
    with urllib.request.urlopen(
        urllib.request.Request(f"{server.url}/v1/account/my", headers=headers)
    ) as told:
        found = {name.lower(): text for name, text in told.headers.items()}
    names = {"requests": "x-ratelimit-month-requests", "scanned": "x-ratelimit-month-data-scanned"}
    return {short: int(re.search(r"remaining=(\d+)", found[name])[1]) for short, name in names.items()}


def test_a_notebook_says_what_is_charged(server: Server, home: Home) -> None:
    key = home.account("notebook", ["eq_taq"], month_requests=1000, month_scanned=10**9)
    with ticklake.Client(server.url, key, cache=False) as client:
        query = client.ticks("AAA", DAY)
        client.dataset("eq_taq").columns()
        query.estimate()
        before = left(server, key)
        shown = query._repr_html_()
        after = left(server, key)
    told = re.search(r"Charged: at most (\d+) requests, ([\d,]+) bytes scanned", shown)
    assert told is not None
    assert before["scanned"] - after["scanned"] == int(told[2].replace(",", ""))
    # `left` asks as well.
    assert before["requests"] - after["requests"] == int(told[1]) + 1
