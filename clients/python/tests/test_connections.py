"""Certificates and proxies: whom a client trusts, and through whom it asks."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ticklake

from .support.calls import outcome
from .support.fault_proxy import FaultProxy, signed
from .support.server import Server

KINDS = ["Client", "AsyncClient"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That of 127.0.0.1 by no authority but itself, with its key."""
    file = tmp_path_factory.mktemp("tls") / "own.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(file), "-out", f"{file}.crt"]
    subprocess.run([*words, *names], check=True, capture_output=True)
    with file.open("a") as both:
        both.write(Path(f"{file}.crt").read_text())
    return file


@pytest.fixture
def encrypted(server: Server, certificate: Path) -> Iterator[FaultProxy]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    made = FaultProxy(server.url, context)
    yield made
    made.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_that_is_not_trusted_is_an_error_at_once(
    kind: str, encrypted: FaultProxy, certificate: Path, key: str, tmp_path: Path
) -> None:
    def answer(**settings: Any) -> Any:
        client = getattr(ticklake, kind)(encrypted.url, key, cache=tmp_path / "cache", **settings)
        return outcome(client.datasets)

    error = answer()
    assert isinstance(error, ticklake.TransportError)
    assert "`verify`" in str(error) and "(1 attempts)" in str(error)
    assert encrypted.paths == []
    for verify in (f"{certificate}.crt", Path(f"{certificate}.crt"), False):
        assert isinstance(answer(verify=verify), list)
    for nothing in (tmp_path / "missing.pem", tmp_path, __file__):
        assert isinstance(answer(verify=nothing), ticklake.InputError)


@pytest.mark.parametrize("kind", KINDS)
def test_all_requests_go_through_the_proxy(kind: str, proxy: FaultProxy, key: str, tmp_path: Path) -> None:
    proxy.choose = lambda number, path: signed(path, b"[]")
    client = getattr(ticklake, kind)("http://data.example.invalid", key, cache=tmp_path, proxy=proxy.url)
    assert outcome(client.datasets) == []
    assert proxy.paths == ["http://data.example.invalid/v1/meta/datasets/my"]
    secret = "of-the-proxy"
    client = getattr(ticklake, kind)(cache=tmp_path, proxy=f"http://me:{secret}@proxy.example.com")
    assert secret not in repr(client._session)
