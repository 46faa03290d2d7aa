"""Each row of one query with the latest row of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .errors import InputError

# What makes the contract of an option, whose `Ticker` is that of its underlying.
_CONTRACT = ("CallPut", "Strike", "ExpirationDate", "Expiration")


def asof_join(
    left: Any,
    right: Any,
    *,
    on: str = "EventDateTime",
    by: str | Sequence[str] | None = None,
    exact: bool = True,
    suffix: str = "_right",
) -> Any:
    """Each row of `left`, such as a trade, with the last row of `right`, such as a quote, at or before it.

    Both are queries, or anything with an Arrow stream; the answer is a table of Arrow, in the order of
    `left`. The moments `on` are compared to the nanosecond. With `exact=False`, a row of the same nanosecond
    does not count. Of several rows of one nanosecond, the last in the order of `right` counts. Only rows with
    equal values of `by` meet, so by default none of another trade date, ticker or, of options, contract. Add
    the venue for its own quotes alone; name `Ticker` alone for sessions that run over midnight. Columns of
    `right` get the `suffix`, and are null where there is no such row. Raises `InputError` without `by` where
    one side alone has contracts of options.
    """
    rows, others = _table(left), _table(right)
    keys = _default_keys(rows, others) if by is None else [by] if isinstance(by, str) else list(by)
    for table in (rows, others):
        _require(table, keys, on)
    added = [name for name in others.column_names if name not in keys]
    if taken := sorted({f"{name}{suffix}" for name in added} & set(rows.column_names)):
        raise InputError(f"There is a column {taken[0]} already: give another `suffix`")
    places = _last_before(_moments(rows, keys, on), _moments(others, keys, on), keys, exact)
    found = others.select(added).combine_chunks().take(places)
    for name in added:
        rows = rows.append_column(f"{name}{suffix}", found[name])
    return rows


def _table(source: Any) -> Any:
    import pyarrow as pa

    return pa.table(source)


def _default_keys(rows: Any, others: Any) -> list[str]:
    contract, other = ([name for name in _CONTRACT if name in each.column_names] for each in (rows, others))
    if contract != other:
        raise InputError(f"One side has {contract}, the other {other}: name in `by` what makes rows meet")
    return ["TradeDate", "Ticker", *contract]


def _require(table: Any, keys: Sequence[str], on: str) -> None:
    import pyarrow as pa

    for name in (*keys, on):
        if name not in table.column_names:
            raise InputError(f"There is no column {name!r} to join by; there are {table.column_names}")
    kind = table.schema.field(on).type
    if not pa.types.is_timestamp(kind) or kind.tz is None:
        raise InputError(f"{on!r} must be moments with a time zone, not {kind}")


def _moments(table: Any, keys: Sequence[str], on: str) -> Any:
    """The keys of the rows, their moments in nanoseconds, and where they are."""
    import pyarrow as pa

    moments = table[on].cast(pa.timestamp("ns", "UTC")).cast(pa.int64())
    columns = {name: _plain(table[name]) for name in keys}
    return pa.table({**columns, " moment": moments, " place": pa.arange(0, table.num_rows)})


def _plain(column: Any) -> Any:
    import pyarrow as pa

    kind = column.type
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def _last_before(rows: Any, others: Any, keys: Sequence[str], exact: bool) -> Any:
    """For each of the rows the place of the last of the others, or null."""
    import pyarrow as pa
    import pyarrow.compute

    pc: Any = pyarrow.compute
    # At equal moments, the rows that count as earlier come first.
    ranked = [(rows, 1), (others, 0 if exact else 2)]
    both = pa.concat_tables(
        part.cast(rows.schema).append_column(" rank", pa.repeat(pa.scalar(rank, pa.int8()), part.num_rows))
        for part, rank in ranked
    ).combine_chunks()
    order = [(name, "ascending") for name in (*keys, " moment", " rank", " place")]
    sorted_rows = both.take(pc.sort_indices(both, sort_keys=order))
    is_row = pc.equal(sorted_rows[" rank"], 1)
    # A row without a moment comes after all others of its keys, and is before none.
    is_other = pc.and_(pc.invert(is_row), pc.is_valid(sorted_rows[" moment"]))
    place = pc.fill_null_forward(pc.if_else(is_other, sorted_rows[" place"], None)).filter(is_row)
    known = sorted_rows.filter(is_row)
    meets = pc.is_valid(known[" moment"])
    for name in keys:
        own = others[name].cast(rows.schema.field(name).type).take(place)
        meets = pc.and_(meets, pc.fill_null(pc.equal(own, known[name]), False))
    return pc.if_else(meets, place, None).take(pc.sort_indices(known[" place"]))
