"""Pages of a data request: each verified, kept in the cache, and followed by its link to the next."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from ..errors import IntegrityError
from .exchange import Request, exchange
from .page_head import PageHead, next_link, page_head
from .reading import Reading, Stored, query_name
from .steps import Emit, Head, Join, Memory, Sink, Start, Task, Work, work
from .target import FileFormat


@dataclass(frozen=True, slots=True)
class Page:
    """`part` is what the decoder made of it; None where the body was left for a better way."""

    head: PageHead
    part: Any
    is_read: bool = True


class _Hashed(Memory):
    """A body in memory, with its digest: found out while the next bytes are on their way."""

    def __init__(self) -> None:
        super().__init__()
        self._digest = hashlib.sha256()

    def write(self, chunk: bytes) -> None:
        self._digest.update(chunk)
        super().write(chunk)

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


class _PageRequest(Request):
    """`whole_only` hangs up on a page that is not the only one, before its body."""

    good = frozenset({200, 304})

    def __init__(self, url: str, headers: Mapping[str, str], whole_only: bool) -> None:
        super().__init__(url, headers)
        self._whole_only = whole_only

    def choose(self, head: Head) -> Sink | None:
        has_more = next_link(head) is not None
        return None if self._whole_only and has_more else _Hashed()


def _place(reading: Reading, path: str) -> tuple[str, str, str, str]:
    settings = reading.session.settings
    return settings.server, settings.account, reading.dataset, query_name(path)


def _held(reading: Reading, path: str) -> tuple[dict[str, Any], Stored] | None:
    """What the cache has of a page, with its bytes."""
    cache = reading.session.cache
    if cache is None:
        return None
    version = reading.pin.version
    manifest = cache.manifest(*_place(reading, path), version=version)
    if manifest is None and version is not None and not reading.session.settings.offline:
        # A page of another version may be the same page: the service knows by its tag.
        manifest = cache.manifest(*_place(reading, path), version=None)
    if manifest is None or not manifest.get("etag"):
        return None
    blob = cache.blob(manifest["sha256"], manifest["byte_count"])
    if blob is None:
        return None
    return manifest, Stored(blob, manifest["format"], manifest["encoding"])


def _keep(reading: Reading, path: str, head: PageHead, stored: Stored) -> None:
    cache, body = reading.session.cache, stored.source
    if cache is None or head.etag is None or head.digest is None or not isinstance(body, bytes):
        return
    cache.put(body, head.digest)
    manifest = {
        "version": head.version,
        "etag": head.etag,
        "sha256": head.digest,
        "byte_count": len(body),
        "format": stored.format,
        "encoding": head.encoding,
        "window": head.window,
        "next": head.next_link,
        "factors_version": head.factors_version,
        "rolls_version": head.rolls_version,
        "missing": head.missing_text,
    }
    cache.put_manifest(*_place(reading, path), head.version, manifest)


def _bind(reading: Reading, head: PageHead) -> None:
    reading.pin.bind(head.version, reading.dataset, head.factors_version, head.rolls_version)


def _headers(reading: Reading, file_format: FileFormat, held: Any) -> dict[str, str]:
    compressed = file_format == "arrow" and reading.session.settings.compress
    return {
        "want-repr-digest": "sha-256=1",
        **({"accept-encoding": "zstd"} if compressed else {}),
        **({"if-none-match": held[0]["etag"]} if held else {}),
    }


def _offline(reading: Reading, held: tuple[dict[str, Any], Stored]) -> Task[Page | None]:
    manifest, stored = held
    part = yield Work(lambda: reading.decoder.decode_held(stored))
    if part is None:
        return None
    head = PageHead(
        version=manifest["version"],
        window=manifest["window"],
        etag=manifest["etag"],
        digest=None,
        next_link=manifest["next"],
        encoding=None,
        factors_version=manifest.get("factors_version"),
        rolls_version=manifest.get("rolls_version"),
        missing_text=manifest.get("missing"),
    )
    _bind(reading, head)
    return Page(head, part)


def _accept(reading: Reading, path: str, head: PageHead, stored: Stored) -> Task[Page]:
    """The page of bytes that are as they were sent; they go to the cache meanwhile, if there is one."""
    if reading.session.cache is None:
        return Page(head, (yield Work(lambda: reading.decoder.decode(stored))))
    keeping = yield Start(work(lambda: _keep(reading, path, head, stored)))
    failure: Exception | None = None
    part: Any = None
    try:
        part = yield Work(lambda: reading.decoder.decode(stored))
    except Exception as error:
        failure = error
    yield Join(keeping)
    if failure is not None:
        raise failure
    return Page(head, part)


def _unchanged(reading: Reading, path: str, head: PageHead, manifest: dict[str, Any], part: Any) -> Page:
    """The page of the cache, which the service says is still the page that was asked for.

    Equal tags are equal plans, so that what follows the page is the same as well, in the version of now.
    """
    _bind(reading, head)
    link = manifest["next"]
    if link is not None:
        link = re.sub(r"(?<=[?&]dataset_version=)\d+", str(head.version), link)
        link = re.sub(r"(?<=[?&]factors_version=)\d+", str(head.factors_version), link)
        link = re.sub(r"(?<=[?&]rolls_version=)\d+", str(head.rolls_version), link)
    told = {
        "version": head.version,
        "factors_version": head.factors_version,
        "rolls_version": head.rolls_version,
    }
    is_told = all(manifest.get(name) == value for name, value in told.items())
    if not is_told and reading.session.cache is not None:
        known = {**manifest, **told, "next": link}
        reading.session.cache.put_manifest(*_place(reading, path), head.version, known)
    reading.reporter.add(bytes=manifest["byte_count"], files=1, rows=reading.decoder.count(part))
    own = {"next_link": link, "missing_text": manifest.get("missing")}
    return Page(replace(head, digest=None, encoding=None, **own), part)


def read_page(
    reading: Reading, path: str, file_format: FileFormat, *, whole_only: bool = False
) -> Task[Page]:
    """The page at `path` below the prefix. Raises `IntegrityError` if it comes damaged twice."""
    session = reading.session
    held = yield Work(lambda: _held(reading, path))
    if held is not None and session.settings.offline:
        page = yield from _offline(reading, held)
        if page is not None:
            return page
        held = None
    early = None
    if held is not None:
        # Read while the service is asked whether it may be: nothing is handed out before it agrees.
        stored = held[1]
        early = yield Start(work(lambda: reading.decoder.decode_held(stored)))
    sent = session.url(f"/{path}")
    damaged = 0
    while damaged < 2:
        request = _PageRequest(sent, _headers(reading, file_format, held), whole_only)
        reply = yield from exchange(session, reading.context, request)
        head = page_head(reply.head)
        if reply.head.status == 304 and early is not None and held is not None:
            part = yield Join(early)
            if part is not None:
                return _unchanged(reading, path, head, held[0], part)
            held = early = None
            continue
        if reply.sink is None:
            _bind(reading, head)
            return Page(head, None, is_read=False)
        assert isinstance(reply.sink, _Hashed)
        if head.digest is not None and reply.sink.hexdigest() == head.digest:
            body = reply.sink.bytes()
            page = yield from _accept(reading, path, head, Stored(body, file_format, head.encoding))
            _bind(reading, head)
            reading.reporter.add(bytes=len(body), files=1, rows=reading.decoder.count(page.part))
            return page
        reading.reporter.add(retries=1)
        damaged += 1
        held = early = None
    raise IntegrityError(f"The bytes of the answer to {path} do not have the digest that it names")


def _next_path(reading: Reading, path: str, link: str, offset: int) -> str:
    """The path of the next page, which must go on where this one ended, in the same version."""
    parts = urlsplit(link)
    prefix = f"{reading.session.settings.prefix}/"
    here, _, query = path.partition("?")
    now, after = dict(parse_qsl(query)), dict(parse_qsl(parts.query))
    pin = reading.pin
    expected = {**now, "offset": str(offset), "dataset_version": str(pin.version)}
    if pin.factors_version is not None:
        expected["factors_version"] = str(pin.factors_version)
    if pin.rolls_version is not None:
        expected["rolls_version"] = str(pin.rolls_version)
    # The link may name an `as_of` by its version.
    expected.pop("as_of", None)
    if parts.path != f"{prefix}{here}" or after != expected:
        raise IntegrityError(
            f"The link to the next page leads to {urlencode(after)}, not to {urlencode(expected)}"
        )
    return f"{parts.path.removeprefix(prefix)}?{parts.query}"


def walk(
    reading: Reading, path: str, file_format: FileFormat, first: Page | None, limit: int | None
) -> Task[None]:
    """Emits the pages from `path` on, one fetched ahead, up to about `limit` rows."""
    page = first or (yield from read_page(reading, path, file_format))
    offset = 0
    while True:
        offset += reading.decoder.count(page.part)
        link = page.head.next_link
        if link is None or (limit is not None and offset >= limit):
            yield Emit(page.part)
            return
        path = _next_path(reading, path, link, offset)
        ahead = yield Start(read_page(reading, path, file_format))
        yield Emit(page.part)
        page = yield Join(ahead)
