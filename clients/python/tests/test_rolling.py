"""Continuous futures contracts as one series, against what was computed by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ticklake

from .conftest import Homes
from .support.server import Home, Server
from .test_continuous_contracts import write

# The closes of each contract by day of June 2020. The first expires on the 16th, the second on the 18th.
CLOSES = {
    "ESM0": {15: 100.0, 16: 110.0},
    "ESU0": {15: 120.0, 16: 121.0, 17: 130.0, 18: 132.0},
    "ESZ0": {17: 65.0, 18: 60.0, 19: 66.0},
}
HOLDS = {15: "ESM0", 16: "ESM0", 17: "ESU0", 18: "ESU0", 19: "ESU0"}


def daily(ticker: str, day: int, close: float) -> dict[str, object]:
    prices = {"OpenPrice": close - 1, "HighPrice": close + 2, "LowPrice": close - 2, "ClosePrice": close}
    keys = {"TradeDate": f"2020-06-{day}", "Ticker": ticker, "BaseSymbol": "ES"}
    return {**keys, **prices, "VolumeWeightPrice": close + 1, "TotalQuantity": 7, "OpenInterest": 1}


@pytest.fixture
def home(homes: Homes, tmp_path: Path) -> Home:
    made = homes.small.copy(tmp_path / "home")
    made.run("rule", "add", "--identity", "1", "--dataset", "fut_daily")
    return made


def publish(home: Home, folder: Path, closes: dict[str, dict[int, float]]) -> None:
    listed = [daily(ticker, day, close) for ticker, days in closes.items() for day, close in days.items()]
    home.run("ingest", "fut_daily", write(folder / "days.csv", listed), "--replace=dataset", "--allow-loss")


@pytest.fixture
def client(home: Home, homes: Homes, tmp_path: Path) -> Iterator[ticklake.Client]:
    server = Server(home)
    with ticklake.Client(server.url, homes.key, cache=tmp_path / "cache") as made:
        yield made
    server.stop()


def days(client: ticklake.Client, name: str = "ES.c.0") -> ticklake.Bars:
    return client.daily(name, ("2020-06-15", "2020-06-19"), market="future").ohlcv()


def test_prices_before_a_roll_go_over_into_the_new_contract(
    home: Home, client: ticklake.Client, tmp_path: Path
) -> None:
    publish(home, tmp_path, CLOSES)
    bars = days(client)
    raw = bars.to_arrow().to_pylist()
    assert [row["ticker"] for row in raw] == ["ESM0", "ESM0", "ESU0", "ESU0", "ESZ0"]
    # The last date before each roll that has both closes: the 16th, and the 18th.
    ratios = [121.0 / 110.0, 60.0 / 132.0]
    expected = [ratios[1] * ratios[0]] * 2 + [ratios[1]] * 2 + [1.0]
    found = ticklake.roll_adjusted(bars).to_pylist()
    assert [row["adjustment"] for row in found] == pytest.approx(expected)
    for name in ("open", "high", "low", "close", "vwap"):
        known = [row[name] * factor for row, factor in zip(raw, expected, strict=True)]
        assert [row[name] for row in found] == pytest.approx(known)
    assert [row["volume"] for row in found] == [7] * 5
    # Each return is that of one contract.
    closes = [row["close"] for row in found]
    assert closes[2] / closes[1] == pytest.approx(130.0 / 121.0)
    assert closes[4] / closes[3] == pytest.approx(66.0 / 60.0)
    added = ticklake.roll_adjusted(bars, "difference").to_pylist()
    assert [row["adjustment"] for row in added] == [-61.0, -61.0, -72.0, -72.0, 0.0]
    assert [row["close"] for row in added] == [39.0, 49.0, 58.0, 60.0, 66.0]


# A bar at noon of each trade date, and one on the evening before it.
STARTS = {"evening": (-1, "18:30"), "noon": (0, "12:00")}


def minute(ticker: str, day: int, close: float, start: str) -> dict[str, object]:
    before, clock = STARTS[start]
    row = daily(ticker, day + before, close)
    del row["OpenInterest"]
    return {**row, "BarDateTime": f"{row['TradeDate']}T{clock}:00"}


@pytest.mark.parametrize(("interval", "count"), [("1d", 1), ("2h", 2), ("4h", 2)])
def test_bars_that_change_contracts_with_the_session_have_the_closes_of_the_day_before_its_date(
    home: Home, client: ticklake.Client, tmp_path: Path, interval: str, count: int
) -> None:
    publish(home, tmp_path, CLOSES)
    # Wednesday is the first date of the second contract, Friday of the third.
    bars = [
        minute(ticker, day, close, start)
        for start in STARTS
        for ticker, days in CLOSES.items()
        for day, close in days.items()
    ]
    home.run("ingest", "fut_trades_1min", write(tmp_path / "bars.csv", bars))
    home.run("rule", "add", "--identity", "1", "--dataset", "fut_trades_1min")
    read = client.bars("ES.c.0", ("2020-06-15", "2020-06-19"), market="future", interval=interval)
    found = ticklake.roll_adjusted(read.ohlcv(), "difference").to_pylist()
    by_ticker = {name: [row["adjustment"] for row in found if row["ticker"] == name] for name in CLOSES}
    assert by_ticker["ESM0"] and set(by_ticker["ESM0"]) == {-61.0}
    assert by_ticker["ESU0"] == [-72.0] * 2 * count
    assert by_ticker["ESZ0"] == [0.0] * count


def test_a_roll_without_closes_of_both_contracts_is_refused(
    home: Home, client: ticklake.Client, tmp_path: Path
) -> None:
    publish(home, tmp_path, {**CLOSES, "ESZ0": {19: 66.0}})
    with pytest.raises(ticklake.InputError, match="before 2020-06-19 has closes of both ESU0 and ESZ0"):
        ticklake.roll_adjusted(days(client))


def test_prices_below_zero_have_differences_alone(
    home: Home, client: ticklake.Client, tmp_path: Path
) -> None:
    publish(home, tmp_path, {**CLOSES, "ESM0": {15: 100.0, 16: -37.0}})
    with pytest.raises(ticklake.InputError, match="not positive: take method='difference'"):
        ticklake.roll_adjusted(days(client))
    added = ticklake.roll_adjusted(days(client), "difference").to_pylist()
    assert [row["close"] for row in added] == [186.0, 49.0, 58.0, 60.0, 66.0]


def test_only_one_continuous_contract_is_adjusted(
    home: Home, client: ticklake.Client, tmp_path: Path
) -> None:
    publish(home, tmp_path, CLOSES)
    with pytest.raises(ticklake.InputError, match="one continuous contract"):
        ticklake.roll_adjusted(days(client, "ESU0"))
    with pytest.raises(ticklake.InputError, match="ratio or difference"):
        ticklake.roll_adjusted(days(client), "panama")  # type: ignore[arg-type]
    alone = client.daily("ES.c.0", "2020-06-15", market="future").ohlcv()
    assert ticklake.roll_adjusted(alone)["adjustment"].to_pylist() == [1.0]
