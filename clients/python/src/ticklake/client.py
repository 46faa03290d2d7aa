"""The client: what a program imports."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Unpack

from ._core.chain import ChainOptions, chain_parameters
from ._core.client import ClientBase, ClientOptions, DatasetBase
from ._core.question import Dates, Options, ReadOptions
from ._drive.sync import SyncDriver
from .query import OptionChain, Query

if TYPE_CHECKING:
    from ._core.catalogue import Column


class Dataset(DatasetBase):
    """A dataset of the catalogue, by its id or text id."""

    def __init__(self, client: Client, name: str) -> None:
        super().__init__(client, name)
        self._driver = client._driver

    def read(
        self,
        ids: str | int | Sequence[str | int] | None = None,
        dates: Dates | None = None,
        **options: Unpack[ReadOptions],
    ) -> Query:
        """Rows of the dataset: of these identifiers, or of all; of these dates, or of its usual window."""
        return Query(self._driver, self._asking(ids, dates, options))

    def changes(
        self, from_version: int, to_version: int | None = None, **options: Unpack[ReadOptions]
    ) -> Query:
        """The rows that were removed and added between two versions."""
        return Query(self._driver, self._changes(from_version, to_version, options))

    def columns(self) -> tuple[Column, ...]:
        """Its columns with types and descriptions."""
        return self._driver.run(self._columns())

    def info(self) -> dict[str, Any]:
        """Its description and coverage."""
        return self._driver.run(self._meta("info"))

    def status(self) -> dict[str, Any]:
        """Last and next update, version, number of rows."""
        return self._driver.run(self._meta("status"))

    def versions(self) -> list[dict[str, Any]]:
        """All its versions that are known, the newest first."""
        return self._driver.run(self._versions())


class Client(ClientBase):
    __doc__ = ClientBase.__doc__

    def __init__(
        self, url: str | None = None, key: str | None = None, **settings: Unpack[ClientOptions]
    ) -> None:
        super().__init__(url, key, **settings)
        self._options = settings
        self._driver = SyncDriver(self._session.settings)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._driver.close()

    def ticks(
        self,
        ids: str | int | Sequence[str | int],
        dates: Dates | None = None,
        **options: Unpack[Options],
    ) -> Query:
        """Ticks of these identifiers and dates; dates are needed, as `dates` or by `start` and `end`."""
        return Query(self._driver, self._asking("ticks", ids, dates, options))

    def bars(
        self,
        ids: str | int | Sequence[str | int],
        dates: Dates | None = None,
        **options: Unpack[Options],
    ) -> Query:
        """Minute bars of these identifiers; without dates, of the dataset's look-back window."""
        return Query(self._driver, self._asking("bars", ids, dates, options))

    def daily(
        self,
        ids: str | int | Sequence[str | int] | None = None,
        dates: Dates | None = None,
        **options: Unpack[Options],
    ) -> Query:
        """Daily values; of all identifiers without `ids`, of the look-back window without `dates`."""
        return Query(self._driver, self._asking("daily", ids, dates, options))

    def dataset(self, name: str) -> Dataset:
        """A dataset by its id or text id. Nothing is asked yet."""
        return Dataset(self, name)

    def datasets(self) -> list[dict[str, Any]]:
        """The datasets that the account may read."""
        return self._driver.run(self._datasets())

    def resolve(
        self,
        symbols: str | int | Sequence[str | int],
        type: str = "Ticker",
        start: date | str | None = None,
        end: date | str | None = None,
    ) -> dict[str, Any]:
        """Which securities the symbols stood for on which dates, and what they became; at most 100 symbols.

        `type`: Ticker, ASID, SecId, FIGI, ISIN, CUSIP, SEDOL or OSI.
        """
        return self._driver.run(self._resolve(symbols, type, start, end))

    def option_chain(
        self, underlying: str, date: date | str | None = None, **options: Unpack[ChainOptions]
    ) -> OptionChain:
        """The option contracts on an underlying as stock trading ends on a date, or `at` a moment."""
        return OptionChain(self._driver, self._session, chain_parameters(underlying, date, options))

    def search(self, text: str, limit: int = 10) -> list[dict[str, Any]]:
        """The best `limit` securities by the beginning of a ticker, of a word of a name, or of a number."""
        return self._driver.run(self._search(text, limit))
