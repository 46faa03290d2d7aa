"""Historical market data from a Ticklake server, as data frames.

with ticklake.Client("http://127.0.0.1:8080") as client:      # the key: TICKLAKE_KEY
    frame = client.ticks("AVQX", "2026-11-20").to_polars()
"""

from ._core.catalogue import Column
from ._core.chain import ChainOptions
from ._core.client import ClientOptions
from ._core.question import Dates, Options, ReadOptions
from ._core.read import Estimate
from .aio import AsyncClient, AsyncDataset, AsyncOptionChain, AsyncQuery
from .client import Client, Dataset
from .errors import (
    APIError,
    AuthenticationError,
    BadGatewayError,
    BadRequestError,
    CacheWarning,
    ConflictError,
    EmptyResultWarning,
    GoneError,
    InputError,
    IntegrityError,
    InternalServerError,
    InvalidRequestError,
    MethodNotAllowedError,
    MissingIdentifiersError,
    MissingIdentifiersWarning,
    MissingLibraryError,
    NotAcceptableError,
    NotCachedError,
    NotFoundError,
    PermissionDeniedError,
    QueryTimeoutError,
    QuotaExceededError,
    RateLimitError,
    ReadWarning,
    RequestTimeoutError,
    TicklakeError,
    TooLongError,
    TransportError,
    UnavailableError,
    VersionGoneError,
)
from .progress import Progress
from .query import OptionChain, Query

__all__ = [
    "APIError",
    "AsyncClient",
    "AsyncDataset",
    "AsyncOptionChain",
    "AsyncQuery",
    "AuthenticationError",
    "BadGatewayError",
    "BadRequestError",
    "CacheWarning",
    "ChainOptions",
    "Client",
    "ClientOptions",
    "Column",
    "ConflictError",
    "Dataset",
    "Dates",
    "EmptyResultWarning",
    "Estimate",
    "GoneError",
    "InputError",
    "IntegrityError",
    "InternalServerError",
    "InvalidRequestError",
    "MethodNotAllowedError",
    "MissingIdentifiersError",
    "MissingIdentifiersWarning",
    "MissingLibraryError",
    "NotAcceptableError",
    "NotCachedError",
    "NotFoundError",
    "OptionChain",
    "Options",
    "PermissionDeniedError",
    "Progress",
    "Query",
    "QueryTimeoutError",
    "QuotaExceededError",
    "RateLimitError",
    "ReadOptions",
    "ReadWarning",
    "RequestTimeoutError",
    "TicklakeError",
    "TooLongError",
    "TransportError",
    "UnavailableError",
    "VersionGoneError",
]
