"""What the cache keeps, when it is asked, and who may use it at the same time."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ticklake
from ticklake._cache import Cache

from .conftest import Connect
from .support import rows
from .support.fault_proxy import Fault, FaultProxy
from .support.server import Home
from .support.until import until
from .test_reads import READS, plain

DAY = rows.DAYS[-1]
READER = """
import sys, ticklake
url, key, cache, out = sys.argv[1:]
with ticklake.Client(url, key, cache=cache) as client:
    table = client.ticks(["AAA", "BBB"], ("2026-11-18", "2026-11-20")).to_arrow()
    print(table.num_rows, flush=True)
    import pyarrow.ipc as ipc
    with ipc.new_file(out, table.schema) as file:
        file.write_table(table)
"""


def start_reader(url: str, key: str, cache: Path, out: Path) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", READER, url, key, str(cache), str(out)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def begun_in(partial: Path) -> bool:
    """True once a data file, which stalls, has bytes; a manifest is moved away when it is whole."""
    names = os.listdir(partial) if partial.exists() else []
    return any((partial / name).stat().st_size > 0 for name in names if not name.startswith("manifest."))


def table_of(out: Path) -> object:
    import pyarrow.ipc as ipc

    with ipc.open_file(out) as file:
        return plain(file.read_all())


@pytest.mark.parametrize("name", ["a day of a ticker", "days and tickers", "rows by a filter"])
def test_a_second_read_sends_no_rows_again(name: str, connect: Connect, wide_proxy: FaultProxy) -> None:
    ask, expected = READS[name]
    client = connect(wide_proxy.url)
    ask(client).to_arrow()
    wide_proxy.reset()
    sent: list[int] = []
    table = ask(client).to_arrow()
    assert plain(table).equals(plain(expected()))
    assert not any("/files/" in path for path in wide_proxy.paths)
    data = [head.lower() for head in wide_proxy.heads if "/data/" in head.split()[1]]
    assert all("if-none-match: " in head for head in data)
    assert len(wide_proxy.paths) == 1 and not sent


def test_a_cached_read_still_asks_for_the_right_to_read(connect: Connect, home: Home) -> None:
    key = home.account("revoked", ["eq_taq"])
    client = connect(key=key)
    query = client.ticks("AAA", DAY)
    query.to_arrow()
    home.run("identity", "deactivate", "--identity", str(home.identities["revoked"]))
    with pytest.raises(ticklake.GoneError):
        query.to_arrow()


@pytest.mark.parametrize("name", ["a day of a ticker", "days and tickers", "rows by a filter"])
def test_offline_reads_give_what_was_read_or_say_that_it_was_not(name: str, connect: Connect) -> None:
    ask, expected = READS[name]
    ask(connect()).to_arrow()
    offline = connect(offline=True)
    assert plain(ask(offline).to_arrow()).equals(plain(expected()))
    with pytest.raises(ticklake.NotCachedError):
        offline.ticks("BBB", rows.DAYS[1]).to_arrow()


def test_a_blob_that_was_altered_is_fetched_again(connect: Connect) -> None:
    client = connect()
    ask, expected = READS["days and tickers"]
    ask(client).to_arrow()
    assert client.cache is not None
    for blob in (client.cache.folder / "blobs").rglob("*"):
        if blob.is_file():
            data = bytearray(blob.read_bytes())
            data[len(data) // 2] ^= 1
            blob.write_bytes(data)
    assert plain(ask(client).to_arrow()).equals(plain(expected()))


def test_a_blob_behind_a_symbolic_link_is_not_taken(tmp_path: Path) -> None:
    import hashlib

    cache, body = Cache(tmp_path / "cache"), b"rows"
    sha = hashlib.sha256(body).hexdigest()
    path = cache.put(body, sha)
    assert cache.blob(sha, 4) == path
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    assert cache.blob(sha, 4) is None


def test_the_cache_lets_go_of_what_was_used_longest_ago(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hashlib

    moments = itertools.count(1_000_000_000)
    monkeypatch.setattr("ticklake._cache._now_ns", lambda: next(moments))
    cache = Cache(tmp_path, bytes_max=3000)
    bodies = [bytes([number]) * 1000 for number in range(5)]
    shas = [hashlib.sha256(body).hexdigest() for body in bodies]
    for number, (body, sha) in enumerate(zip(bodies, shas, strict=True)):
        cache.put(body, sha)
        if number < 4:
            assert cache.blob(shas[0], 1000), "what is used stays"
    assert sum(file.stat().st_size for file in (tmp_path / "blobs").rglob("*") if file.is_file()) <= 3000
    assert cache.blob(shas[4], 1000) and not cache.blob(shas[1], 1000)


def test_two_processes_on_one_cache_both_read_exactly(proxy: FaultProxy, key: str, tmp_path: Path) -> None:

    def both_ask() -> bool:
        return sum("/bulk/" in path for path in proxy.paths) >= 2

    def choose(number: int, path: str) -> Fault | None:
        return Fault(stall=3000, over=both_ask) if "/files/" in path and number % 3 == 0 else None

    proxy.reset(choose)
    readers = [start_reader(proxy.url, key, tmp_path / "cache", tmp_path / f"{n}.arrow") for n in range(2)]
    for number, reader in enumerate(readers):
        assert reader.wait() == 0
        assert table_of(tmp_path / f"{number}.arrow") == plain(rows.all_ticks(tickers=["AAA", "BBB"]))
    assert not list((tmp_path / "cache" / "partial").iterdir())


def test_a_read_that_was_killed_goes_on_with_what_it_had(proxy: FaultProxy, key: str, tmp_path: Path) -> None:
    proxy.reset(lambda number, path: Fault(stall=3000) if "/files/" in path else None)
    killed = start_reader(proxy.url, key, tmp_path / "cache", tmp_path / "killed.arrow")
    partial = tmp_path / "cache" / "partial"
    until(lambda: begun_in(partial))
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert begun_in(partial) and not (tmp_path / "killed.arrow").exists()
    proxy.reset()
    reader = start_reader(proxy.url, key, tmp_path / "cache", tmp_path / "out.arrow")
    assert reader.wait() == 0
    assert table_of(tmp_path / "out.arrow") == plain(rows.all_ticks(tickers=["AAA", "BBB"]))
    assert any("range: bytes=" in head.lower() for head in proxy.heads)
    assert not list(partial.iterdir())
