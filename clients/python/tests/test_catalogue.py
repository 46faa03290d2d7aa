"""Which dataset a call means, and what the catalogue tells of it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import ticklake

from .conftest import Connect


def test_a_dataset_is_found_by_its_id_and_its_text_id(connect: Connect) -> None:
    client = connect()
    by_id, by_text = client.dataset("US9001"), client.dataset("kinds")
    assert by_id.columns() == by_text.columns()
    assert [column.name for column in by_id.columns()][:2] == ["TradeDate", "Ticker"]
    versions = [row["version"] for row in by_text.versions()]
    assert versions == list(range(len(versions), 0, -1))
    assert by_text.info()["dataset_text_id"] == "kinds"
    assert {row["dataset_text_id"] for row in client.datasets()} == {"eq_taq", "kinds", "eq_sec_master"}


def test_a_market_without_such_data_is_refused(connect: Connect) -> None:
    elsewhere: Any = {"market": "bond"}
    with pytest.raises(ticklake.InputError, match="equity, option, future"):
        connect().daily("ES", **elsewhere).estimate()


def test_a_variant_that_there_is_not_is_refused(connect: Connect) -> None:
    with pytest.raises(ticklake.InputError, match="adjusted"):
        connect().ticks("AAA", "2026-11-20", adjusted=True).estimate()


def test_ticks_sort_or_limit_over_one_day_and_identifier_only(connect: Connect) -> None:
    with pytest.raises(ticklake.InputError, match="trade_date"):
        connect().ticks(["AAA", "BBB"], "2026-11-20", limit=5).estimate()


@pytest.mark.parametrize("library", ["polars", "pandas", "duckdb"])
def test_a_library_that_is_missing_is_named_before_anything_is_sent(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ticklake._frames.library.find_spec", lambda name: None)
    query = ticklake.Client("http://127.0.0.1:1", "key", cache=tmp_path).ticks("AAA", "2026-11-20")
    with pytest.raises(ticklake.MissingLibraryError, match=f"pip install {library}"):
        getattr(query, f"to_{library}")()


def test_importing_the_package_imports_no_library() -> None:
    heavy = ["httpx2", "pyarrow", "numpy", "pandas", "polars", "duckdb", "tqdm", "asyncio"]
    program = f"import sys, ticklake; print([m for m in {heavy[:-1]!r} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_symbols_are_resolved_and_securities_searched(connect: Connect) -> None:
    client = connect()
    answer = client.resolve(["OLD", "NOPE"], start="2020-01-01", end=date(2020, 12, 31))
    assert answer["not_found"] == ["NOPE"]
    [interval] = answer["resolved"][0]["intervals"]
    assert (interval["sec_id"], interval["end_date"]) == (33, "2020-06-30")
    assert interval["next"] == {"ticker": "NEW", "date": "2020-07-01"}
    assert [row["ticker"] for row in client.search("second corp", limit=1)] == ["NEW"]
    assert asyncio.run(searched_async(client)) == client.search("new")
    with pytest.raises(ticklake.InvalidRequestError, match="FIGI"):
        client.resolve("OLD", type="Name")


async def searched_async(client: ticklake.Client) -> list[dict[str, Any]]:
    settings = client._session.settings
    async with ticklake.AsyncClient(settings.origin, settings.key, cache=False) as other:
        return await other.search("new")
