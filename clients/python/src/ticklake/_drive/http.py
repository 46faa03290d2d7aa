"""Settings of the HTTP library for both drivers, and its failures."""

from __future__ import annotations

import ssl
from functools import cache
from typing import Any

from .._core.session import Settings
from .._core.steps import Lost
from ..errors import InputError


@cache
def _usual_authorities() -> ssl.SSLContext:
    """Read once for a process: that takes twenty times as long as all the rest of a client."""
    import httpx2

    return httpx2.create_ssl_context()


def http_options(settings: Settings) -> dict[str, Any]:
    """Arguments of the library's client. Raises `InputError` for a file without certificates."""
    import httpx2

    verify: Any = settings.verify
    if verify is True:
        verify = _usual_authorities()
    elif not isinstance(verify, bool):
        try:
            verify = ssl.create_default_context(cafile=verify)
        except OSError as error:
            raise InputError(f"`verify` names {verify}, which has no certificates: {error}") from error
    return {
        "timeout": httpx2.Timeout(settings.timeout, pool=None),
        "limits": httpx2.Limits(max_connections=None, keepalive_expiry=60.0),
        "verify": verify,
        "proxy": settings.proxy,
    }


def lost_by(error: Exception) -> Lost:
    """Translates a failure of the library; a bad certificate is final."""
    reason = f"{type(error).__name__}: {error}"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Lost(f"{reason}; give the file of the authority as `verify`", is_final=True)
        cause = cause.__cause__ or cause.__context__
    return Lost(reason)
