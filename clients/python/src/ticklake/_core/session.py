"""What all requests of a client share."""

from __future__ import annotations

import hashlib
import os
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .._cache import Cache, Place
from ..errors import InputError
from .gate import Gate

DEFAULT_URL = "http://127.0.0.1:8080"
DEFAULT_PREFIX = "/v1"
CATALOGUE_SECONDS = 300.0
_KEY = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class Settings:
    """`origin` is scheme and host, `prefix` the path before every endpoint, `key` None for none."""

    origin: str
    prefix: str
    key: str | None = field(repr=False)
    timeout: float = 30.0
    max_retries: int = 4
    max_wait: float = 120.0
    concurrency: int = 4
    offline: bool = False
    compress: bool = True
    verify: Path | str | bool = True
    # It may have a password.
    proxy: str | None = field(default=None, repr=False)

    def place(self, dataset: str, query: str) -> Place:
        """Where the cache keeps an answer. It tells accounts apart, and tells nothing of the key."""
        account = hashlib.sha256(f"ticklake cache\0{self.key or ''}".encode()).hexdigest()[:16]
        server = urlsplit(self.origin).netloc.replace(":", "_") + self.prefix.replace("/", "_")
        return server, account, dataset, query


@dataclass
class Session:
    settings: Settings
    cache: Cache | None
    gate: Gate = field(default_factory=Gate)
    # Answers of the catalogue, by path, each with the time until which it is good.
    catalogue: dict[str, tuple[float, Any]] = field(default_factory=dict, repr=False)
    monotonic: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random

    def now(self) -> datetime:
        return datetime.now(UTC)

    def sign(self, request: Any) -> Any:
        if self.settings.key is not None:
            request.headers["x-api-key"] = self.settings.key
        return request

    def url(self, path: str) -> str:
        return f"{self.settings.origin}{self.settings.prefix}{path}"

    def own_url(self, link: str) -> str:
        """What a link names, at this server: the key never goes to where a link leads."""
        parts = urlsplit(link)
        query = f"?{parts.query}" if parts.query else ""
        return f"{self.settings.origin}{parts.path}{query}"


def _origin_of(url: str) -> tuple[str, str]:
    parts = urlsplit(url) if _is_http(url) else None
    if parts is None or parts.query or parts.fragment:
        raise InputError(f"The address {url!r} is not one such as {DEFAULT_URL}")
    if parts.username or parts.password:
        raise InputError("The address must not hold a user or password: give the key as `key`")
    return f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/") or DEFAULT_PREFIX


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _is_local(origin: str) -> bool:
    return urlsplit(origin).hostname in ("127.0.0.1", "localhost", "::1")


def settings_of(url: str | None, key: str | None, given: Mapping[str, Any]) -> Settings:
    """The settings as given, else as the environment has them. Raises `InputError`."""
    origin, prefix = _origin_of(url or os.environ.get("TICKLAKE_URL") or DEFAULT_URL)
    own_key = (key or os.environ.get("TICKLAKE_KEY") or "").strip() or None
    if own_key and not _KEY.fullmatch(own_key):
        # No message may show it, not even that of the HTTP library, which refuses it as well.
        raise InputError("`key` has characters that no API key has")
    compress = given.get("compress")
    own: dict[str, Any] = {**given, "compress": not _is_local(origin) if compress is None else compress}
    settings = Settings(origin, prefix, own_key, **own)
    for name in ("timeout", "concurrency"):
        if getattr(settings, name) <= 0:
            raise InputError(f"`{name}` must be greater than 0, not {getattr(settings, name)}")
    if settings.max_retries < 0 or settings.max_wait < 0:
        raise InputError("`max_retries` and `max_wait` must not be less than 0")
    if settings.proxy is not None and not _is_http(settings.proxy):
        raise InputError("`proxy` must be an address such as http://proxy.example.com:3128")
    return settings
