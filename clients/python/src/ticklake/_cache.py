"""A cache on disk: bytes by their digest, and which of them each answer was made of.

    blobs/sha256/ab/abcd…                                       verified bytes
    manifests/{server}/{account}/{dataset}/{version}/{query}.json  which blobs an answer was
    partial/{sha}.{unique}                                      bytes on their way

A blob appears by a rename of bytes that were verified, so any number of processes may share a cache. Each
of them verifies it again before it first reads it, and whenever it may have been written to. A blob may go
at any time: whoever finds it gone fetches it again. A manifest says by a digest of itself and its place
that it is as it was written. No file holds a key, and none is followed to where a symbolic link leads.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any, TypeAlias

from ._core.fork import OwnLock
from .errors import CacheWarning

# Server, account, dataset and query of an answer.
Place: TypeAlias = tuple[str, str, str, str]

DEFAULT_BYTES_MAX = 20 * 1024**3
# Room is made down to this share, so that not every read has to make some.
ROOM_SHARE = 0.9
# Blobs that this process has verified, with what the file system said of them just before.
_verified: dict[Path, tuple[int, ...]] = {}
VERIFIED_MAX = 100_000


def default_folder() -> Path:
    """`$TICKLAKE_CACHE`, or the platform's folder for caches. Raises `RuntimeError` if there is no home."""
    if told := os.environ.get("TICKLAKE_CACHE"):
        return Path(told)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "ticklake" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ticklake"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ticklake"


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Cache:
    """Blobs and manifests in a folder of one's own, up to `bytes_max` bytes of blobs."""

    def __init__(self, folder: Path, bytes_max: int = DEFAULT_BYTES_MAX) -> None:
        self.folder = folder
        self.bytes_max = bytes_max
        self._unchecked_bytes: int | None = None
        self._lock = OwnLock()
        self._is_given_up = False

    def takes(self, byte_count: int) -> bool:
        """True if so many bytes may be kept; makes the folders for them."""
        if self._is_given_up or byte_count > self.bytes_max:
            return False
        try:
            for name in ("blobs/sha256", "manifests", "partial"):
                (self.folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            self.give_up(error)
        return not self._is_given_up

    def give_up(self, error: OSError) -> None:
        """Keeps nothing from now on, and warns of it once; what is there can still be read."""
        with self._lock:
            is_known, self._is_given_up = self._is_given_up, True
        if not is_known:
            text = f"Couldn't write to the cache in {self.folder}: {error.strerror or error}"
            warnings.warn(f"{text}. The client goes on, but keeps nothing.", CacheWarning, stacklevel=2)

    def _write(self, name: str, body: bytes, place: Callable[[Path], Path]) -> Path | None:
        """A new file, as `place` puts it in its place; None if it cannot be, or another process took it."""
        partial = self.partial_path(name)
        try:
            # Exclusive, so that it is never a link's target.
            with os.fdopen(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                file.write(body)
            return place(partial)
        except OSError as error:
            drop(partial)
            if not isinstance(error, FileNotFoundError):
                self.give_up(error)
            return None

    # Blobs

    def blob_path(self, sha: str) -> Path:
        return self.folder / "blobs" / "sha256" / sha[:2] / sha

    def partial_path(self, sha: str) -> Path:
        return self.folder / "partial" / f"{sha}.{uuid.uuid4().hex}"

    def partials(self, sha: str) -> list[Path]:
        """Partial files of a blob, of any process, the longest first."""
        paths = [path for path in (self.folder / "partial").glob(f"{sha}.*") if not path.is_symlink()]
        return sorted(paths, key=size_of, reverse=True)

    def blob(self, sha: str, byte_count: int) -> Path | None:
        """The path of a blob, if it is there and has its digest; what has another one is dropped.

        Another process may take it away at any moment.
        """
        path = self.blob_path(sha)
        try:
            if not S_ISREG(path.lstat().st_mode):
                return None
            before = _state(path)
            with suppress(OSError):
                # The time of access says what was used last, when room has to be made.
                os.utime(path, ns=(_now_ns(), before[1]))
            # From before it is read, so that whatever is written meanwhile shows next time.
            state = _state(path)
            # Setting that time changes one more, and nothing else.
            is_same = (before[:2], before[3]) == (state[:2], state[3])
            is_verified = is_same and _verified.get(path) == before
            if state[0] != byte_count or not (is_verified or file_digest(path) == sha):
                drop(path)
                return None
        except OSError:
            return None
        if len(_verified) >= VERIFIED_MAX:
            _verified.clear()
        _verified[path] = state
        return path

    def adopt(self, path: Path, sha: str) -> Path:
        """Makes a blob of a file whose bytes were verified."""
        target = self.blob_path(sha)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        size, now = size_of(path), _now_ns()
        os.utime(path, ns=(now, now))
        os.replace(path, target)
        self._make_room(size)
        return target

    def put(self, body: bytes, sha: str) -> Path | None:
        """Makes a blob of bytes that were verified; None if they cannot be kept."""
        held = self.blob(sha, len(body))
        if held is None and self.takes(len(body)):
            held = self._write(sha, body, lambda partial: self.adopt(partial, sha))
        return held

    # Manifests

    def _manifest_path(self, place: Place, version: int) -> Path:
        *folders, query = place
        return Path(self.folder, "manifests", *folders, str(version), f"{query}.json")

    def manifest(self, place: Place, version: int | None) -> dict[str, Any] | None:
        """The manifest of a query: of this version, or without one, of the newest."""
        folder = self._manifest_path(place, 0).parent.parent
        for number in [version] if version is not None else _versions(folder):
            path = self._manifest_path(place, number)
            with suppress(OSError, ValueError):
                read: Any = None if path.is_symlink() else json.loads(path.read_bytes())
                if isinstance(read, dict) and read.pop("check", None) == self._check(path, read):
                    return read
        return None

    def _check(self, path: Path, content: dict[str, Any]) -> str:
        """A digest of a manifest and its place, so that neither one that was spoilt nor another is taken."""
        place = path.relative_to(self.folder).as_posix()
        return hashlib.sha256(f"{place}\0{json.dumps(content)}".encode()).hexdigest()

    def put_manifest(self, place: Place, version: int, content: dict[str, Any]) -> None:
        if not self.takes(0):
            return
        path = self._manifest_path(place, version)
        whole = {**content, "check": self._check(path, content)}

        def put(partial: Path) -> Path:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return partial.replace(path)

        self._write("manifest", json.dumps(whole).encode(), put)

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
        for path in [*self.folder.glob("blobs/sha256/*/*"), *self.folder.glob("partial/*")]:
            drop(path)
        self._unchecked_bytes = None


def _now_ns() -> int:
    return time.time_ns()


def _state(path: Path) -> tuple[int, ...]:
    """Changes when a file is written to, even if its time of modification is set back."""
    stat = path.lstat()
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino


def drop(path: Path) -> None:
    """Takes out a file that is not to be believed."""
    with suppress(OSError):
        path.unlink()


def size_of(path: Path) -> int:
    """The bytes of a file; 0 if it is not there."""
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
