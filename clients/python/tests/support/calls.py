"""Every public method of a client, called and taken in every way, whether it blocks or is awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import polars as pl

import ticklake
from ticklake._core.chain import OptionChainBase
from ticklake._core.client import DatasetBase
from ticklake._core.query import QueryBase

from . import rows

DAY = rows.DAYS[-1]
Call = Callable[[Any], Any]
# By the names of the methods, each with words that it takes.
CLIENT: dict[str, Call] = {
    "ticks": lambda c: c.ticks("AAA", DAY),
    "bars": lambda c: c.bars("AAA"),
    "daily": lambda c: c.daily(),
    "dataset": lambda c: c.dataset("kinds"),
    "datasets": lambda c: c.datasets(),
    "resolve": lambda c: c.resolve("AAA"),
    "search": lambda c: c.search("aaa"),
    "universe": lambda c: c.universe(DAY, dataset="kinds"),
    "option_chain": lambda c: c.option_chain("AAA", DAY),
}
DATASET: dict[str, Call] = {
    "read": lambda d: d.read("AAA"),
    "changes": lambda d: d.changes(1),
    "columns": lambda d: d.columns(),
    "info": lambda d: d.info(),
    "status": lambda d: d.status(),
    "versions": lambda d: d.versions(),
    "trading_days": lambda d: d.trading_days(DAY, DAY),
}
QUERY: dict[str, Callable[[Any, Path], Any]] = {
    "to_arrow": lambda q, _: q.to_arrow(),
    "to_polars": lambda q, _: q.to_polars(),
    "to_pandas": lambda q, _: q.to_pandas(),
    "to_duckdb": lambda q, _: q.to_duckdb(),
    "batches": lambda q, _: q.batches(),
    "download": lambda q, folder: q.download(folder),
    "estimate": lambda q, _: q.estimate(),
    "count": lambda q, _: q.count(),
    "aggregate": lambda q, _: q.aggregate(["count"]),
    "explain": lambda q, _: q.explain(),
    "ohlcv": lambda q, _: q.ohlcv().to_arrow(),
    "head": lambda q, _: q.head().to_arrow(),
}


def collected(query: ticklake.Query) -> pl.DataFrame:
    """The rows of the lazy frame, whose errors come as one of polars that names them."""
    try:
        return query.scan_polars().collect()
    except pl.exceptions.ComputeError as error:
        kind, _, text = str(error).partition("exception: ")[2].partition(": ")
        raise getattr(ticklake, kind)(text) from error


# What a library calls that does not await.
SYNC_QUERY: dict[str, Callable[[Any, Path], Any]] = {"scan_polars": lambda q, _: collected(q)}
CHAIN = {
    **{
        way: take for way, take in QUERY.items() if way in ("to_arrow", "to_polars", "to_pandas", "to_duckdb")
    },
    "info": lambda chain, _: chain.info(),
}


def calls(client: Any, folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """All that can be asked of a client, each by its name."""
    for name, call in CLIENT.items():
        yield from taken(name, lambda call=call: call(client), folder)
    for name, call in DATASET.items():
        yield from taken(name, lambda call=call: call(client.dataset("kinds")), folder)


def taken(name: str, call: Callable[[], Any], folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The call, or if that gives a query, every way to take it."""
    makes_object = ("ticks", "bars", "daily", "dataset", "read", "changes", "option_chain")
    answer = call() if name in makes_object else None
    if isinstance(answer, (QueryBase, OptionChainBase)):
        ways = QUERY if isinstance(answer, QueryBase) else CHAIN
        ways = {**ways, **SYNC_QUERY} if isinstance(answer, ticklake.Query) else ways
        for way, take in ways.items():
            yield f"{name}.{way}", lambda answer=answer, take=take: take(answer, folder)
    elif not isinstance(answer, DatasetBase):
        yield name, call


def outcome(call: Callable[[], Any]) -> Any:
    """What a call came to, or its error."""
    try:
        answer = call()
        if isinstance(answer, Coroutine):
            return asyncio.run(awaited(answer))
        return asyncio.run(listed(answer)) if isinstance(answer, AsyncIterator) else consumed(answer)
    except ticklake.TicklakeError as error:
        return error


async def awaited(answer: Coroutine[Any, Any, Any]) -> Any:
    return await answer


async def listed(answer: AsyncIterator[Any]) -> list[Any]:
    return [each async for each in answer]


def consumed(answer: Any) -> Any:
    if isinstance(answer, QueryBase):
        return answer.to_arrow()
    return list(answer) if isinstance(answer, Iterator) else answer
