"""One read in the making: what all its requests have in common, and the version that binds them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._cache import Place, drop
from ..progress import Reporter
from .exchange import Context
from .session import Session
from .target import FileFormat
from .versions import Pin


@dataclass(frozen=True, slots=True)
class Stored:
    """Bytes of a format, in memory or in a file; `encoding` is the `Content-Encoding` they still have."""

    source: bytes | Path
    format: FileFormat
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class Decoder:
    """How stored bytes become a part of the result, and how many rows a part has."""

    decode: Callable[[Stored], Any]
    count: Callable[[Any], int]

    def decode_held(self, stored: Stored) -> Any:
        """The part of a blob of the cache; None if it is gone, or drops it if it does not decode."""
        try:
            return self.decode(stored)
        except Exception:
            assert isinstance(stored.source, Path)
            drop(stored.source)
            return None


@dataclass(frozen=True, slots=True)
class Reading:
    session: Session
    reporter: Reporter
    dataset: str
    pin: Pin
    decoder: Decoder

    @property
    def context(self) -> Context:
        return Context(self.dataset, self.pin.versions.get("dataset_version"), self.reporter)

    def place(self, path: str) -> Place:
        """The place of an answer in the cache, whatever its version."""
        head, _, query = path.partition("?")
        names = sorted(each for each in query.split("&") if not each.startswith("dataset_version="))
        name = hashlib.sha256(f"{head}?{'&'.join(names)}".encode()).hexdigest()[:32]
        return self.session.settings.place(self.dataset, name)


def pinned(reading: Reading, path: str, *parameters: str) -> str:
    """The path of a request with more parameters, bound to the versions as soon as they are known."""
    names = list(parameters)
    known = reading.pin.versions
    if known and not path.startswith("meta/"):
        path = re.sub(rf"(?<=[?&])({'|'.join(['as_of', *known])})=[^&]*(&|$)", "", path).rstrip("?&")
        names.extend(f"{name}={value}" for name, value in known.items())
    return f"{path}{'&' if '?' in path else '?'}{'&'.join(names)}" if names else path
