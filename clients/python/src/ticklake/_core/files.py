"""A file of a manifest: fetched in as many pieces as it takes, verified, and moved to its place."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from io import FileIO
from pathlib import Path

from ..errors import IntegrityError
from ..progress import Reporter
from .exchange import Context, Request, exchange
from .file_lock import try_lock
from .session import Session
from .steps import Head, Sink, Task, Work

READ_STEP_BYTES = 1024 * 1024


class _Partial:
    """A file on its way, with the digest of what it has so far."""

    def __init__(self, file: FileIO, byte_count: int, reporter: Reporter) -> None:
        self._file = file
        self._byte_count = byte_count
        self._reporter = reporter
        self._digest = hashlib.sha256()
        self.size = 0

    def restart(self) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._digest = hashlib.sha256()
        self.size = 0

    def resume(self) -> None:
        """Takes over what is there already, unless it is more than the file can be."""
        self._file.seek(0)
        digest, size = hashlib.sha256(), 0
        while chunk := self._file.read(READ_STEP_BYTES):
            digest.update(chunk)
            size += len(chunk)
        if size > self._byte_count:
            return self.restart()
        self._digest, self.size = digest, size

    def write(self, chunk: bytes) -> None:
        if self.size + len(chunk) > self._byte_count:
            raise IntegrityError(f"A file is longer than its {self._byte_count} bytes")
        left = memoryview(chunk)
        while left:
            left = left[self._file.write(left) :]
        self._digest.update(chunk)
        self.size += len(chunk)
        self._reporter.add(bytes=len(chunk))

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


class _FileRequest(Request):
    """Asks for what is missing of a file."""

    good = frozenset({200, 206, 416})
    may_move = True

    def __init__(self, url: str, sha: str, partial: _Partial) -> None:
        super().__init__(url)
        self._sha = sha
        self._partial = partial

    def headers(self) -> Mapping[str, str]:
        size = self._partial.size
        # The tag of a file is its digest: a piece is only ever joined to the same bytes.
        return {"range": f"bytes={size}-", "if-range": f'"{self._sha}"'} if size > 0 else {}

    def choose(self, head: Head) -> Sink | None:
        starts_here = head.headers.get("content-range", "").startswith(f"bytes {self._partial.size}-")
        if head.status == 416:
            self._partial.restart()
            return None
        if head.status == 200 or not starts_here:
            self._partial.restart()
        return self._partial if head.status == 200 or starts_here else None

    def received(self) -> int:
        return self._partial.size


def _fill(
    session: Session, context: Context, url: str, sha: str, byte_count: int, file: FileIO
) -> Task[None]:
    partial = _Partial(file, byte_count, context.reporter)
    yield Work(partial.resume)
    context.reporter.add(bytes=partial.size)
    for _ in range(2):
        rounds = 0
        while partial.size < byte_count and rounds <= session.settings.max_retries:
            rounds += 1
            yield from exchange(session, context, _FileRequest(url, sha, partial))
        if partial.size == byte_count and partial.hexdigest() == sha:
            return
        context.reporter.add(bytes=-partial.size, retries=1)
        partial.restart()
    raise IntegrityError(f"A file of {byte_count} bytes does not have its SHA-256, {sha}")


def fetch_file(
    session: Session, context: Context, url: str, sha: str, byte_count: int, partial: Path
) -> Task[None]:
    """Completes the file `partial` to the bytes with the digest `sha`; they are on the disk by then.

    Raises `IntegrityError` if they come damaged twice, `BlockingIOError` while another process writes it.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    # Unbuffered, so that what has arrived outlives this process.
    with os.fdopen(os.open(partial, flags, 0o600), "r+b", buffering=0) as file:
        if not try_lock(file):
            raise BlockingIOError(f"{partial} is being written")
        try:
            yield from _fill(session, context, url, sha, byte_count, file)
        except IntegrityError:
            partial.unlink(missing_ok=True)
            raise
        yield Work(lambda: os.fsync(file.fileno()))
