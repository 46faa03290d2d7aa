"""Option chains, along their pages."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

import ticklake

from .conftest import Homes
from .support.server import Home, Server

DATE = "2020-06-18"
EXPIRATIONS = ("2020-06-19", "2020-07-17")
STRIKES = (95.0, 100.0, 102.5)


def publish(home: Home, folder: Path, late: float) -> None:
    """A bid at ten and one at three of each contract."""
    rows = [
        {
            **{"TradeDate": DATE, "EventDateTime": f"{DATE}T{time}:00", "Ticker": "AAA"},
            **{"CallPut": right, "Strike": strike, "ExpirationDate": expiration},
            **{"Action": "FQ NB", "Side": "B", "Price": price, "Quantity": 7},
        }
        for time, price in (("10:00", 1.0), ("15:00", late))
        for expiration in EXPIRATIONS
        for strike in STRIKES
        for right in "CP"
    ]
    file = folder / "quotes.csv"
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    home.run("ingest", "opt_tanq", str(file), "--replace=dataset", "--allow-loss")


@pytest.fixture(scope="module")
def served(homes: Homes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Home, Server]]:
    folder = tmp_path_factory.mktemp("chains")
    home = homes.small.copy(folder / "home")
    publish(home, folder, 2.0)
    home.run("rule", "add", "--identity", "1", "--dataset", "opt_tanq")
    server = Server(home)
    yield home, server
    server.stop()


def bids(chain: dict[str, Any]) -> list[float]:
    return [contract["bid_price"] for contract in chain["contracts"]]


def test_a_chain_is_that_of_a_date_or_of_a_moment(homes: Homes, served: tuple[Home, Server]) -> None:
    _, server = served
    with ticklake.Client(server.url, homes.key, cache=False) as client:
        chain = client.option_chain("AAA", date(2020, 6, 18))
        assert bids(chain) == [2.0] * 12
        assert chain["contracts"][0]["osi_symbol"] == "AAA   200619C00095000"
        assert chain["sources"][1]["state"] == "forbidden"
        assert bids(client.option_chain("AAA", at=datetime(2020, 6, 18, 10))) == [1.0] * 12
        chosen = client.option_chain(
            "AAA", DATE, expiration=(None, "2020-07-01"), strike=(96, 100.0), call_put="P"
        )
        assert [row["osi_symbol"] for row in chosen["contracts"]] == ["AAA   200619P00100000"]
        [one] = client.option_chain("AAA", DATE, expiration="2020-07-17", strike=102.5, call_put="C")[
            "contracts"
        ]
        assert one["expiration_date"] == "2020-07-17"
        assert asyncio.run(asked_async(server.url, homes.key)) == chain
        with pytest.raises(ticklake.InputError, match="of a date, or `at` a moment"):
            client.option_chain("AAA")
        with pytest.raises(ticklake.NotFoundError, match="never been published"):
            client.option_chain("AAA", DATE, version=9)


async def asked_async(url: str, key: str) -> dict[str, Any]:
    async with ticklake.AsyncClient(url, key, cache=False) as client:
        return await client.option_chain("AAA", DATE)


def test_all_pages_are_of_the_versions_of_the_first(
    homes: Homes, served: tuple[Home, Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, server = served
    with ticklake.Client(server.url, homes.key, cache=False) as client:
        asked: list[str] = []
        url_of = client._session.url

        def url(path: str) -> str:
            if len(asked) == 1:
                publish(home, tmp_path, 3.0)
            asked.append(path)
            return url_of(path)

        monkeypatch.setattr(client._session, "url", url)
        chain = client.option_chain("AAA", DATE, page_contracts=5)
        assert len(asked) == 3
        assert bids(chain) == [2.0] * 12
        assert bids(client.option_chain("AAA", DATE)) == [3.0] * 12
    publish(home, tmp_path, 2.0)
