"""What a caller asks for, in the words of a request. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, TypeAlias, TypedDict

from ..errors import InputError

Day: TypeAlias = "date | str"
# In place of a day: the last one that the account may read.
LATEST = "latest"

# One day, a range with both ends (None leaves one open), or a list of days.
Dates: TypeAlias = "Day | tuple[Day | None, Day | None] | list[Day]"
Market: TypeAlias = Literal["equity", "option", "future"]

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class ReadOptions(TypedDict, total=False):
    """What may be said of any read.

    `start`, `end`: the first and the last date, in place of `dates`; without one of them, all there is.
    `where`: filters by column, or column, dot and operator, as the query language has them.
    `columns`, `sort` (with `-` before a column for descending), `limit` in rows.
    `sample`: a share of the rows, such as `0.01` or `1/100`, which a hash of their keys chooses.
    `version` or `as_of`: an earlier version of the dataset; without either, the current one.
    `adjusted`, `aggregation_logic`, `period`: where the dataset has such variants or a look-back window.
    `interval`: bars of another length, such as `1h` or `1w`, put together of the stored ones.
    `session`: bars of the `regular`, `extended` or `overnight` hours of the trading day alone.
    `continuous`: whether a ticker stands for the company that has it, under each ticker that it has had.
    `adjusted_as_of`, `adjustments`: with `adjusted=True`, adjusts by the events up to a date, or by `splits`.
    `adjustment_factors`: whether adjusted rows have their factors, whatever `columns` says.
    `factors_version`: a version of the adjustment factors; without it, the current one.
    `rolls_version`: a version of the dataset that ranks continuous contracts; without it, the current one.
    `symbols`: `strict` refuses tickers that meant more than one company on the dates; `any` tells of them.
    """

    start: Day | None
    end: Day | None
    where: Mapping[str, Any]
    columns: Sequence[str]
    sort: str | Sequence[str]
    limit: int
    sample: float | str
    version: int
    as_of: datetime | str
    adjusted: bool
    aggregation_logic: str
    period: str
    interval: str
    session: Literal["regular", "extended", "overnight"]
    continuous: bool
    symbols: Literal["any", "strict"]
    strict: bool
    adjusted_as_of: date | str
    adjustments: Literal["all", "splits"]
    adjustment_factors: bool
    factors_version: int
    rolls_version: int


def require_known(options: Mapping[str, Any], known: frozenset[str]) -> None:
    """Raises `InputError` for an option that there is not."""
    for name in sorted(set(options) - known):
        raise InputError(f"There is no option {name!r}; there are {', '.join(sorted(known))}")


class Options(ReadOptions, total=False):
    """What may be said of ticks, bars and daily values: also the market, or the dataset itself."""

    market: Market
    dataset: str


class UniverseOptions(TypedDict, total=False):
    """Where identifiers are looked for: the market, or the dataset itself, and its version."""

    market: Market
    dataset: str
    version: int
    as_of: datetime | str


@dataclass(frozen=True, slots=True)
class Days:
    """A range with both ends, or days one by one; all are dates of the market."""

    first: date | None = None
    last: date | None = None
    each: tuple[date, ...] = ()
    # The last day that there is, which only the service knows; then there is no other.
    is_latest: bool = False

    @property
    def one(self) -> date | None:
        """The day, if there is only one and it is known."""
        if self.is_latest:
            return None
        days: set[date | None] = set(self.each) or {self.first, self.last}
        return next(iter(days)) if len(days) == 1 else None


def day_of(value: Day) -> date:
    """Raises `InputError` for what is no day."""
    if (astype := getattr(value, "astype", None)) is not None:  # numpy's, such as the dates of a frame
        value = astype("datetime64[D]").item()
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, str) and _DAY.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise InputError(f"{value!r} is not a day: give a date, text such as 2026-11-20, or 'latest' alone")


def days_of(dates: Dates) -> Days:
    """Raises `InputError` for what is no day, range or list of days."""
    if isinstance(dates, str) and dates == LATEST:
        return Days(is_latest=True)
    if isinstance(dates, tuple):
        if len(dates) != 2:
            raise InputError("A tuple of dates is a range of two; give a list for single days")
        first, last = (None if end is None else day_of(end) for end in dates)
        if first is not None and last is not None and last < first:
            raise InputError(f"The range of dates ends on {last}, before it begins on {first}")
        return Days(first, last)
    if isinstance(dates, str) and "/" in dates:
        first_text, _, last_text = dates.partition("/")
        return days_of((first_text or None, last_text or None))
    if isinstance(dates, str) or not isinstance(dates, Iterable):
        day = day_of(dates)
        return Days(day, day)
    each = tuple(sorted({day_of(day) for day in dates}))
    if not each:
        raise InputError("The list of dates is empty")
    return Days(each=each)


def days_between(dates: Dates | None, options: ReadOptions) -> Days | None:
    """The days of `dates`, or from `start` to `end`; None where none of them is given."""
    if "start" not in options and "end" not in options:
        return None if dates is None else days_of(dates)
    if dates is not None:
        raise InputError("Give `dates`, or `start` and `end`, not both")
    return days_of((options.get("start"), options.get("end")))


def ids_of(ids: str | int | Sequence[str | int] | None) -> tuple[str, ...]:
    """Identifiers without repetitions, in their order; raises `InputError` for none or empty ones."""
    if ids is None:
        return ()
    listed = [ids] if isinstance(ids, (str, int)) else list(ids)
    texts = tuple(dict.fromkeys(str(each) for each in listed))
    if not texts or "" in texts:
        raise InputError("Give at least one identifier, such as 'AVQX', and none that is empty")
    if len({text.isdigit() for text in texts}) > 1:
        raise InputError("Give identifiers of one kind: symbols, or numbers such as an ASID")
    return texts


def value_text(value: Any) -> str:
    """A value as a filter takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, (str, int, float)):
        return str(value)
    item = getattr(value, "item", None)
    if callable(item):
        return value_text(item())
    raise InputError(f"{value!r} is not a value that a filter takes")


