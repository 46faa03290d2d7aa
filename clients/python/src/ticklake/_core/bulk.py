"""Many files at once: the manifest of a read, and its files fetched in parallel and handed out in order."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._cache import Cache, file_digest
from ..errors import IntegrityError, NotCachedError, PermissionDeniedError
from .exchange import ask_json, understood
from .files import fetch_file
from .reading import Reading, Stored, pinned, query_name
from .steps import Emit, Handle, Join, Sleep, Start, Task, Work, work

_SHA = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# How often a link may expire while its file is fetched.
RENEWALS = 3
POLL_SECONDS = 0.2
# A process that writes the same file for so long without getting on is not waited for.
PATIENCE_SECONDS = 10.0


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
    allowance: dict[str, Any]
    hint: str | None = None
    symbols: str | None = None
    # Of the adjustment factors, where rows are adjusted on request.
    factors_version: int | None = None


@understood()
def manifest_of(answer: Any) -> Manifest:
    """Raises `IntegrityError` where the parts of a manifest do not go together."""
    files = tuple(
        File(row["url"], row["name"], row["row_count"], row["byte_count"], row["sha256"])
        for row in answer["files"]
    )
    manifest = Manifest(
        version=answer["dataset_version"] or 0,
        window=answer["window"],
        row_count=answer["row_count"],
        byte_count=answer["byte_count"],
        files=files,
        allowance=answer.get("allowance") or {},
        hint=answer.get("hint"),
        symbols=answer.get("symbols"),
        factors_version=answer.get("factors_version"),
    )
    sums = (sum(file.row_count for file in files), sum(file.byte_count for file in files))
    are_named = all(_SHA.fullmatch(file.sha) and _NAME.fullmatch(file.name) for file in files)
    if sums != (manifest.row_count, manifest.byte_count) or not are_named:
        raise IntegrityError("The files of the manifest do not add up to what it says")
    return manifest


def _place(reading: Reading, path: str) -> tuple[str, str, str, str]:
    settings = reading.session.settings
    return settings.server, settings.account, reading.dataset, query_name(path)


def read_manifest(reading: Reading, path: str) -> Task[Manifest]:
    """The manifest at `path` below the prefix; offline that of the last time."""
    session, cache = reading.session, reading.session.cache
    place = _place(reading, path)
    held = cache.manifest(*place, reading.pin.version) if cache and session.settings.offline else None
    if held is not None:
        manifest = manifest_of(held)
        reading.pin.bind(manifest.version, reading.dataset, manifest.factors_version)
        return manifest
    url = session.url(f"/{pinned(reading, path)}")
    answer = yield from ask_json(session, reading.context, url)
    manifest = manifest_of(answer)
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

    def manifest(self) -> Task[Manifest]:
        return read_manifest(self.reading, self.path)


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


def _to_cache(source: Source, file: File) -> Task[Path]:
    """The path of the file's blob. Two processes that want it fetch it once, if both get on."""
    cache = source.reading.session.cache
    assert cache is not None
    waited, seen = 0.0, -1
    while True:
        blob: Path | None = yield Work(lambda: cache.blob(file.sha, file.byte_count))
        if blob is not None:
            return blob
        others = yield Work(lambda: cache.partials(file.sha))
        # What somebody left is taken over; what somebody writes is waited for.
        partial = others[0] if others and waited < PATIENCE_SECONDS else cache.partial_path(file.sha)
        try:
            yield from fetch(source, file, partial)
            adopted: Path = yield Work(partial_to_blob(cache, partial, file.sha))
            return adopted
        except (BlockingIOError, FileNotFoundError):
            size = partial.stat().st_size if partial.exists() else -1
            waited = 0.0 if size != seen else waited + POLL_SECONDS
            seen = size
            yield Sleep(POLL_SECONDS)


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
    files = manifest_of(held).files if held is not None else ()
    if not 0 < len(files) <= reading.session.settings.concurrency:
        return early
    for file in files:
        blob = cache.blob(file.sha, file.byte_count)
        if blob is not None:
            early[file.sha] = yield Start(work(_decoding(reading, blob)))
    return early


def _decoding(reading: Reading, path: Path) -> Callable[[], Any]:
    return lambda: reading.decoder.decode(Stored(path, "parquet"))


def _read_file(source: Source, file: File, scratch: Callable[[], Path], early: Early) -> Task[Any]:
    reading = source.reading
    cache = reading.session.cache
    if file.sha in early:
        part = yield Join(early[file.sha])
        reading.reporter.add(bytes=file.byte_count, files=1, rows=file.row_count)
        return part
    if cache is not None:
        held = yield Work(lambda: cache.blob(file.sha, file.byte_count))
        if held is not None:
            reading.reporter.add(bytes=file.byte_count)
        path = held or (yield from _to_cache(source, file))
    else:
        path = scratch() / f"{file.sha}.{file.name}"
        yield from fetch(source, file, path)
    part = yield Work(_decoding(reading, path))
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
