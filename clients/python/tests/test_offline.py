"""A client offline sends nothing, whatever it is asked: it answers from the cache, or says that it cannot."""

from __future__ import annotations

import inspect
import socket
from pathlib import Path
from typing import Any

import pytest

import ticklake

from .conftest import Connect
from .support import rows
from .support.calls import CLIENT, DATASET, QUERY, SYNC_QUERY, calls, outcome
from .support.server import Server

# What a client that has asked for its datasets and their columns knows from then on.
KNOWN = {"datasets", "columns", "trading_days"}


def methods(kind: type) -> set[str]:
    found = inspect.getmembers(kind, inspect.isfunction)
    return {name for name, _ in found if not name.startswith("_")} - {"close"}


@pytest.mark.parametrize(
    "kinds", [("Client", "Dataset", "Query"), ("AsyncClient", "AsyncDataset", "AsyncQuery")]
)
def test_the_tables_name_every_public_method(kinds: tuple[str, ...]) -> None:
    for kind, table in zip(kinds, (CLIENT, DATASET, QUERY), strict=True):
        own = SYNC_QUERY if kind == "Query" else {}
        assert methods(getattr(ticklake, kind)) == {*table, *own}


def test_an_estimate_offline_knows_the_rows_of_files_and_nothing_of_limits(connect: Connect) -> None:
    connect().ticks(["AAA", "BBB"], "2026-11-20").to_arrow()
    found = connect(offline=True).ticks(["AAA", "BBB"], "2026-11-20").estimate()
    assert (found.rows, found.fits) == (2 * rows.ROWS_EACH, None)


def forbid_connections(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """From now on every connection fails; gives the addresses that are tried."""
    tried: list[Any] = []

    def connect(_: socket.socket, address: Any) -> None:
        tried.append(address)
        raise OSError("no connection is to be opened")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect)
    return tried


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_no_method_of_a_client_offline_opens_a_connection(
    kind: str,
    is_known: bool,
    server: Server,
    key: str,
    connect: Connect,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if is_known:
        client = connect()
        client.datasets()
        client.dataset("kinds").columns()
    settings: dict[str, Any] = {"cache": tmp_path / "cache", "max_retries": 0}
    tried = forbid_connections(monkeypatch)
    # The guard sees what a client would send.
    online = getattr(ticklake, kind)(server.url, key, **settings)
    assert isinstance(outcome(lambda: online.search("aaa")), ticklake.TransportError)
    assert len(tried) == 1
    offline = getattr(ticklake, kind)(server.url, key, offline=True, **settings)
    for name, call in calls(offline, tmp_path / "files"):
        answer = outcome(call)
        assert len(tried) == 1, name
        if is_known and name in KNOWN:
            assert answer and not isinstance(answer, Exception), name
        else:
            refusals = (ticklake.NotCachedError, *((ticklake.InputError,) if is_known else ()))
            assert isinstance(answer, refusals), (name, answer)
