"""Many files at once: the manifest of a read, and its files fetched in parallel and handed out in order."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl

from .._cache import Cache, drop, file_digest, size_of
from ..errors import IntegrityError, NotCachedError, PermissionDeniedError, TicklakeError
from . import answers
from .exchange import ask_json, understood
from .files import fetch_file
from .page_head import Missing
from .reading import Reading, Stored, pinned, query_name
from .steps import Emit, Handle, Join, Sleep, Start, Task, Work, work

_SHA = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# How often a link may expire while its file is fetched.
RENEWALS = 3
POLL_SECONDS = 0.2
# A process that writes the same file for so long without getting on is not waited for.
PATIENCE_SECONDS = 10.0
# How often a file is fetched to the cache, from which others may take it away, before it is read beside it.
CACHE_TRIES = 2


@dataclass(frozen=True, slots=True)
class File:
    url: str
    name: str
    row_count: int
    byte_count: int
    sha: str


@dataclass(frozen=True, slots=True)
class Manifest:
    version: int
    window: str | None
    row_count: int
    byte_count: int
    files: tuple[File, ...]
    allowance: answers.ManifestAllowance | None
    hint: str | None = None
    symbols: str | None = None
    # Of the adjustment factors, where rows are adjusted on request.
    factors_version: int | None = None
    missing: Missing | None = None


@understood()
def manifest_of(answer: answers.Manifest) -> Manifest:
    """Raises `IntegrityError` where the parts of a manifest do not go together."""
    files = tuple(
        File(row["url"], row["name"], row["row_count"], row["byte_count"], row["sha256"])
        for row in answer["files"]
    )
    told = answer.get("missing")
    manifest = Manifest(
        version=answer["dataset_version"] or 0,
        window=answer["window"],
        row_count=answer["row_count"],
        byte_count=answer["byte_count"],
        files=files,
        allowance=answer.get("allowance"),
        hint=answer.get("hint"),
        symbols=answer.get("symbols"),
        factors_version=answer.get("factors_version"),
        missing=Missing(told["count"], told["of"], tuple(told["identifiers"])) if told else None,
    )
    sums = (sum(file.row_count for file in files), sum(file.byte_count for file in files))
    are_named = all(_SHA.fullmatch(file.sha) and _NAME.fullmatch(file.name) for file in files)
    if sums != (manifest.row_count, manifest.byte_count) or not are_named:
        raise IntegrityError("The files of the manifest do not add up to what it says")
    return manifest


def _words(text: str) -> set[str]:
    """The values of a list, however they are ordered and quoted."""
    return set(text.replace('"', "").split(","))


def _require_answer(path: str, repeated: tuple[tuple[str, str], ...], manifest: str) -> None:
    """Raises `IntegrityError` for a manifest of another dataset, other identifiers or other days."""
    place, _, query = manifest.partition("?")
    # A list of one may stand there as an equality.
    told, asked = (
        [(re.sub(r"\.(eq|in)$", "", name), _words(value)) for name, value in filters]
        for filters in (parse_qsl(query, keep_blank_values=True), repeated)
    )
    if place != f"/{path.partition('?')[0]}" or any(each not in told for each in asked):
        raise IntegrityError(f"The manifest is of another request: {manifest}")


def _place(reading: Reading, path: str) -> tuple[str, str, str, str]:
    settings = reading.session.settings
    return settings.server, settings.account, reading.dataset, query_name(path)


def read_manifest(reading: Reading, path: str, repeated: tuple[tuple[str, str], ...]) -> Task[Manifest]:
    """The manifest at `path` below the prefix; offline that of the last time."""
    session, cache = reading.session, reading.session.cache
    place = _place(reading, path)
    held = cache.manifest(*place, reading.pin.version) if cache and session.settings.offline else None
    if held is not None:
        manifest = manifest_of(cast(answers.Manifest, held))
        reading.pin.bind(manifest.version, reading.dataset, manifest.factors_version)
        return manifest
    url = session.url(f"/{pinned(reading, path)}")
    answer = yield from ask_json(session, reading.context, url)
    manifest = manifest_of(answer)
    with understood():
        _require_answer(path, repeated, answer["canonical_request"])
    reading.pin.bind(manifest.version, reading.dataset, manifest.factors_version)
    if cache is not None:
        # Without its links, which open files for whoever has them, and without what is left of limits today.
        files = [{**row, "url": ""} for row in answer["files"]]
        cache.put_manifest(*place, manifest.version, {**answer, "files": files, "allowance": None})
    return manifest


@dataclass(frozen=True, slots=True)
class Source:
    """What the files of a read are fetched by, and again when their links have expired."""

    reading: Reading
    path: str
    repeated: tuple[tuple[str, str], ...]

    def manifest(self) -> Task[Manifest]:
        return read_manifest(self.reading, self.path, self.repeated)


def fetch(source: Source, file: File, partial: Path) -> Task[None]:
    """Completes `partial`, with a new link to the same bytes when the one of the manifest expires."""
    reading = source.reading
    if reading.session.settings.offline:
        raise NotCachedError(f"The client is offline, and the cache does not have {file.name}")
    for renewal in range(RENEWALS + 1):
        url = reading.session.own_url(file.url)
        try:
            yield from fetch_file(reading.session, reading.context, url, file.sha, file.byte_count, partial)
            return
        except PermissionDeniedError:
            if renewal == RENEWALS:
                raise
        manifest = yield from source.manifest()
        same = [each for each in manifest.files if each.sha == file.sha]
        if not same:
            raise IntegrityError(f"The file {file.name} is not in the new manifest of its version")
        file = same[0]


def partial_to_blob(cache: Cache, partial: Path, sha: str) -> Callable[[], Path]:
    return lambda: cache.adopt(partial, sha)


def _held(reading: Reading, file: File, verified: Path | None = None) -> Callable[[], Any]:
    """Reads the part of a file from the cache, or its blob; None if it is not there as it should be."""

    def read() -> Any:
        cache = reading.session.cache
        blob = verified or (cache.blob(file.sha, file.byte_count) if cache is not None else None)
        return None if blob is None else reading.decoder.decode_held(Stored(blob, "parquet"))

    return read


def _by_cache(source: Source, file: File) -> Task[Any]:
    """The part of a file by way of the cache; None without one, and where others take it away again.

    Two processes that want it fetch it once, if both get on.
    """
    reading, cache = source.reading, source.reading.session.cache
    waited, seen, fetched = 0.0, -1, 0
    adopted: Path | None = None
    while True:
        part = yield Work(_held(reading, file, adopted))
        adopted = None
        is_over = part is not None or reading.session.settings.offline or fetched == CACHE_TRIES
        if cache is None or is_over or not cache.takes(file.byte_count):
            # Each time that it was fetched, its bytes were counted.
            reading.reporter.add(bytes=file.byte_count * (int(part is not None) - fetched))
            return part
        others = yield Work(lambda: cache.partials(file.sha))
        # What somebody left is taken over; what somebody writes is waited for.
        partial = others[0] if others and waited < PATIENCE_SECONDS else cache.partial_path(file.sha)
        try:
            yield from fetch(source, file, partial)
            fetched += 1
            adopted = yield Work(partial_to_blob(cache, partial, file.sha))
        except (BlockingIOError, FileNotFoundError):
            size = size_of(partial)
            waited = 0.0 if size != seen else waited + POLL_SECONDS
            seen = size
            yield Sleep(POLL_SECONDS)
        except OSError as error:
            drop(partial)
            cache.give_up(error)


Early = dict[str, Handle]


def start_held(source: Source) -> Task[Early]:
    """Begins to read what the cache has of the files of the last time, by their digests.

    Nothing is handed out before a new manifest names the same bytes.
    """
    reading, early = source.reading, Early()
    cache = reading.session.cache
    if cache is None or reading.session.settings.offline:
        return early
    held = cache.manifest(*_place(reading, source.path), version=reading.pin.version)
    files = manifest_of(cast(answers.Manifest, held)).files if held is not None else ()
    if not 0 < len(files) <= reading.session.settings.concurrency:
        return early
    for file in files:
        early[file.sha] = yield Start(work(_held(reading, file)))
    return early


def _beside_cache(source: Source, file: File, scratch: Callable[[], Path]) -> Task[Any]:
    """The part of a file by way of a folder that goes with the read."""
    try:
        path = scratch() / f"{file.sha}.{file.name}"
        yield from fetch(source, file, path)
    except OSError as error:
        raise TicklakeError(f"Couldn't write {file.name} to a temporary folder: {error}") from error
    return (yield Work(lambda: source.reading.decoder.decode(Stored(path, "parquet"))))


def _read_file(source: Source, file: File, scratch: Callable[[], Path], early: Early) -> Task[Any]:
    reading = source.reading
    part = (yield Join(early[file.sha])) if file.sha in early else None
    if part is not None:
        reading.reporter.add(bytes=file.byte_count)
    else:
        part = yield from _by_cache(source, file)
    if part is None:
        part = yield from _beside_cache(source, file, scratch)
    rows = reading.decoder.count(part)
    if rows != file.row_count:
        raise IntegrityError(f"The file {file.name} has {rows} rows, not {file.row_count}")
    reading.reporter.add(files=1, rows=file.row_count)
    return part


def emit_files(source: Source, manifest: Manifest, scratch: Callable[[], Path], early: Early) -> Task[None]:
    """Emits the parts of all files in natural order, some of them fetched ahead."""
    started: deque[Handle] = deque()
    source.reading.reporter.set(
        bytes_total=manifest.byte_count,
        rows_total=manifest.row_count,
        files_total=len(manifest.files),
    )
    for file in manifest.files:
        if len(started) >= source.reading.session.settings.concurrency:
            yield Emit((yield Join(started.popleft())))
        started.append((yield Start(_read_file(source, file, scratch, early))))
    while started:
        yield Emit((yield Join(started.popleft())))


def download_files(source: Source, manifest: Manifest, folder: Path) -> Task[list[Path]]:
    """The files under their names in `folder`; what is there already is not fetched again."""
    started: deque[Handle] = deque()
    paths: list[Path] = []
    source.reading.reporter.set(bytes_total=manifest.byte_count, files_total=len(manifest.files))
    for file in manifest.files:
        if len(started) >= source.reading.session.settings.concurrency:
            paths.append((yield Join(started.popleft())))
        started.append((yield Start(_download(source, file, folder))))
    while started:
        paths.append((yield Join(started.popleft())))
    return paths


def _download(source: Source, file: File, folder: Path) -> Task[Path]:
    target = folder / file.name

    def is_there() -> bool:
        if target.is_symlink() or not target.is_file():
            return False
        return target.stat().st_size == file.byte_count and file_digest(target) == file.sha

    if not (yield Work(is_there)):
        partial = folder / f".{file.name}.{file.sha[:16]}.partial"
        yield from fetch(source, file, partial)
        partial.replace(target)
    else:
        source.reading.reporter.add(bytes=file.byte_count)
    source.reading.reporter.add(files=1)
    return target
