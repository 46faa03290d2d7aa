"""What there is, and how to ask for it: the catalogue of the service."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from ..errors import InputError
from .answers import DatasetRow, QueryForm
from .exchange import Context, ask_json, understood
from .question import Market
from .session import CATALOGUE_SECONDS, Session
from .steps import Task

# Which dataset each word means, by text ids: the first that the account may read.
DATASETS: dict[tuple[str, Market], tuple[str, ...]] = {
    ("ticks", "equity"): ("eq_taq", "eq_trades", "eq_otc_taq"),
    ("ticks", "option"): ("opt_tanq", "opt_trades"),
    ("ticks", "future"): ("fut_taq", "fut_trades", "fut_mult_depth"),
    ("bars", "equity"): ("eq_trades_1min", "eq_taq_1min", "eq_taq_1min_ext"),
    ("bars", "option"): ("opt_trades_1min",),
    ("bars", "future"): ("fut_trades_1min", "fut_taq_1min"),
    ("daily", "equity"): ("eq_daily_ohlc", "eq_taq_daily"),
    ("daily", "option"): ("opt_greeks_daily",),
    ("daily", "future"): ("fut_daily",),
}
# Where neither the path nor a filter that is needed says by what a dataset is asked.
USUAL_IDENTIFIERS = ("Ticker", "UnderTicker", "OptionTicker", "BaseSymbol", "ASID", "SecId")


@dataclass(frozen=True, slots=True)
class Column:
    """`data_type` is the catalogue's, such as `date-time`; digits are those of a decimal."""

    name: str
    data_type: str
    precision: int | None = None
    scale: int | None = None
    description: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """The first and the last day that the account may read of the identifiers `universe`, or of all."""

    start: str
    end: str | None
    universe: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Form:
    """How a dataset is asked for."""

    dataset_id: str
    group: str
    segment: str
    path_parameters: tuple[str, ...]
    # Which of the datasets behind the path this is.
    variant: dict[str, str]
    variants: tuple[tuple[str, dict[str, str]], ...]
    date_column: str | None
    default_period: str | None
    symbol_column: str | None
    number_column: str | None
    natural_order: tuple[str, ...]
    time_zone: str
    # Rows that one page may have, by formats.
    page_rows: dict[str, int]
    columns: tuple[Column, ...]
    # Those of bars of an interval; none where rows are no bars.
    interval_columns: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    # A request for rows names a value of a column of each; files need none.
    required_filters: tuple[frozenset[str], ...] = ()

    @property
    def path(self) -> str:
        return f"{quote(self.group)}/{quote(self.segment)}"


@understood()
def columns_of(rows: Iterable[Any]) -> tuple[Column, ...]:
    return tuple(
        Column(
            row["name"],
            row["data_type"],
            row.get("precision"),
            row.get("scale"),
            row.get("description", ""),
        )
        for row in rows
    )


@understood()
def form_of(answer: QueryForm) -> Form:
    """The form from the answer of `/meta/datasets/{id}/query`."""
    columns = columns_of(answer["columns"])
    types = {column.name: column.data_type for column in columns}
    named = [
        *answer["identifier_columns"],
        *(each for row in answer["required_filters"] for each in row),
    ]
    known = [*named, *USUAL_IDENTIFIERS, *answer["sort_columns"]]
    variants = tuple((row["dataset_id"], dict(row["parameters"])) for row in answer["variants"])
    return Form(
        dataset_id=answer["dataset_id"],
        group=answer["group"],
        segment=answer["segment"],
        path_parameters=tuple(answer["path_parameters"]),
        variant=dict(variants).get(answer["dataset_id"], {}),
        variants=variants,
        date_column=answer["date_column"],
        default_period=answer["default_period"],
        symbol_column=next((name for name in known if types.get(name) == "string"), None),
        number_column=next((name for name in known if types.get(name) == "integer"), None),
        natural_order=tuple(answer["sort_columns"]),
        time_zone=answer["time_zone"],
        page_rows={name: row["maximum"] for name, row in cast(dict[str, Any], answer["limits"]).items()},
        columns=columns,
        interval_columns=tuple(answer.get("interval_columns", ())),
        rules=tuple(
            Rule(rule["start_date"], rule["end_date"], frozenset(rule["universe_identifiers"]))
            for rule in answer["rules"]
        ),
        required_filters=tuple(map(frozenset, answer["required_filters"])),
    )


