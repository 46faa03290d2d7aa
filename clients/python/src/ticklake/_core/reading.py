"""One read in the making: what all its requests have in common, and the version that binds them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._cache import drop
from ..errors import IntegrityError
from ..progress import Reporter
from .exchange import Context
from .fork import OwnLock
from .session import Session
from .target import FileFormat


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


class Pin:
    """The versions that bind all requests of a query, from the first answer on.

    That of the dataset; where rows are adjusted on request, that of the adjustment factors; and for
    continuous contracts that of the dataset that ranks them.
    """

    def __init__(
        self,
        version: int | None = None,
        factors_version: int | None = None,
        rolls_version: int | None = None,
    ) -> None:
        self._lock = OwnLock()
        self.version = version
        self.factors_version = factors_version
        self.rolls_version = rolls_version

    def __reduce__(self) -> Any:
        return Pin, (self.version, self.factors_version, self.rolls_version)

    def bind(
        self,
        version: int,
        dataset: str,
        factors_version: int | None = None,
        rolls_version: int | None = None,
    ) -> None:
        with self._lock:
            self.version = _bound(self.version, version, f"dataset {dataset}")
            if factors_version is not None:
                self.factors_version = _bound(self.factors_version, factors_version, "the adjustment factors")
            if rolls_version is not None:
                self.rolls_version = _bound(self.rolls_version, rolls_version, "the ranks of contracts")


def _bound(before: int | None, version: int, what: str) -> int:
    if before is None or before == version:
        return version
    raise IntegrityError(f"An answer is of version {version} of {what}, not {before}")


@dataclass(frozen=True, slots=True)
class Reading:
    session: Session
    reporter: Reporter
    dataset: str
    pin: Pin
    decoder: Decoder

    @property
    def context(self) -> Context:
        return Context(self.reporter, self.dataset, self.pin.version)


def query_name(path: str) -> str:
    """The name under which the cache knows a request, whatever its version."""
    head, _, query = path.partition("?")
    names = sorted(each for each in query.split("&") if not each.startswith("dataset_version="))
    return hashlib.sha256(f"{head}?{'&'.join(names)}".encode()).hexdigest()[:32]


def pinned(reading: Reading, path: str, *parameters: str) -> str:
    """The path of a request with more parameters, bound to the versions as soon as they are known."""
    names = list(parameters)
    version = reading.pin.version
    if version is not None and not path.startswith("meta/"):
        pins = {
            "dataset_version": version,
            "factors_version": reading.pin.factors_version,
            "rolls_version": reading.pin.rolls_version,
        }
        known = {name: value for name, value in pins.items() if value is not None}
        path = re.sub(rf"(?<=[?&])({'|'.join(['as_of', *known])})=[^&]*(&|$)", "", path).rstrip("?&")
        names.extend(f"{name}={value}" for name, value in known.items())
    return f"{path}{'&' if '?' in path else '?'}{'&'.join(names)}" if names else path
