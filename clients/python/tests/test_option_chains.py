"""Option chains: read along their pages, and typed as the service's schema has them."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ticklake
from ticklake._core.answers import OPTION_CHAIN_CONTRACT
from ticklake._frames.arrow import table_of_records

from .conftest import Homes
from .support.rows import ZONE
from .support.server import Home, Server

DATE = "2026-11-20"
EXPIRATIONS = ("2026-11-27", "2026-12-18")
STRIKES = (95.0, 100.0, 102.5)
# What only the last of many contracts has.
LAST_STRIKE = 224.5
LAST_NANOS = 1_795_208_396_629_986_923
LAST_TIME = "15:59:56.629986923"


def row(time: str, ticker: str, expiration: str, strike: float, right: str, **own: Any) -> dict[str, Any]:
    return {
        **{"TradeDate": DATE, "EventDateTime": f"{DATE}T{time}", "Ticker": ticker},
        **{"CallPut": right, "Strike": strike, "ExpirationDate": expiration},
        **{"Action": "FQ NB", "Side": "B", "Price": 1.0, "Quantity": 7, **own},
    }


def many_contracts() -> list[dict[str, Any]]:
    """120 of a whole strike, which have bids alone, and one after them that has all there is."""
    days = [(date.fromisoformat(DATE) + timedelta(days=number)).isoformat() for number in range(61)]
    last = ("MANY", days.pop(), LAST_STRIKE, "C")
    return [
        *(row("10:00:00", "MANY", day, 180.0, right) for day in days for right in "CP"),
        row("09:30:00", *last, Action="OI", Side=None, Price=None, Quantity=11),
        row(LAST_TIME, *last, Side="A", Price=1.27),
        row(LAST_TIME, *last, Action="T", Side=None, Price=1.26),
    ]


def publish(home: Home, folder: Path, late: float) -> None:
    """A bid at ten and one at three of each contract on AAA, and many contracts on MANY."""
    rows = [
        row(time, "AAA", expiration, strike, right, Price=price)
        for time, price in (("10:00:00", 1.0), ("15:00:00", late))
        for expiration in EXPIRATIONS
        for strike in STRIKES
        for right in "CP"
    ]
    file = folder / "quotes.csv"
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows([*rows, *many_contracts()])
    home.run("ingest", "opt_tanq", str(file), "--replace=dataset", "--allow-loss", "--again")


@pytest.fixture(scope="module")
def served(homes: Homes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Home, Server]]:
    folder = tmp_path_factory.mktemp("chains")
    home = homes.small.copy(folder / "home")
    publish(home, folder, 2.0)
    home.run("rule", "add", "--identity", "1", "--dataset", "opt_tanq")
    server = Server(home)
    yield home, server
    server.stop()


@pytest.fixture
def client(homes: Homes, served: tuple[Home, Server]) -> Iterator[ticklake.Client]:
    with ticklake.Client(served[1].url, homes.key, cache=False) as made:
        yield made


def bids(chain: ticklake.OptionChain) -> list[float]:
    bids: list[float] = chain.to_arrow()["bid_price"].to_pylist()
    return bids


def symbols(chain: ticklake.OptionChain) -> list[str]:
    symbols: list[str] = chain.to_arrow()["osi_symbol"].to_pylist()
    return symbols


def test_a_chain_is_that_of_a_date_or_of_a_moment(client: ticklake.Client) -> None:
    chain = client.option_chain("AAA", date(2026, 11, 20))
    assert bids(chain) == [2.0] * 12
    assert symbols(chain)[0] == "AAA   261127C00095000"
    assert bids(client.option_chain("AAA", at=datetime(2026, 11, 20, 10))) == [1.0] * 12
    chosen = client.option_chain(
        "AAA", DATE, expiration=(None, "2026-12-01"), strike=(96, 100.0), call_put="P"
    )
    assert symbols(chosen) == ["AAA   261127P00100000"]
    one = client.option_chain("AAA", DATE, expiration="2026-12-18", strike=102.5, call_put="C")
    assert one.to_arrow()["expiration_date"].to_pylist() == [date(2026, 12, 18)]
    with pytest.raises(ticklake.NotFoundError, match="never been published"):
        client.option_chain("AAA", DATE, version=9).info()


def test_nothing_is_sent_before_an_answer_is_needed() -> None:
    with ticklake.Client("http://127.0.0.1:9", "key", cache=False, max_retries=0) as client:
        chain = client.option_chain("AAA", at="2026-11-20T11:30:00", strike=100)
        assert repr(chain) == "<OptionChain underlying=AAA&at=2026-11-20T11:30:00&strike=100>"
        with pytest.raises(ticklake.InputError, match="of a date, or `at` a moment"):
            client.option_chain("AAA")
        with pytest.raises(ticklake.InputError, match=r"no option 'strikes'; there are .*root, strike"):
            client.option_chain("AAA", DATE, strikes=3)  # type: ignore[call-arg]
        with pytest.raises(ticklake.TransportError):
            chain.info()


def test_beside_its_contracts_a_chain_has_its_moment_sources_and_expirations(client: ticklake.Client) -> None:
    info = client.option_chain("AAA", DATE).info()
    assert info.keys() == {
        *("underlying", "date", "at", "underlying_bid_price", "underlying_ask_price", "underlying_time"),
        *("greeks_date", "sources", "expirations", "contract_count"),
    }
    assert info["at"] == "2026-11-20T16:00:00.000000000-05:00"
    assert [source["state"] for source in info["sources"]] == ["read", "forbidden", "forbidden"]
    assert [each["expiration_date"] for each in info["expirations"]] == list(EXPIRATIONS)


def test_all_pages_and_calls_are_of_the_versions_of_the_first(
    client: ticklake.Client, served: tuple[Home, Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    connections = client._driver._connections()
    own = connections.stream

    def stream(method: str, url: str, **rest: Any) -> Any:
        if "/option-chain" in url:
            if len(asked) == 1:
                publish(served[0], tmp_path, 3.0)
            asked.append(url)
        return own(method, url, **rest)

    monkeypatch.setattr(connections, "stream", stream)
    chain = client.option_chain("AAA", DATE, page_contracts=5)
    assert bids(chain) == [2.0] * 12
    assert len(asked) == 3
    later = client.option_chain("AAA", DATE)
    assert bids(later) == [3.0] * 12
    versions = [each.info()["sources"][0]["dataset_version"] for each in (chain, later)]
    assert versions[0] < versions[1]
    assert chain.to_polars()["bid_price"].to_list() == [2.0] * 12
    assert len(asked) == 4
    assert bids(client.option_chain("AAA", DATE, version=versions[0])) == [2.0] * 12
    publish(served[0], tmp_path, 2.0)


def test_values_are_exact_in_every_library(client: ticklake.Client) -> None:
    chain = client.option_chain("MANY", DATE)
    strikes, nothing = [180.0] * 120 + [LAST_STRIKE], [None] * 120
    expected = {"ask_price": 1.27, "ask_size": 7, "last_trade_price": 1.26, "open_interest": 11}
    table, frame, other = chain.to_arrow(), chain.to_polars(), chain.to_pandas()
    assert table["strike"].to_pylist() == frame["strike"].to_list() == list(other["strike"]) == strikes
    for name, value in expected.items():
        found = [None if pd.isna(each) else each for each in other[name]]
        assert table[name].to_pylist() == frame[name].to_list() == found == [*nothing, value]
    for name in ("ask_time", "last_trade_time"):
        nanos = [*nothing, LAST_NANOS]
        assert table[name].cast("int64").to_pylist() == frame[name].to_physical().to_list() == nanos
        assert [None if each is pd.NaT else each.value for each in other[name]] == nanos
    with duckdb.connect() as connection:
        relation = chain.to_duckdb(connection)
        rows = relation.project("strike, ask_price, open_interest, epoch_ns(ask_time)").fetchall()
        # DuckDB before 2.0 has times with a zone to the microsecond.
        digits = 1 if "TIMESTAMPTZ_NS" in map(str, relation.types) else 1000
    assert [each[0] for each in rows] == strikes
    assert {each[1:] for each in rows[:-1]} == {(None, None, None)}
    assert rows[-1][1:] == (1.27, 11, LAST_NANOS // digits * digits)


@pytest.mark.parametrize("strike", [1.0, 180.0])
def test_columns_have_their_types_in_every_library_also_without_contracts(
    strike: float, client: ticklake.Client
) -> None:
    chain = client.option_chain("MANY", DATE, strike=strike)
    some = {
        "root": (pa.string(), pl.String, "str", "VARCHAR"),
        "expiration_date": (pa.date32(), pl.Date, "date32[day][pyarrow]", "DATE"),
        "strike": (pa.float64(), pl.Float64, "float64", "DOUBLE"),
        "asid": (pa.int64(), pl.Int64, "Int64", "BIGINT"),
        "is_weekly": (pa.bool_(), pl.Boolean, "boolean", "BOOLEAN"),
        "bid_time": (
            *(pa.timestamp("ns", ZONE), pl.Datetime("ns", ZONE)),
            *(f"datetime64[ns, {ZONE}]", "TIMESTAMP WITH TIME ZONE"),
        ),
    }
    table, frame, other = chain.to_arrow(), chain.to_polars(), chain.to_pandas()
    assert table.num_rows == (0 if strike == 1.0 else 120)
    assert table.column_names == frame.columns == list(other.columns) == list(OPTION_CHAIN_CONTRACT)
    with duckdb.connect() as connection:
        relation = chain.to_duckdb(connection)
        names = [str(each).replace("TIMESTAMPTZ_NS", "TIMESTAMP WITH TIME ZONE") for each in relation.types]
        types = dict(zip(relation.columns, names, strict=True))
    for name, expected in some.items():
        found = (table.schema.field(name).type, frame.schema[name], str(other[name].dtype), types[name])
        assert found == expected


def test_columns_are_those_of_the_services_schema(served: tuple[Home, Server]) -> None:
    with urlopen(f"{served[1].url}/v1/openapi.json") as answer:
        fields = json.load(answer)["components"]["schemas"]["OptionChainContract"]["properties"]

    def data_type(field: dict[str, Any]) -> str:
        told = next((each for each in field.get("anyOf", []) if each.get("type") != "null"), field)
        kinds = told["type"] if isinstance(told["type"], list) else [told["type"]]
        return str(told.get("format", kinds[0]))

    assert {name: data_type(field) for name, field in fields.items()} == OPTION_CHAIN_CONTRACT


@pytest.mark.parametrize(
    ("arrow_type", "value"),
    [
        *((pa.int64(), value) for value in (1.5, True, "1", 2**70)),
        *((pa.float64(), value) for value in ("1.5", {})),
        *((pa.date32(), value) for value in (3, "2026-13-01")),
        *((pa.timestamp("ns", ZONE), value) for value in (3, "2026-11-20T15:59:56")),
        *((pa.string(), value) for value in (3, [])),
        (pa.bool_(), 1),
    ],
)
def test_a_value_that_is_not_of_its_column_is_refused(arrow_type: Any, value: Any) -> None:
    schema = pa.schema([("column", arrow_type)])
    for record in ({"column": value}, {"colunm": None}):
        with pytest.raises(ticklake.IntegrityError, match="types of its columns"):
            table_of_records([record], schema)


def test_the_asynchronous_client_reads_the_same_chain(
    homes: Homes, served: tuple[Home, Server], client: ticklake.Client
) -> None:
    chain = client.option_chain("MANY", DATE)

    async def read() -> None:
        async with ticklake.AsyncClient(served[1].url, homes.key, cache=False) as other:
            same = other.option_chain("MANY", DATE)
            table, info = await asyncio.gather(same.to_arrow(), same.info())
            assert table == chain.to_arrow() and info == chain.info()
            assert (await same.to_polars()).equals(chain.to_polars())
            assert (await same.to_pandas()).equals(chain.to_pandas())
            with duckdb.connect() as connection:
                rows = (await same.to_duckdb(connection)).fetchall()
                assert rows == chain.to_duckdb(connection).fetchall()

    asyncio.run(read())
