"""From a question and the form of its dataset to the URLs that answer it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlencode

from ..errors import InputError
from .catalogue import Column, Form
from .question import (
    LATEST,
    Days,
    ReadOptions,
    day_filters,
    filtered_columns,
    filters_of,
    named_filter,
    period_over,
    sort_text,
    time_text,
)

# A continuous contract, such as ES.c.0, whose rows have the tickers of others.
_CONTINUOUS = re.compile(r"\.[cnv]\.\d+$")

# Parameters that are as the options of these names say.
_AS_TEXT = {
    **{name: name for name in ("sample", "interval", "session", "symbols")},
    **{name: name for name in ("adjusted_as_of", "factors_version", "rolls_version")},
    "version": "dataset_version",
}

FileFormat = Literal["parquet", "arrow"]


def is_continuous(name: str) -> bool:
    """True for a continuous contract, such as ES.c.0."""
    return _CONTINUOUS.search(name) is not None


@dataclass(frozen=True, slots=True)
class Target:
    """`page` is the path of the one data request that has all rows, `bulk` that of the manifest.

    Each is None where there is no such request. `format` is that of the page; files are Parquet.
    """

    form: Form
    format: FileFormat
    columns: tuple[Column, ...]
    page: str | None
    bulk: str | None
    scan: str | None
    limit: int | None
    # True if files are better than several pages.
    prefers_files: bool = False
    # The column that has each identifier of the question, unless something else chooses rows, too.
    id_column: str | None = None
    # Filters of the question that the service's one form of a request has in the same words.
    repeated: tuple[tuple[str, str], ...] = ()


def _id_column(form: Form, ids: tuple[str, ...]) -> str:
    column = form.number_column if ids[0].isdigit() and form.number_column else form.symbol_column
    if column is None:
        raise InputError(f"Dataset {form.dataset_id} has no identifiers; use `where`")
    return column


def _path_values(form: Form, ids: tuple[str, ...], days: Days | None) -> tuple[str, ...] | None:
    """The values of the path, None unless there is one day and one identifier."""
    latest = LATEST if days and days.is_latest else None
    values: dict[str, str | None] = {
        "trade_date": days.one.isoformat() if days and days.one else latest,
        "identifier": ids[0] if len(ids) == 1 else None,
    }
    found = [values.get(name) for name in form.path_parameters]
    return tuple(value for value in found if value) if all(found) else None


def _names_required(form: Form, filters: list[tuple[str, str]]) -> bool:
    """True if a page may be asked for with these filters."""
    named = {name.removesuffix(".eq").removesuffix(".in") for name, _ in filters}
    return all(named & columns for columns in form.required_filters)


def _all_filters(
    form: Form, ids: tuple[str, ...], days: Days | None
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    by_id = [named_filter(_id_column(form, ids), ids)] if ids else []
    if days is None:
        return by_id, []
    if form.date_column is None:
        raise InputError(f"Dataset {form.dataset_id} has no dates; leave them out or use `where`")
    return by_id, day_filters(form.date_column, days)


def _common(form: Form, days: Days | None, options: ReadOptions) -> list[tuple[str, str]]:
    """Parameters of every kind of request."""
    rows = list(form.variant.items())
    if "version" in options and "as_of" in options:
        raise InputError("Give `version` or `as_of`, not both")
    period = options.get("period") or form.default_period
    if "period" not in options and period is not None and days is not None:
        # Told in any case: files have no look-back window of their own.
        period = period_over(days) or period
    told = {
        "columns": ",".join(options.get("columns") or ()) or None,
        "period": period,
        "as_of": time_text(options["as_of"]) if "as_of" in options else None,
        "adjustments": None if options.get("adjustments") == "all" else options.get("adjustments"),
        **{name: "true" if options.get(name) else None for name in ("continuous", "adjustment_factors")},
        **{name: _text(options.get(option)) for option, name in _AS_TEXT.items()},
    }
    return rows + [(name, value) for name, value in told.items() if value is not None]


def _text(value: object) -> str | None:
    # Without an exponent, which small shares would have.
    return None if value is None else f"{value:f}" if isinstance(value, float) else str(value)


def _join(path: str, parameters: list[tuple[str, str]]) -> str:
    return f"{path}?{urlencode(parameters)}" if parameters else path


def _is_computed(options: ReadOptions) -> bool:
    """True if rows are computed from stored ones while they are read."""
    is_adjusted = "adjusted_as_of" in options or options.get("adjustments", "all") != "all"
    return bool(options.get("interval") or options.get("session")) or is_adjusted


def _first_of(wanted: tuple[FileFormat, ...], form: Form) -> FileFormat:
    for each in wanted:
        if each in form.page_rows:
            return each
    return wanted[0]


def target_of(form: Form, ids: tuple[str, ...], days: Days | None, options: ReadOptions) -> Target:
    """Raises `InputError` for what no request can say."""
    where = filters_of(options.get("where") or {})
    by_id, by_day = _all_filters(form, ids, days)
    common = _common(form, days, options)
    sort, limit = options.get("sort"), options.get("limit")
    if limit is not None and limit < 1:
        raise InputError(f"`limit` must be at least 1, not {limit}")
    is_computed = _is_computed(options)
    # Rows that only dates and identifiers choose are stretches of the stored files.
    is_stretch = not where and not sort and not is_computed
    wanted: tuple[FileFormat, ...] = ("parquet", "arrow") if is_stretch else ("arrow", "parquet")
    if is_stretch and limit is None:
        # Without such pages, files are the shorter way.
        wanted = ("parquet",)
    file_format = _first_of(wanted, form)
    page = None
    is_file = not sort and limit is None
    values = _path_values(form, ids, days)
    if is_file and not is_computed and not _names_required(form, by_id + where):
        values = None
    if values is not None:
        places = "".join(f"/{quote(value, safe='')}" for value in values)
        in_path = form.path_parameters
        own = ([] if "identifier" in in_path else by_id) + ([] if "trade_date" in in_path else by_day)
        order = [("sort", sort_text(sort))] if sort else []
        page = _join(f"{form.path}{places}", own + where + common + order)
    elif sort or limit is not None:
        raise InputError(
            "`sort` and `limit` take one "
            f"{' and one '.join(form.path_parameters)} of dataset {form.dataset_id}; "
            "sort or cut the frame instead"
        )
    columns = _columns(form, options)
    bulk = _join(f"bulk/{form.path}", by_id + by_day + where + common) if is_file else None
    return Target(
        form=form,
        format=file_format,
        columns=columns,
        page=f"data/{page}" if page else None,
        bulk=bulk,
        scan=f"data-scan/{page}" if page else None,
        limit=limit,
        prefers_files=is_stretch,
        id_column=_told_by(form, ids, columns, options),
        repeated=_repeated(form, by_id, by_day, options),
    )


def _repeated(
    form: Form, by_id: list[tuple[str, str]], by_day: list[tuple[str, str]], options: ReadOptions
) -> tuple[tuple[str, str], ...]:
    """Not numbers, companies of tickers, `latest`, and dates with other bounds: they have other words."""
    is_by_text = bool(by_id) and by_id[0][0].partition(".")[0] == form.symbol_column
    return (
        *(by_id if is_by_text and not options.get("continuous") else ()),
        *(
            by_day
            if form.date_column not in filtered_columns(options) and by_day != [(form.date_column, LATEST)]
            else ()
        ),
    )


def _told_by(
    form: Form, ids: tuple[str, ...], columns: tuple[Column, ...], options: ReadOptions
) -> str | None:
    """The column by which the rows tell which identifiers have some; None where only the service may know.

    Raises `InputError` where nobody tells a strict read.
    """
    if len(ids) < 2 or options.get("continuous") or any(map(is_continuous, ids)):
        if options.get("strict"):
            raise InputError("`strict` needs a list of identifiers, and does not go with continuous ones")
        return None
    column = _id_column(form, ids)
    is_answered = column in {each.name for each in columns}
    return column if is_answered and not options.get("where") and not options.get("limit") else None


CHANGE = "Change"
# Columns of the adjustment factors.
FACTOR_COLUMNS = ("PriceAdjFactor", "VolumeAdjFactor")


def changes_target(form: Form, start: int, end: int | None, options: ReadOptions) -> Target:
    """The rows that differ between two versions; without `end`, the later one is the current."""
    if options.get("strict"):
        raise InputError("`strict` does not go with changes")
    ends = [("from", str(start))] + ([("to", str(end))] if end is not None else [])
    names, order = options.get("columns"), options.get("sort")
    columns = [("columns", ",".join(names))] if names else []
    sort = [("sort", sort_text(order))] if order else []
    rows = ends + filters_of(options.get("where") or {}) + columns + sort
    name = f"Row{CHANGE}" if CHANGE in {column.name for column in form.columns} else CHANGE
    return Target(
        form=form,
        format="arrow",
        columns=(Column(name, "string"), *_columns(form, options)),
        page=_join(f"meta/datasets/{form.dataset_id}/changes", rows),
        bulk=None,
        scan=None,
        limit=options.get("limit"),
    )


def _columns(form: Form, options: ReadOptions) -> tuple[Column, ...]:
    """The columns of the answer, in its order. Those that do not exist are the service's to refuse."""
    known = {column.name: column for column in form.columns}
    names = options.get("columns") or (form.interval_columns if options.get("interval") else list(known))
    factors = FACTOR_COLUMNS if options.get("adjustment_factors") else ()
    return tuple(known[name] for name in dict.fromkeys([*names, *factors]) if name in known)
