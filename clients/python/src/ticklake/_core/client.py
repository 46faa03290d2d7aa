"""What both clients share: settings, the cache, and the questions that their methods ask."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, cast
from urllib.parse import quote, urlencode

from .._cache import DEFAULT_BYTES_MAX, Cache, default_folder
from ..errors import CacheWarning, InputError
from ..progress import Progress, Reporter, bar
from .catalogue import Column, ask_meta, columns_of, read_form
from .exchange import Context, ask_json, understood
from .question import Dates, Options, ReadOptions
from .read import Asking, Question, question
from .reading import Pin
from .session import Session, settings_of
from .steps import Task

Ids = str | int | Sequence[str | int]
ProgressSetting = Callable[[Progress], None] | bool | None


class ClientOptions(TypedDict, total=False):
    """What may be said of a client beside its server and key."""

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
        return None
    try:
        return Cache(default_folder() if setting is True else Path(setting), bytes_max)
    except RuntimeError as error:
        text = "There is no home folder for the cache: give a folder as `cache`, or set TICKLAKE_CACHE"
        if offline:
            raise InputError(text) from error
        warnings.warn(f"{text}. The client goes on, but keeps nothing.", CacheWarning, stacklevel=4)
        return None


class ClientBase:
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
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 30.0,
        max_retries: int = 4,
        max_wait: float = 120.0,
        concurrency: int = 4,
        cache: Path | str | bool = True,
        cache_bytes: int = DEFAULT_BYTES_MAX,
        offline: bool = False,
        compress: bool | None = None,
        verify: Path | str | bool = True,
        proxy: str | None = None,
        progress: ProgressSetting = None,
    ) -> None:
        settings = settings_of(
            url,
            key,
            timeout=timeout,
            max_retries=max_retries,
            max_wait=max_wait,
            concurrency=concurrency,
            offline=offline,
            compress=compress,
            verify=verify,
            proxy=proxy,
        )
        if offline and cache is False:
            raise InputError("A client that is offline needs a cache")
        self._session = Session(settings, _cache_of(cache, cache_bytes, offline))
        self._progress = progress

    # As they were given.
    _options: ClientOptions

    def __reduce__(self) -> Any:
        # Without the key, which another process takes from its own environment.
        settings = self._session.settings
        return partial(type(self), f"{settings.origin}{settings.prefix}", **self._options), ()

    @property
    def cache(self) -> Cache | None:
        """The cache on disk, if there is one."""
        return self._session.cache

    def __repr__(self) -> str:
        # Tracebacks print a client that could not be made, too.
        session: Session | None = getattr(self, "_session", None)
        place = f" {session.settings.origin}{session.settings.prefix}" if session else ""
        return f"<{type(self).__name__}{place}>"

    def _reporter(self) -> Callable[[], Reporter]:
        """Gives the one reporter of a query, made when it is first needed."""
        made: list[Reporter] = []

        def reporter() -> Reporter:
            if not made:
                shown = self._progress
                made.append(Reporter(bar() if shown is True else shown or None))
            return made[0]

        return reporter

    def _ask(self, asked: Question, pin: Pin | None = None) -> Asking:
        pin = pin or Pin(asked.options.get("version"))
        return Asking(self, self._session, asked, self._reporter(), pin)

    def _asking(self, kind: str, ids: Any, dates: Dates | None, options: Options) -> Asking:
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
        url = self._session.url(f"/symbology/{name}?{urlencode(parameters)}")
        answer: dict[str, Any] = yield from ask_json(self._session, Context(Reporter(None)), url)
        return answer

    def _datasets(self) -> Task[list[dict[str, Any]]]:
        context = Context(Reporter(None))
        return ask_meta(self._session, context, "/meta/datasets/my")


class DatasetBase:
    def __init__(self, client: ClientBase, name: str) -> None:
        self._client = client
        self._session = client._session
        self.name = name

    def __reduce__(self) -> Any:
        return type(self), (self._client, self.name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @property
    def _context(self) -> Context:
        return Context(Reporter(None), self.name)

    def _asking(self, ids: Any, dates: Dates | None, options: ReadOptions) -> Asking:
        asked = question(None, self.name, ids, dates, cast(Options, options))
        return self._client._ask(asked)

    def _changes(self, start: int, end: int | None, options: ReadOptions) -> Asking:
        if "version" in options or "as_of" in options:
            raise InputError("Changes are between the versions that are named first")
        if "start" in options or "end" in options:
            raise InputError("Changes are of all dates; choose some by `where`")
        asked = Question(None, self.name, (), None, cast(Options, options), (start, end))
        return self._client._ask(asked)

    def _path(self, end: str) -> Task[str]:
        form = yield from read_form(self._session, self._context, self.name)
        return f"/meta/datasets/{quote(form.dataset_id)}/{end}"

    def _columns(self) -> Task[tuple[Column, ...]]:
        path = yield from self._path("columns")
        return columns_of((yield from ask_meta(self._session, self._context, path)))

    def _meta(self, end: str) -> Task[dict[str, Any]]:
        path = yield from self._path(end)
        answer: dict[str, Any] = yield from ask_json(self._session, self._context, self._session.url(path))
        return answer

    def _versions(self) -> Task[list[dict[str, Any]]]:
        path = yield from self._path("versions?limit=1000")
        rows: list[dict[str, Any]] = []
        before: int | None = None
        while True:
            own = path if before is None else f"{path}&before={before}"
            url = self._session.url(own)
            answer = yield from ask_json(self._session, self._context, url)
            with understood():
                rows += answer["data"]
                before = answer["pagination"]["next_before"]
            if before is None:
                return rows
