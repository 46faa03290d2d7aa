"""Pages of a data request: each verified, kept in the cache, and followed by its link to the next."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from ..errors import IntegrityError
from .exchange import Request, exchange
from .page_head import PageHead, next_link, page_head
from .reading import Reading, Stored
from .steps import Emit, Head, Join, Memory, Sink, Start, Task, Work, work
from .target import FileFormat, Target


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


@dataclass(frozen=True, slots=True)
class Held:
    """A page of the cache, with the head that it came with."""

    head: PageHead
    stored: Stored
    byte_count: int


def _held(reading: Reading, path: str) -> Held | None:
    cache = reading.session.cache
    if cache is None:
        return None
    place, version = reading.place(path), reading.pin.versions.get("dataset_version")
    manifest = cache.manifest(place, version)
    if manifest is None and version is not None and not reading.session.settings.offline:
        # A page of another version may be the same page: the service knows by its tag.
        manifest = cache.manifest(place, None)
    if manifest is None:
        return None
    try:
        head, byte_count = PageHead(**manifest["head"]), manifest["byte_count"]
    except (KeyError, TypeError):
        # Kept by another release of the client.
        return None
    blob = cache.blob(head.digest or "", byte_count)
    return None if blob is None else Held(head, Stored(blob, manifest["format"], head.encoding), byte_count)


def _note(reading: Reading, path: str, head: PageHead, file_format: FileFormat, byte_count: int) -> None:
    if reading.session.cache is not None:
        manifest = {"head": asdict(head), "format": file_format, "byte_count": byte_count}
        reading.session.cache.put_manifest(reading.place(path), head.versions["dataset_version"], manifest)


def _keep(reading: Reading, path: str, head: PageHead, stored: Stored) -> None:
    cache, body = reading.session.cache, stored.source
    if cache is None or head.etag is None or head.digest is None or not isinstance(body, bytes):
        return
    cache.put(body, head.digest)
    _note(reading, path, head, stored.format, len(body))


def _headers(reading: Reading, file_format: FileFormat, held: Held | None) -> dict[str, str]:
    compressed = file_format == "arrow" and reading.session.settings.compress
    return {
        "want-repr-digest": "sha-256=1",
        **({"accept-encoding": "zstd"} if compressed else {}),
        **({"if-none-match": held.head.etag} if held and held.head.etag else {}),
    }


def _offline(reading: Reading, held: Held) -> Task[Page | None]:
    part = yield Work(lambda: reading.decoder.decode_held(held.stored))
    if part is None:
        return None
    reading.pin.bind(held.head.versions, reading.dataset)
    return Page(held.head, part)


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


def _unchanged(reading: Reading, path: str, head: PageHead, held: Held, part: Any) -> Page:
    """The page of the cache, which the service says is still the page that was asked for.

    Equal tags are equal plans, so that what follows the page is the same as well, in the version of now.
    """
    reading.pin.bind(head.versions, reading.dataset)
    link = held.head.next_link
    for name, version in head.versions.items():
        link = link and re.sub(rf"(?<=[?&]{name}=)\d+", str(version), link)
    known = replace(held.head, versions=head.versions, next_link=link)
    if known != held.head:
        _note(reading, path, known, held.stored.format, held.byte_count)
    reading.reporter.add(bytes=held.byte_count, files=1, rows=reading.decoder.count(part))
    return Page(replace(head, next_link=link, missing_text=known.missing_text), part)


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
        stored = held.stored
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
                return _unchanged(reading, path, head, held, part)
            held = early = None
            continue
        if reply.sink is None:
            reading.pin.bind(head.versions, reading.dataset)
            return Page(head, None, is_read=False)
        assert isinstance(reply.sink, _Hashed)
        if head.digest is not None and reply.sink.hexdigest() == head.digest:
            body = reply.sink.bytes()
            page = yield from _accept(reading, path, head, Stored(body, file_format, head.encoding))
            reading.pin.bind(head.versions, reading.dataset)
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
    pins = {name: str(version) for name, version in reading.pin.versions.items()}
    expected = {**now, "offset": str(offset), **pins}
    # The link may name an `as_of` by its version.
    expected.pop("as_of", None)
    if parts.path != f"{prefix}{here}" or after != expected:
        raise IntegrityError(
            f"The link to the next page leads to {urlencode(after)}, not to {urlencode(expected)}"
        )
    return f"{parts.path.removeprefix(prefix)}?{parts.query}"


def walk(
    reading: Reading,
    path: str,
    page: Page,
    target: Target,
    note: Callable[[PageHead], None],
) -> Task[None]:
    """Emits the pages from `page` at `path` on, one fetched ahead, up to about the target's limit of rows."""
    limit, file_format = target.limit, target.format
    offset = 0
    while True:
        note(page.head)
        offset += reading.decoder.count(page.part)
        link = page.head.next_link
        if link is None or (limit is not None and offset >= limit):
            yield Emit(page.part)
            return
        path = _next_path(reading, path, link, offset)
        ahead = yield Start(read_page(reading, path, file_format))
        yield Emit(page.part)
        page = yield Join(ahead)
