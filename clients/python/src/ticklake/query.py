"""A read, to be taken as a frame of one's library, by batches, or as files."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._core.answers import Explanation
from ._core.chain import OptionChainBase
from ._core.query import QueryBase, scratch_folder
from ._core.read import Estimate, aggregate, count, download, estimate, explain
from ._core.scan import Filter, narrowed
from ._drive.sync import SyncDriver
from ._frames.arrow import Cutter, arrow_schema_of, batch_decoder, batches_of
from ._frames.html import html_of
from ._frames.library import Library, require
from ._frames.ohlcv import Naming
from .errors import TicklakeError

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

# Of a query that a notebook shows by itself.
SHOWN_ROWS = 5
SHOWN_SCAN_MAX = 16 * 1024**2


class Frames(ABC):
    """An answer that can be taken as a frame of one's library."""

    @abstractmethod
    def _collect(self, library: Library) -> Any:
        """All rows."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """All rows for any library that takes Arrow streams."""
        return self._collect("arrow").__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pa.Table:
        """All rows as a table of Arrow."""
        return self._collect("arrow")

    def to_polars(self) -> pl.DataFrame:
        """All rows as a frame of polars; needs the extra `polars`."""
        require("polars")
        frame: pl.DataFrame = self._collect("polars")
        return frame

    def to_pandas(self) -> pd.DataFrame:
        """All rows as a frame of pandas; needs the extra `pandas`."""
        require("pandas")
        from ._frames.pandas import to_pandas

        return to_pandas(self._collect("arrow"))

    def to_duckdb(self, connection: duckdb.DuckDBPyConnection | None = None) -> duckdb.DuckDBPyRelation:
        """All rows as a relation of DuckDB, of the default connection if none is given."""
        require("duckdb")
        import duckdb

        return (connection or duckdb.default_connection()).from_arrow(self._collect("arrow"))


class Query(QueryBase[SyncDriver], Frames):
    __doc__ = QueryBase.__doc__

    def _collect(self, library: Library) -> Any:
        plan = self._plan(target := self._driver.run(self._resolve()), library)
        with scratch_folder() as scratch:
            frame = plan.join(list(self._driver.iterate(self._parts(plan.decoder, scratch))))
            self._finish(target, self._ids_in(target, frame), depth=4)
            return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows for any library that takes Arrow streams, batch by batch as it takes them."""
        import pyarrow as pa

        schema = arrow_schema_of(self._driver.run(self._resolve()))
        return pa.RecordBatchReader.from_batches(schema, self.batches()).__arrow_c_stream__(requested_schema)

    def scan_polars(self) -> pl.LazyFrame:
        """A lazy frame of polars; needs the extra `polars`. No row is asked for before it is collected.

        The service is asked for the columns, the dates and the rows alone that are used: by `==`, `<`, `>`,
        `is_between`, `is_in` and `str.starts_with` of columns with values. All else is left to polars. An
        error while it is collected comes as a `ComputeError` of polars, with the error's name and text.
        """
        require("polars")
        from ._frames.scan import scan
        from ._frames.schema import polars_schema

        target = self._driver.run(self._resolve())
        return scan(self._some_batches, polars_schema(target.columns, target.form.time_zone))

    def _some_batches(
        self, columns: Sequence[str] | None, filters: Sequence[Filter], row_count: int | None
    ) -> Iterator[pa.RecordBatch]:
        """The rows that pass the filters, perhaps more, with at least these columns."""
        target, today = self._driver.run(self._resolve()), self._asking.session.now().date()
        asked = narrowed(self._asking.question, target, columns, filters, row_count, today)
        if asked is not None:
            query: Query = self._asking.client._ask(asked, self._asking.pin)
            yield from Cutter(row_count).cut(query.batches())

    def _repr_html_(self) -> str:
        """The columns and the first rows, for notebooks.

        An estimate, which scans nothing, comes first. Rows are asked for only if that scans at most 16 MiB.
        """
        try:
            with warnings.catch_warnings(action="ignore"):
                return self._shown()
        except TicklakeError as error:
            return html_of(repr(self), None, str(error))

    def _shown(self) -> str:
        target = self._driver.run(self._resolve())
        nothing = arrow_schema_of(target).empty_table()
        if target.page is None or target.scan is None:
            return html_of(repr(self), nothing, "No single request has these rows: none is shown.")
        estimate = self.estimate()
        scanned = (estimate.scanned_bytes or 0) // estimate.requests
        if scanned > SHOWN_SCAN_MAX:
            return html_of(repr(self), nothing, f"head() would be charged with {scanned:,} bytes scanned.")
        table = self.head(SHOWN_ROWS).to_arrow()
        charged = f"Charged: at most 2 requests, {scanned:,} bytes scanned."
        return html_of(repr(self), table, f"{table.num_rows} of at most {estimate.rows:,} rows. {charged}")

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows batch by batch, in order, without more of them in memory than a few pages."""
        target = self._driver.run(self._resolve())
        decoder, cutter, found = batch_decoder(arrow_schema_of(target)), Cutter(target.limit), set[str]()
        with scratch_folder() as scratch:
            for part in self._driver.iterate(self._parts(decoder, scratch)):
                for batch in cutter.cut(batches_of(part)):
                    found |= self._ids_in(target, batch)
                    yield batch
        self._finish(target, found)

    def ohlcv(self) -> Bars:
        """The bars under the same names for every dataset: see `Bars`."""
        return Bars(self)

    def download(self, folder: Path | str) -> list[Path]:
        """The rows as Parquet files in a folder, in natural order; what is there already stays.

        A download that was interrupted goes on where it ended.
        """
        paths = list(self._driver.iterate(download(self._asking, Path(folder))))
        self._finish()
        return paths

    def estimate(self) -> Estimate:
        """How much the read comes to, and whether it fits into what is left of the month's limits."""
        return self._driver.run(estimate(self._asking))

    def count(self) -> int:
        """The exact number of rows, whatever limit the read has; what the index does not know is scanned."""
        return self._driver.run(count(self._asking))

    def aggregate(
        self, select: Sequence[str], by: Sequence[str] = (), interval: str | None = None
    ) -> list[dict[str, Any]]:
        """Groups of the rows, computed by the service: a dict of each, named as `select` writes its values.

        `select` has entries such as `count`, `sum(Quantity)` and `vwap(Price,Quantity)`. Equal values of
        `by` make a group, and so do times within an `interval` such as `5m`. Dates and times are texts.
        """
        return self._driver.run(aggregate(self._asking, select, by, interval))

    def explain(self) -> Explanation:
        """Which of the account's rules decide about the read, and what would change that."""
        return self._driver.run(explain(self._asking))


