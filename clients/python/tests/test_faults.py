"""Whatever breaks on the way: the exact frame or an exception, never a shorter frame."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ticklake
from ticklake._core.page_head import page_head
from ticklake._core.steps import Head

from .conftest import Connect
from .support import rows
from .support.calls import calls, outcome
from .support.fault_proxy import Choose, Fault, FaultProxy, answered, moved, signed, too_many
from .support.server import Home, Server
from .support.trials import trials
from .test_reads import plain

DAY = rows.DAYS[-1]
Ask = Callable[[Any], Any]
ASKS: dict[str, tuple[Ask, Callable[[], pa.Table]]] = {
    "files": (
        lambda c: c.ticks(["AAA", "BBB"], ("2026-11-18", DAY)),
        lambda: rows.all_ticks(tickers=["AAA", "BBB"]),
    ),
    "pages": (
        lambda c: c.ticks("AAA", DAY, where={"Price.gt": 0}),
        lambda: rows.ticks(DAY, "AAA"),
    ),
}
# No answer comes too late, however slow the machine.
SETTINGS: dict[str, Any] = {"timeout": 600.0, "max_retries": 2, "compress": False}
SILENCE_SECONDS = 1.0


def gives_up_silence(client: Any) -> None:
    """Has a client take silence for the end of a connection, which may be that of a slow machine, too."""
    import httpx2

    client._driver._connections().timeout = httpx2.Timeout(SILENCE_SECONDS, pool=None)


# For answers that stall: what only comes late is asked for again.
HASTY: dict[str, Any] = {**SETTINGS, "timeout": SILENCE_SECONDS, "max_retries": 50}


def random_faults(seed: int) -> Callable[[int, str], Fault | None]:
    """About a third of the answers break, each in some way."""
    chance = random.Random(seed)

    def choose(number: int, path: str) -> Fault | None:
        at = chance.randrange(1 << 20)
        faults = [
            Fault(reset=at),
            Fault(stall=at),
            Fault(flip=at),
            Fault(flip_head=at),
            Fault(ignore_range=True, reset=at),
            too_many(0),
        ]
        return chance.choice(faults) if chance.random() < 0.35 else None

    return choose


def read_or_none(read: Callable[[], pa.Table]) -> pa.Table | None:
    try:
        return read()
    except ticklake.TicklakeError:
        return None


@pytest.mark.parametrize("name", ASKS)
@pytest.mark.parametrize("seed", range(trials(6, 12)))
def test_a_read_is_exact_or_an_exception(
    name: str, seed: int, connect: Connect, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick_waits(monkeypatch)
    ask, expected = ASKS[name]
    client = connect(proxy.url, **SETTINGS)
    # The catalogue is not a frame: it has no digest, and is read before anything breaks.
    ask(client).estimate()
    gives_up_silence(client)
    proxy.reset(random_faults(seed))
    table = read_or_none(lambda: ask(client).to_arrow())
    assert table is None or plain(table).equals(plain(expected()))
    # Nor is anything in the cache but what is right.
    proxy.reset()
    assert plain(ask(connect(proxy.url, **SETTINGS)).to_arrow()).equals(plain(expected()))


# One fault in a read of each kind, at one byte of one of its answers or requests.
TRIED: dict[str, tuple[Callable[[int], Fault], int]] = {
    "a flipped bit in an answer": (lambda at: Fault(flip=at), trials(16, 400)),
    "a flipped bit in a request": (lambda at: Fault(flip_request=at), trials(8, 100)),
    "a cut connection": (lambda at: Fault(reset=at), trials(8, 200)),
}
KINDS: dict[str, Callable[[ticklake.Client], Any]] = {
    "files": lambda c: plain(c.ticks(["AAA", "BBB"], DAY).to_arrow()),
    "a page": lambda c: plain(c.ticks("AAA", DAY, limit=900, where={"Price.gt": 0}).to_arrow()),
    "columns": lambda c: c.dataset("kinds").columns(),
    "securities": lambda c: c.resolve(["AAA"]),
}


@pytest.mark.parametrize("name", TRIED)
def test_one_fault_anywhere_leaves_the_answer_as_it_is_or_is_an_error(
    name: str, connect: Connect, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick_waits(monkeypatch)
    fault_at, count = TRIED[name]
    right = {kind: ask(connect(cache=False)) for kind, ask in KINDS.items()}
    chance, came = random.Random(name), 0
    for _ in range(count):
        kind, broken, at = chance.choice(list(KINDS)), chance.randrange(4), chance.randrange(1 << 20)
        proxy.reset(lambda number, path, broken=broken, at=at: fault_at(at) if number == broken else None)  # type: ignore[misc]
        try:
            answer = KINDS[kind](connect(proxy.url, cache=False, **SETTINGS))
        except ticklake.TicklakeError:
            continue
        assert answer == right[kind], f"{kind}, answer {broken}, byte {at}"
        came += 1
    # How many come is up to the order in which answers arrive.
    assert came > 0


@pytest.mark.parametrize("name", ASKS)
@pytest.mark.parametrize("seed", range(trials(2, 4)))
def test_a_read_by_asyncio_is_exact_or_an_exception(
    name: str, seed: int, proxy: FaultProxy, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick_waits(monkeypatch)
    ask, expected = ASKS[name]

    async def read() -> pa.Table | None:
        async with ticklake.AsyncClient(proxy.url, key, cache=tmp_path, **SETTINGS) as client:
            await ask(client).estimate()
            gives_up_silence(client)
            proxy.reset(random_faults(100 + seed))
            try:
                table: pa.Table = await ask(client).to_arrow()
                return table
            except ticklake.TicklakeError:
                return None

    table = asyncio.run(read())
    assert table is None or plain(table).equals(plain(expected()))


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("body", [b"{}", b"[{}]", b"null", b'{"data": {}, "pagination": 3, "files": [1]}'])
def test_json_without_what_is_needed_is_an_error_of_the_client(
    kind: str, is_known: bool, body: bytes, proxy: FaultProxy, key: str, tmp_path: Path
) -> None:
    client = getattr(ticklake, kind)(proxy.url, key, cache=tmp_path / "cache", max_retries=0)
    if is_known:
        outcome(client.dataset("kinds").columns)
    proxy.reset(lambda number, path: signed(path, body))
    # Any error that is not the client's own comes out.
    answers = {name: outcome(call) for name, call in calls(client, tmp_path / "files")}
    for name in (
        "search",
        "versions",
        "option_chain.info",
        "read.estimate",
        "ticks.to_arrow",
        "read.download",
    ):
        assert isinstance(answers[name], ticklake.TicklakeError), name


def test_a_page_of_somebody_else_asks_who_is_in_between(connect: Connect, proxy: FaultProxy) -> None:
    client = connect(proxy.url, max_retries=0)
    proxy.reset(lambda number, path: answered(b"<html>Sign in</html>", "text/html"))
    asking = "does not name this request: is there a login page or a proxy"
    with pytest.raises(ticklake.TransportError, match=asking):
        client.datasets()
    proxy.reset(lambda number, path: answered(b"", "text/html", "302 Found"))
    with pytest.raises(ticklake.APIError, match="status 302: is there a login page or a proxy"):
        client.datasets()


def quick_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules of waits have tests of their own; here they would only take time."""
    monkeypatch.setattr("ticklake._core.retry.FIRST_WAIT_SECONDS", 0.02)


