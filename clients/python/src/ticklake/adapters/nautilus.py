"""Bars, trades and quotes for nautilus_trader, whose bars have the time at which they are known."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

from .._frames.library import require
from ..client import Client
from ..errors import InputError
from ..query import Query
from .frame import bars_of_one

_UNITS = {"MINUTE": "m", "HOUR": "h", "DAY": "d", "WEEK": "w", "MONTH": "mo"}
# The longest bar that may end after the beginning of what is asked for.
_LONGEST, _DAY = timedelta(days=32), timedelta(days=1)
# As they were told: what was cancelled later was known until then.
_TRADES = ["TRADE", "TRADE NB"]
_SIDES = {"bid": "QUOTE BID NB", "ask": "QUOTE ASK NB"}


def write(query: Query, catalog: Any, instrument: Any) -> Any:
    """Writes an instrument and its bars to a `ParquetDataCatalog`; gives their `BarType`."""
    require("nautilus_trader")
    model: Any = import_module("nautilus_trader.model.data")
    frame, length = bars_of_one(query)
    bar_type = model.BarType.from_str(f"{instrument.id}-{_step(length)}-LAST-EXTERNAL")
    catalog.write_data([instrument])
    if not frame.empty:
        catalog.write_data(_bars(frame, bar_type, instrument))
    return bar_type


def data_client(client: Client, instruments: Sequence[Any]) -> Any:
    """A `LiveDataClientFactory` for a node: answers its requests for the history of US equities.

    Bars are those of trades. Trades are as they were told, cancelled ones with them. Quotes are the national
    best, while both sides have one. Of more than the limit of a request, it has the last. It streams nothing.
    """
    require("nautilus_trader")
    live: Any = import_module("nautilus_trader.live.data_client")
    factories: Any = import_module("nautilus_trader.live.factories")
    providers: Any = import_module("nautilus_trader.common.providers")
    names: Any = import_module("nautilus_trader.model.identifiers")
    known = {instrument.id: instrument for instrument in instruments}

    class HistoryClient(live.LiveMarketDataClient):  # type: ignore[misc]
        async def _connect(self) -> None:
            for instrument in instruments:
                self._handle_data(instrument)

        async def _disconnect(self) -> None:
            pass

        async def _request_bars(self, request: Any) -> None:
            found = await self._found(request, request.bar_type.instrument_id, _bars_in)
            self._handle_bars(request.bar_type, found, *_reply(request))

        async def _request_trade_ticks(self, request: Any) -> None:
            found = await self._found(request, request.instrument_id, _trades_in)
            self._handle_trade_ticks(request.instrument_id, found, *_reply(request))

        async def _request_quote_ticks(self, request: Any) -> None:
            found = await self._found(request, request.instrument_id, _quotes_in)
            self._handle_quote_ticks(request.instrument_id, found, *_reply(request))

        async def _found(self, request: Any, name: Any, read: Callable[..., list[Any]]) -> list[Any]:
            if name not in known:
                raise InputError(f"{name} is none of the instruments of this data client")
            found = await asyncio.to_thread(read, client, request, known[name])
            inside = [each for each in found if _is_inside(each.ts_init, request)]
            return inside[-request.limit :] if request.limit else inside

    class HistoryFactory(factories.LiveDataClientFactory):  # type: ignore[misc]
        @staticmethod
        def create(loop: Any, name: str, config: Any, msgbus: Any, cache: Any, clock: Any) -> Any:
            provider = providers.InstrumentProvider()
            own = names.ClientId(name)
            return HistoryClient(loop, own, None, msgbus, cache, clock, provider, config)

    return HistoryFactory


def _reply(request: Any) -> tuple[Any, ...]:
    return request.id, request.start, request.end, request.params


def _is_inside(nanos: int, request: Any) -> bool:
    return all(
        end is None or sign * (nanos - _nanos(end)) >= 0
        for sign, end in ((1, request.start), (-1, request.end))
    )


def _nanos(moment: datetime) -> int:
    """A moment of pandas has the nanosecond."""
    value: int = getattr(moment, "value", round(moment.timestamp() * 1e6) * 1000)
    return value


def _days(request: Any, before: timedelta) -> tuple[Any, Any]:
    start, end = request.start, request.end
    return start and (start - before).date(), end and (end + _DAY).date()


def _bars_in(client: Client, request: Any, instrument: Any) -> list[Any]:
    spec = request.bar_type.spec
    _, unit, price = str(spec).rsplit("-", 2)
    if price != "LAST" or unit not in _UNITS:
        raise InputError(f"There are bars of trades (LAST) by {', '.join(_UNITS)}, not {request.bar_type}")
    length, ticker = f"{spec.step}{_UNITS[unit]}", instrument.id.symbol.value
    read = client.bars if unit in ("MINUTE", "HOUR") else client.daily
    options: Any = {} if length in ("1m", "1d") else {"interval": length}
    frame, _ = bars_of_one(read(ticker, _days(request, _LONGEST), **options))
    return _bars(frame, request.bar_type, instrument) if len(frame) else []


def _bars(frame: Any, bar_type: Any, instrument: Any) -> list[Any]:
    prices = frame[["open", "high", "low", "close", "volume"]].astype(float).fillna(0.0)
    prices.index = frame["end"].dt.tz_convert("UTC").rename("timestamp")
    wrangler: Any = import_module("nautilus_trader.persistence.wranglers")
    bars: list[Any] = wrangler.BarDataWrangler(bar_type, instrument).process(prices)
    return bars


def _events(client: Client, request: Any, instrument: Any, kinds: Sequence[str]) -> Any:
    """The ticks of these kinds, in order; their index is their moments."""
    columns = ["EventDateTime", "EventType", "Price", "Quantity"]
    dates, where = _days(request, _DAY), {"EventType": list(kinds)}
    query = client.ticks(instrument.id.symbol.value, dates, where=where, columns=columns)
    frame = query.to_pandas()
    frame.index = frame["EventDateTime"].dt.tz_convert("UTC").rename("timestamp")
    return frame.astype({"Price": float, "Quantity": float})


def _trades_in(client: Client, request: Any, instrument: Any) -> list[Any]:
    frame = _events(client, request, instrument, _TRADES).rename(columns=str.lower)
    frame = frame[(frame["price"] > 0) & (frame["quantity"] > 0)]
    # A moment may have several trades.
    numbers = frame.groupby(level=0).cumcount()
    frame["trade_id"] = [f"{time.value}-{n}" for time, n in numbers.items()]
    wrangler: Any = import_module("nautilus_trader.persistence.wranglers")
    trades: Any = wrangler.TradeTickDataWrangler(instrument)
    return list(trades.process(frame)) if len(frame) else []


def _quotes_in(client: Client, request: Any, instrument: Any) -> list[Any]:
    frame = _events(client, request, instrument, list(_SIDES.values()))
    # No quote stands overnight.
    days = frame["EventDateTime"].dt.date.to_numpy()
    for side, kind in _SIDES.items():
        is_side = frame["EventType"] == kind
        for column, name in (("Price", "price"), ("Quantity", "size")):
            frame[f"{side}_{name}"] = frame[column].where(is_side).groupby(days).ffill()
    quoted = frame[(frame["bid_price"] > 0) & (frame["ask_price"] > 0)]
    quotes = quoted[["bid_price", "ask_price", "bid_size", "ask_size"]].copy()
    wrangler: Any = import_module("nautilus_trader.persistence.wranglers")
    return list(wrangler.QuoteTickDataWrangler(instrument).process(quotes)) if len(quotes) else []


def _step(length: int | str) -> str:
    if isinstance(length, str):
        return f"1-{length.upper()}"
    return f"{length // 60}-HOUR" if length % 60 == 0 else f"{length}-MINUTE"