class Bars(Frames):
    """Bars: `time`, `end`, `ticker`, `open`, `high`, `low`, `close`, `volume`, `vwap`, `trades`.

    Options have `expiration`, `strike` and `call_put` as well. A bar begins at `time`, and is known at its
    `end`, but not before: that of a day, week or month is the midnight after it; that of hours or minutes may
    be after a session that ends within them. `volume`, `vwap` and `trades` are null where the dataset lacks
    them, prices where there was no trade.
    """

    def __init__(self, query: Query) -> None:
        self._query = query

    def __repr__(self) -> str:
        return f"<Bars of {self._query!r}>"

    @property
    def length(self) -> int | str:
        """The minutes of a bar, or `day`, `week` or `month`."""
        return self._named()[0].length

    def _named(self) -> tuple[Naming, Query]:
        return self._query._named(self._query._driver.run(self._query._resolve()))

    def _collect(self, library: Library) -> Any:
        naming, query = self._named()
        table = naming.convert(query._collect("arrow"))
        if library == "arrow":
            return table
        import polars as pl

        return pl.from_arrow(table)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The bars for any library that takes Arrow streams, batch by batch as it takes them."""
        import pyarrow as pa

        schema = self._named()[0].schema
        return pa.RecordBatchReader.from_batches(schema, self.batches()).__arrow_c_stream__(requested_schema)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The bars batch by batch, as `Query.batches` gives rows."""
        naming, query = self._named()
        yield from map(naming.convert, query.batches())


class OptionChain(OptionChainBase[SyncDriver], Frames):
    __doc__ = OptionChainBase.__doc__

    def _collect(self, library: Library) -> Any:
        return self._frame(self._driver.run(self._answer()), library)

    def info(self) -> dict[str, Any]:
        """The underlying and its quote, the moment, the datasets and their versions, and expirations."""
        return dict(self._driver.run(self._answer()).info)
