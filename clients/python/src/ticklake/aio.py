"""The same client for asyncio: the same names, awaited."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ._core.answers import Explanation
from ._core.chain import OptionChainBase
from ._core.client import ClientBase, ClientOptions, DatasetBase, Ids
from ._core.query import QueryBase, scratch_folder
from ._core.question import Day, UniverseOptions
from ._core.read import Asking, Estimate, aggregate, count, download, estimate, explain
from ._drive.aio import AsyncDriver
from ._frames.arrow import Cutter, arrow_schema_of, batch_decoder, batches_of, distinct
from ._frames.library import Library, require
from ._frames.ohlcv import Naming
from .query import Bars

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from ._core.catalogue import Column
    from ._core.trading_days import TradingDay


class AsyncFrames(ABC):
    """An answer that can be taken as a frame of one's library."""

    @abstractmethod
    async def _collect(self, library: Library) -> Any:
        """All rows."""

    async def to_arrow(self) -> pa.Table:
        """All rows as a table of Arrow."""
        return await self._collect("arrow")

    async def to_polars(self) -> pl.DataFrame:
        """All rows as a frame of polars; needs the extra `polars`."""
        require("polars")
        frame: pl.DataFrame = await self._collect("polars")
        return frame

    async def to_pandas(self) -> pd.DataFrame:
        """All rows as a frame of pandas; needs the extra `pandas`."""
        require("pandas")
        from ._frames.pandas import to_pandas

        return await asyncio.to_thread(to_pandas, await self._collect("arrow"))

    async def to_duckdb(self, connection: duckdb.DuckDBPyConnection | None = None) -> duckdb.DuckDBPyRelation:
        """All rows as a relation of DuckDB, of the default connection if none is given."""
        require("duckdb")
        import duckdb

        return (connection or duckdb.default_connection()).from_arrow(await self._collect("arrow"))


class AsyncQuery(QueryBase[AsyncDriver], AsyncFrames):
    __doc__ = QueryBase.__doc__

    async def _collect(self, library: Library) -> Any:
        plan = self._plan(target := await self._driver.run(self._resolve()), library)
        with scratch_folder() as scratch:
            task = self._parts(plan.decoder, scratch)
            parts = [part async for part in self._driver.iterate(task)]
            frame = await asyncio.to_thread(plan.join, parts)
            self._finish(target, await asyncio.to_thread(self._ids_in, target, frame), depth=4)
            return frame

    async def batches(self) -> AsyncIterator[pa.RecordBatch]:
        """The rows batch by batch, in order, without more of them in memory than a few pages."""
        target = await self._driver.run(self._resolve())
        decoder, cutter, found = batch_decoder(arrow_schema_of(target)), Cutter(target.limit), set[str]()
        with scratch_folder() as scratch:
            async for part in self._driver.iterate(self._parts(decoder, scratch)):
                batches = cutter.cut(batches_of(part))
                while (batch := await asyncio.to_thread(next, batches, None)) is not None:
                    found |= self._ids_in(target, batch)
                    yield batch
        self._finish(target, found)

    def ohlcv(self) -> AsyncBars:
        """The bars under the same names for every dataset: see `Bars`."""
        return AsyncBars(self)

    async def download(self, folder: Path | str) -> list[Path]:
        """The rows as Parquet files in a folder, in natural order; what is there already stays.

        A download that was interrupted goes on where it ended.
        """
        paths = [path async for path in self._driver.iterate(download(self._asking, Path(folder)))]
        self._finish()
        return paths

    async def estimate(self) -> Estimate:
        """How much the read comes to, and whether it fits into what is left of the month's limits."""
        return await self._driver.run(estimate(self._asking))

    async def count(self) -> int:
        """The exact number of rows, whatever limit the read has; what the index does not know is scanned."""
        return await self._driver.run(count(self._asking))

    async def aggregate(
        self, select: Sequence[str], by: Sequence[str] = (), interval: str | None = None
    ) -> list[dict[str, Any]]:
        """Groups of the rows, computed by the service: a dict of each, named as `select` writes its values.

        `select` has entries such as `count`, `sum(Quantity)` and `vwap(Price,Quantity)`. Equal values of
        `by` make a group, and so do times within an `interval` such as `5m`. Dates and times are texts.
        """
        return await self._driver.run(aggregate(self._asking, select, by, interval))

    async def explain(self) -> Explanation:
        """Which of the account's rules decide about the read, and what would change that."""
        return await self._driver.run(explain(self._asking))


