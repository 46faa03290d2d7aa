"""Errors: one class for each kind of answer, transport and damage.

Every error of the client is a `TicklakeError`. Those of the service carry its own text.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any


class TicklakeError(Exception):
    """Whatever the client raises of its own accord."""


class InputError(TicklakeError, ValueError):
    """The call cannot be right, and nothing was sent."""


class MissingLibraryError(TicklakeError, ImportError):
    """The library of a frame is not installed; nothing was read."""


class NotCachedError(TicklakeError):
    """The client is offline, and the cache does not hold what was asked for."""


class TransportError(TicklakeError):
    """No complete answer arrived, however often it was asked for."""


class IntegrityError(TicklakeError):
    """The answer is not the one that was sent: truncated, damaged, of another version."""


class MissingIdentifiersError(TicklakeError):
    """A `strict` read found no rows of some identifiers of its list; `identifiers` has them."""

    def __init__(self, text: str, identifiers: tuple[str, ...] = ()) -> None:
        super().__init__(text, identifiers)
        self.identifiers = identifiers

    def __str__(self) -> str:
        return str(self.args[0])


class ReadWarning(UserWarning):
    """An answer may have fewer or other rows than its question meant."""


class MissingIdentifiersWarning(ReadWarning):
    """A read found no rows of some identifiers of its list; `query.missing` has them."""


class EmptyResultWarning(ReadWarning):
    """A read found no rows, and the service knows what it may have meant."""


class CacheWarning(UserWarning):
    """The cache cannot be used; the client reads without it."""


class APIError(TicklakeError):
    """The service refused or failed.

    `status` is the HTTP status, `detail` the service's text, `hint` the next step that it names,
    `problems` the list of a 422,
    `request_id` what to quote to the operator, `attempts` how often the request was sent.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        hint: str | None = None,
        problems: Sequence[dict[str, Any]] = (),
        request_id: str | None = None,
        dataset: str | None = None,
        version: int | None = None,
        attempts: int = 1,
        retry_at: datetime | None = None,
    ) -> None:
        self.status = status
        self.detail = detail
        self.hint = hint
        self.problems = list(problems)
        self.request_id = request_id
        self.dataset = dataset
        self.version = version
        self.attempts = attempts
        self.retry_at = retry_at
        # Pickle calls the class with these.
        super().__init__(status, detail)

    def __str__(self) -> str:
        notes = [f"status {self.status}"]
        if self.request_id:
            notes.append(f"request {self.request_id}")
        if self.dataset:
            notes.append(f"dataset {self.dataset}")
        if self.version is not None:
            notes.append(f"version {self.version}")
        if self.attempts > 1:
            notes.append(f"{self.attempts} attempts")
        text = self.detail if self.hint is None else f"{self.detail}. {self.hint}"
        return f"{text} ({', '.join(notes)})"


class BadRequestError(APIError):
    """400"""


class AuthenticationError(APIError):
    """401: no key, or one that is unknown, deleted or deactivated."""


class PermissionDeniedError(APIError):
    """403: no rule for the dataset, identifier or address; or a file's link is not good."""


class NotFoundError(APIError):
    """404: no such dataset, version or path."""


class MethodNotAllowedError(APIError):
    """405"""


class NotAcceptableError(APIError):
    """406: the service does not have the format."""


class RequestTimeoutError(APIError):
    """408"""


class ConflictError(APIError):
    """409"""


class GoneError(APIError):
    """410: the key has expired, the account is deactivated, or its contract has ended."""


class VersionGoneError(GoneError):
    """410: the version of the dataset is no longer kept."""


class TooLongError(APIError):
    """413, 414 and 431: fewer identifiers or filters at once."""


class InvalidRequestError(APIError):
    """422: `problems` says what is wrong, where, and what would be right."""


class RateLimitError(APIError):
    """429: a limit of the minute is used up until `retry_at`, longer than the client waits."""


class QuotaExceededError(RateLimitError):
    """A limit of the month is used up until `retry_at`."""


class InternalServerError(APIError):
    """500"""


class BadGatewayError(APIError):
    """502: a proxy has lost the service."""


class UnavailableError(APIError):
    """503: the service is too busy, or a file of it is missing."""


class QueryTimeoutError(APIError):
    """504: the query took too long; narrow it."""


_BY_STATUS: dict[int, type[APIError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    405: MethodNotAllowedError,
    406: NotAcceptableError,
    408: RequestTimeoutError,
    409: ConflictError,
    410: GoneError,
    413: TooLongError,
    414: TooLongError,
    422: InvalidRequestError,
    429: RateLimitError,
    431: TooLongError,
    500: InternalServerError,
    502: BadGatewayError,
    503: UnavailableError,
    504: QueryTimeoutError,
}


def error_class(status: int, detail: str, window: str | None) -> type[APIError]:
    """The class of a refusal; `window` is what `X-RateLimit-Window` says."""
    # The month's limit is a 403 on requests for anything but data.
    if window == "month" or (status in (403, 429) and detail.startswith("Monthly ")):
        return QuotaExceededError
    if status == 410 and "version" in detail.lower():
        return VersionGoneError
    return _BY_STATUS.get(status, APIError)
