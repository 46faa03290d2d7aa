"""Which versions of what a read is of. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from ..errors import IntegrityError
from .fork import OwnLock

# Versions by the names of their parameters, and what each is of.
Versions: TypeAlias = Mapping[str, int]
OF_VERSION = {
    "dataset_version": "dataset {dataset}",
    "factors_version": "the adjustment factors",
    "rolls_version": "the ranks of contracts",
}


def versions_in(answer: Mapping[str, Any]) -> Versions:
    """The versions that an answer names."""
    told = {name: answer[name] for name in OF_VERSION if answer.get(name) is not None}
    return {"dataset_version": 0, **told}


class Pin:
    """The versions that bind all requests of a query, from the first answer on.

    By their parameters: that of the dataset; where rows are adjusted on request, that of the adjustment
    factors; and for continuous contracts that of the dataset that ranks them.
    """

    def __init__(self, versions: Versions) -> None:
        self._lock = OwnLock()
        self._versions = dict(versions)

    @staticmethod
    def of(version: int | None) -> Pin:
        return Pin({} if version is None else {"dataset_version": version})

    def __reduce__(self) -> Any:
        return Pin, (self._versions,)

    @property
    def versions(self) -> dict[str, int]:
        return dict(self._versions)

    def bind(self, told: Versions, dataset: str) -> None:
        with self._lock:
            for name, version in told.items():
                before = self._versions.setdefault(name, version)
                if before != version:
                    what = OF_VERSION[name].format(dataset=dataset)
                    raise IntegrityError(f"An answer is of version {version} of {what}, not {before}")
