"""A query as a lazy frame of polars, whose filters the service applies where it can say the same.

polars applies every filter to the rows once more, so that a filter that is not understood here costs time
and no more.
"""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from .._core.scan import FILTERS_MAX, Filter

if TYPE_CHECKING:
    import polars as pl

_OPERATORS = {"Eq": "eq", "Gt": "gt", "GtEq": "ge", "Lt": "lt", "LtEq": "le"}
_TURNED = {"eq": "eq", "gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}
_CLOSED = {"Both": ("ge", "le"), "Left": ("ge", "lt"), "Right": ("gt", "le"), "None": ("gt", "lt")}
# Others are written with an exponent, or have neighbours that are whole numbers.
_REAL_MAX = 1e15
# The first and the last that the service takes.
_YEARS = (1900, 2199)


def scan(read: Callable[..., Iterator[Any]], schema: pl.Schema) -> pl.LazyFrame:
    """`read` takes columns, filters and a number of rows, and gives batches of Arrow that have them."""
    import polars as pl
    from polars.io.plugins import register_io_source

    def source(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        kept = with_columns or list(schema)
        # Rows are counted before they are filtered.
        filters = [] if predicate is None or n_rows is not None else list(filters_in(predicate, schema))
        roots = [] if predicate is None else predicate.meta.root_names()
        names = with_columns and list(dict.fromkeys([*with_columns, *roots]))
        yield pl.DataFrame(schema={name: schema[name] for name in kept})
        for batch in read(names, filters, n_rows):
            frame = cast(pl.DataFrame, pl.from_arrow(batch))
            yield (frame if predicate is None else frame.filter(predicate)).select(kept)

    return register_io_source(source, schema=schema)


def filters_in(predicate: pl.Expr, schema: Mapping[str, Any]) -> Iterator[Filter]:
    """The filters of the service that every row passes which the predicate is true of."""
    try:
        with warnings.catch_warnings(action="ignore"):
            yield from _all_of(json.loads(predicate.meta.serialize(format="json")), schema)
    except (AttributeError, LookupError, TypeError, ValueError):
        # Another release of polars has other words for the same.
        return


def _all_of(node: Any, schema: Mapping[str, Any]) -> Iterator[Filter]:
    [(kind, parts)] = node.items()
    if kind == "BinaryExpr" and parts["op"] == "And":
        yield from _all_of(parts["left"], schema)
        yield from _all_of(parts["right"], schema)
    elif kind == "BinaryExpr" and (operator := _OPERATORS.get(parts["op"])):
        left, right = parts["left"], parts["right"]
        if "Column" in right:
            left, right, operator = right, left, _TURNED[operator]
        yield from _filter(left, operator, right, schema)
    elif kind == "Function":
        [(group, function)] = parts["function"].items()
        first, *others = parts["input"]
        if group == "StringExpr" and function == "StartsWith":
            yield from _filter(first, "like", others[0], schema)
        elif not isinstance(function, dict):
            # Of the column alone, such as `IsInfinite`.
            return
        elif group == "Boolean" and "IsIn" in function:
            yield from _filter(first, "in", others[0], schema)
        elif group == "Boolean" and "IsBetween" in function:
            closed = _CLOSED[function["IsBetween"]["closed"]]
            for operator, end in zip(closed, others, strict=True):
                yield from _filter(first, operator, end, schema)


def _filter(column: Any, operator: str, value: Any, schema: Mapping[str, Any]) -> Iterator[Filter]:
    """The filter, if it is one of a plain column by values that both sides compare alike."""
    import polars as pl

    name = column.get("Column")
    if name not in schema:
        return
    expression = pl.Expr.deserialize(io.BytesIO(json.dumps(value).encode()), format="json")
    if expression.meta.root_names():
        return
    values = pl.select(expression).to_series()
    if operator == "in" and isinstance(values.dtype, pl.List):
        values = values.explode()
    texts = _texts(values, schema[name])
    if texts is None or not 0 < len(texts) <= FILTERS_MAX or (operator != "in" and len(texts) > 1):
        return
    if isinstance(schema[name], pl.String):
        if operator == "like" and "*" not in texts[0]:
            texts = [f"{texts[0]}*"]
        elif operator not in ("eq", "in"):
            return
    elif operator == "like":
        return
    yield Filter(name, operator, tuple(texts))


def _texts(values: pl.Series, kind: Any) -> list[str] | None:
    """The values as the service reads them exactly; None where it might compare in another way."""
    import polars as pl

    found = values.dtype
    if values.null_count() > 0:
        return None
    if isinstance(kind, pl.String) and found == pl.String:
        return [text for text in values]
    if isinstance(kind, pl.Int64) and found.is_integer():
        return [str(each) for each in values if -(2**63) <= each < 2**63]
    if isinstance(kind, pl.Float64) and found == pl.Float64:
        return [repr(each) for each in values] if values.abs().lt(_REAL_MAX).all() else None
    if isinstance(found, pl.Datetime) and found.time_zone:
        values = values.dt.convert_time_zone("UTC")
    if isinstance(found, pl.Date | pl.Datetime) and not values.dt.year().is_between(*_YEARS).all():
        return None
    if isinstance(kind, pl.Date) and found == pl.Date:
        return [each.isoformat() for each in values]
    if isinstance(kind, pl.Datetime) and isinstance(found, pl.Datetime) and found.time_zone:
        moments = values.dt.cast_time_unit("ns")
        return moments.dt.strftime("%Y-%m-%dT%H:%M:%S%.9fZ").to_list()
    return None
