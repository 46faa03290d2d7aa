"""Every way to read gives exactly the rows that were loaded, in natural order, of one version."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import ticklake

from .conftest import PAGE_ROWS, Connect
from .support import rows
from .support.fault_proxy import FaultProxy
from .support.server import Home, Server

DAY = rows.DAYS[-1]


def plain(table: pa.Table) -> pa.Table:
    return table.combine_chunks().replace_schema_metadata(None)


def table_version(table: pa.Table) -> int:
    return int(table.schema.metadata[b"ticklake.dataset_version"])


def filtered(table: pa.Table, column: str, value: Any) -> pa.Table:
    return table.filter(pc.equal(table[column], pa.scalar(value, table.schema.field(column).type)))


# What is asked, by a name, and the rows that it has to find.
READS: dict[str, tuple[Callable[[Any], Any], Callable[[], pa.Table]]] = {
    "a day of a ticker": (lambda c: c.ticks("AAA", DAY), lambda: rows.ticks(DAY, "AAA")),
    "a day of a ticker by its number": (
        lambda c: c.ticks(1010000000000000 + 3 * ord("B"), DAY),
        lambda: rows.ticks(DAY, "BBB"),
    ),
    "a range of days": (
        lambda c: c.ticks("BBB", ("2026-11-01", DAY)),
        lambda: rows.all_ticks(tickers=["BBB"]),
    ),
    "days and tickers": (
        lambda c: c.ticks(["CCC", "AAA"], [rows.DAYS[2], rows.DAYS[0]]),
        lambda: rows.all_ticks([rows.DAYS[0], rows.DAYS[2]], ["AAA", "CCC"]),
    ),
    "the latest day of a ticker": (lambda c: c.ticks("AAA", "latest"), lambda: rows.ticks(DAY, "AAA")),
    "the latest day of tickers": (
        lambda c: c.ticks(["CCC", "AAA"], "latest"),
        lambda: rows.all_ticks([DAY], ["AAA", "CCC"]),
    ),
    "some columns": (
        lambda c: c.ticks("AAA", DAY, columns=["Quantity", "EventDateTime"]),
        lambda: rows.ticks(DAY, "AAA").select(["Quantity", "EventDateTime"]),
    ),
    "rows by a filter": (
        lambda c: c.ticks("AAA", DAY, where={"EventType": "TRADE"}),
        lambda: filtered(rows.ticks(DAY, "AAA"), "EventType", "TRADE"),
    ),
    "rows by a filter over days": (
        lambda c: c.ticks(["AAA", "BBB"], ("2026-11-18", DAY), where={"Exchange": ["NYSE"]}),
        lambda: filtered(rows.all_ticks(tickers=["AAA", "BBB"]), "Exchange", "NYSE"),
    ),
    "rows in another order": (
        lambda c: c.ticks("AAA", DAY, sort="-EventDateTime"),
        lambda: rows.ticks(DAY, "AAA").take(list(range(rows.ROWS_EACH - 1, -1, -1))),
    ),
    "the first rows": (lambda c: c.ticks("AAA", DAY, limit=7), lambda: rows.ticks(DAY, "AAA").slice(0, 7)),
    "the first rows of several pages": (
        lambda c: c.ticks("AAA", DAY, limit=1500),
        lambda: rows.ticks(DAY, "AAA").slice(0, 1500),
    ),
    "every type": (lambda c: c.dataset("kinds").read(), rows.kinds),
    "an identifier with a comma": (
        lambda c: c.dataset("kinds").read("B,B", ("2026-09-01", "2026-10-31")),
        lambda: filtered(rows.kinds(), "Ticker", "B,B"),
    ),
    "identifiers in a list": (
        lambda c: c.dataset("US9001").read(["B,B", "AAA"], "2026-09-03"),
        lambda: filtered(rows.kinds(), "TradeDate", date(2026, 9, 3)),
    ),
    "no rows of a ticker": (lambda c: c.ticks("NONE", DAY), lambda: rows.TICK_SCHEMA.empty_table()),
    "no rows of many days": (
        lambda c: c.ticks(["NONE", "NO"], ("2026-11-18", DAY)),
        lambda: rows.TICK_SCHEMA.empty_table(),
    ),
    "no rows of every type": (lambda c: c.dataset("kinds").read("NONE"), rows.KINDS_SCHEMA.empty_table),
}


@pytest.mark.parametrize("pages", ["small pages", "one page"])
@pytest.mark.parametrize("name", READS)
def test_a_read_gives_exactly_its_rows(name: str, pages: str, connect: Connect, wide_server: Server) -> None:
    ask, expected = READS[name]
    client = connect(wide_server.url if pages == "one page" else None)
    for _ in ("from the server", "from the cache"):
        table = ask(client).to_arrow()
        assert plain(table).equals(plain(expected()))
    query = ask(client)
    batches = list(query.batches())
    assert plain(pa.Table.from_batches(batches, expected().schema)).equals(plain(expected()))
    assert query.version == table_version(table)
    uncached = connect(client._session.settings.origin, cache=False)
    assert plain(ask(uncached).to_arrow()).equals(plain(expected()))


@pytest.mark.parametrize("name", READS)
def test_asyncio_gives_the_same(name: str, server: Server, key: str, tmp_path: Path) -> None:
    ask, expected = READS[name]

    async def read() -> tuple[pa.Table, list[pa.RecordBatch]]:
        async with ticklake.AsyncClient(server.url, key, cache=tmp_path) as client:
            table = await ask(client).to_arrow()
            return table, [batch async for batch in ask(client).batches()]

    table, batches = asyncio.run(read())
    assert plain(table).equals(plain(expected()))
    assert plain(pa.Table.from_batches(batches, expected().schema)).equals(plain(expected()))


def test_the_table_says_what_it_is_of(connect: Connect) -> None:
    query = connect().ticks("AAA", DAY)
    assert (query.version, query.dataset) == (None, None)
    metadata = query.to_arrow().schema.metadata
    assert metadata[b"ticklake.dataset_id"] == b"US1032"
    assert query.dataset == "US1032"
    assert metadata[b"ticklake.dataset_version"].decode() == str(query.version)


def test_a_frame_of_pandas_says_what_it_is_of(connect: Connect) -> None:
    query = connect().dataset("kinds").read("AAA")
    frame = query.to_pandas()
    assert frame.attrs == {
        "ticklake.dataset_id": "US9001",
        "ticklake.dataset_version": str(query.version),
        "ticklake.window": query.window,
    }
    assert query.window and asyncio.run(attrs_of(connect())) == frame.attrs


async def attrs_of(client: ticklake.Client) -> Any:
    settings = client._session.settings
    async with ticklake.AsyncClient(settings.origin, settings.key, cache=False) as other:
        return (await other.dataset("kinds").read("AAA").to_pandas()).attrs


@pytest.mark.parametrize("pages", ["small pages", "one page"])
def test_downloaded_files_are_the_rows_one_after_the_other(
    pages: str, connect: Connect, wide_server: Server, tmp_path: Path
) -> None:
    import pyarrow.parquet as pq

    client = connect(wide_server.url if pages == "one page" else None)
    query = client.ticks(["AAA", "BBB"], ("2026-11-18", DAY))
    paths = query.download(tmp_path / "files")
    tables = [pq.read_table(path) for path in paths]
    whole = pa.concat_tables(tables)
    expected = rows.all_ticks(tickers=["AAA", "BBB"])
    assert plain(whole.cast(expected.schema)).equals(plain(expected))
    stamps = [path.stat().st_mtime_ns for path in paths]
    assert query.download(tmp_path / "files") == paths
    assert [path.stat().st_mtime_ns for path in paths] == stamps
    assert sorted(path.name for path in (tmp_path / "files").iterdir()) == sorted(p.name for p in paths)


def test_an_estimate_reads_nothing_and_tells_the_rows_of_files_exactly(connect: Connect) -> None:
    client = connect()
    files = client.ticks(["AAA", "BBB"], ("2026-11-18", DAY)).estimate()
    assert (files.rows, files.is_exact) == (6 * rows.ROWS_EACH, True)
    assert files.fits is not False and files.bytes
    page = client.ticks("AAA", DAY).estimate()
    assert (page.dataset, page.version) == ("US1032", files.version)
    assert page.scanned_bytes


@pytest.mark.parametrize("name", READS)
def test_an_estimate_has_numbers_for_every_read(name: str, connect: Connect) -> None:
    ask, expected = READS[name]
    found = ask(connect()).estimate()
    count = expected().num_rows
    assert all(type(number) is int for number in (found.rows, found.bytes, found.requests))
    assert found.rows == count if found.is_exact else found.rows >= count
    assert found.seconds is None or found.seconds >= 0
    assert (found.bytes > 0 and found.requests > 0) or count == 0
    # A page holds a third of a ticker's day.
    assert found.is_exact or found.requests == max(1, math.ceil(found.rows / PAGE_ROWS))


def test_an_estimate_keeps_to_the_limit_of_rows(connect: Connect) -> None:
    client = connect()
    whole, first = client.ticks("AAA", DAY).estimate(), client.ticks("AAA", DAY, limit=7).estimate()
    assert (first.rows, first.requests) == (7, 1)
    assert 0 < first.bytes < whole.bytes
    assert first.scanned_bytes is not None
    assert whole.scanned_bytes == whole.requests * first.scanned_bytes


def test_an_estimate_is_about_the_format_that_is_read(connect: Connect, proxy: FaultProxy) -> None:
    connect(proxy.url).ticks("AAA", DAY, where={"Price.gt": 0}).estimate()
    assert "response_format=arrow" in proxy.paths[-1]


def test_progress_ends_with_all_rows_and_bytes(connect: Connect) -> None:
    told: list[ticklake.Progress] = []
    client = connect(progress=told.append, cache=False)
    client.ticks(["AAA", "BBB"], ("2026-11-18", DAY)).to_arrow()
    last = told[-1]
    assert last.rows_done == last.rows_total == 6 * rows.ROWS_EACH
    assert last.bytes_done == last.bytes_total and last.files_done == last.files_total


def test_progress_of_pages_counts_rows_and_begins_anew_with_each_read(connect: Connect) -> None:
    told: list[ticklake.Progress] = []
    query = connect(progress=told.append).ticks("AAA", DAY, where={"Price.gt": 0})
    for _ in range(2):
        told.clear()
        query.to_arrow()
        assert [each.is_done for each in told] == [False] * (len(told) - 1) + [True]
        assert told[-1].rows_done == rows.ROWS_EACH


def test_a_query_keeps_its_version_when_another_comes(connect: Connect, home: Home, tmp_path: Path) -> None:
    dataset = connect().dataset("kinds")
    query = dataset.read("AAA", "2026-09-01")
    before = query.to_arrow()
    added = rows.kinds().slice(0, 1)
    publication = home.append("kinds", rows.write_csv(added, tmp_path / "more.csv"))
    try:
        fresh = dataset.read("AAA", "2026-09-01")
        assert fresh.to_arrow().num_rows == 2
        assert query.version is not None and fresh.version == query.version + 1
        assert query.to_arrow().equals(before)
        earlier = dataset.read("AAA", "2026-09-01", version=query.version)
        assert plain(earlier.to_arrow()).equals(plain(before))
        changes = dataset.changes(query.version, fresh.version).to_arrow()
        assert changes.column("Change").to_pylist() == ["added"]
        assert plain(changes.drop_columns(["Change"])).equals(plain(added))
    finally:
        home.roll_back(publication)


def test_an_end_that_is_open_leaves_nothing_out(connect: Connect, home: Home, tmp_path: Path) -> None:
    dataset = connect().dataset("kinds")
    old = rows.kinds().slice(0, 1).set_column(0, rows.KINDS_SCHEMA.field(0), pa.array([date(2001, 1, 5)]))
    publication = home.append("kinds", rows.write_csv(old, tmp_path / "old.csv"))
    try:
        whole = pa.concat_tables([old, filtered(rows.kinds(), "Ticker", "AAA")])
        for query in (
            dataset.read("AAA", (None, None)),
            dataset.read("AAA", (None, "2026-10-31")),
            dataset.read("AAA", ("2001-01-01", None)),
            dataset.read("AAA", start=None),
            dataset.read("AAA", start="2001-01-05", end="2026-10-31"),
        ):
            assert plain(query.to_arrow()).equals(plain(whole))
        # Without dates, the dataset has a window of a year.
        assert date(2001, 1, 5) not in dataset.read("AAA").to_arrow()["TradeDate"].to_pylist()
        assert dataset.read("AAA", end="2001-01-05").to_arrow().num_rows == 1
    finally:
        home.roll_back(publication)


def test_a_day_that_fits_a_page_is_one_request_and_a_longer_one_is_files(
    connect: Connect, proxy: FaultProxy, wide_proxy: FaultProxy
) -> None:
    def paths_of(through: FaultProxy) -> list[str]:
        client = connect(through.url, cache=False)
        client.ticks("AAA", DAY).estimate()
        through.reset()
        client.ticks("AAA", DAY).to_arrow()
        return [path.split("/")[2] for path in through.paths]

    assert paths_of(wide_proxy) == ["data"]
    assert paths_of(proxy) == ["data", "bulk", "files"]


def test_compressed_pages_are_the_same_rows(connect: Connect, proxy: FaultProxy) -> None:
    client = connect(proxy.url, compress=True)
    for _ in ("from the server", "from the cache"):
        table = client.ticks("AAA", DAY, where={"Price.gt": 0}).to_arrow()
        assert plain(table).equals(plain(rows.ticks(DAY, "AAA")))
    assert any("accept-encoding: zstd" in head.lower() for head in proxy.heads)


def test_groups_are_computed_of_the_rows_that_a_read_finds(connect: Connect) -> None:
    read = connect().ticks("AAA", DAY)
    table = read.to_arrow()
    groups = read.aggregate(["count", "sum(Quantity)", "max(Price)"], by=["EventType"])
    assert [group["EventType"] for group in groups] == sorted(set(table["EventType"].to_pylist()))
    for group in groups:
        own = filtered(table, "EventType", group["EventType"])
        assert group["count"] == own.num_rows
        assert group["sum(Quantity)"] == pc.sum(own["Quantity"]).as_py()
        assert group["max(Price)"] == pc.max(own["Price"]).as_py()
    assert sum(group["count"] for group in read.aggregate(["count"], interval="1m")) == table.num_rows
    assert connect().ticks("AAA", DAY, limit=1).count() == table.num_rows
    assert connect().ticks(["AAA", "BBB"], DAY).count() == 2 * rows.ROWS_EACH
    with pytest.raises(ticklake.InputError, match="one day and one identifier"):
        connect().ticks(["AAA", "BBB"], DAY).aggregate(["count"])


def test_rules_are_explained(connect: Connect) -> None:
    explanation = connect().ticks("AAA", DAY).explain()
    assert explanation["status"] == 200
    assert [each["part"] for each in explanation["decisions"]] == ["columns", "identifiers", "dates", "rows"]


def test_a_sample_is_of_the_same_rows_in_pages_and_in_files(connect: Connect) -> None:
    client = connect()
    days = ("2026-11-18", DAY)
    of_days = client.ticks("AAA", days, sample=0.5).to_arrow()
    of_day = filtered(of_days, "TradeDate", DAY)
    assert 0 < of_day.num_rows < rows.ticks(DAY, "AAA").num_rows
    for sample in ("1/2", 0.5):
        assert plain(client.ticks("AAA", DAY, sample=sample).to_arrow()).equals(plain(of_day))
    assert client.ticks("AAA", DAY, sample=1.0).to_arrow().num_rows == rows.ticks(DAY, "AAA").num_rows
