"""Whatever disks, people and other processes do to a cache: no wrong row, and no foreign exception."""

from __future__ import annotations

import errno
import itertools
import json
import multiprocessing
import os
import random
import shutil
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ticklake
from ticklake._cache import Cache, file_digest
from ticklake._core import bulk

from .conftest import Connect
from .support import rows
from .support.fault_proxy import FaultProxy
from .support.server import Server
from .support.trials import trials
from .support.until import until
from .test_reads import READS, plain

SPOILT = 60
SHARED_READS = trials(96, 1000)
BY_PAGES = ["a day of a ticker", "rows by a filter"]
BY_FILES = ["days and tickers", "a range of days"]
ASKED = BY_PAGES + BY_FILES


def by_arrow(query: Any) -> pa.Table:
    table: pa.Table = query.to_arrow()
    return table


def by_polars(query: Any) -> pa.Table:
    return query.to_polars().to_arrow().cast(rows.TICK_SCHEMA)


def by_batches(query: Any) -> pa.Table:
    return pa.Table.from_batches(list(query.batches()))


WAYS: list[Callable[[Any], pa.Table]] = [by_arrow, by_polars, by_batches]


def is_read(client: Any, name: str, way: Callable[[Any], pa.Table] = WAYS[0]) -> bool:
    """Whether the rows came, which must be the right ones; False for an error of the client."""
    ask, expected = READS[name]
    try:
        table = way(ask(client))
    except ticklake.TicklakeError:
        return False
    wanted = expected()
    assert plain(table.cast(wanted.schema)).equals(plain(wanted)), name
    return True


def files_of(folder: Path, kind: str) -> list[Path]:
    return sorted(path for path in (folder / kind).rglob("*") if path.is_file())


def blobs_of(folder: Path) -> list[Path]:
    return files_of(folder, "blobs")


def rewrite(path: Path, data: bytes) -> None:
    """Other bytes, with the old times."""
    stat = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def flip(chance: random.Random, path: Path, _: Path) -> None:
    data = bytearray(path.read_bytes())
    for _bit in range(chance.choice([1, 1, 8])):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    rewrite(path, bytes(data))


def zero(chance: random.Random, path: Path, _: Path) -> None:
    data = path.read_bytes()
    start = chance.choice([0, chance.randrange(len(data))])
    rewrite(path, data[:start] + bytes(len(data) - start))


def cut(chance: random.Random, path: Path, _: Path) -> None:
    rewrite(path, path.read_bytes()[: chance.choice([0, chance.randrange(path.stat().st_size)])])


def swap(_: random.Random, path: Path, other: Path) -> None:
    mine, theirs = path.read_bytes(), other.read_bytes()
    rewrite(path, theirs)
    rewrite(other, mine)


SPOILERS = [flip, zero, cut, swap]


def spoil(chance: random.Random, folder: Path, spoiler: Callable[..., None]) -> None:
    """Spoils some of the blobs, or of what is known of the questions."""
    files = files_of(folder, chance.choice(["blobs", "blobs", "manifests"]))
    for path in chance.sample(files, chance.randrange(1, len(files))):
        spoiler(chance, path, chance.choice(files))