def list_text(values: Sequence[Any]) -> str:
    """Values of `.in`, quoted where they have to be."""

    def quoted(text: str) -> str:
        doubled = text.replace('"', '""')
        return f'"{doubled}"' if "," in text or '"' in text else text

    return ",".join(quoted(value_text(value)) for value in values)


def filters_of(where: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Filters of a request; a list, or any other series of values, means `.in`."""
    filters = []
    for name, value in where.items():
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
            if "." in name and not name.endswith(".in"):
                raise InputError(f"{name!r} takes one value, not a list")
            is_list = name.endswith(".in")
            values = sorted(value) if isinstance(value, (set, frozenset)) else list(value)
            if not values:
                raise InputError(f"The list of {name!r} is empty")
            filters.append((name if is_list else f"{name}.in", list_text(values)))
        else:
            filters.append((name, value_text(value)))
    return filters


def filtered_columns(options: ReadOptions) -> set[str]:
    """The columns that `where` is about."""
    return {name.partition(".")[0] for name in options.get("where") or {}}


def named_filter(column: str, values: Sequence[Any]) -> tuple[str, str]:
    if len(values) == 1:
        return column, value_text(values[0])
    return f"{column}.in", list_text(values)


def day_filters(column: str, days: Days) -> list[tuple[str, str]]:
    if days.is_latest:
        return [(column, LATEST)]
    if days.each:
        return [named_filter(column, days.each)]
    if days.one is not None:
        return [(column, days.one.isoformat())]
    ends = (("ge", days.first), ("le", days.last))
    return [(f"{column}.{name}", day.isoformat()) for name, day in ends if day is not None]


def period_over(days: Days) -> str | None:
    """A look-back period within which all of the days lie, so that none is cut off; None for any."""
    if days.is_latest or days.one is not None:
        return None
    if days.first is None and not days.each:
        return "200Y"
    first = days.first or days.each[0]
    # The market may be a day ahead of UTC, and the bound is exclusive.
    last = days.last or (days.each[-1] if days.each else _today() + timedelta(days=2))
    count = max(1, (last - first).days + 1)
    return f"{count}D" if count <= 9999 else f"{last.year - first.year + 1}Y"


def _today() -> date:
    return datetime.now(UTC).date()


def sort_text(sort: str | Sequence[str]) -> str:
    return sort if isinstance(sort, str) else ",".join(sort)


def time_text(at: datetime | str) -> str:
    return at if isinstance(at, str) else at.isoformat()
