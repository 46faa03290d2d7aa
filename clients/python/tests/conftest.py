"""The server that the tests read from: a home of known rows, with small pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import ticklake

from .support.bars import load_bars
from .support.fault_proxy import FaultProxy
from .support.known_home import known_home
from .support.server import Home, Server

PAGE_ROWS = 1000


@dataclass(frozen=True)
class Homes:
    """Two homes of the same rows and keys, because a home has one server."""

    small: Home
    wide: Home
    key: str


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Homes:
    made, key = known_home(tmp_path_factory.mktemp("home"))
    return Homes(made, made.copy(tmp_path_factory.mktemp("wide") / "home"), key)


@pytest.fixture(scope="session")
def home(homes: Homes) -> Home:
    """The home of `server`."""
    return homes.small


@pytest.fixture(scope="session")
def server(homes: Homes) -> Iterator[Server]:
    """Pages of 1,000 rows, a third of a ticker's day."""
    running = Server(homes.small, TICKLAKE_COLUMNAR_ROWS_MAX=str(PAGE_ROWS))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def wide_server(homes: Homes) -> Iterator[Server]:
    """Pages as they are by default: a ticker's day is one."""
    running = Server(homes.wide)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def key(homes: Homes) -> str:
    return homes.key


@pytest.fixture
def proxy(server: Server) -> Iterator[FaultProxy]:
    made = FaultProxy(server.url)
    yield made
    made.close()


@pytest.fixture
def wide_proxy(wide_server: Server) -> Iterator[FaultProxy]:
    made = FaultProxy(wide_server.url)
    yield made
    made.close()


Connect = Callable[..., ticklake.Client]


@pytest.fixture
def connect(server: Server, key: str, tmp_path: Path) -> Iterator[Connect]:
    """Makes clients of the server, with a cache of the test's own unless told otherwise."""
    made: list[ticklake.Client] = []

    def client(url: str | None = None, **settings: Any) -> ticklake.Client:
        settings = {"key": key, "cache": tmp_path / "cache", "max_wait": 5.0, **settings}
        made.append(ticklake.Client(url or server.url, **settings))
        return made[-1]

    yield client
    for each in made:
        each.close()


@pytest.fixture(scope="session")
def bars_client(homes: Homes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ticklake.Client]:
    """A client of a server with bars of a minute and of a day."""
    folder = tmp_path_factory.mktemp("bars")
    home = homes.small.copy(folder / "home")
    load_bars(home, folder)
    server = Server(home)
    with ticklake.Client(server.url, homes.key, cache=folder / "cache") as made:
        yield made
    server.stop()
