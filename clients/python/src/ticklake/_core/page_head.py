"""Reads the headers of a page. Pure."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from ..errors import IntegrityError
from .steps import Head
from .versions import OF_VERSION, Versions

_NEXT = re.compile(r'<([^>]*)>\s*;\s*rel="?next"?')
_MISSING = re.compile(r"(\d+) of (\d+)(?:: (.*))?")
# How many names a message has.
SHOWN_MAX = 5
_DIGEST = re.compile(r"sha-256=:([A-Za-z0-9+/=]+):")


def shortened(names: Sequence[str], count: int) -> str:
    """The first of so many names, for a message."""
    shown = names[:SHOWN_MAX]
    return ", ".join([*shown, *(["…"] if count > len(shown) else [])])


@dataclass(frozen=True, slots=True)
class Missing:
    """Identifiers of a list that have no rows: `count` of the `of` that were asked for.

    `names` are all of them, or the first ones if the service names no more: then they are fewer than `count`.
    """

    count: int
    of: int
    names: tuple[str, ...]

    @property
    def text(self) -> str:
        return f"No rows of {self.count} of {self.of} identifiers: {shortened(self.names, self.count)}"


@dataclass(frozen=True, slots=True)
class PageHead:
    """The headers of a page. `digest` is of the body as sent, in hex."""

    versions: Versions
    etag: str | None
    digest: str | None
    next_link: str | None
    encoding: str | None
    window: str | None = None
    # A hint at what was meant, if nothing was found, or at what the rows lack.
    hint: str | None = None
    hint_code: str | None = None
    # Which companies a ticker meant, by dates, where it meant more than one.
    symbols: str | None = None
    # Securities of an adjusted page that are not adjusted, each with the reason.
    unadjusted: str | None = None
    # As it came.
    missing_text: str | None = None

    @property
    def is_empty(self) -> bool:
        """True if the hint, where there is one, is of an answer without rows."""
        return self.hint_code != "sessions"

    @property
    def missing(self) -> Missing | None:
        found = _MISSING.fullmatch(self.missing_text or "")
        if found is None:
            return None
        names = tuple(unquote(name) for name in found[3].split(", ")) if found[3] else ()
        return Missing(int(found[1]), int(found[2]), names)


def next_link(head: Head) -> str | None:
    """The link to the next page, None on the last one."""
    found = _NEXT.search(head.headers.get("link", ""))
    return found[1] if found else None


def page_head(head: Head) -> PageHead:
    """Raises `IntegrityError` where a header is missing or does not read."""
    headers = head.headers
    numbers = {name: headers.get(f"x-{name.replace('_', '-')}", "") for name in OF_VERSION}
    versions = {name: int(number) for name, number in numbers.items() if number.isdecimal()}
    if "dataset_version" not in versions:
        told = numbers["dataset_version"]
        raise IntegrityError(f"The answer names no version of the dataset, but {told!r}")
    link = next_link(head)
    if head.status == 200:
        _require_one_end(link is not None, headers.get("x-pagination-next-offset"))
    digest = _DIGEST.search(headers.get("repr-digest", ""))
    try:
        sha = b64decode(digest[1], validate=True).hex() if digest else None
    except Base64Error:
        sha = None
    return PageHead(
        versions,
        headers.get("etag"),
        sha,
        link,
        _encoding(headers),
        hint_code=headers.get("x-hint-code"),
        missing_text=headers.get("x-missing"),
        **{name: headers.get(f"x-{name}") for name in ("window", "hint", "symbols", "unadjusted")},
    )


def _require_one_end(has_link: bool, next_offset: str | None) -> None:
    """Two headers tell whether there is more: one of them alone might have been lost on the way."""
    if next_offset is None or has_link != (next_offset != ""):
        raise IntegrityError("The answer does not tell for certain whether it is the last page")


def _encoding(headers: Mapping[str, str]) -> str | None:
    encoding = headers.get("content-encoding")
    return None if encoding in (None, "identity") else encoding