@pytest.fixture(scope="module")
def filled(wide_server: Server, key: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that has the answers to all that is asked."""
    folder = tmp_path_factory.mktemp("filled") / "cache"
    with ticklake.Client(wide_server.url, key, cache=folder) as client:
        assert all([is_read(client, name) for name in ASKED])
    return folder


@pytest.mark.parametrize("spoiler", SPOILERS)
def test_spoilt_caches_never_give_a_wrong_row(
    spoiler: Callable[..., None], filled: Path, connect: Connect, wide_server: Server, tmp_path: Path
) -> None:
    refused = 0
    for seed in range(SPOILT // len(SPOILERS)):
        chance = random.Random(f"{spoiler.__name__} {seed}")
        folder = tmp_path / str(seed)
        shutil.copytree(filled, folder)
        print("seed", seed)
        spoil(chance, folder, spoiler)
        name, way = chance.choice(ASKED), chance.choice(WAYS)
        offline = connect(wide_server.url, cache=folder, offline=True)
        refused += sum(not is_read(offline, each, way) for each in ASKED)
        online = connect(wide_server.url, cache=folder)
        assert is_read(online, name, way), "the server has it"
        assert is_read(offline, name, way), "and so has the cache by now, but for the catalogue"
    assert 0 < refused < SPOILT // len(SPOILERS) * len(ASKED)


@pytest.mark.parametrize("name", ["a day of a ticker", "days and tickers"])
@pytest.mark.parametrize("way", WAYS)
def test_a_blob_that_changes_after_it_was_read_is_not_taken_again(
    name: str, way: Callable[[Any], pa.Table], connect: Connect, wide_server: Server, tmp_path: Path
) -> None:
    client = connect(wide_server.url)
    assert is_read(client, name, way) and is_read(client, name, way)
    newest = max(path.stat().st_ctime_ns for path in blobs_of(tmp_path / "cache"))
    # File systems count time in ticks.
    until(lambda: tick(tmp_path) > newest)
    for path in blobs_of(tmp_path / "cache"):
        flip(random.Random(1), path, path)
    assert not is_read(connect(wide_server.url, offline=True), name, way)
    assert is_read(client, name, way)


def tick(folder: Path) -> int:
    (folder / "tick").write_bytes(b"")
    return (folder / "tick").stat().st_ctime_ns


def test_a_blob_is_verified_once_in_a_process(
    filled: Path, connect: Connect, wide_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(filled, tmp_path / "cache")
    hashed: list[Path] = []

    def digest(path: Path) -> str:
        hashed.append(path)
        return file_digest(path)

    monkeypatch.setattr("ticklake._cache.file_digest", digest)
    for settings in [{}, {"offline": True}, {}]:
        assert is_read(connect(wide_server.url, **settings), "days and tickers")
    assert len(hashed) == len(set(hashed)) > 0


@pytest.mark.parametrize("name", ["a day of a ticker", "days and tickers"])
@pytest.mark.parametrize("way", WAYS)
def test_what_a_decoder_refuses_is_fetched_again(
    name: str, way: Callable[[Any], pa.Table], connect: Connect, wide_proxy: FaultProxy
) -> None:
    client = connect(wide_proxy.url)
    assert is_read(client, name)
    folder = client.cache.folder
    for path in blobs_of(folder):
        path.write_bytes(b"no rows")
    with pytest.MonkeyPatch.context() as believing:
        believing.setattr(Cache, "blob", lambda cache, sha, _: existing(cache.blob_path(sha)))
        offline = connect(wide_proxy.url, offline=True)
        with pytest.raises(ticklake.NotCachedError):
            way(READS[name][0](offline))
        for path in blobs_of(folder):
            path.write_bytes(b"no rows")
        assert is_read(client, name, way) and is_read(offline, name, way)


def existing(path: Path) -> Path | None:
    return path if path.exists() else None


@pytest.mark.parametrize("member", ["head", "byte_count", "files", "window", "format", "answer"])
def test_a_manifest_that_lacks_something_is_not_cached(
    member: str, filled: Path, connect: Connect, wide_server: Server, tmp_path: Path
) -> None:
    shutil.copytree(filled, tmp_path / "cache")
    for path in files_of(tmp_path / "cache", "manifests"):
        content = json.loads(path.read_bytes())
        if member in content:
            del content[member]
            path.write_text(json.dumps(content))
    read = [is_read(connect(wide_server.url, offline=True), name) for name in ASKED]
    assert not all(read)
    assert all([is_read(connect(wide_server.url), name) for name in ASKED])


@pytest.mark.parametrize("name", ["a day of a ticker", "days and tickers"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", ["blob", "adopt", "partials", "takes"])
def test_another_process_may_clear_the_cache_at_any_moment(
    method: str,
    name: str,
    way: Callable[[Any], pa.Table],
    connect: Connect,
    wide_server: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = connect(wide_server.url)
    assert is_read(client, name)
    own = getattr(Cache, method)

    def then_cleared(cache: Cache, *words: Any) -> Any:
        answer = own(cache, *words)
        cache.clear()
        return answer

    monkeypatch.setattr(Cache, method, then_cleared)
    assert is_read(client, name, way) and is_read(client, name, way)
    assert not is_read(connect(wide_server.url, offline=True), name, way) or method != "blob"


def test_a_file_that_is_larger_than_the_cache_is_fetched_once(
    connect: Connect, wide_proxy: FaultProxy
) -> None:
    assert is_read(connect(wide_proxy.url, cache_bytes=1000), "days and tickers")
    fetched = [path for path in wide_proxy.paths if "/files/" in path]
    assert len(fetched) == len(set(fetched)) > 0


def shared_reads(url: str, key: str, folder: Path, number: int) -> int:
    """Reads in a process of its own, which may clear what the others read. How many of them gave rows."""
    bulk.POLL_SECONDS = 0.01
    chance, done = random.Random(number), 0
    clients = [
        ticklake.Client(url, key, cache=folder, cache_bytes=200_000, offline=at == 3) for at in range(4)
    ]
    for at in range(SHARED_READS // 4):
        client = clients[at % 4]
        if number == 0:
            client.cache.clear()
        came = is_read(client, chance.choice(ASKED), chance.choice(WAYS))
        assert came or at % 4 == 3, "the server has it"
        done += came
    return done


def test_processes_share_a_small_cache_that_one_of_them_clears(
    filled: Path, wide_server: Server, key: str, tmp_path: Path
) -> None:
    shutil.copytree(filled, tmp_path / "cache")
    # Not forked: polars does not outlive that.
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        read = pool.map(
            partial(shared_reads, wide_server.url, key, tmp_path / "cache"), range(4), chunksize=1
        )
    assert SHARED_READS * 3 // 4 <= sum(read) <= SHARED_READS


# Calls that a cache makes, and what they answer on a disk that is full, or may not be written.
CALLS = ["mkdir", "open", "replace", "utime", "write"]
ERRORS = [errno.ENOSPC, errno.EROFS, errno.EACCES]


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str, int], None]]:
    """Has one call fail wherever it would write below the cache of the test."""
    from ticklake._core.files import _Partial

    folder = tmp_path / "cache"

    def is_below(path: Any) -> bool:
        return isinstance(path, (str, os.PathLike)) and Path(path).is_relative_to(folder)

    def refused(call: str, number: int) -> None:
        if call == "write":
            own_write = _Partial.write

            def write(self: _Partial, chunk: bytes) -> None:
                if any((folder / "partial").iterdir()):
                    raise OSError(number, os.strerror(number))
                own_write(self, chunk)

            monkeypatch.setattr(_Partial, "write", write)
            return
        own = getattr(os, call)

        def failing(path: Any, *words: Any, **more: Any) -> Any:
            reads = call == "open" and words and not words[0] & (os.O_WRONLY | os.O_RDWR)
            if is_below(path) and not reads:
                raise OSError(number, os.strerror(number), str(path))
            return own(path, *words, **more)

        monkeypatch.setattr(os, call, failing)

    yield refused


@pytest.mark.parametrize(("call", "number"), list(itertools.product(CALLS, ERRORS)))
def test_a_cache_that_cannot_be_written_is_warned_of_once(
    call: str,
    number: int,
    refuse: Callable[[str, int], None],
    connect: Connect,
    wide_server: Server,
) -> None:
    refuse(call, number)
    # Of files that are fetched side by side, one writes while another one is not there any more.
    client = connect(wide_server.url, concurrency=1 if call == "write" else 4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert all([is_read(client, name, way) for name, way in zip(ASKED, itertools.cycle(WAYS))])
    told = [str(each.message) for each in caught if each.category is ticklake.CacheWarning]
    assert len(told) == 1 and os.strerror(number) in told[0]
    with pytest.raises(ticklake.NotCachedError):
        connect(wide_server.url, offline=True).ticks("CCC", rows.DAYS[1]).to_arrow()


def test_what_is_in_a_cache_that_cannot_be_written_is_still_read(
    filled: Path,
    refuse: Callable[[str, int], None],
    connect: Connect,
    wide_proxy: FaultProxy,
    wide_server: Server,
    tmp_path: Path,
) -> None:
    client = connect(wide_proxy.url)
    assert all([is_read(client, name) for name in ASKED])
    for call in ["mkdir", "open", "replace", "utime"]:
        refuse(call, errno.EROFS)
    wide_proxy.reset()
    with pytest.warns(ticklake.CacheWarning):
        assert all([is_read(connect(wide_proxy.url), name) for name in ASKED])
    assert not any("/files/" in path for path in wide_proxy.paths)
    assert all([is_read(connect(wide_proxy.url, offline=True), name) for name in ASKED])


@pytest.mark.parametrize("place", ["file", "file/below", "loop"])
def test_a_folder_that_cannot_be_made_is_warned_of(
    place: str, connect: Connect, wide_server: Server, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.warns(ticklake.CacheWarning):
        assert is_read(connect(wide_server.url, cache=tmp_path / place), "days and tickers")
    with pytest.raises(ticklake.NotCachedError):
        connect(wide_server.url, cache=tmp_path / place, offline=True).ticks("AAA", rows.DAYS[0]).to_arrow()


def test_a_client_without_a_home_reads_without_a_cache(
    connect: Connect, wide_server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ["TICKLAKE_CACHE", "XDG_CACHE_HOME", "HOME"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.warns(ticklake.CacheWarning, match="TICKLAKE_CACHE") as told:
        client = connect(wide_server.url, cache=True)
        assert is_read(client, "days and tickers")
    assert len(told) == 1 and client.cache is None
    with pytest.raises(ticklake.InputError, match="TICKLAKE_CACHE"):
        connect(wide_server.url, cache=True, offline=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert is_read(connect(wide_server.url, cache=True), "days and tickers")
