"""A lazy frame of polars has the rows of an eager one, and the service is asked for what is used of them."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import reduce
from typing import Any
from urllib.parse import parse_qs, urlsplit

import polars as pl
import polars.testing as plt
import pytest

import ticklake

from .conftest import Connect
from .support import rows
from .support.fault_proxy import Fault, FaultProxy
from .support.server import Home, Server
from .support.trials import trials

DAY = rows.DAYS[-1]
ZONE = rows.ZONE
Asked = Callable[[ticklake.Client], ticklake.Query]
QUERIES: dict[str, Asked] = {
    "every type": lambda c: c.dataset("kinds").read(),
    "every type in a range": lambda c: c.dataset("kinds").read("AAA", ("2026-09-01", "2026-10-31")),
    "days of a list": lambda c: c.dataset("kinds").read(dates=["2026-09-03", "2026-09-05", "2026-09-20"]),
    "filtered before": lambda c: c.dataset("kinds").read(start="2026-09-01", where={"Flag": True}),
    "the first rows": lambda c: c.dataset("kinds").read(limit=30),
    "a day of a ticker": lambda c: c.ticks("AAA", DAY),
    "all ticks": lambda c: c.dataset("eq_taq").read(dates=(rows.DAYS[0], None)),
    "ticks in another order": lambda c: c.ticks("BBB", DAY, sort="-Price", columns=["Price", "EventType"]),
}


def eager(name: str, client: ticklake.Client) -> pl.DataFrame:
    return QUERIES[name](client).to_polars()


def random_term(chance: random.Random, frame: pl.DataFrame) -> pl.Expr:
    """A predicate of a column by values that it has, or nearly has."""
    name = chance.choice(frame.columns)
    column, kind = pl.col(name), frame.schema[name]
    if isinstance(kind, pl.List):
        return column.list.len() > 1
    known = frame[name].drop_nulls()
    values = [known[chance.randrange(len(known))] for _ in range(3)] if len(known) else []
    if not values or chance.random() < 0.1:
        return column.is_null() if chance.random() < 0.5 else column.is_not_null()
    if isinstance(kind, pl.Datetime):
        nanos = known.cast(pl.Int64)[chance.randrange(len(known))] + chance.choice([0, 1])
        return chance.choice(COMPARISONS)(column, pl.lit(nanos).cast(kind))
    if kind == pl.String:
        texts: list[pl.Expr] = [
            column == values[0],
            column.is_in(values),
            column.str.starts_with(values[0][:2]),
            column.str.ends_with(values[0][-1:]),
            column != values[0],
            column > values[0],
        ]
        return chance.choice(texts)
    if kind == pl.Boolean:
        return column if chance.random() < 0.5 else ~column
    if chance.random() < 0.3:
        return column.is_between(*values[:2], closed=chance.choice(["both", "left", "right", "none"]))
    if chance.random() < 0.3:
        return column.is_in(values)
    shift: Any = {pl.Date: timedelta(days=1), pl.Float64: 1e-9}.get(type(kind), 1)
    value = values[0] + shift if chance.random() < 0.3 else values[0]
    if chance.random() < 0.2:
        return pl.lit(value, kind) <= column
    return chance.choice(COMPARISONS)(column, value)


COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("name", QUERIES)
def test_random_filters_and_columns_give_what_eager_frames_give(name: str, connect: Connect) -> None:
    client, chance = connect(), random.Random(name)
    frame = eager(name, client)
    for _ in range(trials(25, 400)):
        terms = [random_term(chance, frame) for _ in range(chance.randint(1, 3))]
        joined = reduce(chance.choice([operator.and_, operator.and_, operator.or_]), terms)
        columns = chance.sample(frame.columns, chance.randint(1, len(frame.columns)))
        steps: list[Callable[[Any], Any]] = [
            lambda f, by=joined: f.filter(by),
            lambda f, names=columns: f.select(names),
        ]
        if chance.random() < 0.3:
            count = chance.randrange(1, 60)
            steps.insert(chance.randrange(3), lambda f, n=count: f.head(n))
        try:
            expected = reduce(lambda f, step: step(f), steps, frame)
        except pl.exceptions.ColumnNotFoundError:
            continue
        found = reduce(lambda f, step: step(f), steps, QUERIES[name](client).scan_polars()).collect()
        plt.assert_frame_equal(found, expected)


def parameters(proxy: FaultProxy) -> list[dict[str, str]]:
    """Those of the requests for rows or files."""
    asked = [path for path in proxy.paths if path.startswith(("/v1/data/", "/v1/bulk/"))]
    return [{name: value for name, [value] in parse_qs(urlsplit(path).query).items()} for path in asked]


def test_columns_and_filters_are_the_services(connect: Connect, proxy: FaultProxy) -> None:
    lazy = connect(proxy.url).ticks("AAA", DAY).scan_polars()
    assert parameters(proxy) == []
    price, moment = pl.col("Price"), datetime(2026, 11, 20, 15, tzinfo=UTC)
    when = pl.col("EventDateTime") >= pl.lit(moment).dt.cast_time_unit("ns").dt.convert_time_zone(ZONE)
    kinds = pl.col("EventType").str.starts_with("TRADE") & pl.col("Exchange").is_in(["NYSE", "ARCA"])
    lazy.filter(
        (price > 5.5) & price.is_between(1, 99.5) & (pl.lit(7) <= pl.col("Quantity")) & kinds & when
    ).select("Ticker").collect()
    told = parameters(proxy)[0]
    assert set(told["columns"].split(",")) == {
        *("Ticker", "Price", "EventDateTime", "EventType", "Exchange", "Quantity")
    }
    shown = {name: value for name, value in told.items() if "." in name}
    assert shown == {
        "Price.gt": "5.5",
        "Price.ge": "1.0",
        "Price.le": "99.5",
        "Quantity.ge": "7",
        "EventType.like": "TRADE*",
        "Exchange.in": "NYSE,ARCA",
        "EventDateTime.ge": "2026-11-20T15:00:00.000000000Z",
    }


def test_dates_are_the_services(connect: Connect, proxy: FaultProxy) -> None:
    client = connect(proxy.url)
    day = pl.col("TradeDate")
    asked = lambda **options: client.dataset("kinds").read(**options).scan_polars()  # noqa: E731
    assert (
        asked(start="2026-09-01").filter(day.is_between(date(2026, 9, 5), date(2026, 9, 6))).collect().height
        == 4
    )
    assert {("TradeDate.ge", "2026-09-05"), ("TradeDate.le", "2026-09-06")} <= parameters(proxy)[0].items()
    proxy.reset()
    assert asked(start="2026-09-01").filter(day < date(2026, 8, 1)).collect().height == 0
    assert asked(dates=["2026-09-03"]).filter(day > date(2026, 9, 3)).collect().height == 0
    assert parameters(proxy) == []
    # A look-back period is counted from the dates: it would be another one.
    asked(dates=("2026-09-01", None), period="3D").filter(day > date(2026, 9, 2)).collect()
    assert parameters(proxy)[0]["TradeDate.ge"] == "2026-09-01"


def test_rows_are_counted_by_the_service(connect: Connect, proxy: FaultProxy) -> None:
    lazy = connect(proxy.url).ticks("AAA", DAY).scan_polars()
    assert lazy.head(7).collect().height == 7
    assert [told["limit"] for told in parameters(proxy)] == ["7"]
    proxy.reset()
    assert lazy.head(7).filter(pl.col("Price") > 1e6).collect().height == 0
    assert "Price.gt" not in parameters(proxy)[0]


def test_a_filter_in_words_that_nobody_knows_is_left_to_polars(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = connect().dataset("kinds").read()
    by = (pl.col("Flag") == True) & (pl.col("Real") > 1)  # noqa: E712
    expected = query.to_polars().filter(by)
    for words in ("{}", "[]", '{"BinaryExpr": {"op": "And"}}', "no JSON"):
        monkeypatch.setattr("polars.expr.meta.ExprMetaNameSpace.serialize", lambda *_, w=words, **__: w)
        plt.assert_frame_equal(query.scan_polars().filter(by).collect(), expected)


@pytest.fixture(scope="module")
def key_of_one(home: Home, server: Server) -> str:
    """The key of an account that may read one ticker on some of the days."""
    identity = str(home.run("identity", "create", "--name", "one")["identity_id"])
    rule = ["--dataset", "kinds", "--universe", "AAA", "--start", "2026-09-03", "--end", "2026-09-20"]
    home.run("rule", "add", "--identity", identity, *rule)
    return home.key(int(identity), "one")


day, other, at = pl.col("TradeDate"), pl.col("Other"), pl.col("At")
ODD = [
    *(pl.col("Real").is_infinite(), pl.col("Real").is_nan(), pl.col("Whole") == -(2**63)),
    *(pl.col("Ticker") == "ZZZ", pl.col("Ticker") == "", pl.col("Ticker").is_in(["AAA", "B,B"])),
    *(day > date(2150, 1, 1), day >= date(2026, 9, 19), day > date(2026, 9, 20), day == date(2026, 8, 1)),
    *(day < date(2026, 9, 4), day < date(2026, 9, 3), day <= date(2026, 12, 1), day < date(9999, 12, 31)),
    *(other < date(9999, 12, 31), other > date(1, 1, 1), other.is_in([date(2026, 9, 9), date(2200, 1, 1)])),
    *(
        at > pl.lit(datetime(1890, 1, 1, tzinfo=UTC)).dt.convert_time_zone(ZONE),
        at < pl.lit(datetime(2200, 1, 2, tzinfo=UTC)).dt.convert_time_zone(ZONE),
    ),
]


@pytest.mark.parametrize("by", ODD, ids=str)
@pytest.mark.parametrize("start", ["2026-09-03", "2026-09-10"])
def test_no_filter_makes_an_error_where_an_eager_frame_has_none(
    by: pl.Expr, start: str, connect: Connect, key_of_one: str
) -> None:
    for key in ({}, {"key": key_of_one}):
        query = connect(**key).dataset("kinds").read(start=start)
        plt.assert_frame_equal(query.scan_polars().filter(by).collect(), query.to_polars().filter(by))


def test_days_outside_of_all_rules_are_not_named(
    connect: Connect, proxy: FaultProxy, key_of_one: str
) -> None:
    query = connect(proxy.url, key=key_of_one).dataset("kinds").read(start="2026-09-03")
    for by, first in ((day > date(2026, 9, 20), "2026-09-20"), (day > date(2026, 9, 9), "2026-09-10")):
        proxy.reset()
        query.scan_polars().filter(by).collect()
        assert parameters(proxy)[0]["TradeDate.ge"] == first
    proxy.reset()
    query.scan_polars().filter(pl.col("Whole") == -(2**63)).collect()
    assert parameters(proxy)[0]["Whole.in"] == str(-(2**63))


def test_all_scans_of_a_query_read_one_version(connect: Connect, proxy: FaultProxy) -> None:
    query = connect(proxy.url).dataset("kinds").read()
    query.scan_polars().filter(pl.col("Whole") > 5).collect()
    proxy.reset()
    query.scan_polars().collect()
    assert parameters(proxy)[0]["dataset_version"] == str(query.version)


def test_a_scan_gives_all_rows_or_an_error(connect: Connect, proxy: FaultProxy) -> None:
    query = connect(proxy.url, cache=False, max_retries=0).ticks("AAA", DAY, sort="EventDateTime")
    proxy.reset(lambda _, path: Fault(reset=100) if "offset=2000" in path else None)
    with pytest.raises(Exception, match="No complete answer"):
        query.scan_polars().collect()
