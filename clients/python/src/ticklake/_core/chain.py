"""Option chains, along all of their pages."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal, TypedDict
from urllib.parse import urlencode

from ..errors import InputError, IntegrityError
from ..progress import Reporter
from .exchange import Context, ask_json
from .session import Session
from .steps import Task


class ChainOptions(TypedDict, total=False):
    """What may be said of an option chain beside its underlying and date.

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


_NAMES = {"version": "dataset_version", "page_contracts": "limit"}
_VERSIONS = {"ticks": "dataset_version", "contracts": "contracts_version", "greeks": "greeks_version"}


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def _parameters(underlying: str, day: date | str | None, options: ChainOptions) -> dict[str, str]:
    if (day is None) == ("at" not in options):
        raise InputError("An option chain is of a date, or `at` a moment")
    asked: dict[str, Any] = {"underlying": underlying, "date": day}
    for name, value in options.items():
        if isinstance(value, tuple):
            asked |= {f"{name}.ge": value[0], f"{name}.le": value[1]}
        else:
            asked[_NAMES.get(name, name)] = value
    return {name: _text(value) for name, value in asked.items() if value is not None}


def _pins(chain: dict[str, Any]) -> dict[str, str]:
    """What holds the pages that follow to the versions of the first one."""
    versions = {_VERSIONS[source["role"]]: source["dataset_version"] for source in chain["sources"]}
    return {name: str(version) for name, version in versions.items() if version is not None}


def read_chain(
    session: Session, underlying: str, day: date | str | None, options: ChainOptions
) -> Task[dict[str, Any]]:
    """The whole chain."""
    asked = _parameters(underlying, day, options)
    url = session.url(f"/symbology/option-chain?{urlencode(asked)}")
    chain: dict[str, Any] = yield from ask_json(session, Context(Reporter(None)), url)
    pins = _pins(chain)
    while (offset := chain["pagination"]["next_offset"]) is not None:
        query = urlencode({**asked, **pins, "offset": str(offset)})
        page = yield from ask_json(
            session, Context(Reporter(None)), session.url(f"/symbology/option-chain?{query}")
        )
        chain["contracts"] += page["contracts"]
        chain["pagination"] = page["pagination"]
    if len(chain["contracts"]) != chain["contract_count"]:
        got, whole = len(chain["contracts"]), chain["contract_count"]
        raise IntegrityError(f"The server gave {got} contracts of {whole}")
    return chain
