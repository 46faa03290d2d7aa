"""The types of the catalogue in Arrow and in polars. Pure, but for the import of either."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core.catalogue import Column

ARRAY_PREFIX = "array of "


def arrow_type(column: Column, time_zone: str) -> Any:
    """The Arrow type of a column; text is text, however it is encoded on its way."""
    import pyarrow as pa

    def of(data_type: str) -> Any:
        if data_type.startswith(ARRAY_PREFIX):
            return pa.list_(of(data_type.removeprefix(ARRAY_PREFIX)))
        if data_type == "decimal":
            return pa.decimal128(column.precision or 38, column.scale or 0)
        if data_type == "date-time":
            return pa.timestamp("ns", time_zone)
        plain = {
            "integer": pa.int64,
            "number": pa.float64,
            "boolean": pa.bool_,
            "date": pa.date32,
            "string": pa.string,
        }
        return plain[data_type]()

    return of(column.data_type)


def arrow_schema(columns: Sequence[Column], time_zone: str) -> Any:
    import pyarrow as pa

    return pa.schema([pa.field(each.name, arrow_type(each, time_zone)) for each in columns])


def polars_schema(columns: Sequence[Column], time_zone: str) -> Any:
    import polars as pl

    def of(column: Column, data_type: str) -> Any:
        if data_type.startswith(ARRAY_PREFIX):
            return pl.List(of(column, data_type.removeprefix(ARRAY_PREFIX)))
        types: dict[str, Any] = {
            "integer": pl.Int64(),
            "number": pl.Float64(),
            "boolean": pl.Boolean(),
            "date": pl.Date(),
            "string": pl.String(),
            "decimal": pl.Decimal(column.precision or 38, column.scale or 0),
            "date-time": pl.Datetime("ns", time_zone),
        }
        return types[data_type]

    return pl.Schema({each.name: of(each, each.data_type) for each in columns})
