"""Bars of every dataset under the same names, with the moment at which each of them is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .._core.target import Target
from ..errors import InputError
from .schema import arrow_schema

# Each name and the columns that it stands for: the first that there is. Volume, average and number of a
# dataset are of the trades whose prices it has.
KEYS = {
    "ticker": ("Ticker",),
    "expiration": ("ExpirationDate", "Expiration"),
    "strike": ("Strike",),
    "call_put": ("CallPut",),
}
PRICES = {
    "open": ("OpenPrice", "FirstTradePrice", "OpenTradePrice"),
    "high": ("HighPrice", "HighTradePrice"),
    "low": ("LowPrice", "LowTradePrice"),
    "close": ("ClosePrice", "LastTradePrice", "CloseTradePrice"),
}
SUMS = {
    "volume": ("MarketHoursVolume", "TotalVolume", "TotalQuantity", "Volume"),
    "vwap": ("MarketHoursVWAP", "TotalVolumeWeightPrice", "VolumeWeightPrice"),
    "trades": ("TotalTrades",),
}
# Where `Volume` and its average are of exchanges alone: prices and `TotalTrades` are of these trades as well.
_OFF_EXCHANGE = ("FinraVolume", "FinraVolumeWeightPrice")
_TIME = "BarDateTime"
_MINUTES = {"m": 1, "h": 60}
_DAYS = {"d": "day", "w": "week", "mo": "month"}
_INTERVAL = re.compile(r"(\d+)(m|h|d|w|mo)")


@dataclass(frozen=True, slots=True)
class Naming:
    """`source` has a column's name by each new name; None where the dataset has none."""

    source: dict[str, str | None]
    dates: str
    starts: str | None
    # Minutes of a bar, or its unit of dates.
    length: int | str
    time_zone: str
    schema: Any
    # A volume and its average that are added to those of `source`.
    added: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        """The columns to ask for."""
        named = [self.dates, self.starts, *self.source.values(), *self.added]
        return list(dict.fromkeys(name for name in named if name is not None))

    def convert(self, rows: Any) -> Any:
        """A table or batch of Arrow with these columns under the new names."""
        import pyarrow as pa

        values = {
            new: rows[old] if old is not None else pa.nulls(rows.num_rows, self.schema.field(new).type)
            for new, old in self.source.items()
        }
        if self.added:
            added = [rows[name] for name in self.added]
            values["volume"], values["vwap"] = _together(values["volume"], values["vwap"], *added)
        schema = self.schema.with_metadata(rows.schema.metadata)
        return type(rows).from_arrays([*self._times(rows), *values.values()], schema=schema)

    def _times(self, rows: Any) -> tuple[Any, Any]:
        """The starts and the ends."""
        import pyarrow as pa
        import pyarrow.compute

        pc: Any = pyarrow.compute
        if isinstance(self.length, int):
            length = pa.scalar(self.length * 60_000_000_000, pa.duration("ns"))
            return rows[self.starts], pc.add(rows[self.starts], length)
        midnight = rows[self.dates].cast(pa.timestamp("ns"))
        after = pc.ceil_temporal(midnight, 1, self.length, ceil_is_strictly_greater=True)
        begin = rows[self.starts] if self.starts else pc.assume_timezone(midnight, self.time_zone)
        return begin, pc.assume_timezone(after, self.time_zone)


def _together(volume: Any, average: Any, other: Any, other_average: Any) -> tuple[Any, Any]:
    """The volume of both, and its average price."""
    import pyarrow as pa
    import pyarrow.compute

    pc: Any = pyarrow.compute
    shares = [pc.coalesce(each.cast("double"), 0.0) for each in (volume, other)]
    amounts = [
        pc.if_else(pc.equal(count, 0.0), 0.0, pc.multiply(count, price))
        for count, price in zip(shares, (average, other_average), strict=True)
    ]
    total, nothing = pc.add(*shares), pa.scalar(None, pa.float64())
    both = pc.coalesce(pc.add(volume, other).cast(volume.type), volume, other)
    return both, pc.if_else(pc.greater(total, 0.0), pc.divide(pc.add(*amounts), total), nothing)


def naming_of(target: Target, interval: str | None) -> Naming:
    """Raises `InputError` for a dataset whose rows are no bars."""
    import pyarrow as pa

    form, names = target.form, {column.name for column in target.columns}
    source = {
        new: next((name for name in known if name in names), None)
        for new, known in {**KEYS, **PRICES, **SUMS}.items()
    }
    if form.date_column is None or any(source[name] is None for name in PRICES):
        raise InputError(f"Rows of dataset {form.dataset_id} are no bars with open, high, low and close")
    source = {new: old for new, old in source.items() if old is not None or new not in KEYS}
    starts = _TIME if _TIME in names else None
    count, unit = _parts(interval or ("1m" if starts else "1d"))
    types = {field.name: field.type for field in arrow_schema(target.columns, form.time_zone)}
    absent = {"volume": pa.int64(), "vwap": pa.float64(), "trades": pa.int64()}
    moment = pa.timestamp("ns", form.time_zone)
    fields = {new: types[old] if old else absent[new] for new, old in source.items()}
    return Naming(
        source,
        form.date_column,
        starts,
        count * _MINUTES[unit] if unit in _MINUTES else _DAYS[unit],
        form.time_zone,
        pa.schema({"time": moment, "end": moment, **fields}),
        _OFF_EXCHANGE if source["volume"] == "Volume" and names.issuperset(_OFF_EXCHANGE) else (),
    )


def _parts(interval: str) -> tuple[int, str]:
    found = _INTERVAL.fullmatch(interval)
    if found is None:
        raise InputError(f"{interval!r} is not a length of bars, such as 5m, 1h or 1w")
    return int(found[1]), found[2]
