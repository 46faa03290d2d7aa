"""Clients, queries and errors in processes that are forked, or that get them pickled."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ticklake

from .conftest import Connect
from .support import rows
from .support.server import Home, Server
from .support.trials import trials

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

DAY = rows.DAYS[-1]
READS = trials(120, 400)
# What the children have without being given it, as after a fork.
inherited: ticklake.Client | ticklake.AsyncClient | Iterator[object]


def tickers_of(ticker: str) -> set[str]:
    assert isinstance(inherited, ticklake.Client)
    table = inherited.ticks(ticker, DAY, limit=20).to_arrow()
    return set(table["Ticker"].to_pylist())


def tickers_of_async(ticker: str) -> set[str]:
    async def read() -> set[str]:
        assert isinstance(inherited, ticklake.AsyncClient)
        return set((await inherited.ticks(ticker, DAY, limit=20).to_arrow())["Ticker"].to_pylist())

    return asyncio.run(read())


def forked(client: ticklake.Client | ticklake.AsyncClient | Iterator[object]) -> Pool:
    global inherited
    inherited = client
    return multiprocessing.get_context("fork").Pool(4)


@pytest.mark.parametrize("is_cached", [False, True])
def test_children_read_their_own_rows_by_a_client_that_was_used_before(
    wide_server: Server, key: str, tmp_path: Path, is_cached: bool
) -> None:
    asked = [rows.TICKERS[at % len(rows.TICKERS)] for at in range(READS)]
    with ticklake.Client(wide_server.url, key, cache=tmp_path / "cache" if is_cached else False) as client:
        client.ticks("AAA", DAY).to_arrow()
        with forked(client) as pool:
            answers = pool.map(tickers_of, asked, chunksize=1)
        assert answers == [{ticker} for ticker in asked]
        # The parent goes on by its own connections.
        assert set(client.ticks("BBB", DAY).to_arrow()["Ticker"].to_pylist()) == {"BBB"}


def test_children_read_their_own_rows_by_an_async_client_that_was_used_before(
    wide_server: Server, key: str
) -> None:
    client = ticklake.AsyncClient(wide_server.url, key, cache=False)

    async def warm() -> None:
        await client.ticks("AAA", DAY).to_arrow()

    asyncio.run(warm())
    asked = rows.TICKERS * 8
    with forked(client) as pool:
        assert pool.map(tickers_of_async, asked, chunksize=1) == [{ticker} for ticker in asked]


def next_batch(_: int) -> str:
    assert not isinstance(inherited, (ticklake.Client, ticklake.AsyncClient))
    try:
        for _batch in inherited:
            pass
    except ticklake.TicklakeError as error:
        return str(error)
    return "read on"


def test_a_child_does_not_go_on_with_a_read_of_its_parent(connect: Connect) -> None:
    batches = connect(cache=False).ticks(["AAA", "BBB"], (rows.DAYS[0], DAY)).batches()
    next(batches)
    with forked(batches) as pool:
        (said,) = pool.map(next_batch, [0])
    assert "began before the process was forked" in said
    assert sum(batch.num_rows for batch in batches) > 0


def arrow_of(query: ticklake.Query | ticklake.AsyncQuery) -> pa.Table:
    if isinstance(query, ticklake.Query):
        return query.to_arrow()
    return asyncio.run(query.to_arrow())


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_queries_are_read_by_other_processes_with_the_key_of_their_environment(
    kind: str, method: str, server: Server, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TICKLAKE_KEY", key)
    client = getattr(ticklake, kind)(server.url, cache=tmp_path)
    queries = [client.ticks(ticker, DAY, limit=20) for ticker in rows.TICKERS]
    assert key.encode() not in pickle.dumps(queries)
    with multiprocessing.get_context(method).Pool(1) as pool:
        answers = pool.map(arrow_of, queries)
    assert [set(answer["Ticker"].to_pylist()) for answer in answers] == [{each} for each in rows.TICKERS]


def test_a_query_that_was_pickled_reads_the_version_that_it_was_bound_to(
    connect: Connect, home: Home, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TICKLAKE_KEY", key)
    query = connect().dataset("kinds").read("AAA", "2026-09-01")
    before = query.to_arrow()
    publication = home.append("kinds", rows.write_csv(rows.kinds().slice(0, 1), tmp_path / "more.csv"))
    try:
        copy = pickle.loads(pickle.dumps(query))
        assert copy.version == query.version
        assert copy.to_arrow().equals(before)
    finally:
        home.roll_back(publication)


def test_a_client_is_pickled_with_its_settings_and_without_its_key(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TICKLAKE_KEY", "of-the-receiver")
    options = {"timeout": 7.0, "max_retries": 1, "max_wait": 9.0, "concurrency": 2, "compress": True}
    for kind in (ticklake.Client, ticklake.AsyncClient):
        client: Any = kind(
            "https://x.example/api", key, cache=tmp_path, offline=True, progress=True, **options
        )
        assert key.encode() not in pickle.dumps(client)
        copy = pickle.loads(pickle.dumps(client.dataset("kinds")))._client
        assert type(copy) is kind and copy.cache.folder == tmp_path and copy._progress is True
        assert copy._session.settings == replace(client._session.settings, key="of-the-receiver")


def test_an_error_of_the_service_comes_back_from_a_pool(connect: Connect) -> None:
    with pytest.raises(ticklake.NotFoundError) as refused:
        connect().dataset("nothing").status()
    error = pickle.loads(pickle.dumps(refused.value))
    assert type(error) is ticklake.NotFoundError
    assert (str(error), error.status, error.request_id) == (
        str(refused.value),
        404,
        refused.value.request_id,
    )
