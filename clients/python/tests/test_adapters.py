"""Engines that take bars through an adapter come to what the same strategy does on plain lists."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import backtrader as bt
import pytest

import ticklake
from ticklake.adapters import backtrader, lean

from .support import averages, bars
from .support.server import Home, Server

FIRST_DAY = bars.days()[0].start.date()


class Averages(bt.Strategy):  # type: ignore[misc]
    """The strategy in backtrader's own words."""

    def __init__(self) -> None:
        self.decisions: list[tuple[datetime, bool]] = []
        self.prices: list[float] = []
        self.fast = bt.indicators.SimpleMovingAverage(period=averages.FAST)
        self.slow = bt.indicators.SimpleMovingAverage(period=averages.SLOW)

    def next(self) -> None:
        is_above = self.fast[0] > self.slow[0]
        if is_above != bool(self.position):
            self.decisions.append((self.data.datetime.datetime(0), is_above))
            (self.buy if is_above else self.sell)(size=1)

    def notify_order(self, order: Any) -> None:
        if order.status == order.Completed:
            self.prices.append(order.executed.price)


def run(*feeds: Any, strategy: Any = Averages) -> tuple[Any, float]:
    cerebro = bt.Cerebro()
    cerebro.broker.setcash(averages.CASH)
    for each in feeds:
        cerebro.adddata(each)
    cerebro.addstrategy(strategy)
    [done] = cerebro.run()
    return done, cerebro.broker.getvalue()


def naive(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)


def same_moment(found: datetime, expected: datetime) -> bool:
    """Backtrader's clock is a float of days."""
    return abs(found - expected) < timedelta(milliseconds=1)


@pytest.mark.parametrize("kind", ["minutes", "days"])
def test_backtrader_comes_to_the_same_trades(bars_client: ticklake.Client, kind: str) -> None:
    if kind == "minutes":
        known, query = bars.minutes(), bars_client.bars("AAA", (bars.DAYS[0], None))
        ends = [naive(bar.start) + timedelta(minutes=1) for bar in known]
    else:
        known, query = bars.days(), bars_client.daily("AAA", (FIRST_DAY, None))
        ends = [naive(bar.start) + timedelta(days=1, microseconds=-10) for bar in known]
    expected = averages.trades(known, ends)
    done, value = run(backtrader.feed(query))
    # A decision on the last bar has no next one.
    decisions = done.decisions[: len(expected)]
    assert [buys for _, buys in decisions] == [buys for _, buys, _ in expected]
    assert len(expected) > 3 and done.prices == [price for *_, price in expected]
    assert all(same_moment(at, when) for (at, _), (when, *_) in zip(decisions, expected, strict=True))
    assert value == pytest.approx(averages.final_cash(expected, known[-1].close))


def test_backtrader_knows_no_day_before_it_is_over(bars_client: ticklake.Client) -> None:
    # The close of the day that was known at each new minute.
    known: dict[int, float] = {}

    class Watch(bt.Strategy):  # type: ignore[misc]
        def next(self) -> None:
            known.setdefault(len(self.datas[0]), self.datas[1].close[0])

    minutes = backtrader.feed(bars_client.bars("AAA", (bars.DAYS[0], None)))
    days = backtrader.feed(bars_client.daily("AAA", (bars.DAYS[0] - timedelta(days=5), None)))
    run(minutes, days, strategy=Watch)
    before = [bar.close for bar in bars.days()[-4:-1]]
    expected = [close for close in before for _ in range(bars.MINUTES_EACH)]
    assert [known[number + 1] for number in range(len(expected))] == expected


def test_an_engine_takes_one_security(bars_client: ticklake.Client, tmp_path: Path) -> None:
    query = bars_client.bars(["AAA", "BBB"], (bars.DAYS[0], None))
    with pytest.raises(ticklake.InputError, match="one security"):
        backtrader.feed(query)
    with pytest.raises(ticklake.InputError, match="leave out `interval`"):
        lean.write(bars_client.bars("AAA", bars.DAYS[0], interval="5m"), tmp_path)


def test_leans_folder_of_equities_takes_no_other_bars(bars_client: ticklake.Client, tmp_path: Path) -> None:
    [path] = lean.write(bars_client.bars("AAA", bars.DAYS[0]), tmp_path)
    before = path.read_bytes()
    option = bars_client.bars("AAA", bars.DAYS[0], market="option")
    future = bars_client.daily("ESZ26", (FIRST_DAY, None), market="future")
    for query in (option, future):
        with pytest.raises(ticklake.InputError, match="US equities"):
            lean.write(query, tmp_path)
    assert path.read_bytes() == before
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == [path]


def test_a_company_that_changed_its_ticker_is_one_security(
    bars_client: ticklake.Client, tmp_path: Path
) -> None:
    query = bars_client.daily("NEW", ("2020-06-01", "2020-07-31"), continuous=True)
    known = [bar for each in bars.renamed().values() for bar in each]
    feed = backtrader.feed(query)
    assert list(feed.p.dataname["close"]) == [bar.close for bar in known]
    paths = lean.write(query, tmp_path)
    assert [path.name for path in paths] == ["new.zip", "old.zip"]
    assert [len(ZipFile(path).read(f"{path.stem}.csv").splitlines()) for path in paths] == [2, 2]


def test_leans_files_have_every_digit_of_a_fractional_volume() -> None:
    prices = {"open": 1.5, "high": 2.0, "low": 1.0, "close": 1.25}
    bar = SimpleNamespace(**prices, volume=Decimal("112.5387"))
    assert lean._values(bar) == "15000,20000,10000,12500,112.5387"


def test_the_import_of_leans_folder_reads_the_same_bars(bars_client: ticklake.Client, tmp_path: Path) -> None:
    folder = tmp_path / "lean"
    paths = lean.write(bars_client.bars("AAA", (bars.DAYS[0], None)), folder)
    assert [path.relative_to(folder).as_posix() for path in paths] == [
        f"equity/usa/minute/aaa/{day:%Y%m%d}_trade.zip" for day in bars.DAYS
    ]
    lean.write(bars_client.daily("AAA", (FIRST_DAY, None)), folder)
    home = Home(tmp_path / "home")
    home.run("import", "lean", str(folder))
    datasets = ["eq_trades_1min_ind_std", "eq_daily_ohlc"]
    key = home.account("reader", datasets)
    server = Server(home)
    try:
        with ticklake.Client(server.url, key, cache=False) as reader:
            for dataset, known in zip(datasets, (bars.minutes(), bars.days()), strict=True):
                read = reader.dataset(dataset).read("AAA", (FIRST_DAY, bars.DAYS[-1])).ohlcv()
                names = ("time", "open", "high", "low", "close", "volume")
                found = [tuple(row[name] for name in names) for row in read.to_arrow().to_pylist()]
                assert found == [(b.start, b.open, b.high, b.low, b.close, b.volume) for b in known]
    finally:
        server.stop()
