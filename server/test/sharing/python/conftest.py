"""A real server, and profiles of accounts that read its tables by Delta Sharing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.known_home import known_home
from tests.support.server import Home, Server

Profile = Callable[[str, str], str]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    made, _ = known_home(tmp_path_factory.mktemp("sharing"))
    return made


@pytest.fixture(scope="session")
def server(home: Home) -> Iterator[Server]:
    running = Server(home)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def profile(home: Home, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Profile:
    """The path of a profile file, of an account that is named and the key that it has."""
    folder = tmp_path_factory.mktemp("profiles")

    def write(name: str, key: str) -> str:
        path: Path = folder / f"{name}.share"
        endpoint = f"{server.url}/v1/delta-sharing"
        words = {"shareCredentialsVersion": 1, "endpoint": endpoint, "bearerToken": key}
        path.write_text(json.dumps(words))
        return str(path)

    return write


@pytest.fixture(scope="session")
def everything(home: Home, profile: Profile) -> str:
    """The profile of an account that reads all rows of both tables."""
    return profile("wide", home.account("wide", ["eq_taq", "kinds"]))
