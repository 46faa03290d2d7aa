"""The base of both clients: settings, the cache, and the questions of their methods."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypedDict, TypeVar, Unpack, cast
from urllib.parse import quote, urlencode

from .._cache import DEFAULT_BYTES_MAX, Cache, default_folder
from ..errors import CacheWarning, InputError
from ..progress import Progress, Reporter, bar
from .answers import QueryForm
from .catalogue import Column, ask_meta, columns_of, read_form
from .chain import ChainOptions, chain_parameters
from .exchange import Context, ask_json, understood
from .question import (
    LATEST,
    Dates,
    Day,
    Options,
    ReadOptions,
    UniverseOptions,
    day_of,
    days_of,
    require_known,
)
from .read import Asking, Question, question
from .session import Session, settings_of
from .steps import Task
from .trading_days import TradingDay, trading_days
from .versions import Pin

Ids = str | int | Sequence[str | int]
ProgressSetting = Callable[[Progress], None] | bool | None
# The query and the option chain of a client.
Q = TypeVar("Q")
C = TypeVar("C")
# The driver of a dataset.
D = TypeVar("D")


class ClientOptions(TypedDict, total=False):
    """Settings of a client beside its server and key."""

    timeout: float
    max_retries: int
    max_wait: float
    concurrency: int
    cache: Path | str | bool
    cache_bytes: int
    offline: bool
    compress: bool | None
    verify: Path | str | bool
    proxy: str | None
    progress: ProgressSetting


def _cache_of(setting: Path | str | bool, bytes_max: int, offline: bool) -> Cache | None:
    if setting is False:
        if offline:
            raise InputError("A client that is offline needs a cache")
        return None
    try:
        return Cache(default_folder() if setting is True else Path(setting), bytes_max)
    except RuntimeError as error:
        text = "There is no home folder for the cache: give a folder as `cache`, or set TICKLAKE_CACHE"
        if offline:
            raise InputError(text) from error
        warnings.warn(f"{text}. The client goes on, but keeps nothing.", CacheWarning, stacklevel=4)
        return None


class ClientBase(Generic[Q, C]):
    """A client of one server and one key; close it, or use it in `with`.

    `url` is the server's address, else `$TICKLAKE_URL`, else http://127.0.0.1:8080; a path in it is the
    version prefix. `key` is the API key, else `$TICKLAKE_KEY`.

    `timeout`: seconds of silence after which a connection counts as lost. `max_retries`: attempts after
    the first. `max_wait`: the longest wait for a limit in seconds; a longer one raises at once.
    `concurrency`: files fetched at the same time. `cache`: a folder, True for the platform's, False for
    none; `cache_bytes` is what it may grow to. `offline`: answer from the cache alone. `compress`: ask for
    compressed Arrow; by default unless the server is on this machine. `verify`: whether the certificate of
    an https server has to be good, or a file with the authorities that are trusted. `proxy`: the address of
    a proxy for all requests; by default as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say. `progress`: a function
    that is called with a `Progress`, or True for a bar.
    """

    def __init__(
        self, url: str | None = None, key: str | None = None, **settings: Unpack[ClientOptions]
    ) -> None:
        self._options = settings
        own: dict[str, Any] = dict(settings)
        cache, cache_bytes = own.pop("cache", True), own.pop("cache_bytes", DEFAULT_BYTES_MAX)
        self._progress: ProgressSetting = own.pop("progress", None)
        known = settings_of(url, key, own)
        self._session = Session(known, _cache_of(cache, cache_bytes, known.offline))

    def __reduce__(self) -> Any:
        # Without the key, which another process takes from its own environment.
        return partial(type(self), self._session.url(""), **self._options), ()

    @property
    def cache(self) -> Cache | None:
        """The cache on disk, if there is one."""
        return self._session.cache

    def __repr__(self) -> str:
        # Tracebacks print a client that could not be made, too.
        session: Session | None = getattr(self, "_session", None)
        place = f" {session.url('')}" if session else ""
        return f"<{type(self).__name__}{place}>"

    def ticks(self, ids: Ids, dates: Dates | None = None, **options: Unpack[Options]) -> Q:
        """Ticks of these identifiers and dates; dates are needed, as `dates` or by `start` and `end`."""
        return self._read("ticks", ids, dates, options)

    def bars(self, ids: Ids, dates: Dates | None = None, **options: Unpack[Options]) -> Q:
        """Minute bars of these identifiers; without dates, of the dataset's look-back window."""
        return self._read("bars", ids, dates, options)

    def daily(self, ids: Ids | None = None, dates: Dates | None = None, **options: Unpack[Options]) -> Q:
        """Daily values; of all identifiers without `ids`, of the look-back window without `dates`."""
        return self._read("daily", ids, dates, options)

    def _universe(self, on: Day, options: UniverseOptions) -> Q:
        """The rows of all identifiers of a day; raises `InputError` for several days."""
        if days_of(on).one is None and on != LATEST:
            raise InputError(f"`on` is one day, not {on!r}")
        require_known(options, UniverseOptions.__optional_keys__)
        return self._read("daily", None, on, cast(Options, options))

    def option_chain(
        self, underlying: str, date: date | str | None = None, **options: Unpack[ChainOptions]
    ) -> C:
        """The option contracts on an underlying as stock trading ends on a date, or `at` a moment."""
        return self._chain(chain_parameters(underlying, date, options))

    def dataset(self, name: str) -> Any:
        """A dataset by its id or text id. Nothing is asked yet."""
        raise NotImplementedError

    def _query(self, asking: Asking) -> Q:
        raise NotImplementedError

    def _chain(self, asked: dict[str, str]) -> C:
        raise NotImplementedError

    def _reporter(self) -> Callable[[], Reporter]:
        """Gives the one reporter of a query, made when it is first needed."""
        made: list[Reporter] = []

        def reporter() -> Reporter:
            if not made:
                shown = self._progress
                made.append(Reporter(bar() if shown is True else shown or None))
            return made[0]

        return reporter

    def _ask(self, asked: Question, pin: Pin | None = None) -> Q:
        pin = pin or Pin.of(asked.options.get("version"))
        return self._query(Asking(self, self._session, asked, self._reporter(), pin))

    def _read(self, kind: str, ids: Ids | None, dates: Dates | None, options: Options) -> Q:
        return self._ask(question(kind, None, ids, dates, options))

    def _resolve(
        self, symbols: Ids, symbol_type: str, start: date | str | None, end: date | str | None
    ) -> Task[dict[str, Any]]:
        names = [symbols] if isinstance(symbols, (str, int)) else list(symbols)
        dates = {"start": start, "end": end}
        given = {name: str(value) for name, value in dates.items() if value is not None}
        parameters = {"symbols": ",".join(str(name) for name in names), "type": symbol_type, **given}
        return (yield from self._symbology("resolve", parameters))

    def _search(self, text: str, limit: int) -> Task[list[dict[str, Any]]]:
        answer = yield from self._symbology("search", {"q": text, "limit": str(limit)})
        with understood():
            return list(answer["securities"])

    def _symbology(self, name: str, parameters: dict[str, str]) -> Task[dict[str, Any]]:
        return ask_json(self._session, Context(), f"/symbology/{name}?{urlencode(parameters)}")

    def _datasets(self) -> Task[list[dict[str, Any]]]:
        return ask_meta(self._session, Context(), "/meta/datasets/my")


