"""What was fetched, kept on disk: bytes by their digest, and what each answer was made of.

    blobs/sha256/ab/abcd…                                       verified bytes
    manifests/{server}/{account}/{dataset}/{version}/{query}.json  which blobs an answer was
    partial/{sha}.{unique}                                      bytes on their way

A blob appears by a rename of bytes that were verified, so any number of processes may share a cache.
Its time of modification is made from its digest then: whoever writes to it changes that, and it is not
taken any more. No file holds a key, and none is followed to where a symbolic link leads.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

DEFAULT_BYTES_MAX = 20 * 1024**3
# Room is made down to this share, so that not every read has to make some.
ROOM_SHARE = 0.9
HASH_STEP_BYTES = 1024 * 1024


def default_folder() -> Path:
    """`$TICKLAKE_CACHE`, or the platform's folder for caches."""
    if told := os.environ.get("TICKLAKE_CACHE"):
        return Path(told)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "ticklake" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ticklake"
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "ticklake"


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(HASH_STEP_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def _verified_ns(sha: str) -> int:
    """The time of modification of a blob that is as it was verified: between 2001 and 2033."""
    return (10**9 + int(sha[:15], 16) % 10**9) * 10**9


class Cache:
    """Blobs and manifests in a folder of one's own, up to `bytes_max` bytes of blobs."""

    def __init__(self, folder: Path, bytes_max: int = DEFAULT_BYTES_MAX) -> None:
        self.folder = folder
        self.bytes_max = bytes_max
        self._unchecked_bytes: int | None = None
        for name in ("blobs/sha256", "manifests", "partial"):
            (folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)

    # Blobs

    def blob_path(self, sha: str) -> Path:
        return self.folder / "blobs" / "sha256" / sha[:2] / sha

    def partial_path(self, sha: str) -> Path:
        return self.folder / "partial" / f"{sha}.{uuid.uuid4().hex}"

    def partials(self, sha: str) -> list[Path]:
        """What others have fetched of a blob, the longest first."""
        paths = [path for path in (self.folder / "partial").glob(f"{sha}.*") if not path.is_symlink()]
        return sorted(paths, key=_size, reverse=True)

    def blob(self, sha: str, byte_count: int) -> Path | None:
        """The path of a blob, if it is there as it was verified."""
        path = self.blob_path(sha)
        try:
            stat = path.lstat()
        except OSError:
            return None
        if path.is_symlink() or stat.st_size != byte_count:
            return None
        if stat.st_mtime_ns != _verified_ns(sha) and file_digest(path) != sha:
            path.unlink(missing_ok=True)
            return None
        with suppress(OSError):
            # The time of access says what was used last, when room has to be made.
            os.utime(path, ns=(_now_ns(), _verified_ns(sha)))
        return path

    def adopt(self, path: Path, sha: str) -> Path:
        """Makes a blob of a file whose bytes were verified."""
        target = self.blob_path(sha)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        size = _size(path)
        os.utime(path, ns=(_now_ns(), _verified_ns(sha)))
        os.replace(path, target)
        self._make_room(size)
        return target

    def put(self, body: bytes, sha: str) -> Path:
        """Makes a blob of bytes that were verified."""
        held = self.blob(sha, len(body))
        if held is not None:
            return held
        partial = self.partial_path(sha)
        # Exclusive, so that it is never a link's target.
        with os.fdopen(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(body)
        return self.adopt(partial, sha)

    # Manifests

    def _query_folder(self, server: str, account: str, dataset: str) -> Path:
        return self.folder / "manifests" / server / account / dataset

    def manifest(
        self, server: str, account: str, dataset: str, query: str, version: int | None
    ) -> dict[str, Any] | None:
        """What is known of a query: of this version, or without one, of the newest."""
        folder = self._query_folder(server, account, dataset)
        versions = [version] if version is not None else _versions(folder)
        for number in versions:
            path = folder / str(number) / f"{query}.json"
            with suppress(OSError, ValueError):
                if not path.is_symlink():
                    read: dict[str, Any] = json.loads(path.read_bytes())
                    return read
        return None

    def put_manifest(
        self, server: str, account: str, dataset: str, query: str, version: int, content: Any
    ) -> None:
        folder = self._query_folder(server, account, dataset) / str(version)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".new")
        with os.fdopen(handle, "w") as file:
            json.dump(content, file)
        os.replace(name, folder / f"{query}.json")

    # Room

    def _make_room(self, added: int) -> None:
        """Takes out what was used longest ago, as soon as there may be too much."""
        unchecked = self._unchecked_bytes
        self._unchecked_bytes = None if unchecked is None else unchecked + added
        if self._unchecked_bytes is not None and self._unchecked_bytes <= self.bytes_max:
            return
        blobs = sorted(self._blobs(), key=lambda blob: blob[1])
        total = sum(size for _, _, size in blobs)
        if total > self.bytes_max:
            for path, _, size in blobs:
                with suppress(OSError):
                    path.unlink()
                    total -= size
                if total <= self.bytes_max * ROOM_SHARE:
                    break
        self._unchecked_bytes = total

    def _blobs(self) -> Iterator[tuple[Path, int, int]]:
        for path in (self.folder / "blobs" / "sha256").glob("*/*"):
            with suppress(OSError):
                stat = path.lstat()
                yield path, stat.st_atime_ns, stat.st_size

    def clear(self) -> None:
        """Takes out every blob, and what was left on its way."""
        for path in [
            *(self.folder / "blobs" / "sha256").glob("*/*"),
            *self.folder.glob("partial/*"),
        ]:
            with suppress(OSError):
                path.unlink()
        self._unchecked_bytes = None


def _now_ns() -> int:
    import time

    return time.time_ns()


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _versions(folder: Path) -> list[int]:
    """Versions of which something is known, the newest first."""
    try:
        return sorted((int(name) for name in os.listdir(folder) if name.isdigit()), reverse=True)
    except OSError:
        return []
