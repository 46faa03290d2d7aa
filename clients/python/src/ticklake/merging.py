"""Rows of several queries in the order in which they became known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import merge
from typing import Any

from ._frames.library import require
from .errors import InputError
from .query import Bars, Query

# When it became known, as nanoseconds; then bars before ticks of the moment at which they end, and queries in
# the order in which they are named.
_Key = tuple[int, int, int]
_Event = tuple[_Key, str, dict[str, Any]]


def replay(queries: Mapping[str, Query | Bars]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of all queries in the order of time, each with the name of its query.

    Ticks come at their time, and bars, as `query.ohlcv()` gives them, at their `end`. Rows of one moment are
    in the order of their dataset. A trade date of each query is in memory at the same time. Needs pandas.
    Raises `InputError` when the dates of a query do not rise, as in another order of `sort`.
    """
    require("pandas")
    events = [_events(number, name, query) for number, (name, query) in enumerate(queries.items())]
    for _, name, row in merge(*events, key=lambda event: event[0]):
        yield name, row


def _events(number: int, name: str, query: Query | Bars) -> Iterator[_Event]:
    import pyarrow as pa

    source, convert, column, date = _source(query)
    rank = int(isinstance(query, Query))
    for rows in _by_dates(source.batches(), date):
        table = convert(rows)
        table = table.sort_by(column)
        for moment, row in zip(table[column].cast(pa.int64()).to_pylist(), table.to_pylist(), strict=True):
            yield (moment, rank, number), name, row


def _source(query: Query | Bars) -> tuple[Query, Callable[[Any], Any], str, str]:
    """What to read, what its rows become, and the columns by which they are known and dated."""
    if isinstance(query, Bars):
        naming, source = query._named()
        return source, naming.convert, "end", naming.dates
    form = query._driver.run(query._resolve()).form
    types = {column.name: column.data_type for column in form.columns}
    column = next((name for name in form.natural_order if types.get(name) == "date-time"), None)
    if column is None or form.date_column is None or form.interval_columns:
        raise InputError(f"Replay ticks, or bars as `ohlcv()` gives them, not rows of {form.dataset_id}")
    return query, lambda rows: rows, column, form.date_column


def _by_dates(batches: Iterable[Any], date: str) -> Iterator[Any]:
    """The rows of each date. Raises `InputError` unless the dates come one after the other."""
    import pyarrow as pa
    import pyarrow.compute

    pc: Any = pyarrow.compute
    held: list[Any] = []
    for batch in batches:
        for day in batch[date].unique():
            before = held[-1][date][0].as_py() if held else None
            if before is not None and day.as_py() < before:
                raise InputError(f"Replay rows in the order of their dates: {day} comes after {before}")
            if before is not None and day.as_py() > before:
                yield pa.Table.from_batches(held)
                held = []
            held.append(batch.filter(pc.equal(batch[date], day)))
    if held:
        yield pa.Table.from_batches(held)