class DatasetBase(Generic[Q, D]):
    """A dataset of the catalogue, by its id or text id."""

    def __init__(self, client: ClientBase[Q, Any], driver: D, name: str) -> None:
        self._client = client
        self._driver = driver
        self._session = client._session
        self.name = name

    def __reduce__(self) -> Any:
        return type(self._client).dataset, (self._client, self.name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def read(self, ids: Ids | None = None, dates: Dates | None = None, **options: Unpack[ReadOptions]) -> Q:
        """Rows of the dataset: of these identifiers, or of all; of these dates, or of its usual window."""
        return self._client._ask(question(None, self.name, ids, dates, cast(Options, options)))

    def changes(self, from_version: int, to_version: int | None = None, **options: Unpack[ReadOptions]) -> Q:
        """The rows that were removed and added between two versions."""
        if "version" in options or "as_of" in options:
            raise InputError("Changes are between the versions that are named first")
        if "start" in options or "end" in options:
            raise InputError("Changes are of all dates; choose some by `where`")
        ends = from_version, to_version
        return self._client._ask(Question(None, self.name, (), None, cast(Options, options), ends))

    @property
    def _context(self) -> Context:
        return Context(self.name)

    def _trading_days(self, start: Day, end: Day, product: str | None) -> Task[list[TradingDay]]:
        first, last = day_of(start), day_of(end)
        if last < first:
            raise InputError(f"The range of dates ends on {last}, before it begins on {first}")
        path = yield from self._path("query")
        form = cast(QueryForm, (yield from ask_meta(self._session, self._context, path)))
        with understood():
            return trading_days(form, first, last, product)

    def _path(self, end: str) -> Task[str]:
        form = yield from read_form(self._session, self._context, self.name)
        return f"/meta/datasets/{quote(form.dataset_id)}/{end}"

    def _columns(self) -> Task[tuple[Column, ...]]:
        path = yield from self._path("columns")
        return columns_of((yield from ask_meta(self._session, self._context, path)))

    def _meta(self, end: str) -> Task[dict[str, Any]]:
        path = yield from self._path(end)
        answer: dict[str, Any] = yield from ask_json(self._session, self._context, path)
        return answer

    def _versions(self) -> Task[list[dict[str, Any]]]:
        rows: list[dict[str, Any]] = []
        before = ""
        while True:
            answer = yield from self._meta(f"versions?limit=1000{before}")
            with understood():
                rows += answer["data"]
                next_before = answer["pagination"]["next_before"]
            if next_before is None:
                return rows
            before = f"&before={next_before}"
