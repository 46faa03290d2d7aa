"""Each library gets the catalogue's types: of full frames, of empty ones, and whichever way they came."""

from __future__ import annotations

from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import ticklake

from .conftest import Connect
from .support import rows
from .support.server import Server

ZONE = rows.ZONE
PANDAS = {
    "TradeDate": "date32[day][pyarrow]",
    # What became `str` had no name of its own before.
    "Ticker": "string" if pd.__version__.startswith("2.2.") else "str",
    "Whole": "Int64",
    "Real": "float64",
    "Exact": "decimal128(20, 4)[pyarrow]",
    "Flag": "boolean",
    "At": f"datetime64[ns, {ZONE}]",
    "Other": "date32[day][pyarrow]",
    "Words": "list<element: string>[pyarrow]",
    "Counts": "list<element: int64>[pyarrow]",
}
POLARS = {
    "TradeDate": pl.Date,
    "Ticker": pl.String,
    "Whole": pl.Int64,
    "Real": pl.Float64,
    "Exact": pl.Decimal(20, 4),
    "Flag": pl.Boolean,
    "At": pl.Datetime("ns", ZONE),
    "Other": pl.Date,
    "Words": pl.List(pl.String),
    "Counts": pl.List(pl.Int64),
}
READS: dict[str, dict[str, Any]] = {
    "all rows": {},
    "no rows": {"where": {"Ticker": "NONE"}},
    "rows by a filter": {"where": {"Whole.gt": 0}},
    "sorted rows": {"sort": "-Ticker"},
}


@pytest.fixture(params=["small pages", "one page"])
def client(request: pytest.FixtureRequest, connect: Connect, wide_server: Server) -> ticklake.Client:
    return connect(wide_server.url if request.param == "one page" else None)


@pytest.mark.parametrize("name", READS)
def test_pandas_has_types_that_lose_nothing(name: str, client: ticklake.Client) -> None:
    frame = client.dataset("kinds").read(**READS[name]).to_pandas()
    shown = {column: str(dtype) for column, dtype in frame.dtypes.items()}
    shown = {
        column: text.replace("list<item:", "list<element:").replace("list<element:", "list<element:")
        for column, text in shown.items()
    }
    assert shown == PANDAS


@pytest.mark.parametrize("name", READS)
def test_polars_has_the_types_of_the_catalogue(name: str, client: ticklake.Client) -> None:
    frame = client.dataset("kinds").read(**READS[name]).to_polars()
    assert frame.schema == pl.Schema(POLARS)


def test_values_survive_every_library(client: ticklake.Client) -> None:
    expected = rows.kinds().to_pylist()
    query = client.dataset("kinds").read()
    assert query.to_polars().to_arrow().cast(rows.KINDS_SCHEMA).to_pylist() == expected
    frame = query.to_pandas()
    for column in ("Whole", "Exact", "Flag", "Other"):
        found = [None if value is pd.NA else value for value in frame[column]]
        assert found == [row[column] for row in expected]
    missing = query.to_pandas().shift(1)["Ticker"]
    assert missing.isna().tolist() == [True] + [False] * (len(expected) - 1)
    assert (missing == "AAA").tolist() == [False] + [row["Ticker"] == "AAA" for row in expected[:-1]]
    nanos = [None if value is pd.NaT else value.value for value in frame["At"]]
    assert nanos == rows.kinds()["At"].cast("int64").to_pylist()
    with duckdb.connect() as connection:
        relation = query.to_duckdb(connection)
        assert str(relation.types[4]) == "DECIMAL(20,4)" and str(relation.types[9]) == "BIGINT[]"
        wholes = relation.project("Whole, Exact, Words").fetchall()
        assert wholes == [(row["Whole"], row["Exact"], row["Words"]) for row in expected]


def test_duckdb_has_the_types_of_the_catalogue(client: ticklake.Client) -> None:
    with duckdb.connect() as connection:
        relation = client.dataset("kinds").read("NONE").to_duckdb(connection)
        types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    assert types["Whole"] == "BIGINT" and types["Flag"] == "BOOLEAN" and types["Other"] == "DATE"
    assert types["At"].startswith(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ"))