def _kept(session: Session, path: str, ask: Task[Any]) -> Task[Any]:
    """An answer of the catalogue, as it was a while ago; offline as it was last time."""
    cache, settings = session.cache, session.settings
    place = settings.place("catalogue", quote(path, safe=""))
    held = cache.manifest(place, version=0) if cache and settings.offline else None
    if held is not None:
        return held["answer"]
    known = session.catalogue.get(path)
    if known is not None and known[0] > session.monotonic():
        return known[1]
    answer = yield from ask
    session.catalogue[path] = (session.monotonic() + CATALOGUE_SECONDS, answer)
    if cache is not None:
        cache.put_manifest(place, 0, {"answer": answer})
    return answer


def ask_meta(session: Session, context: Context, path: str) -> Task[Any]:
    return (yield from _kept(session, path, ask_json(session, context, path)))


@understood()
def _ids_of(rows: Iterable[DatasetRow]) -> dict[str, str]:
    """The ids of datasets, by their text ids."""
    return {row["dataset_text_id"]: str(row["dataset_id"]) for row in rows}


def _dataset_id(session: Session, context: Context, name: str) -> Task[str]:
    """The id of a dataset that is named by its id or text id; an unknown name is left to the service."""
    for path in ("/meta/datasets/my", "/meta/datasets"):
        ids = _ids_of((yield from ask_meta(session, context, path)))
        if name in ids:
            return ids[name]
        if name in ids.values():
            return name
    return name


def read_form(session: Session, context: Context, name: str) -> Task[Form]:
    """The form of a dataset, by its id or text id."""
    dataset = yield from _dataset_id(session, context, name)
    path = f"/meta/datasets/{quote(dataset, safe='')}/query"
    return form_of((yield from ask_meta(session, context, path)))


def choose_dataset(
    session: Session, context: Context, kind: str, market: Market
) -> Task[tuple[str, str | None]]:
    """The id of the dataset that `kind` means on a market, and a note where it is not the first choice.

    Raises `InputError` where there is none.
    """
    names = DATASETS.get((kind, market))
    if names is None:
        markets = [each for known, each in DATASETS if known == kind]
        raise InputError(f"`market` of {kind} must be one of {', '.join(markets)}, not {market!r}")
    ids = _ids_of((yield from ask_meta(session, context, "/meta/datasets/my")))
    for name in names:
        if name in ids:
            note = f"`{kind}` read {name}, because the account may not read {names[0]}"
            return ids[name], None if name == names[0] else note
    readable = ", ".join(sorted(ids)) or "none"
    raise InputError(
        f"The account may read none of {', '.join(names)}; name one of its datasets as `dataset`: {readable}"
    )


def variant_of(form: Form, wanted: dict[str, str]) -> str:
    """The id of the dataset behind the same path that `adjusted` and `aggregation_logic` choose."""
    if not wanted:
        return form.dataset_id
    parameters = {**form.variant, **wanted}
    for dataset_id, own in form.variants:
        if own == parameters:
            return dataset_id
    names = sorted({name for _, own in form.variants for name in own})
    for name in wanted:
        if name not in names:
            raise InputError(f"`{name}` does not apply to dataset {form.dataset_id}")
    legal = "; ".join(", ".join(f"{name}={value}" for name, value in own.items()) for _, own in form.variants)
    raise InputError(f"Dataset {form.dataset_id} has no such variant; there are: {legal}")
