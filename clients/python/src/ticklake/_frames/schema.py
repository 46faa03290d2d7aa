"""The types of the catalogue in Arrow and in polars. Pure, but for the import of either."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core.catalogue import Column

ARRAY_PREFIX = "array of "


def _typed(data_type: str, plain: dict[str, Any], listed: Callable[[Any], Any]) -> Any:
    if data_type.startswith(ARRAY_PREFIX):
        return listed(plain[data_type.removeprefix(ARRAY_PREFIX)])
    return plain[data_type]


def arrow_schema(columns: Sequence[Column], time_zone: str) -> Any:
    """Text is text, however it is encoded on its way."""
    import pyarrow as pa

    def type_of(column: Column) -> Any:
        plain = {
            "integer": pa.int64(),
            "number": pa.float64(),
            "boolean": pa.bool_(),
            "date": pa.date32(),
            "string": pa.string(),
            "decimal": pa.decimal128(column.precision or 38, column.scale or 0),
            "date-time": pa.timestamp("ns", time_zone),
        }
        return _typed(column.data_type, plain, pa.list_)

    return pa.schema([pa.field(each.name, type_of(each)) for each in columns])


def polars_schema(columns: Sequence[Column], time_zone: str) -> Any:
    import polars as pl

    def type_of(column: Column) -> Any:
        plain = {
            "integer": pl.Int64(),
            "number": pl.Float64(),
            "boolean": pl.Boolean(),
            "date": pl.Date(),
            "string": pl.String(),
            "decimal": pl.Decimal(column.precision or 38, column.scale or 0),
            "date-time": pl.Datetime("ns", time_zone),
        }
        return _typed(column.data_type, plain, pl.List)

    return pl.Schema({each.name: type_of(each) for each in columns})
