"""The trading days of a dataset's market. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta

from ..errors import InputError
from .answers import QueryForm


@dataclass(frozen=True, slots=True)
class TradingDay:
    """A day of trading, and the hours of each session, such as `regular`, by the clock of its market.

    A session that begins later than it ends begins on the evening before. Half days of futures are unknown.
    """

    date: date
    is_half_day: bool
    sessions: dict[str, tuple[time, time]]


def trading_days(form: QueryForm, first: date, last: date, product: str | None) -> list[TradingDay]:
    """Raises `InputError` for dates that the service tells nothing about, and a product where none is."""
    known = form["trading_calendar"]
    start, end = date.fromisoformat(known["start"]), date.fromisoformat(known["end"])
    if first < start or last > end:
        raise InputError(f"The calendar of dataset {form['dataset_id']} goes from {start} to {end}")
    if product is not None and form["root_column"] is None:
        raise InputError(f"Dataset {form['dataset_id']} has no products: leave out `product`")
    groups = known["product_groups"]
    added = {day for group in groups if product in group["roots"] for day in group["days"]}
    irregular, half_days = set(known["irregular_days"]), set(form["half_days"])
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return [
        TradingDay(day, day.isoformat() in half_days, _hours(form, day.isoformat() in half_days))
        for day in days
        if (day.weekday() < 5) != (day.isoformat() in irregular) or day.isoformat() in added
    ]


def _hours(form: QueryForm, is_half_day: bool) -> dict[str, tuple[time, time]]:
    return {
        each["name"]: (
            time.fromisoformat(each["half_day_start" if is_half_day else "start"]),
            time.fromisoformat(each["half_day_end" if is_half_day else "end"]),
        )
        for each in form["sessions"]
    }
