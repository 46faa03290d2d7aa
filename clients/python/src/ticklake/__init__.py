"""Historical market data from a Ticklake server, as data frames.

with ticklake.Client("http://127.0.0.1:8080") as client:      # the key: TICKLAKE_KEY
    frame = client.ticks("AVQX", "2026-11-20").to_polars()
"""

from ._core.catalogue import Column as Column
from ._core.chain import ChainOptions as ChainOptions
from ._core.client import ClientOptions as ClientOptions
from ._core.page_head import Missing as Missing
from ._core.question import Dates as Dates
from ._core.question import Options as Options
from ._core.question import ReadOptions as ReadOptions
from ._core.question import UniverseOptions as UniverseOptions
from ._core.read import Estimate as Estimate
from ._core.trading_days import TradingDay as TradingDay
from .aio import AsyncBars as AsyncBars
from .aio import AsyncClient as AsyncClient
from .aio import AsyncDataset as AsyncDataset
from .aio import AsyncOptionChain as AsyncOptionChain
from .aio import AsyncQuery as AsyncQuery
from .client import Client as Client
from .client import Dataset as Dataset
from .errors import APIError as APIError
from .errors import AuthenticationError as AuthenticationError
from .errors import BadGatewayError as BadGatewayError
from .errors import BadRequestError as BadRequestError
from .errors import CacheWarning as CacheWarning
from .errors import ConflictError as ConflictError
from .errors import EmptyResultWarning as EmptyResultWarning
from .errors import GoneError as GoneError
from .errors import InputError as InputError
from .errors import IntegrityError as IntegrityError
from .errors import InternalServerError as InternalServerError
from .errors import InvalidRequestError as InvalidRequestError
from .errors import MethodNotAllowedError as MethodNotAllowedError
from .errors import MissingIdentifiersError as MissingIdentifiersError
from .errors import MissingIdentifiersWarning as MissingIdentifiersWarning
from .errors import MissingLibraryError as MissingLibraryError
from .errors import NotAcceptableError as NotAcceptableError
from .errors import NotCachedError as NotCachedError
from .errors import NotFoundError as NotFoundError
from .errors import PermissionDeniedError as PermissionDeniedError
from .errors import QueryTimeoutError as QueryTimeoutError
from .errors import QuotaExceededError as QuotaExceededError
from .errors import RateLimitError as RateLimitError
from .errors import ReadWarning as ReadWarning
from .errors import RequestTimeoutError as RequestTimeoutError
from .errors import TicklakeError as TicklakeError
from .errors import TooLongError as TooLongError
from .errors import TransportError as TransportError
from .errors import UnavailableError as UnavailableError
from .errors import VersionGoneError as VersionGoneError
from .joining import asof_join as asof_join
from .merging import replay as replay
from .progress import Progress as Progress
from .query import Bars as Bars
from .query import OptionChain as OptionChain
from .query import Query as Query
from .rolling import roll_adjusted as roll_adjusted

__version__ = "0.1.0"
