"""Stored bytes as Arrow tables and batches of the catalogue's types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from .._core.reading import Decoder, Stored
from .._core.target import Target
from ..errors import IntegrityError
from .schema import arrow_schema

BATCH_ROWS = 131_072


def open_stream(stored: Stored) -> Any:
    """A reader of an Arrow stream; lazily from a file, through its `Content-Encoding`."""
    import pyarrow as pa

    source: Any = pa.BufferReader(stored.source) if isinstance(stored.source, bytes) else None
    if source is None:
        source = pa.memory_map(str(stored.source))
    if stored.encoding is not None:
        source = pa.CompressedInputStream(source, cast(Any, stored.encoding))
    return pa.ipc.open_stream(source)


def open_parquet(stored: Stored) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if isinstance(stored.source, bytes):
        return pq.ParquetFile(pa.BufferReader(stored.source))
    return pq.ParquetFile(stored.source, memory_map=True)


def conform(table: Any, schema: Any) -> Any:
    """A table or batch with the types of `schema`; nothing is copied where they are the same."""
    if table.schema.names != schema.names:
        raise IntegrityError(f"The answer has the columns {table.schema.names}, not {schema.names}")
    if table.schema.equals(schema):
        return table
    return table.cast(schema)


def read_table(stored: Stored, schema: Any) -> Any:
    if stored.format == "parquet":
        return conform(open_parquet(stored).read(use_threads=True), schema)
    return conform(open_stream(stored).read_all(), schema)


class LazyBatches:
    """The batches of a Parquet file, read once as they are asked for.

    The file stays open until then: another process may take it out of the cache.
    """

    def __init__(self, stored: Stored, schema: Any) -> None:
        self._schema = schema
        self._file = open_parquet(stored)
        self.row_count = int(self._file.metadata.num_rows)

    def __iter__(self) -> Iterator[Any]:
        import pyarrow as pa

        with self._file as file:
            try:
                for batch in file.iter_batches(BATCH_ROWS):
                    yield conform(batch, self._schema)
            except (OSError, pa.ArrowException) as error:
                raise IntegrityError(f"A file was damaged after it was verified: {error}") from error


def table_decoder(schema: Any) -> Decoder:
    return Decoder(lambda stored: read_table(stored, schema), lambda table: int(table.num_rows))


def batch_decoder(schema: Any) -> Decoder:
    """Parts that give batches: those of files are read when their turn has come."""

    def decode(stored: Stored) -> Any:
        is_large = stored.format == "parquet" and not isinstance(stored.source, bytes)
        return LazyBatches(stored, schema) if is_large else read_table(stored, schema)

    def count(part: Any) -> int:
        if isinstance(part, LazyBatches):
            return part.row_count
        return int(part.num_rows)

    return Decoder(decode, count)


def batches_of(part: Any) -> Iterator[Any]:
    yield from part if isinstance(part, LazyBatches) else part.to_batches(max_chunksize=BATCH_ROWS)


def join_tables(tables: list[Any], schema: Any, limit: int | None, notes: dict[str, str]) -> Any:
    """One table of all parts; `notes` become metadata of its schema."""
    import pyarrow as pa

    table = pa.concat_tables(tables) if tables else schema.empty_table()
    if limit is not None:
        table = table.slice(0, limit)
    return table.replace_schema_metadata(notes)


def _sent_type(field_type: Any) -> Any:
    """The Arrow type of JSON's values, before the cast to the column's own."""
    import pyarrow as pa

    if pa.types.is_temporal(field_type):
        return pa.string()
    # Arrow would make 1 of 1.5.
    return pa.decimal128(38) if pa.types.is_integer(field_type) else field_type


def table_of_records(records: list[dict[str, Any]], schema: Any) -> Any:
    """A table of JSON's records, in which dates and times are texts."""
    import pyarrow as pa

    def column(field: Any) -> Any:
        values = [record[field.name] for record in records]
        return pa.array(values, _sent_type(field.type)).cast(field.type)

    try:
        return pa.table([column(field) for field in schema], schema=schema)
    except (LookupError, TypeError, ValueError) as error:
        raise IntegrityError(f"The answer does not have the types of its columns: {error!r}") from error


def arrow_schema_of(target: Target) -> Any:
    return arrow_schema(target.columns, target.form.time_zone)


class Cutter:
    """Cuts batches off after so many rows; None for all of them."""

    def __init__(self, limit: int | None) -> None:
        self._left = limit

    def cut(self, batches: Iterator[Any]) -> Iterator[Any]:
        if self._left is None:
            yield from batches
        while self._left and (batch := next(batches, None)) is not None:
            kept = batch.slice(0, self._left)
            self._left -= kept.num_rows
            yield kept


def distinct(table: Any) -> list[dict[str, Any]]:
    """The different rows of a table, in order."""
    found = table.group_by(table.column_names).aggregate([])
    rows: list[dict[str, Any]] = found.sort_by(
        [(name, "ascending") for name in found.column_names]
    ).to_pylist()
    return rows
