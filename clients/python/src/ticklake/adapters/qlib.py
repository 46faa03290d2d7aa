"""Daily bars as a folder of Qlib. Qlib labels a bar by its date and decides on the next day.

Qlib keeps numbers as floats of 32 bits: about seven digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..query import Query
from .frame import bars_of_one

_NAMES = ["open", "high", "low", "close", "volume", "vwap"]
# Folders that Qlib names otherwise, since Windows has none with these names.
_DEVICES = {
    "CON",
    "PRN",
    "AUX",
    "NUL",
    *(f"{port}{number}" for port in ("COM", "LPT") for number in range(10)),
}
# What pandas takes for missing in Qlib's list of instruments.
_MISSING = {"NA", "NULL"}


def write(queries: Sequence[Query], folder: Path | str) -> list[str]:
    """Writes the daily bars of a query for each security below an empty `folder`; gives their instruments.

    Their `factor` is 1: prices are as the query has them.
    """
    place = Path(folder)
    if place.exists() and any(place.iterdir()):
        raise InputError(f"The folder {place} is not empty: Qlib's calendar is of all its instruments")
    frames: dict[str, Any] = {}
    for name, bars in map(_frame, queries):
        if name in frames:
            raise InputError(f"Two queries have bars of {name}: Qlib takes one for each security")
        frames[name] = bars
    days = sorted({day for frame in frames.values() for day in frame.index})
    _lines(place / "calendars" / "day.txt", [f"{day:%Y-%m-%d}" for day in days])
    spans = (f"{name}\t{bars.index[0]:%Y-%m-%d}\t{bars.index[-1]:%Y-%m-%d}" for name, bars in frames.items())
    _lines(place / "instruments" / "all.txt", spans)
    for name, bars in frames.items():
        first, last = days.index(bars.index[0]), days.index(bars.index[-1])
        own = bars.reindex(days[first : last + 1])
        for field in own.columns:
            _numbers(place / "features" / _folder(name) / f"{field}.day.bin", first, own[field])
    return list(frames)


def _frame(query: Query) -> tuple[str, Any]:
    bars, length = bars_of_one(query)
    if length != "day":
        raise InputError("Qlib's folder has daily bars: ask for those, without `interval`")
    if bars.empty:
        raise InputError(f"There are no bars of {query!r}")
    name = bars["ticker"].iloc[-1].upper()
    if name in _MISSING:
        raise InputError(f"Qlib reads the name {name} as a missing one: leave it out")
    prices = bars[_NAMES].astype(float).set_axis(bars["time"].dt.tz_localize(None))
    return name, prices.assign(factor=1.0)


def _folder(name: str) -> str:
    return f"_qlib_{name}".lower() if name in _DEVICES else name.lower()


def _lines(path: Path, lines: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def _numbers(path: Path, first: int, values: Any) -> None:
    """Where the values begin in the calendar, and the values."""
    import numpy as np

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(np.hstack([[first], values.to_numpy()]).astype("<f4").tobytes())
