"""What a lazy frame needs of a query: fewer columns, days and rows. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, cast

from .catalogue import Rule
from .question import Days, Options, day_of
from .read import Question
from .target import Target

# Of one list: a request has a longest line.
FILTERS_MAX = 100
# Options by which rows are made of others, or cut off by the filters: one before is not one after.
_OF_OTHER_ROWS = {
    *("limit", "period", "interval", "session", "continuous"),
    *("adjusted", "adjusted_as_of", "adjustments"),
}


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter as the service has it; only `in` has several values."""

    column: str
    operator: str
    values: tuple[str, ...]


def narrowed(
    asked: Question,
    target: Target,
    columns: Sequence[str] | None,
    filters: Iterable[Filter],
    row_count: int | None,
    today: date,
) -> Question | None:
    """The question for some of its rows: all that pass the filters, perhaps more; None for no row."""
    options: dict[str, Any] = dict(asked.options)
    is_plain = asked.changes is None and not options.get("adjustment_factors")
    if columns and is_plain:
        options["columns"] = list(columns)
    if row_count is not None and target.page is not None:
        options["limit"] = min(row_count, options.get("limit", row_count))
    days: Days | None = asked.days
    if asked.changes is None and not _OF_OTHER_ROWS & {name for name, value in options.items() if value}:
        where = dict(options.get("where") or {})
        for each in filters:
            if each.column == target.form.date_column:
                days = _some_of(days, each, target.form.rules, today)
                if days == NO_DAYS:
                    return None
            elif _is_free(each.column, asked, target):
                # One value alone is refused where the account may not read it; a list is not.
                is_list = each.operator in ("eq", "in")
                where.setdefault(
                    f"{each.column}.{'in' if is_list else each.operator}",
                    list(each.values) if is_list else each.values[0],
                )
        if where:
            options["where"] = where
    return replace(asked, days=days, options=cast(Options, options))


def _is_free(column: str, asked: Question, target: Target) -> bool:
    """True if nothing else of the question chooses by the column."""
    return not asked.ids or column not in {target.form.symbol_column, target.form.number_column}


# No day at all.
NO_DAYS = Days(date.max, date.min)


def _some_of(days: Days | None, by: Filter, rules: Iterable[Rule], today: date) -> Days | None:
    """The days that pass a filter; as they are where they are not known, or the filter is no bound."""
    if days is None or days.is_latest or by.operator == "like":
        return days
    values = sorted(date.fromisoformat(value) for value in by.values)
    step = timedelta(days=1)
    ends = {
        "eq": (values[0], values[0]),
        "in": (values[0], values[-1]),
        "ge": (values[0], date.max),
        "gt": (values[0] + step, date.max),
        "le": (date.min, values[0]),
        "lt": (date.min, values[0] - step),
    }
    first, last = ends[by.operator]
    if days.each:
        each = tuple(day for day in days.each if first <= day <= last)
        return Days(each=each) if each else NO_DAYS
    if max(first, days.first or first) > min(last, days.last or last):
        return NO_DAYS
    # The service refuses days outside of all rules, for which the nearest wider ones inside stand in. An open
    # rule ends today, by a clock that may be behind this one.
    spans = [(day_of(rule.start), day_of(rule.end or today - step)) for rule in rules]
    firsts = [min(first, end) for start, end in spans if start <= min(first, end)]
    lasts = [max(last, start) for start, end in spans if max(last, start) <= end]
    return Days(
        max(filter(None, [days.first, *firsts]), default=None),
        min(filter(None, [days.last, *lasts]), default=None),
    )