class AsyncBars(AsyncFrames):
    __doc__ = Bars.__doc__

    def __init__(self, query: AsyncQuery) -> None:
        self._query = query

    async def _named(self) -> tuple[Naming, AsyncQuery]:
        return self._query._named(await self._query._driver.run(self._query._resolve()))

    async def _collect(self, library: Library) -> Any:
        naming, query = await self._named()
        table = naming.convert(await query._collect("arrow"))
        if library == "arrow":
            return table
        import polars as pl

        return pl.from_arrow(table)

    async def batches(self) -> AsyncIterator[pa.RecordBatch]:
        """The bars batch by batch, as `AsyncQuery.batches` gives rows."""
        naming, query = await self._named()
        async for batch in query.batches():
            yield naming.convert(batch)


class AsyncOptionChain(OptionChainBase[AsyncDriver], AsyncFrames):
    __doc__ = OptionChainBase.__doc__

    async def _collect(self, library: Library) -> Any:
        return self._frame(await self._driver.run(self._answer()), library)

    async def info(self) -> dict[str, Any]:
        """The underlying and its quote, the moment, the datasets and their versions, and expirations."""
        return dict((await self._driver.run(self._answer())).info)


class AsyncDataset(DatasetBase[AsyncQuery, AsyncDriver]):
    __doc__ = DatasetBase.__doc__

    async def columns(self) -> tuple[Column, ...]:
        """Its columns with types and descriptions."""
        return await self._driver.run(self._columns())

    async def info(self) -> dict[str, Any]:
        """Its description and coverage."""
        return await self._driver.run(self._meta("info"))

    async def status(self) -> dict[str, Any]:
        """Last and next update, version, number of rows."""
        return await self._driver.run(self._meta("status"))

    async def trading_days(self, start: Day, end: Day, product: str | None = None) -> list[TradingDay]:
        """The trading days of its market, up to the end of this year, with the hours of their sessions.

        Those of futures are the days that all products have, or those of the one with the root `product`,
        such as `ES`. Their early closes are unknown: `is_half_day` is always False.
        """
        return await self._driver.run(self._trading_days(start, end, product))

    async def versions(self) -> list[dict[str, Any]]:
        """All its versions that are known, the newest first."""
        return await self._driver.run(self._versions())


class AsyncClient(ClientBase[AsyncQuery, AsyncOptionChain]):
    __doc__ = ClientBase.__doc__

    def __init__(
        self, url: str | None = None, key: str | None = None, **settings: Unpack[ClientOptions]
    ) -> None:
        super().__init__(url, key, **settings)
        self._driver = AsyncDriver(self._session.settings)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._driver.close()

    def _query(self, asking: Asking) -> AsyncQuery:
        return AsyncQuery(self._driver, asking)

    def _chain(self, asked: dict[str, str]) -> AsyncOptionChain:
        return AsyncOptionChain(self._driver, self._session, asked)

    def dataset(self, name: str) -> AsyncDataset:
        """A dataset by its id or text id. Nothing is asked yet."""
        return AsyncDataset(self, self._driver, name)

    async def datasets(self) -> list[dict[str, Any]]:
        """The datasets that the account may read."""
        return await self._driver.run(self._datasets())

    async def universe(self, on: Day, **options: Unpack[UniverseOptions]) -> list[dict[str, Any]]:
        """The identifiers with rows on a day that the account may read, each as a dict of its columns.

        They are those of daily values, or of another `dataset` that takes requests without an identifier.
        """
        query = self._universe(on, options)
        named = query._identified(await self._driver.run(query._resolve()))
        return distinct(await named.to_arrow())

    async def resolve(
        self,
        symbols: Ids,
        type: str = "Ticker",
        start: date | str | None = None,
        end: date | str | None = None,
    ) -> dict[str, Any]:
        """Which securities the symbols stood for on which dates, and what they became; at most 100 symbols.

        `type`: Ticker, ASID, SecId, FIGI, ISIN, CUSIP, SEDOL or OSI.
        """
        return await self._driver.run(self._resolve(symbols, type, start, end))

    async def search(self, text: str, limit: int = 10) -> list[dict[str, Any]]:
        """The best `limit` securities by the beginning of a ticker, of a word of a name, or of a number."""
        return await self._driver.run(self._search(text, limit))