@pytest.mark.parametrize("fault", [Fault(reset=900), Fault(stall=900), Fault(flip=900)])
@pytest.mark.parametrize("name", ASKS)
def test_one_fault_is_mended(name: str, fault: Fault, connect: Connect, proxy: FaultProxy) -> None:
    ask, expected = ASKS[name]
    client = connect(proxy.url, **(SETTINGS if fault.stall is None else HASTY))
    ask(client).estimate()
    broken = iter([fault])

    def choose(number: int, path: str) -> Fault | None:
        is_of_rows = "/files/" in path or "/data/" in path
        return next(broken, None) if is_of_rows else None

    proxy.reset(choose)
    assert plain(ask(client).to_arrow()).equals(plain(expected()))
    assert next(broken, None) is None


@pytest.mark.parametrize("name", ASKS)
def test_damage_that_stays_raises(name: str, connect: Connect, proxy: FaultProxy) -> None:
    ask, _ = ASKS[name]
    client = connect(proxy.url, **SETTINGS)
    ask(client).estimate()
    proxy.reset(lambda number, path: Fault(flip=-100) if "/files/" in path or "/data/" in path else None)
    with pytest.raises(ticklake.IntegrityError):
        ask(client).to_arrow()


SWAPPED: dict[str, Ask] = {
    "a page": lambda c: c.ticks("AAA", DAY, limit=20).to_arrow().to_pylist(),
    "pages of a filter": lambda c: c.ticks("AAA", DAY, where={"Price.gt": 0}).to_arrow().to_pylist(),
    "files": lambda c: c.ticks(["AAA", "BBB"], ("2026-11-18", DAY)).to_arrow().to_pylist(),
    "an estimate": lambda c: c.ticks("AAA", DAY).estimate(),
    "columns": lambda c: c.dataset("eq_taq").columns(),
    "status": lambda c: c.dataset("eq_taq").status(),
    "a search": lambda c: c.search("AAA"),
    "securities": lambda c: c.resolve("AAA"),
}


