"""Continuous futures contracts."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import ticklake

from .conftest import Homes
from .support.server import Home, Server

DATES = ("2020-06-01", "2020-06-30")
# A contract's dates; the first one expires on the 16th.
CONTRACTS = {"ESM0": (15, 16), "ESU0": (15, 16, 17, 18)}
KEYS = [
    {"TradeDate": f"2020-06-{day}", "Ticker": ticker, "BaseSymbol": "ES"}
    for day in (15, 16, 17, 18)
    for ticker, days in CONTRACTS.items()
    if day in days
]
# So many that the rows are more than a page.
BARS = [
    {**key, "BarDateTime": f"{key['TradeDate']}T{minute // 60:02}:{minute % 60:02}:00", "TotalQuantity": 1}
    for key in KEYS
    for minute in range(600)
]
HELD = ["ESM0"] * 1200 + ["ESU0"] * 1200


def write(file: Path, rows: Sequence[dict[str, object]]) -> str:
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return str(file)


def publish_ranks(home: Home, folder: Path, quantity: int) -> None:
    rows = [{**key, "TotalQuantity": quantity, "OpenInterest": 1} for key in KEYS]
    file = write(folder / "ranks.csv", rows)
    home.run("ingest", "fut_daily", file, "--replace=dataset", "--allow-loss", "--again")


@pytest.fixture
def served(homes: Homes, tmp_path: Path) -> Iterator[tuple[Home, Server]]:
    home = homes.small.copy(tmp_path / "home")
    home.run("ingest", "fut_trades_1min", write(tmp_path / "bars.csv", BARS))
    publish_ranks(home, tmp_path, 1)
    for dataset in ("fut_trades_1min", "fut_daily"):
        home.run("rule", "add", "--identity", "1", "--dataset", dataset)
    server = Server(home)
    yield home, server
    server.stop()


def tickers(query: ticklake.Query) -> list[str]:
    found: list[str] = query.to_arrow()["Ticker"].to_pylist()
    return found


def test_a_continuous_contract_is_one_contract_after_the_other(
    homes: Homes, served: tuple[Home, Server], tmp_path: Path
) -> None:
    home, server = served
    with ticklake.Client(server.url, homes.key, cache=tmp_path / "cache") as client:
        for _ in range(2):  # the second time from the cache
            bars = client.bars("ES.c.0", DATES, market="future")
            assert tickers(bars) == HELD
        sorted_bars = client.bars("ES.c.0", DATES, market="future", sort="-BarDateTime")
        assert sorted_bars.to_arrow()["Ticker"].to_pylist() == HELD[::-1]
        assert sorted_bars.rolls_version == 1
        pinned = client.bars("ES.c.0", DATES, market="future", sort="BarDateTime")
        pinned.estimate()
        publish_ranks(home, tmp_path, 2)
        assert tickers(pinned) == HELD
        assert pinned.rolls_version == 1
        now = client.bars("ES.c.0", DATES, market="future", sort="BarDateTime")
        assert (tickers(now), now.rolls_version) == (HELD, 2)
        before = client.bars("ES.c.0", DATES, market="future", sort="BarDateTime", rolls_version=1)
        assert (tickers(before), before.rolls_version) == (HELD, 1)
