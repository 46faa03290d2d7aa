"""Option chains: all of their pages, as one table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Generic, Literal, TypedDict, TypeVar
from urllib.parse import urlencode

from .._frames.arrow import table_of_records
from .._frames.library import Library
from .._frames.schema import arrow_schema
from ..errors import InputError, IntegrityError
from .answers import OPTION_CHAIN_CONTRACT
from .catalogue import Column, read_form
from .exchange import Context, ask_json, understood
from .question import require_known
from .session import Session
from .steps import Task, Work

# The driver of a chain.
D = TypeVar("D")


class ChainOptions(TypedDict, total=False):
    """Options of an option chain beside its underlying and date.

    `at`: in place of the date, a moment, by the market's clock unless it has an offset.
    `expiration`, `strike`: one value, or a range with both ends (None leaves one open).
    `root`, `call_put`: only contracts of this root; only calls, `C`, or only puts, `P`.
    `version`, `contracts_version`, `greeks_version`: versions of the ticks, the master of contracts and the
    analytics; `as_of`: those of a time, where none is given by its number.
    `page_contracts`: contracts of one answer.
    """

    at: datetime | str
    root: str
    expiration: date | str | tuple[date | str | None, date | str | None]
    strike: float | tuple[float | None, float | None]
    call_put: Literal["C", "P"]
    version: int
    contracts_version: int
    greeks_version: int
    as_of: datetime | str
    page_contracts: int


# The dataset in whose time zone the times of a chain are.
_TICKS = "opt_tanq"
_NAMES = {"version": "dataset_version", "page_contracts": "limit"}
_VERSIONS = {"ticks": "dataset_version", "contracts": "contracts_version", "greeks": "greeks_version"}


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def chain_parameters(underlying: str, day: date | str | None, options: ChainOptions) -> dict[str, str]:
    """Parameters of the request. Raises `InputError` before anything is sent."""
    require_known(options, ChainOptions.__optional_keys__)
    if (day is None) == ("at" not in options):
        raise InputError("An option chain is of a date, or `at` a moment")
    asked: dict[str, Any] = {"underlying": underlying, "date": day}
    for name, value in options.items():
        if isinstance(value, tuple):
            if len(value) != 2 or name not in ("expiration", "strike"):
                raise InputError(
                    f"`{name}` is one value; only `expiration` and `strike` may be a range of two ends"
                )
            asked |= {f"{name}.ge": value[0], f"{name}.le": value[1]}
        else:
            asked[_NAMES.get(name, name)] = value
    return {name: _text(value) for name, value in asked.items() if value is not None}


def _pins(chain: dict[str, Any]) -> dict[str, str]:
    """Parameters that bind later pages to the versions of the first one."""
    versions = {_VERSIONS[source["role"]]: source["dataset_version"] for source in chain["sources"]}
    return {name: str(version) for name, version in versions.items() if version is not None}


@dataclass(frozen=True, slots=True)
class Answer:
    """`contracts` is a table of Arrow, `info` what was told beside them."""

    info: dict[str, Any]
    contracts: Any


def _read_chain(session: Session, asked: dict[str, str]) -> Task[Answer]:
    """The whole chain."""
    context = Context()
    form = yield from read_form(session, context, _TICKS)
    path = "/symbology/option-chain"
    info: dict[str, Any] = yield from ask_json(session, context, f"{path}?{urlencode(asked)}")
    contracts, pins = info.pop("contracts"), _pins(info)
    pagination = info.pop("pagination")
    while (offset := pagination["next_offset"]) is not None:
        query = urlencode({**asked, **pins, "offset": str(offset)})
        page = yield from ask_json(session, context, f"{path}?{query}")
        contracts += page["contracts"]
        pagination = page["pagination"]
    if len(contracts) != info["contract_count"]:
        raise IntegrityError(f"The server gave {len(contracts)} contracts of {info['contract_count']}")
    schema = arrow_schema([Column(*each) for each in OPTION_CHAIN_CONTRACT.items()], form.time_zone)
    return Answer(info, (yield Work(lambda: table_of_records(contracts, schema))))


class OptionChainBase(Generic[D]):
    """The option contracts on an underlying, as they are at one moment.

    Nothing is sent before the first method that needs an answer is called. The chain is read once: all later
    calls have the contracts of that answer.
    """

    def __init__(self, driver: D, session: Session, asked: dict[str, str]) -> None:
        self._driver = driver
        self._session = session
        self._asked = asked
        self._kept: dict[str, Answer] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {urlencode(self._asked, safe=':')}>"

    def _answer(self) -> Task[Answer]:
        if not self._kept:
            with understood():
                answer = yield from _read_chain(self._session, self._asked)
            # If several read at once, the first answer is for all.
            self._kept.setdefault("first", answer)
        return self._kept["first"]

    def _frame(self, answer: Answer, library: Library) -> Any:
        if library == "arrow":
            return answer.contracts
        import polars as pl

        return pl.from_arrow(answer.contracts)
