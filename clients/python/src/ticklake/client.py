"""The client: what a program imports."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, Unpack

from ._core.client import ClientBase, ClientOptions, DatasetBase, Ids
from ._core.question import Day, UniverseOptions
from ._core.read import Asking
from ._drive.sync import SyncDriver
from ._frames.arrow import distinct
from .query import OptionChain, Query

if TYPE_CHECKING:
    from ._core.catalogue import Column
    from ._core.trading_days import TradingDay


class Dataset(DatasetBase[Query, SyncDriver]):
    __doc__ = DatasetBase.__doc__

    def columns(self) -> tuple[Column, ...]:
        """Its columns with types and descriptions."""
        return self._driver.run(self._columns())

    def info(self) -> dict[str, Any]:
        """Its description and coverage."""
        return self._driver.run(self._meta("info"))

    def status(self) -> dict[str, Any]:
        """Last and next update, version, number of rows."""
        return self._driver.run(self._meta("status"))

    def trading_days(self, start: Day, end: Day, product: str | None = None) -> list[TradingDay]:
        """The trading days of its market, up to the end of this year, with the hours of their sessions.

        Those of futures are the days that all products have, or those of the one with the root `product`,
        such as `ES`. Their early closes are unknown: `is_half_day` is always False.
        """
        return self._driver.run(self._trading_days(start, end, product))

    def versions(self) -> list[dict[str, Any]]:
        """All its versions that are known, the newest first."""
        return self._driver.run(self._versions())


class Client(ClientBase[Query, OptionChain]):
    __doc__ = ClientBase.__doc__

    def __init__(
        self, url: str | None = None, key: str | None = None, **settings: Unpack[ClientOptions]
    ) -> None:
        super().__init__(url, key, **settings)
        self._driver = SyncDriver(self._session.settings)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._driver.close()

    def _query(self, asking: Asking) -> Query:
        return Query(self._driver, asking)

    def _chain(self, asked: dict[str, str]) -> OptionChain:
        return OptionChain(self._driver, self._session, asked)

    def dataset(self, name: str) -> Dataset:
        """A dataset by its id or text id. Nothing is asked yet."""
        return Dataset(self, self._driver, name)

    def datasets(self) -> list[dict[str, Any]]:
        """The datasets that the account may read."""
        return self._driver.run(self._datasets())

    def universe(self, on: Day, **options: Unpack[UniverseOptions]) -> list[dict[str, Any]]:
        """The identifiers with rows on a day that the account may read, each as a dict of its columns.

        They are those of daily values, or of another `dataset` that takes requests without an identifier.
        """
        query = self._universe(on, options)
        named = query._identified(self._driver.run(query._resolve()))
        return distinct(named.to_arrow())

    def resolve(
        self,
        symbols: Ids,
        type: str = "Ticker",
        start: date | str | None = None,
        end: date | str | None = None,
    ) -> dict[str, Any]:
        """Which securities the symbols stood for on which dates, and what they became; at most 100 symbols.

        `type`: Ticker, ASID, SecId, FIGI, ISIN, CUSIP, SEDOL or OSI.
        """
        return self._driver.run(self._resolve(symbols, type, start, end))

    def search(self, text: str, limit: int = 10) -> list[dict[str, Any]]:
        """The best `limit` securities by the beginning of a ticker, of a word of a name, or of a number."""
        return self._driver.run(self._search(text, limit))
