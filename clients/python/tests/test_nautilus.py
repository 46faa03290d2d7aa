"""nautilus_trader, from bars in its catalog, comes to what the same strategy does on plain lists."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import ticklake
from ticklake.adapters import nautilus

from .support import averages, bars

# It takes no pandas 3: `scripts/test-python.ts` has a Python of its own for it.
pytest.importorskip("nautilus_trader")

from nautilus_trader.backtest.engine import BacktestEngine, BacktestEngineConfig
from nautilus_trader.common.actor import Actor
from nautilus_trader.config import LiveDataClientConfig, LoggingConfig, TradingNodeConfig
from nautilus_trader.indicators import SimpleMovingAverage
from nautilus_trader.live.node import TradingNode
from nautilus_trader.model.currencies import USD
from nautilus_trader.model.data import BarType
from nautilus_trader.model.enums import AccountType, OmsType, OrderSide
from nautilus_trader.model.identifiers import ClientId, Venue
from nautilus_trader.model.objects import Money
from nautilus_trader.persistence.catalog import ParquetDataCatalog
from nautilus_trader.test_kit.providers import TestInstrumentProvider
from nautilus_trader.trading.strategy import Strategy

AAA = TestInstrumentProvider.equity("AAA", "XNAS")


class Averages(Strategy):  # type: ignore[misc]
    """The strategy in nautilus_trader's own words."""

    def __init__(self, bar_type: Any) -> None:
        super().__init__()
        self.bar_type = bar_type
        self.fast = SimpleMovingAverage(averages.FAST)
        self.slow = SimpleMovingAverage(averages.SLOW)
        self.holds = False
        self.trades: list[tuple[datetime, bool, float]] = []

    def on_start(self) -> None:
        self.register_indicator_for_bars(self.bar_type, self.fast)
        self.register_indicator_for_bars(self.bar_type, self.slow)
        self.subscribe_bars(self.bar_type)

    def on_bar(self, _: Any) -> None:
        if not self.slow.initialized:
            return
        is_above = self.fast.value > self.slow.value
        if is_above != self.holds:
            self.holds = is_above
            side = OrderSide.BUY if is_above else OrderSide.SELL
            self.submit_order(self.order_factory.market(AAA.id, side, AAA.make_qty(1)))

    def on_order_filled(self, event: Any) -> None:
        at = datetime.fromtimestamp(event.ts_event / 1e9, UTC)
        self.trades.append((at, event.order_side == OrderSide.BUY, float(event.last_px)))


def run(catalog: ParquetDataCatalog, bar_type: Any) -> Averages:
    engine = BacktestEngine(BacktestEngineConfig(logging=LoggingConfig(bypass_logging=True)))
    cash = [Money(averages.CASH, USD)]
    engine.add_venue(
        Venue("XNAS"), OmsType.NETTING, AccountType.CASH, starting_balances=cash, base_currency=USD
    )
    engine.add_instrument(catalog.instruments()[0])
    engine.add_data(catalog.bars([str(bar_type)]))
    strategy = Averages(bar_type)
    engine.add_strategy(strategy)
    engine.run()
    engine.dispose()
    return strategy


@pytest.mark.parametrize("kind", ["minutes", "days"])
def test_nautilus_comes_to_the_same_trades(bars_client: ticklake.Client, kind: str, tmp_path: Path) -> None:
    known, query, ends = bars.asked(bars_client, kind)
    catalog = ParquetDataCatalog(tmp_path)
    bar_type = nautilus.write(query, catalog, AAA)
    found = catalog.bars([str(bar_type)])
    assert [bar.ts_event for bar in found] == [round(end.timestamp()) * 10**9 for end in ends]
    assert all(bar.ts_init == bar.ts_event for bar in found)
    expected = averages.trades(known, ends, "close")
    assert len(expected) > 3
    assert run(catalog, bar_type).trades[: len(expected)] == expected


class Reader(Actor):  # type: ignore[misc]
    """Asks for history, one request after the other."""

    def __init__(self, requests: list[tuple[str, Any, datetime, datetime]]) -> None:
        super().__init__()
        self.requests = requests
        self.found: list[list[Any]] = []
        self.done = asyncio.Event()

    def on_start(self) -> None:
        self.ask()

    def ask(self, _: Any = None) -> None:
        if len(self.found) == len(self.requests):
            self.done.set()
            return
        what, name, start, end = self.requests[len(self.found)]
        self.found.append([])
        ask = getattr(self, f"request_{what}")
        ask(name, start=start, end=end, client_id=ClientId("TICKLAKE"), callback=self.ask)

    def on_historical_data(self, data: Any) -> None:
        self.found[-1].append(data)


async def history(client: ticklake.Client, requests: list[tuple[str, Any, datetime, datetime]]) -> list[Any]:
    """What a node answers."""
    node = TradingNode(
        TradingNodeConfig(
            logging=LoggingConfig(log_level="ERROR"),
            data_clients={"TICKLAKE": LiveDataClientConfig()},
            timeout_disconnection=1.0,
            timeout_post_stop=0.1,
        ),
        loop=asyncio.get_running_loop(),
    )
    node.add_data_client_factory("TICKLAKE", nautilus.data_client(client, [AAA]))
    node.build()
    reader = Reader(requests)
    node.trader.add_actor(reader)
    running = asyncio.ensure_future(node.run_async())
    await reader.done.wait()
    await node.stop_async()
    running.cancel()
    return reader.found


def test_a_node_reads_history_without_what_is_not_over(bars_client: ticklake.Client) -> None:
    known, (start, end) = bars.minutes(), (bars.minutes()[10].start, bars.minutes()[100].start)
    day = bars.OPENING
    last = day + timedelta(seconds=7.5)
    bar_type = BarType.from_str("AAA.XNAS-1-MINUTE-LAST-EXTERNAL")
    hours = BarType.from_str("AAA.XNAS-1-HOUR-LAST-EXTERNAL")
    minutes, hourly, trades, quotes = asyncio.run(
        history(
            bars_client,
            [
                ("bars", bar_type, start, end),
                ("bars", hours, start, end),
                ("trade_ticks", AAA.id, day, last),
                # No quote stands overnight.
                ("quote_ticks", AAA.id, day, bars.NEXT_OPENING),
            ],
        )
    )
    ends = [(bar.start + timedelta(minutes=1), bar.close) for bar in known]
    due = [(at, close) for at, close in ends if start <= at <= end]
    assert [(moment(bar), float(bar.close)) for bar in minutes] == due
    # The hours of a session begin with it, and that of the second day is not over.
    assert [moment(bar) for bar in hourly] == [known[0].start + timedelta(hours=1)]
    assert [(second(each), float(each.price), float(each.size)) for each in trades] == [
        (1, 10.01, 50.0),
        (4, 10.02, 100.0),
    ]
    assert [
        (second(each), float(each.bid_price), float(each.ask_price), float(each.bid_size)) for each in quotes
    ] == [(2, 10.0, 10.02, 300.0), (7, 10.01, 10.02, 400.0)]


def moment(data: Any) -> datetime:
    assert data.ts_init == data.ts_event
    return datetime.fromtimestamp(data.ts_event / 1e9, UTC)


def second(data: Any) -> float:
    return (moment(data) - bars.OPENING).total_seconds()
