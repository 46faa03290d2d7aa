"""Qlib, from a folder of daily bars, comes to what the same strategy does on plain lists."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import ticklake
from ticklake.adapters import qlib as adapter

from .support import averages, bars

# It is in a Python of its own: see `scripts/test-python.ts`.
pytest.importorskip("qlib")

import pandas as pd
import qlib
from qlib.backtest import backtest
from qlib.backtest.decision import Order, OrderDir, TradeDecisionWO
from qlib.backtest.executor import SimulatorExecutor
from qlib.data import D
from qlib.strategy.base import BaseStrategy

KNOWN = bars.days()
SPAN = KNOWN[0].start.date(), KNOWN[-1].start.date()
ABOVE = f"Mean($close, {averages.FAST}) > Mean($close, {averages.SLOW})"


class Averages(BaseStrategy):  # type: ignore[misc]
    """The strategy in Qlib's own words: on a day it knows those before."""

    def __init__(self) -> None:
        super().__init__()
        self.holds = False
        self.trades: list[tuple[datetime, bool]] = []

    def generate_trade_decision(self, execute_result: Any = None) -> TradeDecisionWO:
        step = self.trade_calendar.get_trade_step()
        start, end = self.trade_calendar.get_step_time(step)
        last, _ = self.trade_calendar.get_step_time(step, shift=1)
        orders: list[Order] = []
        if step >= averages.SLOW:
            [is_above] = D.features(["AAA"], [ABOVE], last, last).iloc[:, 0]
            if bool(is_above) != self.holds:
                self.holds = bool(is_above)
                side = OrderDir.BUY if self.holds else OrderDir.SELL
                orders.append(Order("AAA", 1, side, start, end))
                self.trades.append((last.to_pydatetime(), self.holds))
        return TradeDecisionWO(orders, self)


def test_qlib_comes_to_the_same_trades(bars_client: ticklake.Client, tmp_path: Path) -> None:
    queries = [bars_client.daily(ticker, SPAN) for ticker in ("AAA", "BBB")]
    assert adapter.write(queries, tmp_path / "data") == ["AAA", "BBB"]
    qlib.init(provider_uri=str(tmp_path / "data"), region="us", kernels=1, skip_if_reg=False)
    closes = D.features(["BBB"], ["$close"], *SPAN)["$close"]
    assert [day.date() for _, day in closes.index] == [bar.start.date() for bar in KNOWN]
    assert list(closes) == pytest.approx([bar.close for bar in bars.days("BBB")], rel=1e-6)
    strategy = Averages()
    costs = {"open_cost": 0, "close_cost": 0, "min_cost": 0, "limit_threshold": None}
    # Qlib ends a day by the one after it.
    traded = KNOWN[:-1]
    metrics, _ = backtest(
        traded[0].start.date(),
        traded[-1].start.date(),
        strategy=strategy,
        executor=SimulatorExecutor("day", generate_portfolio_metrics=True),
        benchmark=pd.Series(0.0, index=pd.DatetimeIndex([bar.start.date() for bar in KNOWN])),
        account=averages.CASH,
        exchange_kwargs={"freq": "day", "deal_price": "open", "trade_unit": None, **costs},
    )
    expected = averages.trades(traded, [bar.start.replace(tzinfo=None) for bar in traded])
    assert len(expected) > 3
    assert strategy.trades == [(at, buys) for at, buys, _ in expected]
    report, _ = metrics["1day"]
    value = averages.final_cash(expected, traded[-1].close)
    assert report["account"].iloc[-1] == pytest.approx(value, abs=0.001)


def test_qlib_finds_a_security_with_the_name_of_a_device(
    bars_client: ticklake.Client, tmp_path: Path
) -> None:
    adapter.write([bars_client.daily("CON", bars.ODD_DAY)], tmp_path)
    qlib.init(provider_uri=str(tmp_path), region="us", kernels=1, skip_if_reg=False)
    assert list(D.list_instruments(D.instruments("all"))) == ["CON"]
    assert list(D.features(["CON"], ["$close"], bars.ODD_DAY, bars.ODD_DAY)["$close"]) == [10.0]


def test_what_qlib_would_lose_is_refused(bars_client: ticklake.Client, tmp_path: Path) -> None:
    halves = [bars_client.daily("AAA", span) for span in ((SPAN[0], bars.DAYS[0]), (bars.DAYS[0], SPAN[1]))]
    with pytest.raises(ticklake.InputError, match="Two queries have bars of AAA"):
        adapter.write(halves, tmp_path)
    with pytest.raises(ticklake.InputError, match="reads the name NA as a missing one"):
        adapter.write([bars_client.daily("NA", bars.ODD_DAY)], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_qlibs_folder_takes_daily_bars_and_is_new(bars_client: ticklake.Client, tmp_path: Path) -> None:
    with pytest.raises(ticklake.InputError, match="daily bars"):
        adapter.write([bars_client.bars("AAA", bars.DAYS[0])], tmp_path)
    (tmp_path / "other").touch()
    with pytest.raises(ticklake.InputError, match="not empty"):
        adapter.write([bars_client.daily("AAA", SPAN)], tmp_path)
