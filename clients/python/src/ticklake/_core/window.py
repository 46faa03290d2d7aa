"""Notes on the dates that were read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from .catalogue import Form, Rule
from .question import Days, days_of, filtered_columns, filters_of
from .read import Question

# The default start of rules, and an open end.
FIRST, LAST = "1900-01-01", "9999-12-31"


def _joined(rules: Iterable[Rule]) -> list[tuple[str, str]]:
    """The spans of the rules, with those that meet put together."""
    joined: list[tuple[str, str]] = []
    for start, end in sorted((rule.start, rule.end or LAST) for rule in rules):
        before = str(date.fromisoformat(start) - timedelta(days=1))
        if joined and joined[-1][1] >= before:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def _applying(rules: tuple[Rule, ...], ids: tuple[str, ...]) -> Iterator[list[Rule]]:
    """The rules for each identifier that some of them name, or else for each universe."""
    named = [frozenset([each]) for each in ids if any(each in rule.universe for rule in rules)]
    for each in dict.fromkeys(named or [rule.universe for rule in rules]):
        yield [rule for rule in rules if not rule.universe or (each and each <= rule.universe)]


def _readable(rules: tuple[Rule, ...], ids: tuple[str, ...], first: str, last: str) -> list[str]:
    """The readable dates of each universe that lacks some, each text once."""
    found: dict[str, None] = {}
    for own in _applying(rules, ids):
        spans = [(start, end) for start, end in _joined(own) if start <= last and end >= first]
        if spans and not any(start <= first and end >= last for start, end in spans):
            found[", ".join(f"{start}/{'..' if end == LAST else end}" for start, end in spans)] = None
    return list(found)


def _range_of(form: Form, asked: Question) -> Days | None:
    """The dates that were asked for, by themselves or by filters; None unless they are a range."""
    where = filters_of(asked.options.get("where") or {})
    ends = {
        name.partition(".")[2]: text for name, text in where if name.partition(".")[0] == form.date_column
    }
    if asked.days is None and ends and set(ends) <= {"ge", "le"}:
        return days_of((ends.get("ge"), ends.get("le")))
    days = asked.days
    return None if days is None or days.each or days.is_latest else days


def _is_of_period(window: str, period: str | None) -> bool:
    """True if a window is as long as a look-back period, leap days included."""
    start, end = (date.fromisoformat(day) for day in window.split("/"))
    days = int((period or "0D")[:-1]) * {"Y": 365, "W": 7, "D": 1}[(period or "0D")[-1]]
    return days <= (end - start).days + 1 <= days * 1.001 + 1


def window_notes(form: Form, asked: Question, window: str | None, today: date) -> Iterator[str]:
    """That the account's rules or a look-back period leave out days, or that nobody named any."""
    is_named = asked.days is not None or form.date_column in filtered_columns(asked.options)
    has_period = "period" in asked.options
    if window is not None and not is_named and not has_period:
        yield f"No dates were named: the rows are those of {window}; `start` and `end` name others"
    days = _range_of(form, asked)
    if days is None:
        return
    first, last = str(days.first or FIRST), str(days.last or today)
    is_open = days.first is None or days.last is None
    if window is not None and is_open and not has_period and _is_of_period(window, form.default_period):
        yield f"Only {window} was read, by the dataset's look-back period; `period` names a longer one"
    if told := "; of others, ".join(_readable(form.rules, asked.ids, first, last)):
        yield f"The account's rules leave out some of these dates; it may read {told}"
