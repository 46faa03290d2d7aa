"""nautilus_trader, from bars in its catalog, comes to what the same strategy does on plain lists."""

from __future__ import annotations

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
from nautilus_trader.config import LoggingConfig
from nautilus_trader.indicators import SimpleMovingAverage
from nautilus_trader.model.currencies import USD
from nautilus_trader.model.enums import AccountType, OmsType, OrderSide
from nautilus_trader.model.identifiers import Venue
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
    if kind == "minutes":
        known, query = bars.minutes(), bars_client.bars("AAA", (bars.DAYS[0], None))
        ends = [bar.start + timedelta(minutes=1) for bar in known]
    else:
        known = bars.days()
        query = bars_client.daily("AAA", (known[0].start.date(), None))
        ends = [bar.start + timedelta(days=1) for bar in known]
    catalog = ParquetDataCatalog(tmp_path)
    bar_type = nautilus.write(query, catalog, AAA)
    found = catalog.bars([str(bar_type)])
    assert [bar.ts_event for bar in found] == [round(end.timestamp()) * 10**9 for end in ends]
    assert all(bar.ts_init == bar.ts_event for bar in found)
    expected = averages.trades(known, ends, "close")
    assert len(expected) > 3
    assert run(catalog, bar_type).trades[: len(expected)] == expected
