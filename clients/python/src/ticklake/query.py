"""A read, to be taken as a frame of one's library, by batches, or as files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._core.query import Plan, QueryBase
from ._core.read import Asking, Estimate, download, estimate
from ._core.target import Target
from ._drive.sync import SyncDriver
from ._frames.arrow import Cutter, batches_of
from ._frames.library import require

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Query(QueryBase):
    __doc__ = QueryBase.__doc__

    def __init__(self, driver: SyncDriver, asking: Asking) -> None:
        super().__init__(asking)
        self._driver = driver

    def _collect(self, plan_of: Callable[[Target], Plan]) -> Any:
        plan = plan_of(self._driver.run(self._resolve()))
        with self._scratch() as scratch:
            parts = list(self._driver.iterate(self._parts(plan.decoder, scratch)))
            self._finish(depth=4)
            return plan.join(parts)

    def to_arrow(self) -> pa.Table:
        """All rows as a table of Arrow."""
        table: pa.Table = self._collect(self._arrow_plan)
        return table

    def to_polars(self) -> pl.DataFrame:
        """All rows as a frame of polars; needs the extra `polars`."""
        require("polars")
        frame: pl.DataFrame = self._collect(self._polars_plan)
        return frame

    def to_pandas(self) -> pd.DataFrame:
        """All rows as a frame of pandas; needs the extra `pandas`."""
        require("pandas")
        from ._frames.pandas import to_pandas

        frame: pd.DataFrame = to_pandas(self._collect(self._arrow_plan))
        return frame

    def to_duckdb(self, connection: duckdb.DuckDBPyConnection | None = None) -> duckdb.DuckDBPyRelation:
        """All rows as a relation of DuckDB, of the default connection if none is given."""
        require("duckdb")
        import duckdb

        return (connection or duckdb.default_connection()).from_arrow(self.to_arrow())

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows batch by batch, in order, without more of them in memory than a few pages."""
        plan = self._batch_plan(target := self._driver.run(self._resolve()))
        cutter = Cutter(target.limit)
        with self._scratch() as scratch:
            for part in self._driver.iterate(self._parts(plan.decoder, scratch)):
                yield from cutter.cut(batches_of(part))
        self._finish()

    def download(self, folder: Path | str) -> list[Path]:
        """The rows as Parquet files in a folder, in natural order; what is there already stays.

        A download that was interrupted goes on where it ended.
        """
        paths = self._driver.run(download(self._asking, Path(folder)))
        self._finish()
        return paths

    def estimate(self) -> Estimate:
        """How much the read comes to, and whether it fits into what is left of the month's limits."""
        return self._driver.run(estimate(self._asking))
