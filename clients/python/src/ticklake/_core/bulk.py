"""Many files at once: the manifest of a read, and its files fetched in parallel and handed out in order."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.parse import parse_qsl

from .._cache import Cache, drop, file_digest, size_of
from ..errors import IntegrityError, NotCachedError, PermissionDeniedError, TicklakeError
from . import answers
from .exchange import ask_json, understood
from .files import fetch_file
from .page_head import Missing
from .reading import Reading, Stored, pinned
from .steps import Emit, Handle, Join, Sleep, Start, Task, Work, work
from .versions import Versions, versions_in

_SHA = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# How often a link may expire while its file is fetched.
RENEWALS = 3
POLL_SECONDS = 0.2
# A process that writes the same file for so long without getting on is not waited for.
PATIENCE_SECONDS = 10.0
# How often a file is fetched to the cache, from which others may take it away, before it is read beside it.
CACHE_TRIES = 2


File: TypeAlias = answers.ManifestFiles


@dataclass(frozen=True, slots=True)
class Manifest:
    versions: Versions
    window: str | None
    row_count: int
    byte_count: int
    files: tuple[File, ...]
    allowance: answers.Allowance | None
    hint: str | None
    symbols: str | None
    missing: Missing | None
    # No file tells.
    unadjusted: None = None

    @property
    def is_empty(self) -> bool:
        return self.row_count == 0


@understood()
def manifest_of(answer: answers.Manifest) -> Manifest:
    """Raises `IntegrityError` where the parts of a manifest do not go together."""
    files, told = tuple(answer["files"]), answer.get("missing")
    manifest = Manifest(
        versions=versions_in(answer),
        window=answer["window"],
        row_count=answer["row_count"],
        byte_count=answer["byte_count"],
        files=files,
        allowance=answer.get("allowance"),
        hint=answer.get("hint"),
        symbols=answer.get("symbols"),
        missing=Missing(told["count"], told["of"], tuple(told["identifiers"])) if told else None,
    )
    sums = (sum(file["row_count"] for file in files), sum(file["byte_count"] for file in files))
    are_named = all(_SHA.fullmatch(file["sha256"]) and _NAME.fullmatch(file["name"]) for file in files)
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


@dataclass(frozen=True, slots=True)
class Source:
    """Fetches the files of a read, again when their links have expired."""

    reading: Reading
    path: str
    repeated: tuple[tuple[str, str], ...]

    def held(self) -> Manifest | None:
        """The manifest of the last time."""
        reading, cache = self.reading, self.reading.session.cache
        version = reading.pin.versions.get("dataset_version")
        held = cache.manifest(reading.place(self.path), version) if cache else None
        return None if held is None else manifest_of(cast(answers.Manifest, held))

    def manifest(self) -> Task[Manifest]:
        """The manifest; offline that of the last time."""
        reading, session = self.reading, self.reading.session
        manifest = self.held() if session.settings.offline else None
        if manifest is None:
            answer = yield from ask_json(session, reading.context, f"/{pinned(reading, self.path)}")
            manifest = manifest_of(answer)
            with understood():
                _require_answer(self.path, self.repeated, answer["canonical_request"])
            self._keep(manifest, answer)
        reading.pin.bind(manifest.versions, reading.dataset)
        return manifest

    def _keep(self, manifest: Manifest, answer: answers.Manifest) -> None:
        """Without its links, which open files for anybody, and without what is left of limits today."""
        cache, place = self.reading.session.cache, self.reading.place(self.path)
        if cache is not None:
            kept = {**answer, "files": [{**row, "url": ""} for row in answer["files"]], "allowance": None}
            cache.put_manifest(place, manifest.versions["dataset_version"], kept)


def fetch(source: Source, file: File, partial: Path) -> Task[None]:
    """Completes `partial`, with a new link to the same bytes when the one of the manifest expires."""
    reading = source.reading
    if reading.session.settings.offline:
        raise NotCachedError(f"The client is offline, and the cache does not have {file['name']}")
    for renewal in range(RENEWALS + 1):
        url = reading.session.own_url(file["url"])
        try:
            yield from fetch_file(
                reading.session, reading.context, url, file["sha256"], file["byte_count"], partial
            )
            return
        except PermissionDeniedError:
            if renewal == RENEWALS:
                raise
        manifest = yield from source.manifest()
        same = [each for each in manifest.files if each["sha256"] == file["sha256"]]
        if not same:
            raise IntegrityError(f"The file {file['name']} is not in the new manifest of its version")
        file = same[0]


def partial_to_blob(cache: Cache, partial: Path, sha: str) -> Callable[[], Path]:
    return lambda: cache.adopt(partial, sha)


def _held(reading: Reading, file: File, verified: Path | None = None) -> Callable[[], Any]:
    """Reads the part of a file from the cache, or its blob; None if it is not there as it should be."""

    def read() -> Any:
        cache = reading.session.cache
        blob = verified or (cache.blob(file["sha256"], file["byte_count"]) if cache is not None else None)
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
        if cache is None or is_over or not cache.takes(file["byte_count"]):
            # Each time that it was fetched, its bytes were counted.
            reading.reporter.add(bytes=file["byte_count"] * (int(part is not None) - fetched))
            return part
        others = yield Work(lambda: cache.partials(file["sha256"]))
        # Take over an abandoned file; wait for one that is being written.
        partial = others[0] if others and waited < PATIENCE_SECONDS else cache.partial_path(file["sha256"])
        try:
            yield from fetch(source, file, partial)
            fetched += 1
            adopted = yield Work(partial_to_blob(cache, partial, file["sha256"]))
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
    held = None if reading.session.settings.offline else source.held()
    files = held.files if held is not None else ()
    if not 0 < len(files) <= reading.session.settings.concurrency:
        return early
    for file in files:
        early[file["sha256"]] = yield Start(work(_held(reading, file)))
    return early


def _beside_cache(source: Source, file: File, scratch: Callable[[], Path]) -> Task[Any]:
    """The part of a file by way of a folder that goes with the read."""
    try:
        path = scratch() / f"{file['sha256']}.{file['name']}"
        yield from fetch(source, file, path)
    except OSError as error:
        raise TicklakeError(f"Couldn't write {file['name']} to a temporary folder: {error}") from error
    return (yield Work(lambda: source.reading.decoder.decode(Stored(path, "parquet"))))


def _read_file(source: Source, file: File, scratch: Callable[[], Path], early: Early) -> Task[Any]:
    reading = source.reading
    part = (yield Join(early[file["sha256"]])) if file["sha256"] in early else None
    if part is not None:
        reading.reporter.add(bytes=file["byte_count"])
    else:
        part = yield from _by_cache(source, file)
    if part is None:
        part = yield from _beside_cache(source, file, scratch)
    rows = reading.decoder.count(part)
    if rows != file["row_count"]:
        raise IntegrityError(f"The file {file['name']} has {rows} rows, not {file['row_count']}")
    reading.reporter.add(files=1, rows=file["row_count"])
    return part


def _in_order(source: Source, tasks: Iterable[Task[Any]]) -> Task[None]:
    """Emits what tasks come to, in their order, some of them started ahead."""
    started: deque[Handle] = deque()
    for task in tasks:
        if len(started) >= source.reading.session.settings.concurrency:
            yield Emit((yield Join(started.popleft())))
        started.append((yield Start(task)))
    while started:
        yield Emit((yield Join(started.popleft())))


def emit_files(source: Source, manifest: Manifest, scratch: Callable[[], Path], early: Early) -> Task[None]:
    """Emits the parts of all files in natural order."""
    files = manifest.files
    source.reading.reporter.set(
        bytes_total=manifest.byte_count, rows_total=manifest.row_count, files_total=len(files)
    )
    return _in_order(source, (_read_file(source, file, scratch, early) for file in files))


def download_files(source: Source, manifest: Manifest, folder: Path) -> Task[None]:
    """Emits the paths of the files in `folder`; what is there already is not fetched again."""
    source.reading.reporter.set(bytes_total=manifest.byte_count, files_total=len(manifest.files))
    return _in_order(source, (_download(source, file, folder) for file in manifest.files))


def _download(source: Source, file: File, folder: Path) -> Task[Path]:
    target = folder / file["name"]

    def is_there() -> bool:
        if target.is_symlink() or not target.is_file():
            return False
        return target.stat().st_size == file["byte_count"] and file_digest(target) == file["sha256"]

    if not (yield Work(is_there)):
        partial = folder / f".{file['name']}.{file['sha256'][:16]}.partial"
        yield from fetch(source, file, partial)
        partial.replace(target)
    else:
        source.reading.reporter.add(bytes=file["byte_count"])
    source.reading.reporter.add(files=1)
    return target
