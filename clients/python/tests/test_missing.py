"""Identifiers of a list that have no rows: unknown ones, and those that the account may not read."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import ticklake
from ticklake import Missing
from ticklake._core.catalogue import Rule
from ticklake._core.page_head import PageHead
from ticklake._core.read import question
from ticklake._core.window import window_notes

from .conftest import Connect
from .support import rows
from .support.server import Home, Server

DAYS = (rows.DAYS[0], rows.DAYS[-1])
UNKNOWN = [f"X{number}" for number in range(27)]
ASKED = ["AAA", "BBB", "CCC", *UNKNOWN]
ALL_MISSING = Missing(28, 30, ("CCC", *UNKNOWN))
TAKES: dict[str, Callable[[ticklake.Query], Any]] = {
    "arrow": lambda query: query.to_arrow(),
    "polars": lambda query: query.to_polars(),
    "pandas": lambda query: query.to_pandas(),
    "batches": lambda query: list(query.batches()),
}


@pytest.fixture(scope="module")
def key_of_two(home: Home, server: Server) -> str:
    """The key of an account that may read two tickers."""
    identity = str(home.run("identity", "create", "--name", "two")["identity_id"])
    rule = ["--dataset", "eq_taq", "--universe", "AAA,BBB"]
    home.run("rule", "add", "--identity", identity, *rule)
    return home.key(int(identity), "two")


@pytest.mark.parametrize("name", TAKES)
def test_a_read_names_the_identifiers_of_its_list_that_have_no_rows(
    name: str, server: Server, key_of_two: str, tmp_path: Path
) -> None:
    with ticklake.Client(server.url, key_of_two, cache=tmp_path) as client:
        query = client.ticks(ASKED, DAYS)
        with pytest.warns(
            ticklake.MissingIdentifiersWarning,
            match="No rows of 28 of 30 identifiers: CCC, X0, X1, X2, X3, …",
        ):
            TAKES[name](query)
        assert query.missing == ALL_MISSING
        with pytest.raises(ticklake.MissingIdentifiersError, match="No rows of 28 of 30") as refused:
            TAKES[name](client.ticks(ASKED, DAYS, strict=True))
        assert refused.value.identifiers == ("CCC", *UNKNOWN)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            whole = client.ticks(["AAA", "BBB"], DAYS, strict=True)
            TAKES[name](whole)
            assert whole.missing == Missing(0, 2, ())


def test_a_number_with_zeros_before_it_is_not_missing(connect: Connect) -> None:
    first, second = (1010000000000000 + sum(map(ord, ticker)) for ticker in ("AAA", "BBB"))
    query = connect().ticks([f"0{first}", str(second)], DAYS)
    assert query.to_arrow().num_rows > 0
    assert query.missing == Missing(0, 2, ())


def test_an_async_read_names_them_too(server: Server, key_of_two: str) -> None:
    async def missing() -> Missing | None:
        async with ticklake.AsyncClient(server.url, key_of_two, cache=False) as client:
            query = client.ticks(["AAA", "CCC"], DAYS)
            with pytest.warns(ticklake.MissingIdentifiersWarning):
                await query.to_arrow()
            return query.missing

    assert asyncio.run(missing()) == Missing(1, 2, ("CCC",))


@pytest.mark.parametrize("options", [{"where": {"Price.gt": 1e9}}, {"columns": ["Price"]}, {}])
def test_the_service_names_them_where_the_rows_do_not(
    options: dict[str, Any], server: Server, key_of_two: str, tmp_path: Path
) -> None:
    with ticklake.Client(server.url, key_of_two, cache=tmp_path) as client:
        query = client.ticks(ASKED, DAYS, **options)
        said = "No rows of 28 of 30 identifiers: CCC, X0"
        with pytest.warns(ticklake.MissingIdentifiersWarning, match=said):
            query.to_arrow() if options else query.download(tmp_path / "files")
        assert query.missing == ALL_MISSING
        with pytest.raises(ticklake.MissingIdentifiersError) as refused:
            client.ticks(ASKED, DAYS, strict=True, **options).to_arrow()
        assert refused.value.identifiers == ("CCC", *UNKNOWN)


def test_a_strict_download_without_some_of_them_writes_nothing(
    server: Server, key_of_two: str, tmp_path: Path
) -> None:
    client = ticklake.Client(server.url, key_of_two, cache=False)
    with client, pytest.raises(ticklake.MissingIdentifiersError, match="No rows of 28 of 30 identifiers"):
        client.ticks(ASKED, DAYS, strict=True).download(tmp_path / "files")
    assert not (tmp_path / "files").exists()


def test_the_header_of_a_page_and_of_the_same_page_in_the_cache_names_them(connect: Connect) -> None:
    for settings in ({}, {}, {"offline": True}):
        query = connect(**settings).dataset("kinds").read(["AAA", "NOPE"], limit=1)
        with pytest.warns(ticklake.MissingIdentifiersWarning, match="No rows of 1 of 2 identifiers: NOPE"):
            query.to_arrow()
        assert query.missing == Missing(1, 2, ("NOPE",))


@pytest.mark.parametrize("asked", [("AAA",), (["AAA", "BBB"], {"continuous": True})])
def test_what_nobody_can_tell_is_refused_to_a_strict_read(asked: Any, connect: Connect) -> None:
    ids, options = (*asked, {})[:2]
    with pytest.raises(ticklake.InputError, match="`strict` needs a list of identifiers"):
        connect().ticks(ids, DAYS, strict=True, **options).to_arrow()


@pytest.mark.parametrize(
    ("dates", "said"),
    [
        (("2020-01-01", None), "it may read 2024-01-01/2024-06-30, 2025-01-01/2025-12-31"),
        ((None, "2024-03-01"), "it may read 2024-01-01/2024-06-30"),
        (("2024-03-01", "2025-02-01"), "it may read 2024-01-01/2024-06-30, 2025-01-01/2025-12-31"),
        (("2024-01-01", "2024-06-30"), None),
        (["2024-01-01", "2025-06-30"], None),
        (("2025-01-01", None), "it may read 2025-01-01/2025-12-31"),
        (None, "No dates were named: the rows are those of 2024-01-01/2025-12-31"),
    ],
)
def test_dates_that_the_rules_or_a_window_leave_out_are_told(dates: Any, said: str | None) -> None:
    rules = (
        Rule("2025-01-01", "2025-12-31"),
        Rule("2024-01-01", "2024-04-30"),
        Rule("2024-05-01", "2024-06-30"),
    )
    window = None if said is None else "2024-01-01/2025-12-31"
    notes = notes_on(rules, ["AAA"], dates, window)
    assert (not notes) if said is None else (said in notes[0] and len(notes) == 1)


def notes_on(rules: tuple[Rule, ...], ids: Any, dates: Any, window: str | None, **options: Any) -> list[str]:
    form: Any = SimpleNamespace(rules=rules, date_column="TradeDate", default_period="5Y")
    asked = question("bars", None, ids, dates, cast(Any, options))
    return list(window_notes(form, asked, window, date(2026, 7, 1)))


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ("AAA", "2024-01-01/2024-12-31"),
        ("BBB", "2025-01-01/2025-12-31"),
        (["AAA", "BBB"], "2024-01-01/2024-12-31; of others, 2025-01-01/2025-12-31"),
        (None, "2024-01-01/2024-12-31; of others, 2025-01-01/2025-12-31"),
        ("BOTH", None),
    ],
)
def test_rules_of_other_identifiers_close_no_gap(ids: Any, said: str | None) -> None:
    rules = (
        Rule("2024-01-01", "2024-12-31", frozenset(["AAA", "BOTH"])),
        Rule("2025-01-01", "2025-12-31", frozenset(["BBB", "BOTH"])),
    )
    notes = notes_on(rules, ids, ("2024-01-01", "2025-12-31"), None)
    whole = f"The account's rules leave out some of these dates; it may read {said}"
    assert notes == ([] if said is None else [whole])


@pytest.mark.parametrize(
    ("where", "period", "said"),
    [
        (
            {"TradeDate.ge": "2010-01-01"},
            None,
            "Only 2010-01-01/2014-12-31 was read, by the dataset's look-back",
        ),
        ({"TradeDate.ge": "2010-01-01"}, "20Y", None),
        ({"TradeDate.ge": "2022-01-01"}, None, None),
        ({"TradeDate.in": ["2010-01-01", "2022-01-01"]}, None, None),
    ],
)
def test_a_look_back_period_that_cuts_a_filter_on_dates_is_told(
    where: dict[str, Any], period: str | None, said: str | None
) -> None:
    window = "2010-01-01/2014-12-31" if where.get("TradeDate.ge") == "2010-01-01" else "2022-01-01/2026-07-01"
    options = {"where": where, **({"period": period} if period else {})}
    notes = notes_on((Rule("1900-01-01", None),), "AAA", None, window, **options)
    assert (not notes) if said is None else (len(notes) == 1 and notes[0].startswith(said))


def test_a_read_without_dates_is_told_which_ones_it_read(connect: Connect) -> None:
    query = connect().dataset("kinds").read("AAA")
    with pytest.warns(ticklake.ReadWarning, match="No dates were named: the rows are those of 20"):
        query.to_arrow()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        connect().dataset("kinds").read("AAA", period="1Y").to_arrow()
        connect().dataset("kinds").read("AAA", (None, None)).to_arrow()
        connect().dataset("kinds").read("AAA", where={"TradeDate.ge": "2026-09-01"}).to_arrow()


def test_a_read_of_another_dataset_than_usual_is_warned_of(home: Home, server: Server) -> None:
    identity = home.run("identity", "create", "--name", "other")["identity_id"]
    home.run("rule", "add", "--identity", str(identity), "--dataset", "eq_trades")
    said = "`ticks` read eq_trades, because the account may not read eq_taq"
    with (
        ticklake.Client(server.url, home.key(int(identity), "other"), cache=False) as client,
        pytest.warns(ticklake.ReadWarning, match=said),
    ):
        client.ticks("AAA", DAYS).to_arrow()


def test_a_ticker_of_two_companies_is_warned_of(connect: Connect) -> None:
    query = connect().ticks("AAA", DAYS)
    symbols = "AAA 1 2020-01-01/2020-06-30, AAA 2 2020-07-01/2020-12-31"
    query._asking.told = PageHead({"dataset_version": 1}, None, None, None, None, symbols=symbols)
    with pytest.warns(ticklake.ReadWarning, match="more than one company on these dates: AAA 1"):
        query._finish()


def test_a_strict_read_by_batches_raises_before_its_first_row(connect: Connect) -> None:
    batches = connect().dataset("kinds").read(["AAA", "NOPE"], strict=True, sort="Ticker").batches()
    with pytest.raises(ticklake.MissingIdentifiersError, match="No rows of 1 of 2 identifiers: NOPE"):
        next(batches)