@pytest.mark.parametrize("name", SWAPPED)
def test_the_answer_to_another_question_is_never_taken(
    name: str, connect: Connect, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick_waits(monkeypatch)
    ask = SWAPPED[name]
    right = ask(connect(proxy.url, cache=False, **SETTINGS))
    swapped: list[str] = []

    def swap(path: str) -> Fault | None:
        other = path.replace("AAA", "CCC").replace("US1032", "US9001")
        if other == path:
            return None
        swapped.append(path)
        return Fault(other=other)

    proxy.reset(lambda number, path: None if swapped else swap(path))
    assert ask(connect(proxy.url, cache=False, **SETTINGS)) == right
    assert swapped
    proxy.reset(lambda number, path: swap(path))
    with pytest.raises(ticklake.TransportError, match="does not name this request"):
        ask(connect(proxy.url, cache=False, **SETTINGS))


def test_a_manifest_of_another_request_is_refused_though_its_digests_are_right(
    connect: Connect, proxy: FaultProxy, key: str
) -> None:
    ask = connect(proxy.url, cache=False).dataset("eq_taq").read
    ask(["AAA", "BBB"], DAY).to_arrow()
    path = next(each for each in proxy.paths if "/bulk/" in each)
    other = Request(proxy.url + path.replace("BBB", "CCC"), headers={"x-api-key": key})
    with urlopen(other) as answer:
        body = answer.read()
    proxy.reset(lambda number, path: signed(path, body) if "/bulk/" in path else None)
    with pytest.raises(ticklake.IntegrityError, match="The manifest is of another request: /bulk/us-equity"):
        ask(["AAA", "BBB"], DAY).to_arrow()


def test_a_version_with_a_flipped_bit_is_no_version() -> None:
    # With its highest bit set, a 2 is a superscript: a digit for Python, but no number.
    with pytest.raises(ticklake.IntegrityError, match="The answer names no version of the dataset, but '1²'"):
        page_head(Head(304, {"x-dataset-version": "1²"}))


def test_a_server_that_names_no_requests_is_said_to_be_older(connect: Connect, proxy: FaultProxy) -> None:
    proxy.reset(lambda number, path: Fault(is_bare=True))
    with pytest.raises(ticklake.TransportError, match="server is older than this client"):
        connect(proxy.url, cache=False, max_retries=0).dataset("eq_taq").status()


def test_flipped_bits_in_json_are_noticed(connect: Connect, proxy: FaultProxy) -> None:
    right = connect(cache=False).dataset("eq_taq").status()
    for at in range(0, 200, 7):
        flipped = iter([Fault(flip=at)])
        proxy.reset(lambda number, path, left=flipped: next(left, None) if "/status" in path else None)  # type: ignore[misc]
        assert connect(proxy.url, cache=False, **SETTINGS).dataset("eq_taq").status() == right
        assert next(flipped, None) is None


def test_a_file_goes_on_where_it_broke_off(connect: Connect, proxy: FaultProxy, tmp_path: Path) -> None:
    client = connect(proxy.url, **SETTINGS)
    broken: set[str] = set()

    def choose(number: int, path: str) -> Fault | None:
        if "/files/" not in path or path in broken:
            return None
        broken.add(path)
        return Fault(reset=2000)

    proxy.reset(choose)
    client.ticks(["AAA", "BBB"], ("2026-11-18", DAY)).download(tmp_path / "files")
    ranged = [head.lower() for head in proxy.heads if "range: bytes=" in head.lower()]
    assert broken and len(ranged) == len(broken)
    assert all("if-range: " in head for head in ranged)


def test_a_whole_file_in_place_of_a_range_starts_it_again(
    connect: Connect, proxy: FaultProxy, tmp_path: Path
) -> None:
    client = connect(proxy.url, **SETTINGS)
    seen: dict[str, int] = {}

    def choose(number: int, path: str) -> Fault | None:
        seen[path] = seen.get(path, 0) + 1
        if "/files/" not in path:
            return None
        return Fault(reset=2000) if seen[path] == 1 else Fault(ignore_range=True)

    proxy.reset(choose)
    table = client.ticks(["AAA", "BBB"], ("2026-11-18", DAY)).to_arrow()
    assert plain(table).equals(plain(rows.all_ticks(tickers=["AAA", "BBB"])))


@pytest.fixture
def store(server: Server) -> Iterator[FaultProxy]:
    """Another place at which the same files are."""
    made = FaultProxy(server.url)
    made.is_store = True
    yield made
    made.close()


def moves_files(store: FaultProxy) -> Choose:
    return lambda number, path: moved(store.url + path) if "/files/" in path else None


def test_a_file_that_a_proxy_sends_needs_no_digest_of_the_request(
    connect: Connect, proxy: FaultProxy
) -> None:
    proxy.reset(lambda number, path: Fault(is_bare=True) if "/files/" in path else None)
    assert plain(ask_for_two(connect(proxy.url, **SETTINGS))).equals(
        plain(rows.all_ticks(tickers=["AAA", "BBB"]))
    )


def ask_for_two(client: ticklake.Client) -> pa.Table:
    return client.ticks(["AAA", "BBB"], ("2026-11-18", DAY)).to_arrow()


def test_files_come_from_where_the_service_leads_to_without_the_key(
    connect: Connect, proxy: FaultProxy, store: FaultProxy, key: str
) -> None:
    proxy.reset(moves_files(store))
    assert plain(ask_for_two(connect(proxy.url, **SETTINGS))).equals(
        plain(rows.all_ticks(tickers=["AAA", "BBB"]))
    )
    assert store.paths and all("/files/" in path for path in store.paths)
    assert not any(key in head for head in store.heads)
    assert any(key in head for head in proxy.heads)


def test_asyncio_follows_too(proxy: FaultProxy, store: FaultProxy, key: str, tmp_path: Path) -> None:
    proxy.reset(moves_files(store))

    async def read() -> pa.Table:
        async with ticklake.AsyncClient(proxy.url, key, cache=tmp_path, **SETTINGS) as client:
            table: pa.Table = await client.ticks("AAA", DAY).to_arrow()
            return table

    assert plain(asyncio.run(read())).equals(plain(rows.ticks(DAY, "AAA")))
    assert store.paths and not any(key in head for head in store.heads)


@pytest.mark.parametrize("fault", [Fault(reset=900), Fault(stall=900), Fault(flip=900), too_many(0)])
def test_a_fault_at_the_other_place_is_mended(
    fault: Fault, connect: Connect, proxy: FaultProxy, store: FaultProxy
) -> None:
    broken = iter([fault])
    store.reset(lambda number, path: next(broken, None))
    proxy.reset(moves_files(store))
    client = connect(proxy.url, **(SETTINGS if fault.stall is None else HASTY))
    assert plain(ask_for_two(client)).equals(plain(rows.all_ticks(tickers=["AAA", "BBB"])))
    assert next(broken, None) is None


def test_what_broke_off_at_the_other_place_goes_on_at_the_service(
    connect: Connect, proxy: FaultProxy, store: FaultProxy, tmp_path: Path
) -> None:
    seen: set[str] = set()

    def once(number: int, path: str) -> Fault | None:
        is_first = "/files/" in path and path not in seen
        seen.add(path)
        return moved(store.url + path) if is_first else None

    store.reset(lambda number, path: Fault(reset=2000))
    proxy.reset(once)
    connect(proxy.url, **SETTINGS).ticks(["AAA", "BBB"], ("2026-11-18", DAY)).download(tmp_path / "files")
    ranged = [head.lower() for head in proxy.heads if "range: bytes=" in head.lower()]
    assert store.paths and len(ranged) == len(store.paths)
    assert all("if-range: " in head for head in ranged)


def test_a_whole_file_for_a_range_at_the_other_place_starts_it_again(
    connect: Connect, proxy: FaultProxy, store: FaultProxy
) -> None:
    broken: set[str] = set()

    def choose(number: int, path: str) -> Fault:
        is_first = path not in broken
        broken.add(path)
        return Fault(reset=2000) if is_first else Fault(ignore_range=True)

    store.reset(choose)
    proxy.reset(moves_files(store))
    client = connect(proxy.url, **SETTINGS)
    assert plain(ask_for_two(client)).equals(plain(rows.all_ticks(tickers=["AAA", "BBB"])))


@pytest.mark.parametrize(
    "place", ["ftp://127.0.0.1/file", "file:///etc/passwd", "http://127.0.0.1:x/", "http://", ""]
)
def test_a_place_that_is_none_is_no_answer(place: str, connect: Connect, proxy: FaultProxy) -> None:
    proxy.reset(lambda number, path: moved(place) if "/files/" in path else None)
    client = connect(proxy.url, **{**SETTINGS, "max_retries": 0})
    with pytest.raises(ticklake.TransportError):
        ask_for_two(client)


def test_refusals_at_the_other_place_are_no_word_of_the_service(
    connect: Connect, proxy: FaultProxy, store: FaultProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick_waits(monkeypatch)
    refusal = Fault(refuse=b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
    store.reset(lambda number, path: refusal)
    proxy.reset(moves_files(store))
    with pytest.raises(ticklake.TransportError, match="answered 403") as failure:
        ask_for_two(connect(proxy.url, **SETTINGS))
    assert "/files/" not in str(failure.value)


def test_pages_are_read_nowhere_else(connect: Connect, proxy: FaultProxy, store: FaultProxy) -> None:
    proxy.reset(lambda number, path: moved(store.url + path) if "/data/" in path else None)
    ask, _ = ASKS["pages"]
    with pytest.raises(ticklake.TicklakeError):
        ask(connect(proxy.url, **SETTINGS)).to_arrow()
    assert store.paths == []


def test_pages_stay_with_their_version_whatever_is_published_between_them(
    connect: Connect, proxy: FaultProxy, home: Home, tmp_path: Path
) -> None:
    file = rows.write_csv(rows.ticks(DAY, "AAA").slice(0, 5), tmp_path / "again.csv")
    published: list[int] = []

    def publish() -> None:
        published.append(home.append("eq_taq", file))

    proxy.reset(lambda number, path: Fault(before=publish) if "offset=" in path and not published else None)
    try:
        query = connect(proxy.url).ticks("AAA", DAY, where={"Price.gt": 0})
        assert plain(query.to_arrow()).equals(plain(rows.ticks(DAY, "AAA")))
        assert published
        assert connect().ticks("AAA", DAY).to_arrow().num_rows == rows.ROWS_EACH + 5
    finally:
        if published:
            home.roll_back(published[0])


def refused(status: int, text: str) -> Fault:
    """A refusal of a file as the service words it."""
    body = f'{{"detail":"{text}"}}'.encode()
    head = (
        f"HTTP/1.1 {status} Refused\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return Fault(refuse=head.encode() + body)


EXPIRED = refused(403, "The file's link has expired: ask for a new manifest")


def test_a_link_that_expires_within_a_file_is_asked_for_anew(
    connect: Connect, proxy: FaultProxy, tmp_path: Path
) -> None:
    client = connect(proxy.url, concurrency=1, **SETTINGS)
    faults = iter([Fault(reset=2000), EXPIRED])
    proxy.reset(lambda number, path: next(faults, None) if "/files/" in path else None)
    paths = client.ticks("AAA", ("2026-11-18", DAY)).download(tmp_path / "files")
    assert sum(pq.read_metadata(path).num_rows for path in paths) == rows.ROWS_EACH * len(rows.DAYS)
    assert len([path for path in proxy.paths if "/bulk/" in path]) == 2
    goes_on = [head.lower() for head in proxy.heads if "/files/" in head][2]
    assert "range: bytes=2" in goes_on and "if-range: " in goes_on


def test_a_link_that_stays_refused_raises_after_some_new_ones(
    connect: Connect, proxy: FaultProxy, tmp_path: Path
) -> None:
    client = connect(proxy.url, **SETTINGS)
    proxy.reset(lambda number, path: EXPIRED if "/files/" in path else None)
    with pytest.raises(ticklake.PermissionDeniedError, match="expired"):
        client.ticks("AAA", DAY).download(tmp_path / "files")
    assert len([path for path in proxy.paths if "/files/" in path]) <= 5


def test_a_key_that_is_revoked_within_a_read_ends_it_at_once(
    connect: Connect, home: Home, proxy: FaultProxy
) -> None:
    key = home.account("revoked within a read", ["eq_taq"])
    client = connect(proxy.url, key=key, concurrency=1)
    identity = str(home.identities["revoked within a read"])

    def revoke() -> None:
        (found,) = home.run("key", "list", "--identity", identity)
        home.run("key", "deactivate", "--key", str(found["key_id"]))

    files: list[str] = []

    def choose(number: int, path: str) -> Fault | None:
        if "/files/" not in path:
            return None
        files.append(path)
        return Fault(reset=2000, before=revoke if len(files) == 2 else None)

    proxy.reset(choose)
    with pytest.raises(ticklake.AuthenticationError):
        client.ticks(["AAA", "BBB"], ("2026-11-18", DAY)).to_arrow()
    assert len(files) <= 3
